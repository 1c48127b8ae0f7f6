//! The fields of `nvidia-smi --query-gpu`, with their names, units and values.
use std::time::SystemTime;

use nvml_wrapper::{
    Device, Nvml,
    enum_wrappers::device::{Clock, ComputeMode, EccCounter, MemoryError, PerformanceState, TemperatureSensor},
    error::NvmlError,
};

use super::smi_table;

/// The value of what a device does not report.
pub const NOT_AVAILABLE: &str = "[N/A]";

/// A field.
pub struct Field {
    /// Its names; the header shows the first.
    pub names: &'static [&'static str],
    /// Its unit; empty without one.
    unit: &'static str,
    read: fn(&Nvml, &Device<'_>) -> Result<String, NvmlError>,
}

impl Field {
    /// The field of this name.
    pub fn find(name: &str) -> Option<&'static Field> {
        GPU_FIELDS.iter().find(|field| field.names.contains(&name))
    }

    /// Its column's header.
    pub fn header(&self, has_units: bool) -> String {
        let name = self.names[0];
        if has_units && !self.unit.is_empty() { format!("{name} [{}]", self.unit) } else { name.into() }
    }

    /// Its value, with its unit if it has one.
    pub fn value(&self, nvml: &Nvml, device: &Device<'_>, has_units: bool) -> String {
        match (self.read)(nvml, device) {
            Ok(value) if has_units && !self.unit.is_empty() => format!("{value} {}", self.unit),
            Ok(value) => value,
            Err(_) => NOT_AVAILABLE.into(),
        }
    }
}

const fn field(
    names: &'static [&'static str],
    unit: &'static str,
    read: fn(&Nvml, &Device<'_>) -> Result<String, NvmlError>,
) -> Field {
    Field { names, unit, read }
}

fn text(value: Result<impl ToString, NvmlError>) -> Result<String, NvmlError> {
    value.map(|value| value.to_string())
}

fn on(value: Result<bool, NvmlError>) -> Result<String, NvmlError> {
    value.map(|value| if value { "Enabled" } else { "Disabled" }.into())
}

/// Milliwatts as watts.
fn watts(value: Result<u32, NvmlError>) -> Result<String, NvmlError> {
    value.map(|value| format!("{:.2}", f64::from(value) / 1e3))
}

fn mebibytes(value: Result<u64, NvmlError>) -> Result<String, NvmlError> {
    value.map(|value| (value >> 20).to_string())
}

/// The performance state from P0, the fastest, to P15.
fn state(state: PerformanceState) -> String {
    use PerformanceState as P;
    let all = [
        P::Zero,
        P::One,
        P::Two,
        P::Three,
        P::Four,
        P::Five,
        P::Six,
        P::Seven,
        P::Eight,
        P::Nine,
        P::Ten,
        P::Eleven,
        P::Twelve,
        P::Thirteen,
        P::Fourteen,
        P::Fifteen,
    ];
    all.iter().position(|known| *known == state).map_or_else(|| "Unknown".into(), |number| format!("P{number}"))
}

fn mode(mode: ComputeMode) -> &'static str {
    match mode {
        ComputeMode::Default => "Default",
        ComputeMode::ExclusiveThread => "Exclusive_Thread",
        ComputeMode::Prohibited => "Prohibited",
        ComputeMode::ExclusiveProcess => "Exclusive_Process",
    }
}

