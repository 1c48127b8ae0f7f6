//! Splits PTX text into tokens, one at a time, without building a table.

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TokenKind {
    /// A name: `%r1`, `$L__BB0_2`, `add`, `_`.
    Name,
    /// A word after a dot, including its `::` parts: `.global`, `.shared::cta`. The token's text does not include the
    /// dot.
    Word,
    /// An integer literal, and whether it is written with `U`.
    Int(u64, bool),
    /// `0f3F800000`.
    F32(u32),
    /// `0d...` or a decimal literal with a point or an exponent.
    F64(u64),
    /// A string. The token's text does not include the quotes.
    Str,
    /// One character of punctuation.
    Mark(u8),
    /// `<<`, `>>`, `==`, `!=`, `<=`, `>=`, `&&` or `||`: the first character, and the second.
    Pair(u8, u8),
    /// An invalid token: a stray character, an unterminated string or comment, or a number out of range.
    Bad,
    /// The end of the text.
    End,
}

/// One token.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Token<'a> {
    /// Its kind.
    pub kind: TokenKind,
    /// Its text.
    pub text: &'a str,
    /// Its line, counted from 1.
    pub line: u32,
}

impl Token<'_> {
    /// Whether it is this punctuation.
    pub fn is(&self, mark: u8) -> bool {
        self.kind == TokenKind::Mark(mark)
    }

    /// The token's description in an error message.
    pub fn describe(&self) -> String {
        const MOST: usize = 40;
        let mut text: String = self.text.chars().take(MOST).collect();
        if text.len() < self.text.len() {
            text.push_str("...");
        }
        match self.kind {
            TokenKind::End => "the end of the text".into(),
            TokenKind::Word => format!("`.{text}`"),
            TokenKind::Str => format!("the string \"{text}\""),
            TokenKind::Bad if text.starts_with('"') => "a string that never ends".into(),
            TokenKind::Bad if text.starts_with("/*") => "a comment that never ends".into(),
            TokenKind::Bad if text.starts_with(|c: char| c.is_ascii_digit()) => {
                format!("the malformed number `{text}`")
            }
            _ => format!("`{text}`"),
        }
    }
}

/// Yields the tokens of a text, and [`TokenKind::End`] forever after its end.
#[derive(Clone, Debug)]
pub struct Lexer<'a> {
    text: &'a str,
    at: usize,
    line: u32,
}

const fn is_name_start(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'$' | b'%')
}

const fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$')
}

impl<'a> Lexer<'a> {
    /// Creates a lexer at the beginning of `text`.
    pub fn new(text: &'a str) -> Self {
        Lexer { text, at: 0, line: 1 }
    }

    fn byte(&self, ahead: usize) -> u8 {
        *self.text.as_bytes().get(self.at + ahead).unwrap_or(&0)
    }

    /// Length of the run of bytes from `ahead` on that satisfy `test`.
    fn run(&self, ahead: usize, test: impl Fn(u8) -> bool) -> usize {
        let rest = self.text.as_bytes().get(self.at + ahead..).unwrap_or(&[]);
        rest.iter().take_while(|&&b| test(b)).count()
    }

