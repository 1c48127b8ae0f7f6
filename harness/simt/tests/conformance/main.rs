//! Compares the machine with an H200, form by form: the GPU's results are in `h200.bin.gz`, and the machine must give
//! the same bits. Sparse products of `wgmma`, of f16, bf16 and four bits, and of bytes at depth 32 were recorded on an
//! H100, which gave the same results as the H200 for all other forms.
//!
//! Where the hardware approximates (`.approx`, `div.full`) or has its own rounding of sums (matrix products), the
//! machine is held to the documented error instead. Forms in which it is known to differ are in `differs.txt`, and must
//! differ. `WARPLAB_VECTORS=FILE` compares with another file, such as the full one that the driver package's example
//! `conformance` writes.

mod approximate;
#[path = "../common/mod.rs"]
mod common;
mod suite;

use common::{Arg, Device};
use gpu::Part;
use simt::machine::Module;
use simt::memory::{Memory, MemoryKind};
use std::collections::{HashMap, HashSet};
use std::fmt::Write;
use std::sync::Arc;
use suite::file::{Column, Entry, FIRST, GROUP, Vectors, digest};
use suite::{BLOCK, COUNT, Case, file, kernels};

/// The results of a case on the machine: `[result][thread]`.
type Results = Vec<Vec<u64>>;

fn load(cases: &[Case]) -> Result<Device, String> {
    let memory = Arc::new(Memory::new(1 << 28));
    let module =
        Module::load(&kernels::module(cases), &memory, Part::default_part()).map_err(|error| error.to_string())?;
    Ok(Device {
        part: Part::default_part(),
        memory,
        module,
        settings: simt::machine::Settings::default(),
        cooperative: false,
        cluster: None,
    })
}

/// Loads cases together; if that fails, bisects to the cases that do not load.
fn run(cases: &[Case], out: &mut Vec<Result<Results, String>>) {
    match load(cases) {
        Ok(device) => out.extend((0..cases.len()).map(|i| launch(&device, i, &cases[i]))),
        Err(error) if cases.len() == 1 => out.push(Err(error)),
        Err(_) => {
            let (left, right) = cases.split_at(cases.len() / 2);
            run(left, out);
            run(right, out);
        }
    }
}

fn launch(device: &Device, index: usize, case: &Case) -> Result<Results, String> {
    let operands: Vec<u64> = case.operands().into_iter().flatten().collect();
    let bytes = kernels::output_bytes(case);
    let alloc = |bytes: usize| {
        let at = device.memory.alloc(bytes as u64, 256, MemoryKind::Device, "");
        at.expect("it fits")
    };
    let (input, output) = (alloc(kernels::input_bytes(case)), alloc(bytes));
    // SAFETY: both have the requested length.
    unsafe {
        let host = |at, bytes: usize| device.memory.host(at, bytes as u64).expect("allocated");
        if !operands.is_empty() {
            let to = host(input, operands.len() * 8);
            to.cast::<u64>().copy_from_nonoverlapping(operands.as_ptr(), operands.len());
        }
        host(output, bytes).write_bytes(0, bytes);
    }
    let args = [Arg::Ptr(input), Arg::Ptr(output)];
    let grid = [COUNT as u32 / BLOCK, 1, 1];
    let name = kernels::kernel_name(index);
    let (report, _) = device.try_launch(&name, grid, [BLOCK, 1, 1], 0, &args);
    let results = device.get::<u64>(output, case.results.len() * COUNT);
    for at in [input, output] {
        device.memory.free(at).expect("allocated above");
    }
    match report.fault {
        None => Ok(results.chunks(COUNT).map(<[u64]>::to_vec).collect()),
        Some(fault) => Err(format!("{fault:?}: {:?}", report.findings)),
    }
}

