//! The speedup of several workers over one, compared with what the host's memory gives the same number of threads, and
//! the speed of one worker at each level of checking.

use crate::common::Device;
use crate::common::columns::{Column, LEVELS, PTX, columns, trapezoid, vecadd, written};
use simt::memory::MemoryKind;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// The maximum number of timed runs of each launch, and the maximum total time.
const ROUNDS: (usize, Duration) = (7, Duration::from_millis(700));

/// Prints the tables. Vectors have `1 << log2` elements, 2^26 at most, and the trapezoidal rule as many points.
pub fn table(log2: u32) {
    let n = 1usize << log2.clamp(12, 26);
    let most = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let mut counts: Vec<usize> = (0..usize::BITS).map(|i| 1 << i).take_while(|&count| count < most).collect();
    counts.push(most);
    println!("{most} processors; {n} elements; least time of a few launches; pages: minor page faults of it");
    println!("busy: the part of the threads' time in which they ran; slower: processor time, by that of one thread");
    of_arithmetic(&counts);
    of_host(n, &counts);
    of_machine(n, &counts);
    by_level();
}

/// Measures the host's own threads on arithmetic without memory, a constant workload: no launch scales better, as
/// processors that all work are slower than one alone.
fn of_arithmetic(counts: &[usize]) {
    const ROUNDS: usize = 1 << 26;
    println!("{:34}", "host: arithmetic");
    let mut one = None;
    for &count in counts {
        let (time, used) = least(|| {
            std::thread::scope(|scope| {
                for _ in 0..count {
                    scope.spawn(|| {
                        let mut values: [f32; 64] = std::array::from_fn(|i| i as f32);
                        for _ in 0..ROUNDS / count {
                            for value in &mut values {
                                *value = *value * 0.5 + 1.0;
                            }
                        }
                        std::hint::black_box(values);
                    });
                }
            });
        });
        line(&mut one, (count, time, used), 0);
    }
}

/// Measures the host's own threads on a sum of vectors.
fn of_host(n: usize, counts: &[usize]) {
    let (x, y, mut z) = (vec![1f32; n], vec![2f32; n], vec![3f32; n]);
    println!("{:34}", "host: z = x + y");
    let mut one = None;
    for &count in counts {
        let part = n.div_ceil(count);
        let (time, used) = least(|| {
            std::thread::scope(|scope| {
                for ((x, y), z) in x.chunks(part).zip(y.chunks(part)).zip(z.chunks_mut(part)) {
                    scope.spawn(move || x.iter().zip(y).zip(z).for_each(|((x, y), z)| *z = x + y));
                }
            });
        });
        line(&mut one, (count, time, used), 12 * n);
    }
    assert!(z.iter().all(|z| *z == 3.0));
}

/// Measures the machine with each number of workers.
fn of_machine(n: usize, counts: &[usize]) {
    let mut device = Device::new(PTX);
    device.memory.track_writes(true);
    let ones = || written(&device, &vec![1f32; n]);
    let vectors = [ones(), ones(), ones()];
    let sum = written(&device, &[0f32]);
    let few = trapezoid("trapezoid, shuffle, a block for each of 16 workers", "trapezoid_shuffle", 16 << 10, sum);
    let rows = [
        (few, 1, 0),
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
            let (time, used) = least(|| _ = column.launch(&device));
            line(&mut one, (count, time, used), *bytes);
        }
    }
    (device.settings.checks, device.settings.counters) = (LEVELS[0].1, LEVELS[0].2);
    into_new_memory(&mut device, (n, vectors), counts);
    handed_out(n / 256, counts);
}

/// Measures a sum of vectors whose result has not been touched before: the system gives its pages to the workers.
fn into_new_memory(device: &mut Device, (n, [x, y, old]): (usize, [u64; 3]), counts: &[usize]) {
    println!("vecadd into new memory, {}", LEVELS[0].0);
    let mut one = None;
    // There is not enough memory for a fourth vector.
    device.memory.free(old).expect("it was allocated");
    device.memory.track_writes(false);
    for &count in counts {
        device.settings.workers = count;
        let (time, used) = least(|| {
            let z = device.memory.alloc(4 * n as u64, 256, MemoryKind::Device, "z").expect("it fits");
            vecadd(n, [x, y, z]).launch(device);
            device.memory.free(z).expect("it was allocated");
        });
        line(&mut one, (count, time, used), 12 * n);
    }
}

/// Measures the cost of handing out blocks from one counter, sixteen at a time.
fn handed_out(blocks: usize, counts: &[usize]) {
    println!("one counter, changed twice for every sixteen of {blocks} blocks");
    let mut one = None;
    for &count in counts {
        let counter = AtomicU32::new(0);
        let (time, used) = least(|| {
            counter.store(0, Ordering::Relaxed);
            std::thread::scope(|scope| {
                for _ in 0..count {
                    scope.spawn(|| while counter.fetch_add(1, Ordering::Relaxed) < blocks as u32 / 8 {});
                }
            });
        });
        line(&mut one, (count, time, used), 0);
    }
}

/// Measures one worker at each level of checking.
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

/// The resources of this process that a call has used.
#[derive(Clone, Copy, Default)]
struct Used {
    /// Minor page faults.
    pages: i64,
    /// Processor time of all threads, in seconds.
    seconds: f64,
}

/// Returns the shortest time of a few calls, and the resources used by that one.
fn least(mut call: impl FnMut()) -> (Duration, Used) {
    let began = Instant::now();
    let mut best = (Duration::MAX, Used::default());
    for _ in 0..ROUNDS.0 {
        let (start, before) = (Instant::now(), used());
        call();
        let (time, after) = (start.elapsed(), used());
        if time < best.0 {
            best = (time, Used { pages: after.pages - before.pages, seconds: after.seconds - before.seconds });
        }
        if began.elapsed() > ROUNDS.1 {
            break;
        }
    }
    best
}

/// Returns the resources that this process has used so far.
fn used() -> Used {
    // SAFETY: the structures are plain numbers, and the calls only fill them.
    unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_SELF, &raw mut usage);
        let mut time: libc::timespec = std::mem::zeroed();
        libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut time);
        Used { pages: usage.ru_minflt, seconds: time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9 }
    }
}

/// Prints a line of a table: the number of threads, the time relative to the table's first line `one`, and the
/// resources used.
fn line(one: &mut Option<(Duration, Used)>, (count, time, used): (usize, Duration, Used), bytes: usize) {
    let seconds = time.as_secs_f64();
    let (first, alone) = *one.get_or_insert((time, used));
    let (times, busy) = (first.as_secs_f64() / seconds, used.seconds / seconds / count as f64);
    let (ms, pages, slower) = (seconds * 1e3, used.pages, used.seconds / alone.seconds);
    let rate = if bytes > 0 { format!("{:8.1} GB/s", bytes as f64 / seconds * 1e-9) } else { String::new() };
    println!(
        "{times:6.2} x {count:6} threads {ms:10.2} ms, busy {busy:.2}, {slower:.2} x slower {pages:8} pages{rate}"
    );
}
