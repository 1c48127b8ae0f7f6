//! The experiment: every method on every operation, the waves, and the host's orders of summation.
use std::cell::OnceCell;

use cudarc::driver::CudaSlice;
use harness::{Case, Check, Error, Result, Run, Sizes, Tolerance, launch_1d};

use crate::{
    Grid, Method, Op, Reducer, Shape, data,
    reference::{self, Reference, reference},
    waves,
};

/// GB/s of one H200 at 2^30 floats: the textbook kernels of these two names, and CUB's
/// `DeviceReduce::Sum` beside the fastest.
const PUBLISHED: [(Method, f64); 3] = [
    (Method::Sequential, 1148.0),
    (Method::Shuffle, 1605.0),
    (Method::Vectorized, 4624.0),
];

/// Where the host's float sums stop: a serial sum is slow, and 2^26 shows all there is to see.
const HOST_MOST: usize = 1 << 26;

pub(crate) fn run(run: &Run) -> Result<()> {
    let n = size(run)?;
    let ops = ops(run);
    let input = Input::new(run, n);
    for &op in &ops {
        for method in Method::ANY_N {
            if run.wants(method.name()) {
                let case = Case::new(method.name()).label(op.name()).n(n);
                let shape = run.unless_missing(case, shape(run, method, op, n))?;
                if let Some(shape) = shape {
                    reduce(run, method.name(), op.name(), method, op, shape, &input)?;
                }
            }
        }
    }
    if ops.contains(&Op::Dot) {
        small_dots(run)?;
    }
    if ops.contains(&Op::Sum) {
        wrong(run)?;
        sweep(run, &input)?;
        host_orders(run, &input)?;
    }
    Ok(())
}

fn ops(run: &Run) -> Vec<Op> {
    let chosen: Vec<&String> = run.args().get_many("op").into_iter().flatten().collect();
    let wanted = |op: &Op| chosen.is_empty() || chosen.iter().any(|c| *c == op.name());
    Op::ALL.into_iter().filter(wanted).collect()
}

/// n for this device: 2^30, or less where two such arrays and a third to probe with would fill more
/// than half of the memory.
fn size(run: &Run) -> Result<usize> {
    let total = run.session().device.total_bytes;
    let mut gpu = 1usize << 30;
    while gpu as u64 * 3 * 4 > total / 2 && gpu > 1 << 20 {
        gpu /= 2;
    }
    let n = run.size(Sizes {
        gpu,
        emulated: 1 << 18,
        quick: 1 << 12,
    });
    let needed = (n as u64).checked_mul(3 * 4);
    if needed.is_none_or(|bytes| bytes > total) {
        return Err(Error::usage(format!(
            "{n} floats, twice and once more to probe with, do not fit the {:.1} GiB of {}; choose a smaller --n",
            total as f64 / f64::from(1 << 30),
            run.session().device.name
        )));
    }
    Ok(n)
}

/// The input arrays, made and copied to the device when first asked for.
struct Input<'r> {
    run: &'r Run,
    n: usize,
    host: [OnceCell<Vec<f32>>; 2],
    device: [OnceCell<CudaSlice<f32>>; 2],
    references: [OnceCell<Reference>; 3],
}

impl<'r> Input<'r> {
    fn new(run: &'r Run, n: usize) -> Self {
        Self {
            run,
            n,
            host: Default::default(),
            device: Default::default(),
            references: Default::default(),
        }
    }

    fn host(&self, array: usize) -> &[f32] {
        let seed = self.run.options().seed;
        self.host[array].get_or_init(|| data::uniform(seed, ["x", "y"][array], self.n))
    }

    fn device(&self, array: usize) -> Result<&CudaSlice<f32>> {
        let cell = &self.device[array];
        if cell.get().is_none() {
            let copy = self.run.stream().clone_htod(self.host(array))?;
            let _ = cell.set(copy);
        }
        Ok(cell.get().expect("set above"))
    }

    fn reference(&self, op: Op) -> Reference {
        let y = if op == Op::Dot { self.host(1) } else { &[] };
        *self.references[op as usize].get_or_init(|| reference(op, self.host(0), y))
    }
}

