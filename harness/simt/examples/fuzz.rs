//! A campaign of changed programs, each parsed, lowered and, if that works, run within a budget:
//! `cargo run --release -p simt --example fuzz -- FIRST COUNT [STATE]`.
//!
//! A program follows from its number alone, so a campaign can be divided, and what it found can be found again: `...
//! fuzz -- --show NUMBER` writes the program to the standard output. With a file STATE, a campaign that was stopped
//! goes on where it was; give it the same FIRST and COUNT. At the end one line has the figures. Exit code 1 if a
//! program made the machine crash, panic or hang; their numbers are written to the standard error.
//!
//! Programs run in a process of their own, which tells of each how it ended by one character.

#[allow(dead_code)]
#[path = "../tests/mutate/mod.rs"]
mod mutate;

use mutate::{characters, launch::load_and_run, words};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use std::io::{Read, Write};
use std::ops::Range;
use std::process::{Command, ExitCode, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Programs of one process.
const CHUNK: u64 = 2000;
/// Processor time that one program may take: the budget ends it much sooner.
const PATIENCE: Duration = Duration::from_secs(30);
/// The time that one program may take, on a computer that has much else to do.
const LONGEST: Duration = Duration::from_secs(1200);

/// What became of the programs.
#[derive(Default)]
struct Figures {
    next: u64,
    accepted: u64,
    refused: u64,
    crashes: u64,
}

/// The program with this number. One of four has changes of characters, the others of words.
fn program(number: u64) -> String {
    let mut seed = [0; 32];
    seed[..8].copy_from_slice(&number.to_le_bytes());
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &seed);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let draw = |strategy: &BoxedStrategy<String>, runner: &mut TestRunner| {
        strategy.new_tree(runner).expect("every text is a text").current()
    };
    thread_local! {
        static KINDS: [BoxedStrategy<String>; 2] = [characters::program().boxed(), words::program().boxed()];
    }
    KINDS.with(|kinds| draw(&kinds[usize::from(!number.is_multiple_of(4))], &mut runner))
}

/// What this process has had of the processors.
fn processor_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the result is a live value.
    let status = unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut time) };
    assert_eq!(status, 0, "every process has such a clock");
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Tries the programs of a range, and writes a character for each: `a`ccepted, `r`efused, or `p`anicked.
fn work(range: Range<u64>) {
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
        let text = program(number);
        let end = match std::panic::catch_unwind(|| load_and_run(&text)) {
            Ok(true) => b'a',
            Ok(false) => b'r',
            Err(_) => b'p',
        };
        if out.write_all(&[end]).and_then(|()| out.flush()).is_err() {
            return;
        }
    }
}

/// Has a process try the programs from `figures.next` on, `end` at most, and adds up what it tells.
fn chunk(figures: &mut Figures, end: u64) -> std::io::Result<()> {
    let end = end.min(figures.next + CHUNK);
    let me = std::env::current_exe()?;
    let mut child = Command::new(me)
        .args(["--work".into(), figures.next.to_string(), end.to_string()])
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
            b'a' => figures.accepted += 1,
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

/// What a file with a campaign's state says.
fn read_state(path: &str) -> Option<Figures> {
    let text = std::fs::read_to_string(path).ok()?;
    let mut numbers = text.split_whitespace().map(|word| word.parse().ok());
    let mut number = || numbers.next().flatten();
    Some(Figures { next: number()?, accepted: number()?, refused: number()?, crashes: number()? })
}

fn campaign(first: u64, count: u64, state: Option<&str>) -> std::io::Result<bool> {
    let end = first.saturating_add(count);
    let mut figures = state.and_then(read_state).unwrap_or(Figures { next: first, ..Figures::default() });
    while figures.next < end {
        chunk(&mut figures, end)?;
        if let Some(path) = state {
            let Figures { next, accepted, refused, crashes } = figures;
            std::fs::write(path, format!("{next} {accepted} {refused} {crashes}\n"))?;
        }
    }
    let Figures { accepted, refused, crashes, .. } = figures;
    let programs = accepted + refused + crashes;
    println!("{programs} programs, {accepted} accepted, {refused} refused, {crashes} crashes");
    Ok(crashes == 0)
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |text: &String| text.parse::<u64>().ok();
    let result = match arguments.as_slice() {
        [mode, from, to] if mode == "--work" => match number(from).zip(number(to)) {
            Some((from, to)) => {
                work(from..to);
                Ok(true)
            }
            None => Err(std::io::Error::other("the range of programs must be numbers")),
        },
        [mode, which] if mode == "--show" => match number(which) {
            Some(which) => {
                println!("{}", program(which));
                Ok(true)
            }
            None => Err(std::io::Error::other("NUMBER must be a number")),
        },
        [first, count, state @ ..] if state.len() < 2 => match number(first).zip(number(count)) {
            Some((first, count)) => campaign(first, count, state.first().map(String::as_str)),
            None => Err(std::io::Error::other("FIRST and COUNT must be numbers")),
        },
        _ => Err(std::io::Error::other("usage: fuzz FIRST COUNT [STATE]")),
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
