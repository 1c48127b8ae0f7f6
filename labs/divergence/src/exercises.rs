//! The exercises: each kernel with its launch, its data, its branches, and the texts' statements about them.
use cudarc::driver::LaunchConfig;
use harness::launch_1d;

use crate::{
    counting::{self, At, Count, covering},
    reference as cpu,
};

/// Lanes of a warp of the devices that run the exercises.
pub(crate) const WARP: u32 = 32;

/// A row of the exercises' table.
#[derive(Debug, Clone, Copy)]
pub struct Exercising {
    /// Makes its launches, with their data and their answers.
    pub make: fn() -> Vec<Exercise>,
    /// Whether `--quick` leaves the row out.
    pub is_large: bool,
}

pub(crate) const fn small(make: fn() -> Vec<Exercise>) -> Exercising {
    Exercising { make, is_large: false }
}

pub(crate) const fn large(make: fn() -> Vec<Exercise>) -> Exercising {
    Exercising { make, is_large: true }
}

/// One launch of one kernel.
#[derive(Debug)]
pub struct Exercise {
    /// Distinguishes it from the variant's other cases.
    pub case: String,
    /// The launch.
    pub launch: LaunchConfig,
    /// Input arrays, in the order of the kernel's parameters.
    pub inputs: Vec<Vec<f32>>,
    /// The content of the output array before the launch: poison, unless the kernel adds to it.
    pub before: Vec<f32>,
    /// The required content of the output array after the launch, bit for bit.
    pub after: Vec<f32>,
    /// The integer parameters, after the arrays.
    pub integers: Vec<i32>,
    /// The branches, in the order in which the kernel numbers them.
    pub branches: Vec<Branch>,
}

/// One `if` or loop of an exercise.
#[derive(Debug)]
pub struct Branch {
    /// The condition that it tests.
    pub name: &'static str,
    /// The counts by arithmetic.
    pub count: Count,
    /// A text's statement about it.
    pub published: Option<Published>,
    /// The reason for the counts.
    pub why: &'static str,
}

/// A text's statement about a branch, right or wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Published {
    /// The text, and the place in it.
    pub text: &'static str,
    /// Warps of the launch.
    pub warps: u64,
    /// Those that diverge.
    pub diverged: u64,
}

/// States that in `text`, `diverged` of `warps` warps diverge.
pub(crate) const fn says(text: &'static str, warps: u64, diverged: u64) -> Published {
    Published { text, warps, diverged }
}

impl Exercise {
    fn new(case: &str, launch: LaunchConfig, inputs: &[&[f32]], after: Vec<f32>, integers: &[i32]) -> Self {
        let inputs = inputs.iter().map(|input| input.to_vec()).collect();
        let (before, integers, branches) = (vec![cpu::UNWRITTEN; after.len()], integers.to_vec(), Vec::new());
        Self { case: case.into(), launch, inputs, before, after, integers, branches }
    }

    /// Adds the kernel's next branch; `way` gives the way that each thread takes.
    fn branch(
        mut self,
        name: &'static str,
        way: impl Fn(At) -> Option<i64>,
        published: impl Into<Option<Published>>,
        why: &'static str,
    ) -> Self {
        let count = counting::count(self.launch, WARP, way);
        self.branches.push(Branch { name, count, published: published.into(), why });
        self
    }
}

pub(crate) fn picture() -> Vec<Exercise> {
    let picture = |(width, height, published, why): (u32, u32, Option<Published>, &'static str)| {
        let (case, launch) = (format!("{width}x{height}, 16x16"), covering([width, height, 1], [16, 16, 1]));
        let input = cpu::digits((width * height) as usize);
        let bounds = counting::bounds(width.into(), height.into());
        let sides = [width as i32, height as i32];
        Exercise::new(&case, launch, &[&input], cpu::doubled(&input), &sides).branch("bounds", bounds, published, why)
    };
    let [first, third, fourth] = ["PoliMi, exercise 4, Q1 and Q2", "PoliMi, exercise 4, Q3", "PoliMi, exercise 4, Q4"];
    let cut = "the last column of blocks has 7 of 16 columns, which splits all its 400 warps; 50 is for 800x599";
    let corner = "400 warps in the last column of blocks, and 37 more in the last row; 300 is for 799x600";
    [
        (800, 600, says(first, 15200, 0).into(), "600 is a multiple of the 2 rows of a warp, 800 of its 16 columns"),
        (599, 800, says(third, 15200, 50).into(), cut),
        (600, 799, says(fourth, 15200, 300).into(), corner),
        (800, 599, None, "the last row splits each of the 50 warps that hold it"),
        (799, 600, None, "the last column splits one warp for each two rows"),
    ]
    .map(picture)
    .into()
}

