//! The rows of the experiment: each way to multiply matrices of one shape, checked against the CPU's product in f64.
use cudarc::driver::{CudaFunction, CudaSlice, CudaStream, LaunchConfig, PushKernelArg, sys::CUresult};
use harness::{Case, CaseContext, Check, Error, Result, Row, Run, launch_1d};

use crate::{
    Arithmetic, Bf16, Cut, Element, HOPPER, Hopper, LIBRARY, MATVEC, MISFITS, NARROW, Plan, RUNGS, Rung, Shape,
    blas::Blas,
    float,
    hopper::Ready,
    problem::{Problem, tera},
    rectangular,
    rung::Misfit,
    shape,
};

/// Launches a rung's kernel: C = A B, or C += A B if [`Rung::adds`].
///
/// # Errors
/// The driver's errors.
///
/// # Safety
/// The matrices are of the shape that `plan` was made for.
pub unsafe fn launch<T: Element>(
    stream: &CudaStream,
    function: &CudaFunction,
    rung: &Rung,
    plan: Plan,
    (a, b, c): (&CudaSlice<T>, &CudaSlice<T>, &mut CudaSlice<f32>),
    shape: Shape,
) -> Result<()> {
    let (m, k, n) = (shape.m as u32, shape.k as u32, shape.n as u32);
    let mut builder = stream.launch_builder(function);
    builder.arg(a).arg(b).arg(c).arg(&m).arg(&k).arg(&n);
    if rung.adds {
        builder.arg(&plan.slice);
    }
    // SAFETY: these are the kernel's parameters; the caller vouches for the shape.
    unsafe { builder.launch(plan.launch) }?;
    Ok(())
}

/// Every chosen way to multiply matrices of `shape`: those of floats, then those of bfloat16, which are other matrices.
pub(crate) fn products(run: &Run, shape: Shape) -> Result<()> {
    let is_narrow = |arithmetic: Arithmetic| arithmetic.element_bytes() == size_of::<Bf16>();
    let any = |narrow: bool| {
        run.rows(LIBRARY).any(|row| is_narrow(row.with) == narrow)
            || run.rows(HOPPER).any(|row| is_narrow(row.arithmetic) == narrow)
    };
    if any(false) || run.rows(RUNGS).next().is_some() || run.rows(MISFITS).next().is_some() {
        let mut problem = Problem::<f32>::new(run, shape, ["A", "B"])?;
        let cublas = library(run, &mut problem, |arithmetic| !is_narrow(arithmetic))?;
        for row in run.rows(RUNGS) {
            product(run, row, &mut problem, &cublas)?;
        }
        for row in run.rows(HOPPER).filter(|row| !is_narrow(row.arithmetic)) {
            on_hopper(run, row, &mut problem, &cublas)?;
        }
        for row in run.rows(MISFITS) {
            misfit(run, row, &mut problem)?;
        }
    }
    if any(true) || run.rows(NARROW).next().is_some() {
        let mut problem = Problem::<Bf16>::new(run, shape, ["A", "B"])?;
        let cublas = library(run, &mut problem, is_narrow)?;
        for row in run.rows(NARROW) {
            product(run, row, &mut problem, &cublas)?;
        }
        for row in run.rows(HOPPER).filter(|row| is_narrow(row.arithmetic)) {
            on_hopper(run, row, &mut problem, &cublas)?;
        }
    }
    Ok(())
}

/// A rate of cuBLAS, with the arithmetic that it was measured with.
type Rate = (Arithmetic, f64);

/// The cuBLAS baseline for `arithmetic`. Split-precision variants, which keep a float's accuracy, are compared with
/// floats.
fn rate_of(rates: &[Rate], arithmetic: Arithmetic) -> Option<f64> {
    let peer = arithmetic.peer();
    rates.iter().find(|(with, _)| *with == peer).map(|(_, rate)| *rate)
}

