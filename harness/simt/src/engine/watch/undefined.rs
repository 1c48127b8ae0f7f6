//! Values with undefined bits, because they come from unwritten memory.
//!
//! A program may read such memory as long as nothing depends on the values: it copies a structure with its padding,
//! changes some bits of a word, or loads before it checks whether it needs the value. So a load of unwritten bytes is
//! not yet a finding. For each register that it may have changed, the warp keeps an *alternative*: what the register
//! would hold if every one of those bits were inverted. Instructions that only compute are executed twice, with the
//! real values and with the alternatives. Where both results are equal, the result is defined. Where a value that
//! differs decides something (an address, a branch, what other threads see), the load is reported.
//!
//! A warp that has not read unwritten memory skips all of this.

use crate::checks::{Addresses, Event, Layout};
use crate::engine::traffic::request::space_of;
use crate::engine::warp::program::{Dataflow, Op, Operand, Program};
use crate::engine::warp::undefined::{Content, MOST_ORIGINS, differ, flip_lane, lane_of};
use crate::engine::warp::worker_scratch::Unjudged;
use crate::engine::warp::{Flow, Warp};
use crate::finding::{AccessKind, Finding, Space};
use crate::lane::{LANES, lanes};
use crate::memory::Written;
use smallvec::SmallVec;
use std::sync::Arc;

/// The undefined bytes that a store writes.
#[derive(Default)]
struct Stored {
    /// Those of local memory: lane, offset, and the undefined bits; 0 if they were undefined before.
    local: SmallVec<[(usize, u64, u8); 8]>,
    /// Those of shared memory.
    shared: SmallVec<[u64; 8]>,
    /// The finding about a load on which the latter depend, if they are used.
    origin: Option<Arc<Finding>>,
}