pub(crate) fn vecadd() -> Vec<Exercise> {
    let input = cpu::digits(1000);
    let vecadd = Exercise::new("n=1000, 4x256", launch_1d(4, 256), &[&input, &input], cpu::doubled(&input), &[1000]);
    let published = says("PoliMi, exercise 5, Q1 and Q2", 32, 1);
    let why = "the last warp: 8 of its 32 lanes have an element";
    vec![vecadd.branch("bound", counting::bound(1000), published, why)]
}

/// One of the three kernels for even and odd elements. It takes both, or, if `only` is 0 or 1, only those of that
/// parity.
fn by_parity(case: &str, launch: LaunchConfig, only: Option<usize>) -> Exercise {
    let input = cpu::counting_up(1000);
    Exercise::new(case, launch, &[&input], cpu::even_odd(&input, only), &[1000])
}

pub(crate) fn even_odd() -> Vec<Exercise> {
    let data = "the element is its index here: only the first warp has some on each side of 16";
    let every = "neighbours go different ways, in every warp";
    vec![
        by_parity("n=1000, 4x256", launch_1d(4, 256), None)
            .branch("bound", counting::bound(1000), None, "the tail")
            .branch("even or odd", counting::parity(1000), says("PoliMi, exercise 6, Q1", 32, 32), every)
            .branch("data", counting::data_test(1000, 16), None, data),
    ]
}

pub(crate) fn even() -> Vec<Exercise> {
    let even = by_parity("n=1000, 16x32", launch_1d(16, 32), Some(0));
    vec![even.branch("bound", counting::strided_bound(1000, 0), None, "the tail")]
}

pub(crate) fn odd() -> Vec<Exercise> {
    let data = "the element is its index here: only the first warp has some on each side of 16";
    vec![
        by_parity("n=1000, 16x32", launch_1d(16, 32), Some(1))
            .branch("bound", counting::strided_bound(1000, 1), None, "the tail")
            .branch("data", counting::data_test_strided(1000, 16), None, data),
    ]
}

pub(crate) fn max_next() -> Vec<Exercise> {
    let input = cpu::digits(1024);
    let published = says("PoliMi, exercise 7", 32, 1);
    let why = "only the last warp has windows that are cut off";
    vec![
        Exercise::new("n=1024, 4x256", launch_1d(4, 256), &[&input], cpu::max_next(&input), &[1024])
            .branch("bound", counting::bound(1024), None, "as many threads as elements")
            .branch("window", counting::next_16(1024, 0), published, why),
    ]
}

pub(crate) fn max_next_3d() -> Vec<Exercise> {
    let (launch, input) = (covering([64; 3], [32, 4, 4]), cpu::digits(64 * 64 * 64));
    let uniform = "a warp is 32 threads along x: all have the same y and z";
    vec![
        Exercise::new("n=64, 32x4x4", launch, &[&input], cpu::max_next_3d(&input, 64), &[64])
            .branch("along x", counting::next_16(64, 0), None, "every other warp lies at the end of its row")
            .branch("along y", counting::next_16(64, 1), None, uniform)
            .branch("along z", counting::next_16(64, 2), None, uniform),
    ]
}

pub(crate) fn average() -> Vec<Exercise> {
    let input = cpu::digits(4096);
    let why = "one warp of each of the 16 blocks";
    vec![
        Exercise::new("n=4096, 16x256", launch_1d(16, 256), &[&input], cpu::average_5(&input), &[4096])
            .branch("left halo", counting::halo_left(2), None, why)
            .branch("right halo", counting::halo_right(2, 256), None, why),
    ]
}

