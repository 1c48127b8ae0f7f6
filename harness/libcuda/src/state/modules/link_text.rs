//! Links PTX texts as a linker links objects: one part may define what another declares, and private names stay
//! private.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// A statement outside of all functions.
struct Statement<'a> {
    text: &'a str,
    /// The name that it declares or defines; empty for other directives.
    name: &'a str,
    /// Whether it is visible to other parts: `.visible`, `.extern`, `.weak`, `.common`, and every kernel.
    shared: bool,
    /// Whether it is `.weak` or `.common`: if there are several, the first one is used.
    weak: bool,
    /// Whether it has a body or storage.
    defines: bool,
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'%')
}

/// Returns the end of the token that begins at `at` (a comment, a string, a word or one other byte), and whether it is
/// a word.
fn token(text: &str, at: usize) -> (usize, bool) {
    let bytes = text.as_bytes();
    let rest = &text[at..];
    if rest.starts_with("//") {
        return (rest.find('\n').map_or(text.len(), |end| at + end), false);
    }
    if let Some(comment) = rest.strip_prefix("/*") {
        let end = comment.find("*/").map_or(text.len(), |end| at + end + 4);
        return (end, false);
    }
    if bytes[at] == b'"' {
        let mut end = at + 1;
        while end < bytes.len() && bytes[end] != b'"' {
            end += if bytes[end] == b'\\' { 2 } else { 1 };
        }
        return (text.len().min(end + 1), false);
    }
    if !is_word(bytes[at]) && bytes[at] != b'.' {
        return (at + rest.chars().next().map_or(1, char::len_utf8), false);
    }
    let mut end = at + 1;
    while end < bytes.len() && is_word(bytes[end]) {
        end += 1;
    }
    (end, true)
}

/// Returns whether a statement that begins with this directive ends at the end of its line.
fn is_line(first: &str) -> bool {
    matches!(first, ".version" | ".target" | ".address_size" | ".file" | ".loc")
}

fn statements(text: &str) -> Vec<Statement<'_>> {
    let (mut list, mut at) = (Vec::new(), 0);
    while at < text.len() {
        let start = at;
        let (mut words, mut depth, mut name) = (Vec::new(), 0usize, "");
        let (mut body, mut code, mut named) = (false, false, false);
        while at < text.len() {
            let (end, is_token) = token(text, at);
            let found = &text[at..end];
            at = end;
            if is_token {
                if depth == 0 && !named {
                    words.push(found);
                    // The name is the last word before the bounds of an array, an initialiser, the parameters or the
                    // end.
                    if !found.starts_with('.') {
                        name = found;
                    }
                }
                continue;
            }
            let first = words.first().copied().unwrap_or("");
            match found {
                "\n" if is_line(first) => break,
                "(" | "{" => {
                    body |= found == "{";
                    code = words.iter().any(|word| matches!(*word, ".func" | ".entry"));
                    // The results of a function come before its name, the parameters after it.
                    named |= code && !name.is_empty() || found == "{";
                    depth += 1;
                }
                "[" | "=" => named = true,
                ")" | "}" => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 && found == "}" && (code || first == ".section") {
                        break;
                    }
                }
                ";" if depth == 0 => break,
                _ => {}
            }
        }
        let is = |wanted: &str| words.contains(&wanted);
        let symbol = [".func", ".entry", ".global", ".const", ".shared"];
        let symbol = symbol.iter().any(|word| is(word)) && !is(".section");
        let weak = is(".weak") || is(".common");
        list.push(Statement {
            text: &text[start..at],
            name: if symbol { name } else { "" },
            shared: weak || is(".visible") || is(".extern") || is(".entry"),
            weak,
            defines: !is(".extern") && (body || !is(".func") && !is(".entry")),
        });
    }
    list
}

/// Returns the text with some words replaced, except in comments and strings.
fn rename(text: &str, names: &BTreeMap<&str, String>) -> String {
    let (mut out, mut at) = (String::with_capacity(text.len()), 0);
    while at < text.len() {
        let (end, is_token) = token(text, at);
        let found = &text[at..end];
        match names.get(found).filter(|_| is_token) {
            Some(new) => out.push_str(new),
            None => out.push_str(found),
        }
        at = end;
    }
    out
}

