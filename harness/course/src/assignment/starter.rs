//! The file that a student starts from: the lab's own kernel file without what lies between its markers.
//!
//! A part of the solution begins with a line `// [part NAME] What is to be done.`, which may go on in further lines of
//! comment, and ends with a line `// [end]`. What should not be handed out at all, such as variants that no part asks
//! for, lies between `// [not handed out]` and `// [end]`.

/// The sentence in the head of a kernel file with parts that explains the markers to its readers. It is not handed out.
pub const HEAD: &str = "What lies between [part ...] and [end] is what `warplab start` leaves to the student.";

/// A kernel file with its parts taken out, and the names of these parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Starter {
    /// The file's text: each part is a comment that says what is to be done.
    pub text: String,
    /// The names of all parts that the file marks, each once, in the order of the file.
    pub parts: Vec<String>,
}

/// The kind of region between two markers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Region {
    Exercise,
    /// A part that is not asked for; it is handed out solved.
    Solved,
    Hidden,
}

impl Starter {
    /// Makes the starter of `cuda`, a lab's kernel file, without any of its parts.
    ///
    /// # Errors
    /// A misplaced marker, with its line.
    pub fn parse(cuda: &str) -> Result<Self, String> {
        Self::without(cuda, |_| true)
    }

    /// Like [`Starter::parse`], but removes only the parts that are asked for. The others are handed out solved.
    ///
    /// # Errors
    /// A misplaced marker, with its line.
    pub fn without(cuda: &str, is_asked_for: impl Fn(&str) -> bool) -> Result<Self, String> {
        let (mut text, mut parts) = (String::new(), Vec::new());
        let mut open: Option<(Region, usize)> = None;
        // Lines of comment right after a part's marker belong to it.
        let mut is_marker = false;
        for (line, number) in cuda.lines().zip(1..) {
            let indent = &line[..line.len() - line.trim_start().len()];
            let comment = line.trim_start().strip_prefix("// ").unwrap_or_default();
            let begins = comment.starts_with("[part ") || comment == "[not handed out]";
            match (begins, comment == "[end]", open) {
                (true, _, Some((_, first))) => {
                    return Err(format!("line {number}: a marked region begins inside that of line {first}"));
                }
                (true, ..) if comment.starts_with("[part ") => {
                    let (name, words) = comment["[part ".len()..]
                        .split_once("] ")
                        .ok_or_else(|| format!("line {number}: write `// [part NAME] What is to be done.`"))?;
                    if !parts.iter().any(|part| part == name) {
                        parts.push(name.to_string());
                    }
                    let (begin, region) = if is_asked_for(name) {
                        (format!("TODO (exercise {name}): "), Region::Exercise)
                    } else {
                        (String::new(), Region::Solved)
                    };
                    text += &format!("{indent}// {begin}{words}\n");
                    open = Some((region, number));
                    is_marker = true;
                    continue;
                }
                (true, ..) => open = Some((Region::Hidden, number)),
                (_, true, None) => return Err(format!("line {number}: `// [end]` without a beginning")),
                (_, true, Some(_)) => open = None,
                (_, _, Some((Region::Exercise, _))) if is_marker && !comment.is_empty() => {
                    text += line;
                    text.push('\n');
                    continue;
                }
                (_, _, Some((Region::Exercise | Region::Hidden, _))) => (),
                (_, _, Some((Region::Solved, _)) | None) => {
                    text += line;
                    text.push('\n');
                }
            }
            is_marker = false;
        }
        match open {
            Some((_, first)) => Err(format!("line {first}: the region that begins here has no `// [end]`")),
            None => Ok(Self { text: without_gaps(&without_head(&text)), parts }),
        }
    }
}

/// Whether a handed-out file has this line, with any indentation. A compiler warning about such a line is not the
/// student's fault: a variable stays unused until its part is written.
pub fn has_line(handed_out: &str, line: &str) -> bool {
    handed_out.lines().any(|known| known.trim() == line.trim())
}

