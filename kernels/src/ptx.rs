//! PTX text: the processing of the compiler's output before it is stored or loaded, and the header of committed files.
use crate::{Arch, KernelSource, input::Input};

/// The PTX ISA version of committed files, if their instructions allow it. 7.4 belongs to CUDA 11.4, whose driver API
/// is the oldest that the workspace binds: a driver that is too old for this version could not run the labs anyway.
const OLDEST_VERSION: (u32, u32) = (7, 4);

/// The starts of a committed file's header lines.
const SOURCE_LINE: &str = "// source sha256 ";
const COMPILER_LINE: &str = "// compiler NVRTC ";

/// Makes the compiler's output reproducible and portable: removes the comments that name the compiler's build, replaces
/// paths on this computer by the names that the user knows, and lowers the PTX version to the one that is needed.
pub(crate) fn tidy(ptx: &str, input: &Input, arch: Arch) -> String {
    let body = ptx.lines().skip_while(|l| l.trim().is_empty() || l.starts_with("//"));
    let mut lines: Vec<String> =
        body.map(|l| relative_file(l, input).unwrap_or_else(|| l.trim_end().to_string())).collect();
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    if let Some(version) = lines.iter_mut().find(|l| l.starts_with(".version ")) {
        let lowest = lowest_version(arch).max(version_of_instructions(ptx));
        if parse_version(version).is_some_and(|v| v > lowest) && uses_only_old_instructions(ptx, arch) {
            *version = format!(".version {}.{}", lowest.0, lowest.1);
        }
    }
    lines.join("\n") + "\n"
}

/// Replaces the path of a `.file` line by the one that the user knows: NVRTC prefixes every name with the working
/// folder.
fn relative_file(line: &str, input: &Input) -> Option<String> {
    let (head, rest) = line.trim_start().strip_prefix(".file")?.split_once('"')?;
    let full = rest.split('"').next()?;
    let named = |name: &str| full == name || full.strip_suffix(name).is_some_and(|start| start.ends_with('/'));
    let path = if named(&input.name) {
        &input.name
    } else {
        // One name may be the end of another.
        let named = input.headers.iter().filter(|header| named(&header.name));
        named.max_by_key(|header| header.name.len())?.path.as_ref()
    };
    Some(format!("\t.file{head}\"{}\"", path.replace('\\', "/")))
}

