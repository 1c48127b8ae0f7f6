//! Registers of kernels as NVIDIA's assembler reports them, for modules that a client will load.

use crate::state::device::sync::lock;
use std::collections::BTreeMap;
use std::sync::Mutex;
use wire::module_digest;

/// Registers by the name of the kernel, by the digest of its module's PTX.
type Registers = BTreeMap<u64, BTreeMap<String, u32>>;

static KNOWN: Mutex<Registers> = Mutex::new(BTreeMap::new());

/// Adds the registers of modules.
pub fn know(registers: Registers) {
    lock(&KNOWN).extend(registers);
}

/// Returns the registers of the kernels of `ptx`; empty if the client has given none.
pub fn registers(ptx: &str) -> BTreeMap<String, u32> {
    let known = lock(&KNOWN);
    // Most programs give none, and their modules may be large.
    if known.is_empty() { BTreeMap::new() } else { known.get(&module_digest(ptx)).cloned().unwrap_or_default() }
}
