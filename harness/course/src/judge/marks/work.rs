//! Checks whether the threads of a kernel with right answers share the work: a single thread could compute them alone,
//! or every thread could compute all of them redundantly.
use harness::{Counter, Lab};

use super::goal::number;
use crate::{
    assignment::{limit::product, rubric::Exercise},
    judge::verdict::{JudgedRow, work::Work},
};

/// The limit for a warp: `LONGER` times the instructions of the lab's own longest warp, plus `ALLOWANCE`. At small
/// sizes, one warp may do everything, and one thread may go through the lanes of its warp.
const LONGER: f64 = 8.0;
const ALLOWANCE: f64 = 500.0;

/// The limit for all warps together: `MORE` times the instructions of the lab's own, plus `ALLOWANCE` for each launch.
/// Right solutions need up to 4.8 times in all of their cases, and kernels whose lanes all do the same 4.9 and more.
/// An instruction counts once however many lanes take part, so that lanes that rest, and lanes that compute what others
/// compute, raise this count and share nothing.
const MORE: f64 = 5.5;

/// The limits of what a case may take beyond the same case at the smallest known size are this many times as high. What
/// does not depend on the size, such as setting 8,192 counts, hides how the rest is shared, and is not in these
/// differences. They vary more between right solutions.
const GROWTH: f64 = 2.0;

/// A further factor if the lab's own threads wait for each other.
const WAITING: f64 = 4.0;

/// The goal in words.
pub const GOAL: &str = "the threads share the work: each takes its own part of the elements";

/// A row whose threads do not share the work.
#[derive(Debug, Clone, PartialEq)]
pub struct Unshared {
    /// The evidence, with the size.
    pub words: String,
    /// What to do about it.
    pub raise: &'static str,
    /// Whether the size is hidden.
    pub is_hidden: bool,
}

/// The rows of `exercise` whose threads do not share the work.
pub fn unshared<'a>(exercise: &Exercise, lab: &Lab, rows: impl IntoIterator<Item = &'a JudgedRow>) -> Vec<Unshared> {
    unshared_or(rows, exercise.warp_work, |judged| too_little(exercise, lab, judged))
}

/// The rows whose threads do not share the work, by comparison with the lab's own kernels alone.
pub fn unshared_by_comparison<'a>(rows: impl IntoIterator<Item = &'a JudgedRow>) -> Vec<Unshared> {
    unshared_or(rows, None, |_| None)
}

/// The rows whose threads do not share the work, or for which `other` has other evidence. A warp of a right kernel
/// executes `warp_work` instructions, where the lab's own kernels do not show it.
fn unshared_or<'a>(
    rows: impl IntoIterator<Item = &'a JudgedRow>,
    warp_work: Option<f64>,
    other: impl Fn(&JudgedRow) -> Option<(String, &'static str)>,
) -> Vec<Unshared> {
    let rows: Vec<&JudgedRow> = rows.into_iter().collect();
    let of_row = |judged: &&JudgedRow| {
        // A right kernel may be slow in some cases, for example if it goes through all bins, of which these have many.
        let is_slow_in_all_cases = || {
            let is_comparable = |other: &JudgedRow| other.work.is_some() || warp_work.is_some();
            let mut comparable = rows.iter().filter(|other| is_comparable(other) && is_of_size(other, judged));
            comparable.all(|other| slow(other, smallest(&rows, other), warp_work).is_some())
        };
        let slow = slow(judged, smallest(&rows, judged), warp_work).filter(|_| is_slow_in_all_cases());
        let (words, raise) = slow.or_else(|| other(judged))?;
        Some(Unshared { words, raise, is_hidden: judged.is_hidden })
    };
    rows.iter().filter_map(of_row).collect()
}

/// Whether both rows are of one variant and size.
fn is_of_size(one: &JudgedRow, other: &JudgedRow) -> bool {
    (&one.row.variant, one.row.n, one.is_hidden) == (&other.row.variant, other.row.n, other.is_hidden)
}

/// The row of the same case at the smallest known size, if that is less than this one's.
fn smallest<'a>(rows: &[&'a JudgedRow], judged: &JudgedRow) -> Option<&'a JudgedRow> {
    let case = |row: &JudgedRow| (row.row.variant.clone(), row.row.case.clone(), row.row.grid.clone());
    let is_less = |row: &&&JudgedRow| !row.is_hidden && row.row.n < judged.row.n && case(row) == case(judged);
    rows.iter().filter(is_less).min_by_key(|row| row.row.n).copied()
}

