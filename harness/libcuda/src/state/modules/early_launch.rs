//! The state of a launch in the manner before CUDA 4. Calls set its parts one by one on the function, where they remain
//! for later launches.

use crate::abi::error::{Error, Result};
use simt::kernel::Geometry;

/// The parts of a launch that a function keeps.
#[derive(Clone, Debug, Default)]
pub struct EarlyLaunch {
    /// The threads of a block; `None` before they are set.
    block: Option<[u32; 3]>,
    /// Dynamic shared memory of a block, in bytes.
    shared: u32,
    /// The bytes of the parameter block that a launch passes.
    size: usize,
    /// The parameter block, as far as it has been written.
    params: Vec<u8>,
}

impl EarlyLaunch {
    /// Sets the threads of a block.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` if a dimension is not positive.
    pub fn set_block(&mut self, block: [i32; 3]) -> Result {
        let [x, y, z] = block.map(|n| u32::try_from(n).ok().filter(|n| *n > 0).ok_or(Error::INVALID_VALUE));
        self.block = Some([x?, y?, z?]);
        Ok(())
    }

    /// Sets the dynamic shared memory of a block. `most` is the part's limit.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` if that is exceeded.
    pub fn set_shared(&mut self, bytes: u32, most: u32) -> Result {
        if bytes > most {
            return Err(Error::INVALID_VALUE);
        }
        self.shared = bytes;
        Ok(())
    }

    /// Sets the number of bytes of parameters that a launch passes. `most` is the part's limit.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` if that is exceeded.
    pub fn set_size(&mut self, bytes: usize, most: usize) -> Result {
        if bytes > most {
            return Err(Error::INVALID_VALUE);
        }
        self.size = bytes;
        Ok(())
    }

    /// Writes a parameter at an offset in the parameter block. `most` is the part's limit.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` for a negative offset, or for bytes beyond the part's limit.
    pub fn set_param(&mut self, offset: i32, value: &[u8], most: usize) -> Result {
        let start = usize::try_from(offset).map_err(|_| Error::INVALID_VALUE)?;
        let end = start.checked_add(value.len()).filter(|end| *end <= most).ok_or(Error::INVALID_VALUE)?;
        if self.params.len() < end {
            self.params.resize(end, 0);
        }
        self.params[start..end].copy_from_slice(value);
        Ok(())
    }

    /// Returns the parameters that a launch passes. Those that were never written are 0.
    pub fn params(&self) -> Vec<u8> {
        let mut params = self.params.clone();
        params.resize(self.size, 0);
        params
    }

    /// Returns the geometry of a launch of `width` by `height` blocks.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` if the block was never set, or if a dimension is negative. The limits of the part are
    /// checked at the launch.
    pub fn geometry(&self, width: i32, height: i32) -> Result<Geometry> {
        let block = self.block.ok_or(Error::INVALID_VALUE)?;
        let [width, height] = [width, height].map(|n| u32::try_from(n).map_err(|_| Error::INVALID_VALUE));
        Ok(Geometry { dynamic_shared: self.shared, ..Geometry::new([width?, height?, 1], block) })
    }
}
