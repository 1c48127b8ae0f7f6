//! What profilers show of a program's run: calls of the runtime, kernels, and copies, with the times of the emulation.
use std::{ffi::OsString, path::PathBuf};

use harness::{Device, DeviceChoice, Error, ProcessRun, predicted_launches};
use predict::GpuModel;
use wire::{Copied, Copies, Launch, Managed};

use crate::programs::exec::{self, ExecSettings, ProgramResult, RequestedOutput};

/// The durations of what has one name, in nanoseconds.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Durations {
    pub name: String,
    pub count: u64,
    pub total: f64,
    pub least: f64,
    pub most: f64,
    pub median: f64,
    squares: f64,
}

impl Durations {
    /// Those of these single durations.
    fn from_times(name: &str, mut times: Vec<f64>) -> Self {
        times.sort_by(f64::total_cmp);
        let middle = times.len() / 2;
        let is_even = times.len().is_multiple_of(2) && middle > 0;
        let median = if is_even { f64::midpoint(times[middle - 1], times[middle]) } else { times[middle] };
        Self {
            name: name.into(),
            count: times.len() as u64,
            total: times.iter().sum(),
            least: times[0],
            most: times[times.len() - 1],
            median,
            squares: times.iter().map(|time| time * time).sum(),
        }
    }

    /// The mean.
    pub fn mean(&self) -> f64 {
        self.total / self.count.max(1) as f64
    }

    /// The standard deviation of the sample; 0 for a single one.
    pub fn deviation(&self) -> f64 {
        let count = self.count as f64;
        if self.count < 2 {
            0.0
        } else {
            ((self.squares - self.total * self.total / count) / (count - 1.0)).max(0.0).sqrt()
        }
    }

    /// Reads a line of the runtime's: the name, the count, the sum, the least, the most, the median and the sum of the
    /// squares. `None` for calls that the compiler makes for the program's own.
    fn read(line: &str) -> Option<Self> {
        let words: Vec<&str> = line.split(' ').collect();
        let [name, count, numbers @ ..] = words.as_slice() else { return None };
        let [total, least, most, median, squares] = numbers else { return None };
        let name = match *name {
            "__cudaLaunchKernel" => "cudaLaunchKernel",
            name if name.starts_with('_') => return None,
            name => name,
        };
        let number = |text: &str| text.parse::<f64>().ok();
        Some(Self {
            name: name.into(),
            count: count.parse().ok()?,
            total: number(total)?,
            least: number(least)?,
            most: number(most)?,
            median: number(median)?,
            squares: number(squares)?,
        })
    }

    /// Adds those of another process.
    fn add(&mut self, other: &Durations) {
        self.median = if other.count > self.count { other.median } else { self.median };
        self.count += other.count;
        self.total += other.total;
        self.least = self.least.min(other.least);
        self.most = self.most.max(other.most);
        self.squares += other.squares;
    }
}

/// Copies of one kind: their number and size.
#[derive(Debug, PartialEq)]
pub struct CopyTotal {
    pub operation: &'static str,
    pub count: u64,
    pub bytes: u64,
}

/// A profiled run.
pub struct Profile {
    pub part: String,
    pub ended: ProgramResult,
    /// Calls of the runtime; the longest in all first.
    pub calls: Vec<Durations>,
    /// Kernels, by the time of the emulation.
    pub kernels: Vec<Durations>,
    /// Kernels, by the predicted time, for a part whose times can be predicted.
    pub predicted: Vec<Durations>,
    pub copies: Vec<CopyTotal>,
    settings: ExecSettings,
    words: Vec<OsString>,
}

/// Runs a program on the emulated part and collects what profilers show.
///
/// # Errors
/// As `warplab exec`.
pub fn profile(words: &[OsString]) -> Result<Profile, Error> {
    let part = exec::emulated_part()?;
    let model = harness::predicted_part(Some(""), &part).ok().flatten();
    let settings = ExecSettings { part: model, quiet: true, calls: true, ..ExecSettings::default() };
    let ended = exec::watch(words, &part, &settings)?;
    let mut calls: Vec<Durations> = Vec::new();
    for read in ended.calls.lines().filter_map(Durations::read) {
        match calls.iter_mut().find(|known| known.name == read.name) {
            Some(known) => known.add(&read),
            None => calls.push(read),
        }
    }
    let kernels = kernels(&ended.processes, |launch| Some(launch.host_ms * 1e6));
    let predicted = match &settings.part {
        Some(model) => self::kernels(&ended.processes, |launch| predicted_ns(model, launch)),
        None => Vec::new(),
    };
    let copies = copies(&ended.processes);
    longest_first(&mut calls);
    Ok(Profile { part, calls, kernels, predicted, copies, ended, settings, words: words.to_vec() })
}

impl Profile {
    /// The program's own exit code.
    pub fn code(&self) -> u8 {
        self.ended.own.map_or(self.ended.code, |own| own as u8)
    }

