//! The experiment: every rung at every shape, checked against the CPU's product in f64.
use std::sync::Arc;

use cudarc::driver::sys::CUfunction_attribute_enum::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
use cudarc::driver::{CudaFunction, CudaSlice, CudaStream, LaunchConfig, PushKernelArg};
use harness::{Case, Check, Error, Recorder, Result, Run, Sizes, launch_1d, poison};

use crate::answer::Answer;
use crate::blas::Blas;
use crate::ladder::{Arithmetic, Plan, RUNGS, Rung, Shape, rectangular, rung};

/// TFLOP/s that one H200 gave in a peers' run: the text's kernels and cuBLAS, at square sizes.
const PEERS: [(&str, usize, f64); 11] = [
    ("naive", 1024, 5.101),
    ("naive", 4096, 5.434),
    ("tiled16", 1024, 7.663),
    ("tiled16", 4096, 8.074),
    ("tiled32", 1024, 8.777),
    ("tiled32", 4096, 8.576),
    ("cublas", 1024, 33.29),
    ("cublas", 4096, 51.08),
    ("cublas", 8192, 51.06),
    ("cublas-tf32", 4096, 411.4),
    ("cublas-tf32", 8192, 450.0),
];

/// As [`PEERS`], for 1000 x 500 x 700: 0.1491 ms with tiles of 10, and 0.0219 ms.
const PEERS_RECTANGULAR: [(&str, f64); 2] = [
    ("rectangular", 7.0e8 / 0.1491e-3 / 1e12),
    ("cublas", 7.0e8 / 0.0219e-3 / 1e12),
];

/// The text's own rectangular shape.
const RECTANGULAR: Shape = Shape {
    m: 1000,
    k: 500,
    n: 700,
};

fn peer(variant: &str, shape: Shape) -> Option<f64> {
    if shape == RECTANGULAR {
        return PEERS_RECTANGULAR
            .iter()
            .find(|(v, _)| *v == variant)
            .map(|(_, rate)| *rate);
    }
    PEERS
        .iter()
        .find(|(v, n, _)| *v == variant && Shape::square(*n) == shape)
        .map(|(_, _, rate)| *rate)
}

/// The shapes of the run: one, if any side was given; else the device's defaults.
fn shapes(run: &Run) -> Vec<Shape> {
    let side = |name| run.args().get_one::<usize>(name).copied();
    let (m, k, n) = (side("m"), side("k"), run.options().n);
    if let Some(any) = n.or(m).or(k) {
        return vec![Shape {
            m: m.unwrap_or(any),
            k: k.unwrap_or(any),
            n: n.unwrap_or(any),
        }];
    }
    if run.options().quick {
        return vec![Shape {
            m: 50,
            k: 40,
            n: 30,
        }];
    }
    if run.is_emulated() {
        run.say("matmul: 256x256x256 and 130x65x70 here (emulated device); 1000x500x700, 1023x1021x1019 and 4096x4096x4096 on a GPU");
        return vec![
            Shape::square(256),
            Shape {
                m: 130,
                k: 65,
                n: 70,
            },
        ];
    }
    vec![
        RECTANGULAR,
        Shape {
            m: 1023,
            k: 1021,
            n: 1019,
        },
        Shape::square(4096),
    ]
}

/// One shape's matrices on the device, and the right answer.
struct Problem {
    shape: Shape,
    a: CudaSlice<f32>,
    b: CudaSlice<f32>,
    c: CudaSlice<f32>,
    answer: Answer,
    /// C on the host, and the last one found right in this row: an equal one is right too, which is seen far faster.
    host: Vec<f32>,
    right: Option<(Vec<f32>, Check)>,
}

impl Problem {
    fn new(run: &Run, shape: Shape) -> Result<Self> {
        let bytes = shape.bytes().ok_or_else(|| {
            Error::usage(format!(
                "matrices of {shape} have more bytes than can be counted; choose a smaller --n"
            ))
        })?;
        let (free, _) = run.session().context.mem_get_info()?;
        if bytes > free {
            return Err(Error::usage(format!(
                "matrices of {shape} need {bytes} bytes, but the device has {free} free; choose smaller --m, --k or --n"
            )));
        }
        let (a, b) = (
            run.inputs("A").f32(shape.m * shape.k, -1.0..1.0),
            run.inputs("B").f32(shape.k * shape.n, -1.0..1.0),
        );
        let stream = run.stream();
        Ok(Self {
            shape,
            answer: Answer::new(&a, &b, shape, run.options().seed),
            host: vec![0.0; shape.m * shape.n],
            right: None,
            a: stream.clone_htod(&a)?,
            b: stream.clone_htod(&b)?,
            // SAFETY: poisoned before each sample, and read only after the kernel.
            c: unsafe { stream.alloc(shape.m * shape.n) }?,
        })
    }

