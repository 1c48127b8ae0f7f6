//! A run at a glance: a row for each lab.
use record::Run;

use crate::{
    charts::figure::FigureTable,
    number_format::{grouped, short},
    sections::{certainty::Totals, lab_catalog::LabCatalog, ladder::ladders, limit_comparison::AgainstLimits},
};

/// Returns the table. The first column is the lab's name.
pub fn table(run: &Run, catalog: &LabCatalog) -> FigureTable {
    let mut table = FigureTable::new(&[
        "lab",
        "passed",
        "failed or finding",
        "skipped",
        "best",
        "how fast",
        "% of ceiling",
        "speed-up",
        "over",
    ]);
    for lab in &run.labs {
        let totals = Totals::from_rows(lab.rows.iter());
        let ladders = ladders(lab, catalog);
        let ladder = ladders.first().filter(|ladder| ladder.is_fair());
        let best = ladder.and_then(|ladder| Some((ladder, ladder.best()?)));
        let cell = |text: Option<String>| text.unwrap_or_default();
        let textbook = ladder.and_then(|ladder| Some(ladder.entries[ladder.textbook?].name.clone()));
        let speed_up = best.and_then(|(_, best)| best.speed_up);
        table.rows.push(vec![
            lab.lab.clone(),
            grouped(totals.pass as f64),
            (totals.fail + totals.finding).to_string(),
            totals.skip.to_string(),
            cell(best.map(|(ladder, best)| {
                if ladder.case.is_empty() { best.name.clone() } else { format!("{} ({})", best.name, ladder.case) }
            })),
            cell(best.map(|(ladder, best)| ladder.metric.words(best.value))),
            cell(
                best.and_then(|(_, best)| AgainstLimits::new(best.row, run.session_of(&lab.lab)).percent()).map(short),
            ),
            cell(speed_up.map(short)),
            cell(textbook.filter(|_| speed_up.is_some())),
        ]);
    }
    table.without_empty_columns()
}
