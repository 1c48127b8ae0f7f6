//! Random programs: the machine compared with a separate evaluation, thread by thread.
//!
//! The programs have integers and numbers of both sizes, predicates and guards, divergent branches, loops, jump tables,
//! early returns, calls, and arrays in three memory spaces. Their meaning is implemented twice: as PTX, and by a simple
//! interpreter that is independent of the machine. `WARPLAB_CASES=N` tests more of them, `WARPLAB_SEED=N` others.

#[path = "../common/mod.rs"]
mod common;
mod eval;
mod print;
mod program;

use common::{Arg, Device};
use eval::{Frame, Mistake, Thread};
use print::{BLOCK, INPUT, OUTPUT};
use program::*;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{RngSeed, TestCaseError, TestRunner};
use simt::machine::Checks;

const BLOCKS: usize = 2;
const THREADS: usize = BLOCK * BLOCKS;

/// The threads' initial values.
fn inputs() -> impl Strategy<Value = Vec<Frame>> {
    let word = prop_oneof![any::<u32>(), 0u32..16, proptest::sample::select(vec![u32::MAX, 1 << 31, (1 << 31) - 1]),];
    let number = prop_oneof![
        (-64i32..64).prop_map(|x| x as f32 / 4.0),
        any::<u32>().prop_map(f32::from_bits),
        // Subnormal numbers and their neighbours.
        (0u32..0x0100_0000).prop_map(f32::from_bits),
    ];
    let long = prop_oneof![any::<u64>(), any::<u32>().prop_map(u64::from)];
    let double = prop_oneof![(-64i32..64).prop_map(|x| f64::from(x) / 4.0), any::<u64>().prop_map(f64::from_bits),];
    let frame = (
        proptest::collection::vec(word, INTS),
        proptest::collection::vec(long, LONGS),
        proptest::collection::vec(number, FLOATS),
        proptest::collection::vec(double, DOUBLES),
    );
    let frame = frame.prop_map(|(ints, longs, floats, doubles)| Frame {
        ints: ints.try_into().expect("as many"),
        longs: longs.try_into().expect("as many"),
        floats: floats.try_into().expect("as many"),
        doubles: doubles.try_into().expect("as many"),
        preds: [false; PREDS],
    });
    proptest::collection::vec(frame, THREADS)
}

fn words(frame: &Frame) -> Vec<u32> {
    let mut out = frame.ints.to_vec();
    out.extend(frame.floats.iter().map(|x| x.to_bits()));
    let wide = frame.longs.iter().copied().chain(frame.doubles.iter().map(|x| x.to_bits()));
    out.extend(wide.flat_map(|x| [x as u32, (x >> 32) as u32]));
    out
}

/// Returns the final values of every thread, by the evaluation.
fn evaluate(program: &Program, inputs: &[Frame], mistake: Mistake) -> Vec<Vec<u32>> {
    let one = |frame: &Frame| {
        let mut frame = frame.clone();
        let mut thread = Thread::new(program, mistake);
        thread.run(&mut frame);
        let mut out = words(&frame);
        out.extend(frame.preds.map(u32::from));
        out.extend(thread.arrays.iter().flatten());
        out
    };
    inputs.iter().map(one).collect()
}

/// Returns the same by the machine; with `checks`, it must also have no findings.
fn execute(program: &Program, inputs: &[Frame], checks: bool) -> Vec<Vec<u32>> {
    let text = print::module(program);
    let mut device = Device::new(&text);
    device.settings.checks = if checks { Checks::ALL } else { Checks::NONE };
    device.settings.seed = u64::from(checks);
    let data: Vec<u32> = inputs.iter().flat_map(words).collect();
    assert_eq!(data.len(), THREADS * INPUT);
    let (input, output) = (device.put(&data), device.zeros::<u32>(THREADS * OUTPUT));
    let arrays = device.zeros::<u32>(THREADS * WORDS);
    let args = [Arg::Ptr(input), Arg::Ptr(output), Arg::Ptr(arrays)];
    let report = device.launch("kernel", BLOCKS as u32, BLOCK as u32, &args);
    assert!(report.findings.is_empty(), "{:#?}\n{text}", report.findings);
    let out = device.get::<u32>(output, THREADS * OUTPUT);
    out.chunks(OUTPUT).map(<[u32]>::to_vec).collect()
}

/// NaN's payload is not compared.
fn canonical(words: &[u32]) -> Vec<u32> {
    let mut out = words.to_vec();
    for x in &mut out[INTS..INTS + FLOATS] {
        if f32::from_bits(*x).is_nan() {
            *x = 0x7fff_ffff;
        }
    }
    let doubles = INTS + FLOATS + 2 * LONGS;
    for x in out[doubles..doubles + 2 * DOUBLES].chunks_mut(2) {
        if f64::from_bits(u64::from(x[0]) | (u64::from(x[1]) << 32)).is_nan() {
            x.copy_from_slice(&[u32::MAX, 0x7fff_ffff]);
        }
    }
    out
}

fn compare(program: &Program, inputs: &[Frame], mistake: Mistake, checks: bool) -> Result<(), TestCaseError> {
    let want = evaluate(program, inputs, mistake);
    let got = execute(program, inputs, checks);
    for (thread, (want, got)) in want.iter().zip(&got).enumerate() {
        if canonical(want) != canonical(got) {
            return Err(TestCaseError::fail(format!(
                "thread {thread} from {:x?}: {got:x?}, not {want:x?}\n{}",
                inputs[thread],
                print::module(program)
            )));
        }
    }
    Ok(())
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(default)
}

fn runner(cases: u64) -> TestRunner {
    TestRunner::new(ProptestConfig {
        cases: cases as u32,
        rng_seed: RngSeed::Fixed(number("WARPLAB_SEED", 1)),
        failure_persistence: None,
        max_shrink_iters: 2_000,
        ..ProptestConfig::default()
    })
}

#[test]
fn programs_give_what_they_mean() {
    let mut runner = runner(number("WARPLAB_CASES", 300));
    // Every third program runs with all checks, and with warps and blocks in another order.
    let cases = (program(), inputs(), 0..3u8);
    let result = runner.run(&cases, |(program, inputs, n)| compare(&program, &inputs, Mistake::None, n == 0));
    if let Err(error) = result {
        panic!("{error}");
    }
}

/// The comparison finds an evaluator with a mistake, so it would find a faulty machine.
#[test]
fn mistakes_are_found() {
    for mistake in [
        Mistake::LogicalShift,
        Mistake::Unguarded,
        Mistake::BothSides,
        Mistake::ShortLoop,
        Mistake::Unfused,
        Mistake::NoFlush,
        Mistake::Ordered,
        Mistake::SharedFrame,
        Mistake::UnsignedHigh,
    ] {
        let mut runner = runner(1);
        let found = (0..400).find(|_| {
            let tree = (program(), inputs()).new_tree(&mut runner).expect("a program");
            let (program, inputs) = tree.current();
            // Programs for which the mistake makes no difference need not be run.
            evaluate(&program, &inputs, mistake) != evaluate(&program, &inputs, Mistake::None)
                && compare(&program, &inputs, mistake, false).is_err()
        });
        assert!(found.is_some(), "{mistake:?} is not found in 400 programs");
    }
}
