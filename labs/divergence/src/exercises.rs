//! The exercises: each kernel with its launch, its data, its branches, and the published counts.
use crate::{
    counting::{self, Count, Launch},
    reference as cpu,
};

/// Lanes of a warp of the devices that run the exercises.
const WARP: u32 = 32;

/// One launch of one kernel.
pub struct Exercise {
    /// The lab's variant.
    pub variant: &'static str,
    /// What tells it from the variant's others.
    pub case: String,
    /// The kernel's name in `divergence.cu`, without `_plain` or `_counted`.
    pub kernel: &'static str,
    /// The launch.
    pub launch: Launch,
    /// Input arrays, in the order of the kernel's parameters.
    pub inputs: Vec<Vec<f32>>,
    /// What the output array holds before; poison where nothing is said.
    pub before: Option<Vec<f32>>,
    /// What it must hold after, to the bit.
    pub after: Vec<f32>,
    /// The integer parameters, after the arrays.
    pub integers: Vec<i32>,
    /// The branches that the kernel counts; [`Branch::index`] is their number in the kernel.
    pub branches: Vec<Branch>,
}

/// One `if` or loop of an exercise.
pub struct Branch {
    /// The first argument of its `taken(...)`.
    pub index: u32,
    /// What it asks.
    pub name: &'static str,
    /// What arithmetic says.
    pub count: Count,
    /// Warps and diverged ones that the course publishes.
    pub published: Option<[u64; 2]>,
    /// Why it is so.
    pub why: &'static str,
}

fn branch(index: u32, name: &'static str, count: Count, why: &'static str) -> Branch {
    Branch {
        index,
        name,
        count,
        published: None,
        why,
    }
}

impl Branch {
    fn published(mut self, warps: u64, diverged: u64) -> Self {
        self.published = Some([warps, diverged]);
        self
    }
}

/// Those of the variants that are `wanted`, in the order of the handout; `quick` leaves out the large ones.
pub fn all(quick: bool, wanted: impl Fn(&str) -> bool) -> Vec<Exercise> {
    let mut all = Vec::new();
    // Inputs and references are made only for what is wanted.
    let mut add = |variant: &str, exercise: &dyn Fn() -> Exercise| {
        if wanted(variant) {
            all.push(exercise());
        }
    };
    for (width, height, diverged, why) in [
        (
            800,
            600,
            0,
            "600 is a multiple of the 2 rows of a warp, 800 of its 16 columns",
        ),
        (
            800,
            599,
            50,
            "the last row splits each of the 50 warps that hold it",
        ),
        (
            799,
            600,
            300,
            "the last column splits one warp for each two rows",
        ),
    ] {
        add("picture", &|| picture(width, height, diverged, why));
    }
    add("vecadd", &vecadd);
    add("even-odd", &even_odd);
    add("even", &even);
    add("odd", &odd);
    add("max-next", &max_next);
    add("average", &average);
    add("loop-parity", &loop_parity);
    for (stride, diverged, why) in [
        (1, 0, "every thread adds"),
        (
            16,
            32,
            "every 16th thread adds: 2 lanes of each warp, while 30 sit by",
        ),
        (
            64,
            16,
            "every 64th thread adds: one lane of every other warp, none of the rest",
        ),
    ] {
        add("interleaved", &|| {
            let count = counting::interleaved(stride, Launch::line(1, 1024), WARP);
            let reference = cpu::interleaved_step;
            step(
                "interleaved",
                stride,
                2048,
                reference,
                "t % stride == 0",
                count,
                diverged,
                why,
            )
        });
    }
    for (stride, diverged, why) in [
        (64, 0, "threads 0 to 63 add: two whole warps"),
        (16, 1, "threads 0 to 15 add: half of the first warp"),
    ] {
        add("sequential", &|| {
            let count = counting::sequential(stride, Launch::line(1, 1024), WARP);
            let reference = cpu::sequential_step;
            step(
                "sequential",
                stride,
                2048,
                reference,
                "t < stride",
                count,
                diverged,
                why,
            )
        });
    }
    add("brent-kung", &|| {
        let count = counting::brent_kung(16, 2048, Launch::line(1, 1024), WARP);
        let why = "(t + 1) * 32 - 1 < 2048 in threads 0 to 63: two whole warps";
        let reference = cpu::brent_kung_step;
        step(
            "brent-kung",
            16,
            2048,
            reference,
            "index < 2048",
            count,
            0,
            why,
        )
    });
    for (stride, diverged, why) in [
        (16, 1, "all but threads 0 to 15 add: half of the first warp"),
        (
            64,
            0,
            "all but threads 0 to 63 add: all but two whole warps",
        ),
    ] {
        add("kogge-stone", &|| {
            let count = counting::kogge_stone(stride, Launch::line(1, 1024), WARP);
            let reference = cpu::kogge_stone_step;
            step(
                "kogge-stone",
                stride,
                1024,
                reference,
                "t >= stride",
                count,
                diverged,
                why,
            )
        });
    }
    for phase in 0..7 {
        add("tiled", &|| tiled(phase));
    }
    if !quick {
        add("max-next-3d", &max_next_3d);
        add("matmul", &matmul);
    }
    all
}

