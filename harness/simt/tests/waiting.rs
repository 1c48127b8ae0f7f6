//! Loops that wait for other threads, and loops that do not.

use gpu::Part;
use simt::machine::Module;
use simt::memory::Memory;
use std::sync::Arc;

/// Returns the number of waiting loops of a kernel with this body; `%rd1` is an address in global memory.
fn waiting(body: &str) -> u32 {
    kinds(body).0
}

/// Returns the numbers of all waiting loops of a kernel with this body, of those that try to acquire a lock, and of
/// those that retry.
fn kinds(body: &str) -> (u32, u32, u32) {
    let text = format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p)\n{{
        .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<9>; .shared .b32 word;
        ld.param.u64 %rd1, [p]; mov.u32 %r1, 0; mov.u32 %r2, 0;\n{body}\nret;\n}}\n"
    );
    let memory = Arc::new(Memory::new(1 << 24));
    let module = Module::load(&text, &memory, Part::default_part()).expect("it loads");
    let kernel = module.kernel("k").expect("it is there");
    (kernel.waiting_loops, kernel.locking_loops, kernel.retrying_loops)
}

#[test]
fn a_lock_is_told_from_a_retry_and_both_from_a_flag() {
    let ends = "setp.ne.u32 %p1, %r1, 0;\n@%p1 bra L;";
    for takes in ["atom.global.cas.b32 %r1, [%rd1], 0, 1;", "atom.global.acquire.gpu.exch.b32 %r1, [%rd1], 1;"] {
        assert_eq!(kinds(&format!("L: {takes}\n{ends}")), (1, 1, 0), "{takes}");
    }
    // It polls before it tries.
    let looks = "L: ld.volatile.global.u32 %r2, [%rd1];\nsetp.ne.u32 %p2, %r2, 0;\n@%p2 bra L;
        atom.global.cas.b32 %r1, [%rd1], 0, 1;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra L;";
    assert_eq!(kinds(looks), (1, 1, 0));
    let retry = "ld.global.u32 %r1, [%rd1];\nL: add.u32 %r2, %r1, 1;\natom.global.cas.b32 %r3, [%rd1], %r1, %r2;
        setp.ne.u32 %p1, %r1, %r3;\nmov.u32 %r1, %r3;\n@%p1 bra L;";
    assert_eq!(kinds(retry), (1, 0, 1));
    assert_eq!(kinds(&format!("L: ld.acquire.gpu.global.u32 %r1, [%rd1];\n{ends}")), (1, 0, 0));
    // Work items that are handed out until none is left.
    let work = "L: atom.global.add.u32 %r1, [%rd1], 1;\nsetp.lt.u32 %p1, %r1, 9;\n@%p1 bra L;";
    assert_eq!(kinds(work), (1, 0, 0));
}

#[test]
fn a_lock_a_flag_and_a_retry_wait() {
    assert_eq!(waiting("L: atom.global.cas.b32 %r1, [%rd1], 0, 1;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra L;"), 1);
    for flag in ["ld.volatile.global.u32", "ld.relaxed.gpu.u32", "ld.acquire.gpu.global.u32", "ld.volatile.u32"] {
        assert_eq!(waiting(&format!("L: {flag} %r1, [%rd1];\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra L;")), 1, "{flag}");
    }
    // A retry from the value that is there now.
    let retry = "ld.global.u32 %r1, [%rd1];\nL: add.u32 %r2, %r1, 1;\natom.global.cas.b32 %r3, [%rd1], %r1, %r2;
        setp.ne.u32 %p1, %r1, %r3;\nmov.u32 %r1, %r3;\n@%p1 bra L;";
    assert_eq!(waiting(retry), 1);
    assert_eq!(waiting(&format!("{retry}\n{}", retry.replace("L:", "M:").replace("bra L", "bra M"))), 2);
}

#[test]
fn a_lock_whose_loop_is_told_by_a_variable_waits() {
    let lock = |within: &str| {
        format!(
            "L: {within}\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra N;\nst.global.u32 [%rd1+4], %r2;\nmov.u32 %r2, 1;
            N: setp.eq.u32 %p2, %r2, 0;\n@%p2 bra L;"
        )
    };
    assert_eq!(waiting(&lock("atom.global.exch.b32 %r1, [%rd1], 1;")), 1);
    assert_eq!(waiting(&lock("ld.global.u32 %r1, [%rd1];")), 0);
    // The same with a guard in place of the branch.
    let guarded = "L: atom.global.exch.b32 %r1, [%rd1], 1;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 mov.u32 %r2, 1;
        setp.eq.u32 %p2, %r2, 0;\n@%p2 bra L;";
    assert_eq!(waiting(guarded), 1);
}

#[test]
fn loops_that_end_by_themselves_do_not_wait() {
    let counted = |within: &str| format!("L: {within}\nadd.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, 9;\n@%p1 bra L;");
    for within in [
        "red.global.add.u32 [%rd1], 1;",
        "atom.global.add.u32 %r1, [%rd1], 1;",
        "ld.volatile.global.u32 %r1, [%rd1];",
        // A position returned by an atomic is an address, not a condition of the loop.
        "atom.global.add.u32 %r1, [%rd1], 1;\nmul.wide.u32 %rd2, %r1, 4;\nst.global.u32 [%rd2], %r2;",
    ] {
        assert_eq!(waiting(&counted(within)), 0, "{within}");
    }
    // The threads of a block always run in the same order.
    let block = "L: atom.shared.cas.b32 %r1, [word], 0, 1;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra L;";
    assert_eq!(kinds(block), (0, 1, 0));
    // The last block to arrive does the rest: no loop.
    let last =
        "atom.global.add.u32 %r1, [%rd1], 1;\nsetp.ne.u32 %p1, %r1, 9;\n@%p1 bra N;\nst.global.u32 [%rd1], %r2;\nN:";
    assert_eq!(waiting(last), 0);
}
