//! A long launch reports its progress to the caller.

use crate::common::Device;
use simt::machine::{Geometry, Launch, Progress, Watch, run_watched};
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Every thread executes a loop a hundred thousand times.
const PTX: &str = "
.version 7.8
.target sm_75
.address_size 64
.visible .entry rounds() {
    .reg .b32 %r<2>;
    .reg .pred %p<2>;
    mov.u32 %r1, 0;
again:
    add.u32 %r1, %r1, 1;
    setp.lt.u32 %p1, %r1, 100000;
    @%p1 bra again;
    ret;
}
";

/// Returns the progress reports of a launch of 64 blocks, with this interval.
fn told(patience: Duration) -> Vec<Progress> {
    let device = Device::new(PTX);
    let kernel = device.module.kernel("rounds").expect("it exists");
    let launch = Launch { kernel, geometry: Geometry::new([64, 1, 1], [32, 1, 1]), params: &[] };
    let all = Mutex::new(Vec::new());
    let slow = |progress| all.lock().unwrap().push(progress);
    let watch =
        Watch { cancel: &AtomicBool::new(false), patience, slow: &slow, stopped: &|_| {}, runtime: None, record: None };
    let profile = gpu::Part::default_part();
    let report = run_watched(&device.memory, profile, &device.settings, &launch, &watch, &mut |_| {});
    assert_eq!(report.fault, None);
    all.into_inner().unwrap()
}

#[test]
fn a_launch_that_takes_longer_than_its_watcher_s_patience_says_how_far_it_is() {
    let patience = Duration::from_micros(100);
    let told = told(patience);
    assert!(!told.is_empty());
    for (i, progress) in (1..).zip(&told) {
        assert_eq!(progress.blocks, 64);
        assert!(progress.ended <= progress.begun && progress.begun <= 64, "{told:?}");
        assert!(progress.begun >= 1 && progress.elapsed >= patience * i, "{told:?}");
    }
    assert!(told[0].begun < 64, "{told:?}");
    assert!(told.last().is_some_and(|last| last.ended > 0), "{told:?}");
}

#[test]
fn a_patient_watcher_hears_nothing() {
    assert_eq!(told(Duration::from_secs(3600)), []);
}

/// An endless loop with line information.
const ENDLESS: &str = r#"
.version 7.8
.target sm_75
.address_size 64
.file 1 "spin.cu"
.visible .entry spin() {
    .loc 1 7 5
again:
    bra again;
}
"#;

/// A kernel that polls a flag, between which polls its warps give way.
const POLLS: &str = r#"
.version 7.8
.target sm_75
.address_size 64
.file 1 "spin.cu"
.global .u32 flag;
.visible .entry spin() {
    .reg .b32 %r<2>; .reg .pred %p<2>;
    .loc 1 7 5
again:
    ld.volatile.global.u32 %r1, [flag];
    setp.eq.u32 %p1, %r1, 0;
    @%p1 bra again;
    ret;
}
"#;

#[test]
fn a_launch_that_is_stopped_says_where_it_was() {
    for kernel in [ENDLESS, POLLS] {
        says_where_it_was(kernel);
    }
}

fn says_where_it_was(kernel: &str) {
    let device = Device::new(kernel);
    let kernel = device.module.kernel("spin").expect("it exists");
    let launch = Launch { kernel, geometry: Geometry::new([2, 1, 1], [32, 1, 1]), params: &[] };
    let places = Mutex::new(Vec::new());
    let stopped = |place: &wire::finding::SourcePlace| places.lock().unwrap().push((place.file.clone(), place.line));
    let cancel = AtomicBool::new(true);
    let slow = |_| {};
    let watch =
        Watch { cancel: &cancel, patience: Duration::MAX, slow: &slow, stopped: &stopped, runtime: None, record: None };
    let profile = gpu::Part::default_part();
    // If it is set from the start, no block begins.
    run_watched(&device.memory, profile, &device.settings, &launch, &watch, &mut |_| {});
    assert!(places.lock().unwrap().is_empty());
    let cancel = AtomicBool::new(false);
    let soon = |_| cancel.store(true, std::sync::atomic::Ordering::Relaxed);
    let patience = Duration::from_micros(100);
    let watch = Watch { cancel: &cancel, patience, slow: &soon, stopped: &stopped, runtime: None, record: None };
    let report = run_watched(&device.memory, profile, &device.settings, &launch, &watch, &mut |_| {});
    assert_eq!(report.fault, Some(simt::machine::Fault::LaunchTimeout));
    let places = places.into_inner().unwrap();
    assert!(!places.is_empty() && places.iter().all(|place| *place == ("spin.cu".into(), 7)), "{places:?}");
}
