//! The performance hint for a right exercise: its predicted time on a GPU, the bottleneck, the line that causes it, and
//! the possible gain. No mark depends on it.
use harness::{Counter, HotLine, Predicted, Record, Result, significant};
use predict::{Bound, Excess, GpuModel as Gpu, Remedy, remedy};

use super::exercise_status::{Bench, ExerciseStatus};
use crate::assignment::rubric::Exercise;

/// The GPU for which times are predicted, by its command-line name.
const GPU: &str = "h200";

/// The least gain that is mentioned.
const WORTH: f64 = 1.1;

/// Whether a hint on the speed of an exercise helps; the speed of a wrong kernel does not matter.
pub fn helps(status: &ExerciseStatus) -> bool {
    matches!(status, ExerciseStatus::Right(_) | ExerciseStatus::Beyond(..))
}

/// While the launch itself takes most of the time, the size is multiplied by `LARGER`, up to `ROUNDS` times, as long as
/// the threads execute at most `PATIENCE` instructions, since someone waits.
const LARGER: u64 = 4;
const ROUNDS: u32 = 5;
const PATIENCE: f64 = 3e7;

impl Bench<'_> {
    /// The hint for `exercise`, which is right.
    pub fn performance_hint(&self, exercise: &Exercise) -> String {
        let request = self.request(&exercise.options, &exercise.variants);
        let rows = |variant: &str, n| self.runner.predicted_rows(&request, variant, GPU, n);
        let found = exercise.variants.iter().map(|variant| found(self.lab.takes("n", variant), |n| rows(variant, n)));
        let words = match heaviest(found) {
            Ok(row) => words(&row),
            Err(why) => why,
        };
        harness::paragraphs(&format!("Speed of exercise `{}`: {words}", exercise.name))
    }
}

/// A row with a prediction, or why there is none.
type Found = std::result::Result<Record, String>;

/// The longest case of a variant, at the lab's size or at a larger one, at which the launch itself is not most of the
/// time; `run` gives the rows at a size.
fn found(takes_a_size: bool, run: impl Fn(Option<u64>) -> Result<Vec<Record>>) -> Found {
    let (mut best, mut n) = (None, None);
    for _ in 0..ROUNDS {
        let next = match run(n) {
            Ok(rows) => heaviest(rows.into_iter().map(predicted)),
            Err(error) => Err(format!("not predicted: {error}")),
        };
        // A size that is too large is not reported.
        if next.is_err() && best.is_some() {
            break;
        }
        let takes_long = |row: &Record| row.counters.get(Counter::ThreadInstructions).is_some_and(|all| all > PATIENCE);
        let is_over = next.as_ref().map_or(true, |row| !is_mostly_launch(row) || takes_long(row));
        n = next.as_ref().ok().and_then(|row| row.n.map(|n| n.saturating_mul(LARGER)));
        best = Some(next);
        if is_over || !takes_a_size || n.is_none() {
            break;
        }
    }
    best.unwrap_or_else(|| Err("not predicted".into()))
}

/// Returns the row if it has a prediction.
fn predicted(row: Record) -> Found {
    match &row.predicted {
        None => Err("not predicted: nothing was launched".into()),
        Some(predicted) if predicted.in_all.is_none() => Err(predicted.bound()),
        Some(_) => Ok(row),
    }
}

/// Returns the row with the longest time, or why there is none.
fn heaviest(found: impl Iterator<Item = Found>) -> Found {
    let ms = |row: &Record| row.predicted.as_ref().and_then(|p| p.in_all.as_ref()).map_or(0.0, |all| all.ms);
    let (rows, why): (Vec<Found>, Vec<Found>) = found.partition(std::result::Result::is_ok);
    let longest = rows.into_iter().flatten().max_by(|a, b| ms(a).total_cmp(&ms(b)));
    // The reason why a kernel is refused says more than a row without a launch.
    let of_a_kernel = |why: &String| !why.ends_with("nothing was launched");
    let why: Vec<String> = why.into_iter().filter_map(std::result::Result::err).collect();
    let first = why.iter().find(|why| of_a_kernel(why)).or(why.first());
    longest.ok_or_else(|| first.cloned().unwrap_or_else(|| "not predicted".into()))
}

