//! Local variables and parameters, as debug information describes them: their names, types and places.

use serde::{Deserialize, Serialize};

/// A local variable or a parameter of a function.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LocalVariable {
    /// Its name.
    pub name: String,
    /// The function whose code it belongs to, as instructions name it.
    pub function: String,
    /// Its type: an index into [`Header::types`](crate::Header::types).
    pub type_index: u32,
    /// The instructions at which it is in scope.
    pub scope: PtxRange,
    /// Where its value is. Another place is listed for each part of its scope in which it is elsewhere.
    pub places: Vec<VariablePlace>,
}

/// Instructions, by their lines in the PTX.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PtxRange {
    /// The first line.
    pub start: u32,
    /// The line after the last one.
    pub end: u32,
}

impl PtxRange {
    /// Whether an instruction at this line belongs to the range.
    pub fn contains(self, ptx_line: u32) -> bool {
        (self.start..self.end).contains(&ptx_line)
    }
}

/// Where a variable is while the lane is at some instructions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VariablePlace {
    /// The instructions that will be executed next.
    pub range: PtxRange,
    /// Where it is.
    pub location: VariableLocation,
}

/// Where the value of a variable is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub enum VariableLocation {
    /// In a register of its function, with this name.
    Register(String),
    /// In the lane's local memory.
    Local {
        /// The register of its function that holds the address from which the offset counts.
        base: String,
        /// The offset.
        offset: u32,
    },
    /// In the block's shared memory: the name of a [`SharedVariable`](crate::SharedVariable), and an offset in it.
    Shared {
        /// The name.
        name: String,
        /// The offset.
        offset: u32,
    },
    /// In an argument of the kernel, by its index, and an offset in it.
    Argument {
        /// The index.
        index: u32,
        /// The offset.
        offset: u32,
    },
    /// Where a reader cannot find it, and why.
    Unknown(String),
}

/// The type of a variable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub enum VariableType {
    /// A number or a truth value.
    Scalar {
        /// How its bits are read.
        encoding: ScalarEncoding,
        /// Its size.
        bytes: u32,
    },
    /// A pointer or a reference; `None` for `void*`.
    Pointer(Option<u32>),
    /// An array. One with several dimensions is an array of arrays.
    Array {
        /// The type of its elements.
        element: u32,
        /// How many there are.
        count: u64,
    },
    /// A structure, class or union.
    Structure {
        /// Its name.
        name: String,
        /// Its size.
        bytes: u32,
        /// Its members, except for those of some bits only.
        fields: Vec<Field>,
    },
    /// A type of another kind, by its name.
    Other(String),
}

/// How the bits of a scalar are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ScalarEncoding {
    /// A truth value.
    Bool,
    /// An integer with a sign.
    Signed,
    /// An integer without a sign.
    Unsigned,
    /// A floating-point number.
    Float,
}

/// A member of a structure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// Its offset.
    pub offset: u32,
    /// Its type: an index into [`Header::types`](crate::Header::types).
    pub type_index: u32,
}
