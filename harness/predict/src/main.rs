//! `predict PART < subjects.jsonl`: predicts each line, a JSON object with `launches`, a list of `{count, subject}`,
//! and writes the line with `launches` replaced by `predicted` and `shares`, the parts of that time by which launches
//! are compared, or by `not_predicted` with the reason. `PART` is the name of a part, or a file such as those of
//! `harness/gpu/parts`.
//!
//! `predict PART report.json ...`: predicts each launch of these reports as if it were alone, and writes a line for
//! each with its `report`, its index there (`launch`), `kernel`, and the rest as above. Such a report is written by
//! `WARPLAB_COSTS=1 WARPLAB_REPORT=report.json warplab exec --device emulated:h200 PROGRAM`.

use std::io::{BufRead, Write};
use std::process::ExitCode;

use predict::{GpuModel, LaunchProfile, NotPredicted, Prediction, Repeated, sequence_time, shares, transfer};
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
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().ok_or("which part? predict h200 < subjects.jsonl, or predict h200 report.json")?;
    let part = if std::path::Path::new(&name).extension().is_some_and(|ext| ext == "toml") {
        let text = std::fs::read_to_string(&name).map_err(|error| format!("{name}: {error}"))?;
        GpuModel::read(&text)
    } else {
        GpuModel::find(&name)
    };
    let part = part.map_err(|error| error.to_string())?;
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    let mut write =
        |row: Map<String, Value>| writeln!(out, "{}", Value::Object(row)).map_err(|error| error.to_string());
    let reports: Vec<String> = arguments.collect();
    if reports.is_empty() {
        for (number, line) in std::io::stdin().lock().lines().enumerate() {
            let row = line.map_err(|error| error.to_string()).and_then(|line| of_line(&line, &part));
            write(row.map_err(|error| format!("line {}: {error}", number + 1))?)?;
        }
    }
    for file in reports {
        let text = std::fs::read_to_string(&file).map_err(|error| format!("{file}: {error}"))?;
        let report = wire::Report::read(&text).map_err(|error| format!("{file}: {error}"))?;
        for (number, launch) in report.launches.iter().enumerate() {
            let profile =
                LaunchProfile::from_launch(launch).map_err(|error| format!("{file}: {error}; set WARPLAB_COSTS=1"))?;
            let (kernel, grid, block) = (&launch.kernel, launch.grid, launch.block);
            let row = json!({"report": file, "launch": number, "kernel": kernel, "grid": grid, "block": block});
            let Value::Object(row) = row else { unreachable!("an object was made") };
            let mut row = with(row, predict::predict(&profile, &part));
            if let Ok(shares) = shares(&[Repeated { count: 1, profile }], &part) {
                row.insert("shares".into(), json!(shares));
            }
            write(row)?;
        }
    }
    out.flush().map_err(|error| error.to_string())
}

/// Replaces the launches of a line by their prediction.
fn of_line(line: &str, part: &GpuModel) -> Result<Map<String, Value>, String> {
    let wrong = |error: serde_json::Error| error.to_string();
    let mut row: Map<String, Value> = serde_json::from_str(line).map_err(wrong)?;
    let launches = row.remove("launches").unwrap_or(json!([]));
    let launches: Vec<Repeated> = serde_json::from_value(launches).map_err(wrong)?;
    let moved: Option<transfer::Transfer> =
        row.get("transfer").map(|t| serde_json::from_value(t.clone())).transpose().map_err(wrong)?;
    let all = sequence_time(&launches, part);
    if let Ok(shares) = shares(&launches, part) {
        row.insert("shares".into(), json!(shares));
    }
    Ok(with(row, all.map(|all| moved.map_or_else(|| all.clone(), |moved| transfer::with(&all, moved, part)))))
}

fn with(mut row: Map<String, Value>, predicted: Result<Prediction, NotPredicted>) -> Map<String, Value> {
    match predicted {
        Ok(predicted) => row.insert("predicted".into(), json!(predicted)),
        Err(not) => row.insert("not_predicted".into(), json!(not.to_string())),
    };
    row
}