/// NVIDIA's library, for the rows whose arithmetic is `wanted`. It comes first, because it is the baseline of the
/// others.
fn library<T: Element>(run: &Run, problem: &mut Problem<T>, wanted: impl Fn(Arithmetic) -> bool) -> Result<Vec<Rate>> {
    let (shape, mut rates) = (problem.shape, Vec::new());
    for row in run.rows(LIBRARY).filter(|row| wanted(row.with)) {
        run.case(Case::new(row.name()).label(shape.to_string()).n(shape.n), |case| {
            // A skipped row also records what it would have multiplied.
            problem.describe(case);
            let blas = Blas::open(run, row.with == Arithmetic::Tf32)?;
            let times = problem.measure(run, case, row.with, None, |abc| blas.multiply(abc, shape))?;
            rates.push((row.with, tera(shape, times)));
            Ok(())
        })?;
    }
    Ok(rates)
}

/// A rung that only Hopper runs.
fn on_hopper<T: Element>(run: &Run, row: &Row<Hopper>, problem: &mut Problem<T>, cublas: &[Rate]) -> Result<()> {
    let (shape, multiprocessors) = (problem.shape, run.session().device.multiprocessors);
    let rung = match (row.with.cut, run.count("slices")) {
        (Cut::Even { .. }, Some(shares)) => float::even(shape, shares),
        _ => row.with.fitting(shape, multiprocessors),
    };
    let launch = rung.launch(shape, multiprocessors).map_err(Error::Usage)?;
    let case = Case::new(row.name()).label(shape.to_string()).n(shape.n).work(shape.flop() / 2);
    let case = case.kernel(rung.file, rung.kernel);
    // On another device there is no launch that could be checked: the row is skipped there, because it has no kernel.
    let is_hopper = run.session().device.compute_capability == (9, 0);
    run.case(if is_hopper { case.launch(launch) } else { case }, |case| {
        let mut ready = Ready::new(run, case, &rung, shape, [&problem.a, &problem.b])?;
        ready.also().for_each(|words| case.note(words));
        let peer = rate_of(cublas, rung.arithmetic);
        problem.measure(run, case, rung.arithmetic, peer, |abc| ready.multiply(run, abc)).map(drop)
    })?;
    Ok(())
}

/// A launch that does not fit. It is not set in the case, so that the driver refuses it.
fn misfit(run: &Run, row: &Row<Misfit>, problem: &mut Problem<f32>) -> Result<()> {
    let (shape, rung) = (problem.shape, row.rung);
    let [grid_dim, block_dim] = (row.launch)(shape);
    run.case(Case::new(row.name()).label(shape.to_string()).n(shape.n).kernel(rung.file, rung.kernel), |case| {
        let launch_config = LaunchConfig { grid_dim, block_dim, shared_mem_bytes: rung.shared_bytes };
        let plan = Plan { launch: launch_config, slice: shape.k as u32, clears: false };
        let function = case.kernel()?;
        let words = |(x, y, z): (u32, u32, u32)| format!("{x} x {y} x {z}");
        let threads = block_dim.0 * block_dim.1 * block_dim.2;
        case.note(format!("a grid of {}, blocks of {} = {threads} threads", words(grid_dim), words(block_dim)));
        let multiplied = problem.measure(run, case, rung.arithmetic, None, |abc| {
            // SAFETY: the matrices are of this shape, and threads outside of it do nothing.
            unsafe { launch(run.stream(), &function, &rung, plan, abc, shape) }
        });
        match multiplied {
            Err(Error::Driver(error)) if error.0 == CUresult::CUDA_ERROR_INVALID_VALUE => {
                case.check(Check::that(false, "the driver refuses the launch"));
                Ok(())
            }
            other => other.map(drop),
        }
    })?;
    Ok(())
}

