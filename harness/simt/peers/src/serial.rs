//! The kernels' computations as loops.

use crate::rate;
use std::hint::black_box;

const N: usize = 1 << 20;
const SIDE: usize = 256;

/// Returns elements per second of one column's loop.
pub fn column(kernel: &str) -> f64 {
    match kernel {
        "vecadd" => {
            let (x, y, mut z) = (vec![1f32; N], vec![1f32; N], vec![0f32; N]);
            rate(N as u64, || {
                let (x, y) = (black_box(&x), black_box(&y));
                for i in 0..N {
                    z[i] = x[i] + y[i];
                }
                black_box(&mut z);
            })
        }
        "histogram" => {
            let text: Vec<u8> = (0..N as u32)
                .map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8)
                .collect();
            rate(N as u64, || {
                let mut bins = [0u32; 256];
                for &byte in black_box(&text) {
                    bins[byte as usize] += 1;
                }
                black_box(bins);
            })
        }
        "matmul" => {
            let (a, b) = (vec![1f32; SIDE * SIDE], vec![1f32; SIDE * SIDE]);
            let mut c = vec![0f32; SIDE * SIDE];
            rate((SIDE * SIDE * SIDE) as u64, || {
                let (a, b) = (black_box(&a), black_box(&b));
                for row in 0..SIDE {
                    for column in 0..SIDE {
                        let mut sum = 0f32;
                        for k in 0..SIDE {
                            sum = a[row * SIDE + k].mul_add(b[k * SIDE + column], sum);
                        }
                        c[row * SIDE + column] = sum;
                    }
                }
                black_box(&mut c);
            })
        }
        _ => rate(N as u64, || {
            let (a, h) = black_box((-3f32, 6.0 / N as f32));
            let mut sum = 0f32;
            for i in 1..N {
                let x = a + i as f32 * h;
                sum += x * x + 1.0;
            }
            black_box(sum);
        }),
    }
}
