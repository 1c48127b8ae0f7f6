//! Matrix instructions.

use super::function::{FnBuilder, both};
use super::ir::*;
use super::{invalid, unsupported};
use crate::exec::fragment::{Element, Part, Shape};
use crate::exec::load_store;
use crate::exec::matrix::{self, Form};
use crate::finding::{Space, What};
use crate::ptx::ast::{self, Operand, Type};

impl<'m> FnBuilder<'_, 'm> {
    fn no_matrix(&self, inst: &ast::Inst) -> LoadError {
        unsupported(format!("`{}`", inst.op), self.at())
    }

    /// `mma.sync`.
    pub(super) fn mma(&mut self, inst: &'m ast::Inst) -> Result<()> {
        let words: Vec<&str> = inst.op.split('.').skip(1).collect();
        let (words, saturates) = without(&words, "satfinite");
        let ["sync", "aligned", shape, "row", "col", d, a, b, c] = words.as_slice() else {
            return Err(self.no_matrix(inst));
        };
        self.multiply(inst, shape, [a, b, c, d], false, saturates)
    }

    /// `wmma.load`, `wmma.store` and `wmma.mma`.
    pub(super) fn wmma(&mut self, inst: &'m ast::Inst) -> Result<()> {
        let words: Vec<&str> = inst.op.split('.').skip(1).collect();
        let (words, saturates) = without(&words, "satfinite");
        let (words, _) = without(&words, "rn");
        match words.as_slice() {
            // Layouts are those that the fragments were loaded with.
            [
                "mma",
                "sync",
                "aligned",
                "row" | "col",
                "row" | "col",
                shape,
                types @ ..,
            ] => {
                let types = match types {
                    [d, c] => ["f16", "f16", c, d],
                    [d, a, b, c] => [*a, *b, c, d],
                    _ => return Err(self.no_matrix(inst)),
                };
                self.multiply(inst, shape, types, true, saturates)
            }
            ["load", part, "sync", "aligned", rest @ ..] => self.tile(inst, part, rest, false),
            ["store", "d", "sync", "aligned", rest @ ..] => self.tile(inst, "c", rest, true),
            _ => Err(self.no_matrix(inst)),
        }
    }

    fn multiply(
        &mut self,
        inst: &'m ast::Inst,
        shape: &str,
        types: [&str; 4],
        whole_tile: bool,
        saturates: bool,
    ) -> Result<()> {
        use Element::{Bf16, F16, F32, F64, S8, S32, Tf32, U8};
        let [a, b, c, d] = types.map(Element::named);
        let (Some(shape), Some(a), Some(b), Some(c), Some(d)) = (Shape::code(shape), a, b, c, d)
        else {
            return Err(self.no_matrix(inst));
        };
        let sizes = Shape::from_code(shape);
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
            // Tiles of `wmma` are larger than those of `mma`, but for doubles.
            (true, 8, 8) => a == F64,
            (true, 16, 16) => tile != tf32,
            (true, ..) => tile && sizes.m * sizes.n == 256,
            (false, 16, 8) => sizes.k < 32 || a.bits() == 8,
            (false, 8, 8) => (sizes.k == 4) == (a == F64),
            _ => false,
        };
        if !known || !fits {
            return Err(self.no_matrix(inst));
        }
        let form = Form {
            shape,
            types: [a, b, c, d],
            whole_tile,
            saturates,
        };
        let counts = form.registers();
        if inst.operands.len() != 4 {
            return Err(self.no_matrix(inst));
        }
        let mut list = Vec::new();
        for (k, operand) in inst.operands.iter().enumerate() {
            let element = [d, a, b, c][k];
            self.fragment(inst, operand, element, counts[k], k == 0, &mut list)?;
        }
        let mut out = Inst::new(both(matrix::multiply), self.loc)
            .raw(B, form.pack())
            .role(Role::WarpSync);
        out.list = list;
        self.emit(out)
    }

    /// Adds a fragment's registers to a list.
    fn fragment(
        &mut self,
        inst: &ast::Inst,
        operand: &Operand,
        element: Element,
        count: usize,
        def: bool,
        list: &mut Vec<(Opnd, bool)>,
    ) -> Result<()> {
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
        let wide = element.register() == 8;
        for part in parts {
            let part = if def {
                self.dest(part, element.register())?
            } else {
                let number = matches!(part, Operand::F32(_) | Operand::F64(_));
                self.source(
                    part,
                    match (wide, number) {
                        (false, true) => Type::F32,
                        (false, false) => Type::B32,
                        (true, true) => Type::F64,
                        (true, false) => Type::B64,
                    },
                )?
            };
            list.push((part, def));
        }
        Ok(())
    }

    /// A load or store of a tile.
    fn tile(&mut self, inst: &'m ast::Inst, part: &str, words: &[&str], store: bool) -> Result<()> {
        let mut space = Space::Generic;
        let (mut shape, mut element, mut columns) = (None, None, false);
        for word in words {
            match *word {
                "row" => {}
                "col" => columns = true,
                "global" => space = Space::Global,
                "shared" | "shared::cta" => space = Space::Shared,
                word => {
                    shape = shape.or(Shape::code(word));
                    element = element.or(Element::named(word));
                    if Shape::code(word).is_none() && Element::named(word).is_none() {
                        return Err(self.no_matrix(inst));
                    }
                }
            }
        }
        let at = ["a", "b", "c"].iter().position(|p| *p == part);
        let (Some(shape), Some(element), Some(at)) = (shape, element, at) else {
            return Err(self.no_matrix(inst));
        };
        let form = Form {
            shape,
            types: [element; 4],
            whole_tile: true,
            saturates: false,
        };
        let part = [Part::A, Part::B, Part::C][at];
        let sizes = Shape::from_code(shape);
        let count = sizes.registers(part, element, true);
        let (values, address, stride) = match (inst.operands.as_slice(), store) {
            ([values, address, stride @ ..], false) => (values, address, stride),
            ([address, values, stride @ ..], true) => (values, address, stride),
            _ => return Err(self.no_matrix(inst)),
        };
        let (base, offset) = self.address(address)?;
        let base = if offset == 0 {
            base
        } else {
            let sum = self.temp(8);
            let add = self.form("add.s64")?;
            let offset = self.b.pools.bits(offset, 8);
            let add = Inst::new((add.handlers)(self.b.isa), self.loc)
                .def(D, sum)
                .use_(A, base)
                .use_(B, offset);
            self.prepare(add);
            sum
        };
        let stride = match stride {
            [stride] => self.source(stride, Type::B32)?,
            _ => {
                let (rows, width) = match part {
                    Part::A => (sizes.m, sizes.k),
                    Part::B => (sizes.k, sizes.n),
                    Part::C => (sizes.m, sizes.n),
                };
                let own = if columns { rows } else { width };
                self.b.pools.bits(own as u64, 4)
            }
        };
        let mut list = Vec::new();
        self.fragment(inst, values, element, count, !store, &mut list)?;
        let mut what = at as u32 | (load_store::shape(1, space) << matrix::how::SPACE);
        if columns {
            what |= matrix::how::COLUMNS;
        }
        if store {
            what |= matrix::how::STORE;
        }
        let at_once = sizes.accesses(part, element, columns);
        let bytes = at_once.first().map_or(0, |access| access.1);
        let does = if store { What::Write } else { What::Read };
        let of = match space {
            Space::Generic => Space::Global,
            space => space,
        };
        let mut out = Inst::new(both(matrix::tile), self.loc)
            .use_(A, base)
            .use_(C, stride)
            .raw(B, form.pack())
            .raw(E, what)
            .role(Role::Tile(does, of, bytes));
        out.list = list;
        self.emit(out)?;
        if space == Space::Generic {
            let counted = Inst::new(both(matrix::counted), self.loc);
            self.prepare(counted.role(Role::Access(does, Space::Shared, bytes)));
        }
        Ok(())
    }

    /// `ldmatrix` and `stmatrix` of 8 x 8 halves.
    pub(super) fn ldmatrix(&mut self, inst: &'m ast::Inst) -> Result<()> {
        let words: Vec<&str> = inst.op.split('.').collect();
        let has = |word: &str| words.contains(&word);
        let count = match (has("x1"), has("x2"), has("x4")) {
            (true, ..) => 1u32,
            (_, true, _) => 2,
            (.., true) => 4,
            _ => 0,
        };
        let known = has("m8n8") && has("b16") && has("sync") && count > 0;
        let store = has("stmatrix");
        let (([values, address], false) | ([address, values], true)) =
            (inst.operands.as_slice(), store)
        else {
            return Err(self.no_matrix(inst));
        };
        let parts = match values {
            Operand::Vec(parts) => parts.as_slice(),
            one => std::slice::from_ref(one),
        };
        if !known || parts.len() != count as usize {
            return Err(self.no_matrix(inst));
        }
        let (base, offset) = self.address(address)?;
        let (handler, what): (crate::isa::dispatch::Handler, _) = if store {
            (matrix::store, What::Write)
        } else {
            (matrix::load, What::Read)
        };
        let mut out = Inst::new(both(handler), self.loc)
            .use_(A, base)
            .imm(offset)
            .raw(E, count | (u32::from(has("trans")) << 8))
            .role(Role::Access(what, Space::Shared, 16));
        for (part, at) in parts.iter().zip([D, D2, B, C]) {
            out = if store {
                let part = self.source(part, Type::B32)?;
                out.use_(at, part)
            } else {
                let part = self.dest(part, 4)?;
                out.def(at, part)
            };
        }
        self.emit(out)
    }

    /// `movmatrix`.
    pub(super) fn movmatrix(&mut self, inst: &'m ast::Inst) -> Result<()> {
        let [to, from] = inst.operands.as_slice() else {
            return Err(self.no_matrix(inst));
        };
        if inst.op != "movmatrix.sync.aligned.m8n8.trans.b16" {
            return Err(self.no_matrix(inst));
        }
        let from = self.source(from, Type::B32)?;
        let to = self.dest(to, 4)?;
        let out = Inst::new(both(matrix::transpose), self.loc)
            .def(D, to)
            .use_(A, from)
            .role(Role::WarpSync);
        self.emit(out)
    }
}

/// A list without a word, and whether it was there.
fn without<'w>(words: &[&'w str], word: &str) -> (Vec<&'w str>, bool) {
    let rest: Vec<&str> = words.iter().copied().filter(|w| *w != word).collect();
    let found = rest.len() != words.len();
    (rest, found)
}