    fn check(&mut self, stream: &Arc<CudaStream>, arithmetic: Arithmetic) -> Result<Check> {
        stream.memcpy_dtoh(&self.c, &mut self.host)?;
        stream.synchronize()?;
        if let Some((right, check)) = &self.right
            && *right == self.host
        {
            return Ok(check.clone());
        }
        let check = self.answer.check(&self.host, arithmetic);
        if check.passed() {
            self.right = Some((self.host.clone(), check.clone()));
        }
        Ok(check)
    }
}

/// The kernel of a rung, ready to launch; what stands in its way on this device is a reason to skip.
///
/// # Errors
/// [`Error::Skip`] when the device is too old for the kernel's instructions, or has too little shared memory a block.
fn load(run: &Run, rung: &Rung) -> Result<CudaFunction> {
    let device = &run.session().device;
    let function = run.function(rung.file, rung.kernel).map_err(|e| match e {
        Error::Kernel(kernels::Error::TooNew { .. }) => Error::Skip(e.to_string()),
        // The newest instructions are more than the machine has to know.
        Error::Module { .. }
            if run.is_emulated() && rung.file != "matmul.cu" && rung.file != "ladder.cu" =>
        {
            Error::Skip(e.to_string())
        }
        other => other,
    })?;
    if rung.shared_bytes > device.shared_bytes_per_block {
        if rung.shared_bytes > device.shared_bytes_per_block_optin {
            return Err(Error::Skip(format!(
                "needs {} bytes of shared memory a block, {} allows {}",
                rung.shared_bytes, device.name, device.shared_bytes_per_block_optin
            )));
        }
        function.set_attribute(
            CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
            rung.shared_bytes as i32,
        )?;
    }
    Ok(function)
}

/// Launches a rung's kernel: C = A B, or C += A B where [`Rung::adds`].
///
/// # Errors
/// The driver's.
///
/// # Safety
/// The matrices are of the shape that `plan` was made for.
pub unsafe fn launch(
    stream: &CudaStream,
    function: &CudaFunction,
    rung: &Rung,
    plan: Plan,
    (a, b, c): (&CudaSlice<f32>, &CudaSlice<f32>, &mut CudaSlice<f32>),
    shape: Shape,
) -> Result<()> {
    let (m, k, n) = (shape.m as u32, shape.k as u32, shape.n as u32);
    let mut builder = stream.launch_builder(function);
    builder.arg(a).arg(b).arg(c).arg(&m).arg(&k).arg(&n);
    if rung.adds {
        builder.arg(&plan.slice);
    }
    // SAFETY: these are the kernels' parameters; the shape is the caller's promise.
    unsafe { builder.launch(plan.launch) }?;
    Ok(())
}

pub(crate) fn run(run: &Run) -> Result<()> {
    let matrices =
        RUNGS.iter().any(|r| run.wants(r.name)) || run.wants("cublas") || run.wants("cublas-tf32");
    if matrices {
        for shape in shapes(run) {
            // Refused before matrices are made that cannot be multiplied.
            RUNGS[0].plan(shape, 1).map_err(Error::Usage)?;
            let mut problem = Problem::new(run, shape)?;
            let cublas = cublas(run, &mut problem)?;
            for rung in RUNGS {
                one(run, &rung, &mut problem, cublas)?;
            }
        }
        traffic(run);
    }
    matvec(run)
}

/// The columns that every row of a product has.
fn describe(run: &Run, case: &mut Recorder<'_>, variant: &str, shape: Shape) {
    case.set("m", shape.m);
    case.set("k", shape.k);
    case.flop(shape.flop());
    if !run.is_emulated() && run.session().device.name.contains("H200") {
        case.set("peer_tflop_per_s", peer(variant, shape));
    }
}

/// Says how far a result may lie from the answer, and how much of it is compared when that is not all.
fn bound(case: &mut Recorder<'_>, answer: &Answer, arithmetic: Arithmetic) {
    case.set("error_bound", answer.tolerance(arithmetic).absolute);
    if let Some(partly) = answer.partly() {
        case.note(partly);
    }
}

