//! Records the steps of warps: see [`crate::engine::warp::step_recorder`].
//!
//! A warp of a recorded block is run here, instruction by instruction, with the handlers that would run it anyway. No
//! other warp takes this path, so a launch that is not recorded pays one comparison for each group of lanes that is
//! chosen, and nothing for an instruction.

use crate::engine::traffic::request::space_of;
use crate::engine::warp::program::{Dataflow, Op, Operand};
use crate::engine::warp::step_recorder::{RecordedAccess, StepRecorder};
use crate::engine::warp::{Flow, Reason, State, Warp};
use crate::finding::{AccessKind, Space};
use crate::lane::{LANES, lanes};
use recording::{Access, Change, Event, Lanes};

/// What is known of an instruction before it is executed.
#[derive(Clone, Copy)]
struct Before {
    mask: u32,
    live: u32,
    has_access: bool,
}

/// Returns the values of the lanes of a mask, and 0 for the others.
fn masked<T: Copy + Into<u64>>(register: &[T; LANES], mask: u32) -> Lanes {
    if mask == u32::MAX {
        return register.map(Into::into);
    }
    std::array::from_fn(|lane| if mask >> lane & 1 == 0 { 0 } else { register[lane].into() })
}

impl Warp<'_> {
    /// Runs the group until it stops, and records its steps.
    ///
    /// # Safety
    /// As for the warp's other ways to run: `pc` is inside the program, all of whose paths end in an instruction that
    /// stops or jumps.
    #[cold]
    pub(crate) unsafe fn go_recorded(&mut self) {
        self.with_recorder(Warp::resume_recorded);
        // SAFETY: see above; handlers keep to the contract of `Handler`.
        unsafe {
            let ops = self.ops;
            let mut at = ops.add(self.pc as usize);
            loop {
                match self.run_recorded(&*at) {
                    Flow::Next => at = at.add(1),
                    Flow::Jump => at = ops.add(self.pc as usize),
                    Flow::Skip => at = at.add(2),
                    Flow::Stop => break,
                }
            }
        }
        self.end_following();
    }

    /// Executes an instruction, and records it.
    ///
    /// # Safety
    /// As for a [`Handler`](crate::engine::warp::program::Handler): the instruction is one of the program.
    unsafe fn run_recorded(&mut self, op: &Op) -> Flow {
        let (dataflow, operands) = self.program().dataflow_of(op.site);
        if dataflow == Dataflow::Guard {
            // SAFETY: the caller's contract; an instruction follows every guard.
            return unsafe { self.run_guarded(op, operands) };
        }
        let before = self.before(op);
        let is_tracked = self.undefined.is_some();
        // SAFETY: the caller's contract.
        let flow = unsafe { if is_tracked { self.follow(op) } else { (op.part)(self, op) } };
        self.follow_loaded();
        self.with_recorder(|warp, recorder| warp.record_step(recorder, op, before, flow));
        flow
    }

    /// # Safety
    /// As for [`Warp::run_recorded`]; the instruction is a guard.
    unsafe fn run_guarded(&mut self, op: &Op, operands: &[Operand]) -> Flow {
        self.decide_all(operands);
        let mask = self.mask();
        // SAFETY: the caller's contract. A guard has its predicate in `a`, and in `b` all ones if it is negated.
        unsafe {
            let next = &*std::ptr::from_ref(op).add(1);
            let on = self.guarded(op, *self.reg::<u32>(op.a) ^ op.b);
            if on == 0 {
                self.with_recorder(|warp, recorder| warp.record_skipped(recorder, next));
                return Flow::Skip;
            }
            if on == mask {
                return Flow::Next;
            }
            self.set_mask(on);
            let flow = self.run_recorded(next);
            if flow == Flow::Next {
                self.set_mask(mask);
                return Flow::Skip;
            }
            flow
        }
    }

    /// Calls `act` with the recorder, unless the recording has been cut.
    fn with_recorder(&mut self, act: impl FnOnce(&mut Self, &mut StepRecorder)) {
        if let Some(mut recorder) = self.scratch.get_mut().steps.take() {
            if !recorder.encoder.is_cut() {
                act(self, &mut recorder);
            }
            self.scratch.get_mut().steps = Some(recorder);
        }
    }

    /// Empties the step that is being filled, and puts it at an instruction.
    fn begin_step(&self, recorder: &mut StepRecorder, site: u32, mask: u32) {
        let step = &mut recorder.step;
        (step.block, step.warp) = (self.block.get().number, self.index);
        (step.instruction, step.mask) = (site, mask);
        (step.reconverged, step.event, step.finding) = (false, Event::None, None);
        step.changes.clear();
    }

    /// Records what has happened to the lanes of a group while they did not run: they have met, or a barrier has
    /// opened.
    fn resume_recorded(&mut self, recorder: &mut StepRecorder) {
        let (mask, pc) = (self.mask(), self.pc);
        let Some(state) = &mut self.recorded else { return };
        state.reconverged |= lanes(mask).any(|lane| state.together[lane] != 0 && mask & !state.together[lane] != 0);
        let mut released = 0;
        for lane in lanes(mask) {
            state.together[lane] = mask;
            let waited = std::mem::replace(&mut state.waits[lane], u32::MAX);
            // Lanes that waited for others of their warp execute the instruction again.
            released |= u32::from(waited.checked_add(1) == Some(pc)) << lane;
        }
        if released != 0 {
            let site = pc - 1;
            self.begin_step(recorder, site, released);
            recorder.step.event = Event::Released;
            self.record_writes(recorder, site, released);
            recorder.encoder.step(&recorder.step);
        }
    }

    /// Records an instruction whose guard holds in no lane.
    fn record_skipped(&mut self, recorder: &mut StepRecorder, op: &Op) {
        self.begin_step(recorder, op.site, 0);
        recorder.encoder.step(&recorder.step);
    }

    /// Returns what must be known of an instruction before it is executed, since it may change its own operands.
    fn before(&mut self, op: &Op) -> Before {
        let mut before = Before { mask: self.mask(), live: self.live, has_access: false };
        if let Some(mut recorder) = self.scratch.get_mut().steps.take() {
            if let Some(access) = recorder.ops[op.site as usize].access {
                before.has_access = true;
                self.access_before(op, access, &mut recorder.access);
            }
            self.scratch.get_mut().steps = Some(recorder);
        }
        before
    }

    /// Fills in an access that is about to be made, with what it stores.
    fn access_before(&self, op: &Op, RecordedAccess { what, space, size }: RecordedAccess, access: &mut Access) {
        let mask = self.mask();
        let (base, offset) = op.address();
        // SAFETY: the address of a memory instruction of the program is a register of this type.
        let generic = unsafe { &*self.reg::<[u64; LANES]>(base) };
        let addresses = &mut access.addresses;
        lanes(mask).for_each(|lane| addresses[lane] = generic[lane].wrapping_add(offset));
        let space = match space {
            Space::Generic => {
                let first = space_of(addresses[mask.trailing_zeros() as usize & 31]).0;
                let is_one = lanes(mask).all(|lane| space_of(addresses[lane]).0 == first);
                if is_one {
                    lanes(mask).for_each(|lane| addresses[lane] = space_of(addresses[lane]).1);
                }
                // Addresses in several spaces are left as the kernel has them.
                if is_one { first } else { Space::Global }
            }
            declared => declared,
        };
        access.elements.clear();
        access.kind = match what {
            AccessKind::Write => {
                self.elements(op, size, false, &mut access.elements);
                recording::AccessKind::Store
            }
            AccessKind::Read => recording::AccessKind::Load,
            _ => recording::AccessKind::Atomic,
        };
        access.space = match space {
            Space::Shared => recording::Space::Shared,
            Space::Local => recording::Space::Local,
            Space::Param => recording::Space::Parameter,
            Space::Const => recording::Space::Constant,
            _ => recording::Space::Global,
        };
        access.bytes = size;
        (access.traffic, access.ideal) = self.traffic(op);
    }

    /// Returns the sectors or wavefronts that were counted at an instruction, and the ideal number of them.
    fn traffic(&self, op: &Op) -> (u32, u32) {
        let rows = if self.row == 0 { 1 } else { 3 };
        (0..rows).fold((0, 0), |(traffic, ideal): (u32, u32), row| {
            // SAFETY: every instruction has a site in each row.
            let site = unsafe { &*self.sites.add(op.site as usize + row * self.row) };
            (traffic.wrapping_add(site.sectors as u32), ideal.wrapping_add(site.ideal as u32))
        })
    }

    /// Adds the values that a load has written to registers, or that a store takes from them: the elements of the
    /// `size` bytes of each lane.
    fn elements(&self, op: &Op, size: u32, is_load: bool, to: &mut Vec<Lanes>) {
        let (_, operands) = self.program().dataflow_of(op.site);
        let values = || operands.iter().filter(|o| o.is_written() == is_load && !o.is_address());
        let each = size / values().count().max(1) as u32;
        let used = if each >= 8 { u64::MAX } else { (1 << (8 * each)) - 1 };
        for value in values() {
            let mut lanes = self.values(*value, self.mask());
            for value in &mut lanes {
                *value &= used;
            }
            to.push(lanes);
        }
    }

    /// Returns the values of a register in the lanes of a mask.
    fn values(&self, register: Operand, mask: u32) -> Lanes {
        let place = register.place();
        // SAFETY: the operand is a register of the program, of this width.
        unsafe {
            match register.width() {
                0 => {
                    let bits = *self.reg::<u32>(place);
                    std::array::from_fn(|lane| u64::from(bits & mask) >> lane & 1)
                }
                2 => masked(&*self.reg::<[u16; LANES]>(place), mask),
                4 => masked(&*self.reg::<[u32; LANES]>(place), mask),
                _ => masked(&*self.reg::<[u64; LANES]>(place), mask),
            }
        }
    }

    /// Adds the registers that an instruction has written.
    fn record_writes(&self, recorder: &mut StepRecorder, site: u32, mask: u32) {
        for (operand, register) in &recorder.ops[site as usize].writes {
            recorder.step.changes.push(Change { register: *register, values: self.values(*operand, mask) });
        }
    }

    /// Adds the registers that were set before the warp's first instruction. What the step itself writes comes after.
    fn record_preset(&self, recorder: &mut StepRecorder, mask: u32) {
        let preset = recorder.preset.iter();
        let preset =
            preset.map(|(operand, register)| Change { register: *register, values: self.values(*operand, mask) });
        recorder.step.changes.splice(..0, preset);
    }

    /// Records an instruction that has been executed.
    fn record_step(&mut self, recorder: &mut StepRecorder, op: &Op, before: Before, flow: Flow) {
        let mask = before.mask;
        self.begin_step(recorder, op.site, mask);
        let (event, waits) = self.event(recorder, op, &before, flow);
        let has_access = before.has_access && !waits;
        recorder.step.event = event;
        if !waits {
            self.record_writes(recorder, op.site, mask);
        }
        if has_access {
            self.access_after(recorder, op, event);
        }
        recorder.step.finding = recorder.new_finding(&self.scratch.get().findings);
        let Some(state) = &mut self.recorded else { return };
        if waits {
            lanes(mask).for_each(|lane| state.waits[lane] = op.site);
        }
        let step = &mut recorder.step;
        let has_effect = !step.changes.is_empty() || has_access || step.finding.is_some() || event != Event::None;
        if has_effect || !recorder.ops[op.site as usize].is_auxiliary {
            step.reconverged = std::mem::take(&mut state.reconverged);
            let is_first = mask & !state.started != 0;
            state.started |= mask;
            if is_first {
                self.record_preset(recorder, mask);
            }
            let access = has_access.then_some(&recorder.access);
            recorder.encoder.step_with(&recorder.step, access);
        }
    }

    /// Returns what happened to the lanes at an instruction, and whether they wait, so that nothing was written.
    fn event(&self, recorder: &StepRecorder, op: &Op, before: &Before, flow: Flow) -> (Event, bool) {
        let stopped = flow == Flow::Stop;
        if stopped && self.reason == Reason::Fault {
            return (Event::Fault, false);
        }
        if before.live != self.live {
            return (Event::Exit, false);
        }
        if stopped && self.reason == Reason::Gone {
            let parked = self.groups.last().filter(|group| group.pc == op.site);
            return match parked.map(|group| group.state) {
                Some(State::Barrier(number)) => (Event::WaitAtBarrier(number), true),
                Some(State::Lanes(_) | State::Warp(_) | State::Whole) => (Event::WaitForLanes, true),
                Some(State::Phase(_)) => (Event::WaitForPhase, true),
                Some(State::Cluster) => (Event::WaitForCluster, true),
                Some(State::Ready | State::Deferred) => (Event::Retry, true),
                None => (Event::Diverge, false),
            };
        }
        if stopped && self.mask() != before.mask {
            return (Event::Diverge, false);
        }
        let passed = recorder.ops[op.site as usize].is_barrier;
        (if passed { Event::Passed } else { Event::None }, false)
    }

    /// Completes an access that has been made.
    fn access_after(&self, recorder: &mut StepRecorder, op: &Op, event: Event) {
        let (traffic, ideal) = self.traffic(op);
        let access = &mut recorder.access;
        access.traffic = traffic.wrapping_sub(access.traffic);
        access.ideal = ideal.wrapping_sub(access.ideal);
        let mask = recorder.step.mask;
        if access.space == recording::Space::Global {
            let view = &self.launch().view;
            lanes(mask).for_each(|lane| recorder.touched.touch(view, access.addresses[lane]));
        }
        if event == Event::Fault {
            return;
        }
        match access.kind {
            recording::AccessKind::Load => self.elements(op, access.bytes, true, &mut access.elements),
            recording::AccessKind::Store => {}
            recording::AccessKind::Atomic => access.elements = self.in_memory(access, mask).unwrap_or_default(),
        }
    }

    /// Returns the contents of memory at the addresses of an atomic; `None` if they are not in the block's own shared
    /// memory or in global memory.
    fn in_memory(&self, access: &Access, mask: u32) -> Option<Vec<Lanes>> {
        let mut elements = vec![[0; LANES]; access.bytes.div_ceil(8) as usize];
        for lane in lanes(mask) {
            let (address, size) = (access.addresses[lane], u64::from(access.bytes));
            let host = match access.space {
                recording::Space::Shared if address.checked_add(size)? <= self.shared_len => {
                    self.shared.wrapping_add(address as usize)
                }
                recording::Space::Global => {
                    let range = self.launch().view.find(address).filter(|range| range.contains(address, size))?;
                    range.host(address)
                }
                _ => return None,
            };
            for (element, offset) in elements.iter_mut().zip((0..size as usize).step_by(8)) {
                let mut bytes = [0; 8];
                let count = (size as usize - offset).min(8);
                // SAFETY: these bytes lie in the block's shared memory, or in a live allocation.
                unsafe { host.add(offset).copy_to_nonoverlapping(bytes.as_mut_ptr(), count) };
                element[lane] = u64::from_le_bytes(bytes);
            }
        }
        Some(elements)
    }
}
