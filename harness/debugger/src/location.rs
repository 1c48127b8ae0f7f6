//! Where a breakpoint may be: parses `FILE:LINE`, `LINE`, `FUNCTION` and `*LINE` of the PTX.

use std::collections::BTreeSet;

use recording::{Header, SourceLine};

use crate::session::{Session, SessionError};
use crate::stops::Location;
use crate::suggest::nearest;

impl Session {
    /// Returns the location that a text names, and the line at which it is if that is another one than was asked for.
    ///
    /// # Errors
    /// When there is no such line, file, function or instruction.
    pub fn location(&self, text: &str) -> Result<Location, SessionError> {
        let header = self.timeline().header();
        if let Some(ptx_line) = text.strip_prefix('*').and_then(|line| line.trim().parse().ok()) {
            let index = header.instructions.iter().position(|instruction| instruction.ptx_line == ptx_line);
            let index = index.ok_or(SessionError::NoSuchInstruction(ptx_line))?;
            return Ok(Location::Instruction(index as u32));
        }
        if let Some((name, line)) = text.rsplit_once(':')
            && let Ok(line) = line.trim().parse()
        {
            let file = header.sources.iter().position(|source| is_file(&source.name, name));
            let known: Vec<&str> = header.sources.iter().map(|source| source.name.as_str()).collect();
            if known.is_empty() {
                return Err(no_lines(header));
            }
            let what = "source file";
            let file = file.ok_or_else(|| SessionError::NoSuchName {
                what,
                name: name.into(),
                suggestion: nearest(name, &known),
            })?;
            return self.line_or_next(file as u32, line).map(Location::Line);
        }
        if let Ok(line) = text.parse() {
            return self.line_or_next(self.current_file(), line).map(Location::Line);
        }
        self.function(text).map(Location::Function)
    }

    /// Returns a line, or the next one with an instruction.
    ///
    /// # Errors
    /// When the recording has no such place.
    pub fn line_or_next(&self, file: u32, line: u32) -> Result<SourceLine, SessionError> {
        let header = self.timeline().header();
        if !header.has_lines() {
            return Err(no_lines(header));
        }
        let all = header.instructions.iter().flat_map(|of| of.source.iter().chain(&of.callers));
        let lines: BTreeSet<u32> = all.filter(|known| known.file == file).map(|known| known.line).collect();
        let found = lines.range(line..).next();
        let missing = || SessionError::NoSuchLine {
            file: header.sources.get(file as usize).map_or_else(String::new, |source| source.name.clone()),
            line,
            lines: ranges(&lines),
        };
        found.map(|line| SourceLine { file, line: *line }).ok_or_else(missing)
    }

    /// Returns the file of the lane in focus, or the first one.
    fn current_file(&self) -> u32 {
        let step = self.next_step();
        step.and_then(|step| self.line_of(step)).map_or(0, |line| line.file)
    }

    fn function(&self, name: &str) -> Result<String, SessionError> {
        let mut functions: Vec<&str> =
            self.timeline().header().instructions.iter().map(|instruction| instruction.function.as_str()).collect();
        functions.sort_unstable();
        functions.dedup();
        let base = |function: &str| function.split(['(', '<']).next().unwrap_or_default().to_owned();
        let is_it = |function: &&&str| {
            let base = base(function);
            **function == name || base.rsplit([' ', ':']).next() == Some(name)
        };
        let found = functions.iter().find(is_it).map(|function| (*function).to_owned());
        found.ok_or_else(|| SessionError::NoSuchName {
            what: "function",
            name: name.into(),
            suggestion: nearest(name, &functions),
        })
    }
}

/// Whether a file has this name, which may lack its first folders.
pub fn is_file(known: &str, name: &str) -> bool {
    let ends =
        |long: &str, short: &str| long.strip_suffix(short).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'));
    !name.is_empty() && (ends(known, name) || ends(name, known))
}

fn no_lines(header: &Header) -> SessionError {
    SessionError::NoLines { example: header.instructions.first().map_or(1, |instruction| instruction.ptx_line) }
}

/// Returns numbers as ranges: `1-3, 7`.
fn ranges(numbers: &BTreeSet<u32>) -> String {
    let numbers: Vec<u32> = numbers.iter().copied().collect();
    let run = |run: &[u32]| match run {
        [one] => one.to_string(),
        [first, .., last] => format!("{first}-{last}"),
        [] => String::new(),
    };
    numbers.chunk_by(|a, b| a + 1 == *b).map(run).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_with_or_without_their_folders() {
        assert!(is_file("labs/reduction/kernels/reduction.cu", "reduction.cu"));
        assert!(is_file("reduction.cu", "/home/me/reduction.cu"));
        assert!(!is_file("reduction.cu", "tion.cu") && !is_file("a.cu", ""));
    }

    #[test]
    fn lines_are_shown_as_ranges() {
        assert_eq!(ranges(&[1, 2, 3, 7].into()), "1-3, 7");
    }
}
