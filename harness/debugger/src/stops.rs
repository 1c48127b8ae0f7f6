//! What stops a launch: breakpoints, watchpoints and findings, and where the next of them is.

use recording::{AccessKind, InstructionInfo, SourceLine, Step, lanes_of};

use crate::expression::{Expression, Quantity, Scope};
use crate::focus::Focus;
use crate::scalar::Scalar;
use crate::session::SessionError;
use crate::timeline::{KnownByte, Memory, Timeline};

/// The direction of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// As the launch ran.
    Forward,
    /// Back.
    Reverse,
}

/// Where a breakpoint is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Location {
    /// A line of a source file.
    Line(SourceLine),
    /// The entry of a function.
    Function(String),
    /// An instruction, by its index in the header.
    Instruction(u32),
}

/// Which accesses stop at a watchpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WatchedAccess {
    /// Those that change the value.
    Change,
    /// Those that read it.
    Read,
    /// Both.
    Any,
}

/// What a watchpoint watches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Watched {
    /// Bytes of memory; of a scalar if its type is given.
    Memory {
        /// The memory.
        memory: Memory,
        /// The first address.
        address: u64,
        /// The bytes.
        bytes: u64,
        /// The type of a scalar; `None` for an array.
        scalar: Option<Scalar>,
    },
    /// A register of a lane.
    Register {
        /// The thread.
        focus: Focus,
        /// The register: an index into the header's registers.
        register: u32,
    },
}

/// What a breakpoint or watchpoint stops at.
#[derive(Clone, Debug, PartialEq)]
pub enum StopCondition {
    /// A warp comes to a location; only in lanes in which the condition holds.
    Breakpoint {
        /// The location.
        location: Location,
        /// Whether each instruction of the header is at the location.
        at: Vec<bool>,
        /// The condition.
        condition: Option<Expression>,
    },
    /// A value is accessed.
    Watchpoint {
        /// What is watched.
        watched: Watched,
        /// The accesses that count.
        access: WatchedAccess,
    },
}

/// A breakpoint or watchpoint.
#[derive(Clone, Debug, PartialEq)]
pub struct Stop {
    /// Its number.
    pub number: usize,
    /// The text by which the user set it.
    pub text: String,
    /// What it stops at.
    pub condition: StopCondition,
}

/// A step at which something stops, and the thread for which it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hit {
    /// The number of the breakpoint or watchpoint; `None` for a finding.
    pub number: Option<usize>,
    /// The step.
    pub step: usize,
    /// The thread.
    pub focus: Focus,
    /// Whether the launch stops behind the step, not before it.
    pub is_behind: bool,
}

/// Whether a breakpoint at this line stops at an instruction: the instruction, or a call that it was inlined from, is
/// there.
pub fn is_at_line(instruction: &InstructionInfo, line: SourceLine) -> bool {
    instruction.source == Some(line) || instruction.callers.contains(&line)
}

/// The steps that are searched for a hit.
#[derive(Clone, Copy)]
pub struct Search<'a> {
    /// Where expressions are evaluated; its focus and position do not count.
    pub scope: Scope<'a>,
    /// The first and the last step.
    pub steps: (usize, usize),
    /// The direction.
    pub direction: Direction,
    /// The only warp whose hits count.
    pub warp: Option<(u64, u32)>,
}

