//! Memory that kernels allocate themselves.

use crate::committed::ptx_of;
use crate::common::{Arg, Device};
use simt::finding::FindingKind;
use simt::machine::{Checks, Fault};
use std::sync::LazyLock;

static PTX: LazyLock<String> = LazyLock::new(|| ptx_of("kernels/heap.cu"));

fn device() -> Device {
    let mut device = Device::new(&PTX);
    device.settings.checks = Checks::ALL;
    device
}

#[test]
fn threads_read_what_others_allocated() {
    let device = device();
    let (rows, out) = (device.zeros::<u64>(64), device.zeros::<i32>(64));
    let report = device.launch("neighbours", 1, 64, &[Arg::Ptr(rows), Arg::Ptr(out)]);
    assert_eq!(report.findings, []);
    let want: Vec<i32> = (0..64).map(|t| 100 + (t + 1) % 64).collect();
    assert_eq!(device.get::<i32>(out, 64), want);
    assert_eq!(device.memory.heap().expect("a heap").used(), 0);
}

#[test]
fn a_list_is_built_and_deleted() {
    let device = device();
    let out = device.zeros::<i32>(32);
    let report = device.launch("list", 1, 32, &[Arg::Ptr(out), Arg::I32(20)]);
    assert_eq!(report.findings, []);
    let want: Vec<i32> = (0..32).map(|t| 190 * t).collect();
    assert_eq!(device.get::<i32>(out, 32), want);
}

#[test]
fn what_is_kept_outlives_the_kernel() {
    let device = device();
    let (slot, out) = (device.zeros::<u64>(1), device.zeros::<i32>(1));
    device.launch("keep", 1, 1, &[Arg::Ptr(slot)]);
    assert!(device.memory.heap().expect("a heap").used() > 0);
    device.launch("take", 1, 1, &[Arg::Ptr(slot), Arg::Ptr(out)]);
    assert_eq!(device.get::<i32>(out, 1), [42]);
    assert_eq!(device.memory.heap().expect("a heap").used(), 0);
}

#[test]
fn there_is_a_null_pointer_when_the_heap_is_full() {
    let device = device();
    let out = device.zeros::<i32>(1);
    device.launch("too_much", 1, 1, &[Arg::Ptr(out)]);
    assert_eq!(device.get::<i32>(out, 1), [1]);
}

#[test]
fn wrong_frees_are_found() {
    let device = device();
    let out = device.zeros::<i32>(3);
    for (kernel, kind) in [("twice", FindingKind::DoubleFree), ("wrong", FindingKind::InvalidFree)] {
        let (report, _) = device.try_launch(kernel, [1; 3], [1; 3], 0, &[Arg::Ptr(out)]);
        assert_eq!(report.fault, Some(Fault::IllegalAddress));
        let finding = &report.findings[0];
        assert_eq!(finding.kind, kind);
        assert_eq!(finding.accesses[0].place.file, "heap.cu");
    }
    assert_eq!(device.get::<i32>(out, 3), [1, 1, 0]);
}
