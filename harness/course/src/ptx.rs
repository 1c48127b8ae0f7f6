//! Splits PTX into statements, for checks of a kernel file's instructions.

/// Returns `ptx` with one statement per line, without comments and the content of strings. Inline assembly keeps its
/// author's layout: comments over several lines, several statements in one, braces around them.
pub fn statements(ptx: &str) -> String {
    let mut lines = String::with_capacity(ptx.len());
    let mut rest = ptx;
    while let Some(first) = rest.chars().next() {
        let is_at_start = || lines.rsplit('\n').next().is_some_and(|line| line.trim().is_empty());
        let taken = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            lines.push(' ');
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if first == '"' {
            lines.push_str("\"\"");
            rest[1..].find('"').map_or(rest.len(), |end| end + 2)
        } else if first == ';' || (matches!(first, '{' | '}') && is_at_start()) {
            lines.extend([first, '\n']);
            1
        } else {
            lines.push(first);
            first.len_utf8()
        };
        rest = &rest[taken..];
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The statements of `ptx`, trimmed, without blank lines.
    fn parse(ptx: &str) -> Vec<String> {
        let text = statements(ptx);
        text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect()
    }

    #[test]
    fn comments_and_strings_say_nothing_wherever_they_stand() {
        assert_eq!(parse("ret; // atom.cas\n/*\natom.cas.b64 x;\n*/ exit;"), ["ret;", "exit;"]);
        assert_eq!(parse(".pragma \"// ;\natom.cas.b64 x;\";\nret;"), [".pragma \"\";", "ret;"]);
        assert_eq!(parse("/* // */ ret;\n/* open\nexit;"), ["ret;"]);
    }

    #[test]
    fn each_statement_has_a_line_and_operands_in_braces_stay_with_theirs() {
        assert_eq!(
            parse("{ .reg .b32 %r; atom.cas.b32 %r, [%a], 1, 2; }"),
            ["{", ".reg .b32 %r;", "atom.cas.b32 %r, [%a], 1, 2;", "}"]
        );
        assert_eq!(parse("\tst.v2.f32 [%a], {%f1, %f2};"), ["st.v2.f32 [%a], {%f1, %f2};"]);
    }
}
