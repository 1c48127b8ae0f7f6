//! The model's knowledge of a GPU: constants, each with its measurement or source.

use serde::Deserialize;

/// A constant and its source.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Constant {
    /// Its value, in the unit at the end of its name.
    pub value: f64,
    /// `measured by` a benchmark, `fitted to` rows, or `from` a data sheet or a paper.
    pub source: String,
}

/// A GPU.
#[derive(Clone, Debug, PartialEq)]
pub struct GpuModel {
    /// Its name, as in the emulated machine's profiles.
    pub name: String,
    /// Its name in a sentence.
    pub full_name: String,
    constants: Constants,
}

/// Why a part is not available.
#[derive(Debug, thiserror::Error)]
pub enum UnknownGpu {
    /// The constants of this part have not been measured or looked up.
    #[error("no time can be predicted for {name}: its constants are unknown; there are those of {known}")]
    Part {
        /// The requested name.
        name: String,
        /// The available parts.
        known: String,
    },
    /// A file of constants is invalid.
    #[error("the constants cannot be read: {0}")]
    Unreadable(String),
}

/// The parts that come with this crate, and their files.
const FILES: [(&str, &str); 2] =
    [("h100", include_str!("../constants/h100.toml")), ("h200", include_str!("../constants/h200.toml"))];

/// Declares [`Constants`], and for each constant a function of [`GpuModel`] that returns its value.
macro_rules! constants {
    ($($name:ident,)*) => {
        /// The constants that the model needs; the unit is at the end of a name.
        #[derive(Clone, Debug, PartialEq, Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Constants {
            $($name: Constant,)*
        }

        impl GpuModel {
            /// The constants by their names.
            pub fn constants(&self) -> impl Iterator<Item = (&'static str, &Constant)> {
                [$((stringify!($name), &self.constants.$name),)*].into_iter()
            }

            $(pub(crate) fn $name(&self) -> f64 {
                self.constants.$name.value
            })*
        }
    };
}

constants! {
    sms,
    clock_ghz,
    issue_per_clock,
    single_per_clock,
    integer_per_clock,
    integer_percent,
    double_per_clock,
    special_per_clock,
    tensor_per_clock,
    warpgroup_per_clock,
    exchange_per_clock,
    shared_passes_per_clock,
    shared_atomic_steps_per_clock,
    l1_bytes,
    l1_bytes_per_clock,
    l1_fill_bytes_per_clock,
    store_request_cycles,
    store_sector_cycles,
    apart_sector_cycles,
    l2_bytes,
    l2_gb_per_s,
    partial_stores_per_ns,
    dram_read_gb_per_s,
    dram_write_gb_per_s,
    dram_turn_percent,
    arithmetic_cycles,
    double_cycles,
    special_cycles,
    tensor_cycles,
    shared_cycles,
    exchange_cycles,
    l1_cycles,
    l2_cycles,
    dram_cycles,
    atomic_cycles,
    branch_cycles,
    barrier_cycles,
    barrier_warp_cycles,
    barrier_sm_cycles,
    fence_cycles,
    first_access_cycles,
    block_start_cycles,
    atomic_trip_cycles,
    flag_ns,
    atomic_step_ns,
    atomic_float_step_ns,
    atomic_steps_per_ns,
    block_ns,
    launch_us,
    next_launch_us,
    launch_turn_us,
    fill_us,
    sharpness,
    overlap_warps,
    one_round_percent,
    low_factor,
    high_factor,
    // The link between host and device.
    copy_us,
    pinned_h2d_gb_per_s,
    pinned_d2h_gb_per_s,
    pageable_h2d_gb_per_s,
    pageable_d2h_gb_per_s,
    both_ways_percent,
    managed_h2d_gb_per_s,
    managed_d2h_gb_per_s,
    managed_us,
    prefetch_us,
    prefetch_h2d_gb_per_s,
    prefetch_d2h_gb_per_s,
}

