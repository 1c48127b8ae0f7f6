//! Instructions between PTX and the decoded program: their handlers are known, but their operands are still names.

use crate::engine::costs::tables::Adds;
use crate::engine::warp::handler::{Handler, Handlers};
use crate::engine::warp::program::{Dataflow, Op, Order, Origin};
use crate::finding::{AccessKind, Space};

/// An operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OperandSlot {
    /// No operand.
    None,
    /// A register of the function.
    Reg(u32),
    /// A register with a fixed location: parameters and return addresses of functions.
    Fixed(u32),
    /// A register of the constant area.
    Const(u32),
    /// A plain number.
    Raw(u32),
}

/// A field of a decoded instruction that can hold a register, as an index into [`Inst::o`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// `Op::d`.
    D,
    /// `Op::d2`.
    D2,
    /// `Op::a`.
    A,
    /// `Op::b`.
    B,
    /// `Op::c`.
    C,
    /// `Op::e`.
    E,
}

/// What the counters need to know about an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Nothing.
    Plain,
    /// It accesses memory: kind of access, space, bytes a lane.
    Access(AccessKind, Space, u32),
    /// The lanes of the warp execute it together.
    WarpSync,
    /// The warp executes a matrix product as a part of its warpgroup.
    Product,
    /// The lanes access memory together: kind of access, space, bytes a lane per access.
    Tile(AccessKind, Space, u32),
    /// It guards the next instruction.
    Guard,
}

/// An instruction.
#[derive(Clone)]
pub struct Inst {
    /// Its handlers.
    pub handlers: Handlers,
    /// Operands, by [`Field`].
    pub o: [OperandSlot; 6],
    /// Which of them are written (one bit each).
    pub defs: u8,
    /// Which of them are read.
    pub uses: u8,
    /// The immediate.
    pub imm: u64,
    /// Index of its place in the source.
    pub loc: u32,
    /// Its role for the counters.
    pub role: Role,
    /// Its kind of texture access, or surface access if the flag is set; for the counters.
    pub texels: Option<(AccessKind, bool)>,
    /// How it orders memory, for the checks.
    pub order: Order,
    /// The array from which its addresses were computed, for the checks.
    pub origin: Origin,
    /// The index of its PTX instruction in the function's body.
    pub at: u32,
    /// What it adds, if it is an atomic.
    pub adds: Adds,
    /// Bytes of the elements that it loads: see [`AccessInfo`](crate::engine::warp::tables::AccessInfo).
    pub element: u32,
    /// The bytes of a load that its program uses, a bit for each, if it does not use all of them.
    pub used_bytes: Option<u32>,
    /// What it does with undefined values, for the checks.
    pub dataflow: Dataflow,
    /// Further operands, written if the flag is set and read otherwise. They go into the program's lists, and the
    /// immediate becomes their index there.
    pub list: Vec<(OperandSlot, bool)>,
}

impl Inst {
    /// Creates an instruction without operands.
    pub fn new(handlers: Handlers) -> Inst {
        Inst {
            handlers,
            o: [OperandSlot::None; 6],
            defs: 0,
            uses: 0,
            imm: 0,
            loc: 0,
            role: Role::Plain,
            texels: None,
            order: Order::default(),
            origin: Origin::Unknown,
            at: 0,
            adds: Adds::Other,
            element: 1,
            used_bytes: None,
            dataflow: Dataflow::Opaque,
            list: Vec::new(),
        }
    }

    /// Creates an instruction without operands whose single handler applies the mask itself.
    pub fn plain(handler: Handler) -> Inst {
        Inst::new(Handlers { full: handler, part: handler })
    }

    /// Adds a destination.
    pub fn write(mut self, at: Field, opnd: OperandSlot) -> Inst {
        self.o[at as usize] = opnd;
        self.defs |= 1 << at as u8;
        self
    }

    /// Adds a source.
    pub fn read(mut self, at: Field, opnd: OperandSlot) -> Inst {
        self.o[at as usize] = opnd;
        self.uses |= 1 << at as u8;
        self
    }

    /// Adds a number.
    pub fn raw(mut self, at: Field, value: u32) -> Inst {
        self.o[at as usize] = OperandSlot::Raw(value);
        self
    }

    /// Whether it writes that operand.
    pub fn writes(&self, opnd: OperandSlot) -> bool {
        let fields = self.o.iter().enumerate().any(|(at, &o)| o == opnd && self.defs & (1 << at) != 0);
        fields || self.list.contains(&(opnd, true))
    }

    /// Whether it writes any register.
    pub fn writes_any(&self) -> bool {
        self.defs != 0 || self.list.iter().any(|(_, written)| *written)
    }

    /// Sets the array from which its addresses were computed.
    pub fn from(mut self, origin: Origin) -> Inst {
        self.origin = origin;
        self
    }

    /// Sets how it orders memory.
    pub fn order(mut self, order: Order) -> Inst {
        self.order = order;
        self
    }

    /// Sets the bytes of the elements that it loads, between whose parts there may be padding.
    pub fn element(mut self, bytes: u32) -> Inst {
        self.element = bytes;
        self
    }

    /// Sets its kind of texture access, or surface access if the flag is set.
    pub fn texels(mut self, what: AccessKind, surface: bool) -> Inst {
        self.texels = Some((what, surface));
        self
    }

    /// Sets its role for the counters.
    pub fn role(mut self, role: Role) -> Inst {
        self.role = role;
        self
    }

    /// Returns the decoded instruction at `site`. `place` returns an operand's offset in the register file; `imm` is
    /// the immediate.
    pub fn decoded(&self, imm: u64, site: u32, place: impl Fn(OperandSlot) -> u32) -> Op {
        let [d, d2, a, b, c, e] = self.o.map(place);
        Op { full: self.handlers.full, part: self.handlers.part, d, a, b, c, e, d2, imm, site }
    }
}
