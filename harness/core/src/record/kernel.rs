//! The multiprocessor resources of a row's kernel, and the peak to which its operations are compared, as columns of the
//! CSV.
use cudarc::driver::{CudaFunction, LaunchConfig, sys::CUfunction_attribute_enum::CU_FUNC_ATTRIBUTE_NUM_REGS};
use serde::{Deserialize, Serialize};

use crate::{
    device::choice::DeviceInfo,
    record::{
        column::{Column, Sourced, column, columns_of},
        row::{Record, Value},
    },
};

/// A kernel's multiprocessor resources, as reported by the device's driver.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Resources {
    /// Registers of a thread.
    pub registers: u32,
    /// The warps that stay resident with the row's launch, as a percentage of those that a multiprocessor can hold
    /// (occupancy); `None` if the row has no launch.
    pub occupancy_percent: Option<f64>,
}

impl Resources {
    /// Returns the resources of `kernel` with this launch; `None` if the driver does not report them, as after a fault.
    pub(crate) fn from_kernel(
        kernel: &CudaFunction,
        launch: Option<LaunchConfig>,
        device: &DeviceInfo,
    ) -> Option<Self> {
        let registers = u32::try_from(kernel.get_attribute(CU_FUNC_ATTRIBUTE_NUM_REGS).ok()?).ok()?;
        let occupancy_percent = launch.and_then(|launch| {
            let (x, y, z) = launch.block_dim;
            let (threads, shared) = (x * y * z, launch.shared_mem_bytes as usize);
            let blocks = kernel.occupancy_max_active_blocks_per_multiprocessor(threads, shared, None).ok()?;
            let warps = |threads: u32| f64::from(threads.div_ceil(device.warp_size));
            Some(100.0 * f64::from(blocks) * warps(threads) / warps(device.max_threads_per_multiprocessor))
        });
        Some(Self { registers, occupancy_percent })
    }
}

/// The unit that executes a row's operations, to whose peak they are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Peak {
    /// Multiply-adds in single precision, on the CUDA cores.
    Single,
    /// Tensor cores with inputs of 19 bits (TF32).
    Tf32,
    /// Tensor cores with each product split into three TF32 products.
    SplitTf32,
    /// Tensor cores with bfloat16 inputs.
    Bf16,
}

impl Peak {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Single, Self::Tf32, Self::SplitTf32, Self::Bf16];

    /// Returns the word in the CSV.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Single => "single",
            Self::Tf32 => "tf32",
            Self::SplitTf32 => "split-tf32",
            Self::Bf16 => "bf16",
        }
    }

    /// Returns the peak operations per clock and multiprocessor, where a multiply-add counts as two; `None` if the
    /// architecture has no such unit, or its rate is not known here.
    pub const fn per_clock(self, compute_capability: (u32, u32)) -> Option<f64> {
        // CUDA C++ Programming Guide, table "Throughput of Native Arithmetic Instructions"; for tensor cores the
        // whitepapers of the A100 (156 and 312 TFLOP/s at 1.41 GHz with 108 SMs) and of the H100 (495 and 989 TFLOP/s
        // at 1.83 GHz with 132 SMs), without sparsity.
        let multiply_adds = match (self, compute_capability) {
            (Self::Single, (7, _) | (6 | 8, 0)) => 64.0,
            (Self::Single, (5 | 6 | 8 | 9 | 10 | 12, _)) => 128.0,
            (Self::Single, (3, _)) => 192.0,
            (Self::Tf32, (8, 0)) => 512.0,
            (Self::Tf32, (9, 0)) | (Self::Bf16, (8, 0)) => 1024.0,
            (Self::SplitTf32, (8, 0)) => 512.0 / 3.0,
            (Self::SplitTf32, (9, 0)) => 1024.0 / 3.0,
            (Self::Bf16, (9, 0)) => 2048.0,
            _ => return None,
        };
        Some(2.0 * multiply_adds)
    }
}

/// The function from a record to a value.
type Source = Sourced<fn(&Record) -> Value>;

