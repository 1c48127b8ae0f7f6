//! Which registers hold floating-point numbers: compilers declare most registers without a type, so it is derived from
//! the instructions that use them.

use std::collections::HashSet;

use crate::header::{Header, RegisterInfo};

/// Returns for each register of a recording whether an instruction uses it as a floating-point number.
pub fn float_registers(header: &Header) -> Vec<bool> {
    let mut floats: HashSet<(&str, &str)> = HashSet::new();
    for instruction in &header.instructions {
        floats.extend(floats_of(&instruction.text).map(|name| (instruction.function.as_str(), name)));
    }
    let copies = header.instructions.iter().filter_map(|of| Some((of.function.as_str(), copied(&of.text)?)));
    let copies: Vec<(&str, [&str; 2])> = copies.collect();
    loop {
        let known = floats.len();
        for (function, [to, from]) in &copies {
            if floats.contains(&(*function, *to)) || floats.contains(&(*function, *from)) {
                floats.extend([(*function, *to), (*function, *from)]);
            }
        }
        if floats.len() == known {
            break;
        }
    }
    let is_float = |register: &RegisterInfo| {
        register.bytes > 2 && floats.contains(&(register.function.as_str(), register.name.as_str()))
    };
    header.registers.iter().map(is_float).collect()
}

/// Returns the registers between which an instruction moves bits, without a type of its own.
fn copied(text: &str) -> Option<[&str; 2]> {
    let (opcode, operands) = text.split_once([' ', '\t'])?;
    let moves = matches!(opcode, "mov.b32" | "mov.b64" | "selp.b32" | "selp.b64") || opcode.starts_with("shfl.");
    let mut names = operands.split(',').map(|operand| operand.trim().trim_end_matches(';'));
    let (to, from) = (names.next()?.split('|').next()?, names.next()?);
    (moves && to.starts_with('%') && from.starts_with('%')).then_some([to, from])
}

/// Returns the names of the registers that an instruction uses as floating-point numbers.
fn floats_of(text: &str) -> impl Iterator<Item = &str> {
    let text = match text.strip_prefix('@') {
        Some(guarded) => guarded.split_once(' ').map_or("", |(_, rest)| rest),
        None => text,
    };
    let (opcode, operands) = text.trim_start().split_once([' ', '\t']).unwrap_or((text, ""));
    let types: Vec<bool> = opcode.split('.').filter_map(is_float_type).collect();
    // A conversion has the type of its result first; everything else has one type for all operands that are not
    // addresses or predicates.
    let of =
        move |at: usize| types.get(if at == 0 { 0 } else { types.len().saturating_sub(1) }).copied().unwrap_or(false);
    let without_addresses = operands.split(',').enumerate().filter(|(_, operand)| !operand.contains('['));
    without_addresses
        .filter(move |(at, _)| of(*at))
        .flat_map(|(_, operand)| {
            operand.split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '%' | '_' | '$' | '.')))
        })
        .filter(|name| name.starts_with('%'))
}

/// Whether a word of an opcode is a type of floating-point numbers; `None` if it is not a type.
fn is_float_type(word: &str) -> Option<bool> {
    let digits = word.trim_start_matches(|c: char| c.is_ascii_lowercase());
    match &word[..word.len() - digits.len()] {
        "f" if matches!(digits, "32" | "64") => Some(true),
        "s" | "u" | "b" if matches!(digits, "8" | "16" | "32" | "64" | "128") => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{copied, floats_of};

    #[test]
    fn floats_are_known_by_the_opcode() {
        let names = |text| floats_of(text).collect::<Vec<_>>();
        assert_eq!(names("add.rn.f32 \t%r3, %r1, 0f3F800000;"), ["%r3", "%r1"]);
        assert_eq!(names("cvt.rn.f32.s32 %f1, %r2;"), ["%f1"]);
        assert_eq!(names("cvt.rzi.s32.f64 %r1, %fd2;"), ["%fd2"]);
        assert_eq!(names("@%p1 st.shared.v2.f32 [%r9+8], {%f1, %f2};"), ["%f1", "%f2"]);
        assert_eq!(names("ld.global.f32 %f4, [%rd1];"), ["%f4"]);
        assert_eq!(names("ld.global.b32 %r4, [%rd1];"), [""; 0]);
        assert_eq!(names("bar.sync 0;"), [""; 0]);
    }

    #[test]
    fn a_copy_has_the_type_of_what_is_copied() {
        assert_eq!(copied("mov.b32 \t%r26, %f42;"), Some(["%r26", "%f42"]));
        assert_eq!(copied("shfl.sync.idx.b32 \t%r27|%p5, %r26, %r6, %r21, %r3;"), Some(["%r27", "%r26"]));
        assert_eq!(copied("mov.b32 %r1, 7;"), None);
        assert_eq!(copied("add.s32 %r1, %r2, %r3;"), None);
    }
}
