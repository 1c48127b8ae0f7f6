//! Matrix products: `mma` and `wmma.mma`.

use super::form::{MatrixForm, fragment};
use super::fragment::{Dims, Element, MatrixRole};
use super::sparse_selection::SparseSelection;
use super::sum::{Term, dot};
use crate::engine::warp::program::Op;
use crate::engine::warp::{Flow, Warp};
use crate::instr::alu::soft::{self, Round};
use crate::instr::code::Role;
use crate::instr::context::{Context, Result};
use crate::instr::operands::operands;
use crate::lane::{F16, LANES, lanes};
use ptx::ast::{self, Operand, Type};
use ptx::opcode::Opcode;

operands! {
    /// Operands of a product.
    struct Product {
        /// Its shape and types.
        form: number(MatrixForm) in b,
        /// The registers of D, A, B and C.
        fragments: pool in imm,
    }
}

/// Lowers `mma.sync`.
pub(super) fn mma(cx: &mut dyn Context, inst: &ast::Inst) -> Result<()> {
    let (words, how) = words(inst);
    let (sparse, words) = match words.as_slice() {
        ["sp" | "sp::ordered_metadata", rest @ ..] => (true, rest),
        all => (false, all),
    };
    let ["sync", "aligned", dims, "row", "col", d, a, b, c] = words else {
        return Err(cx.missing(inst));
    };
    lower(cx, inst, dims, [a, b, c, d], MultiplyModifiers { sparse, ..how })
}

/// Lowers `wmma.mma`. The layouts are those with which the fragments were loaded.
pub(super) fn wmma(cx: &mut dyn Context, inst: &ast::Inst) -> Result<()> {
    let (words, how) = words(inst);
    let ["sync", "aligned", dims, "row" | "col", "row" | "col", types @ ..] = words.as_slice() else {
        return Err(cx.missing(inst));
    };
    let types = match types {
        [d, c] => ["f16", "f16", c, d],
        [d, a, b, c] => [*a, *b, c, d],
        _ => return Err(cx.missing(inst)),
    };
    lower(cx, inst, dims, types, MultiplyModifiers { whole_tile: true, ..how })
}

/// What the modifiers specify besides dimensions and types.
#[derive(Clone, Copy, Default)]
struct MultiplyModifiers {
    /// Whether it is `wmma`.
    whole_tile: bool,
    /// Whether sums of integers saturate.
    saturates: bool,
    /// How bits are combined: whether differing bits count, or else common ones; `None` if the elements are not single
    /// bits.
    bits: Option<bool>,
    /// Whether half of the first factor is kept.
    sparse: bool,
}

/// Returns the modifiers in a fixed order, without those for the rounding of sums, and what else they specify.
fn words(inst: &ast::Inst) -> (Vec<&str>, MultiplyModifiers) {
    let mut words: Vec<&str> = inst.words().collect();
    let has = |word: &str| words.contains(&word);
    let bits = (has("popc") && has("xor") != has("and")).then(|| has("xor"));
    let how = MultiplyModifiers { saturates: has("satfinite"), bits, ..MultiplyModifiers::default() };
    let tile = inst.opcode == Opcode::WmmaMma;
    let of_bits = |word: &str| bits.is_some() && matches!(word, "popc" | "xor" | "and");
    words.retain(|word| *word != "satfinite" && !(tile && *word == "rn") && !of_bits(word));
    // The order of these modifiers is arbitrary; that of layouts and types is not.
    words.sort_by_key(|word| match *word {
        "sp" | "sp::ordered_metadata" => 0,
        "sync" => 1,
        "aligned" => 2,
        word if Dims::code(word).is_some() => 3,
        "row" | "col" => 4,
        _ => 5,
    });
    (words, how)
}

