//! A kernel line by line: the source, the PTX made from each line, and the machine code made from that.
use std::collections::{BTreeMap, HashMap};

use kernels::Arch;
use serde::Serialize;

pub use crate::disassembly::LiveRegisters;
use crate::{
    Error, KernelResources, Nvdisasm, Ptxas,
    disassembly::Instruction,
    ptx_lines::{self, PtxTextLine, SourcePlace},
};

/// The kernels of a module.
#[derive(Debug, Clone, Serialize)]
pub struct Listing {
    /// The architecture, e.g. `sm_90`.
    pub architecture: String,
    /// The assembler's version.
    pub ptxas: String,
    /// The disassembler's version.
    pub nvdisasm: String,
    /// The assembler's warnings and remarks.
    pub remarks: Vec<String>,
    /// The kernels, in the order of their symbols.
    pub kernels: Vec<KernelListing>,
}

/// A kernel.
#[derive(Debug, Clone, Serialize)]
pub struct KernelListing {
    /// Its name as in the source, for a C++ kernel with its parameters.
    pub name: String,
    /// What it takes of a multiprocessor.
    pub resources: KernelResources,
    /// Its instructions of machine code, with those of the routines.
    pub instructions: usize,
    /// The most registers of a thread that hold a value at one instruction.
    pub most_live: u32,
    /// The lines of the source, by file and number; first those of the kernel's own file.
    pub lines: Vec<SourceLine>,
    /// Routines that the assembler has added, such as the rare path of a division.
    pub routines: Vec<Routine>,
}

/// A line of the source.
#[derive(Debug, Clone, Serialize)]
pub struct SourceLine {
    /// The file as the PTX names it; `None` if the PTX has no line information.
    pub file: Option<String>,
    /// Its number; 0 for what the compiler assigns to no line.
    pub line: u32,
    /// Its text, if the file is available.
    pub source: Option<String>,
    /// The PTX that was made from it, in order.
    pub ptx: Vec<PtxLine>,
}

/// A line of PTX.
#[derive(Debug, Clone, Serialize)]
pub struct PtxLine {
    /// Its number in the module.
    pub line: u32,
    /// Its text.
    pub text: String,
    /// The machine code that was made from it, in order of address; empty if the assembler needed none.
    pub sass: Vec<SassInstruction>,
}

/// A routine that the assembler has added.
#[derive(Debug, Clone, Serialize)]
pub struct Routine {
    /// The assembler's name for it.
    pub name: String,
    /// Its machine code.
    pub sass: Vec<SassInstruction>,
}

/// An instruction of machine code.
#[derive(Debug, Clone, Serialize)]
pub struct SassInstruction {
    /// Bytes from the kernel's start.
    pub address: u32,
    /// Labels of jumps that lead to it.
    pub labels: Vec<String>,
    /// Its text.
    pub text: String,
    /// The registers that hold a value.
    pub live: LiveRegisters,
}

/// Assembles `ptx` for `sm_<arch>`, disassembles its kernels, and joins their lines. `source` returns the text of a
/// file that the PTX names.
///
/// # Errors
/// As [`Ptxas::assemble`], and the same errors of the disassembler.
pub fn listing(
    (ptxas, nvdisasm): (&Ptxas, &Nvdisasm),
    (ptx, arch): (&str, Arch),
    source: &dyn Fn(&str) -> Option<String>,
) -> Result<Listing, Error> {
    let assembled = ptxas.assemble(ptx, arch)?;
    let mut functions = nvdisasm.disassemble(&assembled.cubin)?;
    let lines = ptx_lines::lines(ptx);
    let mut sources = Sources { text: source, read: HashMap::new() };
    let of_kernel = |resources: KernelResources| {
        let code = functions.remove(&resources.symbol).unwrap_or_default();
        kernel(resources, code, &lines, &mut sources)
    };
    Ok(Listing {
        architecture: format!("sm_{arch}"),
        ptxas: ptxas.version().into(),
        nvdisasm: nvdisasm.version().into(),
        remarks: assembled.remarks,
        kernels: assembled.kernels.into_iter().map(of_kernel).collect(),
    })
}

/// The lines of the source files.
struct Sources<'s> {
    text: &'s dyn Fn(&str) -> Option<String>,
    read: HashMap<String, Option<Vec<String>>>,
}

impl Sources<'_> {
    /// Returns the text of a line.
    fn line(&mut self, place: SourcePlace<'_>) -> Option<String> {
        let read = || Some((self.text)(place.file)?.lines().map(|line| line.trim().to_string()).collect());
        let lines = self.read.entry(place.file.into()).or_insert_with(read);
        lines.as_ref()?.get(place.line.checked_sub(1)? as usize).cloned()
    }
}

