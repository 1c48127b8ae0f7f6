//! `info TOPIC`: describes the launch, its threads, registers, memory, breakpoints and findings.

use recording::{Event, LANES, LocalVariable, lanes_of};

use super::focus_command::described;
use super::listing::file_line;
use crate::expression::{ExpressionError, Scope, ValueFormat};
use crate::focus::{Focus, index_of, shown, threads_of};
use crate::session::Session;
use crate::stops::StopCondition;
use crate::suggest::nearest;

/// The topics, and what each describes.
const TOPICS: [(&str, &str); 10] = [
    ("cuda threads", "where each thread of the recorded blocks is"),
    ("cuda lanes", "the lanes of the warp in focus"),
    ("cuda warps", "each warp of the recorded blocks"),
    ("cuda blocks", "the recorded blocks"),
    ("cuda kernels", "the launch"),
    ("locals", "the local variables of the lane in focus, of code that -G has compiled"),
    ("registers", "the registers of the lane in focus that a step has written"),
    ("memory", "the kernel's arguments, shared variables and allocations"),
    ("breakpoints", "breakpoints and watchpoints"),
    ("findings", "what the checks found"),
];

/// Describes a topic.
///
/// # Errors
/// When there is no such topic.
pub fn execute(session: &Session, topic: &str) -> Result<String, String> {
    let topic = topic.split_whitespace().collect::<Vec<_>>().join(" ");
    let begins: Vec<&str> =
        TOPICS.iter().map(|(name, _)| *name).filter(|name| !topic.is_empty() && name.starts_with(&topic)).collect();
    match begins.as_slice() {
        ["cuda threads", ..] if topic != "cuda" => Ok(threads(session)),
        ["cuda lanes"] => Ok(lanes(session)),
        ["cuda warps"] => Ok(warps(session)),
        ["cuda blocks"] => Ok(blocks(session)),
        ["cuda kernels"] => Ok(opened(session)),
        ["locals"] => Ok(locals(session)),
        ["registers"] => Ok(registers(session)),
        ["memory"] => Ok(memory(session)),
        ["breakpoints"] => Ok(breakpoints(session)),
        ["findings"] => Ok(findings(session)),
        _ if topic.is_empty() || topic == "cuda" => {
            Ok(TOPICS.map(|(name, about)| format!("info {name:<14}{about}")).join("\n"))
        }
        _ => {
            Err(format!("there is nothing to show about `{topic}`; {}", nearest(&topic, &TOPICS.map(|(name, _)| name))))
        }
    }
}

/// Describes the launch.
pub fn opened(session: &Session) -> String {
    let header = session.timeline().header();
    let recording::BlockRange { first, last } = header.blocks;
    let blocks = match (first == last, header.grid_blocks()) {
        (true, 1) => String::new(),
        (true, all) => format!(", block {first} of {all}"),
        (false, all) if last - first + 1 == all => format!(", all {all} blocks"),
        (false, all) => format!(", blocks {first} to {last} of {all}"),
    };
    let (grid, block, steps) = (shown(header.grid), shown(header.block), header.steps);
    let mut text = format!("{}<<<{grid},{block}>>>{blocks}: {steps} steps on {}", header.kernel_name, header.gpu);
    if !header.has_lines() {
        text += "\nThe kernel has no line information: steps go by instructions of the PTX";
    }
    text
}

/// Where a thread is, as `info cuda` groups threads.
#[derive(PartialEq)]
struct ThreadState {
    instruction: Option<u32>,
    state: &'static str,
}

fn state_of(session: &Session, focus: Focus) -> ThreadState {
    let (timeline, position) = (session.timeline(), session.position());
    let next = timeline.lane_after(focus, position).next();
    let last = timeline.lane_before(focus, position).next();
    let state = match (last.map(|step| timeline.steps()[step].event), next) {
        (Some(Event::WaitAtBarrier(_)), Some(_)) => "waits at a barrier",
        (Some(Event::WaitForLanes), Some(_)) => "waits for lanes",
        (Some(Event::WaitForPhase), Some(_)) => "waits for an mbarrier",
        (Some(Event::WaitForCluster), Some(_)) => "waits for its cluster",
        (_, Some(_)) => "active",
        (Some(Event::Exit), None) => "exited",
        (_, None) => "has no further step",
    };
    ThreadState { instruction: next.map(|step| timeline.steps()[step].instruction), state }
}

