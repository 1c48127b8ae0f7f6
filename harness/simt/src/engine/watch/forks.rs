//! Values with undefined bits that cross lanes, addresses and short branches: the rest of [`super::undefined`].

use crate::checks::Event;
use crate::engine::traffic::request::space_of;
use crate::engine::warp::Warp;
use crate::engine::warp::program::{Dataflow, Op, Operand};
use crate::engine::warp::undefined::{Content, Fork, differ, flip_lane, lane_of};
use crate::finding::{Finding, Space};
use crate::lane::{LANES, lanes};
use smallvec::SmallVec;

/// The maximum number of instructions on each way from a branch that is treated like a selection.
const MOST: usize = 64;

/// The instructions from one side of a branch on, in order, and for each whether it belongs to a function that they
/// call.
#[derive(Default)]
struct Way {
    sites: SmallVec<[u32; MOST]>,
    called: SmallVec<[bool; MOST]>,
}

impl Way {
    /// Returns the position of an instruction outside of called functions.
    fn find(&self, site: u32) -> Option<usize> {
        self.sites.iter().zip(&self.called).position(|(at, called)| *at == site && !called)
    }
}

/// A register before a shuffle.
pub(super) struct Shuffled {
    register: Operand,
    real: Content,
    other: Content,
    origins: u64,
    guessed: u32,
}

/// Replaces some lanes of a register's contents.
fn replace(register: Operand, content: &mut Content, from: &Content, mask: u32) {
    match register.width() {
        0 => content[0] ^= (content[0] ^ from[0]) & u64::from(mask),
        width => {
            for lane in lanes(mask) {
                let flip = lane_of(content, width, lane) ^ lane_of(from, width, lane);
                flip_lane(content, width, lane, flip);
            }
        }
    }
}

