//! Executes commands.

use super::command::{Action, awaited, find, help};
use super::focus_command::{self, described};
use super::info;
use super::listing::{Frame, base, current, ended, file_line, frames, instruction, place};
use crate::expression::{ExpressionError, Quantity, Scope, ValueFormat, parse};
use crate::focus::shown;
use crate::scalar::Scalar;
use crate::session::{Session, StopReason};
use crate::stepping::StepSize;
use crate::stops::{Location, Stop, StopCondition, Watched, WatchedAccess};
use crate::timeline::Memory;

/// The lines that `list` shows.
const LISTED: u32 = 10;
/// The most elements that `x` shows.
const MOST_EXAMINED: u64 = 1024;

/// What a command results in.
#[derive(Debug, Default)]
pub struct Reply {
    /// What to print.
    pub text: String,
    /// Whether the position has changed.
    pub has_moved: bool,
    /// Whether the session ends.
    pub quits: bool,
}

/// The state of a command line besides its session.
#[derive(Default)]
pub struct Interpreter {
    /// The number of values printed so far.
    values: usize,
    /// The command that an empty line repeats.
    last: String,
    /// The line from which `list` goes on.
    next_listed: Option<u32>,
}

impl Interpreter {
    /// Executes a command.
    ///
    /// # Errors
    /// What is wrong with the command, for the user.
    pub fn execute(&mut self, session: &mut Session, line: &str) -> Result<Reply, String> {
        let line = line.trim();
        if line.starts_with('#') {
            return Ok(Reply::default());
        }
        let line = if line.is_empty() { std::mem::take(&mut self.last) } else { line.to_owned() };
        if line.is_empty() {
            return Ok(Reply::default());
        }
        // `p/x 5` is `p /x 5`.
        let end = line.find(|c: char| c.is_whitespace() || c == '/').unwrap_or(line.len());
        let (word, arguments) = (&line[..end], line[end..].trim());
        let action = find(word)?;
        if !matches!(action, Action::List) {
            self.next_listed = None;
        }
        if matches!(action, Action::Step(..) | Action::Resume(_) | Action::List) {
            line.clone_into(&mut self.last);
        } else {
            self.last.clear();
        }
        let text = |text: String| Reply { text, ..Reply::default() };
        match action {
            Action::Quit => Ok(Reply { quits: true, ..Reply::default() }),
            Action::Help => Ok(text(help())),
            Action::Run | Action::Resume(_) | Action::Step(..) | Action::Until => moved(session, action, arguments),
            Action::Break => set_breakpoint(session, arguments).map(text),
            Action::Watch(access) => set_watchpoint(session, arguments, access).map(text),
            Action::Delete => {
                let number = if arguments.is_empty() { None } else { Some(count(arguments)?) };
                session.delete(number).map_err(|error| error.to_string())?;
                Ok(Reply::default())
            }
            Action::Print => self.print(session, arguments).map(text),
            Action::Examine => examine(session, arguments).map(text),
            Action::Backtrace => Ok(text(backtrace(session))),
            Action::List => self.list(session, arguments).map(text),
            Action::Info => info::execute(session, arguments).map(text),
            Action::Cuda => {
                let shown = focus_command::execute(session, arguments)?;
                let is_set = shown.starts_with('[');
                Ok(text(if is_set { format!("{shown}\n{}", current(session)) } else { shown }))
            }
        }
    }

    fn print(&mut self, session: &Session, arguments: &str) -> Result<String, String> {
        let (format, expression) = match arguments.strip_prefix('/') {
            Some(rest) => {
                let letter = rest.chars().next().and_then(ValueFormat::from_letter);
                let format = letter.ok_or_else(|| format!("`/{rest}` is not a format; there are: x, d, u, f, t"))?;
                (format, rest[1..].trim())
            }
            None => (ValueFormat::Natural, arguments),
        };
        if expression.is_empty() {
            return Err("`print` needs an expression, such as %r1, x[5] or *(float*)ADDRESS".into());
        }
        let printed = session.scope().print(expression, format).map_err(|error| error.to_string())?;
        self.values += 1;
        Ok(format!("${} = {printed}", self.values))
    }

    fn list(&mut self, session: &Session, arguments: &str) -> Result<String, String> {
        let at = session.next_step().and_then(|step| session.line_of(step));
        let header = session.timeline().header();
        let file = at.map_or(0, |line| line.file);
        let source = header.sources.get(file as usize);
        let text = source.and_then(|source| source.text.as_deref());
        let Some(text) = text else {
            return Err("the recording has no source text; `x/i` lists instructions".into());
        };
        let first = if arguments.is_empty() {
            let around = at.map_or(1, |line| line.line.saturating_sub(LISTED / 2));
            self.next_listed.unwrap_or(around)
        } else {
            (count(arguments)? as u32).saturating_sub(LISTED / 2)
        };
        let first = first.max(1);
        self.next_listed = Some(first + LISTED);
        let lines = (first..).zip(text.lines().skip(first as usize - 1)).take(LISTED as usize);
        let rows: Vec<String> = lines.map(|(number, line)| format!("{number}\t{line}")).collect();
        if rows.is_empty() { Err(format!("line {first} is behind the end of the file")) } else { Ok(rows.join("\n")) }
    }
}

