//! What occupancy is worth: time and achieved occupancy by block size, and the effect of a wave that is not full.
use cudarc::driver::sys::CUfunction_attribute_enum::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
use cudarc::driver::{CudaFunction, CudaSlice, LaunchArgs, LaunchConfig, PushKernelArg};
use harness::{Case, Check, Error, Recorder, Result, Run, Sizes, Tolerance, launch_1d, poison};

use crate::calculator::{Limits, waves};
use crate::device::{describe, limits, of_kernel};
use crate::reference::{hungry, walk};

/// Block sizes of the sweep.
const THREADS: [u32; 10] = [32, 64, 96, 128, 192, 256, 384, 512, 768, 1024];

/// Values that a thread of registers_128 keeps alive.
const LIVE: usize = 118;

/// Words of the table of shared_heavy: 24 KiB.
const WORDS: u32 = 6144;

/// What a multiprocessor notes: see `Note` in the kernel file. In words of 64 bits: blocks resident and their peak, the first
/// start, the last end, the sum of the blocks' times.
const NOTE_WORDS: usize = 4;

/// Multiprocessors that are noted; their numbers may have gaps, so more than any part has.
const NOTED: usize = 1024;

/// The three kernels of the sweep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Work {
    Add,
    Registers,
    Shared,
}

impl Work {
    const ALL: [Self; 3] = [Self::Add, Self::Registers, Self::Shared];

    fn variant(self) -> &'static str {
        match self {
            Self::Add => "vecadd",
            Self::Registers => "register-heavy",
            Self::Shared => "shared-heavy",
        }
    }

    fn kernel(self) -> &'static str {
        match self {
            Self::Add => "vecadd",
            Self::Registers => "registers_128",
            Self::Shared => "shared_heavy",
        }
    }

    fn shared_bytes(self) -> u32 {
        if self == Self::Shared { WORDS * 4 } else { 0 }
    }
}

/// One workload's data: on the device, and the right answer.
struct Data {
    work: Work,
    x: CudaSlice<u32>,
    /// The other summand, or the table.
    other: CudaSlice<u32>,
    z: CudaSlice<u32>,
    rounds: u32,
    expected: Vec<u32>,
}

impl Data {
    fn new(run: &Run, work: Work, n: usize) -> Result<Self> {
        let stream = run.stream();
        let mut inputs = run.inputs(work.variant());
        let x = inputs.u32(n, 0..u32::MAX);
        let other = inputs.u32(
            if work == Work::Shared {
                WORDS as usize
            } else {
                n
            },
            0..u32::MAX,
        );
        let rounds = run.pick(Sizes {
            gpu: 16,
            emulated: 2,
            quick: 1,
        }) as u32;
        let expected = match work {
            Work::Add => x
                .iter()
                .zip(&other)
                .map(|(x, y)| x.wrapping_add(*y))
                .collect(),
            Work::Registers => x.iter().map(|x| hungry(*x, LIVE, rounds)).collect(),
            Work::Shared => x.iter().map(|x| walk(*x, &other, rounds)).collect(),
        };
        Ok(Self {
            work,
            x: stream.clone_htod(&x)?,
            other: stream.clone_htod(&other)?,
            // SAFETY: poisoned before each sample, and read only after the kernel.
            z: unsafe { stream.alloc(n) }?,
            rounds,
            expected,
        })
    }

    fn launch(
        &mut self,
        run: &Run,
        function: &CudaFunction,
        launch: LaunchConfig,
        notes: Option<&mut CudaSlice<u64>>,
    ) -> Result<()> {
        let n = self.expected.len() as u64;
        let mut builder = run.stream().launch_builder(function);
        match self.work {
            Work::Add => builder
                .arg(&self.x)
                .arg(&self.other)
                .arg(&mut self.z)
                .arg(&n),
            Work::Registers => builder
                .arg(&self.x)
                .arg(&mut self.z)
                .arg(&self.rounds)
                .arg(&n),
            Work::Shared => builder
                .arg(&self.x)
                .arg(&self.other)
                .arg(&mut self.z)
                .arg(&WORDS)
                .arg(&self.rounds)
                .arg(&n),
        };
        if let Some(notes) = notes {
            note(&mut builder, notes);
        }
        // SAFETY: these are the kernels' parameters; vectors hold n words, the table WORDS, the notes NOTED entries.
        unsafe { builder.launch(launch) }?;
        Ok(())
    }

