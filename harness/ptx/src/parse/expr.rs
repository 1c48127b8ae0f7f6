//! Constant expressions with C's precedence and PTX's two integer types.

use super::Parser;
use crate::error::Result;
use crate::lex::TokenKind;

/// The value of a constant expression.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Literal {
    /// An integer: its 64 bits, and whether its type is `.u64` rather than `.s64`.
    Int(i64, bool),
    /// The bits of an f32 that is written as one.
    F32(u32),
    /// An f64.
    F64(f64),
}

/// A binary operator's precedence, as in C; 0 for anything else.
fn precedence(kind: TokenKind) -> u32 {
    match kind {
        TokenKind::Pair(b'|', b'|') => 1,
        TokenKind::Pair(b'&', b'&') => 2,
        TokenKind::Mark(b'|') => 3,
        TokenKind::Mark(b'^') => 4,
        TokenKind::Mark(b'&') => 5,
        TokenKind::Pair(b'=' | b'!', b'=') => 6,
        TokenKind::Mark(b'<' | b'>') | TokenKind::Pair(b'<' | b'>', b'=') => 7,
        TokenKind::Pair(b'<' | b'>', _) => 8,
        TokenKind::Mark(b'+' | b'-') => 9,
        TokenKind::Mark(b'*' | b'/' | b'%') => 10,
        _ => 0,
    }
}

fn integers(operator: TokenKind, a: i64, b: i64, unsigned: bool) -> Option<Literal> {
    let (ua, ub) = (a as u64, b as u64);
    let order = if unsigned { ua.cmp(&ub) } else { a.cmp(&b) };
    let int = |bits| Some(Literal::Int(bits, unsigned));
    let truth = |holds| Some(Literal::Int(i64::from(holds), false));
    match operator {
        TokenKind::Pair(b'|', b'|') => truth(a != 0 || b != 0),
        TokenKind::Pair(b'&', b'&') => truth(a != 0 && b != 0),
        TokenKind::Mark(b'|') => int(a | b),
        TokenKind::Mark(b'^') => int(a ^ b),
        TokenKind::Mark(b'&') => int(a & b),
        TokenKind::Pair(b'=', _) => truth(a == b),
        TokenKind::Pair(b'!', _) => truth(a != b),
        TokenKind::Mark(b'<') => truth(order.is_lt()),
        TokenKind::Mark(b'>') => truth(order.is_gt()),
        TokenKind::Pair(b'<', b'=') => truth(order.is_le()),
        TokenKind::Pair(b'>', b'=') => truth(order.is_ge()),
        TokenKind::Pair(b'<', _) => int(if ub > 63 { 0 } else { a << ub }),
        TokenKind::Pair(_, _) if unsigned => int(if ub > 63 { 0 } else { (ua >> ub) as i64 }),
        TokenKind::Pair(_, _) => int(a >> ub.min(63)),
        TokenKind::Mark(b'+') => int(a.wrapping_add(b)),
        TokenKind::Mark(b'-') => int(a.wrapping_sub(b)),
        TokenKind::Mark(b'*') => int(a.wrapping_mul(b)),
        TokenKind::Mark(b'/') if unsigned => int(ua.checked_div(ub)? as i64),
        TokenKind::Mark(b'/') if b != 0 => int(a.wrapping_div(b)),
        TokenKind::Mark(b'%') if unsigned => int(ua.checked_rem(ub)? as i64),
        TokenKind::Mark(b'%') if b != 0 => int(a.wrapping_rem(b)),
        _ => None,
    }
}

fn floats(operator: TokenKind, a: f64, b: f64) -> Option<Literal> {
    match operator {
        TokenKind::Mark(b'+') => Some(Literal::F64(a + b)),
        TokenKind::Mark(b'-') => Some(Literal::F64(a - b)),
        TokenKind::Mark(b'*') => Some(Literal::F64(a * b)),
        TokenKind::Mark(b'/') => Some(Literal::F64(a / b)),
        _ => None,
    }
}

