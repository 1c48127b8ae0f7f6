//! Cases of warpgroup products (`wgmma`): each warpgroup uses the cells of its threads as its shared memory.

use super::Case;
use super::quarters::{ENDS, OTHERS};
use super::values::ValueKind;

/// Columns of the products.
const COLUMNS: u32 = 16;

/// Every case.
pub fn all() -> Vec<Case> {
    let mut list = types();
    list.extend(layouts());
    list.extend(rest());
    list.extend(sparse());
    list
}

/// A product of matrices that consist of the threads' words in shared memory.
struct Product {
    /// The types of the sums, of A and of B.
    types: &'static str,
    /// The rest of the case's name.
    what: String,
    /// The kinds of the words, and of the accumulators.
    kinds: [ValueKind; 2],
    /// A mask for the words' bits, and bits that are set in them.
    words: Option<(u32, u32)>,
    /// The upper bits of the descriptors of A and B.
    descriptors: [u64; 2],
    /// Immediates after the scale of the accumulators.
    immediates: &'static str,
    registers: bool,
    /// Whether the accumulators are added.
    adds: bool,
    satfinite: bool,
    /// For a sparse A: how `%n` becomes the metadata word, and which threads provide it.
    kept: Option<(&'static str, u32)>,
}

/// Returns the descriptor of a matrix of core matrices of 8 rows by 16 bytes, with the second half of the depth `far`
/// bytes further.
fn plain(far: u64) -> u64 {
    ((far >> 4) << 16) | ((128 >> 4) << 32)
}

impl Product {
    fn new(types: &'static str, what: &str, kinds: [ValueKind; 2]) -> Product {
        let immediates = match types {
            t if t.contains("s32") => "",
            "f32.tf32.tf32" => ", 1, 1",
            t if t.contains("e4m3") || t.contains("e5m2") => ", 1, 1",
            _ => ", 1, 1, 0, 0",
        };
        Product {
            types,
            what: what.into(),
            kinds,
            words: None,
            descriptors: [plain(1024), plain(256)],
            immediates,
            registers: false,
            adds: true,
            satfinite: false,
            kept: None,
        }
    }