fn picture(width: u32, height: u32, diverged: u64, why: &'static str) -> Exercise {
    let launch = Launch::covering([width, height, 1], [16, 16, 1]);
    let input = cpu::digits((width * height) as usize);
    let count = counting::bounds(width.into(), height.into(), launch, WARP);
    Exercise {
        variant: "picture",
        case: format!("{width}x{height}, 16x16"),
        kernel: "picture",
        launch,
        after: cpu::doubled(&input),
        inputs: vec![input],
        before: None,
        integers: vec![width as i32, height as i32],
        branches: vec![branch(0, "bounds", count, why).published(15200, diverged)],
    }
}

fn vecadd() -> Exercise {
    let launch = Launch::line(4, 256);
    let input = cpu::digits(1000);
    let count = counting::bound(1000, launch, WARP);
    let why = "the last warp: 8 of its 32 lanes have an element";
    Exercise {
        variant: "vecadd",
        case: "n=1000, 4x256".into(),
        kernel: "vecadd",
        launch,
        after: cpu::doubled(&input),
        inputs: vec![input.clone(), input],
        before: None,
        integers: vec![1000],
        branches: vec![branch(0, "bound", count, why).published(32, 1)],
    }
}

fn even_odd() -> Exercise {
    let launch = Launch::line(4, 256);
    let input = cpu::counting_up(1000);
    let [bound, parity, data] = [
        counting::bound(1000, launch, WARP),
        counting::parity(1000, launch, WARP),
        counting::data_test(1000, 16, launch, WARP),
    ];
    Exercise {
        variant: "even-odd",
        case: "n=1000, 4x256".into(),
        kernel: "even_odd",
        launch,
        after: cpu::even_odd(&input, None),
        inputs: vec![input],
        before: None,
        integers: vec![1000],
        branches: vec![
            branch(0, "bound", bound, "the tail"),
            branch(
                1,
                "even or odd",
                parity,
                "neighbours go different ways, in every warp",
            )
            .published(32, 32),
            branch(
                2,
                "data",
                data,
                "the element is its index here: only the first warp has some on each side of 16",
            ),
        ],
    }
}

fn even() -> Exercise {
    let launch = Launch::line(16, 32);
    let input = cpu::counting_up(1000);
    let count = counting::strided_bound(1000, 0, launch, WARP);
    Exercise {
        variant: "even",
        case: "n=1000, 16x32".into(),
        kernel: "even",
        launch,
        after: cpu::even_odd(&input, Some(0)),
        inputs: vec![input],
        before: None,
        integers: vec![1000],
        branches: vec![branch(0, "bound", count, "the tail").published(16, 1)],
    }
}

fn odd() -> Exercise {
    let launch = Launch::line(16, 32);
    let input = cpu::counting_up(1000);
    let bound = counting::strided_bound(1000, 1, launch, WARP);
    let data = counting::data_test_strided(1000, 16, launch, WARP);
    Exercise {
        variant: "odd",
        case: "n=1000, 16x32".into(),
        kernel: "odd",
        launch,
        after: cpu::even_odd(&input, Some(1)),
        inputs: vec![input],
        before: None,
        integers: vec![1000],
        branches: vec![
            branch(
                0,
                "bound",
                bound,
                "the tail: one of the two that are published",
            )
            .published(16, 1),
            branch(1, "data", data, "the first warp: the other of the two").published(16, 1),
        ],
    }
}

fn max_next() -> Exercise {
    let launch = Launch::line(4, 256);
    let input = cpu::digits(1024);
    let bound = counting::bound(1024, launch, WARP);
    let window = counting::next_16(1024, 0, launch, WARP);
    Exercise {
        variant: "max-next",
        case: "n=1024, 4x256".into(),
        kernel: "max_next",
        launch,
        after: cpu::max_next(&input),
        inputs: vec![input],
        before: None,
        integers: vec![1024],
        branches: vec![
            branch(0, "bound", bound, "as many threads as elements"),
            branch(
                1,
                "window",
                window,
                "only the last warp has windows that are cut off",
            )
            .published(32, 1),
        ],
    }
}

fn max_next_3d() -> Exercise {
    let launch = Launch::covering([64; 3], [32, 4, 4]);
    let input = cpu::digits(64 * 64 * 64);
    let along = |axis| counting::next_16(64, axis, launch, WARP);
    let uniform = "a warp is 32 threads along x: all have the same y and z";
    Exercise {
        variant: "max-next-3d",
        case: "n=64, 32x4x4".into(),
        kernel: "max_next_3d",
        launch,
        after: cpu::max_next_3d(&input, 64),
        inputs: vec![input],
        before: None,
        integers: vec![64],
        branches: vec![
            branch(
                0,
                "along x",
                along(0),
                "every other warp lies at the end of its row",
            )
            .published(8192, 4096),
            branch(1, "along y", along(1), uniform).published(8192, 0),
            branch(2, "along z", along(2), uniform).published(8192, 0),
        ],
    }
}

