//! The value of occupancy: time and achieved occupancy by block size, and the effect of a partial wave.
use cudarc::driver::{CudaFunction, CudaSlice, LaunchConfig, PushKernelArg};
use harness::{
    Case, CaseContext, Check, Error, Launch, Result, Row, Run, Sizes, Tolerance, Uploaded, launch_1d, parallel_vec,
    poison,
};

use crate::{
    calculator::{Limits, shared_for, waves},
    device::{describe, describe_waves, of_kernel},
    reference::{hungry, walk},
};

/// Block sizes of the sweep.
const THREADS: [u32; 10] = [32, 64, 96, 128, 192, 256, 384, 512, 768, 1024];

/// Values that a thread of registers_128 keeps alive.
const LIVE: usize = 118;

/// Words of the table of shared_heavy: 24 KiB.
const WORDS: u32 = 6144;

/// The record of a multiprocessor (see `Note` in the kernel file), in words of 64 bits: the number of resident blocks
/// and its peak, the first start, the last end, and the sum of the blocks' times.
const NOTE_WORDS: usize = 4;

/// The number of multiprocessors that have an entry. Multiprocessor ids may have gaps, so it is larger than any GPU's
/// count.
const NOTED: usize = 1024;

/// The work of a kernel of the sweep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Does {
    /// Adds two vectors.
    Add,
    /// Mixes many values that it keeps in registers.
    Mix,
    /// Walks through a table in shared memory.
    Walk,
}

/// A kernel of the sweep.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Work {
    does: Does,
    kernel: &'static str,
    /// The name that seeds the inputs: the variant that first used them.
    inputs: &'static str,
    shared_bytes: u32,
    /// Values that a mixing thread keeps.
    live: usize,
    rounds: Sizes,
}

const ROUNDS: Sizes = Sizes { gpu: 16, emulated: 2, quick: 1 };

pub(crate) const ADD: Work =
    Work { does: Does::Add, kernel: "vecadd", inputs: "vecadd", shared_bytes: 0, live: 0, rounds: ROUNDS };
pub(crate) const REGISTERS: Work =
    Work { does: Does::Mix, kernel: "registers_128", inputs: "register-heavy", live: LIVE, ..ADD };
pub(crate) const SHARED: Work =
    Work { does: Does::Walk, kernel: "shared_heavy", inputs: "shared-heavy", shared_bytes: 4 * WORDS, ..ADD };
/// Each step waits for the previous one, so a warp leaves nearly all of its multiprocessor's time to others.
pub(crate) const CHAIN: Work = Work {
    kernel: "registers_16",
    inputs: "waves-latency",
    live: 4,
    rounds: Sizes { gpu: 4096, emulated: 8, quick: 1 },
    ..REGISTERS
};

/// The data of one workload on the host, with the right answers.
struct Source {
    work: Work,
    x: Vec<u32>,
    /// The other summand, or the table.
    other: Vec<u32>,
    rounds: u32,
    expected: Vec<u32>,
}

/// The data of one workload on the device, with the right answer.
pub(crate) struct Data<'a> {
    work: Work,
    x: Uploaded<u32>,
    other: Uploaded<u32>,
    rounds: u32,
    expected: &'a [u32],
}

impl Source {
    fn new(run: &Run, work: Work, n: usize) -> Self {
        let mut inputs = run.inputs(work.inputs);
        let x = inputs.u32(n, 0..u32::MAX);
        let others = match work.does {
            Does::Add => n,
            Does::Mix => 1,
            Does::Walk => WORDS as usize,
        };
        let other = inputs.u32(others, 0..u32::MAX);
        let rounds = run.pick(work.rounds) as u32;
        if rounds as usize != work.rounds.gpu && work.does != Does::Add {
            let kernel = work.kernel;
            run.say(&format!("{kernel}: {rounds} rounds here, {} on a GPU: enough for the answer", work.rounds.gpu));
        }
        let expected = match work.does {
            Does::Add => parallel_vec(n, |i| x[i].wrapping_add(other[i])),
            Does::Mix => parallel_vec(n, |i| hungry(x[i], work.live, rounds)),
            Does::Walk => parallel_vec(n, |i| walk(x[i], &other, rounds)),
        };
        Self { work, x, other, rounds, expected }
    }

    /// The data of the first `n` elements.
    fn first(&self, run: &Run, n: usize) -> Result<Data<'_>> {
        let &Self { work, rounds, .. } = self;
        let name = if work.does == Does::Walk { "table" } else { "y" };
        let (x, expected) = (run.upload("x", &self.x[..n])?, &self.expected[..n]);
        Ok(Data { work, x, other: run.upload(name, &self.other)?, rounds, expected })
    }
}

