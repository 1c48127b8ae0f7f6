//! The embedded libraries export each function of the headers that they implement, supported or not.
#![cfg(target_os = "linux")]

use std::{collections::BTreeSet, fs, path::Path};

use crate::common::libraries;
use object::{Endianness, elf, read::elf::FileHeader};

/// Returns the names of the symbols that a library defines.
fn exported(library: &Path) -> BTreeSet<String> {
    let library = fs::read(library).unwrap();
    let library = &library[..];
    let header = elf::FileHeader64::<Endianness>::parse(library).unwrap();
    let endian = header.endian().unwrap();
    let sections = header.sections(endian, library).unwrap();
    let symbols = sections.symbols(endian, library, elf::SHT_DYNSYM).unwrap();
    let defined = symbols.iter().filter(|symbol| symbol.st_shndx.get(endian) != elf::SHN_UNDEF);
    defined.map(|symbol| String::from_utf8_lossy(symbols.symbol_name(endian, symbol).unwrap()).into_owned()).collect()
}

#[test]
fn every_function_of_the_headers_is_exported() {
    let folder = libraries();
    for (library, header) in [
        ("libcuda.so.1", cuda_abi::driver::FUNCTIONS),
        ("libcudart.so.12", cuda_abi::runtime::FUNCTIONS),
        ("libcudart.so.13", cuda_abi::runtime::FUNCTIONS),
        ("libnvidia-ml.so.1", cuda_abi::nvml::FUNCTIONS),
    ] {
        let exported = exported(&folder.path().join(library));
        let missing = |header: &[&str]| -> Vec<String> {
            header.iter().filter(|name| !exported.contains(**name)).map(|name| (*name).to_owned()).collect()
        };
        assert_eq!(missing(header), [""; 0], "{library}");
        // A function that no library has is noticed.
        assert_eq!(missing(&[header, &["cuPlanted"]].concat()), ["cuPlanted"], "{library}");
    }
}
