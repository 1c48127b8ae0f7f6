//! The other forms of a sparse matrix, made from CSR.
use harness::{parallel, parallel_vec};

use crate::Csr;

/// The column of padding in [`Ell`], as the kernels name it.
pub const NONE: u32 = u32::MAX;

/// The row of each entry: with the columns and values of the CSR form, this is COO, sorted by row.
pub fn rows_of_entries(a: &Csr) -> Vec<u32> {
    const CHUNK: usize = 1 << 14;
    let parts = parallel(a.rows.div_ceil(CHUNK), |chunk| {
        let rows = chunk * CHUNK..((chunk + 1) * CHUNK).min(a.rows);
        rows.flat_map(|row| std::iter::repeat_n(row as u32, a.length(row))).collect::<Vec<_>>()
    });
    parts.concat()
}

/// The same number of entries in each row: entry d of row i is at `d * rows + i`.
#[derive(Debug, PartialEq)]
pub struct Ell {
    /// Entries of each row, padding included.
    pub width: usize,
    /// The column of each entry; that of padding is [`NONE`].
    pub column: Vec<u32>,
    /// The value of each entry; that of padding is 0.
    pub value: Vec<f32>,
}

impl Ell {
    /// The first `width` entries of each row.
    pub fn new(a: &Csr, width: usize) -> Self {
        let entry =
            |at: usize| Some(a.start[at % a.rows] as usize + at / a.rows).filter(|k| *k < a.row(at % a.rows).end);
        let column = parallel_vec(width * a.rows, |at| entry(at).map_or(NONE, |k| a.column[k]));
        let value = parallel_vec(width * a.rows, |at| entry(at).map_or(0.0, |k| a.value[k]));
        Self { width, column, value }
    }
}

/// Rows sorted by length, the longest first, and their entries column by column, without padding.
#[derive(Debug, PartialEq)]
pub struct Jds {
    /// The rows of A in this order.
    pub order: Vec<u32>,
    /// Where each diagonal (the entries number d of all rows that have as many) begins, and the number of entries.
    pub diagonal: Vec<u32>,
    /// The column of each entry.
    pub column: Vec<u32>,
    /// The value of each entry.
    pub value: Vec<f32>,
}

impl Jds {
    /// Sorts and stores all rows.
    pub fn new(a: &Csr) -> Self {
        let mut order: Vec<u32> = (0..a.rows as u32).collect();
        order.sort_by_key(|row| std::cmp::Reverse(a.length(*row as usize)));
        let width = a.longest();
        // Rows that have more than d entries, for each d.
        let mut lengths = vec![0u32; width];
        for row in &order {
            if let Some(last) = a.length(*row as usize).checked_sub(1) {
                lengths[last] += 1;
            }
        }
        for d in (1..width).rev() {
            lengths[d - 1] += lengths[d];
        }
        let mut diagonal = vec![0];
        diagonal.extend(lengths.iter().scan(0, |sum, length| {
            *sum += length;
            Some(*sum)
        }));
        let of_diagonal = |d: usize| {
            let entries = order[..lengths[d] as usize].iter().map(|row| a.start[*row as usize] as usize + d);
            entries.map(|k| (a.column[k], a.value[k])).unzip::<_, _, Vec<_>, Vec<_>>()
        };
        let (column, value): (Vec<_>, Vec<_>) = parallel(width, of_diagonal).into_iter().unzip();
        Self { order, diagonal, column: column.concat(), value: value.concat() }
    }
}

/// The width of the ELL part of a hybrid: the most entries that at least a third of the rows have. What a narrower part
/// leaves out costs an atomic, and what a wider one pads costs a load (Bell and Garland, 2009).
pub fn hybrid_width(a: &Csr) -> usize {
    let mut lengths: Vec<usize> = (0..a.rows).map(|row| a.length(row)).collect();
    lengths.sort_unstable_by(|a, b| b.cmp(a));
    lengths.get(a.rows / 3).copied().unwrap_or(0)
}

/// Rows, columns and values of the entries from number `width` on in each row.
pub fn beyond(a: &Csr, width: usize) -> (Vec<u32>, Vec<u32>, Vec<f32>) {
    let (mut row, mut column, mut value) = (Vec::new(), Vec::new(), Vec::new());
    for i in 0..a.rows {
        let rest = (a.row(i).start + width).min(a.row(i).end)..a.row(i).end;
        row.extend(std::iter::repeat_n(i as u32, rest.len()));
        column.extend_from_slice(&a.column[rest.clone()]);
        value.extend_from_slice(&a.value[rest]);
    }
    (row, column, value)
}
