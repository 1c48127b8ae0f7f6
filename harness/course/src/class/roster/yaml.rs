//! Safe loading of YAML: its aliases may expand to more than fits in memory, and its parser recurses as deep as the
//! text is nested.
use std::collections::HashMap;

use yaml_rust2::{
    Yaml, YamlLoader,
    parser::{Event, Parser},
};

/// The most bytes of a text.
pub const LARGEST: u64 = 64 << 20;
/// The most bytes that the values of a text take, with each alias expanded; plus the copies that the loader keeps of
/// anchored values.
const MOST: usize = 512 << 20;
/// Bytes that a value takes besides its letters: itself, its place in a table, and the allocator's overhead.
const VALUE: usize = 128;
/// The deepest nesting of lists.
const DEEPEST: usize = 64;

/// Loads the documents in `text`.
///
/// # Errors
/// What is wrong with the text, including that it expands to too much.
pub fn load(text: &str) -> Result<Vec<Yaml>, String> {
    check(text)?;
    YamlLoader::load_from_str(text).map_err(|error| error.to_string())
}

/// Parses the text without keeping it, to check the limits.
fn check(text: &str) -> Result<(), String> {
    let mut parser = Parser::new_from_str(text);
    let mut anchors: HashMap<usize, usize> = HashMap::new();
    // The open lists: their anchors, and the bytes counted in them so far. The last sum is that of the whole text.
    let mut open = vec![(0, 0_usize)];
    let mut copies = 0_usize;
    loop {
        let (event, place) = parser.next_token().map_err(|error| error.to_string())?;
        let size = match event {
            Event::StreamEnd => return Ok(()),
            Event::SequenceStart(anchor, _) | Event::MappingStart(anchor, _) => {
                open.push((anchor, VALUE));
                0
            }
            Event::SequenceEnd | Event::MappingEnd => {
                let (anchor, size) = open.pop().unwrap_or_default();
                copies = copies.saturating_add(if anchor > 0 { size } else { 0 });
                anchors.insert(anchor, size);
                size
            }
            Event::Scalar(letters, _, anchor, _) => {
                let size = letters.len() + VALUE;
                copies = copies.saturating_add(if anchor > 0 { size } else { 0 });
                anchors.insert(anchor, size);
                size
            }
            // An alias to itself is refused by the loader.
            Event::Alias(anchor) => anchors.get(&anchor).copied().unwrap_or(VALUE),
            _ => 0,
        };
        if let Some((_, sum)) = open.last_mut() {
            *sum = sum.saturating_add(size);
        }
        if open.len() > DEEPEST || copies > MOST || open.iter().any(|(_, sum)| *sum > MOST) {
            return Err(format!(
                "line {}: it expands to more than {} MiB, or has lists in more than {DEEPEST} lists",
                place.line(),
                MOST >> 20
            ));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each line stands for ten times the one before it.
    fn bomb(lines: usize) -> String {
        let mut text = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
        for line in 1..lines {
            let before = format!("*a{}", line - 1);
            text += &format!("a{line}: &a{line} [{}]\n", vec![before; 10].join(", "));
        }
        text
    }

    #[test]
    fn what_stands_for_too_much_is_refused_before_it_is_loaded() {
        let text = bomb(10);
        assert!(text.len() < 800);
        let error = load(&text).unwrap_err();
        assert!(error.contains("it expands to more than 512 MiB"), "{error}");
        // Short values take more than their letters: these would take 5 GB.
        let alias = |name: &str, times| vec![name; times].join(", ");
        let short = format!("- &a [{}]\n- &b [{}]\n- [{}]\n", alias("x", 1000), alias("*a", 1000), alias("*b", 60));
        assert!(load(&short).is_err());
        // So do nested anchors, since the loader keeps a copy of each.
        let open: Vec<String> = (0..60).map(|at| format!("&a{at} [")).collect();
        let nested = open.concat() + &alias("x", 1 << 17) + &"]".repeat(60);
        assert!(load(&nested).is_err());
        let long = format!("a: &a {}\nb: [{}]\n", "x".repeat(1 << 20), vec!["*a"; 600].join(", "));
        assert!(load(&long).is_err());
        for deep in [format!("{}1{}", "[".repeat(100), "]".repeat(100)), format!("{}1", "- ".repeat(100_000))] {
            assert!(load(&deep).unwrap_err().contains("lists in more than 64"));
        }
        assert!(load("a: [1").is_err());
    }

    /// Ruby writes a repeated object as an alias.
    #[test]
    fn aliases_are_taken() {
        let documents = load(&bomb(4)).unwrap();
        assert_eq!(documents[0]["a3"][9][9][9][9].as_str(), Some("x"));
        assert_eq!(load("a: &a {b: 1}\nc: *a\n").unwrap()[0]["c"]["b"].as_i64(), Some(1));
    }
}
