//! `predict PART < subjects.jsonl`: predicts each line, a JSON object with `launches`, a list of `{count, subject}`,
//! and writes the line with `predicted`, or with the reason why not in `not_predicted`, in place of `launches`. `PART`
//! is the name of a part, or a file of constants.

use std::io::{BufRead, Write};
use std::process::ExitCode;

use predict::{Part, Repeated, in_all, transfer};
use serde_json::{Map, Value, json};

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<(), String> {
    let name = std::env::args().nth(1).ok_or("which part? predict h200 < subjects.jsonl")?;
    let part = if std::path::Path::new(&name).extension().is_some_and(|ext| ext == "toml") {
        let text = std::fs::read_to_string(&name).map_err(|error| format!("{name}: {error}"))?;
        Part::read(&text)
    } else {
        Part::find(&name)
    };
    let part = part.map_err(|error| error.to_string())?;
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    for (number, line) in std::io::stdin().lock().lines().enumerate() {
        let wrong = |error: &dyn std::fmt::Display| format!("line {}: {error}", number + 1);
        let line = line.map_err(|error| wrong(&error))?;
        let mut row: Map<String, Value> = serde_json::from_str(&line).map_err(|error| wrong(&error))?;
        let launches = row.remove("launches").unwrap_or(json!([]));
        let launches: Vec<Repeated> = serde_json::from_value(launches).map_err(|error| wrong(&error))?;
        let moved: Option<transfer::Transfer> = row
            .get("transfer")
            .map(|t| serde_json::from_value(t.clone()))
            .transpose()
            .map_err(|error| wrong(&error))?;
        match in_all(&launches, &part).map(|all| moved.map_or_else(|| all.clone(), |m| transfer::with(&all, m, &part)))
        {
            Ok(predicted) => row.insert("predicted".into(), json!(predicted)),
            Err(not) => row.insert("not_predicted".into(), json!(not.to_string())),
        };
        writeln!(out, "{}", Value::Object(row)).map_err(|error| error.to_string())?;
    }
    out.flush().map_err(|error| error.to_string())
}
