//! What nvcc takes from `libcudadevrt`, CUDA's runtime on the device: code that PTX declares and another library has.

use super::link_text;
use crate::abi::error::{Error, Refused};
use crate::state::device::driver::tell;
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

/// What PTX calls that the machine does not have: how the functions' names begin, and what they do.
const LACKING: [(&str, &str); 5] = [
    ("__cudaCDP2", "a kernel that launches kernels (dynamic parallelism)"),
    ("cudaLaunchDevice", "a kernel that launches kernels (dynamic parallelism)"),
    ("cudaGetParameterBuffer", "a kernel that launches kernels (dynamic parallelism)"),
    ("cudaGraphLaunch", "a kernel that launches graphs"),
    ("cudaGetCurrentGraphExec", "a kernel that launches graphs"),
];

/// Whether PTX declares a function whose name begins like this.
fn declares(ptx: &str, prefix: &str) -> bool {
    let mut functions = ptx.match_indices(prefix).map(|(at, _)| &ptx[..at]);
    functions.any(|before| {
        let start = before.rfind([';', '}']).map_or(0, |at| at + 1);
        before.ends_with(char::is_whitespace) && before[start..].contains(".extern") && before.contains(".func")
    })
}

/// Refuses PTX that needs more of that runtime than the machine has, and says what.
///
/// # Errors
/// `CUDA_ERROR_NOT_SUPPORTED`.
pub fn check(ptx: &str) -> std::result::Result<(), Refused> {
    let Some((_, what)) = LACKING.iter().find(|(prefix, _)| declares(ptx, prefix)) else {
        return Ok(());
    };
    let log = format!("{what} is not supported by the emulated device");
    tell(|observer| observer.unsupported(&log));
    Err(Refused::new(Error::NOT_SUPPORTED, log))
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
    fn what_is_declared_is_told_from_what_is_named_alike() {
        let declared = |name: &str| format!("{HEAD}.extern .func (.param .b32 r) {name}\n(\n.param .b64 p\n)\n;\n");
        for name in ["__cudaCDP2LaunchDeviceV2", "cudaLaunchDeviceV2", "cudaGetParameterBufferV2", "cudaGraphLaunch"] {
            assert_eq!(check(&declared(name)).map_err(Error::from), Err(Error::NOT_SUPPORTED), "{name}");
        }
        assert!(check(&declared("my_cudaLaunchDevice")).is_ok());
        assert!(check(&format!("{HEAD}// cudaLaunchDevice\n.visible .func cudaLaunchDevice() {{ ret; }}\n")).is_ok());
        assert!(check(&declared("cudaGraphSetConditional")).is_ok());
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
