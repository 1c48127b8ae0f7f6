//! Loads a program and launches its kernels.

use gpu::Part;
use simt::machine::{Checks, Geometry, Launch, Module, Settings, run};
use simt::memory::{Memory, MemoryKind};
use std::sync::Arc;

/// The maximum number of warp instructions of a launch; hangs elsewhere are left to the watchdog.
const BUDGET: u64 = 20_000;
/// Bytes of the device's memory.
pub const TOTAL: u64 = 1 << 28;
/// Bytes of the buffer to which every pointer among the parameters points.
pub const BUFFER: u64 = 1 << 16;

/// How a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It was rejected.
    Refused,
    /// It was loaded, and a fault stopped a launch of it.
    Faulted,
    /// All its launches completed.
    Completed,
}

/// Loads a program, and launches its kernels.
pub fn load_and_run(text: &str) -> Outcome {
    let memory = Arc::new(Memory::new(TOTAL));
    // It is allocated before the program, whose variables may need all the remaining memory.
    let buffer = memory.alloc(BUFFER, 256, MemoryKind::Device, "data").expect("it fits into empty memory");
    let Ok(module) = Module::load(text, &memory, Part::default_part()) else {
        return Outcome::Refused;
    };
    let mut outcome = Outcome::Completed;
    for kernel in module.kernels() {
        let mut params = vec![0; kernel.param_bytes as usize];
        for param in &kernel.params {
            let value = if param.size == 8 { buffer } else { 100 };
            let bytes = value.to_le_bytes();
            let end = params.len().min((param.offset + param.size) as usize);
            let to = &mut params[param.offset as usize..end];
            let count = to.len().min(8);
            to[..count].copy_from_slice(&bytes[..count]);
        }
        if kernel.static_shared > 100 << 10 || kernel.local_bytes > 1 << 16 {
            // A driver rejects these.
            continue;
        }
        for (checks, seed) in [(Checks::ALL, 3), (Checks::MEMORY, 0)] {
            let settings = Settings {
                checks,
                counters: true,
                lines: true,
                costs: true,
                seed,
                budget: BUDGET,
                workers: 1,
                ..Settings::default()
            };
            let launch = Launch {
                kernel,
                geometry: Geometry { dynamic_shared: 256, ..Geometry::new([2, 1, 1], [40, 2, 1]) },
                params: &params,
            };
            let report = run(&memory, Part::default_part(), &settings, &launch, &mut |_| {});
            if report.fault.is_some() {
                outcome = Outcome::Faulted;
            }
        }
    }
    outcome
}
