//! Cases of video instructions: parts of registers, and a second operation on the result.

use super::Case;
use super::values::ValueKind;

const WORDS: [ValueKind; 3] = [ValueKind::Int(32); 3];
/// Selectors of a source; the first one selects all of it.
const PARTS: [&str; 7] = ["", ".b0", ".b1", ".b2", ".b3", ".h0", ".h1"];

/// Every case.
pub fn all() -> Vec<Case> {
    let mut list = Vec::new();
    sums(&mut list);
    shifts(&mut list);
    products(&mut list);
    comparisons(&mut list);
    lanes(&mut list);
    list
}

/// Returns the type for this bit of `signs`.
fn ty(signs: usize, bit: usize) -> &'static str {
    if signs >> bit & 1 != 0 { "s32" } else { "u32" }
}

/// Adds an instruction on these parts; `third` is the sign of an optional third operand.
fn case(list: &mut Vec<Case>, op: &str, [d, a, b]: [&str; 3], third: Option<&str>) {
    let third = third.map_or(String::new(), |sign| format!(", {sign}%s2"));
    let ([sign_a, a], [sign_b, b]) = (signed(a), signed(b));
    let text = format!("{op} %d0{d}, {sign_a}%s0{a}, {sign_b}%s1{b}{third};");
    list.push(Case::new(text.trim_end_matches(';').to_string(), text, &WORDS, &[32]));
}

/// Splits a part into its sign and its selector.
fn signed(part: &str) -> [&str; 2] {
    part.strip_prefix('-').map_or(["", part], |part| ["-", part])
}

fn sums(list: &mut Vec<Case>) {
    for (which, op) in ["vadd", "vsub", "vabsdiff", "vmin", "vmax"].into_iter().enumerate() {
        for signs in 0..8 {
            let form = format!("{op}.{}.{}.{}", ty(signs, 2), ty(signs, 1), ty(signs, 0));
            let part = |skip: usize| PARTS[(signs * 3 + which * 2 + skip) % 7];
            case(list, &form, ["", part(0), part(2)], None);
            case(list, &format!("{form}.sat"), ["", part(1), part(4)], None);
            case(list, &format!("{form}.sat"), ["", "", ""], None);
            let second = [".add", ".min", ".max"][(signs + which) % 3];
            case(list, &format!("{form}{second}"), ["", part(3), ""], Some(""));
            case(list, &format!("{form}.sat{second}"), ["", "", part(5)], Some(""));
            let to = [".b0", ".b1", ".b2", ".b3", ".h0", ".h1"][(signs + 2 * which) % 6];
            case(list, &format!("{form}.sat"), [to, part(6), part(0)], Some(""));
            case(list, &form, [to, part(2), ""], Some(""));
        }
    }
}

fn shifts(list: &mut Vec<Case>) {
    for (which, op) in ["vshl", "vshr"].into_iter().enumerate() {
        for signs in 0..4 {
            for (other, mode) in ["clamp", "wrap"].into_iter().enumerate() {
                let form = format!("{op}.{}.{}.u32", ty(signs, 1), ty(signs, 0));
                let part = |skip: usize| PARTS[(signs * 3 + which * 2 + other + skip) % 7];
                case(list, &format!("{form}.{mode}"), ["", part(0), ".b0"], None);
                case(list, &format!("{form}.{mode}"), ["", "", ""], None);
                case(list, &format!("{form}.sat.{mode}"), ["", part(1), ".b1"], None);
                case(list, &format!("{form}.sat.{mode}.add"), ["", "", ".b3"], Some(""));
                case(list, &format!("{form}.sat.{mode}"), [".h1", part(2), ".h0"], Some(""));
            }
        }
    }
}

fn products(list: &mut Vec<Case>) {
    for signs in 0..8 {
        let form = format!("vmad.{}.{}.{}", ty(signs, 2), ty(signs, 1), ty(signs, 0));
        for (k, end) in ["", ".sat", ".sat.shr7", ".shr15"].into_iter().enumerate() {
            let part = |skip: usize| PARTS[(signs + k * 2 + skip) % 7];
            case(list, &format!("{form}{end}"), ["", part(0), part(3)], Some(""));
            case(list, &format!("{form}{end}"), ["", "-.h0", ".h1"], Some(""));
            case(list, &format!("{form}{end}"), ["", ".h1", ".b1"], Some("-"));
            case(list, &format!("{form}.po{end}"), ["", ".h1", ".h0"], Some(""));
        }
        case(list, &format!("{form}.sat"), ["", "", ""], Some(""));
    }
}

fn comparisons(list: &mut Vec<Case>) {
    for (which, cmp) in ["eq", "ne", "lt", "le", "gt", "ge"].into_iter().enumerate() {
        for signs in 0..4 {
            let form = format!("vset.{}.{}.{cmp}", ty(signs, 1), ty(signs, 0));
            let part = |skip: usize| PARTS[(signs * 3 + which + skip) % 7];
            case(list, &form, ["", part(0), part(0)], None);
            let second = [".add", ".min", ".max"][(signs + which) % 3];
            case(list, &format!("{form}{second}"), ["", "", part(3)], Some(""));
            case(list, &form, [".b2", part(5), ""], Some(""));
        }
    }
}

/// Two or four values at a time, with masks and selections.
fn lanes(list: &mut Vec<Case>) {
    let selected = [[".h1", ".h01", ".h32"], [".h0", ".h13", ""], [".h10", ".h22", ".h03"]];
    let of_bytes = [[".b310", ".b3210", ".b7654"], [".b2", ".b7044", ""], [".b3210", ".b0123", ".b1506"]];
    for (which, op) in ["vadd", "vsub", "vavrg", "vabsdiff", "vmin", "vmax"].into_iter().enumerate() {
        for (k, signs) in [0b011, 0b111, 0b101, 0b000].into_iter().enumerate() {
            for (count, parts) in [(2, selected), (4, of_bytes)] {
                let end = ["", ".sat", ".add"][(which + k) % 3];
                let form = format!("{op}{count}.{}.{}.{}{end}", ty(signs, 2), ty(signs, 1), ty(signs, 0));
                case(list, &form, parts[(which + k) % 3], Some(""));
                case(list, &form, parts[(which + k + 1) % 3], Some(""));
            }
        }
    }
    for (which, cmp) in ["eq", "ne", "lt", "le", "gt", "ge"].into_iter().enumerate() {
        for signs in 0..4 {
            for (count, parts) in [(2, selected), (4, of_bytes)] {
                let end = ["", ".add"][(which + signs) % 2];
                let form = format!("vset{count}.{}.{}.{cmp}{end}", ty(signs, 1), ty(signs, 0));
                case(list, &form, ["", "", ""], Some(""));
                case(list, &form, parts[(which + signs) % 3], Some(""));
            }
        }
    }
}
