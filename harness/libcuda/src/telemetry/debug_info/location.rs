//! Where a variable is: expressions of DWARF with the names of the PTX.

use super::dwarf;
use super::entries::{Entry, Value};
use super::sections::{Reader, Sections};
use recording::{PtxRange, VariableLocation, VariablePlace};
use wire::demangle;

/// Spaces of addresses, as `DW_AT_address_class` numbers them.
mod class {
    pub const LOCAL: u64 = 6;
    pub const PARAMETER: u64 = 7;
    pub const SHARED: u64 = 8;
}

/// The most places of a variable.
const MOST_PLACES: usize = 4096;

/// Returns the places of a variable in its scope. `kernel` is the kernel's name in the PTX.
pub fn places(sections: &Sections<'_>, entry: &Entry<'_>, scope: PtxRange, kernel: &str) -> Vec<VariablePlace> {
    let class = entry.number(dwarf::AT_ADDRESS_CLASS).unwrap_or(0);
    let info = |at| sections.reader(".debug_info", at);
    let list = match entry.get(dwarf::AT_LOCATION) {
        Some(Value::Block(start, end)) => {
            let location = info(*start).and_then(|reader| location(sections, reader, *end, (class, kernel)));
            return vec![VariablePlace { range: scope, location: location.unwrap_or_else(unknown) }];
        }
        Some(Value::Symbol(symbol)) => sections.offset(*symbol),
        Some(Value::Number(offset)) => usize::try_from(*offset).ok(),
        _ => None,
    };
    let Some(mut reader) = list.and_then(|at| sections.reader(".debug_loc", at)) else { return Vec::new() };
    let mut places = Vec::new();
    while places.len() < MOST_PLACES
        && let Some(place) = listed(sections, &mut reader, (class, kernel))
    {
        places.push(place);
    }
    places
}

fn unknown() -> VariableLocation {
    VariableLocation::Unknown("its place is written in a way that warplab does not read".into())
}

/// Takes an element of a list of places; `None` at its end.
fn listed(sections: &Sections<'_>, reader: &mut Reader<'_, '_>, of: (u64, &str)) -> Option<VariablePlace> {
    let start = reader.symbol();
    reader.number(8)?;
    let end = reader.symbol();
    reader.number(8)?;
    let (start, end) = (start?, end?);
    let length = reader.number(2)? as usize;
    let (expression, after) = (*reader, reader.at.checked_add(length)?);
    reader.skip(length)?;
    let range = PtxRange { start: *sections.lines.get(start.name)?, end: *sections.lines.get(end.name)? };
    let location = location(sections, expression, after, of).unwrap_or_else(unknown);
    Some(VariablePlace { range, location })
}

/// Reads an expression that ends at `end`.
fn location(
    sections: &Sections<'_>,
    mut reader: Reader<'_, '_>,
    end: usize,
    (class, kernel): (u64, &str),
) -> Option<VariableLocation> {
    match reader.byte()? {
        dwarf::OP_REGX => {
            let name = register(reader.uleb()?)?;
            (reader.at == end).then_some(VariableLocation::Register(name))
        }
        dwarf::OP_ADDR => {
            let symbol = reader.symbol()?;
            reader.number(8)?;
            let mut offset = symbol.offset;
            if reader.at < end {
                offset = (reader.byte()? == dwarf::OP_PLUS_UCONST).then(|| reader.uleb())??.checked_add(offset)?;
            }
            let offset = u32::try_from(offset).ok().filter(|_| reader.at == end)?;
            match class {
                class::LOCAL => {
                    let base = (*sections.bases.get(symbol.name)?).to_owned();
                    Some(VariableLocation::Local { base, offset })
                }
                class::SHARED => {
                    let name = variable_name(symbol.name);
                    Some(VariableLocation::Shared { name, offset })
                }
                class::PARAMETER => {
                    let index = symbol.name.strip_prefix(kernel)?.strip_prefix("_param_")?.parse().ok()?;
                    Some(VariableLocation::Argument { index, offset })
                }
                _ => None,
            }
        }
        _ => None,
    }
}

/// Returns the name of a variable in shared memory as the source has it, without its function.
pub fn variable_name(mangled: &str) -> String {
    let name = demangle(mangled);
    name.rsplit("::").next().unwrap_or_default().to_owned()
}

/// Returns the name of a register, which its number spells, the first letter in the highest byte.
fn register(number: u64) -> Option<String> {
    let bytes = number.to_be_bytes();
    let name = std::str::from_utf8(bytes.trim_ascii_start()).ok()?.trim_start_matches('\0').to_owned();
    (name.starts_with('%') && name.bytes().all(|byte| byte.is_ascii_graphic())).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_spell_registers() {
        assert_eq!(register(0x25_6631).as_deref(), Some("%f1"));
        assert_eq!(register(0x2572_6431_3233).as_deref(), Some("%rd123"));
        assert_eq!(register(7), None);
        assert_eq!(register(0x4141), None);
    }
}
