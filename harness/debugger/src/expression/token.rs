//! The tokens of an expression.

use super::ExpressionError;

/// A token.
#[derive(Clone, Debug, PartialEq)]
pub enum Token {
    /// A name, also with dots or a sign of a register: `%r1`, `$r1`, `threadIdx.x`, `@shared`.
    Name(String),
    /// An integer.
    Integer(u64),
    /// A floating-point number.
    Float(f64),
    /// An operator or bracket.
    Sign(&'static str),
}

const SIGNS: [&str; 25] = [
    "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+", "-", "*", "/", "%", "&", "|", "^", "!", "~", "<", ">", "(",
    ")", "[", "]", "@",
];

fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$')
}

/// Splits an expression into tokens.
pub fn tokens(text: &str) -> Result<Vec<Token>, ExpressionError> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let word_end = |from: usize| rest[from..].find(|c| !is_name(c)).map_or(rest.len(), |end| from + end);
        // After a value, % is an operator and @ is followed by a count.
        let after_value = matches!(tokens.last(), Some(Token::Name(_) | Token::Integer(_) | Token::Sign(")" | "]")));
        let is_name_next = rest[1.min(rest.len())..].starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        let length = if first.is_ascii_digit() {
            let end = word_end(0);
            // The sign of an exponent.
            let is_exponent = !rest.starts_with("0x") && rest[..end].ends_with(['e', 'E']);
            let end = if is_exponent && rest[end..].starts_with(['-', '+']) { word_end(end + 1) } else { end };
            tokens.push(number(&rest[..end])?);
            end
        } else if is_name(first) {
            tokens.push(Token::Name(rest[..word_end(0)].to_owned()));
            word_end(0)
        } else if matches!(first, '%' | '@') && is_name_next && !after_value {
            tokens.push(Token::Name(rest[..word_end(1)].to_owned()));
            word_end(1)
        } else {
            let sign = SIGNS.iter().find(|sign| rest.starts_with(**sign));
            let sign = sign.ok_or_else(|| ExpressionError::Syntax(format!("`{first}` is not an operator")))?;
            tokens.push(Token::Sign(sign));
            sign.len()
        };
        rest = rest[length..].trim_start();
    }
    Ok(tokens)
}

fn number(text: &str) -> Result<Token, ExpressionError> {
    let wrong = || ExpressionError::Syntax(format!("`{text}` is not a number"));
    if let Some(digits) = text.strip_prefix("0x") {
        return u64::from_str_radix(digits, 16).map(Token::Integer).map_err(|_| wrong());
    }
    let digits = text.trim_end_matches(['u', 'U', 'l', 'L']);
    if let Ok(value) = digits.parse() {
        return Ok(Token::Integer(value));
    }
    text.trim_end_matches(['f', 'F']).parse().map(Token::Float).map_err(|_| wrong())
}
