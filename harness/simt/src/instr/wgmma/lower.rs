//! Decodes `wgmma.mma_async`. It rejects what the vendor's assembler rejects.

use super::factor::REGISTERS;
use super::form::{COLUMNS, Element, Sum, WgmmaForm};
use super::run::{Product, Run};
use crate::engine::warp::handler::handler;
use crate::instr::code::{OperandSlot, Role};
use crate::instr::context::{Context, Result, parts};
use crate::instr::matrix::SparseSelection;
use ptx::ast::{self, Operand, Type};

/// The types of a product and its columns, by the modifiers.
struct Named {
    factors: [Element; 2],
    sum: Sum,
    columns: usize,
    saturates: bool,
    sparse: bool,
}

/// Lowers `wgmma.mma_async`.
pub(super) fn mma_async(cx: &mut dyn Context, inst: &ast::Inst) -> Result<()> {
    let named = named(cx, inst)?;
    let mismatch = |cx: &dyn Context| cx.invalid(format!("arguments mismatch for instruction `{}`", inst.text()));
    let (sums, a, b, kept, accumulates, rest) = match (inst.operands.as_slice(), named.sparse) {
        ([sums, a, b, accumulates, rest @ ..], false) => (sums, a, b, None, accumulates, rest),
        ([sums, a, b, words, selector, accumulates, rest @ ..], true) => {
            (sums, a, b, Some((words, kept(cx, inst, selector, named.factors[0])?)), accumulates, rest)
        }
        _ => return Err(mismatch(cx)),
    };
    let registers = matches!(a, Operand::Vec(_));
    let half = matches!(named.factors[0], Element::F16 | Element::Bf16);
    let transposable = if half { 2 - usize::from(registers) } else { 0 };
    let (scales, transposed) = rest.split_at(rest.len().min(if named.factors[0].is_float() { 2 } else { 0 }));
    if transposed.len() != transposable || (scales.len() != 2 && named.factors[0].is_float()) {
        return Err(mismatch(cx));
    }
    let scales = scales.iter().map(|scale| immediate(cx, inst, scale, [1, -1])).collect::<Result<Vec<bool>>>()?;
    let transposed = transposed.iter().map(|bit| immediate(cx, inst, bit, [0, 1])).collect::<Result<Vec<bool>>>()?;
    let form = WgmmaForm {
        eights: (named.columns / 8) as u32,
        factors: named.factors,
        sum: named.sum,
        negative: [0, 1].map(|at| scales.get(at).is_some_and(|&scale| scale)),
        transposed: match transposed.as_slice() {
            [a, b] => [*a, *b],
            [b] => [false, *b],
            _ => [false; 2],
        },
        registers,
        saturates: named.saturates,
        kept: kept.map(|(_, kept)| kept),
    };
    // The written registers come first, then A and its metadata, then the accumulators as sources.
    let sums = parts(sums);
    if sums.len() != form.sums() || (registers && parts(a).len() != REGISTERS) {
        return Err(cx.invalid(format!("argument vector size mismatch for instruction `{}`", inst.text())));
    }
    let sums = sums.iter().map(|part| cx.dest(part, 4)).collect::<Result<Vec<OperandSlot>>>()?;
    let mut list: Vec<(OperandSlot, bool)> = sums.iter().map(|&sum| (sum, true)).collect();
    let descriptor = if registers {
        for part in parts(a) {
            list.push((cx.source(part, Type::B32)?, false));
        }
        None
    } else {
        Some(cx.source(a, Type::B64)?)
    };
    if let Some((words, _)) = kept {
        list.push((cx.source(words, Type::B32)?, false));
    }
    list.extend(sums.iter().map(|&sum| (sum, false)));
    let (always, accumulates) = match accumulates {
        Operand::Int(value) => (*value != 0, None),
        register => (false, Some(cx.source(register, Type::Pred)?)),
    };
    let product = Product { a: descriptor, b: cx.source(b, Type::B64)?, accumulates, always, form, registers: list };
    let run = handler::<Run>(cx.vectors());
    cx.emit(product.pack(run).role(Role::Product))
}

