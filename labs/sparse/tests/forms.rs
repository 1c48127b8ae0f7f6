//! The forms of a matrix, made from CSR: each holds every entry once.
use sparse::{Csr, Ell, Jds, MatrixKind, NONE, ProductMethod, beyond, hybrid_width, lanes_for, rows_of_entries};

/// All entries by row, column and bits of the value, sorted.
fn entries(list: impl IntoIterator<Item = (u32, u32, f32)>) -> Vec<(u32, u32, u32)> {
    let mut all: Vec<_> = list.into_iter().map(|(row, column, value)| (row, column, value.to_bits())).collect();
    all.sort_unstable();
    all
}

fn of_csr(a: &Csr) -> Vec<(u32, u32, u32)> {
    entries((0..a.rows).flat_map(|row| a.row(row).map(move |k| (row as u32, a.column[k], a.value[k]))))
}

#[test]
fn every_form_has_all_entries() {
    for kind in MatrixKind::ALL {
        let a = kind.make(5, 700);
        let rows = rows_of_entries(&a);
        assert_eq!(entries((0..a.entries()).map(|k| (rows[k], a.column[k], a.value[k]))), of_csr(&a));

        let of_ell = |ell: &Ell| {
            let all = (0..ell.column.len()).map(|at| ((at % a.rows) as u32, ell.column[at], ell.value[at]));
            all.filter(|entry| entry.1 != NONE).collect::<Vec<_>>()
        };
        assert_eq!(entries(of_ell(&Ell::new(&a, a.longest()))), of_csr(&a));
        assert_eq!(ProductMethod::Ell("ell").stored(&a), a.rows * a.longest());

        let width = hybrid_width(&a);
        let (row, column, value) = beyond(&a, width);
        let rest = (0..row.len()).map(|k| (row[k], column[k], value[k]));
        assert_eq!(entries(of_ell(&Ell::new(&a, width)).into_iter().chain(rest)), of_csr(&a));
        assert_eq!(ProductMethod::Hybrid.stored(&a), width * a.rows + row.len());

        let jds = Jds::new(&a);
        let of_jds = jds.diagonal.windows(2).flat_map(|ends| ends[0]..ends[1]).map(|at| {
            let d = jds.diagonal.partition_point(|first| *first <= at) - 1;
            let row = jds.order[(at - jds.diagonal[d]) as usize];
            (row, jds.column[at as usize], jds.value[at as usize])
        });
        assert_eq!(entries(of_jds), of_csr(&a));
        assert!(jds.order.windows(2).all(|pair| a.length(pair[0] as usize) >= a.length(pair[1] as usize)));
    }
}

#[test]
fn the_transpose_has_every_entry_the_other_way_round() {
    let a = Csr::from_entries(3, 4, vec![(0, 3, 1.0), (2, 3, 1.0), (2, 0, 1.0), (1, 1, 1.0)]);
    let back = a.transposed();
    assert_eq!(
        (back.rows, back.columns, &back.start[..], &back.column[..4]),
        (4, 3, &[0, 1, 2, 2, 4][..], &[2, 1, 0, 2][..])
    );
}

/// Two thirds of the rows may be longer than the ELL part is wide.
#[test]
fn a_third_of_the_rows_fills_the_hybrid_s_width() {
    let a = Csr::from_entries(6, 9, (0..6).flat_map(|row| (0..=row).map(move |column| (row, column, 1.0))).collect());
    assert_eq!(hybrid_width(&a), 4);
    assert_eq!(hybrid_width(&Csr::from_entries(2, 2, Vec::new())), 0);
    assert_eq!(beyond(&a, 4).0, [4, 5, 5]);
}

#[test]
fn lanes_follow_the_mean_row() {
    assert_eq!([0.0, 1.9, 2.0, 7.9, 31.9, 32.0, 1e6].map(lanes_for), [1, 1, 2, 4, 16, 32, 32]);
}
