//! Tensor maps as drivers create them, and some that no driver creates.

use super::{DATA, Draw};
use simt::tensor::{Element, Interleave, Shape, TensorMap};

/// Returns a tensor map as a driver creates it, over data that may or may not fit into the buffer.
pub(super) fn map(draw: &mut Draw) -> TensorMap {
    let element = draw.pick(&Element::ALL);
    let bytes = u64::from(element.bytes());
    let rank = 1 + draw.below(5) as u32;
    let interleave = match draw.below(6) {
        0 if rank >= 3 => Interleave::B16,
        1 if rank >= 3 => Interleave::B32,
        _ => Interleave::None,
    };
    let columns = rank >= 3 && draw.one_in(4);
    let (mut dims, mut strides, mut sizes, mut steps) = ([1u64; 5], [0u64; 4], [1u32; 5], [1u32; 5]);
    let mut stride = 0;
    for d in 0..rank as usize {
        dims[d] = if draw.one_in(8) { 1 << draw.below(33) } else { 1 + draw.below(40) };
        sizes[d] = if draw.one_in(8) { 1 + draw.below(256) as u32 } else { 1 + draw.below(8) as u32 };
        steps[d] = if draw.one_in(4) { 1 + draw.below(8) as u32 } else { 1 };
        stride = if d == 0 { dims[0].wrapping_mul(bytes) } else { stride.wrapping_mul(dims[d]) };
        stride = (stride % (1 << 39)).next_multiple_of(16);
        if d < 4 {
            strides[d] = stride;
        }
    }
    // A row is a multiple of 16 bytes.
    sizes[0] = sizes[0].next_multiple_of((16 / bytes).max(1) as u32).min(256);
    let swizzle = draw.below(4) as u32;
    let shape = if columns {
        let corner = |draw: &mut Draw| [0, 1, 2].map(|_| draw.below(9) as i32 - 4);
        let (lower, upper) = (corner(draw), corner(draw));
        Shape::Im2col { lower, upper, channels: sizes[0], pixels: 1 + draw.below(64) as u32 }
    } else {
        Shape::Tiled(sizes)
    };
    let address = DATA + 16 * draw.below(64);
    let fill_nan = draw.one_in(3);
    let mut map = TensorMap { address, element, rank, dims, strides, shape, steps, interleave, swizzle, fill_nan };
    if draw.one_in(3) {
        for _ in 0..=draw.below(4) {
            beyond(draw, &mut map);
        }
    }
    map
}

/// Sets one field to a number that a driver rejects, as if a kernel could sign its own map.
fn beyond(draw: &mut Draw, map: &mut TensorMap) {
    let (value, at) = (draw.edge(), draw.below(5) as usize);
    let size = draw.pick(&[0, 257, 512, 1000, 2048, 4096, 16384, 32768, 65535]);
    match draw.below(8) {
        0 => map.address = value,
        1 => map.dims[at] = (value & 0xffff_ffff) + 1,
        2 => map.strides[at % 4] = value,
        3 => map.steps[at] = value as u32 & 0xff,
        4 => map.swizzle = value as u32 & 0xff,
        _ => match &mut map.shape {
            Shape::Tiled(sizes) => sizes[at % map.rank as usize] = size,
            Shape::Im2col { channels, .. } if draw.one_in(2) => *channels = size,
            Shape::Im2col { pixels, .. } => *pixels = draw.edge() as u32,
        },
    }
}
