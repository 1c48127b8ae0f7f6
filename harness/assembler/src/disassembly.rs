//! Runs the disassembler, and reads its listings.
use std::{collections::BTreeMap, fs, process::Stdio};

use kernels::program;
use serde::Serialize;

use crate::{
    Error,
    tools::{Nvdisasm, Tool, ending, start_error},
};

/// The registers that hold a value at an instruction, which is when it executes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct LiveRegisters {
    /// Of each thread.
    pub general: u32,
    /// Predicates of each thread.
    pub predicates: u32,
    /// Of the warp.
    pub uniform: u32,
    /// Predicates of the warp.
    pub uniform_predicates: u32,
}

/// One instruction of machine code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Instruction {
    /// Bytes from the start of the function.
    pub(crate) address: u32,
    pub(crate) text: String,
    /// The labels before it.
    pub(crate) labels: Vec<String>,
    /// The line of the PTX that it was made from; `None` in code that the assembler has added.
    pub(crate) ptx_line: Option<u32>,
    pub(crate) live: LiveRegisters,
    /// The routine that the assembler has added, in which it is.
    pub(crate) routine: Option<String>,
}

/// The machine code of the functions of a module, by their symbols.
pub(crate) type Functions = BTreeMap<String, Vec<Instruction>>;

impl Nvdisasm {
    /// Disassembles a module in machine code.
    ///
    /// # Errors
    /// [`Error::Failed`], [`Error::Unreadable`], [`Error::Start`].
    pub(crate) fn disassemble(&self, cubin: &[u8]) -> Result<Functions, Error> {
        let io = start_error(&self.0.path);
        let folder = tempfile::tempdir().map_err(&io)?;
        let file = folder.path().join("module.cubin");
        fs::write(&file, cubin).map_err(&io)?;
        // The program does not print both in one listing.
        let [lines, live] = [&["-gp"][..], &["-lrm", "count"]].map(|options| {
            let mut process = program::named(&self.0.path);
            let output = process.arg("-c").args(options).arg(&file).stdin(Stdio::null()).output().map_err(&io)?;
            if output.status.success() {
                return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
            }
            let text = String::from_utf8_lossy(&output.stderr);
            let log = if text.trim().is_empty() { String::new() } else { format!(":\n{}", text.trim()) };
            let version = self.version().to_string();
            Err(Error::Failed { tool: Tool::Nvdisasm, version, how: ending(output.status), log })
        });
        parse(&lines?, &live?).map_err(|line| Error::Unreadable {
            tool: Tool::Nvdisasm,
            version: self.version().into(),
            line,
        })
    }
}

/// Joins the listing with lines of the PTX, and the one with live registers.
///
/// # Errors
/// The line that does not have the expected form.
pub(crate) fn parse(lines: &str, live: &str) -> Result<Functions, String> {
    let (mut functions, live) = (functions(lines)?, functions(live)?);
    for (symbol, instructions) in &mut functions {
        let other = live.get(symbol).ok_or_else(|| symbol.clone())?;
        if other.len() != instructions.len() {
            return Err(symbol.clone());
        }
        for (instruction, other) in instructions.iter_mut().zip(other) {
            instruction.live = other.live;
        }
    }
    Ok(functions)
}

/// The comment that names the line of the following instructions.
const LINE: &str = "//## File \".nv_debug_ptx_txt\", line ";

/// Reads one listing.
fn functions(text: &str) -> Result<Functions, String> {
    let mut functions = Functions::new();
    let mut current: Option<(String, Vec<Instruction>)> = None;
    let (mut ptx_line, mut routine, mut labels, mut names) = (None, None, Vec::new(), Vec::new());
    for line in text.lines() {
        let unexpected = || line.trim().to_string();
        let (code, columns) = line.split_once("// ").filter(|_| !line.contains(LINE)).unwrap_or((line, ""));
        let code = code.trim();
        if let Some(section) = code.strip_prefix(".section") {
            functions.extend(current.take());
            let symbol = section.trim().strip_prefix(".text.").and_then(|rest| rest.split(',').next());
            current = symbol.map(|symbol| (symbol.into(), Vec::new()));
            (ptx_line, routine) = (None, None);
            labels.clear();
            continue;
        }
        let Some((symbol, instructions)) = current.as_mut() else { continue };
        if code.is_empty() && columns.contains(" GPR ") {
            names = column_names(columns).ok_or_else(unexpected)?;
        } else if let Some(number) = code.strip_prefix(LINE) {
            ptx_line = Some(number.parse().map_err(|_| unexpected())?);
        } else if let Some(label) = code.strip_suffix(':') {
            if label.starts_with(".L_") {
                labels.push(label.to_string());
            } else if label != symbol && !label.starts_with(".text.") {
                // The lines of the code before it do not go on.
                (ptx_line, routine) = (None, Some(label.to_string()));
            }
        } else if let Some(rest) = code.strip_prefix("/*") {
            let (address, text) = rest.split_once("*/").ok_or_else(unexpected)?;
            let address = u32::from_str_radix(address, 16).map_err(|_| unexpected())?;
            let text = text.trim().strip_suffix(';').ok_or_else(unexpected)?.trim_end().to_string();
            let live = match columns {
                "" => LiveRegisters::default(),
                columns => live(columns, &names).ok_or_else(unexpected)?,
            };
            let labels = std::mem::take(&mut labels);
            instructions.push(Instruction { address, text, labels, ptx_line, live, routine: routine.clone() });
        }
    }
    functions.extend(current);
    // One listing has the padding behind a function, the other does not.
    for instructions in functions.values_mut() {
        let used = instructions.iter().rposition(|instruction| instruction.text != "NOP").map_or(0, |last| last + 1);
        instructions.truncate(used);
    }
    Ok(functions)
}

