//! The rows of the experiment: each way to multiply matrices of one shape, checked against the CPU's product in f64.
use cudarc::driver::{CudaFunction, CudaSlice, CudaStream, LaunchConfig, PushKernelArg, sys::CUresult};
use harness::{Case, Check, Error, Result, Row, Run, Times, Trial, Uploaded, launch_1d};

use crate::{
    Arithmetic, LIBRARY, MATVEC, MISFITS, Plan, RUNGS, Rung, Shape, answer::Answer, blas::Blas, rectangular,
    rung::Misfit, shape,
};

/// A, B and C on the device.
pub(crate) type Matrices<'a> = (&'a CudaSlice<f32>, &'a CudaSlice<f32>, &'a mut CudaSlice<f32>);

/// One shape's matrices on the device, and the right answer.
struct Problem {
    shape: Shape,
    a: Uploaded<f32>,
    b: Uploaded<f32>,
    c: CudaSlice<f32>,
    answer: Answer,
}

impl Problem {
    /// The kernels call what is multiplied by these names.
    fn new(run: &Run, shape: Shape, names: [&str; 2]) -> Result<Self> {
        // Impossible sizes are refused before the matrices are made.
        shape.check().map_err(Error::Usage)?;
        run.needs(shape.bytes(), &format!("matrices of {shape}"), "--m, --k or --n")?;
        let a = run.inputs("A").f32(shape.m * shape.k, -1.0..1.0);
        let b = run.inputs("B").f32(shape.k * shape.n, -1.0..1.0);
        Ok(Self {
            shape,
            answer: Answer::new(&a, &b, shape, run.options().seed),
            a: run.upload(names[0], &a)?,
            b: run.upload(names[1], &b)?,
            // SAFETY: poisoned before each sample, and read only after the kernel.
            c: unsafe { run.stream().alloc(shape.m * shape.n) }?,
        })
    }

    /// Sets the columns that say what is multiplied.
    fn describe(&self, case: &mut Trial<'_>) {
        case.set("m", self.shape.m);
        case.set("k", self.shape.k);
        case.flop(self.shape.flop());
    }

    /// Times `multiply`, checks each product, and sets the columns that every row has.
    fn measure(
        &mut self,
        run: &Run,
        case: &mut Trial<'_>,
        arithmetic: Arithmetic,
        cublas: Option<f64>,
        mut multiply: impl FnMut(Matrices<'_>) -> Result<()>,
    ) -> Result<Times> {
        self.describe(case);
        case.set("error_bound", self.answer.tolerance(arithmetic).absolute);
        if let Some(partly) = self.answer.partly() {
            case.note(partly);
        }
        let Self { a, b, c, answer, .. } = self;
        let times = case.time(c, |c| multiply((a, b, c)), |c| answer.check(c, arithmetic))?;
        if !run.is_emulated() && times.median > 0.0 {
            let rate = tera(self.shape, times);
            case.set("tflop_per_s", rate);
            case.set("percent_of_cublas", cublas.map(|c| 100.0 * rate / c));
        }
        Ok(times)
    }
}

/// The rate in 10^12 operations per second.
fn tera(shape: Shape, times: Times) -> f64 {
    shape.flop() as f64 / times.median / 1e9
}

/// Launches a rung's kernel: C = A B, or C += A B where [`Rung::adds`].
///
/// # Errors
/// The driver's errors.
///
/// # Safety
/// The matrices are of the shape that `plan` was made for.
pub unsafe fn launch(
    stream: &CudaStream,
    function: &CudaFunction,
    rung: &Rung,
    plan: Plan,
    (a, b, c): Matrices<'_>,
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

/// Every chosen way to multiply matrices of `shape`. The library comes first, because the others are compared with it.
pub(crate) fn products(run: &Run, shape: Shape) -> Result<()> {
    let mut problem = Problem::new(run, shape, ["A", "B"])?;
    let mut float = None;
    for row in run.rows(LIBRARY) {
        run.case(Case::new(row.name()).label(shape.to_string()).n(shape.n), |case| {
            // A skipped row also says what it would have multiplied.
            problem.describe(case);
            let blas = Blas::open(run, row.with == Arithmetic::Tf32)?;
            let times = problem.measure(run, case, row.with, None, |abc| blas.multiply(abc, shape))?;
            if row.with == Arithmetic::Float {
                float = Some(tera(shape, times));
            }
            Ok(())
        })?;
    }
    for row in run.rows(RUNGS) {
        product(run, row, &mut problem, float)?;
    }
    for row in run.rows(MISFITS) {
        misfit(run, row, &mut problem)?;
    }
    Ok(())
}

/// A launch that does not fit. The case does not know it, so that the driver is the one to refuse it.
fn misfit(run: &Run, row: &Row<Misfit>, problem: &mut Problem) -> Result<()> {
    let (shape, rung) = (problem.shape, row.rung);
    let [grid_dim, block_dim] = (row.launch)(shape);
    run.case(Case::new(row.name()).label(shape.to_string()).n(shape.n).kernel(rung.file, rung.kernel), |case| {
        let launch_config = LaunchConfig { grid_dim, block_dim, shared_mem_bytes: rung.shared_bytes };
        let plan = Plan { launch: launch_config, slice: shape.k as u32 };
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

fn product(run: &Run, row: &Row<Rung>, problem: &mut Problem, cublas: Option<f64>) -> Result<()> {
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
            case.note(format!("{slices} slices of {}; clearing C is timed too", plan.slice));
        }
        problem.measure(run, case, rung.arithmetic, cublas, |(a, b, c)| {
            if rung.adds {
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
fn count(run: &Run, case: &mut Trial<'_>, rung: &Rung, shape: Shape) -> Result<()> {
    let launches = case.machine()?.launches.iter().filter(|launch| launch.kernel == rung.kernel);
    let (mut count, mut bytes, mut sectors) = (0.0, 0.0, 0.0);
    for traffic in launches.map(|launch| launch.counters.totals.global_loads) {
        (count, bytes, sectors) = (count + 1.0, bytes + traffic.bytes as f64, sectors + traffic.sectors as f64);
    }
    if bytes == 0.0 {
        return Ok(());
    }
    let (floats, sectors) = (bytes / count / size_of::<f32>() as f64, sectors / count);
    case.set("counted_load_floats", floats);
    case.set("counted_load_sectors", sectors);
    // A kernel of the user's own may load any number.
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
    let mut problem = Problem::new(run, shape, ["A", "x"])?;
    for row in run.rows(MATVEC) {
        let (kernel, rows_of_a_block) = row.with;
        let launch = launch_1d(m.div_ceil(rows_of_a_block) as u32, 256);
        let case = Case::new(row.name()).label(format!("{m}x{k}")).n(k).kernel("matvec.cu", kernel).launch(launch);
        run.case(case, |case| {
            case.bytes(shape.bytes().unwrap_or_default());
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
