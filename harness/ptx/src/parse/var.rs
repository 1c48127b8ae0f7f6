//! Variables: `.global .align 4 .b8 table[8] = {...};` and parameters.

use super::Parser;
use super::expr::Literal;
use crate::ast::{Init, Relocation, Space, Type, Var};
use crate::error::Result;
use crate::lex::TokenKind;

/// The largest accepted size of a variable, in bytes; anything larger is taken for a mistake.
const MAX_BYTES: u64 = 1 << 40;

/// The largest number of bytes of zeros that a module's initialisers are padded with.
const MAX_PADDING: usize = 1 << 26;

/// The largest number of dimensions of an array.
const MAX_DIMENSIONS: usize = 16;

/// The qualifiers before a variable's name.
struct Head {
    ty: Type,
    vector: u32,
    align: Option<u32>,
    managed: bool,
}

/// An initialiser being read.
struct Filling {
    ty: Type,
    init: Init,
    /// The type's size times its vector's length.
    element: u64,
}

impl<'a> Parser<'a> {
    /// Takes a state space if one stands here (`.reg` is not one).
    pub(super) fn space(&mut self) -> Option<Space> {
        if self.tok.kind != TokenKind::Word {
            return None;
        }
        let space = match self.tok.text {
            "global" => Space::Global,
            "shared" | "shared::cta" => Space::Shared,
            "local" => Space::Local,
            "const" => Space::Const,
            "param" => Space::Param,
            _ => return None,
        };
        self.bump();
        Some(space)
    }

    /// A type, as a dotted word.
    pub(super) fn ty(&mut self) -> Result<Type> {
        let ty = match self.tok.kind {
            TokenKind::Word => Type::named(self.tok.text),
            _ => None,
        };
        if ty.is_some() {
            self.bump();
        }
        ty.ok_or_else(|| match self.tok.kind {
            TokenKind::Word => match self.tok.text {
                "texref" | "samplerref" | "surfref" => self.unsupported(format!("a `.{}` variable", self.tok.text)),
                _ => self.unexpected("a type such as `.b32`"),
            },
            _ => self.unexpected("a type such as `.b32`"),
        })
    }

    /// Reads `.align`, `.v4`, attributes and the type, in the orders that occur.
    fn head(&mut self) -> Result<Head> {
        let (mut align, mut vector, mut managed, mut ty) = (None, 1, false, None);
        loop {
            if self.tok.kind == TokenKind::Mark(b'[') && ty.is_none() {
                // `.const[2]`: a constant bank, as in the oldest PTX.
                self.bump();
                self.count("a bank's number")?;
                self.expect(b']')?;
            }
            if self.tok.kind != TokenKind::Word {
                break;
            }
            match self.tok.text {
                "align" => {
                    self.bump();
                    let bytes = self.count("an alignment in bytes")?;
                    if !bytes.is_power_of_two() {
                        return Err(self.invalid(format!("an alignment of {bytes} bytes: must be a power of two")));
                    }
                    align = Some(bytes);
                }
                "v2" => (vector, _) = (2, self.bump()),
                "v4" => (vector, _) = (4, self.bump()),
                "v8" => (vector, _) = (8, self.bump()),
                "attribute" => managed |= self.attributes()?,
                // The properties of the target of a pointer parameter. They are a promise, and the checks do not rely
                // on it.
                "ptr" => {
                    self.bump();
                    while self.space().is_some() {}
                    if self.eat_word("align") {
                        self.count("an alignment in bytes")?;
                    }
                }
                _ if ty.is_none() => ty = Some(self.ty()?),
                _ => return Err(self.unexpected("a variable's name")),
            }
        }
        match ty {
            Some(ty) => Ok(Head { ty, vector, align, managed }),
            None => Err(self.unexpected("a type such as `.b32`")),
        }
    }

    /// `.attribute(.managed, .unified(a, b))`: whether the variable is managed.
    pub(super) fn attributes(&mut self) -> Result<bool> {
        self.bump();
        self.expect(b'(')?;
        let mut managed = false;
        loop {
            if self.eat_word("managed") {
                managed = true;
            } else if self.eat_word("unified") {
                self.expect(b'(')?;
                self.integer("an identifier")?;
                while self.eat(b',') {
                    self.integer("an identifier")?;
                }
                self.expect(b')')?;
            } else {
                return Err(self.unexpected("`.managed` or `.unified`"));
            }
            if !self.eat(b',') {
                self.expect(b')')?;
                return Ok(managed);
            }
        }
    }

