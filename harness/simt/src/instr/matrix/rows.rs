//! Matrices of 8 x 8 16-bit numbers: `ldmatrix`, `stmatrix` and `movmatrix`.

use crate::engine::traffic::banks::bank_conflicts;
use crate::engine::traffic::request::{Pointers, Request};
use crate::engine::warp::program::Op;
use crate::engine::warp::{Flow, Warp};
use crate::finding::{AccessKind, Space};
use crate::instr::code::Role;
use crate::instr::context::{Context, Result, parts};
use crate::instr::operands::{Number, operands};
use crate::lane::{LANES, lanes};
use ptx::ast::{self, Type};
use ptx::modifier::Modifier;
use smallvec::SmallVec;

/// The matrices that are loaded or stored.
#[derive(Clone, Copy)]
struct Matrices {
    /// Their number: 1, 2 or 4.
    count: u32,
    /// Whether they are stored in memory column by column.
    transposed: bool,
}

impl Number for Matrices {
    fn code(self) -> u64 {
        u64::from(self.count) | (self.transposed.code() << 8)
    }

    fn from_code(code: u64) -> Matrices {
        Matrices { count: code as u32 & 0xff, transposed: bool::from_code(code >> 8) }
    }
}

operands! {
    /// Operands of `ldmatrix` and `stmatrix`.
    struct Rows {
        /// Addresses of the rows, one from each lane.
        address: address in a,
        /// Number and layout of the matrices.
        matrices: number(Matrices) in e,
        /// The matrices of a load.
        to: write_list in d | d2 | b | c,
        /// The matrices of a store.
        from: read_list in d | d2 | b | c,
    }
}

/// Lowers `ldmatrix`.
pub(super) fn ldmatrix(cx: &mut dyn Context, inst: &ast::Inst) -> Result<()> {
    let [values, address] = inst.operands.as_slice() else {
        return Err(cx.missing(inst));
    };
    let matrices = matrices(cx, inst, values)?;
    let address = cx.address(address)?;
    let to = parts(values).iter().map(|part| cx.dest(part, 4));
    let rows = Rows { address, matrices, to: to.collect::<Result<_>>()?, from: SmallVec::new() };
    let role = Role::Access(AccessKind::Read, Space::Shared, 16);
    cx.emit(rows.pack(exchange::<false>).role(role))
}

/// Lowers `stmatrix`.
pub(super) fn stmatrix(cx: &mut dyn Context, inst: &ast::Inst) -> Result<()> {
    let [address, values] = inst.operands.as_slice() else {
        return Err(cx.missing(inst));
    };
    let matrices = matrices(cx, inst, values)?;
    let address = cx.address(address)?;
    let from = parts(values).iter().map(|part| cx.source(part, Type::B32));
    let rows = Rows { address, matrices, to: SmallVec::new(), from: from.collect::<Result<_>>()? };
    let role = Role::Access(AccessKind::Write, Space::Shared, 16);
    cx.emit(rows.pack(exchange::<true>).role(role))
}

const B16: Modifier = Modifier::Type(Type::B16);

/// Decodes the modifiers, if they are supported and fit the operand with the matrices.
fn matrices(cx: &dyn Context, inst: &ast::Inst, values: &ast::Operand) -> Result<Matrices> {
    let count = match (inst.has(Modifier::X1), inst.has(Modifier::X2), inst.has(Modifier::X4)) {
        (true, ..) => 1u32,
        (_, true, _) => 2,
        (.., true) => 4,
        _ => 0,
    };
    let known = inst.has_all(&[Modifier::M8n8, B16, Modifier::Sync]) && count > 0;
    if !known || parts(values).len() != count as usize {
        return Err(cx.missing(inst));
    }
    Ok(Matrices { count, transposed: inst.has(Modifier::Trans) })
}

