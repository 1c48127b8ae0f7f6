//! Compares a row with its limits: its time to the minimum time for its bytes and operations, its time to a peer's, and
//! its kernel's use of a multiprocessor.
use harness::{Ceiling, Peak};
use record::{Row, Run, Session};

use crate::{
    charts::figure::FigureTable,
    number_format::short,
    sections::{lab_catalog::LabCatalog, metric::Metric},
};

/// The minimum time of a row according to one of the device's limits.
#[derive(Debug, Clone, PartialEq)]
pub struct Bound {
    /// The time, in ms.
    pub ms: f64,
    /// The limit, with its rate.
    pub of: String,
}

/// A comparison of a row with others that do the same.
#[derive(Debug, Clone, PartialEq)]
pub struct Peer {
    /// The row's speed-up over the peer.
    pub times: f64,
    /// The peer: a row of the same run, or figures that were measured elsewhere.
    pub name: String,
    /// The column of figures that were measured elsewhere.
    pub published: Option<String>,
}

/// A row, and the session in which it ran.
#[derive(Debug, Clone, Copy)]
pub struct AgainstLimits<'r> {
    row: &'r Row,
    session: Option<&'r Session>,
}

impl<'r> AgainstLimits<'r> {
    /// Returns the comparison of the row, which ran in `session`.
    pub fn new(row: &'r Row, session: Option<&'r Session>) -> Self {
        Self { row, session }
    }

    /// Returns the minimum time for the row's bytes and operations: the longer of the two, as far as they are known.
    pub fn bound(&self) -> Option<Bound> {
        let bounds = self.by_bytes().into_iter().chain(self.by_operations());
        bounds.max_by(|a, b| a.ms.total_cmp(&b.ms))
    }

    /// Returns the row's speed as a percentage of what its limit allows. `None` if that is unknown, for example for a
    /// kernel that is not limited by memory because it computes too much for each byte, and that does not declare which
    /// unit executes its operations.
    pub fn percent(&self) -> Option<f64> {
        let ms = self.row.ms()?;
        let by_bytes = self.row.percent_of_ceiling.map(|share| ms * share / 100.0);
        let by_operations = self.by_operations().map(|bound| bound.ms);
        let is_computing = || {
            let rate = self.session?.device.peak_gflop_per_s(Peak::Single)?;
            Some(self.row.flop()? / rate / 1e6 > by_bytes?)
        };
        if by_operations.is_none() && is_computing() == Some(true) {
            return None;
        }
        by_bytes.into_iter().chain(by_operations).reduce(f64::max).map(|least| 100.0 * least / ms)
    }

    /// Returns the time of the bytes at the ceiling to which they were compared.
    fn by_bytes(&self) -> Option<Bound> {
        let share = self.row.percent_of_ceiling.filter(|share| *share > 0.0)?;
        let rate = 100.0 * self.row.gb_per_s? / share;
        let ceilings = self.session.and_then(|session| session.ceilings);
        let named = CEILINGS.iter().find(|(_, ceiling)| {
            let measured = ceilings.and_then(|all| all.gb_per_s(*ceiling));
            measured.is_some_and(|measured| (rate / measured - 1.0).abs() < 1e-6)
        });
        let rate = format!("{} GB/s", short(rate));
        let of = named.map_or_else(|| rate.clone(), |(name, _)| format!("{name}, {rate}"));
        Some(Bound { ms: self.row.ms()? * share / 100.0, of })
    }

    /// Returns the time of the operations at the peak of their unit.
    fn by_operations(&self) -> Option<Bound> {
        let peak = self.row.peak?;
        let rate = self.session?.device.peak_gflop_per_s(peak)?;
        let of = format!("{}, {} TFLOP/s", peak.word(), short(rate / 1e3));
        // An emulated row has no time, and is not compared.
        self.row.ms()?;
        Some(Bound { ms: self.row.flop().filter(|flop| *flop > 0.0)? / rate / 1e6, of })
    }

