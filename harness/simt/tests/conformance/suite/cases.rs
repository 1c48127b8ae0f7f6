//! Cases of the table of forms: every spelling of every row.

use super::values::ValueKind;
use super::{Case, Source};
use ptx::ast::Type;
use simt::instr::alu::{self, AluForm, Imm};

/// Truth tables of `lop3` that are tested one by one; another case covers all 256.
const TABLES: [u32; 8] = [0x00, 0xff, 0xe8, 0x96, 0xca, 0x80, 0x1e, 0x71];

/// Returns a case for every spelling, and several for those with an immediate.
pub fn all() -> Vec<Case> {
    let mut list = Vec::new();
    for form in alu::all_forms() {
        for name in &form.names {
            if form.imm == Imm::Operand {
                list.extend(TABLES.map(|table| case(form, name, Some(table))));
            } else if !name.starts_with("unpack.") {
                list.push(case(form, name, None));
            }
        }
    }
    list.extend(parts());
    list.push(every_table());
    list
}

/// Returns the kind of an operand, from its type and the instruction.
fn kind(form: &AluForm, name: &str, at: usize) -> ValueKind {
    let op = name.split('.').next().unwrap_or_default();
    let amount = matches!(
        (op, at),
        ("shl" | "shr" | "szext", 1) | ("shf", 2) | ("bfe", 1 | 2) | ("bfi", 2 | 3) | ("bmsk", 0 | 1)
    );
    if amount {
        return ValueKind::Amount;
    }
    match (op, at) {
        ("fns", 1) => return ValueKind::Below(32),
        ("fns", 2) => return ValueKind::Little,
        _ => {}
    }
    match form.src[at] {
        Type::Pred => ValueKind::Pred,
        Type::F16 => ValueKind::Half,
        Type::Bf16 => ValueKind::BFloat,
        Type::F32 => ValueKind::Single,
        Type::F64 => ValueKind::Double,
        Type::F16x2 => ValueKind::Halves,
        Type::Bf16x2 => ValueKind::BFloats,
        // A number that a selection or a move copies unchanged is treated as bits; these are the sizes of the tested
        // ones.
        ty => ValueKind::Int(ty.size() * 8),
    }
}

fn bits(ty: Type) -> u32 {
    match ty {
        Type::Pred => 0,
        ty => ty.size() * 8,
    }
}

fn case(form: &AluForm, name: &str, table: Option<u32>) -> Case {
    let (spelling, registers) = name.split_once('/').map_or((name, None), |(n, r)| (n, Some(r)));
    let mut sources: Vec<Source> =
        (0..form.src.len()).map(|at| Source { kind: kind(form, spelling, at), bits: bits(form.src[at]) }).collect();
    let mut results = vec![bits(form.dst)];
    if let Some((dst, src)) = registers.and_then(|r| r.split_once('/')) {
        results[0] = dst.parse().expect("a size");
        sources[0].bits = src.parse().expect("a size");
    }
    let count = form.src.len() - usize::from(form.carry_in);
    let mut operands: Vec<String> = (0..count).map(|k| format!("%s{k}")).collect();
    let (op, pair) = spelling.strip_suffix('|').map_or((spelling, false), |op| (op, true));
    let mut text = String::new();
    let subtracts = op.starts_with("sub");
    if form.carry_in {
        text += &format!("selp.b32 %n, 1, 0, %s{count};\n");
        text += if subtracts { "sub.cc.u32 %n, 0, %n;\n" } else { "add.cc.u32 %n, %n, 0xffffffff;\n" };
    }
    if let Some(table) = table {
        // The truth table precedes the predicate.
        let at = operands.len().min(3);
        operands.insert(at, table.to_string());
    }
    let mut op = op.to_string();
    if let Some(rest) = op.strip_prefix("pack.") {
        op = format!("mov.{}", rest.split('.').next().unwrap_or_default());
        operands = vec![format!("{{{}}}", operands.join(", "))];
    }
    let to = if pair { "%d0|%d1" } else { "%d0" };
    text += &format!("{op} {to}, {};\n", operands.join(", "));
    if form.carry_out {
        // The carry goes into a word, which is all ones after a borrow.
        text += if subtracts { "subc.u32 %d1, 0, 0;\n" } else { "addc.u32 %d1, 0, 0;\n" };
        results.push(32);
    } else if pair {
        results.push(bits(form.dst2.expect("a pair has a second result")));
    }
    let name = table.map_or(name.to_string(), |table| format!("{name} {table:#04x}"));
    Case { name, text, sources, results }
}

/// `mov` from one register into several.
fn parts() -> Vec<Case> {
    let (word, long) = (ValueKind::Int(32), ValueKind::Int(64));
    vec![
        Case::new("mov.b32 {2}", "mov.b32 {%d0, %d1}, %s0;", &[word], &[16, 16]),
        Case::new("mov.b64 {2}", "mov.b64 {%d0, %d1}, %s0;", &[long], &[32, 32]),
        Case::new("mov.b64 {4}", "mov.b64 {%d0, %d1, %d2, %d3}, %s0;", &[long], &[16, 16, 16, 16]),
        Case::new("mov.b32 {_, 1}", "mov.b32 {_, %d0}, %s0;", &[word], &[16]),
    ]
}

/// All truth tables of `lop3`, with their results combined into one.
fn every_table() -> Case {
    let mut text = String::from("mov.u32 %d0, 0;\n");
    for table in 0..256 {
        text += &format!("lop3.b32 %n, %s0, %s1, %s2, {table};\nmad.lo.u32 %d0, %d0, 31, %n;\n");
    }
    Case::new("lop3.b32 all", text, &[ValueKind::Int(32); 3], &[32])
}