fn is_mostly_launch(row: &Record) -> bool {
    let (Some(predicted), Ok(gpu)) = (&row.predicted, Gpu::find(GPU)) else { return false };
    // Transfers between host and device decide, whatever the kernel does.
    let is_moved = predicted.transfer.is_some();
    !is_moved && remedy(&predicted.launches, &gpu).is_ok_and(|remedy| remedy.is_mostly_launch())
}

/// Describes the prediction of a row.
fn words(row: &Record) -> String {
    let (Some(predicted), Ok(gpu)) = (&row.predicted, Gpu::find(GPU)) else {
        return "not predicted".into();
    };
    let Some(all) = &predicted.in_all else {
        return predicted.bound();
    };
    let n = row.n.map(|n| format!("n = {n}"));
    let case = [n, Some(row.case.clone())].into_iter().flatten().filter(|word| !word.is_empty());
    let case = case.collect::<Vec<_>>().join(", ");
    let at = if case.is_empty() { String::new() } else { format!(" at {case}") };
    let time = format!("{} ms on an {}{at} (predicted), ", significant(all.ms), predicted.part);
    if all.bound() == Bound::Link {
        return format!("{time}bound by transfers between host and device: the kernel does not decide it.");
    }
    match remedy(&predicted.launches, &gpu) {
        Ok(remedy) => time + &gain(&remedy, predicted, &row.hot),
        Err(not) => not.to_string(),
    }
}

/// Describes the bottleneck, the line that causes it, and the possible gain.
fn gain(remedy: &Remedy, predicted: &Predicted, hot: &[HotLine]) -> String {
    let line = line(remedy, hot);
    let on = line.map_or_else(String::new, |line| format!(": {} on {}", amount(remedy, line), place(line)));
    let bound = format!("bound by {}{on}", resource(remedy.bound));
    let launches: u64 = predicted.launches.iter().map(|launch| launch.count).sum();
    let (times, what, begins) = if remedy.is_mostly_launch() {
        let launch = if launches == 1 { "the launch itself".into() } else { format!("its {launches} launches") };
        (remedy.times_beside_launch(), "the rest is", format!("most of it for {launch}. The rest is {bound}"))
    } else {
        (remedy.times(), "it is", bound)
    };
    let without = match remedy.excess {
        Excess::Conflicts => "without the conflicts",
        Excess::Sectors => "with neighbouring lanes on neighbouring words",
        Excess::Contention | Excess::SharedContention => "if they did not wait for each other",
        Excess::Work => "with less of it",
    };
    let next = match remedy.next {
        Bound::Launch => String::new(),
        next if next == remedy.bound => String::new(),
        next => format!(": {} would bound it then", resource(next)),
    };
    if times < WORTH {
        return format!("{begins}; {without}, {what} hardly faster{next}.");
    }
    let most = if remedy.excess == Excess::Work { "at most" } else { "about" };
    format!("{begins}; {without}, {what} {most} {} times faster{next}.", rounded(times))
}

/// Rounds a factor to one decimal, or to an integer from ten on: a prediction is no more precise.
fn rounded(times: f64) -> String {
    if times < 9.95 { format!("{times:.1}").trim_end_matches(".0").into() } else { format!("{times:.0}") }
}

fn resource(bound: Bound) -> String {
    match bound {
        Bound::SharedMemory => "passes over shared memory".into(),
        Bound::L1 => "sectors through the L1 cache".into(),
        Bound::L2 => "sectors through the L2 cache".into(),
        Bound::Dram => "sectors of device memory".into(),
        Bound::Atomics => "atomics that wait for each other".into(),
        Bound::Latency => "waits of dependent instructions, with too few warps to hide them".into(),
        Bound::Launch => "nothing but the launch".into(),
        other => other.to_string(),
    }
}

/// The line that contributes most to the bottleneck; `None` if no line does.
fn line<'h>(remedy: &Remedy, hot: &'h [HotLine]) -> Option<&'h HotLine> {
    let most = |of: fn(&HotLine) -> u64| hot.iter().filter(|line| of(line) > 0).max_by_key(|line| of(line));
    let excess = |line: &HotLine| line.sectors.saturating_sub(line.ideal_sectors);
    match (remedy.excess, remedy.bound) {
        (Excess::Conflicts, _) => most(|line| line.conflicts),
        (Excess::Sectors, _) => most(excess),
        (Excess::Contention, _) | (_, Bound::Atomics) => most(|line| line.atomics),
        (Excess::SharedContention, _) => most(|line| line.shared_atomics),
        (_, Bound::SharedMemory) => most(|line| line.shared_passes),
        (_, Bound::L1 | Bound::L2 | Bound::Dram) => most(|line| line.sectors),
        (_, Bound::Latency | Bound::Blocks | Bound::Launch | Bound::Link) => None,
        _ => most(|line| line.thread_instructions),
    }
}

