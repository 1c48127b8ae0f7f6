//! The lines of PTX text: which line of the source each was made from, and which of them are instructions of a kernel.
use std::collections::HashMap;

use kernels::Arch;

/// A place in the source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct SourcePlace<'p> {
    pub(crate) file: &'p str,
    pub(crate) line: u32,
}

/// A line of PTX.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PtxTextLine<'p> {
    /// The text, without blanks around it.
    pub(crate) text: &'p str,
    /// The place of the innermost function; `None` without line information.
    pub(crate) place: Option<SourcePlace<'p>>,
    /// The function in whose body it is an instruction or a label.
    pub(crate) function: Option<&'p str>,
}

/// Returns the lines of `ptx`. The first has the number 1.
pub(crate) fn lines(ptx: &str) -> Vec<PtxTextLine<'_>> {
    let files = files(ptx);
    let mut lines: Vec<PtxTextLine<'_>> = Vec::new();
    let mut place = None;
    // The function whose header or body this is, the depth of braces in it, and its first line.
    let (mut function, mut depth, mut first) = (None, 0_i32, 0);
    for (index, text) in ptx.lines().map(str::trim).enumerate() {
        let code = text.split("//").next().unwrap_or_default().trim();
        if depth == 0
            && let Some(name) = declared(code)
        {
            (function, place, first) = (Some(name), None, index);
        }
        if let Some(location) = code.strip_prefix(".loc") {
            let found = loc(location, &files);
            if place.is_none()
                && let Some(found) = found
            {
                // What precedes the first `.loc` is the function's beginning.
                lines[first..].iter_mut().for_each(|line| line.place = Some(found));
            }
            place = found.or(place);
        }
        let is_in_body = depth > 0 && !code.is_empty() && !code.starts_with(['.', '{', '}']);
        lines.push(PtxTextLine { text, place, function: function.filter(|_| is_in_body) });
        depth += code.matches('{').count() as i32 - code.matches('}').count() as i32;
        if depth == 0 && (code.ends_with('}') || (code.ends_with(';') && function.is_some())) {
            (function, place) = (None, None);
        }
    }
    lines
}

/// Returns the architecture to assemble `ptx` for on a GPU of this compute capability. PTX with instructions of one
/// architecture only, such as `sm_90a`, names it; ptxas refuses it for another.
pub fn arch(ptx: &str, (major, minor): (i32, i32)) -> Arch {
    let device = (major * 10 + minor) as u32;
    let targets = ptx.lines().find_map(|line| line.trim().strip_prefix(".target"));
    let target = targets.and_then(|targets| targets.split(',').next()).unwrap_or_default().trim();
    Arch { number: device, is_exact: target == format!("sm_{device}a") }
}

/// Returns the name in the first line of a function.
fn declared(code: &str) -> Option<&str> {
    let is_name =
        |name: &&str| !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"_$%".contains(&b));
    if let Some((_, rest)) = code.split_once(".entry ") {
        return rest.trim().split(['(', ' ', '\t', '{']).next().filter(is_name);
    }
    let (_, rest) = code.split_once(".func ")?;
    // The returned parameter precedes the name.
    let rest = if rest.trim_start().starts_with('(') { rest.split_once(')')?.1 } else { rest };
    rest.trim().split(['(', ' ', '\t', '{', ';']).next().filter(is_name)
}

/// The names of the files, by their numbers.
fn files(ptx: &str) -> HashMap<u32, &str> {
    ptx.lines().filter_map(file).collect()
}

/// Reads `.file 1 "x.cu"`.
fn file(line: &str) -> Option<(u32, &str)> {
    let (number, rest) = line.trim().strip_prefix(".file")?.trim().split_once([' ', '\t'])?;
    Some((number.parse().ok()?, rest.split('"').nth(1)?))
}

/// Reads `2 11 5, function_name $L__info_string5, inlined_at 1 177 5`.
fn loc<'p>(location: &str, files: &HashMap<u32, &'p str>) -> Option<SourcePlace<'p>> {
    let mut numbers = location.split_whitespace();
    let file = files.get(&numbers.next()?.parse().ok()?)?;
    let line = numbers.next()?.parse().ok()?;
    Some(SourcePlace { file, line })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAMPLE: &str = include_str!("../tests/data/sample.ptx");

    #[test]
    fn lines_have_the_place_of_the_loc_before_them() {
        let lines = lines(SAMPLE);
        let with = |text: &str| lines.iter().find(|line| line.text.starts_with(text)).unwrap();
        assert_eq!(with("ld.global.f32").place, Some(SourcePlace { file: "sample.cu", line: 14 }));
        assert_eq!(with("ld.global.f32").function, Some("_Z4tilePfPKf"));
        // The innermost function of an inlined one.
        assert_eq!(with("div.rn.f32").place, Some(SourcePlace { file: "sample.cuh", line: 7 }));
        // Before the first `.loc` of a function.
        assert_eq!(with(".visible .entry _Z4tile").place, Some(SourcePlace { file: "sample.cu", line: 13 }));
        assert_eq!(with(".shared").place, Some(SourcePlace { file: "sample.cu", line: 13 }));
        assert_eq!(with("call.uni").function, Some("calls"));
        assert_eq!(with("st.local.u32").function, Some("pick"));
        for no_instruction in [".reg", ".loc", ".shared", ".section", ".b8", "{", ".visible"] {
            assert_eq!(with(no_instruction).function, None, "{no_instruction}");
        }
    }

    #[test]
    fn ptx_without_line_information_has_no_places() {
        let ptx = ".version 7.4\n.target sm_70\n.visible .entry k()\n{\n\tret;\n}\n";
        let lines = lines(ptx);
        assert!(lines.iter().all(|line| line.place.is_none()));
        assert_eq!((lines[4].text, lines[4].function), ("ret;", Some("k")));
    }

    #[test]
    fn instructions_of_one_architecture_are_assembled_for_it() {
        let arch =
            |target: &str, device| arch(&format!("// made by\n.version 8.0\n.target {target}\n"), device).to_string();
        assert_eq!(arch("sm_70", (9, 0)), "90");
        assert_eq!(arch("sm_90a", (9, 0)), "90a");
        assert_eq!(arch("sm_90a, debug", (9, 0)), "90a");
        assert_eq!(arch("sm_90a", (10, 0)), "100");
    }
}
