//! The quantities by which the variants of a lab are compared.
use record::{Counter, Row, drawn};

use crate::number_format::{short, time};

/// A quantity that is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Metric {
    /// A rate.
    Rate(Rate),
    /// The median time, in ms.
    Time,
    /// The embedded machine's count of warp instructions.
    Instructions,
}

/// A rate by which kernels are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rate {
    /// 10^9 bytes a second.
    Gigabytes,
    /// 10^12 operations a second, in a column of the lab.
    Teraflops,
    /// 10^9 operations a second.
    Gigaflops,
}

impl Rate {
    /// All of them; the first one that a lab has is used.
    const ALL: [Self; 3] = [Self::Gigabytes, Self::Teraflops, Self::Gigaflops];

    /// Returns the unit.
    pub fn unit(self) -> &'static str {
        match self {
            Self::Gigabytes => "GB/s",
            Self::Teraflops => "TFLOP/s",
            Self::Gigaflops => "GFLOP/s",
        }
    }

    /// Returns the row's rate.
    fn of(self, row: &Row) -> Option<f64> {
        match self {
            Self::Gigabytes => row.gb_per_s,
            Self::Teraflops => row.own(&drawn::TFLOP_PER_S),
            Self::Gigaflops => row.gflop_per_s,
        }
    }

    /// Returns the rate of others from a column of theirs, which ends in this quantity.
    fn of_peer(self, row: &Row, quantity: &str, value: f64) -> Option<f64> {
        match (self, quantity) {
            (Self::Gigabytes, "gb_per_s") | (Self::Teraflops, "tflop_per_s") | (Self::Gigaflops, "gflop_per_s") => {
                Some(value)
            }
            (Self::Gigabytes, "ms") => Some(row.bytes()? / value / 1e6),
            (Self::Gigaflops, "kernel_ms") => Some(row.flop()? / value / 1e6),
            _ => None,
        }
    }
}

impl Metric {
    /// Chooses the quantity for these rows: one that at least half of the timed rows have.
    pub fn choose(rows: &[&Row]) -> Option<Self> {
        let having = |metric: &Self| rows.iter().filter(|row| metric.value(row).is_some()).count();
        let timed = having(&Self::Time);
        if timed > 0 {
            return Some(
                Rate::ALL.map(Self::Rate).into_iter().find(|metric| 2 * having(metric) >= timed).unwrap_or(Self::Time),
            );
        }
        (having(&Self::Instructions) > 0).then_some(Self::Instructions)
    }

    /// Returns the row's value.
    pub fn value(self, row: &Row) -> Option<f64> {
        match self {
            Self::Rate(rate) => rate.of(row).filter(|_| !row.is_emulated()),
            Self::Time => row.ms(),
            Self::Instructions => {
                row.counters.get(Counter::Instructions).filter(|count| *count > 0.0 && row.is_emulated())
            }
        }
    }

    /// Returns the row's prediction and its interval, in this quantity.
    pub fn predicted(self, row: &Row) -> Option<(f64, (f64, f64))> {
        let all = row.prediction().filter(|all| all.low_ms > 0.0)?;
        match self {
            // A rate at the predicted time is the rate at the measured time, scaled by the ratio of the times.
            Self::Rate(..) => {
                let work = self.value(row)? * row.ms()?;
                Some((work / all.ms, (work / all.high_ms, work / all.low_ms)))
            }
            Self::Time => Some((all.ms, (all.low_ms, all.high_ms))),
            Self::Instructions => None,
        }
    }

    /// Returns the unit, for an axis.
    pub fn unit(self) -> &'static str {
        match self {
            Self::Rate(rate) => rate.unit(),
            Self::Time => "ms (less is faster)",
            Self::Instructions => "warp instructions, counted (a count is not a time)",
        }
    }

    /// Formats a value as text.
    pub fn words(self, value: f64) -> String {
        match self {
            Self::Rate(rate) => format!("{} {}", short(value), rate.unit()),
            Self::Time => time(value),
            Self::Instructions => short(value),
        }
    }

    /// Returns the values measured by others for this row, each with its column's name: columns that begin with
    /// `published_` or `peer_` and end in the metric's name, or that contain a time from which a rate follows.
    pub fn peers<'r>(self, row: &'r Row) -> Vec<(&'r str, f64)> {
        let value = |column: &'r str| {
            let value = row.own_named(column).filter(|value| *value > 0.0)?;
            let quantity = column.trim_start_matches("published_").trim_start_matches("peer_");
            match self {
                Self::Rate(rate) => rate.of_peer(row, quantity, value),
                Self::Time if quantity == "ms" || quantity == "kernel_ms" => Some(value),
                _ => None,
            }
        };
        let columns = row.own_columns("published_").chain(row.own_columns("peer_"));
        columns.filter_map(|column| Some((column, value(column)?))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::fixtures::row;

    #[test]
    fn rates_are_compared_where_half_of_the_rows_have_them() {
        let rate = row(&[("time_median_ms", "2"), ("gb_per_s", "100"), ("bytes", "200000000")]);
        let timed = row(&[("time_median_ms", "2")]);
        assert_eq!(Metric::choose(&[&rate, &timed]), Some(Metric::Rate(Rate::Gigabytes)));
        assert_eq!(Metric::choose(&[&rate, &timed, &timed]), Some(Metric::Time));
        let emulated =
            row(&[("device", "emulated"), ("time_median_ms", "2"), ("gb_per_s", "9"), ("instructions", "70")]);
        assert_eq!(Metric::choose(&[&emulated]), Some(Metric::Instructions));
        assert_eq!(Metric::Rate(Rate::Gigabytes).value(&emulated), None);
        assert_eq!(Metric::choose(&[&row(&[])]), None);
    }

    #[test]
    fn what_is_predicted_stands_in_the_quantity_that_is_compared() {
        let times = [("predicted_ms", "4"), ("predicted_low_ms", "2"), ("predicted_high_ms", "8")];
        let row = row(&[&[("time_median_ms", "2"), ("gb_per_s", "100")][..], &times[..]].concat());
        assert_eq!(Metric::Time.predicted(&row), Some((4.0, (2.0, 8.0))));
        assert_eq!(Metric::Rate(Rate::Gigabytes).predicted(&row), Some((50.0, (25.0, 100.0))));
        assert_eq!(Metric::Instructions.predicted(&row), None);
        assert_eq!(Metric::Time.predicted(&record::fixtures::row(&[])), None);
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
        let peers = Metric::Rate(Rate::Gigabytes).peers(&row);
        assert_eq!(peers.iter().map(|p| p.0).collect::<Vec<_>>(), ["published_ms", "peer_gb_per_s"]);
        assert!((peers[0].1 - 54.266).abs() < 0.001, "{peers:?}");
    }
}
