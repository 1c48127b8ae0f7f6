//! The embedded machine's own branch counter, and which line of the kernel file a branch stands on.
use std::{collections::BTreeMap, path::Path};

use harness::{Recorder, Run};

use crate::measure::FILE;

/// For each line of the kernel file with a branch: warps that reached it, and that disagreed at it.
#[derive(Debug, Default)]
pub(crate) struct Lines(BTreeMap<u64, [u64; 2]>);

impl Lines {
    /// The counts of a line.
    pub(crate) fn at(&self, line: usize) -> Option<[u64; 2]> {
        self.0.get(&(line as u64)).copied()
    }
}

/// What the machine counted in the case's launches of `kernel` as it is; empty on a GPU.
///
/// A loop is compiled into a test before its first trip and one after each. The first finds no lane
/// that would leave in any of these kernels, so the line's sum counts no warp twice.
pub(crate) fn branches(case: &mut Recorder<'_>, kernel: &str) -> Lines {
    let plain = format!("{kernel}_plain");
    let mut lines = Lines::default();
    for launch in case.machine().launches.iter().filter(|l| l.kernel == plain) {
        let branches = launch.counters.get("branches").and_then(|b| b.as_array());
        for branch in branches.into_iter().flatten() {
            let number = |path| branch.pointer(path).and_then(serde_json::Value::as_u64);
            let file = branch.pointer("/place/file").and_then(|f| f.as_str());
            let (Some(line), Some(warps), Some(diverged)) =
                (number("/place/line"), number("/warps"), number("/diverged"))
            else {
                continue;
            };
            if file.is_some_and(|f| Path::new(f).extension().is_some_and(|e| e == "cu")) {
                let cell = lines.0.entry(line).or_default();
                cell[0] = cell[0].max(warps);
                cell[1] += diverged;
            }
        }
    }
    lines
}

/// The line of `taken(INDEX, ...)` in the body of `kernel`, counted from 1; `None` when the file given by
/// `--kernel` has no such branch.
pub(crate) fn line_of(run: &Run, kernel: &str, index: u32) -> Option<usize> {
    let source = match &run.options().kernel {
        Some(file) => std::fs::read_to_string(file).ok()?,
        None => run
            .lab()
            .kernels
            .iter()
            .find(|k| k.name == FILE)?
            .cuda
            .to_string(),
    };
    find(&source, kernel, index)
}

fn find(source: &str, kernel: &str, index: u32) -> Option<usize> {
    let (head, branch) = (
        format!("void {kernel}(If taken"),
        format!("taken({index}, "),
    );
    source
        .lines()
        .enumerate()
        .skip_while(|(_, line)| !line.contains(&head))
        .take_while(|(_, line)| *line != "}")
        .find(|(_, line)| line.contains(&branch))
        .map(|(i, _)| i + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_counted_branch_has_its_line() {
        let source = include_str!("../kernels/divergence.cu");
        let lines: Vec<&str> = source.lines().collect();
        for exercise in crate::exercises::all(false, |_| true) {
            for branch in exercise.branches {
                let line = find(source, exercise.kernel, branch.index).expect(exercise.kernel);
                assert!(lines[line - 1].contains("taken("));
            }
        }
        assert_eq!(find(source, "picture", 1), None);
        assert_eq!(find(source, "no_such_kernel", 0), None);
    }
}
