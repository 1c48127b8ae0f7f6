//! Words that several formats share. They are for a student, and tell no hidden size.
use crate::mark::marked::{Criterion, PartMark, State};

/// A number of points, with as many digits as it needs.
pub fn points(points: f64) -> String {
    let text = format!("{points:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

/// What became of a criterion, in a line or several, with what would raise it if `explains`.
pub fn of_criterion(criterion: &Criterion, explains: bool) -> String {
    let counts = match criterion.state {
        State::NotMeasured => String::new(),
        State::Unjudged => format!(" (? of {})", points(criterion.of)),
        _ => format!(" ({} of {})", points(criterion.points), points(criterion.of)),
    };
    let mut text = format!("{}{counts}: {}", criterion.name(), criterion.words);
    if explains && !criterion.raise.is_empty() {
        text += &format!("\n  To raise it: {}", criterion.raise);
    }
    text
}

/// What became of a part, a paragraph a criterion, and what happened in full at known sizes.
pub fn of_part(part: &PartMark, explains: bool) -> String {
    let each = part.criteria.iter().map(|criterion| {
        let shown = criterion.further().filter(|detail| !detail.is_hidden).take(3);
        let details = shown.map(|detail| format!("\n{}", indented(&detail.text)));
        of_criterion(criterion, explains) + &details.collect::<String>()
    });
    each.collect::<Vec<_>>().join("\n")
}

/// Each line two columns further to the right.
pub fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n")
}
