//! The results of the kernels, worked out by hand.
use occupancy::reference::*;

#[test]
fn by_hand() {
    // v = (3, 10): x (2 j + 1) + j with x = 3; folded: 3 * 31 + 10.
    assert_eq!(hungry(3, 2, 0), 103);
    // One round: v0 = 3 * 1664525 + 10, v1 = 10 * 1664525 + v0.
    let v0 = 3 * 1_664_525 + 10;
    assert_eq!(hungry(3, 2, 1), v0 * 31 + 10 * 1_664_525 + v0);
    assert_eq!(walk(5, &[7, 9], 1), 5 * 1_664_525 + 9);
    assert_eq!(walk(5, &[7], 0), 5);
}
