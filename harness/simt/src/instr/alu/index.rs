//! All rows, and the lookup by name.

use super::spelling::sorted;
use super::table::{AluForm, FormTable};
use super::{approx, bits, carry, compare, convert, float, half, integer, logic, quarter, select, simd, video};
use std::collections::HashMap;
use std::sync::LazyLock;

fn rows(t: &mut FormTable) {
    integer::rows(t);
    carry::rows(t);
    logic::rows(t);
    bits::rows(t);
    compare::rows(t);
    select::rows(t);
    float::rows(t);
    convert::rows(t);
    approx::rows(t);
    half::rows(t);
    quarter::rows(t);
    simd::rows(t);
    video::rows(t);
}

struct Index {
    forms: Vec<AluForm>,
    by_name: HashMap<String, usize>,
    /// The index by [`key`].
    by_words: HashMap<String, usize>,
}

static INDEX: LazyLock<Index> = LazyLock::new(|| {
    let mut table = FormTable::default();
    rows(&mut table);
    let (mut by_name, mut by_words) = (HashMap::new(), HashMap::new());
    for (i, form) in table.forms.iter().enumerate() {
        for name in &form.names {
            by_name.insert(name.clone(), i);
            by_words.insert(key(name), i);
        }
    }
    Index { forms: table.forms, by_name, by_words }
});

/// Returns the same key for spellings that differ only in the order of modifiers. What the table appends to a spelling
/// keeps its position: `|`, and the sizes of registers after `/`.
fn key(name: &str) -> String {
    let end = name.find(['|', '/']).unwrap_or(name.len());
    let (spelling, rest) = name.split_at(end);
    sorted(spelling) + rest
}

/// Returns every row.
pub fn all_forms() -> &'static [AluForm] {
    &INDEX.forms
}

/// Returns the row for an opcode with its modifiers, as written in PTX: `add.rn.f32`, `setp.lt.s32`.
///
/// Modifiers that PTX allows to omit may be omitted here, too: both spellings are in the table. Modifiers in another
/// order than in the table are found as well.
pub fn find(name: &str) -> Option<&'static AluForm> {
    let at = INDEX.by_name.get(name).or_else(|| INDEX.by_words.get(&key(name)))?;
    Some(&INDEX.forms[*at])
}

/// Returns the row for an opcode written with two destinations, `d|q` (`setp`, `lop3` with a predicate).
pub fn find_pair(name: &str) -> Option<&'static AluForm> {
    find(&format!("{name}|"))
}

/// Returns the row for a `cvt` whose registers have these sizes in bits.
///
/// A `cvt` may take its source from a register wider than the source type, and write its result to one wider than the
/// destination type, extended as that type requires. For registers of the types' own sizes (16 bits for the 8-bit
/// types) this is [`find`].
pub fn find_cvt(name: &str, dst_bits: u32, src_bits: u32) -> Option<&'static AluForm> {
    let plain = find(name)?;
    if plain.dst.size() * 8 == dst_bits && plain.src.first()?.size() * 8 == src_bits {
        return Some(plain);
    }
    find(&format!("{name}/{dst_bits}/{src_bits}"))
}

#[cfg(test)]
mod tests {
    use super::{INDEX, key};

    #[test]
    fn an_order_of_modifiers_means_one_row() {
        for (name, &row) in &INDEX.by_name {
            assert_eq!(INDEX.by_words[&key(name)], row, "{name}");
        }
    }
}
