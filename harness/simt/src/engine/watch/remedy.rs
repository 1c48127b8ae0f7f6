//! Remedies for a race, chosen by the code that takes part in it.

use crate::checks::race::Conflict;
use crate::engine::warp::Warp;
use crate::finding::{Finding, Scope, What};
use crate::lane::LANES;

/// The remedy for `x[i] += 1` by several threads.
const UPDATE: &str = "several threads read this element, change it and write it back, and one change is lost: use atomicAdd (or the atomic that fits), or give each thread an element of its own";

/// The same for code that uses locks or flags.
const LOCKED_UPDATE: &str = "several threads read this element, change it and write it back: if a lock guards it, put __threadfence() before the lock is released (and behind taking it); if not, use atomicAdd (or the atomic that fits)";

/// The remedy for several threads that write different values to one place.
const ONE_WRITER: &str = "let one thread write it, or give each thread an element of its own";

impl Warp<'_> {
    /// Sets a better remedy for a race than its scope alone suggests, if there is one.
    pub(super) fn advise(&self, finding: &mut Finding, pcs: [u32; 2], conflict: &Conflict) {
        let all = |what: What| finding.accesses.iter().all(|a| a.what == what);
        let program = self.program();
        let [one, other] = pcs.map(|pc| program.place_of(pc));
        let one_line = one.same_line(&other);
        let remedy = if conflict.narrow {
            "the atomics are of the scope of a block (.cta), and the threads are of two: use the scope of the device (.gpu), which atomicAdd and its like have"
        } else if self.changes_one(pcs) {
            if conflict.unfenced { LOCKED_UPDATE } else { UPDATE }
        } else if finding.accesses.iter().any(|a| a.what == What::Atomic) {
            match conflict.scope {
                Scope::Grid => "make both accesses atomic, or do the plain one in another launch",
                _ => "make both accesses atomic, or put a barrier between them that all these threads pass",
            }
        } else if conflict.unfenced {
            "the one thread has looked at a flag since, which an atomic or volatile access wrote, but the other executed no fence after this access: put __threadfence() between it and the flag"
        } else if one_line && all(What::Write) {
            ONE_WRITER
        } else if conflict.scope == Scope::Warp && self.launch().threads > LANES as u32 {
            "put __syncthreads() between the two accesses, or __syncwarp() where only lanes of one warp take part: lanes do not run in lockstep"
        } else {
            return;
        };
        finding.remedy = Some(remedy.into());
    }

    /// The remedy for lanes of one store that write different values to one place.
    pub(super) fn remedy_of_one_store(&self, pc: u32) -> &'static str {
        if self.updates(pc) { UPDATE } else { ONE_WRITER }
    }

    /// Whether two accesses belong to one line that reads an element and writes it back, like `x[i] += 1`: one reads
    /// and the other writes the same element, or both write.
    fn changes_one(&self, [a, b]: [u32; 2]) -> bool {
        let program = self.program();
        let [one, two] = [a, b].map(|pc| program.accesses.iter().find(|access| access.pc == pc).map(|a| a.named));
        (a == b || one == two) && program.place_of(a).same_line(&program.place_of(b)) && self.updates(a)
    }

    /// Whether a load and a store of the same line access the same address, as in `x[i] += 1`.
    fn updates(&self, pc: u32) -> bool {
        let program = self.program();
        let of = |pc: u32| program.accesses.iter().find(|a| a.pc == pc);
        let Some(this) = of(pc) else { return false };
        let place = program.place_of(pc);
        program.accesses.iter().any(|other| {
            matches!((this.what, other.what), (What::Write, What::Read) | (What::Read, What::Write))
                && this.space == other.space
                && this.named == other.named
                && place.same_line(&program.place_of(other.pc))
        })
    }
}
