//! The compiler's warnings about accepted kernel files.
use kernels::Warning;

/// The maximum number of warnings that are shown for one file, and the lines of each.
const SHOWN: usize = 5;
const LINES: usize = 8;

/// Formats the warnings, the first ones in full; empty if there are none.
pub fn warnings(all: &[Warning]) -> String {
    if all.is_empty() {
        return String::new();
    }
    let text = |warning: &Warning| warning.text.trim_end().lines().take(LINES).collect::<Vec<_>>().join("\n");
    let mut parts = vec![format!("The compiler warns ({}):", all.len())];
    parts.extend(all.iter().take(SHOWN).map(text));
    if all.len() > SHOWN {
        parts.push(format!("and {} more warnings", all.len() - SHOWN));
    }
    parts.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_warnings_are_shown_and_the_rest_counted() {
        assert_eq!(warnings(&[]), "");
        let warning = |line: u32| Warning {
            file: "a.cu".into(),
            line,
            message: "unused".into(),
            number: "177-D".into(),
            text: format!("a.cu({line}): warning #177-D: unused\n    int x;\n        ^\n"),
        };
        let all: Vec<Warning> = (1..=7).map(warning).collect();
        let one = warnings(&all[..1]);
        assert_eq!(one, "The compiler warns (1):\na.cu(1): warning #177-D: unused\n    int x;\n        ^");
        let many = warnings(&all);
        assert!(many.contains("a.cu(5)") && !many.contains("a.cu(6)"), "{many}");
        assert!(many.ends_with("and 2 more warnings"), "{many}");
    }
}
