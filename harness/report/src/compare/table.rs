//! A comparison as text and tables, for the terminal, Markdown and the page.
use super::comparison::{CaseChange, Change, Comparison};
use crate::{
    charts::figure::FigureTable,
    number_format::{count, list, short, time},
};

/// The number of a case's counters that are shown; the JSON has all.
const COUNTERS: usize = 3;

/// Returns the result, as a sentence.
pub fn result(comparison: &Comparison) -> String {
    let is_emulated = is_emulated(comparison);
    let number = comparison.cases.iter().filter(|case| case.change == comparison.result).count();
    match comparison.result {
        _ if comparison.compared == 0 => "Nothing was compared.".into(),
        Change::Wrong => format!("{} wrong, and was not.", verb(number, "is", "are"))
            .replace("are wrong, and was", "are wrong, and were"),
        Change::Slower if is_emulated => format!("{} more than before.", verb(number, "costs", "cost")),
        Change::Slower => format!("{} slower.", verb(number, "is", "are")),
        _ => {
            let nothing = if is_emulated { "Nothing costs more than before" } else { "Nothing is slower" };
            match comparison.gone() {
                0 => format!("{nothing}."),
                gone => format!("{nothing}, but {} gone.", verb(gone, "is", "are")),
            }
        }
    }
}

fn verb(number: usize, one: &str, many: &str) -> String {
    format!("{} {}", count(number, "case"), if number == 1 { one } else { many })
}

/// Whether all cases are emulated.
pub fn is_emulated(comparison: &Comparison) -> bool {
    comparison.cases.iter().all(|case| case.is_emulated)
}

/// Returns what is compared, how it was judged, and how many cases have changed, a sentence each.
pub fn says(comparison: &Comparison) -> Vec<String> {
    let is_emulated = is_emulated(comparison);
    let totals: Vec<String> = comparison
        .totals
        .iter()
        .rev()
        .map(|total| format!("{} {}", total.cases, total.change.said(is_emulated)))
        .collect();
    let mut says = vec![match comparison.cases.len() {
        0 => "There are no cases.".to_owned(),
        cases => format!("{}: {}.", count(cases, "case"), list(&totals)),
    }];
    says.extend(
        comparison.differ.iter().map(|differs| format!("Compared anyway, though the sides differ in {differs}.")),
    );
    if is_emulated {
        says.push("Emulated: counters are compared exactly, by row and counter; times are ignored.".into());
    } else {
        let method = &comparison.method;
        says.push(format!(
            "A time counts as changed from {} % on, if noise alone does it in fewer than {} % of such comparisons in any \
             case ({}).",
            short(method.threshold_percent),
            short(method.error_rate_percent),
            method.test
        ));
        if let Some(together) = comparison.together_percent {
            says.push(format!(
                "The cases together: {} % of time, of which {} % were taken for drift of the whole run and out of each case.",
                signed(together),
                signed(comparison.drift_percent)
            ));
        }
        if comparison.method.noise_factor > 1.0 {
            says.push(format!(
                "The cases differ by more than their samples indicate: all noise was taken {} times as large.",
                short(comparison.method.noise_factor)
            ));
        }
    }
    says.extend(comparison.remarks.iter().cloned());
    says
}

/// Returns a table of the sides, one in each row.
pub fn sides(comparison: &Comparison) -> FigureTable {
    let mut table = FigureTable::new(&["side", "runs", "device", "started", "branch", "commit"]);
    for (name, side) in [("base", &comparison.base), ("new", &comparison.new)] {
        let commit = side.git_commit.as_deref().map_or("", |commit| commit.get(..12).unwrap_or(commit));
        let branch = side.git_branch.clone().unwrap_or_default();
        let runs = side.runs.join(", ");
        table.rows.push(vec![name.into(), runs, side.device.clone(), side.started.clone(), branch, commit.into()]);
    }
    table.without_empty_columns()
}

/// Returns a table of the cases, the worst change first. Unchanged cases, and the individual cases of a lab that one
/// side lacks, are listed only with `all`.
pub fn cases(comparison: &Comparison, all: bool) -> FigureTable {
    let lacking = if all { Vec::new() } else { lacking(comparison) };
    let is_told = |case: &CaseChange| lacking.iter().any(|(lab, ..)| *lab == case.lab);
    let mut cases: Vec<&CaseChange> =
        comparison.cases.iter().filter(|case| all || case.change != Change::Same).collect();
    cases.retain(|case| !is_told(case));
    let size = |case: &CaseChange| case.times.map_or(0.0, |times| times.percent.abs());
    cases.sort_by(|a, b| b.change.cmp(&a.change).then(size(b).total_cmp(&size(a))));
    let mut table = FigureTable::new(&["lab", "case", "change", "base", "new", "% of time", "95 % interval", "what"]);
    table.rows = cases.into_iter().map(row).collect();
    for (lab, change, number) in lacking {
        let case = format!("the whole lab: {}", count(number, "case"));
        let mut cells = vec![lab.into(), case, change.word().to_string()];
        cells.resize(table.headings.len(), String::new());
        table.rows.push(cells);
    }
    table.without_empty_columns()
}

