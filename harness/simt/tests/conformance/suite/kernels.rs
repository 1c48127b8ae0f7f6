//! The kernels: each thread reads its operands, executes the case's lines, and writes the results.

use super::{COUNT, Case};
use std::fmt::Write;

/// Bytes of a thread's own memory, in each space.
pub const CELL: usize = 64;

/// Bytes of the operands of a case, at the kernel's first argument.
pub fn input_bytes(case: &Case) -> usize {
    case.sources.len().max(1) * COUNT * 8
}

/// Bytes at the kernel's second argument: 8 for each result of each thread, then each thread's cell.
pub fn output_bytes(case: &Case) -> usize {
    case.results.len() * COUNT * 8 + COUNT * CELL
}

/// The name of a case's kernel in its module.
pub fn kernel_name(index: usize) -> String {
    format!("case_{index}")
}

/// A module with a kernel for every case.
pub fn module(cases: &[Case]) -> String {
    // Warpgroup products exist only in architecture-specific code.
    let target = if cases.iter().any(|case| case.text.contains("wgmma.")) { "sm_90a" } else { "sm_90" };
    // Products of 8-bit numbers need the newest version.
    let version = if cases.iter().any(|case| case.text.contains(".e4m3.") || case.text.contains(".e5m2.")) {
        "8.7"
    } else {
        "8.6"
    };
    let mut out = format!(".version {version}\n.target {target}\n.address_size 64\n");
    for (i, case) in cases.iter().enumerate() {
        kernel(&mut out, &kernel_name(i), case).expect("a string takes it");
    }
    out
}

fn kernel(out: &mut String, name: &str, case: &Case) -> std::fmt::Result {
    let Case { text, .. } = case;
    writeln!(out, "\n// {}", case.name)?;
    writeln!(out, ".visible .entry {name}(.param .u64 in, .param .u64 out)\n{{")?;
    writeln!(out, "  .reg .b64 %in, %out, %cell, %at;")?;
    writeln!(out, "  .reg .b32 %i, %n, %t, %shared, %local;")?;
    let class = |bits: u32| match bits {
        0 => "pred".to_string(),
        bits => format!("b{bits}"),
    };
    for (k, source) in case.sources.iter().enumerate() {
        writeln!(out, "  .reg .{} %s{k};", class(source.bits))?;
    }
    for (k, bits) in case.results.iter().enumerate() {
        writeln!(out, "  .reg .{} %d{k};", class(*bits))?;
    }
    let shared = text.contains("%shared");
    if shared {
        let bytes = super::BLOCK as usize * CELL;
        writeln!(out, "  .shared .align 64 .b8 {name}_shared[{bytes}];")?;
    }
    if text.contains("%local") {
        writeln!(out, "  .local .align 16 .b8 {name}_local[{CELL}];")?;
        writeln!(out, "  .reg .b64 %wide_local;")?;
        writeln!(out, "  mov.u64 %wide_local, {name}_local;")?;
        writeln!(out, "  cvt.u32.u64 %local, %wide_local;")?;
    }
    writeln!(out, "  ld.param.u64 %in, [in];\n  ld.param.u64 %out, [out];")?;
    writeln!(out, "  mov.u32 %i, %ctaid.x;\n  mov.u32 %n, %ntid.x;\n  mov.u32 %t, %tid.x;")?;
    writeln!(out, "  mad.lo.u32 %i, %i, %n, %t;")?;
    writeln!(out, "  mul.wide.u32 %at, %i, {CELL};\n  add.u64 %cell, %out, %at;")?;
    let results = case.results.len() * COUNT * 8;
    writeln!(out, "  add.u64 %cell, %cell, {results};")?;
    writeln!(out, "  mul.wide.u32 %at, %i, 8;")?;
    writeln!(out, "  add.u64 %in, %in, %at;\n  add.u64 %out, %out, %at;")?;
    if shared {
        writeln!(out, "  mov.u32 %shared, {name}_shared;")?;
        writeln!(out, "  mad.lo.u32 %shared, %t, {CELL}, %shared;")?;
    }
    for (k, source) in case.sources.iter().enumerate() {
        let at = k * COUNT * 8;
        match source.bits {
            0 => writeln!(out, "  ld.global.u32 %n, [%in+{at}];\n  setp.ne.u32 %s{k}, %n, 0;")?,
            bits => writeln!(out, "  ld.global.b{bits} %s{k}, [%in+{at}];")?,
        }
    }
    for line in text.lines() {
        writeln!(out, "  {line}")?;
    }
    for (k, bits) in case.results.iter().enumerate() {
        let at = k * COUNT * 8;
        match bits {
            0 => writeln!(out, "  selp.u32 %n, 1, 0, %d{k};\n  st.global.u32 [%out+{at}], %n;")?,
            bits => writeln!(out, "  st.global.b{bits} [%out+{at}], %d{k};")?,
        }
    }
    writeln!(out, "  ret;\n}}")
}
