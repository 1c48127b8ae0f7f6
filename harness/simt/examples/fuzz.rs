//! A campaign of PTX programs, each parsed, lowered and, if that works, run within a budget: `cargo run --release -p
//! simt --example fuzz -- SOURCE FIRST COUNT [STATE]`.
//!
//! SOURCE is `changed`, for compilers' programs with changes in their text, or a family of generated programs that
//! change data of the machine in memory (`tensormaps`, `calls`, ...; see `mutate/targeted.rs`).
//!
//! A program is determined by its source and number, so a campaign can be divided, and a crash can be reproduced: `...
//! fuzz -- --show SOURCE NUMBER` writes the program to standard output, and `--run SOURCE NUMBER` runs only that
//! program. With a file STATE, a campaign that was stopped is resumed; pass the same SOURCE, FIRST and COUNT. The last
//! line shows the figures. Exit status 1 if a program made the machine crash, panic or hang; their numbers are written
//! to standard error.
//!
//! Programs run in a child process, which reports the outcome of each as one character.

#[allow(dead_code)]
#[path = "../tests/mutate/mod.rs"]
mod mutate;

use mutate::launch::{Outcome, load_and_run};
use mutate::targeted::{self, Family};
use mutate::{changed_words, characters};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use std::io::{Read, Write};
use std::ops::Range;
use std::process::{Command, ExitCode, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The number of programs per child process.
const CHUNK: u64 = 2000;
/// The processor time limit of one program: the budget ends it much sooner.
const PATIENCE: Duration = Duration::from_secs(30);
/// The time limit of one program, on a busy computer.
const LONGEST: Duration = Duration::from_secs(1200);

/// The outcomes of the programs.
#[derive(Default)]
struct Figures {
    next: u64,
    completed: u64,
    faulted: u64,
    refused: u64,
    crashes: u64,
}

/// The source of a campaign's programs.
#[derive(Clone, Copy)]
enum Source {
    /// Compilers' programs with changes in their text.
    Changed,
    /// Generated programs.
    Targeted(Family),
}

impl Source {
    fn from_name(name: &str) -> Option<Source> {
        let family = || Family::ALL.into_iter().find(|family| family.name() == name).map(Source::Targeted);
        if name == "changed" { Some(Source::Changed) } else { family() }
    }

    /// Loads the program with this number and, if it loads, runs it.
    fn attempt(self, number: u64) -> Outcome {
        match self {
            Source::Changed => load_and_run(&changed(number)),
            Source::Targeted(family) => targeted::load_and_run(&targeted::program(family, number)),
        }
    }

    /// The text of the program with this number.
    fn text(self, number: u64) -> String {
        match self {
            Source::Changed => changed(number),
            Source::Targeted(family) => targeted::program(family, number).text,
        }
    }
}

/// Returns the changed program with this number. One of four has changed characters, the others changed words.
fn changed(number: u64) -> String {
    let mut seed = [0; 32];
    seed[..8].copy_from_slice(&number.to_le_bytes());
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &seed);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let draw = |strategy: &BoxedStrategy<String>, runner: &mut TestRunner| {
        strategy.new_tree(runner).expect("every text is a text").current()
    };
    thread_local! {
        static KINDS: [BoxedStrategy<String>; 2] = [characters::program().boxed(), changed_words::program().boxed()];
    }
    KINDS.with(|kinds| draw(&kinds[usize::from(!number.is_multiple_of(4))], &mut runner))
}

/// Returns the processor time of this process.
fn processor_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the result is a live value.
    let status = unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut time) };
    assert_eq!(status, 0, "every process has such a clock");
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Tests the programs of a range, and writes a character for each: `c`ompleted, `f`aulted, `r`efused, or `p`anicked.
fn work(source: Source, range: Range<u64>) {
    std::panic::set_hook(Box::new(|_| {}));
    static STEP: AtomicU64 = AtomicU64::new(0);
    std::thread::spawn(|| {
        let (mut step, mut processor, mut start) = (u64::MAX, Duration::ZERO, Instant::now());
        loop {
            let now = STEP.load(Ordering::Relaxed);
            if now != step {
                (step, processor, start) = (now, processor_time(), Instant::now());
            }
            if processor_time().saturating_sub(processor) > PATIENCE || start.elapsed() > LONGEST {
                std::process::abort();
            }
            std::thread::sleep(Duration::from_secs(1));
        }
    });
    let mut out = std::io::stdout().lock();
    for number in range {
        STEP.fetch_add(1, Ordering::Relaxed);
        let end = match std::panic::catch_unwind(|| source.attempt(number)) {
            Ok(Outcome::Completed) => b'c',
            Ok(Outcome::Faulted) => b'f',
            Ok(Outcome::Refused) => b'r',
            Err(_) => b'p',
        };
        if out.write_all(&[end]).and_then(|()| out.flush()).is_err() {
            return;
        }
    }
}

