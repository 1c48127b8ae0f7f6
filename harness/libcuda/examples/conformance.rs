//! Runs every instruction form that the machine knows on a device and writes down what it gives.
//!
//! `conformance OUT` uses the computer's NVIDIA driver, `conformance OUT --machine LIBRARY` the machine's driver library instead.
//! `conformance --compact FULL OUT` shortens such a file to what the machine's tests keep: the first results of every form, and
//! hashes of the others. `conformance --ptx FOLDER` writes the kernels, `conformance --show FILE CASE` a form's operands and results.

#[path = "../../simt/tests/conformance/suite/mod.rs"]
mod suite;

use cudarc::driver::sys::{self, CUjit_option, CUresult};
use std::error::Error;
use std::ffi::{CString, c_void};
use std::ptr::null_mut;
use suite::file::{Column, Entry, Vectors};
use suite::{BLOCK, COUNT, Case, file, kernels};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Cases of a module.
const CHUNK: usize = 64;

fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args.as_slice() {
        ["--ptx", folder] => write_ptx(folder),
        ["--compact", full, out] => compact(full, out),
        ["--show", file, case] => show(file, case),
        [out] => record(out),
        [out, "--machine", library] => {
            // SAFETY: the machine's library, which does nothing when it is opened; it stays open for as long as the process lives.
            std::mem::forget(unsafe { libloading::Library::new(*library) }?);
            record(out)
        }
        _ => Err(
            "usage: conformance OUT [--machine LIBRARY] | --compact FULL OUT | --show FILE CASE | --ptx FOLDER".into(),
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

fn compact(full: &str, out: &str) -> Result<()> {
    let mut vectors = Vectors::read(&std::fs::read(full)?).ok_or("no file of vectors")?;
    vectors.entries.retain(|entry| entry.error.is_empty());
    let cases = suite::all();
    let find = |name: &str| cases.iter().find(|case| case.name == name);
    // What has been left out of the suite since is left out of the file.
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
    let bytes = vectors.write();
    std::fs::write(out, &bytes)?;
    println!("{} cases, {} bytes", vectors.entries.len(), bytes.len());
    Ok(())
}

fn check(what: &str, code: CUresult) -> Result<()> {
    if code == CUresult::CUDA_SUCCESS {
        Ok(())
    } else {
        Err(format!("{what}: {code:?}").into())
    }
}

/// A device's primary context, made anew after a kernel has failed.
struct Device {
    index: i32,
    input: u64,
    output: u64,
    /// Bytes of the larger of both buffers.
    bytes: usize,
}

impl Device {
    fn open(bytes: usize) -> Result<Device> {
        let mut device = Device {
            index: 0,
            input: 0,
            output: 0,
            bytes,
        };
        // SAFETY: out parameters are live variables.
        unsafe {
            check("cuInit", sys::cuInit(0))?;
            check("cuDeviceGet", sys::cuDeviceGet(&mut device.index, 0))?;
        }
        device.start()?;
        Ok(device)
    }

    fn start(&mut self) -> Result<()> {
        // SAFETY: as above.
        unsafe {
            let mut context = null_mut();
            let code = sys::cuDevicePrimaryCtxRetain(&mut context, self.index);
            check("cuDevicePrimaryCtxRetain", code)?;
            check("cuCtxSetCurrent", sys::cuCtxSetCurrent(context))?;
            check(
                "cuMemAlloc",
                sys::cuMemAlloc_v2(&mut self.input, self.bytes),
            )?;
            check(
                "cuMemAlloc",
                sys::cuMemAlloc_v2(&mut self.output, self.bytes),
            )
        }
    }

    fn restart(&mut self) -> Result<()> {
        // SAFETY: nothing of the old context is used again.
        unsafe {
            check(
                "cuDevicePrimaryCtxReset",
                sys::cuDevicePrimaryCtxReset_v2(self.index),
            )?;
        };
        self.start()
    }

    fn name(&self) -> Result<String> {
        let mut name = [0i8; 100];
        let mut driver = 0;
        // SAFETY: the length is the array's.
        unsafe {
            let code = sys::cuDeviceGetName(name.as_mut_ptr().cast(), 100, self.index);
            check("cuDeviceGetName", code)?;
            check("cuDriverGetVersion", sys::cuDriverGetVersion(&mut driver))?;
        }
        let name: Vec<u8> = name
            .iter()
            .take_while(|c| **c != 0)
            .map(|c| *c as u8)
            .collect();
        let name = String::from_utf8_lossy(&name).into_owned();
        Ok(format!(
            "{name}, driver for CUDA {}.{}",
            driver / 1000,
            driver % 1000 / 10
        ))
    }

    /// Runs cases of one module.
    fn run(&self, cases: &[Case]) -> Result<Vec<Entry>> {
        let text = CString::new(kernels::module(cases))?;
        let mut log = vec![0u8; 4096];
        let mut options = [
            CUjit_option::CU_JIT_ERROR_LOG_BUFFER,
            CUjit_option::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
        ];
        let mut values = [log.as_mut_ptr().cast::<c_void>(), log.len() as *mut c_void];
        let mut module = null_mut();
        // SAFETY: the text ends with a zero, and the options' values are of the types that they ask for.
        let code = unsafe {
            sys::cuModuleLoadDataEx(
                &mut module,
                text.as_ptr().cast(),
                2,
                options.as_mut_ptr(),
                values.as_mut_ptr(),
            )
        };
        if code != CUresult::CUDA_SUCCESS {
            let log = String::from_utf8_lossy(&log);
            return Err(format!("load: {code:?}: {}", log.trim_end_matches('\0')).into());
        }
        let entries = cases
            .iter()
            .enumerate()
            .map(|(i, case)| self.run_one(module, i, case));
        let entries = entries.collect();
        // SAFETY: no kernel of it runs any more. After a failure there is nothing to unload.
        unsafe { sys::cuModuleUnload(module) };
        entries
    }

    fn run_one(&self, module: sys::CUmodule, index: usize, case: &Case) -> Result<Entry> {
        let operands: Vec<u64> = case.operands().into_iter().flatten().collect();
        let mut results = vec![0u64; case.results.len() * COUNT];
        let name = CString::new(kernels::kernel_name(index))?;
        // SAFETY: the buffers are as long as any case needs, and the kernel takes two pointers.
        unsafe {
            let mut kernel = null_mut();
            check(
                "cuModuleGetFunction",
                sys::cuModuleGetFunction(&mut kernel, module, name.as_ptr()),
            )?;
            if !operands.is_empty() {
                let code =
                    sys::cuMemcpyHtoD_v2(self.input, operands.as_ptr().cast(), operands.len() * 8);
                check("cuMemcpyHtoD", code)?;
            }
            let bytes = kernels::output_bytes(case);
            check("cuMemsetD8", sys::cuMemsetD8_v2(self.output, 0, bytes))?;
            let (mut input, mut output) = (self.input, self.output);
            let mut params = [
                (&raw mut input).cast::<c_void>(),
                (&raw mut output).cast::<c_void>(),
            ];
            let grid = COUNT as u32 / BLOCK;
            let code = sys::cuLaunchKernel(
                kernel,
                grid,
                1,
                1,
                BLOCK,
                1,
                1,
                0,
                null_mut(),
                params.as_mut_ptr(),
                null_mut(),
            );
            check("cuLaunchKernel", code)?;
            check("cuCtxSynchronize", sys::cuCtxSynchronize())?;
            let code =
                sys::cuMemcpyDtoH_v2(results.as_mut_ptr().cast(), self.output, results.len() * 8);
            check("cuMemcpyDtoH", code)?;
        }
        Ok(Entry {
            name: case.name.clone(),
            inputs: file::inputs(case),
            error: String::new(),
            columns: results
                .chunks(COUNT)
                .map(|c| Column::Full(c.to_vec()))
                .collect(),
        })
    }

    /// Runs cases together, and by halves those among which one fails.
    fn run_all(&mut self, cases: &[Case], out: &mut Vec<Entry>) -> Result<()> {
        match self.run(cases) {
            Ok(entries) => out.extend(entries),
            Err(error) => {
                self.restart()?;
                if let [case] = cases {
                    let error = error.to_string().replace('\n', " ");
                    println!("{}: {error}", case.name);
                    out.push(Entry {
                        name: case.name.clone(),
                        inputs: file::inputs(case),
                        error,
                        columns: Vec::new(),
                    });
                } else {
                    let (left, right) = cases.split_at(cases.len() / 2);
                    self.run_all(left, out)?;
                    self.run_all(right, out)?;
                }
            }
        }
        Ok(())
    }
}

fn record(out: &str) -> Result<()> {
    let cases = suite::all();
    let bytes = cases
        .iter()
        .map(|case| kernels::input_bytes(case).max(kernels::output_bytes(case)))
        .max()
        .unwrap_or(0);
    let mut device = Device::open(bytes)?;
    let name = device.name()?;
    println!("{name}: {} cases of {COUNT} operands", cases.len());
    let mut entries = Vec::new();
    for (i, chunk) in cases.chunks(CHUNK).enumerate() {
        device.run_all(chunk, &mut entries)?;
        if i % 16 == 0 {
            println!("{} of {}", entries.len(), cases.len());
        }
    }
    let failed = entries
        .iter()
        .filter(|entry| !entry.error.is_empty())
        .count();
    let bytes = Vectors {
        device: name,
        entries,
    }
    .write();
    std::fs::write(out, &bytes)?;
    println!(
        "{} bytes in {out}; {failed} cases have no results",
        bytes.len()
    );
    Ok(())
}