fn product<T: Element>(run: &Run, row: &Row<Rung>, problem: &mut Problem<T>, cublas: &[Rate]) -> Result<()> {
    let shape = problem.shape;
    let rung = match row.kernel {
        "rectangular" => rectangular(run.count("tile").unwrap_or(row.tile.0)),
        _ => row.with,
    };
    let multiprocessors = run.session().device.multiprocessors;
    let slices = run.count("slices").unwrap_or_else(|| rung.slices_for(shape, multiprocessors));
    let plan = rung.plan(shape, slices).map_err(Error::Usage)?;
    let case = Case::new(row.name()).label(shape.to_string()).n(shape.n).work(shape.flop() / 2);
    run.case(case.kernel(rung.file, rung.kernel).launch(plan.launch), |case| {
        let loads = rung.loads(shape);
        case.set("load_floats", loads as f64);
        case.set("load_fold", RUNGS[0].loads(shape) as f64 / loads as f64);
        let sectors = rung.sectors(shape);
        if let Some((sectors, naive)) = sectors.zip(RUNGS[0].sectors(shape)) {
            case.set("load_sectors", sectors as f64);
            case.set("sector_fold", naive as f64 / sectors as f64);
        }
        let function = case.kernel()?;
        if rung.adds {
            let slices = plan.launch.grid_dim.2;
            case.note(format!("{slices} slices of {}", plan.slice));
        }
        if rung.stream > 0 {
            case.note(format!("{} shares", plan.launch.grid_dim.0));
        }
        if plan.clears {
            case.note("clearing C is timed too");
        }
        let peer =
            rate_of(cublas, Arithmetic::Float).filter(|_| size_of::<T>() == 4).or(rate_of(cublas, rung.arithmetic));
        problem.measure(run, case, rung.arithmetic, peer, |(a, b, c)| {
            if plan.clears {
                run.stream().memset_zeros(c)?;
            }
            // SAFETY: the plan and the matrices are of this shape.
            unsafe { launch(run.stream(), &function, &rung, plan, (a, b, c), shape) }
        })?;
        count(run, case, &rung, shape)
    })?;
    Ok(())
}

/// Compares the machine's counts of loads and sectors with the arithmetic. A GPU does not count, so nothing is compared
/// there.
fn count(run: &Run, case: &mut CaseContext<'_>, rung: &Rung, shape: Shape) -> Result<()> {
    let launches = case.machine()?.launches.iter().filter(|launch| launch.kernel == rung.kernel);
    let (mut count, mut bytes, mut sectors) = (0.0, 0.0, 0.0);
    for traffic in launches.map(|launch| launch.counters.totals.global_loads) {
        (count, bytes, sectors) = (count + 1.0, bytes + traffic.bytes as f64, sectors + traffic.sectors as f64);
    }
    if bytes == 0.0 {
        return Ok(());
    }
    let (floats, sectors) = (bytes / count / rung.arithmetic.element_bytes() as f64, sectors / count);
    case.set("counted_load_floats", floats);
    case.set("counted_load_sectors", sectors);
    // A kernel file of the user's may have any number of loads.
    if run.options().kernel.is_none() {
        let asked = rung.sectors(shape).map(|right| (sectors, right, "sectors"));
        for (counted, right, what) in [Some((floats, rung.loads(shape), "floats")), asked].into_iter().flatten() {
            let words = format!("loads {counted} {what} from global memory, should be {right}");
            case.check(Check::that(counted == right as f64, words));
        }
    }
    Ok(())
}

/// The ways to multiply a matrix by a vector.
pub(crate) fn matvec(run: &Run) -> Result<()> {
    let shape = shape::of_vector(run);
    let Shape { m, k, .. } = shape;
    let mut problem = Problem::<f32>::new(run, shape, ["A", "x"])?;
    for row in run.rows(MATVEC) {
        let (kernel, rows_of_a_block) = row.with;
        let launch = launch_1d(m.div_ceil(rows_of_a_block) as u32, 256);
        let case = Case::new(row.name()).label(format!("{m}x{k}")).n(k).kernel("matvec.cu", kernel).launch(launch);
        run.case(case, |case| {
            case.reads(shape.bytes().unwrap_or_default());
            let function = case.kernel()?;
            problem.measure(run, case, Arithmetic::Float, None, |(a, x, y)| {
                let (m, k) = (m as u32, k as u32);
                let mut builder = run.stream().launch_builder(&function);
                builder.arg(a).arg(x).arg(y).arg(&m).arg(&k);
                // SAFETY: these are the kernel's parameters, and A is m x k, x of k, y of m elements.
                unsafe { builder.launch(launch) }?;
                Ok(())
            })?;
            Ok(())
        })?;
    }
    Ok(())
}
