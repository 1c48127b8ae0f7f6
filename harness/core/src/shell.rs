//! Words of commands that the user may copy into a shell.

/// Returns this program as it was called, quoted for a shell.
pub(crate) fn this_program() -> String {
    quoted(&std::env::args_os().next().unwrap_or_default().to_string_lossy())
}

/// Quotes a word for a POSIX shell.
pub fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_=+:,./@%^".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.into();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_quoted_where_a_shell_would_break_it() {
        for (word, text) in [
            ("emulated:a100", "emulated:a100"),
            ("2^20", "2^20"),
            ("letters, same", "'letters, same'"),
            ("it's", "'it'\\''s'"),
            ("", "''"),
            ("$HOME*", "'$HOME*'"),
        ] {
            assert_eq!(quoted(word), text);
        }
    }
}