/// Sets the rate in TFLOP/s, on a GPU.
fn rate(run: &Run, case: &mut Recorder<'_>, shape: Shape, median_ms: f64, cublas: Option<f64>) {
    if run.is_emulated() || median_ms <= 0.0 {
        return;
    }
    let rate = shape.flop() as f64 / median_ms / 1e9;
    case.set("tflop_per_s", rate);
    case.set("percent_of_cublas", cublas.map(|c| 100.0 * rate / c));
}

/// The library's rows; returns its rate in float in TFLOP/s, where there is one.
fn cublas(run: &Run, problem: &mut Problem) -> Result<Option<f64>> {
    let mut rates = [None; 2];
    for (variant, arithmetic, rate_of) in [
        ("cublas", Arithmetic::Float, 0),
        ("cublas-tf32", Arithmetic::Tf32, 1),
    ] {
        let shape = problem.shape;
        run.case(
            Case::new(variant).label(shape.to_string()).n(shape.n),
            |case| {
                describe(run, case, variant, shape);
                problem.right = None;
                let blas = Blas::open(run, arithmetic == Arithmetic::Tf32)?;
                bound(case, &problem.answer, arithmetic);
                let times = case.measure(
                    problem,
                    |p| poison(run, &mut p.c),
                    |p| blas.multiply(&p.a, &p.b, &mut p.c, shape),
                    |p| p.check(run.stream(), arithmetic),
                )?;
                rate(run, case, shape, times.median, None);
                rates[rate_of] = Some(shape.flop() as f64 / times.median / 1e9);
                Ok(())
            },
        )?;
    }
    Ok(rates[0])
}

fn one(run: &Run, rung: &Rung, problem: &mut Problem, cublas: Option<f64>) -> Result<()> {
    let shape = problem.shape;
    let rung = if rung.name == "rectangular" {
        rectangular(*run.args().get_one("tile").unwrap_or(&10))
    } else {
        *rung
    };
    let slices = run.args().get_one::<u32>("slices").copied();
    let slices =
        slices.unwrap_or_else(|| rung.slices_for(shape, run.session().device.multiprocessors));
    let plan = rung.plan(shape, slices).map_err(Error::Usage)?;
    let case = Case::new(rung.name)
        .label(shape.to_string())
        .n(shape.n)
        .launch(plan.launch);
    run.case(case, |case| {
        describe(run, case, rung.name, shape);
        let loads = rung.loads(shape);
        case.set("load_floats", loads as f64);
        case.set("load_fold", RUNGS[0].loads(shape) as f64 / loads as f64);
        problem.right = None;
        let function = load(run, &rung)?;
        bound(case, &problem.answer, rung.arithmetic);
        if rung.adds {
            case.note(format!(
                "{} slices of {}; clearing C is timed too",
                plan.launch.grid_dim.2, plan.slice
            ));
        }
        let times = case.measure(
            problem,
            |p| poison(run, &mut p.c),
            |p| {
                if rung.adds {
                    run.stream().memset_zeros(&mut p.c)?;
                }
                // SAFETY: the plan and the matrices are of this shape.
                unsafe {
                    launch(
                        run.stream(),
                        &function,
                        &rung,
                        plan,
                        (&p.a, &p.b, &mut p.c),
                        shape,
                    )
                }
            },
            |p| p.check(run.stream(), rung.arithmetic),
        )?;
        rate(run, case, shape, times.median, cublas);
        count(run, case, &rung, loads);
        Ok(())
    })?;
    Ok(())
}

/// Compares the machine's count of what was loaded with the arithmetic; nothing on a GPU, which does not count.
fn count(run: &Run, case: &mut Recorder<'_>, rung: &Rung, loads: u128) {
    let (mut bytes, mut launches) = (0.0, 0.0);
    for launch in &case.machine().launches {
        if launch.kernel == rung.kernel {
            bytes += launch
                .counter("/totals/global_loads/bytes")
                .unwrap_or_default();
            launches += 1.0;
        }
    }
    if bytes == 0.0 {
        return;
    }
    let counted = bytes / launches / size_of::<f32>() as f64;
    case.set("counted_load_floats", counted);
    // A kernel of the user's own may load what it likes.
    if run.options().kernel.is_none() {
        case.check(Check::that(
            counted == loads as f64,
            format!("loads {counted} floats from global memory, should be {loads}"),
        ));
    }
}

