//! Marks as the `results.json` of a Gradescope autograder:
//! <https://gradescope-autograders.readthedocs.io/en/latest/specs/>. The text shown to a student reveals no hidden
//! size; the seed and the sizes are in `extra_data`, which is not shown.
use serde::Serialize;
use serde_json::{Value, json};

use super::mark_text::{of_criterion, of_part, points};
use crate::judge::marks::marked::{Criterion, ExerciseMark, Marked, State};

/// A test, as Gradescope shows it: a criterion of a part.
#[derive(Serialize)]
struct Test {
    /// Omitted if unknown, which differs from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_score: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<&'static str>,
    name: String,
    name_format: &'static str,
    number: String,
    output: String,
    output_format: &'static str,
    visibility: &'static str,
}

/// The file's text.
pub fn results(marked: &Marked, explains: bool) -> String {
    let tests: Vec<Test> = marked.parts.iter().zip(1..).flat_map(|(part, at)| part_tests(part, at, explains)).collect();
    let mut output = format!("{}: {} of {} points", marked.title, points(marked.points), points(marked.of));
    for words in marked.fault.iter().chain(&marked.remarks) {
        output += &format!("\n\n{words}");
    }
    if !marked.is_complete() {
        output += "\n\nSome of it could not be judged here: ask your teacher to grade it again.";
    }
    let results = json!({
        "output": output,
        "output_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "tests": tests,
        "leaderboard": leaderboard(marked),
        "extra_data": { "seed": marked.seed, "sizes": marked.sizes, "device": marked.device },
    });
    serde_json::to_string_pretty(&results).unwrap_or_default()
}

fn part_tests(part: &ExerciseMark, at: u32, explains: bool) -> Vec<Test> {
    let test = |(criterion, index): (&Criterion, u32)| {
        let is_known = matches!(criterion.state, State::Earned | State::Lost);
        // The first criterion of a part shows its details.
        let whole = ExerciseMark { criteria: vec![criterion.clone()], ..part.clone() };
        Test {
            score: is_known.then_some(criterion.points),
            max_score: is_known.then_some(criterion.of),
            status: match criterion.state {
                State::Earned => Some("passed"),
                State::Lost | State::Unjudged => Some("failed"),
                State::NotMeasured => None,
            },
            name: format!("{}: {}", part.name, criterion.name()),
            name_format: "text",
            number: format!("{at}.{index}"),
            output: if explains { of_part(&whole, true) } else { of_criterion(criterion, false) },
            output_format: "text",
            visibility: "visible",
        }
    };
    part.criteria.iter().zip(1..).map(test).collect()
}

/// The points, and each speed that was measured.
fn leaderboard(marked: &Marked) -> Vec<Value> {
    let mut entries = vec![json!({ "name": "points", "value": marked.points, "order": "desc" })];
    for part in &marked.parts {
        let measured = part.criteria.iter().filter_map(|criterion| criterion.measured);
        entries.extend(measured.map(|speed| json!({ "name": format!("speed: {}", part.name), "value": speed })));
    }
    entries
}

#[cfg(test)]
mod tests {
    use boon::{Compiler, Schemas};

    use super::super::sample::sample;
    use super::*;

    /// What the schema says of a `results.json`.
    fn check(results: &Value) -> Result<(), String> {
        let schema = serde_json::from_str(include_str!("../../schemas/gradescope.schema.json")).unwrap();
        let (mut schemas, mut compiler) = (Schemas::new(), Compiler::new());
        compiler.add_resource("results.json", schema).unwrap();
        let index = compiler.compile("results.json", &mut schemas).unwrap();
        schemas.validate(results, index).map_err(|error| format!("{error:#}"))
    }

    #[test]
    fn the_file_is_as_the_schema_wants_it_and_tells_no_hidden_size() {
        for explains in [false, true] {
            let text = results(&sample(), explains);
            let results: Value = serde_json::from_str(&text).unwrap();
            check(&results).unwrap();
            let mut shown = results.clone();
            assert_eq!(shown.as_object_mut().unwrap().remove("extra_data").unwrap()["sizes"][1], "877");
            assert!(!shown.to_string().contains("877"), "{shown}");
            let scores = |key: &str| -> f64 {
                results["tests"].as_array().unwrap().iter().filter_map(|test| test[key].as_f64()).sum()
            };
            assert_eq!((scores("score"), scores("max_score")), (50.0, 100.0), "{results}");
        }
    }

    #[test]
    fn what_could_not_be_judged_has_no_score() {
        let results: Value = serde_json::from_str(&results(&sample(), false)).unwrap();
        let tests = results["tests"].as_array().unwrap();
        let unjudged = tests.iter().find(|test| test["name"] == "stride: right").unwrap();
        assert_eq!((&unjudged["score"], &unjudged["status"]), (&Value::Null, &"failed".into()), "{unjudged}");
        assert!(results["output"].as_str().unwrap().contains("could not be judged"), "{results}");
    }

    #[test]
    fn the_schema_rejects_what_gradescope_would() {
        for (key, value) in [
            ("stdout_visibility", json!("public")),
            ("tests", json!([{ "score": "1" }])),
            ("tests", json!([{ "status": "skipped" }])),
            ("tests", json!([{ "output_format": "xml" }])),
            ("leaderboard", json!([{ "value": 1 }])),
            ("leaderboard", json!([{ "name": "a", "value": 1, "order": "up" }])),
            ("score", json!("all")),
            ("marks", json!(1)),
        ] {
            let mut results: Value = serde_json::from_str(&results(&sample(), true)).unwrap();
            results[key] = value;
            assert!(check(&results).is_err(), "{key}: {}", results[key]);
        }
    }
}
