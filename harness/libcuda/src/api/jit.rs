//! The options of the JIT (`CUjit_option`), and its log.

use crate::abi::constants::jit_option::{
    ERROR_LOG_BUFFER, ERROR_LOG_BUFFER_SIZE_BYTES, INFO_LOG_BUFFER_SIZE_BYTES, MAX_REGISTERS, NUM_OPTIONS,
};
use crate::abi::error::{Error, Refused, Result};
use crate::abi::pointers::{get_all, put_optional, put_text};
use crate::state::modules::fat_binary::ImagePtx;
use crate::state::modules::link_text::bound_registers;
use crate::telemetry::stderr::say;
use std::ffi::{c_char, c_int, c_uint, c_void};

/// The options of the JIT: the buffers of its log, and the maximum number of registers of a thread.
pub struct Options {
    /// `CU_JIT_MAX_REGISTERS`.
    max_registers: Option<u32>,
    error: Option<(*mut c_char, usize)>,
    /// The locations that receive the number of bytes written to the buffers.
    error_size: Option<*mut *mut c_void>,
    info_size: Option<*mut *mut c_void>,
}

impl Options {
    /// Reads the JIT's options.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` for an unknown option.
    pub fn new(count: c_uint, options: *const c_int, values: *mut *mut c_void) -> Result<Options> {
        let kinds = get_all(options, count as usize)?;
        let given = get_all(values, count as usize)?;
        let value = |kind: c_int| kinds.iter().position(|known| *known == kind);
        if kinds.iter().any(|kind| !(0..NUM_OPTIONS).contains(kind)) {
            return Err(Error::INVALID_VALUE);
        }
        // SAFETY: the array was just read; its elements are written back as the API says.
        let slot = |kind: c_int| value(kind).map(|at| unsafe { values.add(at) });
        let size = value(ERROR_LOG_BUFFER_SIZE_BYTES).map_or(0, |at| given[at] as usize);
        let error =
            value(ERROR_LOG_BUFFER).map(|at| (given[at].cast::<c_char>(), size)).filter(|(to, _)| !to.is_null());
        let max_registers = value(MAX_REGISTERS).map(|at| given[at] as usize as u32);
        Ok(Options {
            max_registers: max_registers.filter(|most| *most > 0),
            error,
            error_size: slot(ERROR_LOG_BUFFER_SIZE_BYTES),
            info_size: slot(INFO_LOG_BUFFER_SIZE_BYTES),
        })
    }

    /// Returns the PTX with the bound on registers that the options request.
    pub fn bounded(&self, mut ptx: ImagePtx) -> ImagePtx {
        if let Some(most) = self.max_registers {
            ptx.text = bound_registers(&ptx.text, most);
        }
        ptx
    }

    /// Returns whether there is a buffer for the error log.
    pub fn asks_for_errors(&self) -> bool {
        self.error.is_some()
    }

    /// Writes the error log.
    pub fn write(&self, log: &str) {
        let mut filled = 0;
        if let Some((to, size)) = self.error.filter(|(_, size)| *size > 0) {
            // Writing to a buffer that is neither null nor empty cannot fail.
            let _ = put_text(to, size, log);
            filled = log.len().min(size - 1) + usize::from(!log.is_empty());
        }
        for (slot, filled) in [(self.error_size, filled), (self.info_size, 0)] {
            if let Some(slot) = slot {
                put_optional(slot, filled as *mut c_void);
            }
        }
    }
}

/// Explains on standard error why an image was refused, because most clients do not request the log. `WARPLAB_QUIET`
/// prevents it.
pub fn tell(refused: &Refused) {
    if !refused.log.is_empty() {
        say(&refused.log);
    }
}
