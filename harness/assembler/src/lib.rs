//! NVIDIA's assembler and disassembler, where they are installed: what `ptxas` reports about each kernel, and its
//! machine code (SASS) next to the PTX and the source that it was made from.
//!
//! The programs are closed, and run as processes of their own; nothing here runs machine code. They get the PTX as it
//! is, so a caller that must not trust its PTX does not call them.
mod disassembly;
mod error;
mod listing;
mod ptx_lines;
mod ptxas;
mod resources;
mod tools;

pub use error::Error;
pub use listing::{KernelListing, Listing, PtxLine, Routine, SassInstruction, SourceLine, listing};
pub use ptx_lines::arch;
pub use ptxas::{Assembled, CACHE, Ptxas};
pub use resources::KernelResources;
pub use tools::{Nvdisasm, Tool};
