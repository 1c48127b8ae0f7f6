//! Words that many PTX instructions have among their modifiers.

use crate::ptx::ast::Type;

/// The vector's length and the type of a load's or store's opcode.
pub fn element(op: &str) -> Option<(u32, Type)> {
    let mut count = 1;
    let mut ty = None;
    for word in op.split('.').skip(1) {
        match word {
            "v2" => count = 2,
            "v4" => count = 4,
            "v8" => count = 8,
            _ => ty = Type::named(word).or(ty),
        }
    }
    Some((count, ty?))
}
