//! Runs a lab's cases under criterion, which chooses the number of samples and compares with the previous run.
use std::{
    cell::Cell,
    process::{Command, ExitCode},
    rc::Rc,
    time::Duration,
};

use criterion::{BenchmarkGroup, Criterion, Throughput, measurement::WallTime};
use harness::{DeviceChoice, Error, Expect, Lab, Labs, Process, Result, Samples, Session, Timed, Variant};

/// The environment variable that names the device; if unset, a GPU if there is one.
const DEVICE: &str = "WARPLAB_BENCH_DEVICE";

/// Times the cases of `lab` by criterion, with criterion's options on the command line. On a GPU, CUDA events time them
/// at the sizes of a run; on the emulated device, they run at the sizes of `--quick`. Cases that are wrong on purpose
/// are left out, and the lab's peers, such as cuBLAS, are timed too. A lab that times nothing itself is timed as a
/// whole, from the start of its `program` to the end.
///
/// The exit code is that of a run: a case with a wrong answer fails.
///
/// # Panics
/// When there is no temporary folder, and when the lab fails as a whole.
pub fn bench(lab: &'static Lab, program: &str) -> ExitCode {
    harness::ended(run(lab, program))
}

fn run(lab: &'static Lab, program: &str) -> Result<ExitCode> {
    let device = std::env::var(DEVICE).unwrap_or_else(|_| "auto".into());
    let choice: DeviceChoice = device.parse().map_err(|error| Error::usage(format!("{DEVICE}: {error}")))?;
    let is_emulated = Session::open(&choice)?.device.is_emulated;
    let out = tempfile::tempdir().expect("a temporary folder");
    let out = out.path().to_str().expect("a temporary folder whose name is UTF-8");
    let mut options = vec!["--device", &device, "--quiet", "--out", out];
    options.extend(is_emulated.then_some("--quick"));

    let is_timed = Rc::new(Cell::new(false));
    let told = is_timed.clone();
    let timer = move |timed: &Timed, samples: &mut Samples<'_>| {
        told.set(true);
        let mut criterion = Criterion::default().configure_from_args();
        let mut group = group(&mut criterion, &format!("{} on {}", lab.name, timed.device));
        // An emulation's rate is meaningless.
        if let Some(bytes) = timed.bytes.filter(|_| !timed.is_emulated) {
            group.throughput(Throughput::Bytes(bytes));
        }
        group.bench_function(&timed.case, |bencher| bencher.iter_custom(&mut *samples));
        group.finish();
    };
    // If every variant is wrong on purpose, none is timed.
    let is_right = |variant: &&Variant| variant.expect == Expect::Right && !variant.own_process;
    let arguments = [lab.name, "--no-exercises"].into_iter().chain(options.iter().copied());
    let matches = harness::command(lab).get_matches_from(arguments);
    let ended = match lab.variants().into_iter().find(is_right) {
        Some(_) => harness::timed_by(timer, || harness::run_labs(Labs::Own(lab), &matches, Process::default(), None)),
        None => ExitCode::SUCCESS,
    };
    let mut criterion = Criterion::default().configure_from_args();
    if !is_timed.get() {
        let mut group = group(&mut criterion, &format!("{} as a whole", lab.name));
        group.bench_function(&device, |bencher| {
            bencher.iter(|| {
                let status = Command::new(program).args(&options).status().expect("the lab's program");
                assert!(status.success(), "{program} {}: {status}", options.join(" "));
            });
        });
        group.finish();
    }
    criterion.final_summary();
    Ok(ended)
}

/// A group of short benches: a lab has dozens of cases, and each sample is checked.
fn group<'c>(criterion: &'c mut Criterion, name: &str) -> BenchmarkGroup<'c, WallTime> {
    let mut group = criterion.benchmark_group(name);
    group.sample_size(10).warm_up_time(Duration::from_millis(100)).measurement_time(Duration::from_millis(500));
    group
}
