//! The contention benchmark: atomic additions per second on one word and on many.
use cudarc::driver::PushKernelArg;
use harness::{Case, Ceiling, Check, Error, Result, Row, Run, Sizes, launch_1d, row};

use crate::questions;

/// The location of the words to which the additions go.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CountLocation {
    kernel: &'static str,
    addresses: &'static [u32],
    /// Whether each block has separate words.
    is_shared: bool,
}

const GLOBAL: CountLocation = CountLocation {
    kernel: "contention_global",
    addresses: &[1, 2, 4, 8, 16, 32, 256, 1 << 12, 1 << 16, 1 << 20],
    is_shared: false,
};
const SHARED: CountLocation =
    CountLocation { kernel: "contention_shared", addresses: &[1, 2, 4, 8, 16, 32, 256, 1 << 10], is_shared: true };

/// The two benchmarks.
pub(crate) static PLACES: &[Row<CountLocation>] = &[
    row("contention-global", "atomics a second on 1 to 2^20 words of global memory", GLOBAL),
    row("contention-shared", "atomics a second on 1 to 1024 words of shared memory", SHARED),
];

/// The number of additions to word `at` of `addresses`. There are `groups` groups of `threads` threads, which are
/// numbered from 0 in each group. Each thread makes `rounds` additions; it begins at the word of its number and
/// advances by one word each round.
///
/// ```
/// // Threads 0, 1, 2 on 2 words, 2 rounds: each thread adds once to each word.
/// assert_eq!(histogram::additions_to(0, 2, 3, 1, 2), 3);
/// ```
pub fn additions_to(at: u32, addresses: u32, threads: u64, groups: u64, rounds: u32) -> u64 {
    let (m, full) = (u64::from(addresses), u64::from(rounds / addresses));
    let rest = u64::from(rounds % addresses);
    // A thread that begins at s meets `at` once more in its last rounds if at - s (mod m) < rest.
    let near = |t: u64| (u64::from(at) + m - t % m) % m < rest;
    let of_residues = threads / m * (0..m.min(threads)).filter(|&t| near(t)).count() as u64;
    let partial = (0..threads % m).filter(|&t| near(t)).count() as u64;
    groups * (threads * full + of_residues * u64::from(threads >= m) + partial)
}

/// Both benchmarks, for each number of words that has a row.
pub(crate) fn run(run: &Run) -> Result<()> {
    for row in run.rows(PLACES) {
        for &addresses in row.addresses {
            bench(run, row, addresses)?;
        }
    }
    Ok(())
}

fn bench(run: &Run, row: &Row<CountLocation>, addresses: u32) -> Result<()> {
    let rounds = run.pick(Sizes { gpu: 1024, emulated: 16, quick: 4 }) as u32;
    let sms = run.session().device.multiprocessors;
    let usual = if run.is_emulated() { 8 } else { 8 * sms };
    let mut launch = launch_1d(run.options().blocks.unwrap_or(usual), run.threads(256));
    if row.is_shared {
        launch.shared_mem_bytes = addresses * size_of::<u32>() as u32;
    }
    let (blocks, threads) = (u64::from(launch.grid_dim.0), u64::from(launch.block_dim.0));
    let additions = blocks * threads * u64::from(rounds);
    if additions >= 1 << 32 {
        return Err(Error::usage(format!(
            "{blocks} blocks of {threads} threads make {additions} additions, more than a 32-bit word counts; \
             use fewer --blocks"
        )));
    }
    // In shared memory each block numbers its threads from 0; in global memory the grid does.
    let (group, groups) = if row.is_shared { (threads, blocks) } else { (threads * blocks, 1) };
    let label = if addresses == 1 { "1 address".into() } else { format!("{addresses} addresses") };
    run.case(Case::new(row.name()).label(label).kernel("contention.cu", row.kernel).launch(launch), |case| {
        let (kernel, stream) = (case.kernel()?, run.stream());
        let mut words = stream.alloc_zeros::<u32>(addresses as usize)?;
        let looked_at = addresses.min(64); // The arithmetic is slow for a million words; the sum is checked too.
        let expected: Vec<u64> = (0..looked_at).map(|at| additions_to(at, addresses, group, groups, rounds)).collect();
        let times = case.measure(
            &mut words,
            |words| Ok(stream.memset_zeros(words)?),
            |words| {
                let mut builder = stream.launch_builder(&kernel);
                builder.arg(words).arg(&addresses).arg(&rounds).arg(&1u32);
                // SAFETY: arguments as the kernels declare them; `addresses` words lie behind the first.
                unsafe { builder.launch(launch) }?;
                Ok(())
            },
            |words| {
                let words: Vec<u64> = stream.clone_dtoh(words)?.into_iter().map(u64::from).collect();
                let mut check = Check::equal(&[words.iter().sum::<u64>()], &[additions]);
                check.merge(Check::equal(&words[..looked_at as usize], &expected));
                Ok(check)
            },
        )?;
        case.ceiling(Ceiling::None);
        case.set("addresses", addresses);
        if !run.is_emulated() && times.median > 0.0 {
            let rate = additions as f64 / (times.median * 1e6);
            case.set("atomics_per_ns", rate);
            if addresses == 1 {
                let (place, rate) = if row.is_shared { (" in each SM", rate / f64::from(sms)) } else { ("", rate) };
                let ns = harness::significant(1.0 / rate);
                case.note(format!("one every {ns} ns{place}, a warp's at once; {}", questions::in_short()));
            }
        }
        Ok(())
    })?;
    Ok(())
}
