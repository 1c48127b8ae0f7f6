//! Integer expressions over the sizes of a case: lengths of buffers, grids, arguments.
use std::{collections::BTreeMap, fmt};

use serde::Deserialize;

use crate::token::{Reader, Token};

/// The sizes of a case and the variables of loops, by name.
pub type Values = BTreeMap<String, i64>;

/// The functions, with the number of their arguments.
const FUNCTIONS: [(&str, usize); 6] =
    [("ceil_div", 2), ("min", 2), ("max", 2), ("pow2", 1), ("log2", 1), ("ceil_log2", 1)];

/// The deepest nesting of parentheses.
const DEEPEST: usize = 64;

/// An expression, as parsed.
#[derive(Debug, Clone, PartialEq)]
enum Node {
    Integer(i64),
    Name(String),
    Binary(&'static str, Box<Node>, Box<Node>),
    Call(&'static str, Vec<Node>),
}

/// An integer expression: `+ - * / %`, `ceil_div`, `min`, `max`, `pow2`, `log2` (rounded down) and `ceil_log2`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(try_from = "Text")]
pub struct Expression(Node);

/// An expression in a TOML file: a string, or an integer.
#[derive(Deserialize)]
#[serde(untagged)]
enum Text {
    Integer(i64),
    Words(String),
}

impl TryFrom<Text> for Expression {
    type Error = String;

    fn try_from(text: Text) -> Result<Self, String> {
        match text {
            Text::Integer(number) => Ok(Self(Node::Integer(number))),
            Text::Words(words) => Self::parse(&words).map_err(|why| format!("expression `{words}`: {why}")),
        }
    }
}

impl Expression {
    /// Parses a whole text.
    ///
    /// # Errors
    /// What is wrong, in words.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut reader = Reader::new(text)?;
        let parsed = Self::read(&mut reader)?;
        reader.end()?;
        Ok(parsed)
    }

    pub(crate) fn read(reader: &mut Reader) -> Result<Self, String> {
        Ok(Self(sum(reader, 0)?))
    }

    pub(crate) fn integer(number: i64) -> Self {
        Self(Node::Integer(number))
    }

    /// Returns the name, if the expression is only that.
    pub(crate) fn as_name(&self) -> Option<&str> {
        match &self.0 {
            Node::Name(name) => Some(name),
            _ => None,
        }
    }

    /// Returns the value.
    ///
    /// # Errors
    /// An unknown name, a division by 0, or a value that does not fit into 64 bits.
    pub fn value(&self, values: &Values) -> Result<i64, String> {
        value(&self.0, values)
    }
}

fn sum(reader: &mut Reader, depth: usize) -> Result<Node, String> {
    binary(reader, depth, &["+", "-"], |reader, depth| binary(reader, depth, &["*", "/", "%"], factor))
}

fn binary(
    reader: &mut Reader,
    depth: usize,
    operators: &[&'static str],
    operand: impl Fn(&mut Reader, usize) -> Result<Node, String>,
) -> Result<Node, String> {
    let mut left = operand(reader, depth)?;
    while let Some(operator) = operators.iter().find(|operator| reader.take(operator)) {
        left = Node::Binary(operator, Box::new(left), Box::new(operand(reader, depth)?));
    }
    Ok(left)
}

fn factor(reader: &mut Reader, depth: usize) -> Result<Node, String> {
    if depth > DEEPEST {
        return Err("it is nested too deeply".into());
    }
    if reader.take("-") {
        return Ok(Node::Binary("-", Box::new(Node::Integer(0)), Box::new(factor(reader, depth + 1)?)));
    }
    if reader.take("(") {
        let inner = sum(reader, depth + 1)?;
        reader.expect(")")?;
        return Ok(inner);
    }
    match reader.peek() {
        Some(Token::Integer(number)) => {
            let number = *number;
            reader.next();
            Ok(Node::Integer(number))
        }
        Some(Token::Name(_)) => {
            let name = reader.name()?;
            if reader.take("(") { call(reader, &name, depth) } else { Ok(Node::Name(name)) }
        }
        _ => Err(format!("a size or an integer is expected before {}", reader.rest())),
    }
}

fn call(reader: &mut Reader, name: &str, depth: usize) -> Result<Node, String> {
    let known = FUNCTIONS.iter().find(|(known, _)| *known == name);
    let (name, count) = known.ok_or_else(|| {
        let names = FUNCTIONS.map(|(name, _)| name).join(", ");
        format!("`{name}` is not a function; there are {names}")
    })?;
    let mut arguments = vec![sum(reader, depth + 1)?];
    while reader.take(",") {
        arguments.push(sum(reader, depth + 1)?);
    }
    reader.expect(")")?;
    if arguments.len() != *count {
        return Err(format!("{name} takes {count} arguments, but has {}", arguments.len()));
    }
    Ok(Node::Call(name, arguments))
}

fn value(node: &Node, values: &Values) -> Result<i64, String> {
    let too_large = || "a value does not fit into 64 bits".to_string();
    match node {
        Node::Integer(number) => Ok(*number),
        Node::Name(name) => values.get(name).copied().ok_or_else(|| {
            let known: Vec<&str> = values.keys().map(String::as_str).collect();
            format!("`{name}` is not a size; {}", harness::suggest::among(name, &known))
        }),
        Node::Binary(operator, left, right) => {
            let (left, right) = (value(left, values)?, value(right, values)?);
            if matches!(*operator, "/" | "%") && right == 0 {
                return Err("a division by 0".into());
            }
            let result = match *operator {
                "+" => left.checked_add(right),
                "-" => left.checked_sub(right),
                "*" => left.checked_mul(right),
                "/" => left.checked_div(right),
                _ => left.checked_rem(right),
            };
            result.ok_or_else(too_large)
        }
        Node::Call(name, arguments) => {
            let arguments = arguments.iter().map(|node| value(node, values)).collect::<Result<Vec<i64>, String>>()?;
            let [first, rest @ ..] = arguments.as_slice() else { unreachable!("a function has an argument") };
            let second = rest.first().copied().unwrap_or_default();
            let positive = || (*first > 0).then_some(*first as u64).ok_or(format!("{name} of {first}"));
            match *name {
                "ceil_div" if second <= 0 || *first < 0 => Err(format!("ceil_div of {first} by {second}")),
                "ceil_div" => Ok((*first as u64).div_ceil(second as u64) as i64),
                "min" => Ok(second.min(*first)),
                "max" => Ok(second.max(*first)),
                "pow2" if (0..63).contains(first) => Ok(1 << first),
                "pow2" => Err(too_large()),
                "log2" => Ok(positive()?.ilog2().into()),
                _ => Ok((u64::BITS - (positive()? - 1).leading_zeros()).into()),
            }
        }
    }
}

/// Writes the values as `rows=64, cols=300`.
pub(crate) struct Label<'v>(pub(crate) &'v Values);

impl fmt::Display for Label<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let each: Vec<String> = self.0.iter().map(|(name, value)| format!("{name}={value}")).collect();
        f.write_str(&each.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Result<i64, String> {
        let values: Values = [("n".into(), 300), ("rows".into(), 7)].into();
        Expression::parse(text)?.value(&values)
    }

    #[test]
    fn operators_bind_as_in_c() {
        for (text, value) in [
            ("n + rows * 2", 314),
            ("(n + rows) * 2", 614),
            ("n - rows - 3", 290),
            ("n / rows % 5", 2),
            ("-rows + 10", 3),
            ("ceil_div(n, 256)", 2),
            ("min(n, rows) + max(n, rows)", 307),
            ("pow2(log2(n))", 256),
            ("pow2(ceil_log2(n))", 512),
            ("ceil_log2(1) + ceil_log2(256)", 8),
        ] {
            assert_eq!(of(text), Ok(value), "{text}");
        }
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (text, words) in [
            ("m + 1", "`m` is not a size"),
            ("n / (rows - 7)", "a division by 0"),
            ("n +", "before the end"),
            ("n n", "`n` is not expected"),
            ("sqrt(n)", "`sqrt` is not a function; there are ceil_div"),
            ("min(n)", "min takes 2 arguments, but has 1"),
            ("log2(0)", "log2 of 0"),
            ("pow2(63)", "does not fit"),
            ("9223372036854775807 + n", "does not fit"),
            ("0.5", "a size or an integer is expected"),
        ] {
            let error = of(text).unwrap_err();
            assert!(error.contains(words), "{text}: {error}");
        }
        assert!(of(&"(".repeat(500)).unwrap_err().contains("nested too deeply"));
    }
}
