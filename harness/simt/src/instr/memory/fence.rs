//! Fences: `membar` and `fence`.

use crate::engine::warp::program::Op;
use crate::engine::warp::{Flow, Warp};
use crate::instr::context::{Context, Result};
use crate::instr::opcode_modifiers;
use crate::instr::operands::operands;
use crate::ptx::ast;

operands! {
    /// Operands of a fence.
    struct Fence {
        /// Whether it orders only inside the block.
        narrow: number(bool) in imm,
        /// Whether it orders shared memory between the generic and the asynchronous proxy.
        proxies: number(bool) in c,
    }
}

/// Lowers `membar` and `fence`.
pub(super) fn fence(cx: &mut dyn Context, inst: &ast::Inst) -> Result<()> {
    let has = |words: &[&str]| words.iter().any(|word| opcode_modifiers::has(&inst.op, word));
    if has(&["sc", "acq_rel", "acquire", "release"]) && !has(&["cta", "cluster", "gpu", "sys"]) {
        return Err(cx.invalid(format!("`{}` without a scope such as `.gpu`", inst.op)));
    }
    let narrow = inst.op.split('.').any(|word| word == "cta");
    let proxies = inst.op.starts_with("fence.proxy.async") && !has(&["global"]);
    cx.emit(Fence { narrow, proxies }.pack(order))
}

/// Executes a fence: what was written before it becomes visible before what is written after it.
unsafe fn order(warp: &mut Warp, op: &Op) -> Flow {
    std::sync::atomic::fence(std::sync::atomic::Ordering::SeqCst);
    if warp.checking {
        let Fence { narrow, proxies } = Fence::unpack(op);
        warp.fenced(narrow);
        if proxies {
            warp.block.get_mut().proxies.fence();
        }
    }
    warp.switch_point();
    Flow::Next
}
