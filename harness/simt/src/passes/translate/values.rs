//! The values of operands: registers, constants, parameters and addresses.

use super::Translation;
use crate::engine::traffic::request::LOCAL_WINDOW;
use crate::engine::warp::program::{Origin, Source};
use crate::finding::Space;
use crate::instr::context::{self, Context, width};
use crate::instr::system::clock;
use crate::passes::error::{invalid, unsupported};
use crate::passes::facts::trace_origins::{AddressOrigin, of_address};
use crate::passes::ir::{OperandSlot, Result};
use ptx::ast::{Base, Inst, Operand, RegId, Special, Type};
use ptx::opcode::Opcode;

impl Translation<'_, '_> {
    /// Returns a register, which must have the given width.
    pub(super) fn reg(&mut self, reg: RegId, want: u32) -> Result<OperandSlot> {
        let have = self.registers.width_of(reg);
        if have != want {
            let name = &self.own.body.regs[reg.0 as usize].name;
            return Err(invalid(
                format!("`{name}` is a register of {}, but one of {} is needed", width_name(have), width_name(want)),
                self.place(),
            ));
        }
        Ok(self.alias(reg).unwrap_or(OperandSlot::Reg(reg.0)))
    }

    /// Returns the constant or parameter that a register always stands for, if there is one.
    fn alias(&mut self, reg: RegId) -> Option<OperandSlot> {
        let at = (*self.facts.sources.get(reg.0 as usize)?)?;
        if let Some(known) = self.registers.known.get(&at) {
            return *known;
        }
        let found = self.constant(&self.own.body.code[at as usize]);
        self.registers.known.insert(at, found);
        found
    }

    /// Returns the constant or parameter that an instruction copies to a register.
    fn constant(&mut self, inst: &Inst) -> Option<OperandSlot> {
        let [Operand::Reg(to), source] = inst.operands.as_slice() else {
            return None;
        };
        let width = self.registers.width_of(*to);
        match source {
            Operand::Mem(Base::Sym(name), offset) if inst.opcode == Opcode::Ld => {
                let (1, ty) = inst.element()? else {
                    return None;
                };
                if self.own.function.entry {
                    return self.kernel_param(name, *offset, ty, width);
                }
                // The callee's own parameters do not change while it runs, but the results of a call do.
                if !self.own.function.params.iter().any(|p| p.name == *name) {
                    return None;
                }
                let slot = self.plan.slots.number_of(self.own.index, name)?;
                let pieces = self.pieces(slot).iter();
                let (.., register) = pieces.copied().find(|p| i64::from(p.0) == *offset && p.1 == ty.size())?;
                Some(register)
            }
            _ if inst.opcode == Opcode::Ld => None,
            Operand::Int(_) | Operand::F32(_) | Operand::F64(_) => {
                let ty = inst.element()?.1;
                (context::width(ty) == width).then(|| self.literal(source, ty))?
            }
            Operand::Special(s) if !clock::changes(*s) && width >= 4 => {
                Some(self.tables.pools.constant(Source::Special(*s), width))
            }
            // A variable in a frame has another address in each activation.
            Operand::Sym(name, _) if self.framed(name).is_some() => None,
            Operand::Sym(name, offset) if width == 8 => self.address_of(name, *offset),
            _ => None,
        }
    }

    /// Returns a kernel parameter as a constant register.
    pub(super) fn kernel_param(&mut self, name: &str, offset: i64, ty: Type, width: u32) -> Option<OperandSlot> {
        let base = *self.plan.params.get(name)?;
        let offset = u32::try_from(i64::from(base) + offset).ok()?;
        let signed = matches!(ty, Type::S8 | Type::S16 | Type::S32);
        if ty.size() > 8 || width < ty.size().max(2) {
            return None;
        }
        let signed = signed && width > ty.size();
        let size = ty.size();
        let source = Source::Param { offset, size, signed };
        Some(self.tables.pools.constant(source, width))
    }

    /// Returns a literal as a constant of that type.
    fn literal(&mut self, operand: &Operand, ty: Type) -> Option<OperandSlot> {
        let bits = match (operand, ty) {
            (Operand::Int(_), Type::F32 | Type::F64) => return None,
            (Operand::Int(v), _) => *v as u64,
            (Operand::F32(bits), Type::F64) => f64::from(f32::from_bits(*bits)).to_bits(),
            (Operand::F32(bits), _) => u64::from(*bits),
            (Operand::F64(bits), Type::F32) => u64::from((f64::from_bits(*bits) as f32).to_bits()),
            (Operand::F64(bits), _) => *bits,
            _ => return None,
        };
        Some(self.tables.pools.bits(bits, width(ty)))
    }

    /// Returns the address of a variable or function in its own space; for a function, the value of a pointer to it.
    pub(super) fn address_of(&mut self, name: &str, offset: i64) -> Option<OperandSlot> {
        if let Some((at, generic)) = self.framed(name) {
            let window = if generic { LOCAL_WINDOW } else { 0 };
            return self.in_frame(window.wrapping_add((i64::from(at) + offset) as u64));
        }
        let local = self.own.body.vars.iter().any(|v| v.name == name);
        if let Some(slot) = self.plan.slots.slot(self.own.index, name) {
            let at = i64::from(slot.memory?) + offset;
            let address = LOCAL_WINDOW.wrapping_add(at as u64);
            return Some(self.tables.pools.bits(address, 8));
        }
        if self.own.function.entry && self.plan.params.contains_key(name) {
            let at = i64::from(self.plan.params[name]) + offset;
            let at = u32::try_from(at).ok()?;
            return Some(self.tables.pools.constant(Source::ParamAddress(at), 8));
        }
        let source = self.plan.symbol(local.then_some(self.own.index), name, offset)?;
        Some(self.tables.pools.constant(source, 8))
    }

