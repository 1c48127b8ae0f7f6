//! Writes a recorded launch to the file that the client wants.

use super::command;
use super::debug_info::{local_variables, variable_name};
use super::sources::text_of;
use super::stderr::complain;
use crate::state::device::observer::RecordedLaunch;
use recording::{
    Allocation, Argument, Cut, Finding, Header, InstructionInfo, Recording, RegisterInfo, SourceFile, SourceLine,
};
use simt::finding::Findings;
use simt::machine::{Param, register_names};
use std::io::Write;
use std::path::Path;
use wire::demangle;

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

/// Returns the number of the kernel's first argument that points into an allocation, counted from 1.
fn argument_of(launch: &RecordedLaunch<'_>, allocation: &Allocation) -> Option<usize> {
    let pointer = |at: u32| {
        let bytes = launch.params.get(at as usize..at as usize + 8)?;
        Some(u64::from_le_bytes(bytes.try_into().ok()?))
    };
    let points = |value: u64| (allocation.start..allocation.start + allocation.bytes).contains(&value);
    let is_it = |param: &Param| param.size == 8 && pointer(param.offset).is_some_and(points);
    Some(launch.kernel.params.iter().position(is_it)? + 1)
}

/// Returns the command line of this process, without the folder of the program.
fn command_line() -> String {
    let line = command::line();
    let (program, arguments) = line.split_once(' ').unwrap_or((&line, ""));
    let program = Path::new(program).file_name().unwrap_or_default().to_string_lossy();
    format!("{program} {arguments}").trim_end().to_owned()
}

fn bytes_of(mut launch: RecordedLaunch<'_>) -> Vec<u8> {
    let mut recorded = std::mem::take(&mut launch.recorded);
    for allocation in &mut recorded.allocations {
        if let Some(number) = argument_of(&launch, allocation) {
            allocation.name = format!("argument {number}");
        }
    }
    for variable in &mut recorded.shared {
        variable.name = variable_name(&variable.name);
    }
    let RecordedLaunch { kernel, geometry, .. } = launch;
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
    let functions = recorded.instructions.iter().map(|place| place.function.as_str()).collect();
    let locals = local_variables(launch.ptx, &kernel.name, &functions);
    let found = Findings { list: recorded.findings, ..Findings::default() };
    let findings = super::report::told(&found).into_iter();
    let argument = |param: &Param| {
        let (start, bytes) = (param.offset as usize, param.size as usize);
        Argument { value: launch.params.get(start..start + bytes).unwrap_or_default().to_vec() }
    };
    let header = Header {
        kernel: kernel.name.clone(),
        kernel_name: demangle(&kernel.name),
        launch: launch.number,
        gpu: launch.profile.name.to_owned(),
        command: command_line(),
        grid: geometry.grid,
        block: geometry.block,
        blocks: launch.blocks,
        arguments: kernel.params.iter().map(argument).collect(),
        shared_bytes: recorded.shared_bytes,
        shared: recorded.shared,
        allocations: recorded.allocations,
        instructions,
        registers: registers.collect(),
        variables: locals.variables,
        types: locals.types,
        sources: files.0,
        findings: findings.map(|told| Finding { title: told.headline, text: told.text }).collect(),
        fault: launch.fault.map(|fault| format!("{fault:?}")),
        steps: recorded.steps.steps,
        cut: recorded.steps.is_cut.then_some(Cut { limit: launch.limit }),
    };
    Recording::write(&header, &recorded.steps)
}
