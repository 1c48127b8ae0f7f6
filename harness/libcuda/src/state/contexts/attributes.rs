//! Attributes of streams, and of kernels in graphs (`CUlaunchAttributeValue`). But for the size of a cluster and
//! whether a kernel is cooperative, which a kernel's geometry has, they are kept and given back, and change nothing.

use crate::abi::constants::launch_attribute::{
    ACCESS_POLICY_WINDOW, CLUSTER_DIMENSION, CLUSTER_SCHEDULING_POLICY, COOPERATIVE, DEVICE_UPDATABLE, MEM_SYNC_DOMAIN,
    MEM_SYNC_DOMAIN_MAP, PRIORITY, SHARED_MEMORY_CARVEOUT, SYNCHRONIZATION_POLICY,
};
use crate::abi::error::{Error, Result};
use std::collections::BTreeMap;

/// The least urgent priority. Greater numbers are less urgent. Priorities are stored, but change nothing here.
pub const LEAST_PRIORITY: i32 = 0;
/// The most urgent priority.
pub const GREATEST_PRIORITY: i32 = -5;

/// A value, of which each attribute uses some bytes.
pub type Value = [u8; 64];

/// The attributes that streams have.
pub const OF_STREAMS: [i32; 5] =
    [ACCESS_POLICY_WINDOW, SYNCHRONIZATION_POLICY, PRIORITY, MEM_SYNC_DOMAIN_MAP, MEM_SYNC_DOMAIN];
/// Those that a kernel which is captured takes from its stream.
const INHERITED: [i32; 4] = [ACCESS_POLICY_WINDOW, PRIORITY, MEM_SYNC_DOMAIN_MAP, MEM_SYNC_DOMAIN];
/// The attributes that kernels in graphs have.
pub const OF_NODES: [i32; 9] = [
    ACCESS_POLICY_WINDOW,
    COOPERATIVE,
    CLUSTER_DIMENSION,
    CLUSTER_SCHEDULING_POLICY,
    PRIORITY,
    MEM_SYNC_DOMAIN_MAP,
    MEM_SYNC_DOMAIN,
    DEVICE_UPDATABLE,
    SHARED_MEMORY_CARVEOUT,
];

/// How many bytes an attribute uses.
pub fn bytes_of(attribute: i32) -> usize {
    match attribute {
        ACCESS_POLICY_WINDOW => 32,
        CLUSTER_DIMENSION => 12,
        DEVICE_UPDATABLE => 16,
        MEM_SYNC_DOMAIN_MAP => 2,
        _ => 4,
    }
}

/// The value that a number has.
pub fn number(value: i32) -> Value {
    numbers([value])
}

/// The value that several numbers have.
pub fn numbers<const N: usize>(values: [i32; N]) -> Value {
    let mut all = [0; 64];
    for (to, value) in all.chunks_exact_mut(4).zip(values) {
        to.copy_from_slice(&value.to_ne_bytes());
    }
    all
}

/// The number at a place of a value, counted in numbers.
pub fn number_at(value: &Value, at: usize) -> i32 {
    i32::from_ne_bytes([value[4 * at], value[4 * at + 1], value[4 * at + 2], value[4 * at + 3]])
}

/// Attributes that were set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Attributes(BTreeMap<i32, Value>);

impl Attributes {
    /// The value of an attribute, set or not.
    pub fn get(&self, attribute: i32) -> Value {
        self.0.get(&attribute).copied().unwrap_or_else(|| match attribute {
            // What an H100's driver gives for a new stream.
            SYNCHRONIZATION_POLICY => number(-1),
            // The two domains are apart.
            MEM_SYNC_DOMAIN_MAP => {
                let mut value = [0; 64];
                value[1] = 1;
                value
            }
            _ => [0; 64],
        })
    }

    /// Sets an attribute. A priority out of range is moved into it.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` for a policy that there is not.
    pub fn set(&mut self, attribute: i32, mut value: Value) -> Result {
        value[bytes_of(attribute)..].fill(0);
        match attribute {
            // `CU_SYNC_POLICY_AUTO` to `CU_SYNC_POLICY_BLOCKING_SYNC`.
            SYNCHRONIZATION_POLICY if !(1..=4).contains(&number_at(&value, 0)) => return Err(Error::INVALID_VALUE),
            PRIORITY => value = number(number_at(&value, 0).clamp(GREATEST_PRIORITY, LEAST_PRIORITY)),
            _ => {}
        }
        self.0.insert(attribute, value);
        Ok(())
    }

    /// Takes over all that were set elsewhere.
    pub fn extend(&mut self, other: &Attributes) {
        self.0.extend(&other.0);
    }

    /// What a kernel has that is captured in a stream with these.
    pub fn of_captured_kernel(&self) -> Attributes {
        let inherited = |(attribute, _): &(&i32, &Value)| INHERITED.contains(attribute);
        Attributes(self.0.iter().filter(inherited).map(|(attribute, value)| (*attribute, *value)).collect())
    }
}
