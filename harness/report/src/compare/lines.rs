//! Compares the costs of source lines on both sides.
use std::collections::HashMap;

use harness::HotLine;

use super::comparison::LineChange;

/// The maximum number of lines that are listed.
const MOST: usize = 10;

/// Returns the lines whose cost differs, the largest difference of thread instructions first; empty if a side has no
/// counters by line. A line is identified by its file and its text, so that lines inserted above it do not matter.
pub fn changes(base: &[HotLine], new: &[HotLine]) -> Vec<LineChange> {
    if base.is_empty() || new.is_empty() {
        return Vec::new();
    }
    let (base, new) = (known(base), known(new));
    let mut changes = Vec::new();
    let nothing = HotLine::default();
    for (key, line) in &new {
        differences(base.get(key).copied().unwrap_or(&nothing), line, line, &mut changes);
    }
    for (_, line) in base.iter().filter(|(key, _)| !new.contains_key(*key)) {
        differences(line, &nothing, line, &mut changes);
    }
    changes.sort_by(|a, b| {
        let by = |change: &LineChange| (change.new.abs_diff(change.base), change.counter == "thread_instructions");
        by(b).cmp(&by(a)).then_with(|| (&a.file, a.line, &a.counter).cmp(&(&b.file, b.line, &b.counter)))
    });
    changes.truncate(MOST);
    changes
}

/// A line's file, its text or, without one, its number, and its index among the lines with the same text.
type Key = (String, String, usize);

fn known(lines: &[HotLine]) -> HashMap<Key, &HotLine> {
    let mut sorted: Vec<&HotLine> = lines.iter().collect();
    sorted.sort_by_key(|line| line.line);
    let mut seen: HashMap<(String, String), usize> = HashMap::new();
    let key = |line: &HotLine| {
        let text = if line.source.is_empty() { line.line.to_string() } else { line.source.clone() };
        // The directory of the sources does not identify a file.
        (line.file.rsplit('/').next().unwrap_or_default().to_string(), text)
    };
    let mut known = HashMap::new();
    for line in sorted {
        let (file, text) = key(line);
        let count = seen.entry((file.clone(), text.clone())).or_default();
        known.insert((file, text, *count), line);
        *count += 1;
    }
    known
}

/// A function that returns one of a line's counters.
type Counted = fn(&HotLine) -> u64;

fn differences(base: &HotLine, new: &HotLine, shown: &HotLine, changes: &mut Vec<LineChange>) {
    let counters: [(&str, Counted); 4] = [
        ("thread_instructions", |l| l.thread_instructions),
        ("sectors", |l| l.sectors),
        ("conflicts", |l| l.conflicts),
        ("divergent_branches", |l| l.divergent_branches),
    ];
    changes.extend(counters.into_iter().filter(|(_, of)| of(base) != of(new)).map(|(counter, of)| LineChange {
        file: shown.file.clone(),
        line: shown.line,
        source: shown.source.clone(),
        counter: counter.into(),
        base: of(base),
        new: of(new),
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(number: u32, source: &str, thread_instructions: u64) -> HotLine {
        HotLine {
            file: "/a/x.cu".into(),
            line: number,
            source: source.into(),
            thread_instructions,
            ..HotLine::default()
        }
    }

    #[test]
    fn a_line_is_known_by_its_text_wherever_it_stands() {
        let base = [line(3, "a = b;", 32), line(4, "c = d;", 64), line(9, "a = b;", 32)];
        let mut new = [line(5, "a = b;", 32), line(6, "c = d;", 96), line(11, "a = b;", 32), line(12, "e;", 5)];
        new[0].file = "/elsewhere/x.cu".into();
        let changes = changes(&base, &new);
        let told: Vec<_> = changes.iter().map(|c| (c.line, c.base, c.new)).collect();
        assert_eq!(told, [(6, 64, 96), (12, 0, 5)]);
    }

    #[test]
    fn without_the_counts_of_both_sides_nothing_is_said_and_a_line_that_is_gone_is() {
        let base = [line(3, "a", 32)];
        assert!(changes(&base, &[]).is_empty() && changes(&[], &base).is_empty());
        assert_eq!(changes(&[line(3, "a", 32), line(4, "b", 1)], &base)[0].new, 0);
    }
}
