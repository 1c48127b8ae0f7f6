//! The stencils on the CPU in f64, and Jacobi's method also in f32, with exactly the kernels' operations.
use std::{
    ops::{Add, Mul, Sub},
    sync::Mutex,
};

use harness::{parallel_chunks, parallel_vec};

/// The approximate number of points that one task computes.
const PART: usize = 1 << 18;

/// The value of x at i + offset, or 0 beyond the ends.
fn at<T: Copy + Into<f64>>(x: &[T], i: usize, offset: isize) -> f64 {
    i.checked_add_signed(offset).and_then(|i| x.get(i)).map_or(0.0, |v| (*v).into())
}

/// `y[i] = x[i-1]/4 + x[i]/2 + x[i+1]/4`, with zeros beyond the ends.
pub fn blur<T: Copy + Into<f64> + Sync>(x: &[T]) -> Vec<f64> {
    parallel_vec(x.len(), |i| 0.25 * at(x, i, -1) + 0.5 * at(x, i, 0) + 0.25 * at(x, i, 1))
}

/// The mean of x[i-2] ... x[i+2], with zeros beyond the ends.
pub fn average5(x: &[f32]) -> Vec<f64> {
    parallel_vec(x.len(), |i| (-2..=2).map(|o| at(x, i, o)).sum::<f64>() / 5.0)
}

/// The five-point mean of a plane with `width` points per row; the border is copied.
pub fn mean(plane: &[f32], width: usize) -> Vec<f64> {
    let mut out = parallel_vec(plane.len(), |i| f64::from(plane[i]));
    inner_rows(&mut out, width, |y, row| {
        for x in 1..width.saturating_sub(1) {
            let i = y * width + x;
            let sum = [i, i - 1, i + 1, i - width, i + width].into_iter().map(|j| f64::from(plane[j])).sum::<f64>();
            row[x] = sum / 5.0;
        }
    });
    out
}

/// Calls `each` with the number and the points of every row of `plane` that is not on the border: on all cores if the
/// plane is large.
fn inner_rows<T: Send>(plane: &mut [T], width: usize, each: impl Fn(usize, &mut [T]) + Sync) {
    let (height, rows) = (plane.len().checked_div(width).unwrap_or(0), (PART / width.max(1)).max(1));
    parallel_chunks(plane, rows * width.max(1), |part, band| {
        for (y, row) in (part * rows..).zip(band.chunks_exact_mut(width.max(1))) {
            if y > 0 && y + 1 < height {
                each(y, row);
            }
        }
    });
}

/// The initial state of Laplace's problem: sin(pi x) along the top row, 0 elsewhere.
pub fn start(width: usize, height: usize) -> Vec<f32> {
    let mut u = vec![0.0; width * height];
    for (x, u) in u.iter_mut().take(width).enumerate() {
        *u = (std::f64::consts::PI * fraction(x, width)).sin() as f32;
    }
    u
}

/// Returns `plane` with a border of 0. The solution of Laplace's equation for that border is 0 everywhere.
pub fn bordered(plane: &[f32], width: usize) -> Vec<f32> {
    let mut u = vec![0.0; plane.len()];
    inner_rows(&mut u, width, |y, row| {
        let inside = 1..width.saturating_sub(1).max(1);
        row[inside.clone()].copy_from_slice(&plane[y * width..][inside]);
    });
    u
}

/// The position of point i of `points`, as a number from 0 to 1.
fn fraction(i: usize, points: usize) -> f64 {
    if points > 1 { i as f64 / (points - 1) as f64 } else { 0.0 }
}

/// The solution of Laplace's equation for the border of [`start`]: sin(pi x) sinh(pi (1 - y) r) / sinh(pi r), where r
/// is the ratio of the plane's height to its width.
pub fn solution(width: usize, height: usize) -> Vec<f64> {
    use std::f64::consts::PI;
    let r = height.saturating_sub(1) as f64 / width.saturating_sub(1).max(1) as f64;
    // sinh(a)/sinh(b) without overflow, for b > 0.
    let ratio = |a: f64, b: f64| (a - b).exp() * (1.0 - (-2.0 * a).exp()) / (1.0 - (-2.0 * b).exp());
    (0..width * height)
        .map(|i| {
            let (x, y) = (fraction(i % width, width), fraction(i / width, height));
            (PI * x).sin() * if r > 0.0 { ratio(PI * (1.0 - y) * r, PI * r) } else { 1.0 }
        })
        .collect()
}

/// A type of number in which Jacobi's method runs: f32 or f64.
pub trait Float:
    Copy + Default + PartialOrd + From<f32> + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Send + Sync
{
}
impl Float for f32 {}
impl Float for f64 {}

/// The result of Jacobi's method.
#[derive(Debug, Clone, PartialEq)]
pub struct Jacobi<T> {
    /// The plane.
    pub u: Vec<T>,
    /// Steps done.
    pub steps: u32,
    /// The largest change of any point in the last step.
    pub change: T,
}

/// Jacobi's method from `u`. It does at most `limit` steps, and stops earlier if, at a step divisible by `every`, the
/// largest change is at most `tolerance`. With `every` 0 it never checks the change.
pub fn jacobi<T: Float>(mut u: Vec<T>, width: usize, limit: u32, every: u32, tolerance: T) -> Jacobi<T> {
    let mut v = parallel_vec(u.len(), |i| u[i]);
    let mut change = T::from(0.0);
    for step in 1..=limit {
        let most = Mutex::new(T::from(0.0));
        let larger = |a: T, b: T| if b > a { b } else { a };
        inner_rows(&mut v, width, |y, row| {
            let mut of_row = T::from(0.0);
            for x in 1..width.saturating_sub(1) {
                let i = y * width + x;
                row[x] = T::from(0.25) * (((u[i - 1] + u[i + 1]) + u[i - width]) + u[i + width]);
                of_row = larger(of_row, if row[x] > u[i] { row[x] - u[i] } else { u[i] - row[x] });
            }
            let mut most = most.lock().expect("nothing panics while it is held");
            *most = larger(*most, of_row);
        });
        change = most.into_inner().expect("nothing panics while it is held");
        std::mem::swap(&mut u, &mut v);
        if every > 0 && step % every == 0 && change <= tolerance {
            return Jacobi { u, steps: step, change };
        }
    }
    Jacobi { u, steps: limit, change }
}
