//! The class as a whole, without names: it may be shown to all.
use maud::{Markup, html};

use super::{
    layout::{bar, page},
    mistakes::mistakes,
};
use crate::{
    class::sheet::{Row, Sheet},
    export::words::points,
};

/// Mistakes that are shown.
const SHOWN: usize = 25;
/// Ranges of points in the distribution.
const RANGES: usize = 10;

/// The page.
pub fn class(sheet: &Sheet) -> String {
    let graded: Vec<&Row> = sheet.graded().collect();
    let all: Vec<f64> = graded.iter().map(|row| row.points()).collect();
    let open = sheet.rows.iter().filter(|row| !row.is_settled()).count();
    let body = html! {
        p { (graded.len()) " of " (sheet.rows.len()) " submissions are graded." }
        @if open > 0 { p { (open) " of them could not be judged in full here: marks.csv says which." } }
        h2 { "Points" }
        (distribution(&all, sheet.of_all()))
        h2 { "Parts" }
        (parts(sheet, &graded))
        h2 { "Commonest mistakes" }
        (commonest(sheet))
        h2 { "Time" }
        (times(&graded))
        p .quiet { "Submissions that are much alike are listed on a page of their own, for the teacher alone." }
    };
    page(&sheet.rubric.title, &body)
}

fn distribution(all: &[f64], most: f64) -> Markup {
    let range = |points: f64| ((points / most.max(f64::MIN_POSITIVE) * RANGES as f64) as usize).min(RANGES - 1);
    let count = |place: usize| all.iter().filter(|points| range(**points) == place).count();
    let edge = |place: usize| points(most * place as f64 / RANGES as f64);
    html! {
        table {
            @for place in (0..RANGES).rev() {
                tr {
                    td { (edge(place)) " to " (edge(place + 1)) }
                    td .n { (count(place)) }
                    td { (bar(count(place), all.len())) }
                }
            }
        }
    }
}

fn parts(sheet: &Sheet, graded: &[&Row]) -> Markup {
    html! {
        table {
            tr { th { "part" } th .n { "of" } th .n { "mean" } th .n { "all" } th .n { "some" } th .n { "none" } th {} }
            @for (place, part) in sheet.rubric.parts.iter().enumerate() {
                @let cells = || graded.iter().map(|row| &row.parts[place]);
                @let all = cells().filter(|cell| cell.points >= cell.of).count();
                @let none = cells().filter(|cell| cell.points <= 0.0).count();
                tr {
                    td { (part.name) }
                    td .n { (cells().next().map_or(String::new(), |cell| points(cell.of))) }
                    td .n { (points(cells().map(|cell| cell.points).sum::<f64>() / graded.len().max(1) as f64)) }
                    td .n { (all) }
                    td .n { (graded.len() - all - none) }
                    td .n { (none) }
                    td { (bar(all, graded.len())) }
                }
            }
        }
    }
}

fn commonest(sheet: &Sheet) -> Markup {
    let mistakes = mistakes(sheet);
    html! {
        @if mistakes.is_empty() { p { "None." } } @else {
            table {
                tr { th .n { "how many" } th { "part" } th { "what, for one of them" } }
                @for mistake in mistakes.iter().take(SHOWN) {
                    tr {
                        td .n { (mistake.count) }
                        td { (mistake.part) }
                        td { (mistake.words) @for line in &mistake.lines { pre { (line) } } }
                    }
                }
            }
            @if mistakes.len() > SHOWN { p { "And " (mistakes.len() - SHOWN) " more." } }
        }
    }
}

fn times(graded: &[&Row]) -> Markup {
    let mut seconds: Vec<f64> = graded.iter().filter_map(|row| Some(row.record?.seconds)).collect();
    seconds.sort_by(f64::total_cmp);
    let median = seconds.get(seconds.len() / 2).copied().unwrap_or(0.0);
    let longest = seconds.last().copied().unwrap_or(0.0);
    html! {
        p {
            "Grading one took " (format!("{median:.1}")) " s (median), " (format!("{longest:.1}")) " s at most, and "
            (format!("{:.1}", seconds.iter().sum::<f64>() / 60.0)) " min for all, if one came after the other."
        }
    }
}