impl Search<'_> {
    /// Returns the first hit of a breakpoint or watchpoint.
    ///
    /// # Errors
    /// When a condition cannot be evaluated in any lane, at a step before the hit.
    pub fn first_hit(self, stop: &Stop) -> Result<Option<Hit>, SessionError> {
        match &stop.condition {
            StopCondition::Breakpoint { location, at, condition } => {
                self.find_step(self.all_steps(), |step| self.breakpoint(stop, location, at, condition.as_ref(), step))
            }
            StopCondition::Watchpoint { watched, access } => {
                let timeline = self.scope.timeline;
                let steps = match watched {
                    Watched::Memory { memory, address, bytes, .. } => timeline.accesses_of(*memory, *address, *bytes),
                    Watched::Register { focus, register } => {
                        let steps = timeline.writes_of(focus.block, focus.warp, *register);
                        steps.iter().map(|step| *step as usize).collect()
                    }
                };
                let (first, last) = self.steps;
                let steps = steps.into_iter().filter(|step| (first..=last).contains(step));
                self.find_step(steps, |step| Ok(self.watchpoint(stop, watched, *access, step)))
            }
        }
    }

    /// Returns the first finding.
    pub fn first_finding(self) -> Option<Hit> {
        let (first, last) = self.steps;
        let steps = self.scope.timeline.findings().filter(|step| (first..=last).contains(step));
        let hit = |step: usize| {
            let of = &self.scope.timeline.steps()[step];
            let lane = lanes_of(of.mask).next().unwrap_or(0);
            let focus = Focus { block: of.block, warp: of.warp, lane };
            self.counts(of).then_some(Hit { number: None, step, focus, is_behind: false })
        };
        self.find_step(steps, |step| Ok(hit(step))).unwrap_or_default()
    }

    fn all_steps(self) -> std::ops::Range<usize> {
        let (first, last) = self.steps;
        let end = last.saturating_add(1).min(self.scope.timeline.steps().len());
        first.min(end)..end
    }

    fn find_step(
        self,
        steps: impl DoubleEndedIterator<Item = usize>,
        mut hit: impl FnMut(usize) -> Result<Option<Hit>, SessionError>,
    ) -> Result<Option<Hit>, SessionError> {
        let mut find = |steps: &mut dyn Iterator<Item = usize>| {
            for step in steps {
                if let Some(found) = hit(step)? {
                    return Ok(Some(found));
                }
            }
            Ok(None)
        };
        match self.direction {
            Direction::Forward => find(&mut { steps }),
            Direction::Reverse => find(&mut steps.rev()),
        }
    }

    fn counts(self, step: &Step) -> bool {
        self.warp.is_none_or(|warp| warp == (step.block, step.warp))
    }

    fn breakpoint(
        self,
        stop: &Stop,
        location: &Location,
        at: &[bool],
        condition: Option<&Expression>,
        step: usize,
    ) -> Result<Option<Hit>, SessionError> {
        let of = &self.scope.timeline.steps()[step];
        if !at[of.instruction as usize] || of.mask == 0 || !self.counts(of) {
            return Ok(None);
        }
        if !arrives(self.scope.timeline, location, at, step) {
            return Ok(None);
        }
        let (mut failure, mut has_value) = (None, false);
        for lane in lanes_of(of.mask) {
            let focus = Focus { block: of.block, warp: of.warp, lane };
            let hit = Hit { number: Some(stop.number), step, focus, is_behind: false };
            let Some(condition) = condition else { return Ok(Some(hit)) };
            match (Scope { focus, position: step, ..self.scope }).holds(condition) {
                Ok(true) => return Ok(Some(hit)),
                Ok(false) => has_value = true,
                Err(error) => failure = Some(error),
            }
        }
        match failure {
            Some(error) if !has_value => Err(SessionError::Condition { number: stop.number, error }),
            _ => Ok(None),
        }
    }

    fn watchpoint(self, stop: &Stop, watched: &Watched, access: WatchedAccess, step: usize) -> Option<Hit> {
        let of = &self.scope.timeline.steps()[step];
        if !self.counts(of) {
            return None;
        }
        let focus = match watched {
            Watched::Register { focus, .. } => (of.mask >> focus.lane & 1 != 0).then_some(*focus)?,
            Watched::Memory { memory, address, bytes, .. } => {
                let accessed = of.access.as_ref()?;
                let overlaps = |lane: &usize| {
                    let start = accessed.addresses[*lane];
                    let is_own = match memory {
                        Memory::Lane(.., own) => own == lane,
                        _ => true,
                    };
                    is_own
                        && start < address.saturating_add(*bytes)
                        && *address < start.saturating_add(accessed.bytes.into())
                };
                let lane = lanes_of(of.mask).find(overlaps)?;
                let (reads, writes) = (accessed.kind != AccessKind::Store, accessed.kind != AccessKind::Load);
                let counts = match access {
                    WatchedAccess::Change => writes,
                    WatchedAccess::Read => reads,
                    WatchedAccess::Any => true,
                };
                counts.then_some(Focus { block: of.block, warp: of.warp, lane })?
            }
        };
        let is_change = access != WatchedAccess::Change || self.changes(watched, step);
        is_change.then_some(Hit { number: Some(stop.number), step, focus, is_behind: true })
    }

    /// Whether a step changes the value of what is watched.
    fn changes(self, watched: &Watched, step: usize) -> bool {
        let timeline = self.scope.timeline;
        match watched {
            Watched::Register { focus, register } => {
                timeline.register(*focus, *register, step) != timeline.register(*focus, *register, step + 1)
            }
            Watched::Memory { memory, address, bytes, .. } => {
                let of = &timeline.steps()[step];
                let Some(access) = &of.access else { return false };
                let byte = |at, position| timeline.byte(*memory, at, position).map(KnownByte::value);
                let (first, end) = (*address, address.saturating_add(*bytes));
                let written = lanes_of(of.mask).map(|lane| access.addresses[lane]);
                let mut written =
                    written.flat_map(|start| start.max(first)..start.saturating_add(access.bytes.into()).min(end));
                written.any(|at| byte(at, step) != byte(at, step + 1))
            }
        }
    }
}

/// Returns whether a warp arrives at a location with a step, and was not there before.
fn arrives(timeline: &Timeline, location: &Location, at: &[bool], step: usize) -> bool {
    let of = &timeline.steps()[step];
    let steps = timeline.steps_of(of.block, of.warp);
    let end = steps.partition_point(|before| (*before as usize) < step);
    let before = steps[..end].iter().rev().map(|before| *before as usize);
    let before =
        before.map(|before| (before, &timeline.steps()[before])).find(|(_, before)| before.mask & of.mask != 0);
    let Some((number, before)) = before else { return true };
    match location {
        Location::Instruction(_) => true,
        // A line that the warp is at already begins again where it jumps back.
        Location::Line(_) => !at[before.instruction as usize] || of.instruction <= before.instruction,
        Location::Function(_) => !at[before.instruction as usize] && is_call(&timeline.instruction(number).text),
    }
}

/// Whether an instruction is a call.
pub fn is_call(text: &str) -> bool {
    opcode(text).starts_with("call")
}

/// Whether an instruction returns from a function.
pub fn is_return(text: &str) -> bool {
    opcode(text).split('.').next() == Some("ret")
}

/// Returns the opcode of an instruction, without its guard.
fn opcode(text: &str) -> &str {
    text.split(|c: char| c.is_whitespace() || c == ';').find(|word| !word.starts_with('@')).unwrap_or_default()
}

/// Returns what a watchpoint at a quantity watches; `None` if it is a value that is computed.
pub fn watched(quantity: &Quantity, focus: Focus) -> Option<Watched> {
    match *quantity {
        Quantity::Register { register, .. } => Some(Watched::Register { focus, register }),
        Quantity::Place { memory, address, scalar } => {
            Some(Watched::Memory { memory, address, bytes: scalar.bytes(), scalar: Some(scalar) })
        }
        Quantity::Array { memory, address, bytes: Some(bytes), .. } => {
            Some(Watched::Memory { memory, address, bytes, scalar: None })
        }
        _ => None,
    }
}
