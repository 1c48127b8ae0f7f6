//! The handout in a student's folder: without links to files that are not handed out.

/// How a handout leads to its key, which is not handed out.
const KEY: &str = "The answers are in [ANSWERS.md](ANSWERS.md).";

/// `handout` with links only to `files`, to places on the web and to its own headings. Of other links the text stays.
pub fn without_lost_links(handout: &str, files: &[&str]) -> String {
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
