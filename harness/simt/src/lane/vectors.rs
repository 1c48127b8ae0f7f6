//! The vector width of the host's processor.

/// The vector width of the host's processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostVectors {
    /// The features that every processor of the target has.
    Baseline,
    /// x86-64-v3: AVX2 and fused multiply-add.
    V3,
    /// x86-64-v4: AVX-512.
    V4,
}

impl HostVectors {
    /// Returns the best class that this processor supports.
    pub fn detect() -> HostVectors {
        #[cfg(target_arch = "x86_64")]
        {
            let v3 = is_x86_feature_detected!("avx2")
                && is_x86_feature_detected!("fma")
                && is_x86_feature_detected!("bmi1")
                && is_x86_feature_detected!("bmi2")
                && is_x86_feature_detected!("lzcnt")
                && is_x86_feature_detected!("popcnt");
            let v4 = v3
                && is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512cd")
                && is_x86_feature_detected!("avx512dq")
                && is_x86_feature_detected!("avx512vl");
            if v4 {
                return HostVectors::V4;
            }
            if v3 {
                return HostVectors::V3;
            }
        }
        HostVectors::Baseline
    }
}
