//! Queries NVML, the driver's management library, about the GPU. Without NVML a run continues: a message says that it
//! is missing, and its fields stay empty.
use nvml_wrapper::{
    Nvml,
    bitmasks::device::ThrottleReasons,
    enum_wrappers::device::{Clock, TemperatureSensor},
    error::NvmlError,
};
use record::Snapshot;

/// NVML, and the bus address of the GPU in use.
#[derive(Debug)]
pub struct Monitor {
    nvml: Nvml,
    bus_id: String,
}

/// Returns the host's NUMA node of the device according to Linux, by its bus address. NVML reports it for few GPUs
/// only. A host that does not know it, such as a virtual machine, reports -1: `None`.
fn node_of(bus_id: &str) -> Option<u32> {
    let file = format!("/sys/bus/pci/devices/{}/numa_node", bus_id.to_lowercase());
    std::fs::read_to_string(file).ok()?.trim().parse().ok()
}

/// Opens NVML, whose library is searched and loaded once. The embedded device's own library is rejected: its values
/// must never be mistaken for a GPU's.
fn load() -> Result<Nvml, String> {
    // Some systems have the library only under its full name.
    let names: &[&str] = if cfg!(windows) { &["nvml.dll"] } else { &["libnvidia-ml.so", "libnvidia-ml.so.1"] };
    // SAFETY: loading the system's NVML.
    let found = names.iter().find_map(|name| Some((name, unsafe { libloading::Library::new(*name) }.ok()?)));
    let (name, library) = found.ok_or_else(|| format!("NVML is not available: there is no {}", names.join(" or ")))?;
    // SAFETY: the symbol is only looked up.
    if unsafe { library.get::<*const ()>(b"simt_nvml_version") }.is_ok() {
        return Err("NVML is not available: the library on the path is the embedded device's".into());
    }
    // The library stays open until the wrapper has opened it too, so that the system does not load a second copy.
    let nvml = Nvml::builder().lib_path(name.as_ref()).init().map_err(|e| format!("NVML is not available: {e}"));
    drop(library);
    nvml
}

impl Monitor {
    /// Opens NVML for the GPU at this bus address (`0000:01:00.0`).
    ///
    /// # Errors
    /// One line with the reason why NVML is not available.
    pub fn open(bus_id: &str) -> Result<Self, String> {
        let nvml = load()?;
        nvml.device_by_pci_bus_id(bus_id).map_err(|e| format!("NVML does not know the GPU at {bus_id}: {e}"))?;
        Ok(Self { nvml, bus_id: bus_id.into() })
    }

    /// Returns the GPU's current state.
    pub fn snapshot(&self) -> Snapshot {
        let Ok(gpu) = self.nvml.device_by_pci_bus_id(self.bus_id.as_str()) else {
            return Snapshot::default();
        };
        let watts = |milliwatts: Result<u32, NvmlError>| milliwatts.ok().map(|mw| f64::from(mw) / 1e3);
        Snapshot {
            driver_version: self.nvml.sys_driver_version().ok(),
            uuid: gpu.uuid().ok(),
            bus_id: self.bus_id.clone(),
            sm_clock_mhz: gpu.clock_info(Clock::SM).ok(),
            sm_clock_max_mhz: gpu.max_clock_info(Clock::SM).ok(),
            memory_clock_mhz: gpu.clock_info(Clock::Memory).ok(),
            memory_clock_max_mhz: gpu.max_clock_info(Clock::Memory).ok(),
            throttle_reasons: gpu.current_throttle_reasons().ok().map(|r| {
                let names: Vec<_> = r.iter_names().map(|(name, _)| name.to_lowercase()).collect();
                if names.is_empty() { "none".into() } else { names.join(" ") }
            }),
            power_w: watts(gpu.power_usage()),
            power_limit_w: watts(gpu.enforced_power_limit()),
            temperature_c: gpu.temperature(TemperatureSensor::Gpu).ok(),
            link_generation: gpu.current_pcie_link_gen().ok(),
            link_generation_max: gpu.max_pcie_link_gen().ok(),
            link_width: gpu.current_pcie_link_width().ok(),
            link_width_max: gpu.max_pcie_link_width().ok(),
            numa_node: gpu.numa_node_id().ok().or_else(|| node_of(&self.bus_id)),
            ecc: gpu.is_ecc_enabled().ok().map(|e| e.currently_enabled),
            memory_used_bytes: gpu.memory_info().ok().map(|m| m.used),
            processes: gpu.running_compute_processes().ok().map(|p| p.len()),
        }
    }

    /// Whether the GPU runs below its clocks because it is too hot or lacks power. (A power cap that the board reaches
    /// under load is its normal state, not throttling.)
    pub fn is_throttled(&self) -> bool {
        let slow = ThrottleReasons::HW_SLOWDOWN
            | ThrottleReasons::SW_THERMAL_SLOWDOWN
            | ThrottleReasons::HW_THERMAL_SLOWDOWN
            | ThrottleReasons::HW_POWER_BRAKE_SLOWDOWN;
        self.nvml
            .device_by_pci_bus_id(self.bus_id.as_str())
            .and_then(|gpu| gpu.current_throttle_reasons())
            .is_ok_and(|reasons| reasons.intersects(slow))
    }
}