    /// Returns the peer of the row: one of the same run and case (`percent_of_<peer>`), or else figures that were
    /// measured elsewhere, for the same case on such a device (`peer_...`, `published_...`).
    pub fn peer(&self) -> Option<Peer> {
        let row = self.row;
        let in_run = row.own_columns(IN_RUN).find_map(|column| {
            let times = row.own_named(column)? / 100.0;
            Some(Peer { times, name: column[IN_RUN.len()..].replace('_', "-"), published: None })
        });
        in_run.or_else(|| {
            row.own_columns("peer_").chain(row.own_columns("published_")).find_map(|column| self.published(column))
        })
    }

    fn published(&self, column: &str) -> Option<Peer> {
        let quantity = column.trim_start_matches("published_").trim_start_matches("peer_");
        let value = self.row.own_named(column).filter(|value| *value > 0.0)?;
        let times = match quantity {
            "ms" | "kernel_ms" => value / self.row.ms()?,
            rate if rate.ends_with("_per_s") => self.row.number(rate)? / value,
            _ => return None,
        };
        Some(Peer { times, name: "published".into(), published: Some(column.into()) })
    }

    /// Headings of [`AgainstLimits::cells`].
    pub const HEADINGS: [&'static str; 7] =
        ["at best, ms", "% of that", "limit", "ratio to peer", "peer", "registers", "occupancy, %"];

    /// Returns the cells under [`AgainstLimits::HEADINGS`]; empty if unknown.
    pub fn cells(&self) -> [String; 7] {
        let resources = self.row.resources;
        let bound = self.bound();
        let share = bound.as_ref().zip(self.row.ms()).map(|(bound, ms)| short(100.0 * bound.ms / ms));
        let peer = self.peer();
        [
            bound.as_ref().map_or(String::new(), |bound| short(bound.ms)),
            share.unwrap_or_default(),
            bound.map_or(String::new(), |bound| bound.of),
            peer.as_ref().map_or(String::new(), |peer| short(peer.times)),
            peer.map_or(String::new(), |peer| peer.name),
            resources.map_or(String::new(), |all| short(f64::from(all.registers))),
            resources.and_then(|all| all.occupancy_percent).map_or(String::new(), short),
        ]
    }
}

/// The prefix of the columns that compare with a row of the same run.
const IN_RUN: &str = "percent_of_";

/// The names of the measured ceilings.
const CEILINGS: [(&str, Ceiling); 4] = [
    ("read", Ceiling::DeviceRead),
    ("copy", Ceiling::DeviceCopy),
    ("link to device", Ceiling::HostToDevice),
    ("link to host", Ceiling::DeviceToHost),
];

/// Returns a table that compares rows of `lab` with their limits, and sentences that explain it. Unknown cells are
/// empty.
pub fn table(run: &Run, lab: &str, rows: &[&Row], catalog: &LabCatalog) -> (FigureTable, Vec<String>) {
    let metric = Metric::choose(rows).unwrap_or(Metric::Time);
    let rate = match metric {
        Metric::Rate(rate) => Some(rate.unit()),
        _ => None,
    };
    let is_predicted = rows.iter().any(|row| row.prediction().map(|all| all.ms).is_some());
    let has_cases = rows.iter().any(|row| row.case() != rows[0].case());
    let headings = ["variant"].into_iter().chain(has_cases.then_some("case")).chain(["median, ms"]).chain(rate);
    let headings = headings.chain(AgainstLimits::HEADINGS).chain(is_predicted.then_some("model, ms"));
    let mut table = FigureTable::new(&headings.collect::<Vec<_>>());
    let session = run.session_of(lab);
    for row in rows {
        let mut cells = vec![row.variant().to_string()];
        cells.extend(has_cases.then(|| row.case().to_string()));
        cells.push(row.ms().map_or(String::new(), short));
        cells.extend(rate.map(|_| metric.value(row).map_or(String::new(), short)));
        cells.extend(AgainstLimits::new(row, session).cells());
        cells.extend(is_predicted.then(|| row.prediction().map(|all| all.ms).map_or(String::new(), short)));
        table.rows.push(cells);
    }
    (table, says(rows, session, catalog, is_predicted))
}

fn says(rows: &[&Row], session: Option<&Session>, catalog: &LabCatalog, is_predicted: bool) -> Vec<String> {
    let comparisons = || rows.iter().map(|row| (row, AgainstLimits::new(row, session)));
    let mut says = Vec::new();
    if comparisons().any(|(_, comparison)| comparison.bound().is_some()) {
        says.push(
            "At best: the bytes that must be moved over the measured ceiling, or the operations over the peak that clock \
             and cores give, whichever takes longer."
                .into(),
        );
    }
    if is_predicted {
        says.push("Model: predicted from what the embedded machine counted.".into());
    }
    let mut columns: Vec<String> = Vec::new();
    for (row, comparison) in comparisons() {
        let Some(column) = comparison.peer().and_then(|peer| peer.published) else { continue };
        if !columns.contains(&column) {
            let source = catalog.meaning(&row.lab, &column).unwrap_or(&column);
            says.push(format!("Published, not measured in this run: {source}."));
            columns.push(column);
        }
    }
    says
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::fixtures::row;

    fn session() -> Session {
        let text = r#"{"labs": [],
            "device": {"name": "NVIDIA H200", "compute_capability": [9, 0], "multiprocessors": 132, "clock_khz": 1980000},
            "ceilings": {"device_copy_gb_per_s": 4000.0, "device_read_gb_per_s": 4500.0, "h2d_gb_per_s": 55.0,
                         "d2h_gb_per_s": 54.0, "empty_launch_ms": 0.007}}"#;
        serde_json::from_str(text).unwrap()
    }

