//! Writes a recorded launch to the file that the client wants.

use super::command;
use super::sources::text_of;
use super::stderr::complain;
use crate::state::device::observer::RecordedLaunch;
use recording::{Cut, Finding, Header, InstructionInfo, Recording, RegisterInfo, SourceFile, SourceLine};
use simt::machine::register_names;
use simt::report::demangle;
use std::io::Write;
use std::path::Path;

/// Writes the recording; what prevents that is reported on standard error.
pub fn write(launch: RecordedLaunch<'_>) {
    let file = Path::new(launch.file);
    let bytes = bytes_of(launch);
    // Another process may have recorded its own launch meanwhile.
    let written = std::fs::File::create_new(file).and_then(|mut file| file.write_all(&bytes));
    if let Err(error) = written {
        complain(&format!("{}: {} cannot be written: {error}", wire::RECORD, file.display()));
    }
}

/// The source files of a recording, in the order in which instructions first name them.
#[derive(Default)]
struct Files(Vec<SourceFile>);

impl Files {
    /// Returns a line of a file; `None` if there is no line information.
    fn line(&mut self, name: &str, line: u32) -> Option<SourceLine> {
        if name.is_empty() || line == 0 {
            return None;
        }
        let known = self.0.iter().position(|file| file.name == name);
        let file = known.unwrap_or_else(|| {
            self.0.push(SourceFile { name: name.to_owned(), text: text_of(name) });
            self.0.len() - 1
        });
        Some(SourceLine { file: file as u32, line })
    }
}

fn bytes_of(launch: RecordedLaunch<'_>) -> Vec<u8> {
    let RecordedLaunch { recorded, kernel, geometry, .. } = launch;
    let lines: Vec<&str> = launch.ptx.lines().collect();
    let mut files = Files::default();
    let instructions = recorded.instructions.iter().map(|place| InstructionInfo {
        text: lines.get((place.ptx_line as usize).wrapping_sub(1)).map_or("", |line| line.trim()).to_owned(),
        ptx_line: place.ptx_line,
        function: demangle(&place.function),
        source: files.line(&place.file, place.line),
        callers: place.inlined_at.iter().filter_map(|from| files.line(&from.file, from.line)).collect(),
    });
    let instructions = instructions.collect();
    // The module was loaded from this text.
    let names = register_names(launch.ptx).unwrap_or_default();
    let registers = recorded.registers.iter().map(|register| {
        let name = names.get(&register.function).and_then(|names| names.get(register.number as usize));
        RegisterInfo {
            name: name.cloned().unwrap_or_default(),
            function: demangle(&register.function),
            bytes: register.bytes,
        }
    });
    let mut found = simt::finding::Findings::default();
    found.list = recorded.findings;
    let findings = super::report::told(&found).into_iter();
    let header = Header {
        kernel: kernel.name.clone(),
        kernel_name: demangle(&kernel.name),
        launch: launch.number,
        gpu: launch.profile.name.to_owned(),
        command: command::line(),
        grid: geometry.grid,
        block: geometry.block,
        blocks: launch.blocks,
        shared_bytes: recorded.shared_bytes,
        shared: recorded.shared,
        allocations: recorded.allocations,
        instructions,
        registers: registers.collect(),
        sources: files.0,
        findings: findings.map(|told| Finding { title: told.headline, text: told.text }).collect(),
        fault: launch.fault.map(|fault| format!("{fault:?}")),
        steps: recorded.steps.steps,
        cut: recorded.steps.is_cut.then_some(Cut { limit: launch.limit }),
    };
    Recording::write(&header, &recorded.steps)
}
