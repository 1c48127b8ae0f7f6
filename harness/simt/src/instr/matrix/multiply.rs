//! Products of matrices: `mma` and `wmma.mma`.

use super::form::{Form, fragment};
use super::fragment::{Dims, Element, Part};
use super::sum::{Term, dot};
use crate::engine::warp::program::Op;
use crate::engine::warp::{Flow, Warp};
use crate::instr::alu::soft::{self, Round};
use crate::instr::code::Role;
use crate::instr::context::{Context, Result};
use crate::instr::operands::operands;
use crate::lane::lanes;
use crate::ptx::ast;

operands! {
    /// What a product takes and gives.
    struct Product {
        /// What it works on.
        form: number(Form) in b,
        /// The registers of D, A, B and C.
        fragments: pool in imm,
    }
}

/// Lowers `mma.sync`.
pub(super) fn mma(cx: &mut dyn Context, inst: &ast::Inst) -> Result<()> {
    let (words, saturates) = words(inst);
    let ["sync", "aligned", dims, "row", "col", d, a, b, c] = words.as_slice() else {
        return Err(cx.missing(inst));
    };
    lower(cx, inst, dims, [a, b, c, d], false, saturates)
}

/// Lowers `wmma.mma`. Layouts are those that the fragments were loaded with.
pub(super) fn wmma(cx: &mut dyn Context, inst: &ast::Inst) -> Result<()> {
    let (words, saturates) = words(inst);
    let ["mma", "sync", "aligned", dims, "row" | "col", "row" | "col", types @ ..] = words.as_slice() else {
        return Err(cx.missing(inst));
    };
    let types = match types {
        [d, c] => ["f16", "f16", c, d],
        [d, a, b, c] => [*a, *b, c, d],
        _ => return Err(cx.missing(inst)),
    };
    lower(cx, inst, dims, types, true, saturates)
}

/// The modifiers in one order, without those that say how sums are rounded, and whether sums of integers saturate.
fn words(inst: &ast::Inst) -> (Vec<&str>, bool) {
    let mut words: Vec<&str> = inst.op.split('.').skip(1).collect();
    let saturates = words.contains(&"satfinite");
    let tile = inst.op.starts_with("wmma");
    words.retain(|word| *word != "satfinite" && !(tile && *word == "rn"));
    // The order of these does not matter. That of layouts and types does.
    words.sort_by_key(|word| match *word {
        "mma" => 0,
        "sync" => 1,
        "aligned" => 2,
        word if Dims::code(word).is_some() => 3,
        "row" | "col" => 4,
        _ => 5,
    });
    (words, saturates)
}

/// Lowers a product of matrices with these dimensions, whose A, B, C and D have these types.
fn lower(
    cx: &mut dyn Context,
    inst: &ast::Inst,
    dims: &str,
    types: [&str; 4],
    whole_tile: bool,
    saturates: bool,
) -> Result<()> {
    use Element::{Bf16, F16, F32, F64, S8, S32, Tf32, U8};
    let [a, b, c, d] = types.map(Element::named);
    let (Some(dims), Some(a), Some(b), Some(c), Some(d)) = (Dims::code(dims), a, b, c, d) else {
        return Err(cx.missing(inst));
    };
    let sizes = Dims::from_code(dims);
    let known = match (a, b, c, d) {
        (F16, F16, F16 | F32, F16 | F32) => sizes.k >= 8,
        (Bf16, Bf16, F32, F32) => sizes.k >= 8,
        (Tf32, Tf32, F32, F32) => sizes.k <= 8 && sizes.m == 16,
        (S8 | U8, S8 | U8, S32, S32) => sizes.k >= 16,
        (F64, F64, F64, F64) => sizes.n == 8 && sizes.m <= 16,
        _ => false,
    };
    let (tile, tf32) = (whole_tile && sizes.k == 16, a == Tf32);
    let fits = match (whole_tile, sizes.m, sizes.n) {
        // Tiles of `wmma` are larger than those of `mma`, except for doubles.
        (true, 8, 8) => a == F64,
        (true, 16, 16) => tile != tf32,
        (true, ..) => tile && sizes.m * sizes.n == 256,
        (false, 16, 8) => sizes.k < 32 || a.bits() == 8,
        (false, 8, 8) => (sizes.k == 4) == (a == F64),
        _ => false,
    };
    if !known || !fits {
        return Err(cx.missing(inst));
    }
    let form = Form { dims, types: [a, b, c, d], whole_tile, saturates };
    let counts = form.registers();
    if inst.operands.len() != 4 {
        return Err(cx.missing(inst));
    }
    let mut fragments = Vec::new();
    for (k, operand) in inst.operands.iter().enumerate() {
        let part = ([d, a, b, c][k], counts[k]);
        fragment(cx, inst, operand, part, k == 0, &mut fragments)?;
    }
    let product = Product { form, fragments };
    cx.emit(product.pack(multiply).role(Role::WarpSync))
}

