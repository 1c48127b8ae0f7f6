//! The product on the CPU, and the error bounds of a product.
use matmul::{Arithmetic, Shape, reference::*};

#[test]
fn by_hand() {
    // (1 2 3; 4 5 6) (7 8; 9 10; 11 12)
    let shape = Shape { m: 2, k: 3, n: 2 };
    let c = multiply(&[1., 2., 3., 4., 5., 6.], &[7., 8., 9., 10., 11., 12.], shape);
    assert_eq!(c, [58., 64., 139., 154.]);
}

#[test]
fn any_number_of_rows_however_they_fall_to_the_cores() {
    for m in [1, 7, 8, 9, 31, 33, 100] {
        let shape = Shape { m, k: 5, n: 3 };
        let a: Vec<f32> = (0..m * 5).map(|i| (i % 7) as f32 - 3.0).collect();
        let b: Vec<f32> = (0..15).map(|i| (i % 5) as f32 - 2.0).collect();
        let c = multiply(&a, &b, shape);
        for i in 0..m {
            for j in 0..3 {
                let sum: f32 = (0..5).map(|q| a[i * 5 + q] * b[q * 3 + j]).sum();
                assert_eq!(c[i * 3 + j], f64::from(sum));
            }
        }
    }
}

#[test]
fn norms() {
    assert_eq!(largest_row_norm(&[3., 4., 0., 1.], 2), 5.0);
    assert_eq!(largest_column_norm(&[3., 0., 4., 1.], 2), 5.0);
}

#[test]
fn bounds_grow_with_the_depth_and_notice_a_lost_product() {
    // Inputs uniform in [-1, 1): norms of sqrt(k / 3), products of 1/4 on average.
    let allowed = |k: usize, arithmetic| error_bound(k, arithmetic) * k as f64 / 3.0;
    use Arithmetic::{Bf16, Float, Tf32, Tf32Cut, Tf32Split};
    for arithmetic in [Float, Tf32, Tf32Cut, Tf32Split, Bf16] {
        for (less, more) in [(1, 10), (10, 1000), (1000, 100_000)] {
            assert!(allowed(less, arithmetic) < allowed(more, arithmetic), "{arithmetic:?} {less}");
        }
        let lost = match arithmetic {
            Float | Tf32Split => 0.25 / 100.0,
            Bf16 => 0.25 / 4.0,
            Tf32 | Tf32Cut => 0.25,
        };
        assert!(allowed(4096, arithmetic) < lost, "{arithmetic:?}: {}", allowed(4096, arithmetic));
    }
    // Where the deterministic bound applies: for one product, and up to the number from which the other bound is
    // smaller.
    let u = f64::from(f32::EPSILON) / 2.0;
    assert!((error_bound(1, Arithmetic::Float) / u - 1.0).abs() < 1e-6);
    assert!((error_bound(25, Arithmetic::Float) / u - 25.0).abs() < 1e-4);
    for k in [26, 4096, 1 << 20] {
        assert!((error_bound(k, Arithmetic::Float) / u - 25.456).abs() < 0.001, "the handout says 25.5 u");
    }
    // Split inputs promise float accuracy where sums are long.
    assert!(error_bound(4096, Arithmetic::Tf32Split) < error_bound(4096, Arithmetic::Float));
    assert!(error_bound(256, Arithmetic::Tf32Split) < error_bound(256, Arithmetic::Tf32) / 5.0);
}