/// Whether a product with these types of A, B, C and D exists.
fn is_known(sizes: Dims, types: [Element; 4], how: MultiplyModifiers) -> bool {
    use Element::{B1, Bf16, E4m3, E5m2, F16, F32, F64, S4, S8, S32, Tf32, U4, U8};
    let (a, Dims { m, n, k }) = (types[0], sizes);
    let known = match types {
        [F16, F16, F16 | F32, F16 | F32] => k >= 8,
        [Bf16, Bf16, F32, F32] => k >= 8,
        [Tf32, Tf32, F32, F32] => (k <= 8 || how.sparse) && m == 16,
        [S8 | U8, S8 | U8, S32, S32] => matches!(k, 16 | 32) || how.sparse,
        [E4m3 | E5m2, E4m3 | E5m2, F32, F32] | [E4m3 | E5m2, E4m3 | E5m2, F16, F16] => {
            !how.whole_tile && m == 16 && (how.sparse || matches!(k, 16 | 32))
        }
        [F64, F64, F64, F64] => n == 8 && m <= 16,
        [S4 | U4, S4 | U4, S32, S32] if how.sparse => matches!(k, 64 | 128),
        [S4 | U4, S4 | U4, S32, S32] => return is_small(sizes, [32, 64], how.whole_tile),
        [B1, B1, S32, S32] => {
            return !how.sparse && how.bits.is_some() && is_small(sizes, [128, 256], how.whole_tile);
        }
        _ => false,
    };
    if how.sparse {
        let deep = match a {
            E4m3 | E5m2 => k == 64 && types[3] == F32,
            S8 | U8 => matches!(k, 32 | 64),
            S4 | U4 => true,
            Tf32 => matches!(k, 8 | 16),
            _ => a.bits() == 16 && matches!(k, 16 | 32),
        };
        return known && (m, n) == (16, 8) && deep;
    }
    let (tile, tf32) = (how.whole_tile && k == 16, a == Tf32);
    let fits = match (how.whole_tile, m, n) {
        // Tiles of `wmma` are larger than those of `mma`, except for doubles.
        (true, 8, 8) => a == F64,
        (true, 16, 16) => tile != tf32,
        (true, ..) => tile && m * n == 256,
        (false, 16, 8) => k < 32 || a.bits() == 8,
        (false, 8, 8) => (k == 4) == (a == F64) && k <= 16,
        _ => false,
    };
    known && fits
}

/// Whether products of elements of less than a byte have these dimensions, with either of the two depths.
fn is_small(sizes: Dims, depths: [usize; 2], whole_tile: bool) -> bool {
    match (sizes.m, sizes.n) {
        (8, 8) => sizes.k == depths[0],
        (16, 8) => !whole_tile && depths.contains(&sizes.k),
        _ => false,
    }
}

/// Lowers a matrix product with these dimensions, whose A, B, C and D have these types.
fn lower(cx: &mut dyn Context, inst: &ast::Inst, dims: &str, types: [&str; 4], how: MultiplyModifiers) -> Result<()> {
    let [a, b, c, d] = types.map(Element::named);
    let (Some(dims), Some(a), Some(b), Some(c), Some(d)) = (Dims::code(dims), a, b, c, d) else {
        return Err(cx.missing(inst));
    };
    if !is_known(Dims::from_code(dims), [a, b, c, d], how) || how.bits.is_some() != (a == Element::B1) {
        return Err(cx.missing(inst));
    }
    let [a, b] = if how.sparse { [a, b].map(Element::in_sparse) } else { [a, b] };
    let (operands, metadata) = match (inst.operands.as_slice(), how.sparse) {
        ([operands @ .., words, Operand::Int(selector)], true) => {
            (operands, Some((words, SparseSelection { selector: *selector as u32 & 3 })))
        }
        (operands, false) => (operands, None),
        _ => return Err(cx.missing(inst)),
    };
    if operands.len() != 4 {
        return Err(cx.missing(inst));
    }
    let form = MatrixForm {
        dims,
        types: [a, b, c, d],
        whole_tile: how.whole_tile,
        saturates: how.saturates,
        differing: how.bits == Some(true),
        kept: metadata.map(|(_, kept)| kept),
    };
    let counts = form.registers();
    let mut fragments = Vec::new();
    for (k, operand) in operands.iter().enumerate() {
        let part = ([d, a, b, c][k], counts[k]);
        fragment(cx, inst, operand, part, k == 0, &mut fragments)?;
    }
    if let Some((words, _)) = metadata {
        fragments.push((cx.source(words, Type::B32)?, false));
    }
    let product = Product { form, fragments };
    cx.emit(product.pack(multiply).role(Role::WarpSync))
}

