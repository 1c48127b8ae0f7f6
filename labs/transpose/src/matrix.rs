//! The rows that transpose a matrix.
use std::cell::OnceCell;

use cudarc::driver::{LaunchConfig, PushKernelArg};
use harness::{Case, Error, Input, Inputs, Result, Row, Run, launch_1d};

use crate::counting::{Count, Tile, naive};
use crate::measured::{compare, describe, same};
use crate::{TRANSPOSES, reference};

/// The way in which a kernel covers the matrix.
#[derive(Debug, Clone, Copy)]
pub enum Turning {
    /// One element per thread: the kernel.
    Naive(&'static str),
    /// Through tiles: the kernel and its tile.
    Tiled(&'static str, Tile),
    /// A wrong kernel, with the rows and columns that a block of 32 x 8 threads takes.
    Wrong(&'static str, (u32, u32)),
    /// Through tiles, in groups of rows of tiles: the kernel, its threads, and its tile by the number of rows of the
    /// matrix.
    Grouped(&'static str, u32, fn(u64) -> Tile),
    /// For a thin matrix: the kernel, and the rows and columns that a block takes.
    Thin(&'static str, (u64, u64)),
    /// For any matrix, with stores by bulk copies: the kernel file, the kernel, and the tile's rows and columns, which
    /// may depend on m and n.
    Bulk(&'static str, &'static str, fn(u64, u64) -> (u64, u64)),
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
    /// The number of floats.
    pub fn floats(self) -> usize {
        self.m * self.n
    }
}

impl std::fmt::Display for Shape {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}x{}", self.m, self.n)
    }
}

/// The shapes of the run: the requested one, otherwise the device's defaults. Impossible ones are refused.
pub(crate) fn shapes(run: &Run) -> Result<Vec<Shape>> {
    let (m, n) = (run.args().get_one::<usize>("m").copied(), run.options().n);
    let shapes = match (m.or(n), n.or(m)) {
        (Some(m), Some(n)) => vec![Shape { m, n }],
        _ if run.options().quick => vec![Shape { m: 70, n: 50 }],
        _ if run.is_emulated() => {
            run.say("transpose: 512x512 and 257x131 here (emulated device); 8192x8192 and 8193x4095 on a GPU");
            vec![Shape { m: 512, n: 512 }, Shape { m: 257, n: 131 }]
        }
        _ => vec![Shape { m: 8192, n: 8192 }, Shape { m: 8193, n: 4095 }],
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
            Self::Grouped(kernel @ ("grouped_tall" | "grouped_wide"), ..) => ("tall.cu", kernel),
            Self::Naive(kernel) | Self::Tiled(kernel, _) | Self::Grouped(kernel, ..) => ("transpose.cu", kernel),
            Self::Wrong(kernel, _) => ("wrong.cu", kernel),
            Self::Thin(kernel, _) => ("thin.cu", kernel),
            Self::Bulk(file, kernel, _) => (file, kernel),
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
        let line = |(rows, columns): (u64, u64), threads| {
            let tiles = u64::from(m).div_ceil(rows) * u64::from(n).div_ceil(columns);
            let blocks = u32::try_from(tiles).map_err(|_| Error::usage(format!("{shape} has too many tiles")))?;
            Ok(launch_1d(blocks, threads))
        };
        match self {
            Self::Naive("naive_write") => Ok(grid(m, n, (32, 8))),
            Self::Naive(_) => Ok(grid(n, m, (32, 8))),
            Self::Tiled(_, Tile { is_wide: true, sides, .. }) => line(sides, 256),
            Self::Grouped(_, threads, tile) => line(tile(m.into()).sides, threads),
            Self::Thin(_, sides) => line(sides, 256),
            Self::Bulk(_, _, sides) => line(sides(m.into(), n.into()), 512),
            Self::Tiled(..) => Ok(grid(n, m, (32, 32))),
            Self::Wrong(_, (rows, columns)) => Ok(grid(n, m, (columns, rows))),
        }
    }

    /// The memory accesses of the kernel, by arithmetic; `None` if it is wrong, or if only the machine counts.
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
            Self::Grouped(_, _, tile) => Some(tile(m).count(m, n)),
            Self::Wrong(..) | Self::Thin(..) | Self::Bulk(..) => None,
        }
    }
}

/// The default groups of `grouped`, besides one of all rows of tiles.
const GROUPS: [u32; 1] = [8];

/// Runs every chosen transpose of a matrix of `shape`; `copied` is the rate of the driver's copy in GB/s. The wrong
/// ones are run only at the last of several shapes.
pub(crate) fn run(run: &Run, shape: Shape, copied: Option<f64>, is_last: bool) -> Result<()> {
    let seed = run.options().seed;
    let draw = |mut inputs: Inputs, n| inputs.f32(n, -1.0..1.0);
    let input = run.input("in", || Inputs::in_chunks(seed, "matrix", shape.floats(), draw));
    let problem = Problem { shape, input, expected: OnceCell::new(), copied };
    for row in run.rows(TRANSPOSES) {
        match row.with {
            Turning::Grouped(_, _, tile) => {
                let given = run.args().get_many::<u32>("group").map(|all| all.copied().collect());
                let all = shape.m.div_ceil(tile(shape.m as u64).sides.0 as usize) as u32;
                // A group of more rows of tiles than exist is the same as one of all.
                let groups: Vec<u32> =
                    given.unwrap_or_else(|| GROUPS.into_iter().filter(|group| *group < all).chain([all]).collect());
                for group in groups {
                    one(run, row, &problem, Some(group.min(all)))?;
                }
            }
            Turning::Wrong(..) if !is_last => {}
            _ => one(run, row, &problem, None)?,
        }
    }
    Ok(())
}

/// The matrix to transpose, and its baselines.
struct Problem<'r> {
    shape: Shape,
    input: Input<'r, f32>,
    expected: OnceCell<Vec<f32>>,
    copied: Option<f64>,
}

