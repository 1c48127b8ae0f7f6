//! The command line of this process, by which reports of several processes are told apart.

/// As many characters fit a line of a table.
const LONGEST: usize = 100;

/// The program and its arguments, with three dots where they do not fit a line.
pub fn line() -> String {
    let words: Vec<String> = std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
    fitting(&words.join(" "))
}

fn fitting(text: &str) -> String {
    let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    if text.chars().count() <= LONGEST {
        return text;
    }
    let start: String = text.chars().take(LONGEST - 3).collect();
    start + "..."
}

#[cfg(test)]
mod tests {
    use super::{LONGEST, fitting};

    #[test]
    fn a_command_fits_a_line() {
        assert_eq!(fitting("python3 -c a\nb"), "python3 -c a b");
        let long = fitting(&"x".repeat(LONGEST + 1));
        assert_eq!((long.chars().count(), long.ends_with("x...")), (LONGEST, true));
        assert_eq!(fitting(&"x".repeat(LONGEST)).len(), LONGEST);
    }
}
