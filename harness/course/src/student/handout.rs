//! The handout in a student's folder: with the commands available to a student, who has no checkout and no Rust, and
//! without links to files that are not handed out.

/// The handout's link to its key, which is not handed out.
const KEY: &str = "The answers are in [ANSWERS.md](ANSWERS.md).";

/// The beginnings of the paragraphs about other files that are not handed out: the lab's whole program, which contains
/// the solution, and the notes on what was tried for the fastest kernels.
const NOT_HANDED_OUT: [&str; 2] = ["[program.cu](program.cu) is ", "What was tried: [NOTES.md](NOTES.md)"];

/// A file of the lab that has another path in a student's folder: its path in handouts, and its path there.
pub type Moved = (String, String);

/// Adapts `handout` for a student's folder that contains `files`, and those that have `moved`.
pub fn of_student(handout: &str, files: &[&str], moved: &[Moved]) -> String {
    let is_handed_out = |paragraph: &&str| !NOT_HANDED_OUT.iter().any(|begin| paragraph.starts_with(begin));
    let mut others = handout.split("\n\n").filter(is_handed_out).collect::<Vec<_>>().join("\n\n");
    if handout.ends_with('\n') && !others.ends_with('\n') {
        others.push('\n');
    }
    let lines = without_lost_links(&others, files);
    let mut text: String = lines.split_inclusive('\n').map(with_warplab).collect();
    for (theirs, own) in moved {
        text = text.replace(theirs, own);
    }
    without_sources(&text)
}

/// Removes the parentheses that only name a file of the lab's own program.
fn without_sources(handout: &str) -> String {
    let mut kept = String::with_capacity(handout.len());
    let mut rest = handout;
    while let Some(at) = ["(`src/", "(src/", "(`kernels/"].iter().filter_map(|begin| rest.find(begin)).min() {
        let Some(length) = rest[at..].find([')', ',', '\n']) else { break };
        let (before, end) = (&rest[..at], at + length);
        match rest.as_bytes()[end] {
            b')' => {
                kept += before.trim_end();
                rest = &rest[end + 1..];
            }
            b',' => {
                kept += before;
                kept.push('(');
                rest = rest[end + 1..].trim_start();
            }
            _ => {
                kept += &rest[..=end];
                rest = &rest[end + 1..];
            }
        }
    }
    kept + rest
}

/// Replaces `cargo run --release -p LAB --` with `warplab run LAB`, and `cargo run --release --` with `warplab`. A
/// comment after a command stays aligned with the one in the line before.
fn with_warplab(line: &str) -> String {
    const CARGO: &str = "cargo run --release";
    let mut text = String::new();
    let mut rest = line;
    let mut is_short = false;
    while let Some(at) = rest.find(CARGO) {
        text += &rest[..at];
        rest = &rest[at + CARGO.len()..];
        if let Some(named) = rest.strip_prefix(" -p ") {
            let end = named.find(|c: char| !c.is_ascii_alphanumeric() && c != '-' && c != '_').unwrap_or(named.len());
            let (lab, after) = named.split_at(end);
            text += if lab == "warplab" { "warplab" } else { "warplab run " };
            text += if lab == "warplab" { "" } else { lab };
            rest = after;
        } else {
            text += "warplab";
        }
        if let Some(after) = rest.strip_prefix(" -- ") {
            text.push(' ');
            rest = after;
            is_short = true;
        }
    }
    match rest.find("  #").filter(|_| is_short) {
        Some(at) => text + &rest[..at] + "   " + &rest[at..],
        None => text + rest,
    }
}

/// Keeps only links to `files`, to the web and to the handout's own headings. Other links are replaced with their text.
fn without_lost_links(handout: &str, files: &[&str]) -> String {
    let handout = handout.replace(&format!(" {KEY}"), "").replace(KEY, "");
    let mut rest = handout.as_str();
    let mut kept = String::with_capacity(handout.len());
    while let Some(middle) = rest.find("](") {
        let Some(length) = rest[middle..].find(')') else { break };
        let (target, end) = (&rest[middle + 2..middle + length], middle + length + 1);
        let stays = files.contains(&target) || target.starts_with('#') || target.contains("://");
        match rest[..middle].rfind('[').filter(|_| !stays) {
            None => kept += &rest[..end],
            Some(open) => {
                kept += rest[..open].strip_suffix('!').unwrap_or(&rest[..open]);
                kept += &rest[open + 1..middle];
            }
        }
        rest = &rest[end..];
    }
    kept + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_student_has_warplab_and_no_checkout() {
        for (handout, expected) in [
            ("cargo run --release -p hello             # all\n", "warplab run hello             # all\n"),
            ("cargo run --release -p hello -- 10       # ten\n", "warplab run hello 10          # ten\n"),
            ("see `cargo run --release -p hello -- 1025` and", "see `warplab run hello 1025` and"),
            ("cargo run --release -- grade hello", "warplab grade hello"),
            ("cargo run --release -p warplab -- grade hello", "warplab grade hello"),
            ("X=1 cargo run --release -p scan", "X=1 warplab run scan"),
        ] {
            assert_eq!(of_student(handout, &[], &[]), expected);
        }
    }

    #[test]
    fn the_whole_program_is_not_spoken_of() {
        let handout = "Add.\n\n[program.cu](program.cu) is\n it, with\n[a](b).\n\n## More\n";
        assert_eq!(of_student(&handout.replace("is\n", "is "), &[], &[]), "Add.\n\n## More\n");
    }

    #[test]
    fn the_notes_are_not_spoken_of() {
        let handout = "# Add\n\n1. Why?\n\nWhat was tried: [NOTES.md](NOTES.md).\n";
        assert_eq!(of_student(handout, &[], &[]), "# Add\n\n1. Why?\n");
    }

    #[test]
    fn files_of_the_lab_are_named_as_a_student_has_them() {
        let moved = [("labs/a/assignment/wrong/b.cu", "wrong/b.cu"), ("kernels/k.cu", "k.cu")];
        let moved = moved.map(|(theirs, own)| (theirs.to_string(), own.to_string()));
        for (handout, expected) in [
            ("run `--kernel labs/a/assignment/wrong/b.cu`", "run `--kernel wrong/b.cu`"),
            ("an element (`kernels/k.cu`).", "an element (`k.cu`)."),
            ("in Rust (`src/counting.rs`); and", "in Rust; and"),
            ("counted, as before\n([src/small.rs](src/small.rs)).", "counted, as before."),
            ("it says (`src/counting.rs`, about\nthe warps), and", "it says (about\nthe warps), and"),
        ] {
            assert_eq!(of_student(handout, &[], &moved), expected);
        }
    }

    #[test]
    fn links_that_lead_nowhere_become_their_text() {
        for (handout, expected) in [
            ("see ![a\nb](a.svg) and [c](https://x.org/c)", "see ![a\nb](a.svg) and [c](https://x.org/c)"),
            ("see ![a](b.svg), the lab [occupancy](../occupancy).", "see a, the lab occupancy."),
            ("[here](#below), x[3](y)", "[here](#below), x3"),
            ("Count. The answers are in [ANSWERS.md](ANSWERS.md).\n", "Count.\n"),
            ("a [b](c", "a [b](c"),
        ] {
            assert_eq!(without_lost_links(handout, &["a.svg"]), expected);
        }
    }
}
