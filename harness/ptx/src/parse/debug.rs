//! Source locations of code: `.file`, `.loc`, and the string section that holds the names of inlined functions.

use std::collections::HashMap;

use super::Parser;
use crate::ast::{Inline, Loc, Module};
use crate::error::Result;
use crate::lex::TokenKind;

/// Line information while a module is read.
#[derive(Default)]
pub(super) struct Debug<'a> {
    /// Strings of `.debug_str` by label.
    strings: HashMap<&'a str, Vec<u8>>,
    /// For each of [`Module::inlines`]: the label and offset of its function's name.
    functions: Vec<(&'a str, u32)>,
    /// The call sites known so far: label and offset of the name, offset, file, line, column -> index of the inline.
    known: HashMap<(&'a str, u32, Loc), u32>,
    /// The latest `.loc` of each place in this function: `inlined_at` names one of these.
    seen: HashMap<(u32, u32, u32), Loc>,
    /// The source location of the next instruction.
    pub now: Loc,
}

impl Debug<'_> {
    /// Forgets the places of the previous function.
    pub fn enter_function(&mut self) {
        self.now = Loc::default();
        // This is not cleared, because clearing would take time proportional to the largest function so far.
        self.seen = HashMap::new();
    }

    /// Fills in the names of inlined functions.
    pub fn finish(&self, module: &mut Module) {
        for (inline, (label, offset)) in std::iter::zip(&mut module.inlines, &self.functions) {
            let bytes = self.strings.get(label).map_or(&[][..], Vec::as_slice);
            let name = bytes.get(*offset as usize..).unwrap_or(&[]);
            let name = name.split(|&b| b == 0).next().unwrap_or(&[]);
            inline.function = String::from_utf8_lossy(name).into_owned();
        }
    }
}

impl Parser<'_> {
    /// `.file 1 "name" [, time, size]`
    pub(super) fn file(&mut self) -> Result<()> {
        self.bump();
        let index = self.count("the file's number")?;
        let name = self.string("the file's name")?.to_owned();
        while self.eat(b',') {
            let TokenKind::Int(..) = self.tok.kind else {
                return Err(self.unexpected("the file's time or size"));
            };
            self.bump();
        }
        self.out.files.push((index, name));
        Ok(())
    }

    /// `.loc file line column [, function_name label[+offset], inlined_at file line column]`
    pub(super) fn loc(&mut self) -> Result<()> {
        self.bump();
        let mut loc = self.place()?;
        let mut function = ("", 0);
        let mut at = None;
        while self.eat(b',') {
            match self.name("`function_name` or `inlined_at`")? {
                "function_name" => {
                    // The label may also be that of the section itself.
                    let label = match self.tok.kind {
                        TokenKind::Word => self.bump().text,
                        _ => self.name("the label of a name")?,
                    };
                    let offset = if self.eat(b'+') { self.count("an offset")? } else { 0 };
                    function = (label, offset);
                }
                "inlined_at" => at = Some(self.place()?),
                _ => return Err(self.unexpected("`function_name` or `inlined_at` before this")),
            }
        }
        if let Some(at) = at {
            // Inlined code may itself be inlined; its call site is the latest `.loc` of that place.
            let seen = self.debug.seen.get(&(at.file, at.line, at.column));
            let at = seen.copied().unwrap_or(at);
            let key = (function.0, function.1, at);
            let next = self.out.inlines.len() as u32 + 1;
            loc.inlined = *self.debug.known.entry(key).or_insert(next);
            if loc.inlined == next {
                self.debug.functions.push(function);
                let function = String::new();
                self.out.inlines.push(Inline { function, at });
            }
        }
        let place = (loc.file, loc.line, loc.column);
        self.debug.seen.insert(place, loc);
        self.debug.now = loc;
        Ok(())
    }

    fn place(&mut self) -> Result<Loc> {
        Ok(Loc {
            ptx_line: 0,
            file: self.count("a file's number")?,
            line: self.count("a line's number")?,
            column: self.count("a column's number")?,
            inlined: 0,
        })
    }

    /// Reads `.section name { ... }`. This is debugging data for other tools, which is skipped except for its strings.
    pub(super) fn section(&mut self) -> Result<()> {
        self.bump();
        let name = match self.tok.kind {
            TokenKind::Word | TokenKind::Name => self.bump().text,
            _ => return Err(self.unexpected("a section's name")),
        };
        self.expect(b'{')?;
        let strings = name == "debug_str";
        let mut label = name;
        loop {
            match self.tok.kind {
                TokenKind::End => return Err(self.unexpected("`}` at the end of the section")),
                TokenKind::Mark(b'}') => break,
                TokenKind::Name if strings && self.next.is(b':') => label = self.tok.text,
                TokenKind::Int(byte, _) if strings => {
                    self.debug.strings.entry(label).or_default().push(byte as u8);
                }
                _ => {}
            }
            self.bump();
        }
        self.expect(b'}')
    }
}
