//! The texts of error codes as programs print them, which no header has: those of `cuGetErrorString`,
//! `cudaGetErrorString` and `nvmlErrorString`.

use crate::generated::{driver, nvml, runtime};
use std::ffi::CStr;

/// The text of a code in the driver and in the runtime, whose codes have the same numbers.
struct Text {
    code: i32,
    driver: Option<&'static CStr>,
    runtime: Option<&'static CStr>,
}

const fn both(code: i32, text: &'static CStr) -> Text {
    each(code, text, text)
}

const fn each(code: i32, driver: &'static CStr, runtime: &'static CStr) -> Text {
    Text { code, driver: Some(driver), runtime: Some(runtime) }
}

const fn of_driver_only(code: i32, text: &'static CStr) -> Text {
    Text { code, driver: Some(text), runtime: None }
}

const fn of_runtime_only(code: i32, text: &'static CStr) -> Text {
    Text { code, driver: None, runtime: Some(text) }
}

/// Ordered by code.
const TEXTS: &[Text] = &[
    both(0, c"no error"),
    both(1, c"invalid argument"),
    both(2, c"out of memory"),
    both(3, c"initialization error"),
    both(4, c"driver shutting down"),
    both(5, c"profiler disabled while using external profiling tool"),
    both(6, c"profiler not initialized: call cudaProfilerInitialize()"),
    both(7, c"profiler already started"),
    both(8, c"profiler already stopped"),
    of_runtime_only(9, c"invalid configuration argument"),
    of_runtime_only(12, c"invalid pitch argument"),
    of_runtime_only(13, c"invalid device symbol"),
    of_runtime_only(16, c"invalid host pointer"),
    of_runtime_only(17, c"invalid device pointer"),
    of_runtime_only(18, c"invalid texture reference"),
    of_runtime_only(19, c"texture is not bound to a pointer"),
    of_runtime_only(20, c"invalid channel descriptor"),
    of_runtime_only(21, c"invalid copy direction for memcpy"),
    of_runtime_only(22, c"invalid address of constant"),
    of_runtime_only(23, c"fetch from texture failed"),
    of_runtime_only(24, c"cannot fetch from a texture that is not bound"),
    of_runtime_only(25, c"incorrect use of __syncthreads()"),
    of_runtime_only(26, c"linear filtering not supported for non-float type"),
    of_runtime_only(27, c"read as normalized float not supported for data type"),
    of_runtime_only(28, c"device emulation mode and device execution mode cannot be mixed"),
    of_runtime_only(31, c"feature not yet implemented"),
    of_runtime_only(32, c"memory size or pointer value too large to fit in 32 bit"),
    both(34, c"CUDA driver is a stub library"),
    of_runtime_only(35, c"CUDA driver version is insufficient for CUDA runtime version"),
    each(36, c"CUDA driver version is insufficient for the call", c"API call is not supported in the installed CUDA driver"),
    of_runtime_only(37, c"invalid surface reference"),
    of_runtime_only(43, c"duplicate global variable looked up by string name"),
    of_runtime_only(44, c"duplicate texture looked up by string name"),
    of_runtime_only(45, c"duplicate surface looked up by string name"),
    both(46, c"CUDA-capable device(s) is/are busy or unavailable"),
    of_runtime_only(49, c"incompatible driver context"),
    of_runtime_only(52, c"__global__ function call is not configured"),
    of_runtime_only(53, c"unspecified launch failure in prior launch"),
    of_runtime_only(65, c"launch would exceed maximum depth of nested launches"),
    of_runtime_only(66, c"launch failed because kernel uses unsupported, file-scoped textures (texture objects are supported)"),
    of_runtime_only(67, c"launch failed because kernel uses unsupported, file-scoped surfaces (surface objects are supported)"),
    of_runtime_only(68, c"cudaDeviceSynchronize failed because caller's grid depth exceeds cudaLimitDevRuntimeSyncDepth"),
    of_runtime_only(69, c"launch failed because launch would exceed cudaLimitDevRuntimePendingLaunchCount"),
    of_runtime_only(98, c"invalid device function"),
    both(100, c"no CUDA-capable device is detected"),
    both(101, c"invalid device ordinal"),
    both(102, c"device doesn't have valid Grid license"),
    of_runtime_only(103, c"integrity checks failed"),
    of_runtime_only(127, c"startup failure in cuda runtime"),
    both(200, c"device kernel image is invalid"),
    both(201, c"invalid device context"),
    of_driver_only(202, c"context already current"),
    both(205, c"mapping of buffer object failed"),
    both(206, c"unmapping of buffer object failed"),
    both(207, c"array is mapped"),
    both(208, c"resource already mapped"),
    both(209, c"no kernel image is available for execution on the device"),
    both(210, c"resource already acquired"),
    both(211, c"resource not mapped"),
    both(212, c"resource not mapped as array"),
    both(213, c"resource not mapped as pointer"),
    both(214, c"uncorrectable ECC error encountered"),
    both(215, c"limit is not supported on this architecture"),
    both(216, c"exclusive-thread device already in use by a different thread"),
    both(217, c"peer access is not supported between these two devices"),
    both(218, c"a PTX JIT compilation failed"),
    both(219, c"invalid OpenGL or DirectX context"),
    both(220, c"uncorrectable NVLink error detected during the execution"),
    both(221, c"PTX JIT compiler library not found"),
    both(222, c"the provided PTX was compiled with an unsupported toolchain."),
    both(223, c"PTX JIT compilation was disabled"),
    both(224, c"the provided execution affinity is not supported"),
    both(225, c"the provided PTX contains unsupported call to cudaDeviceSynchronize"),
    both(226, c"Invalid access of peer GPU memory over nvlink or a hardware error"),
    both(300, c"device kernel image is invalid"),
    both(301, c"file not found"),
    both(302, c"shared object symbol not found"),
    both(303, c"shared object initialization failed"),
    both(304, c"OS call failed or operation not supported on this OS"),
    both(400, c"invalid resource handle"),
    both(401, c"the operation cannot be performed in the present state"),
    both(402, c"attempted introspection would be semantically lossy"),
    both(500, c"named symbol not found"),
    both(600, c"device not ready"),
    both(700, c"an illegal memory access was encountered"),
    both(701, c"too many resources requested for launch"),
    both(702, c"the launch timed out and was terminated"),
    both(703, c"launch uses incompatible texturing mode"),
    both(704, c"peer access is already enabled"),
    both(705, c"peer access has not been enabled"),
    both(708, c"cannot set while device is active in this process"),
    both(709, c"context is destroyed"),
    both(710, c"device-side assert triggered"),
    both(711, c"peer mapping resources exhausted"),
    both(712, c"part or all of the requested memory range is already mapped"),
    both(713, c"pointer does not correspond to a registered memory region"),
    both(714, c"hardware stack error"),
    both(715, c"an illegal instruction was encountered"),
    both(716, c"misaligned address"),
    both(717, c"operation not supported on global/shared address space"),
    both(718, c"invalid program counter"),
    both(719, c"unspecified launch failure"),
    both(720, c"too many blocks in cooperative launch"),
    each(721, c"a kernel left tensor memory allocated", c"tensor memory not completely freed"),
    both(800, c"operation not permitted"),
    both(801, c"operation not supported"),
    both(802, c"system not yet initialized"),
    both(803, c"system has unsupported display driver / cuda driver combination"),
    both(804, c"forward compatibility was attempted on non supported HW"),
    both(805, c"MPS client failed to connect to the MPS control daemon or the MPS server"),
    both(806, c"the remote procedural call between the MPS server and the MPS client failed"),
    both(807, c"MPS server is not ready to accept new MPS client requests"),
    both(808, c"the hardware resources required to create MPS client have been exhausted"),
    both(809, c"the hardware resources required to support device connections have been exhausted"),
    both(810, c"the MPS client has been terminated by the server"),
    both(811, c"is using CUDA Dynamic Parallelism, but the current configuration, like MPS, does not support it"),
    both(812, c"unsupported interaction between different versions of CUDA Dynamic Parallelism"),
    both(900, c"operation not permitted when stream is capturing"),
    both(901, c"operation failed due to a previous error during capture"),
    both(902, c"operation would result in a merge of separate capture sequences"),
    both(903, c"capture was not ended in the same stream as it began"),
    both(904, c"capturing stream has unjoined work"),
    both(905, c"dependency created on uncaptured work in another stream"),
    both(906, c"operation would make the legacy stream depend on a capturing blocking stream"),
    both(907, c"operation not permitted on an event last recorded in a capturing stream"),
    both(908, c"attempt to terminate a thread-local capture sequence from another thread"),
    both(909, c"wait operation timed out"),
    both(910, c"the graph update was not performed because it included changes which violated constraints specific to instantiated graph update"),
    each(911, c"an async error has occurred in external entity outside of CUDA", c"an async error has occured in external entity outside of CUDA"),
    both(912, c"a kernel launch error has occurred due to cluster misconfiguration"),
    each(913, c"the function handle is not loaded", c"the function handle is not loaded when calling an API that requires a loaded function"),
    each(914, c"one or more resources are not of the expected type", c"one or more resources passed in are not valid resource types for the operation"),
    both(915, c"one or more resources are insufficient or non-applicable for the operation"),
    of_driver_only(916, c"an error happened during the key rotation sequence"),
    of_driver_only(917, c"the stream is detached from its work"),
    of_driver_only(918, c"the graph could not be captured again"),
    both(999, c"unknown error"),
];