fn location(session: &Session, instruction: Option<u32>) -> String {
    let Some(instruction) = instruction else { return "-".into() };
    let of = &session.timeline().header().instructions[instruction as usize];
    of.source.map_or_else(|| format!("ptx:{}", of.ptx_line), |line| file_line(session, line))
}

fn threads(session: &Session) -> String {
    let header = session.timeline().header();
    let count = threads_of(header);
    let mut blocks: Vec<u64> = session.timeline().warps().map(|(block, _)| block).collect();
    blocks.dedup();
    let all = blocks.iter().flat_map(|block| (0..count).map(|thread| Focus::at_thread(*block, thread)));
    let all: Vec<(Focus, ThreadState)> = all.map(|focus| (focus, state_of(session, focus))).collect();
    let mut text = String::from("  BlockIdx ThreadIdx To BlockIdx ThreadIdx Count Where\n");
    for run in all.chunk_by(|a, b| a.1 == b.1) {
        let (first, last) = (run[0].0, run[run.len() - 1].0);
        let mark = if run.iter().any(|(focus, _)| *focus == session.focus()) { '*' } else { ' ' };
        let [[block, thread], [last_block, last_thread]] = [first, last].map(|focus| focus.indices(header).map(shown));
        let place = location(session, run[0].1.instruction);
        let state = run[0].1.state;
        text += &format!("{mark} {block} {thread} {last_block} {last_thread} {:>5} {place} {state}\n", run.len());
    }
    text.trim_end().to_owned()
}

fn lanes(session: &Session) -> String {
    let focus = session.focus();
    let header = session.timeline().header();
    let mut text = String::from("  Lane ThreadIdx State Where\n");
    for lane in 0..LANES {
        let each = Focus { lane, ..focus };
        if each.thread() >= threads_of(header) {
            break;
        }
        let mark = if lane == focus.lane { '*' } else { ' ' };
        let of = state_of(session, each);
        let [_, thread] = each.indices(header);
        text += &format!("{mark} {lane:>4} {} {} {}\n", shown(thread), of.state, location(session, of.instruction));
    }
    text.trim_end().to_owned()
}

fn warps(session: &Session) -> String {
    let header = session.timeline().header();
    let mut text = String::from("  BlockIdx Warp Next lanes Where\n");
    for (block, warp) in session.timeline().warps() {
        let steps = session.timeline().steps_of(block, warp);
        let next = steps.get(steps.partition_point(|step| (*step as usize) < session.position()));
        let next = next.map(|step| &session.timeline().steps()[*step as usize]);
        let mark = if (block, warp) == (session.focus().block, session.focus().warp) { '*' } else { ' ' };
        let lane = next.and_then(|step| lanes_of(step.mask).next()).unwrap_or(0);
        let state = state_of(session, Focus { block, warp, lane }).state;
        let mask = next.map_or(0, |step| step.mask);
        let place = location(session, next.map(|step| step.instruction));
        text += &format!("{mark} {} {warp:>4} {mask:#010x} {place} {state}\n", shown(index_of(block, header.grid)));
    }
    text.trim_end().to_owned()
}

fn blocks(session: &Session) -> String {
    let mut lines = vec!["  BlockIdx Warps Steps done".to_owned()];
    let warps: Vec<(u64, u32)> = session.timeline().warps().collect();
    for block in warps.chunk_by(|a, b| a.0 == b.0) {
        let number = block[0].0;
        let steps = block.iter().map(|(block, warp)| session.timeline().steps_of(*block, *warp));
        let (mut all, mut done) = (0, 0);
        for steps in steps {
            all += steps.len();
            done += steps.partition_point(|step| (*step as usize) < session.position());
        }
        let mark = if number == session.focus().block { '*' } else { ' ' };
        let index = shown(index_of(number, session.timeline().header().grid));
        lines.push(format!("{mark} {index} {:>5} {done} of {all}", block.len()));
    }
    lines.join("\n")
}

