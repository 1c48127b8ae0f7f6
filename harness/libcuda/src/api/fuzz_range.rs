//! The fuzzers over a range of seeds, for millions of inputs:
//!
//! ```sh
//! WARPLAB_FUZZ=0..10000000 WARPLAB_FUZZ_STATE=fuzz.state \
//!     cargo test --release -p simt-libcuda --lib -- --ignored --nocapture fuzz_range::a_range_of_seeds
//! ```
//!
//! Each seed is a sequence of calls, or, for `fuzz_images::a_range_of_seeds`, an image of a module. Pieces of the range
//! run in separate processes, so that objects left by the sequences are freed with the process, and a crash or hang
//! does not end the range: the seed is printed, the range continues after it, and the test fails at the end.
//! `WARPLAB_FUZZ_STATE` names a file that holds the next seed; if it exists, the range continues from there. A range of
//! one seed repeats an input.

use super::fuzz::{Call, calls, run};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use std::fs::{File, read_to_string, write};
use std::io::{Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The seeds to run, as `FROM..TO`.
const RANGE: &str = "WARPLAB_FUZZ";
/// A file for the next seed.
const STATE: &str = "WARPLAB_FUZZ_STATE";
/// For a piece only: the file in which it stores the seed that it runs.
const SEED: &str = "WARPLAB_FUZZ_SEED";
/// A piece that takes longer than this hangs.
const LIMIT: Duration = Duration::from_secs(120);

fn range() -> Range<u64> {
    let text = std::env::var(RANGE).unwrap_or_else(|_| "0..10000".into());
    let bounds = text.split_once("..").and_then(|(from, to)| Some(from.parse().ok()?..to.parse().ok()?));
    bounds.unwrap_or_else(|| panic!("{RANGE}={text}: a range is FROM..TO, two whole numbers"))
}

/// Returns the sequence for a seed.
fn sequence(seed: u64) -> Vec<Call> {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let mut runner = TestRunner::new_with_rng(Config::default(), TestRng::from_seed(RngAlgorithm::ChaCha, &bytes));
    calls().new_tree(&mut runner).expect("nothing is filtered out").current()
}

/// Runs the seeds of a piece in a separate process, by a test that is otherwise ignored. Returns the seed that crashed
/// or hung, if any.
fn piece(test: &str, seeds: &Range<u64>, note: &Path) -> Option<u64> {
    let mut process = Command::new(std::env::current_exe().expect("a test has a file"));
    process.args(["--ignored", "--exact", test]).stdout(Stdio::null()).stderr(Stdio::null());
    process.env(RANGE, format!("{}..{}", seeds.start, seeds.end)).env(SEED, note).env("WARPLAB_QUIET", "1");
    let mut child = process.spawn().expect("this file can be run");
    let start = Instant::now();
    let ended = loop {
        if let Some(status) = child.try_wait().expect("it was started") {
            break status.success();
        }
        if start.elapsed() > LIMIT {
            child.kill().expect("it was started");
            child.wait().expect("it was started");
            break false;
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    let mut bytes = [0; 8];
    let read = File::open(note).and_then(|mut file| file.read_exact(&mut bytes));
    (!ended).then(|| read.map_or(seeds.start, |()| u64::from_le_bytes(bytes)))
}

/// Runs the range in pieces of `size` seeds, each by this test, which calls [`run_piece`].
pub fn run_range(test: &str, size: u64) {
    let mut seeds = range();
    let state = std::env::var_os(STATE).filter(|file| !file.is_empty());
    if let Some(next) = state.as_ref().and_then(|file| read_to_string(file).ok()) {
        seeds.start = next.trim().parse().unwrap_or_else(|_| panic!("{STATE}: `{next}` is not a seed"));
    }
    let note = std::env::temp_dir().join(format!("fuzz-{}", std::process::id()));
    let mut failed = Vec::new();
    while seeds.start < seeds.end {
        let part = seeds.start..seeds.end.min(seeds.start + size);
        seeds.start = match piece(test, &part, &note) {
            Some(seed) => {
                println!("seed {seed} fails: {RANGE}={seed}..{} repeats it", seed + 1);
                failed.push(seed);
                seed + 1
            }
            None => part.end,
        };
        println!("{} to go", seeds.end - seeds.start);
        if let Some(file) = &state {
            write(file, seeds.start.to_string()).expect("the state can be written");
        }
    }
    let _ = std::fs::remove_file(note);
    assert_eq!(failed, [0; 0], "these seeds fail");
}

/// Runs the seeds of a piece, and notes each one.
pub fn run_piece(mut run: impl FnMut(u64)) {
    let mut note = std::env::var_os(SEED).map(|file| File::create(file).expect("the note can be written"));
    for seed in range() {
        if let Some(note) = &mut note {
            let written = note.seek(SeekFrom::Start(0)).and_then(|_| note.write_all(&seed.to_le_bytes()));
            written.expect("the note can be written");
        }
        run(seed);
    }
}

#[test]
#[ignore = "runs for as long as requested: see the module's documentation"]
fn a_range_of_seeds() {
    run_range("api::fuzz_range::one_piece", 500);
}

#[test]
#[ignore = "a piece of the range above"]
fn one_piece() {
    run_piece(|seed| run(&sequence(seed)).unwrap_or_else(|error| panic!("seed {seed}: {error}")));
}

#[test]
fn a_seed_is_always_the_same_sequence() {
    assert_eq!(sequence(7), sequence(7));
    assert_ne!(sequence(7), sequence(8));
}
