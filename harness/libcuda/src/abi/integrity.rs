//! The value by which NVIDIA's runtime tests whether the driver is the one that it expects.
//!
//! The runtime calls the driver, computes the same value, and refuses a driver that returns another one. ZLUDA has
//! published the computation (`dark_api` in its repository). Its passes are HMAC (RFC 2104) with MD2 (RFC 1319) under a
//! fixed key, over a structure of the process and one of each device.

use md2::{Digest, Md2};

/// The key of the keyed hash.
const KEY: [u8; 16] = *b"\x14\x6a\xdd\xae\x53\xa9\xa7\x52\xaa\x08\x41\x36\x0b\xf5\x5a\x9f";

/// The values of the two oldest editions of the test, which depend on nothing.
const FIXED: [[u64; 2]; 2] =
    [[0x3341_181c_03cb_675c, 0x8ed3_83aa_1f4c_d1e8], [0x1841_181c_03cb_675c, 0x8ed3_83aa_1f4c_d1e8]];

/// What the value is computed from, in the order in which it is hashed.
pub struct IntegrityInput {
    /// The value of `cuDriverGetVersion`.
    pub driver_version: u32,
    /// The runtime's version, whose last digit is the edition of the test.
    pub runtime_version: u32,
    pub process: u32,
    /// The lower half of `pthread_self`.
    pub thread: u32,
    /// The addresses of the table of the runtime interface, of the table of the test, and of its function.
    pub tables: [u64; 3],
    /// The time that the runtime passed.
    pub unix_seconds: u64,
    pub devices: Vec<DeviceIdentity>,
}

/// What identifies a device.
pub struct DeviceIdentity {
    pub uuid: [u8; 16],
    /// Domain, bus and device.
    pub pci: [u32; 3],
}

impl IntegrityInput {
    /// Returns the value.
    pub fn hash(&self) -> [u64; 2] {
        let edition = self.runtime_version % 10;
        FIXED.get(edition as usize).copied().unwrap_or_else(|| halves(keyed_hash(&KEY, &self.bytes())))
    }

    fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let process = [self.driver_version, self.runtime_version, self.process, self.thread];
        bytes.extend(process.iter().flat_map(|word| word.to_le_bytes()));
        bytes.extend(self.tables.iter().chain([&self.unix_seconds]).flat_map(|word| word.to_le_bytes()));
        for device in &self.devices {
            bytes.extend(device.uuid);
            bytes.extend(device.pci.iter().flat_map(|word| word.to_le_bytes()));
        }
        bytes
    }
}

fn halves(hash: [u8; 16]) -> [u64; 2] {
    let value = u128::from_le_bytes(hash);
    [value as u64, (value >> 64) as u64]
}

/// HMAC-MD2. The key is as long as a block of MD2.
fn keyed_hash(key: &[u8; 16], message: &[u8]) -> [u8; 16] {
    let inner = Md2::new().chain_update(key.map(|byte| byte ^ 0x36)).chain_update(message).finalize();
    Md2::new().chain_update(key.map(|byte| byte ^ 0x5c)).chain_update(inner).finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input(runtime_version: u32, seconds: u64) -> IntegrityInput {
        IntegrityInput {
            driver_version: 13000,
            runtime_version,
            process: 1,
            thread: 2,
            tables: [3, 4, 5],
            unix_seconds: seconds,
            devices: vec![DeviceIdentity { uuid: [6; 16], pci: [7, 8, 9] }],
        }
    }

    #[test]
    fn the_two_oldest_editions_depend_on_nothing() {
        assert_eq!(input(11080, 1).hash(), input(12000, 2).hash());
        assert_eq!(input(11081, 1).hash(), input(12001, 2).hash());
        assert_ne!(input(11080, 1).hash(), input(11081, 1).hash());
        assert_ne!(input(13002, 1).hash(), input(13002, 2).hash());
    }

    /// The structures of the process and of one device, without gaps.
    #[test]
    fn every_field_is_hashed() {
        assert_eq!(input(13002, 1).bytes().len(), 4 * 4 + 3 * 8 + 8 + 16 + 3 * 4);
    }

    /// The expected value was computed by a second implementation of the two RFCs.
    #[test]
    fn the_keyed_hash_is_hmac() {
        let expected = *b"\x61\x5c\xf1\x7d\xa5\xc1\xfc\x3b\xd1\x19\x7d\x34\xd6\xfa\x23\x1c";
        assert_eq!(keyed_hash(&KEY, b"what do ya want for nothing?"), expected);
    }
}
