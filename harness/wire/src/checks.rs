//! The checks by name, and the set of checks that run.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A check, named as in sanitizers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Check {
    /// Accesses out of bounds, misaligned, to freed memory; wrong frees and copies.
    Memcheck,
    /// Races in shared and global memory.
    Racecheck,
    /// Undefined values: reads of memory that was never written, integer divisions by zero.
    Initcheck,
    /// Misuse of barriers and of warp-level operations.
    Synccheck,
    /// Device memory that is never freed.
    Leakcheck,
    /// Findings that are reported whichever checks run: refused launches, infinite loops, failed assertions.
    Launch,
}

impl Check {
    /// The check's name on a command line and in the JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Check::Memcheck => "memcheck",
            Check::Racecheck => "racecheck",
            Check::Initcheck => "initcheck",
            Check::Synccheck => "synccheck",
            Check::Leakcheck => "leakcheck",
            Check::Launch => "launch",
        }
    }
}

/// The set of checks that run. Memory checks (bounds, alignment, freed, host pointers) protect the machine itself and
/// are always on.
///
/// In JSON it is a list of names; as text it is `all`, `none`, or names separated by commas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checks {
    /// Report what the memory checks find (a fault stops the kernel in any case).
    pub memory: bool,
    /// Races in shared and global memory.
    pub race: bool,
    /// Undefined values: reads of memory that was never written, integer divisions by zero.
    pub init: bool,
    /// Misuse of barriers and of warp-level operations.
    pub sync: bool,
    /// Device memory that is never freed. The driver runs this check, not the machine.
    pub leaks: bool,
}

/// A word that is not the name of a check.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no check is called `{0}`; there are memcheck, racecheck, initcheck, synccheck, leakcheck, all, none")]
pub struct UnknownCheck(pub String);

impl Checks {
    /// Memory checks only.
    pub const MEMORY: Checks = Checks { memory: true, ..Checks::NONE };
    /// All checks.
    pub const ALL: Checks = Checks { memory: true, race: true, init: true, sync: true, leaks: true };
    /// Only the checks that protect the machine, without reports.
    pub const NONE: Checks = Checks { memory: false, race: false, init: false, sync: false, leaks: false };

    /// The switch of a check; `None` for [`Check::Launch`], which is always on.
    fn switch(&mut self, check: Check) -> Option<&mut bool> {
        match check {
            Check::Memcheck => Some(&mut self.memory),
            Check::Racecheck => Some(&mut self.race),
            Check::Initcheck => Some(&mut self.init),
            Check::Synccheck => Some(&mut self.sync),
            Check::Leakcheck => Some(&mut self.leaks),
            Check::Launch => None,
        }
    }

    /// Lists the checks that run, in the order of [`Check`].
    pub fn list(mut self) -> Vec<Check> {
        let on = |check: &Check| self.switch(*check).is_some_and(|on| *on);
        NAMED.into_iter().filter(on).collect()
    }
}

/// The checks that a user can name.
const NAMED: [Check; 5] = [Check::Memcheck, Check::Racecheck, Check::Initcheck, Check::Synccheck, Check::Leakcheck];

/// Parses names separated by commas, from left to right: `all` and `none` replace the names before them. An empty text
/// means `none`.
impl FromStr for Checks {
    type Err = UnknownCheck;

    fn from_str(text: &str) -> Result<Self, UnknownCheck> {
        let mut checks = Checks::NONE;
        for word in text.split(',').map(str::trim).filter(|w| !w.is_empty()) {
            match word {
                "all" => checks = Checks::ALL,
                "none" => checks = Checks::NONE,
                _ => {
                    let named = NAMED.into_iter().find(|check| check.name() == word);
                    let switch = named.and_then(|check| checks.switch(check));
                    *switch.ok_or_else(|| UnknownCheck(word.to_owned()))? = true;
                }
            }
        }
        Ok(checks)
    }
}

impl fmt::Display for Checks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Checks::ALL => f.write_str("all"),
            Checks::NONE => f.write_str("none"),
            _ => {
                let names: Vec<_> = self.list().into_iter().map(Check::name).collect();
                f.write_str(&names.join(","))
            }
        }
    }
}

impl Serialize for Checks {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.list().serialize(to)
    }
}

impl<'de> Deserialize<'de> for Checks {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let mut checks = Checks::NONE;
        for check in Vec::<Check>::deserialize(from)? {
            let unnamed = || serde::de::Error::custom(UnknownCheck(check.name().to_owned()));
            *checks.switch(check).ok_or_else(unnamed)? = true;
        }
        Ok(checks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checks_are_named_as_sanitizers_name_them() {
        let parse = str::parse::<Checks>;
        assert_eq!(parse("all"), Ok(Checks::ALL));
        assert_eq!(parse("memcheck, synccheck").map(|c| (c.memory, c.race, c.sync)), Ok((true, false, true)));
        assert_eq!(parse(""), Ok(Checks::NONE));
        let leaks = |text| parse(text).unwrap().leaks;
        assert!(leaks("all") && leaks("memcheck, leakcheck"));
        assert!(!leaks("memcheck") && !leaks("all,none") && !leaks(""));
        let unknown = parse("memchek").unwrap_err().to_string();
        assert!(unknown.contains("`memchek`") && unknown.contains("racecheck"));
        // Refused launches are always reported, so this check cannot be selected.
        assert!(parse("launch").is_err());
    }

    #[test]
    fn what_is_written_is_read_again() {
        for bits in 0..32 {
            let on = |bit: u32| bits >> bit & 1 == 1;
            let checks = Checks { memory: on(0), race: on(1), init: on(2), sync: on(3), leaks: on(4) };
            assert_eq!(checks.to_string().parse(), Ok(checks));
            let json = serde_json::to_string(&checks).unwrap();
            assert_eq!(serde_json::from_str::<Checks>(&json).unwrap(), checks);
        }
        let list = serde_json::to_string(&Checks::ALL).unwrap();
        assert_eq!(list, r#"["memcheck","racecheck","initcheck","synccheck","leakcheck"]"#);
        assert!(serde_json::from_str::<Checks>(r#"["launch"]"#).is_err());
    }
}
