//! The architecture that a kernel is compiled for.
use std::{fmt, str::FromStr};

/// A virtual architecture: `90` runs on compute capability 9.0 and later, `90a` on 9.0 alone, since it has instructions
/// that no later part promises to have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Arch {
    /// Ten times the major number and the minor number of the compute capability, e.g. 90.
    pub number: u32,
    /// Whether it is for this compute capability alone.
    pub is_exact: bool,
}

impl Arch {
    /// For the compute capability with this number, and later ones.
    pub const fn from(number: u32) -> Self {
        Self { number, is_exact: false }
    }

    /// Whether a device whose compute capability has this number runs it.
    pub fn runs_on(self, device: u32) -> bool {
        self.number == device || (!self.is_exact && self.number < device)
    }
}

impl fmt::Display for Arch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.number, if self.is_exact { "a" } else { "" })
    }
}

impl FromStr for Arch {
    type Err = std::num::ParseIntError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let number = text.strip_suffix('a');
        Ok(Self { number: number.unwrap_or(text).parse()?, is_exact: number.is_some() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exact_architecture_runs_on_one_compute_capability() {
        for (text, number, devices) in [("80", 80, [false, true, true]), ("80a", 80, [false, true, false])] {
            let arch: Arch = text.parse().unwrap();
            assert_eq!((arch.number, arch.to_string().as_str()), (number, text));
            assert_eq!([75, 80, 90].map(|device| arch.runs_on(device)), devices, "{text}");
        }
        assert!("a".parse::<Arch>().is_err() && "90aa".parse::<Arch>().is_err());
    }
}
