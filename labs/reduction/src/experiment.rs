//! One row of the experiment, and the sizes and grids of the rows.
use std::cell::OnceCell;

use cudarc::driver::{DevicePtrMut, result::memset_d8_async};
use harness::{Case, CaseContext, Check, Input, Inputs, Launch, Result, Row, Run, Sizes, Tolerance, launch_1d, row};

use crate::{
    DOTS, Op, Reducer, Reducing, VECTORIZED, WRONG,
    reference::{Reference, reference},
    waves,
};

/// The wave effect.
pub(crate) static WAVES: [Row<Reducing>; 1] =
    [row("waves", "vectorized, on grids of 1/4 to 8 waves of resident blocks", VECTORIZED)];

/// The number of elements for this device: 2^30, or fewer if two such arrays and a third one for probing would fill
/// more than half of the memory.
pub(crate) fn size(run: &Run) -> Result<usize> {
    let total = run.session().device.total_bytes;
    let mut gpu = 1usize << 30;
    while gpu as u64 * 3 * 4 > total / 2 && gpu > 1 << 20 {
        gpu /= 2;
    }
    let n = run.size(Sizes { gpu, emulated: 1 << 18, quick: 1 << 12 });
    run.needs(n.checked_mul(3 * 4), &format!("two arrays of {n} floats, and a third to probe with,"), "--n")?;
    Ok(n)
}

/// The input arrays, and the right answers.
pub(crate) struct Arrays<'r> {
    n: usize,
    pub(crate) x: Input<'r, f32>,
    y: Input<'r, f32>,
    references: [OnceCell<Reference>; 3],
}

impl<'r> Arrays<'r> {
    pub(crate) fn new(run: &'r Run, n: usize) -> Self {
        let array = |label| {
            let uniform = |mut inputs: Inputs, n| inputs.f32(n, 0.0..1.0);
            run.input(label, move || Inputs::in_chunks(run.options().seed, label, n, uniform))
        };
        Self { n, x: array("x"), y: array("y"), references: Default::default() }
    }

    fn reference(&self, op: Op) -> Reference {
        let y = if op == Op::Dot { self.y.host() } else { &[] };
        *self.references[op as usize].get_or_init(|| reference(op, self.x.host(), y))
    }
}

/// One row of the CSV: `how` on `op`, timed, each sample's result checked against the f64 reference.
pub(crate) fn reduce(
    run: &Run,
    how: &Row<Reducing>,
    label: &str,
    op: Op,
    launch: impl Into<Launch>,
    input: &Arrays,
) -> Result<()> {
    let (variant, n) = (how.name(), input.n);
    let case = Case::new(variant)
        .label(label)
        .n(n)
        .kernel(how.file, how.kernel(op, how.launch.threads(run.options(), &run.session().device)))
        .launch(launch);
    run.case(case, |case| {
        let config = case.launch();
        if !(how.takes)(n) {
            let reason = format!("{variant} takes {}, not {n}; the variants above it take any n", how.taken);
            return Err(run.unsuited(variant, reason));
        }
        let mut reducer = Reducer::new(run.kernels(), how.with, op, n, config)?;
        let x = input.x.device()?;
        let y = if op == Op::Dot { input.y.device()? } else { x };
        let reference = input.reference(op);
        let chain = how.longest_chain(op, n, config);
        // The bound of the kernel's longest chain of roundings plus that of the reference.
        let epsilon = if how.in_double(op) { f64::EPSILON } else { f64::from(f32::EPSILON) };
        let mut tolerance = Tolerance::sum(chain, reference.magnitude, epsilon);
        tolerance.absolute += Tolerance::sum(reference.roundings, reference.magnitude, f64::EPSILON).absolute;
        case.reads(op.arrays() * size_of::<f32>() * n);
        case.flop(op.flop(n));
        let mut result = f64::NAN;
        case.measure(
            &mut reducer,
            Reducer::poison,
            |r| r.launch(x, y),
            |r| {
                result = r.result()?;
                Ok(Check::scalar(op.name(), result, reference.value, tolerance))
            },
        )?;
        if !how.variant.own_process {
            match op {
                Op::Sum => case.check(probe(run, &mut reducer, n, config.block_dim.0)?),
                Op::Max => case.check(below_zero(run, &mut reducer, n)?),
                Op::Dot => {}
            }
        }
        set_result(case, op, result, reference, chain);
        if how.strides() {
            let resident = case.resident_blocks()?;
            case.set("waves", waves(config.grid_dim.0, run.session().device.multiprocessors, resident));
        }
        Ok(())
    })?;
    Ok(())
}

/// Sets the columns with the distance of a result from the reference.
pub(crate) fn set_result(case: &mut CaseContext<'_>, op: Op, result: f64, reference: Reference, chain: usize) {
    case.set("result", result);
    case.set("f64_reference", reference.value);
    if op != Op::Max {
        case.set("relative_error", (result - reference.value).abs() / reference.magnitude);
        case.set("longest_chain", chain);
    }
}

