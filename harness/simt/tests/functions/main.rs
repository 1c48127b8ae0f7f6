//! Whole CUDA functions as NVRTC compiles them: `sinf` and `__sinf`, `pow` and `__dp4a`, sums of cooperative groups.
//!
//! Each of the kernels in the `.cu` files next to this file computes a function's result for 1024 sets of operands:
//! special, huge, subnormal, and ordinary ones. The results are compared with those of an H200 (`h200.bin.gz`, which
//! the driver package's example `functions` records), and with other implementations (`reference.rs`) within the errors
//! that NVIDIA documents (`error.rs`).
//!
//! A function without approximating instructions gives the GPU's bits (459 of 551, among them `sinf`, `logf`, `pow` and
//! all integer functions). With an `.approx` in its PTX, both may differ by the documented error; apart from the fast
//! functions (`__sinf`), the largest difference seen was three units in the last place.

#[path = "../conformance/approximate.rs"]
#[allow(dead_code, reason = "of it the values of halves are used")]
mod approximate;
#[path = "../common/mod.rs"]
mod common;
mod error;
mod list;
mod reference;
#[path = "../conformance/suite/mod.rs"]
mod suite;

use common::{Arg, Device};
use error::{documented, value, within};
use gpu::Part;
use list::{FILES, File, Function, functions};
use simt::machine::{Checks, Module, Settings};
use simt::memory::Memory;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;
use suite::file::{Column, Entry, FIRST, GROUP, Vectors, inputs};
use suite::kernels::output_bytes;
use suite::{BLOCK, COUNT};

fn load(file: &File) -> Device {
    let memory = Arc::new(Memory::new(1 << 28));
    let module = Module::load(&file.ptx, &memory, Part::default_part());
    Device {
        part: Part::default_part(),
        module: module.unwrap_or_else(|error| panic!("{}: {error}", file.name)),
        memory,
        settings: Settings { checks: Checks::ALL, ..Settings::default() },
        cooperative: false,
        cluster: None,
    }
}

/// Returns the results of all threads, on the machine.
fn run(device: &mut Device, function: &Function) -> Vec<u64> {
    let operands: Vec<u64> = function.case.operands().into_iter().flatten().collect();
    let (from, to) = (device.put(&operands), device.zeros::<u8>(output_bytes(&function.case)));
    device.cooperative = function.cooperative();
    let (grid, block) = ([COUNT as u32 / BLOCK, 1, 1], [BLOCK, 1, 1]);
    let args = [Arg::Ptr(from), Arg::Ptr(to)];
    let (report, _) = device.try_launch(&function.case.name, grid, block, 0, &args);
    let clean = report.fault.is_none() && report.findings.is_empty();
    assert!(clean, "{}: {:?}", function.case.name, report.findings);
    let results = device.get::<u64>(to, COUNT);
    for at in [from, to] {
        device.memory.free(at).expect("allocated above");
    }
    results
}

/// Returns the differences in a function's results, thread by thread; empty if there are none.
fn differences(
    function: &Function,
    got: &[u64],
    mut fits: impl FnMut(usize, &[u64], u64) -> Result<(), String>,
) -> String {
    let columns = function.case.operands();
    let (mut wrong, mut out) = (0, String::new());
    for (thread, &got) in got.iter().enumerate() {
        let operands: Vec<u64> = columns.iter().map(|column| column[thread]).collect();
        let Err(want) = fits(thread, &operands, got) else {
            continue;
        };
        wrong += 1;
        if wrong <= 4 {
            let shown = operands.iter().zip(&function.arguments);
            let shown: Vec<String> = shown.map(|(bits, ty)| format!("{bits:#x} ({:e})", value(*ty, *bits))).collect();
            let shown = shown.join(", ");
            let number = value(function.result, got);
            let _ = write!(out, "\n    thread {thread}: {shown} gives {want}, here {got:#x} ({number:e})");
        }
    }
    match wrong {
        0 => out,
        _ => format!("{}: {wrong} differ{out}\n", function.name()),
    }
}

#[test]
fn functions_are_as_near_as_documented() {
    let (mut checked, mut wrong) = (0, String::new());
    for file in &FILES {
        let mut device = load(file);
        for function in functions(file) {
            let got = run(&mut device, &function);
            let mut known = false;
            wrong += &differences(&function, &got, |_, operands, got| {
                let Some(want) = reference::reference(&function, operands) else {
                    return Ok(());
                };
                known = true;
                let types = function.arguments.iter().zip(operands);
                let values: Vec<f64> = types.map(|(ty, bits)| value(*ty, *bits)).collect();
                let bound = documented(&function, &values);
                if within(bound, function.result, want.bits, got, 1.0, want.units) {
                    Ok(())
                } else {
                    let number = value(function.result, want.bits);
                    Err(format!("{:#x} ({number:e}), {bound:?}", want.bits))
                }
            });
            checked += u32::from(known);
        }
    }
    assert!(checked > 150, "{checked} functions have a reference");
    assert!(wrong.is_empty(), "{wrong}");
}