    fn check(&self, run: &Run) -> Result<Check> {
        Ok(Check::compare(
            &run.stream().clone_dtoh(&self.z)?,
            &self.expected,
            Tolerance::EXACT,
        ))
    }
}

fn note<'a>(builder: &mut LaunchArgs<'a>, notes: &'a mut CudaSlice<u64>) {
    builder.arg(notes);
}

pub(crate) fn run(run: &Run) -> Result<()> {
    let limits = limits(run);
    for work in Work::ALL {
        if !run.wants(work.variant()) {
            continue;
        }
        let gpu = if work == Work::Add { 1 << 26 } else { 1 << 20 };
        let n = run.options().n.unwrap_or_else(|| {
            run.pick(Sizes {
                gpu,
                emulated: 1 << 13,
                quick: 1 << 10,
            })
        });
        let (free, _) = run.session().context.mem_get_info()?;
        if n.checked_mul(3 * size_of::<u32>())
            .is_none_or(|bytes| bytes > free)
        {
            return Err(Error::usage(format!(
                "--n is {n}: three vectors of so many words are more than the {free} bytes that the device has free"
            )));
        }
        let mut data = Data::new(run, work, n)?;
        for threads in run.options().threads.map_or(THREADS.to_vec(), |t| vec![t]) {
            one(run, &limits, &mut data, threads)?;
        }
    }
    full_and_tail(run, &limits)
}

fn one(run: &Run, limits: &Limits, data: &mut Data, threads: u32) -> Result<()> {
    let (work, n) = (data.work, data.expected.len());
    let blocks = u32::try_from(n.div_ceil(threads as usize))
        .map_err(|_| Error::usage("--n needs more blocks than any grid has"))?;
    let launch = LaunchConfig {
        shared_mem_bytes: work.shared_bytes(),
        ..launch_1d(blocks, threads)
    };
    run.case(Case::new(work.variant()).label(format!("block {threads}")).n(n).launch(launch), |case| {
        let function = load(run, work.kernel(), work)?;
        let (registers, occupancy) = of_kernel(limits, &function, threads, launch.shared_mem_bytes)?;
        describe(case, registers, occupancy);
        if occupancy.blocks == 0 {
            return Err(Error::Skip(format!("a block of {threads} threads at {registers} registers does not fit a multiprocessor")));
        }
        if let Some(waves) = waves(u64::from(blocks), run.session().device.multiprocessors, occupancy.blocks) {
            case.set("waves", waves.count());
            case.set("tail_percent", waves.tail_percent());
        }
        if work == Work::Add {
            case.bytes(3 * size_of::<u32>() * n);
        }
        case.measure(
            data,
            |data| poison(run, &mut data.z),
            |data| data.launch(run, &function, launch, None),
            |data| data.check(run),
        )?;
        achieved(run, limits, case, data, launch)
    })?;
    Ok(())
}

fn load(run: &Run, kernel: &str, work: Work) -> Result<CudaFunction> {
    let function = run.function("occupancy.cu", kernel)?;
    if work.shared_bytes() > 0 {
        function.set_attribute(
            CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
            work.shared_bytes() as i32,
        )?;
    }
    Ok(function)
}

