//! Runs every instruction form that the machine supports on a device, and records the results.
//!
//! `conformance OUT` uses the computer's NVIDIA driver, `conformance OUT --machine LIBRARY` the machine's driver
//! library instead. `conformance --compact FULL OUT` reduces such a file to what the machine's tests keep: the first
//! results of every form, and hashes of the others; with a third file, only forms that this file lacks are added to it.
//! `conformance --ptx FOLDER` writes the kernels, `conformance --show FILE CASE` a form's operands and results.

mod record;
#[path = "../../simt/tests/conformance/suite/mod.rs"]
mod suite;

use cudarc::driver::sys;
use record::{Device, Result, load, use_machine};
use suite::file::{Column, Entry, Vectors};
use suite::{COUNT, Case, file, kernels};

/// Cases per module.
const CHUNK: usize = 64;

fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args.as_slice() {
        ["--ptx", folder] => write_ptx(folder),
        ["--compact", full, out] => compact(full, out, None),
        ["--compact", full, out, known] => compact(full, out, Some(known)),
        ["--show", file, case] => show(file, case),
        [out] => record(out),
        [out, "--machine", library] => {
            use_machine(library)?;
            record(out)
        }
        _ => Err(
            "usage: conformance OUT [--machine LIBRARY] | --compact FULL OUT [KNOWN] | --show FILE CASE | --ptx FOLDER"
                .into(),
        ),
    }
}

fn write_ptx(folder: &str) -> Result<()> {
    std::fs::create_dir_all(folder)?;
    for (i, cases) in suite::all().chunks(CHUNK).enumerate() {
        std::fs::write(format!("{folder}/{i:03}.ptx"), kernels::module(cases))?;
    }
    Ok(())
}

fn show(file: &str, name: &str) -> Result<()> {
    let vectors = Vectors::read(&std::fs::read(file)?).ok_or("no file of vectors")?;
    let cases = suite::all();
    let case = cases.iter().find(|case| case.name == name);
    let case = case.ok_or("no such case")?;
    let entry = vectors.entries.iter().find(|entry| entry.name == name);
    let entry = entry.ok_or("the file has no such case")?;
    let operands = case.operands();
    let hex = |values: Vec<u64>| {
        let texts: Vec<String> = values.iter().map(|v| format!("{v:#x}")).collect();
        texts.join(" ")
    };
    println!("{}", case.text);
    for thread in 0..COUNT {
        let results = entry.columns.iter().map_while(|column| match column {
            Column::Full(values) => values.get(thread).copied(),
            Column::Digest(first, _) => first.get(thread).copied(),
        });
        let from = operands.iter().map(|column| column[thread]).collect();
        println!("{} = {}", hex(from), hex(results.collect()));
    }
    Ok(())
}

fn compact(full: &str, out: &str, known: Option<&str>) -> Result<()> {
    let mut vectors = Vectors::read(&std::fs::read(full)?).ok_or("no file of vectors")?;
    vectors.entries.retain(|entry| entry.error.is_empty());
    let cases = suite::all();
    let find = |name: &str| cases.iter().find(|case| case.name == name);
    // Cases that have been removed from the suite are removed from the file.
    vectors.entries.retain(|entry| find(&entry.name).is_some());
    for entry in &mut vectors.entries {
        let case = find(&entry.name).expect("just looked for");
        if suite::is_approximate(&case.name) {
            continue;
        }
        for (column, bits) in entry.columns.iter_mut().zip(&case.results) {
            *column = column.compact(*bits);
        }
    }
    if let Some(known) = known {
        let mut all = Vectors::read(&std::fs::read(known)?).ok_or("no file of vectors")?;
        vectors.entries.retain(|entry| all.entries.iter().all(|other| other.name != entry.name));
        all.entries.append(&mut vectors.entries);
        vectors = all;
    }
    let bytes = vectors.write();
    std::fs::write(out, &bytes)?;
    println!("{} cases, {} bytes", vectors.entries.len(), bytes.len());
    Ok(())
}

/// Runs the cases of one module.
fn run(device: &Device, cases: &[Case]) -> Result<Vec<Entry>> {
    let module = load(&kernels::module(cases))?;
    let entries = cases.iter().enumerate().map(|(i, case)| device.run(module, &kernels::kernel_name(i), case, false));
    let entries = entries.collect();
    // SAFETY: none of the module's kernels is running. After a failure there is nothing to unload.
    unsafe { sys::cuModuleUnload(module) };
    entries
}

/// Runs cases together; if one fails, bisects them.
fn run_all(device: &mut Device, cases: &[Case], out: &mut Vec<Entry>) -> Result<()> {
    match run(device, cases) {
        Ok(entries) => out.extend(entries),
        Err(error) => {
            device.restart()?;
            if let [case] = cases {
                let error = error.to_string().replace('\n', " ");
                println!("{}: {error}", case.name);
                out.push(Entry { name: case.name.clone(), inputs: file::inputs(case), error, columns: Vec::new() });
            } else {
                let (left, right) = cases.split_at(cases.len() / 2);
                run_all(device, left, out)?;
                run_all(device, right, out)?;
            }
        }
    }
    Ok(())
}

fn record(out: &str) -> Result<()> {
    let cases = suite::all();
    let bytes = cases.iter().map(|case| kernels::input_bytes(case).max(kernels::output_bytes(case))).max().unwrap_or(0);
    let mut device = Device::open(bytes)?;
    let name = device.name()?;
    println!("{name}: {} cases of {COUNT} operands", cases.len());
    let mut entries = Vec::new();
    for (i, chunk) in cases.chunks(CHUNK).enumerate() {
        run_all(&mut device, chunk, &mut entries)?;
        if i % 16 == 0 {
            println!("{} of {}", entries.len(), cases.len());
        }
    }
    let failed = entries.iter().filter(|entry| !entry.error.is_empty()).count();
    let bytes = Vectors { device: name, entries }.write();
    std::fs::write(out, &bytes)?;
    println!("{} bytes in {out}; {failed} cases have no results", bytes.len());
    Ok(())
}
