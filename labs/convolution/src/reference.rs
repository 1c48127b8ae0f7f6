//! Convolutions on the CPU, in f64. Beyond its ends a line is 0, and so is an image beyond its edges.
use std::sync::Mutex;

use harness::{parallel_chunks, parallel_vec};

use crate::LayerSize;

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

/// A layer: the sums over all channels of 3 x 3 pixels times a filter's factors, laid out as the kernels have them; and
/// the largest sum of the magnitudes of a result's products.
pub fn layer(images: &[f32], weights: &[f32], size: LayerSize) -> (Vec<f64>, f64) {
    let (area, width, height) = (size.area(), size.width as usize, size.height as usize);
    let (channels, filters, depth) = (size.channels as usize, size.filters as usize, size.depth());
    let mut out = vec![0.0; size.floats()[2]];
    let largest = Mutex::new(0.0_f64);
    parallel_chunks(&mut out, area.max(1), |at, sums| {
        let (image, filter) = (at / filters, at % filters);
        let mut magnitudes = vec![0.0; area];
        for d in 0..depth {
            let factor = f64::from(weights[filter * depth + d]);
            let plane = &images[(image * channels + d / 9) * area..][..area];
            let (i, j) = (d % 9 / 3, d % 3);
            // Result (y, x) needs pixel (y + i - 1, x + j - 1).
            let (first, end) = (1_usize.saturating_sub(j), (width + 1 - j).min(width));
            for y in 1_usize.saturating_sub(i)..(height + 1 - i).min(height) {
                let from = &plane[(y + i - 1) * width + first + j - 1..(y + i - 1) * width + end + j - 1];
                let here = y * width + first..y * width + end;
                let places = sums[here.clone()].iter_mut().zip(&mut magnitudes[here]);
                for ((sum, magnitude), value) in places.zip(from) {
                    let product = factor * f64::from(*value);
                    *sum += product;
                    *magnitude += product.abs();
                }
            }
        }
        let most = magnitudes.into_iter().fold(0.0, f64::max);
        let mut largest = largest.lock().expect("nothing panics while it is held");
        *largest = largest.max(most);
    });
    (out, largest.into_inner().expect("nothing panics while it is held"))
}
