//! The types of variables.

use super::dwarf;
use super::entries::{Entries, Value};
use super::sections::Sections;
use recording::{Field, ScalarEncoding, VariableType};
use std::collections::{HashMap, VecDeque};

/// The most qualifiers and other names of a type that are followed.
const MOST_NAMES: usize = 32;
/// The most dimensions of an array.
const MOST_DIMENSIONS: usize = 16;

/// The types that variables have, and those that these need.
pub struct Types<'e, 't> {
    entries: &'e Entries<'t>,
    sections: &'e Sections<'t>,
    list: Vec<VariableType>,
    numbers: HashMap<usize, u32>,
    /// Types with a number that are not filled in yet: entry and number.
    open: VecDeque<(usize, u32)>,
}

impl<'e, 't> Types<'e, 't> {
    pub fn new(entries: &'e Entries<'t>, sections: &'e Sections<'t>) -> Self {
        Types { entries, sections, list: Vec::new(), numbers: HashMap::new(), open: VecDeque::new() }
    }

    /// Returns all types.
    pub fn finish(mut self) -> Vec<VariableType> {
        while let Some((entry, number)) = self.open.pop_front() {
            let found = self.type_at(entry);
            self.list[number as usize] = found;
        }
        self.list
    }

    /// Returns the number of the type of an entry; `None` if that is `void`.
    pub fn type_of(&mut self, entry: usize) -> Option<u32> {
        let mut at = entry;
        for _ in 0..MOST_NAMES {
            at = self.entries.referred(&self.entries.list[at], dwarf::AT_TYPE)?;
            match self.entries.list[at].tag {
                dwarf::TAG_TYPEDEF | dwarf::TAG_CONST | dwarf::TAG_VOLATILE | dwarf::TAG_RESTRICT => {}
                dwarf::TAG_UNSPECIFIED => return None,
                _ => {
                    if let Some(number) = self.numbers.get(&at) {
                        return Some(*number);
                    }
                    let number = self.add(VariableType::Other(String::new()));
                    self.numbers.insert(at, number);
                    self.open.push_back((at, number));
                    return Some(number);
                }
            }
        }
        None
    }

    /// Returns the number of a new type.
    pub fn add(&mut self, of: VariableType) -> u32 {
        self.list.push(of);
        self.list.len() as u32 - 1
    }

    fn type_at(&mut self, at: usize) -> VariableType {
        let entry = &self.entries.list[at];
        let name = || entry.text(dwarf::AT_NAME).unwrap_or("a type without a name").to_owned();
        let bytes = entry.number(dwarf::AT_BYTE_SIZE).and_then(|bytes| u32::try_from(bytes).ok()).unwrap_or(0);
        match entry.tag {
            dwarf::TAG_BASE => {
                let encoding = match entry.number(dwarf::AT_ENCODING) {
                    Some(2) => ScalarEncoding::Bool,
                    Some(4) => ScalarEncoding::Float,
                    Some(5 | 6) => ScalarEncoding::Signed,
                    Some(7 | 8) => ScalarEncoding::Unsigned,
                    _ => return VariableType::Other(name()),
                };
                VariableType::Scalar { encoding, bytes }
            }
            dwarf::TAG_ENUMERATION => VariableType::Scalar { encoding: ScalarEncoding::Signed, bytes },
            dwarf::TAG_POINTER | dwarf::TAG_REFERENCE | dwarf::TAG_RVALUE_REFERENCE => {
                VariableType::Pointer(self.type_of(at))
            }
            dwarf::TAG_ARRAY => self.array(at).unwrap_or_else(|| VariableType::Other(name())),
            dwarf::TAG_STRUCTURE | dwarf::TAG_CLASS | dwarf::TAG_UNION => {
                let members: Vec<usize> = self.entries.children(at).collect();
                let fields = members.into_iter().filter_map(|member| self.field(member));
                VariableType::Structure { name: name(), bytes, fields: fields.collect() }
            }
            _ => VariableType::Other(name()),
        }
    }

    fn array(&mut self, at: usize) -> Option<VariableType> {
        let is_dimension = |child: &usize| self.entries.list[*child].tag == dwarf::TAG_SUBRANGE;
        let dimensions = self.entries.children(at).filter(is_dimension).take(MOST_DIMENSIONS);
        let count = |dimension: usize| {
            let of = &self.entries.list[dimension];
            of.number(dwarf::AT_COUNT).or_else(|| of.number(dwarf::AT_UPPER_BOUND)?.checked_add(1)).unwrap_or(0)
        };
        let mut counts: Vec<u64> = dimensions.map(count).collect();
        let mut element = self.type_of(at)?;
        counts.reverse();
        let outermost = counts.pop()?;
        for count in counts {
            element = self.add(VariableType::Array { element, count });
        }
        Some(VariableType::Array { element, count: outermost })
    }

    /// Returns a member; `None` of those that are some bits only, or lie elsewhere.
    fn field(&mut self, member: usize) -> Option<Field> {
        let entry = &self.entries.list[member];
        if entry.tag != dwarf::TAG_MEMBER || entry.get(dwarf::AT_BIT_SIZE).is_some() {
            return None;
        }
        let offset = match entry.get(dwarf::AT_MEMBER_LOCATION)? {
            Value::Number(offset) => *offset,
            Value::Block(start, _) => {
                let mut reader = self.sections.reader(".debug_info", *start)?;
                (reader.byte()? == dwarf::OP_PLUS_UCONST).then(|| reader.uleb())??
            }
            _ => return None,
        };
        let name = entry.text(dwarf::AT_NAME)?.to_owned();
        Some(Field { name, offset: u32::try_from(offset).ok()?, type_index: self.type_of(member)? })
    }
}
