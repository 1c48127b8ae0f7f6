//! The speed of a right exercise on a GPU.
use harness::{Record, Verdict};

use super::marked::{Criterion, CriterionKind};
use crate::{assignment::rubric::Speed, judge::run::Timed};

/// Judges the speed of a right exercise.
pub fn speed(speed: &Speed, timed: &Result<Timed, String>) -> Criterion {
    let of = if speed.of == "ceiling" { "the ceiling".into() } else { format!("the speed of `{}`", speed.of) };
    let timed = match timed {
        Ok(timed) => timed,
        Err(why) => return Criterion::unjudged(CriterionKind::Speed, speed.points, why),
    };
    // It was right at small sizes, but a timed run is wrong.
    if let Some(wrong) = timed.mine.iter().find(|row| matches!(row.verdict, Verdict::Fail | Verdict::Finding)) {
        let case = if wrong.case.is_empty() { String::new() } else { format!(" ({})", wrong.case) };
        let words = format!("wrong where it was timed{case}: {}", wrong.note);
        return Criterion::lost(CriterionKind::Speed, speed.points, words, "make it right at the size that is timed");
    }
    let fraction = if speed.of == "ceiling" { of_ceiling(&timed.mine) } else { of_variant(&timed.mine, &timed.theirs) };
    let Some(fraction) = fraction else {
        return Criterion::unjudged(CriterionKind::Speed, speed.points, "nothing was timed that can be compared");
    };
    let (percent, least) = (100.0 * fraction, 100.0 * speed.fraction);
    let criterion = if fraction >= speed.fraction {
        Criterion::earned(
            CriterionKind::Speed,
            speed.points,
            format!("{percent:.0} % of {of}; {least:.0} % are required"),
        )
    } else {
        Criterion::lost(
            CriterionKind::Speed,
            speed.points,
            format!("{percent:.0} % of {of}, where {least:.0} % are required"),
            format!("it must be {:.2} times as fast", speed.fraction / fraction),
        )
    };
    Criterion { measured: Some(fraction), ..criterion }
}

/// The smallest fraction of the ceiling that any row reaches.
fn of_ceiling(rows: &[Record]) -> Option<f64> {
    least(measured(rows).filter_map(|row| Some(row.percent_of_ceiling? / 100.0)))
}

/// The smallest speed of the rows as a fraction of that of the same case in `theirs`: the same work in another time. If
/// no case has the same name, the fastest row of the same n is used.
fn of_variant(mine: &[Record], theirs: &[Record]) -> Option<f64> {
    let median = |row: &Record| row.times.as_ref().map(|times| times.median).filter(|median| *median > 0.0);
    least(measured(mine).filter_map(|row| {
        let same_n = || measured(theirs).filter(|other| other.n == row.n);
        let same_case = least(same_n().filter(|other| other.case == row.case).filter_map(median));
        let theirs = same_case.or_else(|| least(same_n().filter_map(median)))?;
        Some(theirs / median(row)?)
    }))
}

fn measured(rows: &[Record]) -> impl Iterator<Item = &Record> {
    rows.iter().filter(|row| row.verdict == Verdict::Pass && row.times.is_some())
}

fn least(values: impl Iterator<Item = f64>) -> Option<f64> {
    values.min_by(f64::total_cmp)
}

#[cfg(test)]
mod tests {
    use harness::Times;

    use super::*;
    use crate::judge::marks::marked::State;

    fn row(case: &str, median: f64, percent_of_ceiling: Option<f64>) -> Record {
        let times = Times { samples: 5, throttled: 0, min: median, median, mean: median, stdev: 0.0 };
        Record {
            case: case.into(),
            n: Some(1000),
            times: Some(times),
            percent_of_ceiling,
            verdict: Verdict::Pass,
            ..Record::default()
        }
    }

    fn judged(of: &str, mine: &[Record], theirs: &[Record]) -> Criterion {
        let asked = Speed { points: 8.0, of: of.into(), fraction: 0.5, n: None };
        speed(&asked, &Ok(Timed { mine: mine.to_vec(), theirs: theirs.to_vec() }))
    }

    #[test]
    fn the_slowest_row_counts_as_a_fraction_of_the_ceiling() {
        let fast = judged("ceiling", &[row("a", 1.0, Some(90.0)), row("b", 1.0, Some(50.0))], &[]);
        assert_eq!((fast.state, fast.points, fast.measured), (State::Earned, 8.0, Some(0.5)));
        let slow = judged("ceiling", &[row("a", 1.0, Some(90.0)), row("b", 1.0, Some(40.0))], &[]);
        assert_eq!((slow.state, slow.points, slow.of), (State::Lost, 0.0, 8.0));
        assert!(slow.words.starts_with("40 % of the ceiling") && slow.raise.contains("1.25 times"), "{slow:?}");
    }

    #[test]
    fn a_speed_is_that_of_the_same_case_of_the_other_variant() {
        let theirs = [row("a", 1.0, None), row("b", 3.0, None)];
        assert_eq!(judged("fast", &[row("a", 2.0, None), row("b", 4.0, None)], &theirs).measured, Some(0.5));
        // No such case: the fastest of the same n.
        assert_eq!(judged("fast", &[row("c", 4.0, None)], &theirs).measured, Some(0.25));
        let other_n = Record { n: Some(7), ..row("a", 1.0, None) };
        assert_eq!(judged("fast", &[other_n], &theirs).state, State::Unjudged);
    }

    #[test]
    fn what_is_wrong_where_it_is_timed_has_no_speed() {
        let right = || row("sorted", 1.0, Some(90.0));
        let wrong = Record { verdict: Verdict::Fail, note: "7 of 9 wrong".into(), ..row("random", 1.0, Some(90.0)) };
        for rows in [vec![wrong.clone()], vec![right(), wrong]] {
            let lost = judged("ceiling", &rows, &[]);
            assert_eq!((lost.state, lost.points), (State::Lost, 0.0), "{lost:?}");
            assert!(lost.words.contains("(random): 7 of 9 wrong"), "{lost:?}");
        }
        assert_eq!(judged("ceiling", &[right()], &[]).state, State::Earned);
    }

    #[test]
    fn what_was_not_timed_is_not_judged() {
        let skipped = Record { verdict: Verdict::Skip, ..row("a", 1.0, Some(90.0)) };
        for rows in [vec![], vec![skipped], vec![row("a", 1.0, None)]] {
            assert_eq!(judged("ceiling", &rows, &[]).state, State::Unjudged, "{rows:?}");
        }
    }
}