/// The most registers that an instruction names.
const MOST: usize = 40;
/// The most rows, columns or depth of a tile.
const SIDE: usize = 32;
/// The bits of a tile's elements, by row and column.
type Tile = [[u64; SIDE]; SIDE];
const EMPTY: Tile = [[0; SIDE]; SIDE];

/// Executes a product.
unsafe fn multiply(warp: &mut Warp, op: &Op) -> Flow {
    if let Err(flow) = warp.gather_all(op) {
        return flow;
    }
    let Product { form, fragments } = Product::unpack(op);
    let dims = form.dims();
    let [nd, na, nb, nc] = form.registers();
    let mut list = [0u32; MOST];
    let start = fragments as usize;
    let count = nd + na + nb + nc;
    list[..count].copy_from_slice(&warp.program().lists[start..start + count]);
    let [ta, tb, tc, td] = form.types;
    let (mut a, mut b, mut c) = (EMPTY, EMPTY, EMPTY);
    let parts = [(Part::A, ta, nd, na), (Part::B, tb, nd + na, nb), (Part::C, tc, nd + na + nb, nc)];
    for (tile, (part, element, first, count)) in [&mut a, &mut b, &mut c].into_iter().zip(parts) {
        // An element that a fragment holds twice counts once.
        for register in 0..count.min(dims.distinct(part, element)) {
            // SAFETY: the lowering puts registers of the elements' size into the list.
            let values = unsafe { warp.fragment(list[first + register], element) };
            for (lane, value) in values.iter().enumerate() {
                for sub in 0..element.per_register() {
                    let (row, column) = dims.place(part, element, register, sub, lane);
                    let mask = u64::MAX >> (64 - element.bits());
                    tile[row][column] = (value >> (sub as u32 * element.bits())) & mask;
                }
            }
        }
    }
    let mut d = EMPTY;
    if td == Element::S32 {
        whole_numbers(&form, &a, &b, &c, &mut d);
    } else if td == Element::F64 {
        for row in 0..dims.m {
            for column in 0..dims.n {
                let sum = (0..dims.k).fold(f64::from_bits(c[row][column]), |sum, k| {
                    f64::from_bits(a[row][k]).mul_add(f64::from_bits(b[k][column]), sum)
                });
                d[row][column] = sum.to_bits();
            }
        }
    } else {
        let take = |tile: &Tile, element| tile.map(|row| row.map(|bits| Term::new(element, bits)));
        let (a, b, c) = (take(&a, ta), take(&b, tb), take(&c, tc));
        for row in 0..dims.m {
            for column in 0..dims.n {
                let pairs = |from: usize, to: usize| (from..to).map(|k| (a[row][k], b[k][column]));
                // A tile of tf32 is computed in two steps.
                let (mut first, mut sum) = (0, c[row][column]);
                if form.whole_tile && ta == Element::Tf32 {
                    first = dims.k / 2;
                    sum = Term::new(td, dot(&pairs(0, first), sum, td));
                }
                let pairs = pairs(first, dims.k);
                // With an accumulator of f32 and a result of f16, the sum is one of f32, which is then converted.
                d[row][column] = if tc == Element::F32 && td == Element::F16 {
                    let sum = dot(&pairs, sum, tc);
                    soft::convert(soft::F32, soft::F16, Round::Nearest, sum).unwrap_or(0x7fff)
                } else {
                    dot(&pairs, sum, td)
                };
            }
        }
    }
    let mask = warp.mask();
    for register in 0..nd {
        for lane in lanes(mask) {
            let value = (0..td.per_register()).fold(0, |value, sub| {
                let (row, column) = dims.place(Part::C, td, register, sub, lane);
                value | (d[row][column] << (sub as u32 * td.bits()))
            });
            // SAFETY: as above.
            unsafe { warp.set_fragment(list[register], td, lane, value) };
        }
    }
    Flow::Next
}

/// Integer products.
fn whole_numbers(form: &Form, a: &Tile, b: &Tile, c: &Tile, d: &mut Tile) {
    let dims = form.dims();
    let value = |element: Element, bits: u64| match element {
        Element::S8 => i64::from(bits as i8),
        _ => i64::from(bits as u8),
    };
    for row in 0..dims.m {
        for column in 0..dims.n {
            let products = (0..dims.k).map(|k| value(form.types[0], a[row][k]) * value(form.types[1], b[k][column]));
            let sum = products.sum::<i64>() + i64::from(c[row][column] as i32);
            let sum = if form.saturates { sum.clamp(i32::MIN.into(), i32::MAX.into()) } else { sum };
            d[row][column] = u64::from(sum as u32);
        }
    }
}
