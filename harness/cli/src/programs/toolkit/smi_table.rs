//! The table that `nvidia-smi` alone shows.
use nvml_wrapper::{Device, Nvml, enums::device::UsedGpuMemory};

use super::{
    nvidia_smi::process_name,
    smi_fields::{Field, NOT_AVAILABLE},
};

/// The columns within a line's borders.
const WIDTH: usize = 89;
/// The widths of the table's columns, which have borders between them.
const COLUMNS: [usize; 3] = [41, 24, 22];

/// The time in a format of C's `strftime`.
pub fn now(format: &str) -> String {
    let format = std::ffi::CString::new(format).unwrap_or_default();
    let mut text = [0_u8; 64];
    // SAFETY: the buffer's length is passed, the format is zero-terminated, and the structure is filled in first.
    let written = unsafe {
        let mut now: libc::time_t = 0;
        libc::time(&raw mut now);
        let mut parts: libc::tm = std::mem::zeroed();
        libc::localtime_r(&raw const now, &raw mut parts);
        libc::strftime(text.as_mut_ptr().cast(), text.len(), format.as_ptr(), &raw const parts)
    };
    String::from_utf8_lossy(&text[..written]).into_owned()
}

/// The version of CUDA that the driver supports.
pub fn cuda_version(nvml: &Nvml) -> String {
    let version = nvml.sys_cuda_driver_version();
    version.map_or_else(|_| NOT_AVAILABLE.into(), |version| format!("{}.{}", version / 1000, version % 1000 / 10))
}

/// The table of these GPUs and of their processes.
pub fn table(nvml: &Nvml, devices: &[Device<'_>]) -> String {
    let driver = nvml.sys_driver_version().unwrap_or_else(|_| NOT_AVAILABLE.into());
    let mut lines = vec![now("%a %b %e %H:%M:%S %Y"), rule('-', "+", &[WIDTH])];
    let title = format!(
        "NVIDIA-SMI of warplab {:<11} Driver Version: {driver:<18} CUDA Version: {}",
        env!("CARGO_PKG_VERSION"),
        cuda_version(nvml)
    );
    lines.push(row(&[&title]));
    lines.push(format!("|{}|", COLUMNS.map(|width| "-".repeat(width)).join("+")));
    lines.push(row(&["GPU  Name                 Persistence-M", "Bus-Id          Disp.A", "Volatile Uncorr. ECC"]));
    lines.push(row(&["Fan  Temp   Perf          Pwr:Usage/Cap", "          Memory-Usage", "GPU-Util  Compute M."]));
    lines.push(row(&["", "", "              MIG M."]));
    lines.push(format!("|{}|", COLUMNS.map(|width| "=".repeat(width)).join("+")));
    for device in devices {
        lines.extend(of_device(nvml, device));
        lines.push(rule('-', "+", &COLUMNS));
    }
    lines.push(String::new());
    lines.push(rule('-', "+", &[WIDTH]));
    lines.push(row(&["Processes:"]));
    lines.push(row(&[" GPU   GI   CI        PID   Type   Process name                              GPU Memory"]));
    lines.push(row(&["       ID   ID                                                               Usage"]));
    lines.push(format!("|{}|", "=".repeat(WIDTH)));
    let processes: Vec<String> =
        devices.iter().enumerate().flat_map(|(index, device)| processes(index, device)).collect();
    if processes.is_empty() {
        lines.push(row(&[" No running processes found"]));
    }
    lines.extend(processes);
    lines.push(rule('-', "+", &[WIDTH]));
    lines.join("\n")
}

/// The three lines of a GPU.
fn of_device(nvml: &Nvml, device: &Device<'_>) -> [String; 3] {
    let get = |name: &str, has_units| {
        let value = Field::find(name).map(|field| field.value(nvml, device, has_units));
        value.filter(|value| value != NOT_AVAILABLE).unwrap_or_else(|| "N/A".into())
    };
    let short = |name: &str| get(name, true).replace(' ', "");
    let switch = |name: &str| match get(name, false).as_str() {
        "Enabled" => "On".to_owned(),
        "Disabled" => "Off".to_owned(),
        other => other.to_owned(),
    };
    let degrees = match get("temperature.gpu", false).as_str() {
        "N/A" => "N/A".to_owned(),
        value => format!("{value}C"),
    };
    let watts = |name: &str| match get(name, false).parse::<f64>() {
        Ok(watts) => format!("{watts:.0}W"),
        Err(_) => "N/A".into(),
    };
    let power = format!("{} / {}", watts("power.draw"), watts("enforced.power.limit"));
    let name: String = get("name", false).chars().take(27).collect();
    let memory = format!("{} / {}", short("memory.used"), short("memory.total"));
    [
        row(&[
            &format!("{:>3}  {name:<27} {:>6}", get("index", false), switch("persistence_mode")),
            &format!("{:<18}{:>4}", get("pci.bus_id", false), switch("display_active")),
            &format!("{:>20}", get("ecc.errors.uncorrected.volatile.total", false)),
        ]),
        row(&[
            &format!("{:<4} {degrees:<5} {:>5} {power:>22}", short("fan.speed"), get("pstate", false)),
            &format!("{memory:>22}"),
            &format!("{:>8} {:>11}", short("utilization.gpu"), get("compute_mode", false)),
        ]),
        row(&["", "", &format!("{:>20}", get("mig.mode.current", false))]),
    ]
}

fn processes(index: usize, device: &Device<'_>) -> Vec<String> {
    let of_one = |process: &nvml_wrapper::struct_wrappers::device::ProcessInfo| {
        let name: String = process_name(process.pid).chars().rev().take(36).collect::<String>().chars().rev().collect();
        let memory = match process.used_gpu_memory {
            UsedGpuMemory::Used(bytes) => format!("{}MiB", bytes >> 20),
            UsedGpuMemory::Unavailable => "N/A".into(),
        };
        row(&[&format!(" {index:>3}  N/A  N/A {:>10}      C   {name:<38} {memory:>10}", process.pid)])
    };
    device.running_compute_processes().unwrap_or_default().iter().map(of_one).collect()
}

/// A line of the table: the cells, each with a space before it, filled up to its column's width.
fn row(cells: &[&str]) -> String {
    let widths: &[usize] = if cells.len() == 1 { &[WIDTH] } else { &COLUMNS };
    let filled = cells.iter().zip(widths).map(|(cell, width)| format!(" {cell:<rest$}", rest = width - 1));
    format!("|{}|", filled.collect::<Vec<_>>().join("|"))
}

fn rule(line: char, corner: &str, widths: &[usize]) -> String {
    let parts: Vec<String> = widths.iter().map(|width| line.to_string().repeat(*width)).collect();
    format!("{corner}{}{corner}", parts.join(corner))
}
