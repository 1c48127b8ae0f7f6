//! Launches that exceed a limit of the part or the kernel: the limit, the requested value, and what would fit.

use super::module::{Function, find_function};
use super::{clusters, occupancy};
use crate::abi::error::{Error, Result};
use crate::abi::types::Handle;
use crate::state::device::driver::{driver, tell};
use crate::state::device::observer::RefusedLaunch;
use crate::state::device::sync::lock;
use gpu::{LOCAL_BYTES, Part};
use simt::finding::Limit;
use simt::kernel::Geometry;
use simt::machine::Kernel;
use simt::occupancy::Occupancy;

/// A launch that is refused.
pub(super) struct Refusal {
    pub error: Error,
    limit: Limit,
    asked: u64,
    allowed: u64,
    /// A description of what would fit. Without it the report uses its general remedy.
    remedy: Option<String>,
}

impl Refusal {
    pub fn new(error: Error, limit: Limit, asked: impl Into<u64>, allowed: impl Into<u64>) -> Self {
        Refusal { error, limit, asked: asked.into(), allowed: allowed.into(), remedy: None }
    }
    pub fn with(mut self, remedy: impl Into<String>) -> Self {
        self.remedy = Some(remedy.into());
        self
    }
    pub fn tell(self, kernel: &str) {
        tell(|observer| {
            observer.refused(RefusedLaunch {
                kernel,
                limit: self.limit,
                asked: self.asked,
                allowed: self.allowed,
                remedy: self.remedy,
            });
        });
    }
}

pub(super) fn dims(of: [u32; 3]) -> String {
    format!("({}, {}, {})", of[0], of[1], of[2])
}

/// Returns a block of at most `most` threads that keeps the threads along x, if they fit.
fn smaller(block: [u32; 3], most: u32) -> [u32; 3] {
    let x = block[0].min(most);
    let y = block[1].min(most / x.max(1)).max(1);
    let z = block[2].min(most / (x * y).max(1)).max(1);
    [x, y, z]
}

/// Reports that a launch passes fewer bytes of arguments than the kernel has parameters, and returns the error code.
pub fn too_few_arguments(kernel: &Kernel, given: u64) -> Error {
    let remedy = format!(
        "the kernel has {} parameters of {} bytes in all: give an argument for each, in their order and of their types",
        kernel.params.len(),
        kernel.param_bytes
    );
    let error = Error::INVALID_VALUE;
    Refusal::new(error, Limit::Arguments, given, kernel.param_bytes).with(remedy).tell(&kernel.name);
    error
}

/// Reports that a launch uses a stream that was destroyed, or never existed.
pub fn no_stream(function: Handle) {
    if let Ok(function) = find_function(function) {
        Refusal::new(Error::INVALID_HANDLE, Limit::Stream, 1_u64, 0_u64).tell(&function.kernel().name);
    }
}

/// Checks a launch against the limits of the part and of the kernel.
///
/// # Errors
/// The driver's code; the reason goes to the report.
pub fn check(function: &Function, geometry: &Geometry) -> Result {
    let profile = driver()?.profile;
    let kernel = function.kernel();
    if geometry.cooperative && !profile.at_least(6, 0) {
        return Err(Error::NOT_SUPPORTED);
    }
    let refusal = match dimensions(function, geometry, profile) {
        Some(refusal) => Some(refusal),
        None => match clusters::refusal(function, geometry, profile) {
            Some(refusal) => Some(refusal),
            None => resources(function, geometry, profile)?,
        },
    };
    let Some(refusal) = refusal else {
        return Ok(());
    };
    let error = refusal.error;
    refusal.tell(&kernel.name);
    Err(error)
}

/// Checks a block's shape before any launch.
///
/// # Errors
/// As [`check`].
pub fn check_block(function: &Function, block: [u32; 3]) -> Result {
    match dimensions(function, &Geometry::new([1, 1, 1], block), driver()?.profile) {
        Some(refusal) => {
            let error = refusal.error;
            refusal.tell(&function.kernel().name);
            Err(error)
        }
        None => Ok(()),
    }
}

/// Checks a launch on a subset of the multiprocessors. It was already checked against the whole device.
///
/// # Errors
/// As [`check`].
pub fn check_part(function: &Function, geometry: &Geometry, sms: u32) -> Result {
    let fits = occupancy::compute(function, geometry.block.iter().product(), geometry.dynamic_shared)?;
    match cooperative(geometry, fits, sms) {
        Some(refusal) => {
            let error = refusal.error;
            refusal.tell(&function.kernel().name);
            Err(error)
        }
        None => Ok(()),
    }
}

