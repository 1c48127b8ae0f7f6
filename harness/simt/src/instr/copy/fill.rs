//! Stores that fill a range of the block's shared memory with zeros: `st.bulk`.

use super::bulk::whole;
use crate::engine::traffic::request::{Request, Wrong, space_of};
use crate::engine::warp::program::{Op, Order};
use crate::engine::warp::{Flow, Warp};
use crate::finding::{AccessKind, FindingKind, Space};
use crate::instr::code::Role;
use crate::instr::context::{Context, Result};
use crate::instr::operands::operands;
use crate::lane::{LANES, lanes};
use ptx::ast::{self, Operand, Type};
use ptx::modifier::Modifier;

/// The address and the number of bytes are multiples of it.
const WORD: u32 = 8;

operands! {
    /// Operands of `st.bulk`.
    struct Fill {
        /// The first address.
        to: read(u64) in a,
        /// The number of bytes.
        bytes: read(u64) in b,
        /// The space that the instruction names.
        space: number(Space) in imm,
    }
}

/// Lowers `st.bulk`. Zero is the only value that the instruction takes.
pub(super) fn fill(cx: &mut dyn Context, inst: &ast::Inst) -> Result<()> {
    let known = [Modifier::Weak, Modifier::SharedCta];
    if !inst.modifiers().iter().all(|modifier| known.contains(modifier)) {
        return Err(cx.missing(inst));
    }
    let [to, bytes, Operand::Int(0)] = inst.operands.as_slice() else {
        return Err(cx.wrong(inst));
    };
    let space = if inst.is_of_shared() { Space::Shared } else { Space::Generic };
    let fill = Fill { to: whole(cx, to)?, bytes: cx.source(bytes, Type::U64)?, space };
    let order = Order { range: true, ..Order::default() };
    cx.emit(fill.pack(run).role(Role::Access(AccessKind::Write, Space::Shared, WORD)).order(order))
}

/// Executes `st.bulk`, lane by lane and word by word.
unsafe fn run(warp: &mut Warp, op: &Op) -> Flow {
    let Fill { to, bytes, space } = Fill::unpack(op);
    let request = Request { space: Space::Shared, size: WORD, what: AccessKind::Write };
    // SAFETY: the registers were unpacked from this instruction.
    let (to, bytes) = unsafe { (*to.lanes(warp), *bytes.lanes(warp)) };
    let mask = warp.mask();
    for lane in lanes(mask) {
        let (at, start) = if space == Space::Generic { space_of(to[lane]) } else { (Space::Shared, to[lane]) };
        if at != Space::Shared {
            let wrong = Wrong { kind: FindingKind::OutOfBounds { space: Space::Shared }, space: at, address: start };
            return warp.access_fault(op, lane, request, wrong);
        }
        // PTX leaves other numbers of bytes than multiples of a word undefined. The last word is reported then, as not
        // aligned.
        let end = start.saturating_add(bytes[lane]);
        let aligned = end & !u64::from(WORD - 1);
        let words = (start..aligned).step_by(WORD as usize);
        for here in words.chain((aligned != end).then_some(end)) {
            let host = match warp.resolve_lane(lane, here, request) {
                Ok(host) => host,
                Err(wrong) => return warp.access_fault(op, lane, request, wrong),
            };
            warp.set_mask(1 << lane);
            warp.check_tile(op, request, &[here; LANES]);
            warp.set_mask(mask);
            // SAFETY: a word has been checked, and is aligned.
            unsafe { host.cast::<u64>().write(0) };
        }
    }
    Flow::Next
}