/// Returns the line with the first number after `key` increased.
fn shift(line: &str, key: &str, by: u32) -> String {
    let Some(at) = line.find(key).map(|at| at + key.len()) else {
        return line.to_owned();
    };
    let rest = line[at..].trim_start();
    let start = line.len() - rest.len();
    let digits = rest.find(|c: char| !c.is_ascii_digit());
    let end = start + digits.unwrap_or(rest.len());
    line[start..end]
        .parse::<u32>()
        .map_or_else(|_| line.to_owned(), |number| format!("{}{}{}", &line[..start], number + by, &line[end..]))
}

/// Returns the text with renumbered source files. Each part numbers its source files from 1. The numbers of a later
/// part are increased, to continue those of the parts before it.
fn renumber(text: &str, by: u32) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let directive = line.trim_start();
        if directive.starts_with(".file") {
            out.push_str(&shift(line, ".file", by));
        } else if directive.starts_with(".loc") {
            out.push_str(&shift(&shift(line, ".loc", by), "inlined_at", by));
        } else {
            out.push_str(line);
        }
    }
    out
}

fn last_file(text: &str) -> u32 {
    let numbers = text.lines().filter_map(|line| {
        let rest = line.trim_start().strip_prefix(".file")?.trim_start();
        rest.split_whitespace().next()?.parse().ok()
    });
    numbers.max().unwrap_or(0)
}

/// Returns the words after a directive in the head of a part.
fn head<'a>(list: &[Statement<'a>], directive: &str) -> Option<&'a str> {
    list.iter().find_map(|statement| {
        let at = statement.text.find(directive)? + directive.len();
        let line = statement.text[at..].lines().next()?;
        let line = line.split("//").next()?.trim();
        (!line.is_empty()).then_some(line)
    })
}

/// Returns the number in such words: 7.8 as 7008, sm_80 as 80000.
fn rank(words: &str) -> u32 {
    let digits = |c: char| !c.is_ascii_digit();
    let mut numbers = words.split(digits).filter_map(|word| word.parse::<u32>().ok());
    numbers.next().unwrap_or(0) * 1000 + numbers.next().unwrap_or(0)
}

/// Links parts into one text.
///
/// # Errors
/// The name that two parts define, if any.
pub fn link(parts: &[String]) -> Result<String, String> {
    if let [only] = parts {
        return Ok(only.clone());
    }
    let lists: Vec<_> = parts.iter().map(|part| statements(part)).collect();
    let newest = |directive: &str, default: &'static str| {
        let all = lists.iter().filter_map(|list| head(list, directive));
        all.max_by_key(|words| rank(words)).unwrap_or(default)
    };
    let mut out =
        format!(".version {}\n.target {}\n.address_size 64\n", newest(".version", "8.0"), newest(".target", "sm_80"));
    let (mut defined, mut known, mut files) = (BTreeSet::new(), BTreeSet::new(), 0);
    for (number, list) in lists.iter().enumerate() {
        // A private name that an earlier part also has, and the labels of debugging sections.
        let mut names = BTreeMap::new();
        for statement in list {
            let mine = !statement.shared && !statement.name.is_empty();
            if mine && known.contains(statement.name) {
                names.insert(statement.name, format!("{}$part{number}", statement.name));
            }
        }
        let text = &parts[number];
        let mut at = 0;
        while let Some(found) = text[at..].find("$L__info_string") {
            let (end, _) = token(text, at + found);
            let label = &text[at + found..end];
            names.insert(label, format!("{label}$part{number}"));
            at = end;
        }
        for statement in list {
            known.insert(statement.name);
            if statement.shared && statement.defines && !defined.insert(statement.name) {
                if statement.weak {
                    continue;
                }
                return Err(statement.name.to_owned());
            }
            let first = statement.text.split_whitespace().find(|w| w.starts_with('.'));
            if statement.name.is_empty() && first.is_some_and(|word| word != ".file" && is_line(word)) {
                continue;
            }
            let renamed = rename(statement.text, &names);
            // Writing to a string never fails.
            let _ = writeln!(out, "{}", renumber(&renamed, files));
        }
        files += last_file(text);
    }
    Ok(out)
}

/// Returns the position of the first brace outside of comments and strings.
fn brace(text: &str) -> Option<usize> {
    let mut at = 0;
    while at < text.len() {
        let (end, _) = token(text, at);
        if &text[at..end] == "{" {
            return Some(at);
        }
        at = end;
    }
    None
}

