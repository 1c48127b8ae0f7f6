//! The launch that the environment asks to record: `WARPLAB_RECORD`, see [`wire::RecordRequest`].

use crate::state::device::driver::tell;
use recording::BlockRange;
use simt::kernel::Geometry;
use simt::machine::Kernel;
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use wire::{RecordRequest, demangle};

/// The most blocks of a grid that is recorded whole unless the request names blocks.
const SMALL_GRID: u64 = 4;

/// What to record of a launch.
#[derive(Clone, Copy)]
pub struct WantedLaunch {
    /// The file.
    pub file: &'static str,
    /// The number of the launch among those of the requested kernel, counted from 1.
    pub number: u64,
    /// The blocks.
    pub blocks: BlockRange,
    /// The bytes that the steps may take.
    pub limit: u64,
}

/// Returns the environment's request; a malformed one is reported once.
fn request() -> Option<&'static RecordRequest> {
    static REQUEST: OnceLock<Option<RecordRequest>> = OnceLock::new();
    let request = REQUEST.get_or_init(|| {
        let text = std::env::var(wire::RECORD).ok().filter(|text| !text.is_empty())?;
        match RecordRequest::read(&text) {
            Ok(request) => Some(request),
            Err(error) => {
                tell(|observer| observer.warn(&format!("{}: {error}; nothing is recorded", wire::RECORD)));
                None
            }
        }
    });
    request.as_ref()
}

/// Whether a launch of this process may be recorded.
pub fn is_wanted() -> bool {
    request().is_some()
}

/// Returns what to record of the launch that is about to run. Each launch must be passed once.
pub fn wanted(kernel: &Kernel, geometry: &Geometry) -> Option<WantedLaunch> {
    static LAUNCHES: AtomicU64 = AtomicU64::new(0);
    let request = request()?;
    if !request.is_for(&kernel.name, &demangle(&kernel.name)) {
        return None;
    }
    let number = LAUNCHES.fetch_add(1, Ordering::Relaxed) + 1;
    if number != request.launch || Path::new(&request.file).exists() {
        return None;
    }
    let Some(blocks) = blocks(request.blocks, geometry.blocks()) else {
        let [x, y, z] = geometry.grid;
        tell(|observer| {
            observer.warn(&format!(
                "nothing is recorded: the grid of {x} x {y} x {z} has no block {}; its first block is 0",
                request.blocks.unwrap_or_default().0
            ));
        });
        return None;
    };
    Some(WantedLaunch { file: &request.file, number, blocks, limit: request.limit })
}

/// Returns the blocks of a grid that a request asks for, if the grid has the first of them.
fn blocks(requested: Option<(u64, u64)>, of_grid: u64) -> Option<BlockRange> {
    let small = if of_grid <= SMALL_GRID { of_grid - 1 } else { 0 };
    let (first, last) = requested.unwrap_or((0, small));
    (first < of_grid).then(|| BlockRange { first, last: last.min(of_grid - 1).max(first) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_grid_is_recorded_whole_and_a_large_one_s_first_block() {
        let range = |first, last| Some(BlockRange { first, last });
        assert_eq!(blocks(None, 4), range(0, 3));
        assert_eq!(blocks(None, 5), range(0, 0));
        assert_eq!(blocks(Some((1, 9)), 5), range(1, 4));
        assert_eq!(blocks(Some((5, 9)), 5), None);
    }
}
