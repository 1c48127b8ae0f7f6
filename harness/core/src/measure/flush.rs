//! Cold caches: before a sample, memory of twice the size of the L2 cache is overwritten.
use cudarc::driver::{CudaSlice, CudaStream};

use crate::{device::session::Session, error::Result};

/// A buffer that evicts everything else from the L2 cache.
#[derive(Debug)]
pub(crate) struct Flush(CudaSlice<u8>);

impl Flush {
    /// Allocates a buffer of twice the size of the device's L2 cache.
    pub(crate) fn new(session: &Session) -> Result<Self> {
        let bytes = (2 * session.device.l2_bytes as usize).max(1 << 20);
        Ok(Self(session.stream.alloc_zeros(bytes)?))
    }

    /// Overwrites the buffer, on `stream`.
    pub(crate) fn flush(&mut self, stream: &std::sync::Arc<CudaStream>) -> Result<()> {
        Ok(stream.memset_zeros(&mut self.0)?)
    }
}
