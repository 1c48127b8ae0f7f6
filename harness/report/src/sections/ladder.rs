//! A lab's ladder: its variants on the same case, one bar each, with the ceiling, with values measured by others, and
//! with the speed-up over the textbook's kernel.
use std::collections::{HashMap, HashSet};

use harness::Verdict;
use record::{LabRows, Row};

use crate::sections::{lab_catalog::LabCatalog, metric::Metric};

/// The variants of a lab on one case.
#[derive(Debug)]
pub struct Ladder<'r> {
    /// The case that all entries share.
    pub case: String,
    /// The quantity that is compared.
    pub metric: Metric,
    /// The rows, in the lab's order.
    pub entries: Vec<Entry<'r>>,
    /// The index of the textbook's kernel.
    pub textbook: Option<usize>,
    /// The rows of this case whose answer is not right: they are named, and not compared.
    pub wrong: Vec<&'r Row>,
}

/// One variant.
#[derive(Debug)]
pub struct Entry<'r> {
    /// Its row.
    pub row: &'r Row,
    /// The variant, and the part of its case that the ladder's case does not have.
    pub name: String,
    /// The compared value.
    pub value: f64,
    /// The speed-up over the textbook's kernel, if both do the same work.
    pub speed_up: Option<f64>,
}

/// The maximum number of special cases of one variant in a ladder with the others; more make a separate experiment.
const SPECIAL: usize = 2;

/// Rows that are compared, and their common properties: the case, and whether they include data transfers.
struct Group<'r> {
    case: &'r str,
    travels: bool,
    /// The variant, if only one is compared with itself.
    alone: Option<&'r str>,
    rows: Vec<&'r Row>,
}

/// Returns the ladders of a lab. The most interesting one comes first: not much shorter than the longest, with values
/// measured by others, and with the most work. Variants with many special cases come last, each in its own ladder.
pub fn ladders<'r>(lab: &'r LabRows, catalog: &LabCatalog) -> Vec<Ladder<'r>> {
    let has_value = |row: &&Row| row.ms().is_some() || Metric::Instructions.value(row).is_some();
    let is_right = |row: &&Row| catalog.is_right(row) && row.verdict == Verdict::Pass;
    let (rows, wrong): (Vec<&Row>, Vec<&Row>) = lab.rows.iter().filter(has_value).partition(is_right);
    let cases: HashSet<&str> = rows.iter().map(|row| row.case()).filter(|case| !case.is_empty()).collect();
    let mut special: HashMap<(&str, &str), usize> = HashMap::new();
    for row in &rows {
        *special.entry((row.variant(), common_case(row.case(), &cases))).or_default() += 1;
    }
    let mut places: HashMap<(&str, bool, Option<&str>), usize> = HashMap::new();
    let mut groups: Vec<Group> = Vec::new();
    for row in rows {
        let case = common_case(row.case(), &cases);
        let alone = (special[&(row.variant(), case)] > SPECIAL).then(|| row.variant());
        let travels = travels(row);
        let place = *places.entry((case, travels, alone)).or_insert_with(|| {
            groups.push(Group { case, travels, alone, rows: Vec::new() });
            groups.len() - 1
        });
        groups[place].rows.push(row);
    }
    groups
        .retain(|group| group.alone.is_some() || group.rows.iter().any(|row| row.variant() != group.rows[0].variant()));
    let longest = groups.iter().filter(|group| group.alone.is_none()).map(|group| group.rows.len()).max().unwrap_or(0);
    groups.sort_by(|a, b| {
        let order = |group: &Group| (group.alone.is_some(), 2 * group.rows.len() < longest, !group.has_peers());
        let by_work = order(a).cmp(&order(b)).then(b.work().total_cmp(&a.work()));
        by_work.then(b.rows.len().cmp(&a.rows.len())).then(b.travels.cmp(&a.travels))
    });
    let is_other =
        |one: &Group, other: &Group| one.case == other.case && one.alone == other.alone && one.travels != other.travels;
    let named = |group: &Group<'r>| {
        let mut ladder = ladder(group)?;
        let is_of_group = |row: &&&Row| {
            let alone = group.alone.is_none_or(|variant| variant == row.variant());
            alone && common_case(row.case(), &cases) == group.case && group.travels == travels(row)
        };
        ladder.wrong = wrong.iter().filter(is_of_group).copied().collect();
        if !group.travels && groups.iter().any(|other| is_other(group, other)) {
            let apart = if ladder.case.is_empty() { "" } else { ", " };
            ladder.case = format!("{}{apart}nothing moved between host and device", ladder.case);
        }
        Some(ladder)
    };
    let mut ladders: Vec<Ladder> = groups.iter().filter_map(named).collect();
    ladders.sort_by_key(|ladder| !ladder.is_fair());
    ladders
}

impl Group<'_> {
    /// Whether there are values measured by others.
    fn has_peers(&self) -> bool {
        let has = |row: &&Row, prefix: &str| row.own_columns(prefix).any(|column| !row.cell(column).is_empty());
        self.rows.iter().any(|row| has(row, "published_") || has(row, "peer_"))
    }

    /// Returns the most work of a row.
    fn work(&self) -> f64 {
        let work = |row: &&Row| row.flop().or(row.bytes()).or(row.size());
        self.rows.iter().filter_map(work).fold(0.0, f64::max)
    }
}

