//! The lab on the emulated device: any two numbers come back added, and the mistake does not affect the other cases.
const LAB: labtest::Lab = labtest::lab!("returning");

#[test]
fn any_two_numbers() {
    for (x, y) in [("2", "3"), ("-7", "7"), ("2147483647", "1"), ("-2147483648", "-1"), ("0", "0")] {
        LAB.accepts(&["--no-exercises", "--x", x, "--y", y]);
    }
}

/// The machine reports whose address it was and where it was used. The other cases run in separate processes and are
/// not affected.
#[test]
fn the_mistake_is_found_and_the_others_still_run() {
    let ran = LAB.accepts(&[]);
    assert_eq!(ran.rows.len(), 16, "{}", ran.text);
    let found = ran.finding(|f| f.finding.kind == labtest::FindingKind::HostPointer);
    let source = LAB.source("kernels/returning.cu");
    let write = labtest::line_of(&source, "void add(", "*result = x + y");
    assert_eq!(labtest::lines(found), [write], "{}", found.text);
    for says in
        ["host pointer", "write of size 4 bytes", "not an address of the device", "the host code's", "mapped memory"]
    {
        assert!(found.text.contains(says), "no `{says}` in:\n{}", found.text);
    }
    let mistake = ran.rows_of("host-pointer")[0];
    assert!(mistake["note"].contains("CUDA_ERROR_ILLEGAL_ADDRESS"), "{mistake:?}");
    // The host still sees the lab's initial value there.
    assert_eq!(mistake["result"], i32::MIN.to_string());
    assert!(mistake["note"].contains("still holds -2147483648, which the lab put there"), "{mistake:?}");
    for right in ["explicit", "managed", "pinned", "global", "managed-variable"] {
        assert_eq!(ran.rows_of(right)[0]["result"], "5");
    }
}

/// An argument is the kernel's own copy. That is not an invalid access, so only the answer shows it, whatever the
/// numbers.
#[test]
fn a_result_by_value_never_comes_back() {
    for (x, y) in [("2", "3"), ("-7", "7"), ("40", "2")] {
        let ran = LAB.accepts(&["--variant", "by-value", "--x", x, "--y", y]);
        let row = ran.rows_of("by-value")[0];
        assert!(ran.findings.is_empty(), "{}", ran.text);
        assert_eq!(row["result"], i32::MIN.to_string());
        assert!(row["note"].contains("[the sum] is -2147483648, should be"), "{row:?}");
    }
}

/// The launch returns before the kernel has ended. Whether the host then reads too early is a matter of luck; after
/// waiting, the value is always there.
#[test]
fn a_host_that_does_not_wait_may_read_too_early() {
    let mut early = 0;
    for _ in 0..20 {
        let ran = LAB.accepts(&["--variant", "no-wait"]);
        let row = ran.rows_of("no-wait")[0];
        assert!(row["note"].contains("immediately, 5 after waiting"), "{row:?}");
        early += u32::from(row["result"] == i32::MIN.to_string());
        if early > 0 {
            return;
        }
    }
    panic!("20 times the kernel was done before the host looked");
}

/// The handout's bytes of local memory: an array of 32 ints that is written once and read four times, except for the
/// word of each round whose index is known.
#[test]
fn an_array_with_computed_indices_lies_in_local_memory() {
    let ran = LAB.accepts(&["--exercises", "--quick", "--check", "all"]);
    assert!(ran.findings.is_empty(), "{}", ran.text);
    let number = |variant: &str, column: &str| ran.rows_of(variant)[0][column].parse::<u64>().unwrap();
    let per_thread = |variant, column| number(variant, column) / number(variant, "launches") / number(variant, "n");
    assert_eq!(number("array-in-local", "local_bytes"), 32 * 4);
    assert_eq!(per_thread("array-in-local", "local_store_bytes"), 32 * 4);
    assert_eq!(per_thread("array-in-local", "local_load_bytes"), 4 * 31 * 4);
    for variant in ["array-in-registers", "array-spilled"] {
        for column in ["local_bytes", "local_store_bytes", "local_load_bytes"] {
            assert_eq!(number(variant, column), 0, "{variant} {column}");
        }
    }
    // Two blocks of 1024 threads on an SM.
    assert_eq!(65536 / 2048, 32);
    assert!(number("array-spilled", "registers") <= 32 && number("array-in-registers", "registers") > 32);
    for chain in ["registers", "shared", "l1", "l2", "global"] {
        let row = ran.rows_of(&format!("latency-{chain}"))[0];
        assert_eq!((row["max_abs_error"].as_str(), row["cycles_a_step"].as_str()), ("0", ""));
    }
}

#[test]
fn what_cannot_be_is_refused() {
    for arguments in [&["--x", "2147483648"][..], &["--y", "three"], &["--n", "5"], &["--threads", "2"]] {
        LAB.refuses(arguments, "");
    }
}
