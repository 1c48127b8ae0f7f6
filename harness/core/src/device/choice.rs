//! The user's choice of a device, and the chosen device's properties.
use std::{fmt, str::FromStr, sync::Arc};

use cudarc::driver::{CudaContext, DriverError, LaunchConfig, sys::CUdevice_attribute as Attribute};
use record::DeviceInfo;

use crate::error::{Error, Result};

/// The device requested by `--device`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeviceChoice {
    /// A GPU if there is one, else the embedded machine.
    Auto,
    /// The GPU with this ordinal.
    Cuda(usize),
    /// The embedded machine with this profile.
    Emulated(String),
}

/// The profile of `--device emulated`, unless `WARPLAB_PROFILE` names another: a GPU for which times can be predicted.
pub const DEFAULT_PROFILE: &str = "h200";

/// The profile on which kernels are judged: marks must not depend on where they are given.
pub const JUDGE_PROFILE: &str = "a100";

/// The profile of `--device emulated`.
pub(crate) fn default_profile() -> String {
    std::env::var("WARPLAB_PROFILE").ok().filter(|p| !p.is_empty()).unwrap_or_else(|| DEFAULT_PROFILE.into())
}

impl FromStr for DeviceChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once(':') {
            None if text == "auto" => Ok(Self::Auto),
            None if text == "cuda" => Ok(Self::Cuda(0)),
            None if text == "emulated" => Ok(Self::Emulated(default_profile())),
            Some(("cuda", n)) => {
                n.parse().map(Self::Cuda).map_err(|_| format!("`{n}` is not the number of a GPU; cuda:0 is the first"))
            }
            Some(("emulated", profile)) if !profile.is_empty() => Ok(Self::Emulated(profile.into())),
            _ => Err("choose auto, cuda:N or emulated[:PROFILE]".into()),
        }
    }
}

impl fmt::Display for DeviceChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => f.write_str("auto"),
            Self::Cuda(n) => write!(f, "cuda:{n}"),
            Self::Emulated(profile) => write!(f, "emulated:{profile}"),
        }
    }
}