/// Parses a number.
fn count(text: &str) -> Result<usize, String> {
    text.trim().parse().map_err(|_| format!("`{text}` is not a number"))
}

/// Executes a command that moves in time, and describes where it leads.
fn moved(session: &mut Session, action: Action, arguments: &str) -> Result<Reply, String> {
    let before = (session.focus(), session.position());
    let function = place(session);
    let reason = match action {
        Action::Run => session.run(),
        Action::Resume(direction) => session.resume(direction),
        Action::Until => session.run_until(awaited(arguments)?),
        Action::Step(size, direction) => {
            let times = if arguments.is_empty() { 1 } else { count(arguments)? };
            let mut reason = Ok(StopReason::Stepped);
            for _ in 0..times {
                reason = session.step(size, direction);
                if reason != Ok(StopReason::Stepped) {
                    break;
                }
            }
            reason
        }
        _ => Ok(StopReason::Stepped),
    };
    let reason = reason.map_err(|error| error.to_string())?;
    let mut lines = Vec::new();
    if session.focus() != before.0 {
        lines.push(format!("[Switching focus to {}]", described(session, session.focus())));
    }
    let old_function = function.split(" () at ").next().unwrap_or_default();
    let is_instruction = matches!(action, Action::Step(StepSize::Instruction, _));
    match &reason {
        StopReason::Stepped => {
            if place(session).split(" () at ").next() != Some(old_function) {
                lines.push(place(session));
            }
        }
        StopReason::Breakpoint(number) => lines.push(format!("\nBreakpoint {number}, {}", place(session))),
        StopReason::Watchpoint(number, step) => lines.push(changed(session, *number, *step)),
        StopReason::Finding(number) => {
            let finding = &session.timeline().header().findings[*number as usize];
            lines.push(format!("\nCUDA Exception: {}\n{}", finding.title, place(session)));
        }
        StopReason::Start => lines.push("No more reverse-execution history.".into()),
        StopReason::LaneEnded => lines.push(format!("{}.", ended(session))),
        StopReason::End => {
            lines.push(match ended(session) {
                text if text.starts_with("This thread") => "[The launch has ended]".into(),
                text => format!("[{text}]"),
            });
        }
    }
    if let Some(step) = session.next_step() {
        lines.push(if is_instruction { instruction(session, step) } else { current(session) });
    }
    Ok(Reply { text: lines.join("\n"), has_moved: true, quits: false })
}

/// Describes what happened to a watched value at a step.
fn changed(session: &Session, number: usize, step: usize) -> String {
    let Some(stop) = session.stop(number) else { return String::new() };
    let StopCondition::Watchpoint { watched, access } = &stop.condition else { return String::new() };
    let kind = match access {
        WatchedAccess::Change => "Hardware watchpoint",
        WatchedAccess::Read => "Hardware read watchpoint",
        WatchedAccess::Any => "Hardware access (read/write) watchpoint",
    };
    let value = |position: usize| {
        let scope = Scope { position, ..session.scope() };
        let value = match watched {
            Watched::Memory { memory, address, scalar: Some(scalar), .. } => {
                scope.read(*memory, *address, *scalar).ok().map(|(value, _)| value)
            }
            Watched::Memory { .. } => None,
            Watched::Register { focus, register } => Scope { focus: *focus, ..scope }.register(*register),
        };
        value.map_or_else(|| "<unknown>".into(), |value| value.to_string())
    };
    let is_array = matches!(watched, Watched::Memory { scalar: None, .. });
    let values = match access {
        _ if is_array => String::new(),
        WatchedAccess::Change => format!("\nOld value = {}\nNew value = {}", value(step), value(step + 1)),
        _ => format!("\nValue = {}", value(step + 1)),
    };
    format!("\n{kind} {number}: {}\n{values}\nby {}\n{}", stop.text, instruction(session, step), place(session))
}