/// Returns the text without [`HEAD`], which may begin and end within lines of its first comment.
fn without_head(text: &str) -> String {
    let comment = text.lines().take_while(|line| line.starts_with("//"));
    let words: Vec<&str> = comment.flat_map(|line| line["//".len()..].split_whitespace()).collect();
    let head: Vec<&str> = HEAD.split(' ').collect();
    let Some(found) = words.windows(head.len()).find(|words| *words == head) else {
        return text.into();
    };
    let place = |word: &str| word.as_ptr() as usize - text.as_ptr() as usize;
    let (first, last) = (found[0], found[head.len() - 1]);
    let (before, after) = (text[..place(first)].trim_end(), &text[place(last) + last.len()..]);
    // A line that holds nothing else is left out.
    match (before.strip_suffix("//"), after.strip_prefix('\n')) {
        (Some(lines), Some(rest)) => format!("{lines}{rest}"),
        _ => format!("{before}{after}"),
    }
}

/// Reduces the empty lines left by removed regions to one.
fn without_gaps(text: &str) -> String {
    let mut kept = String::new();
    let mut was_empty = true;
    for line in text.lines() {
        if !(was_empty && line.trim().is_empty()) {
            kept += line;
            kept.push('\n');
        }
        was_empty = line.trim().is_empty();
    }
    kept.truncate(kept.trim_end().len());
    kept.push('\n');
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "\
// A file.

// [not handed out]
__device__ int secret() { return 42; }
// [end]

__global__ void add(float* c, int n) {
    int i = threadIdx.x;
    // [part add] Store the sum. No thread may
    // leave the arrays.
    if (i < n) {
        c[i] = 1; // one
        // a remark of the solution
    }
    // [end]
}
";

    #[test]
    fn parts_become_what_is_to_be_done_and_the_rest_is_left_out() {
        let starter = Starter::parse(FILE).unwrap();
        assert_eq!(starter.parts, ["add"]);
        let expected = "\
// A file.

__global__ void add(float* c, int n) {
    int i = threadIdx.x;
    // TODO (exercise add): Store the sum. No thread may
    // leave the arrays.
}
";
        assert_eq!(starter.text, expected);
    }

    #[test]
    fn a_part_that_is_not_asked_for_is_handed_out_solved() {
        let starter = Starter::without(FILE, |name| name != "add").unwrap();
        assert_eq!(starter.parts, ["add"]);
        let expected = "\
// A file.

__global__ void add(float* c, int n) {
    int i = threadIdx.x;
    // Store the sum. No thread may
    // leave the arrays.
    if (i < n) {
        c[i] = 1; // one
        // a remark of the solution
    }
}
";
        assert_eq!(starter.text, expected);
    }

    #[test]
    fn what_the_head_says_of_markers_is_not_handed_out() {
        let rest = "//\n//  add  adds\n\n__global__ void add();\n";
        let (begin, end) = HEAD.split_at(HEAD.find("leaves").unwrap());
        for (head, left) in [
            (format!("// A file.\n// {HEAD}\n"), "// A file.\n"),
            (format!("// A file, of\n// a lab. {HEAD}\n"), "// A file, of\n// a lab.\n"),
            (format!("// A file. {begin}\n// {end}\n"), "// A file.\n"),
            (format!("// {HEAD} And more.\n"), "// And more.\n"),
            ("// A file.\n".into(), "// A file.\n"),
        ] {
            assert_eq!(Starter::parse(&format!("{head}{rest}")).unwrap().text, format!("{left}{rest}"));
        }
    }

    #[test]
    fn markers_out_of_place_are_named_by_their_line() {
        for (text, words) in [
            ("// [end]\n", "line 1"),
            ("\n// [part a] Do it.\n", "line 2"),
            ("// [part a] Do it.\n// [part b] And that.\n// [end]\n", "line 2"),
            ("// [part a]\n// [end]\n", "line 1: write"),
        ] {
            let mistake = Starter::parse(text).unwrap_err();
            assert!(mistake.starts_with(words), "{text}: {mistake}");
        }
    }
}