/// Queries the driver for the device's properties.
///
/// # Errors
/// The driver's errors, from any of the queries.
pub(crate) fn query_device(context: &Arc<CudaContext>, profile: Option<&str>) -> Result<DeviceInfo, DriverError> {
    #[allow(clippy::enum_glob_use, reason = "thirty names that begin alike")]
    use Attribute::*;
    let get = |a| context.attribute(a).map(|v| v.max(0) as u32);
    let flag = |a| context.attribute(a).map(|v| v != 0);
    let mut driver_version = 0;
    // SAFETY: the pointer is to a live i32, which the call fills.
    unsafe { cudarc::driver::sys::cuDriverGetVersion(&mut driver_version) }.result()?;
    Ok(DeviceInfo {
        name: context.name()?,
        is_emulated: profile.is_some(),
        profile: profile.unwrap_or_default().into(),
        ordinal: context.ordinal(),
        compute_capability: context.compute_capability()?,
        driver_version,
        multiprocessors: get(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?,
        warp_size: get(CU_DEVICE_ATTRIBUTE_WARP_SIZE)?,
        max_threads_per_block: get(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?,
        max_block_dim: [
            get(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X)?,
            get(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y)?,
            get(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z)?,
        ],
        max_grid_dim: [
            get(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X)?,
            get(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y)?,
            get(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z)?,
        ],
        max_threads_per_multiprocessor: get(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR)?,
        max_blocks_per_multiprocessor: get(CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR)?,
        shared_bytes_per_block: get(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK)?,
        shared_bytes_per_block_optin: get(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?,
        shared_bytes_per_multiprocessor: get(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR)?,
        registers_per_block: get(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK)?,
        registers_per_multiprocessor: get(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR)?,
        constant_bytes: get(CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY)?,
        l2_bytes: u64::from(get(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE)?),
        total_bytes: context.total_mem()? as u64,
        clock_khz: get(CU_DEVICE_ATTRIBUTE_CLOCK_RATE)?,
        memory_clock_khz: get(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE)?,
        memory_bus_bits: get(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH)?,
        copy_engines: get(CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT)?,
        unified_addressing: flag(CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING)?,
        managed_memory: flag(CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY)?,
        concurrent_managed_access: flag(CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS)?,
        can_map_host_memory: flag(CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY)?,
        cooperative_launch: flag(CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH)?,
        memory_pools: flag(CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED)?,
        integrated: flag(CU_DEVICE_ATTRIBUTE_INTEGRATED)?,
    })
}

/// Rejects a launch that exceeds the device's limits, before it is tried.
///
/// # Errors
/// [`Error::Limit`] with the limit's name and value.
pub fn check_launch(device: &DeviceInfo, launch: LaunchConfig) -> Result<()> {
    let refuse = |what, value: u64, limit: u32, flag| {
        if value > u64::from(limit) {
            return Err(Error::Limit { what, value, limit: u64::from(limit), device: device.name.clone(), flag });
        }
        Ok(())
    };
    let (bx, by, bz) = launch.block_dim;
    let (gx, gy, gz) = launch.grid_dim;
    if [bx, by, bz, gx, gy, gz].contains(&0) {
        return Err(Error::usage(format!("a launch of {gx}x{gy}x{gz} blocks of {bx}x{by}x{bz} threads is empty")));
    }
    let threads = u64::from(bx) * u64::from(by) * u64::from(bz);
    refuse("the number of threads in a block", threads, device.max_threads_per_block, "--threads")?;
    for (value, limit, what) in [
        (bx, device.max_block_dim[0], "the block's x dimension"),
        (by, device.max_block_dim[1], "the block's y dimension"),
        (bz, device.max_block_dim[2], "the block's z dimension"),
    ] {
        refuse(what, u64::from(value), limit, "block")?;
    }
    for (value, limit, what) in [
        (gx, device.max_grid_dim[0], "the grid's x dimension"),
        (gy, device.max_grid_dim[1], "the grid's y dimension"),
        (gz, device.max_grid_dim[2], "the grid's z dimension"),
    ] {
        refuse(what, u64::from(value), limit, "--blocks")?;
    }
    refuse(
        "dynamic shared memory in bytes a block",
        u64::from(launch.shared_mem_bytes),
        device.shared_bytes_per_block_optin.max(device.shared_bytes_per_block),
        "--threads",
    )
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Returns a device with the limits of a small GPU.
    pub(crate) fn device() -> DeviceInfo {
        DeviceInfo {
            name: "Test".into(),
            is_emulated: true,
            profile: "test".into(),
            ordinal: 0,
            compute_capability: (7, 5),
            driver_version: 12_000,
            multiprocessors: 40,
            warp_size: 32,
            max_threads_per_block: 1024,
            max_block_dim: [1024, 1024, 64],
            max_grid_dim: [2_147_483_647, 65_535, 65_535],
            max_threads_per_multiprocessor: 1024,
            max_blocks_per_multiprocessor: 16,
            shared_bytes_per_block: 49_152,
            shared_bytes_per_block_optin: 65_536,
            shared_bytes_per_multiprocessor: 65_536,
            registers_per_block: 65_536,
            registers_per_multiprocessor: 65_536,
            constant_bytes: 65_536,
            l2_bytes: 4 << 20,
            total_bytes: 15_828_320_256,
            clock_khz: 0,
            memory_clock_khz: 0,
            memory_bus_bits: 256,
            copy_engines: 3,
            unified_addressing: true,
            managed_memory: true,
            concurrent_managed_access: true,
            can_map_host_memory: true,
            cooperative_launch: true,
            memory_pools: true,
            integrated: false,
        }
    }

    fn launch(grid: (u32, u32, u32), block: (u32, u32, u32), shared: u32) -> LaunchConfig {
        LaunchConfig { grid_dim: grid, block_dim: block, shared_mem_bytes: shared }
    }

    #[test]
    fn launches_within_the_limits_pass() {
        for fits in [launch((1, 1, 1), (1024, 1, 1), 0), launch((2_147_483_647, 65_535, 65_535), (16, 1, 64), 65_536)] {
            assert!(check_launch(&device(), fits).is_ok(), "{fits:?}");
        }
    }

    #[test]
    fn each_limit_is_named_with_its_value() {
        for (over, words) in [
            (launch((1, 1, 1), (1025, 1, 1), 0), "number of threads in a block is 1025, but Test allows 1024"),
            (launch((1, 1, 1), (64, 32, 1), 0), "number of threads in a block is 2048"),
            (launch((1, 1, 1), (1, 1, 65), 0), "block's z dimension is 65, but Test allows 64"),
            (launch((1, 65_536, 1), (1, 1, 1), 0), "grid's y dimension is 65536, but Test allows 65535"),
            (launch((1, 1, 1), (32, 1, 1), 70_000), "shared memory in bytes a block is 70000, but Test allows 65536"),
            (launch((0, 1, 1), (32, 1, 1), 0), "is empty"),
        ] {
            let error = check_launch(&device(), over).unwrap_err();
            assert!(error.to_string().contains(words), "{error}");
            assert_eq!(error.exit_code(), 2);
        }
    }

    #[test]
    fn devices_are_chosen_by_name() {
        let parsed = ["auto", "cuda:1", "cuda", "emulated", "emulated:t4"]
            .map(|t| t.parse::<DeviceChoice>().unwrap().to_string());
        assert_eq!(parsed, ["auto", "cuda:1", "cuda:0", &format!("emulated:{}", default_profile()), "emulated:t4"]);
        for wrong in ["gpu", "cuda:x", "emulated:", "cuda:-1", ""] {
            assert!(wrong.parse::<DeviceChoice>().is_err(), "{wrong}");
        }
    }
}