/// Returns the shortest case of the lab of which `case` is a special one: `f32` for `f32, 32 a thread`.
fn common_case<'c>(case: &'c str, cases: &HashSet<&str>) -> &'c str {
    let ends = case.match_indices(", ").map(|(end, _)| &case[..end]);
    ends.into_iter().find(|short| cases.contains(short)).unwrap_or(case)
}

/// Whether the row's time includes data transfers.
fn travels(row: &Row) -> bool {
    row.memory_mode.is_some()
}

fn ladder<'r>(group: &Group<'r>) -> Option<Ladder<'r>> {
    let (case, rows) = (group.case, &group.rows);
    let metric = Metric::choose(rows)?;
    let entry = |row: &&'r Row| {
        let rest = row.case().strip_prefix(case).unwrap_or_default().trim_start_matches(", ");
        let name = match (rest.is_empty(), group.alone.is_some()) {
            (true, _) => row.variant().into(),
            (false, true) => rest.into(),
            (false, false) => format!("{}, {rest}", row.variant()),
        };
        Some(Entry { row, name, value: metric.value(row)?, speed_up: None })
    };
    let mut entries: Vec<Entry> = rows.iter().filter_map(entry).collect();
    // The first kernel that is called naive, else the first one.
    let mut kernels = entries.iter().filter(|entry| entry.is_kernel());
    let naive = kernels.clone().find(|entry| entry.row.variant().starts_with("naive"));
    let textbook = naive.or_else(|| kernels.next()).map(|entry| entry.row);
    for entry in &mut entries {
        entry.speed_up = textbook.filter(|textbook| is_same_work(textbook, entry.row)).and_then(|textbook| {
            let speed_up = textbook.ms()? / entry.row.ms()?;
            (!std::ptr::eq(textbook, entry.row)).then_some(speed_up)
        });
    }
    let textbook = entries.iter().position(|entry| textbook.is_some_and(|row| std::ptr::eq(row, entry.row)));
    let textbook = textbook.filter(|_| entries.iter().any(|entry| entry.speed_up.is_some()));
    let case = match group.alone {
        Some(variant) if case.is_empty() => variant.into(),
        Some(variant) => format!("{variant}, {case}"),
        None => case.into(),
    };
    Some(Ladder { case, metric, entries, textbook, wrong: Vec::new() })
}

/// Whether two rows solve a problem of the same size with the same minimum work.
pub(super) fn is_same_work(one: &Row, other: &Row) -> bool {
    (one.n, one.bytes, one.flop) == (other.n, other.bytes, other.flop)
}

impl Ladder<'_> {
    /// Whether its entries can be compared: rates always, times and counts only for problems of the same size.
    pub fn is_fair(&self) -> bool {
        let sizes = || self.entries.iter().map(|entry| entry.row.size_text());
        matches!(self.metric, Metric::Rate(..)) || sizes().all(|n| Some(n) == sizes().next())
    }

    /// Returns the kernel with the best value, or the best entry if none is a kernel; a count has no best.
    pub fn best(&self) -> Option<&Entry<'_>> {
        self.best_of(self.kernels()).or_else(|| self.best_of(self.entries.iter()))
    }

    /// Returns the best entry that is not a lab kernel, if it beats the best kernel.
    pub fn better_than_kernels(&self) -> Option<&Entry<'_>> {
        let best = self.best_of(self.kernels())?;
        self.best_of(self.entries.iter()).filter(|other| !std::ptr::eq(*other, best))
    }

    fn kernels(&self) -> impl Iterator<Item = &Entry<'_>> {
        self.entries.iter().filter(|entry| entry.is_kernel())
    }

    fn best_of<'s>(&self, entries: impl Iterator<Item = &'s Entry<'s>>) -> Option<&'s Entry<'s>> {
        match self.metric {
            Metric::Rate(..) => entries.max_by(|a, b| a.value.total_cmp(&b.value)),
            Metric::Time => entries.min_by(|a, b| a.value.total_cmp(&b.value)),
            Metric::Instructions => None,
        }
    }
}

