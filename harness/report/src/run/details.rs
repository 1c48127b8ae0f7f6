//! `<lab>.jsonl`: findings in full, and the costs of the source lines.
use harness::Details;
use serde::Deserialize;

/// The version of a line, whatever else it contains.
#[derive(Deserialize)]
struct Version {
    schema: u32,
}

/// Parses the lines of such a file, and returns a remark if the last one is incomplete.
///
/// # Errors
/// A sentence, when a line has a version that this program does not read.
pub fn read(text: &str) -> Result<(Vec<Details>, Option<String>), String> {
    let mut details = Vec::new();
    for (number, line) in (1..).zip(text.split_inclusive('\n')) {
        if !line.ends_with('\n') {
            return Ok((details, Some(format!("its last line, {number}, is not whole and was left out"))));
        }
        let version: Version = serde_json::from_str(line).map_err(|error| format!("line {number}: {error}"))?;
        if version.schema > Details::SCHEMA {
            return Err(format!(
                "line {number} has version {}: use the warplab that wrote it, or a newer one",
                version.schema
            ));
        }
        details.push(serde_json::from_str(line).map_err(|error| format!("line {number}: {error}"))?);
    }
    Ok((details, None))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_lines_are_read_and_a_torn_one_is_said() {
        let line = r#"{"schema":1,"variant":"a","case":"","n":4,"findings":[{"headline":"h","text":"t"}]}"#;
        let (details, torn) = read(&format!("{line}\n{line}\n")).unwrap();
        assert_eq!((details.len(), torn), (2, None));
        assert_eq!(details[0].findings[0].headline, "h");
        let (details, torn) = read(&format!("{line}\n{}", &line[..20])).unwrap();
        assert_eq!(details.len(), 1);
        assert!(torn.unwrap().contains("line, 2,"));
        assert!(read(&format!("{}\n", line.replace(":1", ":9"))).unwrap_err().contains("newer"));
        assert!(read("{}\n").unwrap_err().starts_with("line 1"));
    }
}
