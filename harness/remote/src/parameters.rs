//! The sizes of kernels' parameters, from PTX. The judge copies this many bytes of each argument, so it must not take
//! the sizes from the worker: a size that is too large would make it send its own memory.
use std::collections::{HashMap, HashSet};

/// The offset and the size of each parameter of a kernel, in bytes.
pub type Parameters = Vec<(usize, usize)>;

/// The parameters of every kernel in `ptx`; empty for a text that is not PTX.
pub fn parse(ptx: &str) -> HashMap<String, Parameters> {
    let text = without_comments(ptx);
    let is_of_name = |c: char| c.is_alphanumeric() || "_$%".contains(c);
    let mut all = HashMap::new();
    for entry in text.split(".entry").skip(1) {
        let entry = entry.trim_start();
        let name = entry.split(|c| !is_of_name(c)).next().unwrap_or_default();
        let rest = entry[name.len()..].trim_start();
        let list = rest.strip_prefix('(').and_then(|rest| rest.split_once(')')).map_or("", |(list, _)| list);
        let mut end = 0_usize;
        let one = |declared: &str| {
            let (bytes, align) = size(declared);
            let start = end.next_multiple_of(align);
            end = start.saturating_add(bytes);
            (start, bytes)
        };
        let parameters = list.split(',').map(str::trim).filter(|declared| !declared.is_empty()).map(one).collect();
        all.insert(name.to_string(), parameters);
    }
    all
}

/// The names of the managed variables in `ptx`.
pub fn managed(ptx: &str) -> HashSet<String> {
    let text = without_comments(ptx);
    let declared = text.split([';', '{', '}']).filter(|words| words.contains(".attribute(.managed"));
    let name = |words: &str| {
        let front = words.split(['=', '[']).next().unwrap_or_default();
        front.split_whitespace().last().unwrap_or_default().to_string()
    };
    declared.map(name).collect()
}

/// The size in bytes and the alignment of a parameter declared as `.param .align 8 .b8 name[16]` or `.param .u64 .ptr
/// .global .align 4 name`.
fn size(declared: &str) -> (usize, usize) {
    const LARGEST: usize = 1 << 15;
    let (front, count) = match declared.split_once('[') {
        Some((front, rest)) => (front, rest.trim_end_matches(']').trim().parse().unwrap_or(0)),
        None => (declared, 1),
    };
    let words: Vec<&str> = front.split_whitespace().collect();
    let bytes = |word: &&str| match *word {
        ".u8" | ".s8" | ".b8" => Some(1),
        ".u16" | ".s16" | ".b16" | ".f16" => Some(2),
        ".u32" | ".s32" | ".b32" | ".f32" | ".f16x2" => Some(4),
        ".u64" | ".s64" | ".b64" | ".f64" | ".texref" | ".samplerref" | ".surfref" => Some(8),
        ".b128" => Some(16),
        _ => None,
    };
    let element: usize = words.iter().find_map(bytes).unwrap_or(0);
    let after = |at: usize| words.get(at + 1).and_then(|word| word.parse().ok());
    // After `.ptr`, it is the alignment of the memory that the parameter points to.
    let own = words.iter().position(|word| *word == ".ptr").unwrap_or(words.len());
    let align = words[..own].iter().position(|word| *word == ".align").and_then(after);
    (element.saturating_mul(count).min(LARGEST), align.unwrap_or(element).clamp(1, 256))
}

/// The text without `//` and `/* */`.
fn without_comments(text: &str) -> String {
    let (mut kept, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(at) = rest.find('/') {
        kept.push_str(&rest[..at]);
        let behind = &rest[at..];
        rest = if behind.starts_with("//") {
            behind.find('\n').map_or("", |end| &behind[end..])
        } else if let Some(inside) = behind.strip_prefix("/*") {
            kept.push(' ');
            inside.find("*/").map_or("", |end| &inside[end + 2..])
        } else {
            kept.push('/');
            &behind[1..]
        };
    }
    kept + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_offsets_are_those_that_are_declared() {
        let all = parse(
            ".visible .entry add(\n .param .u64 .ptr .global .align 4 add_0, // .entry not(.param .u64 x)\n .param .u32 n,\n\
             /* .param .u64 no, */ .param .align 8 .b8 s[24],\n .param .f32 x\n)\n.reqntid 32 { ret; }\n\
             .entry none { }\n.entry empty() { }",
        );
        assert_eq!(all["add"], [(0, 8), (8, 4), (16, 24), (40, 4)]);
        assert_eq!((all["none"].len(), all["empty"].len(), all.len()), (0, 0, 3));
        assert!(parse("/* .entry").is_empty());
    }

    #[test]
    fn managed_variables_are_known_by_their_attribute() {
        let all = managed(
            ".version 8.0\n.visible .global .attribute(.managed) .align 4 .u32 sum;\n.global .align 4 .u32 other;\n\
             .global .attribute(.managed) .align 4 .b8 list[64];\n// .global .attribute(.managed) .u32 no;\n\
             .global .attribute(.managed) .u32 set = 7;",
        );
        let mut names: Vec<&str> = all.iter().map(String::as_str).collect();
        names.sort_unstable();
        assert_eq!(names, ["list", "set", "sum"]);
    }
}