fn average() -> Exercise {
    let launch = Launch::line(16, 256);
    let input = cpu::digits(4096);
    let left = counting::halo_left(2, launch, WARP);
    let right = counting::halo_right(2, launch, WARP);
    let why = "one warp a block, 16 blocks: half of the 32 that are published for both";
    Exercise {
        variant: "average",
        case: "n=4096, 16x256".into(),
        kernel: "average",
        launch,
        after: cpu::average_5(&input),
        inputs: vec![input],
        before: None,
        integers: vec![4096],
        branches: vec![
            branch(0, "left halo", left, why).published(128, 16),
            branch(1, "right halo", right, why).published(128, 16),
        ],
    }
}

fn matmul() -> Exercise {
    // The bound asks for row and column alone, so a product of little depth shows as much.
    const DEPTH: usize = 8;
    let launch = Launch::covering([1000, 1000, 1], [16, 16, 1]);
    let (m, n) = (cpu::digits(1000 * DEPTH), cpu::digits(DEPTH * 1000));
    let count = counting::bounds(1000, 1000, launch, WARP);
    let why = "column 1000 cuts the last block's rows in half; row 1000 falls between warps";
    Exercise {
        variant: "matmul",
        case: "1000x1000, 16x16".into(),
        kernel: "matmul",
        launch,
        after: cpu::product(&m, &n, 1000, DEPTH, 0, DEPTH),
        inputs: vec![m, n],
        before: None,
        integers: vec![1000, DEPTH as i32],
        branches: vec![branch(0, "bounds", count, why).published(31752, 500)],
    }
}

fn loop_parity() -> Exercise {
    let launch = Launch::line(4, 256);
    let input = cpu::digits(1024 + 7);
    let count = counting::loop_parity(launch, WARP);
    Exercise {
        variant: "loop-parity",
        case: "n=1024, 4x256".into(),
        kernel: "loop_parity",
        launch,
        after: cpu::parity_sums(&input),
        inputs: vec![input],
        before: None,
        integers: vec![],
        branches: vec![
            branch(0, "loop", count, "even lanes leave, odd ones stay").published(32, 32),
        ],
    }
}

/// One step of a sum or scan in one block of 1024.
#[allow(clippy::too_many_arguments)] // A row of the table, spelt out.
fn step(
    variant: &'static str,
    stride: i64,
    elements: usize,
    reference: fn(&[f32], usize) -> Vec<f32>,
    name: &'static str,
    count: Count,
    diverged: u64,
    why: &'static str,
) -> Exercise {
    let input = cpu::digits(elements);
    Exercise {
        variant,
        case: format!("{elements} elements, stride {stride}"),
        kernel: match variant {
            "interleaved" => "interleaved",
            "sequential" => "sequential",
            "brent-kung" => "brent_kung",
            _ => "kogge_stone",
        },
        launch: Launch::line(1, 1024),
        after: reference(&input, stride as usize),
        inputs: vec![input],
        before: None,
        integers: vec![stride as i32, stride as i32],
        branches: vec![branch(0, name, count, why).published(32, diverged)],
    }
}

fn tiled(phase: i64) -> Exercise {
    let launch = Launch::covering([100, 100, 1], [16, 16, 1]);
    let (m, n) = (cpu::digits(100 * 100), cpu::digits(100 * 100));
    let upto = |phase: i64| cpu::product(&m, &n, 100, 100, 0, phase as usize * 16);
    let (before, after) = (upto(phase), upto(phase + 1));
    let of_m = counting::tile_m(100, 16, phase, launch, WARP);
    let of_n = counting::tile_n(100, 16, phase, launch, WARP);
    let of_p = counting::bounds(100, 100, launch, WARP);
    let (m_diverged, n_diverged) = if phase < 6 { (0, 56) } else { (350, 14) };
    let why_m = "the last phase has 4 columns of M; row 100 falls between warps";
    let why_n = "the last blocks have 4 columns of N; the last phase 4 rows, which are 2 warps";
    Exercise {
        variant: "tiled",
        case: format!("100x100, tile 16, phase {phase}"),
        kernel: "tiled",
        launch,
        inputs: vec![m, n],
        before: Some(before),
        after,
        integers: vec![100, phase as i32],
        branches: vec![
            branch(0, "loads of M", of_m, why_m).published(392, m_diverged),
            branch(1, "loads of N", of_n, why_n).published(392, n_diverged),
            branch(2, "bounds of P", of_p, "column 100 cuts 50 warps' rows"),
        ],
    }
}
