//! Exercises on the locations of a thread's data, and their latencies.
use std::cell::OnceCell;

use cudarc::driver::{
    PushKernelArg,
    sys::CUfunction_attribute_enum::{CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, CU_FUNC_ATTRIBUTE_NUM_REGS},
};
use harness::{Case, CaseContext, Check, Result, Row, Run, Sizes, launch_1d, parallel_vec, row};

/// A chain of steps, each of which depends on the previous one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Chase {
    kernel: &'static str,
    /// The size of the ring that the chain follows, in words.
    words: Sizes,
    /// Whether the ring is traversed once before the timing.
    is_warm: bool,
}

const GLOBAL: Chase = Chase { kernel: "chase_global", words: Sizes::all(RING), is_warm: true };

/// The latency of each kind of memory.
#[rustfmt::skip]
pub(crate) static CHASES: &[Row<Chase>] = &[
    row("latency-registers", "exercise: cycles from one operation to the next that needs it",
        Chase { kernel: "chase_registers", ..GLOBAL }),
    row("latency-shared", "like latency-registers, but loads from shared memory", Chase { kernel: "chase_shared", ..GLOBAL }),
    row("latency-l1", "like latency-shared, but from 16 KiB of global memory, which the L1 cache holds", GLOBAL),
    row("latency-l2", "like latency-l1, but from 8 MiB, which the L2 cache holds",
        Chase { words: Sizes { gpu: 1 << 21, emulated: 1 << 14, quick: 1 << 12 }, ..GLOBAL }),
    row("latency-global", "like latency-l2, but from 512 MiB, which no cache holds",
        Chase { words: Sizes { gpu: 1 << 27, emulated: 1 << 16, quick: 1 << 12 }, is_warm: false, ..GLOBAL }),
];

/// The locations of a thread's array, each with its kernel.
pub(crate) static ARRAYS: &[Row<&str>] = &[
    row("array-in-registers", "exercise: an array of a thread, its indices constants", "array_in_registers"),
    row("array-in-local", "like array-in-registers, but the indices are computed", "array_in_local"),
    row("array-spilled", "like array-in-registers, but with 32 registers a thread", "array_spilled"),
];

/// The words of the rings in shared memory and in the first-level cache.
const RING: usize = 4096;
/// The words of a cache line: each step of a chain goes to another line.
const LINE: usize = 32;
/// The number of threads with an array each.
const THREADS: Sizes = Sizes { gpu: 1 << 22, emulated: 1 << 14, quick: 1 << 10 };
/// Timed steps.
const STEPS: i32 = 4096;

pub(crate) fn run(run: &Run) -> Result<()> {
    run.rows(CHASES).try_for_each(|row| chase(run, row))?;
    let known = OnceCell::new();
    run.rows(ARRAYS).try_for_each(|row| array(run, row, &known))
}

/// A ring of `words` words: the first word of each line contains the index of another line's first word, and from any
/// of them the chain visits all lines, in random order.
fn ring(run: &Run, words: usize) -> Vec<u32> {
    let lines = words / LINE;
    let mut order: Vec<u32> = (0..lines as u32).collect();
    let picks = run.inputs("ring").f64(lines, 0.0..1.0);
    for (left, pick) in (1..lines).rev().zip(picks) {
        order.swap(left, (pick * (left + 1) as f64) as usize);
    }
    let mut ring = vec![0; words];
    for (at, next) in order.iter().zip(order.iter().cycle().skip(1)) {
        ring[*at as usize * LINE] = next * LINE as u32;
    }
    ring
}

