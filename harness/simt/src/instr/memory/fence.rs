//! Fences: `membar` and `fence`.

use crate::engine::warp::program::Op;
use crate::engine::warp::{Flow, Warp};
use crate::instr::context::{Context, Result};
use crate::instr::operands::operands;
use ptx::ast;
use ptx::modifier::Modifier;

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
    use Modifier::{AcqRel, Acquire, Async, AsyncGeneric, Cluster, Cta, Global, Gpu, Proxy, Release, Sc, Sys};
    if inst.has_any(&[Sc, AcqRel, Acquire, Release]) && !inst.has_any(&[Cta, Cluster, Gpu, Sys]) {
        return Err(cx.invalid(format!("`{}` without a scope such as `.gpu`", inst.text())));
    }
    let narrow = inst.has(Cta);
    let proxies = inst.has(Proxy) && inst.has_any(&[Async, AsyncGeneric]) && !inst.has(Global);
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
