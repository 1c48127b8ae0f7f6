//! The architecture that a kernel is compiled for.
use std::{fmt, str::FromStr};

/// A virtual architecture: `90` runs on compute capability 9.0 and later, `90a` on 9.0 only, since later GPUs need not
/// support its instructions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Arch {
    /// The compute capability as one number: ten times the major number plus the minor number, e.g. 90.
    pub number: u32,
    /// Whether it runs on this compute capability only.
    pub is_exact: bool,
}

impl Arch {
    /// Returns the architecture for the compute capability with this number and later ones.
    pub const fn from(number: u32) -> Self {
        Self { number, is_exact: false }
    }

    /// Whether it runs on a device whose compute capability has this number.
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
