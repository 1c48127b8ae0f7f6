//! Every correct method counts any text in any launch on the emulated device.
use harness::{Row, launch_1d};
use histogram::{Bins, COUNTING, Counter, Counting, LAB, Text, reference};
use proptest::prelude::*;

fn count(row: &Row<Counting>, bins: Bins, text: &[u8], blocks: u32, threads: u32) -> Vec<u64> {
    let (kernels, stream) = labtest::kernels(&LAB);
    let mut config = launch_1d(blocks, threads);
    config.shared_mem_bytes = row.shared_bytes(bins, threads);
    let device = stream.clone_htod(if text.is_empty() { &[0][..] } else { text }).unwrap();
    let mut counts = stream.clone_htod(&vec![u64::MAX; bins.count()]).unwrap();
    let mut counter = Counter::new(kernels, row, bins, config).unwrap();
    counter.launch(&device, text.len(), &mut counts).unwrap();
    stream.clone_dtoh(&counts).unwrap()
}

fn right() -> Vec<(&'static Row<Counting>, Bins)> {
    let right = COUNTING.iter().filter(|row| row.variant.expect == harness::Expect::Right);
    right.flat_map(|row| row.bins.iter().map(move |bins| (row, *bins))).collect()
}

fn sizes() -> impl Strategy<Value = usize> {
    prop_oneof![
        0..3000usize,
        prop::sample::select(vec![0, 1, 15, 16, 17, 63, 64, 65, 4093, 16381, 16384, 32771]),
        (0..15u32, 0..3usize).prop_map(|(k, d)| ((1usize << k) + d).saturating_sub(1)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_any_launch(
        (row, bins) in prop::sample::select(right()),
        text in prop::sample::select(Text::ALL.to_vec()),
        n in sizes(),
        threads in prop_oneof![1..=1024u32, prop::sample::select(vec![1, 31, 32, 33, 256, 1024])],
        blocks in 1..=5u32,
        seed: u64,
    ) {
        let text = text.make(seed, n);
        prop_assert_eq!(count(row, bins, &text, blocks, threads), reference(bins, &text));
    }
}

#[test]
fn every_byte_value_goes_where_it_should() {
    // Each value occurs a different number of times. With 64 bytes for each thread, the wide loads and the rest both
    // see all values.
    let text: Vec<u8> = (0..=255u8).flat_map(|b| vec![b; 100 + usize::from(b)]).collect();
    for (row, bins) in right() {
        let counts = count(row, bins, &text, 2, 64);
        assert_eq!(counts, reference(bins, &text), "{} {}", row.name(), bins.name());
    }
}

#[test]
fn nothing_gives_nothing() {
    for (row, bins) in right() {
        assert_eq!(count(row, bins, b"", 1, 32), vec![0; bins.count()], "{}", row.name());
    }
}

#[test]
fn plain_additions_get_lost() {
    // The 32 lanes of one warp add to one word simultaneously, and one of the 32 additions is kept.
    for row in &COUNTING[..2] {
        let counts = count(row, Bins::Letters, &[b'a'; 4096], 1, 32);
        assert!(counts[0] < 4096, "{}: {counts:?}", row.name());
    }
}
