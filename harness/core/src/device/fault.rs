//! Classifies driver errors by their cause: the kernel, the host program, or too little memory.
use cudarc::driver::sys::CUresult;

/// The cause of a driver error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    /// A kernel did something illegal. A variant that is wrong on purpose may cause this.
    Kernel,
    /// Out of memory: the case cannot run here.
    Memory,
    /// An invalid call, or something is missing. No variant causes this on purpose.
    Host,
}

/// Returns the cause of an error code.
pub(crate) fn class(code: CUresult) -> Class {
    use CUresult as C;
    match code {
        C::CUDA_ERROR_OUT_OF_MEMORY => Class::Memory,
        C::CUDA_ERROR_ILLEGAL_ADDRESS
        | C::CUDA_ERROR_MISALIGNED_ADDRESS
        | C::CUDA_ERROR_INVALID_ADDRESS_SPACE
        | C::CUDA_ERROR_INVALID_PC
        | C::CUDA_ERROR_ILLEGAL_INSTRUCTION
        | C::CUDA_ERROR_HARDWARE_STACK_ERROR
        | C::CUDA_ERROR_ASSERT
        | C::CUDA_ERROR_LAUNCH_FAILED
        | C::CUDA_ERROR_LAUNCH_TIMEOUT => Class::Kernel,
        _ => Class::Host,
    }
}