fn locals(session: &Session) -> String {
    let scope = session.scope();
    if scope.timeline.header().variables.is_empty() {
        return "The kernel has no debug information: compile with -G and record again".into();
    }
    let row = |variable: &LocalVariable| {
        let printed = scope.local_value(variable).and_then(|value| scope.printed(&value, ValueFormat::Natural));
        match printed {
            Ok(printed) => format!("{} {} = {}", printed.type_name, variable.name, printed.text),
            Err(ExpressionError::LocalWithoutValue(name, reason)) => format!("{name} = <{reason}>"),
            Err(error) => format!("{} = <{error}>", variable.name),
        }
    };
    let rows: Vec<String> = scope.locals().into_iter().map(row).collect();
    if rows.is_empty() { "No local variable is in scope here".into() } else { rows.join("\n") }
}

fn registers(session: &Session) -> String {
    let scope = session.scope();
    let rows: Vec<String> = written_registers(scope)
        .map(|(register, value)| {
            let name = &session.timeline().header().registers[register as usize].name;
            format!("{name:<12} {:#x}  {value}", value.bits)
        })
        .collect();
    if rows.is_empty() { "No step has written a register of this lane yet".into() } else { rows.join("\n") }
}

/// Returns the registers of the lane's function that a step has written, with their values.
pub fn written_registers(scope: Scope<'_>) -> impl Iterator<Item = (u32, crate::scalar::Value)> {
    let function = scope.function();
    let registers = scope.timeline.header().registers.iter().enumerate();
    registers
        .filter(move |(_, register)| register.function == function)
        .filter_map(move |(number, _)| Some((number as u32, scope.register(number as u32)?)))
}

fn memory(session: &Session) -> String {
    let header = session.timeline().header();
    let scope = session.scope();
    let mut lines = Vec::new();
    for name in session.variables().names() {
        if let Ok(printed) = scope.print(name, ValueFormat::Natural) {
            let short: String = printed.text.chars().take(80).collect();
            let rest = if short.len() < printed.text.len() { "..." } else { "" };
            lines.push(format!("{} {name} = {short}{rest}", printed.type_name));
        }
    }
    for of in &header.allocations {
        lines.push(format!("global memory {:#x}, {} bytes: {}", of.start, of.bytes, of.name));
    }
    for of in &header.shared {
        lines.push(format!("shared memory {:#x}, {} bytes: {}", of.offset, of.bytes, of.name));
    }
    if lines.is_empty() { "The recorded blocks access no memory with a name".into() } else { lines.join("\n") }
}

fn breakpoints(session: &Session) -> String {
    let row = |stop: &crate::stops::Stop| {
        let what = match stop.condition {
            StopCondition::Breakpoint { .. } => "breakpoint",
            StopCondition::Watchpoint { .. } => "watchpoint",
        };
        format!("{:<4} {what:<11} {}", stop.number, stop.text)
    };
    let rows: Vec<String> = session.stops().iter().map(row).collect();
    if rows.is_empty() { "No breakpoints or watchpoints.".into() } else { rows.join("\n") }
}

fn findings(session: &Session) -> String {
    let timeline = session.timeline();
    let header = timeline.header();
    let mut lines = Vec::new();
    for (number, finding) in header.findings.iter().enumerate() {
        let step = timeline.findings().find(|step| timeline.steps()[*step].finding == Some(number as u32));
        let focus = step.map(|step| {
            let of = &timeline.steps()[step];
            Focus { block: of.block, warp: of.warp, lane: lanes_of(of.mask).next().unwrap_or(0) }
        });
        let place = focus.map_or_else(|| "no recorded step".into(), |focus| described(session, focus));
        lines.push(format!("{} [{place}]\n{}", finding.title, finding.text.trim_end()));
    }
    if lines.is_empty() { "The checks found nothing.".into() } else { lines.join("\n\n") }
}
