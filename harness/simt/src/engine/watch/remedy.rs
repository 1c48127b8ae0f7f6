//! Chooses the remedy for a race by the code that takes part in it.

use crate::checks::race::Conflict;
use crate::engine::warp::Warp;
use crate::engine::warp::program::{AccessInfo, Origin};
use crate::finding::{AccessKind, Finding, Scope};
use crate::lane::LANES;

/// The remedy for `x[i] += 1` by several threads.
const UPDATE: &str = "several threads read this element, change it and write it back, and one change is lost: use atomicAdd (or the atomic that fits), or give each thread an element of its own";

/// The same remedy for code that uses locks or flags.
const LOCKED_UPDATE: &str = "several threads read this element, change it and write it back: if a lock guards it, put __threadfence() before the lock is released (and behind taking it); if not, use atomicAdd (or the atomic that fits)";

/// The remedy for a line like `x[i] += x[j]` in memory where arrays cannot be distinguished: it may be a step of a
/// tree, or a change of one element by several threads.
const STEP_OR_UPDATE: &str = "if a thread needs here what another has written (a tree of sums), put __syncthreads() between the two accesses; if several threads change this element at the same time, use atomicAdd (or the atomic that fits)";

/// The remedy for several threads that write different values to the same address.
const ELECTED: &str = "one lane has released what it did itself, by a fence or an arrival at a barrier, and had not met the lane that made the earlier access: put __syncwarp() before the fence or the arrival";
const ONE_WRITER: &str = "let one thread write it, or give each thread an element of its own";

impl Warp<'_> {
    /// Sets a better remedy for a race than its scope alone suggests, if one is known.
    pub(super) fn advise(&self, finding: &mut Finding, pcs: [u32; 2], conflict: &Conflict) {
        let all = |what: AccessKind| finding.accesses.iter().all(|a| a.what == what);
        let program = self.program();
        let [one, other] = pcs.map(|pc| program.place_of(pc));
        let one_line = one.same_line(&other);
        let remedy = if conflict.elected {
            ELECTED
        } else if conflict.narrow {
            "the atomics are of the scope of a block (.cta), and the threads are of two: use the scope of the device (.gpu), which atomicAdd and its like have"
        } else if let Some(how) = self.changes_one(pcs).filter(|how| *how != Update::Step) {
            match how {
                _ if conflict.unfenced => LOCKED_UPDATE,
                Update::Unclear => STEP_OR_UPDATE,
                _ => UPDATE,
            }
        } else if finding.accesses.iter().any(|a| a.what == AccessKind::Atomic) {
            match conflict.scope {
                Scope::Grid => "make both accesses atomic, or do the plain one in another launch",
                _ => "make both accesses atomic, or put a barrier between them that all these threads pass",
            }
        } else if conflict.unfenced {
            "the one thread has looked at a flag since, which an atomic or volatile access wrote, but the other executed no fence after this access: put __threadfence() between it and the flag"
        } else if one_line && all(AccessKind::Write) {
            ONE_WRITER
        } else if conflict.scope == Scope::Warp && self.launch().threads > LANES as u32 {
            "put __syncthreads() between the two accesses, or __syncwarp() where only lanes of one warp take part: lanes do not run in lockstep"
        } else {
            return;
        };
        finding.remedy = Some(remedy.into());
    }

    /// Returns the remedy for lanes of one store that write different values to the same address.
    pub(super) fn remedy_of_one_store(&self, pc: u32) -> &'static str {
        if self.updates(pc) { UPDATE } else { ONE_WRITER }
    }

    /// Returns what a line does, if both accesses belong to it, it reads an element and writes it back, like `x[i] +=
    /// 1`, and one of the accesses reads the element that the other writes, or both write it. The accesses may lie in
    /// two copies of the line, in a loop that the compiler has unrolled.
    fn changes_one(&self, [a, b]: [u32; 2]) -> Option<Update> {
        let program = self.program();
        let [one, two] = [a, b].map(|pc| self.access(pc).map(|access| access.named));
        let together = a == b || one == two || self.updates(b);
        if !together || !program.place_of(a).same_line(&program.place_of(b)) || !self.updates(a) {
            return None;
        }
        Some(self.reads_others(a))
    }

    /// Returns whether a load and a store of the same line access the same address, as in `x[i] += 1`.
    fn updates(&self, pc: u32) -> bool {
        let program = self.program();
        let Some(this) = self.access(pc) else { return false };
        let place = program.place_of(pc);
        program.accesses.iter().any(|other| {
            matches!(
                (this.what, other.what),
                (AccessKind::Write, AccessKind::Read) | (AccessKind::Read, AccessKind::Write)
            ) && this.space == other.space
                && this.named == other.named
                && place.same_line(&program.place_of(other.pc))
        })
    }

    /// Returns what a line does that changes the element at `pc`, judged by the other elements that it reads.
    fn reads_others(&self, pc: u32) -> Update {
        let program = self.program();
        let Some(this) = self.access(pc) else { return Update::Alone };
        let place = program.place_of(pc);
        let of_line = |other: &&AccessInfo| {
            other.space == this.space && other.origin == this.origin && place.same_line(&program.place_of(other.pc))
        };
        let here: Vec<&AccessInfo> = program.accesses.iter().filter(of_line).collect();
        // Each copy of an unrolled loop's body changes its own element.
        let written = |read: &AccessInfo| here.iter().any(|a| a.what == AccessKind::Write && a.named == read.named);
        let reads_other = here.iter().any(|a| a.what == AccessKind::Read && a.named != this.named && !written(a));
        match (reads_other, this.origin) {
            (false, _) => Update::Alone,
            (_, Origin::Unknown) => Update::Unclear,
            _ => Update::Step,
        }
    }

    fn access(&self, pc: u32) -> Option<&AccessInfo> {
        self.program().accesses.iter().find(|access| access.pc == pc)
    }
}

/// The kinds of lines that read an element, change it and write it back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Update {
    /// It changes this element alone: `x[i] += 1`.
    Alone,
    /// It reads another element of the same array, which may have been written by another thread: `x[i] += x[j]`, a
    /// step of a tree or a scan.
    Step,
    /// It reads another element, of the same array or of another.
    Unclear,
}