/// Returns the names in the head of the columns, `| GPR   | PRED   | UGPR   | UPRED   |`: a kernel has those columns
/// whose registers it uses.
fn column_names(head: &str) -> Option<Vec<String>> {
    let names = head.trim().strip_prefix('|')?.strip_suffix('|')?.split('|');
    let names: Vec<String> = names.map(|name| name.trim().to_string()).collect();
    names.iter().all(|name| matches!(name.as_str(), "GPR" | "PRED" | "UGPR" | "UPRED")).then_some(names)
}

/// Reads the columns behind an instruction, `|  11   |   1    |        |         |`: empty columns are zeros.
fn live(columns: &str, names: &[String]) -> Option<LiveRegisters> {
    let columns: Vec<&str> = columns.trim().strip_prefix('|')?.strip_suffix('|')?.split('|').collect();
    let mut live = LiveRegisters::default();
    for (column, name) in columns.iter().zip(names) {
        let column = column.trim();
        let number = if column.is_empty() { 0 } else { column.parse().ok()? };
        match name.as_str() {
            "GPR" => live.general = number,
            "PRED" => live.predicates = number,
            "UGPR" => live.uniform = number,
            _ => live.uniform_predicates = number,
        }
    }
    (columns.len() == names.len()).then_some(live)
}

/// What nvdisasm 13.2.51 has printed for `tests/data/sample.ptx`: the lines, and the live registers.
#[cfg(test)]
pub(crate) fn sample() -> (&'static str, &'static str) {
    (include_str!("../tests/data/sample_lines.sass"), include_str!("../tests/data/sample_live.sass"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_have_their_lines_registers_and_labels() {
        let (lines, live) = sample();
        let functions = parse(lines, live).unwrap();
        assert_eq!(functions.keys().collect::<Vec<_>>(), ["_Z4tilePfPKf", "calls"]);
        let tile = &functions["_Z4tilePfPKf"];
        let at = |address: u32| tile.iter().find(|instruction| instruction.address == address).unwrap();
        let load = at(0x50);
        assert_eq!((load.text.as_str(), load.ptx_line), ("LDG.E R3, desc[UR6][R4.64]", Some(56)));
        assert!(load.live.general > 0 && load.live.uniform > 0, "{load:?}");
        // A line holds until the next one.
        assert_eq!(at(0x70).ptx_line, Some(57));
        assert_eq!(at(0x190).labels, [".L_x_1"]);
        assert!(at(0x150).text.starts_with("@!P0 BRA") && at(0x150).live.predicates == 1, "{:?}", at(0x150));
        // What the assembler has added for the division belongs to no line.
        let added = at(0x1e0);
        assert_eq!(added.ptx_line, None);
        assert!(added.routine.as_ref().unwrap().contains("div_rn"), "{added:?}");
    }

    #[test]
    fn another_form_is_an_error_that_names_the_line() {
        let (lines, live) = sample();
        let at = live.find("LDG.E").unwrap();
        let broken = format!("{}{}", &live[..at], live[at..].replacen('|', "| many |", 1));
        assert!(parse(lines, &broken).unwrap_err().contains("LDG.E"));
        let broken = live.replace("| UGPR ", "| NEW  ");
        assert!(parse(lines, &broken).unwrap_err().contains("NEW"));
        let short: Vec<&str> = live.lines().filter(|line| !line.contains("LDG.E")).collect();
        assert_eq!(parse(lines, &short.join("\n")).unwrap_err(), "_Z4tilePfPKf");
    }
}
