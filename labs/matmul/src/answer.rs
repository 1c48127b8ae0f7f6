//! The right answer of a product, whole where the CPU has it in seconds, else as much of it as finds any mistake.
//!
//! A large product is checked in two ways at once: some rows element by element, and every row by a random projection (Freivalds,
//! *Probabilistic machines can use less running time*, 1977): with x of random signs, C x must be A (B x), which takes three
//! matrix-vector products. An element that was never written, or is NaN, shows in its row's projection.
use harness::{Check, Tolerance};

use crate::ladder::{Arithmetic, Shape};
use crate::reference::{
    error_bound, largest_column_norm, largest_row_norm, multiply, times_vector,
};

/// Multiplications for which a core has a second or two.
const PRODUCTS_PER_CORE: u128 = 1 << 32;

/// Rows of a large product that are checked element by element, the first and the last among them.
const ROWS: usize = 16;

/// What a product is compared with.
#[derive(Debug, Clone)]
pub struct Answer {
    shape: Shape,
    /// The rows that are known: all of them, or some.
    rows: Vec<usize>,
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
    /// The largest |row of A| times the norm of all of B: what the errors of a row's elements add up to, as a multiple
    /// of the error bound, but in ten standard deviations of the signs.
    magnitude: f64,
}

impl Answer {
    /// The product of `a` and `b`, by as many cores as this computer has; `random` seeds the choice of rows and signs.
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

    /// Every element.
    fn whole(a: &[f32], b: &[f32], shape: Shape) -> Self {
        Self {
            shape,
            rows: (0..shape.m).collect(),
            known: multiply(a, b, shape),
            projection: None,
            magnitude: largest_row_norm(a, shape.k) * largest_column_norm(b, shape.n),
        }
    }

    /// Some rows, and the projection of all.
    fn sampled(a: &[f32], b: &[f32], shape: Shape, random: u64) -> Self {
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
        let some: Vec<f32> = rows
            .iter()
            .flat_map(|r| &a[r * shape.k..(r + 1) * shape.k])
            .copied()
            .collect();
        let known = multiply(
            &some,
            b,
            Shape {
                m: rows.len(),
                ..shape
            },
        );
        let signs: Vec<f64> = (0..shape.n)
            .map(|_| if next() % 2 == 0 { 1.0 } else { -1.0 })
            .collect();
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

    /// How far an element may lie from its sum.
    pub fn tolerance(&self, arithmetic: Arithmetic) -> Tolerance {
        Tolerance {
            absolute: error_bound(self.shape.k, arithmetic) * self.magnitude,
            relative: 0.0,
        }
    }

    /// How much is compared, in words; none when everything is.
    pub fn partly(&self) -> Option<String> {
        self.projection.as_ref().map(|_| {
            format!(
                "checked: {} rows in full, all rows by a random projection",
                self.rows.len()
            )
        })
    }

    /// Compares a product with the answer.
    pub fn check(&self, c: &[f32], arithmetic: Arithmetic) -> Check {
        let tolerance = self.tolerance(arithmetic);
        let Some(projection) = &self.projection else {
            return Check::compare(c, &self.known, tolerance);
        };
        let n = self.shape.n;
        if c.len() != self.shape.m * n {
            return Check::that(
                false,
                format!("{} results, should be {}", c.len(), self.shape.m * n),
            );
        }
        let some: Vec<f32> = self
            .rows
            .iter()
            .flat_map(|r| &c[r * n..(r + 1) * n])
            .copied()
            .collect();
        let mut check = Check::compare(&some, &self.known, tolerance);
        let absolute = error_bound(self.shape.k, arithmetic) * projection.magnitude;
        let projected = Check::compare(
            &times_vector(c, &projection.signs),
            &projection.rows,
            Tolerance {
                absolute,
                relative: 0.0,
            },
        );
        // Its errors are those of sums of a row: they say nothing of an element's.
        if !projected.passed() {
            check.merge(Check::that(
                false,
                format!("rows as a whole: {}", projected.summary()),
            ));
        }
        check
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix(elements: usize) -> Vec<f32> {
        (0..elements as u64)
            .map(|i| (i.wrapping_mul(2_654_435_761) >> 7 & 1023) as f32 / 512.0 - 1.0)
            .collect()
    }

    /// Both kinds of answer take the right product, and no product with one mistake.
    #[test]
    fn whole_and_sampled_answers_find_the_same_mistakes() {
        let shape = Shape {
            m: 60,
            k: 50,
            n: 70,
        };
        let (a, b) = (matrix(shape.m * shape.k), matrix(shape.k * shape.n));
        let right: Vec<f32> = multiply(&a, &b, shape)
            .into_iter()
            .map(|c| c as f32)
            .collect();
        for answer in [
            Answer::whole(&a, &b, shape),
            Answer::sampled(&a, &b, shape, 7),
        ] {
            assert!(answer.check(&right, Arithmetic::Float).passed());
            for place in [0, 69, 70 * 31 + 5, 60 * 70 - 1] {
                for wrong in [f32::NAN, f32::INFINITY, right[place] + 1.0] {
                    let mut c = right.clone();
                    c[place] = wrong;
                    assert!(
                        !answer.check(&c, Arithmetic::Float).passed(),
                        "{wrong} at {place}"
                    );
                }
            }
            assert!(!answer.check(&right[1..], Arithmetic::Float).passed());
        }
    }

    #[test]
    fn only_large_products_are_sampled() {
        let (a, b) = (matrix(12), matrix(12));
        assert!(
            Answer::new(&a, &b, Shape { m: 3, k: 4, n: 3 }, 1)
                .partly()
                .is_none()
        );
        let one = Answer::sampled(&a, &b, Shape { m: 1, k: 12, n: 1 }, 1);
        assert_eq!(one.rows, [0]);
        assert!(one.partly().is_some());
    }
}