impl Problem<'_> {
    /// The answer, which is computed when a row first needs it.
    fn expected(&self) -> &[f32] {
        self.expected.get_or_init(|| reference::transpose(self.input.host(), self.shape.n))
    }
}

fn one(run: &Run, row: &Row<Turning>, problem: &Problem<'_>, group: Option<u32>) -> Result<()> {
    let shape = problem.shape;
    let ((file, kernel), launch) = (row.with.kernel(), row.with.launch(shape)?);
    let label = group.map_or_else(|| shape.to_string(), |group| format!("{shape}, groups of {group}"));
    let case = Case::new(row.name()).label(label).n(shape.n).work(5 * shape.floats() as u64);
    run.case(case.kernel(file, kernel).launch(launch), |case| {
        let bytes = 2 * shape.floats() * size_of::<f32>();
        describe(case, shape, bytes);
        case.set("group", group);
        let (stream, function, from) = (run.stream(), case.kernel()?, problem.input.device()?);
        let expected = problem.expected();
        // SAFETY: poisoned before each sample, and read only after the kernel.
        let mut out = unsafe { stream.alloc::<f32>(shape.floats()) }?;
        let (m, n) = (shape.m as u32, shape.n as u32);
        let times = case.time(
            &mut out,
            |out| {
                let mut builder = stream.launch_builder(&function);
                builder.arg(from).arg(out).arg(&m).arg(&n);
                if let Some(group) = &group {
                    builder.arg(group);
                }
                // SAFETY: these are the kernels' parameters, and both matrices have m n floats.
                unsafe { builder.launch(launch) }?;
                Ok(())
            },
            |out| same(out, expected).in_rows(shape.m),
        )?;
        case.set("percent_of_device_copy", problem.copied.map(|copied| bytes as f64 / times.median / 1e4 / copied));
        row.with.count(shape).map_or(Ok(()), |count| compare(run, case, kernel, count))
    })?;
    Ok(())
}
