//! Attributes of streams, and of kernels in graphs (`CUlaunchAttributeValue`). They are stored and returned, but have
//! no effect, except for the size of a cluster and the cooperative flag, which are part of a kernel's geometry.

use crate::abi::constants::launch_attribute::{
    ACCESS_POLICY_WINDOW, CLUSTER_DIMENSION, CLUSTER_SCHEDULING_POLICY_PREFERENCE, COOPERATIVE,
    DEVICE_UPDATABLE_KERNEL_NODE, MEM_SYNC_DOMAIN, MEM_SYNC_DOMAIN_MAP, PREFERRED_SHARED_MEMORY_CARVEOUT, PRIORITY,
    SYNCHRONIZATION_POLICY,
};
use crate::abi::error::{Error, Result};
use std::collections::BTreeMap;

/// The least urgent priority. Greater numbers are less urgent. Priorities are stored, but have no effect.
pub const LEAST_PRIORITY: i32 = 0;
/// The most urgent priority.
pub const GREATEST_PRIORITY: i32 = -5;

/// A value; each attribute uses some of its bytes.
pub type Value = [u8; 64];

/// The attributes that streams have.
pub const OF_STREAMS: [i32; 5] =
    [ACCESS_POLICY_WINDOW, SYNCHRONIZATION_POLICY, PRIORITY, MEM_SYNC_DOMAIN_MAP, MEM_SYNC_DOMAIN];
/// The attributes that a captured kernel inherits from its stream.
const INHERITED: [i32; 4] = [ACCESS_POLICY_WINDOW, PRIORITY, MEM_SYNC_DOMAIN_MAP, MEM_SYNC_DOMAIN];
/// The attributes that kernels in graphs have.
pub const OF_NODES: [i32; 9] = [
    ACCESS_POLICY_WINDOW,
    COOPERATIVE,
    CLUSTER_DIMENSION,
    CLUSTER_SCHEDULING_POLICY_PREFERENCE,
    PRIORITY,
    MEM_SYNC_DOMAIN_MAP,
    MEM_SYNC_DOMAIN,
    DEVICE_UPDATABLE_KERNEL_NODE,
    PREFERRED_SHARED_MEMORY_CARVEOUT,
];

/// Returns the number of bytes that an attribute uses.
pub fn bytes_of(attribute: i32) -> usize {
    match attribute {
        ACCESS_POLICY_WINDOW => 32,
        CLUSTER_DIMENSION => 12,
        DEVICE_UPDATABLE_KERNEL_NODE => 16,
        MEM_SYNC_DOMAIN_MAP => 2,
        _ => 4,
    }
}

/// Returns the value for a number.
pub fn number(value: i32) -> Value {
    numbers([value])
}

/// Returns the value for several numbers.
pub fn numbers<const N: usize>(values: [i32; N]) -> Value {
    let mut all = [0; 64];
    for (to, value) in all.chunks_exact_mut(4).zip(values) {
        to.copy_from_slice(&value.to_ne_bytes());
    }
    all
}

/// Returns the number at an index of a value.
pub fn number_at(value: &Value, at: usize) -> i32 {
    i32::from_ne_bytes([value[4 * at], value[4 * at + 1], value[4 * at + 2], value[4 * at + 3]])
}

/// Attributes that were set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Attributes(BTreeMap<i32, Value>);

impl Attributes {
    /// Returns the value of an attribute, set or not.
    pub fn get(&self, attribute: i32) -> Value {
        self.0.get(&attribute).copied().unwrap_or_else(|| match attribute {
            // The default of a new stream on an H100.
            SYNCHRONIZATION_POLICY => number(-1),
            // The two domains are separate.
            MEM_SYNC_DOMAIN_MAP => {
                let mut value = [0; 64];
                value[1] = 1;
                value
            }
            _ => [0; 64],
        })
    }

    /// Sets an attribute. A priority out of range is clamped.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` for a policy that does not exist.
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

    /// Copies all attributes that were set in `other`.
    pub fn extend(&mut self, other: &Attributes) {
        self.0.extend(&other.0);
    }

    /// Returns the attributes of a kernel that is captured in a stream with these attributes.
    pub fn of_captured_kernel(&self) -> Attributes {
        let inherited = |(attribute, _): &(&i32, &Value)| INHERITED.contains(attribute);
        Attributes(self.0.iter().filter(inherited).map(|(attribute, value)| (*attribute, *value)).collect())
    }
}
