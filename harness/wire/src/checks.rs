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
    /// Whether the race check reports threads that store the same value, as those do that all set one flag.
    pub strict: bool,
}

/// A word that is not the name of a check.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no check is called `{0}`; there are memcheck, racecheck, initcheck, synccheck, leakcheck, strict, all, none")]
pub struct UnknownCheck(pub String);

impl Checks {
    /// Memory checks only.
    pub const MEMORY: Checks = Checks { memory: true, ..Checks::NONE };
    /// All checks, with the rules of CUDA programs as they are commonly written.
    pub const ALL: Checks = Checks { memory: true, race: true, init: true, sync: true, leaks: true, strict: false };
    /// Only the checks that protect the machine, without reports.
    pub const NONE: Checks =
        Checks { memory: false, race: false, init: false, sync: false, leaks: false, strict: false };

    /// Turns on what has this name.
    fn add(&mut self, name: &str) -> Result<(), UnknownCheck> {
        let (_, switch) = SWITCHES.iter().find(|(known, _)| *known == name).ok_or_else(|| UnknownCheck(name.into()))?;
        *switch(self) = true;
        self.race |= self.strict;
        Ok(())
    }

    /// Returns the names of what is on.
    fn names(mut self) -> Vec<&'static str> {
        SWITCHES.iter().filter(|(_, switch)| *switch(&mut self)).map(|(name, _)| *name).collect()
    }
}

/// The name that a user gives to a check, and its switch.
type Switch = (&'static str, fn(&mut Checks) -> &mut bool);

/// What a user can name.
const SWITCHES: [Switch; 6] = [
    (Check::Memcheck.name(), |checks| &mut checks.memory),
    (Check::Racecheck.name(), |checks| &mut checks.race),
    (Check::Initcheck.name(), |checks| &mut checks.init),
    (Check::Synccheck.name(), |checks| &mut checks.sync),
    (Check::Leakcheck.name(), |checks| &mut checks.leaks),
    ("strict", |checks| &mut checks.strict),
];

/// Parses names separated by commas, from left to right: `all` and `none` replace the names before them, and `strict`
/// includes `racecheck`. An empty text means `none`.
impl FromStr for Checks {
    type Err = UnknownCheck;

    fn from_str(text: &str) -> Result<Self, UnknownCheck> {
        let mut checks = Checks::NONE;
        for word in text.split(',').map(str::trim).filter(|w| !w.is_empty()) {
            match word {
                "all" => checks = Checks::ALL,
                "none" => checks = Checks::NONE,
                _ => checks.add(word)?,
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
            _ => f.write_str(&self.names().join(",")),
        }
    }
}

impl Serialize for Checks {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.names().serialize(to)
    }
}

impl<'de> Deserialize<'de> for Checks {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let mut checks = Checks::NONE;
        for name in Vec::<String>::deserialize(from)? {
            checks.add(&name).map_err(serde::de::Error::custom)?;
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
        let strict = |text| parse(text).map(|checks| (checks.race, checks.strict));
        assert_eq!((strict("strict"), strict("all,strict")), (Ok((true, true)), Ok((true, true))));
        assert_eq!((strict("all"), strict("strict,all")), (Ok((true, false)), Ok((true, false))));
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
        for bits in 0..64 {
            let on = |bit: u32| bits >> bit & 1 == 1;
            let (race, strict) = (on(1) || on(5), on(5));
            let checks = Checks { memory: on(0), race, init: on(2), sync: on(3), leaks: on(4), strict };
            assert_eq!(checks.to_string().parse(), Ok(checks));
            let json = serde_json::to_string(&checks).unwrap();
            assert_eq!(serde_json::from_str::<Checks>(&json).unwrap(), checks);
        }
        let list = serde_json::to_string(&Checks::ALL).unwrap();
        assert_eq!(list, r#"["memcheck","racecheck","initcheck","synccheck","leakcheck"]"#);
        assert!(serde_json::from_str::<Checks>(r#"["launch"]"#).is_err());
    }
}
