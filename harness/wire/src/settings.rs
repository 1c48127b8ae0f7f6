//! The machine's settings, and a client's requests to change them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::checks::Checks;

/// The settings with which launches are executed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Which checks run.
    pub checks: Checks,
    /// Whether memory traffic is counted.
    pub counters: bool,
    /// Whether counters are also kept for each line of the source ([`crate::counters::Counters::lines`]). They take far
    /// more memory than the rest of a launch's record.
    pub lines: bool,
    /// Whether the launch's other costs are counted too ([`crate::counters::Counters::costs`]), which takes longer.
    pub costs: bool,
    /// The order of warps and blocks; 0 is the natural one.
    pub seed: u64,
    /// The instruction budget: warp instructions that a launch may execute before it is stopped.
    pub budget: u64,
    /// Number of host threads; 0 means the number of processors.
    pub workers: usize,
    /// Bytes of each thread's stack, for recursive functions: set by `CU_LIMIT_STACK_SIZE`.
    pub stack_bytes: u32,
    /// Bytes of text that a launch may print before the oldest text is dropped: set by `CU_LIMIT_PRINTF_FIFO_SIZE`.
    pub print_bytes: usize,
    /// Whether a kernel continues after an access outside of all allocations; such a load then reads zero, and such a
    /// store is lost. On a GPU such an access may go unnoticed.
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

/// The settings that a client requests through `simt_configure`; a setting that is absent stays unchanged.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SettingsPatch {
    /// A profile's name; only allowed before `cuInit`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
    /// The checks that run, as text: `all`, `none`, or names separated by commas.
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
    /// Whether a launch that will take long is announced on standard error, with the time that its first blocks have
    /// taken, although the program fetches reports.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub announce: Option<bool>,
    /// The program's current activity, in its own words: leaks are reported under this text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub during: Option<String>,
    /// Texts of source files, by their names in line information, for reports that show source lines. They are added to
    /// earlier ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sources: Option<BTreeMap<String, String>>,
    /// Ranges of the program's host memory, as half-open pairs of addresses, if the machine runs in another process: a
    /// pointer into them is a host pointer, although nothing is mapped there. They are added to earlier ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<Vec<[u64; 2]>>,
    /// Registers of a thread, as NVIDIA's assembler reports them, by the [`module_digest`] of the kernels' PTX and by
    /// the kernels' names. They replace the machine's estimates in modules that are loaded later, and are added to
    /// earlier ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub registers: Option<BTreeMap<u64, BTreeMap<String, u32>>>,
}

/// Returns a digest of a module's PTX (FNV-1a), by which a client names the module before it is loaded.
pub fn module_digest(ptx: &str) -> u64 {
    ptx.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

impl SettingsPatch {
    /// Parses requested settings.
    ///
    /// # Errors
    /// When the text is not JSON, or has an unknown setting or value; the message names it.
    pub fn read(text: &str) -> Result<Self, String> {
        serde_json::from_str(text).map_err(|error| error.to_string())
    }

    /// Returns the requested settings as JSON, for `simt_configure`.
    pub fn to_json(&self) -> String {
        crate::json(self)
    }
}

/// Serializes checks as the text that a user writes.
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
        let patch = SettingsPatch::read(r#"{"checks": "racecheck,memcheck", "seed": 7}"#).unwrap();
        let checks = "memcheck,racecheck".parse().unwrap();
        let expected = SettingsPatch { checks: Some(checks), seed: Some(7), ..SettingsPatch::default() };
        assert_eq!(patch, expected);
        assert_eq!(SettingsPatch::read(&patch.to_json()), Ok(patch));
        assert_eq!(SettingsPatch::read("{}"), Ok(SettingsPatch::default()));
    }

    #[test]
    fn registers_are_named_by_the_digest_of_their_module() {
        // The values of FNV-1a for these texts.
        assert_eq!([module_digest(""), module_digest("a")], [0xcbf2_9ce4_8422_2325, 0xaf63_dc4c_8601_ec8c]);
        let registers = Some([(module_digest("a"), [("k".to_string(), 40)].into())].into());
        let patch = SettingsPatch { registers, ..SettingsPatch::default() };
        assert_eq!(SettingsPatch::read(&patch.to_json()), Ok(patch));
    }

    #[test]
    fn an_unknown_wish_is_refused() {
        for (text, words) in [
            (r#"{"colour": 1}"#, "colour"),
            (r#"{"checks": "memchek"}"#, "memcheck"),
            (r#"{"seed": "seven"}"#, "seven"),
            ("nonsense", "expected"),
        ] {
            let refused = SettingsPatch::read(text).unwrap_err();
            assert!(refused.contains(words), "{text}: {refused}");
        }
    }
}
