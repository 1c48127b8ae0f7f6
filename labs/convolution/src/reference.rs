//! Convolutions on the CPU, in f64. Beyond its ends a line is 0, and so is an image beyond its edges.
use harness::{parallel_chunks, parallel_vec};

/// The convolution of a line: element i is the sum of mask[r + j] x[i + j] for j from -r to r.
pub fn line(x: &[f32], mask: &[f32]) -> Vec<f64> {
    let radius = mask.len() / 2;
    parallel_vec(x.len(), |i| {
        let first = (i + radius).saturating_sub(x.len() - 1);
        let last = (i + radius).min(2 * radius);
        // Tap t belongs to element i + radius - (2 radius - t).
        let taps = (2 * radius - last)..=(2 * radius - first);
        taps.map(|t| f64::from(mask[t]) * f64::from(x[i + t - radius])).sum()
    })
}

/// The convolution of an image, whose rows have `width` points, with the product of a column and a row.
pub fn image(points: &[f32], width: usize, column: &[f32], row: &[f32]) -> Vec<f64> {
    let height = points.len() / width.max(1);
    let (above, left) = (column.len() / 2, row.len() / 2);
    let mut along = vec![0.0; points.len()];
    parallel_chunks(&mut along, width.max(1), |y, sums| {
        let from = &points[y * width..(y + 1) * width];
        for (j, factor) in row.iter().enumerate() {
            let factor = f64::from(*factor);
            // Result x needs point x + j - left.
            let first = left.saturating_sub(j);
            let end = (width + left).saturating_sub(j).min(width);
            for x in first..end {
                sums[x] += factor * f64::from(from[x + j - left]);
            }
        }
    });
    let mut out = vec![0.0; points.len()];
    parallel_chunks(&mut out, width.max(1), |y, sums| {
        for (i, factor) in column.iter().enumerate() {
            let from = y + i;
            if from < above || from - above >= height {
                continue;
            }
            let from = &along[(from - above) * width..(from - above + 1) * width];
            for (sum, value) in sums.iter_mut().zip(from) {
                *sum += f64::from(*factor) * value;
            }
        }
    });
    out
}