impl GpuModel {
    /// Returns the part with this name.
    ///
    /// # Errors
    /// [`UnknownGpu::Part`], which lists the available parts.
    pub fn find(name: &str) -> Result<GpuModel, UnknownGpu> {
        let file = FILES.iter().find(|(known, _)| *known == name);
        let known = || FILES.map(|(known, _)| known).join(" and ");
        let (_, text) = file.ok_or_else(|| UnknownGpu::Part { name: name.into(), known: known() })?;
        GpuModel::read(text)
    }

    /// Returns the part by a driver's device name: the part's full name, possibly followed by more words, such as the
    /// memory's size.
    pub fn called(name: &str) -> Option<GpuModel> {
        let parts = FILES.iter().filter_map(|(_, text)| GpuModel::read(text).ok());
        let mut parts = parts.filter(|part| {
            let rest = name.strip_prefix(part.full_name.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
        });
        parts.next()
    }

    /// Peak single precision in GFLOP/s, where a multiply-add counts as two operations.
    pub fn single_gflop_per_s(&self) -> f64 {
        2.0 * 32.0 * self.single_per_clock() * self.sms() * self.clock_ghz()
    }

    /// Bandwidth of device memory for a kernel that reads, in GB/s.
    pub fn dram_gb_per_s(&self) -> f64 {
        self.dram_read_gb_per_s()
    }

    /// Parses the constants of a part from a TOML file as in this crate's folder `constants`.
    ///
    /// # Errors
    /// [`UnknownGpu::Unreadable`] when a constant is missing, unknown, not above 0, or without a source.
    pub fn read(text: &str) -> Result<GpuModel, UnknownGpu> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct File {
            name: String,
            full_name: String,
            constants: Constants,
        }
        let file: File = toml::from_str(text).map_err(|error| UnknownGpu::Unreadable(error.to_string()))?;
        let File { name, full_name, constants } = file;
        let model = GpuModel { name, full_name, constants };
        let is_known =
            |constant: &Constant| constant.value > 0.0 && constant.value.is_finite() && !constant.source.is_empty();
        if let Some((name, _)) = model.constants().find(|(_, constant)| !is_known(constant)) {
            return Err(UnknownGpu::Unreadable(format!("`{name}` needs a value above 0 and a source")));
        }
        Ok(model)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_that_is_named_can_be_read_and_says_where_its_constants_come_from() {
        for (name, _) in FILES {
            let part = GpuModel::find(name).unwrap();
            assert_eq!(part.name, name);
            for (constant, known) in part.constants() {
                let words = ["measured by ", "fitted to ", "from "];
                assert!(words.iter().any(|w| known.source.starts_with(w)), "{name}: {constant}: {}", known.source);
            }
        }
    }

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
        assert_eq!((called("NVIDIA H2000"), called("Tesla T4"), called("")), (None, None, None));
        let flops = GpuModel::find("h200").unwrap().single_gflop_per_s();
        assert!((flops / 66_909.0 - 1.0).abs() < 0.001, "{flops}");
    }

    #[test]
    fn a_constant_that_is_missing_misspelt_or_without_source_is_named() {
        let good = FILES[1].1;
        for (from, to, named) in [
            ("[constants.sms]", "[constants.smx]", "unknown field `smx`"),
            ("name = \"h200\"", "name = \"h200\"\nage = 1", "age"),
        ] {
            assert!(good.contains(from), "{from}");
            let error = GpuModel::read(&good.replacen(from, to, 1)).unwrap_err().to_string();
            assert!(error.contains(named), "{error}");
        }
        let start = good.find("[constants.sms]").unwrap();
        let end = good.find("[constants.clock_ghz]").unwrap();
        let without = format!("{}{}", &good[..start], &good[end..]);
        assert!(GpuModel::read(&without).unwrap_err().to_string().contains("missing field `sms`"));
        let more = format!("{good}\n[constants.colour]\nvalue = 1\nsource = \"from nowhere\"\n");
        assert!(GpuModel::read(&more).unwrap_err().to_string().contains("unknown field `colour`"));
        let none = good.replacen("value = 132", "value = 0", 1);
        assert!(GpuModel::read(&none).unwrap_err().to_string().contains("`sms` needs a value above 0"));
    }
}