/// Runs the counted form of the kernel once, and compares what was resident with what can be.
fn achieved(
    run: &Run,
    limits: &Limits,
    case: &mut Recorder<'_>,
    data: &mut Data,
    launch: LaunchConfig,
) -> Result<()> {
    let stream = run.stream();
    let counted = load(run, &format!("{}_counted", data.work.kernel()), data.work)?;
    let (_, possible) = of_kernel(
        limits,
        &counted,
        launch.block_dim.0,
        launch.shared_mem_bytes,
    )?;
    if possible.blocks == 0 {
        return Ok(());
    }
    let empty: Vec<u64> = [0, u64::MAX, 0, 0].repeat(NOTED);
    let mut notes = stream.clone_htod(&empty)?;
    poison(run, &mut data.z)?;
    data.launch(run, &counted, launch, Some(&mut notes))?;
    case.check(data.check(run)?);
    let notes = stream.clone_dtoh(&notes)?;
    // The emulated device runs blocks in an order of its own: what is resident there says nothing of a GPU.
    if run.is_emulated() {
        return Ok(());
    }
    let seen = Achieved::of(
        &notes,
        launch.block_dim.0.div_ceil(limits.warp_size),
        limits,
    );
    case.set("achieved_percent", seen.percent);
    case.set("peak_blocks_per_sm", seen.peak);
    case.check(Check::that(
        seen.peak <= possible.blocks,
        format!(
            "{} blocks were resident, but the calculator allows {}",
            seen.peak, possible.blocks
        ),
    ));
    Ok(())
}

/// What was resident, from the multiprocessors' notes.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Achieved {
    /// Warps resident on average while a multiprocessor was at work, in per cent of the most that there can be.
    percent: f64,
    /// The most blocks at once on any multiprocessor.
    peak: u32,
}

impl Achieved {
    fn of(notes: &[u64], warps: u32, limits: &Limits) -> Self {
        let (mut busy, mut open, mut peak) = (0.0, 0.0, 0);
        for note in notes.chunks_exact(NOTE_WORDS) {
            // The two counts lie in one word, the peak in its upper half.
            peak = peak.max((note[0] >> 32) as u32);
            if note[2] > note[1] {
                busy += note[3] as f64;
                open += (note[2] - note[1]) as f64;
            }
        }
        let most = f64::from(limits.threads / limits.warp_size);
        let percent = if open > 0.0 {
            100.0 * busy * f64::from(warps) / (open * most)
        } else {
            0.0
        };
        Self { percent, peak }
    }
}

/// The peak-wave effect: one block more than a full wave costs a wave.
fn full_and_tail(run: &Run, limits: &Limits) -> Result<()> {
    const BLOCK: u32 = 256;
    if !run.wants("waves") {
        return Ok(());
    }
    let work = Work::Registers;
    let function = load(run, work.kernel(), work)?;
    let (registers, occupancy) = of_kernel(limits, &function, BLOCK, 0)?;
    let sms = run.session().device.multiprocessors;
    let Some(wave) = waves(0, sms, occupancy.blocks).map(|w| w.wave as u32) else {
        return Ok(());
    };
    let mut grids = vec![wave - 1, wave, wave + 1];
    if !run.is_emulated() {
        grids.extend([4 * wave, 4 * wave + 1]);
    }
    for blocks in grids {
        let n = (blocks * BLOCK) as usize;
        let mut data = Data::new(run, work, n)?;
        let launch = launch_1d(blocks, BLOCK);
        run.case(
            Case::new("waves")
                .label(format!("{blocks} blocks, a wave is {wave}"))
                .n(n)
                .launch(launch),
            |case| {
                describe(case, registers, occupancy);
                if let Some(waves) = waves(u64::from(blocks), sms, occupancy.blocks) {
                    case.set("waves", waves.count());
                    case.set("tail_percent", waves.tail_percent());
                }
                case.measure(
                    &mut data,
                    |data| poison(run, &mut data.z),
                    |data| data.launch(run, &function, launch, None),
                    |data| data.check(run),
                )?;
                Ok(())
            },
        )?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_are_read_as_the_kernel_writes_them() {
        // One multiprocessor: 4 blocks at most at once, of 8 warps, busy for 600 of 1000 cycles each on average.
        let notes = [4 << 32, 1000, 2000, 2400, 0, u64::MAX, 0, 0];
        let seen = Achieved::of(&notes, 8, &Limits::TEXTBOOK);
        assert_eq!(seen.peak, 4);
        assert!((seen.percent - 100.0 * 2.4 * 8.0 / 64.0).abs() < 1e-9);
        assert_eq!(
            Achieved::of(&[0, u64::MAX, 0, 0], 8, &Limits::TEXTBOOK),
            Achieved {
                percent: 0.0,
                peak: 0
            }
        );
    }
}
