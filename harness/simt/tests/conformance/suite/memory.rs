//! Cases of loads, stores and atomics, each thread on its own memory.

use super::Case;
use super::values::ValueKind;

/// Every case.
pub fn all() -> Vec<Case> {
    let mut list = Vec::new();
    for (space, at) in [("global", "%cell"), ("shared", "%shared"), ("local", "%local"), ("", "%cell")] {
        list.extend(accesses(space, at));
    }
    for (space, at) in [("global", "%cell"), ("shared", "%shared"), ("", "%cell")] {
        list.extend(atomics(space, at));
    }
    list.extend(spaces());
    list
}

fn dotted(space: &str) -> String {
    if space.is_empty() { String::new() } else { format!(".{space}") }
}

fn accesses(space: &str, at: &str) -> Vec<Case> {
    let s = dotted(space);
    let mut list = Vec::new();
    // Narrow loads into registers of every size.
    for ty in ["b8", "u8", "s8", "b16", "u16", "s16", "b32", "u32", "s32", "f32", "b64", "u64", "s64", "f64"] {
        let own: u32 = ty[1..].parse().expect("a size");
        for bits in [16, 32, 64u32] {
            let exact = ty.starts_with('f') || ty == "b64";
            if bits < own || (exact && bits != own) {
                continue;
            }
            list.push(Case::new(
                format!("ld{s}.{ty} into {bits}"),
                format!("st{s}.b64 [{at}], %s0;\nld{s}.{ty} %d0, [{at}];"),
                &[ValueKind::Int(64)],
                &[bits],
            ));
        }
    }
    // Narrow stores from registers of every size, observed in the word.
    for ty in ["b8", "u8", "s8", "b16", "u16", "s16", "b32", "u32", "f32", "b64", "f64"] {
        let own: u32 = ty[1..].parse().expect("a size");
        for bits in [16, 32, 64u32] {
            let exact = ty.starts_with('f') || ty == "b64";
            if bits < own || (exact && bits != own) {
                continue;
            }
            let offset = if own == 64 { 0 } else { own / 8 };
            list.push(Case::new(
                format!("st{s}.{ty} from {bits}"),
                format!("st{s}.b64 [{at}], %s0;\nst{s}.{ty} [{at}+{offset}], %s1;\nld{s}.b64 %d0, [{at}];"),
                &[ValueKind::Int(64), ValueKind::Int(bits)],
                &[64],
            ));
        }
    }
    let word = ValueKind::Int(32);
    let long = ValueKind::Int(64);
    list.push(Case::new(
        format!("st{s}.v4.b32, ld{s}.v2.u64"),
        format!("st{s}.v4.b32 [{at}+16], {{%s0, %s1, %s2, %s3}};\nld{s}.v2.u64 {{%d0, %d1}}, [{at}+16];"),
        &[word; 4],
        &[64, 64],
    ));
    list.push(Case::new(
        format!("st{s}.v2.b64, ld{s}.v4.f32"),
        format!("st{s}.v2.b64 [{at}], {{%s0, %s1}};\nld{s}.v4.f32 {{%d0, %d1, %d2, %d3}}, [{at}];"),
        &[long; 2],
        &[32; 4],
    ));
    list.push(Case::new(
        format!("st{s}.v2.u16, ld{s}.v4.u8"),
        format!("st{s}.v2.u16 [{at}], {{%s0, %s1}};\nld{s}.v4.u8 {{%d0, %d1, %d2, %d3}}, [{at}];"),
        &[ValueKind::Int(16); 2],
        &[16; 4],
    ));
    list.push(Case::new(
        format!("st{s}.v4.u8, ld{s}.v2.s8"),
        format!("st{s}.v4.u8 [{at}], {{%s0, %s1, %s2, %s3}};\nld{s}.v2.s8 {{%d0, %d1}}, [{at}+2];"),
        &[ValueKind::Int(16); 4],
        &[32; 2],
    ));
    list
}

/// The kind of numbers that an atomic of this type takes.
fn kind(ty: &str) -> ValueKind {
    match ty {
        "f16" => ValueKind::Half,
        "bf16" => ValueKind::BFloat,
        "f16x2" => ValueKind::Halves,
        "bf16x2" => ValueKind::BFloats,
        "f32" => ValueKind::Single,
        "f64" => ValueKind::Double,
        ty => ValueKind::Int(ty[1..].parse().expect("a size")),
    }
}

