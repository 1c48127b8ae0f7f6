//! Operands: registers, constants, names, addresses, vectors.

use super::Parser;
use super::expr::Literal;
use super::scope::{Name, Scopes, Use};
use crate::ast::{Base, Operand, RegisterPart, Special};
use crate::error::{Problem, Result};
use crate::lex::TokenKind;

/// The largest number of operands of one instruction, including those inside braces and parentheses.
const MAX_OPERANDS: usize = 256;

/// The parts of a register by their name: `b0`, `h10`.
fn part(word: &str) -> Option<RegisterPart> {
    let bytes = word.starts_with('b');
    let digits = word.strip_prefix(['b', 'h']).filter(|digits| !digits.is_empty())?;
    let picks = digits.chars().map(|digit| digit.to_digit(8).map(|pick| pick as u8));
    Some(RegisterPart { negative: false, bytes, picks: picks.collect::<Option<_>>()? })
}

/// Returns the components of a special register that is a vector; the fourth is 0.
fn vector(name: &str) -> Option<[Operand; 3]> {
    let component = |axis| Special::named(name, Some(axis)).map(Operand::Special);
    Some([component("x")?, component("y")?, component("z")?])
}

/// Special registers that are 0 here: performance counters, which no profiler has configured, and the graph that a
/// kernel belongs to, if the device launched it.
fn is_zero(name: &str) -> bool {
    let counter = name.strip_prefix("pm").map(|rest| rest.strip_suffix("_64").unwrap_or(rest));
    counter.is_some_and(|number| matches!(number.as_bytes(), [b'0'..=b'7'])) || name == "current_graph_exec"
}

impl<'a> Parser<'a> {
    /// Reads one operand of the instruction that will be added to the body next.
    pub(super) fn operand(&mut self, scopes: &mut Scopes<'a>) -> Result<Operand> {
        self.leaves += 1;
        if self.leaves > MAX_OPERANDS {
            let message = format!("an instruction with more than {MAX_OPERANDS} operands");
            return Err(self.unsupported(message));
        }
        match self.tok.kind {
            TokenKind::Mark(b'{') => {
                self.bump();
                let list = Operand::Vec(self.nested(|p| p.operands(scopes, b'}'))?);
                if !self.eat(b'|') {
                    return Ok(list);
                }
                let second = self.named(scopes)?;
                Ok(Operand::Pair(Box::new(list), Box::new(second)))
            }
            TokenKind::Mark(b'[') => self.nested(|p| p.address(scopes)),
            TokenKind::Mark(b'!') if self.next.kind == TokenKind::Name && self.next.text != "WARP_SZ" => {
                self.bump();
                match self.named(scopes)? {
                    Operand::Reg(reg) => Ok(Operand::NotReg(reg)),
                    _ => Err(self.unexpected("a register before this, after `!`")),
                }
            }
            TokenKind::Mark(b'-') if self.next.kind == TokenKind::Name && self.next.text.starts_with('%') => {
                self.bump();
                match self.named(scopes)? {
                    Operand::Reg(reg) => {
                        Ok(Operand::Part(reg, RegisterPart { negative: true, bytes: false, picks: vec![] }))
                    }
                    Operand::Part(reg, part) => Ok(Operand::Part(reg, RegisterPart { negative: true, ..part })),
                    _ => Err(self.unexpected("a register before this, after `-`")),
                }
            }
            TokenKind::Name if self.tok.text == "WARP_SZ" && !self.arithmetic_follows() => {
                self.bump();
                Ok(Operand::Special(Special::WarpSize))
            }
            TokenKind::Name if self.tok.text != "WARP_SZ" => {
                let first = self.named(scopes)?;
                if !self.eat(b'|') {
                    return Ok(first);
                }
                let second = self.named(scopes)?;
                Ok(Operand::Pair(Box::new(first), Box::new(second)))
            }
            _ if self.at_constant() => Ok(match self.constant()? {
                Literal::Int(value, _) => Operand::Int(value),
                Literal::F32(bits) => Operand::F32(bits),
                Literal::F64(value) => Operand::F64(value.to_bits()),
            }),
            _ => Err(self.unexpected("an operand")),
        }
    }

    fn arithmetic_follows(&self) -> bool {
        matches!(self.next.kind, TokenKind::Mark(mark) if b"+-*/%&|^<>?".contains(&mark))
            || matches!(self.next.kind, TokenKind::Pair(..))
    }

    /// Reads operands up to and including a closing character.
    pub(super) fn operands(&mut self, scopes: &mut Scopes<'a>, close: u8) -> Result<Vec<Operand>> {
        let mut list = Vec::new();
        if self.eat(close) {
            return Ok(list);
        }
        loop {
            list.push(self.operand(scopes)?);
            if self.eat(close) {
                return Ok(list);
            }
            if !self.eat(b',') {
                return Err(self.unexpected(format!("`,` or `{}`", close as char)));
            }
        }
    }

