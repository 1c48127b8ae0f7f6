//! The table: every instruction's spellings, operand types and handlers.

use std::collections::HashSet;

use super::dispatch::{self, Alu, Bitwise};
use crate::engine::warp::handler::Handlers;
use crate::lane::{HostVectors, Lane};
use ptx::ast::Type;

/// The source of `Op::imm`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Imm {
    /// Nothing: the handler does not read it.
    None,
    /// The integer literal after the instruction's sources (`lop3`'s table).
    Operand,
    /// This value: one handler serves several spellings, and the value selects one (a rounding mode, a comparison).
    Preset(u64),
}

/// A row of the table.
pub struct AluForm {
    /// Every spelling of this instruction: `add.s32`, `add.u32`.
    pub names: Vec<String>,
    /// Type of the destination. A register of the same size is accepted, whatever its declared type.
    pub dst: Type,
    /// Type of the second destination (`p|q`, the carry flag).
    pub dst2: Option<Type>,
    /// Types of the sources, in order; the carry flag is the last if there is one.
    pub src: Vec<Type>,
    /// The source of `Op::imm`.
    pub imm: Imm,
    /// Whether the last source is the carry flag, a hidden predicate register that PTX code does not name.
    pub carry_in: bool,
    /// Whether the second destination is the carry flag.
    pub carry_out: bool,
    /// The handlers for a processor.
    pub handlers: fn(HostVectors) -> Handlers,
}

/// Collects the rows.
#[derive(Default)]
pub struct FormTable {
    /// The rows.
    pub forms: Vec<AluForm>,
    names: HashSet<String>,
}

/// Spellings: one, several, or generated.
pub trait Names {
    /// As a list.
    fn list(self) -> Vec<String>;
}
impl Names for &str {
    fn list(self) -> Vec<String> {
        vec![self.to_string()]
    }
}
impl Names for String {
    fn list(self) -> Vec<String> {
        vec![self]
    }
}
impl Names for Vec<String> {
    fn list(self) -> Vec<String> {
        self
    }
}
impl<const N: usize> Names for [&str; N] {
    fn list(self) -> Vec<String> {
        self.iter().map(ToString::to_string).collect()
    }
}

impl FormTable {
    /// Whether a row has this spelling.
    pub fn has(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    fn push<O: Alu>(&mut self, names: impl Names, handlers: fn(HostVectors) -> Handlers) -> &mut AluForm {
        let src = [O::A::TYPE, O::B::TYPE, O::C::TYPE, O::E::TYPE];
        self.add(names.list(), (O::D::TYPE, O::D2::TYPE), &src, handlers)
    }

    /// The part that does not depend on the instruction, compiled only once.
    #[inline(never)]
    fn add(
        &mut self,
        names: Vec<String>,
        dst: (Option<Type>, Option<Type>),
        src: &[Option<Type>],
        handlers: fn(HostVectors) -> Handlers,
    ) -> &mut AluForm {
        for name in &names {
            let new = self.names.insert(name.clone());
            debug_assert!(new, "two rows are called {name}");
        }
        let at = self.forms.len();
        self.forms.push(AluForm {
            names,
            dst: dst.0.unwrap_or(Type::B32),
            dst2: dst.1,
            src: src.iter().copied().flatten().collect(),
            imm: Imm::None,
            carry_in: false,
            carry_out: false,
            handlers,
        });
        &mut self.forms[at]
    }

    /// Adds an instruction that is frequent in kernels.
    pub fn hot<O: Alu>(&mut self, names: impl Names) -> &mut AluForm {
        self.push::<O>(names, dispatch::hot::<O>)
    }

    /// Adds an instruction that computes a lot, results in a predicate, or does not occur in every kernel.
    pub fn warm<O: Alu>(&mut self, names: impl Names) -> &mut AluForm {
        self.push::<O>(names, dispatch::warm::<O>)
    }

    /// Adds a rare instruction.
    pub fn cold<O: Alu>(&mut self, names: impl Names) -> &mut AluForm {
        self.push::<O>(names, dispatch::cold::<O>)
    }

    /// Adds a rare instruction that shares its handler with others; `Op::imm` selects it.
    pub fn cold_preset<O: Alu>(&mut self, names: impl Names, preset: u64) -> &mut AluForm {
        let form = self.push::<O>(names, dispatch::cold::<O>);
        form.imm = Imm::Preset(preset);
        form
    }

    /// Adds an instruction on predicates only.
    pub fn bits<O: Bitwise>(&mut self, names: impl Names) -> &mut AluForm {
        let src = [Some(Type::Pred); 2];
        let dst = (Some(Type::Pred), None);
        self.add(names.list(), dst, &src[..O::SOURCES], dispatch::bits::<O>)
    }
}
