//! `--launch BLOCKS,THREADS`: whether and how a configuration runs on the device.
use cudarc::driver::PushKernelArg;
use harness::{Case, Check, Error, Result, Run, Tolerance, launch_1d, poison};

use crate::calculator::waves;
use crate::device::{describe, limits, of_kernel};

/// A launch in question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Blocks in the grid.
    pub blocks: u32,
    /// Threads in a block.
    pub threads: u32,
}

/// Parses `BLOCKS,THREADS`.
///
/// # Errors
/// What is wrong with the text.
pub(crate) fn parse(text: &str) -> Result<Shape, String> {
    let (blocks, threads) = text
        .split_once(',')
        .ok_or("write BLOCKS,THREADS, for instance 100,1000")?;
    Ok(Shape {
        blocks: harness::parse_u32(blocks)?,
        threads: harness::parse_u32(threads)?,
    })
}

pub(crate) fn run(run: &Run) -> Result<()> {
    let Some(shape) = run.args().get_one::<Shape>("launch").copied() else {
        return Ok(());
    };
    let launch = launch_1d(shape.blocks, shape.threads);
    // Not given to the case as its launch: a launch that cannot be is an answer here, not a mistake.
    run.case(Case::new("launch").label(format!("{} blocks of {} threads", shape.blocks, shape.threads)), |case| {
        let stream = run.stream();
        let device = &run.session().device;
        let limits = limits(run);
        let function = run.function("occupancy.cu", "vecadd")?;
        let (registers, occupancy) = of_kernel(&limits, &function, shape.threads, 0)?;
        describe(case, registers, occupancy);
        let refusal = device.check_launch(launch).err();
        let threads = u64::from(shape.blocks) * u64::from(shape.threads);
        // A word for each thread, but no more than a quarter of what is free: the rest of the threads have nothing to do.
        let (free, _) = run.session().context.mem_get_info()?;
        let n = threads.min(1 << 24).min(free as u64 / 48).max(1) as usize;
        let x = run.inputs("launch").u32(n, 0..1 << 30);
        let dx = stream.clone_htod(&x)?;
        // SAFETY: poisoned before the launch, and read only after.
        let mut z = unsafe { stream.alloc::<u32>(n) }?;
        poison(run, &mut z)?;
        let count = n as u64;
        let mut builder = stream.launch_builder(&function);
        builder.arg(&dx).arg(&dx).arg(&mut z).arg(&count);
        // The embedded machine would report a launch beyond the limits as the kernel's bug; its driver's own
            // count of resident blocks says the same without that.
            let launched = if refusal.is_some() && run.is_emulated() {
                None
            } else {
                // SAFETY: these are the kernel's parameters, and each vector holds n words.
                Some(unsafe { builder.launch(launch) })
            };
            match (refusal, launched) {
                (Some(reason), None) => {
                    let resident =
                        function.occupancy_max_active_blocks_per_multiprocessor(shape.threads, 0, None);
                    case.note(format!("does not run: {reason}"));
                    case.check(Check::that(
                        shape.threads <= limits.threads_per_block || resident.is_ok_and(|r| r == 0),
                        "but the driver counts resident blocks for it",
                    ));
                }
                (Some(reason), Some(Err(error))) => {
                    case.note(format!(
                        "does not run: {reason}; the driver: {}",
                        harness::describe(&error)
                    ));
                    case.check(Check::that(true, ""));
                }
(Some(reason), Some(Ok(_))) => {
                case.check(Check::that(false, format!("the device ran it, but by its limits it should not: {reason}")));
            }
            (None, Some(Err(error))) => return Err(Error::Driver(error)),
            (None, _) => {
                let doubled: Vec<u32> = x.iter().map(|x| 2 * x).collect();
                case.check(Check::compare(&stream.clone_dtoh(&z)?, &doubled, Tolerance::EXACT));
                let idle = occupancy.warps.max(1) * limits.warp_size / occupancy.blocks.max(1) - shape.threads;
                let Some(waves) = waves(u64::from(shape.blocks), device.multiprocessors, occupancy.blocks) else {
                    return Ok(());
                };
                case.set("waves", waves.count());
                case.set("tail_percent", waves.tail_percent());
                case.note(format!(
                    "runs: {threads} threads, {idle} lanes idle in each block; {} blocks an SM ({}) on {} SMs, {} of up to {} blocks, the last {:.0}% full",
                    occupancy.blocks,
                    occupancy.limiter,
                    device.multiprocessors,
                    if waves.count() == 1 { "1 wave".into() } else { format!("{} waves", waves.count()) },
                    waves.wave,
                    waves.tail_percent(),
                ));
            }
        }
        Ok(())
    })?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn launches_are_parsed_or_refused_in_words() {
        assert_eq!(
            parse("100,1000"),
            Ok(Shape {
                blocks: 100,
                threads: 1000
            })
        );
        assert_eq!(
            parse("2^10,64"),
            Ok(Shape {
                blocks: 1024,
                threads: 64
            })
        );
        for bad in [
            "",
            "100",
            "100,",
            ",",
            "0,5",
            "-1,5",
            "1,2,3",
            "9999999999,1",
        ] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }
}
