//! `warplab device`: what the device reports about itself, and what NVML reports about it.
use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command};
use harness::{DeviceChoice, DeviceInfo, Error, Session, Snapshot};
use serde_json::json;

use crate::shared::options;

pub fn command() -> Command {
    Command::new("device")
        .about("Show what the device reports about itself: limits, memory, clocks, link")
        .arg(options::device("auto", "auto (a GPU if there is one), cuda:N, or emulated[:PROFILE]"))
        .arg(Arg::new("json").long("json").action(ArgAction::SetTrue).help("As JSON"))
}

pub fn run(matches: &ArgMatches) -> Result<ExitCode, Error> {
    let choice = matches.get_one::<DeviceChoice>("device").cloned().unwrap_or(DeviceChoice::Auto);
    let session = Session::open(&choice)?;
    let snapshot = session.snapshot();
    if matches.get_flag("json") {
        let text = json!({
            "device": session.device,
            "device_reason": session.reason,
            "nvml": snapshot,
            "nvml_missing": session.no_nvml(),
        });
        harness::print_json(&text);
        return Ok(ExitCode::SUCCESS);
    }
    harness::print(&format!("{}\n", harness::paragraphs(&session.banner())));
    print(&rows(&session.device));
    match snapshot {
        Some(snapshot) => {
            harness::print("\nNow, from NVML:");
            print(&nvml_rows(&snapshot));
        }
        None => harness::print(&format!("\n{}", session.no_nvml().unwrap_or("NVML: nothing reported"))),
    }
    Ok(ExitCode::SUCCESS)
}

type PropertyRow = (&'static str, String);

fn print(rows: &[PropertyRow]) {
    let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    for (name, value) in rows {
        harness::print(&format!("  {name:width$}  {value}"));
    }
}

fn rows(d: &DeviceInfo) -> Vec<PropertyRow> {
    let dims = |[x, y, z]: [u32; 3]| format!("{x} x {y} x {z}");
    let yes = |b: bool| if b { "yes" } else { "no" }.to_string();
    let (major, minor) = d.compute_capability;
    vec![
        ("name", d.name.clone()),
        ("compute capability", format!("{major}.{minor}")),
        ("CUDA version of the driver", format!("{}.{}", d.driver_version / 1000, d.driver_version % 1000 / 10)),
        ("multiprocessors (SMs)", d.multiprocessors.to_string()),
        ("warp size", d.warp_size.to_string()),
        ("threads in a block, at most", d.max_threads_per_block.to_string()),
        ("block dimensions, at most", dims(d.max_block_dim)),
        ("grid dimensions, at most", dims(d.max_grid_dim)),
        ("threads resident on an SM", d.max_threads_per_multiprocessor.to_string()),
        ("blocks resident on an SM", d.max_blocks_per_multiprocessor.to_string()),
        ("registers in a block", d.registers_per_block.to_string()),
        ("registers on an SM", d.registers_per_multiprocessor.to_string()),
        ("global memory", bytes(d.total_bytes)),
        ("constant memory", bytes(u64::from(d.constant_bytes))),
        ("shared memory of a block", bytes(u64::from(d.shared_bytes_per_block))),
        ("shared memory of a block, opted in", bytes(u64::from(d.shared_bytes_per_block_optin))),
        ("shared memory of an SM", bytes(u64::from(d.shared_bytes_per_multiprocessor))),
        ("L2 cache", bytes(d.l2_bytes)),
        ("memory bus", format!("{} bits", d.memory_bus_bits)),
        ("SM clock", megahertz(d.clock_khz)),
        ("memory clock", megahertz(d.memory_clock_khz)),
        ("copy engines", d.copy_engines.to_string()),
        ("unified addressing", yes(d.unified_addressing)),
        ("managed memory", yes(d.managed_memory)),
        ("managed memory used by host and device at once", yes(d.concurrent_managed_access)),
        ("host memory mapped into the device", yes(d.can_map_host_memory)),
        ("cooperative launch", yes(d.cooperative_launch)),
        ("memory pools", yes(d.memory_pools)),
        ("integrated with the host", yes(d.integrated)),
    ]
}

fn nvml_rows(s: &Snapshot) -> Vec<PropertyRow> {
    fn with_unit<T: ToString>(value: Option<T>, unit: &str) -> String {
        value.map_or_else(|| "not reported".into(), |v| format!("{}{unit}", v.to_string()))
    }
    let pair = |now: Option<u32>, max: Option<u32>, unit: &str| {
        format!("{} (at most {})", with_unit(now, unit), with_unit(max, unit))
    };
    let watts = |w: Option<f64>| w.map_or_else(|| "not reported".into(), |w| format!("{w:.1} W"));
    vec![
        ("driver", with_unit(s.driver_version.as_ref(), "")),
        ("SM clock", pair(s.sm_clock_mhz, s.sm_clock_max_mhz, " MHz")),
        ("memory clock", pair(s.memory_clock_mhz, s.memory_clock_max_mhz, " MHz")),
        ("reasons for a lower clock", with_unit(s.throttle_reasons.as_ref(), "")),
        ("power", format!("{} (limit {})", watts(s.power_w), watts(s.power_limit_w))),
        ("temperature", with_unit(s.temperature_c, " C")),
        ("PCIe generation", pair(s.link_generation, s.link_generation_max, "")),
        ("PCIe lanes", pair(s.link_width, s.link_width_max, "")),
        ("PCI address", s.bus_id.clone()),
        ("NUMA node", with_unit(s.numa_node, "")),
        ("ECC", s.ecc.map_or_else(|| "not reported".into(), |on| if on { "on" } else { "off" }.into())),
        ("memory in use", s.memory_used_bytes.map_or_else(|| "not reported".into(), bytes)),
        ("compute processes", with_unit(s.processes, "")),
    ]
}

/// Formats a size in bytes, and rounded in a larger unit if it is large enough.
fn bytes(n: u64) -> String {
    let units = [("GiB", 1_u64 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)];
    match units.into_iter().find(|(_, size)| n >= *size) {
        Some((unit, size)) => format!("{n} bytes ({:.1} {unit})", n as f64 / size as f64),
        None => format!("{n} bytes"),
    }
}

fn megahertz(khz: u32) -> String {
    if khz == 0 { "not reported".into() } else { format!("{} MHz", khz / 1000) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_exact_and_rounded() {
        assert_eq!(bytes(15_828_320_256), "15828320256 bytes (14.7 GiB)");
        assert_eq!(bytes(49_152), "49152 bytes (48.0 KiB)");
        assert_eq!(bytes(12), "12 bytes");
    }
}
