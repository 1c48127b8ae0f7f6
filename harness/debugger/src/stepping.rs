//! Steps of the thread in focus, forwards and back: by instructions and by source lines.
//!
//! A step follows the lane of the focus: what other warps and other lanes do in between happens too, as it did in the
//! launch.

use recording::SourceLine;

use crate::session::{Session, SessionError, StopReason};
use crate::stops::{Direction, is_call, is_return};
use crate::timeline::Timeline;

/// How far a step goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepSize {
    /// One instruction.
    Instruction,
    /// To another source line.
    Line,
    /// To another source line of the same function or its callers.
    LineOver,
    /// Out of the function.
    Out,
}

/// A place of the code: its source line, and how many calls deep it is below the function of the kernel.
#[derive(Clone, Copy, PartialEq, Eq)]
struct CodePlace {
    line: Option<SourceLine>,
    depth: i64,
}

impl Session {
    /// Steps the lane in focus. It stops earlier at a breakpoint, watchpoint or finding of its own warp.
    ///
    /// # Errors
    /// When the condition of a breakpoint has no value.
    pub fn step(&mut self, size: StepSize, direction: Direction) -> Result<StopReason, SessionError> {
        let target = match direction {
            Direction::Forward => self.step_forward(size),
            Direction::Reverse => self.step_back(size),
        };
        let focus = self.focus();
        let warp = Some((focus.block, focus.warp));
        let (steps, end) = match (direction, target) {
            (Direction::Forward, target) => {
                let last = self.timeline().lane_before(focus, usize::MAX).next().unwrap_or(0);
                ((self.position(), target.map_or(last, |target| target.saturating_sub(1))), last + 1)
            }
            (Direction::Reverse, target) if self.position() > 0 => {
                ((target.map_or(0, |target| target + 1), self.position() - 1), 0)
            }
            (Direction::Reverse, _) => return Ok(StopReason::Start),
        };
        if steps.0 <= steps.1
            && size != StepSize::Instruction
            && let Some(hit) = self.first_hit(steps, direction, warp)?
        {
            return Ok(self.go_to_hit(Some(hit), direction));
        }
        if let Some(target) = target {
            self.set_position(target);
            return Ok(StopReason::Stepped);
        }
        self.set_position(if direction == Direction::Forward { end.max(self.position()) } else { 0 });
        Ok(if direction == Direction::Forward { StopReason::LaneEnded } else { StopReason::Start })
    }

    fn step_forward(&self, size: StepSize) -> Option<usize> {
        let timeline = self.timeline();
        let mut steps = self.timeline().lane_after(self.focus(), self.position()).peekable();
        let current = steps.next()?;
        if size == StepSize::Instruction || !timeline.header().has_lines() {
            return steps.next();
        }
        let start = place(timeline, current, 0);
        let (mut calls, mut before) = (0, current);
        // A line that is executed again, in a loop, is another stop.
        for step in steps {
            calls += call_depth(timeline, before, step);
            let place = place(timeline, step, calls);
            let jumps_back = timeline.steps()[step].instruction <= timeline.steps()[before].instruction;
            before = step;
            if place.line.is_none() {
                continue;
            }
            let is_other = place.line != start.line || place.depth != start.depth || jumps_back;
            let stops = match size {
                StepSize::Out => place.depth < start.depth,
                StepSize::LineOver => is_other && place.depth <= start.depth,
                _ => is_other,
            };
            if stops {
                return Some(step);
            }
        }
        None
    }

    fn step_back(&self, size: StepSize) -> Option<usize> {
        let timeline = self.timeline();
        let mut steps = timeline.lane_before(self.focus(), self.position()).peekable();
        if size == StepSize::Instruction || !timeline.header().has_lines() {
            return steps.next();
        }
        let current = self.next_step();
        let mut calls = 0;
        let mut after = current;
        let mut found: Option<(usize, CodePlace)> = None;
        let own = current.map(|step| place(timeline, step, 0));
        for step in steps {
            if let Some(after) = after {
                calls -= call_depth(timeline, step, after);
            }
            let place = place(timeline, step, calls);
            let jumps =
                after.is_some_and(|after| timeline.steps()[after].instruction <= timeline.steps()[step].instruction);
            after = Some(step);
            if place.line.is_none() {
                continue;
            }
            let is_inside = |depth: i64| size == StepSize::LineOver && place.depth > depth;
            match found {
                None if own.is_some_and(|own| is_inside(own.depth)) => {}
                None if size == StepSize::Out && own.is_some_and(|own| place.depth >= own.depth) => {}
                None => found = Some((step, place)),
                // The first step of the line is where a step forwards would have stopped.
                Some((_, line)) if line == place && !jumps => found = Some((step, place)),
                Some((_, line)) if is_inside(line.depth) => {}
                Some(_) => break,
            }
        }
        found.map(|(step, _)| step)
    }

    /// Returns the steps of the calls that the lane in focus has not returned from, the outermost first.
    pub fn calls(&self) -> Vec<usize> {
        let timeline = self.timeline();
        let end = self.next_step().unwrap_or(self.position());
        let mut calls = Vec::new();
        let mut before: Option<usize> = None;
        for step in timeline.lane_after(self.focus(), 0).take_while(|step| *step <= end) {
            if let Some(before) = before {
                match call_depth(timeline, before, step) {
                    1 => calls.push(before),
                    -1 => drop(calls.pop()),
                    _ => {}
                }
            }
            before = Some(step);
        }
        calls
    }
}

fn place(timeline: &Timeline, step: usize, calls: i64) -> CodePlace {
    let instruction = timeline.instruction(step);
    CodePlace { line: instruction.source, depth: calls + instruction.callers.len() as i64 }
}

/// Returns 1 if a call leads from a step of a lane to its next one, and -1 if a return does. A call of a function that
/// has no steps, such as one of the runtime, leads to the next instruction.
fn call_depth(timeline: &Timeline, step: usize, next: usize) -> i64 {
    let text = &timeline.instruction(step).text;
    let follows = timeline.steps()[next].instruction == timeline.steps()[step].instruction + 1;
    if is_call(text) && !follows {
        1
    } else if is_return(text) {
        -1
    } else {
        0
    }
}
