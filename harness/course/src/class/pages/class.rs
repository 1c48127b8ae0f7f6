//! The page about the class as a whole, without names, which may be shown to everyone.
use maud::{Markup, html};

use super::{
    layout::{bar, page},
    mistakes::mistakes,
};
use crate::{
    class::sheet::{Sheet, SheetRow, mean_and_median},
    export::mark_text::points,
};

/// The most mistakes shown.
const SHOWN: usize = 25;
/// The number of ranges of points in the distribution.
const RANGES: usize = 10;

/// The page.
pub fn class(sheet: &Sheet) -> String {
    let graded: Vec<&SheetRow> = sheet.graded().collect();
    let all: Vec<f64> = graded.iter().map(|row| row.points()).collect();
    let open = sheet.rows.iter().filter(|row| !row.is_settled()).count();
    let body = html! {
        p { (graded.len()) " of " (sheet.rows.len()) " submissions are graded." }
        @if open > 0 { p { (open) " of them could not be judged in full here: marks.csv says which." } }
        h2 { "Points" }
        @if let Some((mean, median)) = mean_and_median(&all) {
            p { "Mean " (points(mean)) ", median " (points(median)) " of " (points(sheet.of_all())) " points." }
        }
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
            tr { th { "points" } th .n { "how many" } th .bars { "of all" } }
            @for place in (0..RANGES).rev() {
                tr {
                    // Points on an edge count in the range above it.
                    td .n { (edge(place)) @if place + 1 < RANGES { " to under " } @else { " to " } (edge(place + 1)) }
                    td .n { (count(place)) }
                    td .bars { (bar(count(place) as f64, all.len() as f64)) }
                }
            }
        }
    }
}

fn parts(sheet: &Sheet, graded: &[&SheetRow]) -> Markup {
    html! {
        div .wide { table {
            tr {
                th { "part" }
                th .n { "mean" }
                th .n { "of" }
                th .bars { "mean, of the points" }
                th .n { "all points" }
                th .n { "some" }
                th .n { "none" }
            }
            @for (place, part) in sheet.rubric.exercises.iter().enumerate() {
                @let cells = || graded.iter().map(|row| &row.parts[place]);
                @let all = cells().filter(|cell| cell.points >= cell.of).count();
                @let none = cells().filter(|cell| cell.points <= 0.0).count();
                @let of = cells().next().map_or(0.0, |cell| cell.of);
                @let mean = cells().map(|cell| cell.points).sum::<f64>() / graded.len().max(1) as f64;
                tr {
                    td { (part.name) }
                    td .n { (points(mean)) }
                    td .n { (points(of)) }
                    td .bars { (bar(mean, of)) }
                    td .n { (all) }
                    td .n { (graded.len() - all - none) }
                    td .n { (none) }
                }
            }
        } }
    }
}

fn commonest(sheet: &Sheet) -> Markup {
    let mistakes = mistakes(sheet);
    html! {
        @if mistakes.is_empty() { p { "None." } } @else {
            div .wide { table {
                tr { th .n { "how many" } th { "part" } th { "what, for one of them" } }
                @for mistake in mistakes.iter().take(SHOWN) {
                    tr {
                        td .n { (mistake.count) }
                        td { (mistake.part) }
                        td .words { (mistake.words) @for line in &mistake.lines { pre { (line) } } }
                    }
                }
            } }
            @if mistakes.len() > SHOWN { p { "And " (mistakes.len() - SHOWN) " more." } }
        }
    }
}

fn times(graded: &[&SheetRow]) -> Markup {
    let mut seconds: Vec<f64> = graded.iter().filter_map(|row| Some(row.record?.seconds)).collect();
    seconds.sort_by(f64::total_cmp);
    let median = seconds.get(seconds.len() / 2).copied().unwrap_or(0.0);
    let longest = seconds.last().copied().unwrap_or(0.0);
    html! {
        p {
            "Grading one took " (format!("{median:.1}")) " s (median), " (format!("{longest:.1}")) " s at most, and "
            (format!("{:.1}", seconds.iter().sum::<f64>() / 60.0)) " min for all, one after the other."
        }
    }
}
