//! What is advised for managed memory, and where its blocks are.

use crate::abi::constants::{advise, device_ordinal};
use crate::abi::error::{Error, Result};

/// What is advised for a managed allocation, and where its blocks are. Places are ordinals of devices, or
/// [`device_ordinal::CPU`].
pub struct Advice {
    /// Whether it is mostly read.
    pub read_mostly: bool,
    /// Where it should stay; [`device_ordinal::INVALID`] if nothing was said.
    pub preferred: i32,
    /// Who will access it.
    pub accessed_by: Vec<i32>,
    /// Where it was last prefetched to; [`device_ordinal::INVALID`] if nowhere.
    pub last_prefetch: i32,
    /// Blocks that are on the device, by their index.
    pub on_device: Vec<bool>,
}

impl Default for Advice {
    fn default() -> Self {
        Advice {
            read_mostly: false,
            preferred: device_ordinal::INVALID,
            accessed_by: Vec::new(),
            last_prefetch: device_ordinal::INVALID,
            on_device: Vec::new(),
        }
    }
}

impl Advice {
    /// Stores a piece of advice (`CUmem_advise`); `who` is the place that it is about, if it is about one.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` for an unknown advice; the error in `who` if a place is needed.
    pub fn take(&mut self, advice: i32, who: Result<i32>) -> Result {
        match advice {
            advise::SET_READ_MOSTLY => self.read_mostly = true,
            advise::UNSET_READ_MOSTLY => self.read_mostly = false,
            advise::SET_PREFERRED_LOCATION => self.preferred = who?,
            advise::UNSET_PREFERRED_LOCATION => self.preferred = device_ordinal::INVALID,
            advise::SET_ACCESSED_BY => {
                let who = who?;
                if !self.accessed_by.contains(&who) {
                    self.accessed_by.push(who);
                }
            }
            advise::UNSET_ACCESSED_BY => {
                let who = who?;
                self.accessed_by.retain(|known| *known != who);
            }
            _ => return Err(Error::INVALID_VALUE),
        }
        Ok(())
    }
}
