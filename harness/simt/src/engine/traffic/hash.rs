//! A map by addresses, whose hash is one multiplication: it is asked for every access.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A map by addresses.
pub(crate) type Map<K, V> = HashMap<K, V, BuildHasherDefault<Product>>;

/// Multiplies by an odd number and keeps the upper bits.
#[derive(Default)]
pub(crate) struct Product(u64);

impl Hasher for Product {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }
    fn write_u64(&mut self, value: u64) {
        self.0 = (self.0 ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    }
}
