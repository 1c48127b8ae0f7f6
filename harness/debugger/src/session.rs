//! A debugging session: the position in the recorded launch, the thread in focus, and the stops.

use recording::{Event, Recording, SourceLine};

use crate::expression::{ExpressionError, Scope, parse};
use crate::focus::{Focus, shown, threads_of};
use crate::stops::{
    Direction, Hit, Location, Search, Stop, StopCondition, Watched, WatchedAccess, is_at_line, watched,
};
use crate::timeline::Timeline;
use crate::variables::Variables;

/// Why a command of a session fails.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SessionError {
    /// The recording has no step.
    #[error("the recording has no steps; record blocks in which the kernel runs")]
    Empty,
    /// The kernel has no line information.
    #[error(
        "the kernel has no line information, so a breakpoint needs a line of its PTX: break *{example}; or compile \
             with -lineinfo and record again"
    )]
    NoLines {
        /// A line of the PTX that has an instruction.
        example: u32,
    },
    /// No instruction belongs to the line or any later one.
    #[error("no instruction belongs to {file}:{line} or a later line; the lines with code are {lines}")]
    NoSuchLine {
        /// The file.
        file: String,
        /// The line.
        line: u32,
        /// The lines that have instructions.
        lines: String,
    },
    /// No such file or function.
    #[error("there is no {what} `{name}` in the recording; {suggestion}")]
    NoSuchName {
        /// What was looked for.
        what: &'static str,
        /// Its name.
        name: String,
        /// The names that there are.
        suggestion: String,
    },
    /// No instruction has this line in the PTX.
    #[error("line {0} of the PTX is not an instruction of the recorded code; `x/i` lists the instructions")]
    NoSuchInstruction(u32),
    /// The block is not recorded.
    #[error("{0}")]
    NotRecorded(String),
    /// No such breakpoint.
    #[error("there is no breakpoint or watchpoint {0}; `info breakpoints` lists them")]
    NoSuchStop(usize),
    /// The expression of a watchpoint is computed.
    #[error("`{0}` is not stored anywhere; watch a register or memory, such as %r1 or x[5]")]
    NotStored(String),
    /// A condition has no value.
    #[error("the condition of breakpoint {number} has no value: {error}")]
    Condition {
        /// The breakpoint.
        number: usize,
        /// Why.
        error: ExpressionError,
    },
    /// An expression has no value.
    #[error(transparent)]
    Expression(#[from] ExpressionError),
}

/// Why the launch stands where it does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// A step is done, or the event that was waited for has come.
    Stepped,
    /// A breakpoint.
    Breakpoint(usize),
    /// A watchpoint, and the step that accessed what it watches.
    Watchpoint(usize, usize),
    /// A finding, by its index in the header.
    Finding(u32),
    /// There are no earlier steps.
    Start,
    /// The lane of the focus has no further step.
    LaneEnded,
    /// There are no further steps.
    End,
}

/// An event of the focus's warp that can be run to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AwaitedEvent {
    /// Lanes part.
    Divergence,
    /// Lanes come to a barrier.
    Barrier,
    /// A check finds a mistake, in any warp.
    Finding,
}

/// A debugging session.
pub struct Session {
    timeline: Timeline,
    variables: Variables,
    position: usize,
    /// Whether the step at the position has been shown, so that the launch does not stop there again.
    is_shown: bool,
    focus: Focus,
    stops: Vec<Stop>,
    stops_at_findings: bool,
    last_number: usize,
}

impl Session {
    /// Opens a recording before its first step.
    ///
    /// # Errors
    /// When it has no steps.
    pub fn new(recording: Recording) -> Result<Self, SessionError> {
        let timeline = Timeline::new(recording);
        let variables = Variables::new(&timeline);
        let first = timeline.steps().first().ok_or(SessionError::Empty)?;
        let focus = Focus { block: first.block, warp: first.warp, lane: first.mask.trailing_zeros() as usize % 32 };
        Ok(Self {
            timeline,
            variables,
            position: 0,
            is_shown: false,
            focus,
            stops: Vec::new(),
            stops_at_findings: true,
            last_number: 0,
        })
    }

