//! What nvcc takes from `libcudadevrt`, CUDA's runtime on the device: code that PTX declares and another library has.

use super::link_text;
use std::borrow::Cow;

/// `cudaGraphSetConditional`: the handle is the address of the condition's value.
const SET_CONDITIONAL: &str = "
.version 6.0
.target sm_30
.address_size 64
.visible .func cudaGraphSetConditional(.param .b64 handle, .param .b32 value)
{
    .reg .b32 %r<2>;
    .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [handle];
    ld.param.u32 %r1, [value];
    st.global.u32 [%rd1], %r1;
    ret;
}
";

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
    if !declares(ptx, "cudaGraphSetConditional") {
        return Cow::Borrowed(ptx);
    }
    let linked = link_text::link(&[ptx.to_owned(), SET_CONDITIONAL.to_owned()]);
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
    fn the_condition_s_function_is_added_once() {
        let declared = format!("{HEAD}.extern .func cudaGraphSetConditional\n(\n.param .b64 a,\n.param .b32 b\n)\n;\n");
        let linked = with(&declared);
        assert_eq!(linked.matches(".visible .func cudaGraphSetConditional").count(), 1, "{linked}");
        assert_eq!(with(HEAD), HEAD);
        let own =
            format!("{declared}.visible .func cudaGraphSetConditional(.param .b64 a, .param .b32 b) {{ ret; }}\n");
        assert_eq!(with(&own), own);
    }
}
