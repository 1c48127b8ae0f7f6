//! Matrix instructions.

use super::function::{FnBuilder, both};
use super::ir::*;
use super::{invalid, unsupported};
use crate::exec::handler;
use crate::exec::matrix::{self, Input, Mma};
use crate::finding::{Space, What};
use crate::ptx::ast::{self, Operand, Type};

impl<'m> FnBuilder<'_, 'm> {
    /// `mma.sync` of 16 x 8 x depth on TF32, half and bfloat16 numbers.
    pub(super) fn mma(&mut self, inst: &'m ast::Inst) -> Result<()> {
        let missing = |this: &Self| unsupported(format!("`{}`", inst.op), this.at());
        let words: Vec<&str> = inst.op.split('.').skip(1).collect();
        let ["sync", "aligned", shape, "row", "col", d, a, b, c] = words.as_slice() else {
            return Err(missing(self));
        };
        let (input, depth) = match (*a, *b, *shape) {
            ("tf32", "tf32", "m16n8k4") => (Input::Tf32, 4),
            ("tf32", "tf32", "m16n8k8") => (Input::Tf32, 8),
            ("f16", "f16", "m16n8k8") => (Input::F16, 8),
            ("f16", "f16", "m16n8k16") => (Input::F16, 16),
            ("bf16", "bf16", "m16n8k8") => (Input::Bf16, 8),
            ("bf16", "bf16", "m16n8k16") => (Input::Bf16, 16),
            _ => return Err(missing(self)),
        };
        let half = |ty: &str| match ty {
            "f32" => Some(false),
            "f16" if input == Input::F16 => Some(true),
            _ => None,
        };
        let (Some(c_half), Some(d_half)) = (half(c), half(d)) else {
            return Err(missing(self));
        };
        let [na, nb, nc, nd] = matrix::registers(input, depth, c_half, d_half);
        let mut list = Vec::new();
        let wanted = [(nd, true), (na, false), (nb, false), (nc, false)];
        if inst.operands.len() != wanted.len() {
            return Err(missing(self));
        }
        for ((count, def), operand) in wanted.into_iter().zip(&inst.operands) {
            let parts = match operand {
                Operand::Vec(parts) => parts.as_slice(),
                one => std::slice::from_ref(one),
            };
            if parts.len() != count {
                return Err(invalid(
                    format!("`{}` with a fragment of {} registers", inst.op, parts.len()),
                    self.at(),
                ));
            }
            for part in parts {
                let part = if def {
                    self.dest(part, 4)?
                } else {
                    let ty = match part {
                        Operand::F32(_) | Operand::F64(_) => Type::F32,
                        _ => Type::B32,
                    };
                    self.source(part, ty)?
                };
                list.push((part, def));
            }
        }
        let mut out = Inst::new(both(handler::<Mma>(self.b.isa)), self.loc)
            .raw(B, matrix::packed(input, depth, c_half, d_half))
            .role(Role::WarpSync);
        out.list = list;
        self.emit(out)
    }

    /// `ldmatrix` of 8 x 8 halves.
    pub(super) fn ldmatrix(&mut self, inst: &'m ast::Inst) -> Result<()> {
        let words: Vec<&str> = inst.op.split('.').skip(1).collect();
        let has = |word: &str| words.contains(&word);
        let count = match (has("x1"), has("x2"), has("x4")) {
            (true, ..) => 1u32,
            (_, true, _) => 2,
            (.., true) => 4,
            _ => 0,
        };
        let known = has("m8n8") && has("b16") && has("sync") && count > 0;
        let [to, from] = inst.operands.as_slice() else {
            return Err(unsupported(format!("`{}`", inst.op), self.at()));
        };
        let parts = match to {
            Operand::Vec(parts) => parts.as_slice(),
            one => std::slice::from_ref(one),
        };
        if !known || parts.len() != count as usize {
            return Err(unsupported(format!("`{}`", inst.op), self.at()));
        }
        let (base, offset) = self.address(from)?;
        let mut out = Inst::new(both(matrix::load), self.loc)
            .use_(A, base)
            .imm(offset)
            .raw(E, count | (u32::from(has("trans")) << 8))
            .role(Role::Access(What::Read, Space::Shared, 16));
        for (part, at) in parts.iter().zip([D, D2, B, C]) {
            let part = self.dest(part, 4)?;
            out = out.def(at, part);
        }
        self.emit(out)
    }
}
