//! Looks at the addresses of a launch whose costs are counted: before each memory instruction, so that its handler
//! stays as it is.

use crate::checks::Addresses;
use crate::engine::warp::program::{Op, Program};
use crate::engine::warp::request::Request;
use crate::engine::warp::seen::{Look, Looked};
use crate::engine::warp::{LookAt, Warp};
use crate::finding::{Space, What};
use crate::lane::{HostVectors, LANES};

/// What is looked at before each instruction of a program.
pub(crate) fn looks(program: &Program) -> Vec<Look> {
    let mut looks = vec![Look::Away; program.ops.len()];
    let mut index = 0;
    for access in &program.accesses {
        let request = Request { space: access.space, size: access.size, what: access.what };
        // Tiles have addresses of another kind, and copies in bulk are noted as they are made. What is looked at again
        // and again was looked at by the block that wrote it, too.
        let lane_by_lane = program.warp_syncs.binary_search(&access.pc).is_err() && !access.order.bulk;
        if lane_by_lane && !access.spins && worth_a_look(access.space, access.what) {
            looks[access.pc as usize] = Look::Addresses(Looked { request, adds: access.adds, index });
            index += 1;
        }
    }
    for &guard in &program.guards {
        if matches!(looks.get(guard as usize + 1), Some(Look::Addresses(..))) {
            looks[guard as usize] = Look::Guard;
        }
    }
    looks
}

fn worth_a_look(space: Space, what: What) -> bool {
    match space {
        Space::Global | Space::Generic => true,
        Space::Shared => what == What::Atomic,
        _ => false,
    }
}

impl Warp<'_> {
    /// Looks at the addresses of the instruction that is executed next, as `look` says.
    ///
    /// # Safety
    /// `op` is the warp's next instruction, and the launch's costs are counted.
    pub(crate) unsafe fn look_ahead(&mut self, op: &Op, look: Look) {
        match look {
            Look::Away => {}
            // SAFETY: this is a memory instruction.
            Look::Addresses(looked) => unsafe { (self.look)(self, op, self.mask(), looked) },
            Look::Guard => {
                let mask = self.mask();
                // SAFETY: a guard has its predicate in `a` and what to combine it with in `b`, and stands before the
                // instruction that it guards.
                unsafe {
                    let on = (*self.reg::<u32>(op.a) ^ op.b) & mask;
                    // If it holds in all lanes, the next instruction is seen on its own.
                    if on != 0
                        && on != mask
                        && let Look::Addresses(looked) = self.launch().looks[op.site as usize + 1]
                    {
                        let next = &*std::ptr::from_ref(op).add(1);
                        (self.look)(self, next, on, looked);
                    }
                }
            }
        }
    }

    /// # Safety
    /// As for [`LookAt`]; the processor has what `W` promises.
    #[inline(always)]
    unsafe fn look_at<const W: u8>(&mut self, op: &Op, mask: u32, looked: Looked) {
        let (base, offset) = op.address();
        let block = self.block.get().number;
        // SAFETY: the caller's contract.
        let address = Addresses { base: unsafe { &*self.reg::<[u64; LANES]>(base) }, offset };
        if let Some(seen) = &mut self.notes.get_mut().seen {
            // SAFETY: the caller's contract.
            unsafe { seen.access::<W>(block, address, mask, looked) };
        }
    }
}

unsafe fn look_base(warp: &mut Warp<'_>, op: &Op, mask: u32, looked: Looked) {
    // SAFETY: the caller's contract.
    unsafe { warp.look_at::<0>(op, mask, looked) }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn look_v3(warp: &mut Warp<'_>, op: &Op, mask: u32, looked: Looked) {
    // SAFETY: the caller's contract.
    unsafe { warp.look_at::<3>(op, mask, looked) }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512bw,avx512cd,avx512dq,avx512vl")]
unsafe fn look_v4(warp: &mut Warp<'_>, op: &Op, mask: u32, looked: Looked) {
    // SAFETY: the caller's contract.
    unsafe { warp.look_at::<4>(op, mask, looked) }
}

/// The function that looks at addresses, for a processor.
pub(crate) fn look_for(vectors: HostVectors) -> LookAt {
    match vectors {
        #[cfg(target_arch = "x86_64")]
        HostVectors::V4 => look_v4,
        #[cfg(target_arch = "x86_64")]
        HostVectors::V3 => look_v3,
        _ => look_base,
    }
}
