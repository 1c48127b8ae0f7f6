//! A staging buffer: host memory for copies of a GPU's outputs and inputs, kept from one case to the next. New memory
//! costs a page fault for every 4 KiB, and the driver copies pageable memory in two steps, on one core; copies to
//! pinned memory that was used before are ten times as fast.
use std::{fmt, sync::Mutex};

use cudarc::driver::{CudaSlice, DevicePtr, DeviceRepr, PinnedHostSlice, result};

use crate::{device::session::Session, error::Result};

/// The size is a multiple of this many bytes, so that outputs of similar sizes share the memory.
const STEP: usize = 1 << 26;

/// The memory, if it has been allocated.
#[derive(Default)]
pub(crate) struct Staging(Mutex<Option<PinnedHostSlice<u8>>>);

impl fmt::Debug for Staging {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Staging").finish_non_exhaustive()
    }
}

impl Staging {
    /// Whether at least `bytes` bytes are already pinned.
    pub(crate) fn holds(&self, bytes: usize) -> bool {
        self.0.lock().is_ok_and(|memory| memory.as_ref().is_some_and(|memory| memory.len() >= bytes))
    }

    /// Returns pinned memory of at least `bytes` bytes; `None` if the driver cannot provide it.
    pub(crate) fn take(&self, session: &Session, bytes: usize) -> Option<PinnedHostSlice<u8>> {
        let known = self.0.lock().ok()?.take();
        if let Some(memory) = known.filter(|memory| memory.len() >= bytes) {
            return Some(memory);
        }
        let size = bytes.checked_next_multiple_of(STEP)?;
        // SAFETY: bytes of any value are valid u8s, and a copy writes the bytes before they are read.
        unsafe { session.context.alloc_pinned_with_flags::<u8>(size, 0) }.ok()
    }

    /// Keeps the memory for the next output.
    pub(crate) fn give_back(&self, memory: PinnedHostSlice<u8>) {
        if let Ok(mut kept) = self.0.lock() {
            *kept = Some(memory);
        }
    }
}

impl Session {
    /// Copies `output` to the host, once the work on the stream has completed, and calls `look` with the copy.
    ///
    /// # Errors
    /// The driver's errors.
    pub(crate) fn look_at<T: DeviceRepr, R>(&self, output: &CudaSlice<T>, look: impl FnOnce(&[T]) -> R) -> Result<R> {
        let bytes = output.len() * size_of::<T>();
        let Some(mut memory) = self.staging.take(self, bytes) else {
            return Ok(look(&self.stream.clone_dtoh(output)?));
        };
        let seen = self.copied(output, memory.as_mut_slice()?).map(look);
        self.staging.give_back(memory);
        seen
    }

    /// Returns `output`, copied to `memory`, which is large enough and page-aligned.
    fn copied<'m, T: DeviceRepr>(&self, output: &CudaSlice<T>, memory: &'m mut [u8]) -> Result<&'m [T]> {
        let bytes = output.len() * size_of::<T>();
        let (address, _in_use) = output.device_ptr(&self.stream);
        // SAFETY: the stream has completed its work before the memory is read.
        unsafe { result::memcpy_dtoh_async(&mut memory[..bytes], address, self.stream.cu_stream()) }?;
        self.stream.synchronize()?;
        // SAFETY: these are the elements of the output, whose type allows the device to write them; pages are aligned
        // for every type.
        Ok(unsafe { std::slice::from_raw_parts(memory.as_ptr().cast(), output.len()) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs on the machine, which pins memory too.
    #[test]
    fn the_same_memory_serves_outputs_of_all_types_and_sizes() {
        let session = Session::open(&"emulated".parse().unwrap()).unwrap();
        let mut places = Vec::new();
        for n in [70_000_usize, 3, 1 << 16] {
            let values: Vec<u64> = (0..n as u64).map(|i| i << 33 | i).collect();
            let output = session.stream.clone_htod(&values).unwrap();
            places.push(session.look_at(&output, |seen| (seen == values).then_some(seen.as_ptr() as usize)).unwrap());
            let bytes: Vec<u8> = (0..n).map(|i| i as u8).collect();
            let output = session.stream.clone_htod(&bytes).unwrap();
            assert!(session.look_at(&output, |seen| seen == bytes).unwrap());
        }
        assert!(places[0].is_some() && places.iter().all(|place| *place == places[0]), "{places:?}");
        // Larger than the memory so far.
        let large = session.stream.alloc_zeros::<u8>(STEP + 1).unwrap();
        assert!(session.look_at(&large, |seen| seen.len() == STEP + 1 && seen.iter().all(|byte| *byte == 0)).unwrap());
    }
}