/// The line's share of the bottleneck.
fn amount(remedy: &Remedy, line: &HotLine) -> String {
    match (remedy.excess, remedy.bound) {
        (Excess::Conflicts, _) => format!("{} ways", line.worst_ways),
        (Excess::Sectors, _) => {
            format!("{} sectors where {} would do", line.sectors, line.ideal_sectors)
        }
        (Excess::Contention, _) | (_, Bound::Atomics) => format!("{} by threads", line.atomics),
        (Excess::SharedContention, _) => format!("{} atomics by threads", line.shared_atomics),
        (_, Bound::SharedMemory) => format!("{} of them", line.shared_passes),
        (_, Bound::L1 | Bound::L2 | Bound::Dram) => format!("{} of them", line.sectors),
        _ => format!("{:.0} % of the instructions", line.percent),
    }
}

fn place(line: &HotLine) -> String {
    let file = line.file.rsplit('/').next().unwrap_or_default();
    if file.is_empty() { format!("line {} of the PTX", line.line) } else { format!("line {} of {file}", line.line) }
}

#[cfg(test)]
mod tests {
    use predict::{LaunchProfile, Repeated, sequence_time, transfer};

    use super::*;
    use crate::judge::verdict::sample::record;
    use harness::Verdict;

    fn hot(line: u32) -> HotLine {
        HotLine { file: "/a/mine.cu".into(), line, percent: 60.0, thread_instructions: 9, ..HotLine::default() }
    }

    /// The row of a launch of many blocks.
    fn row(profile: LaunchProfile, hot: Vec<HotLine>) -> Record {
        let profile = LaunchProfile { threads: 256.0, resident: 8.0, ..profile };
        let launches = vec![Repeated { count: 1, profile }];
        let gpu = Gpu::find(GPU).unwrap();
        let in_all = sequence_time(&launches, &gpu);
        let not_predicted = in_all.as_ref().err().map(ToString::to_string);
        let part = gpu.full_name.clone();
        let predicted = Predicted { part, in_all: in_all.ok(), not_predicted, transfer: None, launches };
        Record { predicted: Some(predicted), hot, ..record(Verdict::Pass) }
    }

    fn conflicts() -> LaunchProfile {
        let passes = 3.2e8;
        LaunchProfile {
            blocks: 132_000.0,
            shared_passes: passes,
            shared_conflicts: passes * 0.96875,
            ..LaunchProfile::default()
        }
    }

    #[test]
    fn conflicts_are_told_with_their_line_their_ways_and_the_gain() {
        let lines = vec![
            HotLine { thread_instructions: 99, ..hot(7) },
            HotLine { conflicts: 5, worst_ways: 2, ..hot(8) },
            HotLine { conflicts: 31, worst_ways: 32, ..hot(43) },
        ];
        let said = words(&row(conflicts(), lines));
        assert!(said.contains("on an NVIDIA H200 at n = 1000, c (predicted)"), "{said}");
        assert!(said.contains("bound by passes over shared memory: 32 ways on line 43 of mine.cu; "), "{said}");
        assert!(said.contains("without the conflicts, it is about 1") && said.contains(" times faster"), "{said}");
    }

