//! Inspects a program's file to decide whether the embedded machine can run it.
use std::{fs, path::Path};

use harness::Error;
use object::{
    Endianness, elf,
    read::elf::{Dyn, FileHeader},
};

use crate::proprietary_libs;

/// # Errors
/// [`Error::CannotRun`] when the program cannot run on the embedded machine, because it needs a library that only a GPU
/// runs. Files that are not such programs are not judged.
pub fn check(program: &Path) -> Result<(), Error> {
    let Ok(file) = fs::read(program) else { return Ok(()) };
    let Ok(needed) = needed(&file) else { return Ok(()) };
    match needed.iter().find(|name| proprietary_libs::is_file(name)) {
        Some(name) => Err(Error::CannotRun(format!(
            "{} needs {name}, which has or makes machine code for GPUs, or asks NVIDIA's own driver: the embedded machine \
             cannot run it; it needs a GPU",
            program.display()
        ))),
        None => Ok(()),
    }
}

/// The libraries that a program is linked with.
fn needed(file: &[u8]) -> object::Result<Vec<String>> {
    if !file.starts_with(&elf::ELFMAG) {
        return Ok(Vec::new());
    }
    let header = elf::FileHeader64::<Endianness>::parse(file)?;
    let endian = header.endian()?;
    let sections = header.sections(endian, file)?;
    let Some((entries, strings)) = sections.dynamic(endian, file)? else {
        return Ok(Vec::new());
    };
    let strings = sections.strings(endian, file, strings)?;
    let names = entries.iter().filter(|entry| entry.tag32(endian) == Some(elf::DT_NEEDED));
    let names = names.filter_map(|entry| entry.string(endian, strings).ok());
    Ok(names.map(|name| String::from_utf8_lossy(name).into_owned()).collect())
}