    /// Whether the launch stops at findings; it does unless this is called.
    pub fn stop_at_findings(&mut self, stops: bool) {
        self.stops_at_findings = stops;
    }

    /// Returns the recording.
    pub fn timeline(&self) -> &Timeline {
        &self.timeline
    }

    /// Returns the number of steps that have been executed.
    pub fn position(&self) -> usize {
        self.position
    }

    /// Goes to a position.
    pub fn set_position(&mut self, position: usize) {
        self.position = position.min(self.timeline.steps().len());
        self.is_shown = true;
    }

    /// Returns the thread in focus.
    pub fn focus(&self) -> Focus {
        self.focus
    }

    /// Returns the breakpoints and watchpoints.
    pub fn stops(&self) -> &[Stop] {
        &self.stops
    }

    /// Returns the scope in which expressions are evaluated.
    pub fn scope(&self) -> Scope<'_> {
        let Self { timeline, variables, focus, position, .. } = self;
        Scope { timeline, variables, focus: *focus, position: *position }
    }

    /// Returns the kernel's variables.
    pub fn variables(&self) -> &Variables {
        &self.variables
    }

    /// Returns the step that the lane in focus executes next; `None` if it has ended.
    pub fn next_step(&self) -> Option<usize> {
        self.timeline.lane_after(self.focus, self.position).next()
    }

    /// Sets the focus.
    ///
    /// # Errors
    /// When the block is not recorded, or has no such thread.
    pub fn set_focus(&mut self, focus: Focus) -> Result<(), SessionError> {
        let header = self.timeline.header();
        if !header.blocks.contains(focus.block) {
            let recording::BlockRange { first, last } = header.blocks;
            let block = focus.block;
            let recorded = if first == last { format!("block {first}") } else { format!("blocks {first} to {last}") };
            let exists = if block < header.grid_blocks() { "was not recorded" } else { "is not in the grid" };
            let remedy = if block < header.grid_blocks() { "; record it by --blocks" } else { "" };
            return Err(SessionError::NotRecorded(format!(
                "block {block} {exists}; the recording has {recorded} of {}{remedy}",
                header.grid_blocks()
            )));
        }
        if focus.thread() >= threads_of(header) {
            return Err(SessionError::NotRecorded(format!(
                "a block has no warp {} with lane {}; its {} threads are {}",
                focus.warp,
                focus.lane,
                threads_of(header),
                shown(header.block)
            )));
        }
        self.focus = focus;
        Ok(())
    }

    /// Sets a breakpoint; returns its number.
    ///
    /// # Errors
    /// When the condition is not an expression.
    pub fn set_breakpoint(
        &mut self,
        location: Location,
        condition: Option<&str>,
        text: &str,
    ) -> Result<usize, SessionError> {
        let condition = condition.map(|text| parse(text).map(|(condition, _)| condition)).transpose()?;
        let is_at = |(index, instruction): (usize, &recording::InstructionInfo)| match &location {
            Location::Line(line) => is_at_line(instruction, *line),
            Location::Function(name) => instruction.function == *name,
            Location::Instruction(wanted) => index == *wanted as usize,
        };
        let at = self.timeline.header().instructions.iter().enumerate().map(is_at).collect();
        Ok(self.add_stop(text, StopCondition::Breakpoint { location, at, condition }))
    }

    /// Sets a watchpoint; returns its number.
    ///
    /// # Errors
    /// When the expression has no place.
    pub fn set_watchpoint(&mut self, text: &str, access: WatchedAccess) -> Result<usize, SessionError> {
        let watched = self.watched_by(text)?;
        Ok(self.add_stop(text, StopCondition::Watchpoint { watched, access }))
    }

    /// Returns what a watchpoint with this text watches.
    ///
    /// # Errors
    /// When the expression has no place.
    pub fn watched_by(&self, text: &str) -> Result<Watched, SessionError> {
        let scope = self.scope();
        let (expression, _) = parse(text)?;
        let place = match scope.quantity(&expression) {
            Ok(quantity) => watched(&quantity, self.focus),
            // A register can be watched before anything is written to it.
            Err(ExpressionError::UnwrittenRegister(name)) => {
                let name = format!("%{}", name[1..].to_lowercase());
                let register = self.timeline.register_named(scope.function(), &name);
                register.map(|register| Watched::Register { focus: self.focus, register })
            }
            Err(error) => return Err(error.into()),
        };
        place.ok_or_else(|| SessionError::NotStored(text.to_owned()))
    }

    fn add_stop(&mut self, text: &str, condition: StopCondition) -> usize {
        self.last_number += 1;
        self.stops.push(Stop { number: self.last_number, text: text.to_owned(), condition });
        self.last_number
    }

    /// Returns the breakpoint or watchpoint with this number.
    pub fn stop(&self, number: usize) -> Option<&Stop> {
        self.stops.iter().find(|stop| stop.number == number)
    }

    /// Deletes a breakpoint or watchpoint, or all.
    ///
    /// # Errors
    /// When no breakpoint or watchpoint has the number.
    pub fn delete(&mut self, number: Option<usize>) -> Result<(), SessionError> {
        let Some(number) = number else {
            self.stops.clear();
            return Ok(());
        };
        let known = self.stops.iter().position(|stop| stop.number == number);
        self.stops.remove(known.ok_or(SessionError::NoSuchStop(number))?);
        Ok(())
    }

    /// Goes to the start of the recording, before its first step.
    pub fn restart(&mut self) {
        self.position = 0;
        self.is_shown = false;
        self.focus_on_step(0);
    }

    /// Runs from the start to the first stop, which may be at the first step.
    ///
    /// # Errors
    /// When a condition has no value.
    pub fn run(&mut self) -> Result<StopReason, SessionError> {
        self.restart();
        let hit = self.first_hit((0, usize::MAX), Direction::Forward, None)?;
        Ok(self.go_to_hit(hit, Direction::Forward))
    }

    /// Runs to the next stop in a direction.
    ///
    /// # Errors
    /// When a condition has no value.
    pub fn resume(&mut self, direction: Direction) -> Result<StopReason, SessionError> {
        let hit = match (direction, self.position) {
            (Direction::Forward, at) => self.first_hit((at, usize::MAX), direction, None)?,
            (Direction::Reverse, 0) => None,
            (Direction::Reverse, at) => self.first_hit((0, at - 1), direction, None)?,
        };
        Ok(self.go_to_hit(hit, direction))
    }

    /// Returns the first hit of any stop among these steps, other than one that the session stands at.
    pub(crate) fn first_hit(
        &self,
        steps: (usize, usize),
        direction: Direction,
        warp: Option<(u64, u32)>,
    ) -> Result<Option<Hit>, SessionError> {
        let mut search = Search { scope: self.scope(), steps, direction, warp };
        let mut best: Option<Hit> = None;
        let mut consider = |search: &mut Search<'_>, hit: Option<Hit>| {
            let Some(hit) = hit else { return };
            // Later searches need not go further than the nearest hit so far.
            match direction {
                Direction::Forward => search.steps.1 = hit.step,
                Direction::Reverse => search.steps.0 = hit.step,
            }
            let is_nearer = best.is_none_or(|best| match direction {
                Direction::Forward => hit.position(direction) < best.position(direction),
                Direction::Reverse => hit.position(direction) > best.position(direction),
            });
            if is_nearer {
                best = Some(hit);
            }
        };
        let is_passed = direction == Direction::Forward && self.is_shown;
        let first = steps.0 + usize::from(is_passed);
        if self.stops_at_findings {
            let hit = Search { steps: (first, steps.1), ..search }.first_finding();
            consider(&mut search, hit);
        }
        for stop in &self.stops {
            let hit = match stop.condition {
                StopCondition::Breakpoint { .. } => {
                    Search { steps: (search.steps.0.max(first), search.steps.1), ..search }.first_hit(stop)?
                }
                StopCondition::Watchpoint { .. } => search.first_hit(stop)?,
            };
            consider(&mut search, hit);
        }
        Ok(best)
    }

    /// Goes to a hit, or to the end of the recording in a direction.
    pub(crate) fn go_to_hit(&mut self, hit: Option<Hit>, direction: Direction) -> StopReason {
        let Some(hit) = hit else {
            return match direction {
                Direction::Forward => {
                    self.position = self.timeline.steps().len();
                    StopReason::End
                }
                Direction::Reverse => {
                    self.restart();
                    StopReason::Start
                }
            };
        };
        self.focus = hit.focus;
        self.position = hit.position(direction);
        self.is_shown = !hit.is_behind;
        match (hit.number, hit.is_behind) {
            (Some(number), true) => StopReason::Watchpoint(number, hit.step),
            (Some(number), false) => StopReason::Breakpoint(number),
            (None, _) => StopReason::Finding(self.timeline.steps()[hit.step].finding.expect("a step with a finding")),
        }
    }

    /// Runs until an event; returns why it stopped.
    ///
    /// # Errors
    /// When a condition has no value.
    pub fn run_until(&mut self, event: AwaitedEvent) -> Result<StopReason, SessionError> {
        let Focus { block, warp, .. } = self.focus;
        let is_it = |step: usize| match self.timeline.steps()[step].event {
            Event::Diverge => event == AwaitedEvent::Divergence,
            Event::WaitAtBarrier(_) | Event::Passed => event == AwaitedEvent::Barrier,
            _ => false,
        };
        // The session stops behind a divergence, where the lanes have parted, and before a barrier.
        let is_behind = event == AwaitedEvent::Divergence;
        let first = self.position + usize::from(!is_behind);
        let own = self.timeline.steps_of(block, warp).iter().map(|step| *step as usize);
        let found = own.filter(|step| *step >= first).find(|step| is_it(*step));
        let end = found.unwrap_or(usize::MAX);
        if let Some(hit) = self.first_hit((self.position, end), Direction::Forward, None)?
            && hit.position(Direction::Forward) <= end
        {
            return Ok(self.go_to_hit(Some(hit), Direction::Forward));
        }
        let Some(step) = found else { return Ok(self.go_to_hit(None, Direction::Forward)) };
        self.position = step + usize::from(is_behind);
        self.is_shown = !is_behind;
        if self.timeline.steps()[step].mask >> self.focus.lane & 1 == 0 {
            self.focus_on_step(step);
        }
        Ok(StopReason::Stepped)
    }

    /// Puts the focus on the first lane of a step.
    pub(crate) fn focus_on_step(&mut self, step: usize) {
        let of = &self.timeline.steps()[step];
        let is_same = (of.block, of.warp) == (self.focus.block, self.focus.warp);
        if !is_same || of.mask >> self.focus.lane & 1 == 0 {
            let lane = recording::lanes_of(of.mask).next().unwrap_or(0);
            self.focus = Focus { block: of.block, warp: of.warp, lane };
        }
    }

    /// Returns the source line of a step's instruction.
    pub fn line_of(&self, step: usize) -> Option<SourceLine> {
        self.timeline.instruction(step).source
    }
}

impl Hit {
    /// Returns the position at which the session stops.
    pub(crate) fn position(self, direction: Direction) -> usize {
        // Backwards, it stops before the step that wrote.
        self.step + usize::from(self.is_behind && direction == Direction::Forward)
    }
}