impl Warp<'_> {
    /// Runs the group until it stops, and tracks undefined values.
    ///
    /// # Safety
    /// As for the warp's other ways to run: `pc` is inside the program, all of whose paths end in an instruction that
    /// stops or jumps.
    #[cold]
    pub(crate) unsafe fn go_following(&mut self) {
        // SAFETY: see above; handlers keep to the contract of `Handler`.
        unsafe {
            let ops = self.ops;
            let mut at = ops.add(self.pc as usize);
            loop {
                match self.follow(&*at) {
                    Flow::Next => at = at.add(1),
                    Flow::Jump => at = ops.add(self.pc as usize),
                    Flow::Skip => at = at.add(2),
                    Flow::Stop => break,
                }
            }
        }
        self.end_following();
    }

    /// Stops tracking undefined values once none are left.
    pub(super) fn end_following(&mut self) {
        if let Some(undefined) = &self.undefined
            && undefined.alternatives.is_empty()
            && undefined.partly.is_empty()
            && undefined.forks.is_empty()
        {
            self.undefined = None;
        }
    }

    /// Executes an instruction, and tracks what it does with undefined values.
    ///
    /// # Safety
    /// As for a [`Handler`](crate::engine::warp::program::Handler): the instruction is one of the program.
    pub(super) unsafe fn follow(&mut self, op: &Op) -> Flow {
        let program = self.program();
        let (dataflow, operands) = program.dataflow_of(op.site);
        let reads = operands.iter().filter(|operand| !operand.is_written());
        match dataflow {
            Dataflow::Pure if reads.clone().any(|read| self.has_alternative(*read)) => {
                // SAFETY: the caller's contract.
                return unsafe { self.compute_twice(op, operands) };
            }
            Dataflow::Compare if reads.clone().any(|read| self.has_alternative(*read)) => {
                let (origins, differing) = self.origins_of(operands);
                let guessed = differing & self.guessed_of(operands) & self.mask();
                // SAFETY: the caller's contract.
                let flow = unsafe { self.compute_twice(op, operands) };
                for written in operands.iter().filter(|operand| operand.is_written()) {
                    self.define(*written, guessed);
                    self.undefine(*written, guessed, origins);
                }
                return flow;
            }
            Dataflow::Decides if reads.clone().any(|read| self.has_alternative(*read)) => {
                // SAFETY: the caller's contract.
                if !unsafe { self.fork(op) } {
                    reads.for_each(|read| self.decide(*read));
                }
            }
            Dataflow::Load { .. } if self.reads_anywhere(op) => {}
            Dataflow::Load { .. } | Dataflow::Guard | Dataflow::Decides => {
                reads.for_each(|read| self.decide(*read));
            }
            Dataflow::Store => reads.filter(|read| read.place() == op.a).for_each(|read| self.decide(*read)),
            Dataflow::Shuffle => reads.filter(|read| read.place() != op.a).for_each(|read| self.decide(*read)),
            Dataflow::Pure | Dataflow::Opaque | Dataflow::Compare | Dataflow::Call | Dataflow::Return => {}
        }
        if dataflow == Dataflow::Guard {
            // SAFETY: the caller's contract; an instruction follows every guard.
            return unsafe { self.follow_guarded(op) };
        }
        let stored = if dataflow == Dataflow::Store { self.undefined_bits(op, operands) } else { Stored::default() };
        // A load that has not been reported may have an undefined address.
        let depends = matches!(dataflow, Dataflow::Opaque | Dataflow::Load { .. });
        let (origins, differing) = if depends { self.origins_of(operands) } else { (0, 0) };
        let shuffled = if dataflow == Dataflow::Shuffle { self.shuffled(op, operands) } else { None };
        let mask = self.mask();
        // SAFETY: the caller's contract.
        let flow = unsafe { (op.part)(self, op) };
        if dataflow == Dataflow::Shuffle && flow != Flow::Next {
            // The lanes wait for others, and nothing has been written.
            return flow;
        }
        for written in operands.iter().filter(|operand| operand.is_written()) {
            self.define(*written, mask);
            if differing & mask != 0 {
                self.undefine(*written, differing & mask, origins);
            }
        }
        match dataflow {
            Dataflow::Load { .. } => self.follow_loaded(),
            Dataflow::Store => self.keep_stored(stored),
            Dataflow::Shuffle => self.keep_shuffled(shuffled.as_ref(), operands),
            _ => {}
        }
        self.join(op.site, mask);
        flow
    }

    /// # Safety
    /// As for [`Warp::follow`]; the instruction is a guard.
    unsafe fn follow_guarded(&mut self, op: &Op) -> Flow {
        let mask = self.mask();
        // SAFETY: the caller's contract.
        unsafe {
            // A guard has its predicate in `a`, and in `b` all ones if it is negated.
            let on = self.guarded(op, *self.reg::<u32>(op.a) ^ op.b);
            if on == 0 {
                return Flow::Skip;
            }
            if on == mask {
                return Flow::Next;
            }
            self.set_mask(on);
            let flow = self.follow(&*std::ptr::from_ref(op).add(1));
            if flow == Flow::Next {
                self.set_mask(mask);
                return Flow::Skip;
            }
            flow
        }
    }

    pub(super) fn has_alternative(&self, register: Operand) -> bool {
        self.undefined.as_ref().is_some_and(|undefined| undefined.find(register).is_some())
    }

    /// Returns the loads on which the registers that an instruction reads depend, and the lanes in which they do.
    fn origins_of(&self, operands: &[Operand]) -> (u64, u32) {
        let Some(undefined) = &self.undefined else { return (0, 0) };
        let reads = operands.iter().filter(|operand| !operand.is_written());
        reads.filter_map(|read| undefined.find(*read)).fold((0, 0), |(origins, lanes), known| {
            let differing = differ(known.register, &known.content, &self.content(known.register));
            (origins | known.origins, lanes | differing)
        })
    }

    /// Returns the lanes in which one of the registers that an instruction reads has a guessed alternative.
    pub(super) fn guessed_of(&self, operands: &[Operand]) -> u32 {
        let Some(undefined) = &self.undefined else { return 0 };
        let reads = operands.iter().filter(|operand| !operand.is_written());
        reads.filter_map(|read| undefined.find(*read)).fold(0, |all, known| all | known.guessed)
    }

    /// Returns the contents of a register.
    pub(super) fn content(&self, register: Operand) -> Content {
        let mut content = [0; LANES];
        // SAFETY: the operand is a register of the program, and has this many bytes in the register file.
        unsafe {
            let from = self.reg::<u8>(register.place());
            from.copy_to_nonoverlapping(content.as_mut_ptr().cast(), register.bytes());
        }
        content
    }

    pub(super) fn set_content(&mut self, register: Operand, content: &Content) {
        // SAFETY: as for `content`.
        unsafe {
            let to = self.reg::<u8>(register.place());
            to.copy_from_nonoverlapping(content.as_ptr().cast(), register.bytes());
        }
    }

    /// Executes an instruction that only computes, with the real values of the registers and with the alternatives.
    ///
    /// # Safety
    /// As for [`Warp::follow`].
    unsafe fn compute_twice(&mut self, op: &Op, operands: &[Operand]) -> Flow {
        let before: SmallVec<[Content; 6]> = operands.iter().map(|operand| self.content(*operand)).collect();
        let origins = self.undefined.as_ref().map_or(0, |undefined| {
            operands.iter().filter_map(|operand| undefined.find(*operand)).fold(0, |all, known| all | known.origins)
        });
        let guessed = self.guessed_of(operands);
        // SAFETY: the caller's contract.
        let flow = unsafe { (op.part)(self, op) };
        let real: SmallVec<[Content; 6]> = operands.iter().map(|operand| self.content(*operand)).collect();
        for (operand, content) in operands.iter().zip(&before) {
            let other = self.undefined.as_ref().and_then(|undefined| undefined.find(*operand));
            let content = other.map_or(*content, |known| known.content);
            self.set_content(*operand, &content);
        }
        // SAFETY: the caller's contract.
        unsafe { (op.part)(self, op) };
        let other: SmallVec<[Content; 6]> = operands.iter().map(|operand| self.content(*operand)).collect();
        for (operand, content) in operands.iter().zip(&before) {
            self.set_content(*operand, content);
        }
        for (at, operand) in operands.iter().enumerate().filter(|(_, operand)| operand.is_written()) {
            self.set_content(*operand, &real[at]);
            let Some(undefined) = &mut self.undefined else { continue };
            if differ(*operand, &real[at], &other[at]) == 0 {
                undefined.forget(*operand);
            } else {
                undefined.set(*operand, other[at], origins, guessed);
            }
        }
        flow
    }

    /// Marks what lanes have written to a register as defined.
    fn define(&mut self, register: Operand, mask: u32) {
        if !self.has_alternative(register) {
            return;
        }
        let now = self.content(register);
        let Some(undefined) = &mut self.undefined else { return };
        let Some(known) = undefined.alternatives.iter_mut().find(|k| k.register.place() == register.place()) else {
            return;
        };
        match register.width() {
            0 => known.content[0] ^= (known.content[0] ^ now[0]) & u64::from(mask),
            width => {
                for lane in lanes(mask) {
                    let flip = lane_of(&known.content, width, lane) ^ lane_of(&now, width, lane);
                    flip_lane(&mut known.content, width, lane, flip);
                }
            }
        }
        known.guessed &= !mask;
        if differ(register, &now, &known.content) == 0 {
            undefined.forget(register);
        }
    }

    /// Marks what lanes have written to a register as dependent on these loads, in whatever way.
    pub(super) fn undefine(&mut self, register: Operand, mask: u32, origins: u64) {
        let known = self.undefined.as_ref().and_then(|undefined| undefined.find(register));
        let (mut content, others, guessed) =
            known.map_or((self.content(register), 0, 0), |known| (known.content, known.origins, known.guessed));
        match register.width() {
            0 => content[0] ^= u64::from(mask),
            width => lanes(mask).for_each(|lane| flip_lane(&mut content, width, lane, u64::MAX)),
        }
        if let Some(undefined) = &mut self.undefined {
            undefined.set(register, content, origins | others, guessed | mask);
        }
    }

    /// Handles a decision that depends on the registers that an instruction reads.
    pub(super) fn decide_all(&mut self, operands: &[Operand]) {
        operands.iter().filter(|operand| !operand.is_written()).for_each(|read| self.decide(*read));
    }

    /// Handles a decision that depends on a register: if its value is undefined, the loads behind it are reported.
    fn decide(&mut self, register: Operand) {
        let Some(known) = self.undefined.as_ref().and_then(|undefined| undefined.find(register)) else { return };
        let lanes = differ(register, &known.content, &self.content(register)) & self.mask();
        if lanes != 0 {
            let origins = known.origins;
            self.tell(origins, lanes);
        }
    }

    /// Reports loads whose values some lanes have used.
    fn tell(&mut self, origins: u64, lanes: u32) {
        let Some(mut undefined) = self.undefined.take() else { return };
        let program = self.program();
        for (at, origin) in undefined.origins.iter_mut().enumerate() {
            if origins & (1 << at) != 0 && !origin.is_told {
                origin.is_told = true;
                let read = &origin.read;
                let bad = if read.mask & lanes == 0 { read.mask } else { read.mask & lanes };
                self.report_read(program, read, bad);
            }
        }
        let told = |at: usize| undefined.origins.get(at).is_some_and(|origin| origin.is_told);
        let told = (0..MOST_ORIGINS).filter(|at| told(*at)).fold(0u64, |all, at| all | 1 << at);
        undefined.alternatives.retain(|known| known.origins & !told != 0);
        self.undefined = Some(undefined);
    }

    fn report_read(&mut self, program: &Program, read: &Unjudged, bad: u32) {
        let finding = self.finding_of_read(program, read, bad);
        self.record(finding);
    }

    fn finding_of_read(&self, program: &Program, read: &Unjudged, bad: u32) -> Finding {
        let address = Addresses::of(&read.address);
        let event = Event {
            what: AccessKind::Read,
            strong: false,
            volatile: false,
            narrow: false,
            block_local: read.space == Space::Shared,
            pc: read.site,
            mask: bad,
            size: read.size,
            address,
            excuses: None,
            layout: &Layout::of(address, bad, read.size),
        };
        self.finding_of_unwritten(&program.ops[read.site as usize], &event, read.space, bad)
    }

    /// Records that lanes of a load are about to read unwritten bytes.
    pub(super) fn loads_unwritten(&mut self, read: Unjudged) {
        self.undefined.get_or_insert_default().loaded.push(read);
    }

    /// Combines the pieces of a load, each of which has been recorded separately, into one read.
    pub(super) fn join_loaded(&mut self, address: [u64; LANES], size: u32) {
        let Some(undefined) = &mut self.undefined else { return };
        let mask = undefined.loaded.iter().fold(0, |all, read| all | read.mask);
        undefined.loaded.truncate(1);
        if let Some(read) = undefined.loaded.first_mut() {
            (read.mask, read.address, read.size) = (mask, address, size);
        }
    }

    /// Stores the alternatives of the registers that the last load has written.
    pub(crate) fn follow_loaded(&mut self) {
        let Some(undefined) = &mut self.undefined else { return };
        for read in std::mem::take(&mut undefined.loaded) {
            self.follow_read(read);
        }
    }

    fn follow_read(&mut self, read: Unjudged) {
        let program = self.program();
        let (dataflow, operands) = program.dataflow_of(read.site);
        let signed = dataflow == Dataflow::Load { signed: true };
        let written: SmallVec<[Operand; 8]> = operands.iter().copied().filter(|o| o.is_written()).collect();
        let each = read.size / written.len().max(1) as u32;
        let mut contents: SmallVec<[Content; 8]> = written.iter().map(|register| self.content(*register)).collect();
        for lane in lanes(read.mask) {
            let bits = self.unwritten_bits(&read, lane);
            for (k, register) in written.iter().enumerate() {
                let mut flip = 0;
                for byte in (0..each as usize).rev() {
                    flip = flip << 8 | u64::from(bits[k * each as usize + byte]);
                }
                let unused = 64 - 8 * each.min(8);
                let flip = if signed { (((flip << unused) as i64) >> unused) as u64 } else { flip };
                flip_lane(&mut contents[k], register.width().max(1), lane, flip);
            }
        }
        let Some(undefined) = &mut self.undefined else { return };
        let lanes_read = read.mask;
        let number = undefined.add(read);
        for (register, content) in written.iter().zip(contents) {
            let (others, guessed) = undefined.find(*register).map_or((0, 0), |known| (known.origins, known.guessed));
            undefined.set(*register, content, others | 1 << number, guessed | lanes_read);
        }
        // Registers without undefined bits are not tracked.
        for register in written {
            self.define(register, 0);
        }
    }

    /// Returns the unwritten bits of a lane's read, byte by byte.
    fn unwritten_bits(&self, read: &Unjudged, lane: usize) -> [u8; 32] {
        let address = read.address[lane];
        let used = self.program().used_bytes_of(read.site).unwrap_or(u32::MAX);
        let mut bits = [0; 32];
        let view = &self.launch().view;
        let (written, start): (&Written, u64) = match read.space {
            Space::Shared => (&self.block.get().written, address),
            Space::Local => (&self.written, lane as u64 * self.local_len + address),
            _ => match view.locate(address) {
                Some((at, Some(written))) => (written, address - view.ranges()[at].start),
                _ => return bits,
            },
        };
        let partly = self.undefined.as_ref().map(|undefined| &undefined.partly).filter(|_| read.space == Space::Local);
        let element = self.element(read.site).max(1) as usize;
        let size = (read.size as usize).min(bits.len());
        let is_blank = |byte: &usize| used & (1 << byte) != 0 && written.unwritten(start + *byte as u64, 1).is_some();
        for first in (0..size).step_by(element) {
            let bytes = first..(first + element).min(size);
            // The padding between the members of a structure is copied with it.
            if bytes.clone().filter(|byte| used & (1 << byte) != 0).all(|byte| is_blank(&byte)) {
                for byte in bytes.filter(is_blank) {
                    let known = partly.and_then(|partly| partly.get(&(lane, address + byte as u64)));
                    bits[byte] = known.copied().unwrap_or(u8::MAX);
                }
            }
        }
        bits
    }

    /// Returns what a store writes to local memory whose value is, or was before, partly undefined, and the undefined
    /// bytes that it writes to shared memory, from which other threads may or may not read them. What is stored
    /// elsewhere must be defined, as others will see it; otherwise the loads behind it are reported.
    fn undefined_bits(&mut self, op: &Op, operands: &[Operand]) -> Stored {
        let mut kept = Stored::default();
        let program = self.program();
        let Ok(at) = program.accesses.binary_search_by_key(&op.site, |access| access.pc) else { return kept };
        let access = program.accesses[at];
        let values: SmallVec<[Operand; 4]> =
            operands.iter().copied().filter(|o| !o.is_written() && !o.is_address()).collect();
        let each = access.size / values.len().max(1) as u32;
        let (base, offset) = op.address();
        // SAFETY: the address of a store of the program is a register of this type.
        let addresses = unsafe { *self.reg::<[u64; LANES]>(base) }.map(|address| address.wrapping_add(offset));
        let is_in = |lane: usize, space: Space| match access.space {
            Space::Generic | Space::Param => space_of(addresses[lane]).0 == space,
            declared => declared == space,
        };
        let mask = self.mask();
        let local = lanes(mask).filter(|lane| is_in(*lane, Space::Local)).fold(0u32, |all, lane| all | 1 << lane);
        let (size, shared_len) = (u64::from(access.size), self.shared_len);
        let in_block =
            |lane: usize| is_in(lane, Space::Shared) && space_of(addresses[lane]).1.saturating_add(size) <= shared_len;
        let shared = lanes(mask).filter(|lane| in_block(*lane)).fold(0u32, |all, lane| all | 1 << lane);
        let (forked, behind_fork) = self.forked(op.site);
        if forked & mask & !local != 0 {
            self.tell(behind_fork, forked & mask & !local);
        }
        for (k, value) in values.into_iter().enumerate() {
            let now = self.content(value);
            let Some(undefined) = &self.undefined else { return kept };
            let known = undefined.find(value);
            let width = value.width().max(1);
            let flips =
                |lane: usize| known.map_or(0, |k| lane_of(&k.content, width, lane) ^ lane_of(&now, width, lane));
            for lane in lanes(local) {
                let first = space_of(addresses[lane]).1 + k as u64 * u64::from(each);
                let bytes = flips(lane).to_le_bytes();
                for (byte, bits) in bytes.into_iter().enumerate().take(each as usize) {
                    let (at, value) = (first + byte as u64, lane_of(&now, width, lane).to_le_bytes()[byte]);
                    let skipped = if forked & (1 << lane) != 0 { self.changed_bits(lane, at, value) } else { 0 };
                    let bits = bits | skipped;
                    if bits != 0 || undefined.partly.contains_key(&(lane, first + byte as u64)) {
                        kept.local.push((lane, first + byte as u64, bits));
                    }
                }
            }
            let used = if each >= 8 { u64::MAX } else { (1 << (8 * each)) - 1 };
            for lane in lanes(shared).filter(|lane| flips(*lane) & used != 0) {
                let first = space_of(addresses[lane]).1 + k as u64 * u64::from(each);
                let bytes = &(flips(lane) & used).to_le_bytes()[..each.min(8) as usize];
                // Bytes of a structure and its padding are defined or not; a number is undefined as a whole.
                let whole = bytes.iter().any(|bits| !matches!(*bits, 0 | u8::MAX));
                let undefined = (first..).zip(bytes).filter(|(_, bits)| whole || **bits != 0);
                kept.shared.extend(undefined.map(|(at, _)| at));
            }
            if let (Some(known), false) = (known, kept.shared.is_empty()) {
                let origin = undefined.origins.get(known.origins.trailing_zeros() as usize);
                let bad = |mask: u32| if mask & shared == 0 { mask } else { mask & shared };
                kept.origin = origin
                    .map(|origin| Arc::new(self.finding_of_read(program, &origin.read, bad(origin.read.mask))))
                    .or(kept.origin);
            }
            let seen = lanes(mask & !local & !shared).filter(|lane| flips(*lane) & used != 0);
            let seen = seen.fold(0u32, |all, lane| all | 1 << lane);
            if let (Some(known), true) = (known, seen != 0) {
                let origins = known.origins;
                self.tell(origins, seen);
            }
        }
        kept
    }

    /// Records for bytes of local memory which of their bits are undefined, and marks undefined bytes of shared memory
    /// as unwritten.
    fn keep_stored(&mut self, stored: Stored) {
        let local_len = self.local_len;
        if !stored.shared.is_empty() {
            let block = self.block.get_mut();
            block.stretch = 0..0;
            for at in stored.shared {
                block.written.clear(at, 1);
                block.stored_unset.extend(stored.origin.clone().map(|origin| (at, origin)));
            }
        }
        let Some(undefined) = &mut self.undefined else { return };
        for (lane, offset, bits) in stored.local {
            if bits == 0 {
                undefined.partly.remove(&(lane, offset));
            } else {
                undefined.partly.insert((lane, offset), bits);
                self.written.clear(lane as u64 * local_len + offset, 1);
            }
        }
    }
}
