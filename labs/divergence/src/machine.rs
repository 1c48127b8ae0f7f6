//! The embedded machine's own branch counter, and the lines of the kernel file with the branches.
use std::{collections::BTreeMap, path::Path};

use harness::{CaseContext, Result, Run};

/// The file with the exercises' kernels.
pub(crate) const FILE: &str = "divergence.cu";

/// For each of the first `branches` branches of `kernel`, the number of warps that reached it and the number that
/// diverged at it, as the machine counted them in the case's launches of the unchanged kernel. `None` on a GPU, and
/// when the file given by `--kernel` has no such branch.
///
/// A loop is compiled into a test before its first trip and one after each trip. In these kernels no lane leaves at the
/// first test, so the line's sum counts no warp twice.
pub(crate) fn counts(
    run: &Run,
    case: &mut CaseContext<'_>,
    kernel: &str,
    branches: usize,
) -> Result<Vec<Option<[u64; 2]>>> {
    let plain = format!("{kernel}_plain");
    let mut by_line: BTreeMap<u32, [u64; 2]> = BTreeMap::new();
    for launch in case.machine()?.launches.iter().filter(|launch| launch.kernel == plain) {
        let is_cuda = |file: &str| Path::new(file).extension().is_some_and(|e| e == "cu");
        for branch in launch.counters.branches.iter().filter(|branch| is_cuda(&branch.place.file)) {
            let [reached, diverged] = by_line.entry(branch.place.line).or_default();
            *reached = branch.warps.max(*reached);
            *diverged += branch.diverged;
        }
    }
    let source = match &run.options().kernel {
        Some(file) => std::fs::read_to_string(file).unwrap_or_default(),
        None => run.lab().kernels.iter().find(|k| k.name == FILE).map_or_else(String::new, |k| k.cuda.to_string()),
    };
    let counted = |index| by_line.get(&(line_of(&source, kernel, index)? as u32)).copied();
    Ok((0..branches).map(counted).collect())
}

/// The line of `source`, counted from 1, with `taken(INDEX, ...)` in the body of `kernel`.
pub fn line_of(source: &str, kernel: &str, index: usize) -> Option<usize> {
    let (head, branch) = (format!("void {kernel}(If taken"), format!("taken({index}, "));
    let mut body =
        source.lines().zip(1..).skip_while(|(line, _)| !line.contains(&head)).take_while(|(line, _)| *line != "}");
    body.find(|(line, _)| line.contains(&branch)).map(|(_, number)| number)
}
