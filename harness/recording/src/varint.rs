//! Numbers of variable length: seven bits a byte, the lowest first; the top bit says that more follow.

/// Appends a number.
pub fn put(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

/// Takes a number from the front of `bytes`; `None` if they end before it does, or it exceeds 64 bits.
pub fn take(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        if shift == 63 && byte > 1 {
            return None;
        }
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(value);
        }
    }
    None
}

/// Maps signed numbers to unsigned ones, such that small magnitudes stay small.
pub const fn zigzag(value: i64) -> u64 {
    (value << 1 ^ value >> 63) as u64
}

/// Reverses [`zigzag`].
pub const fn unzigzag(value: u64) -> i64 {
    (value >> 1) as i64 ^ -((value & 1) as i64)
}
