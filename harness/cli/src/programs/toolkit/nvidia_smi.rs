//! `nvidia-smi`: NVML's answers about the GPUs, or about the embedded device where there is no GPU.
use std::{ffi::OsString, path::Path, process::ExitCode, thread::sleep, time::Duration};

use clap::{ArgMatches, Command};
use harness::{Device as Where, DeviceChoice, Error, suggest};
use nvml_wrapper::{Device, Nvml, enums::device::UsedGpuMemory};

use super::{
    command_line::{Parsed, Tool, ToolOption},
    smi_fields::{Field, GPU_FIELDS, NOT_AVAILABLE, SECTIONS},
    smi_table,
};
use crate::{programs::libraries, shared::output_options::to_file};

const TOOL: Tool = Tool {
    name: "nvidia-smi",
    about: "Show the GPUs as nvidia-smi does; without one, the embedded device",
    usage: "nvidia-smi [OPTIONS]",
    options: &[
        ToolOption { names: &["--list-gpus", "-L"], value: "", help: Some("List the GPUs, one a line") },
        ToolOption { names: &["--query", "-q"], value: "", help: Some("Show all properties") },
        ToolOption {
            names: &["--display", "-d"],
            value: "SECTIONS",
            help: Some("With -q, show only these: MEMORY, UTILIZATION, ECC, TEMPERATURE, POWER, CLOCK, COMPUTE, PCI"),
        },
        ToolOption {
            names: &["--query-gpu"],
            value: "FIELDS",
            help: Some("Print these fields of each GPU, separated by commas; --help-query-gpu lists them"),
        },
        ToolOption {
            names: &["--query-compute-apps"],
            value: "FIELDS",
            help: Some("Print these fields of each process that uses a GPU: pid, used_memory, gpu_uuid, gpu_name"),
        },
        ToolOption {
            names: &["--format"],
            value: "csv[,noheader][,nounits]",
            help: Some("The format of the fields, which must be csv"),
        },
        ToolOption { names: &["--id", "-i"], value: "ID", help: Some("Only this GPU: its index, UUID or bus address") },
        ToolOption { names: &["--filename", "-f"], value: "FILE", help: Some("Write to FILE instead") },
        ToolOption { names: &["--loop", "-l"], value: "SECONDS", help: Some("Repeat until it is interrupted") },
        ToolOption { names: &["--loop-ms", "-lms"], value: "MS", help: Some("Repeat, with milliseconds between") },
        ToolOption { names: &["--help-query-gpu"], value: "", help: Some("List the fields of --query-gpu") },
        ToolOption { names: &["--version"], value: "", help: Some("Show the versions") },
    ],
    refused: &[
        "--applications-clocks",
        "--auto-boost-default",
        "--compute-mode",
        "--debug",
        "--dtd",
        "--ecc-config",
        "--gpu-reset",
        "--lock-gpu-clocks",
        "--lock-memory-clocks",
        "--multi-instance-gpu",
        "--persistence-mode",
        "--power-limit",
        "--query-accounted-apps",
        "--query-retired-pages",
        "--query-supported-clocks",
        "--reset-applications-clocks",
        "--reset-ecc-errors",
        "--reset-gpu-clocks",
        "--unit",
        "--xml-format",
        "-ac",
        "-c",
        "-e",
        "-lgc",
        "-mig",
        "-pl",
        "-pm",
        "-r",
        "-rac",
        "-rgc",
        "-u",
        "-x",
    ],
    more: "\
What a device does not report is [N/A]. The embedded device has neither sensors nor current clocks.

Examples:
  nvidia-smi
  nvidia-smi --query-gpu=name,memory.total,compute_cap --format=csv,noheader
",
};

pub fn command() -> Command {
    TOOL.command()
}

pub fn run(matches: &ArgMatches) -> Result<ExitCode, Error> {
    let Some(parsed) = TOOL.parse(matches)? else { return Ok(ExitCode::SUCCESS) };
    if let Some(word) = parsed.program.first() {
        return Err(Error::usage(format!(
            "nvidia-smi {} is not available here; see nvidia-smi --help",
            word.display()
        )));
    }
    if parsed.has("--help-query-gpu") {
        let names: Vec<String> = GPU_FIELDS.iter().map(|field| field.names.join(", ")).collect();
        harness::print(&names.join("\n"));
        return Ok(ExitCode::SUCCESS);
    }
    let smi = Smi::open()?;
    let pause = match parsed.last("--loop-ms") {
        Some(_) => Duration::from_millis(parsed.number("--loop-ms", 0)?),
        None => Duration::from_secs(parsed.number("--loop", 0)?),
    };
    loop {
        let text = smi.text(&parsed)?;
        match parsed.last("--filename") {
            Some(file) => to_file(Path::new(file), &format!("{text}\n"))?,
            None => harness::print_data(&text),
        }
        if pause.is_zero() {
            return Ok(ExitCode::SUCCESS);
        }
        sleep(pause);
    }
}

