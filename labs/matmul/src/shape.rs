//! The sizes of a product.
use harness::{Run, Sizes};

/// The sizes of a product: A is m x k, B is k x n, C is m x n.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Rows of A and C.
    pub m: usize,
    /// Columns of A, rows of B: the depth of the sums.
    pub k: usize,
    /// Columns of B and C.
    pub n: usize,
}

/// The largest size of a side. Kernels count rows and columns in 32 bits and add a tile to them.
const LARGEST_SIDE: usize = (1 << 31) - 1;

/// The text's own rectangular shape.
pub(crate) const RECTANGULAR: Shape = Shape { m: 1000, k: 500, n: 700 };

impl Shape {
    /// A square shape.
    pub const fn square(n: usize) -> Self {
        Self { m: n, k: n, n }
    }

    /// Multiplications, each with its addition.
    pub fn products(self) -> u128 {
        self.m as u128 * self.k as u128 * self.n as u128
    }

    /// Floating-point operations: a multiplication and an addition for each product.
    pub fn flop(self) -> u64 {
        u64::try_from(2 * self.products()).unwrap_or(u64::MAX)
    }

    /// Bytes of the three matrices in float, the traffic of a kernel that loads each element once.
    pub fn bytes(self) -> Option<usize> {
        let sides = [(self.m, self.k), (self.k, self.n), (self.m, self.n)];
        let elements = sides.into_iter().try_fold(0usize, |sum, (r, c)| sum.checked_add(r.checked_mul(c)?))?;
        elements.checked_mul(size_of::<f32>())
    }

    /// Checks that the kernels can multiply matrices of this shape.
    ///
    /// # Errors
    /// A message that says what is wrong: a side is 0 or beyond 32 bits, or the matrices have more bytes than this
    /// computer can count.
    pub fn check(self) -> Result<(), String> {
        for (side, value) in [("m", self.m), ("k", self.k), ("n", self.n)] {
            if value == 0 || value > LARGEST_SIDE {
                return Err(format!("--{side} is {value}; a matrix has 1 to {LARGEST_SIDE} rows and columns here"));
            }
        }
        let uncounted = "have more bytes than this computer can count; choose a smaller --n";
        self.bytes().map(drop).ok_or_else(|| format!("matrices of {self} {uncounted}"))
    }
}

impl std::fmt::Display for Shape {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}x{}x{}", self.m, self.k, self.n)
    }
}

/// The requested sides; `None` if no side was given. A missing side takes the length of a given one.
fn asked(run: &Run) -> Option<Shape> {
    let side = |name| run.args().get_one::<usize>(name).copied();
    let (m, k, n) = (side("m"), side("k"), run.options().n);
    let any = n.or(m).or(k)?;
    Some(Shape { m: m.unwrap_or(any), k: k.unwrap_or(any), n: n.unwrap_or(any) })
}

/// The shapes of the run: a single one if any side was given, otherwise the device's defaults.
pub(crate) fn of(run: &Run) -> Vec<Shape> {
    if let Some(asked) = asked(run) {
        return vec![asked];
    }
    if run.options().quick {
        return vec![Shape { m: 50, k: 40, n: 30 }];
    }
    if run.is_emulated() {
        run.say(
            "matmul: 256x256x256 and 130x65x70 here (the emulated device would take minutes a row); 1000x500x700, \
             1023x1021x1019, 64x65536x64 and 4096x4096x4096 on a GPU",
        );
        return vec![Shape::square(256), Shape { m: 130, k: 65, n: 70 }];
    }
    // A shape that no tile divides, a small C with a large depth, and a large square.
    vec![RECTANGULAR, Shape { m: 1023, k: 1021, n: 1019 }, Shape { m: 64, k: 65536, n: 64 }, Shape::square(4096)]
}

/// The shape of the product with a vector.
pub(crate) fn of_vector(run: &Run) -> Shape {
    let usual = |gpu, emulated, quick| run.pick(Sizes { gpu, emulated, quick });
    if let Some(Shape { m, k, .. }) = asked(run) {
        return Shape { m, k, n: 1 };
    }
    let shape = Shape { m: usual(8192, 1000, 60), k: usual(8192, 500, 50), n: 1 };
    if shape.m < 8192 && !run.options().quick {
        run.say(
            "matmul: a matrix of 1000x500 and a vector here (the emulated device would take long); 8192x8192 on a GPU",
        );
    }
    shape
}
