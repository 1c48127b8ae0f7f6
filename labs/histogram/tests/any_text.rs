//! Every right method counts any text in any launch, on the emulated device.
use std::sync::{Arc, OnceLock};

use cudarc::{
    driver::{CudaFunction, CudaModule, CudaStream, DriverError},
    nvrtc::Ptx,
};
use harness::{DeviceChoice, Session};
use histogram::{Bins, Counter, Method, Text, reference};
use proptest::prelude::*;

/// The emulated device's stream and the lab's kernels, opened once.
fn device() -> &'static (Arc<CudaStream>, Arc<CudaModule>) {
    static DEVICE: OnceLock<(Arc<CudaStream>, Arc<CudaModule>)> = OnceLock::new();
    let device = DEVICE.get_or_init(|| {
        let session = Session::open(&DeviceChoice::Emulated("a100".into())).unwrap();
        let ptx = Ptx::from_src(histogram::LAB.kernels[0].ptx.to_string());
        (
            session.stream.clone(),
            session.context.load_module(ptx).unwrap(),
        )
    });
    // The tests' threads share the context.
    device.0.context().bind_to_thread().unwrap();
    device
}

fn load(_: &str, kernel: &str) -> Result<CudaFunction, DriverError> {
    device().1.load_function(kernel)
}

fn count(method: Method, bins: Bins, text: &[u8], blocks: u32, threads: u32) -> Vec<u64> {
    let stream = &device().0;
    let counter = Counter::new(stream, method, bins, (blocks, threads), load).unwrap();
    let device = stream
        .clone_htod(if text.is_empty() { &[0][..] } else { text })
        .unwrap();
    let mut counts = stream.clone_htod(&vec![u64::MAX; bins.count()]).unwrap();
    counter.launch(&device, text.len(), &mut counts).unwrap();
    stream.clone_dtoh(&counts).unwrap()
}

fn right() -> Vec<(Method, Bins)> {
    let all = Method::ALL
        .into_iter()
        .flat_map(|m| Bins::ALL.map(|b| (m, b)));
    all.filter(|(m, b)| !m.is_racy() && m.counts(*b)).collect()
}

fn sizes() -> impl Strategy<Value = usize> {
    prop_oneof![
        0..3000usize,
        prop::sample::select(vec![
            0, 1, 15, 16, 17, 63, 64, 65, 4093, 16381, 16384, 32771
        ]),
        (0..15u32, 0..3usize).prop_map(|(k, d)| ((1usize << k) + d).saturating_sub(1)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_any_launch(
        (method, bins) in prop::sample::select(right()),
        text in prop::sample::select(Text::ALL.to_vec()),
        n in sizes(),
        threads in prop_oneof![1..=1024u32, prop::sample::select(vec![1, 31, 32, 33, 256, 1024])],
        blocks in 1..=5u32,
        seed: u64,
    ) {
        let text = text.make(seed, n);
        prop_assert_eq!(count(method, bins, &text, blocks, threads), reference(bins, &text));
    }
}

#[test]
fn every_byte_value_goes_where_it_should() {
    // Each value another number of times; 64 bytes a thread, so that wide loads and the rest both see all.
    let text: Vec<u8> = (0..=255u8)
        .flat_map(|b| vec![b; 100 + usize::from(b)])
        .collect();
    for (method, bins) in right() {
        let counts = count(method, bins, &text, 2, 64);
        assert_eq!(
            counts,
            reference(bins, &text),
            "{} {}",
            method.name(),
            bins.name()
        );
    }
}

#[test]
fn nothing_gives_nothing() {
    for (method, bins) in right() {
        assert_eq!(
            count(method, bins, b"", 1, 32),
            vec![0; bins.count()],
            "{}",
            method.name()
        );
    }
}

#[test]
fn plain_additions_get_lost() {
    // 32 lanes of one warp add to one word at once: one of the 32 is kept.
    for method in [Method::PartitionedRacy, Method::StridedRacy] {
        let counts = count(method, Bins::Letters, &[b'a'; 4096], 1, 32);
        assert!(counts[0] < 4096, "{}: {counts:?}", method.name());
    }
}
