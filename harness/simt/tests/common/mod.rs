//! A device for the tests: memory, launches and readable results.
#![allow(dead_code)]

pub mod columns;

use gpu::Part;
use simt::machine::{Geometry, Launch, Module, RecordRequest, Report, Settings, Watch, run_watched};
use simt::memory::{Memory, MemoryKind};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// A device with a module loaded.
pub struct Device {
    /// The emulated GPU.
    pub part: &'static Part,
    pub memory: Arc<Memory>,
    pub module: Module,
    pub settings: Settings,
    pub cooperative: bool,
    pub cluster: Option<[u32; 3]>,
}

/// One argument of a kernel.
pub enum Arg {
    Ptr(u64),
    I32(i32),
    U32(u32),
    F32(f32),
    F64(f64),
    I64(i64),
}

/// Plain numbers.
pub trait Plain: Copy + Default {}
impl Plain for u8 {}
impl Plain for u16 {}
impl Plain for u32 {}
impl Plain for i32 {}
impl Plain for f32 {}
impl Plain for u64 {}
impl Plain for i64 {}
impl Plain for f64 {}

impl Device {
    /// Loads PTX.
    pub fn new(ptx: &str) -> Device {
        Device::of(Part::default_part(), ptx)
    }

    /// Loads PTX on a part.
    pub fn of(part: &'static Part, ptx: &str) -> Device {
        let memory = Arc::new(Memory::new(1 << 30));
        let module = Module::load(ptx, &memory, part).expect("the module loads");
        Device { part, memory, module, settings: Settings::default(), cooperative: false, cluster: None }
    }

    /// Puts numbers on the device. Returns their address.
    pub fn put<T: Plain>(&self, data: &[T]) -> u64 {
        let bytes = size_of_val(data).max(1) as u64;
        let at = self.memory.alloc(bytes, 256, MemoryKind::Device, "test data").expect("it fits");
        let host = self.memory.host(at, bytes).expect("it is there");
        unsafe {
            host.cast::<T>().copy_from_nonoverlapping(data.as_ptr(), data.len());
        };
        at
    }

    /// Allocates zeros on the device.
    pub fn zeros<T: Plain>(&self, count: usize) -> u64 {
        self.put(&vec![T::default(); count])
    }

    /// Reads numbers from the device.
    pub fn get<T: Plain>(&self, at: u64, count: usize) -> Vec<T> {
        let bytes = (count * size_of::<T>()) as u64;
        let host = self.memory.host(at, bytes).expect("it is there");
        (0..count).map(|i| unsafe { host.cast::<T>().add(i).read() }).collect()
    }

    /// Launches and returns the report and what was printed.
    pub fn try_launch(
        &self,
        kernel: &str,
        grid: [u32; 3],
        block: [u32; 3],
        shared: u32,
        args: &[Arg],
    ) -> (Report, String) {
        self.launch_recorded(kernel, (grid, block, shared), args, None)
    }

    /// Like [`Device::try_launch`], with what to record of the launch. `shape` is the grid, the block, and the bytes of
    /// dynamic shared memory.
    pub fn launch_recorded(
        &self,
        kernel: &str,
        (grid, block, shared): ([u32; 3], [u32; 3], u32),
        args: &[Arg],
        record: Option<RecordRequest>,
    ) -> (Report, String) {
        let kernel = self.module.kernel(kernel).expect("the kernel exists");
        let mut params = vec![0u8; kernel.param_bytes as usize];
        assert_eq!(args.len(), kernel.params.len(), "arguments of the kernel");
        for (arg, param) in args.iter().zip(&kernel.params) {
            let bytes = match arg {
                Arg::Ptr(v) => v.to_le_bytes().to_vec(),
                Arg::I32(v) => v.to_le_bytes().to_vec(),
                Arg::U32(v) => v.to_le_bytes().to_vec(),
                Arg::F32(v) => v.to_le_bytes().to_vec(),
                Arg::F64(v) => v.to_le_bytes().to_vec(),
                Arg::I64(v) => v.to_le_bytes().to_vec(),
            };
            let at = param.offset as usize;
            params[at..at + bytes.len()].copy_from_slice(&bytes);
        }
        let mut text = Vec::new();
        let launch = Launch {
            kernel,
            geometry: Geometry {
                dynamic_shared: shared,
                cooperative: self.cooperative,
                cluster: self.cluster,
                ..Geometry::new(grid, block)
            },
            params: &params,
        };
        let never = AtomicBool::new(false);
        let (slow, stopped) = (|_| {}, |_: &_| {});
        let watch =
            Watch { cancel: &never, patience: Duration::MAX, slow: &slow, stopped: &stopped, runtime: None, record };
        let mut print = |piece: &[u8]| text.extend_from_slice(piece);
        let report = run_watched(&self.memory, self.part, &self.settings, &launch, &watch, &mut print);
        (report, String::from_utf8_lossy(&text).into_owned())
    }

    /// Launches a kernel that must succeed.
    pub fn launch(&self, kernel: &str, grid: u32, block: u32, args: &[Arg]) -> Report {
        let (report, _) = self.try_launch(kernel, [grid, 1, 1], [block, 1, 1], 0, args);
        assert_eq!(report.fault, None, "{:#?}", report.findings);
        report
    }
}
