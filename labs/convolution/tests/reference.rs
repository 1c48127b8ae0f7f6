//! The convolutions on the CPU: results worked out by hand, and sums written as their definition.
use convolution::reference::{image, line};
use proptest::prelude::*;

#[test]
fn lines_by_hand() {
    // y[i] = 1 x[i - 1] + 10 x[i] + 100 x[i + 1].
    assert_eq!(line(&[1.0, 2.0, 3.0], &[1.0, 10.0, 100.0]), [210.0, 321.0, 32.0]);
    assert_eq!(line(&[5.0], &[1.0, 10.0, 100.0]), [50.0]);
    assert!(line(&[], &[1.0, 10.0, 100.0]).is_empty());
}

#[test]
fn an_image_by_hand() {
    let points = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
    // The rows' sums are 210 321 32 and 540 654 65; 1 x above + 2 x here + 3 x below.
    let expected = [2040.0, 2604.0, 259.0, 1290.0, 1629.0, 162.0];
    assert_eq!(image(&points, 3, &[1.0, 2.0, 3.0], &[1.0, 10.0, 100.0]), expected);
}

proptest! {
    #[test]
    fn sums_are_those_of_the_definition(
        width in 1usize..20,
        height in 1usize..20,
        radius in 1i64..=8,
        seed: u64,
    ) {
        let mut inputs = harness::Inputs::new(seed, "reference");
        // Whole numbers, so that all sums are exact.
        let mut whole = |n: usize| inputs.f32(n, -9.0..9.0).into_iter().map(f32::round).collect::<Vec<_>>();
        let (points, taps) = (whole(width * height), 2 * radius as usize + 1);
        let (column, row) = (whole(taps), whole(taps));
        let at = |x: i64, y: i64| {
            let inside = (0..width as i64).contains(&x) && (0..height as i64).contains(&y);
            if inside { f64::from(points[y as usize * width + x as usize]) } else { 0.0 }
        };
        let found = image(&points, width, &column, &row);
        for y in 0..height as i64 {
            for x in 0..width as i64 {
                let mut sum = 0.0;
                for i in -radius..=radius {
                    for j in -radius..=radius {
                        let factor = f64::from(column[(radius + i) as usize]) * f64::from(row[(radius + j) as usize]);
                        sum += factor * at(x + j, y + i);
                    }
                }
                prop_assert_eq!(found[y as usize * width + x as usize], sum);
            }
        }
        // A line is an image of one row, of which the middle factor of the column is left.
        let of_line = line(&points[..width], &row);
        let mut middle = vec![0.0; taps];
        middle[radius as usize] = 1.0;
        prop_assert_eq!(image(&points[..width], width, &middle, &row), of_line);
    }
}
