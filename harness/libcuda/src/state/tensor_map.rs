//! Tensor maps: the driver's rules for their descriptions.
//!
//! The rules are those of the driver 580 on an H200: they reproduce its results for the 2400 maps of
//! `harness/libcudart/tests/tensors/h200.txt.gz`. Where they differ from cuda.h, a comment says so.

use crate::abi::error::{Error, Result};
use simt::tensor::limits::MOST_STEP;
use simt::tensor::{Element, Interleave, MOST_DIMENSIONS, Shape, TensorMap};

/// The spans of swizzles in bytes, by number.
const SPANS: [Option<u64>; 4] = [None, Some(32), Some(64), Some(128)];

/// The numbers of `CUtensorMapL2promotion` are below this one.
const PROMOTIONS: i32 = 4;

/// The maximum size of a column of pixels in a tensor without slices, in bytes: the shared memory of a block. The
/// largest column that an H200's driver accepted had 226,912 bytes, the smallest that it refused 233,680.
const MOST_COLUMN_BYTES: u64 = 227 << 10;

/// The description apart from the shape; the arrays have one element per dimension of the tensor.
pub struct Described {
    pub element: i32,
    pub address: u64,
    pub dims: Vec<u64>,
    pub strides: Vec<u64>,
    pub steps: Vec<u32>,
    pub interleave: i32,
    pub swizzle: i32,
    pub promotion: i32,
    pub fill: i32,
}

/// Fails unless a rule is satisfied.
fn rule(holds: bool) -> Result {
    if holds { Ok(()) } else { Err(Error::INVALID_VALUE) }
}

/// Converts a number of an enumeration.
fn number<T>(number: i32, find: impl Fn(u32) -> Option<T>) -> Result<T> {
    u32::try_from(number).ok().and_then(find).ok_or(Error::INVALID_VALUE)
}

/// Returns the first elements of an array, padded with `rest` to the length of the result.
fn five<T: Copy, const N: usize>(list: &[T], rest: T) -> [T; N] {
    std::array::from_fn(|at| list.get(at).copied().unwrap_or(rest))
}

/// Returns whether a tensor may begin at an address.
fn may_begin(address: u64, interleave: Interleave) -> bool {
    address.is_multiple_of(if interleave == Interleave::B32 { 32 } else { 16 })
}

/// Creates the map of a tensor from which boxes are taken.
pub fn tiled(described: &Described, sizes: &[u32]) -> Result<TensorMap> {
    make(described, Shape::Tiled(five(sizes, 1)), sizes[0])
}

/// Creates the map of a tensor from which pixels are taken. The corners have one element for each dimension between the
/// innermost and the outermost one.
pub fn im2col(
    described: &Described,
    (lower, upper): (&[i32], &[i32]),
    channels: u32,
    pixels: u32,
) -> Result<TensorMap> {
    let rank = described.dims.len();
    rule((3..=MOST_DIMENSIONS).contains(&rank))?;
    // The driver uses the low 32 bits of a size. Pixels of slices begin with the first dimension.
    let sliced = described.interleave != Interleave::None as i32;
    for ((lower, upper), size) in lower.iter().zip(upper).zip(&described.dims[usize::from(!sliced)..]) {
        rule(i64::from(*size as u32) + i64::from(*upper) > i64::from(*lower))?;
    }
    let shape = Shape::Im2col { lower: five(lower, 0), upper: five(upper, 0), channels, pixels };
    let map = make(described, shape, channels)?;
    let column = u64::from(channels) * u64::from(map.element.bytes()) * u64::from(pixels);
    rule(column <= MOST_COLUMN_BYTES)?;
    Ok(map)
}

/// Creates the map of a tensor from which rows of `row` elements are taken.
fn make(described: &Described, shape: Shape, row: u32) -> Result<TensorMap> {
    let Described { address, ref dims, ref strides, ref steps, .. } = *described;
    let element = number(described.element, Element::from_number)?;
    let interleave = number(described.interleave, Interleave::from_number)?;
    let swizzle = number(described.swizzle, |at| SPANS.get(at as usize).map(|span| (at, *span)))?;
    let fill_nan = number(described.fill, |fill| [false, true].get(fill as usize).copied())?;
    rule((0..PROMOTIONS).contains(&described.promotion))?;
    let rank = dims.len();
    rule((1..=MOST_DIMENSIONS).contains(&rank) && (interleave == Interleave::None || rank >= 3))?;
    rule(may_begin(address, interleave))?;
    let multiple = if interleave == Interleave::B32 { 32 } else { 16 };
    rule(strides.iter().all(|stride| stride.is_multiple_of(multiple)))?;
    // cuda.h: without slices, the step of the innermost dimension is ignored. It must nevertheless be valid.
    rule(steps.iter().all(|step| (1..=MOST_STEP).contains(step)))?;
    let mut steps: [u32; MOST_DIMENSIONS] = five(steps, 1);
    if interleave == Interleave::None {
        steps[0] = 1;
    }
    // cuda.h requires a multiple of 16 bytes only without slices, and a swizzle of 32 bytes with slices of 32.
    let bytes = u64::from(row) * u64::from(element.bytes());
    rule(bytes.is_multiple_of(16))?;
    rule(interleave != Interleave::None || swizzle.1.is_none_or(|span| bytes <= span))?;
    rule(!fill_nan || element.is_float())?;
    let map = TensorMap {
        address,
        element,
        rank: rank as u32,
        dims: five(dims, 1),
        strides: five(strides, 0),
        shape,
        steps,
        interleave,
        swizzle: swizzle.0,
        fill_nan,
    };
    rule(map.valid().is_some())?;
    Ok(map)
}

/// Returns the words of a map with a different address.
pub fn moved(words: &[u64; 16], address: u64) -> Result<[u64; 16]> {
    let map = TensorMap::from_words(words).ok_or(Error::INVALID_VALUE)?;
    rule(may_begin(address, map.interleave))?;
    Ok(TensorMap { address, ..map }.words())
}
