//! The architectures that have an instruction, and the valid numbers of a barrier, compared with the vendor's
//! assembler.

/// The architectures of the record.
const TARGETS: [&str; 18] =
    ["50", "52", "53", "60", "61", "70", "72", "75", "80", "86", "87", "89", "90", "90a", "100", "100a", "120", "120a"];

/// Returns a module for a target with a kernel of this instruction.
fn module(target: &str, line: &str) -> String {
    format!(
        ".version 9.0\n.target sm_{target}\n.address_size 64\n.visible .entry k() {{\n.reg .b16 %h<20>; .reg .b32 %r<20>; \
         .reg .b64 %d<20>; .reg .f32 %f<20>; .reg .f64 %e<20>; .reg .pred %p<9>; .reg .b128 %q<9>;\nL0: L1:\n\
         TABLE: .branchtargets L0, L1;\n{line}\nret;\n}}\n"
    )
}

/// Returns why the module is rejected, if that is because of its target or a barrier's numbers.
fn refusal(target: &str, line: &str) -> Option<String> {
    let error = ptx::parse(&module(target, line)).err()?.to_string();
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

#[test]
fn instructions_need_the_architecture_that_the_assembler_names() {
    let mut wrong = Vec::new();
    for line in include_str!("targets.txt").lines().filter(|line| !line.starts_with('#')) {
        let (instruction, list) = line.split_once('\t').expect("an instruction and its architectures");
        for target in TARGETS {
            match (names(list, target), refusal(target, instruction)) {
                (true, Some(error)) => wrong.push(error),
                (false, None) => wrong.push(format!("sm_{target} takes {instruction}")),
                _ => {}
            }
        }
    }
    assert!(wrong.is_empty(), "{} are wrong:\n{}", wrong.len(), wrong.join("\n"));
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
