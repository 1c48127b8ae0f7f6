//! A summary of a program's kernels, one line per kernel, printed when it has ended.
use std::fs;

use harness::{
    HotLine, MachineReport, Predicted, ProcessRun, hot_lines, hot_table, predicted_launches, print_error,
    same_value_lines, significant, table,
};
use predict::{GpuModel, Prediction};
use wire::{Launch, counters::Totals};

use super::{names::readable, process::ExecSettings};

/// The launches of one kernel.
struct Kernel<'a> {
    name: &'a str,
    /// The name as the tables show it.
    shown: String,
    launches: Vec<&'a Launch>,
}

impl Kernel<'_> {
    fn total(&self, of: impl Fn(&Totals) -> u64) -> u64 {
        self.launches.iter().map(|launch| of(&launch.counters.totals)).sum()
    }
}

/// Writes the summary to standard error, since standard output is the program's.
pub fn tell(processes: &[ProcessRun], settings: &ExecSettings) {
    let mut parts: Vec<String> = Vec::new();
    if processes.len() > 1 {
        parts.push(format!("Processes of the program that used the device\n{}", table_of(processes)));
    }
    let launches: Vec<Launch> = processes.iter().flat_map(|process| process.report.launches.clone()).collect();
    if let Some(first) = processes.first().filter(|_| !launches.is_empty()) {
        let kernels = kernels(&launches);
        let profile = &first.report.profile;
        let overview = overview(&kernels, processes);
        parts.push(format!("Kernels of the program, on an emulated {profile}\n{overview}"));
        if settings.counters {
            parts.push(format!("Counters\n{}", counters(&kernels)));
        }
    }
    if let Some(part) = settings.part.as_ref().filter(|_| !launches.is_empty()) {
        parts.push(predicted(&kernels(&launches), part));
    }
    let lines = same_value_lines(&launches);
    if !lines.is_empty() {
        parts.push(format!(
            "note: several threads store the same value, without order, at {}. That is allowed; --check strict reports \
             it as a race.",
            lines.join(", ")
        ));
    }
    if settings.hot > 0 && !launches.is_empty() {
        let machine = MachineReport { launches, ..MachineReport::default() };
        let lines: Vec<HotLine> = hot_lines(&machine, |file| fs::read_to_string(file).ok());
        parts.push(hot_table("the program", &lines, settings.hot));
    }
    if !parts.is_empty() {
        print_error(&format!("\n{}", parts.join("\n\n")));
    }
}

/// The processes, one line each, with their findings.
fn table_of(processes: &[ProcessRun]) -> String {
    let row = |process: &ProcessRun| {
        let report = &process.report;
        let launches = report.launches.len() as u64 + report.launches_dropped;
        let first = process.findings.first().map_or("", |told| told.mistake.as_str());
        vec![
            report.process.to_string(),
            report.command.clone(),
            launches.to_string(),
            process.findings.len().to_string(),
            first.to_owned(),
        ]
    };
    let rows: Vec<Vec<String>> = processes.iter().map(row).collect();
    table(&["process", "command", "launches", "findings", "first finding"], &rows)
}

/// The kernels, in the order of their first launches.
fn kernels(launches: &[Launch]) -> Vec<Kernel<'_>> {
    let mut kernels: Vec<Kernel<'_>> = Vec::new();
    for launch in launches {
        match kernels.iter_mut().find(|kernel| kernel.launches[0].kernel == launch.kernel) {
            Some(kernel) => kernel.launches.push(launch),
            None => {
                kernels.push(Kernel { name: &launch.kernel_name, shown: String::new(), launches: vec![launch] });
            }
        }
    }
    let names: Vec<&str> = kernels.iter().map(|kernel| kernel.name).collect();
    for (kernel, shown) in kernels.iter_mut().zip(readable(&names)) {
        kernel.shown = shown;
    }
    kernels
}

/// Formats a shape as `2x3`, without trailing ones.
fn shape(size: [u32; 3]) -> String {
    let used = size.iter().rposition(|n| *n != 1).map_or(1, |last| last + 1);
    size[..used].iter().map(u32::to_string).collect::<Vec<_>>().join("x")
}

/// The value that all launches have in common, or a word that says that they differ.
fn same(kernel: &Kernel<'_>, of: impl Fn(&Launch) -> [u32; 3]) -> String {
    let first = of(kernel.launches[0]);
    if kernel.launches.iter().all(|launch| of(launch) == first) { shape(first) } else { "several".into() }
}