/// Says how much each rung loads from global memory, beside the first one.
fn traffic(run: &Run) {
    let shape = Shape::square(4096);
    let naive = RUNGS[0].loads(shape);
    run.say("Loads from global memory for 4096x4096x4096, by arithmetic:");
    for rung in RUNGS {
        let loads = rung.loads(shape);
        run.say(&format!(
            "  {:<16} {:>8.2} G floats, {:>4.0} times fewer than naive (tile {} x {})",
            rung.name,
            loads as f64 / 1e9,
            naive as f64 / loads as f64,
            if rung.shares { rung.tile_m } else { 1 },
            if rung.shares { rung.tile_n } else { 1 },
        ));
    }
}

/// The launch of a matrix-vector kernel for `rows` rows: a thread a row, or a warp a row.
pub fn matvec_launch(variant: &str, rows: u32) -> LaunchConfig {
    let rows_each = if variant == "matvec" { 256 / 32 } else { 256 };
    launch_1d(rows.div_ceil(rows_each), 256)
}

fn matvec(run: &Run) -> Result<()> {
    if !run.wants("matvec") && !run.wants("matvec-naive") {
        return Ok(());
    }
    let side = |name| run.args().get_one::<usize>(name).copied();
    let given = run.options().n.or(side("m")).or(side("k"));
    let (m, k) = if let Some(any) = given {
        (side("m").unwrap_or(any), side("k").unwrap_or(any))
    } else {
        let side = |gpu, emulated, quick| {
            run.pick(Sizes {
                gpu,
                emulated,
                quick,
            })
        };
        (side(8192, 1000, 60), side(8192, 500, 50))
    };
    let shape = Shape { m, k, n: 1 };
    RUNGS[0].plan(shape, 1).map_err(Error::Usage)?;
    let mut problem = Problem::new(run, shape)?;
    for variant in ["matvec-naive", "matvec"] {
        let launch = matvec_launch(variant, m as u32);
        run.case(
            Case::new(variant)
                .label(format!("{m}x{k}"))
                .n(k)
                .launch(launch),
            |case| {
                describe(run, case, variant, shape);
                case.bytes(shape.bytes().unwrap_or_default());
                problem.right = None;
                let function = run.function("matvec.cu", &variant.replace('-', "_"))?;
                bound(case, &problem.answer, Arithmetic::Float);
                let times = case.measure(
                    &mut problem,
                    |p| poison(run, &mut p.c),
                    |p| {
                        let (m, k) = (m as u32, k as u32);
                        let mut builder = run.stream().launch_builder(&function);
                        builder.arg(&p.a).arg(&p.b).arg(&mut p.c).arg(&m).arg(&k);
                        // SAFETY: these are the kernel's parameters, and A is m x k, x of k, y of m elements.
                        unsafe { builder.launch(launch) }?;
                        Ok(())
                    },
                    |p| p.check(run.stream(), Arithmetic::Float),
                )?;
                rate(run, case, shape, times.median, None);
                Ok(())
            },
        )?;
    }
    Ok(())
}

/// What the arithmetic must give: each is a row of its own, under the variant that it is about.
pub(crate) fn exercises(run: &Run) -> Result<()> {
    let fold = |name: &str| -> u64 {
        let (naive, tiled) = (RUNGS[0], rung(name).unwrap_or(RUNGS[0]));
        (naive.loads(Shape::square(4096)) / tiled.loads(Shape::square(4096))) as u64
    };
    let questions: [(&str, &str, u64, u64); 6] = [
        (
            "naive",
            "loads from global memory for one element at k = 1000",
            2000,
            RUNGS[0].loads(Shape {
                m: 1,
                k: 1000,
                n: 1,
            }) as u64,
        ),
        (
            "tiled16",
            "a tile of 16 cuts the loads how many fold?",
            16,
            fold("tiled16"),
        ),
        ("tiled32", "a tile of 32?", 32, fold("tiled32")),
        ("register-2d", "a tile of 128?", 128, fold("register-2d")),
        (
            "tiled32",
            "bytes of shared memory of a block with two float tiles of 32 x 32",
            8192,
            u64::from(rectangular(32).shared_bytes),
        ),
        (
            "rectangular",
            "blocks for 1000x500x700 with tiles of 10",
            7000,
            {
                let plan = rectangular(10).plan(RECTANGULAR, 1).map_err(Error::Usage)?;
                u64::from(plan.launch.grid_dim.0) * u64::from(plan.launch.grid_dim.1)
            },
        ),
    ];
    for (variant, question, expected, obtained) in questions {
        run.case(Case::new(variant).label(question), |case| {
            case.note(format!("expected {expected}, obtained {obtained}"));
            case.check(Check::equal(&[obtained], &[expected]));
            Ok(())
        })?;
    }
    Ok(())
}
