//! Thread instructions per second of processor time, one worker, at three levels of checking; and the speedup of two
//! workers in elapsed time, which is meaningful only on an otherwise idle computer. Then the cost of single
//! instructions: `cargo run --release -p simt --example speed [-- KERNEL [LEVEL]]`

#[path = "../tests/common/mod.rs"]
mod common;
#[path = "../benches/speed/rates.rs"]
mod rates;

use common::columns::{LEVELS, columns};
use rates::{RATES, Rate};
use std::collections::BTreeMap;
use std::time::Instant;

/// Returns the processor time of this process in seconds.
fn spent() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the clock exists on Linux, and the structure is a local variable.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut time) };
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// Returns the shortest processor time and the shortest elapsed time of a few launches, and the result of one of them.
fn best(launch: impl Fn() -> u64) -> (f64, f64, u64) {
    let (mut least, mut shortest, mut instructions) = (f64::INFINITY, f64::INFINITY, 0);
    let began = Instant::now();
    for round in 0..15 {
        if round > 2 && began.elapsed().as_secs_f64() > 1.5 {
            break;
        }
        let (start, clock) = (spent(), Instant::now());
        instructions = launch();
        least = least.min(spent() - start);
        shortest = shortest.min(clock.elapsed().as_secs_f64());
    }
    (least, shortest, instructions)
}

fn main() {
    let mut args = std::env::args().skip(1);
    let (only, level) = (args.next(), args.next());
    let chosen = |choice: &Option<String>, name: &str| choice.as_deref().is_none_or(|c| c == name);
    let (mut device, columns) = columns(1 << 22, 512);
    println!("G thread instructions/s of one worker");
    for column in columns.iter().filter(|c| chosen(&only, c.kernel)) {
        let mut line = format!("{:20}", column.name);
        for (name, checks, counters) in LEVELS.into_iter().filter(|l| chosen(&level, l.0)) {
            (device.settings.checks, device.settings.counters) = (checks, counters);
            let (seconds, one, instructions) = best(|| column.launch(&device));
            device.settings.workers = 2;
            let (_, two, _) = best(|| column.launch(&device));
            device.settings.workers = 1;
            line += &format!("   {name} {:.2} (two workers {:.2}x)", instructions as f64 / seconds * 1e-9, one / two);
        }
        println!("{line}");
    }
    rates(|kernel| chosen(&only, kernel));
}

/// Prints the cost of single instructions of a warp without checks, and its ratio to that of others.
fn rates(chosen: impl Fn(&str) -> bool) {
    println!("ns of one worker for an instruction of a warp, checks off");
    let mut device = Rate::device();
    let out = device.zeros::<u32>(1024);
    (device.settings.checks, device.settings.counters) = (LEVELS[0].1, LEVELS[0].2);
    let mut known: BTreeMap<&str, f64> = BTreeMap::new();
    for rate in RATES.iter().filter(|rate| chosen(rate.kernel)) {
        let (seconds, one, instructions) = best(|| rate.launch(&device, out, 500));
        device.settings.workers = 2;
        let (both, two, _) = best(|| rate.launch(&device, out, 500));
        device.settings.workers = 1;
        let cost = seconds / instructions as f64 * 1e9;
        known.insert(rate.kernel, cost);
        let ratio = known.get(rate.measure).map_or(f64::NAN, |measure| cost / measure);
        let (sooner, dearer) = (one / two, both / seconds);
        println!(
            "{:20} {cost:8.2} ({ratio:.2} of {}; two workers {sooner:.2}x sooner by {dearer:.2}x the processor time)",
            rate.kernel, rate.measure
        );
    }
}