    fn case(&self) -> Case {
        let depth = match self.types {
            t if t.contains("b1") => 256,
            t if t.contains("16") && !t.contains('e') => 16,
            "f32.tf32.tf32" => 8,
            _ => 32,
        };
        let depth = if self.kept.is_some() { 2 * depth } else { depth };
        let halves = self.types.starts_with("f16");
        let sums = COLUMNS / if halves { 4 } else { 2 };
        let list = |letter: char, from: u32, count: u32| {
            let names: Vec<String> = (from..from + count).map(|at| format!("%{letter}{at}")).collect();
            format!("{{{}}}", names.join(", "))
        };
        let mut text = String::new();
        if let Some((mask, set)) = self.words {
            for at in 0..4 {
                text += &format!("and.b32 %s{at}, %s{at}, {mask:#x};\nor.b32 %s{at}, %s{at}, {set:#x};\n");
            }
        }
        for (at, order) in [[0, 1, 2, 3], [3, 0, 1, 2], [1, 0, 2, 3], [2, 3, 0, 1]].iter().enumerate() {
            let words: Vec<String> = order.iter().map(|word| format!("%s{word}")).collect();
            text += &format!("st.shared.v4.b32 [%shared+{}], {{{}}};\n", 16 * at, words.join(", "));
        }
        text += "fence.proxy.async.shared::cta;\nbar.sync 0;\n.reg .b64 %da, %db;\nand.b32 %n, %t, 127;\n\
                 mul.lo.u32 %n, %n, 64;\nsub.u32 %n, %shared, %n;\nshr.u32 %n, %n, 4;\ncvt.u64.u32 %da, %n;\n";
        let [a, b] = self.descriptors;
        text += &format!("add.u64 %db, %da, {};\nadd.u64 %da, %da, {a:#x};\n", b + (2048 >> 4));
        for at in 0..sums {
            text += &format!("mov.b32 %d{at}, %s{};\n", 4 + at);
        }
        let mut kinds = vec![self.kinds[0]; 4];
        kinds.extend(vec![self.kinds[1]; sums as usize]);
        let (mut sparse, mut kept) = ("", String::new());
        if let Some((make, selector)) = self.kept {
            text += &format!("and.b32 %n, %s{}, 0x11111111;\n{make}\n", kinds.len());
            kinds.push(ValueKind::Int(32));
            (sparse, kept) = (".sp", format!(" %n, {selector},"));
        }
        let first = if self.registers { list('s', 0, 4) } else { "%da".into() };
        let (popc, satfinite) =
            (if depth == 256 { ".and.popc" } else { "" }, if self.satfinite { ".satfinite" } else { "" });
        let name =
            format!("wgmma.mma_async{sparse}.sync.aligned.m64n{COLUMNS}k{depth}{satfinite}.{}{popc}", self.types);
        text += &format!(
            "wgmma.fence.sync.aligned;\n{name} {}, {first}, %db,{kept} {}{};\nwgmma.commit_group.sync.aligned;\n\
             wgmma.wait_group.sync.aligned 0;",
            list('d', 0, sums),
            u32::from(self.adds),
            self.immediates
        );
        Case::new(format!("{name} {}", self.what), text, &kinds, &vec![32; sums as usize])
    }
}

fn types() -> Vec<Case> {
    let word = ValueKind::Int(32);
    let mut list = Vec::new();
    for (types, what, kinds) in [
        ("f32.f16.f16", "whole", [ValueKind::WholeHalves, ValueKind::Whole]),
        ("f32.f16.f16", "tame", [ValueKind::TameHalves, ValueKind::Tame]),
        ("f32.f16.f16", "any", [ValueKind::Halves, ValueKind::Single]),
        ("f16.f16.f16", "whole", [ValueKind::WholeHalves; 2]),
        ("f16.f16.f16", "tame", [ValueKind::TameHalves; 2]),
        ("f16.f16.f16", "any", [ValueKind::Halves; 2]),
        ("f32.bf16.bf16", "whole", [ValueKind::WholeBFloats, ValueKind::Whole]),
        ("f32.bf16.bf16", "tame", [ValueKind::TameBFloats, ValueKind::Tame]),
        ("f32.bf16.bf16", "any", [ValueKind::BFloats, ValueKind::Single]),
        ("f32.tf32.tf32", "whole", [ValueKind::Whole; 2]),
        ("f32.tf32.tf32", "tame", [ValueKind::Tame; 2]),
        ("f32.tf32.tf32", "any", [ValueKind::Single; 2]),
    ] {
        list.push(Product::new(types, what, kinds).case());
    }
    for types in ["s32.s8.s8", "s32.u8.u8", "s32.s8.u8", "s32.u8.s8", "s32.b1.b1"] {
        list.push(Product::new(types, "any", [word; 2]).case());
        if !types.contains("b1") {
            list.push(Product { satfinite: true, ..Product::new(types, "any", [word; 2]) }.case());
        }
    }
    for a in ["e4m3", "e5m2"] {
        for b in ["e4m3", "e5m2"] {
            // Signs and mantissas are arbitrary, exponents are near one. The masks fit both types, if they are the
            // same.
            let (mask, set) = if a == "e4m3" { (0x8f8f_8f8f, 0x3030_3030) } else { (0x8787_8787, 0x3838_3838) };
            for (sum, c, tame) in
                [("f32", ValueKind::Single, ValueKind::Tame), ("f16", ValueKind::Halves, ValueKind::TameHalves)]
            {
                let types: &'static str = match (sum, a, b) {
                    ("f32", "e4m3", "e4m3") => "f32.e4m3.e4m3",
                    ("f32", "e4m3", _) => "f32.e4m3.e5m2",
                    ("f32", _, "e4m3") => "f32.e5m2.e4m3",
                    ("f32", ..) => "f32.e5m2.e5m2",
                    (_, "e4m3", "e4m3") => "f16.e4m3.e4m3",
                    (_, "e4m3", _) => "f16.e4m3.e5m2",
                    (_, _, "e4m3") => "f16.e5m2.e4m3",
                    _ => "f16.e5m2.e5m2",
                };
                list.push(Product { words: Some((mask, set)), ..Product::new(types, "tame", [word, tame]) }.case());
                list.push(Product::new(types, "any", [word, c]).case());
                // What a sum loses of a lone accumulator.
                let nothing = Some((0, 0));
                list.push(Product { words: nothing, ..Product::new(types, "of nothing", [word, c]) }.case());
            }
        }
    }
    list
}

/// Swizzles, MN-major matrices, steps inside a tile, and base offsets.
fn layouts() -> Vec<Case> {
    let kinds = [ValueKind::WholeHalves, ValueKind::Whole];
    let mut list = Vec::new();
    let transpositions = [", 1, 1, 0, 0", ", 1, 1, 1, 0", ", 1, 1, 0, 1", ", 1, 1, 1, 1"];
    for (mode, width) in [(0, 16), (1, 128), (2, 64), (3, 32)] {
        for (which, immediates) in transpositions.iter().enumerate() {
            let at = |bytes: u64, field: u32| (bytes >> 4) << field;
            // Valid for either direction: the strides of neighbouring tiles.
            let swizzled = at(16 * width, 16) | at(8 * width, 32) | mode << 62;
            let descriptors = if mode == 0 { [plain(1024), plain(256)] } else { [swizzled; 2] };
            let what = format!("swizzle {mode}, transposition {which}");
            list.push(Product { descriptors, immediates, ..Product::new("f32.f16.f16", &what, kinds) }.case());
        }
    }
    let wide = ((1024 >> 4) << 32) | (1 << 62);
    for (what, more) in [("a step of 32 bytes", 2), ("a step of 96 bytes", 6)] {
        list.push(Product { descriptors: [wide + more; 2], ..Product::new("f32.f16.f16", what, kinds) }.case());
    }
    for base in [1u64, 3, 7] {
        // Groups of eight rows overlap, so that all of them fit into the cells.
        let moved = (((512 >> 4) << 32) | (1 << 62)) + ((128 * base) >> 4) + (base << 49);
        let what = format!("a base of {base}");
        list.push(Product { descriptors: [moved, wide], ..Product::new("f32.f16.f16", &what, kinds) }.case());
    }
    list
}

