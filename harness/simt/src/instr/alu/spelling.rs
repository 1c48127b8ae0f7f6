//! The spellings of an instruction: its modifiers may be written in any order.

/// Returns an opcode with its modifiers in a canonical order, the same for all spellings with the same meaning: first
/// those that are part of the opcode's name, after a colon, then the others in alphabetical order, then the types in
/// their original order. The vendor's assembler accepts modifiers in any such order.
pub fn sorted(op: &str) -> String {
    let mut words = op.split('.').peekable();
    let opcode = words.next().unwrap_or_default();
    let mut name = String::with_capacity(op.len());
    name.push_str(opcode);
    if let Some(word) = words.next_if(|word| is_part(opcode, word)) {
        name.push(':');
        name.push_str(word);
    }
    let (types, mut others): (Vec<&str>, Vec<&str>) = words.partition(|word| is_type(word));
    others.sort_unstable();
    for word in others.iter().chain(&types) {
        name.push('.');
        name.push_str(word);
    }
    name
}

/// Whether the word after an opcode is a part of its name, and not a modifier.
fn is_part(opcode: &str, word: &str) -> bool {
    match opcode {
        "mul" | "mad" | "madc" | "mul24" | "mad24" | "dp2a" => matches!(word, "lo" | "hi" | "wide"),
        "shf" => matches!(word, "l" | "r"),
        "div" => word == "full",
        "cvt" => word == "pack",
        _ => false,
    }
}

/// Whether a word is the name of a type, fundamental or not: `f32`, `s16x2`, `tf32`, `e4m3x2`.
fn is_type(word: &str) -> bool {
    let (one, copies) = word.split_once('x').unwrap_or((word, "1"));
    let kind = one.trim_end_matches(|c: char| c.is_ascii_digit());
    let plain = matches!(kind, "b" | "u" | "s" | "f" | "bf" | "tf") && one.len() > kind.len();
    let small = matches!(one, "e4m3" | "e5m2" | "e2m1" | "e2m3" | "e3m2" | "ue8m0");
    (plain || small || word == "pred") && copies.parse::<u32>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::sorted;

    #[test]
    fn modifiers_are_sorted_and_types_stay_in_order() {
        assert_eq!(sorted("max.NaN.ftz.f32"), sorted("max.f32.ftz.NaN"));
        assert_eq!(sorted("cvt.f32.rn.f64"), "cvt.rn.f32.f64");
        assert_ne!(sorted("cvt.rn.f32.f64"), sorted("cvt.rn.f64.f32"));
        assert_eq!(sorted("prmt.f4e.b32"), "prmt.f4e.b32");
        assert_ne!(sorted("mul.s32.wide"), sorted("mul.wide.s32"));
        assert_eq!(sorted("cvt.relu.rn.e4m3x2.f32"), "cvt.relu.rn.e4m3x2.f32");
    }
}