    fn take(&mut self, kind: TokenKind, length: usize) -> Token<'a> {
        let end = (self.at + length).min(self.text.len());
        // A stray byte may be the first of a multi-byte character, which is then taken as a whole.
        let end = (end..=self.text.len()).find(|&i| self.text.is_char_boundary(i)).unwrap_or(self.text.len());
        let token = Token { kind, text: &self.text[self.at..end], line: self.line };
        self.at = end;
        token
    }

    /// Skips blanks and comments. An unterminated comment is returned as a bad token.
    fn skip(&mut self) -> Option<Token<'a>> {
        loop {
            match self.byte(0) {
                b'\n' => {
                    self.line = self.line.saturating_add(1);
                    self.at += 1;
                }
                b' ' | b'\t' | b'\r' | 0x0b | 0x0c => self.at += 1,
                // A file read from disk may end in NUL bytes, and the length of a C string may include its terminator.
                0 if self.at < self.text.len() => self.at += 1,
                b'/' if self.byte(1) == b'/' => self.at += self.run(0, |b| b != b'\n'),
                b'/' if self.byte(1) == b'*' => match self.text[self.at + 2..].find("*/") {
                    Some(length) => {
                        let comment = &self.text[self.at..self.at + length + 4];
                        let lines = comment.bytes().filter(|&b| b == b'\n').count();
                        self.line = self.line.saturating_add(lines as u32);
                        self.at += length + 4;
                    }
                    None => return Some(self.take(TokenKind::Bad, self.text.len() - self.at)),
                },
                _ => return None,
            }
        }
    }

    fn number(&mut self) -> Token<'a> {
        let digits = |b: u8| b.is_ascii_digit();
        let hex = |b: u8| b.is_ascii_hexdigit();
        let radix = match (self.byte(0), self.byte(1) | 0x20) {
            (b'0', b'x') => 16,
            (b'0', b'b') => 2,
            (b'0', letter @ (b'f' | b'd')) => {
                let length = self.run(2, hex);
                let bits = u64::from_str_radix(&self.text[self.at + 2..self.at + 2 + length], 16);
                return match (letter, length, bits) {
                    (b'f', 8, Ok(bits)) => self.take(TokenKind::F32(bits as u32), 10),
                    (b'd', 16, Ok(bits)) => self.take(TokenKind::F64(bits), 18),
                    _ => self.take(TokenKind::Bad, 2 + length),
                };
            }
            _ => 0,
        };
        if radix != 0 {
            let length = self.run(2, hex);
            return self.integer(2, length, radix);
        }
        let whole = self.run(0, digits);
        let mut length = whole;
        if self.byte(length) == b'.' && self.byte(length + 1).is_ascii_digit() {
            length += 1 + self.run(length + 1, digits);
        }
        if self.byte(length) | 0x20 == b'e' {
            let sign = usize::from(matches!(self.byte(length + 1), b'+' | b'-'));
            let exponent = self.run(length + 1 + sign, digits);
            if exponent > 0 {
                length += 1 + sign + exponent;
            }
        }
        if length > whole {
            let value: f64 = self.text[self.at..self.at + length].parse().unwrap_or(0.0);
            return self.take(TokenKind::F64(value.to_bits()), length);
        }
        let octal = self.byte(0) == b'0' && whole > 1;
        self.integer(0, whole, if octal { 8 } else { 10 })
    }

    fn integer(&mut self, prefix: usize, length: usize, radix: u32) -> Token<'a> {
        let digits = &self.text[self.at + prefix..self.at + prefix + length];
        let value = u64::from_str_radix(digits, radix);
        let unsigned = self.byte(prefix + length) == b'U';
        let length = prefix + length + usize::from(unsigned);
        match value {
            Ok(value) => self.take(TokenKind::Int(value, unsigned), length),
            Err(_) => self.take(TokenKind::Bad, length),
        }
    }

    /// The next token.
    pub fn next_token(&mut self) -> Token<'a> {
        if let Some(bad) = self.skip() {
            return bad;
        }
        match self.byte(0) {
            _ if self.at >= self.text.len() => self.take(TokenKind::End, 0),
            b'%' if !is_name(self.byte(1)) => self.take(TokenKind::Mark(b'%'), 1),
            byte if is_name_start(byte) => self.take(TokenKind::Name, 1 + self.run(1, is_name)),
            b'0'..=b'9' => self.number(),
            b'.' if is_name(self.byte(1)) => {
                let mut length = self.run(1, is_name);
                while self.byte(1 + length) == b':' && self.byte(2 + length) == b':' && is_name(self.byte(3 + length)) {
                    length += 2 + self.run(3 + length, is_name);
                }
                self.at += 1;
                self.take(TokenKind::Word, length)
            }
            b'"' => {
                let length = self.run(1, |b| b != b'"' && b != b'\n');
                if self.byte(1 + length) != b'"' {
                    return self.take(TokenKind::Bad, 1 + length);
                }
                self.at += 1;
                let token = self.take(TokenKind::Str, length);
                self.at += 1;
                token
            }
            byte => {
                let second = self.byte(1);
                let pair = match byte {
                    b'<' | b'>' => second == byte || second == b'=',
                    b'=' | b'&' => second == byte,
                    b'!' => second == b'=',
                    b'|' => second == b'|',
                    _ => false,
                };
                if pair {
                    self.take(TokenKind::Pair(byte, second), 2)
                } else if b"()[]{},;:=+-*/~!?&|^<>@".contains(&byte) {
                    self.take(TokenKind::Mark(byte), 1)
                } else {
                    self.take(TokenKind::Bad, 1)
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<TokenKind> {
        let mut lexer = Lexer::new(text);
        std::iter::from_fn(|| Some(lexer.next_token().kind)).take_while(|k| *k != TokenKind::End).collect()
    }

    #[test]
    fn numbers_of_every_form() {
        use TokenKind::*;
        for (text, kind) in [
            ("0", Int(0, false)),
            ("42U", Int(42, true)),
            ("0x10U", Int(16, true)),
            ("0XFF", Int(255, false)),
            ("017", Int(15, false)),
            ("0b101", Int(5, false)),
            ("18446744073709551615", Int(u64::MAX, false)),
            ("0f3F800000", F32(0x3f80_0000)),
            ("0F3f800000", F32(0x3f80_0000)),
            ("0dBFF0000000000000", F64((-1f64).to_bits())),
            ("1.5", F64(1.5f64.to_bits())),
            ("2e3", F64(2000f64.to_bits())),
            ("1.25E-2", F64(0.0125f64.to_bits())),
        ] {
            assert_eq!(kinds(text), [kind], "{text}");
        }
        for text in ["18446744073709551616", "08", "0x", "0f123", "0d12", "0b12"] {
            assert_eq!(kinds(text)[0], Bad, "{text}");
        }
    }

    #[test]
    fn names_words_and_comments() {
        let mut lexer = Lexer::new("/* a\n b */ @%p1 ld.shared::cta.b32 $L_2, // x\n _, \"f.cu\"");
        let mut all = Vec::new();
        loop {
            let token = lexer.next_token();
            if token.kind == TokenKind::End {
                break;
            }
            all.push((token.text, token.line));
        }
        assert_eq!(
            all,
            [
                ("@", 2),
                ("%p1", 2),
                ("ld", 2),
                ("shared::cta", 2),
                ("b32", 2),
                ("$L_2", 2),
                (",", 2),
                ("_", 3),
                (",", 3),
                ("f.cu", 3)
            ]
        );
        assert_eq!(kinds("5 % 3").len(), 3);
        assert_eq!(kinds("/* open"), [TokenKind::Bad]);
        assert_eq!(kinds("\"open\n")[0], TokenKind::Bad);
        assert_eq!(kinds("é"), [TokenKind::Bad]);
    }
}
