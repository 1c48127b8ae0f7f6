//! The five columns in which speed is measured, for the benchmark, the example, and the comparison with other machines.
#![allow(dead_code)]

use super::{Arg, Device, Plain};
use simt::machine::Checks;

/// The kernels' PTX.
pub const PTX: &str = include_str!("../kernels/speed.ptx");

/// A kernel with its launch and arguments.
pub struct Column {
    /// The name in tables.
    pub name: &'static str,
    /// The kernel's name.
    pub kernel: &'static str,
    /// The launch.
    pub grid: [u32; 3],
    /// The launch.
    pub block: [u32; 3],
    /// Its arguments.
    pub args: Vec<Arg>,
    /// Elements that one launch processes: sums, points, bytes, multiply-adds.
    pub elements: u64,
    /// The name of an element.
    pub element: &'static str,
}

/// The enabled checks, from least to most.
pub const LEVELS: [(&str, Checks, bool); 3] = [
    ("checks off", Checks::NONE, false),
    ("memcheck + counters", Checks::MEMORY, true),
    ("all checks", Checks::ALL, true),
];

/// Puts numbers on the device, and records that they are written.
pub fn written<T: Plain>(device: &Device, data: &[T]) -> u64 {
    let at = device.put(data);
    device.memory.wrote(at, size_of_val(data) as u64);
    at
}

/// Returns the sum of two vectors of `n` numbers, a multiple of 256: both addends and the sum are at `at`.
pub fn vecadd(n: usize, at: [u64; 3]) -> Column {
    Column {
        name: "vecadd",
        kernel: "vecadd",
        grid: [(n / 256) as u32, 1, 1],
        block: [256, 1, 1],
        args: at.map(Arg::Ptr).into_iter().chain([Arg::I32(n as i32)]).collect(),
        elements: n as u64,
        element: "sums",
    }
}

/// Returns the trapezoidal rule with `points` points, a multiple of 1024, by one of its kernels. The word for the sum
/// is at `sum`.
pub fn trapezoid(name: &'static str, kernel: &'static str, points: usize, sum: u64) -> Column {
    Column {
        name,
        kernel,
        grid: [points as u32 / 1024, 1, 1],
        block: [1024, 1, 1],
        args: vec![Arg::F32(-3.0), Arg::F32(6.0 / points as f32), Arg::I32(points as i32), Arg::Ptr(sum)],
        elements: points as u64,
        element: "points",
    }
}

/// Returns a device with the columns' kernels and data. `n` is the number of sums and of bytes, a power of two from
/// 2^12 on; the matrices have `side` rows and columns, a multiple of 16 whose square is at most `n`.
pub fn columns(n: usize, side: u32) -> (Device, Vec<Column>) {
    let mut device = Device::new(PTX);
    device.settings.workers = 1;
    device.memory.track_writes(true);
    let ones = || written(&device, &vec![1.0f32; n]);
    let (x, y, z) = (ones(), ones(), ones());
    let text: Vec<u8> = (0..n as u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let text = written(&device, &text);
    let (sum, bins) = (written(&device, &[0.0f32]), written(&device, &[0u32; 256]));
    let columns = vec![
        vecadd(n, [x, y, z]),
        trapezoid("trapezoid, atomic", "trapezoid_atomic", n / 4, sum),
        trapezoid("trapezoid, shuffle", "trapezoid_shuffle", n / 4, sum),
        Column {
            name: "histogram",
            kernel: "histogram",
            grid: [216, 1, 1],
            block: [256, 1, 1],
            args: vec![Arg::Ptr(text), Arg::Ptr(bins), Arg::I32(n as i32)],
            elements: n as u64,
            element: "bytes",
        },
        Column {
            name: "tiled matmul",
            kernel: "matmul",
            grid: [side / 16, side / 16, 1],
            block: [16, 16, 1],
            args: vec![Arg::Ptr(x), Arg::Ptr(y), Arg::Ptr(z), Arg::I32(side as i32)],
            elements: u64::from(side).pow(3),
            element: "multiply-adds",
        },
    ];
    (device, columns)
}

impl Column {
    /// Launches it; returns the number of thread instructions.
    pub fn launch(&self, device: &Device) -> u64 {
        let (report, _) = device.try_launch(self.kernel, self.grid, self.block, 0, &self.args);
        assert_eq!(report.findings, [], "{}", self.kernel);
        report.counters.totals.thread_instructions
    }
}
