//! Inspects a program's file to decide whether the embedded machine can run it.
use std::{fs, path::Path};

use harness::Error;
use object::{
    Endianness, elf,
    read::elf::{Dyn, FileHeader},
};

use crate::proprietary_libs;

/// # Errors
/// [`Error::CannotRun`] when the program cannot run on the embedded machine: it is linked statically with the runtime,
/// or needs a library that only a GPU runs. Files that are not such programs are not judged.
pub fn check(program: &Path) -> Result<(), Error> {
    let Ok(file) = fs::read(program) else { return Ok(()) };
    let Ok(Some(found)) = read(&file) else { return Ok(()) };
    let shown = program.display();
    let closed = found.needed.iter().find(|name| proprietary_libs::is_file(name));
    if let Some(name) = closed {
        return Err(Error::CannotRun(format!(
            "{shown} needs {name}, which has or makes machine code for GPUs, or asks NVIDIA's own driver: the embedded machine \
             cannot run it; it needs a GPU"
        )));
    }
    let is_shared = found.needed.iter().any(|name| name.starts_with("libcudart"));
    if found.has_kernels && !is_shared {
        return Err(Error::CannotRun(format!(
            "{shown} has CUDA's runtime linked in, which works only with NVIDIA's own driver; compile it with `warplab nvcc`, or \
             with nvcc -cudart shared"
        )));
    }
    Ok(())
}

/// The relevant contents of a program's file.
struct Found {
    /// The libraries that it is linked with.
    needed: Vec<String>,
    /// Whether it contains a fat binary made by nvcc.
    has_kernels: bool,
}

fn read(file: &[u8]) -> object::Result<Option<Found>> {
    if !file.starts_with(&elf::ELFMAG) {
        return Ok(None);
    }
    let header = elf::FileHeader64::<Endianness>::parse(file)?;
    let endian = header.endian()?;
    let sections = header.sections(endian, file)?;
    let has_kernels = sections.section_by_name(endian, b".nv_fatbin").is_some();
    let Some((entries, strings)) = sections.dynamic(endian, file)? else {
        return Ok(Some(Found { needed: Vec::new(), has_kernels }));
    };
    let strings = sections.strings(endian, file, strings)?;
    let names = entries.iter().filter(|entry| entry.tag32(endian) == Some(elf::DT_NEEDED));
    let needed = names
        .filter_map(|entry| entry.string(endian, strings).ok())
        .map(|name| String::from_utf8_lossy(name).into_owned())
        .collect();
    Ok(Some(Found { needed, has_kernels }))
}
