//! The command line of this process, which distinguishes the reports of several processes.

/// The number of characters that fit in a line of a table.
const LONGEST: usize = 100;

/// Returns the program and its arguments, truncated with three dots to the width of a line.
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
