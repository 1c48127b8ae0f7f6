//! What a kernel takes of a multiprocessor, as `ptxas -v` reports it.
use serde::{Deserialize, Serialize};

/// The resources of one kernel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelResources {
    /// The kernel's symbol.
    pub symbol: String,
    /// Registers of a thread.
    pub registers: u32,
    /// Bytes of a thread's stack, with those of the functions that the kernel calls.
    pub stack_bytes: u32,
    /// Bytes of registers that a thread stores in local memory, because there are too few registers.
    pub spill_store_bytes: u32,
    /// Bytes of registers that a thread loads from there.
    pub spill_load_bytes: u32,
    /// Bytes of static shared memory of a block.
    pub shared_bytes: u32,
    /// Named barriers of a block.
    pub barriers: u32,
}

/// What the assembler has reported about a module.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Log {
    /// The kernels, in the order of their names.
    pub(crate) kernels: Vec<KernelResources>,
    /// Warnings and remarks, one line each.
    pub(crate) remarks: Vec<String>,
}

const INFO: &str = "ptxas info    : ";

/// Parses what `ptxas -v` prints for a module that it accepts.
///
/// # Errors
/// The line that does not have the expected form.
pub(crate) fn parse(text: &str) -> Result<Log, String> {
    let (mut kernels, mut remarks) = (Vec::new(), Vec::new());
    // The kernel whose lines follow, and the function of the next line.
    let (mut kernel, mut function) = (None, None);
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let unexpected = || line.to_string();
        if line.starts_with("    ") {
            // The properties of a function that the kernel calls are not the kernel's own.
            let (name, kernel) = (function.take().ok_or_else(unexpected)?, kernel.as_mut());
            let frame = frame(line).ok_or_else(unexpected)?;
            if let Some(kernel) = kernel.filter(|kernel: &&mut KernelResources| kernel.symbol == name) {
                [kernel.stack_bytes, kernel.spill_store_bytes, kernel.spill_load_bytes] = frame;
            }
            continue;
        }
        let Some(info) = line.strip_prefix(INFO) else {
            remarks.push(line.trim_start_matches("ptxas ").to_string());
            continue;
        };
        if let Some(rest) = info.strip_prefix("Compiling entry function '") {
            let (symbol, _) = rest.split_once("' for 'sm_").ok_or_else(unexpected)?;
            kernel = Some(KernelResources::none(symbol));
        } else if let Some(symbol) = info.strip_prefix("Function properties for ") {
            function = Some(symbol.to_string());
        } else if info.starts_with("Used ") {
            let mut done = kernel.take().ok_or_else(unexpected)?;
            used(info, &mut done).ok_or_else(unexpected)?;
            kernels.push(done);
        } else if !info.starts_with("Compile time = ") && !info.contains(" bytes gmem") {
            remarks.push(info.to_string());
        }
    }
    match kernel {
        Some(unfinished) => Err(unfinished.symbol),
        None => {
            kernels.sort_by(|a, b| a.symbol.cmp(&b.symbol));
            Ok(Log { kernels, remarks })
        }
    }
}

impl KernelResources {
    fn none(symbol: &str) -> Self {
        Self {
            symbol: symbol.into(),
            registers: 0,
            stack_bytes: 0,
            spill_store_bytes: 0,
            spill_load_bytes: 0,
            shared_bytes: 0,
            barriers: 0,
        }
    }
}

/// Parses `8 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads`.
fn frame(line: &str) -> Option<[u32; 3]> {
    let mut parts = line.trim().split(", ");
    let mut next = |unit: &str| parts.next()?.strip_suffix(unit)?.parse().ok();
    let frame = [next(" bytes stack frame")?, next(" bytes spill stores")?, next(" bytes spill loads")?];
    parts.next().is_none().then_some(frame)
}

/// Parses `Used 32 registers, used 1 barriers, 16 bytes cumulative stack size, 4096 bytes smem, 380 bytes cmem[0]`.
fn used(info: &str, kernel: &mut KernelResources) -> Option<()> {
    for part in info.strip_prefix("Used ")?.split(", ") {
        let part = part.strip_prefix("used ").unwrap_or(part);
        let (number, unit) = part.split_once(' ')?;
        let number: u32 = number.parse().ok()?;
        match unit {
            "registers" => kernel.registers = number,
            "barriers" => kernel.barriers = number,
            "bytes smem" => kernel.shared_bytes = number,
            // This includes the kernel's own frame.
            "bytes cumulative stack size" => kernel.stack_bytes = kernel.stack_bytes.max(number),
            "textures" | "samplers" | "surfaces" => {}
            _ if unit.starts_with("bytes cmem[") || unit.starts_with("bytes lmem") => {}
            _ => return None,
        }
    }
    (kernel.registers > 0).then_some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What ptxas 13.0.88 has printed.
    const LOG: &str = include_str!("../tests/data/ptxas.log");

    #[test]
    fn every_number_of_the_log_has_its_field() {
        let log = parse(LOG).unwrap();
        let symbols: Vec<&str> = log.kernels.iter().map(|kernel| kernel.symbol.as_str()).collect();
        assert_eq!(symbols, ["_Z4tilePfPKf", "calls", "few"]);
        let [tile, calls, few] = log.kernels.try_into().unwrap();
        let none = KernelResources::none("_Z4tilePfPKf");
        assert_eq!(tile, KernelResources { registers: 16, shared_bytes: 512, barriers: 1, ..none });
        let none = KernelResources::none("calls");
        assert_eq!(calls, KernelResources { registers: 8, stack_bytes: 32, ..none });
        let spilled = KernelResources { spill_store_bytes: 164, spill_load_bytes: 164, ..KernelResources::none("few") };
        assert_eq!(few, KernelResources { registers: 24, stack_bytes: 168, ..spilled });
        assert_eq!(log.remarks.len(), 1, "{:?}", log.remarks);
        assert!(log.remarks[0].starts_with("warning : For entry few adjusting"), "{:?}", log.remarks);
    }

    #[test]
    fn another_form_is_an_error_that_names_the_line() {
        let used = "ptxas info    : Compiling entry function 'k' for 'sm_90'\nptxas info    : Used ";
        assert_eq!(parse(&format!("{used}8 registers, 3 widgets")), Err(format!("{INFO}Used 8 registers, 3 widgets")));
        assert_eq!(parse(&format!("{used}many registers")), Err(format!("{INFO}Used many registers")));
        // A kernel without its last line, and a last line without its kernel.
        assert_eq!(parse("ptxas info    : Compiling entry function 'k' for 'sm_90'\n"), Err("k".into()));
        assert!(parse("ptxas info    : Used 8 registers").is_err());
        assert!(parse("    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads").is_err());
        let frame = format!("{INFO}Function properties for k\n    0 bytes stack frame, 0 bytes spill stores");
        assert!(parse(&frame).is_err());
    }
}