/// Runs a child process for the programs from `figures.next` on, up to `end`, and adds up its reports.
fn chunk(source: &str, figures: &mut Figures, end: u64) -> std::io::Result<()> {
    let end = end.min(figures.next + CHUNK);
    let me = std::env::current_exe()?;
    let mut child = Command::new(me)
        .args(["--work", source].map(str::to_owned))
        .args([figures.next.to_string(), end.to_string()])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let mut told = Vec::new();
    if let Some(mut out) = child.stdout.take() {
        out.read_to_end(&mut told)?;
    }
    let status = child.wait()?;
    for end in told {
        match end {
            b'c' => figures.completed += 1,
            b'f' => figures.faulted += 1,
            b'r' => figures.refused += 1,
            _ => {
                figures.crashes += 1;
                eprintln!("program {} panics", figures.next);
            }
        }
        figures.next += 1;
    }
    if figures.next < end {
        figures.crashes += 1;
        eprintln!("program {} ends the process: {status}", figures.next);
        figures.next += 1;
    }
    Ok(())
}

/// Reads a campaign's state from a file.
fn read_state(path: &str) -> Option<Figures> {
    let text = std::fs::read_to_string(path).ok()?;
    let mut numbers = text.split_whitespace().map(|word| word.parse().ok());
    let mut number = || numbers.next().flatten();
    Some(Figures { next: number()?, completed: number()?, faulted: number()?, refused: number()?, crashes: number()? })
}

fn campaign(source: &str, first: u64, count: u64, state: Option<&str>) -> std::io::Result<bool> {
    let end = first.saturating_add(count);
    let mut figures = state.and_then(read_state).unwrap_or(Figures { next: first, ..Figures::default() });
    while figures.next < end {
        chunk(source, &mut figures, end)?;
        if let Some(path) = state {
            let Figures { next, completed, faulted, refused, crashes } = figures;
            std::fs::write(path, format!("{next} {completed} {faulted} {refused} {crashes}\n"))?;
        }
    }
    let Figures { completed, faulted, refused, crashes, .. } = figures;
    let programs = completed + faulted + refused + crashes;
    println!("{programs} programs: {completed} completed, {faulted} faulted, {refused} refused, {crashes} crashes");
    Ok(crashes == 0)
}

fn usage() -> String {
    let families: Vec<String> = Family::ALL.iter().map(|family| family.name()).collect();
    format!("usage: fuzz SOURCE FIRST COUNT [STATE], where SOURCE is changed or one of {}", families.join(", "))
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |text: &String| text.parse::<u64>().ok();
    let known = |name: &String| Source::from_name(name).ok_or_else(|| std::io::Error::other(usage()));
    let wrong = || std::io::Error::other(usage());
    let result = match arguments.as_slice() {
        [mode, name, from, to] if mode == "--work" => known(name).and_then(|source| {
            let (from, to) = number(from).zip(number(to)).ok_or_else(wrong)?;
            work(source, from..to);
            Ok(true)
        }),
        [mode, name, which] if mode == "--show" => known(name).and_then(|source| {
            println!("{}", source.text(number(which).ok_or_else(wrong)?));
            Ok(true)
        }),
        [mode, name, which] if mode == "--run" => known(name).and_then(|source| {
            println!("{:?}", source.attempt(number(which).ok_or_else(wrong)?));
            Ok(true)
        }),
        [name, first, count, state @ ..] if state.len() < 2 => known(name).and_then(|_| {
            let (first, count) = number(first).zip(number(count)).ok_or_else(wrong)?;
            campaign(name, first, count, state.first().map(String::as_str))
        }),
        _ => Err(wrong()),
    };
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}