    fn cells(cells: &[(&str, &str)]) -> [String; 7] {
        let (row, session) = (row(cells), session());
        AgainstLimits::new(&row, Some(&session)).cells()
    }

    #[test]
    fn the_least_time_is_that_of_the_rows_own_limit() {
        // 2,250 of 4,500 GB/s: half of the read bandwidth.
        let read = [("time_median_ms", "2"), ("gb_per_s", "2250"), ("percent_of_ceiling", "50")];
        assert_eq!(cells(&read)[..3], ["1", "50", "read, 4,500 GB/s"]);
        let copy = [("time_median_ms", "2"), ("gb_per_s", "2000"), ("percent_of_ceiling", "50")];
        assert_eq!(cells(&copy)[2], "copy, 4,000 GB/s");
        // A ceiling that the lab derived.
        let both_ways = [("time_median_ms", "2"), ("gb_per_s", "41.5"), ("percent_of_ceiling", "50")];
        assert_eq!(cells(&both_ways)[2], "83 GB/s");
        // 66.9 TFLOP/s is the peak of the CUDA cores; by their bytes these operations would take 1 ms.
        let work = [("flop", "133818000000"), ("peak", "single")];
        assert_eq!(cells(&[&copy[..], &work].concat())[..3], ["2", "100", "single, 66.9 TFLOP/s"]);
        // Tensor cores have another peak, and without a peak there is no limit.
        let bf16 = [("time_median_ms", "2"), ("flop", "1070530560000"), ("peak", "bf16")];
        assert_eq!(cells(&bf16)[..3], ["1", "50", "bf16, 1,071 TFLOP/s"]);
        assert_eq!(cells(&[bf16[0], bf16[1]])[..3], ["", "", ""]);
    }

