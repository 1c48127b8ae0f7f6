//! Thread instructions per second of processor time, one worker, at three levels of checking; and how much faster two workers are:
//! `cargo run --release -p simt --example speed [-- KERNEL]`

#[path = "../benches/columns.rs"]
mod columns;
#[path = "../tests/common/mod.rs"]
mod common;

use columns::{Column, LEVELS, columns};
use common::Device;
use std::time::Instant;

/// Seconds of processor time of this process.
fn spent() -> f64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the clock exists on Linux, and the structure is its own.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut time) };
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// The least processor time and the least time by the clock of a few launches, and the thread instructions of one.
fn best(column: &Column, device: &Device) -> (f64, f64, u64) {
    let (mut least, mut shortest, mut instructions) = (f64::INFINITY, f64::INFINITY, 0);
    let began = Instant::now();
    for round in 0..15 {
        if round > 2 && began.elapsed().as_secs_f64() > 1.5 {
            break;
        }
        let (start, clock) = (spent(), Instant::now());
        instructions = column.launch(device);
        least = least.min(spent() - start);
        shortest = shortest.min(clock.elapsed().as_secs_f64());
    }
    (least, shortest, instructions)
}

fn main() {
    let only = std::env::args().nth(1);
    let level = std::env::args().nth(2);
    let (mut device, columns) = columns(1 << 22);
    println!(
        "{:20} {:>16} {:>20} {:>16} {:>12}   G thread instructions/s, one worker",
        "", LEVELS[0].0, LEVELS[1].0, LEVELS[2].0, "two workers"
    );
    for column in &columns {
        if only.as_deref().is_some_and(|o| o != column.kernel) {
            continue;
        }
        let mut rates = Vec::new();
        let mut one = 0.0;
        for (name, checks, counters) in LEVELS {
            if level.as_deref().is_some_and(|l| l != name) {
                continue;
            }
            (device.settings.checks, device.settings.counters) = (checks, counters);
            let (seconds, clock, instructions) = best(column, &device);
            rates.push(instructions as f64 / seconds * 1e-9);
            if checks == LEVELS[1].1 {
                one = clock;
            }
        }
        (device.settings.checks, device.settings.counters) = (LEVELS[1].1, LEVELS[1].2);
        device.settings.workers = 2;
        let (_, two, _) = best(column, &device);
        device.settings.workers = 1;
        if level.is_some() {
            println!("{rates:?}");
            continue;
        }
        println!(
            "{:20} {:16.2} {:20.2} {:16.2} {:11.2}x",
            column.name,
            rates[0],
            rates[1],
            rates[2],
            one / two
        );
    }
}