/// Returns what is wrong with a function's results, empty if nothing: where instructions approximate, both devices may
/// differ by the documented error; all other results must have the same bits.
fn compare(function: &Function, want: &Entry, got: &[u64]) -> String {
    let kept = function.kept(&Column::Full(got.to_vec()));
    match (&want.columns[..], &kept) {
        _ if want.inputs != inputs(&function.case) => {
            format!("{}: recorded for other operands\n", function.name())
        }
        ([Column::Full(want)], Column::Full(kept)) => differences(function, kept, |thread, operands, got| {
            let types = function.arguments.iter().zip(operands);
            let values: Vec<f64> = types.map(|(ty, bits)| value(*ty, *bits)).collect();
            let bound = documented(function, &values);
            if within(bound, function.result, want[thread], got, 2.0, 0.0) {
                Ok(())
            } else {
                Err(format!("{:#x}, twice {bound:?}", want[thread]))
            }
        }),
        ([Column::Digest(first, groups)], Column::Digest(_, here)) => {
            // After the first results, a whole group is wrong together.
            differences(function, got, |thread, _, got| match first.get(thread) {
                Some(want) if function.canonical(got) != *want => Err(format!("{want:#x}")),
                _ if here[thread / GROUP] != groups[thread / GROUP] => Err("another".into()),
                _ => Ok(()),
            })
        }
        _ => format!("{}: recorded in another form\n", function.name()),
    }
}

#[test]
fn the_machine_gives_what_the_gpu_gave() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/functions/h200.bin.gz");
    let path = std::env::var("WARPLAB_FUNCTIONS").unwrap_or_else(|_| path.into());
    let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let vectors = Vectors::read(&bytes).expect("a file of results");
    let (mut count, mut wrong) = (0, String::new());
    for file in &FILES {
        let mut device = load(file);
        for function in functions(file) {
            let mut entries = vectors.entries.iter();
            let want = entries.find(|entry| entry.name == function.case.name);
            wrong += &match want {
                None => format!("{}: not recorded\n", function.name()),
                Some(want) if !want.error.is_empty() => {
                    format!("{}: the GPU: {}\n", function.name(), want.error)
                }
                Some(want) => compare(&function, want, &run(&mut device, &function)),
            };
            count += 1;
        }
    }
    assert_eq!(count, vectors.entries.len(), "functions, and recorded ones");
    assert!(wrong.is_empty(), "on {}:\n{wrong}", vectors.device);
}

/// A wrong bit is found in every column, and so is an approximation with too large an error.
#[test]
fn a_wrong_result_is_found() {
    for (file, name, near, far) in [
        (&FILES[0], "expf", Some(1 << 1), 1 << 4),
        (&FILES[1], "fma", None, 1 << 62),
        (&FILES[2], "dp4a_signed", None, 1 << 31),
    ] {
        let all = functions(file);
        let function = all.iter().find(|f| f.name() == name).expect("it is there");
        let got = run(&mut load(file), function);
        let entry = Entry {
            name: function.case.name.clone(),
            inputs: inputs(&function.case),
            error: String::new(),
            columns: vec![function.kept(&Column::Full(got.clone()))],
        };
        assert_eq!(compare(function, &entry, &got), "");
        for thread in [0, FIRST - 1, FIRST, COUNT - 1] {
            let mut other = got.clone();
            other[thread] ^= far;
            let wrong = compare(function, &entry, &other);
            assert_ne!(wrong, "", "{name}, thread {thread}");
        }
        // e^0 = 1 is the first result, and two units from it are allowed.
        let mut other = got.clone();
        other[0] ^= near.unwrap_or_default();
        assert_eq!(compare(function, &entry, &other), "", "{name}");
    }
}

/// Threads cooperate correctly in any order of warps and blocks, without findings.
#[test]
fn groups_do_not_depend_on_the_order() {
    let file = FILES.iter().find(|file| file.name == "groups");
    let file = file.expect("a file of groups");
    let mut device = load(file);
    for function in functions(file) {
        let usual = run(&mut device, &function);
        for seed in 1..=5 {
            device.settings.seed = seed;
            let other = run(&mut device, &function);
            assert!(other == usual, "{} under seed {seed}", function.name());
        }
        device.settings.seed = 0;
    }
}

/// The PTX is from the source next to it; it is compiled again where the compiler and headers that produced it are
/// available.
#[test]
fn the_ptx_is_from_its_source() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let root = root.canonicalize().expect("the workspace");
    let nvrtc = kernels::nvrtc().expect("WARPLAB_NVRTC names NVRTC, if it is set");
    let sources = kernels::sources_in(&root.join("harness/simt/tests/functions"), &root);
    let sources = sources.expect("the sources are read");
    assert_eq!(sources.len(), FILES.len());
    for source in sources {
        let outcome = kernels::check(nvrtc, &source).expect("it compiles");
        assert!(!matches!(outcome, kernels::Outcome::Stale(_)), "{}: {outcome:?}", source.path);
    }
}
