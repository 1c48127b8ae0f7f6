//! Cost probes: record the addresses of a launch whose costs are counted, before each memory instruction, so that the
//! instructions' own handlers need no changes.

use crate::checks::Addresses;
use crate::engine::costs::recorder::Observed;
use crate::engine::traffic::request::Request;
use crate::engine::warp::handler::{Exec, apart, handler};
use crate::engine::warp::program::{Op, Program};
use crate::engine::warp::shared::{Ahead, CostProbes};
use crate::engine::warp::{Flow, Warp};
use crate::finding::{AccessKind, Space};
use crate::lane::{HostVectors, LANES};

/// Returns the probes of a program, and the instructions that execute them.
pub(crate) fn looks(program: &Program) -> CostProbes {
    let mut looks = CostProbes { ops: program.ops.clone(), ahead: Vec::new(), of: vec![u32::MAX; program.ops.len()] };
    let vectors = HostVectors::detect();
    for access in &program.accesses {
        let request = Request { space: access.space, size: access.size, what: access.what };
        // Tiles have addresses of another kind, and bulk copies are recorded when they are made. Words that a loop
        // polls were recorded by the block that wrote them, too.
        let lane_by_lane = program.warp_syncs.binary_search(&access.pc).is_err() && !access.order.bulk;
        if lane_by_lane && !access.spins && worth_a_look(access.space, access.what) {
            let Op { full, part, .. } = program.ops[access.pc as usize];
            let op = &mut looks.ops[access.pc as usize];
            (op.full, op.part) = match access.what {
                AccessKind::Read => (handler::<Look<true, READ>>(vectors), handler::<Look<false, READ>>(vectors)),
                AccessKind::Write => (handler::<Look<true, WRITE>>(vectors), handler::<Look<false, WRITE>>(vectors)),
                // The addresses of atomics are assumed to differ each time.
                _ => (handler::<Look<true, ANY>>(vectors), handler::<Look<false, ANY>>(vectors)),
            };
            let index = looks.ahead.len() as u32;
            looks.of[access.pc as usize] = index;
            looks.ahead.push(Ahead { looked: Observed { request, adds: access.adds, index }, full, part });
        }
    }
    looks
}

fn worth_a_look(space: Space, what: AccessKind) -> bool {
    match space {
        Space::Global | Space::Generic => true,
        Space::Shared => what == AccessKind::Atomic,
        _ => false,
    }
}

/// What a probe tries first, since usually nothing else is needed. The rest needs more registers.
const READ: u8 = 0;
const WRITE: u8 = 1;
const ANY: u8 = 2;

/// Records the addresses of a memory instruction, and then executes it: for all live lanes, or those of the mask.
struct Look<const FULL: bool, const FIRST: u8>;
impl<const FULL: bool, const FIRST: u8> Exec for Look<FULL, FIRST> {
    #[inline(always)]
    unsafe fn exec<const W: u8>(warp: &mut Warp, op: &Op) -> Flow {
        let ahead = warp.launch().looks.before(op);
        let looked = ahead.looked;
        let (base, offset) = op.address();
        let (mask, block) = (warp.mask(), warp.block.get().number);
        // SAFETY: this is a memory instruction of the program; its own handler is called with the same arguments.
        unsafe {
            let address = Addresses { base: &*warp.reg::<[u64; LANES]>(base), offset };
            let site = &*warp.sites.add(op.site as usize);
            if let Some(seen) = warp.scratch.get_mut().costs.recorder() {
                match FIRST {
                    READ if !seen.reads_again::<W>(block, address, mask, looked, site) => {
                        return apart::<Look<FULL, ANY>, W>(warp, op);
                    }
                    WRITE if !seen.writes_again::<W>(block, address, mask, looked) => {
                        return apart::<Look<FULL, ANY>, W>(warp, op);
                    }
                    ANY => seen.access::<W>(block, address, mask, looked),
                    _ => {}
                }
            }
            (if FULL { ahead.full } else { ahead.part })(warp, op)
        }
    }
}