    #[test]
    fn far_apart_words_and_atomics_have_their_lines_and_an_instruction_bound_its_hottest() {
        let sectors = 1e9;
        let far = LaunchProfile {
            blocks: 132_000.0,
            global_load_sectors: sectors,
            global_load_ideal_sectors: sectors / 8.0,
            block_read_sectors: sectors,
            ..LaunchProfile::default()
        };
        let lines = vec![
            HotLine { sectors: 90, ideal_sectors: 90, ..hot(1) },
            HotLine { sectors: 80, ideal_sectors: 10, ..hot(2) },
        ];
        let said = words(&row(far, lines));
        assert!(said.contains("L2 cache: 80 sectors where 10 would do on line 2"), "{said}");
        let atomics = LaunchProfile { blocks: 132_000.0, atomic_longest: 1e7, ..LaunchProfile::default() };
        let said = words(&row(atomics, vec![hot(1), HotLine { atomics: 33, ..hot(2) }]));
        assert!(said.contains("atomics that wait for each other: 33 by threads on line 2"), "{said}");
        let special = LaunchProfile { blocks: 132_000.0, special: 1e9, single: 1e9, ..LaunchProfile::default() };
        let said = words(&row(special, vec![hot(5), HotLine { thread_instructions: 1, ..hot(6) }]));
        assert!(said.contains("special functions: 60 % of the instructions on line 5"), "{said}");
        assert!(said.contains("with less of it, it is at most"), "{said}");
    }

    #[test]
    fn a_small_launch_is_a_launch_and_what_comes_beside_it() {
        let small = LaunchProfile { blocks: 8.0, shared_passes: 2e3, shared_conflicts: 1.9e3, ..conflicts() };
        let said = words(&row(small, vec![HotLine { conflicts: 31, worst_ways: 32, ..hot(43) }]));
        assert!(said.contains("most of it for the launch itself. The rest is bound by"), "{said}");
    }

    #[test]
    fn what_is_not_predicted_is_said_with_the_reason_and_without_a_gain() {
        let locks = words(&row(LaunchProfile { locking_loops: 1.0, ..conflicts() }, vec![hot(1)]));
        assert_eq!(locks, "not predicted: takes a lock, so measure this one");
        let mut moves = row(LaunchProfile { blocks: 8.0, ..LaunchProfile::default() }, Vec::new());
        let moved = transfer::Moved { copies: 3.0, to_device: 134e6, to_host: 67e6 };
        let predicted = moves.predicted.as_mut().unwrap();
        let with = transfer::Transfer { way: transfer::Way::Pageable, moved };
        predicted.in_all = predicted.in_all.as_ref().map(|all| transfer::with(all, with, &Gpu::find(GPU).unwrap()));
        assert!(words(&moves).contains("bound by transfers"), "{}", words(&moves));
    }

    #[test]
    fn a_size_at_which_the_launch_is_most_of_it_is_made_larger_as_far_as_it_goes() {
        let of = |n: u64| Record { n: Some(n), ..row(LaunchProfile { blocks: n as f64, ..conflicts() }, Vec::new()) };
        // So little work that the launch takes most of the time at any size.
        let light = |n: u64| Record {
            n: Some(n),
            ..row(LaunchProfile { blocks: 8.0, integer: 100.0, ..LaunchProfile::default() }, Vec::new())
        };
        let asked = std::cell::RefCell::new(Vec::new());
        let run = |n: Option<u64>, of: &dyn Fn(u64) -> Record| {
            asked.borrow_mut().push(n);
            Ok(vec![of(n.unwrap_or(512))])
        };
        assert_eq!(found(true, |n| run(n, &of)).unwrap().n, Some(512));
        assert_eq!(asked.take(), [None]);
        assert_eq!(found(true, |n| run(n, &light)).unwrap().n, Some(512 * 4 * 4 * 4 * 4));
        assert_eq!(asked.take().len(), 5);
        assert_eq!(found(false, |n| run(n, &light)).unwrap().n, Some(512));
        // A case that cannot run at the larger size has run at the smaller one.
        let refused = |n: Option<u64>| match n {
            Some(_) => Err(harness::Error::CannotRun("too large".into())),
            None => Ok(vec![light(512)]),
        };
        assert_eq!(found(true, refused).unwrap().n, Some(512));
        let locks =
            |_| Ok(vec![row(LaunchProfile { locking_loops: 1.0, ..conflicts() }, Vec::new()), record(Verdict::Pass)]);
        assert_eq!(found(true, locks).unwrap_err(), "not predicted: takes a lock, so measure this one");
    }

    #[test]
    fn a_wrong_exercise_has_no_speed() {
        assert!(helps(&ExerciseStatus::Right(Vec::new())) && helps(&ExerciseStatus::Beyond(Vec::new(), Vec::new())));
        assert!(!helps(&ExerciseStatus::Missing(vec!["k".into()])) && !helps(&ExerciseStatus::Unjudged(String::new())));
    }
}
