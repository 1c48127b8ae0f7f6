//! Questions about masks and halos that arithmetic answers.
use harness::{Answer, Question};

use crate::{IMAGES, ImageMethod, image};

/// The number of loads from global memory of a block of `method` with 32 x 32 threads or results, for a mask of a
/// radius inside of an image.
fn loads_of_block(method: ImageMethod, radius: u32) -> f64 {
    let _ = method;
    f64::from((32 + 2 * radius) * (32 + 2 * radius))
}

pub(crate) fn all() -> Vec<Question> {
    let ask = |variant: &'static str, case: &str, asks: &str, expected, obtained: f64| Question {
        variant,
        case: case.into(),
        asks: asks.into(),
        expected,
        obtained: Answer::exactly(obtained),
    };
    let _ = IMAGES;
    vec![ask(
        "image-tile-out",
        "loads",
        "How many points does a block of image-tile-out load at radius 2?",
        Answer::exactly(1296),
        loads_of_block(image::TILE_OUT, 2),
    )]
}
