//! The local variables of functions.

use super::dwarf;
use super::entries::{Entries, Entry};
use super::location::places;
use super::sections::Sections;
use super::types::Types;
use recording::{LocalVariable, PtxRange, VariableType};
use std::collections::HashSet;
use wire::demangle;

/// Local variables, and their types.
#[derive(Default)]
pub struct LocalVariables {
    pub variables: Vec<LocalVariable>,
    pub types: Vec<VariableType>,
}

/// A function, an inlined function, or a block in either of them.
struct Scope {
    depth: usize,
    /// The function whose code it is, as the PTX names it; `None` where there is no code.
    function: Option<String>,
    range: PtxRange,
}

/// Returns the local variables of these functions, as the PTX names them; none without debug information.
pub fn local_variables(ptx: &str, kernel: &str, functions: &HashSet<&str>) -> LocalVariables {
    if !ptx.contains(".debug_info") {
        return LocalVariables::default();
    }
    let sections = Sections::new(ptx);
    let entries = Entries::new(&sections);
    let mut types = Types::new(&entries, &sections);
    let mut variables = Vec::new();
    let mut scopes: Vec<Scope> = Vec::new();
    for (index, entry) in entries.list.iter().enumerate() {
        while scopes.last().is_some_and(|scope| scope.depth >= entry.depth) {
            scopes.pop();
        }
        let around = scopes.last();
        match entry.tag {
            dwarf::TAG_SUBPROGRAM => {
                let name = linkage_name(entry).filter(|name| functions.contains(name));
                let range = range(&sections, entry);
                let function = name.filter(|_| range.is_some()).map(str::to_owned);
                let range = range.unwrap_or(PtxRange { start: 0, end: 0 });
                scopes.push(Scope { depth: entry.depth, function, range });
            }
            dwarf::TAG_BLOCK | dwarf::TAG_INLINED => {
                if let Some(Scope { function, range: outer, .. }) = around {
                    let (function, range) = (function.clone(), range(&sections, entry).unwrap_or(*outer));
                    scopes.push(Scope { depth: entry.depth, function, range });
                }
            }
            dwarf::TAG_VARIABLE | dwarf::TAG_PARAMETER => {
                let Some(Scope { function: Some(function), range, .. }) = around else { continue };
                // Of inlined code, another entry has the name and the type.
                let origin = entries.referred(entry, dwarf::AT_ABSTRACT_ORIGIN).unwrap_or(index);
                let described = &entries.list[origin];
                let Some(name) = described.text(dwarf::AT_NAME) else { continue };
                let type_index = types.type_of(origin).unwrap_or_else(|| types.add(VariableType::Other("void".into())));
                variables.push(LocalVariable {
                    name: name.to_owned(),
                    function: demangle(function),
                    type_index,
                    scope: *range,
                    places: places(&sections, entry, *range, kernel),
                });
            }
            _ => {}
        }
    }
    LocalVariables { variables, types: types.finish() }
}

/// Returns the name of a function in the PTX.
fn linkage_name<'e>(entry: &'e Entry<'_>) -> Option<&'e str> {
    let attributes = [dwarf::AT_MIPS_LINKAGE_NAME, dwarf::AT_LINKAGE_NAME, dwarf::AT_NAME];
    attributes.into_iter().find_map(|attribute| entry.text(attribute))
}

/// Returns the lines of the PTX that an entry covers.
fn range(sections: &Sections<'_>, entry: &Entry<'_>) -> Option<PtxRange> {
    let line = |attribute| sections.lines.get(entry.symbol(attribute)?.name).copied();
    Some(PtxRange { start: line(dwarf::AT_LOW_PC)?, end: line(dwarf::AT_HIGH_PC)? })
}
