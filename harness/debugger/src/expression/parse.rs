//! Parses expressions.

use super::ExpressionError;
use super::token::{Token, tokens};
use crate::scalar::{Scalar, Value};

/// The memory that a pointer of a cast points to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PointerSpace {
    /// Global memory.
    Global,
    /// The shared memory of the block in focus.
    Shared,
    /// The local memory of the lane in focus.
    Local,
}

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub enum Expression {
    /// A number.
    Constant(Value),
    /// A variable, a register, or an index such as `threadIdx.x`.
    Name(String),
    /// A value as another type.
    Cast(Scalar, Box<Expression>),
    /// An address as a pointer.
    PointerCast(Scalar, PointerSpace, Box<Expression>),
    /// What a pointer points to.
    Dereference(Box<Expression>),
    /// An element of an array.
    Element(Box<Expression>, Box<Expression>),
    /// The address of a variable.
    Address(Box<Expression>),
    /// An operator with one operand.
    Unary(&'static str, Box<Expression>),
    /// An operator with two operands.
    Binary(&'static str, Box<Expression>, Box<Expression>),
}

/// Operators with two operands and how strongly they bind.
const OPERATORS: [(&str, u8); 18] = [
    ("||", 1),
    ("&&", 2),
    ("|", 3),
    ("^", 4),
    ("&", 5),
    ("==", 6),
    ("!=", 6),
    ("<", 7),
    ("<=", 7),
    (">", 7),
    (">=", 7),
    ("<<", 8),
    (">>", 8),
    ("+", 9),
    ("-", 9),
    ("*", 10),
    ("/", 10),
    ("%", 10),
];

/// The deepest nesting of an expression.
const DEEPEST: usize = 64;

struct Parser {
    tokens: Vec<Token>,
    next: usize,
    depth: usize,
}

/// Parses an expression, and the count after `@` if there is one.
pub fn parse(text: &str) -> Result<(Expression, Option<Expression>), ExpressionError> {
    let mut parser = Parser { tokens: tokens(text)?, next: 0, depth: 0 };
    let expression = parser.binary(0)?;
    let count = if parser.eat("@") { Some(parser.binary(0)?) } else { None };
    match parser.tokens.get(parser.next) {
        None => Ok((expression, count)),
        Some(token) => Err(ExpressionError::Syntax(format!("{} is not expected here", shown(token)))),
    }
}

fn shown(token: &Token) -> String {
    match token {
        Token::Name(name) => format!("`{name}`"),
        Token::Integer(value) => format!("`{value}`"),
        Token::Float(value) => format!("`{value}`"),
        Token::Sign(sign) => format!("`{sign}`"),
    }
}

impl Parser {
    fn eat(&mut self, sign: &'static str) -> bool {
        let is_it = self.tokens.get(self.next) == Some(&Token::Sign(sign));
        self.next += usize::from(is_it);
        is_it
    }

    fn expect(&mut self, sign: &'static str) -> Result<(), ExpressionError> {
        if self.eat(sign) { Ok(()) } else { Err(ExpressionError::Syntax(format!("`{sign}` is missing"))) }
    }

    fn binary(&mut self, weakest: u8) -> Result<Expression, ExpressionError> {
        let mut left = self.unary()?;
        while let Some(Token::Sign(sign)) = self.tokens.get(self.next)
            && let Some((sign, strength)) = OPERATORS.iter().find(|(known, _)| known == sign)
            && *strength > weakest
        {
            self.next += 1;
            left = Expression::Binary(sign, Box::new(left), Box::new(self.binary(*strength)?));
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<Expression, ExpressionError> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(ExpressionError::Syntax("the expression is nested too deeply".into()));
        }
        let expression = self.unary_within();
        self.depth -= 1;
        expression
    }

    fn unary_within(&mut self) -> Result<Expression, ExpressionError> {
        if self.eat("*") {
            return Ok(Expression::Dereference(Box::new(self.unary()?)));
        }
        if self.eat("&") {
            return Ok(Expression::Address(Box::new(self.unary()?)));
        }
        for sign in ["-", "!", "~"] {
            if self.eat(sign) {
                return Ok(Expression::Unary(sign, Box::new(self.unary()?)));
            }
        }
        if let Some((scalar, space, is_pointer)) = self.cast()? {
            let operand = Box::new(self.unary()?);
            return Ok(if is_pointer {
                Expression::PointerCast(scalar, space, operand)
            } else {
                Expression::Cast(scalar, operand)
            });
        }
        let mut operand = self.operand()?;
        while self.eat("[") {
            operand = Expression::Element(Box::new(operand), Box::new(self.binary(0)?));
            self.expect("]")?;
        }
        Ok(operand)
    }

    /// Parses `(TYPE)`, `(TYPE*)` or `(@shared TYPE*)`, if that is next.
    fn cast(&mut self) -> Result<Option<(Scalar, PointerSpace, bool)>, ExpressionError> {
        let start = self.next;
        if !self.eat("(") {
            return Ok(None);
        }
        let mut words = Vec::new();
        while let Some(Token::Name(word)) = self.tokens.get(self.next) {
            words.push(word.as_str());
            self.next += 1;
        }
        let space = match words.first() {
            Some(&"@shared") => PointerSpace::Shared,
            Some(&"@local") => PointerSpace::Local,
            _ => PointerSpace::Global,
        };
        let is_named = words.first().is_some_and(|word| word.starts_with('@'));
        words.retain(|word| !word.starts_with('@') && *word != "const");
        let scalar = Scalar::from_words(&words);
        let unknown = is_named.then(|| words.join(" "));
        let is_pointer = self.eat("*");
        match scalar {
            Some(scalar) if self.eat(")") => Ok(Some((scalar, space, is_pointer))),
            _ => {
                self.next = start;
                unknown.map_or(Ok(None), |name| Err(ExpressionError::Syntax(format!("`{name}` is not a scalar type"))))
            }
        }
    }

    fn operand(&mut self) -> Result<Expression, ExpressionError> {
        if self.eat("(") {
            let inner = self.binary(0)?;
            self.expect(")")?;
            return Ok(inner);
        }
        let token = self.tokens.get(self.next).cloned();
        self.next += 1;
        match token {
            Some(Token::Name(name)) => Ok(Expression::Name(name)),
            Some(Token::Integer(value)) => {
                let scalar = if i32::try_from(value).is_ok() { Scalar::INT } else { Scalar::LONG };
                Ok(Expression::Constant(Value::new(scalar, value)))
            }
            Some(Token::Float(value)) => Ok(Expression::Constant(Value::from_float(Scalar::Double, value))),
            Some(token) => Err(ExpressionError::Syntax(format!("{} is not expected here", shown(&token)))),
            None => Err(ExpressionError::Syntax("the expression is incomplete".into())),
        }
    }
}
