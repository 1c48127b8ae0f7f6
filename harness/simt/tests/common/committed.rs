//! The PTX that is committed next to the tests' kernels.
#![allow(dead_code, reason = "test programs use one or the other function")]

use ::kernels::CommittedPtx;
use std::path::Path;

/// Returns the PTX of the kernel file `source`, from `NAME.ptx.lzma` next to it. It is empty if the file is
/// missing; a damaged file fails the test.
pub fn ptx_next_to(source: &Path) -> String {
    let text = CommittedPtx::read(source).text().into_owned();
    let is_there = source.with_extension("ptx.lzma").metadata().is_ok_and(|file| file.len() > 0);
    assert!(!(is_there && text.is_empty()), "{}: its PTX is damaged", source.display());
    text
}

/// Returns the PTX of a kernel file of the machine's tests, such as `kernels/basic.cu`.
pub fn ptx_of(source: &str) -> String {
    let ptx = ptx_next_to(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../simt/tests").join(source));
    assert!(!ptx.is_empty(), "{source} has no committed PTX");
    ptx
}
