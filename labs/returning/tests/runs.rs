//! The lab on the emulated device: any two numbers come back added, and the mistake does not affect the other cases.
const LAB: labtest::Lab = labtest::lab!("returning");

#[test]
fn any_two_numbers() {
    for (x, y) in [("2", "3"), ("-7", "7"), ("2147483647", "1"), ("-2147483648", "-1"), ("0", "0")] {
        LAB.accepts(&["--x", x, "--y", y]);
    }
}

/// The machine says whose address it was and where it was used. The other cases run in processes of their own and are
/// not affected.
#[test]
fn the_mistake_is_found_and_the_others_still_run() {
    let ran = LAB.accepts(&[]);
    assert_eq!(ran.rows.len(), 5, "{}", ran.text);
    let found = ran.finding(|f| f.finding.kind == labtest::Kind::HostPointer);
    let source = LAB.source("kernels/returning.cu");
    let write = labtest::line_of(&source, "void add(", "*result = x + y");
    assert_eq!(labtest::lines(found), [write], "{}", found.text);
    for says in
        ["host pointer", "write of size 4 bytes", "no address of the device", "the host code's", "mapped memory"]
    {
        assert!(found.text.contains(says), "no `{says}` in:\n{}", found.text);
    }
    let mistake = ran.of("host-pointer")[0];
    assert!(mistake["note"].contains("CUDA_ERROR_ILLEGAL_ADDRESS"), "{mistake:?}");
    for right in ["explicit", "managed", "pinned", "global"] {
        assert_eq!(ran.of(right)[0]["result"], "5");
    }
}

#[test]
fn what_cannot_be_is_refused() {
    for arguments in [&["--x", "2147483648"][..], &["--y", "three"], &["--n", "5"], &["--threads", "2"]] {
        LAB.refuses(arguments, "");
    }
}
