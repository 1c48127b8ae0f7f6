//! Convolutions of lines and images, and layers of many channels: where the mask and the neighbours live, and what it
//! takes to come close to a copy or to the tensor cores.
mod image;
mod layer;
mod line;
pub mod masks;
mod npp;
mod questions;
pub mod reference;

use harness::{
    Claim, Lab, Measure, Result, Row, Run, Size, Story, VariantFilter, arguments, clap::Arg, clap::value_parser,
    column, row, rung,
};

pub use image::{Arguments, ImageMethod, Shape, launch};
pub use layer::{LayerMethod, LayerSize, launch_layer};
pub use line::{LineMethod, MaskPlace};

/// The lab.
pub static LAB: Lab = Lab {
    name: "convolution",
    summary: "convolutions of lines, images and layers: masks in constant memory, halo tiles, registers, products",
    kernels: &[
        kernels::source!("convolution"),
        kernels::source!("wide"),
        kernels::source!("wrong"),
        kernels::source!("layer", headers: ["layer.cuh"]),
        kernels::source!("tensor", headers: ["layer.cuh"]),
    ],
    variants: &[&LINES, &WRONG_LINES, &IMAGES, &WRONG_IMAGES, &LIBRARY, &LAYERS],
    columns: &[
        column("radius", "radius of the mask, which has 2 radius + 1 factors on each side"),
        column("width", "points in a row of the image"),
        column("height", "rows of the image"),
        column("images", "images of the layer"),
        column("channels", "planes of an image of the layer"),
        column("filters", "filters of the layer: planes of its result"),
    ],
    options,
    ignored: &[
        (&["blocks"], VariantFilter::Every),
        (&["n", "threads"], VariantFilter::Tables(&[&IMAGES, &WRONG_IMAGES, &LIBRARY, &LAYERS])),
        (&["width", "height"], VariantFilter::Tables(&[&LINES, &WRONG_LINES, &LAYERS])),
        (&["radius"], VariantFilter::Tables(&[&LAYERS])),
        (
            &["images", "channels", "filters", "side"],
            VariantFilter::Tables(&[&LINES, &WRONG_LINES, &IMAGES, &WRONG_IMAGES, &LIBRARY]),
        ),
    ],
    questions: questions::all,
    run,
    story: Some(STORY),
    assignment: harness::assignment!(),
    ..Lab::DEFAULT
};

/// What a run of the lab shows.
const STORY: Story = Story {
    question: "Where should a mask and its halo live?",
    ladder: &[rung("line-global"), rung("line-constant"), rung("line-shared"), rung("line-wide")],
    measure: Measure::Time,
    size: Size::scaled([1 << 14, 1 << 15, 1 << 16], 1 << 26),
    options: &[],
    claim: Claim::Less {
        less: rung("line-wide"),
        more: rung("line-global"),
        by: 2.0,
        why: "factors in constant memory cost no loads, and an element that is loaded is used for several results",
    },
};

/// On a line.
#[rustfmt::skip]
pub static LINES: &[Row<LineMethod>] = &[
    row("line-global", "a line, a thread an element: the mask is an array in global memory", line::GLOBAL),
    row("line-readonly", "like line-global, but the arrays are known to be read only", LineMethod { kernel: |_| "line_readonly", ..line::GLOBAL }),
    row("line-constant", "like line-global, but the mask is in constant memory", line::CONSTANT),
    row("line-shared", "like line-constant, but the block loads its elements and their halo once", line::SHARED),
    row("line-wide", "like line-constant, but four elements a thread, as float4, and a mask of known size", line::WIDE),
];

/// Wrong on a line.
#[rustfmt::skip]
pub static WRONG_LINES: &[Row<LineMethod>] = &[
    row("halo-off-by-one", "like line-shared, but the halo on the right ends one element early",
        LineMethod { file: "wrong.cu", kernel: |_| "halo_off_by_one", ..line::SHARED })
        .wrong("the last cell of each block's halo is never loaded"),
    row("mask-not-copied", "like line-constant, but the host does not fill the mask",
        LineMethod { file: "wrong.cu", kernel: |_| "mask_not_copied", ..line::CONSTANT })
        .wrong("constant memory that nothing was copied to holds zeros"),
];

