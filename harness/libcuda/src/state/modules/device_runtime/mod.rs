//! The functions that nvcc takes from `libcudadevrt`, CUDA's device runtime: code that PTX declares and another library
//! defines. Ours is runtime.cu, which calls the driver (`children/calls.rs`) for operations that device code cannot
//! perform.

use crate::state::modules::link_text;
use std::borrow::Cow;

/// The device runtime: runtime.cu, as compiled by nvcc.
const RUNTIME: &str = include_str!("runtime.ptx");

/// The prefixes of the functions that it defines.
const PROVIDED: [&str; 3] = ["__cudaCDP2", "cudaCG", "cudaGraphSetConditional"];

/// A part of the names in NVIDIA's `libcudadevrt`: the file from which it was built.
const NVIDIAS: &str = "_cuda_device_runtime_cu_";

/// Returns whether a part of a program is that library itself, which nvcc links with every program of several parts
/// that calls it. It is left out, because it needs calls of NVIDIA's driver. The machine implements the supported part
/// of it itself.
pub fn is_nvidias(part: &str) -> bool {
    part.contains(NVIDIAS)
}

/// Returns whether PTX declares a function with this prefix.
fn declares(ptx: &str, prefix: &str) -> bool {
    let mut functions = ptx.match_indices(prefix).map(|(at, _)| &ptx[..at]);
    functions.any(|before| {
        let start = before.rfind([';', '}']).map_or(0, |at| at + 1);
        before.ends_with(char::is_whitespace) && before[start..].contains(".extern") && before.contains(".func")
    })
}

/// Returns the PTX, linked with the functions that it uses from the device runtime.
pub fn with(ptx: &str) -> Cow<'_, str> {
    if !PROVIDED.iter().any(|prefix| declares(ptx, prefix)) {
        return Cow::Borrowed(ptx);
    }
    // The version of PTX and the target are those of the program.
    let head = |line: &&str| !line.starts_with(".version") && !line.starts_with(".target");
    let runtime: Vec<&str> = RUNTIME.lines().filter(head).collect();
    let linked = link_text::link(&[ptx.to_owned(), runtime.join("\n")]);
    // Linking fails if the PTX already defines a function of that name.
    linked.map_or(Cow::Borrowed(ptx), Cow::Owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = ".version 8.0\n.target sm_80\n.address_size 64\n";

    #[test]
    fn the_library_is_told_from_programs_that_call_it() {
        let library =
            ".visible .func __nv_static_52__f4510a67_22_cuda_device_runtime_cu_3ecce0c0_2317245_cpy() { ret; }";
        assert!(is_nvidias(&format!("{HEAD}{library}")));
        assert!(!is_nvidias(&format!("{HEAD}.extern .func __cudaCDP2GetLastError();\n")));
    }

    #[test]
    fn what_a_program_calls_is_added_once() {
        let declared = format!("{HEAD}.extern .func cudaGraphSetConditional\n(\n.param .b64 a,\n.param .b32 b\n)\n;\n");
        let linked = with(&declared);
        assert_eq!(linked.matches(".visible .func cudaGraphSetConditional").count(), 1, "{linked}");
        assert_eq!(with(HEAD), HEAD);
        let own =
            format!("{declared}.visible .func cudaGraphSetConditional(.param .b64 a, .param .b32 b) {{ ret; }}\n");
        assert_eq!(with(&own), own);
    }
}