/// Returns the labs that only one side has, and whose cases all pass, with the number of their cases.
fn lacking(comparison: &Comparison) -> Vec<(&str, Change, usize)> {
    let mut labs: Vec<(&str, Option<Change>, usize)> = Vec::new();
    for case in &comparison.cases {
        let is_one_sided = matches!(case.change, Change::Gone | Change::New) && case.why.is_empty();
        let change = Some(case.change).filter(|_| is_one_sided);
        match labs.iter_mut().find(|(lab, ..)| *lab == case.lab) {
            Some(lab) => *lab = (lab.0, lab.1.filter(|all| Some(*all) == change), lab.2 + 1),
            None => labs.push((&case.lab, change, 1)),
        }
    }
    let whole = labs.into_iter().filter_map(|(lab, change, number)| Some((lab, change?, number)));
    whole.filter(|(.., number)| *number > 1).collect()
}

fn row(case: &CaseChange) -> Vec<String> {
    let mut cells = vec![case.lab.clone(), case.name(), case.change.said(case.is_emulated).to_string()];
    match &case.times {
        Some(times) if times.low_percent.is_finite() && times.high_percent < 1e6 => cells.extend([
            time(times.base_ms),
            time(times.new_ms),
            signed(times.percent),
            format!("{} to {}", signed(times.low_percent), signed(times.high_percent)),
        ]),
        Some(times) => cells.extend([time(times.base_ms), time(times.new_ms), signed(times.percent), String::new()]),
        None => cells.extend([const { String::new() }; 4]),
    }
    cells.push(what(case));
    cells
}

/// Returns what the times do not show: the reason, and the counters that differ the most.
fn what(case: &CaseChange) -> String {
    let mut counters: Vec<_> = case.counters.iter().collect();
    // Costs first, and among them those that increase.
    counters.sort_by_key(|counter| match counter.costs_more {
        Some(true) => 0,
        Some(false) => 1,
        None => 2,
    });
    let mut parts: Vec<String> = counters
        .iter()
        .take(COUNTERS)
        .map(|counter| {
            let factor = counter.factor.map_or(String::new(), |factor| format!(" (x {})", precise(factor)));
            format!("{} {} -> {}{factor}", counter.name, plain(counter.base), plain(counter.new))
        })
        .collect();
    if counters.len() > COUNTERS {
        parts.push(format!("and {}", count(counters.len() - COUNTERS, "more counter")));
    }
    if let Some(line) = case.lines.first() {
        let file = line.file.rsplit('/').next().unwrap_or_default();
        parts.push(format!("{file}:{}: {} {} -> {}", line.line, line.counter, line.base, line.new));
    }
    let counters = parts.join("; ");
    [case.why.clone(), counters].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(": ")
}

/// Returns a table of the source lines whose cost differs, in all cases.
pub fn lines(comparison: &Comparison) -> FigureTable {
    let mut table = FigureTable::new(&["lab", "case", "line", "counter", "base", "new", "source"]);
    for case in &comparison.cases {
        for line in &case.lines {
            let file = line.file.rsplit('/').next().unwrap_or_default();
            let file = if file.is_empty() { "PTX" } else { file };
            let place = format!("{file}:{}", line.line);
            let (base, new) = (line.base.to_string(), line.new.to_string());
            table.rows.push(vec![
                case.lab.clone(),
                case.name(),
                place,
                line.counter.clone(),
                base,
                new,
                line.source.clone(),
            ]);
        }
    }
    table
}

/// Formats a percentage with its sign.
fn signed(percent: f64) -> String {
    if percent > 0.0 { format!("+{}", short(percent)) } else { short(percent) }
}

/// Formats a counter's value, without decimals if it is an integer.
fn plain(value: f64) -> String {
    if value.fract() == 0.0 { format!("{value:.0}") } else { format!("{value:.2}") }
}

/// Formats a factor with enough digits to distinguish it from 1.
fn precise(factor: f64) -> String {
    let digits = match (factor - 1.0).abs() {
        difference if difference < 1e-4 => 6,
        difference if difference < 0.01 => 4,
        _ => 2,
    };
    format!("{factor:.digits$}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::comparison::{CounterChange, LineChange};

    #[test]
    fn a_row_names_the_counters_that_cost_more_first() {
        let counter = |name: &str, base: f64, new: f64, costs_more| CounterChange {
            name: name.into(),
            base,
            new,
            factor: Some(new / base),
            costs_more,
        };
        let case = CaseChange {
            lab: "scan".into(),
            variant: "a".into(),
            case: String::new(),
            n: Some(4096),
            is_emulated: true,
            change: Change::Slower,
            why: String::new(),
            times: None,
            counters: vec![
                counter("registers_estimated", 8.0, 9.0, None),
                counter("instructions", 100_000.0, 100_001.0, Some(true)),
            ],
            lines: vec![LineChange {
                file: "/x/scan.cu".into(),
                line: 7,
                source: "a;".into(),
                counter: "sectors".into(),
                base: 1,
                new: 2,
            }],
        };
        let cells = row(&case);
        assert_eq!(cells[1..3], ["a, n = 4,096", "costs more"]);
        assert_eq!(
            cells[7],
            "instructions 100000 -> 100001 (x 1.000010); registers_estimated 8 -> 9 (x 1.12); scan.cu:7: sectors 1 -> 2"
        );
        assert_eq!((signed(3.0), signed(-3.0), signed(0.0)), ("+3".into(), "-3".into(), "0".into()));
    }
}
