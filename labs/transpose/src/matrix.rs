//! The rows that transpose a matrix.
use cudarc::driver::{LaunchConfig, PushKernelArg};
use harness::{Case, Check, Error, Input, Result, Row, Run, Tolerance, launch_1d};

use crate::counting::{Count, Tile, naive};
use crate::measured::{compare, describe};
use crate::{TRANSPOSES, reference};

/// How a kernel goes over the matrix.
#[derive(Debug, Clone, Copy)]
pub enum Turning {
    /// An element a thread: the kernel.
    Naive(&'static str),
    /// Through tiles: the kernel and its tile.
    Tiled(&'static str, Tile),
    /// A wrong kernel, and the rows and columns that a block of 32 x 8 threads takes.
    Wrong(&'static str, (u32, u32)),
    /// A candidate: rows, columns, threads.
    Tune(&'static str, (u32, u32, u32)),
}

/// The shape of a matrix: m rows of n floats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Rows.
    pub m: usize,
    /// Columns.
    pub n: usize,
}

/// The kernels count rows and columns in 32 bits and add a tile to them.
const LARGEST_SIDE: usize = (1 << 31) - 1;

impl Shape {
    /// Its floats.
    pub fn floats(self) -> usize {
        self.m * self.n
    }
}

impl std::fmt::Display for Shape {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}x{}", self.m, self.n)
    }
}

/// The shapes of the run: the one that was asked for, otherwise the device's defaults. Impossible ones are refused.
pub(crate) fn shapes(run: &Run) -> Result<Vec<Shape>> {
    let (m, n) = (run.args().get_one::<usize>("m").copied(), run.options().n);
    let shapes = match (m.or(n), n.or(m)) {
        (Some(m), Some(n)) => vec![Shape { m, n }],
        _ if run.options().quick => vec![Shape { m: 70, n: 50 }],
        _ if run.is_emulated() => {
            run.say(
                "transpose: 512x512 and 257x131 here (emulated device); 8192x8192, 8193x8191 and 32002x2050 on a GPU",
            );
            vec![Shape { m: 512, n: 512 }, Shape { m: 257, n: 131 }]
        }
        _ => vec![Shape { m: 8192, n: 8192 }, Shape { m: 8193, n: 8191 }, Shape { m: 32002, n: 2050 }],
    };
    for shape in &shapes {
        for (side, value) in [("m", shape.m), ("n", shape.n)] {
            if value == 0 || value > LARGEST_SIDE {
                return Err(Error::Usage(format!(
                    "--{side} is {value}; a matrix has 1 to {LARGEST_SIDE} rows and columns here"
                )));
            }
        }
        let bytes = shape.m.checked_mul(shape.n).and_then(|floats| floats.checked_mul(2 * size_of::<f32>()));
        run.needs(bytes, &format!("two matrices of {shape} floats"), "--m or --n")?;
    }
    Ok(shapes)
}

impl Turning {
    /// The file and the name of the kernel.
    pub fn kernel(self) -> (&'static str, &'static str) {
        match self {
            Self::Naive(kernel) | Self::Tiled(kernel, _) => ("transpose.cu", kernel),
            Self::Wrong(kernel, _) => ("wrong.cu", kernel),
            Self::Tune(kernel, _) => ("tune.cu", kernel),
        }
    }

