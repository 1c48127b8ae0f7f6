//! The stack of functions that call themselves.

use crate::common::{Arg, Device};
use simt::finding::Kind;
use simt::machine::{Checks, Fault};

const PTX: &str = include_str!("fail/stack_overflow/too_deep.ptx");

/// Launches the recursion to this depth with a stack of so many bytes: each call adds 15 and what it called gave.
fn dive(depth: i32, stack_bytes: u32) -> Result<i64, Kind> {
    let mut device = Device::new(PTX);
    device.settings.stack_bytes = stack_bytes;
    device.settings.checks = Checks::ALL;
    let (out, sink) = (device.zeros::<i64>(32), device.zeros::<i32>(1));
    let args = [Arg::I32(depth), Arg::Ptr(out), Arg::Ptr(sink)];
    let (mut report, _) = device.try_launch("k", [1; 3], [32, 1, 1], 0, &args);
    match report.fault {
        None => {
            assert!(report.findings.is_empty(), "{:?}", report.findings);
            let values = device.get::<i64>(out, 32);
            assert!(values.iter().all(|value| *value == values[0]), "{values:?}");
            Ok(values[0])
        }
        Some(fault) => {
            assert_eq!((fault, report.findings.len()), (Fault::IllegalAddress, 1));
            Err(report.findings.remove(0).kind)
        }
    }
}

/// What the recursion gives: the sum over its calls of `n` and `n % 16`.
fn sum(depth: i32) -> i64 {
    (1..=i64::from(depth)).map(|n| n + n % 16).sum()
}

/// An H200 with a stack of 1024 bytes comes through a depth of 8, and not through one of 11.
#[test]
fn the_stack_is_as_deep_as_a_gpus() {
    for depth in [0, 1, 2, 8] {
        assert_eq!(dive(depth, 1024), Ok(sum(depth)));
    }
    for depth in [11, 12, 1000] {
        assert!(matches!(dive(depth, 1024), Err(Kind::StackOverflow { depth: 9..=11, stack_bytes: 1024 })));
    }
}

#[test]
fn a_larger_stack_allows_deeper_calls() {
    assert_eq!(dive(500, 1 << 16), Ok(sum(500)));
    assert!(matches!(dive(5000, 1 << 16), Err(Kind::StackOverflow { depth: 600.., stack_bytes: 65536 })));
    assert!(matches!(dive(0, 0), Err(Kind::StackOverflow { depth: 1, stack_bytes: 0 })));
}