impl Data<'_> {
    /// Launches the kernel, or its counting version that writes `notes`.
    fn launch(
        &self,
        run: &Run,
        function: &CudaFunction,
        launch: LaunchConfig,
        z: &mut CudaSlice<u32>,
        notes: Option<&mut CudaSlice<u64>>,
    ) -> Result<()> {
        let n = self.expected.len() as u64;
        let mut builder = run.stream().launch_builder(function);
        match self.work.does {
            Does::Add => builder.arg(&*self.x).arg(&*self.other).arg(z).arg(&n),
            Does::Mix => builder.arg(&*self.x).arg(z).arg(&self.rounds).arg(&n),
            Does::Walk => builder.arg(&*self.x).arg(&*self.other).arg(z).arg(&WORDS).arg(&self.rounds).arg(&n),
        };
        if let Some(notes) = notes {
            builder.arg(notes);
        }
        // SAFETY: these are the kernels' parameters; vectors hold n words, the table WORDS, the notes NOTED entries.
        unsafe { builder.launch(launch) }?;
        Ok(())
    }

    fn check(&self, z: &[u32]) -> Check {
        Check::compare(z, self.expected, Tolerance::EXACT)
    }

    /// Times the case's kernel and checks every answer. Returns the vector that it wrote to.
    pub(crate) fn time(&self, run: &Run, case: &mut CaseContext<'_>) -> Result<CudaSlice<u32>> {
        let (function, launch) = (case.kernel()?, case.launch());
        // SAFETY: poisoned before each sample, and read only after the kernel.
        let mut z = unsafe { run.stream().alloc(self.expected.len()) }?;
        case.time(&mut z, |z| self.launch(run, &function, launch, z, None), |z| self.check(z))?;
        Ok(z)
    }
}

/// A row for each block size.
pub(crate) fn by_block_size(run: &Run, row: &Row<Work>, limits: &Limits) -> Result<()> {
    let work = row.with;
    let gpu = if work.does == Does::Add { 1 << 26 } else { 1 << 20 };
    let n = run.size(Sizes { gpu, emulated: 1 << 13, quick: 1 << 10 });
    run.needs(n.checked_mul(3 * size_of::<u32>()), &format!("three vectors of {n} words"), "--n")?;
    let source = Source::new(run, work, n);
    let data = source.first(run, n)?;
    for threads in run.options().threads.map_or(THREADS.to_vec(), |t| vec![t]) {
        let rule = Launch::covering(threads).shared(work.shared_bytes);
        let case = Case::new(row.name()).label(format!("block {threads}")).n(n);
        run.case(case.kernel("occupancy.cu", work.kernel).launch(rule), |case| {
            let launch = case.launch();
            let (registers, occupancy) = of_kernel(limits, &case.kernel()?, threads, launch.shared_mem_bytes)?;
            describe(case, registers, occupancy);
            if occupancy.blocks == 0 {
                return Err(Error::skip(format!(
                    "a block of {threads} threads at {registers} registers does not fit a multiprocessor"
                )));
            }
            describe_waves(run, case, launch.grid_dim.0, occupancy.blocks);
            if work.does == Does::Add {
                case.bytes(3 * size_of::<u32>() * n);
            }
            let mut z = data.time(run, case)?;
            achieved(run, limits, case, &data, &mut z)
        })?;
    }
    Ok(())
}

/// Runs the counting version of the kernel once, and compares the number of resident blocks with the possible number.
fn achieved(
    run: &Run,
    limits: &Limits,
    case: &mut CaseContext<'_>,
    data: &Data<'_>,
    z: &mut CudaSlice<u32>,
) -> Result<()> {
    let (stream, launch) = (run.stream(), case.launch());
    let counted = case.function("occupancy.cu", &format!("{}_counted", data.work.kernel))?;
    let (_, possible) = of_kernel(limits, &counted, launch.block_dim.0, launch.shared_mem_bytes)?;
    if possible.blocks == 0 {
        return Ok(());
    }
    let empty: Vec<u64> = [0, u64::MAX, 0, 0].repeat(NOTED);
    let mut notes = stream.clone_htod(&empty)?;
    poison(stream, z)?;
    data.launch(run, &counted, launch, z, Some(&mut notes))?;
    case.check_output(z, |z| data.check(z))?;
    let notes = stream.clone_dtoh(&notes)?;
    // The emulated device runs blocks in its own order, so its resident blocks say nothing about a GPU.
    if run.is_emulated() {
        return Ok(());
    }
    let (percent, peak) = resident(&notes, launch.block_dim.0.div_ceil(limits.warp_size), limits);
    case.set("achieved_percent", percent);
    case.set("peak_blocks_per_sm", peak);
    let words = format!("{peak} blocks were resident, but the calculator allows {}", possible.blocks);
    case.check(Check::that(peak <= possible.blocks, words));
    Ok(())
}