fn kernel(
    resources: KernelResources,
    code: Vec<Instruction>,
    lines: &[PtxTextLine<'_>],
    sources: &mut Sources<'_>,
) -> KernelListing {
    let instructions = code.len();
    let most_live = code.iter().map(|instruction| instruction.live.general).max().unwrap_or(0);
    // By the number of the line of PTX.
    let mut of_ptx: BTreeMap<u32, Vec<SassInstruction>> = BTreeMap::new();
    let own = (1..).zip(lines).filter(|(_, line)| line.function == Some(resources.symbol.as_str()));
    of_ptx.extend(own.map(|(number, _)| (number, Vec::new())));
    let mut routines: Vec<Routine> = Vec::new();
    for instruction in code {
        let (line, routine) = (instruction.ptx_line, instruction.routine.clone());
        let Instruction { address, text, labels, live, .. } = instruction;
        let sass = SassInstruction { address, labels, text, live };
        match (line.filter(|line| (1..=lines.len()).contains(&(*line as usize))), routine) {
            (Some(line), _) => of_ptx.entry(line).or_default().push(sass),
            (None, routine) => {
                let name = routine.unwrap_or_else(|| resources.symbol.clone());
                match routines.iter_mut().find(|routine| routine.name == name) {
                    Some(routine) => routine.sass.push(sass),
                    None => routines.push(Routine { name, sass: vec![sass] }),
                }
            }
        }
    }
    // By the number of the file and of the line; code of no line comes after the others.
    let mut of_source: BTreeMap<(usize, u32, Option<SourcePlace<'_>>), Vec<PtxLine>> = BTreeMap::new();
    let mut files: Vec<&str> = Vec::new();
    for (number, sass) in of_ptx {
        let line = &lines[number as usize - 1];
        // Files in the order in which the kernel comes to them.
        let file = line.place.map_or(0, |place| {
            files.iter().position(|file| *file == place.file).unwrap_or_else(|| {
                files.push(place.file);
                files.len() - 1
            })
        });
        let ptx = PtxLine { line: number, text: line.text.into(), sass };
        let order = line.place.map_or(0, |place| place.line.wrapping_sub(1));
        of_source.entry((file, order, line.place)).or_default().push(ptx);
    }
    let mut source_line = |place: Option<SourcePlace<'_>>, ptx: Vec<PtxLine>| SourceLine {
        file: place.map(|place| place.file.into()),
        line: place.map_or(0, |place| place.line),
        source: place.and_then(|place| sources.line(place)),
        ptx,
    };
    KernelListing {
        name: wire::demangle(&resources.symbol),
        instructions,
        most_live,
        lines: of_source.into_iter().map(|((_, _, place), ptx)| source_line(place, ptx)).collect(),
        routines,
        resources,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disassembly;

    const PTX: &str = include_str!("../tests/data/sample.ptx");

    /// The kernel `tile`, as NVIDIA's programs have listed it.
    fn tile() -> KernelListing {
        let log = crate::resources::parse(include_str!("../tests/data/sample.log")).unwrap();
        let resources = log.kernels.into_iter().find(|kernel| kernel.symbol == "_Z4tilePfPKf").unwrap();
        let (lines, live) = disassembly::sample();
        let code = disassembly::parse(lines, live).unwrap().remove(&resources.symbol).unwrap();
        let text = |file: &str| (file == "sample.cu").then(|| "\n".repeat(13) + "  tile[i] = from[i];\n");
        kernel(resources, code, &ptx_lines::lines(PTX), &mut Sources { text: &text, read: HashMap::new() })
    }

    #[test]
    fn a_line_of_the_source_has_its_ptx_and_that_its_machine_code() {
        let tile = tile();
        assert_eq!(tile.name, "tile(float*, float const*)");
        let line = tile.lines.iter().find(|line| line.line == 14).unwrap();
        assert_eq!((line.file.as_deref(), line.source.as_deref()), (Some("sample.cu"), Some("tile[i] = from[i];")));
        let load = line.ptx.iter().find(|ptx| ptx.text.starts_with("ld.global")).unwrap();
        let [sass] = load.sass.as_slice() else { panic!("{load:?}") };
        assert_eq!((sass.address, sass.text.as_str(), load.line), (0x50, "LDG.E R3, desc[UR6][R4.64]", 56));
        // The assembler needed no instruction for this one.
        let folded = line.ptx.iter().find(|ptx| ptx.text.starts_with("mul.wide")).unwrap();
        assert!(folded.sass.is_empty(), "{folded:?}");
        // Lines of a header come after those of the kernel's own file.
        let last = tile.lines.last().unwrap();
        assert_eq!((last.file.as_deref(), last.line), (Some("sample.cuh"), 7));
    }

    #[test]
    fn every_instruction_is_listed_once() {
        let tile = tile();
        let of_lines = tile.lines.iter().flat_map(|line| &line.ptx).flat_map(|ptx| &ptx.sass);
        let of_routines = tile.routines.iter().flat_map(|routine| &routine.sass);
        let mut addresses: Vec<u32> = of_lines.chain(of_routines).map(|sass| sass.address).collect();
        addresses.sort_unstable();
        assert_eq!(addresses, (0..tile.instructions as u32).map(|index| 16 * index).collect::<Vec<_>>());
        assert!(tile.routines[0].name.contains("div_rn"), "{:?}", tile.routines[0].name);
        assert_eq!(tile.most_live, 14);
    }

    #[test]
    fn code_of_no_line_comes_last() {
        let ptx = PTX.replace(".loc 1 14 3", ".loc 1 0 0");
        let resources = tile().resources;
        let (lines, live) = disassembly::sample();
        let code = disassembly::parse(lines, live).unwrap().remove(&resources.symbol).unwrap();
        let lines = ptx_lines::lines(&ptx);
        let listed = kernel(resources, code, &lines, &mut Sources { text: &|_| None, read: HashMap::new() });
        let numbers: Vec<u32> = listed.lines.iter().map(|line| line.line).collect();
        assert_eq!(numbers, [13, 15, 16, 17, 0, 7]);
    }
}
