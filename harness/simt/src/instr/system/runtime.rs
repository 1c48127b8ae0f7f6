//! Calls of the device runtime, which the launching program answers.

use super::call::Call;
use crate::engine::warp::program::Op;
use crate::engine::warp::{Flow, Warp};
use crate::instr::code::Inst;
use crate::instr::operands::operands;
use crate::kernel::{Caller, WORDS};
use crate::lane::{LANES, lanes};

operands! {
    /// Operands of `__simt_runtime`.
    struct RuntimeCall {
        /// The number of the call.
        call: read(u32) in a,
        /// Address of the argument words.
        words: read(u64) in b,
        /// The answer.
        to: maybe_write(u64) in d,
    }
}

/// Lowers a call of `__simt_runtime`.
pub(super) fn runtime(call: &Call) -> Inst {
    let asked = RuntimeCall { call: call.arguments[0], words: call.arguments[1], to: call.result };
    asked.pack(ask)
}

/// Executes `__simt_runtime` lane by lane, as each call may change the answer to the next one.
unsafe fn ask(warp: &mut Warp, op: &Op) -> Flow {
    let asked = RuntimeCall::unpack(op);
    // SAFETY: the registers were unpacked from this instruction.
    let (calls, addresses) = unsafe { (*asked.call.lanes(warp), *asked.words.lanes(warp)) };
    for lane in lanes(warp.mask()) {
        let mut bytes = [0u8; 8 * WORDS];
        if let Err(flow) = warp.read(op, lane, addresses[lane], &mut bytes) {
            return flow;
        }
        let mut words = [0; WORDS];
        for (word, bytes) in words.iter_mut().zip(bytes.as_chunks().0) {
            *word = u64::from_le_bytes(*bytes);
        }
        let caller = Caller { block: warp.block.get_mut().number, thread: warp.index * LANES as u32 + lane as u32 };
        let answer = warp.launch().watch.runtime.map_or(0, |runtime| runtime.call(caller, calls[lane], &words));
        if let Some(to) = asked.to {
            // SAFETY: as above.
            unsafe { (*to.lanes(warp))[lane] = answer };
        }
    }
    Flow::Next
}