/// On an image.
#[rustfmt::skip]
pub static IMAGES: &[Row<ImageMethod>] = &[
    row("image-global", "an image, a thread a point: the mask is an array in global memory", image::GLOBAL),
    row("image-constant", "like image-global, but the mask is in constant memory", image::CONSTANT),
    row("image-tile-in", "like image-constant, but the block loads a point a thread into shared memory: the inner ones have results", image::TILE_IN),
    row("image-tile-out", "like image-tile-in, but each thread has four results, and all load what these need", image::TILE_OUT),
    row("image-wide", "like image-constant, but 4 columns and 4 rows a thread in registers, and a mask of known size", image::WIDE),
    row("image-overlap", "like image-wide, but overlapping warps: the outer lanes only load",
        ImageMethod { shape: Shape::Known(&[None, Some("image_overlap_2")], (120, 32)), ..image::WIDE }),
    row("image-overlap-tall", "like image-overlap, but 8 rows a thread",
        ImageMethod { shape: Shape::Known(&[None, Some("image_overlap_2_tall")], (120, 64)), ..image::WIDE }),
    row("separable", "the mask as a row and a column: two kernels, the sums along the rows go to memory and back", image::PASSES),
    row("separable-fused", "like separable, but one kernel: the sums stay in shared memory", image::FUSED),
    row("separable-wide", "like separable-fused, but in registers, as in image-wide", image::WIDE_PRODUCT),
];

/// Wrong on an image.
#[rustfmt::skip]
pub static WRONG_IMAGES: &[Row<ImageMethod>] = &[
    row("edges-wrapped", "like image-constant, but only the index of a point is tested, not its column",
        ImageMethod { file: "wrong.cu", shape: Shape::Constant("edges_wrapped", |_| (32, 8)), ..image::GLOBAL })
        .wrong("beyond an edge on the left or on the right lies the other end of a neighbouring row"),
];

/// NVIDIA's library.
pub static LIBRARY: &[Row] = &[row("npp", "NVIDIA's library for images, when it can be loaded", ())];

/// A layer of many channels and filters.
#[rustfmt::skip]
pub static LAYERS: &[Row<LayerMethod>] = &[
    row("layer-naive", "a layer of channels and filters, 3 x 3: a thread a result", LayerMethod::Naive),
    row("layer-shared", "like layer-naive, but tiles in shared memory, and 8 filters a thread", LayerMethod::Shared),
    row("layer-unfolded", "as a product of matrices, the right one written first: each pixel nine times (im2col)", LayerMethod::Unfolded),
    row("layer-implicit", "like layer-unfolded, but the right matrix is never written: its elements come from the images", LayerMethod::Implicit),
    row("layer-tf32", "like layer-implicit, but on tensor cores: factors of 11 bits (8.0 and later)", LayerMethod::Tf32),
];

fn options() -> Vec<Arg> {
    let radius = "Radius of the mask, from 1 to 8 [default: 8 on a line, 2 on an image]";
    vec![
        arguments::count("radius", radius).value_parser(value_parser!(u32).range(1..=masks::LARGEST_RADIUS.into())),
        arguments::count("width", "Points in a row of the image"),
        arguments::count("height", "Rows of the image"),
        arguments::count("images", "Images of the layer"),
        arguments::count("channels", "Channels of the layer: planes of an image"),
        arguments::count("filters", "Filters of the layer: planes of its result"),
        arguments::count("side", "Pixels on each side of the layer's planes"),
    ]
}

fn run(run: &Run) -> Result<()> {
    line::run(run)?;
    image::run(run)?;
    layer::run(run)
}