/// The texts of NVML, by code, as nvml.h describes the codes.
const NVML: &[&CStr] = &[
    c"Success",
    c"Uninitialized",
    c"Invalid Argument",
    c"Not Supported",
    c"Insufficient Permissions",
    c"Already Initialized",
    c"Not Found",
    c"Insufficient Size",
    c"Insufficient External Power",
    c"Driver Not Loaded",
    c"Timeout",
    c"Interrupt Request Issue",
    c"NVML Shared Library Not Found",
    c"Function Not Found",
    c"Corrupted infoROM",
    c"GPU is lost",
    c"GPU requires reset",
    c"GPU access blocked by the operating system",
    c"Driver/library version mismatch",
    c"In use by another client",
    c"Insufficient Memory",
    c"No data",
    c"vGPU operation is not available while ECC is enabled",
    c"Insufficient resources",
    c"Frequency not supported",
    c"Argument version mismatch",
    c"Deprecated",
    c"Not ready",
    c"GPU not found",
    c"Invalid state",
    c"Reset type not supported",
];

/// Returns the name and the text of a `CUresult`; `None` for a number that is not a code.
pub fn of_driver(code: i32) -> Option<(&'static CStr, &'static CStr)> {
    name(driver::ERROR_NAMES, code).zip(text(code)?.driver)
}