/// Checks the indices: in a float sum of many elements, rounding hides a lost element. This therefore sums zeros with
/// ones at the indices that are most error-prone; their number must be exact.
fn probe(run: &Run, reducer: &mut Reducer, n: usize, threads: u32) -> Result<Check> {
    let stream = run.stream();
    let mut x = stream.alloc_zeros::<f32>(n.max(1))?;
    let edges = edges(n, threads);
    for &i in &edges {
        stream.memcpy_htod(&[1.0f32], &mut x.slice_mut(i..=i))?;
    }
    reducer.poison()?;
    reducer.launch(&x, &x)?;
    let count = reducer.result()?;
    Ok(Check::scalar("ones among zeros", count, edges.len(), Tolerance::EXACT))
}

/// The maximum of random numbers is above 0, which hides a kernel that begins with 0 and not with the least number.
/// Therefore this takes the maximum of numbers below 0, all of them the same.
fn below_zero(run: &Run, reducer: &mut Reducer, n: usize) -> Result<Check> {
    const BYTE: u8 = 0xBF;
    let stream = run.stream();
    let mut x = stream.alloc_zeros::<f32>(n.max(1))?;
    let bytes = x.len() * size_of::<f32>();
    {
        let (pointer, _in_use) = x.device_ptr_mut(stream);
        // SAFETY: the buffer is that long, and stays alive until `_in_use` is dropped.
        unsafe { memset_d8_async(pointer, BYTE, bytes, stream.cu_stream()) }?;
    }
    reducer.poison()?;
    reducer.launch(&x, &x)?;
    let (largest, expected) = (reducer.result()?, f32::from_ne_bytes([BYTE; 4]));
    Ok(Check::scalar("numbers below 0", largest, f64::from(expected), Tolerance::EXACT))
}

/// Indices around which mistakes are most likely: the ends, powers of two, and the edges of blocks of `threads`. Each
/// is within `n`; they are in order, without duplicates.
pub fn edges(n: usize, threads: u32) -> Vec<usize> {
    let threads = threads as usize;
    let blocks = [1, 2, 3, 4, 8, 32].map(|k| k * threads);
    let powers = (0..usize::BITS - 1).map(|k| 1usize << k);
    let last = n.saturating_sub(n % threads.max(1));
    let mut edges: Vec<usize> = powers
        .chain(blocks)
        .chain([n / 2, last, n])
        .flat_map(|i| [i.saturating_sub(1), i, i + 1])
        .filter(|i| *i < n)
        .collect();
    edges.sort_unstable();
    edges.dedup();
    edges
}

/// Dot products that fit in one block.
pub(crate) fn small_dots(run: &Run) -> Result<()> {
    for row in run.rows(DOTS) {
        let n = run.options().n.unwrap_or(if (row.takes)(1000) { 1000 } else { 1024 });
        // The case reports a size that does not fit; its launch must be a valid one.
        let threads = if (row.takes)(n) { n as u32 } else { 1 };
        reduce(run, row, Op::Dot.name(), Op::Dot, launch_1d(1, threads), &Arrays::new(run, n))?;
    }
    Ok(())
}

/// The wrong variants, on a few blocks with a partial last one: enough to go wrong, and the same on every device.
pub(crate) fn wrong(run: &Run) -> Result<()> {
    let n = run.options().n.unwrap_or((1 << 16) + 5).min(1 << 20);
    let input = Arrays::new(run, n);
    for row in run.rows(WRONG) {
        reduce(run, row, Op::Sum.name(), Op::Sum, row.launch, &input)?;
    }
    Ok(())
}

/// The wave effect: the same work on grids of 1/4 to 8 waves.
pub(crate) fn waves_of(run: &Run, input: &Arrays) -> Result<()> {
    if !run.wants("waves") || (run.is_emulated() && run.options().variants.is_empty()) {
        return Ok(()); // Emulated times show no waves; rows named by the user are checked anyway.
    }
    let (row, threads) = (&WAVES[0], run.threads(256));
    run.check_launch(launch_1d(1, threads))?;
    let kernel = run.function(row.file, &row.kernel(Op::Sum, threads))?;
    let resident = kernel.occupancy_max_active_blocks_per_multiprocessor(threads, 0, None)?.max(1);
    let wave = run.session().device.multiprocessors * resident;
    let grids = [wave.div_ceil(4), wave.div_ceil(2), wave - 1, wave, wave + 1, wave + wave / 2, 2 * wave, 2 * wave + 1];
    for blocks in grids.into_iter().chain([3 * wave, 4 * wave, 8 * wave]).filter(|b| *b > 0) {
        reduce(run, row, &format!("sum, {blocks} blocks"), Op::Sum, launch_1d(blocks, threads), input)?;
    }
    Ok(())
}