fn set_breakpoint(session: &mut Session, arguments: &str) -> Result<String, String> {
    let (location, condition) = match arguments.split_once(" if ") {
        Some((location, condition)) => (location.trim(), Some(condition.trim())),
        None => (arguments, None),
    };
    let here = session.next_step().map(|step| session.timeline().steps()[step].instruction);
    let found = if location.is_empty() {
        Location::Instruction(here.ok_or_else(|| ended(session))?)
    } else {
        session.location(location).map_err(|error| error.to_string())?
    };
    let place = match &found {
        Location::Line(line) => file_line(session, *line),
        Location::Function(name) => format!("the entry of {name}"),
        Location::Instruction(index) => {
            let of = &session.timeline().header().instructions[*index as usize];
            format!("ptx:{} {}", of.ptx_line, of.text)
        }
    };
    let text = condition.map_or_else(|| place.clone(), |condition| format!("{place} if {condition}"));
    let number = session.set_breakpoint(found, condition, &text).map_err(|error| error.to_string())?;
    Ok(format!("Breakpoint {number} at {text}"))
}

fn set_watchpoint(session: &mut Session, text: &str, access: WatchedAccess) -> Result<String, String> {
    if text.is_empty() {
        return Err("`watch` needs a register or memory, such as %r1 or x[5]".into());
    }
    let number = session.set_watchpoint(text, access).map_err(|error| error.to_string())?;
    let note = match session.stop(number) {
        Some(Stop {
            condition: StopCondition::Watchpoint { watched: Watched::Register { focus, .. }, .. }, ..
        }) => {
            format!(" of {}", described(session, *focus))
        }
        _ => String::new(),
    };
    Ok(format!("Hardware watchpoint {number}: {text}{note}"))
}

fn backtrace(session: &Session) -> String {
    let header = session.timeline().header();
    let frames = frames(session);
    if frames.is_empty() {
        return format!("No stack: {}", ended(session));
    }
    let last = frames.len() - 1;
    let row = |(number, frame): (usize, &Frame)| {
        let of = &header.instructions[frame.instruction as usize];
        let place = frame.line.map_or_else(|| format!("ptx:{}", of.ptx_line), |line| file_line(session, line));
        let shape = format!("<<<{},{}>>>", shown(header.grid), shown(header.block));
        let shape = if number == last { shape } else { String::new() };
        format!("#{number}  {}{shape} () at {place}", base(&frame.function))
    };
    frames.iter().enumerate().map(row).collect::<Vec<_>>().join("\n")
}

/// `x/8f ADDRESS` and `x/5i`.
fn examine(session: &Session, arguments: &str) -> Result<String, String> {
    let (letters, expression) = match arguments.strip_prefix('/') {
        Some(rest) => rest.split_once(' ').unwrap_or((rest, "")),
        None => ("", arguments),
    };
    let digits = letters.len() - letters.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let number = if digits == 0 { None } else { Some(count(&letters[..digits])? as u64) };
    let letters = &letters[digits..];
    if letters == "i" {
        let steps = session.timeline().lane_after(session.focus(), session.position());
        let steps = steps.take(number.unwrap_or(10).min(MOST_EXAMINED) as usize);
        let row = |(at, step)| format!("{}{}", if at == 0 { "=> " } else { "   " }, instruction(session, step));
        return Ok(steps.enumerate().map(row).collect::<Vec<_>>().join("\n"));
    }
    if expression.is_empty() {
        return Err("`x` needs an address, such as x/8f &x[0], or /i for instructions".into());
    }
    let wrong = |error: ExpressionError| error.to_string();
    let scope = session.scope();
    let (parsed, _) = parse(expression).map_err(wrong)?;
    let quantity = scope.quantity(&parsed).map_err(wrong)?;
    let (memory, address, scalar) = match quantity {
        Quantity::Array { memory, address, scalar, .. } => (memory, address, scalar),
        Quantity::Place { memory, address, scalar } => (memory, address, Some(scalar)),
        _ => {
            let value = scope.value(&parsed).map_err(wrong)?;
            (Memory::Device, value.integer() as u64, None)
        }
    };
    let format = match letters.chars().next() {
        None => ValueFormat::Natural,
        Some(letter) => ValueFormat::from_letter(letter)
            .ok_or_else(|| format!("`/{letters}` is not a format; there are: x, d, u, f, t, i"))?,
    };
    let scalar = match (scalar, format) {
        (Some(scalar), _) => scalar,
        (None, ValueFormat::Float) => Scalar::Float,
        (None, _) => Scalar::INT,
    };
    let each = scalar.bytes();
    let row = |at: u64| {
        let address = address.wrapping_add(at * each);
        let value = scope.read(memory, address, scalar).map_or_else(|_| "?".into(), |(value, _)| format.text(value));
        (address, value)
    };
    let count = number.unwrap_or(1).min(MOST_EXAMINED);
    let values: Vec<(u64, String)> = (0..count).map(row).collect();
    let line = |values: &[(u64, String)]| {
        let texts: Vec<&str> = values.iter().map(|(_, value)| value.as_str()).collect();
        format!("{:#x}:\t{}", values[0].0, texts.join("\t"))
    };
    Ok(values.chunks(4).map(line).collect::<Vec<_>>().join("\n"))
}
