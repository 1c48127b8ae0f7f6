//! The facts about a run: the device, its driver and clocks, the revision, the seed, as pairs of a name and its value.
use record::{Run, Session};

use crate::number_format::{list, short, size};

/// Facts, in reading order.
pub type Facts = Vec<(&'static str, String)>;

/// Returns the name of a session's device for people.
pub fn device(session: &Session) -> String {
    match (&session.device.name, session.device.is_emulated) {
        (name, _) if name.is_empty() => "unknown device".into(),
        (name, false) => name.clone(),
        (name, true) if name.contains("emulated") => name.clone(),
        (name, true) => format!("{name} (emulated)"),
    }
}

/// Returns the facts of a session.
pub fn collect(run: &Run, session: &Session) -> Facts {
    let device_ = &session.device;
    let mut facts: Facts = vec![("Device", device(session))];
    let mut add = |word, value: Option<String>| facts.extend(value.filter(|v| !v.is_empty()).map(|v| (word, v)));
    let labs: Vec<String> = session.labs.iter().map(|lab| lab.lab.clone()).collect();
    add("Labs", Some(labs.join(", ")));
    add("Chosen because", Some(session.device_reason.clone()));
    let (major, minor) = device_.compute_capability;
    let parts = format!(
        "compute capability {major}.{minor}, {} multiprocessors, {} of memory, {} of L2",
        device_.multiprocessors,
        size(device_.total_bytes as f64),
        size(device_.l2_bytes as f64)
    );
    add("Parts", (device_.multiprocessors > 0).then_some(parts));
    let version = device_.driver_version;
    let cuda = (version > 0).then(|| format!("CUDA {}.{}", version / 1000, version % 1000 / 10));
    let driver = session.nvml.as_ref().and_then(|nvml| nvml.driver_version.clone());
    add("Driver", (!device_.is_emulated).then(|| [driver, cuda].into_iter().flatten().collect::<Vec<_>>().join(", ")));
    let mhz = |khz: u32| short(f64::from(khz) / 1000.0);
    let rated = format!("up to {} MHz, memory {} MHz", mhz(device_.clock_khz), mhz(device_.memory_clock_khz));
    add("Clocks", (!device_.is_emulated && device_.clock_khz > 0).then_some(rated));
    let state = session.nvml.as_ref().map(state).or_else(|| session.nvml_missing.clone());
    add("When the run ended", state.filter(|_| !device_.is_emulated));
    add(
        "Ceilings, measured",
        session.ceilings.filter(|_| !device_.is_emulated).map(|c| {
            let alone =
                |what, rate: Option<f64>| rate.map_or(String::new(), |r| format!(", {what} alone {} GB/s", short(r)));
            format!(
                "copy on the device {} GB/s{}{}, to the device {} GB/s, to the host {} GB/s, an empty launch {} µs",
                short(c.device_copy_gb_per_s),
                alone("reading", c.device_read_gb_per_s),
                alone("writing", c.device_write_gb_per_s),
                short(c.h2d_gb_per_s),
                short(c.d2h_gb_per_s),
                short(1000.0 * c.empty_launch_ms)
            )
        }),
    );
    add("Program", Some(session.program.clone()));
    add("Git revision", Some(session.git_revision.clone().unwrap_or_else(|| "unknown".into())));
    add("Seed", session.seed.map(|seed| seed.to_string()));
    add("Started", Some(session.started.clone()));
    add("Command", Some(session.argv.join(" ")));
    add("Kernels compiled by", Some(list(&compilers(session))));
    add("Folder", Some(run.folder.display().to_string()));
    facts
}

/// Describes the GPU's state.
fn state(nvml: &record::Snapshot) -> String {
    let parts = [
        nvml.sm_clock_mhz.map(|mhz| format!("{mhz} MHz")),
        nvml.temperature_c.map(|c| format!("{c} °C")),
        nvml.throttle_reasons
            .as_ref()
            .filter(|r| !r.is_empty() && *r != "none")
            .map(|reasons| format!("throttled by {reasons}")),
        nvml.power_limit_w.map(|w| format!("power limit {} W", short(w))),
        nvml.link_generation.zip(nvml.link_width).map(|(generation, width)| format!("PCIe {generation} x{width}")),
        nvml.ecc.map(|on| if on { "ECC on".into() } else { "ECC off".into() }),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// Returns the origins of the kernels' PTX, each once.
fn compilers(session: &Session) -> Vec<String> {
    let mut origins: Vec<String> = session.labs.iter().flat_map(|lab| lab.ptx.values().cloned()).collect();
    origins.sort();
    origins.dedup();
    origins
}
