//! Marks as the result that GitHub Classroom's autograding reporter reads:
//! <https://github.com/classroom-resources/autograding-grading-reporter>. The reporter adds up the tests' scores, and
//! expects the text in base64.
use serde_json::{Value, json};

use super::mark_text::of_criterion;
use crate::judge::marks::marked::{Criterion, ExerciseMark, Marked, State};

/// The result's text.
pub fn result(marked: &Marked, explains: bool) -> String {
    let fault = marked.fault.as_ref().map_or(String::new(), |fault| format!("\n{fault}"));
    let test = |part: &ExerciseMark, criterion: &Criterion| {
        json!({
            "name": format!("{}: {}", part.name, criterion.name()),
            "status": match criterion.state {
                State::Earned | State::NotMeasured => "pass",
                State::Lost => "fail",
                State::Unjudged => "error",
            },
            "score": criterion.points,
            "max_score": criterion.of,
            "message": of_criterion(criterion, explains) + &fault,
            "test_code": "",
            "filename": "",
            "line_no": 0,
            "duration": 0,
        })
    };
    let each = |part: &'_ ExerciseMark| part.criteria.iter().map(|criterion| test(part, criterion)).collect::<Vec<_>>();
    let tests: Vec<Value> = marked.parts.iter().flat_map(each).collect();
    let status = if !marked.is_complete() {
        "error"
    } else if marked.points < marked.of {
        "fail"
    } else {
        "pass"
    };
    let result = json!({ "version": 1, "status": status, "max_score": marked.of, "tests": tests });
    serde_json::to_string_pretty(&result).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::sample::sample;
    use super::*;

    #[test]
    fn the_tests_scores_are_the_points() {
        let text = result(&sample(), true);
        let result: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(
            (&result["version"], &result["status"], &result["max_score"]),
            (&1.into(), &"error".into(), &130.0.into())
        );
        let tests = result["tests"].as_array().unwrap();
        assert_eq!(tests.iter().filter_map(|test| test["score"].as_f64()).sum::<f64>(), 50.0);
        for (index, status) in ["pass", "fail", "pass", "error"].into_iter().enumerate() {
            assert_eq!(tests[index]["status"], status, "{result}");
        }
        assert!(!text.contains("877"), "{text}");
    }
}
