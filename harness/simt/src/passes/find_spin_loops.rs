//! Loops that wait for other threads, or retry until no other thread was faster: the number of iterations of such a
//! loop depends on the order in which threads run, and so do the machine's counts.

use super::find_idle_loops::changes_nothing;
use super::graph::natural_loops;
use super::ir::{Block, Func, Role, Term, each, each_of_term};
use crate::finding::{AccessKind, Space};
use crate::instr::code::Inst;
use ptx::ast::Body;
use ptx::modifier::Modifier;
use std::ops::AddAssign;

/// The loops of a function, or of a kernel with all its functions, that wait for other threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Waiting {
    /// The number of all such loops.
    pub loops: u32,
    /// Loops that try to acquire a lock: they repeat the same exchange until another thread has released it. Unlike the
    /// others, these are also counted if the lock is in shared memory.
    pub locks: u32,
    /// Those that retry with the value read, until no other thread was faster: some thread always succeeds.
    pub retries: u32,
    /// Loops that fetch pieces of work by a counter until none is left.
    pub fetches: u32,
}

impl AddAssign for Waiting {
    fn add_assign(&mut self, other: Waiting) {
        self.loops += other.loops;
        self.locks += other.locks;
        self.retries += other.retries;
        self.fetches += other.fetches;
    }
}

/// Counts the loops of a function that end only depending on a value from memory that other blocks write. The value
/// comes from an atomic or a volatile, relaxed or stronger load in the loop; values computed from it, and values set
/// where a branch depends on it, are tracked within the loop. Functions that the loop calls are not analysed.
pub fn find_spin_loops(func: &Func, body: &Body) -> Waiting {
    let mut found = Waiting::default();
    for (_, members) in &natural_loops(&func.blocks) {
        let waits = Loop::new(func, members, &is_shared).waits();
        found.loops += u32::from(waits);
        let is_exchange = |inst: &Inst| waits && is_shared(inst) && exchanges(inst, body);
        let in_block = |inst: &Inst| has_value(inst) && exchanges(inst, body);
        match (tries(func, members, &is_exchange), tries(func, members, &in_block)) {
            (Some(Tries::Again), _) => found.retries += 1,
            (Some(Tries::Lock), _) | (None, Some(Tries::Lock)) => found.locks += 1,
            (None, _) => {}
        }
    }
    found
}

/// What a loop does that ends depending on an exchange in it.
enum Tries {
    /// It exchanges what it has read before.
    Again,
    /// It repeats the same exchange.
    Lock,
}

/// Returns what a loop does with these exchanges, if one of them decides when it ends.
fn tries(func: &Func, members: &[bool], is_exchange: &dyn Fn(&Inst) -> bool) -> Option<Tries> {
    let mut tries = Loop::new(func, members, is_exchange);
    if !tries.waits() {
        return None;
    }
    let again = tries.blocks().flat_map(|(_, block)| &block.insts);
    let is_retry = again.filter(|inst| is_exchange(inst)).any(|inst| tries.uses(inst));
    Some(if is_retry { Tries::Again } else { Tries::Lock })
}

/// Whether it is an atomic by which a lock can be taken: a first thread gets another old value than those after it.
fn exchanges(inst: &Inst, body: &Body) -> bool {
    const TAKES: [Modifier; 4] = [Modifier::Cas, Modifier::Exch, Modifier::Or, Modifier::And];
    let written = body.code.get(inst.at as usize);
    is_atomic(inst) && written.is_some_and(|written| written.has_any(&TAKES) && !changes_nothing(written))
}

/// A loop in which values from memory are tracked.
pub struct Loop<'f> {
    func: &'f Func,
    /// Whether each block of the function belongs to it.
    members: &'f [bool],
    /// Whether each register depends on what other blocks write.
    told: Vec<bool>,
    /// Which instructions read what other blocks write.
    reads: &'f dyn Fn(&Inst) -> bool,
    /// Whether what is set where a branch depends on such a value is followed, too.
    follows_branches: bool,
}

impl<'f> Loop<'f> {
    /// Creates a loop of these blocks; nothing has been tracked yet.
    pub fn new(func: &'f Func, members: &'f [bool], reads: &'f dyn Fn(&Inst) -> bool) -> Loop<'f> {
        Loop { func, members, told: vec![false; func.regs.len()], reads, follows_branches: true }
    }

    /// Follows only what is computed from what it reads.
    pub fn by_values(self) -> Loop<'f> {
        Loop { follows_branches: false, ..self }
    }

    /// Whether a value that it reads decides when it ends.
    pub fn waits(&mut self) -> bool {
        while self.follow() {}
        let leaves = |block: &Block| block.term.successors().iter().any(|s| !self.members[*s as usize]);
        self.blocks().any(|(_, block)| leaves(block) && self.branches(&block.term))
    }

    /// Its blocks, with their numbers.
    pub fn blocks(&self) -> impl Iterator<Item = (u32, &'f Block)> {
        let members = self.members;
        (0u32..).zip(&self.func.blocks).filter(move |(b, _)| members[*b as usize])
    }

