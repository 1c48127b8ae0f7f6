//! The exercises of a kernel file that are still marked as to be done, as [`crate::assignment::starter`] marks them.

/// A mark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToDo<'a> {
    /// The exercise.
    pub exercise: &'a str,
    /// The line of the mark, from 1.
    pub line: usize,
    /// What is to be done.
    pub words: String,
}

/// The marks in `cuda`, the first one of each exercise.
pub fn to_do(cuda: &str) -> Vec<ToDo<'_>> {
    let mut open: Vec<ToDo> = Vec::new();
    let mut lines = cuda.lines().zip(1..).peekable();
    while let Some((text, line)) = lines.next() {
        let marked = text.trim_start().strip_prefix("// TODO (").and_then(|rest| rest.split_once("):"));
        // Folders of earlier versions have the name alone.
        let marked = marked.map(|(name, rest)| (name.strip_prefix("exercise ").unwrap_or(name), rest));
        let Some((exercise, first)) =
            marked.filter(|(exercise, _)| open.iter().all(|known| known.exercise != *exercise))
        else {
            continue;
        };
        let mut words = first.trim().to_string();
        while let Some((more, _)) = lines.next_if(|(next, _)| continues(next)) {
            words = format!("{words} {}", more.trim_start().trim_start_matches("//").trim());
        }
        open.push(ToDo { exercise, line, words });
    }
    open
}

/// Whether a line continues the comment above it.
fn continues(line: &str) -> bool {
    let comment = line.trim_start().strip_prefix("// ");
    comment.is_some_and(|comment| !comment.starts_with("TODO ("))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_marks_are_found_with_their_words() {
        let cuda = "// TODO (exercise a): Do this,\n// and that.\nint i; // TODO (late): no\n  // TODO (b): More.\n  // TODO (a): Again.\n// TODO: no exercise\n";
        let open = to_do(cuda);
        let found: Vec<_> = open.iter().map(|open| (open.exercise, open.line, open.words.as_str())).collect();
        assert_eq!(found, [("a", 1, "Do this, and that."), ("b", 4, "More.")]);
    }
}
