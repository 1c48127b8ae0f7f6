//! `warplab list`: lists the labs and their variants.
use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command};
use harness::{Error, Expect, Lab};
use serde_json::json;

use crate::labs;

pub fn command() -> Command {
    Command::new("list")
        .about("List the labs, and the variants of each")
        .arg(Arg::new("lab").value_name("LAB").help("Only this lab"))
        .arg(Arg::new("json").long("json").action(ArgAction::SetTrue).help("As JSON"))
}

pub fn run(matches: &ArgMatches) -> Result<ExitCode, Error> {
    let chosen: Vec<&Lab> = match matches.get_one::<String>("lab") {
        Some(name) => vec![labs::known(name)?],
        None => labs::LABS.to_vec(),
    };
    if matches.get_flag("json") {
        let labs: Vec<_> = chosen.iter().map(|l| as_json(l)).collect();
        harness::print_json(&labs);
        return Ok(ExitCode::SUCCESS);
    }
    for (i, lab) in chosen.iter().enumerate() {
        if i > 0 {
            harness::print("");
        }
        harness::print(&harness::paragraphs(&format!("{}: {}", lab.name, lab.summary)));
        let rows: Vec<_> = lab.variants().iter().map(|v| vec![v.name.to_string(), described(v)]).collect();
        harness::print(&harness::table(&["variant", "what it is"], &rows));
    }
    Ok(ExitCode::SUCCESS)
}

fn described(variant: &harness::Variant) -> String {
    match variant.expect {
        Expect::Right => variant.summary.to_string(),
        Expect::Wrong(reason) | Expect::Racy(reason) => {
            format!("{} (wrong on purpose: {reason})", variant.summary)
        }
        Expect::Planted(reason) => format!("{} (to be fixed: {reason})", variant.summary),
    }
}

fn as_json(lab: &Lab) -> serde_json::Value {
    let variants: Vec<_> = lab
        .variants()
        .iter()
        .map(|v| {
            let (expect, reason) = match v.expect {
                Expect::Right => ("right", None),
                Expect::Wrong(reason) => ("wrong", Some(reason)),
                Expect::Racy(reason) => ("racy", Some(reason)),
                Expect::Planted(reason) => ("planted", Some(reason)),
            };
            json!({ "name": v.name, "summary": v.summary, "expect": expect, "reason": reason })
        })
        .collect();
    let columns: Vec<_> = lab.all_columns().own.iter().map(|c| c.name).collect();
    json!({ "name": lab.name, "summary": lab.summary, "columns": columns, "variants": variants })
}