/// A in registers, negated factors, and sums without accumulators.
fn rest() -> Vec<Case> {
    let word = ValueKind::Int(32);
    let mut list = Vec::new();
    for (types, kinds, immediates) in [
        ("f32.f16.f16", [ValueKind::TameHalves, ValueKind::Tame], ", 1, 1, 0"),
        ("f32.tf32.tf32", [ValueKind::Tame; 2], ", 1, 1"),
        ("f32.e4m3.e4m3", [word, ValueKind::Tame], ", 1, 1"),
        ("s32.s8.u8", [word; 2], ""),
        ("s32.b1.b1", [word; 2], ""),
    ] {
        let what = "A in registers";
        list.push(Product { registers: true, immediates, ..Product::new(types, what, kinds) }.case());
    }
    for (what, immediates) in
        [("minus A", ", -1, 1, 0, 0"), ("minus B", ", 1, -1, 0, 0"), ("minus both", ", -1, -1, 0, 0")]
    {
        let kinds = [ValueKind::Halves, ValueKind::Single];
        list.push(Product { immediates, ..Product::new("f32.f16.f16", what, kinds) }.case());
    }
    for (types, kinds) in [("f32.bf16.bf16", [ValueKind::BFloats, ValueKind::Single]), ("s32.u8.u8", [word; 2])] {
        list.push(Product { adds: false, ..Product::new(types, "fresh", kinds) }.case());
    }
    list
}

/// Products with a sparse A.
fn sparse() -> Vec<Case> {
    let word = ValueKind::Int(32);
    let mut list = Vec::new();
    for (types, what, kinds) in [
        ("f32.f16.f16", "tame", [ValueKind::TameHalves, ValueKind::Tame]),
        ("f32.f16.f16", "any", [ValueKind::Halves, ValueKind::Single]),
        ("f16.f16.f16", "tame", [ValueKind::TameHalves; 2]),
        ("f32.bf16.bf16", "tame", [ValueKind::TameBFloats, ValueKind::Tame]),
        ("f32.tf32.tf32", "tame", [ValueKind::Tame; 2]),
        ("f32.tf32.tf32", "any", [ValueKind::Single; 2]),
        ("f32.e4m3.e4m3", "tame", [word, ValueKind::Tame]),
        ("f32.e5m2.e4m3", "any", [word, ValueKind::Single]),
        ("f16.e5m2.e5m2", "any", [word, ValueKind::Halves]),
        ("s32.s8.u8", "any", [word; 2]),
        ("s32.u8.u8", "any", [word; 2]),
    ] {
        let factor = types.split('.').nth(1);
        let (quarter, wide) = (!matches!(factor, Some("f16" | "bf16" | "tf32")), factor == Some("tf32"));
        for (places, make) in [("ends", ENDS), ("others", OTHERS)] {
            if wide && places == "others" {
                continue;
            }
            for selector in 0..if quarter { 1 } else { 2 } {
                for registers in [false, true] {
                    let source = if registers { "A in registers" } else { "A in memory" };
                    let what = format!("{what}, {places}, selector {selector}, {source}");
                    let mut product = Product::new(types, &what, kinds);
                    if registers && product.immediates.len() > 6 {
                        product.immediates = ", 1, 1, 0";
                    }
                    list.push(Product { registers, kept: Some((make, selector)), ..product }.case());
                }
            }
        }
    }
    for (which, immediates) in [", 1, 1, 1, 0", ", 1, 1, 0, 1"].iter().enumerate() {
        let what = format!("sparse, transposition {}", which + 1);
        let product = Product::new("f32.f16.f16", &what, [ValueKind::WholeHalves, ValueKind::Whole]);
        list.push(Product { immediates, kept: Some((ENDS, 0)), ..product }.case());
    }
    for (mode, width) in [(1u64, 128u64), (2, 64)] {
        let swizzled = ((16 * width) >> 4) << 16 | ((8 * width) >> 4) << 32 | mode << 62;
        let product =
            Product::new("f32.f16.f16", &format!("sparse, swizzle {mode}"), [ValueKind::WholeHalves, ValueKind::Whole]);
        list.push(Product { descriptors: [swizzled; 2], kept: Some((OTHERS, 1)), ..product }.case());
    }
    list
}
