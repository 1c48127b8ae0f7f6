//! The model's view of a GPU: its figures and constants as numbers.

use std::borrow::Cow;

use gpu::{Constant, Model, PARTS, Part, PartFile};

/// A GPU.
#[derive(Clone, Debug, PartialEq)]
pub struct GpuModel {
    /// Its name, as of the emulated parts.
    pub name: String,
    /// Its name in a sentence.
    pub full_name: String,
    sms: u32,
    clock_khz: u32,
    l2_bytes: u32,
    constants: Cow<'static, Model>,
}

/// Why no time can be predicted for a part.
#[derive(Debug, thiserror::Error)]
pub enum UnknownGpu {
    /// The constants of this part have not been measured or looked up.
    #[error("no time can be predicted for {name}: its constants are unknown; there are those of {known}")]
    Part {
        /// The requested name.
        name: String,
        /// The parts with constants.
        known: String,
    },
    /// A part's file is invalid.
    #[error("the part's file cannot be used: {0}")]
    Unreadable(String),
}

/// Declares for each constant a function of [`GpuModel`] that returns its value.
macro_rules! constants {
    ($($name:ident,)*) => {
        impl GpuModel {
            $(pub(crate) fn $name(&self) -> f64 {
                self.constants.$name.value
            })*
        }
    };
}

gpu::for_constants!(constants);

impl GpuModel {
    /// Returns the part with this name.
    ///
    /// # Errors
    /// [`UnknownGpu::Part`], which lists the parts with constants.
    pub fn find(name: &str) -> Result<GpuModel, UnknownGpu> {
        GpuModel::known().find(|model| model.name == name).ok_or_else(|| {
            let known: Vec<_> = GpuModel::known().map(|model| model.name).collect();
            UnknownGpu::Part { name: name.into(), known: known.join(" and ") }
        })
    }

    /// Returns the part by a driver's device name. One of the names may have more words at its end than the other, such
    /// as the memory's size.
    pub fn called(name: &str) -> Option<GpuModel> {
        let begins = |long: &str, short: &str| {
            let rest = long.strip_prefix(short);
            !short.is_empty() && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
        };
        GpuModel::known().find(|model| begins(name, &model.full_name) || begins(&model.full_name, name))
    }

    /// Returns the part of a file in the form of those of the crate `gpu`.
    ///
    /// # Errors
    /// [`UnknownGpu::Unreadable`] when the file is invalid or has no constants.
    pub fn read(text: &str) -> Result<GpuModel, UnknownGpu> {
        let file = PartFile::read(text).map_err(UnknownGpu::Unreadable)?;
        let constants = file.constants.ok_or_else(|| UnknownGpu::Unreadable("it has no constants".into()))?;
        Ok(GpuModel {
            name: file.name,
            full_name: file.full_name,
            sms: file.figures.sms.value,
            clock_khz: file.figures.clock_khz.value,
            l2_bytes: file.figures.l2_bytes.value,
            constants: Cow::Owned(constants),
        })
    }

    /// Returns the parts with constants.
    fn known() -> impl Iterator<Item = GpuModel> {
        PARTS.iter().filter_map(GpuModel::of_part)
    }

    fn of_part(part: &'static Part) -> Option<GpuModel> {
        Some(GpuModel {
            name: part.name.to_string(),
            full_name: part.full_name.to_string(),
            sms: part.sms,
            clock_khz: part.clock_khz,
            l2_bytes: part.l2_bytes,
            constants: Cow::Borrowed(part.model?),
        })
    }

    /// Returns the constants by their names.
    pub fn constants(&self) -> impl Iterator<Item = (&'static str, &Constant)> {
        self.constants.constants()
    }

    /// Streaming multiprocessors.
    pub(crate) fn sms(&self) -> f64 {
        f64::from(self.sms)
    }

    /// The SMs' boost clock in GHz.
    pub(crate) fn clock_ghz(&self) -> f64 {
        f64::from(self.clock_khz) / 1e6
    }

    /// The L2 cache in bytes.
    pub(crate) fn l2_bytes(&self) -> f64 {
        f64::from(self.l2_bytes)
    }

    /// Peak single precision in GFLOP/s, where a multiply-add counts as two operations.
    pub fn single_gflop_per_s(&self) -> f64 {
        2.0 * 32.0 * self.single_per_clock() * self.sms() * self.clock_ghz()
    }

    /// Bandwidth of device memory for a kernel that reads, in GB/s.
    pub fn dram_gb_per_s(&self) -> f64 {
        self.dram_read_gb_per_s()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_without_constants_is_refused_by_name() {
        let error = GpuModel::find("rtx4090").unwrap_err().to_string();
        assert!(error.contains("rtx4090") && error.contains("h100 and h200"), "{error}");
    }

    #[test]
    fn a_part_is_known_by_what_its_driver_calls_it() {
        let called = |name: &str| GpuModel::called(name).map(|part| part.name);
        assert_eq!(called("NVIDIA H200"), Some("h200".into()));
        assert_eq!(called("NVIDIA H100 80GB HBM3"), Some("h100".into()));
        // As runs of earlier versions name it.
        assert_eq!(called("NVIDIA H100"), Some("h100".into()));
        // Another part, with fewer SMs.
        assert_eq!(called("NVIDIA H100 PCIe"), None);
        assert_eq!((called("NVIDIA H2000"), called("Tesla T4"), called("")), (None, None, None));
        let flops = GpuModel::find("h200").unwrap().single_gflop_per_s();
        assert!((flops / 66_909.0 - 1.0).abs() < 0.001, "{flops}");
    }

    #[test]
    fn the_bench_prints_every_constant() {
        let bench = include_str!("../bench/constants.cu");
        for (name, _) in GpuModel::find("h200").unwrap().constants() {
            assert!(bench.contains(&format!("\"{name}\"")), "{name}");
        }
    }

    #[test]
    fn a_file_has_the_figures_and_constants_of_a_part() {
        let h200 = include_str!("../../gpu/parts/h200.toml");
        assert_eq!(GpuModel::read(h200).unwrap(), GpuModel::find("h200").unwrap());
        let without = GpuModel::read(include_str!("../../gpu/parts/l4.toml")).unwrap_err().to_string();
        assert!(without.contains("no constants"), "{without}");
        let misspelt = GpuModel::read(&h200.replace("[constants.flag_ns]", "[constants.flag_nx]")).unwrap_err();
        assert!(misspelt.to_string().contains("unknown field `flag_nx`"), "{misspelt}");
    }
}
