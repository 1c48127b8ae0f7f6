//! The PTX that is committed next to the tests' kernels.
#![allow(dead_code, reason = "test programs use one or the other function")]

use flate2::bufread::GzDecoder;
use std::io::Read;
use std::path::Path;

/// Returns the PTX of the kernel file `source`, from `NAME.ptx.gz` next to it. It is empty if the file is missing.
pub fn ptx_next_to(source: &Path) -> String {
    let mut text = String::new();
    if let Ok(bytes) = std::fs::read(source.with_extension("ptx.gz")) {
        let length = GzDecoder::new(&*bytes).read_to_string(&mut text);
        length.unwrap_or_else(|error| panic!("{}: {error}", source.display()));
    }
    text
}

/// Returns the PTX of a kernel file of the machine's tests, such as `kernels/basic.cu`.
pub fn ptx_of(source: &str) -> String {
    let ptx = ptx_next_to(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../simt/tests").join(source));
    assert!(!ptx.is_empty(), "{source} has no committed PTX");
    ptx
}
