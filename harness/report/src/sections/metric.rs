//! The quantities by which the variants of a lab are compared.
use crate::{
    number_format::{short, time},
    run::row::Row,
};

/// A quantity that is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Metric {
    /// A column with a rate: its name and its unit.
    Rate(&'static str, &'static str),
    /// The median time, in ms.
    Time,
    /// The embedded machine's count of warp instructions.
    Instructions,
}

/// The rates by which kernels are compared; the first one that a lab has is used.
const RATES: [Metric; 3] =
    [Metric::Rate("gb_per_s", "GB/s"), Metric::Rate("tflop_per_s", "TFLOP/s"), Metric::Rate("gflop_per_s", "GFLOP/s")];

impl Metric {
    /// Chooses the quantity for these rows: one that at least half of the timed rows have.
    pub fn choose(rows: &[&Row]) -> Option<Self> {
        let having = |metric: &Self| rows.iter().filter(|row| metric.value(row).is_some()).count();
        let timed = having(&Self::Time);
        if timed > 0 {
            return Some(RATES.into_iter().find(|metric| 2 * having(metric) >= timed).unwrap_or(Self::Time));
        }
        (having(&Self::Instructions) > 0).then_some(Self::Instructions)
    }

    /// Returns the row's value.
    pub fn value(&self, row: &Row) -> Option<f64> {
        match self {
            Self::Rate(column, _) => row.number(column).filter(|_| !row.is_emulated()),
            Self::Time => row.ms(),
            Self::Instructions => row.number("instructions").filter(|count| *count > 0.0 && row.is_emulated()),
        }
    }

    /// Returns the row's prediction and its interval, in this quantity.
    pub fn predicted(&self, row: &Row) -> Option<(f64, (f64, f64))> {
        let ms = |column: &str| row.number(column).filter(|ms| *ms > 0.0);
        let [is, low, high] = ["predicted_ms", "predicted_low_ms", "predicted_high_ms"].map(ms);
        match self {
            // A rate at the predicted time is the rate at the measured time, scaled by the ratio of the times.
            Self::Rate(..) => {
                let work = self.value(row)? * row.ms()?;
                Some((work / is?, (work / high?, work / low?)))
            }
            Self::Time => Some((is?, (low?, high?))),
            Self::Instructions => None,
        }
    }

    /// Returns the unit, for an axis.
    pub fn unit(&self) -> &'static str {
        match self {
            Self::Rate(_, unit) => unit,
            Self::Time => "ms (less is faster)",
            Self::Instructions => "warp instructions, counted (a count is not a time)",
        }
    }

    /// Formats a value as text.
    pub fn words(&self, value: f64) -> String {
        match self {
            Self::Rate(_, unit) => format!("{} {unit}", short(value)),
            Self::Time => time(value),
            Self::Instructions => short(value),
        }
    }

    /// Returns the values measured by others for this row, each with its column's name: columns that begin with
    /// `published_` or `peer_` and end in the metric's name, or that contain a time from which a rate follows.
    pub fn peers<'r>(&self, row: &'r Row) -> Vec<(&'r str, f64)> {
        let value = |column: &'r str| {
            let value = row.number(column).filter(|value| *value > 0.0)?;
            let quantity = column.trim_start_matches("published_").trim_start_matches("peer_");
            match self {
                Self::Rate(own, _) if quantity == *own => Some(value),
                Self::Rate("gb_per_s", _) if quantity == "ms" => Some(row.number("bytes")? / value / 1e6),
                Self::Rate("gflop_per_s", _) if quantity == "kernel_ms" => Some(row.number("flop")? / value / 1e6),
                Self::Time if quantity == "ms" || quantity == "kernel_ms" => Some(value),
                _ => None,
            }
        };
        let columns = row.columns("published_").chain(row.columns("peer_"));
        columns.filter_map(|column| Some((column, value(column)?))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::row::tests::row;

    #[test]
    fn rates_are_compared_where_half_of_the_rows_have_them() {
        let rate = row(&[("time_median_ms", "2"), ("gb_per_s", "100"), ("bytes", "200000000")]);
        let timed = row(&[("time_median_ms", "2")]);
        assert_eq!(Metric::choose(&[&rate, &timed]), Some(RATES[0]));
        assert_eq!(Metric::choose(&[&rate, &timed, &timed]), Some(Metric::Time));
        let emulated =
            row(&[("device", "emulated"), ("time_median_ms", "2"), ("gb_per_s", "9"), ("instructions", "70")]);
        assert_eq!(Metric::choose(&[&emulated]), Some(Metric::Instructions));
        assert_eq!(RATES[0].value(&emulated), None);
        assert_eq!(Metric::choose(&[&row(&[])]), None);
    }

    #[test]
    fn what_is_predicted_stands_in_the_quantity_that_is_compared() {
        let times = [("predicted_ms", "4"), ("predicted_low_ms", "2"), ("predicted_high_ms", "8")];
        let row = row(&[&[("time_median_ms", "2"), ("gb_per_s", "100")][..], &times[..]].concat());
        assert_eq!(Metric::Time.predicted(&row), Some((4.0, (2.0, 8.0))));
        assert_eq!(RATES[0].predicted(&row), Some((50.0, (25.0, 100.0))));
        assert_eq!(Metric::Instructions.predicted(&row), None);
        assert_eq!(Metric::Time.predicted(&crate::run::row::tests::row(&[])), None);
    }

    #[test]
    fn a_published_time_becomes_a_rate_and_another_quantity_is_left() {
        let row = row(&[
            ("bytes", "201326592"),
            ("gb_per_s", "53"),
            ("time_median_ms", "3.8"),
            ("published_ms", "3.71"),
            ("peer_gb_per_s", "50"),
            ("published_sum", "19"),
        ]);
        let peers = RATES[0].peers(&row);
        assert_eq!(peers.iter().map(|p| p.0).collect::<Vec<_>>(), ["published_ms", "peer_gb_per_s"]);
        assert!((peers[0].1 - 54.266).abs() < 0.001, "{peers:?}");
    }
}
