//! A recorded launch: what each step of its warps did, and the file that holds it.
//!
//! The machine fills an [`Encoder`] with [`Step`]s while the launch runs. The driver adds a [`Header`], which has
//! everything that is known once for the launch, and writes both as a file ([`Recording::write`]). Readers get a
//! [`Recording`] back ([`Recording::read`]). `README.md` describes the bytes.
//!
//! This crate uses no other crate of the workspace: the machine, the driver, and the page all use it.

mod decode;
mod encode;
mod file;
mod float_registers;
mod header;
mod lanes;
mod replay;
mod step;
mod variable;
mod varint;

pub use encode::{Encoded, Encoder};
pub use file::{MAGIC, ReadError, Recording, VERSION};
pub use float_registers::float_registers;
pub use header::{
    Allocation, Argument, BlockRange, Cut, Finding, Header, InstructionInfo, RegisterInfo, SharedVariable, SourceFile,
    SourceLine,
};
pub use replay::{Mismatch, Replay};
pub use step::{Access, AccessKind, Change, Event, LANES, Lanes, Space, Step, lanes_of};
pub use variable::{Field, LocalVariable, PtxRange, ScalarEncoding, VariableLocation, VariablePlace, VariableType};