/// Executes `ldmatrix` or, if `STORE`, `stmatrix`.
unsafe fn exchange<const STORE: bool>(warp: &mut Warp, op: &Op) -> Flow {
    if let Err(flow) = warp.gather_all(op) {
        return flow;
    }
    let Rows { matrices, to, .. } = Rows::unpack(op);
    let Matrices { count, transposed } = matrices;
    let what = if STORE { AccessKind::Write } else { AccessKind::Read };
    let mask = warp.mask();
    // SAFETY: the registers were unpacked from this instruction; the rows' addresses are checked before they are used.
    unsafe {
        let Some(at) = warp.rows(op, what, count) else {
            return Flow::Stop;
        };
        for (i, register) in to[..count as usize].iter().enumerate() {
            let register = &mut *register.holding::<u32>().lanes(warp);
            for lane in lanes(mask) {
                let (place, pair) = (lane / 4, lane % 4 * 2);
                let half = |half: usize| {
                    let (row, column) = if transposed { (pair + half, place) } else { (place, pair + half) };
                    (at[i * 8 + row] as *mut u16).add(column)
                };
                if STORE {
                    half(0).write(register[lane] as u16);
                    half(1).write((register[lane] >> 16) as u16);
                } else {
                    let (low, high) = (half(0).read(), half(1).read());
                    register[lane] = u32::from(low) | (u32::from(high) << 16);
                }
            }
        }
    }
    Flow::Next
}

/// Returns the lanes that provide the rows of `count` matrices.
fn givers(count: u32) -> u32 {
    if count == 4 { u32::MAX } else { (1 << (8 * count)) - 1 }
}

impl Warp<'_> {
    /// Returns the host's addresses of the rows of `count` matrices in shared memory, one from each lane. A matrix
    /// takes one pass over the banks, and more if some of its rows share banks.
    ///
    /// # Safety
    /// `op` is a memory instruction of this warp's program.
    unsafe fn rows(&mut self, op: &Op, what: AccessKind, count: u32) -> Option<Pointers> {
        let request = Request { space: Space::Shared, size: 16, what };
        let (mask, counting) = (self.mask(), self.counting);
        let resolve = self.resolve;
        let mut at: Pointers = [0; LANES];
        // Before compute capability 8.0, the other lanes' addresses are checked, too.
        let all = what == AccessKind::Read && !self.launch().profile.at_least(8, 0);
        self.set_mask(if all { u32::MAX } else { givers(count) });
        self.counting = false;
        // SAFETY: the caller's contract.
        let fine = unsafe { resolve(self, op, request, &mut at) };
        self.counting = counting;
        self.set_mask(mask);
        if fine && counting {
            // SAFETY: every instruction has a site.
            let site = unsafe { &mut *self.sites.add(op.site as usize) };
            let address = at.map(|at| self.shared_offset(at));
            for matrix in 0..count {
                let (waves, ideal, ways) = bank_conflicts(&address, 0xff << (8 * matrix), 16);
                site.sectors += u64::from(waves);
                site.ideal += u64::from(ideal);
                site.extra = site.extra.max(u64::from(ways));
            }
        }
        fine.then_some(at)
    }
}

operands! {
    /// Operands of `movmatrix`.
    struct Transposition {
        /// A matrix.
        from: read(u32) in a,
        /// The matrix, transposed.
        to: write(u32) in d,
    }
}

/// Lowers `movmatrix`.
pub(super) fn movmatrix(cx: &mut dyn Context, inst: &ast::Inst) -> Result<()> {
    let [to, from] = inst.operands.as_slice() else {
        return Err(cx.missing(inst));
    };
    if inst.modifiers() != [Modifier::Sync, Modifier::Aligned, Modifier::M8n8, Modifier::Trans, B16] {
        return Err(cx.missing(inst));
    }
    let transposition = Transposition { from: cx.source(from, Type::B32)?, to: cx.dest(to, 4)? };
    cx.emit(transposition.pack(transpose).role(Role::WarpSync))
}

/// Executes `movmatrix`.
unsafe fn transpose(warp: &mut Warp, op: &Op) -> Flow {
    if let Err(flow) = warp.gather_all(op) {
        return flow;
    }
    let transposition = Transposition::unpack(op);
    // SAFETY: the registers were unpacked from this instruction.
    unsafe {
        let from = *transposition.from.lanes(warp);
        let to = &mut *transposition.to.lanes(warp);
        let half = |row: usize, column: usize| (from[row * 4 + column / 2] >> (16 * (column % 2))) & 0xffff;
        let mask = warp.mask();
        for lane in lanes(mask) {
            let (place, pair) = (lane / 4, lane % 4 * 2);
            let value = half(pair, place) | (half(pair + 1, place) << 16);
            to[lane] = value;
        }
    }
    Flow::Next
}