    /// Whether an instruction uses what depends on what other blocks write.
    pub fn uses(&self, inst: &Inst) -> bool {
        let mut is_told = false;
        each(inst, |r, def| is_told |= !def && self.told[r as usize]);
        is_told
    }

    /// Whether it branches on a value that depends on what other blocks write.
    fn branches(&self, term: &Term) -> bool {
        let mut is_told = false;
        each_of_term(term, |r, def| is_told |= !def && self.told[r as usize]);
        is_told && matches!(term, Term::Branch { .. } | Term::Table { .. })
    }

    /// Tracks the values through each instruction of the loop once. Returns whether anything changed.
    fn follow(&mut self) -> bool {
        let mut found = Vec::new();
        for (number, block) in self.blocks() {
            // A value that is set in a block reached only by such a branch depends on it too.
            let mut before = self.blocks().filter(|(_, from)| from.term.successors().contains(&number));
            let is_chosen = match (before.next(), before.next()) {
                (Some((_, from)), None) => self.follows_branches && self.branches(&from.term),
                _ => false,
            };
            let mut is_guarded = false;
            for inst in &block.insts {
                let is_told = is_chosen || is_guarded || (self.reads)(inst) || self.uses(inst);
                is_guarded = inst.role == Role::Guard && is_told;
                if is_told {
                    each(inst, |r, def| found.extend(def.then_some(r)));
                }
            }
        }
        let mut is_new = false;
        for r in found {
            is_new |= !std::mem::replace(&mut self.told[r as usize], true);
        }
        is_new
    }
}

/// Whether it reads memory that another block may just have written.
pub fn is_shared(inst: &Inst) -> bool {
    let Role::Access(what, space, _) = inst.role else {
        return false;
    };
    let is_strong = is_atomic(inst) || (what == AccessKind::Read && inst.order.strong);
    has_value(inst) && is_strong && !matches!(space, Space::Shared | Space::Local)
}

/// Whether it sets a register.
fn has_value(inst: &Inst) -> bool {
    inst.defs != 0 || inst.list.iter().any(|(_, def)| *def)
}

/// Whether it is an atomic.
pub fn is_atomic(inst: &Inst) -> bool {
    matches!(inst.role, Role::Access(AccessKind::Atomic, ..))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::testing::translated;

    /// Returns the numbers of loops of a kernel: all that wait, and the locks and the retries among them.
    fn found(code: &str) -> [u32; 3] {
        translated("", code, |_, members, functions| {
            let Waiting { loops, locks, retries, .. } = find_spin_loops(&functions[0], members[0].body);
            [loops, locks, retries]
        })
    }

    #[test]
    fn a_loop_that_only_another_thread_ends_waits() {
        assert_eq!(found("L: ld.volatile.global.u32 %r1, [%rd1]; setp.eq.u32 %p1, %r1, 0; @%p1 bra L;"), [1, 0, 0]);
        let lock = "L: atom.global.cas.b32 %r1, [%rd1], 0, 1; setp.ne.u32 %p1, %r1, 0; @%p1 bra L;";
        assert_eq!(found(lock), [1, 1, 0]);
        for takes in ["or.b32", "and.b32"] {
            let lock = format!("L: atom.global.{takes} %r1, [%rd1], 1; setp.ne.u32 %p1, %r1, 0; @%p1 bra L;");
            assert_eq!(found(&lock), [1, 1, 0], "{takes}");
        }
        assert_eq!(found("L: atom.global.or.b32 %r1, [%rd1], 0; setp.eq.u32 %p1, %r1, 0; @%p1 bra L;"), [1, 0, 0]);
        let retry = "ld.global.u32 %r1, [%rd1]; L: mov.u32 %r3, %r1; add.u32 %r2, %r3, 1;
            atom.global.cas.b32 %r1, [%rd1], %r3, %r2; setp.ne.u32 %p1, %r1, %r3; @%p1 bra L;";
        assert_eq!(found(retry), [1, 0, 1]);
    }

    #[test]
    fn a_lock_in_shared_memory_is_a_lock_though_its_block_alone_decides() {
        let lock = "L: atom.shared.exch.b32 %r1, [%rd1], 1; setp.ne.u32 %p1, %r1, 0; @%p1 bra L;";
        assert_eq!(found(lock), [0, 1, 0]);
        let retry = "ld.shared.u32 %r1, [%rd1]; L: mov.u32 %r3, %r1; add.u32 %r2, %r3, 1;
            atom.shared.cas.b32 %r1, [%rd1], %r3, %r2; setp.ne.u32 %p1, %r1, %r3; @%p1 bra L;";
        assert_eq!(found(retry), [0; 3]);
    }

    #[test]
    fn a_loop_that_ends_by_itself_or_reads_its_own_block_does_not() {
        let count = "add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 9; @%p1 bra L;";
        assert_eq!(found(&format!("L: ld.volatile.global.u32 %r2, [%rd1]; {count}")), [0; 3]);
        for read in ["ld.global.u32", "ld.volatile.shared.u32"] {
            let code = format!("L: {read} %r1, [%rd1]; setp.eq.u32 %p1, %r1, 0; @%p1 bra L;");
            assert_eq!(found(&code), [0; 3], "{code}");
        }
    }
}
