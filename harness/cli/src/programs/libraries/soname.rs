//! Changes the name in the driver library (`DT_SONAME`), under which a program that is linked with the library loads
//! it.
//!
//! The library inside `warplab` is called `libcuda.so`, which is what the labs' bindings look for in their own process.
//! A program that is linked with CUDA's driver must load `libcuda.so.1`. The library contains that name too, as the
//! name of a symbol, so only the reference to the name has to change.
use object::{
    Endianness, elf,
    read::elf::{Dyn, FileHeader, SectionHeader},
};

/// Returns the library with the name `name`. A library that is not an ELF file has no such name and stays unchanged.
///
/// # Errors
/// A message, when the library cannot be read, or does not contain the name.
pub fn named(library: &[u8], name: &str) -> Result<Vec<u8>, String> {
    let mut renamed = library.to_vec();
    if !library.starts_with(&elf::ELFMAG) {
        return Ok(renamed);
    }
    let found = reference(library, name).map_err(|error| format!("the driver library cannot be read: {error}"))?;
    let (place, value) = found.ok_or_else(|| format!("the driver library cannot be called {name}"))?;
    renamed[place..place + value.len()].copy_from_slice(&value);
    Ok(renamed)
}

/// The offset of the library's reference to its name, and the bytes of a reference to `name`. `None` if it does not
/// contain both.
fn reference(library: &[u8], name: &str) -> object::Result<Option<(usize, [u8; 8])>> {
    let header = elf::FileHeader64::<Endianness>::parse(library)?;
    let endian = header.endian()?;
    let sections = header.sections(endian, library)?;
    let Some((entries, strings)) = sections.dynamic(endian, library)? else {
        return Ok(None);
    };
    let strings = sections.section(strings)?.data(endian, library)?;
    let whole = format!("\0{name}\0");
    let at = strings.windows(whole.len()).position(|bytes| bytes == whole.as_bytes());
    let soname = entries.iter().find(|entry| entry.tag32(endian) == Some(elf::DT_SONAME));
    Ok(at.zip(soname).map(|(at, soname)| {
        let place = (&raw const soname.d_val).addr() - library.as_ptr().addr();
        let at = at as u64 + 1;
        (place, if header.is_little_endian() { at.to_le_bytes() } else { at.to_be_bytes() })
    }))
}

/// Returns the library with each mention of its name `from` changed to `to`, which has the same length, and with the
/// versions of its symbols renamed likewise.
///
/// # Errors
/// A message, when the names differ in length, or the library does not contain the name.
pub fn replaced(library: &[u8], from: &str, to: &str) -> Result<Vec<u8>, String> {
    let mut renamed = library.to_vec();
    if from.len() != to.len() {
        return Err(format!("{from} cannot be called {to}: that name has another length"));
    }
    let mut at = 0;
    let mut found = false;
    while let Some(next) = renamed[at..].windows(from.len()).position(|bytes| bytes == from.as_bytes()) {
        renamed[at + next..at + next + from.len()].copy_from_slice(to.as_bytes());
        (at, found) = (at + next + from.len(), true);
    }
    if !found {
        return Err(format!("the library does not contain the name {from}"));
    }
    // The loader finds a version by the hash of its name.
    let old = elf::hash(from.as_bytes());
    for place in version_hashes(library, old).map_err(|error| format!("{from} cannot be read: {error}"))? {
        renamed[place..place + 4].copy_from_slice(&elf::hash(to.as_bytes()).to_ne_bytes());
    }
    Ok(renamed)
}

/// The offsets of the hashes `wanted` of the versions that the library defines.
fn version_hashes(library: &[u8], wanted: u32) -> object::Result<Vec<usize>> {
    if !library.starts_with(&elf::ELFMAG) {
        return Ok(Vec::new());
    }
    let header = elf::FileHeader64::<Endianness>::parse(library)?;
    let endian = header.endian()?;
    let sections = header.sections(endian, library)?;
    let mut places = Vec::new();
    if let Some((mut definitions, _)) = sections.gnu_verdef(endian, library)? {
        while let Some((definition, _)) = definitions.next()? {
            if definition.vd_hash.get(endian) == wanted {
                places.push((&raw const definition.vd_hash).addr() - library.as_ptr().addr());
            }
        }
    }
    Ok(places)
}