fn atomics(space: &str, at: &str) -> Vec<Case> {
    let s = dotted(space);
    let mut list = Vec::new();
    let mut add = |op: &str, ty: &str| {
        let kind = kind(ty);
        let bits = kind.bits();
        let word = op.trim_end_matches(".noftz");
        let third = if word == "cas" { ", %s2" } else { "" };
        let sources = &[kind; 3][..if word == "cas" { 3 } else { 2 }];
        // A neighbour must not change.
        let start = format!("st{s}.b64 [{at}], -1;\nst{s}.b{bits} [{at}], %s0;");
        list.push(Case::new(
            format!("atom{s}.{op}.{ty}"),
            format!("{start}\natom{s}.{op}.{ty} %d0, [{at}], %s1{third};\nld{s}.b64 %d1, [{at}];"),
            sources,
            &[bits, 64],
        ));
        if word != "exch" && word != "cas" {
            list.push(Case::new(
                format!("red{s}.{op}.{ty}"),
                format!("{start}\nred{s}.{op}.{ty} [{at}], %s1;\nld{s}.b64 %d0, [{at}];"),
                sources,
                &[64],
            ));
        }
    };
    for ty in ["u32", "s32", "u64", "f32", "f64"] {
        add("add", ty);
    }
    for ty in ["f16", "f16x2", "bf16", "bf16x2"] {
        add("add.noftz", ty);
    }
    for ty in ["u32", "s32", "u64", "s64"] {
        add("min", ty);
        add("max", ty);
    }
    for op in ["and", "or", "xor", "exch"] {
        add(op, "b32");
        add(op, "b64");
    }
    for ty in ["b16", "b32", "b64"] {
        add("cas", ty);
    }
    add("inc", "u32");
    add("dec", "u32");
    if space != "shared" {
        list.push(Case::new(
            format!("atom{s}.v2.f32.add"),
            format!(
                "st{s}.v2.f32 [{at}], {{%s0, %s1}};\natom{s}.add.v2.f32 {{%d0, %d1}}, [{at}], {{%s2, %s3}};\nld{s}.v2.f32 {{%d2, %d3}}, [{at}];"
            ),
            &[ValueKind::Single; 4],
            &[32; 4],
        ));
        list.push(Case::new(
            format!("red{s}.v4.f32.add"),
            format!(
                "st{s}.v4.f32 [{at}], {{%s0, %s1, %s0, %s1}};\nred{s}.add.v4.f32 [{at}], {{%s2, %s3, %s3, %s2}};\nld{s}.v4.f32 {{%d0, %d1, %d2, %d3}}, [{at}];"
            ),
            &[ValueKind::Single; 4],
            &[32; 4],
        ));
    }
    list
}

/// Addresses: conversions from one space to the generic one and back, and the space to which an address belongs.
fn spaces() -> Vec<Case> {
    let mut list = Vec::new();
    for space in ["global", "shared", "local", "const"] {
        for (from, at) in [
            ("global", "mov.u64 %at, %cell;"),
            ("shared", "cvt.u64.u32 %at, %shared;\ncvta.shared.u64 %at, %at;"),
            ("local", "cvta.local.u64 %at, %wide_local; // %local"),
        ] {
            list.push(Case::new(
                format!("isspacep.{space} of {from}"),
                format!("{at}\nisspacep.{space} %d0, %at;"),
                &[],
                &[0],
            ));
        }
    }
    for (space, own) in [("shared", "cvt.u64.u32 %at, %shared;"), ("local", "mov.u64 %at, %wide_local; // %local")] {
        list.push(Case::new(
            format!("cvta.{space}, generic st, ld.{space}"),
            format!(
                ".reg .b64 %generic;\n{own}\ncvta.{space}.u64 %generic, %at;\nst.b32 [%generic+8], %s0;\ncvta.to.{space}.u64 %generic, %generic;\nsub.u64 %generic, %generic, %at;\nadd.u64 %at, %at, %generic;\nld.{space}.b32 %d0, [%at+8];"
            ),
            &[ValueKind::Int(32)],
            &[32],
        ));
    }
    list
}