/// The fields.
pub const GPU_FIELDS: &[Field] = &[
    field(&["timestamp"], "", |_, _| {
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        Ok(format!("{}.{:03}", smi_table::now("%Y/%m/%d %H:%M:%S"), since.subsec_millis()))
    }),
    field(&["driver_version"], "", |nvml, _| nvml.sys_driver_version()),
    field(&["count"], "", |nvml, _| text(nvml.device_count())),
    field(&["index"], "", |_, gpu| text(gpu.index())),
    field(&["name", "gpu_name"], "", |_, gpu| gpu.name()),
    field(&["serial", "gpu_serial"], "", |_, gpu| gpu.serial()),
    field(&["uuid", "gpu_uuid"], "", |_, gpu| gpu.uuid()),
    field(&["pci.bus_id", "gpu_bus_id"], "", |_, gpu| gpu.pci_info().map(|pci| pci.bus_id)),
    field(&["pci.domain"], "", |_, gpu| gpu.pci_info().map(|pci| format!("0x{:04X}", pci.domain))),
    field(&["pci.bus"], "", |_, gpu| gpu.pci_info().map(|pci| format!("0x{:02X}", pci.bus))),
    field(&["pci.device"], "", |_, gpu| gpu.pci_info().map(|pci| format!("0x{:02X}", pci.device))),
    field(&["pci.device_id"], "", |_, gpu| gpu.pci_info().map(|pci| format!("0x{:08X}", pci.pci_device_id))),
    field(&["pcie.link.gen.current"], "", |_, gpu| text(gpu.current_pcie_link_gen())),
    field(&["pcie.link.gen.max"], "", |_, gpu| text(gpu.max_pcie_link_gen())),
    field(&["pcie.link.width.current"], "", |_, gpu| text(gpu.current_pcie_link_width())),
    field(&["pcie.link.width.max"], "", |_, gpu| text(gpu.max_pcie_link_width())),
    field(&["display_active"], "", |_, gpu| on(gpu.is_display_active())),
    field(&["display_mode"], "", |_, gpu| on(gpu.is_display_connected())),
    field(&["persistence_mode"], "", |_, gpu| on(gpu.is_in_persistent_mode())),
    field(&["vbios_version"], "", |_, gpu| gpu.vbios_version()),
    field(&["compute_mode"], "", |_, gpu| text(gpu.compute_mode().map(mode))),
    field(&["compute_cap"], "", |_, gpu| {
        gpu.cuda_compute_capability().map(|capability| format!("{}.{}", capability.major, capability.minor))
    }),
    field(&["fan.speed"], "%", |_, gpu| text(gpu.fan_speed(0))),
    field(&["pstate"], "", |_, gpu| gpu.performance_state().map(state)),
    field(&["clocks_event_reasons.active", "clocks_throttle_reasons.active"], "", |_, gpu| {
        gpu.current_throttle_reasons().map(|reasons| format!("0x{:016X}", reasons.bits()))
    }),
    field(&["memory.total"], "MiB", |_, gpu| mebibytes(gpu.memory_info().map(|memory| memory.total))),
    field(&["memory.reserved"], "MiB", |_, gpu| mebibytes(gpu.memory_info().map(|memory| memory.reserved))),
    field(&["memory.used"], "MiB", |_, gpu| mebibytes(gpu.memory_info().map(|memory| memory.used))),
    field(&["memory.free"], "MiB", |_, gpu| mebibytes(gpu.memory_info().map(|memory| memory.free))),
    field(&["utilization.gpu"], "%", |_, gpu| text(gpu.utilization_rates().map(|rates| rates.gpu))),
    field(&["utilization.memory"], "%", |_, gpu| text(gpu.utilization_rates().map(|rates| rates.memory))),
    field(&["ecc.mode.current"], "", |_, gpu| on(gpu.is_ecc_enabled().map(|ecc| ecc.currently_enabled))),
    field(&["ecc.mode.pending"], "", |_, gpu| on(gpu.is_ecc_enabled().map(|ecc| ecc.pending_enabled))),
    field(&["ecc.errors.uncorrected.volatile.total"], "", |_, gpu| {
        text(gpu.total_ecc_errors(MemoryError::Uncorrected, EccCounter::Volatile))
    }),
    field(&["mig.mode.current"], "", |_, gpu| on(gpu.mig_mode().map(|mig| mig.current != 0))),
    field(&["temperature.gpu"], "", |_, gpu| text(gpu.temperature(TemperatureSensor::Gpu))),
    field(&["power.draw", "power.draw.instant"], "W", |_, gpu| watts(gpu.power_usage())),
    field(&["power.limit"], "W", |_, gpu| watts(gpu.power_management_limit())),
    field(&["enforced.power.limit"], "W", |_, gpu| watts(gpu.enforced_power_limit())),
    field(&["power.default_limit"], "W", |_, gpu| watts(gpu.power_management_limit_default())),
    field(&["power.min_limit"], "W", |_, gpu| {
        watts(gpu.power_management_limit_constraints().map(|limits| limits.min_limit))
    }),
    field(&["power.max_limit"], "W", |_, gpu| {
        watts(gpu.power_management_limit_constraints().map(|limits| limits.max_limit))
    }),
    field(&["clocks.current.graphics", "clocks.gr"], "MHz", |_, gpu| text(gpu.clock_info(Clock::Graphics))),
    field(&["clocks.current.sm", "clocks.sm"], "MHz", |_, gpu| text(gpu.clock_info(Clock::SM))),
    field(&["clocks.current.memory", "clocks.mem"], "MHz", |_, gpu| text(gpu.clock_info(Clock::Memory))),
    field(&["clocks.max.graphics", "clocks.max.gr"], "MHz", |_, gpu| text(gpu.max_clock_info(Clock::Graphics))),
    field(&["clocks.max.sm"], "MHz", |_, gpu| text(gpu.max_clock_info(Clock::SM))),
    field(&["clocks.max.memory", "clocks.max.mem"], "MHz", |_, gpu| text(gpu.max_clock_info(Clock::Memory))),
];

