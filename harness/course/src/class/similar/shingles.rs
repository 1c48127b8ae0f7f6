//! A kernel file as a set of short instruction sequences, independent of names, order and layout.
use harness::Result;
use kernels::KernelSource;
use sha2::{Digest, Sha256};

use crate::ptx::statements;

/// The number of instructions in a sequence.
const LENGTH: usize = 5;

/// The architecture for which files are compiled to be compared: that of the default profile, for which they are
/// compiled anyway.
const CAPABILITY: (i32, i32) = (8, 0);

/// The hashes of the instruction sequences that `source` compiles to, sorted, each once.
///
/// # Errors
/// When it does not compile.
pub fn of_source(source: &KernelSource) -> Result<Vec<u32>> {
    Ok(shingles(&kernels::ptx_for(source, CAPABILITY)?.ptx))
}

fn shingles(ptx: &str) -> Vec<u32> {
    let mut all: Vec<u32> = functions(ptx)
        .iter()
        .flat_map(|instructions| instructions.windows(LENGTH).map(|window| hash(&window.join("\n"))))
        .collect();
    all.sort_unstable();
    all.dedup();
    all
}

fn hash(text: &str) -> u32 {
    let digest = Sha256::digest(text);
    u32::from_le_bytes([digest[0], digest[1], digest[2], digest[3]])
}

/// The instructions of each function, without comments, line information, declarations and register numbers.
fn functions(ptx: &str) -> Vec<Vec<String>> {
    let mut functions: Vec<Vec<String>> = Vec::new();
    for line in statements(ptx).lines().map(str::trim) {
        if line.contains(".entry") || line.contains(".func") {
            functions.push(Vec::new());
        }
        let is_instruction = !line.is_empty() && !line.starts_with(['.', '{', '}', ')', '(', '$']);
        if let Some(function) = functions.last_mut().filter(|_| is_instruction) {
            function.push(plain(line));
        }
    }
    functions
}

/// An instruction without the numbers of registers, labels and parameters.
fn plain(line: &str) -> String {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '%' | '.');
    let (mut plain, mut word) = (String::new(), String::new());
    for c in line.chars().chain(std::iter::once(';')) {
        if is_part(c) {
            word.push(c);
        } else {
            plain += renamed(&word);
            word.clear();
            // The spacing of operands is ignored.
            if !c.is_whitespace() || !plain.ends_with(' ') {
                plain.push(if c.is_whitespace() { ' ' } else { c });
            }
        }
    }
    plain
}

fn renamed(word: &str) -> &str {
    if word.starts_with("$L") {
        "$L"
    } else if word.contains("_param_") {
        "param"
    } else if word.starts_with('%') {
        word.trim_end_matches(|c: char| c.is_ascii_digit())
    } else {
        word
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = "\
.version 8.0
.visible .entry add(
	.param .u64 add_param_0
)
{
	.reg .b32 %r<9>;
	ld.param.u64 	%rd1, [add_param_0];
	mov.u32 	%r1, %ctaid.x;
	mad.lo.s32 	%r4, %r1, 256, %r2;
	@%p1 bra 	$L__BB0_2;
	st.global.f32 	[%rd1+4], %f3;
	ret;
}
";

    #[test]
    fn names_comments_and_lines_say_nothing() {
        let other = ONE
            .replace("%r1,", "%r77,")
            .replace("$L__BB0_2", "$L__BB3_14")
            .replace("add", "mine")
            .replace("\tret;", "\t.loc 1 33 5\n\t// the end\n\t/* of\n\tit;\n*/ ret;  // at last");
        assert_ne!(other, ONE);
        assert_eq!(shingles(ONE), shingles(&other));
        assert_eq!(shingles(ONE).len(), 2);
    }

    #[test]
    fn what_is_computed_says_all() {
        assert_ne!(shingles(ONE), shingles(&ONE.replace("256", "128")));
        assert_ne!(shingles(ONE), shingles(&ONE.replace("st.global.f32", "st.global.f64")));
        assert_ne!(shingles(ONE), shingles(&ONE.replace("%ctaid.x", "%ctaid.y")));
    }
}
