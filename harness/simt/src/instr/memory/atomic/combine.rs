//! The operations of atomics on single elements, for the reductions of copies.

use super::operations::combinations;

/// An operation on an element.
#[derive(Clone, Copy)]
pub(crate) struct Combine {
    /// Changes the value at the first address by the value at the second; the flag says whether it is global memory.
    ///
    /// The first address must be readable and writable, the second readable; both are aligned to the element.
    pub apply: unsafe fn(*mut u8, *const u8, bool),
    /// Bytes of an element.
    pub size: u32,
}

impl Combine {
    /// Returns the operation with this number.
    pub fn from_number(number: u32) -> Option<Combine> {
        combinations().get(number as usize).map(|(_, _, combine)| *combine)
    }
}

/// Returns the number of an operation on a type, by PTX's words for them. Sums of `f32` keep subnormal numbers, which
/// atomics in global memory treat as zero; those of `f32.ftz` do not keep them.
pub(crate) fn combination(operation: &str, ty: &str) -> Option<u32> {
    let ty = match ty {
        "f32" if operation == "add" => "f32 kept",
        "f32.ftz" => "f32",
        ty => ty,
    };
    let same = |(known, types, _): &(&str, &[&str], Combine)| *known == operation && types.contains(&ty);
    combinations().iter().position(same).map(|at| at as u32)
}
