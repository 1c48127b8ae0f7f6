//! The state of the driver: the device, contexts and streams, memory, modules, textures, graphs. It does not depend on
//! the C API.

pub mod contexts;
pub mod device;
pub mod graphs;
pub mod lifetime;
pub mod memory;
pub mod modules;
pub mod tensor_map;
pub mod textures;
