//! Marks as JSON, for programs: everything that is known, including hidden sizes. `schema` is the format's version.
use serde::{Deserialize, Serialize};

use crate::judge::marks::marked::{Marked, SCHEMA};

/// The marks of several submissions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct All {
    /// [`SCHEMA`].
    pub schema: u32,
    /// In the order of the command line.
    pub submissions: Vec<Marked>,
}

/// The marks of each submission.
pub fn json(all: &[Marked]) -> String {
    let all = All { schema: SCHEMA, submissions: all.to_vec() };
    serde_json::to_string_pretty(&all).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::sample::sample;
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let all = [sample(), sample()];
        let read: All = serde_json::from_str(&json(&all)).unwrap();
        assert_eq!((read.schema, &read.submissions[..]), (SCHEMA, &all[..]));
    }
}
