//! A function's body to basic blocks.

use super::ir::*;
use super::params::{self, Callee};
use super::program::Builder;
use super::{invalid, origin, unsupported};
use crate::exec::control;
use crate::isa::dispatch::{Handler, Handlers};
use crate::isa::{self, table::Imm};
use crate::program::Source;
use crate::ptx::ast::{self, Base, Body, Operand, RegId, Special, Type};
use smallvec::SmallVec;
use std::cell::OnceCell;
use std::collections::HashMap;

/// Both forms of an instruction that looks at the mask itself.
pub fn both(handler: Handler) -> Handlers {
    Handlers {
        full: handler,
        part: handler,
    }
}

/// Lowers one function.
pub struct FnBuilder<'b, 'm> {
    /// The program.
    pub b: &'b mut Builder<'m>,
    /// Its index in the module.
    pub index: usize,
    /// The function.
    pub f: &'m ast::Function,
    /// Its body.
    pub body: &'m Body,
    regs: Vec<u32>,
    blocks: Vec<Block>,
    /// The block that is being filled; none behind a terminator.
    current: Option<u32>,
    /// Blocks by the code that they begin with.
    starts: HashMap<u32, u32>,
    /// How often each register is written, and where last.
    defs: Vec<(u32, u32)>,
    #[expect(clippy::option_option, reason = "not asked yet, or none, or this one")]
    aliases: Vec<Option<Option<Opnd>>>,
    /// Where the addresses in each register begin.
    pub origins: Vec<origin::From<'m>>,
    /// For each instruction, those after which it may be executed; found when asked for.
    pub comes_from: OnceCell<HashMap<u32, Vec<u32>>>,
    /// Where the present instruction stands, and its guard.
    pub loc: u32,
    guard: Option<(RegId, bool)>,
    carry: Option<Opnd>,
}

/// The width of a register of this type: bytes a lane, 0 for a predicate.
pub fn width(ty: Type) -> u32 {
    match ty {
        Type::Pred => 0,
        Type::B8 | Type::U8 | Type::S8 => 2,
        other => other.size(),
    }
}

impl<'b, 'm> FnBuilder<'b, 'm> {
    /// Lowers a function with a body.
    pub fn lower(b: &'b mut Builder<'m>, index: usize, back: Option<Opnd>) -> Result<Func> {
        let f = &b.module.functions[index];
        let Some(body) = &f.body else {
            return Err(unsupported(
                format!("`{}`, a function without a body,", f.name),
                (f.name.as_str(), ast::Loc::default()),
            ));
        };
        let mut this = FnBuilder {
            b,
            index,
            f,
            body,
            regs: body.regs.iter().map(|r| width(r.ty)).collect(),
            blocks: Vec::new(),
            current: None,
            starts: HashMap::new(),
            defs: vec![(0, 0); body.regs.len()],
            aliases: vec![None; body.regs.len()],
            origins: origin::of(f, body),
            comes_from: OnceCell::new(),
            loc: 0,
            guard: None,
            carry: None,
        };
        if let Some(reg) = body.regs.iter().find(|r| r.ty == Type::B128) {
            return Err(unsupported(
                format!("the 128-bit register `{}`", reg.name),
                (f.name.as_str(), ast::Loc::default()),
            ));
        }
        this.count_defs();
        this.run()?;
        Ok(Func {
            name: f.name.clone(),
            regs: this.regs,
            blocks: this.blocks,
            back,
        })
    }

    /// Where the present instruction stands, for errors.
    pub fn at(&self) -> (&'m str, ast::Loc) {
        let loc = self
            .b
            .locs
            .get(self.loc as usize)
            .map(|l| l.0)
            .unwrap_or_default();
        (self.f.name.as_str(), loc)
    }

