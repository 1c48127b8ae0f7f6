//! Clusters: their size in a launch, and the limits of the part and the kernel.

use super::module::Function;
use super::occupancy;
use super::refusal::{Refusal, dims};
use crate::abi::constants::function_attribute::{
    CLUSTER_SIZE_MUST_BE_SET, NON_PORTABLE_CLUSTER_SIZE_ALLOWED, REQUIRED_CLUSTER_WIDTH,
};
use crate::abi::error::{Error, Result};
use crate::state::device::driver::driver;
use crate::state::device::sync::lock;
use gpu::Part;
use simt::finding::Limit;
use simt::kernel::Geometry;

/// The maximum number of blocks of a cluster on every part that supports clusters.
const PORTABLE: u32 = 8;
/// The maximum number of blocks if the function allows a size that is not portable (CUDA C++ Programming Guide, thread
/// block clusters: 16 on H100).
const NOT_PORTABLE: u32 = 16;

/// Returns whether a part supports clusters of several blocks.
pub fn supported(profile: &Part) -> bool {
    profile.at_least(9, 0)
}

/// Returns the maximum number of blocks of a cluster of a function.
pub fn most(function: &Function) -> u32 {
    let at = (NON_PORTABLE_CLUSTER_SIZE_ALLOWED - CLUSTER_SIZE_MUST_BE_SET) as usize;
    let allowed = lock(&function.settings).cluster[at];
    let most = if allowed != 0 { NOT_PORTABLE } else { PORTABLE };
    function.kernel().cluster.most.map_or(most, |declared| declared.min(most))
}

/// Returns the size of a function's clusters, if the kernel or its attributes specify it.
fn required(function: &Function) -> Option<[u32; 3]> {
    let first = (REQUIRED_CLUSTER_WIDTH - CLUSTER_SIZE_MUST_BE_SET) as usize;
    let set = &lock(&function.settings).cluster[first..first + 3];
    let set = [set[0], set[1], set[2]].map(|n| n.max(0) as u32);
    function.kernel().cluster.required.or((set[0] > 0).then(|| set.map(|n| n.max(1))))
}

/// Returns the geometry of a launch, with the size of its clusters filled in.
///
/// # Errors
/// `CUDA_ERROR_INVALID_CLUSTER_SIZE` if the launch contradicts the kernel, or lacks a required size;
/// `CUDA_ERROR_NOT_SUPPORTED` for clusters of several blocks on a part without clusters.
pub fn complete(function: &Function, geometry: Geometry) -> Result<Geometry> {
    let needs = function.kernel().cluster;
    let required = required(function);
    let cluster = match (geometry.cluster, required) {
        (Some(asked), Some(required)) if asked != required => return Err(Error::INVALID_CLUSTER_SIZE),
        (None, None) if needs.explicit => return Err(Error::INVALID_CLUSTER_SIZE),
        (asked, required) => asked.or(required),
    };
    let Some(cluster) = cluster else {
        return Ok(geometry);
    };
    if !supported(driver()?.profile) {
        if cluster != [1; 3] {
            return Err(Error::NOT_SUPPORTED);
        }
        return Ok(Geometry { cluster: None, ..geometry });
    }
    let mut grid = geometry.grid;
    if needs.grid_of_clusters {
        for (blocks, of) in grid.iter_mut().zip(cluster) {
            *blocks = blocks.saturating_mul(of);
        }
    }
    Ok(Geometry { cluster: Some(cluster), grid, ..geometry })
}

/// Returns the reason why a launch with these clusters is refused, if it is.
pub(super) fn refusal(function: &Function, geometry: &Geometry, profile: &Part) -> Option<Refusal> {
    let cluster = geometry.cluster?;
    let error = Error::INVALID_CLUSTER_SIZE;
    let size = cluster.iter().fold(1u64, |size, &n| size.saturating_mul(n.into()));
    let most = u64::from(most(function));
    if size > most {
        let refusal = Refusal::new(error, Limit::Cluster, size, most);
        return Some(refusal.with(format!(
            "the cluster is {}; {most} blocks fit in a cluster on every part with clusters, and a {} takes {NOT_PORTABLE} \
             after cuFuncSetAttribute(NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1)",
            dims(cluster),
            profile.name
        )));
    }
    let whole = |(blocks, of): (u32, u32)| of > 0 && blocks.is_multiple_of(of);
    if !std::iter::zip(geometry.grid, cluster).all(whole) {
        let refusal = Refusal::new(error, Limit::Cluster, size, most);
        return Some(refusal.with(format!(
            "the grid is {} and the cluster {}: the grid must consist of whole clusters in every dimension",
            dims(geometry.grid),
            dims(cluster)
        )));
    }
    None
}

/// Returns an estimate of the number of clusters that are resident on the part at the same time. The grouping of a
/// part's multiprocessors is not public.
///
/// # Errors
/// `CUDA_ERROR_NOT_SUPPORTED` on a part without clusters, `CUDA_ERROR_INVALID_CLUSTER_SIZE` for a size that is not
/// allowed.
pub fn active(function: &Function, geometry: Geometry) -> Result<u32> {
    let profile = driver()?.profile;
    if !supported(profile) {
        return Err(Error::NOT_SUPPORTED);
    }
    let geometry = complete(function, geometry)?;
    let size: u32 = geometry.cluster.unwrap_or([1; 3]).iter().product();
    if size == 0 || size > most(function) {
        return Err(Error::INVALID_CLUSTER_SIZE);
    }
    let blocks = occupancy::compute(function, geometry.block.iter().product(), geometry.dynamic_shared)?.blocks;
    Ok(blocks * profile.sms / size)
}

/// Returns the largest number of blocks of a cluster with which a kernel can be launched.
///
/// # Errors
/// `CUDA_ERROR_NOT_SUPPORTED` on a part without clusters.
pub fn potential(function: &Function, geometry: Geometry) -> Result<u32> {
    let profile = driver()?.profile;
    if !supported(profile) {
        return Err(Error::NOT_SUPPORTED);
    }
    let blocks =
        occupancy::compute(function, geometry.block.iter().product(), geometry.dynamic_shared)?.blocks * profile.sms;
    let most = required(function).map_or(most(function), |size| size.iter().product());
    Ok((1..=most).rev().find(|size| size.is_power_of_two() && *size <= blocks).unwrap_or(0))
}
