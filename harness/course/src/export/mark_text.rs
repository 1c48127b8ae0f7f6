//! Wording that several formats share. It is for students and reveals no hidden size.
use crate::judge::marks::marked::{Criterion, ExerciseMark, State};

/// A number of points, with as many digits as it needs.
pub fn points(points: f64) -> String {
    let text = format!("{points:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

/// The outcome of a criterion, in one or more lines, with how to improve it if `explains`.
pub fn of_criterion(criterion: &Criterion, explains: bool) -> String {
    of_alike(&[criterion], explains)
}

/// Like [`of_criterion`], for criteria that are [`alike`].
pub fn of_alike(criteria: &[&Criterion], explains: bool) -> String {
    let [first, ..] = criteria else {
        return String::new();
    };
    let of = points(criteria.iter().map(|criterion| criterion.of).sum());
    let counts = match first.state {
        State::NotMeasured => String::new(),
        State::Unjudged => format!(" (? of {of})"),
        _ => format!(" ({} of {of})", points(criteria.iter().map(|criterion| criterion.points).sum())),
    };
    let mut names: Vec<String> = criteria.iter().map(|criterion| criterion.name()).collect();
    names.dedup();
    let mut text = format!("{}{counts}: {}", names.join(", "), first.words);
    if explains && !first.raise.is_empty() {
        text += &format!("\n  To raise it: {}", first.raise);
    }
    text
}

/// Groups neighbors with the same text, such as "awarded only if the answers are right".
pub fn alike<'a>(criteria: &'a [&'a Criterion]) -> impl Iterator<Item = &'a [&'a Criterion]> {
    criteria.chunk_by(|one, other| {
        (one.state, &one.words, &one.raise) == (other.state, &other.words, &other.raise)
            && one.details.is_empty()
            && other.details.is_empty()
    })
}

/// The outcome of a part, one paragraph per criterion, with the details at known sizes.
pub fn of_part(part: &ExerciseMark, explains: bool) -> String {
    let criteria: Vec<&Criterion> = part.criteria.iter().collect();
    let each = alike(&criteria).map(|criteria| {
        let shown = criteria[0].further().filter(|detail| !detail.is_hidden).take(3);
        let details = shown.map(|detail| format!("\n{}", indented(&detail.text)));
        of_alike(criteria, explains) + &details.collect::<String>()
    });
    each.collect::<Vec<_>>().join("\n")
}

/// Indents each line by two columns.
pub fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n")
}

/// Wraps the text at the reader's width. In the report of a finding, source lines are not wrapped.
pub fn laid_out(text: &str) -> String {
    let is_report = text.contains("--> ");
    let line = |line: &str| {
        let begins = line.trim_start();
        let is_source = begins.starts_with("--> ") || begins.starts_with(|c: char| c.is_ascii_digit());
        match begins.strip_prefix('|') {
            Some(marks) if is_report => marked(line, marks),
            None if is_report && is_source => line.to_string(),
            _ => harness::paragraphs(line),
        }
    };
    text.trim_end().lines().map(line).collect::<Vec<_>>().join("\n")
}

/// The last column at which the text of a mark is wrapped; further right there is too little room.
const FAR: usize = 40;

/// Wraps a report line that marks a place in the source line above; the bar at its left continues in each line.
fn marked(line: &str, marks: &str) -> String {
    let bar = line.len() - marks.len() - 1;
    let column = line.len() - marks.trim_start().len();
    if !marks.trim_start().starts_with('^') || column > FAR {
        return line.to_string();
    }
    let words = harness::paragraphs(&format!("{}{}", " ".repeat(column), marks.trim_start()));
    let lines = words.lines().map(|words| format!("{}|{}", &line[..bar], &words[bar + 1..]));
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::marks::marked::CriterionKind;

    /// The width that is used at most, on a very wide terminal.
    const WIDEST: usize = 160;

    #[test]
    fn a_report_takes_the_readers_width_and_a_line_of_source_stays() {
        let source = format!("8 | {}", "x + ".repeat(60));
        let note = format!("   = note: {}", "word ".repeat(60));
        let head = "error: Race\n  --> a.cu:8:1 in k";
        let marked = format!("   |     ^ {}", "write ".repeat(60));
        for by in ["", "    "] {
            let report: Vec<String> =
                [head, &source, &marked, &note].iter().map(|text| format!("{by}{text}")).collect();
            let text = laid_out(&format!("{}\n\n", report.join("\n")));
            let lines: Vec<&str> = text.lines().collect();
            assert_eq!(lines[2], format!("{by}{source}"));
            assert!(lines.len() > 6 && lines[3..].iter().all(|line| line.len() <= WIDEST), "{text}");
            assert!(lines[4].starts_with(&format!("{by}   |       write")), "{text}");
            assert!(lines.last().unwrap().starts_with(&format!("{by}     word")), "{text}");
        }
    }

    #[test]
    fn what_is_to_be_said_of_several_criteria_is_said_once() {
        let mut part = super::super::sample::sample().parts.remove(0);
        let right = Criterion { details: Vec::new(), ..part.criteria[1].clone() };
        let clean = Criterion { words: "counts only where".into(), raise: String::new(), ..right.clone() };
        let goal = Criterion { kind: CriterionKind::Goal, counter: Some("lanes".into()), ..clean.clone() };
        part.criteria = vec![right, clean, goal.clone(), goal];
        let text = of_part(&part, true);
        assert!(text.ends_with("\nclean, goal: lanes (0 of 150): counts only where"), "{text}");
        assert_eq!(text.lines().count(), 3, "{text}");
    }

    #[test]
    fn a_sentence_takes_the_readers_width() {
        let text = laid_out(&format!("  right: {}\n    To raise it: {}", "word ".repeat(60), "word ".repeat(60)));
        assert!(text.lines().all(|line| line.len() <= WIDEST && line.starts_with("  ")), "{text}");
        assert!(text.lines().count() > 4 && text.lines().last().unwrap().starts_with("      word"), "{text}");
    }
}
