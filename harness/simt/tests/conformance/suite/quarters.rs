//! Cases of products of 8-bit numbers and of sparse factors.

use super::Case;
use super::values::ValueKind;

/// Every case.
pub fn all() -> Vec<Case> {
    let mut list = Vec::new();
    dense(&mut list);
    sparse(&mut list);
    list
}

fn names(letter: char, from: usize, count: usize) -> String {
    let names: Vec<String> = (from..from + count).map(|k| format!("%{letter}{k}")).collect();
    format!("{{{}}}", names.join(", "))
}

/// The registers of A and of B, their kinds and that of the accumulator, and its registers.
struct Fragments {
    counts: [usize; 3],
    kinds: [ValueKind; 2],
}

/// Adds a product of factors whose words are masked first. `metadata` computes `%n` from the last source; its selector
/// follows.
fn product(
    list: &mut Vec<Case>,
    op: &str,
    what: &str,
    mask: Option<u32>,
    of: &Fragments,
    metadata: Option<(&str, u32)>,
) {
    let [a, b, c] = of.counts;
    let mut kinds = vec![of.kinds[0]; a + b];
    kinds.extend(vec![of.kinds[1]; c]);
    let mut text = String::new();
    if let Some(mask) = mask {
        for k in 0..a + b {
            text += &format!("and.b32 %s{k}, %s{k}, {mask:#x};\n");
        }
    }
    let mut end = String::new();
    if let Some((make, selector)) = metadata {
        kinds.push(ValueKind::Int(32));
        text += &format!("and.b32 %n, %s{}, 0x11111111;\n{make}\n", a + b + c);
        end = format!(", %n, {selector}");
    }
    let (d, from) = (names('d', 0, c), [names('s', 0, a), names('s', a, b), names('s', a + b, c)]);
    text += &format!("{op} {d}, {}{end};", from.join(", "));
    let selector = metadata.map_or(String::new(), |(_, selector)| format!(" {selector}"));
    list.push(Case::new(format!("{op} {what}{selector}"), text, &kinds, &vec![32; c]));
}

/// Without NaN and infinity.
const FINITE: Option<u32> = Some(0xf7f7_f7f7);

fn dense(list: &mut Vec<Case>) {
    let word = ValueKind::Int(32);
    for (dims, a) in [("m16n8k16", 2), ("m16n8k32", 4)] {
        for (ty, other) in [("e4m3", "e4m3"), ("e4m3", "e5m2"), ("e5m2", "e4m3"), ("e5m2", "e5m2")] {
            for (to, c, tame, wild) in
                [("f32", 4, ValueKind::Tame, ValueKind::Single), ("f16", 2, ValueKind::TameHalves, ValueKind::Halves)]
            {
                let op = format!("mma.sync.aligned.{dims}.row.col.{to}.{ty}.{other}.{to}");
                let counts = [a, a / 2, c];
                product(list, &op, "finite", FINITE, &Fragments { counts, kinds: [word, tame] }, None);
                product(list, &op, "any", None, &Fragments { counts, kinds: [word, wild] }, None);
            }
        }
    }
}

/// Positions 0 and 1, or 2 and 3, of each four; of each two 32-bit numbers, the first or the second.
pub(super) const ENDS: &str = "mad.lo.u32 %n, %n, 10, 0x44444444;";
/// Positions 0 and 3, or 1 and 2.
pub(super) const OTHERS: &str = "mul.lo.u32 %n, %n, 3;\nsub.u32 %n, 0xcccccccc, %n;";

const MADE: [(&str, &str); 2] = [("ends", ENDS), ("others", OTHERS)];

fn sparse(list: &mut Vec<Case>) {
    let word = ValueKind::Int(32);
    for (what, make) in MADE {
        for (a, b) in [("s8", "s8"), ("u8", "s8"), ("s8", "u8"), ("u8", "u8")] {
            for end in ["", ".satfinite"] {
                let op = format!("mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col{end}.s32.{a}.{b}.s32");
                let of = Fragments { counts: [4, 4, 4], kinds: [word, word] };
                product(list, &op, what, None, &of, Some((make, 0)));
            }
        }
        for (a, b) in [("e4m3", "e4m3"), ("e5m2", "e4m3")] {
            let op = format!("mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.f32.{a}.{b}.f32");
            let of = Fragments { counts: [4, 4, 4], kinds: [word, ValueKind::Tame] };
            product(list, &op, what, FINITE, &of, Some((make, 0)));
        }
    }
    for (dims, counts, selectors) in [("m16n8k16", [2, 2, 4], 4), ("m16n8k32", [4, 4, 4], 2)] {
        for (selector, (what, make)) in (0..selectors).flat_map(|at| MADE.map(|made| (at, made))) {
            for (ty, tame) in [("f16", ValueKind::TameHalves), ("bf16", ValueKind::TameBFloats)] {
                let op = format!("mma.sp::ordered_metadata.sync.aligned.{dims}.row.col.f32.{ty}.{ty}.f32");
                product(
                    list,
                    &op,
                    what,
                    None,
                    &Fragments { counts, kinds: [tame, ValueKind::Tame] },
                    Some((make, selector)),
                );
            }
            let op = format!("mma.sp::ordered_metadata.sync.aligned.{dims}.row.col.f16.f16.f16.f16");
            let of = Fragments { counts: [counts[0], counts[1], 2], kinds: [ValueKind::TameHalves; 2] };
            product(list, &op, what, None, &of, Some((make, selector)));
        }
    }
    for (selector, (what, make)) in (0..2).flat_map(|at| MADE.map(|made| (at, made))) {
        for (a, b) in [("s8", "u8"), ("u8", "s8")] {
            let op = format!("mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.s32.{a}.{b}.s32");
            product(list, &op, what, None, &Fragments { counts: [2, 2, 4], kinds: [word; 2] }, Some((make, selector)));
        }
    }
    for (dims, counts, selectors) in [("m16n8k64", [2, 2, 4], 2), ("m16n8k128", [4, 4, 4], 1)] {
        for selector in 0..selectors {
            for (a, b) in [("s4", "s4"), ("u4", "s4"), ("s4", "u4"), ("u4", "u4")] {
                for (what, make) in MADE {
                    let op = format!("mma.sp::ordered_metadata.sync.aligned.{dims}.row.col.s32.{a}.{b}.s32");
                    product(list, &op, what, None, &Fragments { counts, kinds: [word, word] }, Some((make, selector)));
                }
            }
        }
    }
    for (dims, count, selectors) in [("m16n8k8", 2, 4), ("m16n8k16", 4, 2)] {
        for selector in 0..selectors {
            let op = format!("mma.sp::ordered_metadata.sync.aligned.{dims}.row.col.f32.tf32.tf32.f32");
            for (what, kind) in [("whole", ValueKind::Whole), ("tame", ValueKind::Tame), ("any", ValueKind::Single)] {
                let of = Fragments { counts: [count, count, 4], kinds: [kind, kind] };
                product(list, &op, what, None, &of, Some((ENDS, selector)));
            }
        }
    }
}