/// Evaluates the multiprocessors' notes, for blocks of `warps` warps: the average number of resident warps while a
/// multiprocessor was busy, as a percentage of the possible number; and the most blocks resident on any of them.
pub fn resident(notes: &[u64], warps: u32, limits: &Limits) -> (f64, u32) {
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
    (if open > 0.0 { 100.0 * busy * f64::from(warps) / (open * most) } else { 0.0 }, peak)
}

/// The same work with ever fewer registers: values that the compiler cannot keep in them are spilled to local memory.
pub(crate) fn spilled(run: &Run, row: &Row<Work>, limits: &Limits) -> Result<()> {
    let n = run.size(Sizes { gpu: 1 << 20, emulated: 1 << 13, quick: 1 << 10 });
    run.needs(n.checked_mul(3 * size_of::<u32>()), &format!("three vectors of {n} words"), "--n")?;
    let source = Source::new(run, row.with, n);
    let data = source.first(run, n)?;
    for (registers, kernel) in [(128, "registers_128"), (64, "spilled_64"), (32, "spilled_32")] {
        let case = Case::new(row.name()).label(format!("{registers} registers")).n(n);
        run.case(case.kernel("occupancy.cu", kernel).launch(launch_1d(n.div_ceil(256) as u32, 256)), |case| {
            let function = case.kernel()?;
            let (used, occupancy) = of_kernel(limits, &function, case.launch().block_dim.0, 0)?;
            describe(case, used, occupancy);
            case.set("local_bytes_per_thread", function.local_size_bytes()?);
            data.time(run, case).map(|_| ())
        })?;
    }
    Ok(())
}

/// Hiding the latency of memory: the same sums by a fixed number of threads, with more and more blocks on a
/// multiprocessor (unused shared memory limits their number) and more and more loads per thread.
pub(crate) fn in_flight(run: &Run, row: &Row<Work>, limits: &Limits) -> Result<()> {
    const BLOCK: u32 = 256;
    let n = run.size(Sizes { gpu: 1 << 26, emulated: 1 << 16, quick: 1 << 13 });
    run.needs(n.checked_mul(3 * size_of::<u32>()), &format!("three vectors of {n} words"), "--n")?;
    let source = Source::new(run, row.with, n);
    let data = source.first(run, n)?;
    let sms = run.session().device.multiprocessors;
    for blocks in [1, 2, 4, 8].into_iter().filter(|blocks| blocks * BLOCK <= limits.threads) {
        let launch = LaunchConfig { shared_mem_bytes: shared_for(limits, blocks), ..launch_1d(sms * blocks, BLOCK) };
        for pairs in [1, 2, 4] {
            let case = Case::new(row.name()).label(format!("{blocks} blocks an SM, {pairs} at a time")).n(n);
            run.case(case.kernel("occupancy.cu", format!("in_flight_{pairs}")).launch(launch), |case| {
                let (registers, occupancy) = of_kernel(limits, &case.kernel()?, BLOCK, launch.shared_mem_bytes)?;
                describe(case, registers, occupancy);
                case.check(Check::equal(&[occupancy.blocks], &[blocks]));
                case.set("kib_in_flight", blocks * BLOCK * pairs * 8 / 1024);
                case.bytes(3 * size_of::<u32>() * n);
                data.time(run, case).map(|_| ())
            })?;
        }
    }
    Ok(())
}

/// The wave effect: the cost of one block more than a full wave. With `resident`, that many blocks of one warp are on a
/// multiprocessor; else as many blocks of 256 threads as its registers hold.
pub(crate) fn full_and_tail(run: &Run, row: &Row<Work>, limits: &Limits, resident: Option<u32>) -> Result<()> {
    let (work, sms) = (row.with, run.session().device.multiprocessors);
    let (block, shared) = resident.map_or((256, 0), |blocks| (limits.warp_size, shared_for(limits, blocks)));
    let function = run.function("occupancy.cu", work.kernel)?;
    let (registers, occupancy) = of_kernel(limits, &function, block, shared)?;
    let Some(wave) = waves(0, sms, occupancy.blocks).map(|w| w.wave as u32) else {
        return Ok(());
    };
    let mut grids = vec![wave - 1, wave, wave + 1];
    if !run.is_emulated() {
        grids.extend([4 * wave, 4 * wave + 1]);
    }
    let most = grids.iter().map(|blocks| blocks * block).max().unwrap_or(0) as usize;
    // The first elements do not depend on the number of elements.
    let source = Source::new(run, work, most);
    for blocks in grids {
        let n = (blocks * block) as usize;
        let data = source.first(run, n)?;
        let launch = LaunchConfig { shared_mem_bytes: shared, ..launch_1d(blocks, block) };
        let case = Case::new(row.name()).label(format!("{blocks} blocks, a wave is {wave}")).n(n);
        run.case(case.kernel("occupancy.cu", work.kernel).launch(launch), |case| {
            describe(case, registers, occupancy);
            describe_waves(run, case, blocks, occupancy.blocks);
            data.time(run, case)?;
            Ok(())
        })?;
    }
    Ok(())
}
