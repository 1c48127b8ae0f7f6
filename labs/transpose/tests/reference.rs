//! The transpose on the CPU.
use transpose::reference::transpose;

#[test]
fn by_hand() {
    // Two rows of three.
    assert_eq!(transpose(&[1., 2., 3., 4., 5., 6.], 3), [1., 4., 2., 5., 3., 6.]);
    assert_eq!(transpose(&[7.], 1), [7.]);
    assert!(transpose(&[], 0).is_empty());
}

#[test]
fn every_element_changes_row_and_column() {
    for (m, n) in [(1, 40), (40, 1), (15, 17), (16, 16), (33, 31), (100, 3)] {
        let matrix: Vec<f32> = (0..m * n).map(|i| i as f32).collect();
        let turned = transpose(&matrix, n);
        for y in 0..m {
            for x in 0..n {
                assert_eq!(turned[x * m + y], matrix[y * n + x], "{m}x{n}: row {y}, column {x}");
            }
        }
        assert_eq!(transpose(&turned, m), matrix);
    }
}
