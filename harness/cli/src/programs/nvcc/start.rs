//! The header that `warplab nvcc` includes first in each source. It makes the object file load the embedded machine
//! where there is no GPU, because NVIDIA's runtime, which another linker may link in, finds no driver there.
use std::path::{Path, PathBuf};

use harness::Error;

use crate::{
    programs::libraries::{DRIVER, MACHINE},
    shared::output_options::update,
};

/// The header, with a placeholder for the path of the machine.
const HEADER: &str = include_str!("../../../templates/compatibility/warplab_start.h");

/// The section of a program that is compiled with the header.
pub const SECTION: &str = ".warplab_start";

/// Writes the header to the folder of the libraries for programs, and returns its path.
///
/// # Errors
/// [`Error::Io`] when it cannot be written.
pub fn write_header(runtime: &Path) -> Result<PathBuf, Error> {
    let file = runtime.join("warplab_start.h");
    update(&file, text(&runtime.join(MACHINE).join(DRIVER)).as_bytes())?;
    Ok(file)
}

/// The header's text. The path is part of strings of C++.
fn text(machine: &Path) -> String {
    let quoted = machine.to_string_lossy().replace('\\', "\\\\").replace('"', "\\\"");
    HEADER.replace("@MACHINE@", &quoted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_names_the_machine_and_its_section() {
        let text = text(Path::new("/a \"b\"/libcuda.so.1"));
        assert!(text.contains(r#"warplab_dlopen("/a \"b\"/libcuda.so.1", now)"#), "{text}");
        assert!(text.contains(&format!("section(\"{SECTION}\")")) && !text.contains('@'), "{text}");
    }
}
