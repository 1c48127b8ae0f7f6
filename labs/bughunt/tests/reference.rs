//! The right answers, compared with small ones computed by hand.
use bughunt::reference::*;

#[test]
fn small_answers_by_hand() {
    assert_eq!(differences(&[1.0, 4.0, 2.0]), [3.0, -2.0]);
    assert_eq!(areas(&[3, 4, 99_999, 99_999]), [12, 9_999_800_001]);
    // Two rows of three pixels become three rows of two.
    assert_eq!(turn(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 3), [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
    assert_eq!(last_positive(&[0, 5, 0, 1, -1, 0, -3, 0, 0, -1, 0, 0, 0, 0, 0, 0]), [3, -1]);
    assert_eq!(warp_sums(&[1; 33]), [32, 1]);
    assert_eq!(warp_largest(&[7, 9, 8]), [9]);
    assert_eq!(powers(&[44100.0, 3.0, 4.0, 0.0, 2.0]), [25.0, 4.0]);
    assert_eq!(directions(&[3.0, 4.0, 0.0, 0.0]), [0.6, 0.8, 0.0, 0.0]);
    assert_eq!(balances(&[1e8, 1.5, 99_999_992.0]), [9.5]);
    assert_eq!(digits(&[0, 7, 1234]), [0, 7, 10]);
}

#[test]
fn tiles_end_with_their_block() {
    let x: Vec<f32> = (0..258).map(|i| i as f32).collect();
    let mirrored = mirror(&x);
    assert_eq!((mirrored[0], mirrored[255], mirrored[256], mirrored[257]), (255.0, 0.0, 257.0, 256.0));
    let (steps, smoothed) = (steps(&x), smooth(&x));
    assert_eq!((steps[0], steps[1], steps[256], steps[257]), (0.0, 1.0, 0.0, 1.0));
    assert_eq!((smoothed[0], smoothed[1], smoothed[256], smoothed[257]), (0.0, 0.5, 256.0, 256.5));
    let bytes: Vec<u8> = (0..=255).chain([8, 9]).collect();
    assert_eq!(tally(&bytes), [[32; 8], [1, 1, 0, 0, 0, 0, 0, 0]].concat());
    let numbers: Vec<u32> = (0..259).collect();
    assert_eq!(evens(&numbers), [128, 2]);
}

/// Why `order` is a mistake: the same three numbers, added in another order, give another float.
#[test]
fn the_order_of_a_sum_of_floats_matters() {
    let (deposit, interest, withdrawal) = (100_000_000.0_f32, 1.5_f32, 99_999_992.0_f32);
    assert_eq!(deposit + interest - withdrawal, 8.0);
    assert_eq!(deposit - withdrawal + interest, 9.5);
}