/// Evidence that few threads do the work, or many do the same: one warp, or all warps together, execute far more
/// instructions than in the lab's own kernel, in all or beyond those of the `smaller` row.
fn slow(judged: &JudgedRow, smaller: Option<&JudgedRow>, warp_work: Option<f64>) -> Option<(String, &'static str)> {
    const EACH_WARP: &str =
        "let each thread of each block take its own part of the elements, so that all warps of the grid are at work";
    const EACH_LANE: &str = "let each lane of a warp take its own part of the elements, and no two threads or blocks \
                             the same one";
    let own = judged.work.or_else(|| declared(judged, warp_work?))?;
    let whose = if judged.work.is_some() { "the lab's own kernel" } else { "a right kernel about" };
    let factor = if own.waits { WAITING } else { 1.0 };
    let counter = |counter| judged.row.counters.get(counter);
    let launches = counter(Counter::Launches).unwrap_or(1.0);
    let smaller = smaller.and_then(|row| Some((row, row.work?)));
    let of_all = |work: Work| work.instructions;
    let of_one = |work: Work| work.longest_warp;
    let limits: [(_, _, &dyn Fn(Work) -> f64, _, _, _); 2] = [
        ("one warp executes", Counter::LongestWarpInstructions, &of_one, LONGER, ALLOWANCE, EACH_WARP),
        ("all warps execute", Counter::Instructions, &of_all, MORE, launches * ALLOWANCE, EACH_LANE),
    ];
    limits.into_iter().find_map(|(who, counted, of, times, allowance, raise)| {
        let (mine, theirs) = (counter(counted)?, of(own));
        let at = at(judged);
        if mine > factor * times * theirs + allowance {
            let busy = if raise == EACH_WARP { few_busy_warps(judged, mine) } else { None }.unwrap_or_default();
            let (mine, theirs) = (number(mine), number(theirs));
            return Some((format!("{who} {mine} instructions{at}, {whose} {theirs}{busy}"), raise));
        }
        let (row, least) = smaller?;
        let (mine, theirs) = (mine - row.row.counters.get(counted)?, (theirs - of(least)).max(0.0));
        let is_more = mine > GROWTH * factor * times * theirs + allowance;
        let (mine, theirs, from) = (number(mine), number(theirs), row.row.n?);
        is_more.then(|| (format!("{who} {mine} instructions more{at} than at {from}, {whose} {theirs}"), raise))
    })
}

/// The work of a right kernel each of whose warps executes `warp_work` instructions.
fn declared(judged: &JudgedRow, warp_work: f64) -> Option<Work> {
    let launches = judged.row.counters.get(Counter::Launches)?;
    Some(Work { longest_warp: warp_work, instructions: launches * warps(judged)? * warp_work, waits: false })
}

/// The warps of the row's grid.
fn warps(judged: &JudgedRow) -> Option<f64> {
    let of = |sides: &Option<String>| sides.as_deref().and_then(product);
    Some(of(&judged.row.grid)? * (of(&judged.row.block)? / 32.0).ceil())
}

/// How many warps would do all of the work if each executed `longest` instructions as the longest one does, in words;
/// nothing if that is more than an eighth of the grid.
fn few_busy_warps(judged: &JudgedRow, longest: f64) -> Option<String> {
    let counter = |counter| judged.row.counters.get(counter);
    let busy = (counter(Counter::Instructions)? / counter(Counter::Launches)? / longest).ceil().max(1.0);
    let all = warps(judged).filter(|all| 8.0 * busy <= *all)?;
    Some(format!(", as if {} of the grid's {} warps had done all of the work", number(busy), number(all)))
}

/// Evidence that the answer was not computed from all elements.
fn too_little(exercise: &Exercise, lab: &Lab, judged: &JudgedRow) -> Option<(String, &'static str)> {
    let least = exercise.least_work.as_ref()?.evaluate(&judged.row, lab).filter(|least| !least.is_nan())?;
    let threads = judged.row.counters.get(Counter::ThreadInstructions).filter(|threads| *threads < least)?;
    let (mine, least, at) = (number(threads), number(least), at(judged));
    let words = format!("all threads execute {mine} instructions{at}, and the work takes {least} at least");
    Some((words, "compute the answer from every element: a formula that knows it beforehand does not count"))
}

