//! The published schemas of all JSON that is written or read here, in `reports/schemas`. `UPDATE_EXPECTED=1 cargo test
//! -p report --lib schemas` regenerates them; the crate `record` has those of what it reads and writes.
use std::{collections::BTreeMap, path::PathBuf};

use boon::{Compiler, Schemas};
use record::{LabRows, Run, fixtures::row};
use schemars::{Schema, schema_for};
use serde_json::{Value, json};

use crate::{
    compare::{self, Comparison, Thresholds},
    history::{
        self, History,
        find::Found,
        services::{BencherValue, GithubValue, bencher, github},
    },
};

fn published() -> [(&'static str, Schema); 4] {
    [
        ("compare.json", schema_for!(Comparison)),
        ("history.json", schema_for!(History)),
        ("github.json", schema_for!(Vec<GithubValue>)),
        ("bencher.json", schema_for!(BTreeMap<String, BTreeMap<String, BencherValue>>)),
    ]
}

fn reports(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../reports").join(path)
}

#[test]
fn the_published_schemas_are_those_of_the_program() {
    for (name, schema) in published() {
        let path = reports("schemas").join(name);
        let schema = serde_json::to_string_pretty(&schema).unwrap() + "\n";
        if std::env::var_os("UPDATE_EXPECTED").is_some() {
            harness::write_whole(&path, schema.as_bytes()).unwrap();
        }
        let published = std::fs::read_to_string(&path).unwrap_or_default();
        assert_eq!(published, schema, "{}: refresh with UPDATE_EXPECTED=1", path.display());
    }
}

/// Returns what is wrong with `value` according to the published schema.
fn wrong(name: &str, value: &Value) -> Option<String> {
    let schema: Value = serde_json::from_str(&std::fs::read_to_string(reports("schemas").join(name)).unwrap()).unwrap();
    let (mut schemas, mut compiler) = (Schemas::new(), Compiler::new());
    compiler.add_resource("schema.json", schema).unwrap();
    let index = compiler.compile("schema.json", &mut schemas).unwrap();
    schemas.validate(value, index).err().map(|error| error.to_string())
}

fn run(ms: &str) -> Run {
    let cells = [
        ("variant", "a"),
        ("n", "4"),
        ("time_median_ms", ms),
        ("time_stdev_ms", "0.001"),
        ("samples", "20"),
        ("grid", "999"),
    ];
    let emulated = [("variant", "b"), ("device", "emulated"), ("instructions", ms)];
    let labs = vec![LabRows { lab: "scan".into(), rows: vec![row(&cells), row(&emulated)], ..LabRows::default() }];
    Run { folder: "run".into(), sessions: Vec::new(), labs, remarks: Vec::new() }
}

#[test]
fn what_is_written_keeps_to_the_published_schemas_and_what_does_not_is_told_apart() {
    let (base, new) = (run("2"), run("3"));
    let comparison =
        serde_json::to_value(compare::compare(&[base], std::slice::from_ref(&new), &Thresholds::default()));
    let comparison = comparison.unwrap();
    assert_eq!(
        (comparison["result"].as_str(), &comparison["cases"][0]["times"]["base_ms"]),
        (Some("slower"), &json!(2.0))
    );
    let (to_github, to_bencher) = (github(&new), bencher(&new));
    let found = Found { runs: vec![run("2"), new], unread: Vec::new() };
    let history = serde_json::to_value(history::history(&found, 0.02)).unwrap();
    let session: Value = serde_json::from_str(&std::fs::read_to_string(reports("h200/session.json")).unwrap()).unwrap();
    for (name, value) in [
        ("compare.json", comparison),
        ("history.json", history),
        ("github.json", serde_json::to_value(to_github).unwrap()),
        ("bencher.json", serde_json::to_value(to_bencher).unwrap()),
        ("session.json", session),
    ] {
        assert_eq!(wrong(name, &value), None, "{name}");
        assert!(wrong(name, &json!("no such thing")).is_some(), "{name}");
    }
    assert!(wrong("compare.json", &json!({ "schema": 1 })).is_some());
}
