//! The right product, and how far from it a product may be.
use sparse::{Csr, Expected, MatrixKind};

#[test]
fn a_small_product_is_known() {
    let a = Csr::from_entries(3, 2, vec![(2, 0, 4.0), (0, 1, 2.0), (0, 0, 1.0)]);
    assert_eq!(
        (&a.start[..], &a.column[..3], &a.value[..3]),
        (&[0, 2, 2, 3][..], &[0, 1, 0][..], &[1.0, 2.0, 4.0][..])
    );
    let expected = Expected::new(&a, &[3.0, 0.5]);
    assert_eq!(expected.y, [4.0, 0.0, 12.0]);
    assert!(expected.check(&[4.0, 0.0, 12.0]).passed());
    // An empty row has no rounding, and so no tolerance.
    assert!(!expected.check(&[4.0, 1e-30, 12.0]).passed());
    assert!(!expected.check(&[4.0, 0.0, f32::NAN]).passed());
    assert!(!expected.check(&[4.0, 0.0]).passed());
}

#[test]
fn sums_in_any_order_pass_and_one_missing_entry_does_not() {
    for kind in MatrixKind::ALL {
        let a = kind.make(3, 2000);
        let x: Vec<f32> = (0..a.columns).map(|i| ((i * 37 + 11) % 101) as f32 / 50.0 - 1.0).collect();
        let expected = Expected::new(&a, &x);
        let product = |k: usize| a.value[k] * x[a.column[k] as usize];
        let forward: Vec<f32> = (0..a.rows).map(|row| a.row(row).map(product).sum()).collect();
        let backward: Vec<f32> = (0..a.rows).map(|row| a.row(row).rev().map(product).sum()).collect();
        assert!(expected.check(&forward).passed() && expected.check(&backward).passed());
        let row = (0..a.rows).max_by_key(|row| a.length(*row)).unwrap();
        let mut lacking = forward.clone();
        lacking[row] -= a.row(row).map(product).max_by(|a, b| a.abs().total_cmp(&b.abs())).unwrap();
        assert_eq!(expected.check(&lacking).summary().split(" wrong").next(), Some("1 of 2000"), "{}", kind.name());
    }
}

#[test]
fn kinds_are_what_their_names_say() {
    let n = 5000;
    let of = |kind: MatrixKind| kind.make(7, n);
    let lengths = |a: &Csr| (0..a.rows).map(|row| a.length(row)).collect::<Vec<_>>();
    for kind in MatrixKind::ALL {
        let a = of(kind);
        assert_eq!((a.rows, a.columns, a.column.len() % sparse::ALIGNED), (n, n, 0));
        assert_eq!(a, of(kind), "the same seed");
        assert_ne!(a, kind.make(8, n), "another seed");
        for row in 0..n {
            let columns = &a.column[a.row(row)];
            assert!(columns.windows(2).all(|pair| pair[0] < pair[1]) && columns.iter().all(|c| (*c as usize) < n));
        }
    }
    assert!(lengths(&of(MatrixKind::Uniform)).iter().all(|length| (16..=32).contains(length)));
    let banded = of(MatrixKind::Banded);
    assert_eq!((banded.length(0), banded.length(12), banded.length(n - 1)), (13, 25, 13));
    assert_eq!(banded.column[banded.row(100)], (88..113).collect::<Vec<u32>>()[..]);
    assert_eq!(of(MatrixKind::OneLong).longest(), n / 8);
    let empty = lengths(&of(MatrixKind::EmptyRows)).iter().filter(|length| **length == 0).count();
    assert!((3500..4000).contains(&empty), "{empty}");
    let skewed = of(MatrixKind::PowerLaw);
    assert!(skewed.longest() > 20 * skewed.entries() / n, "{}", skewed.longest());
}
