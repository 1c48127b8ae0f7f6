//! The text about the result of a check: one thing at a time.
use std::path::Path;

use wire::printable::quoted;

use super::{
    Checked, Workspace, diagnostics,
    exercise_status::{ExerciseStatus, Wrong},
    memory::Memory,
    missed::Missed,
};
use crate::{
    assignment::rubric::Exercise,
    export::mark_text::laid_out,
    judge::{marks::plain, verdict::ITS_SIZE},
    student::to_do::{ToDo, to_do},
};

/// The most lines shown of the kernels' output; the rest are counted.
const PRINTED: usize = 20;

/// The most failures shown of one exercise; the rest are counted.
const FAILURES: usize = 2;

/// The result as text.
pub fn words(workspace: &Workspace, checked: &Checked, watches: bool) -> String {
    let mut blocks = Vec::new();
    if !checked.warnings.is_empty() {
        blocks.push(diagnostics::shown(&checked.warnings, &checked.source));
    }
    blocks.push(progress(workspace, checked));
    let open = to_do(&checked.source.cuda);
    for (index, status) in &checked.exercises {
        let exercise = workspace.exercise(*index);
        let mark = open.iter().find(|mark| mark.exercise == exercise.name);
        blocks.extend(block(workspace, (*index, exercise), status, mark, checked.exercises.len() == 1));
    }
    blocks.extend(printed(workspace, checked));
    blocks.push(next(workspace, checked, watches));
    blocks.join("\n\n")
}

/// The kernels' output for the exercise at hand, at the size that the answer mentions.
fn printed(workspace: &Workspace, checked: &Checked) -> Option<String> {
    let at_hand = checked.exercises.iter().find(|(_, status)| !status.is_right());
    let (index, status) = at_hand.or(checked.exercises.last())?;
    let smallest = workspace.rubric.sizes.visible.first().copied();
    let size = if let ExerciseStatus::Wrong(wrong) = status { wrong.size } else { smallest };
    let exercise = workspace.exercise(*index);
    let text = plain(&checked.printed.at(&exercise.variants, size)?);
    let at = at(workspace, exercise, size);
    let mut lines: Vec<String> = vec![format!("At {at}, your kernel printed:")];
    lines.extend(shortened(&text));
    Some(lines.join("\n"))
}

/// The first lines of the output, each with the number of its repetitions in a row: every case and every order of warps
/// and blocks prints it again.
fn shortened(text: &str) -> Vec<String> {
    let all: Vec<&str> = text.lines().collect();
    let runs: Vec<&[&str]> = all.chunk_by(|one, next| one == next).collect();
    let shown = runs.iter().take(PRINTED).map(|same| match same.len() {
        1 => format!("  {}", same[0]),
        times => format!("  {}   ({times} times)", same[0]),
    });
    shown.chain((runs.len() > PRINTED).then(|| "  and more".into())).collect()
}

/// A hint, and the number of all hints.
pub fn hint(exercise: &Exercise, index: usize) -> String {
    let all = exercise.hints.len();
    let text = format!("Hint {} of {all} for exercise `{}`: {}", index + 1, exercise.name, exercise.hints[index]);
    harness::paragraphs(&text)
}

/// How many exercises are right, and which of them are new.
fn progress(workspace: &Workspace, checked: &Checked) -> String {
    let all = workspace.rubric.exercises.len();
    let right = checked.exercises.iter().filter(|(_, status)| status.is_right()).count();
    let mut lines = Vec::new();
    // A single requested exercise says nothing about the others.
    let is_from_first = checked.exercises.iter().zip(0..).all(|((index, _), place)| *index == place);
    if is_from_first {
        let tried = checked.exercises.len();
        let bar = "#".repeat(right) + &".".repeat(tried - right) + &"?".repeat(all - tried);
        let how = if tried == all { of_all(right, all) } else { as_far_as_tried(right, tried, all) };
        lines.push(format!("{}\n[{bar}] {how}", workspace.rubric.title));
    } else {
        lines.push(workspace.rubric.title.clone());
    }
    if !checked.news.is_empty() {
        let names: Vec<String> = checked.news.iter().map(|name| format!("`{name}`")).collect();
        let are = if names.len() == 1 { "is" } else { "are" };
        lines.push(format!("{} {are} right now: well done.", names.join(", ")));
    }
    harness::paragraphs(&lines.join("\n"))
}

