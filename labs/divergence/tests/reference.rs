//! The exercises' CPU references: small cases by hand, and whole trees made of their steps.
use divergence::reference::*;

#[test]
fn even_and_odd() {
    let both = even_odd(&counting_up(24), None);
    assert_eq!(&both[..4], &[0.0, 23.0, 1.0, 23.0]);
    assert_eq!(&both[16..20], &[8.0, 17.0, 9.0, 19.0]);
    let odd = even_odd(&counting_up(24), Some(1));
    assert_eq!(odd[0].to_bits(), UNWRITTEN.to_bits());
    assert_eq!(odd[17], 17.0);
}

#[test]
fn windows() {
    let mut line = vec![0.0; 40];
    line[20] = 7.0;
    let largest = max_next(&line);
    assert!(largest.iter().enumerate().all(|(i, &v)| (v == 7.0) == (5..=20).contains(&i)));
    // In a cube of edge 17, corner to corner: 16 steps are one too many.
    let mut cube = vec![0.0; 17 * 17 * 17];
    cube[16] = 3.0;
    let largest = max_next_3d(&cube, 17);
    assert_eq!((largest[0], largest[1], largest[16]), (0.0, 3.0, 3.0));
    assert_eq!(average_5(&[5.0, 0.0, 10.0, 0.0, 0.0]), [5.0, 4.0, 3.0, 2.0, 2.0]);
}

#[test]
fn products_add_up_by_phases() {
    let (m, n) = (digits(9 * 9), digits(9 * 9));
    let whole = product(&m, &n, 9, 9, 0, 9);
    let (first, rest) = (product(&m, &n, 9, 9, 0, 4), product(&m, &n, 9, 9, 4, 16));
    let sum: Vec<f32> = first.iter().zip(&rest).map(|(a, b)| a + b).collect();
    assert_eq!(whole, sum);
    let corner: f32 = (0..9).map(|k| m[8 * 9 + k] * n[k * 9 + 8]).sum();
    assert_eq!(whole[80], corner);
}

/// A step is right if the tree made of all steps is right.
#[test]
fn steps_make_trees() {
    for log in 1..=8 {
        let values = digits(1 << log);
        let total: f32 = values.iter().sum();
        let strides: Vec<usize> = (0..log).map(|k| 1 << k).collect();
        let up = |step: fn(&[f32], usize) -> Vec<f32>| strides.iter().fold(values.clone(), |v, &s| step(&v, s));
        assert_eq!(up(interleaved_step)[0], total);
        assert_eq!(up(brent_kung_step)[values.len() - 1], total);
        let down = strides.iter().rev().fold(values.clone(), |v, &s| sequential_step(&v, s));
        assert_eq!(down[0], total);
        let mut running = 0.0;
        for (i, sum) in up(kogge_stone_step).into_iter().enumerate() {
            running += values[i];
            assert_eq!(sum, running);
        }
    }
}

#[test]
fn paths_of_all_elements() {
    let input = digits(100);
    let all = paths(&input, 17, |i| i as u32 % 32);
    for (i, bits) in all.into_iter().enumerate() {
        assert_eq!(bits, path(i as u32 % 32, input[i], 17).to_bits());
    }
}

#[test]
fn paths_converge() {
    for k in 0..32 {
        let end = path(k, 5.0, 200);
        assert!((end - 2.0 * (k as f32 + 1.0)).abs() < 1e-3, "{k}: {end}");
    }
}
