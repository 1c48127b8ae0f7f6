//! The contention bench: atomic additions a second on one word and on many.
use cudarc::driver::{LaunchConfig, PushKernelArg};
use harness::{Case, Ceiling, Check, Result, Run, Sizes, launch_1d};

use crate::throughput;

/// How many additions go to word `at` of `addresses`, from `groups` groups of `threads` threads that
/// number themselves from 0 and make `rounds` additions each, beginning at their number and moving on
/// by one word a round.
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

/// Both benches.
pub(crate) fn run(run: &Run) -> Result<()> {
    let rounds = run.pick(Sizes {
        gpu: 1024,
        emulated: 16,
        quick: 4,
    }) as u32;
    let threads = run.options().threads.unwrap_or(256);
    let sms = run.session().device.multiprocessors;
    let blocks = run
        .options()
        .blocks
        .unwrap_or(if run.is_emulated() { 8 } else { 8 * sms });
    let global = [1, 2, 4, 8, 16, 32, 256, 1 << 12, 1 << 16, 1 << 20];
    let shared = [1, 2, 4, 8, 16, 32, 256, 1 << 10];
    for addresses in global {
        let launch = launch_1d(blocks, threads);
        bench(
            run,
            "contention-global",
            "contention_global",
            addresses,
            rounds,
            launch,
        )?;
    }
    for addresses in shared {
        let mut launch = launch_1d(blocks, threads);
        launch.shared_mem_bytes = addresses * size_of::<u32>() as u32;
        bench(
            run,
            "contention-shared",
            "contention_shared",
            addresses,
            rounds,
            launch,
        )?;
    }
    Ok(())
}

fn bench(
    run: &Run,
    variant: &str,
    kernel: &str,
    addresses: u32,
    rounds: u32,
    launch: LaunchConfig,
) -> Result<()> {
    let label = match addresses {
        1 => "1 address".into(),
        many => format!("{many} addresses"),
    };
    let (blocks, threads) = (u64::from(launch.grid_dim.0), u64::from(launch.block_dim.0));
    let additions = blocks * threads * u64::from(rounds);
    if additions >= 1 << 32 {
        return Err(harness::Error::usage(format!(
            "{blocks} blocks of {threads} threads make {additions} additions, more than a 32-bit word counts; use fewer --blocks"
        )));
    }
    let case = Case::new(variant).label(label).launch(launch);
    let addresses_column = addresses;
    run.case(case, |case| {
        let function = run.function("contention.cu", kernel)?;
        let stream = run.stream();
        let mut words = stream.alloc_zeros::<u32>(addresses as usize)?;
        // Shared memory: each block numbers its threads from 0; global: the grid does.
        let (group, groups) = if variant == "contention-shared" {
            (threads, blocks)
        } else {
            (threads * blocks, 1)
        };
        let looked_at = addresses.min(64); // the arithmetic is slow for a million words; the sum is checked too
        let expected: Vec<u64> = (0..looked_at)
            .map(|at| additions_to(at, addresses, group, groups, rounds))
            .collect();
        let times = case.measure(
            &mut words,
            |words| Ok(stream.memset_zeros(words)?),
            |words| {
                let mut launch_args = stream.launch_builder(&function);
                launch_args.arg(words).arg(&addresses).arg(&rounds).arg(&1u32);
                // SAFETY: arguments as the kernels declare them; `addresses` words lie behind the first.
                unsafe { launch_args.launch(launch) }?;
                Ok(())
            },
            |words| {
                let words = stream.clone_dtoh(words)?;
                let sum: u64 = words.iter().map(|w| u64::from(*w)).sum();
                let mut check = Check::equal(&[sum], &[additions]);
                let first: Vec<u64> = words.iter().take(looked_at as usize).map(|w| u64::from(*w)).collect();
                check.merge(Check::equal(&first, &expected));
                Ok(check)
            },
        )?;
        case.ceiling(Ceiling::None);
        case.set("addresses", addresses_column);
        if !run.is_emulated() && times.median > 0.0 {
            let rate = additions as f64 / (times.median * 1e6);
            case.set("atomics_per_ns", rate);
            if addresses == 1 {
                let [memory, cache, _] = throughput::exercise();
                let (where_, rate) = if variant == "contention-shared" {
                    (" in each SM", rate / f64::from(run.session().device.multiprocessors))
                } else {
                    ("", rate)
                };
                case.note(format!(
                    "one every {} ns{where_}, a warp's at once; the exercise: {} G/s at 100 ns, {} with 90% cache hits",
                    harness::significant(1.0 / rate),
                    memory.published,
                    cache.published
                ));
            }
        }
        Ok(())
    })?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::additions_to;

    #[test]
    fn additions_are_those_of_a_walk() {
        for (addresses, threads, groups, rounds) in [
            (1, 1, 1, 1),
            (3, 7, 2, 5),
            (32, 256, 4, 16),
            (10, 3, 1, 4),
            (5, 5, 1, 0),
            (7, 100, 3, 23),
        ] {
            let mut words = vec![0u64; addresses as usize];
            for t in 0..threads {
                for r in 0..u64::from(rounds) {
                    words[((t + r) % u64::from(addresses)) as usize] += groups;
                }
            }
            for at in 0..addresses {
                let computed = additions_to(at, addresses, threads, groups, rounds);
                assert_eq!(computed, words[at as usize], "{at} of {addresses}");
            }
        }
    }
}
