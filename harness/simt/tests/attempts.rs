//! A plain load whose value is only the first guess of a compare-and-swap does not race with the swaps of other
//! threads.

use crate::common::{Arg, Device};
use simt::finding::FindingKind;
use simt::machine::Checks;

/// Returns the number of races found when 256 threads of 4 blocks run this body; `%rd1` is an address in global memory,
/// and so is `%rd2`, whose origin the machine does not know.
fn races(body: &str) -> usize {
    let mut device = Device::new(&format!(
        ".version 8.4\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{{
        .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<9>; .reg .f32 %f<9>; .reg .b128 %q<5>;
        ld.param.u64 %rd2, [p]; cvta.to.global.u64 %rd1, %rd2;\n{body}\nret;\n}}\n"
    ));
    device.settings.checks = Checks::ALL;
    let at = device.zeros::<u32>(64);
    let report = device.launch("k", 4, 256, &[Arg::Ptr(at)]);
    report.findings.iter().filter(|found| matches!(found.kind, FindingKind::Race { .. })).count()
}

#[test]
fn the_first_value_of_a_loop_of_compare_and_swap_is_a_guess() {
    let turn = "L: add.u32 %r2, %r1, 1;\natom.global.cas.b32 %r3, [%rd1+4], %r1, %r2;
        setp.ne.u32 %p1, %r1, %r3;\nmov.u32 %r1, %r3;\n@%p1 bra L;";
    assert_eq!(races(&format!("ld.global.u32 %r1, [%rd1+4];\n{turn}")), 0);
    // Through another register, and with a generic address.
    assert_eq!(races(&format!("ld.u32 %r4, [%rd2+4];\nmov.b32 %r1, %r4;\n{turn}")), 0);
    // A floating-point number whose bits are swapped.
    let float = "ld.global.f32 %f1, [%rd1];\nmov.b32 %r1, %f1;\nL: add.f32 %f2, %f1, 0f3F800000;\nmov.b32 %r2, %f2;
        atom.global.cas.b32 %r3, [%rd1], %r1, %r2;\nsetp.ne.u32 %p1, %r1, %r3;\nmov.u32 %r1, %r3;
        mov.b32 %f1, %r3;\n@%p1 bra L;";
    assert_eq!(races(float), 0);
}

#[test]
fn other_plain_loads_are_no_guesses() {
    let swap = "atom.global.cas.b32 %r3, [%rd1], %r1, 7;";
    // A load from another address.
    assert!(races(&format!("ld.global.u32 %r1, [%rd1+4];\n{swap}\nred.global.add.u32 [%rd1+4], 1;")) > 0);
    // A loaded value that is swapped in, not compared with.
    assert!(races("ld.global.u32 %r1, [%rd1];\natom.global.cas.b32 %r3, [%rd1], 0, %r1;") > 0);
    // Together with a plain store by other threads.
    assert!(races(&format!("ld.global.u32 %r1, [%rd1];\n{swap}\nst.global.u32 [%rd1], 5;")) > 0);
}

/// Returns a loop that adds to the two halves of 16 bytes, and begins with this load of both into `%rd3` and `%rd4`.
fn wide(load: &str) -> String {
    format!(
        "{load}\nL: add.u64 %rd5, %rd3, 1;\nadd.u64 %rd6, %rd4, 2;
        mov.b128 %q1, {{%rd3, %rd4}};\nmov.b128 %q2, {{%rd5, %rd6}};
        atom.global.cas.b128 %q3, [%rd1+16], %q1, %q2;\nmov.b128 {{%rd5, %rd6}}, %q3;
        setp.ne.u64 %p1, %rd3, %rd5;\nsetp.ne.or.u64 %p1, %rd4, %rd6, %p1;
        mov.u64 %rd3, %rd5;\nmov.u64 %rd4, %rd6;\n@%p1 bra L;"
    )
}

#[test]
fn a_guess_may_be_loaded_in_parts() {
    assert_eq!(races(&wide("ld.global.v2.u64 {%rd3, %rd4}, [%rd1+16];")), 0);
    assert_eq!(races(&wide("ld.global.b128 %q4, [%rd1+16];\nmov.b128 {%rd3, %rd4}, %q4;")), 0);
    assert_eq!(races(&wide("ld.global.u64 %rd3, [%rd1+16];\nld.global.u64 %rd4, [%rd1+24];")), 0);
    let halves = "ld.global.v2.u32 {%r1, %r2}, [%rd1];\nmov.b64 %rd3, {%r1, %r2};
        atom.global.cas.b64 %rd4, [%rd1], %rd3, 7;";
    assert_eq!(races(halves), 0);
}

#[test]
fn loads_beside_the_swapped_bytes_are_no_guesses() {
    let change = "red.global.add.u64 [%rd1+32], 1;\nred.global.add.u64 [%rd1+8], 1;";
    assert!(races(&wide(&format!("{change}\nld.global.v2.u64 {{%rd3, %rd4}}, [%rd1+32];"))) > 0);
    // One half is a first guess, the other is not.
    let after = format!("{change}\nld.global.u64 %rd3, [%rd1+16];\nld.global.u64 %rd4, [%rd1+32];");
    assert!(races(&wide(&after)) > 0);
    let before = format!("{change}\nld.global.u64 %rd3, [%rd1+8];\nld.global.u64 %rd4, [%rd1+16];");
    assert!(races(&wide(&before)) > 0);
    // A part of the load lies outside the swapped bytes.
    let swap = "atom.global.cas.b32 %r3, [%rd1], %r1, 7;\nred.global.add.u32 [%rd1+4], 1;";
    assert!(races(&format!("ld.global.v2.u32 {{%r1, %r2}}, [%rd1];\n{swap}")) > 0);
    // Together with a plain store by other threads.
    let load = "ld.global.v2.u64 {%rd3, %rd4}, [%rd1+16];";
    assert!(races(&format!("{}\nst.global.u64 [%rd1+24], 5;", wide(load))) > 0);
}

#[test]
fn addresses_that_are_copied_in_a_circle_end() {
    let body = "bra N;\nmov.u64 %rd3, %rd4;\nmov.u64 %rd4, %rd3;\nld.global.u32 %r1, [%rd3];
        atom.global.cas.b32 %r3, [%rd4], %r1, 7;\nN:";
    assert_eq!(races(body), 0);
}