/// The place of a row, as a suffix.
fn at(judged: &JudgedRow) -> String {
    let n = judged.row.n.map_or(String::new(), |n| format!(" at n = {n}"));
    if judged.row.case.is_empty() { n } else { format!("{n} ({})", judged.row.case) }
}

#[cfg(test)]
mod tests {
    use harness::Verdict;

    use super::*;
    use crate::judge::verdict::{
        atomics::Atomics,
        sample::{counted, record},
    };

    /// The row of a kernel that executes `longest` instructions where the lab's own takes 31 a warp.
    fn row(longest: u64, threads: u64, waits: bool) -> JudgedRow {
        let row = counted(
            record(Verdict::Pass),
            &[("longest_warp_instructions", longest), ("thread_instructions", threads), ("launches", 2)],
        );
        let work = Some(Work { longest_warp: 31.0, instructions: 2000.0, waits });
        JudgedRow { row, is_hidden: false, atomics: Atomics::default(), work }
    }

    /// The row of a kernel whose warps execute `all` instructions, where the lab's own take 2,000.
    fn row_of_all(all: u64, waits: bool) -> JudgedRow {
        let short = row(31, 32 * all, waits);
        JudgedRow { row: counted(short.row, &[("instructions", all), ("launches", 2)]), ..short }
    }

    fn exercise(least_work: &str) -> Exercise {
        toml::from_str(&format!("name = \"p\"\nvariants = [\"v\"]\nright = 1\n{least_work}")).unwrap()
    }

    fn said(row: &JudgedRow, least_work: &str) -> Option<String> {
        unshared(&exercise(least_work), &Lab::DEFAULT, [row]).pop().map(|unshared| unshared.words)
    }

    #[test]
    fn one_warp_that_does_everything_is_seen_and_a_slow_kernel_is_not() {
        assert_eq!(said(&row(8 * 31 + 500, 1_000_000, false), ""), None);
        let long = said(&row(60_120, 10_000, false), "").unwrap();
        assert_eq!(long, "one warp executes 60120 instructions at n = 1000 (c), the lab's own kernel 31");
    }

    #[test]
    fn threads_that_wait_for_each_other_may_take_more_and_without_counters_nothing_is_said() {
        assert_eq!(said(&row(4 * 8 * 31 + 500, 10_000, true), ""), None);
        assert!(said(&row(4 * 8 * 31 + 501, 10_000, true), "").is_some());
        assert_eq!(said(&JudgedRow { work: None, ..row(60_120, 10_000_000, false) }, ""), None);
    }

    #[test]
    fn lanes_that_rest_or_do_what_others_do_are_seen_by_what_all_warps_execute() {
        assert_eq!(said(&row_of_all(11_000 + 2 * 500, false), ""), None);
        let all = said(&row_of_all(11_000 + 2 * 500 + 1, false), "").unwrap();
        assert_eq!(all, "all warps execute 12001 instructions at n = 1000 (c), the lab's own kernel 2000");
        assert_eq!(said(&row_of_all(4 * 11_000 + 2 * 500, true), ""), None);
        assert!(said(&row_of_all(4 * 11_000 + 2 * 500 + 1, true), "").is_some());
    }

    #[test]
    fn a_kernel_that_is_slow_in_one_case_of_a_size_is_not_accused() {
        let of_case = |case: &str, judged: JudgedRow| JudgedRow {
            row: harness::Record { case: case.into(), ..judged.row },
            ..judged
        };
        let said = |rows: &[JudgedRow]| unshared(&exercise(""), &Lab::DEFAULT, rows).len();
        let (slow, wasteful, quick) = (row(60_120, 10_000, false), row_of_all(20_000, false), row_of_all(2000, false));
        assert_eq!(said(&[of_case("bytes", slow.clone()), of_case("letters", quick.clone())]), 0);
        assert_eq!(said(&[of_case("bytes", wasteful.clone()), of_case("letters", quick.clone())]), 0);
        assert_eq!(said(&[of_case("bytes", slow.clone()), of_case("letters", wasteful)]), 2);
        // Another size says nothing of this one.
        let other = JudgedRow { row: harness::Record { n: Some(1), ..quick.row.clone() }, ..quick };
        assert_eq!(said(&[slow, other]), 1);
    }