/// NVML of this computer.
struct Smi {
    nvml: Nvml,
}

impl Smi {
    /// Opens NVIDIA's NVML if there is a GPU, else that of the embedded device.
    ///
    /// # Errors
    /// [`Error::CannotRun`] when it does not open.
    fn open() -> Result<Self, Error> {
        let fail = |error| Error::CannotRun(format!("NVML is not available: {error}"));
        let nvml = match harness::choose(&DeviceChoice::Auto)?.device {
            // Some systems have the library only under its full name.
            Where::Gpu(_) => {
                Nvml::init().or_else(|_| Nvml::builder().lib_path("libnvidia-ml.so.1".as_ref()).init()).map_err(fail)?
            }
            Where::Emulated(profile) => {
                harness::check_profile(&profile)?;
                let library = libraries::load_machine(&profile)?;
                Nvml::builder().lib_path(library.as_os_str()).init().map_err(fail)?
            }
        };
        Ok(Self { nvml })
    }

    /// The GPUs that are asked for.
    fn devices(&self, parsed: &Parsed) -> Result<Vec<Device<'_>>, Error> {
        let fail = |error| Error::CannotRun(format!("NVML does not answer: {error}"));
        let ids = parsed.list("--id");
        if ids.is_empty() {
            let count = self.nvml.device_count().map_err(fail)?;
            return (0..count).map(|index| self.nvml.device_by_index(index).map_err(fail)).collect();
        }
        let find = |id: &&str| {
            let found = match id.parse::<u32>() {
                Ok(index) => self.nvml.device_by_index(index),
                Err(_) if id.starts_with("GPU-") => self.nvml.device_by_uuid(*id),
                Err(_) => self.nvml.device_by_pci_bus_id(*id),
            };
            found.map_err(|_| Error::usage(format!("--id: no devices were found for {id}; nvidia-smi -L lists them")))
        };
        ids.iter().map(find).collect()
    }

    /// What the options ask for.
    fn text(&self, parsed: &Parsed) -> Result<String, Error> {
        let devices = self.devices(parsed)?;
        let queries = ["--query-gpu", "--query-compute-apps"];
        if parsed.has("--version") {
            let driver = self.nvml.sys_driver_version().unwrap_or_else(|_| NOT_AVAILABLE.into());
            let cuda = smi_table::cuda_version(&self.nvml);
            let own = env!("CARGO_PKG_VERSION");
            return Ok(format!(
                "NVIDIA-SMI of warplab  : {own}\nDRIVER version         : {driver}\nCUDA Version           : {cuda}"
            ));
        }
        if parsed.has("--list-gpus") {
            let line = |device: &Device<'_>| {
                let get = |name: &str| {
                    Field::find(name).map_or_else(String::new, |field| field.value(&self.nvml, device, true))
                };
                format!("GPU {}: {} (UUID: {})", get("index"), get("name"), get("uuid"))
            };
            return Ok(devices.iter().map(line).collect::<Vec<_>>().join("\n"));
        }
        if queries.iter().any(|query| parsed.has(query)) {
            return self.fields(parsed, &devices);
        }
        if parsed.has("--query") {
            return self.all(parsed, &devices);
        }
        if parsed.has("--display") {
            return Err(Error::usage("--display chooses sections of -q; give both"));
        }
        Ok(smi_table::table(&self.nvml, &devices))
    }

    /// The fields of `--query-gpu` or `--query-compute-apps` as CSV.
    fn fields(&self, parsed: &Parsed, devices: &[Device<'_>]) -> Result<String, Error> {
        let format = parsed.list("--format");
        if let Some(wrong) = format.iter().find(|word| !["csv", "noheader", "nounits"].contains(word)) {
            return Err(Error::usage(format!(
                "--format is `{wrong}`; {}",
                suggest::among(wrong, &["csv", "noheader", "nounits"])
            )));
        }
        if !format.contains(&"csv") {
            return Err(Error::usage("a query needs its format: --format=csv, or csv,noheader,nounits"));
        }
        let (has_units, mut lines) = (!format.contains(&"nounits"), Vec::new());
        if parsed.has("--query-compute-apps") {
            let names = parsed.list("--query-compute-apps");
            check_names(&names, APPS)?;
            let unit =
                |name: &&str| if is_memory(name) && has_units { format!("{name} [MiB]") } else { (*name).to_string() };
            if !format.contains(&"noheader") {
                lines.push(names.iter().map(unit).collect::<Vec<_>>().join(", "));
            }
            for device in devices {
                for process in device.running_compute_processes().unwrap_or_default() {
                    let value = |name: &&str| match *name {
                        "pid" => process.pid.to_string(),
                        "gpu_uuid" => device.uuid().unwrap_or_default(),
                        "gpu_name" => device.name().unwrap_or_default(),
                        "process_name" | "name" => process_name(process.pid),
                        _ => match process.used_gpu_memory {
                            UsedGpuMemory::Used(bytes) if has_units => format!("{} MiB", bytes >> 20),
                            UsedGpuMemory::Used(bytes) => (bytes >> 20).to_string(),
                            UsedGpuMemory::Unavailable => NOT_AVAILABLE.into(),
                        },
                    };
                    lines.push(names.iter().map(value).collect::<Vec<_>>().join(", "));
                }
            }
            return Ok(lines.join("\n"));
        }
        let names = parsed.list("--query-gpu");
        let known: Vec<&str> = GPU_FIELDS.iter().flat_map(|field| field.names).copied().collect();
        check_names(&names, &known)?;
        let fields: Vec<&Field> = names.iter().filter_map(|name| Field::find(name)).collect();
        if !format.contains(&"noheader") {
            lines.push(fields.iter().map(|field| field.header(has_units)).collect::<Vec<_>>().join(", "));
        }
        for device in devices {
            let values = fields.iter().map(|field| field.value(&self.nvml, device, has_units));
            lines.push(values.collect::<Vec<_>>().join(", "));
        }
        Ok(lines.join("\n"))
    }

    /// The properties by section, as `-q` shows them.
    fn all(&self, parsed: &Parsed, devices: &[Device<'_>]) -> Result<String, Error> {
        let wanted: Vec<String> = parsed.list("--display").iter().map(|name| name.to_uppercase()).collect();
        let known: Vec<&str> = SECTIONS.iter().map(|section| section.name).filter(|name| !name.is_empty()).collect();
        for name in &wanted {
            if !known.contains(&name.as_str()) {
                return Err(Error::usage(format!("--display has no section {name}; {}", suggest::among(name, &known))));
            }
        }
        let get = |name: &str, device: Option<&Device<'_>>| {
            device.and_then(|device| Some(Field::find(name)?.value(&self.nvml, device, true))).unwrap_or_default()
        };
        let line = |indent: usize, label: &str, value: &str| {
            format!("{:indent$}{label:<width$}: {value}", "", width = 42 - indent)
        };
        let mut lines = vec!["\n==============NVSMI LOG==============\n".to_owned()];
        lines.push(line(0, "Timestamp", &smi_table::now("%a %b %e %H:%M:%S %Y")));
        lines.push(line(0, "Driver Version", &get("driver_version", devices.first())));
        lines.push(line(0, "CUDA Version", &smi_table::cuda_version(&self.nvml)));
        lines.push(String::new());
        lines.push(line(0, "Attached GPUs", &devices.len().to_string()));
        for device in devices {
            lines.push(format!("GPU {}", get("pci.bus_id", Some(device))));
            for section in SECTIONS {
                if !wanted.is_empty() && !wanted.iter().any(|name| name == section.name) {
                    continue;
                }
                let indent = if section.title.is_empty() { 4 } else { 8 };
                if !section.title.is_empty() {
                    lines.push(format!("    {}", section.title));
                }
                lines.extend(section.lines.iter().map(|(label, name)| line(indent, label, &get(name, Some(device)))));
            }
        }
        Ok(lines.join("\n"))
    }
}

/// The fields of `--query-compute-apps`.
const APPS: &[&str] = &["pid", "process_name", "name", "used_memory", "used_gpu_memory", "gpu_uuid", "gpu_name"];

fn is_memory(name: &str) -> bool {
    name.starts_with("used")
}

/// # Errors
/// [`Error::Usage`] for a field that does not exist, in NVIDIA's words.
fn check_names(names: &[&str], known: &[&str]) -> Result<(), Error> {
    match names.iter().find(|name| !known.contains(name)) {
        Some(wrong) => Err(Error::usage(format!(
            "Field \"{wrong}\" is not a valid field to query; {}",
            suggest::among(wrong, known)
        ))),
        None => Ok(()),
    }
}

/// The path of a process's program, as far as the system says.
pub fn process_name(pid: u32) -> String {
    std::fs::read_link(format!("/proc/{pid}/exe"))
        .map_or_else(|_| NOT_AVAILABLE.into(), |path| OsString::from(path).to_string_lossy().into_owned())
}