fn of_all(right: usize, all: usize) -> String {
    let exercises = if all == 1 { "exercise" } else { "exercises" };
    let are = if right == 1 { "is" } else { "are" };
    format!("{right} of {all} {exercises} {are} right")
}

/// Progress when exercises are tried in order up to the first that is not right: the later ones are unknown.
fn as_far_as_tried(right: usize, tried: usize, all: usize) -> String {
    let right = match right {
        0 => "no exercise is right yet".into(),
        1 => "exercise 1 is right".into(),
        more => format!("exercises {} are right", range(1, more)),
    };
    let untried = if tried + 1 == all { format!("{all} is") } else { format!("{} are", range(tried + 1, all)) };
    format!("{right}; {untried} not tried yet (`--all`)")
}

/// A range of at least two exercises.
fn range(first: usize, last: usize) -> String {
    let to = if last - first == 1 { "and" } else { "to" };
    format!("{first} {to} {last}")
}

/// The text about one exercise; `None` if it is right, unless it is the only one.
fn block(
    workspace: &Workspace,
    (index, exercise): (usize, &Exercise),
    status: &ExerciseStatus,
    mark: Option<&ToDo>,
    is_only: bool,
) -> Option<String> {
    let file = workspace.kernel.display();
    let name = format!("Exercise {} of {}, `{}`", index + 1, workspace.rubric.exercises.len(), exercise.name);
    let (title, mut lines) = match status {
        ExerciseStatus::Right(remarks) if is_only => (format!("{name}, is right."), counters(remarks)),
        ExerciseStatus::Right(_) => return None,
        ExerciseStatus::Wrong(wrong) => wrong_words(&name, wrong, &at(workspace, exercise, wrong.size)),
        ExerciseStatus::Beyond(missed, remarks) => {
            let mut lines: Vec<String> = missed.iter().flat_map(missed_words).collect();
            lines.extend(counters(remarks));
            let what = if missed.iter().all(|missed| missed.is_counter) {
                "its counters are beyond their goals"
            } else {
                "it does not use the instruction that is required"
            };
            (format!("{name}, has the right answers, but {what}."), lines)
        }
        ExerciseStatus::Missing(kernels) => {
            let as_handed_out = "write each as extern \"C\" __global__ void NAME(...), with the parameters handed out";
            (format!("{name}: {file} has no kernel {}.", kernels.join(", ")), vec![as_handed_out.into()])
        }
        ExerciseStatus::Unjudged(why) => (format!("{name}, cannot be judged here."), vec![why.clone()]),
    };
    let title = match mark {
        Some(mark) if !status.is_right() => {
            lines.insert(0, mark.words.clone());
            let how = title.strip_prefix(&format!("{name}, ")).map_or(String::new(), |how| format!(" It {how}"));
            format!("{name}, is to be done: {file}:{}.{how}", mark.line)
        }
        _ => title,
    };
    let lines: Vec<String> = lines.iter().map(|line| quoted(line, "  ")).collect();
    let mut text = harness::paragraphs(&std::iter::once(title).chain(lines).collect::<Vec<_>>().join("\n"));
    // The report of a finding has its own layout.
    if let ExerciseStatus::Wrong(Wrong { findings, .. }) = status
        && let Some(first) = findings.first()
    {
        text += &format!("\n\n{}", laid_out(&first.text));
        if findings.len() > 1 {
            text += &format!("\n\n  and {} more to find after this one", findings.len() - 1);
        }
    }
    Some(text)
}

/// The size, in words; `its own size` for an exercise whose variants take no size.
fn at(workspace: &Workspace, exercise: &Exercise, size: Option<usize>) -> String {
    match size {
        Some(_) if exercise.variants.iter().all(|variant| !workspace.lab.takes("n", variant)) => ITS_SIZE.into(),
        Some(n) => format!("n = {n}"),
        None => "the quick size".into(),
    }
}