impl Parser<'_> {
    /// Whether a constant expression begins here.
    pub(super) fn at_constant(&self) -> bool {
        match self.tok.kind {
            TokenKind::Int(..) | TokenKind::F32(_) | TokenKind::F64(_) => true,
            TokenKind::Mark(mark) => b"-+~(!".contains(&mark),
            TokenKind::Name => self.tok.text == "WARP_SZ",
            _ => false,
        }
    }

    /// A constant expression.
    pub(super) fn constant(&mut self) -> Result<Literal> {
        // Nearly every constant is one literal.
        if let (TokenKind::Int(value, unsigned), TokenKind::Mark(b',' | b';' | b']' | b'}')) =
            (self.tok.kind, self.next.kind)
        {
            self.bump();
            return Ok(literal(value, unsigned));
        }
        self.nested(|p| {
            let condition = p.binary(1)?;
            if !p.eat(b'?') {
                return Ok(condition);
            }
            let yes = p.constant()?;
            p.expect(b':')?;
            let no = p.constant()?;
            match condition {
                Literal::Int(0, _) => Ok(no),
                Literal::Int(..) => Ok(yes),
                _ => Err(p.invalid("the condition of `?:` must be an integer")),
            }
        })
    }

    /// An integer constant.
    pub(super) fn integer(&mut self, expected: &str) -> Result<i64> {
        if !self.at_constant() {
            return Err(self.unexpected(expected));
        }
        match self.constant()? {
            Literal::Int(value, _) => Ok(value),
            _ => Err(self.invalid(format!("{expected} must be an integer"))),
        }
    }

    fn binary(&mut self, least: u32) -> Result<Literal> {
        let mut left = self.unary()?;
        loop {
            let operator = self.tok.kind;
            let level = precedence(operator);
            if level < least || level == 0 {
                return Ok(left);
            }
            self.bump();
            let right = self.binary(level + 1)?;
            let value = match (left, right) {
                (Literal::Int(a, ua), Literal::Int(b, ub)) => {
                    // The type of a shift is that of its left operand.
                    let shift = level == 8;
                    integers(operator, a, b, if shift { ua } else { ua || ub })
                }
                (Literal::F64(a), Literal::F64(b)) => floats(operator, a, b),
                _ => None,
            };
            left = value.ok_or_else(|| self.invalid("a constant expression without a value"))?;
        }
    }

    fn unary(&mut self) -> Result<Literal> {
        let token = self.tok;
        match token.kind {
            TokenKind::Int(value, unsigned) => {
                self.bump();
                Ok(literal(value, unsigned))
            }
            TokenKind::F32(bits) => {
                self.bump();
                Ok(Literal::F32(bits))
            }
            TokenKind::F64(bits) => {
                self.bump();
                Ok(Literal::F64(f64::from_bits(bits)))
            }
            TokenKind::Name if token.text == "WARP_SZ" => {
                self.bump();
                Ok(Literal::Int(32, false))
            }
            TokenKind::Mark(b'(') => {
                self.bump();
                if self.tok.kind == TokenKind::Word {
                    let unsigned = match self.tok.text {
                        "u64" => true,
                        "s64" => false,
                        _ => return Err(self.unexpected("`.s64` or `.u64`")),
                    };
                    self.bump();
                    self.expect(b')')?;
                    return match self.nested(Self::unary)? {
                        Literal::Int(value, _) => Ok(Literal::Int(value, unsigned)),
                        _ => Err(self.invalid("a cast of a constant that is not an integer")),
                    };
                }
                let value = self.constant()?;
                self.expect(b')')?;
                Ok(value)
            }
            TokenKind::Mark(operator) if b"-+~!".contains(&operator) => {
                self.bump();
                let value = self.nested(Self::unary)?;
                match (operator, value) {
                    (b'-', Literal::Int(v, unsigned)) => Ok(Literal::Int(v.wrapping_neg(), unsigned)),
                    (b'-', Literal::F64(v)) => Ok(Literal::F64(-v)),
                    (b'-', Literal::F32(v)) => Ok(Literal::F32(v ^ 0x8000_0000)),
                    (b'+', value) => Ok(value),
                    (b'~', Literal::Int(v, unsigned)) => Ok(Literal::Int(!v, unsigned)),
                    (b'!', Literal::Int(v, _)) => Ok(Literal::Int(i64::from(v == 0), false)),
                    _ => Err(self.invalid("an integer operator on a float")),
                }
            }
            _ => Err(self.unexpected("a constant")),
        }
    }
}

/// A literal is signed unless written with `U` or too large.
fn literal(value: u64, unsigned: bool) -> Literal {
    Literal::Int(value as i64, unsigned || value > i64::MAX as u64)
}