/// Decodes which threads hold the metadata: a pair of each four, or, where all of them are needed, all.
fn kept(cx: &dyn Context, inst: &ast::Inst, selector: &Operand, element: Element) -> Result<SparseSelection> {
    let selector = match selector {
        Operand::Int(value @ 0..=1) if element.bits() > 8 || *value == 0 => *value as u32,
        _ => return Err(cx.invalid(format!("`{}`: its threads give no such part of the metadata", inst.text()))),
    };
    Ok(SparseSelection { selector })
}

/// Decodes an immediate that is one of two values: whether it is the second.
fn immediate(cx: &dyn Context, inst: &ast::Inst, operand: &Operand, [no, yes]: [i64; 2]) -> Result<bool> {
    match operand {
        Operand::Int(value) if *value == no => Ok(false),
        Operand::Int(value) if *value == yes => Ok(true),
        Operand::Int(value) => {
            let (low, high) = (no.min(yes), no.max(yes));
            Err(cx.invalid(format!("`{}`: unexpected value '{value}', expected to be {low} or {high}", inst.text())))
        }
        _ => Err(cx.invalid(format!("arguments mismatch for instruction `{}`", inst.text()))),
    }
}

/// Decodes the modifiers, if such a product exists. Their order is arbitrary, except for the types.
fn named(cx: &dyn Context, inst: &ast::Inst) -> Result<Named> {
    let (mut types, mut shape) = (Vec::new(), None);
    let (mut saturates, mut sparse, mut operations) = (false, false, [false; 2]);
    let mut whole = [false; 2];
    for word in inst.words() {
        match word {
            "sync" => whole[0] = true,
            "aligned" => whole[1] = true,
            "satfinite" => saturates = true,
            "sp" => sparse = true,
            "and" => operations[0] = true,
            "or" | "xor" => return Err(cx.invalid(format!("incorrect operations for instruction `{}`", inst.text()))),
            "popc" => operations[1] = true,
            "f32" | "s32" => types.push(word),
            _ if Element::named(word).is_some() => types.push(word),
            _ => match columns_and_depth(word) {
                Some(found) => shape = Some(found),
                None if word.starts_with("m64n") => {
                    return Err(cx.invalid(format!("unknown modifier '.{word}' of instruction `{}`", inst.text())));
                }
                None => return Err(cx.missing(inst)),
            },
        }
    }
    let wrong = |what: &str| cx.invalid(format!("{what} for instruction `{}`", inst.text()));
    if whole != [true; 2] {
        return Err(wrong("`.sync.aligned` required"));
    }
    let Some((columns, depth)) = shape else {
        return Err(wrong("shape modifier required"));
    };
    let ([sum, a, b], types) = (<[&str; 3]>::try_from(types.as_slice()).unwrap_or([""; 3]), "unexpected types");
    let (Some(sum), Some(a), Some(b)) = (Sum::named(sum), Element::named(a), Element::named(b)) else {
        return Err(wrong(types));
    };
    let bytes = |element| matches!(element, Element::S8 | Element::U8);
    let fits = match (a, b, sum) {
        (Element::F16, Element::F16, Sum::F16 | Sum::F32)
        | (Element::Bf16, Element::Bf16, Sum::F32)
        | (Element::Tf32, Element::Tf32, Sum::F32)
        | (Element::B1, Element::B1, Sum::S32) => true,
        (_, _, Sum::F16 | Sum::F32) => a.is_fp8() && b.is_fp8(),
        (_, _, Sum::S32) => bytes(a) && bytes(b),
    };
    if !fits || (saturates && !bytes(a)) {
        return Err(wrong(types));
    }
    if operations != [a == Element::B1; 2] {
        return Err(wrong("incorrect operations"));
    }
    // Integers have fewer shapes.
    let whole_numbers = a.is_float() || columns <= 32 || columns % 16 == 0;
    let deep = if sparse { 2 } else { 1 };
    if depth != deep * 256 / a.bits() || !whole_numbers || (sparse && a == Element::B1) {
        return Err(wrong("illegal matrix shape"));
    }
    Ok(Named { factors: [a, b], sum, columns, saturates, sparse })
}

/// Returns the columns and depth of a shape.
fn columns_and_depth(word: &str) -> Option<(usize, usize)> {
    let (columns, depth) = word.strip_prefix("m64n")?.split_once('k')?;
    let (columns, depth) = (columns.parse::<usize>().ok()?, depth.parse().ok()?);
    ((8..=COLUMNS).contains(&columns) && columns.is_multiple_of(8)).then_some((columns, depth))
}
