//! The multiprocessor resources of a row's kernel, and the peak to which its operations are compared.
use serde::{Deserialize, Serialize};

/// A kernel's multiprocessor resources, as reported by the device's driver.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Resources {
    /// Registers of a thread.
    pub registers: u32,
    /// The warps that stay resident with the row's launch, as a percentage of those that a multiprocessor can hold
    /// (occupancy); `None` if the row has no launch.
    pub occupancy_percent: Option<f64>,
    /// Where the registers come from; `None` in a run of an earlier version.
    #[serde(default)]
    pub registers_from: Option<RegisterSource>,
}

/// Where a kernel's registers come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RegisterSource {
    /// The driver of the GPU.
    Driver,
    /// NVIDIA's assembler, for the emulated GPU.
    Ptxas,
    /// The embedded machine, which estimates them from the PTX.
    Estimated,
}

impl RegisterSource {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Driver, Self::Ptxas, Self::Estimated];

    /// Returns the word in the CSV.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Driver => "driver",
            Self::Ptxas => "ptxas",
            Self::Estimated => "estimated",
        }
    }

    /// Returns the source of this word.
    pub(crate) fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|source| source.word() == word)
    }
}

/// The unit that executes a row's operations, to whose peak they are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Peak {
    /// Multiply-adds in single precision, on the CUDA cores.
    Single,
    /// Tensor cores with inputs of 19 bits (TF32).
    Tf32,
    /// Tensor cores with each product split into three TF32 products.
    SplitTf32,
    /// Tensor cores with bfloat16 inputs.
    Bf16,
}

impl Peak {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Single, Self::Tf32, Self::SplitTf32, Self::Bf16];

    /// Returns the word in the CSV.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Single => "single",
            Self::Tf32 => "tf32",
            Self::SplitTf32 => "split-tf32",
            Self::Bf16 => "bf16",
        }
    }

    /// Returns the unit of this word.
    pub(crate) fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|peak| peak.word() == word)
    }

    /// Returns the peak operations per clock and multiprocessor, where a multiply-add counts as two; `None` if the
    /// architecture has no such unit, or its rate is not known here.
    pub fn per_clock(self, compute_capability: (i32, i32)) -> Option<f64> {
        let (major, minor) = (u32::try_from(compute_capability.0).ok()?, u32::try_from(compute_capability.1).ok()?);
        let known = gpu::architecture::known(major, minor)?;
        let multiply_adds = match self {
            Self::Single => f64::from(known.single_per_clock),
            Self::Tf32 => f64::from(known.tf32_per_clock),
            Self::SplitTf32 => f64::from(known.tf32_per_clock) / 3.0,
            Self::Bf16 => f64::from(known.bf16_per_clock),
        };
        (multiply_adds > 0.0).then_some(2.0 * multiply_adds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn peaks_are_those_of_the_data_sheets() {
        let tera = |peak: Peak, capability, sms: f64, ghz: f64| peak.per_clock(capability).unwrap() * sms * ghz / 1e3;
        for (peak, capability, (sms, ghz), published) in [
            (Peak::Single, (8, 0), (108.0, 1.41), 19.5),
            (Peak::Tf32, (8, 0), (108.0, 1.41), 156.0),
            (Peak::Bf16, (8, 0), (108.0, 1.41), 312.0),
            (Peak::Single, (9, 0), (132.0, 1.98), 67.0),
            (Peak::Tf32, (9, 0), (132.0, 1.83), 495.0),
            (Peak::Bf16, (9, 0), (132.0, 1.83), 989.0),
        ] {
            let found = tera(peak, capability, sms, ghz);
            assert!((found / published - 1.0).abs() < 0.005, "{peak:?} {capability:?}: {found}");
        }
        assert_eq!(Peak::SplitTf32.per_clock((9, 0)).map(|rate| 3.0 * rate), Peak::Tf32.per_clock((9, 0)));
        assert_eq!(Peak::Tf32.per_clock((7, 5)), None);
        assert_eq!((Peak::Single.per_clock((12, 0)), Peak::Bf16.per_clock((12, 0))), (Some(256.0), None));
        assert_eq!(Peak::Single.per_clock((99, 0)), None);
    }
}
