//! Sparse matrices in CSR form, and the kinds that the lab makes: the same entries for the same seed on every computer.
use harness::{Inputs, parallel};

/// A matrix of floats by rows: the entries of row i are those from `start[i]` to `start[i + 1] - 1`.
#[derive(Debug, Clone, PartialEq)]
pub struct Csr {
    /// Number of rows.
    pub rows: usize,
    /// Number of columns.
    pub columns: usize,
    /// The first entry of each row, and at the end the number of entries.
    pub start: Vec<u32>,
    /// The column of each entry, ascending in a row; padded with zeros to a multiple of [`ALIGNED`].
    pub column: Vec<u32>,
    /// The value of each entry, padded likewise.
    pub value: Vec<f32>,
}

/// Entries that a kernel loads at once.
pub const ALIGNED: usize = 4;

impl Csr {
    /// A matrix from the columns and values of its entries, row by row.
    ///
    /// # Panics
    /// When there are 2^31 entries or more, which the kernels' indices do not count.
    pub fn new(columns: usize, lengths: &[u32], mut column: Vec<u32>, mut value: Vec<f32>) -> Self {
        assert!(column.len() < 1 << 31 && column.len() == value.len());
        let mut start = Vec::with_capacity(lengths.len() + 1);
        let mut sum = 0;
        start.push(0);
        start.extend(lengths.iter().map(|length| {
            sum += length;
            sum
        }));
        assert_eq!(sum as usize, column.len());
        let padded = column.len().next_multiple_of(ALIGNED).max(ALIGNED);
        column.resize(padded, 0);
        value.resize(padded, 0.0);
        Self { rows: lengths.len(), columns, start, column, value }
    }

    /// A matrix from its entries in any order, as row, column and value. Entries at the same place stay apart: a
    /// product adds them up.
    pub fn from_entries(rows: usize, columns: usize, mut entries: Vec<(u32, u32, f32)>) -> Self {
        // A stable sort: entries at the same place keep the order of the file.
        entries.sort_by_key(|&(row, column, _)| (row, column));
        let mut lengths = vec![0; rows];
        for (row, ..) in &entries {
            lengths[*row as usize] += 1;
        }
        let column = entries.iter().map(|entry| entry.1).collect();
        Self::new(columns, &lengths, column, entries.iter().map(|entry| entry.2).collect())
    }

    /// Number of entries.
    pub fn entries(&self) -> usize {
        self.start[self.rows] as usize
    }

    /// The entries of a row, as a range.
    pub fn row(&self, row: usize) -> std::ops::Range<usize> {
        self.start[row] as usize..self.start[row + 1] as usize
    }

    /// Number of entries of a row.
    pub fn length(&self, row: usize) -> usize {
        self.row(row).len()
    }

    /// Entries of the longest row; 0 if there are no rows.
    pub fn longest(&self) -> usize {
        (0..self.rows).map(|row| self.length(row)).max().unwrap_or(0)
    }

    /// Bytes that a product y = A x must move: this form of the matrix, x and y, each once.
    pub fn bytes(&self) -> usize {
        4 * (2 * self.entries() + self.start.len() + self.columns + self.rows)
    }

    /// The transpose, without values: the rows that have an entry in each column. Its values are zeros.
    #[must_use]
    pub fn transposed(&self) -> Self {
        let mut lengths = vec![0u32; self.columns];
        for column in &self.column[..self.entries()] {
            lengths[*column as usize] += 1;
        }
        let mut next: Vec<u32> = Vec::with_capacity(self.columns);
        let mut sum = 0;
        for length in &lengths {
            next.push(sum);
            sum += length;
        }
        let mut rows = vec![0; self.entries()];
        for row in 0..self.rows {
            for &column in &self.column[self.row(row)] {
                let place = &mut next[column as usize];
                rows[*place as usize] = row as u32;
                *place += 1;
            }
        }
        let values = vec![0.0; rows.len()];
        Self::new(self.rows, &lengths, rows, values)
    }
}

