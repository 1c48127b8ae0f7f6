//! The sections of debug information: text of the PTX as bytes, with the labels that stand for addresses.

use std::collections::{BTreeMap, HashMap};

/// A label, and what is added to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Symbol<'t> {
    pub name: &'t str,
    pub offset: u64,
}

/// The bytes of a section. Those of a symbol are 0.
#[derive(Default)]
pub struct Section<'t> {
    pub bytes: Vec<u8>,
    symbols: BTreeMap<usize, Symbol<'t>>,
}

/// What a PTX says besides code.
#[derive(Default)]
pub struct Sections<'t> {
    named: HashMap<&'t str, Section<'t>>,
    /// The offsets of labels inside sections.
    labels: HashMap<&'t str, usize>,
    /// The lines of labels in the code.
    pub lines: HashMap<&'t str, u32>,
    /// The registers that hold the addresses of functions' local memory, by the names of the latter.
    pub bases: HashMap<&'t str, &'t str>,
}

impl<'t> Sections<'t> {
    /// Reads the sections of a PTX.
    pub fn new(ptx: &'t str) -> Sections<'t> {
        let mut sections = Sections::default();
        let mut open = None;
        for (line, number) in ptx.lines().map(str::trim).zip(1..) {
            if let Some(name) = line.strip_prefix(".section") {
                open = Some(name.trim_end_matches('{').trim());
            } else if line.starts_with('}') {
                open = None;
            } else if let Some(label) = line.strip_suffix(':') {
                if let Some(section) = open.and_then(|name| sections.named.get(name)) {
                    sections.labels.insert(label, section.bytes.len());
                } else {
                    sections.lines.insert(label, number);
                }
            } else if let Some(name) = open {
                sections.named.entry(name).or_default().add(line);
            } else if let Some((register, depot)) = base(line) {
                sections.bases.insert(depot, register);
            }
        }
        sections
    }

    /// Returns a reader of a section, from an offset on; `None` if there is no such section.
    pub fn reader(&self, name: &str, at: usize) -> Option<Reader<'_, 't>> {
        Some(Reader { section: self.named.get(name)?, at })
    }

    /// Returns the offset in its section that a symbol stands for: that of a label in it, or of the section itself.
    pub fn offset(&self, symbol: Symbol<'_>) -> Option<usize> {
        let start = if symbol.name.starts_with('.') { 0 } else { *self.labels.get(symbol.name)? };
        start.checked_add(usize::try_from(symbol.offset).ok()?)
    }
}

/// Returns the register to which a line of the code moves the address of a function's local memory, and its name.
fn base(line: &str) -> Option<(&str, &str)> {
    let (register, depot) = line.strip_prefix("mov.")?.split_once(char::is_whitespace)?.1.split_once(',')?;
    let depot = depot.trim().trim_end_matches(';');
    depot.starts_with("__local_depot").then_some((register.trim(), depot))
}

impl<'t> Section<'t> {
    /// Adds a line such as `.b8 1,2` or `.b64 $L__tmp0+4`.
    fn add(&mut self, line: &'t str) {
        let Some((size, values)) = line.strip_prefix(".b").and_then(|rest| rest.split_once(char::is_whitespace)) else {
            return;
        };
        let size = match size {
            "8" => 1,
            "16" => 2,
            "32" => 4,
            "64" => 8,
            _ => return,
        };
        for value in values.split(',').map(|value| value.trim().trim_end_matches(';')) {
            let number = number(value);
            if number.is_none() {
                let (name, offset) = value.split_once('+').unwrap_or((value, "0"));
                let offset = self::number(offset.trim()).unwrap_or(0);
                self.symbols.insert(self.bytes.len(), Symbol { name: name.trim(), offset });
            }
            self.bytes.extend_from_slice(&number.unwrap_or(0).to_le_bytes()[..size]);
        }
    }
}

/// Returns the bits of a number; `None` if it is a symbol.
fn number(text: &str) -> Option<u64> {
    if let Some(digits) = text.strip_prefix("0x") {
        return u64::from_str_radix(digits, 16).ok();
    }
    text.parse().ok().or_else(|| text.parse().ok().map(|value: i64| value as u64))
}

/// Reads a section from the front.
#[derive(Clone, Copy)]
pub struct Reader<'s, 't> {
    section: &'s Section<'t>,
    pub at: usize,
}

impl<'t> Reader<'_, 't> {
    /// Whether nothing is left.
    pub fn is_empty(&self) -> bool {
        self.at >= self.section.bytes.len()
    }

    /// Returns the symbol that stands here.
    pub fn symbol(&self) -> Option<Symbol<'t>> {
        self.section.symbols.get(&self.at).copied()
    }

    /// Takes a byte.
    pub fn byte(&mut self) -> Option<u8> {
        let byte = *self.section.bytes.get(self.at)?;
        self.at += 1;
        Some(byte)
    }

    /// Takes a number of `size` bytes, at most 8.
    pub fn number(&mut self, size: usize) -> Option<u64> {
        let bytes = self.section.bytes.get(self.at..self.at.checked_add(size)?)?;
        self.at += size;
        let mut all = [0; 8];
        all.get_mut(..size)?.copy_from_slice(bytes);
        Some(u64::from_le_bytes(all))
    }

    /// Takes a number of variable length.
    pub fn uleb(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    /// Takes a text that ends in a byte 0.
    pub fn text(&mut self) -> Option<String> {
        let rest = self.section.bytes.get(self.at..)?;
        let length = rest.iter().position(|byte| *byte == 0)?;
        self.at += length + 1;
        Some(String::from_utf8_lossy(&rest[..length]).into_owned())
    }

    /// Skips bytes.
    pub fn skip(&mut self, count: usize) -> Option<()> {
        self.at = self.at.checked_add(count).filter(|at| *at <= self.section.bytes.len())?;
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_labels_and_texts_are_read() {
        let ptx = "mov.u64 \t%SPL, __local_depot1;\n$L__tmp0:\n.section\t.debug_str\n{\n.b8 65\n.b8 0\n$L__s1:\n\
                   .b8 66,0\n}\n.section .debug_info {\n.b64 $L__tmp0+8\n.b16 0x102\n.b8 -1\n.b32 $L__s1\n}";
        let sections = Sections::new(ptx);
        assert_eq!((sections.lines["$L__tmp0"], sections.bases["__local_depot1"]), (2, "%SPL"));
        let mut info = sections.reader(".debug_info", 0).unwrap();
        assert_eq!(info.symbol(), Some(Symbol { name: "$L__tmp0", offset: 8 }));
        assert_eq!((info.number(8), info.number(2), info.byte()), (Some(0), Some(0x102), Some(255)));
        let text = sections.offset(info.symbol().unwrap()).unwrap();
        assert_eq!(sections.reader(".debug_str", text).unwrap().text().as_deref(), Some("B"));
        assert_eq!((info.skip(4), info.byte(), info.skip(1)), (Some(()), None, None));
    }
}
