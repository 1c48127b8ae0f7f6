//! The right answer of a product: all of it if the CPU needs only seconds, otherwise enough of it to find any mistake.
//!
//! A large product is checked in two ways: some rows element by element, and every row by a random projection
//! (Freivalds, *Probabilistic machines can use less running time*, 1977). For a vector x of random signs, C x must
//! equal A (B x), which takes three matrix-vector products. An element that was never written, or is NaN, shows in its
//! row's projection.
use harness::{Check, Tolerance};

use crate::reference::{error_bound, largest_column_norm, largest_row_norm, multiply, times_vector};
use crate::{Arithmetic, Shape};

/// The number of multiplications that a core does in a second or two.
const PRODUCTS_PER_CORE: u128 = 1 << 32;

/// The number of rows of a large product that are checked element by element; the first and the last are among them.
const ROWS: usize = 16;

/// The answer with which a product is compared.
#[derive(Debug, Clone)]
pub struct Answer {
    shape: Shape,
    /// The indices of the known rows: all of them, or some.
    pub rows: Vec<usize>,
    /// Those rows, one after another.
    known: Vec<f64>,
    projection: Option<Projection>,
    /// The largest |row of A| |column of B|, which bounds the magnitude of any sum.
    magnitude: f64,
}

/// Every row's product with a vector of random signs.
#[derive(Debug, Clone)]
struct Projection {
    signs: Vec<f64>,
    rows: Vec<f64>,
    /// Ten times the largest |row of A| times the norm of all of B. The error bound times this bounds the error of a
    /// row's projection; the ten stands for ten standard deviations of the random signs.
    magnitude: f64,
}

impl Answer {
    /// The product of `a` and `b`, computed on all cores of this computer; `random` seeds the choice of rows and signs.
    ///
    /// # Panics
    /// When `a` is not m x k or `b` not k x n.
    pub fn new(a: &[f32], b: &[f32], shape: Shape, random: u64) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from) as u128;
        if shape.products() <= PRODUCTS_PER_CORE * cores {
            Self::whole(a, b, shape)
        } else {
            Self::sampled(a, b, shape, random)
        }
    }

    /// Every element of the product.
    pub fn whole(a: &[f32], b: &[f32], shape: Shape) -> Self {
        Self {
            shape,
            rows: (0..shape.m).collect(),
            known: multiply(a, b, shape),
            projection: None,
            magnitude: largest_row_norm(a, shape.k) * largest_column_norm(b, shape.n),
        }
    }

    /// Some rows of the product, and the projection of all.
    pub fn sampled(a: &[f32], b: &[f32], shape: Shape, random: u64) -> Self {
        let mut state = random | 1;
        let mut next = move || {
            // xorshift64*: any mixing will do.
            state ^= state >> 12;
            state ^= state << 25;
            state ^= state >> 27;
            state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32
        };
        let mut rows = vec![0, shape.m - 1];
        rows.extend((2..ROWS.min(shape.m)).map(|_| next() as usize % shape.m));
        rows.sort_unstable();
        rows.dedup();
        let some: Vec<f32> = rows.iter().flat_map(|r| &a[r * shape.k..(r + 1) * shape.k]).copied().collect();
        let known = multiply(&some, b, Shape { m: rows.len(), ..shape });
        let signs: Vec<f64> = (0..shape.n).map(|_| if next() % 2 == 0 { 1.0 } else { -1.0 }).collect();
        let row_norm = largest_row_norm(a, shape.k);
        let all_of_b = b.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>().sqrt();
        Self {
            shape,
            rows,
            known,
            projection: Some(Projection {
                rows: times_vector(a, &times_vector(b, &signs)),
                signs,
                magnitude: 10.0 * row_norm * all_of_b,
            }),
            magnitude: row_norm * largest_column_norm(b, shape.n),
        }
    }

    /// The tolerance of an element, relative to the exact sum.
    pub fn tolerance(&self, arithmetic: Arithmetic) -> Tolerance {
        Tolerance { absolute: error_bound(self.shape.k, arithmetic) * self.magnitude, relative: 0.0 }
    }

    /// Says how much is compared; `None` for everything.
    pub fn partly(&self) -> Option<String> {
        let partly = format!("checked: {} rows in full, all rows by a random projection", self.rows.len());
        self.projection.is_some().then_some(partly)
    }

    /// Compares a product with the answer.
    pub fn check(&self, c: &[f32], arithmetic: Arithmetic) -> Check {
        let tolerance = self.tolerance(arithmetic);
        let Some(projection) = &self.projection else {
            return Check::compare(c, &self.known, tolerance).in_rows(self.shape.n);
        };
        let n = self.shape.n;
        if c.len() != self.shape.m * n {
            return Check::that(false, format!("{} results, should be {}", c.len(), self.shape.m * n));
        }
        let some: Vec<f32> = self.rows.iter().flat_map(|r| &c[r * n..(r + 1) * n]).copied().collect();
        let mut check = Check::compare(&some, &self.known, tolerance);
        let absolute = error_bound(self.shape.k, arithmetic) * projection.magnitude;
        let rows = times_vector(c, &projection.signs);
        let projected = Check::compare(&rows, &projection.rows, Tolerance { absolute, relative: 0.0 });
        // The projection's errors are those of a row's sum; they say nothing about a single element's error.
        if !projected.passed() {
            check.merge(Check::that(false, format!("rows as a whole: {}", projected.summary())));
        }
        check
    }
}
