//! Copies inputs to a GPU. The driver copies pageable memory in two steps, on one core; here all cores copy it to
//! pinned memory, which the GPU reads meanwhile.
use cudarc::driver::{CudaEvent, CudaSlice, DevicePtr, DeviceRepr, result};

use crate::{device::session::Session, error::Result, measure::parallel::parallel_chunks};

/// Inputs of fewer bytes are copied by the driver alone.
const LEAST: usize = 1 << 25;

/// The input size from which memory is pinned, if none is yet: pinning takes longer than copying a smaller input.
const WORTH_PINNING: usize = 1 << 29;

/// Bytes of an input that wait for the GPU while the host's cores copy the next ones.
const HALF: usize = 1 << 26;

/// Bytes that a core copies as one task.
const PIECE: usize = 1 << 21;

impl Session {
    /// Copies `data` to the device. When this returns, `data` is no longer read.
    ///
    /// # Errors
    /// The driver's errors.
    pub(crate) fn copy_of<T: DeviceRepr>(&self, data: &[T]) -> Result<CudaSlice<T>> {
        let least = if self.staging.holds(2 * HALF) { LEAST } else { WORTH_PINNING };
        if self.device.is_emulated || size_of_val(data) < least {
            return Ok(self.stream.clone_htod(data)?);
        }
        self.copy_in_halves(data)
    }

    /// As [`Session::copy_of`], through pinned memory (double buffering): all cores fill one half while the GPU reads
    /// the other.
    fn copy_in_halves<T: DeviceRepr>(&self, data: &[T]) -> Result<CudaSlice<T>> {
        let Some(mut memory) = self.staging.take(self, 2 * HALF) else {
            return Ok(self.stream.clone_htod(data)?);
        };
        // SAFETY: every element is written below, before a kernel can read it.
        let copy = unsafe { self.stream.alloc::<T>(data.len()) }?;
        let sent = self.send(data, &copy, &mut memory.as_mut_slice()?[..2 * HALF]);
        let ended = self.stream.synchronize();
        self.staging.give_back(memory);
        sent?;
        ended?;
        Ok(copy)
    }

    /// Queues copies of all of `data` to the device's `copy`, through both halves of `memory` in turn.
    fn send<T: DeviceRepr>(&self, data: &[T], copy: &CudaSlice<T>, memory: &mut [u8]) -> Result<()> {
        // SAFETY: the bytes of numbers and of plain structs of them, which are copied but not interpreted.
        let bytes = unsafe { std::slice::from_raw_parts(data.as_ptr().cast::<u8>(), size_of_val(data)) };
        let mut place = copy.device_ptr(&self.stream).0;
        let halves: [_; 2] = memory.split_at_mut(HALF).into();
        let mut read = [None, None];
        for (part, turn) in bytes.chunks(HALF).zip([0, 1].into_iter().cycle()) {
            let half = &mut halves[turn][..part.len()];
            if let Some(event) = read[turn].take() {
                CudaEvent::synchronize(&event)?;
            }
            parallel_chunks(half, PIECE, |i, piece| piece.copy_from_slice(&part[i * PIECE..][..piece.len()]));
            // SAFETY: the half is unchanged until the event that follows, and the device's memory is large enough.
            unsafe { result::memcpy_htod_async(place, half, self.stream.cu_stream()) }?;
            read[turn] = Some(self.stream.record_event(None)?);
            place += part.len() as u64;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs on the machine, which pins memory too.
    #[test]
    fn large_inputs_arrive_whole() {
        let session = Session::open(&"emulated".parse().unwrap()).unwrap();
        for n in [1, HALF / 4, 3 * HALF / 4 + 1, HALF + 5] {
            let values: Vec<u32> = (0..n as u32).map(|i| i.wrapping_mul(0x9e37_79b9)).collect();
            let copy = session.copy_in_halves(&values).unwrap();
            assert!(session.stream.clone_dtoh(&copy).unwrap() == values, "{n}");
        }
    }
}
