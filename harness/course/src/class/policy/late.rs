//! The cost of lateness: `late.toml`.
//!
//! ```toml
//! due = 2026-05-01T23:59:00+02:00
//! grace_minutes = 15
//! percent_per_day = 10
//! most_percent = 50
//!
//! [extensions]
//! ada = 2026-05-08T23:59:00+02:00
//! ```
use std::{collections::BTreeMap, path::Path, time::SystemTime};

use harness::{Result, suggest};
use serde::Deserialize;
use toml::value::Datetime;

use super::{read, wrong};
use crate::class::{entry::Entry, time::moment};

const FILE: &str = "late.toml";
const DAY: u64 = 24 * 60 * 60;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    due: Option<Datetime>,
    #[serde(default)]
    grace_minutes: u32,
    #[serde(default)]
    percent_per_day: f64,
    most_percent: Option<f64>,
    #[serde(default)]
    extensions: BTreeMap<String, Datetime>,
}

/// The policy on lateness in a class.
#[derive(Debug)]
pub struct Late {
    due: Option<SystemTime>,
    grace_seconds: u64,
    percent_per_day: f64,
    most_percent: f64,
    extensions: BTreeMap<String, SystemTime>,
}

/// How late a submission is, and what that costs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Deduction {
    /// Days after the due date; a day that has begun counts.
    pub days: u64,
    /// Percent of the points.
    pub percent: f64,
}

impl Late {
    /// Reads the policy of the class in `out`.
    ///
    /// # Errors
    /// [`harness::Error::Usage`] when the file is invalid.
    pub fn load(out: &Path, entries: &[Entry]) -> Result<Self> {
        let written: Written = read(out, FILE)?;
        let is_there = out.join(FILE).exists();
        Self::read(&written, entries, is_there).map_err(|what| wrong(&out.join(FILE), &what))
    }

    fn read(written: &Written, entries: &[Entry], is_there: bool) -> Result<Self, String> {
        if is_there && written.due.is_none() {
            return Err("it does not say when it was due: due = 2026-05-01T23:59:00+02:00".into());
        }
        let most_percent = written.most_percent.unwrap_or(100.0);
        if ![written.percent_per_day, most_percent].iter().all(|percent| (0.0..=100.0).contains(percent)) {
            return Err("a per cent is a number from 0 to 100".into());
        }
        let mut extensions = BTreeMap::new();
        for (name, until) in &written.extensions {
            let Some(entry) = entries.iter().find(|entry| entry.is_called(name)) else {
                let ids: Vec<&str> = entries.iter().map(|entry| entry.id.as_str()).collect();
                return Err(format!("no student is called `{name}`; {}", suggest::among(name, &ids)));
            };
            extensions.insert(entry.id.clone(), moment(until)?);
        }
        Ok(Self {
            due: written.due.as_ref().map(moment).transpose()?,
            grace_seconds: 60 * u64::from(written.grace_minutes),
            percent_per_day: written.percent_per_day,
            most_percent,
            extensions,
        })
    }

    /// The deduction for `entry`, if it is late.
    pub fn deduction(&self, entry: &Entry) -> Option<Deduction> {
        let due = self.extensions.get(&entry.id).copied().or(self.due)?;
        let seconds = entry.submitted?.duration_since(due).ok()?.as_secs();
        if seconds <= self.grace_seconds {
            return None;
        }
        let days = seconds.div_ceil(DAY).max(1);
        Some(Deduction { days, percent: (days as f64 * self.percent_per_day).min(self.most_percent) })
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::class::entry::Student;

    fn entry(id: &str, minutes_late: i64) -> Entry {
        let due = humantime::parse_rfc3339("2026-05-01T21:59:00Z").unwrap();
        let by = Duration::from_secs(60 * minutes_late.unsigned_abs());
        let submitted = if minutes_late < 0 { due - by } else { due + by };
        let student = Student { id: id.into(), ..Student::default() };
        Entry::of_one(student, Err(String::new()), Some(submitted))
    }

    fn policy(text: &str, entries: &[Entry]) -> Result<Late> {
        let out = tempfile::tempdir().unwrap();
        std::fs::write(out.path().join(FILE), text).unwrap();
        Late::load(out.path(), entries)
    }

    #[test]
    fn each_day_that_has_begun_costs_its_per_cent() {
        let text = "due = 2026-05-01T23:59:00+02:00\ngrace_minutes = 15\npercent_per_day = 10\nmost_percent = 25\n\
                    [extensions]\nada = 2026-05-08T23:59:00+02:00\n";
        let entries = [entry("ada", 7 * 24 * 60 + 16)];
        let late = policy(text, &entries).unwrap();
        let cost = |minutes| late.deduction(&entry("bob", minutes)).map(|d| (d.days, d.percent));
        assert_eq!(cost(-5), None);
        assert_eq!(cost(15), None);
        assert_eq!(cost(16), Some((1, 10.0)));
        assert_eq!(cost(24 * 60), Some((1, 10.0)));
        assert_eq!(cost(24 * 60 + 1), Some((2, 20.0)));
        assert_eq!(cost(9 * 24 * 60), Some((9, 25.0)));
        assert_eq!(late.deduction(&entries[0]).map(|d| d.days), Some(1));
        assert_eq!(late.deduction(&Entry { submitted: None, ..entry("bob", 0) }), None);
    }

    #[test]
    fn without_a_file_nobody_is_late_and_a_wrong_one_is_an_error() {
        let out = tempfile::tempdir().unwrap();
        assert_eq!(Late::load(out.path(), &[]).unwrap().deduction(&entry("a", 9999)), None);
        for (text, words) in [
            ("percent_per_day = 10", "when it was due"),
            ("due = 2026-05-01", "zone"),
            ("due = \"2026-05-01T23:59:00+02:00\"", "without quotes, such as 2026-05-01T23:59:00+02:00"),
            ("due = 2026-05-01T23:59:00Z\npercent = 1", "unknown field"),
            ("due = 2026-05-01T23:59:00Z\npercent_per_day = 101", "0 to 100"),
            ("due = 2026-05-01T23:59:00Z\n[extensions]\neva = 2026-05-01T23:59:00Z", "no student is called `eva`"),
        ] {
            let error = policy(text, &[entry("eve", 0)]).unwrap_err().to_string();
            assert!(error.contains("late.toml") && error.contains(words), "{error}");
        }
    }
}