/// The grid of `method`: what n asks for, or, for a striding grid, `--blocks` or one wave.
fn shape(run: &Run, method: Method, op: Op, n: usize) -> Result<Shape> {
    let threads = run.options().threads.unwrap_or(match method.grid() {
        Grid::Stride => 256,
        Grid::NThreads => n as u32,
        _ => run.session().device.max_threads_per_block.min(1024),
    });
    run.session().device.check_launch(launch_1d(1, threads))?;
    let blocks = match (method.grid(), run.options().blocks) {
        (Grid::Stride, Some(blocks)) => blocks,
        (Grid::Stride, None) => {
            let most = u32::try_from(n.div_ceil(threads as usize)).unwrap_or(u32::MAX);
            one_wave(run, method, op, threads)?.min(most).max(1)
        }
        _ => 1,
    };
    let shape = Shape::of(method, n, threads, blocks).ok_or_else(|| {
        Error::usage(format!(
            "{n} elements need more blocks of {threads} threads than any grid has; choose larger --threads"
        ))
    })?;
    if let (Grid::TwoPerThread, Some(given)) = (method.grid(), run.options().blocks)
        && given < shape.blocks
    {
        return Err(Error::usage(format!(
            "{given} blocks of {threads} threads at two elements a thread are too few for {n} elements; \
                 use --blocks {} or more, or none to have them counted",
            shape.blocks
        )));
    }
    Ok(shape)
}

/// Multiprocessors times the blocks that one holds at once.
fn one_wave(run: &Run, method: Method, op: Op, threads: u32) -> Result<u32> {
    Ok(run.session().device.multiprocessors * resident(run, method, op, threads)?)
}

fn resident(run: &Run, method: Method, op: Op, threads: u32) -> Result<u32> {
    let (file, kernel) = method.kernel(op);
    let function = run.function(file, &kernel)?;
    let shared = method.shared_bytes(threads) as usize;
    Ok(function
        .occupancy_max_active_blocks_per_multiprocessor(threads, shared, None)?
        .max(1))
}

/// One row: `method` on `op`, timed, each sample's result checked against the f64 reference.
fn reduce(
    run: &Run,
    variant: &str,
    label: &str,
    method: Method,
    op: Op,
    shape: Shape,
    input: &Input,
) -> Result<()> {
    let n = input.n;
    let mut launch = launch_1d(shape.blocks, shape.threads);
    launch.shared_mem_bytes = method.shared_bytes(shape.threads);
    let case = Case::new(variant).label(label).n(n).launch(launch);
    run.case(case, |case| {
        if let Err(reason) = Reducer::fits(method, n) {
            let asked = run.options().variants.iter().any(|v| v == variant);
            return Err(if asked {
                Error::usage(reason)
            } else {
                Error::Skip(reason)
            });
        }
        let load = |file: &str, kernel: &str| run.function(file, kernel);
        let reducer = Reducer::new(run.stream(), method, op, n, shape, load)?;
        let x = input.device(0)?;
        let y = input.device(usize::from(op == Op::Dot))?;
        let reference = input.reference(op);
        let tolerance = tolerance(method, op, n, shape, reference);
        case.bytes(op.arrays() * size_of::<f32>() * n);
        case.flop(op.flop(n));
        let mut buffers = reducer.buffers()?;
        let mut result = f64::NAN;
        case.measure(
            &mut buffers,
            |b| Ok(reducer.poison(b)?),
            |b| Ok(reducer.launch(x, y, b)?),
            |b| {
                result = reducer.result(b)?;
                Ok(Check::scalar(op.name(), result, reference.value, tolerance))
            },
        )?;
        if op == Op::Sum && method != Method::StrideBlockdim {
            case.check(probe(run, &reducer, &mut buffers, n, shape)?);
        }
        case.set("result", result);
        case.set("f64_reference", reference.value);
        if op != Op::Max {
            let relative = (result - reference.value).abs() / reference.magnitude;
            case.set("relative_error", relative);
            case.set("longest_chain", method.longest_chain(op, n, shape));
        }
        if method.grid() == Grid::Stride {
            let resident = resident(run, method, op, shape.threads)?;
            let sms = run.session().device.multiprocessors;
            case.set("waves", waves(shape.blocks, sms, resident));
        }
        let published = PUBLISHED
            .iter()
            .find(|(m, _)| *m == method && op == Op::Sum);
        if let Some((_, rate)) = published.filter(|_| !run.is_emulated() && n >> 30 == 1) {
            case.set("published_gb_per_s", *rate);
        }
        Ok(())
    })?;
    Ok(())
}

/// How far a result may lie from the reference: the bound of the method's longest chain of roundings,
/// and the reference's own.
fn tolerance(method: Method, op: Op, n: usize, shape: Shape, reference: Reference) -> Tolerance {
    let chain = method.longest_chain(op, n, shape);
    let epsilon = if method.in_double(op) {
        f64::EPSILON
    } else {
        f64::from(f32::EPSILON)
    };
    let kernel = Tolerance::sum(chain, reference.magnitude, epsilon);
    let own = Tolerance::sum(reference.roundings, reference.magnitude, f64::EPSILON);
    Tolerance {
        absolute: kernel.absolute + own.absolute,
        relative: 0.0,
    }
}

