//! Finds and validates the tensor map that a lane names.

use crate::engine::traffic::request::{Request, space_of};
use crate::engine::warp::program::Op;
use crate::engine::warp::{Flow, Warp};
use crate::finding::{Access, AccessKind, FindingKind, Space, TensorMapMisuse};
use crate::kernel::Fault;
use crate::tensor::{Interleave, Shape, TensorMap, ValidMap};

/// Bytes of a tensor map.
pub(super) const BYTES: u32 = 128;
/// The alignment of its address.
const ALIGNMENT: u32 = 64;

impl Warp<'_> {
    /// Returns the tensor map at a generic address, which a lane names. The driver must have created it, and each of
    /// its fields must be within its limits.
    pub(super) fn tensor_map(&mut self, op: &Op, lane: usize, address: u64) -> Result<ValidMap, Flow> {
        let (space, _) = space_of(address);
        if !address.is_multiple_of(ALIGNMENT.into()) {
            return Err(self.wrong_map(op, lane, address, TensorMapMisuse::Misaligned));
        }
        if matches!(space, Space::Shared | Space::Local) {
            return Err(self.wrong_map(op, lane, address, TensorMapMisuse::Space));
        }
        let words = self.map_words(op, lane, (Space::Generic, address), AccessKind::Read)?;
        // SAFETY: as many bytes as a map has were checked there.
        let map = unsafe { map_at(words) };
        let valid = map.ok_or(TensorMapMisuse::NotAMap).and_then(|map| map.valid().ok_or(TensorMapMisuse::Field));
        valid.map_err(|misuse| self.wrong_map(op, lane, address, misuse))
    }

    /// Returns the 128 bytes of a map.
    pub(super) fn map_words(
        &mut self,
        op: &Op,
        lane: usize,
        (space, address): (Space, u64),
        what: AccessKind,
    ) -> Result<*mut [u64; 16], Flow> {
        let request = Request { space, size: ALIGNMENT, what };
        let halves = [address, address.wrapping_add(ALIGNMENT.into())];
        match halves.map(|at| self.resolve_lane(lane, at, request)) {
            [Ok(first), Ok(_)] => Ok(first.cast()),
            [Err(wrong), _] | [_, Err(wrong)] => Err(self.access_fault(op, lane, request, wrong)),
        }
    }

    /// Stops the kernel because of invalid use of a tensor map.
    #[cold]
    pub(super) fn wrong_map(&mut self, op: &Op, lane: usize, address: u64, misuse: TensorMapMisuse) -> Flow {
        let (space, offset) = space_of(address);
        let place = self.program().place_of(op.site);
        let access = self.located(Access::memory(AccessKind::Read, space, BYTES, offset, place), lane);
        self.fault(Fault::IllegalInstruction, FindingKind::InvalidTensorMap { misuse }, vec![access], None)
    }

    /// Stops the kernel because the machine does not support something.
    #[cold]
    pub(super) fn lacking(&mut self, op: &Op, lane: usize, what: &str) -> Flow {
        let place = self.program().place_of(op.site);
        let access = self.located(Access::at(AccessKind::Copy, place), lane);
        let what = format!("the machine does not model {what}");
        self.fault(Fault::LaunchFailed, FindingKind::Unsupported { what }, vec![access], None)
    }
}

/// Returns the map at this address, if the driver created one there. The bytes are read once: other threads may change
/// them meanwhile.
///
/// # Safety
/// As many bytes as a map has can be read there.
pub(super) unsafe fn map_at(words: *const [u64; 16]) -> Option<TensorMap> {
    // SAFETY: the caller's contract.
    let words = std::hint::black_box(unsafe { words.read_unaligned() });
    TensorMap::from_words(&words)
}

/// Describes a tensor map in words.
pub(super) fn described(map: &ValidMap) -> String {
    let rank = map.rank as usize;
    let product = |sizes: &[u64]| sizes.iter().map(u64::to_string).collect::<Vec<_>>().join(" x ");
    let taken = match map.shape {
        Shape::Tiled(_) => {
            let mut sizes: Vec<u64> = (0..rank).map(|d| map.taken(d).into()).collect();
            if map.interleave == Interleave::None {
                sizes[0] = map.row_bytes() / u64::from(map.element.bytes());
            }
            format!("a box of {}", product(&sizes))
        }
        Shape::Im2col { channels, pixels, .. } => format!("{pixels} pixels of {channels} channels"),
    };
    format!(
        "the tensor map: {} elements of {} bytes at {:#x}, of which a copy takes {taken} ({} bytes)",
        product(&map.dims[..rank]),
        map.innermost_bytes(),
        map.address,
        map.box_bytes()
    )
}
