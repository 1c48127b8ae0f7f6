//! Questions about masks, tiles and products that arithmetic answers.
use harness::{Answer, Question};

use crate::{ImageMethod, LayerSize, Shape, image};

/// The side of the image that the questions are about.
const SIDE: u32 = 8192;

/// The blocks of a method for that image.
fn blocks(method: ImageMethod, radius: u32) -> f64 {
    let (columns, rows, _) = method.launch(SIDE, SIDE, radius).grid_dim;
    f64::from(columns) * f64::from(rows)
}

/// The per cent of a method's threads that have a result, inside of an image.
fn busy(method: ImageMethod, radius: u32) -> f64 {
    let Shape::Constant(_, results) = method.shape else { unreachable!("its mask is in constant memory") };
    let ((columns, rows), (x, y)) = (results(radius), method.block);
    100.0 * f64::from(columns * rows) / f64::from(x * y)
}

/// The floats of shared memory of a block for each of its 32 x 32 results.
fn floats_a_result(method: ImageMethod, radius: u32) -> f64 {
    f64::from(method.launch(SIDE, SIDE, radius).shared_mem_bytes / size_of::<f32>() as u32) / 1024.0
}

/// The products of a result by the whole mask, and by its row and its column.
fn products(radius: u32) -> [f64; 2] {
    let taps = f64::from(2 * radius + 1);
    [taps * taps, 2.0 * taps]
}

pub(crate) fn all() -> Vec<Question> {
    let ask = |variant: &'static str, case: &str, asks: &str, expected: f64, obtained: f64| Question {
        variant,
        case: case.into(),
        asks: asks.into(),
        expected: Answer::Number(expected, 0.005),
        obtained: Answer::exactly(obtained),
    };
    let layer = LayerSize { images: 32, channels: 64, filters: 64, height: 56, width: 56 };
    let [images, weights, results] = layer.floats().map(|floats| floats as f64);
    let (depth, pixels) = (layer.depth() as f64, layer.pixels() as f64);
    let all = [
        ("image-tile-in", "busy", "How many per cent of the threads have a result at radius 2?", 76.56, {
            busy(image::TILE_IN, 2)
        }),
        ("image-tile-in", "busy, radius 8", "And at radius 8?", 25.0, busy(image::TILE_IN, 8)),
        ("image-tile-in", "blocks", "How many blocks does an image of 8192x8192 need at radius 2?", 85849.0, {
            blocks(image::TILE_IN, 2)
        }),
        ("image-tile-out", "loads", "How many points does a block load for each result at radius 2?", 1.27, {
            floats_a_result(image::TILE_OUT, 2)
        }),
        ("image-tile-out", "loads, radius 8", "And at radius 8?", 2.25, floats_a_result(image::TILE_OUT, 8)),
        ("image-wide", "products", "How many products has a result at radius 8?", 289.0, products(8)[0]),
        ("separable-wide", "products", "And by a row and a column?", 34.0, products(8)[1]),
        (
            "layer-unfolded",
            "factor",
            "How many megabytes has the right factor of 32x64x56x56, with 3x3 masks?",
            231.21,
            { 4.0 * depth * pixels / 1e6 },
        ),
        (
            "layer-implicit",
            "intensity",
            "How many operations are there for each byte of images, weights and results?",
            { 143.59 },
            2.0 * results * depth / (4.0 * (images + weights + results)),
        ),
    ];
    all.into_iter()
        .map(|(variant, case, asks, expected, obtained)| ask(variant, case, asks, expected, obtained))
        .collect()
}