/// The columns, in order.
#[rustfmt::skip]
const TABLE: &[Source] = &[
    Source { column: column("kernel_registers", "registers of a thread of the row's kernel, as the device's driver gives them (the emulated device estimates them); empty where the row has several kernels, or none").unit("registers of a thread"), source: |r| r.resources.map(|all| all.registers).into() },
    Source { column: column("kernel_occupancy_percent", "of the warps that an SM can hold, those of this kernel that the row's launch keeps resident, as the driver computes it"), source: |r| r.resources.and_then(|all| all.occupancy_percent).into() },
    Source { column: column("peak", "what does the operations, where their number may bound the row: `single` (precision), or the tensor cores with inputs of `tf32` or `bf16`, or with three products of TF32 numbers for one (`split-tf32`)"), source: |r| r.peak.map(Peak::word).into() },
];

/// The columns of a row's kernel, which follow the counters in every CSV.
pub const KERNEL: [Column; TABLE.len()] = columns_of(TABLE);

/// Returns the values of [`KERNEL`].
pub(crate) fn values(record: &Record) -> Vec<Value> {
    TABLE.iter().map(|c| (c.source)(record)).collect()
}

#[cfg(test)]
mod tests {
    use cudarc::nvrtc::Ptx;

    use super::*;
    use crate::{device::session::Session, record::row::tests::record};

    #[test]
    fn a_row_without_a_kernel_has_no_values_and_not_zeros() {
        assert_eq!(values(&record()), [Value::Empty, Value::Empty, Value::Empty]);
        let resources = Some(Resources { registers: 40, occupancy_percent: Some(75.0) });
        let row = Record { resources, peak: Some(Peak::SplitTf32), ..record() };
        assert_eq!(values(&row), [Value::Int(40), Value::Real(75.0), Value::Text("split-tf32".into())]);
        let unlaunched = Record { resources: Some(Resources { registers: 40, occupancy_percent: None }), ..record() };
        assert_eq!(values(&unlaunched)[1], Value::Empty);
    }

    #[test]
    fn a_kernels_resources_are_those_that_the_driver_gives() {
        let session = Session::open(&"emulated".parse().unwrap()).unwrap();
        let text = ".version 6.0\n.target sm_50\n.address_size 64\n.visible .entry empty()\n{\n ret;\n}\n";
        let module = session.context.load_module(Ptx::from_src(text)).unwrap();
        let kernel = module.load_function("empty").unwrap();
        let of = |launch| Resources::from_kernel(&kernel, launch, &session.device).unwrap();
        // An SM of an H200 holds 64 warps, but at most 32 blocks.
        for (threads, percent) in [(1024, 100.0), (128, 100.0), (32, 50.0), (33, 100.0), (768, 75.0)] {
            let launch = LaunchConfig { grid_dim: (1, 1, 1), block_dim: (threads, 1, 1), shared_mem_bytes: 0 };
            assert_eq!(of(Some(launch)).occupancy_percent, Some(percent), "{threads} threads");
        }
        // Four blocks with 48 KiB of shared memory each, and 1 KiB for each that the system reserves.
        let shared = LaunchConfig { grid_dim: (1, 1, 1), block_dim: (32, 1, 1), shared_mem_bytes: 49152 };
        assert_eq!(of(Some(shared)).occupancy_percent, Some(6.25));
        assert_eq!(of(None).occupancy_percent, None);
    }

    #[test]
    fn peaks_are_those_of_the_data_sheets() {
        let tera = |peak: Peak, capability, sms: f64, ghz: f64| peak.per_clock(capability).unwrap() * sms * ghz / 1e3;
        for (peak, capability, (sms, ghz), published) in [
            (Peak::Single, (8, 0), (108.0, 1.41), 19.5),
            (Peak::Tf32, (8, 0), (108.0, 1.41), 156.0),
            (Peak::Bf16, (8, 0), (108.0, 1.41), 312.0),
            (Peak::Single, (9, 0), (132.0, 1.98), 67.0),
            (Peak::Tf32, (9, 0), (132.0, 1.83), 495.0),
            (Peak::Bf16, (9, 0), (132.0, 1.83), 989.0),
        ] {
            let found = tera(peak, capability, sms, ghz);
            assert!((found / published - 1.0).abs() < 0.005, "{peak:?} {capability:?}: {found}");
        }
        assert_eq!(Peak::SplitTf32.per_clock((9, 0)).map(|rate| 3.0 * rate), Peak::Tf32.per_clock((9, 0)));
        assert_eq!(Peak::Tf32.per_clock((7, 5)), None);
    }
}
