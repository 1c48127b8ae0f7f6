//! The heat map of the source: each line of a `.cu` file with its cost, if the run recorded it.
use std::collections::HashMap;

use harness::{Details, HotLine};
use record::LabRows;

use crate::sections::lab_catalog::LabCatalog;

/// A source file with the cost of its lines.
#[derive(Debug, Clone, PartialEq)]
pub struct Listing {
    /// The file's path, as in the line information.
    pub file: String,
    /// Its lines, or those that are known.
    pub lines: Vec<SourceLine>,
    /// The number of lines that are left out, far from any line with a cost.
    pub left_out: usize,
}

/// A line of source.
#[derive(Debug, Clone, PartialEq)]
pub struct SourceLine {
    /// Its number, counted from 1.
    pub number: u32,
    /// Its text.
    pub text: String,
    /// Its cost in the case in which its share was the largest, with the case's name.
    pub cost: Option<(HotLine, String)>,
}

/// Returns the listings of a lab, sorted by file name. A line that belongs to several cases has the cost of the one in
/// which its share was the largest.
pub fn listings(lab: &LabRows, catalog: &LabCatalog) -> Vec<Listing> {
    let mut files: HashMap<&str, HashMap<u32, (&HotLine, &Details)>> = HashMap::new();
    for details in &lab.details {
        for hot in details.hot.iter().filter(|hot| !hot.file.is_empty() && hot.line > 0) {
            let lines = files.entry(&hot.file).or_default();
            let known = lines.entry(hot.line).or_insert((hot, details));
            if known.0.percent < hot.percent {
                *known = (hot, details);
            }
        }
    }
    let mut listings: Vec<Listing> =
        files.into_iter().map(|(file, lines)| listing(&lab.lab, file, &lines, catalog)).collect();
    listings.sort_by(|a, b| a.file.cmp(&b.file));
    listings
}

fn listing(lab: &str, file: &str, costs: &HashMap<u32, (&HotLine, &Details)>, catalog: &LabCatalog) -> Listing {
    let name = |details: &Details| match details.case.as_str() {
        "" => details.variant.clone(),
        case => format!("{}, {case}", details.variant),
    };
    let cost = |number: u32| costs.get(&number).map(|(hot, details)| ((*hot).clone(), name(details)));
    let source = catalog.lab(lab).and_then(|lab| lab.kernels.iter().find(|source| source.path == file));
    let source: Option<Vec<&str>> = source.map(|source| source.cuda.lines().collect());
    // This program's copy of the file may differ from the one that ran.
    let is_same = |text: &[&str]| {
        costs.values().all(|(hot, _)| text.get(hot.line as usize - 1).is_some_and(|line| line.trim() == hot.source))
    };
    let lines = match source.filter(|text| is_same(text)) {
        Some(text) => (1..)
            .zip(&text)
            .map(|(number, line)| SourceLine { number, text: (*line).into(), cost: cost(number) })
            .collect(),
        None => {
            let mut numbers: Vec<u32> = costs.keys().copied().collect();
            numbers.sort_unstable();
            let line = |number: u32| SourceLine { number, text: costs[&number].0.source.clone(), cost: cost(number) };
            numbers.into_iter().map(line).collect()
        }
    };
    Listing { file: file.into(), lines, left_out: 0 }
}

impl Listing {
    /// Returns the listing without the lines that are farther than `near` from each line with a cost.
    #[must_use]
    pub fn around_costs(mut self, near: u32) -> Self {
        let costs: Vec<u32> = self.lines.iter().filter(|line| line.cost.is_some()).map(|line| line.number).collect();
        let all = self.lines.len();
        self.lines.retain(|line| {
            let next = costs.partition_point(|cost| *cost < line.number);
            let around = costs[next.saturating_sub(1)..].iter().take(2);
            around.clone().any(|cost| cost.abs_diff(line.number) <= near)
        });
        self.left_out = all - self.lines.len();
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_the_cost_of_the_case_in_which_it_weighs_most() {
        let hot = |line: u32, percent: f64| HotLine {
            file: "a/x.cu".into(),
            line,
            percent,
            source: format!("line {line};"),
            ..HotLine::default()
        };
        let of = |variant: &str, hot: Vec<HotLine>| Details { variant: variant.into(), hot, ..Details::default() };
        let details = vec![of("a", vec![hot(3, 10.0), hot(2, 90.0), hot(0, 99.0)]), of("b", vec![hot(3, 60.0)])];
        let listings = listings(&LabRows { lab: "x".into(), details, ..LabRows::default() }, &LabCatalog(&[]));
        let lines: Vec<(u32, &str, f64)> = listings[0]
            .lines
            .iter()
            .map(|line| {
                let (hot, case) = line.cost.as_ref().unwrap();
                (line.number, case.as_str(), hot.percent)
            })
            .collect();
        assert_eq!(lines, [(2, "a", 90.0), (3, "b", 60.0)]);
    }

    #[test]
    fn what_lies_far_from_all_costs_is_left_out_and_counted() {
        let line = |number: u32| SourceLine {
            number,
            text: String::new(),
            cost: [5, 9].contains(&number).then(|| (HotLine::default(), "a".into())),
        };
        let listing = Listing { file: "x.cu".into(), lines: (1..=12).map(line).collect(), left_out: 0 };
        let listing = listing.around_costs(1);
        assert_eq!(listing.lines.iter().map(|line| line.number).collect::<Vec<_>>(), [4, 5, 6, 8, 9, 10]);
        assert_eq!(listing.left_out, 6);
    }
}
