//! All rows, and the search for one.

use super::table::{Form, Table};
use super::{approx, bits, carry, compare, convert, float, half, integer, logic, select, simd};
use std::collections::HashMap;
use std::sync::LazyLock;

fn rows(t: &mut Table) {
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
    simd::rows(t);
}

struct Index {
    forms: Vec<Form>,
    by_name: HashMap<String, usize>,
}

static INDEX: LazyLock<Index> = LazyLock::new(|| {
    let mut table = Table::default();
    rows(&mut table);
    let mut by_name = HashMap::new();
    for (i, form) in table.forms.iter().enumerate() {
        for name in &form.names {
            by_name.insert(name.clone(), i);
        }
    }
    Index { forms: table.forms, by_name }
});

/// Every row.
pub fn all_forms() -> &'static [Form] {
    &INDEX.forms
}

/// The row for an opcode with its modifiers, as written in PTX: `add.rn.f32`, `setp.lt.s32`.
///
/// Modifiers that PTX allows to be left out may be left out here, too: both spellings are in the table.
pub fn find(name: &str) -> Option<&'static Form> {
    INDEX.by_name.get(name).map(|&i| &INDEX.forms[i])
}

/// The row for an opcode written with two destinations, `d|q` (`setp`, `lop3` with a predicate).
pub fn find_pair(name: &str) -> Option<&'static Form> {
    find(&format!("{name}|"))
}

/// The row for a `cvt` whose registers have these sizes in bits.
///
/// A `cvt` may take its source from a register wider than the source type, and leave its result in one wider than the
/// destination type, extended by the sign of that type. For registers of the types' own sizes (16 bits for the 8-bit
/// types) this is [`find`].
pub fn find_cvt(name: &str, dst_bits: u32, src_bits: u32) -> Option<&'static Form> {
    let plain = find(name)?;
    if plain.dst.size() * 8 == dst_bits && plain.src.first()?.size() * 8 == src_bits {
        return Some(plain);
    }
    find(&format!("{name}/{dst_bits}/{src_bits}"))
}