/// A section of `-q`.
pub struct SmiSection {
    /// Its name for `-d`; empty if `-d` cannot choose it.
    pub name: &'static str,
    /// Its title; empty if its lines have no title above them.
    pub title: &'static str,
    /// Each line's label and field.
    pub lines: &'static [(&'static str, &'static str)],
}

const fn section(
    name: &'static str,
    title: &'static str,
    lines: &'static [(&'static str, &'static str)],
) -> SmiSection {
    SmiSection { name, title, lines }
}

/// The sections of `-q`.
pub const SECTIONS: &[SmiSection] = &[
    section(
        "",
        "",
        &[
            ("Product Name", "name"),
            ("Compute Capability", "compute_cap"),
            ("Display Active", "display_active"),
            ("Persistence Mode", "persistence_mode"),
            ("Serial Number", "serial"),
            ("GPU UUID", "uuid"),
            ("VBIOS Version", "vbios_version"),
        ],
    ),
    section(
        "PCI",
        "PCI",
        &[
            ("Bus", "pci.bus"),
            ("Device", "pci.device"),
            ("Domain", "pci.domain"),
            ("Device Id", "pci.device_id"),
            ("Bus Id", "pci.bus_id"),
            ("PCIe Generation Current", "pcie.link.gen.current"),
            ("PCIe Generation Max", "pcie.link.gen.max"),
            ("Link Width Current", "pcie.link.width.current"),
            ("Link Width Max", "pcie.link.width.max"),
        ],
    ),
    section("", "", &[("Fan Speed", "fan.speed"), ("Performance State", "pstate")]),
    section(
        "MEMORY",
        "FB Memory Usage",
        &[("Total", "memory.total"), ("Reserved", "memory.reserved"), ("Used", "memory.used"), ("Free", "memory.free")],
    ),
    section("COMPUTE", "", &[("Compute Mode", "compute_mode")]),
    section("UTILIZATION", "Utilization", &[("Gpu", "utilization.gpu"), ("Memory", "utilization.memory")]),
    section("ECC", "ECC Mode", &[("Current", "ecc.mode.current"), ("Pending", "ecc.mode.pending")]),
    section("TEMPERATURE", "Temperature", &[("GPU Current Temp", "temperature.gpu")]),
    section(
        "POWER",
        "GPU Power Readings",
        &[
            ("Power Draw", "power.draw"),
            ("Current Power Limit", "enforced.power.limit"),
            ("Default Power Limit", "power.default_limit"),
            ("Min Power Limit", "power.min_limit"),
            ("Max Power Limit", "power.max_limit"),
        ],
    ),
    section(
        "CLOCK",
        "Clocks",
        &[("Graphics", "clocks.current.graphics"), ("SM", "clocks.current.sm"), ("Memory", "clocks.current.memory")],
    ),
    section(
        "CLOCK",
        "Max Clocks",
        &[("Graphics", "clocks.max.graphics"), ("SM", "clocks.max.sm"), ("Memory", "clocks.max.memory")],
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_has_only_fields_that_exist() {
        for section in SECTIONS {
            for (label, name) in section.lines {
                assert!(Field::find(name).is_some(), "{label}: {name}");
            }
        }
    }
}
