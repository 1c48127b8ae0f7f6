//! Cases of matrix instructions: a warp's fragments.

use super::Case;
use super::values::ValueKind;

/// Every case.
pub fn all() -> Vec<Case> {
    let mut list = Vec::new();
    mma(&mut list);
    shared(&mut list);
    wmma(&mut list);
    list
}

/// Returns the registers `%x0`, `%x1`.. in braces.
fn list_of(letter: char, from: usize, count: usize) -> String {
    let names: Vec<String> = (from..from + count).map(|k| format!("%{letter}{k}")).collect();
    format!("{{{}}}", names.join(", "))
}

/// Adds one `mma` on `a`, `b` and `c` registers of these kinds.
fn multiply(list: &mut Vec<Case>, name: &str, what: &str, kinds: [ValueKind; 3], counts: [usize; 4]) {
    let [na, nb, nc, nd] = counts;
    let mut sources = vec![kinds[0]; na];
    sources.extend(vec![kinds[1]; nb]);
    sources.extend(vec![kinds[2]; nc]);
    let text = format!(
        "{name} {}, {}, {}, {};",
        list_of('d', 0, nd),
        list_of('s', 0, na),
        list_of('s', na, nb),
        list_of('s', na + nb, nc)
    );
    let bits = kinds[2].bits();
    list.push(Case::new(format!("{name} {what}"), text, &sources, &vec![bits; nd]));
}

fn mma(list: &mut Vec<Case>) {
    for (shape, na) in [("m16n8k8", 2), ("m16n8k16", 4)] {
        for (ty, whole, tame, wild) in [
            ("f16", ValueKind::WholeHalves, ValueKind::TameHalves, ValueKind::Halves),
            ("bf16", ValueKind::WholeBFloats, ValueKind::TameBFloats, ValueKind::BFloats),
        ] {
            let op = format!("mma.sync.aligned.{shape}.row.col.f32.{ty}.{ty}.f32");
            let counts = [na, na / 2, 4, 4];
            multiply(list, &op, "whole", [whole, whole, ValueKind::Whole], counts);
            multiply(list, &op, "tame", [tame, tame, ValueKind::Tame], counts);
            multiply(list, &op, "any", [wild, wild, ValueKind::Single], counts);
        }
        let op = format!("mma.sync.aligned.{shape}.row.col.f16.f16.f16.f16");
        let counts = [na, na / 2, 2, 2];
        let (whole, tame, wild) = (ValueKind::WholeHalves, ValueKind::TameHalves, ValueKind::Halves);
        multiply(list, &op, "whole", [whole; 3], counts);
        multiply(list, &op, "tame", [tame; 3], counts);
        multiply(list, &op, "any", [wild; 3], counts);
    }
    for (shape, na) in [("m16n8k4", 2), ("m16n8k8", 4)] {
        let op = format!("mma.sync.aligned.{shape}.row.col.f32.tf32.tf32.f32");
        let counts = [na, na / 2, 4, 4];
        multiply(list, &op, "whole", [ValueKind::Whole; 3], counts);
        multiply(list, &op, "tame", [ValueKind::Tame; 3], counts);
        multiply(list, &op, "any", [ValueKind::Single; 3], counts);
    }
    let word = ValueKind::Int(32);
    for (shape, na, nb, nc) in [("m8n8k16", 1, 1, 2), ("m16n8k16", 2, 1, 4), ("m16n8k32", 4, 2, 4)] {
        for (a, b) in [("s8", "s8"), ("u8", "u8"), ("s8", "u8"), ("u8", "s8")] {
            for satfinite in ["", ".satfinite"] {
                let op = format!("mma.sync.aligned.{shape}.row.col{satfinite}.s32.{a}.{b}.s32");
                multiply(list, &op, "any", [word; 3], [na, nb, nc, nc]);
            }
        }
    }
    let double = ValueKind::TameDouble;
    let op = "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64";
    multiply(list, op, "tame", [double; 3], [1, 1, 2, 2]);
    multiply(list, op, "any", [ValueKind::Double; 3], [1, 1, 2, 2]);
    for (shape, na) in [("m16n8k4", 2), ("m16n8k8", 4), ("m16n8k16", 8)] {
        let op = format!("mma.sync.aligned.{shape}.row.col.f64.f64.f64.f64");
        multiply(list, &op, "tame", [double; 3], [na, na / 2, 4, 4]);
    }
}

