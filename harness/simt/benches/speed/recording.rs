//! What recording a launch costs: its time with all blocks recorded, by that of the same launch without.

use crate::common::columns::{LEVELS, columns};
use simt::machine::RecordRequest;
use std::time::{Duration, Instant};

/// The maximum number of timed runs of each launch, and the maximum total time.
const ROUNDS: (usize, Duration) = (15, Duration::from_secs(2));

/// Prints a line for each column. Vectors have 2^14 elements, so that the steps fit.
pub fn table() {
    let (mut device, columns) = columns(1 << 14, 128);
    device.settings.workers = 1;
    (device.settings.checks, device.settings.counters) = (LEVELS[1].1, LEVELS[1].2);
    println!("{}; least time of a few launches, in microseconds", LEVELS[1].0);
    println!("{:24}{:>10}{:>10}{:>8}{:>10}{:>12}", "", "off", "recorded", "times", "steps", "bytes");
    for column in &columns {
        let launch = |record: Option<RecordRequest>| {
            let shape = (column.grid, column.block, 0);
            device.launch_recorded(column.kernel, shape, &column.args, record).0
        };
        let last = column.grid.iter().map(|&n| u64::from(n)).product::<u64>() - 1;
        let request = || RecordRequest { blocks: recording::BlockRange { first: 0, last }, limit: 1 << 30 };
        let off = least(|| drop(launch(None)));
        let on = least(|| drop(launch(Some(request()))));
        let steps = launch(Some(request())).recorded.expect("it was recorded").steps;
        let times = on.as_secs_f64() / off.as_secs_f64();
        let (off, on) = (off.as_micros(), on.as_micros());
        println!("{:24}{off:>10}{on:>10}{times:>8.1}{:>10}{:>12}", column.kernel, steps.steps, steps.bytes.len());
    }
}

/// Returns the least time of a few runs.
fn least(run: impl Fn()) -> Duration {
    let (rounds, most) = ROUNDS;
    let start = Instant::now();
    let mut least = Duration::MAX;
    for round in 0..rounds {
        if round > 2 && start.elapsed() > most {
            break;
        }
        let before = Instant::now();
        run();
        least = least.min(before.elapsed());
    }
    least
}
