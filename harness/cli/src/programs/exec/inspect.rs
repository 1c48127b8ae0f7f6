//! Inspects a program's file to decide whether the embedded machine can run it.
use std::{fs, path::Path};

use harness::Error;
use object::{
    Endianness, elf,
    read::elf::{Dyn, FileHeader},
};

use crate::programs::nvcc::{STARTS_MACHINE, proprietary_libs};

/// # Errors
/// [`Error::CannotRun`] when the program cannot run on the embedded machine, because it needs a library that only a GPU
/// runs. Files that are not such programs are not judged.
pub fn check(program: &Path) -> Result<(), Error> {
    let Some(found) = read(program) else { return Ok(()) };
    match found.needed.iter().find(|name| proprietary_libs::is_file(name)) {
        Some(name) => Err(Error::CannotRun(format!(
            "{} needs {name}, which contains or generates GPU machine code, or calls NVIDIA's own driver: the embedded machine \
             cannot run it; it needs a GPU",
            program.display()
        ))),
        None => Ok(()),
    }
}

/// Whether a program needs NVIDIA's driver to be started alone: it has kernels that nvcc has compiled, loads no
/// `libcudart`, thus has NVIDIA's linked in, and does not load the embedded machine.
pub fn needs_driver(program: &Path) -> bool {
    read(program).is_some_and(|found| {
        found.has_kernels && !found.starts_machine && !found.needed.iter().any(|name| name.starts_with("libcudart"))
    })
}

/// The relevant contents of a program's file.
#[derive(Default)]
struct Found {
    /// The libraries that it is linked with.
    needed: Vec<String>,
    /// Whether it contains a fat binary made by nvcc.
    has_kernels: bool,
    /// Whether it was compiled with the header that loads the embedded machine.
    starts_machine: bool,
}

/// Reads a program's file; `None` if it is no such program.
fn read(program: &Path) -> Option<Found> {
    let file = fs::read(program).ok()?;
    if !file.starts_with(&elf::ELFMAG) {
        return None;
    }
    parse(&file).ok()
}

fn parse(file: &[u8]) -> object::Result<Found> {
    let header = elf::FileHeader64::<Endianness>::parse(file)?;
    let endian = header.endian()?;
    let sections = header.sections(endian, file)?;
    let has_kernels = sections.section_by_name(endian, b".nv_fatbin").is_some();
    let starts_machine = sections.section_by_name(endian, STARTS_MACHINE.as_bytes()).is_some();
    let Some((entries, strings)) = sections.dynamic(endian, file)? else {
        return Ok(Found { has_kernels, starts_machine, needed: Vec::new() });
    };
    let strings = sections.strings(endian, file, strings)?;
    let names = entries.iter().filter(|entry| entry.tag32(endian) == Some(elf::DT_NEEDED));
    let names = names.filter_map(|entry| entry.string(endian, strings).ok());
    let needed = names.map(|name| String::from_utf8_lossy(name).into_owned()).collect();
    Ok(Found { needed, has_kernels, starts_machine })
}