/// A float sum of many elements hides a lost one in its rounding. So sums zeros with ones at the
/// places where index arithmetic goes wrong first: their number must come out exactly.
fn probe(
    run: &Run,
    reducer: &Reducer,
    buffers: &mut crate::Buffers,
    n: usize,
    shape: Shape,
) -> Result<Check> {
    let stream = run.stream();
    let mut x = stream.alloc_zeros::<f32>(n.max(1))?;
    let edges = data::edges(n, shape.threads);
    for &i in &edges {
        stream.memcpy_htod(&[1.0f32], &mut x.slice_mut(i..=i))?;
    }
    reducer.poison(buffers)?;
    reducer.launch(&x, &x, buffers)?;
    let count = reducer.result(buffers)?;
    Ok(Check::scalar(
        "ones among zeros",
        count,
        edges.len(),
        Tolerance::EXACT,
    ))
}

/// Dot products that fit one block.
fn small_dots(run: &Run) -> Result<()> {
    for (method, default) in [(Method::DotPow2, 1024), (Method::Dot1024, 1000)] {
        let n = run.options().n.unwrap_or(default);
        let input = Input::new(run, n);
        // A size that does not fit is the case's to report; its launch must be one that can be.
        let fits = Reducer::fits(method, n).is_ok();
        let threads = if fits { n as u32 } else { 1 };
        let shape = Shape { blocks: 1, threads };
        let label = Op::Dot.name();
        reduce(run, method.name(), label, method, Op::Dot, shape, &input)?;
    }
    Ok(())
}

/// The wrong variants, on a few full blocks: enough to go wrong, and the same on every device.
fn wrong(run: &Run) -> Result<()> {
    let threads = run.options().threads.unwrap_or(1024);
    let n = run.options().n.unwrap_or(1 << 16).min(1 << 20);
    let input = Input::new(run, n);
    for method in [Method::StrideBlockdim, Method::NoBarrier] {
        let shape = Shape::of(method, n, threads, 1).expect("n is small");
        reduce(
            run,
            method.name(),
            Op::Sum.name(),
            method,
            Op::Sum,
            shape,
            &input,
        )?;
    }
    Ok(())
}

/// The wave effect: the same work on grids of 1/4 to 8 waves.
fn sweep(run: &Run, input: &Input) -> Result<()> {
    if !run.wants("waves") || (run.is_emulated() && run.options().variants.is_empty()) {
        return Ok(()); // An emulated time shows no waves; asked for by name, the rows are checked all the same.
    }
    let method = Method::Vectorized;
    let threads = run.options().threads.unwrap_or(256);
    run.session().device.check_launch(launch_1d(1, threads))?;
    let wave = one_wave(run, method, Op::Sum, threads)?;
    let grids = [
        wave.div_ceil(4),
        wave.div_ceil(2),
        wave - 1,
        wave,
        wave + 1,
        wave + wave / 2,
        2 * wave,
        2 * wave + 1,
        3 * wave,
        4 * wave,
        8 * wave,
    ];
    for blocks in grids.into_iter().filter(|b| *b > 0) {
        let label = format!("sum, {blocks} blocks");
        let shape = Shape { blocks, threads };
        reduce(run, "waves", &label, method, Op::Sum, shape, input)?;
    }
    Ok(())
}

/// A sum in float on the host.
type HostSum = fn(&[f32]) -> f32;

/// What order alone does to a float sum, on the host.
fn host_orders(run: &Run, input: &Input) -> Result<()> {
    if !run.wants("host-orders") {
        return Ok(());
    }
    let n = input.n.min(HOST_MOST);
    let x = &input.host(0)[..n];
    let reference = reference(Op::Sum, x, &[]);
    let halvings = n.next_power_of_two().ilog2() as usize;
    // Kahan's bound is 2u + O(n u^2) (Higham, section 4.3); the second term is what n adds here.
    let orders: [(&str, HostSum, usize); 3] = [
        ("one after another", reference::serial, n.saturating_sub(1)),
        ("by halves", reference::pairwise, halvings),
        ("compensated", reference::kahan, 4 + (n >> 20)),
    ];
    for (label, sum, chain) in orders {
        let label = format!("sum, {label}");
        run.case(Case::new("host-orders").label(label).n(n), |case| {
            let result = f64::from(sum(x));
            let bound = Tolerance::sum(chain, reference.magnitude, f64::from(f32::EPSILON));
            case.check(Check::scalar("sum", result, reference.value, bound));
            case.set("result", result);
            case.set("f64_reference", reference.value);
            let relative = (result - reference.value).abs() / reference.magnitude;
            case.set("relative_error", relative);
            case.set("longest_chain", chain);
            if bound.absolute.is_infinite() {
                case.note("n roundings in a row bound nothing here: any sum passes");
            }
            Ok(())
        })?;
    }
    Ok(())
}