impl Warp<'_> {
    /// Records the lane whose value each lane reads in a shuffle.
    #[cold]
    pub(crate) fn shuffles_from(&mut self, source: &[u32; LANES]) {
        if let Some(undefined) = &mut self.undefined {
            undefined.sources = *source;
        }
    }

    /// Returns the register that lanes read from each other, if it is partly undefined.
    pub(super) fn shuffled(&self, op: &Op, operands: &[Operand]) -> Option<Shuffled> {
        let value = operands.iter().find(|operand| !operand.is_written() && operand.place() == op.a)?;
        let known = self.undefined.as_ref()?.find(*value)?;
        let (other, origins, guessed) = (known.content, known.origins, known.guessed);
        Some(Shuffled { register: *value, real: self.content(*value), other, origins, guessed })
    }

    /// Marks what lanes have received as undefined where the sender's value was.
    pub(super) fn keep_shuffled(&mut self, shuffled: Option<&Shuffled>, operands: &[Operand]) {
        let Some(&Shuffled { register, real, other, origins, guessed: before }) = shuffled else { return };
        let Some(to) = operands.iter().copied().find(|operand| operand.is_written() && operand.width() != 0) else {
            return;
        };
        let Some(sources) = self.undefined.as_ref().map(|undefined| undefined.sources) else { return };
        let (mut content, mut guessed) = (self.content(to), 0);
        for lane in lanes(self.mask()) {
            let from = sources[lane] as usize % LANES;
            guessed |= (before >> from & 1) << lane;
            let flip = lane_of(&real, register.width(), from) ^ lane_of(&other, register.width(), from);
            flip_lane(&mut content, to.width(), lane, flip);
        }
        self.set_alternative(to, &content, (self.mask(), guessed), origins);
    }

    /// Sets what the lanes of a mask of a register would hold if the unwritten bits were inverted; the second mask has
    /// those in which that is a guess.
    fn set_alternative(&mut self, register: Operand, content: &Content, (mask, guessed): (u32, u32), origins: u64) {
        let real = self.content(register);
        let Some(undefined) = &mut self.undefined else { return };
        let known = undefined.find(register);
        let (mut all, others, before) =
            known.map_or((real, 0, 0), |known| (known.content, known.origins, known.guessed));
        replace(register, &mut all, content, mask);
        if differ(register, &real, &all) == 0 {
            undefined.forget(register);
        } else {
            undefined.set(register, all, origins | others, (before & !mask) | (guessed & mask));
        }
    }

    /// Returns whether a load with an undefined address reads the block's shared memory in any case. Then it has no
    /// effect besides its result, which is undefined.
    pub(super) fn reads_anywhere(&self, op: &Op) -> bool {
        let (base, offset) = op.address();
        let program = self.program();
        let Ok(at) = program.accesses.binary_search_by_key(&op.site, |access| access.pc) else { return false };
        let access = program.accesses[at];
        let (_, operands) = program.dataflow_of(op.site);
        let Some(register) = operands.iter().find(|operand| operand.place() == base && operand.width() == 8) else {
            return false;
        };
        let Some(known) = self.undefined.as_ref().and_then(|undefined| undefined.find(*register)) else { return false };
        let is_inside = |content: &Content, lane: usize| {
            let address = lane_of(content, 8, lane).wrapping_add(offset);
            let (space, at) = match access.space {
                Space::Generic | Space::Param => space_of(address),
                space => (space, address),
            };
            space == Space::Shared && at.saturating_add(access.size.into()) <= self.shared_len
        };
        let real = self.content(*register);
        let differing = differ(*register, &real, &known.content) & self.mask();
        lanes(differing).all(|lane| is_inside(&real, lane) && is_inside(&known.content, lane))
    }

    /// Treats a branch by an undefined value like a selection, if both ways soon meet again and only compute, load, and
    /// store to local memory: afterwards, what they write is undefined where they write different values. Returns false
    /// for other branches.
    ///
    /// # Safety
    /// The instruction is the next one of the program that runs.
    pub(super) unsafe fn fork(&mut self, op: &Op) -> bool {
        let program = self.program();
        if !self.is_branch(op.site) {
            return false;
        }
        // A branch has its predicate in `a`, in `b` all ones if it is negated, and its targets in the immediate.
        let (mut one, mut other) = (self.way(op.imm as u32), self.way((op.imm >> 32) as u32));
        let meet = |site: &u32| one.find(*site).zip(other.find(*site));
        let Some((end, end_of_other)) = other.sites.iter().find_map(meet) else { return false };
        one.sites.truncate(end);
        other.sites.truncate(end_of_other);
        let (one, other) = (one.sites, other.sites);
        let (_, operands) = program.dataflow_of(op.site);
        let Some(predicate) = operands.iter().find(|operand| operand.place() == op.a) else { return false };
        let Some(known) = self.undefined.as_ref().and_then(|undefined| undefined.find(*predicate)) else {
            return false;
        };
        let (real, content, origins) = (self.content(*predicate)[0] as u32, known.content[0] as u32, known.origins);
        let (mask, taken) = (self.mask(), real ^ op.b);
        let differing = (real ^ content) & mask;
        // SAFETY: these are instructions of the program, which `way` has found.
        unsafe {
            self.go_other_way(&one, &other, taken & differing, origins)
                && self.go_other_way(&other, &one, !taken & differing, origins)
        }
    }

    /// Returns the instructions from `start` on that only compute, load, and store what may be local, until the first
    /// other one. Jumps forward and calls are followed, and branches both ways of which are empty.
    fn way(&self, start: u32) -> Way {
        let program = self.program();
        let (mut way, mut at) = (Way::default(), start);
        let mut returns: SmallVec<[u32; 4]> = SmallVec::new();
        while way.sites.len() < MOST && (at as usize) < program.ops.len() {
            way.sites.push(at);
            way.called.push(!returns.is_empty());
            let (dataflow, operands) = program.dataflow_of(at);
            let to = program.ops[at as usize].imm;
            // The targets of a branch.
            let either = (self.behind_jumps(to as u32), self.behind_jumps((to >> 32) as u32));
            at = match dataflow {
                Dataflow::Pure | Dataflow::Compare | Dataflow::Load { .. } | Dataflow::Store => at + 1,
                Dataflow::Opaque if operands.iter().any(|operand| operand.is_written()) => at + 1,
                Dataflow::Call => {
                    returns.push((to >> 32) as u32);
                    to as u32
                }
                Dataflow::Return if !returns.is_empty() => returns.pop().unwrap_or_default(),
                Dataflow::Decides if self.jump_forward(at).is_some() => self.jump_forward(at).unwrap_or_default(),
                Dataflow::Decides if self.is_branch(at) && either.0 == either.1 => either.0,
                _ => break,
            };
        }
        way
    }

    /// Returns whether an instruction is a conditional branch.
    fn is_branch(&self, at: u32) -> bool {
        self.program().branches.binary_search_by_key(&at, |branch| branch.pc).is_ok()
    }

    /// Returns the target of a jump forward; `None` for any other instruction.
    fn jump_forward(&self, at: u32) -> Option<u32> {
        let program = self.program();
        let to = program.ops.get(at as usize)?.imm;
        let is_jump = matches!(program.dataflow_of(at), (Dataflow::Decides, []));
        let is_start = || program.blocks.binary_search_by_key(&to, |block| block.start.into()).is_ok();
        (is_jump && to > at.into() && is_start()).then_some(to as u32)
    }

    /// Returns the first instruction from `at` on that is not a jump forward, or the last one of many jumps.
    fn behind_jumps(&self, mut at: u32) -> u32 {
        // A kernel may have any number of jumps in a row.
        for _ in 0..MOST {
            match self.jump_forward(at) {
                Some(to) => at = to,
                None => break,
            }
        }
        at
    }

    /// Finds out what lanes that go one way from a branch would have written on the other way, and keeps that until
    /// they come to the end of their own way. Returns false if the other way would have other effects.
    ///
    /// # Safety
    /// The ways consist of instructions of the program that runs, of the kinds that [`Warp::way`] allows.
    unsafe fn go_other_way(&mut self, own: &[u32], other: &[u32], mask: u32, origins: u64) -> bool {
        if mask == 0 {
            return true;
        }
        let program = self.program();
        let mut registers: SmallVec<[Operand; 16]> = SmallVec::new();
        // A call writes the callee's return address, which each call writes again.
        let ways = own.iter().chain(other).map(|at| program.dataflow_of(*at));
        let writers = ways.filter(|(dataflow, _)| *dataflow != Dataflow::Call);
        for register in writers.flat_map(|(_, operands)| operands).filter(|register| register.is_written()) {
            if registers.iter().all(|known| known.place() != register.place()) {
                registers.push(*register);
            }
        }
        let find = |warp: &Self, register: Operand| {
            let known = warp.undefined.as_ref().and_then(|undefined| undefined.find(register));
            known.map(|known| (known.content, known.origins, known.guessed))
        };
        let before: Vec<_> = registers.iter().map(|register| find(self, *register)).collect();
        let all = self.mask();
        self.set_mask(mask);
        // SAFETY: the caller's contract.
        let fine = other.iter().all(|at| unsafe { self.would_execute(&program.ops[*at as usize], origins) });
        self.set_mask(all);
        let mut skipped = Vec::new();
        for (register, before) in registers.into_iter().zip(before) {
            let guessed = find(self, register).map_or(0, |known| known.2);
            skipped.push((register, self.other_content(register), guessed));
            let Some(undefined) = &mut self.undefined else { return fine };
            match before {
                Some((content, origins, guessed)) => undefined.set(register, content, origins, guessed),
                None => undefined.forget(register),
            }
        }
        let fork = Fork { way: SmallVec::from_slice(own), lanes: mask, skipped, origins };
        if own.is_empty() {
            self.end_fork(&fork, mask);
        } else if let Some(undefined) = &mut self.undefined {
            undefined.forks.push(fork);
        }
        fine
    }

    /// Marks the registers as undefined that lanes have written, or would have written, since a branch.
    fn end_fork(&mut self, fork: &Fork, mask: u32) {
        for (register, content, guessed) in &fork.skipped {
            self.set_alternative(*register, content, (fork.lanes & mask, *guessed), fork.origins);
        }
    }

    /// Marks the registers as undefined that lanes have written since a branch by an undefined value, when they have
    /// executed the last instruction of their way.
    pub(super) fn join(&mut self, site: u32, mask: u32) {
        let Some(undefined) = &mut self.undefined else { return };
        if undefined.forks.iter().all(|fork| fork.way.last() != Some(&site) || fork.lanes & mask == 0) {
            return;
        }
        for mut fork in std::mem::take(&mut undefined.forks) {
            if fork.way.last() == Some(&site) {
                self.end_fork(&fork, mask);
                fork.lanes &= !mask;
            }
            if let (Some(undefined), true) = (&mut self.undefined, fork.lanes != 0) {
                undefined.forks.push(fork);
            }
        }
    }

    /// Sets what the registers and the local memory that an instruction writes would hold if the running lanes executed
    /// it. Returns false if the instruction would have another effect.
    ///
    /// # Safety
    /// The instruction is one of the program that runs, of a kind that [`Warp::way`] allows.
    unsafe fn would_execute(&mut self, op: &Op, origins: u64) -> bool {
        let (dataflow, operands) = self.program().dataflow_of(op.site);
        let mask = self.mask();
        match dataflow {
            Dataflow::Pure | Dataflow::Compare => {}
            Dataflow::Store => return self.would_store(op, operands),
            Dataflow::Call | Dataflow::Return => return true,
            _ => {
                let written = operands.iter().filter(|operand| operand.is_written());
                written.for_each(|register| self.undefine(*register, mask, origins));
                if let Dataflow::Load { signed } = dataflow {
                    self.would_load(op, operands, signed, origins);
                }
                return true;
            }
        }
        let before: SmallVec<[Content; 6]> = operands.iter().map(|operand| self.content(*operand)).collect();
        let (mut all, guessed) = (origins, self.guessed_of(operands));
        for (operand, content) in operands.iter().zip(&before) {
            let other = self.undefined.as_ref().and_then(|undefined| undefined.find(*operand));
            all |= other.map_or(0, |known| known.origins);
            let content = other.map_or(*content, |known| known.content);
            self.set_content(*operand, &content);
        }
        // SAFETY: the caller's contract.
        unsafe { (op.part)(self, op) };
        let other: SmallVec<[Content; 6]> = operands.iter().map(|operand| self.content(*operand)).collect();
        for (operand, content) in operands.iter().zip(&before) {
            self.set_content(*operand, content);
        }
        for (operand, content) in operands.iter().zip(&other).filter(|(operand, _)| operand.is_written()) {
            self.set_alternative(*operand, content, (mask, guessed), all);
        }
        true
    }

    /// Returns what a register would hold if the unwritten bits were inverted.
    fn other_content(&self, register: Operand) -> Content {
        let known = self.undefined.as_ref().and_then(|undefined| undefined.find(register));
        known.map_or_else(|| self.content(register), |known| known.content)
    }

    /// Returns the offsets in local memory at which the running lanes would access it with undefined values in mind;
    /// `None` if one of them would access other memory.
    fn would_be_at(&self, op: &Op, operands: &[Operand], size: u64) -> Option<[u64; LANES]> {
        let (base, offset) = op.address();
        let program = self.program();
        let at = program.accesses.binary_search_by_key(&op.site, |access| access.pc).ok()?;
        let access = program.accesses[at];
        let register = operands.iter().find(|operand| operand.place() == base && operand.width() == 8);
        // SAFETY: the address of an access of the program is a register of this type.
        let content =
            register.map_or_else(|| unsafe { *self.reg::<Content>(base) }, |known| self.other_content(*known));
        let mut offsets = [0; LANES];
        for lane in lanes(self.mask()) {
            let address = content[lane].wrapping_add(offset);
            let (space, at) = match access.space {
                Space::Generic | Space::Param => space_of(address),
                space => (space, address),
            };
            if space != Space::Local || at.checked_add(size).is_none_or(|end| end > self.local_len) {
                return None;
            }
            offsets[lane] = at;
        }
        Some(offsets)
    }

    /// Sets what the registers of a load would hold if the running lanes executed it, where they would read local
    /// memory.
    fn would_load(&mut self, op: &Op, operands: &[Operand], signed: bool, origins: u64) {
        let written: SmallVec<[Operand; 4]> = operands.iter().copied().filter(|operand| operand.is_written()).collect();
        let Some(size) = self.access_size(op.site) else { return };
        let each = u64::from(size) / written.len().max(1) as u64;
        let Some(offsets) = self.would_be_at(op, operands, size.into()) else { return };
        for (k, register) in (0..).zip(written) {
            let mut content = self.content(register);
            for lane in lanes(self.mask()) {
                let mut value = 0;
                for byte in (0..each.min(8)).rev() {
                    let at = offsets[lane] + k * each + byte;
                    value = value << 8 | u64::from(self.local_byte(lane, at) ^ self.local_bits(lane, at));
                }
                let unused = 64 - 8 * each.clamp(1, 8);
                let value = if signed { (((value << unused) as i64) >> unused) as u64 } else { value };
                let width = register.width().max(1);
                flip_lane(&mut content, width, lane, lane_of(&self.content(register), width, lane) ^ value);
            }
            self.set_alternative(register, &content, (self.mask(), 0), origins);
        }
    }

    /// Marks the bytes of local memory as undefined in which a store would change them if the running lanes executed
    /// it. Returns false if it would store elsewhere.
    fn would_store(&mut self, op: &Op, operands: &[Operand]) -> bool {
        let values: SmallVec<[Operand; 4]> =
            operands.iter().copied().filter(|operand| !operand.is_written() && !operand.is_address()).collect();
        let Some(size) = self.access_size(op.site) else { return false };
        let each = u64::from(size) / values.len().max(1) as u64;
        let Some(offsets) = self.would_be_at(op, operands, size.into()) else { return false };
        for (k, value) in (0..).zip(values) {
            let content = self.other_content(value);
            for lane in lanes(self.mask()) {
                let bytes = lane_of(&content, value.width().max(1), lane).to_le_bytes();
                for (byte, new) in (0..each).zip(bytes) {
                    let at = offsets[lane] + k * each + byte;
                    let bits = self.local_byte(lane, at) ^ new;
                    let (local_len, written) = (self.local_len, &self.written);
                    let Some(undefined) = &mut self.undefined else { return true };
                    if bits == 0 {
                        undefined.partly.remove(&(lane, at));
                    } else if written.unwritten(lane as u64 * local_len + at, 1).is_none() {
                        undefined.partly.insert((lane, at), bits);
                        written.clear(lane as u64 * local_len + at, 1);
                    }
                }
            }
        }
        true
    }

    /// Returns the bytes a lane of a load or store.
    fn access_size(&self, site: u32) -> Option<u32> {
        let accesses = &self.program().accesses;
        let at = accesses.binary_search_by_key(&site, |access| access.pc).ok()?;
        Some(accesses[at].size)
    }

    /// Returns a byte of a lane's local memory.
    fn local_byte(&self, lane: usize, offset: u64) -> u8 {
        let Some(rows) = self.local_rows(offset, 1) else { return 0 };
        // SAFETY: the byte is in the lane's local memory.
        unsafe { *rows.lane(lane) }
    }

    /// Returns the undefined bits of a byte of a lane's local memory.
    fn local_bits(&self, lane: usize, offset: u64) -> u8 {
        if self.written.unwritten(lane as u64 * self.local_len + offset, 1).is_none() {
            return 0;
        }
        let known = self.undefined.as_ref().and_then(|undefined| undefined.partly.get(&(lane, offset)));
        known.copied().unwrap_or(u8::MAX)
    }

    /// Returns the lanes that execute a store because of an undefined value, and the loads behind it.
    pub(super) fn forked(&self, site: u32) -> (u32, u64) {
        let forks = self.undefined.iter().flat_map(|undefined| &undefined.forks);
        let inside = forks.filter(|fork| fork.way.contains(&site));
        inside.fold((0, 0), |(lanes, origins), fork| (lanes | fork.lanes, origins | fork.origins))
    }

    /// Returns the bits of a byte of local memory in which what a lane stores differs from what would be there without
    /// this store; all if the byte was not written.
    pub(super) fn changed_bits(&self, lane: usize, offset: u64, new: u8) -> u8 {
        let is_written = self.written.unwritten(lane as u64 * self.local_len + offset, 1).is_none();
        let partly = self.undefined.as_ref().and_then(|undefined| undefined.partly.get(&(lane, offset)));
        let bits = if is_written { Some(0) } else { partly.copied() };
        bits.map_or(u8::MAX, |bits| self.local_byte(lane, offset) ^ bits ^ new)
    }

    /// Returns the finding about what was stored at a lane's address in shared memory, if that came from unwritten
    /// memory.
    pub(super) fn stored_unset(&self, event: &Event<'_>, space: Space, lane: usize) -> Option<Finding> {
        if space != Space::Shared {
            return None;
        }
        let start = event.address.at(lane);
        let mut bytes = start..start.saturating_add(event.size.into());
        let stored = &self.block.get().stored_unset;
        bytes.find_map(|at| stored.get(&at)).map(|finding| Finding::clone(finding))
    }
}