    /// Reads the variables of one declaration, including its semicolon.
    pub(super) fn variables(&mut self, space: Space) -> Result<Vec<(&'a str, Var)>> {
        let head = self.head()?;
        let mut all = Vec::new();
        loop {
            let (name, mut var, dimensions) = self.declarator(space, &head)?;
            if self.eat(b'=') {
                if !matches!(space, Space::Global | Space::Const) {
                    return Err(self.invalid("only `.global` and `.const` variables take an initial value"));
                }
                self.initialiser(&mut var, &head, &dimensions)?;
            }
            all.push((name, var));
            if !self.eat(b',') {
                self.expect(b';')?;
                return Ok(all);
            }
        }
    }

    /// Reads a parameter of a function or of a prototype. The last value says whether it is a `.reg` parameter.
    pub(super) fn parameter(&mut self) -> Result<(&'a str, Var, bool)> {
        let register = self.eat_word("reg");
        if !register && !self.eat_word("param") {
            return Err(self.unexpected("`.param` or `.reg`"));
        }
        let head = self.head()?;
        let (name, var, _) = self.declarator(Space::Param, &head)?;
        Ok((name, var, register))
    }

    fn declarator(&mut self, space: Space, head: &Head) -> Result<(&'a str, Var, Vec<u64>)> {
        let ptx_line = self.tok.line;
        let name = self.name("a variable's name")?;
        let element = (head.ty.size() * head.vector) as u64;
        let mut size = element;
        let mut dimensions = Vec::new();
        while self.eat(b'[') {
            let extent = match self.tok.is(b']') {
                true if dimensions.is_empty() => 0,
                true => {
                    return Err(self.invalid("only an array's first dimension may be left open"));
                }
                false => match self.integer("an array's size")? {
                    extent if extent >= 0 => extent as u64,
                    extent => return Err(self.invalid(format!("an array of {extent} elements"))),
                },
            };
            self.expect(b']')?;
            if dimensions.len() == MAX_DIMENSIONS {
                return Err(self.invalid(format!("more than {MAX_DIMENSIONS} dimensions")));
            }
            dimensions.push(extent);
            size = match size.checked_mul(extent) {
                Some(size) if size <= MAX_BYTES => size,
                _ => return Err(self.invalid(format!("`{name}` is larger than any memory"))),
            };
        }
        let var = Var {
            space,
            name: name.to_owned(),
            ty: head.ty,
            align: head.align.unwrap_or(element as u32),
            dimensions: dimensions.clone(),
            vector: head.vector,
            size,
            external: false,
            visible: false,
            managed: head.managed,
            init: None,
            ptx_line,
        };
        Ok((name, var, dimensions))
    }

    fn initialiser(&mut self, var: &mut Var, head: &Head, dimensions: &[u64]) -> Result<()> {
        let element = (head.ty.size() * head.vector) as u64;
        let mut filling = Filling { ty: head.ty, init: Init::default(), element };
        let mut levels = dimensions.to_vec();
        if head.vector > 1 {
            levels.push(head.vector as u64);
            filling.element = head.ty.size() as u64;
        }
        if levels.is_empty() {
            self.element(&mut filling)?;
        } else {
            self.level(&mut filling, &levels)?;
        }
        let mut init = filling.init;
        if var.size == 0 {
            // The size of `[]` follows from the values given, in whole rows.
            let row: u64 = element * dimensions.iter().skip(1).product::<u64>();
            var.size = (init.bytes.len() as u64).next_multiple_of(row.max(1));
        }
        if init.bytes.len() as u64 > var.size {
            let message = format!("`{}` has more initial values than elements", var.name);
            return Err(self.invalid(message));
        }
        if let Some(odd) = init.relocations.iter().find(|r| !matches!(r.size, 4 | 8)) {
            let message = format!("only a part of the address of `{}` as initial value", odd.symbol);
            return Err(self.unsupported(message));
        }
        let zeros = init.bytes.iter().rev().take_while(|&&b| b == 0).count();
        let used = init.relocations.iter().map(|r| (r.offset + r.size) as usize);
        let used = used.max().unwrap_or(0);
        init.bytes.truncate((init.bytes.len() - zeros).max(used));
        var.init = Some(init);
        Ok(())
    }

