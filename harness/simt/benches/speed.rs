//! The five columns at three levels of checking, in thread instructions per second of one worker, and the cost of
//! single instructions, in warp instructions per second: `cargo bench -p simt [-- COLUMN]`
//!
//! With `workers`, the speedup of several workers: `cargo bench -p simt -- workers [LOG2_OF_ELEMENTS]`. The program
//! that `cargo bench -p simt --no-run` names also runs standalone on a computer without Rust.
//! With `recording`, what recording a launch costs.

#[path = "../tests/common/mod.rs"]
mod common;
#[path = "speed/rates.rs"]
#[expect(dead_code, reason = "the example names the unit of each rate")]
mod rates;
#[path = "speed/recording.rs"]
mod recorded;
#[path = "speed/workers.rs"]
mod workers;

use common::columns::{LEVELS, columns};
use criterion::{Criterion, Throughput, criterion_group};
use rates::{RATES, Rate};
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

fn rates(c: &mut Criterion) {
    const ROUNDS: i32 = 200;
    let mut device = Rate::device();
    let out = device.zeros::<u32>(1024);
    (device.settings.checks, device.settings.counters) = (LEVELS[0].1, LEVELS[0].2);
    let mut group = c.benchmark_group("rates");
    group.sample_size(10).warm_up_time(Duration::from_millis(100)).measurement_time(Duration::from_secs(1));
    for rate in &RATES {
        group.throughput(Throughput::Elements(rate.launch(&device, out, ROUNDS)));
        group.bench_function(rate.kernel, |b| b.iter(|| rate.launch(&device, out, ROUNDS)));
    }
    group.finish();
}

criterion_group!(benches, speed, rates);

fn main() {
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    match args.first().map(String::as_str) {
        Some("workers") => workers::table(args.get(1).and_then(|log2| log2.parse().ok()).unwrap_or(26)),
        Some("recording") => recorded::table(),
        _ => {
            benches();
            Criterion::default().configure_from_args().final_summary();
        }
    }
}