/// Returns what is wrong with a case; empty if nothing.
fn compare(case: &Case, want: &Entry, got: &Results) -> String {
    let mut out = String::new();
    let operands = case.operands();
    let mut wrong = 0;
    let mut tell = |thread: usize, result: usize, want: Option<u64>| {
        wrong += 1;
        if wrong <= 4 {
            let from: Vec<String> = operands.iter().map(|o| format!("{:#x}", o[thread])).collect();
            let want = want.map_or("other".into(), |w| format!("{w:#x}"));
            let got = got[result][thread];
            let from = from.join(", ");
            write!(out, "\n    thread {thread}, result {result}: ({from}) gives {want}, here {got:#x}")
                .expect("a string");
        }
    };
    for (result, (column, got)) in want.columns.iter().zip(got).enumerate() {
        let same = |w: u64, g: u64, thread: usize| {
            w == g || {
                let operands: Vec<u64> = operands.iter().map(|o| o[thread]).collect();
                approximate::near(&case.name, &operands, w, g)
            }
        };
        let values = match column {
            Column::Full(values) => values,
            Column::Digest(first, groups) => {
                for (group, hash) in groups.iter().enumerate() {
                    if digest(&got[group * GROUP..][..GROUP]) != *hash {
                        tell(group * GROUP, result, None);
                    }
                }
                first
            }
        };
        for (thread, (&w, &g)) in values.iter().zip(got).enumerate() {
            if !same(w, g, thread) {
                tell(thread, result, Some(w));
            }
        }
    }
    if wrong > 4 {
        write!(out, "\n    and {} more", wrong - 4).expect("a string");
    }
    out
}

#[test]
fn the_machine_gives_what_the_gpu_gave() {
    let path = std::env::var("WARPLAB_VECTORS")
        .unwrap_or_else(|_| concat!(env!("CARGO_MANIFEST_DIR"), "/tests/conformance/h200.bin.gz").into());
    let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let vectors = Vectors::read(&bytes).expect("a file of vectors");
    let entries: HashMap<&str, &Entry> = vectors.entries.iter().map(|e| (e.name.as_str(), e)).collect();
    let only = std::env::var("WARPLAB_CASES").unwrap_or_default();
    let differs = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/conformance/differs.txt"));
    let differs = differs.expect("the file is there");
    let differs: HashSet<&str> = differs.lines().filter(|line| !line.starts_with('#')).collect();
    let mut cases = suite::all();
    cases.retain(|case| case.name.contains(&only));
    let mut failures = Vec::new();
    let mut checked = 0;
    for chunk in cases.chunks(64) {
        let mut results = Vec::new();
        run(chunk, &mut results);
        for (case, got) in chunk.iter().zip(results) {
            let failure = match (entries.get(case.name.as_str()), got) {
                (None, _) => "\n    the file has no results".into(),
                (Some(want), _) if want.inputs != file::inputs(case) => {
                    "\n    the file's results are for other operands".into()
                }
                (Some(want), _) if !want.error.is_empty() => {
                    format!("\n    the GPU: {}", want.error)
                }
                (_, Err(error)) => format!("\n    {error}"),
                (Some(want), Ok(got)) => compare(case, want, &got),
            };
            checked += 1;
            if differs.contains(case.name.as_str()) {
                if failure.is_empty() {
                    failures.push(format!("{}: agrees after all, but is in differs.txt", case.name));
                }
            } else if !failure.is_empty() {
                failures.push(format!("{}:{failure}", case.name));
            }
        }
    }
    let known: HashSet<&str> = cases.iter().map(|case| case.name.as_str()).collect();
    let unknown = entries.keys().filter(|name| name.contains(&only) && !known.contains(*name));
    failures.extend(unknown.map(|name| format!("{name}: in the file, and no case any more")));
    assert!(
        failures.is_empty(),
        "{} of {checked} forms differ from {}:\n{}",
        failures.len(),
        vectors.device,
        failures.join("\n")
    );
}

/// A single wrong bit is found in any column, wherever it is.
#[test]
fn a_wrong_bit_is_found() {
    let case = suite::all().into_iter().find(|c| c.name == "add.u32").expect("a case");
    let mut results = Vec::new();
    run(std::slice::from_ref(&case), &mut results);
    let got = results.remove(0).expect("it runs");
    let entry = |columns| Entry { name: case.name.clone(), inputs: file::inputs(&case), error: String::new(), columns };
    let full = entry(vec![Column::Full(got[0].clone())]);
    let short = entry(vec![full.columns[0].compact(32)]);
    for thread in [0, FIRST - 1, FIRST, COUNT - 1] {
        let mut wrong = got.clone();
        wrong[0][thread] ^= 1 << 17;
        for entry in [&full, &short] {
            assert_eq!(compare(&case, entry, &got), "");
            assert_ne!(compare(&case, entry, &wrong), "", "thread {thread}");
        }
    }
    let file = Vectors { device: "a device".into(), entries: vec![full, short] };
    assert_eq!(Vectors::read(&file.write()).as_ref(), Some(&file));
    assert_eq!(Vectors::read(&file.write()[..100]), None);
}

#[test]
fn names_are_unique() {
    let mut seen = HashSet::new();
    for case in suite::all() {
        assert!(seen.insert(case.name.clone()), "{} is there twice", case.name);
    }
}