    #[test]
    fn a_kernel_that_memory_does_not_hold_up_reaches_no_share_of_it() {
        let percent = |flop: &'static str, peak: &'static str| {
            let moves = [("time_median_ms", "2"), ("gb_per_s", "40"), ("percent_of_ceiling", "1")];
            let row = row(&[&moves[..], &[("flop", flop), ("peak", peak)]].concat());
            AgainstLimits::new(&row, Some(&session())).percent().map(f64::round)
        };
        // Its bytes would take 0.02 ms; so do 1.3e9 operations of the CUDA cores.
        assert_eq!([percent("", ""), percent("1e9", "")], [Some(1.0); 2]);
        assert_eq!([percent("33454500000", ""), percent("33454500000", "single")], [None, Some(25.0)]);
    }

    #[test]
    fn a_peer_of_the_same_run_comes_before_what_others_published() {
        let rate = [("time_median_ms", "2"), ("gb_per_s", "3000"), ("published_gb_per_s", "2000")];
        assert_eq!(cells(&rate)[3..5], ["1.5", "published"]);
        let both = [&rate[..], &[("percent_of_device_copy", "93")]].concat();
        assert_eq!(cells(&both)[3..5], ["0.93", "device-copy"]);
        // Less time is more speed; a share of a ceiling is not a peer.
        let time = [("time_median_ms", "2"), ("published_ms", "5"), ("percent_of_ceiling", "9"), ("gb_per_s", "9")];
        assert_eq!(cells(&time)[3..5], ["2.5", "published"]);
        let keys = [("time_median_ms", "2"), ("g_keys_per_s", "30"), ("peer_g_keys_per_s", "50")];
        assert_eq!(cells(&keys)[3..5], ["0.6", "published"]);
        // Sums and the like are not compared.
        assert_eq!(cells(&[("time_median_ms", "2"), ("published_sum", "19")])[3..5], ["", ""]);
    }

    #[test]
    fn what_a_run_does_not_tell_is_empty_and_not_zero() {
        assert!(cells(&[("time_median_ms", "2")]).iter().all(String::is_empty));
        let kernel = [("kernel_registers", "40"), ("kernel_occupancy_percent", "62.5")];
        assert_eq!(cells(&kernel)[5..], ["40", "62.5"]);
        // An emulated row has no time.
        let emulated = [("device", "emulated"), ("time_median_ms", "2"), ("flop", "9e9"), ("peak", "single")];
        assert_eq!(cells(&emulated)[..3], ["", "", ""]);
        let row = row(&[("time_median_ms", "2"), ("gb_per_s", "2000"), ("percent_of_ceiling", "50")]);
        assert_eq!(AgainstLimits::new(&row, None).cells()[..3], ["1", "50", "4,000 GB/s"]);
    }

    #[test]
    fn the_table_has_the_cases_and_the_model_where_there_are_some() {
        let run = Run { folder: "x".into(), sessions: vec![session()], labs: Vec::new(), remarks: Vec::new() };
        let timed = |more: &[(&str, &str)]| {
            row(&[more, &[("variant", "a"), ("case", "x"), ("time_median_ms", "2"), ("gb_per_s", "7")]].concat())
        };
        let (one, other) = (timed(&[]), timed(&[("case", "x, special")]));
        let (plain, says) = table(&run, "x", &[&one], &LabCatalog(&[]));
        assert_eq!(plain.headings[..3], ["variant", "median, ms", "GB/s"]);
        assert_eq!(plain.headings.last().map(String::as_str), Some("occupancy, %"));
        assert!(says.is_empty(), "{says:?}");
        let told = timed(&[("predicted_ms", "3"), ("published_gb_per_s", "14")]);
        let (all, says) = table(&run, "x", &[&one, &other, &told], &LabCatalog(&[]));
        assert_eq!((all.headings[1].as_str(), all.headings.last().unwrap().as_str()), ("case", "model, ms"));
        assert_eq!(all.rows[2].last().map(String::as_str), Some("3"));
        assert!(all.rows.iter().all(|row| row.len() == all.headings.len()));
        assert_eq!(says.len(), 2, "{says:?}");
        assert!(says[1].contains("not measured in this run: published_gb_per_s"), "{says:?}");
    }
}
