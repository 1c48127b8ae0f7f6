//! The name in the driver library (`DT_SONAME`), which a program that is linked with the library asks for when it
//! starts.
//!
//! The library inside `warplab` is called `libcuda.so`, which is what the labs' bindings look for in their own process.
//! A program that is linked with CUDA's driver must ask for `libcuda.so.1`. The library contains that name too, as the
//! name of a symbol, so only the reference to the name has to change.
use object::{
    Endianness, elf,
    read::elf::{Dyn, FileHeader, SectionHeader},
};

/// The library with the name `name`. A library that is not an ELF file has no such name and stays as it is.
///
/// # Errors
/// In words, when the library cannot be read, or does not contain the name.
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

/// Where the library refers to its name, and the bytes of a reference to `name`. `None` if it does not contain both.
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
