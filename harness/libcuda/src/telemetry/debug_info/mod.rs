//! Debug information (DWARF) in PTX: the local variables of functions, their types and places, for recordings.
//!
//! `-G` of nvcc and NVRTC adds DWARF of version 2 as text: sections of numbers, and of labels where an object file has
//! addresses. A reader of object files would need addresses for these labels first, and of DWARF's forms, tags and
//! operators a compiler for PTX uses a few: this reader takes just those from the text. What it does not know, it
//! leaves out, or lists as a variable whose place is unknown.

mod entries;
mod location;
mod sections;
mod types;
mod variables;

pub use location::variable_name;
pub use variables::local_variables;

/// Tags, attributes and operators of DWARF, by their names in its standard.
mod dwarf {
    pub const TAG_ARRAY: u64 = 0x01;
    pub const TAG_CLASS: u64 = 0x02;
    pub const TAG_ENUMERATION: u64 = 0x04;
    pub const TAG_PARAMETER: u64 = 0x05;
    pub const TAG_BLOCK: u64 = 0x0b;
    pub const TAG_MEMBER: u64 = 0x0d;
    pub const TAG_POINTER: u64 = 0x0f;
    pub const TAG_REFERENCE: u64 = 0x10;
    pub const TAG_STRUCTURE: u64 = 0x13;
    pub const TAG_TYPEDEF: u64 = 0x16;
    pub const TAG_UNION: u64 = 0x17;
    pub const TAG_INLINED: u64 = 0x1d;
    pub const TAG_SUBRANGE: u64 = 0x21;
    pub const TAG_BASE: u64 = 0x24;
    pub const TAG_CONST: u64 = 0x26;
    pub const TAG_SUBPROGRAM: u64 = 0x2e;
    pub const TAG_VARIABLE: u64 = 0x34;
    pub const TAG_VOLATILE: u64 = 0x35;
    pub const TAG_RESTRICT: u64 = 0x37;
    pub const TAG_UNSPECIFIED: u64 = 0x3b;
    pub const TAG_RVALUE_REFERENCE: u64 = 0x42;

    pub const AT_LOCATION: u64 = 0x02;
    pub const AT_NAME: u64 = 0x03;
    pub const AT_BYTE_SIZE: u64 = 0x0b;
    pub const AT_BIT_SIZE: u64 = 0x0d;
    pub const AT_LOW_PC: u64 = 0x11;
    pub const AT_HIGH_PC: u64 = 0x12;
    pub const AT_UPPER_BOUND: u64 = 0x2f;
    pub const AT_ABSTRACT_ORIGIN: u64 = 0x31;
    pub const AT_ADDRESS_CLASS: u64 = 0x33;
    pub const AT_COUNT: u64 = 0x37;
    pub const AT_MEMBER_LOCATION: u64 = 0x38;
    pub const AT_ENCODING: u64 = 0x3e;
    pub const AT_TYPE: u64 = 0x49;
    pub const AT_LINKAGE_NAME: u64 = 0x6e;
    pub const AT_MIPS_LINKAGE_NAME: u64 = 0x2007;

    pub const OP_ADDR: u8 = 0x03;
    pub const OP_PLUS_UCONST: u8 = 0x23;
    pub const OP_REGX: u8 = 0x90;
}
