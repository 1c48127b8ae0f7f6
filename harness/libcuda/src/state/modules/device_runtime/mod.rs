//! What nvcc takes from `libcudadevrt`, CUDA's runtime on the device: code that PTX declares and another library has.
//! Ours is runtime.cu, which asks the driver (`children/calls.rs`) for what code on a device cannot do.

use crate::state::modules::link_text;
use std::borrow::Cow;

/// That code: runtime.cu, as nvcc compiles it.
const RUNTIME: &str = include_str!("runtime.ptx");

/// How the functions' names begin that it has.
const PROVIDED: [&str; 2] = ["__cudaCDP2", "cudaGraphSetConditional"];

/// What names in NVIDIA's `libcudadevrt` have in them: the file that it was made of.
const NVIDIAS: &str = "_cuda_device_runtime_cu_";

/// Whether a part of a program is that library itself, which nvcc links with every program of several parts that calls
/// it. It is left out: what it does needs calls of NVIDIA's driver. What the machine has of it, it has of its own.
pub fn is_nvidias(part: &str) -> bool {
    part.contains(NVIDIAS)
}

/// Whether PTX declares a function whose name begins like this.
fn declares(ptx: &str, prefix: &str) -> bool {
    let mut functions = ptx.match_indices(prefix).map(|(at, _)| &ptx[..at]);
    functions.any(|before| {
        let start = before.rfind([';', '}']).map_or(0, |at| at + 1);
        before.ends_with(char::is_whitespace) && before[start..].contains(".extern") && before.contains(".func")
    })
}

/// The PTX with what it takes of that runtime.
pub fn with(ptx: &str) -> Cow<'_, str> {
    if !PROVIDED.iter().any(|prefix| declares(ptx, prefix)) {
        return Cow::Borrowed(ptx);
    }
    // The version of PTX and the target are the program's.
    let head = |line: &&str| !line.starts_with(".version") && !line.starts_with(".target");
    let runtime: Vec<&str> = RUNTIME.lines().filter(head).collect();
    let linked = link_text::link(&[ptx.to_owned(), runtime.join("\n")]);
    // It fails if the PTX has a function of that name itself.
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
