//! The calculator: each limit in turn, and the course's questions.
use occupancy::{calculator::*, questions::questions};

const SM: Limits = Limits::TEXTBOOK;

#[test]
fn each_limit_in_turn() {
    let of = |t, r, s| {
        let o = occupancy(&SM, t, r, s);
        (o.blocks, o.limiter)
    };
    assert_eq!(of(1024, 32, 0), (2, Limiter::Threads));
    assert_eq!(of(32, 32, 0), (32, Limiter::Blocks));
    assert_eq!(of(256, 128, 0), (2, Limiter::Registers));
    assert_eq!(of(128, 16, 15 << 10), (10, Limiter::Shared));
    assert_eq!(of(1025, 16, 0), (0, Limiter::Block));
    assert_eq!(of(0, 16, 0), (0, Limiter::Block));
    assert_eq!(of(32, 256, 0), (0, Limiter::Block));
    assert_eq!(of(32, 16, (163 << 10) + 1), (0, Limiter::Block));
    assert_eq!(of(1024, 128, 0), (0, Limiter::Registers));
}

#[test]
fn registers_come_by_the_warp_from_a_quarter() {
    // 33 registers take 1056 for each warp, rounded up to 1280: 12 warps in each quarter.
    assert_eq!(occupancy(&SM, 192, 33, 0).blocks, 8);
    // 88 registers take 2816 for each warp: 5 warps in a quarter of 16384, although all 65536 registers would hold 23.
    assert_eq!(occupancy(&SM, 32, 88, 0).blocks, 20);
    // 255 registers allow 8 warps. A block of 9 warps would need the share of 12.
    assert_eq!(occupancy(&SM, 256, 255, 0).blocks, 1);
    assert_eq!(occupancy(&SM, 288, 255, 0).blocks, 0);
}

#[test]
fn partial_warps_count_whole() {
    for threads in 33..=64 {
        assert_eq!(occupancy(&SM, threads, 16, 0), occupancy(&SM, 64, 16, 0));
    }
}

#[test]
fn more_of_anything_never_gives_more_blocks() {
    for threads in (32..=1024).step_by(32) {
        for registers in (8..=255).step_by(13) {
            for shared in (0..160 << 10).step_by(7919) {
                let here = occupancy(&SM, threads, registers, shared).blocks;
                assert!(occupancy(&SM, threads + 32, registers, shared).blocks <= here);
                assert!(occupancy(&SM, threads, registers + 8, shared).blocks <= here);
                assert!(occupancy(&SM, threads, registers, shared + 2048).blocks <= here);
            }
        }
    }
}

#[test]
fn a_grid_is_its_waves() {
    for blocks in 0..300 {
        let w = waves(blocks, 16, 8).unwrap();
        assert_eq!(w.full * w.wave + w.tail, blocks);
        assert_eq!(w.count(), blocks.div_ceil(128));
    }
    assert_eq!(waves(128, 16, 8).unwrap().used_percent(), 100.0);
    assert!(waves(129, 16, 8).unwrap().used_percent() < 51.0);
    assert_eq!(waves(5, 0, 8), None);
}

#[test]
fn no_arithmetic_overflows() {
    assert_eq!(occupancy(&SM, u32::MAX, u32::MAX, u32::MAX).blocks, 0);
    assert!(fits(&SM, u32::MAX, u32::MAX, u32::MAX, 0).is_err());
}

#[test]
fn the_calculator_gives_the_courses_answers() {
    for question in questions() {
        assert_eq!(question.obtained, question.expected, "{}", question.case);
    }
}

#[test]
fn shared_memory_keeps_other_blocks_away() {
    for limits in [SM, Limits::T4, Limits { shared: 228 << 10, shared_per_block: 227 << 10, ..SM }] {
        for blocks in [1, 2, 4] {
            assert_eq!(occupancy(&limits, 256, 32, shared_for(&limits, blocks)).blocks, blocks, "{limits:?}");
        }
    }
}