/// The maximum number of registers of an instruction.
const MOST: usize = 40;
/// The maximum number of rows or columns of a tile, and of numbers in a row of the first factor.
const SIDE: usize = 32;
/// The maximum number of rows of the second factor; a sparse first factor uses half of them.
const DEEP: usize = 64;
/// The bits of a tile's elements, by row and column.
type Tile<const ROWS: usize = SIDE> = [[u64; SIDE]; ROWS];
const EMPTY: Tile = [[0; SIDE]; SIDE];

/// Executes a matrix product.
unsafe fn multiply(warp: &mut Warp, op: &Op) -> Flow {
    if let Err(flow) = warp.gather_all(op) {
        return flow;
    }
    let Product { form, fragments } = Product::unpack(op);
    let dims = form.dims();
    let [nd, na, nb, nc] = form.registers();
    let mut list = [0u32; MOST];
    let start = fragments as usize;
    let count = nd + na + nb + nc + usize::from(form.kept.is_some());
    list[..count].copy_from_slice(&warp.program().lists[start..start + count]);
    let [ta, tb, tc, td] = form.types;
    let (mut a, mut b, mut c): (Tile, Tile<DEEP>, Tile) = (EMPTY, [[0; SIDE]; DEEP], EMPTY);
    let parts = [(MatrixRole::A, ta, nd, na), (MatrixRole::B, tb, nd + na, nb), (MatrixRole::C, tc, nd + na + nb, nc)];
    let tiles: [&mut [[u64; SIDE]]; 3] = [&mut a, &mut b, &mut c];
    for (tile, (part, element, first, count)) in tiles.into_iter().zip(parts) {
        // Elements that a fragment holds twice count once.
        let dims = if part == MatrixRole::A { form.first() } else { dims };
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
    // SAFETY: as above: the words of metadata follow the fragments.
    let words = form.kept.map(|_| unsafe { warp.fragment(list[count - 1], Element::S32) });
    let rows = Rows { form, words };
    let mut d = EMPTY;
    if td == Element::S32 {
        whole_numbers(&rows, &a, &b, &c, &mut d);
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
        let a = terms(&a[..dims.m], ta);
        let b = terms(&b[..dims.k], tb);
        for row in 0..dims.m {
            let from = rows.from(row);
            for column in 0..dims.n {
                let pair = |k: usize| (a[row][k], b[from[k]][column]);
                d[row][column] = number(&form, pair, c[row][column]);
            }
        }
    }
    let mask = warp.mask();
    for register in 0..nd {
        for lane in lanes(mask) {
            let value = (0..td.per_register()).fold(0, |value, sub| {
                let (row, column) = dims.place(MatrixRole::C, td, register, sub, lane);
                value | (d[row][column] << (sub as u32 * td.bits()))
            });
            // SAFETY: as above.
            unsafe { warp.set_fragment(list[register], td, lane, value) };
        }
    }
    Flow::Next
}

/// Unpacks the numbers of a tile.
fn terms(tile: &[[u64; SIDE]], element: Element) -> Vec<[Term; SIDE]> {
    tile.iter().map(|row| row.map(|bits| Term::new(element, bits))).collect()
}

/// Returns a number of the result: the accumulator plus the products of these pairs, one for each number in a row of
/// the first factor.
fn number(form: &MatrixForm, pair: impl Fn(usize) -> (Term, Term) + Copy, accumulator: u64) -> u64 {
    let [ta, _, tc, td] = form.types;
    let all = form.first().k;
    let c = Term::new(tc, accumulator);
    if ta.is_quarter() {
        // Two steps in f16, each of two of every four neighbours; the accumulator is added at the end (ptxas 13.0 for
        // sm_90: HMMA, HMMA, FADD or HADD2).
        let step = |which: usize, sum| dot(&(0..all).filter(move |k| k / 2 % 2 == which).map(pair), sum, td);
        let sum = step(1, Term::new(td, step(0, Term::ZERO)));
        return sum_of_two(td, accumulator, sum);
    }
    let pairs = |first: usize, end: usize| (first..end).map(pair);
    if form.whole_tile && ta == Element::Tf32 {
        // A tile of tf32 is computed in two steps.
        let half = form.dims().k / 2;
        let sum = Term::new(td, dot(&pairs(0, half), c, td));
        return dot(&pairs(half, all), sum, td);
    }
    // With an f32 accumulator and an f16 result, the sum is an f32 sum, which is then converted.
    if tc == Element::F32 && td == Element::F16 {
        let sum = dot(&pairs(0, all), c, tc);
        return soft::convert(soft::F32, soft::F16, Round::Nearest, sum).unwrap_or(0x7fff);
    }
    dot(&pairs(0, all), c, td)
}

/// Returns the sum of two f32 or f16, rounded to nearest.
fn sum_of_two(element: Element, a: u64, b: u64) -> u64 {
    let [a, b] = [a, b].map(|bits| match element {
        Element::F16 => F16(bits as u16).to_f32(),
        _ => f32::from_bits(bits as u32),
    });
    match (element, a + b) {
        (Element::F16, sum) if sum.is_nan() => 0x7fff,
        // An f32 has twice the bits of an f16 plus two, so rounding twice changes nothing.
        (Element::F16, sum) => F16::nearest_of_double(sum.into()).0.into(),
        (_, sum) if sum.is_nan() => 0x7fff_ffff,
        (_, sum) => sum.to_bits().into(),
    }
}

/// Maps the numbers of a row of A to the rows of B.
struct Rows {
    form: MatrixForm,
    /// The words of metadata of all lanes.
    words: Option<[u64; LANES]>,
}

impl Rows {
    /// Returns the row of B for each kept number of a row of A.
    fn from(&self, row: usize) -> [usize; SIDE] {
        let (Some(kept), Some(words)) = (self.form.kept, self.words) else {
            return std::array::from_fn(|k| k);
        };
        let element = self.form.types[0];
        kept.places(row, self.form.dims().depth(element), element.bits(), &words)
    }
}

/// Returns the product of two numbers, or the sum of the products of the numbers in two words or bytes.
fn of_whole_numbers(form: &MatrixForm, a: u64, b: u64) -> i64 {
    let value = |element: Element, bits: u64, k: usize| match element {
        Element::S8 => i64::from(bits as i8),
        Element::U8 => i64::from(bits as u8),
        Element::S4 | Element::S4Pair => i64::from(((bits >> (4 * k)) as i8) << 4 >> 4),
        _ => (bits >> (4 * k) & 15) as i64,
    };
    let [of_a, of_b, ..] = form.types;
    match of_a {
        Element::B1 => i64::from((if form.differing { a ^ b } else { a & b }).count_ones()),
        _ => (0..of_a.at_once()).map(|k| value(of_a, a, k) * value(of_b, b, k)).sum(),
    }
}

/// Computes integer products.
fn whole_numbers(rows: &Rows, a: &Tile, b: &Tile<DEEP>, c: &Tile, d: &mut Tile) {
    let form = &rows.form;
    let dims = form.dims();
    for row in 0..dims.m {
        let from = rows.from(row);
        for column in 0..dims.n {
            let depth = form.first().depth(form.types[0]);
            let products = (0..depth).map(|k| of_whole_numbers(form, a[row][k], b[from[k]][column]));
            let sum = products.sum::<i64>() + i64::from(c[row][column] as i32);
            let sum = if form.saturates { sum.clamp(i32::MIN.into(), i32::MAX.into()) } else { sum };
            d[row][column] = u64::from(sum as u32);
        }
    }
}