/// Fills the thread's shared cell with the first four sources.
const FILL: &str = "st.shared.v4.b32 [%shared], {%s0, %s1, %s2, %s3};\nbar.warp.sync -1;\n";

fn shared(list: &mut Vec<Case>) {
    let words = [ValueKind::Int(32); 4];
    for (count, n) in [("x1", 1), ("x2", 2), ("x4", 4)] {
        for trans in ["", ".trans"] {
            let op = format!("ldmatrix.sync.aligned.m8n8.{count}{trans}.shared.b16");
            let text = format!("{FILL}{op} {}, [%shared];", list_of('d', 0, n));
            list.push(Case::new(op, text, &words, &vec![32; n]));
            let op = format!("stmatrix.sync.aligned.m8n8.{count}{trans}.shared.b16");
            let text = format!(
                "st.shared.v4.b32 [%shared], {{0, 0, 0, 0}};\nbar.warp.sync -1;\n{op} [%shared], {};\nbar.warp.sync -1;\nld.shared.v4.b32 {}, [%shared];",
                list_of('s', 0, n),
                list_of('d', 0, 4)
            );
            list.push(Case::new(op, text, &words, &[32; 4]));
        }
    }
    list.push(Case::new(
        "movmatrix.sync.aligned.m8n8.trans.b16",
        "movmatrix.sync.aligned.m8n8.trans.b16 %d0, %s0;",
        &words[..1],
        &[32],
    ));
}

/// Returns the number of elements of a row (or of a column, if the layout is by columns) of an accumulator's tile.
fn width(shape: &str, layout: &str) -> u32 {
    match (shape, layout) {
        ("m16n16k16", _) => 16,
        ("m8n32k16", "row") | ("m32n8k16", "col") => 32,
        _ => 8,
    }
}