fn parse_version(line: &str) -> Option<(u32, u32)> {
    let (major, minor) = line.strip_prefix(".version ")?.trim().split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

/// The lowest PTX version for a target (PTX ISA, release notes table), but at least [`OLDEST_VERSION`].
fn lowest_version(arch: Arch) -> (u32, u32) {
    match arch.number {
        90 if arch.is_exact => (8, 0),
        0..=87 => OLDEST_VERSION,
        88..=99 => (7, 8),
        100 | 101 => (8, 6),
        102 | 103 | 120 | 121 => (8, 8),
        _ => (u32::MAX, 0), // Newer than this table: keep what the compiler wrote.
    }
}

/// Opcodes of PTX ISA 7.4 and before that compilers emit.
const OLD_OPCODES: &[&str] = &[
    "abs",
    "activemask",
    "add",
    "addc",
    "and",
    "atom",
    "bar",
    "barrier",
    "bfe",
    "bfi",
    "bfind",
    "bra",
    "brev",
    "brx",
    "call",
    "clz",
    "cnot",
    "copysign",
    "cos",
    "cp",
    "cvt",
    "cvta",
    "div",
    "dp2a",
    "dp4a",
    "ex2",
    "exit",
    "fence",
    "fma",
    "fns",
    "isspacep",
    "ld",
    "ldmatrix",
    "ldu",
    "lg2",
    "lop3",
    "mad",
    "mad24",
    "madc",
    "match",
    "max",
    "membar",
    "min",
    "mma",
    "mov",
    "mul",
    "mul24",
    "nanosleep",
    "neg",
    "not",
    "or",
    "popc",
    "prefetch",
    "prefetchu",
    "prmt",
    "rcp",
    "red",
    "redux",
    "rem",
    "ret",
    "rsqrt",
    "sad",
    "selp",
    "set",
    "setp",
    "shf",
    "shfl",
    "shl",
    "shr",
    "sin",
    "slct",
    "sqrt",
    "st",
    "sub",
    "subc",
    "tanh",
    "testp",
    "trap",
    "vote",
    "wmma",
    "xor",
];

/// Qualifiers that are newer than PTX ISA 7.4, on older opcodes.
const NEW_QUALIFIERS: &[&str] = &[
    "cluster",
    "multimem",
    "mbarrier",
    "bulk",
    "tensor",
    "aligned_cluster",
    "b128",
    "v8",
    "nan_xorsign",
    "tensormap",
    "mmio",
    "sync_restrict",
    "proxy",
    "alias",
    "e4m3x2",
    "e5m2x2",
    "level2",
    "unified",
    "bf16x2_rna",
    "oob",
    "async",
];

/// Opcodes and qualifiers that PTX ISA 8.0 has for compute capability 9.0 only, or that need it.
const HOPPER_OPCODES: &[&str] = &["mapa", "mbarrier", "setmaxnreg", "wgmma"];
const HOPPER_QUALIFIERS: &[&str] = &["async", "bulk", "cluster", "mbarrier", "proxy", "tensor"];

/// The version that introduced the newest of these instructions, if a list of words cannot decide: asynchronous stores
/// and vector atomics are from PTX ISA 8.1, although each of their words is older.
fn version_of_instructions(ptx: &str) -> (u32, u32) {
    let is_newer = |instruction: &str| {
        let (opcode, qualifiers) = instruction.split_once('.').unwrap_or((instruction, ""));
        let has = |words: &[&str]| qualifiers.split('.').any(|q| words.contains(&q));
        match opcode {
            "st" => has(&["async"]),
            "atom" | "red" => has(&["v2", "v4", "v8"]),
            _ => false,
        }
    };
    if ptx.lines().filter_map(instruction).any(is_newer) { (8, 1) } else { OLDEST_VERSION }
}

/// Whether the lowest version for `arch` has every instruction. An opcode that is not in a list counts as new.
fn uses_only_old_instructions(ptx: &str, arch: Arch) -> bool {
    let (opcodes, qualifiers) = if arch.is_exact { (HOPPER_OPCODES, HOPPER_QUALIFIERS) } else { (&[][..], &[][..]) };
    ptx.lines().filter_map(instruction).all(|i| {
        let mut parts = i.split('.');
        let opcode = parts.next().unwrap_or("");
        let is_old = OLD_OPCODES.contains(&opcode) && !(opcode == "fence" && i.contains("acquire"));
        let known = is_old || opcodes.contains(&opcode);
        // cp.async is old (7.0); cp.async.bulk is not.
        let is_new = |q: &str| NEW_QUALIFIERS.contains(&q) && !qualifiers.contains(&q);
        known && parts.all(|q| !is_new(q.trim_end_matches(':')) || (opcode == "cp" && q == "async"))
    })
}

/// Returns the opcode with its qualifiers, if the line contains an instruction. Lines with data or with the operands of
/// a call must not count, so the word must be followed by white space or a semicolon.
fn instruction(line: &str) -> Option<&str> {
    let line = line.split("//").next().unwrap_or("").trim();
    let line = line.strip_prefix('{').unwrap_or(line).trim_start();
    let line = if line.starts_with('@') { line.split_once(char::is_whitespace)?.1.trim_start() } else { line };
    let word = line.split(|c: char| c.is_whitespace() || c == ';').next()?;
    let rest = &line[word.len()..];
    let starts_as_one = word.chars().next().is_some_and(|c| c.is_ascii_lowercase());
    let is_word = word.chars().all(|c| c.is_ascii_alphanumeric() || "._:".contains(c));
    (starts_as_one && is_word && line.ends_with([';', ',']) && !rest.is_empty()).then_some(word)
}

/// Returns a committed file's header and text.
pub(crate) fn committed_text(source: &KernelSource, nvrtc_version: &str, arch: Arch, ptx: &str) -> String {
    format!(
        "// Made by `warplab ptx` from {}; edit that, not this.\n{SOURCE_LINE}{}\n{COMPILER_LINE}{nvrtc_version}, compute_{arch}\n\n{ptx}",
        source.path,
        source.hash()
    )
}

/// The header of a committed file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Committed {
    /// The hash of the source that it was made from.
    pub hash: String,
    /// The compiler's version, e.g. `12.9`.
    pub compiler: String,
    /// The virtual architecture, e.g. 70.
    pub arch: Arch,
}

