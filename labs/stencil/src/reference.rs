//! The stencils on the CPU in f64, and Jacobi's method also in f32, with exactly the kernels' operations.
use std::ops::{Add, Mul, Sub};

/// x at i + offset, or 0 beyond the ends.
fn at<T: Copy + Into<f64>>(x: &[T], i: usize, offset: isize) -> f64 {
    i.checked_add_signed(offset).and_then(|i| x.get(i)).map_or(0.0, |v| (*v).into())
}

/// `y[i] = x[i-1]/4 + x[i]/2 + x[i+1]/4`, with zeros beyond the ends.
pub fn blur<T: Copy + Into<f64>>(x: &[T]) -> Vec<f64> {
    (0..x.len()).map(|i| 0.25 * at(x, i, -1) + 0.5 * at(x, i, 0) + 0.25 * at(x, i, 1)).collect()
}

/// The mean of x[i-2] ... x[i+2], with zeros beyond the ends.
pub fn average5(x: &[f32]) -> Vec<f64> {
    (0..x.len()).map(|i| (-2..=2).map(|o| at(x, i, o)).sum::<f64>() / 5.0).collect()
}

/// The five-point mean of a plane with `width` points per row; the border is copied.
pub fn mean(plane: &[f32], width: usize) -> Vec<f64> {
    let mut out: Vec<f64> = plane.iter().map(|v| f64::from(*v)).collect();
    inner(plane.len(), width, |i| {
        let sum = [i, i - 1, i + 1, i - width, i + width].into_iter().map(|j| f64::from(plane[j])).sum::<f64>();
        out[i] = sum / 5.0;
    });
    out
}

/// Calls `each` with the index of every point that is not on the border.
fn inner(points: usize, width: usize, mut each: impl FnMut(usize)) {
    let height = points.checked_div(width).unwrap_or(0);
    for y in 1..height.saturating_sub(1) {
        for x in 1..width.saturating_sub(1) {
            each(y * width + x);
        }
    }
}

/// The initial state of Laplace's problem: sin(pi x) along the top row, 0 elsewhere.
pub fn start(width: usize, height: usize) -> Vec<f32> {
    let mut u = vec![0.0; width * height];
    for (x, u) in u.iter_mut().take(width).enumerate() {
        *u = (std::f64::consts::PI * fraction(x, width)).sin() as f32;
    }
    u
}

/// `plane` with a border of 0. The solution of Laplace's equation for that border is 0 everywhere.
pub fn bordered(plane: &[f32], width: usize) -> Vec<f32> {
    let mut u = vec![0.0; plane.len()];
    inner(plane.len(), width, |i| u[i] = plane[i]);
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
pub trait Float: Copy + PartialOrd + From<f32> + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> {}
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
/// largest change is at most `tolerance`. With `every` 0 it never looks at the change.
pub fn jacobi<T: Float>(mut u: Vec<T>, width: usize, limit: u32, every: u32, tolerance: T) -> Jacobi<T> {
    let mut v = u.clone();
    let mut change = T::from(0.0);
    for step in 1..=limit {
        change = T::from(0.0);
        inner(u.len(), width, |i| {
            v[i] = T::from(0.25) * (((u[i - 1] + u[i + 1]) + u[i - width]) + u[i + width]);
            let moved = if v[i] > u[i] { v[i] - u[i] } else { u[i] - v[i] };
            if moved > change {
                change = moved;
            }
        });
        std::mem::swap(&mut u, &mut v);
        if every > 0 && step % every == 0 && change <= tolerance {
            return Jacobi { u, steps: step, change };
        }
    }
    Jacobi { u, steps: limit, change }
}
