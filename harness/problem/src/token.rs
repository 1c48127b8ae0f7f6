//! The tokens of expressions and launches.

/// A token.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Token {
    Integer(i64),
    Float(f32),
    Double(f64),
    Name(String),
    Symbol(&'static str),
}

/// The symbols; a longer one comes before its beginning.
const SYMBOLS: [&str; 14] = ["<<<", ">>>", "..", "+", "-", "*", "/", "%", "(", ")", ",", ":", ".", ";"];

/// The most tokens of a text. Expressions are walked recursively.
const MOST: usize = 1000;

/// Splits a text into tokens.
///
/// # Errors
/// The text from the first character that begins no token.
pub(crate) fn tokens(text: &str) -> Result<Vec<Token>, String> {
    let (mut all, mut rest) = (Vec::new(), text.trim_start());
    while let Some(first) = rest.chars().next() {
        if all.len() == MOST {
            return Err(format!("it has more than {MOST} words and symbols"));
        }
        let length = if first.is_ascii_digit() {
            let (token, length) = number(rest)?;
            all.push(token);
            length
        } else if first.is_ascii_alphabetic() || first == '_' {
            let length = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len());
            all.push(Token::Name(rest[..length].into()));
            length
        } else {
            let symbol = SYMBOLS.into_iter().find(|symbol| rest.starts_with(symbol));
            let symbol = symbol.ok_or_else(|| format!("`{rest}` begins with an unknown symbol"))?;
            all.push(Token::Symbol(symbol));
            symbol.len()
        };
        rest = rest[length..].trim_start();
    }
    Ok(all)
}

/// Reads a number as in C, and returns its length too: `12` is an integer, `0.5f` and `1e-5f` are floats, and without
/// the `f` they are doubles.
fn number(text: &str) -> Result<(Token, usize), String> {
    let bytes = text.as_bytes();
    let digits = |from: usize| from + bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut end = digits(0);
    let mut is_integer = true;
    // `0..n` is a range.
    if bytes.get(end) == Some(&b'.') && bytes.get(end + 1) != Some(&b'.') {
        (end, is_integer) = (digits(end + 1), false);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        if bytes.get(end + 1 + sign).is_some_and(u8::is_ascii_digit) {
            (end, is_integer) = (digits(end + 1 + sign), false);
        }
    }
    let wrong = || format!("`{}` is not a number", &text[..end]);
    if is_integer {
        return Ok((Token::Integer(text[..end].parse().map_err(|_| wrong())?), end));
    }
    if bytes.get(end) == Some(&b'f') {
        return Ok((Token::Float(text[..end].parse().map_err(|_| wrong())?), end + 1));
    }
    Ok((Token::Double(text[..end].parse().map_err(|_| wrong())?), end))
}

/// Tokens that are read one after another.
#[derive(Debug, Clone)]
pub(crate) struct Reader {
    tokens: std::vec::IntoIter<Token>,
}

impl Reader {
    pub(crate) fn new(text: &str) -> Result<Self, String> {
        Ok(Self { tokens: tokens(text)?.into_iter() })
    }

    /// Returns the next token without reading it.
    pub(crate) fn peek(&self) -> Option<&Token> {
        self.tokens.as_slice().first()
    }

    pub(crate) fn next(&mut self) -> Option<Token> {
        self.tokens.next()
    }

    /// Reads a symbol if it comes next.
    pub(crate) fn take(&mut self, symbol: &str) -> bool {
        let is_next = matches!(self.peek(), Some(Token::Symbol(next)) if *next == symbol);
        if is_next {
            self.next();
        }
        is_next
    }

    /// Reads a symbol.
    pub(crate) fn expect(&mut self, symbol: &str) -> Result<(), String> {
        if self.take(symbol) { Ok(()) } else { Err(format!("`{symbol}` is expected before {}", self.rest())) }
    }

    /// Reads a name.
    pub(crate) fn name(&mut self) -> Result<String, String> {
        match self.peek() {
            Some(Token::Name(_)) => {}
            _ => return Err(format!("a name is expected before {}", self.rest())),
        }
        let Some(Token::Name(name)) = self.next() else { unreachable!("it was a name") };
        Ok(name)
    }

    /// Describes the next token.
    pub(crate) fn rest(&self) -> String {
        match self.peek() {
            None => "the end".into(),
            Some(Token::Integer(number)) => format!("`{number}`"),
            Some(Token::Float(number)) => format!("`{number}f`"),
            Some(Token::Double(number)) => format!("`{number}`"),
            Some(Token::Name(name)) => format!("`{name}`"),
            Some(Token::Symbol(symbol)) => format!("`{symbol}`"),
        }
    }

    /// Rejects what is left.
    pub(crate) fn end(&self) -> Result<(), String> {
        if self.peek().is_none() { Ok(()) } else { Err(format!("{} is not expected", self.rest())) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_the_types_of_c() {
        let of = |text| tokens(text).unwrap();
        assert_eq!(of("12"), [Token::Integer(12)]);
        assert_eq!(of("1e-5f 0.5 1.f"), [Token::Float(1e-5), Token::Double(0.5), Token::Float(1.0)]);
        let range = [Token::Integer(0), Token::Symbol(".."), Token::Name("n".into())];
        assert_eq!(of("0..n"), range);
        assert!(tokens(&"1+".repeat(1000)).unwrap_err().contains("more than 1000"));
        assert!(tokens("99999999999999999999").is_err() && tokens("n ? 1").unwrap_err().contains("`? 1`"));
    }
}
