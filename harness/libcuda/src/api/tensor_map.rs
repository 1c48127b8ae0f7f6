//! Tensor maps (`cuTensorMap*`), which kernels pass to tensor copies.

use crate::abi::constants::device_attribute::TENSOR_MAP_ACCESS_SUPPORTED;
use crate::abi::error::{Error, Result};
use crate::abi::pointers::{get, get_all, need, put};
use crate::state::contexts::current::current;
use crate::state::device::attributes;
use crate::state::device::driver::driver;
use crate::state::tensor_map::{self, Described};
use simt::tensor::MOST_DIMENSIONS;
use std::ffi::{c_int, c_uint, c_void};

/// `CUtensorMap`.
type Map = [u64; 16];

/// The alignment of a map's address.
const ALIGNMENT: usize = 64;

/// Refuses arguments that no call accepts: a device without tensor maps, or an invalid pointer to one.
fn place(out: *const Map) -> Result {
    current()?;
    if attributes::device(driver()?.profile, TENSOR_MAP_ACCESS_SUPPORTED) != Some(1) {
        return Err(Error::NOT_SUPPORTED);
    }
    need(out)?;
    if out.addr().is_multiple_of(ALIGNMENT) { Ok(()) } else { Err(Error::INVALID_VALUE) }
}

/// Converts the number of dimensions.
fn dimensions(rank: c_uint) -> Result<usize> {
    let rank = rank as usize;
    if (1..=MOST_DIMENSIONS).contains(&rank) { Ok(rank) } else { Err(Error::INVALID_VALUE) }
}

fn tiled(
    out: *mut Map,
    element: c_int,
    rank: c_uint,
    address: *mut c_void,
    dims: *const u64,
    strides: *const u64,
    sizes: *const c_uint,
    steps: *const c_uint,
    interleave: c_int,
    swizzle: c_int,
    promotion: c_int,
    fill: c_int,
) -> Result {
    place(out)?;
    let rank = dimensions(rank)?;
    let described = Described {
        element,
        address: address.addr() as u64,
        dims: get_all(dims, rank)?,
        strides: get_all(strides, rank - 1)?,
        steps: get_all(steps, rank)?,
        interleave,
        swizzle,
        promotion,
        fill,
    };
    put(out, tensor_map::tiled(&described, &get_all(sizes, rank)?)?.words())
}

fn im2col(
    out: *mut Map,
    element: c_int,
    rank: c_uint,
    address: *mut c_void,
    dims: *const u64,
    strides: *const u64,
    lower: *const c_int,
    upper: *const c_int,
    channels: c_uint,
    pixels: c_uint,
    steps: *const c_uint,
    interleave: c_int,
    swizzle: c_int,
    promotion: c_int,
    fill: c_int,
) -> Result {
    place(out)?;
    let rank = dimensions(rank)?;
    if rank < 3 {
        return Err(Error::INVALID_VALUE);
    }
    let described = Described {
        element,
        address: address.addr() as u64,
        dims: get_all(dims, rank)?,
        strides: get_all(strides, rank - 1)?,
        steps: get_all(steps, rank)?,
        interleave,
        swizzle,
        promotion,
        fill,
    };
    let (lower, upper) = (get_all(lower, rank - 2)?, get_all(upper, rank - 2)?);
    put(out, tensor_map::im2col(&described, (&lower, &upper), channels, pixels)?.words())
}

fn replace_address(map: *mut Map, address: *mut c_void) -> Result {
    place(map)?;
    put(map, tensor_map::moved(&get(map.cast_const())?, address.addr() as u64)?)
}

entry_points! {
    cuTensorMapEncodeTiled(out: *mut Map, element: c_int, rank: c_uint, address: *mut c_void, dims: *const u64,
        strides: *const u64, sizes: *const c_uint, steps: *const c_uint, interleave: c_int, swizzle: c_int,
        promotion: c_int, fill: c_int) = tiled;
    cuTensorMapEncodeIm2col(out: *mut Map, element: c_int, rank: c_uint, address: *mut c_void, dims: *const u64,
        strides: *const u64, lower: *const c_int, upper: *const c_int, channels: c_uint, pixels: c_uint,
        steps: *const c_uint, interleave: c_int, swizzle: c_int, promotion: c_int, fill: c_int) = im2col;
    cuTensorMapReplaceAddress(map: *mut Map, address: *mut c_void) = replace_address;
}