fn chase(run: &Run, row: &Row<Chase>) -> Result<()> {
    let words = run.pick(row.words);
    let launch = launch_1d(1, 32);
    let in_registers = row.kernel == "chase_registers";
    let case = Case::new(row.name()).kernel("places.cu", row.kernel).launch(launch);
    run.case(if in_registers { case } else { case.n(words) }, |case| {
        let (kernel, stream) = (case.kernel()?, run.stream());
        let ring = ring(run, words);
        let on_device = run.upload("words", &ring)?;
        let warm = if row.is_warm { (words / LINE) as i32 } else { 0 };
        let step = |at: u32| if in_registers { at.wrapping_mul(at).wrapping_add(1) } else { ring[at as usize] };
        let warm_steps = if row.kernel == "chase_global" { warm } else { 0 };

        // Each run begins where the previous one ended, so it reaches lines that are not in a cache yet.
        let (mut at, mut least) = (0_u32, u64::MAX);
        for _ in 0..if run.is_emulated() { 2 } else { 20 } {
            let mut place = stream.clone_htod(&[u64::from(at), u64::MAX, u64::MAX])?;
            let mut builder = stream.launch_builder(&kernel);
            builder.arg(&*on_device).arg(&mut place).arg(&warm).arg(&STEPS);
            // SAFETY: the kernel reads the ring, all of whose words are places in it, and writes two words of `place`.
            unsafe { builder.launch(launch) }?;
            let place = stream.clone_dtoh(&place)?;
            at = (0..warm_steps + STEPS).fold(at, |at, _| step(at));
            case.check(Check::equal(&[place[1]], &[u64::from(at)]));
            least = least.min(place[2]);
        }
        if run.is_emulated() {
            case.note("the chain is checked; emulated cycles say nothing about a GPU");
            note_size(case, words, row.words.gpu);
        } else {
            case.set("cycles_a_step", least as f64 / f64::from(STEPS));
        }
        Ok(())
    })?;
    Ok(())
}

/// Notes that the emulated device has less to do.
fn note_size(case: &mut CaseContext<'_>, n: usize, on_a_gpu: usize) {
    if n < on_a_gpu {
        case.note(format!("n = {n} here, {on_a_gpu} on a GPU, to keep the emulation short"));
    }
}

/// The sum of each thread: 32 elements from its own on, four times, each time starting one element later.
fn add_up(x: &[i32]) -> i32 {
    let (mut sum, x) = (0_i32, &x[..32]);
    for round in 0..4 {
        for j in 0..32 {
            sum = sum.wrapping_mul(3).wrapping_add(x[(j + round) % 32]);
        }
    }
    sum
}

/// A row. `known` are the elements of all threads, and the sum of each, made by the first row.
fn array(run: &Run, row: &Row<&'static str>, known: &OnceCell<(Vec<i32>, Vec<i32>)>) -> Result<()> {
    let threads = 256;
    // Only a companion run names a size.
    let n = run.options().n.unwrap_or_else(|| run.pick(THREADS));
    let launch = launch_1d(n as u32 / threads, threads);
    run.case(Case::new(row.name()).n(n).kernel("places.cu", row.with).launch(launch), |case| {
        let (kernel, stream) = (case.kernel()?, run.stream());
        let (x, expected) = known.get_or_init(|| {
            let x = run.inputs("array").i32(n + 32, -1000..1000);
            let sums = parallel_vec(n, |i| add_up(&x[i..]));
            (x, sums)
        });
        let x = run.upload("x", x)?;
        let mut y = stream.alloc_zeros::<i32>(n)?;
        case.set("local_bytes", kernel.get_attribute(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)?);
        case.set("registers", kernel.get_attribute(CU_FUNC_ATTRIBUTE_NUM_REGS)?);
        if run.is_emulated() {
            case.note("emulated: registers are estimated, and none is ever spilled");
            note_size(case, n, THREADS.gpu);
        }
        case.time(
            &mut y,
            |y| {
                // SAFETY: each of the n threads reads 32 of n + 32 elements and writes one.
                unsafe { stream.launch_builder(&kernel).arg(&*x).arg(y).arg(&1_i32).launch(launch) }?;
                Ok(())
            },
            |y| Check::equal(y, expected),
        )?;
        Ok(())
    })?;
    Ok(())
}
