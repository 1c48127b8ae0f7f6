//! Marks as `JUnit`'s XML, for continuous integration: one suite per submission, one case per criterion. A lost
//! criterion is a failure, one that could not be judged an error, and one that is not measured skipped.
use quick_junit::{NonSuccessKind, Report, SerializeError, TestCase, TestCaseStatus, TestSuite};

use super::mark_text::of_criterion;
use crate::judge::marks::marked::{Criterion, Marked, State};

/// Formats the marks of each submission.
///
/// # Errors
/// When the XML cannot be written.
pub fn junit(all: &[Marked], explains: bool) -> Result<String, SerializeError> {
    let mut report = Report::new("warplab grade");
    for marked in all {
        let mut suite = TestSuite::new(marked.submission.as_str());
        for part in &marked.parts {
            for criterion in &part.criteria {
                let mut case = TestCase::new(criterion.name(), status(criterion, explains));
                case.set_classname(format!("{}.{}", marked.lab, part.name));
                suite.add_test_case(case);
            }
        }
        if let Some(fault) = &marked.fault {
            suite.set_system_out(fault.as_str());
        }
        report.add_test_suite(suite);
    }
    Ok(report.to_string()?.split_inclusive('\n').map(skipped).collect())
}

/// Renames the attribute with a suite's number of skipped cases to the name in Jenkins' schema. Lines of text and of
/// attributes never begin with a tag.
fn skipped(line: &str) -> String {
    if line.trim_start().starts_with("<testsuite ") {
        line.replacen(" disabled=\"", " skipped=\"", 1)
    } else {
        line.to_string()
    }
}

fn status(criterion: &Criterion, explains: bool) -> TestCaseStatus {
    let mut status = match criterion.state {
        State::Earned => return TestCaseStatus::success(),
        State::NotMeasured => TestCaseStatus::skipped(),
        State::Lost => TestCaseStatus::non_success(NonSuccessKind::Failure),
        State::Unjudged => TestCaseStatus::non_success(NonSuccessKind::Error),
    };
    status.set_message(criterion.words.as_str());
    if criterion.state != State::NotMeasured {
        status.set_type(criterion.kind.word()).set_description(of_criterion(criterion, explains));
    }
    status
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use quick_xml::{
        Reader,
        events::{BytesStart, Event},
    };

    use super::super::sample::sample;
    use super::*;

    /// What Jenkins' XSD (junit-10.xsd of its xUnit plugin) allows: an element's attributes, its required attributes,
    /// and its child elements.
    type Element = (&'static str, &'static [&'static str], &'static [&'static str], &'static [&'static str]);
    const ALLOWED: [Element; 7] = [
        ("testsuites", &["name", "time", "tests", "failures", "errors"], &[], &["testsuite"]),
        (
            "testsuite",
            &[
                "name",
                "tests",
                "failures",
                "errors",
                "group",
                "time",
                "skipped",
                "timestamp",
                "hostname",
                "id",
                "package",
                "file",
                "log",
                "url",
            ],
            &["name", "tests", "failures", "errors"],
            &["testsuite", "properties", "testcase", "system-out", "system-err"],
        ),
        (
            "testcase",
            &["name", "time", "classname", "group"],
            &["name"],
            &[
                "skipped",
                "error",
                "failure",
                "rerunFailure",
                "rerunError",
                "flakyFailure",
                "flakyError",
                "system-out",
                "system-err",
            ],
        ),
        ("failure", &["type", "message"], &[], &[]),
        ("error", &["type", "message"], &[], &[]),
        ("skipped", &["type", "message"], &[], &[]),
        ("system-out", &[], &[], &[]),
    ];

    /// The elements of `xml`, each with its parent's name, checked against the schema.
    fn elements(xml: &str) -> Vec<(String, HashMap<String, String>)> {
        let mut reader = Reader::from_str(xml);
        let (mut open, mut all): (Vec<String>, _) = (Vec::new(), Vec::new());
        let mut enter = |element: &BytesStart, open: &[String]| {
            let name = String::from_utf8(element.name().as_ref().to_vec()).unwrap();
            let rule = ALLOWED.iter().find(|rule| rule.0 == name).unwrap_or_else(|| panic!("no element {name}"));
            let outer = open.last().map(|outer| ALLOWED.iter().find(|rule| rule.0 == outer).unwrap());
            assert!(outer.map_or(name == "testsuites", |outer| outer.3.contains(&&*name)), "{name} in {open:?}");
            let attributes: HashMap<String, String> = element
                .attributes()
                .map(|attribute| {
                    let attribute = attribute.unwrap();
                    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
                    (text(attribute.key.as_ref()), text(&attribute.value))
                })
                .collect();
            assert!(attributes.keys().all(|key| rule.1.contains(&key.as_str())), "{name}: {attributes:?}");
            assert!(rule.2.iter().all(|key| attributes.contains_key(*key)), "{name}: {attributes:?}");
            all.push((name.clone(), attributes));
            name
        };
        loop {
            match reader.read_event().unwrap() {
                Event::Start(element) => {
                    let name = enter(&element, &open);
                    open.push(name);
                }
                Event::Empty(element) => drop(enter(&element, &open)),
                Event::End(_) => drop(open.pop()),
                Event::Eof => break,
                _ => {}
            }
        }
        all
    }

    #[test]
    fn the_xml_is_as_the_schema_wants_it_and_counts_what_it_holds() {
        let mut hostile = sample();
        hostile.submission = "<a & \"b\">\u{1b}[31m".into();
        hostile.fault = Some("\n<testsuite disabled=\"0\">\n".into());
        let xml = junit(&[sample(), hostile], true).unwrap();
        let elements = elements(&xml);
        let count = |name: &str| elements.iter().filter(|element| element.0 == name).count();
        assert_eq!((count("testsuite"), count("failure"), count("error"), count("skipped")), (2, 2, 2, 2));
        let whole = &elements[0].1;
        assert_eq!((&*whole["failures"], &*whole["errors"]), ("2", "2"));
        let suites = elements.iter().filter(|element| element.0 == "testsuite");
        assert!(suites.map(|suite| &suite.1["skipped"]).eq(["1", "1"]));
        assert!(xml.contains("testsuite disabled="), "a student's words stay as they are: {xml}");
        assert_eq!(whole["tests"], count("testcase").to_string());
        assert!(xml.contains("To raise it: try sizes") && !xml.contains("877"), "{xml}");
    }
}
