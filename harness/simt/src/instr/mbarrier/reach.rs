//! Finds and changes the mbarriers that lanes name.

use crate::engine::traffic::request::{Request, Wrong, home_of, space_of};
use crate::engine::warp::mbarrier::{Home, Mbarrier};
use crate::engine::warp::program::Op;
use crate::engine::warp::{Flow, Warp};
use crate::finding::{Access, AccessKind, FindingKind, MbarrierMisuse, Space};
use crate::instr::context::{Context, Result as Lowered};
use crate::kernel::Fault;
use ptx::ast::{self, Type};
use ptx::modifier::Modifier;

/// The decoded modifiers of an instruction on an mbarrier.
#[derive(Clone, Copy, Default)]
pub(super) struct Modifiers {
    /// Whether it names shared memory.
    pub shared: bool,
    /// Whether it orders nothing.
    pub relaxed: bool,
}

impl Modifiers {
    /// Decodes the modifiers of an instruction.
    pub fn parse(cx: &dyn Context, inst: &ast::Inst) -> Lowered<Modifiers> {
        let mut how = Modifiers::default();
        let (mut ordered, mut scoped, mut typed) = (false, false, false);
        for modifier in inst.modifiers() {
            match modifier {
                Modifier::Shared | Modifier::SharedCta | Modifier::SharedCluster => how.shared = true,
                Modifier::Relaxed => (how.relaxed, ordered) = (true, true),
                Modifier::Release | Modifier::Acquire => ordered = true,
                Modifier::Cta | Modifier::Cluster => scoped = true,
                Modifier::Type(Type::B64) => typed = true,
                // These are distinguished by the instruction's name.
                Modifier::Parity | Modifier::ExpectTx | Modifier::NoComplete => {}
                _ => return Err(cx.missing(inst)),
            }
        }
        if !typed || ordered != scoped {
            return Err(cx.invalid(format!("`{}`: an order of memory needs a scope, and the type is b64", inst.text())));
        }
        Ok(how)
    }

    /// The space that the address lies in.
    pub fn space(self) -> Space {
        if self.shared { Space::Shared } else { Space::Generic }
    }
}

/// An mbarrier that a lane names.
#[derive(Clone, Copy)]
pub(in crate::instr) struct Reached {
    /// Its location.
    pub home: Home,
    word: *mut u64,
}

impl Reached {
    /// Its eight bytes.
    pub fn word(&self) -> u64 {
        // SAFETY: eight bytes of shared memory, aligned, which `reach` has checked.
        unsafe { self.word.read() }
    }

    /// Replaces its eight bytes.
    pub fn set_word(&self, word: u64) {
        // SAFETY: as above; the blocks of a cluster run on a single host thread.
        unsafe { self.word.write(word) };
    }
}

impl Warp<'_> {
    /// Finds the eight bytes at a lane's address. They must lie in shared memory.
    pub(in crate::instr) fn reach(
        &mut self,
        op: &Op,
        lane: usize,
        (space, address): (Space, u64),
        what: AccessKind,
    ) -> Result<Reached, Flow> {
        let request = Request { space, size: 8, what };
        let (there, offset) = match space {
            Space::Generic => space_of(address),
            space => (space, address),
        };
        let found = match self.resolve_lane(lane, address, request) {
            Ok(pointer) if there == Space::Shared => {
                let (rank, offset) = home_of(offset);
                let own = self.block.get().rank;
                let home = Home { rank: rank.filter(|rank| *rank != own), offset: offset as u32 };
                return Ok(Reached { home, word: pointer.cast() });
            }
            Ok(_) => Wrong { kind: FindingKind::OutOfBounds { space: Space::Shared }, space: there, address: offset },
            Err(wrong) => wrong,
        };
        Err(self.access_fault(op, lane, request, found))
    }

    /// Changes an mbarrier, and ends its phase if it waits for nothing else. Returns its previous eight bytes.
    pub(in crate::instr) fn change_mbarrier(
        &mut self,
        op: &Op,
        lane: usize,
        at: Reached,
        change: impl FnOnce(&mut Mbarrier) -> Result<(), MbarrierMisuse>,
    ) -> Result<u64, Flow> {
        let before = at.word();
        let changed = Mbarrier::from_word(before).and_then(|mut barrier| {
            change(&mut barrier)?;
            Ok((barrier.complete(), barrier))
        });
        match changed {
            Ok((completed, barrier)) => {
                at.set_word(barrier.word());
                if completed {
                    self.with_block(|warp, block| match at.home.rank {
                        None => block.completed(at.home.offset, Some(warp)),
                        Some(rank) => {
                            block.expired = 0;
                            block.with_peer(rank, |_, peer| peer.completed(at.home.offset, None));
                        }
                    });
                }
                Ok(before)
            }
            Err(misuse) => Err(self.misused(op, lane, at.home, misuse)),
        }
    }

    /// Stops the kernel because of invalid use of an mbarrier.
    #[cold]
    pub(super) fn misused(&mut self, op: &Op, lane: usize, home: Home, misuse: MbarrierMisuse) -> Flow {
        let place = self.program().place_of(op.site);
        let access = Access::memory(AccessKind::Atomic, Space::Shared, 8, home.offset.into(), place);
        let access = self.located(access, lane);
        self.fault(Fault::IllegalInstruction, FindingKind::InvalidMbarrier { misuse }, vec![access], None)
    }
}
