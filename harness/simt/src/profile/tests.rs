use super::*;

fn get(name: &str) -> &'static Profile {
    Profile::find(name).unwrap()
}

#[test]
fn names_are_found_however_they_are_written() {
    assert_eq!(get("Titan X").name, "titan-x");
    assert_eq!(get("RTX 3090").name, "rtx3090");
    assert_eq!(Profile::find("gt-210"), None);
    assert_eq!(Profile::default_profile().name, "a100");
    for profile in PROFILES {
        assert_eq!(get(profile.name), profile);
        assert!(profile.sms > 0 && profile.total_memory > 0 && profile.bus_bits > 0 && profile.l2_bytes > 0);
        assert!(profile.shared_per_block_optin + profile.shared_reserved_per_block <= profile.shared_per_sm);
    }
}

#[test]
fn the_t4_is_the_texts_own() {
    let t4 = get("t4");
    assert_eq!((t4.total_memory, t4.sms, t4.max_threads_per_sm), (15_828_320_256, 40, 1024));
    assert_eq!((t4.max_blocks_per_sm, t4.regs_per_sm), (16, 65536));
}

/// An SM with 2048 threads, 32 blocks and 65536 registers.
#[test]
fn the_usual_exercises() {
    let a100 = get("a100");
    let percent = |threads, regs| occupancy(a100, threads, regs, 0).percent();
    assert_eq!(percent(32, 32), 50.0);
    assert_eq!(percent(64, 32), 100.0);
    assert_eq!(percent(1024, 32), 100.0);
    let found = occupancy(a100, 32, 32, 0);
    assert_eq!((found.blocks, found.limiter), (32, Limiter::Blocks));
    let found = occupancy(a100, 256, 128, 0);
    assert_eq!((found.blocks, found.warps, found.limiter), (2, 16, Limiter::Registers));
    let ada = get("rtx4090");
    assert_eq!(occupancy(ada, 1024, 32, 0).percent().round(), 67.0);
    assert_eq!(occupancy(ada, 1024, 32, 0).limiter, Limiter::Threads);
    assert_eq!(occupancy(ada, 512, 32, 0).percent(), 100.0);
}

#[test]
fn registers_are_allocated_by_warp_in_units_in_a_quarter_of_the_sm() {
    let a100 = get("a100");
    // 33 registers per thread are 1056 per warp, allocated as 1280: 12 warps in each quarter, 48 in all.
    assert_eq!(occupancy(a100, 32 * 6, 33, 0).limits.registers, 8);
    // 255 registers per thread are 8160 per warp, allocated as 8192: 2 warps in each quarter. A block of 9 warps does
    // not fit.
    assert_eq!(occupancy(a100, 256, 255, 0).blocks, 1);
    assert_eq!(occupancy(a100, 288, 255, 0).blocks, 0);
    assert_eq!(occupancy(a100, 32, 256, 0).blocks, 0);
    // 168 registers per thread are 5376 per warp, so 3 warps in each quarter: 12 warps, though all registers would hold
    // 12.19.
    assert_eq!(occupancy(a100, 96, 168, 0).blocks, 4);
    // 88 registers per thread are 2816 per warp: 5 in a quarter of 16384, so 20, where the whole register file would
    // hold 23.
    assert_eq!(occupancy(a100, 32, 88, 0).blocks, 20);
}

#[test]
fn shared_memory_counts_what_the_system_takes() {
    let a100 = get("a100");
    // 164 KiB: 10 x (15 KiB + 1 KiB) = 160 KiB.
    let found = occupancy(a100, 128, 16, 15 * 1024);
    assert_eq!((found.blocks, found.limiter), (10, Limiter::SharedMemory));
    assert_eq!(occupancy(a100, 128, 16, 163 * 1024).blocks, 1);
    assert_eq!(occupancy(a100, 128, 16, 163 * 1024 + 1).blocks, 0);
    // Before 8.0 nothing is reserved: 64 KiB hold 4 x 16 KiB.
    assert_eq!(occupancy(get("t4"), 128, 16, 16 * 1024).blocks, 4);
    assert_eq!(occupancy(get("t4"), 128, 16, 0).limits.shared, u32::MAX);
}

#[test]
fn impossible_blocks_have_no_occupancy() {
    let a100 = get("a100");
    assert_eq!(occupancy(a100, 0, 16, 0).blocks, 0);
    assert_eq!(occupancy(a100, 1025, 16, 0).blocks, 0);
    assert_eq!(occupancy(a100, u32::MAX, u32::MAX, u32::MAX).blocks, 0);
}

#[test]
fn the_best_block_is_the_largest_that_fills_the_sm() {
    let a100 = get("a100");
    assert_eq!(best_block(a100, 32, 0, 1024, 0, |_| 0), Some((1024, 216)));
    // An SM holds 1536 threads: a block of 768 fills it, one of 1024 does not.
    assert_eq!(best_block(get("rtx4090"), 32, 0, 1024, 0, |_| 0), Some((768, 256)));
    // With at most 100 threads in a block, 32 blocks of 64 are 2048 threads, and 21 of 96 are only 2016.
    assert_eq!(best_block(a100, 32, 0, 1024, 100, |_| 0).unwrap().0, 64);
    assert_eq!(best_block(a100, 32, 0, 1024, 0, |_| u32::MAX), None);
}