/// Adds an upper bound on registers to each kernel without one, as `--maxrregcount` does.
pub fn bound_registers(ptx: &str, most: u32) -> String {
    let mut out = String::with_capacity(ptx.len() + 64);
    for statement in statements(ptx) {
        let body = brace(statement.text);
        let kernel = body.filter(|at| {
            let head = &statement.text[..*at];
            head.contains(".entry") && !head.contains(".maxnreg")
        });
        if let Some(at) = kernel {
            // Writing to a string never fails.
            let _ = write!(out, "{}\n.maxnreg {most}\n{}", &statement.text[..at], &statement.text[at..]);
        } else {
            out.push_str(statement.text);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = r#"// first
.version 7.8
.target sm_70
.address_size 64
.file 1 "one.cu"
.extern .func (.param .b32 r) bar(.param .b32 a);
.global .align 1 .b8 $str[3] = {37, 100, 0};
.visible .entry k(.param .u64 out)
{
	.loc 1 3 5
	ret; // { not a brace
}
"#;
    const TWO: &str = r#".version 8.1
.target sm_80, debug
.address_size 64
.file 1 "two.cu"
.weak .const .align 4 .u32 w = 5;
.global .align 1 .b8 $str[2];
.visible .func (.param .b32 r) bar(.param .b32 a)
{
	.reg .b64 %rd1;
	.loc	1 9 2, function_name $L__info_string0, inlined_at 1 7 1
	mov.u64 %rd1, $str;
	ret;
}
.section .debug_str
{
$L__info_string0:
.b8 95
}
"#;

    #[test]
    fn parts_become_one() {
        let linked = link(&[ONE.into(), TWO.into(), TWO.replace("bar", "baz")]).unwrap();
        assert!(linked.starts_with(".version 8.1\n.target sm_80, debug\n.address_size 64\n"));
        assert_eq!(linked.matches(".version").count(), 1);
        assert_eq!(linked.matches(".weak .const").count(), 1);
        for wanted in [
            ".file 2 \"two.cu\"",
            ".file 3 \"two.cu\"",
            ".b8 $str[3]",
            ".b8 $str$part1[2]",
            "mov.u64 %rd1, $str$part2;",
            ".loc	2 9 2, function_name $L__info_string0$part1, inlined_at 2 7 1",
            ".loc 1 3 5",
            "$L__info_string0$part2:",
        ] {
            assert!(linked.contains(wanted), "{wanted} in\n{linked}");
        }
        ptx::parse(&linked).unwrap();
    }

    #[test]
    fn a_kernel_that_is_declared_first_keeps_its_body() {
        let kernel = ".weak .entry k(.param .u64 out)";
        let declared = format!(".version 7.8\n.target sm_70\n.address_size 64\n{kernel};\n{kernel}\n{{\nret;\n}}\n");
        let linked = link(&[declared.clone(), TWO.into()]).unwrap();
        assert_eq!((linked.matches(kernel).count(), linked.matches("ret;").count()), (2, 2), "{linked}");
        ptx::parse(&linked).unwrap();
        // If two parts define the same kernel, the first definition is used.
        let twice = link(&[declared.clone(), declared]).unwrap();
        assert_eq!(twice.matches("ret;").count(), 1, "{twice}");
    }

    #[test]
    fn a_name_that_two_parts_define_is_an_error() {
        assert_eq!(link(&[TWO.into(), TWO.into()]), Err("bar".into()));
        assert_eq!(link(&[ONE.into(), ONE.into()]), Err("k".into()));
    }

    #[test]
    fn kernels_get_a_bound_that_have_none() {
        let bounded = bound_registers(ONE, 32);
        assert!(bounded.contains(".param .u64 out)\n\n.maxnreg 32\n{"), "{bounded}");
        assert_eq!(bound_registers(&bounded, 16), bounded);
        assert_eq!(bound_registers(TWO, 16), TWO);
    }

    #[test]
    fn any_text_is_taken() {
        for text in ["", "{", "}", "\"", "/*", ".func (", "é.entry ü{}", ".file", ".file 99999999999"] {
            let _ = link(&[text.into(), text.into()]);
            assert!(bound_registers(text, 3).contains(text) || text.contains(".entry"));
        }
    }
}
