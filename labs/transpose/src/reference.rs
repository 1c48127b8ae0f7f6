//! The transpose on the CPU.
use harness::parallel_chunks;

/// The transpose of a matrix of rows of `n` floats.
pub fn transpose(matrix: &[f32], n: usize) -> Vec<f32> {
    let m = matrix.len().checked_div(n).unwrap_or(0);
    let mut out = vec![0.0; matrix.len()];
    if m > 0 {
        // Several rows of the result at a time, so that the lines of the matrix that they share are still in the cache.
        parallel_chunks(&mut out, 16 * m, |i, rows| {
            for (y, line) in matrix.chunks_exact(n).enumerate() {
                for (row, value) in rows.chunks_exact_mut(m).zip(&line[16 * i..]) {
                    row[y] = *value;
                }
            }
        });
    }
    out
}
