//! The index maps: the course's own answers, and properties that hold for every shape.
use hello::maps::*;

#[test]
fn answers_of_the_exercises() {
    assert_eq!(launched_threads(8000, 1, 1024), 8192);
    // Warps are counted from 1 in the questions and from 0 here.
    assert_eq!(warp_start(1, [24, 12, 1]), Some([8, 1, 0]));
    assert_eq!(warp_start(2, [24, 12, 1]), Some([16, 2, 0]));
    assert_eq!(warp_start(1, [6, 4, 8]), Some([2, 1, 1]));
    assert_eq!(warp_start(5, [6, 4, 8]), Some([4, 2, 6]));
    assert_eq!(warp_start(6, [6, 4, 8]), None);
    assert_eq!(warp_start(9, [24, 12, 1]), None);
    // A course's answer for the second warp, (2, 7) to (4, 2), which counts y first.
    assert_eq!(linear([2, 4, 0], [12, 24, 1]) + 1 - linear([7, 2, 0], [12, 24, 1]), 20);
    assert_eq!(warps_of_block([24, 12, 1]), 9);
    assert_eq!(warp_ends(8, [24, 12, 1]), Some([[16, 10, 0], [23, 11, 0]]));
    assert_eq!(warp_ends(9, [24, 12, 1]), None);
    assert_eq!(warp_ends(1, [48, 1, 1]), Some([[32, 0, 0], [47, 0, 0]]));
    assert_eq!(warp_ends(1, [33, 1, 1]), Some([[32, 0, 0], [32, 0, 0]]));
}

#[test]
fn linear_and_coordinates_are_inverse() {
    for dim in [[1, 1, 1], [7, 1, 1], [4, 4, 4], [24, 12, 1], [6, 4, 8], [1, 31, 3]] {
        for index in 0..count(dim) {
            let at = coordinates(index, dim).unwrap();
            assert_eq!(linear(at, dim), index, "{dim:?}");
            let (warp, lane) = warp_and_lane(at, dim);
            assert_eq!(warp * u64::from(WARP) + u64::from(lane), index);
        }
        assert_eq!(coordinates(count(dim), dim), None);
    }
    assert_eq!(coordinates(0, [0, 1, 1]), None);
}

#[test]
fn every_element_has_one_thread() {
    for (blocks, block_dim) in [(1, 1), (3, 32), (8, 1024), (5, 33)] {
        let mut seen = [
            vec![0; (blocks * block_dim) as usize],
            vec![0; (2 * blocks * block_dim) as usize],
            vec![0; (2 * blocks * block_dim) as usize],
        ];
        for block in 0..blocks {
            for thread in 0..block_dim {
                seen[0][one_element(block, block_dim, thread) as usize] += 1;
                for e in two_side_by_side(block, block_dim, thread) {
                    seen[1][e as usize] += 1;
                }
                for e in two_apart(block, block_dim, thread) {
                    seen[2][e as usize] += 1;
                }
            }
        }
        assert!(seen.iter().flatten().all(|&times| times == 1));
    }
}

#[test]
fn launches_cover_n_and_waste_less_than_a_block() {
    for n in [0, 1, 31, 32, 33, 1000, 8000, u64::from(u32::MAX) + 1] {
        for per_thread in [1, 2, 4] {
            for block_dim in [1, 32, 96, 1024] {
                let threads = launched_threads(n, per_thread, block_dim);
                assert!(threads * per_thread >= n);
                assert_eq!(threads % block_dim, 0);
                assert!(threads < n.div_ceil(per_thread) + block_dim);
            }
        }
    }
}
