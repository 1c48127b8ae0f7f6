//! Where a thread is: source lines, instructions and frames, as text.

use recording::SourceLine;

use crate::session::Session;

/// A frame of the call stack.
pub struct Frame {
    /// The function.
    pub function: String,
    /// Its source line.
    pub line: Option<SourceLine>,
    /// Its instruction: an index into the header's instructions.
    pub instruction: u32,
}

/// Returns the frames of the lane in focus, the innermost first; none if it has ended.
pub fn frames(session: &Session) -> Vec<Frame> {
    let Some(step) = session.next_step() else { return Vec::new() };
    let steps = std::iter::once(step).chain(session.calls().into_iter().rev());
    steps.flat_map(|step| frames_of(session, step)).collect()
}

fn frames_of(session: &Session, step: usize) -> Vec<Frame> {
    let of = session.timeline().instruction(step);
    let instruction = session.timeline().steps()[step].instruction;
    let lines = std::iter::once(of.source).chain(of.callers.iter().map(|line| Some(*line)));
    let last = of.callers.len();
    let function = |at| if at == last { of.function.clone() } else { format!("inlined in {}", base(&of.function)) };
    lines.enumerate().map(|(at, line)| Frame { function: function(at), line, instruction }).collect()
}

/// Returns a function's name without its parameters.
pub fn base(function: &str) -> &str {
    function.split('(').next().unwrap_or_default()
}

/// Returns `FILE:LINE`.
pub fn file_line(session: &Session, line: SourceLine) -> String {
    let file = session.timeline().header().sources.get(line.file as usize);
    format!("{}:{}", file.map_or("?", |file| file.name.as_str()), line.line)
}

/// Returns the text of a source line.
pub fn text_of(session: &Session, line: SourceLine) -> Option<&str> {
    let source = session.timeline().header().sources.get(line.file as usize)?;
    source.text.as_deref()?.lines().nth((line.line as usize).checked_sub(1)?)
}

/// Returns the line that the lane in focus executes next, with its number; the instruction, without line information.
pub fn current(session: &Session) -> String {
    let Some(step) = session.next_step() else { return ended(session) };
    let of = session.timeline().instruction(step);
    match of.source {
        Some(line) => {
            let text = text_of(session, line).map(str::to_owned);
            format!("{}\t{}", line.line, text.unwrap_or_else(|| format!("in {}", file_line(session, line))))
        }
        None => instruction(session, step),
    }
}

/// Returns a step's instruction with its line in the PTX.
pub fn instruction(session: &Session, step: usize) -> String {
    let of = session.timeline().instruction(step);
    format!("ptx:{}\t{}", of.ptx_line, of.text)
}

/// Returns the function and the place of the lane in focus: `sum () at a.cu:7`.
pub fn place(session: &Session) -> String {
    let Some(step) = session.next_step() else { return ended(session) };
    let of = session.timeline().instruction(step);
    let place = of.source.map_or_else(|| format!("ptx:{}", of.ptx_line), |line| file_line(session, line));
    format!("{} () at {place}", base(&of.function))
}

/// Explains why the lane in focus has no next step.
pub fn ended(session: &Session) -> String {
    let header = session.timeline().header();
    match (&header.fault, header.cut) {
        (Some(fault), _) => format!("The launch was stopped: {fault}"),
        (None, Some(_)) => "The recording is cut here; record fewer blocks, or raise --limit".to_owned(),
        (None, None) => "This thread has exited".to_owned(),
    }
}