    /// A name: a register, a special register, a variable, a label, `_`.
    fn named(&mut self, scopes: &mut Scopes<'a>) -> Result<Operand> {
        let line = self.tok.line;
        let name = self.name("a register or a name")?;
        if name == "_" {
            return Ok(Operand::Discard);
        }
        let component = match self.tok.kind {
            TokenKind::Word => Some(self.tok.text),
            _ => None,
        };
        let symbol = match scopes.find(name) {
            Some(Name::Reg(_, Some(reg))) if component.is_none() => return Ok(Operand::Reg(reg)),
            Some(Name::Reg(_, Some(reg))) => {
                let word = component.unwrap_or("");
                let Some(part) = part(word) else {
                    return Err(self.unsupported(format!("the part `{name}.{word}` of a register")));
                };
                self.bump();
                return Ok(Operand::Part(reg, part));
            }
            Some(Name::Reg(..)) => {
                let part = component.unwrap_or("");
                return Err(self.unsupported(format!("the part `{name}.{part}` of a register")));
            }
            Some(Name::Var(unique)) => unique,
            None => {
                if let Some(plain) = name.strip_prefix('%') {
                    if let Some(special) = Special::named(plain, component) {
                        if component.is_some() {
                            self.bump();
                        }
                        return Ok(Operand::Special(special));
                    }
                    if component.is_none() && is_zero(plain) {
                        return Ok(Operand::Int(0));
                    }
                    if let Some([x, y, z]) = component.is_none().then(|| vector(plain)).flatten() {
                        return Ok(Operand::Vec(vec![x, y, z, Operand::Int(0)]));
                    }
                    if component.is_none() {
                        let (what, name) = ("register", name.to_owned());
                        let mut error = self.error(Problem::Undeclared { what, name });
                        error.line = line;
                        return Err(error);
                    }
                }
                let next = scopes.body.code.len() as u32;
                scopes.later(name, line, Use::Inst(next));
                name.to_owned()
            }
        };
        if component.is_some() {
            return Err(self.unexpected("no component after this name"));
        }
        if self.tok.is(b'[') {
            let offset = self.offset_of_element(scopes, &symbol)?.wrapping_add(self.offset()?);
            self.names_element = true;
            return Ok(Operand::Sym(symbol, offset));
        }
        Ok(Operand::Sym(symbol, self.offset()?))
    }

    /// Reads the indices of `table[2]` or `matrix[1][3]`, and returns the element's offset in bytes.
    fn offset_of_element(&mut self, scopes: &Scopes<'a>, name: &str) -> Result<i64> {
        let of_function = scopes.body.vars.iter().find(|var| var.name == name);
        let Some(var) = of_function.or_else(|| self.out.vars.iter().find(|var| var.name == name)) else {
            return Err(self.invalid(format!("an element of `{name}`, which is not an array declared before")));
        };
        let (mut size, dimensions) = (var.size_of_element(), var.dimensions.clone());
        let mut indices = Vec::new();
        while self.eat(b'[') {
            if self.tok.kind == TokenKind::Name && self.tok.text != "WARP_SZ" {
                return Err(self.unsupported(format!("an element of `{name}` whose index is not a constant")));
            }
            indices.push(self.integer("the index of an element")?);
            self.expect(b']')?;
        }
        if indices.len() > dimensions.len() {
            return Err(self.invalid(format!("{} indices of `{name}`, which has {}", indices.len(), dimensions.len())));
        }
        let mut offset = 0i64;
        for (axis, extent) in dimensions.iter().enumerate().rev() {
            let index = indices.get(axis).copied().unwrap_or(0);
            offset = offset.wrapping_add(index.wrapping_mul(size));
            size = size.wrapping_mul(*extent as i64);
        }
        Ok(offset)
    }

    /// `+8`, `-8`, `+-8` or nothing.
    pub(super) fn offset(&mut self) -> Result<i64> {
        match self.tok.kind {
            TokenKind::Mark(b'+') => {
                self.bump();
                self.integer("an offset")
            }
            TokenKind::Mark(b'-') => self.integer("an offset"),
            _ => Ok(0),
        }
    }

    /// `[base+offset]`, or the several parts of a tensor's or texture's address.
    fn address(&mut self, scopes: &mut Scopes<'a>) -> Result<Operand> {
        self.expect(b'[')?;
        let base = if self.tok.kind == TokenKind::Name && self.tok.text != "WARP_SZ" {
            match self.named(scopes)? {
                Operand::Reg(reg) => (Base::Reg(reg), self.offset()?),
                Operand::Sym(symbol, offset) => (Base::Sym(symbol), offset),
                _ => return Err(self.unexpected("a register or variable before this, as address")),
            }
        } else {
            (Base::None, self.integer("an address")?)
        };
        let address = Operand::Mem(base.0, base.1);
        if self.eat(b']') {
            return Ok(address);
        }
        if !self.eat(b',') {
            return Err(self.unexpected("`]`"));
        }
        let mut parts = vec![address];
        parts.extend(self.operands(scopes, b']')?);
        Ok(Operand::Vec(parts))
    }
}