impl Committed {
    /// Reads the header of committed PTX; `None` if it has no header.
    pub fn parse(ptx: &str) -> Option<Self> {
        let line = |start| ptx.lines().take(4).find_map(|l| l.trim_end().strip_prefix(start));
        let (compiler, arch) = line(COMPILER_LINE)?.split_once(", compute_")?;
        Some(Self { hash: line(SOURCE_LINE)?.to_string(), compiler: compiler.to_string(), arch: arch.parse().ok()? })
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::*;
    use crate::Header;

    const PTX: &str = "//\n// Generated\n\n.version 8.8\n.target sm_70\n\tld.param.u64 \t%rd1, [p];\n@%p1 bra \t$L1;\n\tcall.uni (retval0), \n\tvprintf, \n\tret;\n\t.file\t1 \"/home/me/labs/a/kernels/a.cu\"\n\t.file\t2 \"/home/me/index.cuh\"\n\n";

    fn source(path: &'static str) -> KernelSource {
        KernelSource {
            name: "a.cu".into(),
            path: path.into(),
            cuda: "x".into(),
            ptx: crate::CommittedPtx::NONE,
            headers: Cow::Borrowed(&[]),
        }
    }

    fn input(path: &'static str) -> Input {
        Input::new(&source(path), Arch::from(70))
    }

    #[test]
    fn paths_and_version_are_made_portable() {
        let tidy = tidy(PTX, &input("labs/a/kernels/a.cu"), Arch::from(70));
        assert!(tidy.starts_with(".version 7.4\n.target sm_70\n"), "{tidy}");
        assert!(
            tidy.contains(".file\t1 \"labs/a/kernels/a.cu\"\n\t.file\t2 \"kernels/include/index.cuh\"\n"),
            "{tidy}"
        );
        assert!(!tidy.contains("/home"), "{tidy}");
    }

    #[test]
    fn a_header_has_its_path() {
        let header =
            |name: &'static str, path: &'static str| Header { name: name.into(), path: path.into(), text: "".into() };
        let mut input = input("labs/a/kernels/a.cu");
        input.add(header("b.cuh", "labs/a/kernels/b.cuh"));
        input.add(header("sub/b.cuh", "cooperative_groups/b.cuh"));
        let tidy = tidy(&format!("{PTX}\t.file\t3 \"/b.cuh\"\n\t.file\t4 \"/sub/b.cuh\"\n"), &input, Arch::from(70));
        assert!(tidy.contains("3 \"labs/a/kernels/b.cuh\""), "{tidy}");
        assert!(tidy.contains("4 \"cooperative_groups/b.cuh\""), "{tidy}");
    }

    #[test]
    fn a_new_instruction_keeps_its_version() {
        for new in [
            "\tcp.async.bulk.shared.global [%rd1], 16;\n",
            "\tst.async.b32 [%rd1], 1;\n",
            "\tstmatrix.sync [%r1], {%r2};\n",
        ] {
            assert!(
                tidy(&format!("{PTX}{new}"), &input("a.cu"), Arch::from(70)).starts_with(".version 8.8\n"),
                "{new}"
            );
        }
        assert!(
            tidy(&format!("{PTX}\tcp.async.ca.shared.global [%r1], [%rd1], 16;\n"), &input("a.cu"), Arch::from(80))
                .starts_with(".version 7.4")
        );
        assert!(tidy(PTX, &input("a.cu"), Arch::from(90)).starts_with(".version 7.8"));
    }

    #[test]
    fn an_instruction_of_old_words_has_its_version() {
        let exact = Arch { number: 90, is_exact: true };
        for (new, version) in [
            ("\tst.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r1], %r2, [%r3];\n", "8.1"),
            ("\tatom.global.v4.f32.add {%f1, %f2, %f3, %f4}, [%rd1], {%f5, %f6, %f7, %f8};\n", "8.1"),
            ("\tred.global.add.v2.f32 [%rd1], {%f1, %f2};\n", "8.1"),
            ("\tst.global.v4.f32 [%rd1], {%f1, %f2, %f3, %f4};\n", "8.0"),
            ("\tatom.global.add.f32 %f1, [%rd1], %f2;\n", "8.0"),
        ] {
            let tidy = tidy(&format!("{PTX}{new}"), &input("a.cu"), exact);
            assert!(tidy.starts_with(&format!(".version {version}\n")), "{new}{tidy}");
        }
    }

    #[test]
    fn every_opcode_that_the_labs_compile_to_is_known_to_be_old() {
        assert!(uses_only_old_instructions(
            "\tred.global.add.f32 [%rd1], %f1;\n\tsetp.ge.s32 %p1, %r1, %r2;\n{ bar.red.popc.u32 %r1, 0, %p1; }\n",
            Arch::from(70)
        ));
        let hopper = "\tsetmaxnreg.dec.sync.aligned.u32 40;\n\tbarrier.cluster.wait.acquire.aligned;\n";
        assert!(uses_only_old_instructions(hopper, "90a".parse().unwrap()));
        assert!(!uses_only_old_instructions(hopper, Arch::from(90)));
        assert!(!uses_only_old_instructions("\tfrobnicate.u32 %r1, %r2;\n", Arch::from(70)));
    }

    #[test]
    fn the_header_reads_back() {
        let source = source("labs/a/kernels/a.cu");
        let text = committed_text(&source, "12.9", Arch::from(70), ".version 7.4\n");
        assert_eq!(
            Committed::parse(&text),
            Some(Committed { hash: source.hash(), compiler: "12.9".into(), arch: Arch::from(70) })
        );
        assert_eq!(Committed::parse(".version 7.4\n"), None);
    }
}