/// Checks the dimensions of the grid and the block.
fn dimensions(function: &Function, geometry: &Geometry, profile: &Part) -> Option<Refusal> {
    let kernel = function.kernel();
    let invalid = Error::INVALID_VALUE;
    let (grid, block) = (geometry.grid, geometry.block);
    if grid.contains(&0) {
        let refusal = Refusal::new(invalid, Limit::EmptyGrid, 0u32, 1u32);
        return Some(refusal.with(format!(
            "the grid is {}: every dimension must be at least 1; skip the launch when there is no work",
            dims(grid)
        )));
    }
    if block.contains(&0) {
        let refusal = Refusal::new(invalid, Limit::EmptyBlock, 0u32, 1u32);
        return Some(refusal.with(format!("the block is {}: every dimension must be at least 1", dims(block))));
    }
    for (axis, name) in ["x", "y", "z"].into_iter().enumerate() {
        let most = profile.max_grid[axis];
        if grid[axis] > most {
            let refusal = Refusal::new(invalid, Limit::Grid, grid[axis], most);
            return Some(refusal.with(format!(
                "the grid is {}, and a {} takes at most {}: spread the blocks of {name} over the other dimensions, or let \
                 each thread do more",
                dims(grid),
                profile.name,
                dims(profile.max_grid)
            )));
        }
        let most = profile.max_block[axis];
        if block[axis] > most {
            let refusal = Refusal::new(invalid, Limit::Block, block[axis], most);
            return Some(refusal.with(format!(
                "the block is {}, and at most {} threads fit along {name}: use fewer there and more blocks",
                dims(block),
                most
            )));
        }
    }
    // Each factor is at most 1024.
    let threads: u32 = block.iter().product();
    let most = profile.max_threads_per_block;
    if threads > most {
        let refusal = Refusal::new(invalid, Limit::ThreadsPerBlock, threads, most);
        return Some(refusal.with(format!(
            "the block is {}; {} would fit: use fewer threads in a block and more blocks",
            dims(block),
            dims(smaller(block, most))
        )));
    }
    if let Some(required) = kernel.required_threads
        && required != block
    {
        let exact = required.iter().product::<u32>();
        let refusal = Refusal::new(invalid, Limit::RequiredBlock, threads, exact);
        return Some(refusal.with(format!(
            "the block is {}, and the kernel is compiled for blocks of {} alone: launch with those",
            dims(block),
            dims(required)
        )));
    }
    let most = kernel.max_threads.filter(|most| threads > *most)?;
    let refusal = Refusal::new(invalid, Limit::LaunchBounds, threads, most);
    Some(refusal.with(format!(
        "the kernel's __launch_bounds__ promise at most {most} threads; a block of {} would fit, or compile with a higher bound",
        dims(smaller(block, most))
    )))
}

/// Checks the resources of a block on a multiprocessor, and those of a cooperative grid on all of them.
fn resources(function: &Function, geometry: &Geometry, profile: &Part) -> Result<Option<Refusal>> {
    let kernel = function.kernel();
    let threads: u32 = geometry.block.iter().product();
    let dynamic = lock(&function.settings).max_dynamic_shared;
    if geometry.dynamic_shared > dynamic {
        let own = u64::from(kernel.static_shared);
        let asked = own + u64::from(geometry.dynamic_shared);
        let optin = u64::from(profile.shared_per_block_optin);
        let refusal = Refusal::new(Error::INVALID_VALUE, Limit::SharedMemory, asked, own + u64::from(dynamic));
        let sum = format!("{own} bytes static and {} dynamic", geometry.dynamic_shared);
        return Ok(Some(refusal.with(if asked <= optin {
            format!(
                "{sum}; opt in to as much with cuFuncSetAttribute(MAX_DYNAMIC_SHARED_SIZE_BYTES, {}) before the launch: a {} \
                 allows {optin}",
                geometry.dynamic_shared, profile.name
            )
        } else {
            format!(
                "{sum}; a {} allows {} without opting in and {optin} at most: use smaller tiles",
                profile.name, profile.shared_per_block
            )
        })));
    }
    let fits = occupancy::compute(function, threads, geometry.dynamic_shared)?;
    let most = occupancy::max_threads(function)?;
    if threads > most || fits.limits.registers == 0 {
        let refusal = Refusal::new(
            Error::LAUNCH_OUT_OF_RESOURCES,
            Limit::Registers,
            u64::from(threads) * u64::from(kernel.registers),
            profile.regs_per_block,
        );
        return Ok(Some(refusal.with(format!(
            "{threads} threads of {} registers each ({}); at most {most} threads in a block would fit, or declare \
             __launch_bounds__({threads})",
            kernel.registers,
            if kernel.has_assembled_registers { "by ptxas" } else { "estimated" }
        ))));
    }
    if kernel.local_bytes > LOCAL_BYTES {
        return Ok(Some(Refusal::new(Error::INVALID_VALUE, Limit::LocalMemory, kernel.local_bytes, LOCAL_BYTES)));
    }
    if kernel.param_bytes > profile.max_param_bytes {
        let (asked, most) = (kernel.param_bytes, profile.max_param_bytes);
        return Ok(Some(Refusal::new(Error::INVALID_VALUE, Limit::Parameters, asked, most)));
    }
    Ok(cooperative(geometry, fits, profile.sms))
}

/// Returns the reason why blocks that wait for each other do not fit on `sms` multiprocessors, if they do not.
fn cooperative(geometry: &Geometry, fits: Occupancy, sms: u32) -> Option<Refusal> {
    if !geometry.cooperative {
        return None;
    }
    let resident = u64::from(fits.blocks) * u64::from(sms);
    let all = |product: u64, n: &u32| product.saturating_mul(u64::from(*n));
    let blocks = geometry.grid.iter().fold(1u64, all);
    if blocks <= resident {
        return None;
    }
    let refusal = Refusal::new(Error::COOPERATIVE_LAUNCH_TOO_LARGE, Limit::Cooperative, blocks, resident);
    Some(refusal.with(format!(
        "blocks that wait for each other must all be resident together: {} fit on each of the {sms} multiprocessors ({} limits them), \
         so at most {resident} in all; let each block do more",
        fits.blocks, fits.limiter
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_smaller_block_fits_and_keeps_its_width() {
        assert_eq!(smaller([32, 64, 1], 1024), [32, 32, 1]);
        assert_eq!(smaller([1024, 2, 1], 1024), [1024, 1, 1]);
        assert_eq!(smaller([16, 16, 16], 1024), [16, 16, 4]);
        assert_eq!(smaller([1024, 1, 1], 100), [100, 1, 1]);
    }
}
