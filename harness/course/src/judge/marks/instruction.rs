//! Checks whether the PTX of a kernel has a required instruction.
//!
//! This shows only that the instruction is there, not that it runs; answers and counters show what runs.
use std::collections::HashMap;

use super::marked::{Criterion, CriterionKind};
use crate::{assignment::rubric::Instruction, ptx::statements};

/// The first kernel that lacks the instruction; `ptx` contains all of them.
pub fn lacking<'a>(asked: &'a Instruction, ptx: &str) -> Option<&'a str> {
    let statements = statements(ptx);
    let functions = functions(&statements);
    asked.kernels.iter().map(String::as_str).find(|kernel| !has(&functions, kernel, &asked.name))
}

/// Says what a kernel lacks.
pub fn words(asked: &Instruction, kernel: &str) -> String {
    format!("{kernel} has no instruction {}", asked.name)
}

/// Judges whether the kernels of a right exercise have the instruction.
pub fn instruction(asked: &Instruction, ptx: &str) -> Criterion {
    match lacking(asked, ptx) {
        None => Criterion::earned(CriterionKind::Instruction, asked.points, &asked.words),
        Some(kernel) => {
            let raise = format!("the goal: {}", asked.words);
            Criterion::lost(CriterionKind::Instruction, asked.points, words(asked, kernel), raise)
        }
    }
}

/// Whether `kernel`, or a function that it calls, has an instruction of this name.
fn has(functions: &HashMap<&str, Vec<&str>>, kernel: &str, name: &str) -> bool {
    let (mut todo, mut seen) = (vec![kernel], Vec::new());
    while let Some(function) = todo.pop() {
        if seen.contains(&function) {
            continue;
        }
        seen.push(function);
        for line in functions.get(function).into_iter().flatten() {
            if opcode(line).is_some_and(|opcode| is_called(opcode, name)) {
                return true;
            }
            let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$');
            todo.extend(line.split(|c| !is_word(c)).filter_map(|word| Some(*functions.get_key_value(word)?.0)));
        }
    }
    false
}

/// The statements of each function, without directives.
fn functions(ptx: &str) -> HashMap<&str, Vec<&str>> {
    let mut functions: HashMap<&str, Vec<&str>> = HashMap::new();
    let mut current = "";
    for line in ptx.lines().map(str::trim) {
        if line.contains(".entry") || line.contains(".func") {
            // The name precedes the parameters; a returned value in parentheses may come before it.
            let name = line.trim_end_matches('(').rsplit([' ', '\t', ')']).next().unwrap_or_default();
            current = name;
        }
        if !(line.is_empty() || line.starts_with(['.', '{', '}', '('])) {
            functions.entry(current).or_default().push(line);
        }
    }
    functions
}

/// The instruction's name, after any label and guard predicate.
fn opcode(line: &str) -> Option<&str> {
    let is_before = |word: &&str| word.starts_with(['@', '%', '!']) || word.ends_with(':');
    line.split_whitespace().find(|word| !is_before(word)).map(|word| word.trim_end_matches(';'))
}

/// Whether `opcode` matches `name`: the first words are equal, and the other words of `name` follow in this order, as
/// `atom.cas` matches `atom.global.cas.b64`.
fn is_called(opcode: &str, name: &str) -> bool {
    let mut words = opcode.split('.');
    let mut asked = name.split('.');
    words.next() == asked.next() && asked.all(|asked| words.any(|word| word == asked))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PTX: &str = "\
.visible .func  (.param .b64 func_retval0) helper(
\t.param .b64 helper_param_0
)
{
\tatom.cas.b64 \t%rd1, [%rd2], %rd3, %rd4;
\tret;
}
\t// .globl\tinlined
.visible .entry inlined(
\t.param .u64 inlined_param_0
)
.maxntid 256, 1, 1
{
$L__BB0_1:
\t@%p1 atom.global.cas.b64 \t%rd1, [%rd2], %rd3, %rd4;
\tret;
}
.visible .entry calls(
\t.param .u64 calls_param_0
)
{
\tcall.uni (retval0),
\thelper,
\t(
\tparam0
\t);
\tret;
}
.visible .entry adds(
\t.param .u64 adds_param_0
)
{
\tatom.global.add.f64 \t%fd1, [%rd1], %fd2; // no atom.cas
\t/* atom.cas.b64
\tatom.cas.b64 %rd1, [%rd2], %rd3, %rd4;
\t*/
\t.pragma \"nounroll;
\tatom.cas.b64\";
\tret;
}
.visible .entry inline_assembly(
\t.param .u64 inline_assembly_param_0
)
{
\t{ .reg .b64 %old; RETRY: @ !%p1 atom.global.cas.b64 %old, [%rd2], %rd3, %rd4; }
\tret;
}
";

    fn lacking(kernels: &[&str], name: &str) -> Option<String> {
        let kernels = kernels.iter().map(|kernel| (*kernel).to_string()).collect();
        let asked = Instruction { points: 1.0, name: name.into(), kernels, required: false, words: "w".into() };
        super::lacking(&asked, PTX).map(str::to_owned)
    }

    #[test]
    fn an_instruction_is_found_in_a_kernel_and_in_what_it_calls() {
        assert_eq!(lacking(&["inlined", "calls"], "atom.cas"), None);
        assert_eq!(lacking(&["inlined", "adds"], "atom.cas"), Some("adds".into()));
        assert_eq!(lacking(&["inline_assembly"], "atom.cas"), None);
        assert_eq!(lacking(&["adds"], "atom.add"), None);
        assert_eq!(lacking(&["adds"], "atom.add.f64"), None);
        assert_eq!(lacking(&["adds"], "atom.add.f32"), Some("adds".into()));
        assert_eq!(lacking(&["adds"], "red.add"), Some("adds".into()));
        assert_eq!(lacking(&["absent"], "ret"), Some("absent".into()));
    }
}
