//! How long the lab takes on the emulated device at its default size, n = 2^20: as a user runs it, whole
//! and variant by variant, process start included. `cargo bench -p trapezoid`.
use std::{process::Command, time::Duration};

use criterion::{Criterion, criterion_group, criterion_main};

fn run(variant: Option<&str>) {
    let out = tempfile::tempdir().expect("a temporary folder");
    let mut command = Command::new(env!("CARGO_BIN_EXE_trapezoid"));
    command.args(["--device", "emulated", "--quiet", "--out"]);
    command.arg(out.path());
    command.args(variant.into_iter().flat_map(|v| ["--variant", v]));
    let status = command.status().expect("the lab's binary");
    assert!(status.success(), "{variant:?}: {status}");
}

fn emulated(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("trapezoid, emulated, n = 2^20");
    group.sample_size(10).measurement_time(Duration::from_secs(10));
    group.bench_function("all variants", |b| b.iter(|| run(None)));
    for variant in trapezoid::LAB.variants() {
        group.bench_function(variant.name, |b| b.iter(|| run(Some(variant.name))));
    }
    group.finish();
}

criterion_group!(benches, emulated);
criterion_main!(benches);