/// Returns the name and the text of a `cudaError_t`; `None` for a number that is not a code.
pub fn of_runtime(code: i32) -> Option<(&'static CStr, &'static CStr)> {
    name(runtime::ERROR_NAMES, code).zip(text(code)?.runtime)
}

/// Returns the text of an `nvmlReturn_t`.
pub fn of_nvml(code: u32) -> &'static CStr {
    NVML.get(code as usize).copied().unwrap_or(c"Unknown Error")
}

fn text(code: i32) -> Option<&'static Text> {
    TEXTS.binary_search_by_key(&code, |text| text.code).ok().map(|at| &TEXTS[at])
}

fn name<T: Ord + Copy>(names: &[(T, &'static CStr)], code: T) -> Option<&'static CStr> {
    names.binary_search_by_key(&code, |(known, _)| *known).ok().map(|at| names[at].1)
}

/// Writes the name of a code, or the number of a code that is not known.
macro_rules! debug {
    ($($library:ident: $kind:literal;)*) => { $(
        impl std::fmt::Debug for $library::Error {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                match name($library::ERROR_NAMES, self.0) {
                    Some(name) => f.write_str(&name.to_string_lossy()),
                    None => write!(f, "{}({})", $kind, self.0),
                }
            }
        }
    )* };
}
debug! {
    driver: "CUresult";
    runtime: "cudaError_t";
    nvml: "nvmlReturn_t";
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn tables_are_ordered_and_each_text_has_a_name() {
        assert!(TEXTS.is_sorted_by_key(|text| text.code));
        assert!(driver::ERROR_NAMES.is_sorted() && runtime::ERROR_NAMES.is_sorted() && nvml::ERROR_NAMES.is_sorted());
        for text in TEXTS {
            assert_eq!(of_driver(text.code).is_some(), text.driver.is_some(), "{}", text.code);
            assert_eq!(of_runtime(text.code).is_some(), text.runtime.is_some(), "{}", text.code);
        }
        for (at, (code, name)) in nvml::ERROR_NAMES.iter().enumerate().take(NVML.len()) {
            assert_eq!(at as u32, *code, "{name:?}");
        }
    }

    #[test]
    fn a_code_is_shown_by_its_name() {
        assert_eq!(format!("{:?}", driver::Error::ILLEGAL_ADDRESS), "CUDA_ERROR_ILLEGAL_ADDRESS");
        assert_eq!(
            format!("{:?} {:?}", runtime::Error(1), runtime::Error(11)),
            "cudaErrorInvalidValue cudaError_t(11)"
        );
        assert_eq!(of_runtime(13), Some((c"cudaErrorInvalidSymbol", c"invalid device symbol")));
        assert_eq!((of_driver(13), of_driver(12345)), (None, None));
        assert_eq!((of_nvml(3), of_nvml(999)), (c"Not Supported", c"Unknown Error"));
    }

    #[test]
    fn functions_are_named_once_and_in_order() {
        for functions in [driver::FUNCTIONS, runtime::FUNCTIONS, nvml::FUNCTIONS] {
            assert!(functions.len() > 300 && functions.is_sorted());
            assert_eq!(functions.iter().collect::<BTreeSet<_>>().len(), functions.len());
        }
    }
}
