//! The values of a mask's lanes as bytes. Most registers of a warp hold one value, or numbers with the same distance
//! from lane to lane; these take a few bytes.

use crate::step::{LANES, Lanes, lanes_of};
use crate::varint::{put, take, unzigzag, zigzag};

/// All lanes hold the same value.
const UNIFORM: u8 = 0;
/// The value of each lane exceeds that of the lane before it by the same number.
const AFFINE: u8 = 1;
/// All values are 0 or 1: a bit for each lane.
const BITS: u8 = 2;
/// The values follow one another, in 1, 2, 4 or 8 bytes each: this tag plus the logarithm.
const PLAIN: u8 = 3;

/// Appends the values of the lanes of `mask`, which has at least one.
pub fn put_lanes(bytes: &mut Vec<u8>, mask: u32, values: &Lanes) {
    if mask == u32::MAX {
        put_packed(bytes, values);
        return;
    }
    let (mut packed, mut count) = ([0; LANES], 0);
    for lane in lanes_of(mask) {
        packed[count] = values[lane];
        count += 1;
    }
    put_packed(bytes, &packed[..count]);
}

/// Appends values, of which there is at least one.
#[inline]
fn put_packed(bytes: &mut Vec<u8>, packed: &[u64]) {
    let first = packed[0];
    let stride = packed.get(1).map_or(0, |second| second.wrapping_sub(first));
    let differs = |pair: &[u64]| pair[1].wrapping_sub(pair[0]) ^ stride;
    let is_affine = packed.windows(2).fold(0, |all, pair| all | differs(pair)) == 0;
    let all = packed.iter().fold(0, |all, value| all | value);
    if is_affine && stride == 0 {
        bytes.push(UNIFORM);
        put(bytes, first);
    } else if all <= 1 {
        bytes.push(BITS);
        let bits = packed.iter().rev().fold(0u32, |bits, value| bits << 1 | *value as u32);
        put(bytes, bits.into());
    } else if is_affine {
        bytes.push(AFFINE);
        put(bytes, first);
        put(bytes, zigzag(stride as i64));
    } else {
        let log = [0xff, 0xffff, 0xffff_ffff].iter().filter(|most| all > **most).count();
        bytes.push(PLAIN + log as u8);
        match log {
            0 => bytes.extend(packed.iter().map(|value| *value as u8)),
            1 => put_plain(bytes, packed, |value| (value as u16).to_le_bytes()),
            2 => put_plain(bytes, packed, |value| (value as u32).to_le_bytes()),
            _ => put_plain(bytes, packed, u64::to_le_bytes),
        }
    }
}

/// Appends the `SIZE` bytes of each value.
fn put_plain<const SIZE: usize>(bytes: &mut Vec<u8>, values: &[u64], bytes_of: impl Fn(u64) -> [u8; SIZE]) {
    let mut all = [[0; SIZE]; LANES];
    for (all, value) in all.iter_mut().zip(values) {
        *all = bytes_of(*value);
    }
    bytes.extend_from_slice(all[..values.len()].as_flattened());
}

/// Takes the values of the lanes of `mask` from the front of `bytes`.
pub fn take_lanes(bytes: &mut &[u8], mask: u32) -> Option<Lanes> {
    let mut values = [0; LANES];
    let (&tag, rest) = bytes.split_first()?;
    *bytes = rest;
    match tag {
        UNIFORM => {
            let value = take(bytes)?;
            lanes_of(mask).for_each(|lane| values[lane] = value);
        }
        AFFINE => {
            let mut value = take(bytes)?;
            let stride = unzigzag(take(bytes)?) as u64;
            for lane in lanes_of(mask) {
                values[lane] = value;
                value = value.wrapping_add(stride);
            }
        }
        BITS => {
            let mut bits = take(bytes)?;
            for lane in lanes_of(mask) {
                values[lane] = bits & 1;
                bits >>= 1;
            }
        }
        PLAIN..=6 => {
            let size = 1 << (tag - PLAIN);
            for lane in lanes_of(mask) {
                let (value, rest) = bytes.split_at_checked(size)?;
                *bytes = rest;
                let mut whole = [0; 8];
                whole[..size].copy_from_slice(value);
                values[lane] = u64::from_le_bytes(whole);
            }
        }
        _ => return None,
    }
    Some(values)
}