/// The whole-tile instructions, whose fragment layout is specific to the hardware.
fn wmma(list: &mut Vec<Case>) {
    // A warp's tiles: the consecutive cells, 64 bytes each, of its lanes.
    let base = "and.b32 %n, %t, 31;\nmul.lo.u32 %n, %n, 64;\nsub.u32 %n, %shared, %n;\n";
    let fill = "st.shared.v4.b32 [%shared], {%s0, %s1, %s2, %s3};\nst.shared.v4.b32 [%shared+16], {%s3, %s0, %s1, %s2};\nst.shared.v4.b32 [%shared+32], {%s1, %s0, %s2, %s3};\nst.shared.v4.b32 [%shared+48], {%s2, %s3, %s0, %s1};\nbar.warp.sync -1;\n";
    let words = [ValueKind::Int(32); 4];
    for shape in ["m16n16k16", "m8n32k16", "m32n8k16"] {
        for layout in ["row", "col"] {
            for part in ["a", "b"] {
                for ty in ["f16", "bf16", "s8", "u8"] {
                    let n = match (ty, part, shape) {
                        ("f16", ..) => 8,
                        ("bf16", _, "m16n16k16") => 4,
                        ("bf16", "a", "m8n32k16") | ("bf16", "b", "m32n8k16") => 2,
                        ("bf16", ..) => 8,
                        (.., "m16n16k16") => 2,
                        (_, "a", "m8n32k16") | (_, "b", "m32n8k16") => 1,
                        _ => 4,
                    };
                    let op = format!("wmma.load.{part}.sync.aligned.{shape}.{layout}.shared.{ty}");
                    let text = format!("{base}{fill}{op} {}, [%n], 32;", list_of('d', 0, n));
                    list.push(Case::new(op, text, &words, &vec![32; n]));
                }
            }
            for (ty, n) in [("f16", 4), ("f32", 8), ("s32", 8)] {
                let op = format!("wmma.load.c.sync.aligned.{shape}.{layout}.shared.{ty}");
                let stride = if ty == "f16" { 32 } else { width(shape, layout) };
                let text = format!("{base}{fill}{op} {}, [%n], {stride};", list_of('d', 0, n));
                list.push(Case::new(op, text, &words, &vec![32; n]));
            }
            for (ty, n) in [("f16", 4), ("f32", 8), ("s32", 8)] {
                let op = format!("wmma.store.d.sync.aligned.{shape}.{layout}.shared.{ty}");
                let stride = width(shape, layout);
                let mut text = base.to_string();
                for at in [0, 16, 32, 48] {
                    text += &format!("st.shared.v4.b32 [%shared+{at}], {{0, 0, 0, 0}};\n");
                }
                let from = list_of('s', 0, n);
                text += &format!("bar.warp.sync -1;\n{op} [%n], {from}, {stride};\nbar.warp.sync -1;\n");
                for k in 0..4 {
                    text += &format!("ld.shared.v4.b32 {}, [%shared+{}];\n", list_of('d', 4 * k, 4), 16 * k);
                }
                list.push(Case::new(op, text, &vec![ValueKind::Int(32); n], &[32; 16]));
            }
        }
        for (a, b) in [("row", "col"), ("row", "row"), ("col", "col"), ("col", "row")] {
            for (d, c, nd, nc) in
                [("f32", "f32", 8, 8), ("f16", "f16", 4, 4), ("f32", "f16", 8, 4), ("f16", "f32", 4, 8)]
            {
                let kind = if c == "f16" { ValueKind::WholeHalves } else { ValueKind::Whole };
                let op = format!("wmma.mma.sync.aligned.{a}.{b}.{shape}.{d}.{c}");
                multiply(list, &op, "whole", [ValueKind::WholeHalves, ValueKind::WholeHalves, kind], [8, 8, nc, nd]);
                if shape == "m16n16k16" && (a, b) == ("row", "col") {
                    let kind = if c == "f16" { ValueKind::TameHalves } else { ValueKind::Tame };
                    multiply(list, &op, "tame", [ValueKind::TameHalves, ValueKind::TameHalves, kind], [8, 8, nc, nd]);
                }
            }
        }
        let (na, nb) = match shape {
            "m16n16k16" => (4, 4),
            "m8n32k16" => (2, 8),
            _ => (8, 2),
        };
        let op = format!("wmma.mma.sync.aligned.row.col.{shape}.f32.bf16.bf16.f32");
        multiply(
            list,
            &op,
            "whole",
            [ValueKind::WholeBFloats, ValueKind::WholeBFloats, ValueKind::Whole],
            [na, nb, 8, 8],
        );
        for ty in ["s8", "u8"] {
            let op = format!("wmma.mma.sync.aligned.row.col.{shape}.s32.{ty}.{ty}.s32");
            multiply(list, &op, "any", [ValueKind::Int(32); 3], [na / 2, nb / 2, 8, 8]);
        }
    }
    let op = "wmma.mma.sync.aligned.row.col.m16n16k8.f32.tf32.tf32.f32";
    multiply(list, op, "whole", [ValueKind::Whole; 3], [4, 4, 8, 8]);
    for layout in ["row", "col"] {
        for part in ["a", "b"] {
            let op = format!("wmma.load.{part}.sync.aligned.m16n16k8.{layout}.shared.tf32");
            let text = format!("{base}{fill}{op} {}, [%n], 16;", list_of('d', 0, 4));
            list.push(Case::new(op, text, &words, &[32; 4]));
        }
    }
    let op = "wmma.mma.sync.aligned.row.col.m8n8k4.f64.f64.f64.f64";
    multiply(list, op, "tame", [ValueKind::TameDouble; 3], [1, 1, 2, 2]);
}
