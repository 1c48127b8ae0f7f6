//! Functions that a driver provides: `printf`, `assert`, `malloc`, calls of the runtime, and clocks.

mod arguments;
mod assert;
mod call;
pub(crate) mod clock;
mod format;
mod heap;
mod hints;
mod print;
mod runtime;

pub(crate) use call::Call;

use super::code::Inst;
use super::row::FamilyRow;
use ptx::opcode::Opcode;

/// The instructions of this family.
pub(super) const ROWS: &[FamilyRow] = &[
    FamilyRow::new(Opcode::Createpolicy, hints::createpolicy),
    FamilyRow::new(Opcode::Griddepcontrol, hints::griddepcontrol),
    FamilyRow::new(Opcode::Nanosleep, clock::nanosleep),
    FamilyRow::new(Opcode::Pmevent, hints::pmevent),
    FamilyRow::new(Opcode::Setmaxnreg, hints::setmaxnreg).waits(),
];

/// A function that the machine provides: PTX declares it without a body.
pub(crate) struct Function {
    /// Its name.
    name: &'static str,
    /// The number of its parameters.
    parameters: usize,
    /// The number of parameters that are read.
    pub arguments: usize,
    /// Lowers a call of it.
    pub lower: fn(&Call) -> Inst,
    /// Whether [`Call::packing`] describes its arguments.
    pub prints: bool,
}

/// The functions.
const FUNCTIONS: [Function; 5] = [
    Function { arguments: 4, ..function("__assertfail", 5, assert::assertfail) },
    function("__simt_runtime", 2, runtime::runtime),
    function("free", 1, heap::free),
    function("malloc", 1, heap::malloc),
    Function { prints: true, ..function("vprintf", 2, print::vprintf) },
];

const fn function(name: &'static str, parameters: usize, lower: fn(&Call) -> Inst) -> Function {
    Function { name, parameters, arguments: parameters, lower, prints: false }
}

/// Returns the function with this name and number of parameters.
pub(crate) fn provided(name: &str, parameters: usize) -> Option<&'static Function> {
    FUNCTIONS.iter().find(|f| f.name == name && f.parameters == parameters)
}

/// Unsupported parts of CUDA's device runtime: prefixes of function names, and what a kernel that calls them does.
const LACKING: [(&str, &str); 7] = [
    ("__cudaCDP2", "a kernel that calls the runtime on the device"),
    ("cudaLaunchDevice", "a kernel that launches kernels as before CUDA 12"),
    ("cudaGetParameterBuffer", "a kernel that launches kernels as before CUDA 12"),
    ("cudaDeviceSynchronize", "a kernel that waits for kernels that it launched"),
    ("__cudaDeviceSynchronize", "a kernel that waits for kernels that it launched"),
    ("cudaGraphLaunch", "a kernel that launches graphs"),
    ("cudaGraphKernelNode", "a kernel that changes graphs"),
];

/// Returns what a kernel that calls the function with this name does, if the machine is known not to support it.
pub(crate) fn lacking(name: &str) -> Option<&'static str> {
    LACKING.iter().find(|(prefix, _)| name.starts_with(prefix)).map(|(_, what)| *what)
}
