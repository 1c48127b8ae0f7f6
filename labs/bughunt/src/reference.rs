//! The right answers, computed on the CPU.

use crate::BLOCK;

/// The differences x\[i + 1\] - x\[i\].
pub fn differences(x: &[f32]) -> Vec<f64> {
    x.windows(2).map(|pair| f64::from(pair[1]) - f64::from(pair[0])).collect()
}

/// The areas of rectangles with these sides, two for each.
pub fn areas(sides: &[i32]) -> Vec<i64> {
    sides.chunks_exact(2).map(|side| i64::from(side[0]) * i64::from(side[1])).collect()
}

/// Transposes a picture with rows of `width` pixels.
pub fn turn(picture: &[f32], width: usize) -> Vec<f32> {
    let height = picture.len() / width;
    (0..picture.len()).map(|i| picture[i % height * width + i / height]).collect()
}

/// The index of the last positive number of each row of eight; -1 if there is none.
pub fn last_positive(rows: &[i32]) -> Vec<i32> {
    let place = |row: &[i32]| row.iter().rposition(|x| *x > 0).map_or(-1, |k| k as i32);
    rows.chunks_exact(8).map(place).collect()
}

/// Reverses each tile of a block's length.
pub fn mirror(x: &[f32]) -> Vec<f32> {
    x.chunks(BLOCK).flat_map(|tile| tile.iter().rev().copied()).collect()
}

/// The distance of each number from the one before it in its tile; 0 for the first.
pub fn steps(x: &[f32]) -> Vec<f64> {
    let of = |tile: &[f32]| -> Vec<f64> {
        let before = tile.iter().take(1).chain(tile);
        tile.iter().zip(before).map(|(x, before)| (f64::from(*x) - f64::from(*before)).abs()).collect()
    };
    x.chunks(BLOCK).flat_map(of).collect()
}

/// For each tile, the number of bytes with each remainder modulo 8.
pub fn tally(bytes: &[u8]) -> Vec<u32> {
    let of = |tile: &[u8]| {
        let mut counts = [0; 8];
        for byte in tile {
            counts[usize::from(byte % 8)] += 1;
        }
        counts
    };
    bytes.chunks(BLOCK).flat_map(of).collect()
}

/// The number of even numbers in each tile.
pub fn evens(x: &[u32]) -> Vec<u32> {
    x.chunks(BLOCK).map(|tile| tile.iter().filter(|x| *x % 2 == 0).count() as u32).collect()
}

/// The sum of each warp's numbers.
pub fn warp_sums(x: &[i32]) -> Vec<i32> {
    x.chunks(32).map(|warp| warp.iter().sum()).collect()
}

/// The largest of each warp's numbers.
pub fn warp_largest(x: &[i32]) -> Vec<i32> {
    x.chunks(32).map(|warp| warp.iter().copied().max().unwrap_or(0)).collect()
}

/// re^2 + im^2 of each sample, after the one float that comes before them.
pub fn powers(recording: &[f32]) -> Vec<f64> {
    let square = |x: f32| f64::from(x) * f64::from(x);
    recording[1..].chunks_exact(2).map(|sample| square(sample[0]) + square(sample[1])).collect()
}

/// Normalizes each vector (x, y) to length 1; (0, 0) stays.
pub fn directions(vectors: &[f32]) -> Vec<f64> {
    let of = |vector: &[f32]| {
        let [x, y] = [vector[0], vector[1]].map(f64::from);
        let length = x.hypot(y);
        if length > 0.0 { [x / length, y / length] } else { [0.0, 0.0] }
    };
    vectors.chunks_exact(2).flat_map(of).collect()
}

/// Deposit + interest - withdrawal of each account, without any rounding.
pub fn balances(accounts: &[f32]) -> Vec<f64> {
    let of = |account: &[f32]| f64::from(account[0]) + f64::from(account[1]) - f64::from(account[2]);
    accounts.chunks_exact(3).map(of).collect()
}

/// The mean of each number and the one before it in its tile; the first stays.
pub fn smooth(x: &[f32]) -> Vec<f64> {
    let of = |tile: &[f32]| -> Vec<f64> {
        let before = tile.iter().take(1).chain(tile);
        tile.iter().zip(before).map(|(x, before)| f64::midpoint(f64::from(*x), f64::from(*before))).collect()
    };
    x.chunks(BLOCK).flat_map(of).collect()
}

/// The sum of the decimal digits of each number.
pub fn digits(x: &[u32]) -> Vec<u32> {
    let of = |x: &u32| std::iter::successors(Some(*x), |rest| Some(rest / 10).filter(|r| *r > 0)).map(|r| r % 10).sum();
    x.iter().map(of).collect()
}