    /// The one instruction that writes a register, if there is one only.
    pub fn only_def(&self, reg: RegId) -> Option<&'m ast::Inst> {
        match self.defs.get(reg.0 as usize)? {
            (1, at) => self.body.code.get(*at as usize),
            _ => None,
        }
    }

    fn count_defs(&mut self) {
        fn visit(operand: &Operand, mut see: impl FnMut(RegId) + Copy) {
            match operand {
                Operand::Reg(r) => see(*r),
                Operand::Pair(a, b) => {
                    visit(a, see);
                    visit(b, see);
                }
                Operand::Vec(list) => list.iter().for_each(|o| visit(o, see)),
                _ => {}
            }
        }
        for (at, inst) in self.body.code.iter().enumerate() {
            if let Some(first) = inst.operands.first() {
                let mut found = Vec::new();
                let cell = std::cell::RefCell::new(&mut found);
                visit(first, |r| cell.borrow_mut().push(r));
                for r in found {
                    if let Some(def) = self.defs.get_mut(r.0 as usize) {
                        *def = (def.0 + 1, at as u32);
                    }
                }
            }
        }
    }

    fn run(&mut self) -> Result<()> {
        let code = &self.body.code;
        let mut targets: Vec<u32> = self.body.labels.iter().map(|(_, at)| *at).collect();
        targets.push(0);
        targets.sort_unstable();
        targets.dedup();
        for at in targets {
            let block = self.new_block();
            self.starts.insert(at, block);
        }
        for (at, inst) in code.iter().enumerate() {
            self.loc = self.b.loc(inst.loc, self.index);
            if let Some(&block) = self.starts.get(&(at as u32)) {
                self.fall(block);
            }
            if self.current.is_none() {
                // Code that no label leads to is never executed, but it is checked like the rest.
                let block = self.new_block();
                self.current = Some(block);
            }
            self.guard = inst.guard;
            self.instruction(at as u32, inst)?;
        }
        let end = code.len() as u32;
        if let Some(&block) = self.starts.get(&end) {
            self.fall(block);
        }
        // Falling off the end returns.
        if self.current.is_some() {
            let term = if self.f.entry { Term::Exit } else { Term::Ret };
            self.end(term);
        }
        Ok(())
    }

    /// A new, empty block.
    pub fn new_block(&mut self) -> u32 {
        self.blocks.push(Block::new());
        self.blocks.len() as u32 - 1
    }

    fn fall(&mut self, to: u32) {
        if self.current.is_some() {
            self.end(Term::Goto(to));
        }
        self.current = Some(to);
    }

    /// Ends the current block.
    pub fn end(&mut self, term: Term) {
        let loc = self.loc;
        if let Some(at) = self.current.take() {
            let block = &mut self.blocks[at as usize];
            block.term = term;
            block.term_loc = loc;
        }
    }

    fn block(&mut self) -> &mut Block {
        let at = match self.current {
            Some(at) => at,
            None => {
                let at = self.new_block();
                self.current = Some(at);
                at
            }
        };
        &mut self.blocks[at as usize]
    }

    /// Goes on in that block.
    pub fn enter(&mut self, block: u32) {
        self.current = Some(block);
    }

    /// Emits an instruction under the guard of the present one.
    pub fn emit(&mut self, inst: Inst) -> Result<()> {
        if let Some((reg, not)) = self.guard {
            let pred = self.reg(reg, 0)?;
            let guard = Inst::new(both(control::guard), self.loc)
                .use_(A, pred)
                .raw(B, if not { u32::MAX } else { 0 })
                .role(Role::Guard);
            self.block().insts.push(guard);
        }
        self.block().insts.push(inst);
        Ok(())
    }

    /// Emits an instruction that only prepares an operand.
    pub fn prepare(&mut self, inst: Inst) {
        self.block().insts.push(inst);
    }

    /// A new register.
    pub fn temp(&mut self, width: u32) -> Opnd {
        self.regs.push(width);
        Opnd::Reg(self.regs.len() as u32 - 1)
    }

    /// The hidden register of the carry flag.
    fn carry(&mut self) -> Opnd {
        match self.carry {
            Some(carry) => carry,
            None => {
                let carry = self.temp(0);
                self.carry = Some(carry);
                carry
            }
        }
    }

    /// The declared width of a register.
    pub fn width_of(&self, reg: RegId) -> u32 {
        self.regs.get(reg.0 as usize).copied().unwrap_or(0)
    }

    /// A register that must have a width.
    pub fn reg(&mut self, reg: RegId, want: u32) -> Result<Opnd> {
        let have = self.width_of(reg);
        if have != want {
            let name = &self.body.regs[reg.0 as usize].name;
            return Err(invalid(
                format!(
                    "`{name}` is a register of {}, where one of {} must stand",
                    width_name(have),
                    width_name(want)
                ),
                self.at(),
            ));
        }
        Ok(self.alias(reg).unwrap_or(Opnd::Reg(reg.0)))
    }

    /// The constant or parameter that a register stands for, if it is nothing else.
    fn alias(&mut self, reg: RegId) -> Option<Opnd> {
        let at = reg.0 as usize;
        if let Some(known) = self.aliases.get(at)? {
            return *known;
        }
        // Until it is known, no: a register that is defined by itself ends here.
        self.aliases[at] = Some(None);
        let found = self.find_alias(reg);
        self.aliases[at] = Some(found);
        found
    }

    fn find_alias(&mut self, reg: RegId) -> Option<Opnd> {
        let (1, at) = self.defs[reg.0 as usize] else {
            return None;
        };
        let inst = &self.body.code[at as usize];
        if inst.guard.is_some() || inst.operands.len() != 2 {
            return None;
        }
        let width = self.width_of(reg);
        if !matches!(&inst.operands[0], Operand::Reg(r) if *r == reg) {
            return None;
        }
        let source = &inst.operands[1];
        if inst.op.starts_with("ld.param") {
            let (1, ty) = params::element(&inst.op)? else {
                return None;
            };
            let Operand::Mem(Base::Sym(name), offset) = source else {
                return None;
            };
            if self.f.entry {
                return self.kernel_param(name, *offset, ty, width);
            }
            // The callee's own parameters do not change while it runs; what a call gave back does.
            if !self.f.params.iter().any(|p| p.name == *name) {
                return None;
            }
            let slot = self.b.slots.of(self.index, name)?;
            let (.., register) = slot
                .pieces
                .iter()
                .find(|p| i64::from(p.0) == *offset && p.1 == ty.size())?;
            return Some(*register);
        }
        let same = inst.op.starts_with("mov.")
            || (inst.op.starts_with("cvta.")
                && ["global", "const", "param"]
                    .iter()
                    .any(|s| inst.op.split('.').any(|w| w == *s)));
        if !same {
            return None;
        }
        match source {
            Operand::Reg(r) if self.width_of(*r) == width => self.alias(*r),
            Operand::Int(_) | Operand::F32(_) | Operand::F64(_) => {
                let ty = params::element(&inst.op)?.1;
                (self::width(ty) == width).then(|| self.literal(source, ty))?
            }
            Operand::Special(s) if !changes(*s) && width >= 4 => {
                Some(self.b.pools.constant(Source::Special(*s), width))
            }
            Operand::Sym(name, offset) if width == 8 => self.address_of(name, *offset),
            _ => None,
        }
    }

    /// A kernel parameter as a constant register.
    pub fn kernel_param(&mut self, name: &str, offset: i64, ty: Type, width: u32) -> Option<Opnd> {
        let base = *self.b.params.get(name)?;
        let offset = u32::try_from(i64::from(base) + offset).ok()?;
        let signed = matches!(ty, Type::S8 | Type::S16 | Type::S32);
        if ty.size() > 8 || width < ty.size().max(2) {
            return None;
        }
        let signed = signed && width > ty.size();
        let size = ty.size();
        let source = Source::Param {
            offset,
            size,
            signed,
        };
        Some(self.b.pools.constant(source, width))
    }

    /// A literal as a constant of that type.
    fn literal(&mut self, operand: &Operand, ty: Type) -> Option<Opnd> {
        let bits = match (operand, ty) {
            (Operand::Int(_), Type::F32 | Type::F64) => return None,
            (Operand::Int(v), _) => *v as u64,
            (Operand::F32(bits), Type::F64) => f64::from(f32::from_bits(*bits)).to_bits(),
            (Operand::F32(bits), _) => u64::from(*bits),
            (Operand::F64(bits), Type::F32) => u64::from((f64::from_bits(*bits) as f32).to_bits()),
            (Operand::F64(bits), _) => *bits,
            _ => return None,
        };
        Some(self.b.pools.bits(bits, self::width(ty)))
    }

    /// The address of a variable or function in its own space (functions: the value of a pointer to it).
    pub fn address_of(&mut self, name: &str, offset: i64) -> Option<Opnd> {
        let local = self.body.vars.iter().any(|v| v.name == name);
        if let Some(slot) = self.b.slots.of(self.index, name) {
            let at = i64::from(slot.memory?) + offset;
            let address = crate::exec::access::LOCAL_WINDOW.wrapping_add(at as u64);
            return Some(self.b.pools.bits(address, 8));
        }
        if self.f.entry && self.b.params.contains_key(name) {
            let at = i64::from(self.b.params[name]) + offset;
            let at = u32::try_from(at).ok()?;
            return Some(self.b.pools.constant(Source::ParamAddress(at), 8));
        }
        let source = self.b.symbol(local.then_some(self.index), name, offset)?;
        Some(self.b.pools.constant(source, 8))
    }

    /// The address of a variable in shared or local memory, which 32 bits hold.
    fn offset_of(&mut self, name: &str, offset: i64) -> Option<Opnd> {
        let local = self.body.vars.iter().any(|v| v.name == name);
        match self.b.symbol(local.then_some(self.index), name, offset)? {
            Source::Bits(at) if at >> 32 != 0 => None,
            source => Some(self.b.pools.constant(source, 4)),
        }
    }

    /// An operand of a type.
    pub fn source(&mut self, operand: &Operand, ty: Type) -> Result<Opnd> {
        let want = width(ty);
        match operand {
            Operand::Reg(r) => self.reg(*r, want),
            Operand::NotReg(r) => {
                let pred = self.reg(*r, 0)?;
                let to = self.temp(0);
                let form = self.form("not.pred")?;
                let inst = Inst::new((form.handlers)(self.b.isa), self.loc)
                    .def(D, to)
                    .use_(A, pred);
                self.prepare(inst);
                Ok(to)
            }
            Operand::Special(s) => self.special(*s, want),
            Operand::Sym(name, offset) if want == 8 => {
                let found = self.address_of(name, *offset);
                found.ok_or_else(|| unsupported(format!("the address of `{name}` here"), self.at()))
            }
            Operand::Sym(name, offset) if want == 4 => {
                let found = self.offset_of(name, *offset);
                found.ok_or_else(|| {
                    let what = format!("the address of `{name}` in 32 bits");
                    unsupported(what, self.at())
                })
            }
            Operand::Int(_) | Operand::F32(_) | Operand::F64(_) => {
                let found = self.literal(operand, ty);
                found.ok_or_else(|| invalid(format!("a literal that is no {ty:?}"), self.at()))
            }
            other => Err(invalid(
                format!("the operand {other:?} where a value must stand"),
                self.at(),
            )),
        }
    }

    fn special(&mut self, special: Special, want: u32) -> Result<Opnd> {
        if want < 4 {
            return Err(invalid(
                format!(
                    "the special register {special:?} as a value of {}",
                    width_name(want)
                ),
                self.at(),
            ));
        }
        if changes(special) {
            let to = self.temp(want);
            let inst = Inst::new(both(crate::exec::system::clock), self.loc)
                .def(D, to)
                .raw(B, want)
                .imm(crate::exec::system::clock_kind(special));
            self.prepare(inst);
            return Ok(to);
        }
        Ok(self.b.pools.constant(Source::Special(special), want))
    }

    /// A destination of a width.
    pub fn dest(&mut self, operand: &Operand, want: u32) -> Result<Opnd> {
        match operand {
            Operand::Reg(r) => {
                let have = self.width_of(*r);
                if have != want {
                    let name = self.body.regs[r.0 as usize].name.clone();
                    return Err(invalid(
                        format!(
                            "`{name}` is a register of {}, where one of {} must stand",
                            width_name(have),
                            width_name(want)
                        ),
                        self.at(),
                    ));
                }
                Ok(Opnd::Reg(r.0))
            }
            Operand::Discard => Ok(self.temp(want)),
            other => Err(invalid(
                format!("the operand {other:?} where a destination must stand"),
                self.at(),
            )),
        }
    }

    /// A row of the instruction table.
    pub fn form(&self, name: &str) -> Result<&'static isa::table::Form> {
        isa::table::find(name).ok_or_else(|| unsupported(format!("`{name}`"), self.at()))
    }

    /// Counts the present instruction.
    pub fn tick(&mut self) {
        let loc = self.loc;
        self.block().count(loc);
    }

    fn instruction(&mut self, at: u32, inst: &'m ast::Inst) -> Result<()> {
        self.tick();
        let base = inst.op.split('.').next().unwrap_or_default();
        match base {
            "bra" => return self.bra(at, inst),
            "cp" | "brx" | "ret" | "exit" | "call" | "bar" | "barrier" | "shfl" | "vote"
            | "match" | "redux" | "activemask" | "elect"
                if inst.guard.is_some() =>
            {
                return self.around(at, inst);
            }
            _ => {}
        }
        self.unguarded(at, inst)
    }

    /// A guarded instruction that may wait or leave: jumps over it where the guard does not hold.
    fn around(&mut self, at: u32, inst: &'m ast::Inst) -> Result<()> {
        let (do_it, after) = (self.new_block(), self.after(at));
        let Some((reg, not)) = self.guard.take() else {
            return self.unguarded(at, inst);
        };
        let pred = self.reg(reg, 0)?;
        self.end(Term::Branch {
            pred,
            not,
            yes: do_it,
            no: after,
        });
        self.enter(do_it);
        self.unguarded(at, inst)?;
        self.fall(after);
        Ok(())
    }

    /// The block of the code behind an instruction.
    pub fn after(&mut self, at: u32) -> u32 {
        if let Some(&block) = self.starts.get(&(at + 1)) {
            return block;
        }
        let block = self.new_block();
        self.starts.insert(at + 1, block);
        block
    }

    fn label(&self, operand: Option<&Operand>) -> Result<u32> {
        match operand {
            Some(Operand::Label(at)) => self
                .starts
                .get(at)
                .copied()
                .ok_or_else(|| invalid("a jump to what is no label".into(), self.at())),
            _ => Err(invalid("a branch without a label".into(), self.at())),
        }
    }

    fn bra(&mut self, at: u32, inst: &'m ast::Inst) -> Result<()> {
        let target = self.label(inst.operands.first())?;
        match self.guard.take() {
            None => self.end(Term::Goto(target)),
            Some((reg, not)) => {
                let pred = self.reg(reg, 0)?;
                let no = self.after(at);
                self.end(Term::Branch {
                    pred,
                    not,
                    yes: target,
                    no,
                });
            }
        }
        Ok(())
    }

    fn unguarded(&mut self, at: u32, inst: &'m ast::Inst) -> Result<()> {
        let base = inst.op.split('.').next().unwrap_or_default();
        match base {
            "brx" => self.brx(inst),
            "ret" if !self.f.entry => {
                self.end(Term::Ret);
                Ok(())
            }
            "ret" | "exit" => {
                self.end(Term::Exit);
                Ok(())
            }
            "call" => self.call(at, inst),
            "mov" => self.mov(inst),
            "cvta" => self.cvta(inst),
            _ => {
                if self.special_form(at, base, inst)? {
                    Ok(())
                } else {
                    self.alu(inst)
                }
            }
        }
    }

    fn brx(&mut self, inst: &'m ast::Inst) -> Result<()> {
        let [index, table] = inst.operands.as_slice() else {
            return Err(invalid(
                "brx.idx takes an index and a table".into(),
                self.at(),
            ));
        };
        let index = self.source(index, Type::U32)?;
        let Operand::Sym(name, _) = table else {
            return Err(invalid("brx.idx without a table".into(), self.at()));
        };
        let list = self.body.branch_targets.iter().find(|(n, _)| n == name);
        let Some((_, list)) = list else {
            return Err(invalid(format!("no table `{name}`"), self.at()));
        };
        let mut targets = Vec::new();
        for &at in list {
            let block = self.starts.get(&at).copied();
            let wrong = || invalid("a jump to what is no label".into(), self.at());
            targets.push(block.ok_or_else(wrong)?);
        }
        self.end(Term::Table { index, targets });
        Ok(())
    }

    fn call(&mut self, at: u32, inst: &'m ast::Inst) -> Result<()> {
        let (callee, ..) = params::callee(self.b.module, self.f, inst)?;
        match callee {
            Callee::Direct(index) => {
                let function = &self.b.module.functions[index];
                if function.body.is_none() {
                    return self.system_call(index, at);
                }
                let Some(at_program) = self.b.functions.iter().position(|&f| f == index) else {
                    return Err(invalid(
                        format!("a call to `{}`, which cannot be reached", function.name),
                        self.at(),
                    ));
                };
                let after = self.after(at);
                self.end(Term::Call(at_program, after));
            }
            Callee::Signature(_) => {
                let Some(pointer) = inst.operands.get(1) else {
                    return Err(invalid("a call without a function".into(), self.at()));
                };
                let pointer = self.source(pointer, Type::U64)?;
                let after = self.after(at);
                self.end(Term::CallPointer(pointer, after));
            }
        }
        Ok(())
    }

    fn mov(&mut self, inst: &'m ast::Inst) -> Result<()> {
        let [to, from] = inst.operands.as_slice() else {
            return Err(invalid("mov takes two operands".into(), self.at()));
        };
        match (to, from) {
            (Operand::Vec(parts), whole) => return self.unpack(parts, whole),
            (whole, Operand::Vec(parts)) => return self.pack(whole, parts),
            (Operand::Reg(r), _) if self.alias(*r).is_some() => return Ok(()),
            _ => {}
        }
        self.alu(inst)
    }

    fn pack(&mut self, whole: &Operand, parts: &[Operand]) -> Result<()> {
        use isa::select::parts as names;
        let width = match whole {
            Operand::Reg(r) => self.width_of(*r),
            _ => 0,
        };
        let name = match (width, parts.len()) {
            (4, 2) => names::PACK_2X16,
            (8, 2) => names::PACK_2X32,
            (8, 4) => names::PACK_4X16,
            _ => return Err(unsupported("a mov from such a vector", self.at())),
        };
        let form = self.form(name)?;
        let mut out = Inst::new((form.handlers)(self.b.isa), self.loc);
        for ((part, ty), at) in parts.iter().zip(&form.src).zip([A, B, C, E]) {
            let part = self.source(part, *ty)?;
            out = out.use_(at, part);
        }
        let to = self.dest(whole, width)?;
        self.emit(out.def(D, to))
    }

    fn unpack(&mut self, parts: &[Operand], whole: &Operand) -> Result<()> {
        use isa::select::parts as names;
        let width = match whole {
            Operand::Reg(r) => self.width_of(*r),
            _ if parts.len() == 4 => 8,
            _ => match parts.first() {
                Some(Operand::Reg(r)) => self.width_of(*r) * 2,
                _ => 8,
            },
        };
        let steps: &[&str] = match (width, parts.len()) {
            (4, 2) => &[names::UNPACK_2X16],
            (8, 2) => &[names::UNPACK_2X32],
            (8, 4) => &[names::UNPACK_4X16_LOW, names::UNPACK_4X16_HIGH],
            _ => return Err(unsupported("a mov to such a vector", self.at())),
        };
        let mut from = self.source(whole, if width == 4 { Type::B32 } else { Type::B64 })?;
        if steps.len() > 1 {
            // The first step may write what the second reads.
            let copy = self.temp(8);
            let form = self.form("mov.b64")?;
            let inst = Inst::new((form.handlers)(self.b.isa), self.loc)
                .def(D, copy)
                .use_(A, from);
            self.prepare(inst);
            from = copy;
        }
        for (step, pair) in steps.iter().zip(parts.chunks(2)) {
            let form = self.form(step)?;
            let d = self.dest(&pair[0], self::width(form.dst))?;
            let d2 = self.dest(&pair[1], self::width(form.dst2.unwrap_or(form.dst)))?;
            let inst = Inst::new((form.handlers)(self.b.isa), self.loc)
                .def(D, d)
                .def(D2, d2)
                .use_(A, from);
            self.emit(inst)?;
        }
        Ok(())
    }

    fn cvta(&mut self, inst: &'m ast::Inst) -> Result<()> {
        use crate::exec::access::{LOCAL_WINDOW, SHARED_WINDOW};
        let [to, from] = inst.operands.as_slice() else {
            return Err(invalid("cvta takes two operands".into(), self.at()));
        };
        if let Operand::Reg(r) = to
            && self.alias(*r).is_some()
        {
            return Ok(());
        }
        let words: Vec<&str> = inst.op.split('.').skip(1).collect();
        let window = words.iter().find_map(|w| match *w {
            "shared" | "shared::cta" => Some(SHARED_WINDOW),
            "local" => Some(LOCAL_WINDOW),
            "global" | "const" | "param" | "param::entry" => Some(0),
            _ => None,
        });
        let (Some(window), Some(&"u64")) = (window, words.last()) else {
            return Err(unsupported(format!("`{}`", inst.op), self.at()));
        };
        let back = words.contains(&"to");
        let from = self.source(from, Type::B64)?;
        let to = self.dest(to, 8)?;
        let name = match (window, back) {
            (0, _) => "mov.b64",
            (_, false) => "add.s64",
            (_, true) => "sub.s64",
        };
        let form = self.form(name)?;
        let mut out = Inst::new((form.handlers)(self.b.isa), self.loc)
            .def(D, to)
            .use_(A, from);
        if window != 0 {
            let window = self.b.pools.bits(window, 8);
            out = out.use_(B, window);
        }
        self.emit(out)
    }

    /// An instruction of the table.
    fn alu(&mut self, inst: &'m ast::Inst) -> Result<()> {
        let name = inst.op.as_str();
        let missing = |this: &Self| unsupported(format!("`{name}`"), this.at());
        let Some((to, from)) = inst.operands.split_first() else {
            return Err(missing(self));
        };
        let bits = |this: &Self, operand: &Operand| match operand {
            Operand::Reg(r) => Some(this.width_of(*r) * 8),
            _ => None,
        };
        let form = match to {
            Operand::Pair(..) => isa::table::find_pair(name),
            _ if name.starts_with("cvt.") => {
                let plain = isa::table::find(name).ok_or_else(|| missing(self))?;
                let own = |ty: Type| width(ty) * 8;
                let source = plain.src.first().copied().unwrap_or(Type::B32);
                let dst = bits(self, to).unwrap_or(own(plain.dst));
                let src = from
                    .first()
                    .and_then(|o| bits(self, o))
                    .unwrap_or(own(source));
                isa::table::find_cvt(name, dst, src)
            }
            _ => isa::table::find(name),
        };
        let form = form.ok_or_else(|| missing(self))?;
        let mut out = Inst::new((form.handlers)(self.b.isa), self.loc);
        let sources = form.src.len() - usize::from(form.carry_in);
        let literal = usize::from(form.imm == Imm::Operand);
        if from.len() != sources + literal {
            return Err(invalid(
                format!(
                    "`{name}` with {} sources, where it takes {}",
                    from.len(),
                    sources + literal
                ),
                self.at(),
            ));
        }
        let mut from: SmallVec<[&Operand; 5]> = from.iter().collect();
        match form.imm {
            Imm::None => {}
            Imm::Preset(value) => out.imm = value,
            // After the three words, before the predicate if there is one.
            Imm::Operand => match from.remove(sources.min(3)) {
                Operand::Int(value) => out.imm = *value as u64,
                _ => {
                    return Err(invalid(format!("`{name}` without its literal"), self.at()));
                }
            },
        }
        for ((operand, ty), at) in from.into_iter().zip(&form.src[..sources]).zip([A, B, C, E]) {
            let operand = self.source(operand, *ty)?;
            out = out.use_(at, operand);
        }
        if form.carry_in {
            let carry = self.carry();
            out = out.use_([A, B, C, E][sources], carry);
        }
        match (to, form.dst2) {
            (Operand::Pair(p, q), Some(second)) => {
                let (p, q) = (self.dest(p, width(form.dst))?, self.dest(q, width(second))?);
                out = out.def(D, p).def(D2, q);
            }
            (to, second) => {
                let to = self.dest(to, width(form.dst))?;
                out = out.def(D, to);
                if form.carry_out {
                    let carry = self.carry();
                    out = out.def(D2, carry);
                } else if let Some(second) = second {
                    let unused = self.temp(width(second));
                    out = out.def(D2, unused);
                }
            }
        }
        self.emit(out)
    }

    /// The alias of a destination, for loads that need not be executed.
    pub fn is_forwarded(&mut self, operand: &Operand) -> bool {
        match operand {
            Operand::Reg(r) => self.alias(*r).is_some(),
            _ => false,
        }
    }
}

/// A register's width in words.
pub fn width_name(width: u32) -> String {
    match width {
        0 => "predicates".into(),
        w => format!("{} bits", w * 8),
    }
}

/// Special registers that change while a warp runs.
fn changes(special: Special) -> bool {
    matches!(
        special,
        Special::Clock
            | Special::ClockHi
            | Special::Clock64
            | Special::GlobalTimer
            | Special::GlobalTimerLo
            | Special::GlobalTimerHi
    )
}