    /// Returns the address of a variable in shared or local memory, which fits in 32 bits.
    fn offset_of(&mut self, name: &str, offset: i64) -> Option<OperandSlot> {
        if let Some((at, false)) = self.framed(name) {
            let wide = self.in_frame((i64::from(at) + offset) as u64)?;
            let narrow = self.registers.temp(4);
            let cx: &mut dyn Context = self;
            let inst = cx.compute("cvt.u32.u64", narrow, &[wide]).ok()?;
            self.prepare(inst);
            return Some(narrow);
        }
        let local = self.own.body.vars.iter().any(|v| v.name == name);
        match self.plan.symbol(local.then_some(self.own.index), name, offset)? {
            Source::Bits(at) if at >> 32 != 0 => None,
            source => Some(self.tables.pools.constant(source, 4)),
        }
    }

    /// Returns an operand as a source of a type.
    pub(super) fn source(&mut self, operand: &Operand, ty: Type) -> Result<OperandSlot> {
        let want = width(ty);
        match operand {
            Operand::Reg(r) => self.reg(*r, want),
            Operand::NotReg(r) => {
                let pred = self.reg(*r, 0)?;
                let to = self.registers.temp(0);
                let cx: &mut dyn Context = self;
                let inst = cx.compute("not.pred", to, &[pred])?;
                self.prepare(inst);
                Ok(to)
            }
            Operand::Special(s) => self.special(*s, want),
            Operand::Sym(name, offset) if want == 8 => {
                let found = self.address_of(name, *offset);
                found.ok_or_else(|| unsupported(format!("the address of `{name}` here"), self.place()))
            }
            Operand::Sym(name, offset) if want == 4 => {
                let found = self.offset_of(name, *offset);
                found.ok_or_else(|| {
                    let what = format!("the address of `{name}` in 32 bits");
                    unsupported(what, self.place())
                })
            }
            Operand::Int(_) | Operand::F32(_) | Operand::F64(_) => {
                let found = self.literal(operand, ty);
                found.ok_or_else(|| invalid(format!("a literal that is not of type {ty:?}"), self.place()))
            }
            other => Err(invalid(
                format!("the operand `{}` in place of a value", other.display(self.own.body)),
                self.place(),
            )),
        }
    }

    fn special(&mut self, special: Special, want: u32) -> Result<OperandSlot> {
        if want == 2 {
            // Of a 32-bit register, this takes the lower half.
            let (wide, to) = (self.special(special, 4)?, self.registers.temp(2));
            let cx: &mut dyn Context = self;
            let inst = cx.compute("cvt.u16.u32", to, &[wide])?;
            self.prepare(inst);
            return Ok(to);
        }
        if want < 4 && (want, special) != (0, Special::IsExplicitCluster) {
            return Err(invalid(
                format!("the special register {special:?} as a value of {}", width_name(want)),
                self.place(),
            ));
        }
        if clock::changes(special) {
            let to = self.registers.temp(want);
            if let Some(inst) = clock::reading(special, to, want) {
                self.prepare(inst);
            }
            return Ok(to);
        }
        Ok(self.tables.pools.constant(Source::Special(special), want))
    }

    /// Returns an operand as a destination of a width.
    pub(super) fn dest(&mut self, operand: &Operand, want: u32) -> Result<OperandSlot> {
        match operand {
            Operand::Reg(r) => {
                let have = self.registers.width_of(*r);
                if have != want {
                    let name = self.own.body.regs[r.0 as usize].name.clone();
                    return Err(invalid(
                        format!(
                            "`{name}` is a register of {}, but one of {} is needed",
                            width_name(have),
                            width_name(want)
                        ),
                        self.place(),
                    ));
                }
                Ok(OperandSlot::Reg(r.0))
            }
            Operand::Discard => Ok(self.registers.temp(want)),
            other => Err(invalid(
                format!("the operand `{}` in place of a destination", other.display(self.own.body)),
                self.place(),
            )),
        }
    }

    /// Returns the origin of the address in an operand, as far as the analysis can determine it.
    pub(super) fn origin(&self, operand: &Operand) -> Origin {
        match of_address(operand, &self.facts.origins) {
            AddressOrigin::Param(name, offset) => match self.plan.params.get(name) {
                Some(&at) => Origin::Param((i64::from(at) + offset) as u32),
                None => Origin::Unknown,
            },
            AddressOrigin::Variable(name) => {
                let local = self.own.body.vars.iter().find(|v| v.name == name);
                let of_module = || self.plan.module.vars.iter().find(|v| v.name == name);
                let Some(var) = local.or_else(of_module) else {
                    return Origin::Unknown;
                };
                let owner = local.is_some().then_some(self.own.index);
                match (var.space, self.plan.symbol(owner, name, 0)) {
                    _ if var.size == 0 => Origin::Unknown,
                    (Space::Shared, Some(Source::Bits(start))) => Origin::Shared(start, start + var.size),
                    (Space::Global | Space::Const, Some(Source::Bits(start))) => {
                        Origin::Global(start, start + var.size)
                    }
                    _ => Origin::Unknown,
                }
            }
            AddressOrigin::Number | AddressOrigin::Unknown => Origin::Unknown,
        }
    }
    /// Whether a destination has an alias, so that the load into it need not be executed.
    pub(super) fn is_forwarded(&mut self, operand: &Operand) -> bool {
        match operand {
            Operand::Reg(r) => self.alias(*r).is_some(),
            _ => false,
        }
    }
}

/// Describes a register's width in words.
fn width_name(width: u32) -> String {
    match width {
        0 => "predicates".into(),
        w => format!("{} bits", w * 8),
    }
}
