//! The table: every instruction's spellings, operand types and executable form.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use super::dispatch::{self, Alu, Bitwise, Handlers, Isa};
use crate::lane::Lane;
use crate::ptx::ast::Type;

/// What the decoder puts in `Op::imm`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Imm {
    /// Nothing: the handler does not look.
    None,
    /// The integer literal that the instruction has after its sources (`lop3`'s table).
    Operand,
    /// This value: one handler does several spellings and is told which (a rounding mode, a comparison).
    Preset(u64),
}

/// A row of the table.
pub struct Form {
    /// Every spelling that means this: `add.s32`, `add.u32`.
    pub names: Vec<String>,
    /// Type of the destination. A register of the same size serves, whatever its declared kind.
    pub dst: Type,
    /// Type of the second destination (`p|q`, the carry flag).
    pub dst2: Option<Type>,
    /// Types of the sources, in order; the carry flag is the last where there is one.
    pub src: Vec<Type>,
    /// What goes into `Op::imm`.
    pub imm: Imm,
    /// The last source is the carry flag, a hidden predicate register that PTX does not write.
    pub carry_in: bool,
    /// The second destination is the carry flag.
    pub carry_out: bool,
    /// The executable form for a processor.
    pub handlers: fn(Isa) -> Handlers,
}

/// The rows while they are being collected.
#[derive(Default)]
pub struct Table {
    forms: Vec<Form>,
    names: HashSet<String>,
}

/// Spellings: one, several, or made up.
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

impl Table {
    /// Whether a row has this spelling.
    pub fn has(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    fn push<O: Alu>(&mut self, names: impl Names, handlers: fn(Isa) -> Handlers) -> &mut Form {
        let src = [O::A::TYPE, O::B::TYPE, O::C::TYPE, O::E::TYPE];
        self.add(names.list(), (O::D::TYPE, O::D2::TYPE), &src, handlers)
    }

    /// What does not depend on the instruction, compiled once for all.
    #[inline(never)]
    fn add(
        &mut self,
        names: Vec<String>,
        dst: (Option<Type>, Option<Type>),
        src: &[Option<Type>],
        handlers: fn(Isa) -> Handlers,
    ) -> &mut Form {
        for name in &names {
            let new = self.names.insert(name.clone());
            debug_assert!(new, "two rows are called {name}");
        }
        let at = self.forms.len();
        self.forms.push(Form {
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

    /// An instruction that kernels are full of.
    pub fn hot<O: Alu>(&mut self, names: impl Names) -> &mut Form {
        self.push::<O>(names, dispatch::hot::<O>)
    }

    /// An instruction with much to compute, or with a predicate for its result, or not in every kernel.
    pub fn warm<O: Alu>(&mut self, names: impl Names) -> &mut Form {
        self.push::<O>(names, dispatch::warm::<O>)
    }

    /// A rare instruction.
    pub fn cold<O: Alu>(&mut self, names: impl Names) -> &mut Form {
        self.push::<O>(names, dispatch::cold::<O>)
    }

    /// A rare instruction whose handler is told by `Op::imm` which of its family it is.
    pub fn cold_preset<O: Alu>(&mut self, names: impl Names, preset: u64) -> &mut Form {
        let form = self.push::<O>(names, dispatch::cold::<O>);
        form.imm = Imm::Preset(preset);
        form
    }

    /// An instruction on predicates alone.
    pub fn bits<O: Bitwise>(&mut self, names: impl Names) -> &mut Form {
        let src = [Some(Type::Pred); 2];
        let dst = (Some(Type::Pred), None);
        self.add(names.list(), dst, &src[..O::SOURCES], dispatch::bits::<O>)
    }
}

struct Index {
    forms: Vec<Form>,
    by_name: HashMap<String, usize>,
}

static INDEX: LazyLock<Index> = LazyLock::new(|| {
    let mut table = Table::default();
    super::rows(&mut table);
    let mut by_name = HashMap::new();
    for (i, form) in table.forms.iter().enumerate() {
        for name in &form.names {
            by_name.insert(name.clone(), i);
        }
    }
    Index {
        forms: table.forms,
        by_name,
    }
});

/// Every row.
pub fn all_forms() -> &'static [Form] {
    &INDEX.forms
}

/// The row for an opcode with its modifiers, as written in PTX: `add.rn.f32`, `setp.lt.s32`.
///
/// Modifiers that PTX lets one leave out are left out or not: both spellings are rows.
pub fn find(name: &str) -> Option<&'static Form> {
    INDEX.by_name.get(name).map(|&i| &INDEX.forms[i])
}

/// The row for an opcode written with two destinations, `d|q` (`setp`, `lop3` with a predicate).
pub fn find_pair(name: &str) -> Option<&'static Form> {
    find(&format!("{name}|"))
}

/// The row for a `cvt` whose registers have these sizes in bits.
///
/// A `cvt` may take its source from a register wider than the source type, and leave its result in one wider than the destination
/// type, extended by the sign of that type. For registers of the types' own sizes (16 bits for the 8-bit types) this is [`find`].
pub fn find_cvt(name: &str, dst_bits: u32, src_bits: u32) -> Option<&'static Form> {
    let plain = find(name)?;
    if plain.dst.size() * 8 == dst_bits && plain.src.first()?.size() * 8 == src_bits {
        return Some(plain);
    }
    find(&format!("{name}/{dst_bits}/{src_bits}"))
}