    /// What the reader must know of the run, one sentence each.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.ended.processes.is_empty() {
            notes.push("the program has not used the device".into());
        } else if self.calls.is_empty() {
            notes.push(
                "calls are counted of programs that use CUDA's runtime as a shared library, not of the driver's API"
                    .into(),
            );
        }
        let dropped: u64 = self.ended.processes.iter().map(|process| process.report.launches_dropped).sum();
        if dropped > 0 {
            notes.push(format!("the first {dropped} launches are not kept, and are in no table of kernels"));
        }
        let findings: usize = self.ended.processes.iter().map(|process| process.findings.len()).sum();
        if findings > 0 {
            notes.push(format!("{findings} mistakes were found in the program; `compute-sanitizer` shows them"));
        }
        notes
    }

    /// Writes the run as [`keep_run`] does, and returns the exit code.
    ///
    /// # Errors
    /// Those of writing.
    pub fn keep(self, folder: PathBuf) -> Result<u8, Error> {
        let code = self.code();
        keep_run(folder, &self.words, self.part, &self.settings, self.ended)?;
        Ok(code)
    }
}

/// Writes a run on this emulated part to a folder for `warplab report`, and names the folder on standard output.
///
/// # Errors
/// Those of writing.
pub fn keep_run(
    folder: PathBuf,
    words: &[OsString],
    part: String,
    settings: &ExecSettings,
    ended: ProgramResult,
) -> Result<(), Error> {
    let shown = folder.display().to_string();
    let device = Device::Emulated(part.clone());
    let words: Vec<&OsString> = words.iter().collect();
    RequestedOutput::in_folder(folder).write(&words, &device, &DeviceChoice::Emulated(part), settings, ended)?;
    harness::print(&format!("Generated:\n    {shown} (for `warplab report {shown}`)"));
    Ok(())
}

fn longest_first(rows: &mut [Durations]) {
    rows.sort_by(|a, b| b.total.total_cmp(&a.total));
}

/// The launches' durations by kernel.
fn kernels(processes: &[ProcessRun], time: impl Fn(&Launch) -> Option<f64>) -> Vec<Durations> {
    let mut by_name: Vec<(&str, Vec<f64>)> = Vec::new();
    for launch in processes.iter().flat_map(|process| &process.report.launches) {
        let Some(time) = time(launch) else { continue };
        match by_name.iter_mut().find(|(name, _)| *name == launch.kernel_name) {
            Some((_, times)) => times.push(time),
            None => by_name.push((&launch.kernel_name, vec![time])),
        }
    }
    let mut rows: Vec<Durations> =
        by_name.into_iter().map(|(name, times)| Durations::from_times(name, times)).collect();
    longest_first(&mut rows);
    rows
}

fn predicted_ns(model: &GpuModel, launch: &Launch) -> Option<f64> {
    Some(predicted_launches(model, [launch])?.in_all?.ms * 1e6)
}

/// The copies of all processes, by kind; kinds without any are left out.
fn copies(processes: &[ProcessRun]) -> Vec<CopyTotal> {
    let (mut copies, mut managed) = (Copies::default(), Managed::default());
    for process in processes {
        copies.add(&process.report.copies);
        managed.add(&process.report.managed);
    }
    let of = |operation, copied: &Copied| CopyTotal { operation, count: copied.count, bytes: copied.bytes };
    let of_managed = |operation, count, bytes| CopyTotal { operation, count, bytes };
    let all = [
        of("[CUDA memcpy Host-to-Device]", &copies.host_to_device),
        of("[CUDA memcpy Device-to-Host]", &copies.device_to_host),
        of("[CUDA memcpy Device-to-Device]", &copies.device_to_device),
        of("[CUDA memcpy Host-to-Host]", &copies.host_to_host),
        of_managed("[CUDA memset]", copies.fill.count, copies.fill.bytes),
        of_managed("[CUDA Unified Memory memcpy HtoD]", managed.to_device_blocks(), managed.to_device_bytes),
        of_managed("[CUDA Unified Memory memcpy DtoH]", managed.to_host_blocks(), managed.to_host_bytes),
    ];
    let mut used: Vec<CopyTotal> = all.into_iter().filter(|total| total.count > 0).collect();
    used.sort_by_key(|total| std::cmp::Reverse(total.bytes));
    used
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_summed_up() {
        let rows = Durations::from_times("k", vec![3.0, 1.0, 2.0, 6.0]);
        assert_eq!((rows.count, rows.total, rows.mean(), rows.median), (4, 12.0, 3.0, 2.5));
        assert_eq!((rows.least, rows.most), (1.0, 6.0));
        assert!((rows.deviation() - 2.160_246).abs() < 1e-5);
        assert_eq!(Durations::from_times("k", vec![5.0]).deviation(), 0.0);
    }

    #[test]
    fn a_line_of_the_runtime_is_read_and_the_compiler_s_calls_are_left_out() {
        let read = Durations::read("__cudaLaunchKernel 2 30 10 20 10 500").unwrap();
        assert_eq!((read.name.as_str(), read.count, read.total, read.most), ("cudaLaunchKernel", 2, 30.0, 20.0));
        assert_eq!(Durations::read("__cudaPushCallConfiguration 2 30 10 20 10 500"), None);
        assert_eq!(Durations::read("cudaMalloc"), None);
    }
}