pub(crate) fn matmul() -> Vec<Exercise> {
    // The bound depends only on row and column, so a product of small depth shows as much.
    const DEPTH: usize = 8;
    let (m, n) = (cpu::digits(1000 * DEPTH), cpu::digits(DEPTH * 1000));
    let (launch, after) = (covering([1000, 1000, 1], [16, 16, 1]), cpu::product(&m, &n, 1000, DEPTH, 0, DEPTH));
    let why = "column 1000 cuts the last block's rows in half; row 1000 falls between warps";
    vec![Exercise::new("1000x1000, 16x16", launch, &[&m, &n], after, &[1000, DEPTH as i32]).branch(
        "bounds",
        counting::bounds(1000, 1000),
        None,
        why,
    )]
}

pub(crate) fn loop_parity() -> Vec<Exercise> {
    let input = cpu::digits(1024 + 7);
    let parity = Exercise::new("n=1024, 4x256", launch_1d(4, 256), &[&input], cpu::parity_sums(&input), &[]);
    vec![parity.branch("loop", counting::loop_parity(), None, "even lanes leave, odd ones stay")]
}

/// Steps of a sum or scan in one block of 1024: for each step the stride, the number of diverging warps according to
/// `text`, and the reason.
fn steps<W: Fn(At) -> Option<i64>>(
    text: &'static str,
    elements: usize,
    reference: fn(&[f32], usize) -> Vec<f32>,
    name: &'static str,
    way: impl Fn(i64) -> W,
    strides: &[(usize, u64, &'static str)],
) -> Vec<Exercise> {
    let input = cpu::digits(elements);
    let step = |&(stride, diverged, why): &(usize, u64, &'static str)| {
        let case = format!("{elements} elements, stride {stride}");
        Exercise::new(&case, launch_1d(1, 1024), &[&input], reference(&input, stride), &[stride as i32; 2]).branch(
            name,
            way(stride as i64),
            says(text, 32, diverged),
            why,
        )
    };
    strides.iter().map(step).collect()
}

pub(crate) fn interleaved() -> Vec<Exercise> {
    let strides = [
        (1, 0, "every thread adds"),
        (16, 32, "every 16th thread adds: 2 lanes of each warp, while 30 sit by"),
        (64, 16, "every 64th thread adds: one lane of every other warp, none of the rest"),
    ];
    steps("PoliMi, exercise 11", 2048, cpu::interleaved_step, "t % stride == 0", counting::interleaved, &strides)
}

pub(crate) fn sequential() -> Vec<Exercise> {
    let strides =
        [(64, 0, "threads 0 to 63 add: two whole warps"), (16, 1, "threads 0 to 15 add: half of the first warp")];
    steps("PoliMi, exercise 12", 2048, cpu::sequential_step, "t < stride", counting::sequential, &strides)
}

pub(crate) fn brent_kung() -> Vec<Exercise> {
    let strides = [(16, 0, "(t + 1) * 32 - 1 < 2048 in threads 0 to 63: two whole warps")];
    let way = |stride| counting::brent_kung(stride, 2048);
    steps("PoliMi, exercise 13", 2048, cpu::brent_kung_step, "index < 2048", way, &strides)
}

pub(crate) fn kogge_stone() -> Vec<Exercise> {
    let strides = [
        (16, 1, "all but threads 0 to 15 add: half of the first warp"),
        (64, 0, "all but threads 0 to 63 add: all but two whole warps"),
    ];
    steps("PoliMi, exercise 14", 1024, cpu::kogge_stone_step, "t >= stride", counting::kogge_stone, &strides)
}

pub(crate) fn tiled() -> Vec<Exercise> {
    let launch = covering([100, 100, 1], [16, 16, 1]);
    let (m, n) = (cpu::digits(100 * 100), cpu::digits(100 * 100));
    let upto = |phase: i64| cpu::product(&m, &n, 100, 100, 0, phase as usize * 16);
    let why_m = "the last phase has 4 columns of M; row 100 falls between warps";
    let why_n = "the last blocks have 4 columns of N; the last phase 4 rows, which are 2 warps";
    let phase = |phase: i64| {
        let case = format!("100x100, tile 16, phase {phase}");
        let exercise = Exercise::new(&case, launch, &[&m, &n], upto(phase + 1), &[100, phase as i32])
            .branch("loads of M", counting::tile_m(100, 16, phase), None, why_m)
            .branch("loads of N", counting::tile_n(100, 16, phase), None, why_n)
            .branch("bounds of P", counting::bounds(100, 100), None, "column 100 cuts 50 warps' rows");
        Exercise { before: upto(phase), ..exercise }
    };
    (0..7).map(phase).collect()
}
