//! The versions of PTX and the architectures that have an instruction, and the valid numbers of a barrier, as the
//! vendor's assembler names them.

/// The architectures of the record.
const TARGETS: [&str; 18] =
    ["50", "52", "53", "60", "61", "70", "72", "75", "80", "86", "87", "89", "90", "90a", "100", "100a", "120", "120a"];

/// The versions of PTX.
const VERSIONS: [&str; 31] = [
    "2.3", "3.0", "3.1", "3.2", "4.0", "4.1", "4.2", "4.3", "5.0", "6.0", "6.1", "6.2", "6.3", "6.4", "6.5", "7.0",
    "7.1", "7.2", "7.3", "7.4", "7.5", "7.6", "7.7", "7.8", "8.0", "8.1", "8.2", "8.3", "8.4", "8.6", "8.8",
];

/// Returns a module of a version for a target, with a kernel of this instruction.
fn module(version: &str, target: &str, line: &str) -> String {
    format!(
        ".version {version}\n.target sm_{target}\n.address_size 64\n.global .align 16 .b32 tab[64];\n\
         .func f() {{ ret; }}\n.visible .entry k(.param .u64 p) {{\n.reg .b8 %c<6>; .reg .b16 %h<20>; \
         .reg .b32 %r<40>; .reg .b64 %d<20>; .reg .f32 %f<20>; .reg .f64 %e<20>; .reg .pred %p<9>; .reg .b128 %q<9>;\n\
         .shared .align 16 .b32 sh[64];\nL0: L1: L: M:\nTABLE: .branchtargets L0, L1; T: .branchtargets L, M;\n\
         {line}\nret;\n}}\n"
    )
}

/// Returns why the module is rejected, if that is because of its target or a barrier's numbers.
fn refusal(target: &str, line: &str) -> Option<String> {
    let error = ptx::parse(&module("9.0", target, line)).err()?.to_string();
    let reasons = ["not supported on `.target", "barrier number", "a barrier for"];
    reasons.iter().any(|reason| error.contains(reason)).then_some(error)
}

/// Whether the record's list of architectures contains one.
fn names(list: &str, target: &str) -> bool {
    match list.strip_suffix('+') {
        Some(first) => TARGETS.iter().skip_while(|known| **known != first).any(|known| *known == target),
        None => list.split(' ').any(|known| known == target),
    }
}

/// Returns the lines of the record: an instruction, its architectures, and its version.
fn record() -> impl Iterator<Item = [&'static str; 3]> {
    let lines = include_str!("since.txt").lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| line.split('\t').collect::<Vec<_>>().try_into().expect("three columns"))
}

fn assert_none(wrong: &[String]) {
    assert!(wrong.is_empty(), "{} are wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn instructions_need_the_architecture_that_the_assembler_names() {
    let mut wrong = Vec::new();
    for [instruction, list, _] in record() {
        for target in TARGETS {
            match (names(list, target), refusal(target, instruction)) {
                (true, Some(error)) => wrong.push(error),
                (false, None) => wrong.push(format!("sm_{target} takes {instruction}")),
                _ => {}
            }
        }
    }
    assert_none(&wrong);
}

#[test]
fn instructions_need_the_version_that_the_assembler_names() {
    let mut wrong = Vec::new();
    for [instruction, list, since] in record().filter(|[.., since]| *since != "-") {
        let target = list.split(['+', ' ']).next().expect("an architecture");
        for version in VERSIONS {
            let error = ptx::parse(&module(version, target, instruction)).err().map(|error| error.to_string());
            if error.as_ref().is_some_and(|error| error.contains("does not support")) {
                continue;
            }
            let older = error.filter(|error| error.contains("not supported in `.version"));
            match (version < since, older) {
                (false, Some(error)) => wrong.push(error),
                (true, None) => wrong.push(format!("PTX {version} takes {instruction}, which is as old as {since}")),
                _ => {}
            }
        }
    }
    assert_none(&wrong);
}

#[test]
fn a_refusal_says_what_to_compile_for() {
    let told = |target: &str, line: &str| refusal(target, line).unwrap_or_default();
    let error = told("75", "cp.async.wait_all;");
    assert!(error.ends_with("instruction `cp.async.wait_all` not supported on `.target sm_75`: compile for sm_80 or later (--gpu-architecture=sm_80)"), "{error}");
    assert!(told("80", "mov.u32 %r1, %cluster_ctarank;").contains("compile for sm_90 or later"));
    assert!(
        told("90", "wgmma.fence.sync.aligned;")
            .contains("`wgmma.fence` not supported on `.target sm_90`: compile for sm_90a (")
    );
    let kernel = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() .explicitcluster { ret; }";
    let error = ptx::parse(kernel).unwrap_err().to_string();
    assert!(error.contains("directive `.explicitcluster` not supported on `.target sm_80`"), "{error}");
    assert!(told("90", "bar.sync 17;").contains("barrier number 17 is out of range"));
    assert!(told("90", "bar.sync 0, 33;").contains("a barrier for 33 threads"));
}

#[test]
fn a_refusal_says_which_version_has_it() {
    let error = |text: &str| ptx::parse(text).unwrap_err().to_string();
    assert_eq!(
        error(&module("7.0", "80", "createpolicy.fractional.L2::evict_last.b64 %d1, 1.0;")),
        "PTX line 11: instruction `createpolicy.fractional.L2::evict_last.b64` not supported in `.version 7.0`: it needs \
         7.4 or later"
    );
    assert_eq!(
        error(&module("8.0", "90", "mov.u32 %r1, %aggr_smem_size;")),
        "PTX line 11: instruction `mov.u32 %r1, %aggr_smem_size` not supported in `.version 8.0`: it needs 8.1 or later"
    );
    let clusters = ".version 7.8\n.target sm_90\n.address_size 64\n.visible .entry k() .blocksareclusters { ret; }";
    assert_eq!(
        error(clusters),
        "PTX line 4: directive `.blocksareclusters` not supported in `.version 7.8`: it needs 9.0 or later"
    );
}
