//! Runs CUDA's functions, as compiled by NVRTC for the machine's tests, on a device, and records the results.
//!
//! `functions OUT` uses the computer's NVIDIA driver, `functions OUT --machine LIBRARY` the machine's driver library
//! instead. For a function whose instructions all have exactly one correct result, OUT keeps the first results and
//! hashes of the others.

#[path = "../../simt/tests/functions/list.rs"]
mod list;
mod record;
#[path = "../../simt/tests/conformance/suite/mod.rs"]
mod suite;

use list::{FILES, File, functions};
use record::{Device, Result, load, use_machine};
use suite::Case;
use suite::file::{Entry, Vectors, inputs};
use suite::kernels::{input_bytes, output_bytes};

fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args.as_slice() {
        [out] => record(out),
        [out, "--machine", library] => {
            use_machine(library)?;
            record(out)
        }
        _ => Err("usage: functions OUT [--machine LIBRARY]".into()),
    }
}

/// Returns the results of the functions of a file, shortened to what the test compares; for a function that fails, the
/// reason.
fn run(device: &mut Device, file: &File, entries: &mut Vec<Entry>) -> Result<()> {
    let mut module = load(&file.ptx)?;
    for function in functions(file) {
        let case = &function.case;
        let entry = match device.run(module, &case.name, case, function.cooperative()) {
            Ok(mut entry) => {
                for column in &mut entry.columns {
                    *column = function.kept(column);
                }
                entry
            }
            Err(error) => {
                println!("{}: {error}", case.name);
                device.restart()?;
                module = load(&file.ptx)?;
                Entry { name: case.name.clone(), inputs: inputs(case), error: error.to_string(), columns: Vec::new() }
            }
        };
        entries.push(entry);
    }
    Ok(())
}

fn record(out: &str) -> Result<()> {
    let all: Vec<Case> = FILES.iter().flat_map(functions).map(|f| f.case).collect();
    let bytes = all.iter().map(|c| input_bytes(c).max(output_bytes(c)));
    let mut device = Device::open(bytes.max().unwrap_or(0))?;
    let name = device.name()?;
    println!("{name}: {} functions", all.len());
    let mut entries = Vec::new();
    for file in &FILES {
        run(&mut device, file, &mut entries)?;
        println!("{}: {} of {}", file.name, entries.len(), all.len());
    }
    let failed = entries.iter().filter(|e| !e.error.is_empty()).count();
    let vectors = Vectors { device: name, entries };
    let bytes = vectors.write();
    std::fs::write(out, &bytes)?;
    println!("{} bytes in {out}; {failed} functions have no results", bytes.len());
    Ok(())
}