    /// The launch for a shape.
    ///
    /// # Errors
    /// When the matrix has more tiles than a grid has blocks.
    pub fn launch(self, shape: Shape) -> Result<LaunchConfig> {
        let (m, n) = (shape.m as u32, shape.n as u32);
        let grid = |columns: u32, rows: u32, (x, y): (u32, u32)| LaunchConfig {
            grid_dim: (columns.div_ceil(x), rows.div_ceil(y), 1),
            block_dim: (32, 8, 1),
            shared_mem_bytes: 0,
        };
        let line = |rows: u32, columns: u32, threads| {
            let tiles = u64::from(m.div_ceil(rows)) * u64::from(n.div_ceil(columns));
            let blocks = u32::try_from(tiles).map_err(|_| Error::usage(format!("{shape} has too many tiles")))?;
            Ok(launch_1d(blocks, threads))
        };
        match self {
            Self::Naive("naive_write") => Ok(grid(m, n, (32, 8))),
            Self::Naive(_) => Ok(grid(n, m, (32, 8))),
            Self::Tiled(_, Tile { is_wide: true, edge, .. }) => line(edge as u32, edge as u32, 256),
            Self::Tiled(..) => Ok(grid(n, m, (32, 32))),
            Self::Wrong(_, (rows, columns)) => Ok(grid(n, m, (columns, rows))),
            Self::Tune(_, (rows, columns, threads)) => line(rows, columns, threads),
        }
    }

    /// What the kernel touches, by arithmetic; `None` where it is wrong.
    pub fn count(self, shape: Shape) -> Option<Count> {
        let (m, n) = (shape.m as u64, shape.n as u64);
        match self {
            Self::Naive("naive_write") => {
                let [stores, loads] = naive(n, m);
                Some(Count { loads, stores, conflicts: 0 })
            }
            Self::Naive(_) => {
                let [loads, stores] = naive(m, n);
                Some(Count { loads, stores, conflicts: 0 })
            }
            Self::Tiled(_, tile) => Some(tile.count(m, n)),
            Self::Wrong(..) | Self::Tune(..) => None,
        }
    }
}

/// Every chosen transpose of a matrix of `shape`; `copied` is the rate of the driver's copy in GB/s.
pub(crate) fn run(run: &Run, shape: Shape, copied: Option<f64>) -> Result<()> {
    let input = run.input(|| run.inputs("matrix").f32(shape.floats(), -1.0..1.0));
    // The answer is made once, when a row first asks for it.
    let expected = std::cell::OnceCell::new();
    for row in run.rows(TRANSPOSES) {
        if matches!(row.with, Turning::Tune(..)) && shape.m > 20000 {
            continue;
        }
        let expected = || expected.get_or_init(|| reference::transpose(input.host(), shape.n)).as_slice();
        one(run, row, shape, &input, &expected, copied)?;
    }
    Ok(())
}

fn one<'e>(
    run: &Run,
    row: &Row<Turning>,
    shape: Shape,
    input: &Input<'_, f32>,
    expected: &dyn Fn() -> &'e [f32],
    copied: Option<f64>,
) -> Result<()> {
    let ((file, kernel), launch) = (row.with.kernel(), row.with.launch(shape)?);
    let case = Case::new(row.name()).label(shape.to_string()).n(shape.n).work(5 * shape.floats() as u64);
    run.case(case.kernel(file, kernel).launch(launch), |case| {
        let bytes = 2 * shape.floats() * size_of::<f32>();
        describe(case, shape, bytes);
        let (stream, function, from, expected) = (run.stream(), case.kernel()?, input.device()?, expected());
        // SAFETY: poisoned before each sample, and read only after the kernel.
        let mut out = unsafe { stream.alloc::<f32>(shape.floats()) }?;
        let (m, n) = (shape.m as u32, shape.n as u32);
        let times = case.time(
            &mut out,
            |out| {
                let mut builder = stream.launch_builder(&function);
                builder.arg(from).arg(out).arg(&m).arg(&n);
                // SAFETY: these are the kernels' parameters, and both matrices have m n floats.
                unsafe { builder.launch(launch) }?;
                Ok(())
            },
            |out| Check::compare(out, expected, Tolerance::EXACT).in_rows(shape.m),
        )?;
        case.set("percent_of_device_copy", copied.map(|copied| bytes as f64 / times.median / 1e4 / copied));
        row.with.count(shape).map_or(Ok(()), |count| compare(run, case, kernel, count))
    })?;
    Ok(())
}
