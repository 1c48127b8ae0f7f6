//! How much sooner several workers are done than one, beside what the host's memory gives as many threads, and how fast
//! one worker is at each level of checking.

use crate::common::Device;
use crate::common::columns::{Column, LEVELS, PTX, columns, trapezoid, vecadd, written};
use simt::memory::Kind;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// How often each launch is timed at most, and for how long.
const ROUNDS: (usize, Duration) = (7, Duration::from_millis(700));

/// Prints the tables. Vectors have `1 << log2` elements, 2^26 at most, and the trapezoidal rule as many points.
pub fn table(log2: u32) {
    let n = 1usize << log2.clamp(12, 26);
    let most = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let mut counts: Vec<usize> = (0..usize::BITS).map(|i| 1 << i).take_while(|&count| count < most).collect();
    counts.push(most);
    println!("{most} processors; {n} elements; least time of a few launches; pages: minor page faults of it");
    of_host(n, &counts);
    of_machine(n, &counts);
    by_level();
}

/// What the host's own threads take for a sum of vectors.
fn of_host(n: usize, counts: &[usize]) {
    let (x, y, mut z) = (vec![1f32; n], vec![2f32; n], vec![3f32; n]);
    println!("{:34}", "host: z = x + y");
    for &count in counts {
        let part = n.div_ceil(count);
        let (time, pages) = least(|| {
            std::thread::scope(|scope| {
                for ((x, y), z) in x.chunks(part).zip(y.chunks(part)).zip(z.chunks_mut(part)) {
                    scope.spawn(move || x.iter().zip(y).zip(z).for_each(|((x, y), z)| *z = x + y));
                }
            });
        });
        line(count, time, pages, 12 * n);
    }
    assert!(z.iter().all(|z| *z == 3.0));
}

/// What the machine takes with so many workers.
fn of_machine(n: usize, counts: &[usize]) {
    let mut device = Device::new(PTX);
    device.memory.track_writes(true);
    let ones = || written(&device, &vec![1f32; n]);
    let vectors = [ones(), ones(), ones()];
    let sum = written(&device, &[0f32]);
    let rows = [
        (trapezoid("trapezoid, shuffle", "trapezoid_shuffle", n, sum), 1, 0),
        (vecadd(n, vectors), 0, 12 * n),
        (vecadd(n, vectors), 1, 12 * n),
        (trapezoid("trapezoid, atomic", "trapezoid_atomic", n, sum), 0, 0),
        (trapezoid("trapezoid, atomic", "trapezoid_atomic", n, sum), 1, 0),
    ];
    for (column, level, bytes) in &rows {
        let (name, checks, counters) = LEVELS[*level];
        (device.settings.checks, device.settings.counters) = (checks, counters);
        println!("{}, {name}", column.name);
        let mut one = None;
        for &count in counts {
            device.settings.workers = count;
            let (time, pages) = least(|| _ = column.launch(&device));
            let one = *one.get_or_insert(time);
            print!("{:6.2} x", one.as_secs_f64() / time.as_secs_f64());
            line(count, time, pages, *bytes);
        }
    }
    (device.settings.checks, device.settings.counters) = (LEVELS[0].1, LEVELS[0].2);
    into_new_memory(&mut device, (n, vectors), counts);
    handed_out(n / 256, counts);
}

/// A sum of vectors whose result nobody has touched before: the system gives its pages to the workers.
fn into_new_memory(device: &mut Device, (n, [x, y, old]): (usize, [u64; 3]), counts: &[usize]) {
    println!("vecadd into new memory, {}", LEVELS[0].0);
    // There is no room for a fourth vector.
    device.memory.free(old).expect("it was allocated");
    device.memory.track_writes(false);
    for &count in counts {
        device.settings.workers = count;
        let (time, pages) = least(|| {
            let z = device.memory.alloc(4 * n as u64, 256, Kind::Device, "z").expect("it fits");
            vecadd(n, [x, y, z]).launch(device);
            device.memory.free(z).expect("it was allocated");
        });
        line(count, time, pages, 12 * n);
    }
}

/// What it costs that workers take blocks from one counter, sixteen at a time.
fn handed_out(blocks: usize, counts: &[usize]) {
    println!("one counter, changed twice for every sixteen of {blocks} blocks");
    for &count in counts {
        let counter = AtomicU32::new(0);
        let (time, pages) = least(|| {
            counter.store(0, Ordering::Relaxed);
            std::thread::scope(|scope| {
                for _ in 0..count {
                    scope.spawn(|| while counter.fetch_add(1, Ordering::Relaxed) < blocks as u32 / 8 {});
                }
            });
        });
        line(count, time, pages, 0);
    }
}

/// What one worker does at each level of checking.
fn by_level() {
    let (mut device, columns) = columns(1 << 22, 512);
    println!("G thread instructions/s of one worker: {}", LEVELS.map(|level| level.0).join(", "));
    let rate = |device: &Device, column: &Column| {
        let mut instructions = 0;
        let (time, _) = least(|| instructions = column.launch(device));
        instructions as f64 / time.as_secs_f64() * 1e-9
    };
    for column in &columns {
        print!("{:20}", column.name);
        for (_, checks, counters) in LEVELS {
            (device.settings.checks, device.settings.counters) = (checks, counters);
            print!(" {:8.2}", rate(&device, column));
        }
        println!();
    }
}

/// The least time of a few calls, and the minor page faults of that one.
fn least(mut call: impl FnMut()) -> (Duration, i64) {
    let began = Instant::now();
    let mut best = (Duration::MAX, 0);
    for _ in 0..ROUNDS.0 {
        let (start, pages) = (Instant::now(), page_faults());
        call();
        best = best.min((start.elapsed(), page_faults() - pages));
        if began.elapsed() > ROUNDS.1 {
            break;
        }
    }
    best
}

/// Minor page faults of this process so far.
fn page_faults() -> i64 {
    // SAFETY: the structure is plain numbers, and the call only fills it.
    unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_SELF, &raw mut usage);
        usage.ru_minflt
    }
}

/// Prints a line of a table.
fn line(count: usize, time: Duration, pages: i64, bytes: usize) {
    let seconds = time.as_secs_f64();
    let rate = if bytes > 0 { format!("{:8.1} GB/s", bytes as f64 / seconds * 1e-9) } else { String::new() };
    println!("{count:6} threads {:10.2} ms {pages:8} pages{rate}", seconds * 1e3);
}