impl Entry<'_> {
    /// Whether it is a kernel of the lab. A library, the driver's copy and the host have no grid.
    fn is_kernel(&self) -> bool {
        self.row.grid.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::fixtures::row;

    use crate::charts::{bars::Tone, figure::Chart};

    fn lab(rows: Vec<Row>) -> LabRows {
        LabRows { lab: "x".into(), rows, ..LabRows::default() }
    }

    fn entry(variant: &str, case: &str, ms: &str, grid: &str, mistake: &str) -> Row {
        let rate = (100.0 / ms.parse::<f64>().unwrap()).to_string();
        row(&[
            ("variant", variant),
            ("case", case),
            ("n", "8"),
            ("time_median_ms", ms),
            ("gb_per_s", &rate),
            ("percent_of_ceiling", &rate),
            ("grid", grid),
            ("mistake", mistake),
        ])
    }

    #[test]
    fn speed_ups_are_over_the_first_right_kernel() {
        let rows = vec![
            entry("racy", "", "1", "4", "a race"),
            entry("library", "", "1", "", ""),
            entry("first", "", "8", "4", ""),
            entry("fast", "", "2", "4", ""),
        ];
        let rows = lab(rows);
        let ladders = ladders(&rows, &LabCatalog(&[]));
        let [ladder] = ladders.as_slice() else { panic!("{ladders:?}") };
        assert_eq!(ladder.textbook, Some(1));
        let speed_ups: Vec<Option<f64>> = ladder.entries.iter().map(|entry| entry.speed_up).collect();
        assert_eq!(speed_ups, [Some(8.0), None, Some(4.0)]);
        let figure = ladder.figure(&LabCatalog(&[]), None);
        let says = [
            "fast is the fastest: 50 GB/s, 50 % of the ceiling, 4 times as fast as first.",
            "library, which is not a kernel of this lab, is ahead: 100 GB/s.",
        ];
        assert_eq!(figure.says[..2], says);
        assert!(
            figure.says.contains(&"Not drawn, because its answer is wrong: racy, on purpose.".into()),
            "{figure:?}"
        );
        let Chart::Bars(bars) = figure.chart else { panic!() };
        assert_eq!(bars.bars.iter().map(|b| b.tone).collect::<Vec<_>>(), [Tone::Plain, Tone::First, Tone::Plain]);
        assert_eq!(bars.limits.len(), 1);
    }

    #[test]
    fn where_there_is_no_kernel_the_best_of_all_is_the_best() {
        let rows = lab(vec![entry("library", "", "2", "", ""), entry("driver", "", "1", "", "")]);
        let ladders = ladders(&rows, &LabCatalog(&[]));
        assert_eq!(ladders[0].best().map(|entry| entry.name.as_str()), Some("driver"));
        assert!(ladders[0].better_than_kernels().is_none());
    }

    #[test]
    fn a_kernel_called_naive_is_the_textbooks_and_other_work_is_not_compared() {
        let mut rows =
            vec![entry("copy", "", "1", "4", ""), entry("naive", "", "6", "4", ""), entry("tiled", "", "3", "4", "")];
        rows.push(row(&[("variant", "larger"), ("n", "9"), ("time_median_ms", "1"), ("gb_per_s", "1"), ("grid", "1")]));
        let rows = lab(rows);
        let ladder = &ladders(&rows, &LabCatalog(&[]))[0];
        assert!(ladder.is_fair(), "these are rates");
        let speed_ups: Vec<Option<f64>> = ladder.entries.iter().map(|entry| entry.speed_up).collect();
        assert_eq!(speed_ups, [Some(6.0), None, Some(2.0), None]);
    }

    #[test]
    fn times_of_problems_of_other_sizes_are_not_compared_first() {
        let at = |variant: &str, case: &str, n: &str| {
            row(&[("variant", variant), ("case", case), ("n", n), ("time_median_ms", "9"), ("grid", "1")])
        };
        let rows = vec![at("a", "x", "1"), at("b", "x", "2"), at("c", "x", "2"), at("a", "y", "2"), at("b", "y", "2")];
        let rows = lab(rows);
        let cases: Vec<(String, bool)> = ladders(&rows, &LabCatalog(&[]))
            .into_iter()
            .map(|ladder| (ladder.case.clone(), ladder.is_fair()))
            .collect();
        assert_eq!(cases, [("y".into(), true), ("x".into(), false)]);
    }

    #[test]
    fn what_travels_is_not_compared_with_what_stays() {
        let moved = |variant: &str| {
            row(&[("variant", variant), ("memory_mode", variant), ("time_median_ms", "9"), ("gb_per_s", "5")])
        };
        let rows = vec![moved("pinned"), moved("unified"), entry("a", "", "1", "4", ""), entry("b", "", "1", "4", "")];
        let rows = lab(rows);
        let cases: Vec<String> = ladders(&rows, &LabCatalog(&[])).into_iter().map(|ladder| ladder.case).collect();
        assert_eq!(cases, ["nothing moved between host and device", ""]);
    }

    #[test]
    fn special_cases_stand_with_their_case_and_the_longest_ladder_is_first() {
        let rows = vec![
            entry("lone", "alone", "1", "4", ""),
            entry("a", "u32", "1", "4", ""),
            entry("b", "u32", "1", "4", ""),
            entry("a", "f32", "1", "4", ""),
            entry("b", "f32", "1", "4", ""),
            entry("c", "f32, 32 a thread", "1", "4", ""),
            entry("many", "f32, of 1", "1", "4", ""),
            entry("many", "f32, of 2", "1", "4", ""),
            entry("many", "f32, of 3", "1", "4", ""),
        ];
        let rows = lab(rows);
        let ladders = ladders(&rows, &LabCatalog(&[]));
        assert_eq!(ladders.iter().map(|l| l.case.as_str()).collect::<Vec<_>>(), ["f32", "u32", "many, f32"]);
        assert_eq!(ladders[2].entries[1].name, "of 2");
        assert_eq!(ladders[0].entries[2].name, "c, 32 a thread");
    }
}
