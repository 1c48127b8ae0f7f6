//! The expected lines of the kernels, and the count of those that were actually printed.
use std::collections::HashMap;

use crate::maps::{Dim3, coordinates, count, global, warp_and_lane};

/// The outcome of counting the lines that a launch should print.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tally {
    /// The number of lines that begin like a hello.
    pub printed: u64,
    /// Expected lines that were not printed.
    pub lost: u64,
    /// Printed lines that were not expected, or that were printed more often than expected.
    pub unexpected: u64,
    /// The first lost line.
    pub first_lost: Option<String>,
}

/// The most characters of a printed line that a message quotes.
const QUOTED: usize = 70;

impl Tally {
    /// Describes the losses among `total` lines, and the lines printed instead, `text`.
    pub fn losses(&self, text: &str, total: u64) -> String {
        let (lost, first) = (self.lost, self.first_lost.as_deref().unwrap_or_default());
        let Some(printed) = text.lines().find(|line| !line.trim().is_empty()) else {
            return format!("nothing was printed; expected {total} lines, such as `{first}`");
        };
        let quoted: String = printed.chars().take(QUOTED).collect();
        let more = if printed.chars().count() > QUOTED { " ..." } else { "" };
        if !text.ends_with('\n') || printed.matches("Hello from").count() > 1 {
            return format!(
                "{lost} of {total} lines lost, first: {first}; printed was `{quoted}`{more}: is `\\n` missing at its \
                 end?"
            );
        }
        let instead = if lost == total { format!("; printed was `{quoted}`{more}") } else { String::new() };
        format!("{lost} of {total} lines lost, first: {first}{instead}")
    }
}

/// The line of the thread at `thread` of the block at `block`, whose dimensions are `threads`, in a grid of `blocks`
/// blocks.
pub type PrintedLine = fn(thread: Dim3, threads: Dim3, block: Dim3, blocks: Dim3) -> String;

/// The line printed by `hello_flat`.
pub fn flat([x, ..]: Dim3, _: Dim3, _: Dim3, _: Dim3) -> String {
    format!("Hello from thread {x}!")
}

/// The line printed by `hello_blocks`.
pub fn blocks([x, ..]: Dim3, _: Dim3, [block, ..]: Dim3, _: Dim3) -> String {
    format!("Hello from thread {x} in block {block}!")
}

/// The line printed by `hello_grid3d`.
pub fn grid3d(thread: Dim3, threads: Dim3, block: Dim3, blocks: Dim3) -> String {
    let (index, (warp, lane)) = (global(block, blocks, thread, threads), warp_and_lane(thread, threads));
    let [[x, y, z], [bx, by, bz]] = [thread, block];
    format!("Hello from thread ({x},{y},{z}) in block ({bx},{by},{bz}): index {index}, warp {warp}, lane {lane}")
}

/// The lines of a launch, one for each thread. Their order is unspecified.
pub fn expected(line: PrintedLine, grid: Dim3, block: Dim3) -> Vec<String> {
    let all = |dim| (0..count(dim)).filter_map(move |index| coordinates(index, dim));
    all(grid).flat_map(|b| all(block).map(move |t| line(t, block, b, grid))).collect()
}

/// Counts the hellos of `text` against the `expected` lines. Other lines do not come from the kernels.
pub fn tally(text: &str, expected: Vec<String>) -> Tally {
    let mut seen: HashMap<&str, u64> = HashMap::new();
    for line in text.lines().filter(|line| line.starts_with("Hello from")) {
        *seen.entry(line).or_default() += 1;
    }
    let printed = seen.values().sum();
    let is_lost = |line: &String| match seen.get_mut(line.as_str()) {
        Some(times @ 1..) => {
            *times -= 1;
            false
        }
        _ => true,
    };
    let lost: Vec<String> = expected.into_iter().filter(is_lost).collect();
    Tally { printed, lost: lost.len() as u64, unexpected: seen.values().sum(), first_lost: lost.into_iter().next() }
}
