//! The entries of debug information: a tree, in the order in which it is written.

use super::sections::{Reader, Sections, Symbol};
use std::collections::HashMap;

/// The deepest nesting of entries.
const DEEPEST: usize = 256;

/// The value of an attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value<'t> {
    Number(u64),
    Text(String),
    Symbol(Symbol<'t>),
    /// An entry, by its offset.
    Entry(usize),
    /// Bytes of the section of entries: where they start and end.
    Block(usize, usize),
}

/// An entry.
#[derive(Clone, Debug)]
pub struct Entry<'t> {
    pub tag: u64,
    /// The number of entries that it lies in.
    pub depth: usize,
    attributes: Vec<(u64, Value<'t>)>,
}

/// All entries.
#[derive(Default)]
pub struct Entries<'t> {
    pub list: Vec<Entry<'t>>,
    by_offset: HashMap<usize, usize>,
}

impl<'t> Entry<'t> {
    /// Returns the value of an attribute.
    pub fn get(&self, attribute: u64) -> Option<&Value<'t>> {
        self.attributes.iter().find(|(known, _)| *known == attribute).map(|(_, value)| value)
    }

    /// Returns an attribute that is a number.
    pub fn number(&self, attribute: u64) -> Option<u64> {
        if let Value::Number(number) = self.get(attribute)? { Some(*number) } else { None }
    }

    /// Returns an attribute that is a text.
    pub fn text(&self, attribute: u64) -> Option<&str> {
        if let Value::Text(text) = self.get(attribute)? { Some(text) } else { None }
    }

    /// Returns an attribute that is a symbol.
    pub fn symbol(&self, attribute: u64) -> Option<Symbol<'t>> {
        if let Value::Symbol(symbol) = self.get(attribute)? { Some(*symbol) } else { None }
    }
}

impl<'t> Entries<'t> {
    /// Reads the entries of all units. What follows a form that is not known is left out.
    pub fn new(sections: &Sections<'t>) -> Entries<'t> {
        let mut entries = Entries::default();
        if let Some(mut reader) = sections.reader(".debug_info", 0) {
            while !reader.is_empty() && entries.unit(sections, &mut reader).is_some() {}
        }
        entries
    }

    /// Returns the index of the entry that an attribute of an entry refers to.
    pub fn referred(&self, entry: &Entry<'t>, attribute: u64) -> Option<usize> {
        if let Value::Entry(offset) = entry.get(attribute)? { self.by_offset.get(offset).copied() } else { None }
    }

    /// Returns the indices of the entries directly inside an entry.
    pub fn children(&self, index: usize) -> impl Iterator<Item = usize> {
        let depth = self.list[index].depth;
        let inside = self.list[index + 1..].iter().zip(index + 1..).take_while(move |(entry, _)| entry.depth > depth);
        inside.filter(move |(entry, _)| entry.depth == depth + 1).map(|(_, index)| index)
    }

    fn unit(&mut self, sections: &Sections<'t>, reader: &mut Reader<'_, 't>) -> Option<()> {
        let start = reader.at;
        // Compilers that do not count the bytes write the difference of two labels, which is the rest.
        let is_known = reader.symbol().is_none();
        let length = reader.number(4)? as usize;
        let end = if is_known { reader.at.checked_add(length)? } else { usize::MAX };
        let version = reader.number(2)?;
        let abbreviations = reader.symbol().and_then(|symbol| sections.offset(symbol)).unwrap_or(0);
        reader.number(4)?;
        let address_bytes = reader.byte()?;
        if version > 4 {
            return None;
        }
        let known = abbreviations_at(sections, abbreviations)?;
        let mut depth = 0usize;
        while reader.at < end && !reader.is_empty() {
            let offset = reader.at;
            let code = reader.uleb()?;
            let Some(abbreviation) = known.get(&code) else {
                if code != 0 {
                    return None;
                }
                depth = depth.saturating_sub(1);
                continue;
            };
            let mut attributes = Vec::with_capacity(abbreviation.attributes.len());
            for (attribute, form) in &abbreviation.attributes {
                let value = value(sections, reader, *form, (start, address_bytes.into()))?;
                attributes.push((*attribute, value));
            }
            self.by_offset.insert(offset, self.list.len());
            self.list.push(Entry { tag: abbreviation.tag, depth, attributes });
            depth += usize::from(abbreviation.has_children);
            if depth > DEEPEST {
                return None;
            }
        }
        Some(())
    }
}

/// How entries of a kind are written.
struct Abbreviation {
    tag: u64,
    has_children: bool,
    /// The attributes with their forms.
    attributes: Vec<(u64, u64)>,
}

fn abbreviations_at(sections: &Sections<'_>, at: usize) -> Option<HashMap<u64, Abbreviation>> {
    let mut reader = sections.reader(".debug_abbrev", at)?;
    let mut all = HashMap::new();
    loop {
        let code = reader.uleb()?;
        if code == 0 {
            return Some(all);
        }
        let (tag, has_children) = (reader.uleb()?, reader.byte()? != 0);
        let mut attributes = Vec::new();
        loop {
            match (reader.uleb()?, reader.uleb()?) {
                (0, 0) => break,
                pair => attributes.push(pair),
            }
        }
        all.insert(code, Abbreviation { tag, has_children, attributes });
    }
}

/// Takes a value of a form; `None` if the form is not known, or the bytes end. `unit` is the offset of the unit, and
/// the size of its addresses.
fn value<'t>(
    sections: &Sections<'t>,
    reader: &mut Reader<'_, 't>,
    form: u64,
    (unit, address_bytes): (usize, usize),
) -> Option<Value<'t>> {
    let symbol = reader.symbol();
    let number = |number: u64| symbol.map_or(Value::Number(number), Value::Symbol);
    let entry = |offset: u64| Some(Value::Entry(unit.checked_add(usize::try_from(offset).ok()?)?));
    let block = |length: u64, reader: &mut Reader<'_, 't>| {
        let start = reader.at;
        reader.skip(usize::try_from(length).ok()?)?;
        Some(Value::Block(start, reader.at))
    };
    match form {
        // addr; data1, data2, data4, data8, sec_offset.
        0x01 => Some(number(reader.number(address_bytes)?)),
        0x0b => Some(number(reader.number(1)?)),
        0x05 => Some(number(reader.number(2)?)),
        0x06 | 0x17 => Some(number(reader.number(4)?)),
        0x07 => Some(number(reader.number(8)?)),
        // sdata, udata; flag, flag_present.
        0x0d | 0x0f => Some(Value::Number(reader.uleb()?)),
        0x0c => Some(Value::Number(reader.number(1)?)),
        0x19 => Some(Value::Number(1)),
        // string, strp.
        0x08 => Some(Value::Text(reader.text()?)),
        0x0e => {
            let offset = reader.number(4)? as usize;
            let offset = symbol.map_or(Some(offset), |symbol| sections.offset(symbol))?;
            Some(Value::Text(sections.reader(".debug_str", offset)?.text()?))
        }
        // ref1, ref2, ref4, ref8, ref_udata.
        0x11 => entry(reader.number(1)?),
        0x12 => entry(reader.number(2)?),
        0x13 => entry(reader.number(4)?),
        0x14 => entry(reader.number(8)?),
        0x15 => entry(reader.uleb()?),
        // block1, block2, block4; block, exprloc.
        0x0a => block(reader.number(1)?, reader),
        0x03 => block(reader.number(2)?, reader),
        0x04 => block(reader.number(4)?, reader),
        0x09 | 0x18 => block(reader.uleb()?, reader),
        _ => None,
    }
}
