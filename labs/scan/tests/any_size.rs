//! Every method scans any n in any block on the emulated device.
use cudarc::driver::LaunchConfig;
use harness::{Check, launch_1d};
use proptest::prelude::*;
use scan::{Element, Expected, LAB, METHODS, Passes, Scanner, Scanning};

/// The correct methods; `single-pass` with 16 and with 32 elements per thread.
fn ways() -> [Scanning; 6] {
    let [kogge_stone, brent_kung, three_kernel, single_pass, ahead]: [_; 5] = std::array::from_fn(|i| METHODS[i].with);
    [kogge_stone, brent_kung, three_kernel, Scanning { items: 16, ..single_pass }, single_pass, ahead]
}

/// Scans `n` random elements, or as many as one block holds, twice with the same scanner, whose state must be reset
/// each time. Persistent blocks are three, with a fixed number of threads. `None` if the device is too small for it.
fn scan<T: Element>(how: Scanning, n: usize, threads: u32, inclusive: bool, seed: u64) -> Option<Check> {
    let (kernels, stream) = labtest::kernels(&LAB);
    let takes_many = how.passes == Passes::Ahead;
    let threads = if takes_many { how.threads } else { threads };
    let n = n.min(how.capacity(threads));
    let x: Vec<T> = T::random(seed, n);
    let blocks = (how.tiles(n, threads) as u32).min(if takes_many { 3 } else { u32::MAX });
    let shared_mem_bytes = how.shared_bytes(threads);
    let config = LaunchConfig { shared_mem_bytes, ..launch_1d(blocks, threads + how.others) };
    let scanner = Scanner::<T>::new(kernels, how, n, config);
    let mut scanner = labtest::unless_skipped(kernels, scanner)?;
    let dx = if n == 0 { stream.alloc_zeros(1) } else { stream.clone_htod(&x) }.unwrap();
    let mut check = Check::default();
    for _ in 0..2 {
        let mut out = stream.alloc_zeros::<T>(n.max(1)).unwrap();
        scanner.launch(&dx, &mut out, inclusive).unwrap();
        let out = stream.clone_dtoh(&out).unwrap();
        let roundings = how.longest_chain(n, threads);
        check.merge(Expected::from_input(&x).check(&out[..n], inclusive, roundings));
    }
    Some(check)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_n_any_block(
        how in prop::sample::select(ways().to_vec()),
        n in prop_oneof![
            0..3000usize,
            prop::sample::select(vec![0, 1, 2, 31, 32, 33, 1021, 4093, 16381, 40009]),
            (0..15u32, 0..3usize).prop_map(|(k, d)| ((1usize << k) + d).saturating_sub(1)),
        ],
        threads in prop_oneof![1..=1024u32, prop::sample::select(vec![1, 2, 31, 32, 33, 64, 256, 1000, 1024])],
        inclusive: bool,
        seed: u64,
    ) {
        let integers = scan::<u32>(how, n, threads, inclusive, seed);
        let floats = scan::<f32>(how, n, threads, inclusive, seed);
        for (kind, check) in [("u32", integers), ("f32", floats)] {
            if let Some(check) = check {
                prop_assert!(check.passed(), "{kind}: {}", check.summary());
            }
        }
    }
}

#[test]
fn many_tiles_look_back_past_the_window() {
    // There are 300 tiles of 32 x 32; each lane watches four predecessors, so a warp watches 128 at once.
    for how in &ways()[3..5] {
        let n = 300 * 32 * how.items as usize + 1;
        let check = scan::<u32>(*how, n, 32, true, 1).unwrap();
        assert!(check.passed(), "{}", check.summary());
    }
}

#[test]
fn three_kernels_carry_over_many_sums() {
    let check = scan::<u32>(ways()[2], 16 * 32 * 300 + 5, 32, false, 1).unwrap();
    assert!(check.passed(), "{}", check.summary());
}

/// Each of three blocks takes more tiles than its ring has stages; the last tile is whole, or lacks all but one
/// element, or lacks one.
#[test]
fn few_blocks_go_round_the_ring() {
    let ahead = ways()[5];
    let tile = (ahead.threads * ahead.items) as usize;
    for n in [0, 1, tile - 1, tile, 26 * tile + 1, 27 * tile, 28 * tile - 1] {
        let integers = scan::<u32>(ahead, n, 0, n % 2 == 0, 1);
        let floats = scan::<f32>(ahead, n, 0, n % 2 != 0, 1);
        for check in [integers, floats].into_iter().flatten() {
            assert!(check.passed(), "{n}: {}", check.summary());
        }
    }
}
