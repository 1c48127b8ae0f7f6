//! The five columns at three levels of checking, in thread instructions per second of one worker:
//! `cargo bench -p simt [-- COLUMN]`

#[path = "../tests/common/mod.rs"]
mod common;

use common::columns::{LEVELS, columns};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use std::time::Duration;

fn speed(c: &mut Criterion) {
    let (mut device, columns) = columns(1 << 20, 256);
    for column in &columns {
        let mut group = c.benchmark_group(column.kernel);
        group
            .throughput(Throughput::Elements(column.launch(&device)))
            .sample_size(10)
            .warm_up_time(Duration::from_millis(300))
            .measurement_time(Duration::from_secs(2));
        for (name, checks, counters) in LEVELS {
            (device.settings.checks, device.settings.counters) = (checks, counters);
            group.bench_function(name, |b| b.iter(|| column.launch(&device)));
        }
        group.finish();
    }
}

criterion_group!(benches, speed);
criterion_main!(benches);
