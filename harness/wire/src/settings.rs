//! The machine's settings, and how a client asks to change them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::checks::Checks;

/// How a launch is executed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Which checks run.
    pub checks: Checks,
    /// Whether memory traffic is counted.
    pub counters: bool,
    /// Whether the figures are also kept for each line of the source ([`crate::counters::Counters::lines`]). They take
    /// far more memory than the rest of a launch's record.
    pub lines: bool,
    /// Whether what decides a launch's time is counted too ([`crate::counters::Counters::costs`]), which takes longer.
    pub costs: bool,
    /// Order of warps and blocks; 0 is the natural one.
    pub seed: u64,
    /// Warp instructions that a launch may execute before it is stopped.
    pub budget: u64,
    /// Host threads; 0: as many as the host has processors.
    pub workers: usize,
    /// Bytes of each thread's stack, for functions that call themselves: what `CU_LIMIT_STACK_SIZE` sets.
    pub stack_bytes: u32,
    /// Bytes of text that a launch may print before the oldest is dropped: what `CU_LIMIT_PRINTF_FIFO_SIZE` sets.
    pub print_bytes: usize,
    /// Whether a kernel goes on after an access outside of all allocations, which then reads zero, or whose value is
    /// lost. On a GPU such an access may go unnoticed.
    #[serde(default)]
    pub keep_going: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            checks: Checks::MEMORY,
            counters: true,
            lines: false,
            costs: false,
            seed: 0,
            budget: 200_000_000_000,
            workers: 0,
            stack_bytes: 1024,
            print_bytes: 1 << 20,
            keep_going: false,
        }
    }
}

/// What a client asks for by `simt_configure`; a setting that is absent stays unchanged.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wishes {
    /// A profile's name; before `cuInit` only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
    /// Which checks run, as text: `all`, `none`, or names with commas between them.
    #[serde(default, with = "as_text", skip_serializing_if = "Option::is_none")]
    pub checks: Option<Checks>,
    /// [`Settings::counters`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counters: Option<bool>,
    /// [`Settings::lines`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<bool>,
    /// [`Settings::costs`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub costs: Option<bool>,
    /// [`Settings::seed`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// [`Settings::budget`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget: Option<u64>,
    /// [`Settings::workers`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workers: Option<usize>,
    /// What the program does from now on, in its own words: leaks are reported under this text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub during: Option<String>,
    /// Texts of source files, by their names in line information, for reports that show source lines. They are added to
    /// those given before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sources: Option<BTreeMap<String, String>>,
    /// Host memory of the program, from the first address to the one behind the last, where the machine runs in another
    /// process: a pointer there is a host pointer, although nothing is mapped. It is added to what was given before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<Vec<[u64; 2]>>,
}

impl Wishes {
    /// The wishes in `text`.
    ///
    /// # Errors
    /// When it is not JSON, or asks for something unknown; the message names it.
    pub fn read(text: &str) -> Result<Self, String> {
        serde_json::from_str(text).map_err(|error| error.to_string())
    }

    /// The wishes as JSON, for `simt_configure`.
    pub fn to_json(&self) -> String {
        crate::json(self)
    }
}

/// Checks as the text that a user writes.
mod as_text {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    use crate::checks::Checks;

    #[allow(clippy::ref_option, clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
    pub fn serialize<S: Serializer>(checks: &Option<Checks>, to: S) -> Result<S::Ok, S::Error> {
        match checks {
            Some(checks) => to.collect_str(checks),
            None => to.serialize_none(),
        }
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Checks>, D::Error> {
        let text = Option::<String>::deserialize(from)?;
        text.map(|text| text.parse().map_err(D::Error::custom)).transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_named_is_asked_for() {
        let wishes = Wishes::read(r#"{"checks": "racecheck,memcheck", "seed": 7}"#).unwrap();
        let checks = "memcheck,racecheck".parse().unwrap();
        let expected = Wishes { checks: Some(checks), seed: Some(7), ..Wishes::default() };
        assert_eq!(wishes, expected);
        assert_eq!(Wishes::read(&wishes.to_json()), Ok(wishes));
        assert_eq!(Wishes::read("{}"), Ok(Wishes::default()));
    }

    #[test]
    fn an_unknown_wish_is_refused() {
        for (text, words) in [
            (r#"{"colour": 1}"#, "colour"),
            (r#"{"checks": "memchek"}"#, "memcheck"),
            (r#"{"seed": "seven"}"#, "seven"),
            ("nonsense", "expected"),
        ] {
            let refused = Wishes::read(text).unwrap_err();
            assert!(refused.contains(words), "{text}: {refused}");
        }
    }
}