    /// `{a, b, {c, d}}`: one level of braces for each dimension, inner ones optional.
    fn level(&mut self, filling: &mut Filling, extents: &[u64]) -> Result<()> {
        self.expect(b'{')?;
        let start = filling.init.bytes.len() as u64;
        // Both are bounded: the sizes were checked, and padding never exceeds the variable's size.
        let row: u64 = filling.element * extents[1..].iter().product::<u64>();
        if !self.tok.is(b'}') {
            loop {
                if self.tok.is(b'{') {
                    let begin = filling.init.bytes.len() as u64;
                    if extents.len() < 2 || !(begin - start).is_multiple_of(row.max(1)) {
                        return Err(self.unexpected("an initial value"));
                    }
                    self.level(filling, &extents[1..])?;
                    // A row with too few values is padded with zeros if another row follows.
                    if self.tok.is(b',') {
                        let missing = (begin + row).saturating_sub(filling.init.bytes.len() as u64);
                        if missing > (MAX_PADDING - self.padding) as u64 {
                            return Err(self.unsupported("so large an array with so few initial values"));
                        }
                        self.padding += missing as usize;
                        let length = filling.init.bytes.len() + missing as usize;
                        filling.init.bytes.resize(length, 0);
                    }
                } else {
                    self.element(filling)?;
                }
                if !self.eat(b',') {
                    break;
                }
            }
        }
        self.expect(b'}')
    }

    fn element(&mut self, filling: &mut Filling) -> Result<()> {
        let size = filling.ty.size();
        let offset = filling.init.bytes.len();
        // `0xFF00(symbol)`: one byte of an address.
        if let (TokenKind::Int(mask, _), true) = (self.tok.kind, self.next.is(b'(')) {
            self.bump();
            self.bump();
            let (symbol, addend, generic) = self.symbol_address()?;
            self.expect(b')')?;
            filling.init.bytes.resize(offset + size as usize, 0);
            let byte = mask.trailing_zeros() / 8;
            if size != 1 || mask.checked_shr(8 * byte) != Some(0xff) {
                return Err(self.unsupported(format!("the mask {mask:#x} on an address")));
            }
            let relocations = &mut filling.init.relocations;
            match relocations.last_mut() {
                Some(last)
                    if byte > 0
                        && last.size == byte
                        && (last.offset + last.size) as usize == offset
                        && (&*last.symbol, last.addend, last.generic) == (symbol, addend, generic) =>
                {
                    last.size += 1;
                }
                _ if byte == 0 => {
                    let offset = offset as u32;
                    let symbol = symbol.to_owned();
                    relocations.push(Relocation { offset, symbol, addend, size: 1, generic });
                }
                _ => {
                    let message = format!("the bytes of the address of `{symbol}` in another order");
                    return Err(self.unsupported(message));
                }
            }
            return Ok(());
        }
        if self.tok.kind == TokenKind::Name && self.tok.text != "WARP_SZ" {
            let (symbol, addend, generic) = self.symbol_address()?;
            if !matches!(size, 4 | 8) {
                return Err(self.invalid(format!("the address of `{symbol}` does not fit")));
            }
            filling.init.bytes.resize(offset + size as usize, 0);
            let symbol = symbol.to_owned();
            let offset = offset as u32;
            filling.init.relocations.push(Relocation { offset, symbol, addend, size, generic });
            return Ok(());
        }
        let value = self.constant()?;
        let bits: u64 = match (filling.ty, value) {
            (Type::F32, Literal::Int(v, _)) => (v as f32).to_bits() as u64,
            (Type::F32, Literal::F64(v)) => (v as f32).to_bits() as u64,
            (Type::F64, Literal::Int(v, _)) => (v as f64).to_bits(),
            (Type::F64, Literal::F32(bits)) => (f32::from_bits(bits) as f64).to_bits(),
            (Type::F32 | Type::B32 | Type::U32 | Type::S32, Literal::F32(bits)) => bits as u64,
            (Type::F64 | Type::B64 | Type::U64 | Type::S64, Literal::F64(v)) => v.to_bits(),
            (Type::Pred, _) => return Err(self.invalid("a predicate in memory")),
            (_, Literal::Int(v, _)) => v as u64,
            _ => return Err(self.invalid("a float as initial value of another type")),
        };
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&bits.to_le_bytes());
        if let (Type::B128, Literal::Int(v, false)) = (filling.ty, value) {
            bytes = (v as i128).to_le_bytes();
        }
        filling.init.bytes.extend_from_slice(&bytes[..size as usize]);
        Ok(())
    }

    /// `symbol+8` or `generic(symbol)+8`: name, addend, whether generic.
    fn symbol_address(&mut self) -> Result<(&'a str, i64, bool)> {
        let mut symbol = self.name("a symbol")?;
        let generic = symbol == "generic" && self.eat(b'(');
        let mut addend = 0;
        if generic {
            symbol = self.name("a symbol")?;
            addend = self.offset()?;
            self.expect(b')')?;
        }
        addend = i64::wrapping_add(addend, self.offset()?);
        Ok((symbol, addend, generic))
    }
}