fn overview(kernels: &[Kernel<'_>], processes: &[ProcessRun]) -> String {
    let findings = || processes.iter().flat_map(|process| &process.findings);
    let found = |kernel: &Kernel<'_>| findings().filter(|told| told.kernel_name == kernel.name).count();
    let rows: Vec<Vec<String>> = kernels
        .iter()
        .map(|kernel| {
            vec![
                kernel.shown.clone(),
                kernel.launches.len().to_string(),
                same(kernel, |launch| launch.grid),
                same(kernel, |launch| launch.block),
                kernel.total(|totals| totals.thread_instructions).to_string(),
                found(kernel).to_string(),
            ]
        })
        .collect();
    let table = table(&["kernel", "launches", "grid", "block", "thread instr.", "findings"], &rows);
    // The driver keeps only the last launches of a long run.
    match processes.iter().map(|process| process.report.launches_dropped).sum::<u64>() {
        0 => table,
        dropped => {
            let kept: u64 = kernels.iter().map(|kernel| kernel.launches.len() as u64).sum();
            format!(
                "{table}\nThe table is of the last {kept} of {} launches: earlier ones are not kept.",
                kept + dropped
            )
        }
    }
}

/// The predicted time of each kernel's launches, one after another.
fn predicted(kernels: &[Kernel<'_>], part: &GpuModel) -> String {
    let rows: Vec<Vec<String>> = kernels
        .iter()
        .map(|kernel| {
            let predicted = predicted_launches(part, kernel.launches.iter().copied());
            let all = predicted.as_ref().and_then(|predicted| predicted.in_all.as_ref());
            let time = |of: fn(&Prediction) -> f64| all.map_or_else(String::new, |all| significant(of(all)));
            let times = [time(|all| all.ms), time(|all| all.low_ms), time(|all| all.high_ms)];
            let bound = predicted.as_ref().map(Predicted::bound).unwrap_or_default();
            [kernel.shown.clone(), kernel.launches.len().to_string()].into_iter().chain(times).chain([bound]).collect()
        })
        .collect();
    let title = format!("Predicted for an {}: kernels without copies, and nothing here was measured", part.full_name);
    format!("{title}\n{}", table(&["kernel", "launches", "ms", "from", "to", "bound by"], &rows))
}

fn counters(kernels: &[Kernel<'_>]) -> String {
    // Most programs have neither textures nor surfaces, and need no columns for them.
    let requests = |kernel: &Kernel<'_>| kernel.total(|t| t.texels().map(|traffic| traffic.requests).iter().sum());
    let sectors = |kernel: &Kernel<'_>| kernel.total(|t| t.texels().map(|traffic| traffic.sectors).iter().sum());
    let textures = kernels.iter().any(|kernel| requests(kernel) > 0);
    let rows: Vec<Vec<String>> = kernels
        .iter()
        .map(|kernel| {
            let numbers = [
                kernel.total(|t| t.instructions),
                kernel.total(|t| t.divergent_branches),
                kernel.total(|t| t.barriers),
                kernel.total(|t| t.global_loads.sectors),
                kernel.total(|t| t.global_loads.ideal_sectors),
                kernel.total(|t| t.global_stores.sectors),
                kernel.total(|t| t.global_stores.ideal_sectors),
                kernel.total(|t| t.shared_loads.conflicts + t.shared_stores.conflicts),
                kernel.total(|t| t.global_atomics.requests + t.shared_atomics.requests),
                kernel.total(|t| t.global_atomics.collisions + t.shared_atomics.collisions),
            ];
            let of_textures: &[u64] = if textures { &[requests(kernel), sectors(kernel)] } else { &[] };
            let numbers = numbers.iter().chain(of_textures).map(u64::to_string);
            std::iter::once(kernel.shown.clone()).chain(numbers).collect()
        })
        .collect();
    let mut headers = vec![
        "kernel",
        "instr.",
        "divergent",
        "barriers",
        "sectors loaded",
        "ideal",
        "sectors stored",
        "ideal ",
        "conflicts",
        "atomics",
        "collisions",
    ];
    if textures {
        headers.extend(["texture requests", "their sectors"]);
    }
    table(&headers, &rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use wire::Report;
    use wire::counters::{Counters, TextureTraffic};

    /// A launch of a kernel with this name.
    fn launch(name: &str, counters: Counters) -> Launch {
        Launch::new(name, [1; 3], [32, 1, 1], counters)
    }

    #[test]
    fn textures_have_columns_where_a_kernel_has_textures() {
        let plain = launch("plain", Counters::default());
        let without = counters(&kernels(std::slice::from_ref(&plain)));
        assert!(!without.contains("texture"), "{without}");
        let mut fetches = launch("fetches", Counters::default());
        let totals = &mut fetches.counters.totals;
        totals.textures = TextureTraffic { requests: 1200, sectors: 3400, ..TextureTraffic::default() };
        totals.surface_stores = TextureTraffic { requests: 34, sectors: 56, ..TextureTraffic::default() };
        let with = counters(&kernels(&[plain, fetches]));
        for word in ["texture requests", "their sectors", "1234", "3456"] {
            assert!(with.contains(word), "{word}: {with}");
        }
    }

    /// A name of the length of a Thrust kernel's.
    #[test]
    fn a_kernel_with_a_long_name_is_a_row_like_any_other() {
        let deep = (0..8).fold("int".to_string(), |inner, _| format!("library::detail::policy<{inner},unsigned>"));
        let launches = [launch(&format!("void library::detail::apply<{deep}>({deep})"), Counters::default())];
        let text = overview(&kernels(&launches), &[]);
        assert_eq!(text.matches("kernel ").count(), 1, "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    }

    #[test]
    fn launches_that_the_driver_dropped_are_told() {
        let launches = [launch("k", Counters::default())];
        let of = |launches_dropped| {
            let report = Report { launches: launches.to_vec(), launches_dropped, ..Report::default() };
            overview(&kernels(&launches), &[ProcessRun { report, findings: Vec::new() }])
        };
        assert!(of(3).ends_with("\nThe table is of the last 1 of 4 launches: earlier ones are not kept."), "{}", of(3));
        assert!(!of(0).contains("not kept"));
    }

    #[test]
    fn a_shape_has_no_ones_at_its_end() {
        assert_eq!([[4, 1, 1], [1, 1, 1], [2, 3, 1], [1, 1, 5]].map(shape), ["4", "1", "2x3", "1x1x5"]);
    }
}
