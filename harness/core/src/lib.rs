//! wip
pub static MACHINE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/machine.bin"));
