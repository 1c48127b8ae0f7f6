//! Tests the judgement of times with GPU-like noise: a run drifts as a whole, each case has its own offset in each run,
//! samples have outliers and a second mode, short times jitter. The tests assert the comparison's guarantees: its false
//! alarm rate if nothing has changed, and that it detects planted changes.
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use report::{
    compare::{
        comparison::Change,
        times::{Pair, judge},
    },
    statistic::difference::{Level, Timed},
};

const THRESHOLD: f64 = 0.02;
const ERROR_RATE: f64 = 0.01;

/// The properties of a case in every run.
#[derive(Debug, Clone, Copy)]
struct Case {
    ms: f64,
    /// Standard deviation of the samples, as a fraction.
    noise: f64,
    /// The variation of the case from run to run, as a fraction.
    between: f64,
    /// The fraction of outliers, and the distance of a second mode.
    outliers: f64,
    second_mode: f64,
    samples: usize,
}

/// A quiet case, like most kernels of some ms: a run takes only ten samples if they have no outlier.
const QUIET: Case = Case { ms: 2.5, noise: 0.001, between: 0.001, outliers: 0.0, second_mode: 0.0, samples: 10 };

/// Returns a normally distributed number: the sum of twelve uniform ones.
fn normal(random: &mut ChaCha8Rng) -> f64 {
    (0..12).map(|_| random.random::<f64>()).sum::<f64>() - 6.0
}

fn case(random: &mut ChaCha8Rng) -> Case {
    // From 5 us to 50 ms.
    let ms = 0.005 * (random.random::<f64>() * 1e4_f64.ln()).exp();
    let noise = 0.0005 * (random.random::<f64>() * 60_f64.ln()).exp();
    Case {
        ms,
        noise,
        // As observed on an H200: about the spread of the samples, and at least 0.1 %.
        between: (0.001_f64.powi(2) + (0.7 * noise).powi(2)).sqrt(),
        outliers: if random.random::<f64>() < 0.5 { 0.0 } else { 0.05 },
        second_mode: if random.random::<f64>() < 0.1 { 0.05 + 0.15 * random.random::<f64>() } else { 0.0 },
        samples: [3, 10, 12, 30, 100][(random.random::<f64>() * 5.0) as usize],
    }
}

/// Simulates one run of a case, slowed down by the factor `times`.
fn run(case: &Case, drift: f64, times: f64, random: &mut ChaCha8Rng) -> Timed {
    let offset = drift + case.between * normal(random);
    let jitter = 0.001 * normal(random);
    let share_of_second = 0.2 + 0.6 * random.random::<f64>();
    let mut wander = 0.0;
    let samples: Vec<f64> = (0..case.samples)
        .map(|_| {
            // Consecutive samples are correlated.
            wander = 0.7 * wander + 0.7 * case.noise * normal(random);
            let mode = if random.random::<f64>() < share_of_second { case.second_mode } else { 0.0 };
            let outlier = if random.random::<f64>() < case.outliers { 0.5 } else { 0.0 };
            (times * case.ms * (1.0 + offset + wander + mode + outlier) + jitter).max(0.001)
        })
        .collect();
    Timed::from_samples(&samples).unwrap()
}

fn level(case: &Case, drift: f64, times: f64, runs: usize, random: &mut ChaCha8Rng) -> Level {
    let runs: Vec<Timed> = (0..runs).map(|_| run(case, drift, times, random)).collect();
    Level::from_runs(&runs).unwrap()
}

fn comparison(cases: &[Case], slower: Option<(usize, f64)>, runs: usize, random: &mut ChaCha8Rng) -> Vec<Change> {
    let (base, new) = (0.005 * normal(random), 0.005 * normal(random));
    let times = |i: usize| slower.filter(|(at, _)| *at == i).map_or(1.0, |(_, times)| times);
    let pairs: Vec<Pair> = (cases.iter().enumerate())
        .map(|(i, case)| Pair {
            base: level(case, base, 1.0, runs, random),
            new: level(case, new, times(i), runs, random),
        })
        .collect();
    judge(&pairs, THRESHOLD, ERROR_RATE).0.iter().map(|judged| judged.change).collect()
}

fn is_alarm(change: Change) -> bool {
    matches!(change, Change::Slower | Change::Faster)
}

#[test]
fn of_a_thousand_comparisons_of_runs_that_do_not_differ_no_more_than_the_error_rate_says_alarm() {
    for (runs, comparisons) in [(1, 1000), (3, 300)] {
        let mut random = ChaCha8Rng::seed_from_u64(runs as u64);
        let mut alarms = 0;
        for _ in 0..comparisons {
            let cases: Vec<Case> = (0..60).map(|_| case(&mut random)).collect();
            alarms += i32::from(comparison(&cases, None, runs, &mut random).into_iter().any(is_alarm));
        }
        println!("{alarms} of {comparisons} comparisons of {runs} runs alarm");
        assert!(f64::from(alarms) <= f64::from(comparisons) * ERROR_RATE, "{alarms} of {comparisons}, {runs} runs");
    }
}

#[test]
fn a_planted_slowdown_of_three_per_cent_of_a_quiet_case_is_found_and_no_other_case_is_named() {
    let mut random = ChaCha8Rng::seed_from_u64(7);
    let (mut caught, mut others) = (0, 0);
    for _ in 0..200 {
        let mut cases: Vec<Case> = (0..60).map(|_| case(&mut random)).collect();
        cases[11] = QUIET;
        let changes = comparison(&cases, Some((11, 1.03)), 1, &mut random);
        caught += usize::from(changes[11] == Change::Slower);
        others += changes.iter().enumerate().filter(|(i, change)| *i != 11 && is_alarm(**change)).count();
    }
    println!("{caught} of 200 caught, {others} others");
    assert!(caught >= 190, "{caught} of 200");
    assert!(others <= 2, "{others}");
}

#[test]
fn a_quiet_case_that_does_not_change_is_called_the_same() {
    let mut random = ChaCha8Rng::seed_from_u64(9);
    let changes: Vec<Change> = (0..50).flat_map(|_| comparison(&[QUIET; 20], None, 1, &mut random)).collect();
    let same = changes.iter().filter(|change| **change == Change::Same).count();
    println!("{same} of 1,000 the same");
    assert!(same >= 980, "{same} of 1,000");
}

#[test]
fn a_test_that_takes_samples_for_independent_would_alarm_at_this_noise_all_the_time() {
    let mut random = ChaCha8Rng::seed_from_u64(3);
    let mut alarms = 0;
    for _ in 0..100 {
        let cases: Vec<Case> = (0..60).map(|_| Case { samples: 100, ..case(&mut random) }).collect();
        alarms += usize::from(cases.iter().any(|case| {
            let (a, b) = (run(case, 0.0, 1.0, &mut random), run(case, 0.0, 1.0, &mut random));
            let error = 1.25 * (a.spread.powi(2) + b.spread.powi(2)).sqrt() / 10.0;
            let log = (b.median_ms / a.median_ms).ln();
            log.abs() > 4.5 * error && log.abs() > THRESHOLD
        }));
    }
    assert!(alarms > 50, "{alarms} of 100");
}