/// How the entries of a matrix are spread over its rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatrixKind {
    /// 16 to 32 entries in each row.
    Uniform,
    /// Few entries in most rows and many in a few: a row has more than l entries with a chance of l to the power -1.5.
    PowerLaw,
    /// The 25 columns around the diagonal.
    Banded,
    /// 16 to 32 entries in each row, but for one, which has an entry in every eighth column.
    OneLong,
    /// Three of four rows are empty; the others have 64 to 128 entries.
    EmptyRows,
}

/// Rows from one generator.
const CHUNK: usize = 1 << 13;
/// Columns on each side of the diagonal of a band.
const HALF_BAND: usize = 12;

impl MatrixKind {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Uniform, Self::PowerLaw, Self::Banded, Self::OneLong, Self::EmptyRows];

    /// The name on the command line and in the CSV.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Uniform => "uniform",
            Self::PowerLaw => "power-law",
            Self::Banded => "banded",
            Self::OneLong => "one-long",
            Self::EmptyRows => "empty-rows",
        }
    }

    /// Entries of row `row` of `n`, where `draw` is uniform in [0, 1).
    fn length(self, row: usize, n: usize, draw: f64) -> usize {
        let length = match self {
            Self::OneLong if row == n / 3 => n / 8,
            Self::Uniform | Self::OneLong => 16 + (draw * 17.0) as usize,
            // Pareto's law: the mean is three times the least.
            Self::PowerLaw => (8.0 * (1.0 - draw).powf(-1.0 / 1.5)) as usize,
            Self::Banded => (row + HALF_BAND + 1).min(n) - row.saturating_sub(HALF_BAND),
            Self::EmptyRows if draw < 0.75 => 0,
            Self::EmptyRows => 64 + ((draw - 0.75) * 4.0 * 65.0) as usize,
        };
        length.min(n)
    }

    /// A matrix of this kind with `n` rows and columns. A row of l entries has one in each of l equal stretches of
    /// the columns; values are uniform in [-1, 1).
    pub fn make(self, seed: u64, n: usize) -> Csr {
        let parts = parallel(n.div_ceil(CHUNK), |chunk| self.chunk(seed, n, chunk));
        let (mut lengths, mut column, mut value) = (Vec::with_capacity(n), Vec::new(), Vec::new());
        let entries: usize = parts.iter().map(|part| part.1.len()).sum();
        column.reserve(entries + ALIGNED);
        value.reserve(entries + ALIGNED);
        for (of_rows, columns, values) in parts {
            lengths.extend(of_rows);
            column.extend(columns);
            value.extend(values);
        }
        Csr::new(n, &lengths, column, value)
    }

    /// Lengths, columns and values of the rows of a chunk.
    fn chunk(self, seed: u64, n: usize, chunk: usize) -> (Vec<u32>, Vec<u32>, Vec<f32>) {
        let rows = chunk * CHUNK..((chunk + 1) * CHUNK).min(n);
        let inputs = |what: &str| Inputs::new(seed, &format!("{}, {what} {chunk}", self.name()));
        let draws = inputs("lengths").f64(rows.len(), 0.0..1.0);
        let lengths: Vec<u32> = rows.clone().zip(&draws).map(|(row, draw)| self.length(row, n, *draw) as u32).collect();
        let entries = lengths.iter().sum::<u32>() as usize;
        let mut places = inputs("columns").u32(entries, 0..1 << 24).into_iter();
        let mut column = Vec::with_capacity(entries);
        for (row, &length) in rows.zip(&lengths) {
            let length = length as usize;
            for (entry, place) in (0..length).zip(places.by_ref()) {
                let (from, to) = (entry * n / length, (entry + 1) * n / length);
                column.push(match self {
                    Self::Banded => row.saturating_sub(HALF_BAND) + entry,
                    _ => from + (((to - from) * place as usize) >> 24),
                } as u32);
            }
        }
        (lengths, column, inputs("values").f32(entries, -1.0..1.0))
    }
}
