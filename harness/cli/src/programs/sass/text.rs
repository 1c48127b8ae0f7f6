//! A listing as text: each line of the source, and under it its PTX next to its machine code.
use std::fmt::Write;

use assembler::{KernelListing, KernelResources, Listing, SassInstruction, SourceLine};

/// The narrowest and the widest column of PTX; longer lines are cut.
const PTX: (usize, usize) = (24, 56);

/// Formats the kernels.
pub fn listing(listing: &Listing) -> String {
    let Listing { architecture, ptxas, nvdisasm, .. } = listing;
    let mut text = format!("For {architecture}, by ptxas {ptxas} and nvdisasm {nvdisasm}\n");
    for remark in &listing.remarks {
        let _ = writeln!(text, "ptxas: {remark}");
    }
    for kernel in &listing.kernels {
        write_kernel(&mut text, kernel);
    }
    text.trim_end().to_string()
}

fn write_kernel(text: &mut String, kernel: &KernelListing) {
    let _ = writeln!(text, "\n{}: {}", kernel.name, takes(&kernel.resources));
    let _ = writeln!(text, "{} instructions, at most {} registers hold a value", kernel.instructions, kernel.most_live);
    let ptx = kernel.lines.iter().flat_map(|line| &line.ptx).map(|ptx| ptx.text.chars().count()).max();
    let column = ptx.unwrap_or(0).clamp(PTX.0, PTX.1);
    let _ = writeln!(text, "\n  {:column$}  live  addr  SASS", "PTX");
    for line in &kernel.lines {
        write_line(text, line, column);
    }
    for routine in &kernel.routines {
        let _ = writeln!(text, "\n{}, which ptxas has added", routine.name);
        write_sass(text, "", &routine.sass, column);
    }
}

/// Formats what a kernel takes of a multiprocessor.
fn takes(resources: &KernelResources) -> String {
    let KernelResources { registers, stack_bytes, spill_store_bytes, spill_load_bytes, shared_bytes, barriers, .. } =
        resources;
    let spills = match (spill_store_bytes, spill_load_bytes) {
        (0, 0) => "no spills".into(),
        (stores, loads) => format!("spills of {stores} bytes stored and {loads} bytes loaded"),
    };
    let barriers = format!("{barriers} barrier{}", if *barriers == 1 { "" } else { "s" });
    format!(
        "{registers} registers, {spills}, {stack_bytes} bytes of stack, {shared_bytes} bytes of static shared memory, {barriers}"
    )
}

fn write_line(text: &mut String, line: &SourceLine, column: usize) {
    let file = line.file.as_deref().map(|file| file.rsplit('/').next().unwrap_or_default());
    let _ = match (file, line.line, &line.source) {
        (None, ..) => writeln!(text),
        (Some(file), 0, _) => writeln!(text, "\n{file}, code of no line"),
        (Some(file), number, None) => writeln!(text, "\n{file}:{number}"),
        (Some(file), number, Some(source)) => writeln!(text, "\n{file}:{number}  {source}"),
    };
    for ptx in &line.ptx {
        write_sass(text, &ptx.text, &ptx.sass, column);
    }
}

/// Writes a line of PTX next to its machine code; the rest of the machine code follows without PTX.
fn write_sass(text: &mut String, ptx: &str, sass: &[SassInstruction], column: usize) {
    let mut ptx = shortened(ptx, column);
    if sass.is_empty() {
        let _ = writeln!(text, "  {ptx}");
    }
    for instruction in sass {
        for label in &instruction.labels {
            let _ = writeln!(text, "  {ptx:column$}              {label}:");
            ptx.clear();
        }
        let SassInstruction { address, text: sass, live, .. } = instruction;
        let _ = writeln!(text, "  {ptx:column$}  {:4}  {address:04x}  {sass}", live.general);
        ptx.clear();
    }
}

/// Cuts a line of PTX to the width of its column. The text in it is blank-separated, whatever the compiler wrote.
fn shortened(ptx: &str, column: usize) -> String {
    let words = ptx.split_whitespace().collect::<Vec<_>>().join(" ");
    if words.chars().count() <= column {
        return words;
    }
    let start: String = words.chars().take(column - 3).collect();
    format!("{start}...")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_kernel_takes_is_a_sentence() {
        let resources = KernelResources {
            symbol: "k".into(),
            registers: 24,
            stack_bytes: 168,
            spill_store_bytes: 164,
            spill_load_bytes: 160,
            shared_bytes: 512,
            barriers: 1,
        };
        assert_eq!(
            takes(&resources),
            "24 registers, spills of 164 bytes stored and 160 bytes loaded, 168 bytes of stack, 512 bytes of static shared \
             memory, 1 barrier"
        );
        let none = KernelResources { spill_store_bytes: 0, spill_load_bytes: 0, barriers: 2, ..resources };
        assert!(takes(&none).contains("24 registers, no spills,") && takes(&none).ends_with("2 barriers"));
    }

    #[test]
    fn long_ptx_is_cut() {
        assert_eq!(shortened("ld.param.u64 \t%rd1, [k_param_0];", 40), "ld.param.u64 %rd1, [k_param_0];");
        assert_eq!(shortened("ld.param.u64 \t%rd1, [k_param_0];", 24), "ld.param.u64 %rd1, [k...");
    }
}