    #[test]
    fn what_a_case_takes_at_any_size_hides_nothing_of_how_the_rest_is_shared() {
        let at = |n, [longest, all]: [u64; 2], own: [f64; 2]| {
            let row = row(longest, 32 * all, false).row;
            let counters = [("longest_warp_instructions", longest), ("instructions", all), ("launches", 1)];
            JudgedRow {
                row: harness::Record { n: Some(n), ..counted(row, &counters) },
                work: Some(Work { longest_warp: own[0], instructions: own[1], waits: false }),
                ..self::row(1, 1, false)
            }
        };
        // The lab's own kernel sets 5,000 counts in each of 40 warps, and then each takes its part of the elements.
        let (own_small, own_large) = ([5000.0, 200_000.0], [5800.0, 232_000.0]);
        let small = at(33, [5010, 200_400], own_small);
        let said = |large: [u64; 2]| unshared(&exercise(""), &Lab::DEFAULT, [&small, &at(99, large, own_large)]);
        // One warp with all of the elements takes 40 times as much, which is less than 8 times that of the counts.
        let alone = said([5010 + 32_000, 232_400]);
        let words = "one warp executes 32000 instructions more at n = 99 (c) than at 33, the lab's own kernel 800";
        assert_eq!(alone.iter().map(|unshared| &*unshared.words).collect::<Vec<_>>(), [words]);
        assert_eq!(said([5010 + 16 * 800 + 500, 232_400]), []);
        let all = said([6000, 200_400 + 11 * 32_000 + 501]);
        assert!(all[0].words.starts_with("all warps execute 352501 instructions more"), "{all:?}");
        assert_eq!(said([6000, 200_400 + 11 * 32_000 + 500]), []);
        // A hidden size is compared with a known one, and not the other way around.
        let hidden = JudgedRow { is_hidden: true, ..at(20, [5000, 200_000], [5000.0, 200_000.0]) };
        let large = at(33, [5010 + 32_000, 232_400], own_large);
        assert_eq!(unshared(&exercise(""), &Lab::DEFAULT, [&hidden, &large]), []);
    }

    #[test]
    fn few_warps_of_a_large_grid_are_counted_and_a_small_grid_is_not() {
        let on = |grid: &str| {
            let JudgedRow { row, .. } = row(60_120, 10_000, false);
            let row =
                counted(row, &[("instructions", 961_920), ("longest_warp_instructions", 60_120), ("launches", 2)]);
            JudgedRow {
                row: harness::Record { grid: Some(grid.into()), block: Some("16x16".into()), ..row },
                work: Some(Work { longest_warp: 31.0, instructions: 900_000.0, waits: false }),
                ..self::row(1, 1, false)
            }
        };
        let few = said(&on("10x4"), "").unwrap();
        assert!(
            few.ends_with("the lab's own kernel 31, as if 8 of the grid's 320 warps had done all of the work"),
            "{few}"
        );
        let many = said(&on("7"), "").unwrap();
        assert!(many.ends_with("the lab's own kernel 31"), "{many}");
    }

    #[test]
    fn a_kernel_without_a_measure_is_held_to_what_the_rubric_declares() {
        let on = |longest, all| JudgedRow {
            row: harness::Record {
                grid: Some("40".into()),
                block: Some("256".into()),
                ..counted(row(longest, 32 * all, false).row, &[("instructions", all), ("launches", 1)])
            },
            work: None,
            ..row(longest, 32 * all, false)
        };
        let declared = "warp_work = 20";
        assert_eq!(said(&on(660, 35_700), declared), None);
        let long = said(&on(661, 35_700), declared).unwrap();
        assert!(
            long.starts_with("one warp executes 661 instructions at n = 1000 (c), a right kernel about 20"),
            "{long}"
        );
        let all = said(&on(660, 35_701), declared).unwrap();
        assert_eq!(all, "all warps execute 35701 instructions at n = 1000 (c), a right kernel about 6400");
        assert_eq!(said(&on(60_000, 35_701), ""), None);
    }

    #[test]
    fn an_answer_that_takes_too_little_work_is_no_answer() {
        let least = "least_work = \"4 * launches * n\"";
        assert_eq!(said(&row(31, 8_000, false), least), None);
        let less = said(&row(31, 7_999, false), least).unwrap();
        assert_eq!(less, "all threads execute 7999 instructions at n = 1000 (c), and the work takes 8000 at least");
    }
}
