//! Every method multiplies any matrix in blocks of any whole warps on the emulated device.
use harness::Check;
use proptest::prelude::*;
use sparse::{Csr, Expected, LAB, METHODS, MatrixKind, Product, ProductMethod};

/// The methods that are right.
fn ways() -> Vec<ProductMethod> {
    METHODS
        .iter()
        .filter(|row| !["coo-plain", "no-guard", "no-carries"].contains(&row.name()))
        .map(|row| row.with)
        .collect()
}

/// Multiplies twice with the same product, whose state must be reset each time; y holds NaN before.
fn multiply(way: ProductMethod, a: &Csr, warps: u32, lanes: u32) -> Check {
    let (kernels, stream) = labtest::kernels(&LAB);
    let x: Vec<f32> = (0..a.columns).map(|i| ((i * 7919 + 13) % 1000) as f32 / 500.0 - 1.0).collect();
    let expected = Expected::new(a, &x);
    let arrays = way.arrays(a);
    let there = arrays.upload(|_, list| Ok(stream.clone_htod(list)?), |_, list| Ok(stream.clone_htod(list)?)).unwrap();
    let (start, column) = (stream.clone_htod(&a.start).unwrap(), stream.clone_htod(&a.column).unwrap());
    let (value, x) = (stream.clone_htod(&a.value).unwrap(), stream.clone_htod(&x).unwrap());
    let (words, floats) = arrays.in_order(&there, (&start, &column, &value));
    let mut product = Product::new(kernels, way, a, &arrays, 32 * warps, lanes).unwrap();
    product.prepare(&words).unwrap();
    let mut check = Check::default();
    for _ in 0..2 {
        let mut y = stream.clone_htod(&vec![f32::NAN; a.rows]).unwrap();
        product.launch(&words, &floats, &x, &mut y).unwrap();
        let y = stream.clone_dtoh(&y).unwrap();
        check.merge(expected.check(&y[..a.rows]));
    }
    check
}

/// A matrix of up to 200 rows and columns: rows of many lengths, some of them empty, some full.
fn any_matrix() -> impl Strategy<Value = Csr> {
    let lengths = prop::collection::vec(prop_oneof![3 => Just(0usize), 4 => 0..8usize, 1 => 0..200usize], 1..200);
    (lengths, 1..200usize, any::<u32>()).prop_map(|(lengths, columns, seed)| {
        let mut state = seed;
        let mut draw = move || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state >> 8
        };
        let mut entries = Vec::new();
        for (row, length) in lengths.iter().enumerate() {
            for _ in 0..*length {
                let value = draw() as f32 / (1 << 23) as f32 - 1.0;
                entries.push((row as u32, draw() % columns as u32, value));
            }
        }
        Csr::from_entries(lengths.len(), columns, entries)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_rows_any_block(
        way in prop::sample::select(ways()),
        a in any_matrix(),
        warps in 1..=32u32,
        lanes in (0..=5u32).prop_map(|k| 1 << k),
    ) {
        let check = multiply(way, &a, warps, lanes);
        prop_assert!(check.passed(), "{way:?}, {} entries: {}", a.entries(), check.summary());
    }
}

#[test]
fn every_kind_and_no_entries_at_all() {
    for way in ways() {
        for a in MatrixKind::ALL.map(|kind| kind.make(1, 300)).into_iter().chain([Csr::from_entries(5, 3, Vec::new())])
        {
            let check = multiply(way, &a, 4, 4);
            assert!(check.passed(), "{way:?}, {} entries: {}", a.entries(), check.summary());
        }
    }
}

/// Tiles of the merge path that begin and end within rows, at ends of rows, among thousands of empty rows, and in a row
/// that goes over many tiles.
#[test]
fn tiles_may_end_anywhere() {
    let merges = ways().into_iter().filter(|way| matches!(way, ProductMethod::Merge { .. }));
    for way in merges {
        for lengths in [vec![20_000], vec![1791, 1791, 1], vec![1792; 3], vec![0; 6000], vec![7; 900]] {
            let entries = lengths
                .iter()
                .enumerate()
                .flat_map(|(row, length)| (0..*length).map(move |k| (row as u32, k % 50, (k % 17) as f32 - 8.0)));
            let a = Csr::from_entries(lengths.len(), 50, entries.collect());
            let check = multiply(way, &a, 8, 1);
            assert!(check.passed(), "{way:?}, {} rows: {}", lengths.len(), check.summary());
        }
    }
}
