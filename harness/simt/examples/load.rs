//! Loads PTX files and prints the resources that each kernel needs: `cargo run -p simt --example load -- FILE...`

use gpu::Part;
use simt::machine::Module;
use simt::memory::Memory;
use std::process::ExitCode;
use std::sync::Arc;

fn main() -> ExitCode {
    let mut failed = false;
    for path in std::env::args().skip(1) {
        let loaded = std::fs::read_to_string(&path).map_err(|e| e.to_string()).and_then(|ptx| {
            let memory = Memory::new(1 << 32);
            Module::load(&ptx, &Arc::new(memory), Part::default_part()).map_err(|e| e.to_string())
        });
        match loaded {
            Ok(module) => {
                for k in module.kernels() {
                    println!(
                        "{path}: {}: {} registers, {} bytes shared, {} local, {} of parameters",
                        k.name, k.registers, k.static_shared, k.local_bytes, k.param_bytes
                    );
                }
            }
            Err(error) => {
                println!("{path}: {error}");
                failed = true;
            }
        }
    }
    ExitCode::from(u8::from(failed))
}