fn wrong_words(name: &str, wrong: &Wrong, at: &str) -> (String, Vec<String>) {
    let there = if at == ITS_SIZE { String::new() } else { format!(" at {at}") };
    let title = if wrong.failures.is_empty() {
        format!("{name}, is right{there} only by luck: a check has found a mistake.")
    } else {
        format!("{name}, is wrong{there}.")
    };
    // If all cases fail in the same way, it is said once.
    if let [first, rest @ ..] = &wrong.failures[..]
        && !rest.is_empty()
        && rest.iter().all(|event| event.what == first.what)
    {
        return (title, vec![first.what.clone()]);
    }
    let shown = wrong.failures.iter().take(FAILURES).map(|event| {
        // The title already contains the size.
        let case = event.place.strip_prefix(at).unwrap_or(&event.place).trim();
        if case.is_empty() { event.what.clone() } else { format!("{case} {}", event.what) }
    });
    let mut lines: Vec<String> = shown.collect();
    match wrong.failures.len().saturating_sub(FAILURES) {
        0 => (),
        1 => lines.push("and one more case".into()),
        more => lines.push(format!("and {more} more cases")),
    }
    (title, lines)
}

fn missed_words(missed: &Missed) -> [String; 2] {
    [missed.counted.clone(), format!("goal: {}", missed.goal)]
}

fn counters(remarks: &[String]) -> Vec<String> {
    remarks.iter().map(|remark| format!("counters: {remark}")).collect()
}

/// The next step for the student.
fn next(workspace: &Workspace, checked: &Checked, watches: bool) -> String {
    let folder =
        if workspace.folder == Path::new(".") { String::new() } else { format!(" {}", workspace.folder.display()) };
    let text = match checked.at_hand() {
        None if checked.exercises.len() == workspace.rubric.exercises.len() => format!(
            "Next: `warplab submit{folder}` makes the archive to hand in. It is marked at further sizes and with other inputs."
        ),
        None => format!("Next: `warplab check{folder}` goes on with the first exercise that is not right."),
        Some(index) => {
            let exercise = workspace.exercise(index);
            let again = if watches { "save it" } else { &format!("run `warplab check{folder}` again") };
            let left = exercise.hints.len()
                - Memory::read(&workspace.folder).hints.get(&exercise.name).map_or(0, |n| *n).min(exercise.hints.len());
            let hint = match (left, exercise.hints.len()) {
                (_, 0) => String::new(),
                (0, _) => format!(" `warplab check{folder} --hint` shows the last hint again."),
                (1, _) => format!(" `warplab check{folder} --hint` gives a hint: one is left."),
                (left, _) => format!(" `warplab check{folder} --hint` gives a hint: {left} are left."),
            };
            format!("Next: change exercise `{}` of {}, and {again}.{hint}", exercise.name, workspace.kernel.display())
        }
    };
    harness::paragraphs(&text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_printed_again_and_again_is_a_line_with_its_number() {
        assert_eq!(shortened("n is 1\nn is 1\nn is 1\nend\n"), ["  n is 1   (3 times)", "  end"]);
        let many = (0..=PRINTED).map(|i| i.to_string()).collect::<Vec<_>>().join("\n");
        assert_eq!(shortened(&many).len(), PRINTED + 1);
        assert_eq!(shortened(&many).last().unwrap(), "  and more");
    }

    #[test]
    fn two_parts_are_named_and_more_have_a_range() {
        assert_eq!(as_far_as_tried(0, 1, 5), "no exercise is right yet; 2 to 5 are not tried yet (`--all`)");
        assert_eq!(as_far_as_tried(2, 3, 5), "exercises 1 and 2 are right; 4 and 5 are not tried yet (`--all`)");
        assert_eq!(as_far_as_tried(3, 4, 5), "exercises 1 to 3 are right; 5 is not tried yet (`--all`)");
    }
}
