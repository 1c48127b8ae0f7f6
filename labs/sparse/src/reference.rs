//! The right product in f64, and how far a product in floats may be from it.
use harness::{Check, Tolerance, parallel};

use crate::Csr;

/// Rows of one task.
const CHUNK: usize = 1 << 14;

/// y = A x in f64, and the tolerance of each element.
#[derive(Debug)]
pub struct Expected {
    /// The elements.
    pub y: Vec<f64>,
    tolerance: Vec<Tolerance>,
}

impl Expected {
    /// Multiplies. An element of k entries has k roundings at most on the way of each product into the sum: its own
    /// and k - 1 additions, in any order. The reference's own roundings count as one more. Sums that begin with zero
    /// round nothing by that.
    pub fn new(a: &Csr, x: &[f32]) -> Self {
        let parts = parallel(a.rows.div_ceil(CHUNK), |chunk| {
            let rows = chunk * CHUNK..((chunk + 1) * CHUNK).min(a.rows);
            rows.map(|row| {
                let (mut sum, mut magnitude) = (0.0, 0.0);
                for k in a.row(row) {
                    let product = f64::from(a.value[k]) * f64::from(x[a.column[k] as usize]);
                    sum += product;
                    magnitude += product.abs();
                }
                (sum, Tolerance::sum(a.length(row) + 1, magnitude, f64::from(f32::EPSILON)))
            })
            .collect::<Vec<_>>()
        });
        let (y, tolerance) = parts.into_iter().flatten().unzip();
        Self { y, tolerance }
    }

    /// Compares a product with the right one. A NaN never passes.
    pub fn check(&self, y: &[f32]) -> Check {
        let rows = self.y.len();
        if y.len() != rows || rows == 0 {
            return Check::that(y.len() == rows, format!("{} elements, should be {rows}", y.len()));
        }
        let parts = parallel(rows.div_ceil(CHUNK), |chunk| {
            let mut part = Check::default();
            for row in chunk * CHUNK..((chunk + 1) * CHUNK).min(rows) {
                let (exact, tolerance) = (self.y[row], self.tolerance[row]);
                let error = (f64::from(y[row]) - exact).abs();
                // A comparison with NaN is false. A message is made only for a wrong element.
                if error <= tolerance.absolute {
                    part.compared += 1;
                    part.max_abs_error = part.max_abs_error.max(error);
                } else {
                    part.merge(Check::scalar(&row.to_string(), y[row], exact, tolerance));
                }
            }
            part
        });
        parts.into_iter().fold(Check::default(), |mut all, part| {
            all.merge(part);
            all
        })
    }
}
