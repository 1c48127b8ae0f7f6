//! Marks as text for a teacher at a terminal, including hidden sizes.
use wire::printable::quoted;

use super::mark_text::{alike, indented, laid_out, of_alike, points};
use crate::judge::marks::marked::{Criterion, Marked, State};

/// The marks of each submission, one after the other.
pub fn text(all: &[Marked], explains: bool) -> String {
    let mut each: Vec<String> = all.iter().map(|marked| of_one(marked, explains)).collect();
    if all.len() > 1 {
        each.push(totals(all));
    }
    each.join("\n\n")
}

/// The points of all submissions, one below the other.
fn totals(all: &[Marked]) -> String {
    let row = |marked: &Marked| {
        let state = if marked.is_complete() { "" } else { "not judged in full" };
        vec![marked.submission.clone(), points(marked.points), points(marked.of), state.into()]
    };
    harness::table(&["submission", "points", "of", ""], &all.iter().map(row).collect::<Vec<_>>())
}

fn of_one(marked: &Marked, explains: bool) -> String {
    let sizes = marked.sizes.join(", ");
    let sizes = if sizes.is_empty() { sizes } else { format!(", n = {sizes}") };
    let mut blocks = vec![harness::paragraphs(&format!(
        "{}: {}\n{}, seed {}{sizes}",
        marked.submission, marked.title, marked.device, marked.seed
    ))];
    // The lines of a compiler's log quote the submission.
    let own = |words: &String| harness::paragraphs(&quoted(words, "  "));
    blocks.extend(marked.fault.iter().chain(&marked.remarks).map(own));
    let mut rows: Vec<Vec<String>> = Vec::new();
    for part in &marked.parts {
        let state = if part.unjudged.is_some() { "not judged in full" } else { "" };
        rows.push(vec![part.name.clone(), points(part.points), points(part.of), state.into()]);
    }
    rows.push(vec!["all".into(), points(marked.points), points(marked.of), String::new()]);
    blocks.push(harness::table(&["exercise", "points", "of", ""], &rows));
    if marked.fault.is_none() {
        for part in &marked.parts {
            let mut lines = Vec::new();
            let is_full = |criterion: &Criterion| criterion.state == State::Earned && criterion.points >= criterion.of;
            let shown = part.criteria.iter().filter(|criterion| explains || !is_full(criterion));
            for criteria in alike(&shown.collect::<Vec<_>>()) {
                lines.push(laid_out(&indented(&of_alike(criteria, explains))));
                let details = criteria[0].further().take(if explains { usize::MAX } else { 2 });
                lines.extend(details.map(|detail| laid_out(&indented(&indented(&detail.text)))));
            }
            if !lines.is_empty() {
                blocks.push(format!("{}:\n{}", part.name, lines.join("\n")));
            }
        }
    }
    if !marked.is_complete() {
        blocks.push("Some of it could not be judged here: these points are preliminary.".into());
    }
    blocks.join("\n\n")
}

#[cfg(test)]
mod tests {
    use super::super::sample::sample;
    use super::*;

    #[test]
    fn no_line_is_wider_than_the_reader_has_room_for() {
        let mut marked = sample();
        let criterion = &mut marked.parts[0].criteria[1];
        criterion.words = format!("wrong: {}", "word ".repeat(60));
        criterion.raise = criterion.words.clone();
        criterion.details[0].text = criterion.words.replace("wrong", "n = 33");
        let text = text(&[marked], true);
        assert!(text.lines().all(|line| line.len() <= 160), "{text}");
        assert!(text.matches("\n      word").count() >= 2, "{text}");
    }

    #[test]
    fn a_teacher_sees_points_reasons_and_hidden_sizes() {
        let text = text(&[sample()], true);
        for words in
            ["50", "name it so", "wrong at a hidden one", "n = 877", "To raise it: try sizes", "not judged in full"]
        {
            assert!(text.contains(words), "no {words} in {text}");
        }
        assert!(!super::text(&[sample()], false).contains("To raise it"));
        let last = |all: &[Marked]| super::text(all, false).lines().last().unwrap().to_string();
        assert!(last(&[sample(), sample()]).trim().starts_with("ada.zip"), "{}", last(&[sample(), sample()]));
        assert!(!last(&[sample()]).contains("ada.zip"));
    }
}
