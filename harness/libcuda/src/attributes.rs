//! `cuDeviceGetAttribute`: every attribute of CUDA 12.9 (and those of 13 that have an answer), from the profile.

use simt::profile::Profile;

/// The value of a `CUdevice_attribute`; `None` for what is none.
pub fn device(profile: &Profile, attribute: i32) -> Option<i32> {
    let p = profile;
    let yes_from = |major, minor| i32::from(p.at_least(major, minor));
    let hopper = p.at_least(9, 0);
    // Texture and surface limits: the Programming Guide's table, one column for 5.x, one for the rest; Maxwell's are smaller.
    let wide = p.at_least(6, 0);
    let pick = |new: i32, old: i32| if wide { new } else { old };
    let value: i64 = match attribute {
        1 => p.max_threads_per_block.into(),
        2..=4 => p.max_block[attribute as usize - 2].into(),
        5..=7 => p.max_grid[attribute as usize - 5].into(),
        8 => p.shared_per_block.into(),
        9 => p.const_bytes.into(),
        10 => p.warp_size.into(),
        11 => i32::MAX.into(),
        12 => p.regs_per_block.into(),
        13 => p.clock_khz.into(),
        14 | 30 => 512,
        // Copies overlap with kernels; host memory can be mapped; kernels run side by side; one address space; managed memory.
        15 | 19 | 31 | 41 | 83 => 1,
        16 => p.sms.into(),
        // No watchdog, not integrated, default compute mode.
        17 | 18 | 20 => 0,
        21 | 55 => pick(131_072, 65_536).into(),
        22 | 56 => pick(131_072, 65_536).into(),
        23 => 65_536,
        57 => pick(65_536, 65_536).into(),
        24..=26 => pick(16_384, 4096).into(),
        27 | 28 => pick(32_768, 16_384).into(),
        29 => 2048,
        32 => i32::from(p.ecc).into(),
        // Bus 1, device 0, of a domain that no real bus has.
        33 => 1,
        34 | 35 => 0,
        36 => p.mem_clock_khz.into(),
        37 => p.bus_bits.into(),
        38 => p.l2_bytes.into(),
        39 => p.max_threads_per_sm.into(),
        40 => p.copy_engines.into(),
        42 => pick(32_768, 16_384).into(),
        43 => 2048,
        44 => 1,
        45 | 46 => pick(32_768, 16_384).into(),
        47 | 48 => pick(8192, 2048).into(),
        49 => pick(32_768, 16_384).into(),
        50 => 0xffff,
        51 => 32,
        52 | 53 => pick(32_768, 16_384).into(),
        54 => 2046,
        58..=60 => pick(16_384, 4096).into(),
        61 => pick(32_768, 16_384).into(),
        62 => 2048,
        63 | 64 => pick(32_768, 16_384).into(),
        65 => 2048,
        66 | 67 => pick(32_768, 16_384).into(),
        68 => 2046,
        69 => 1 << 28,
        70 | 71 => pick(131_072, 65_000).into(),
        72 => pick(2_097_120, 1_048_544).into(),
        73 | 74 => pick(32_768, 16_384).into(),
        75 => p.compute_capability.0.into(),
        76 => p.compute_capability.1.into(),
        77 => pick(32_768, 16_384).into(),
        // Stream priorities; caching in L1.
        78..=80 => 1,
        81 => p.shared_per_sm.into(),
        82 => p.regs_per_sm.into(),
        // Not one of several on a board.
        84 | 85 => 0,
        86 => 0,
        87 => p.single_to_double.into(),
        // Pageable memory is not reached by kernels.
        88 | 100 | 101 => 0,
        89 => i32::from(p.concurrent_managed_access).into(),
        90 => yes_from(6, 0).into(),
        91 => yes_from(6, 0).into(),
        // Stream memory operations, of 64 bits too, and their NOR.
        92..=94 | 122 | 123 => 1,
        95 => yes_from(6, 0).into(),
        96 => 0,
        97 => p.shared_per_block_optin.into(),
        98 => 0,
        99 => 1,
        // Virtual memory management and handles of other processes and systems are not modelled.
        102..=105 | 107 | 110 | 112 | 114 | 116..=119 | 121 | 124 | 125 | 128 => 0,
        106 => p.max_blocks_per_sm.into(),
        108 => p.l2_persisting_bytes.into(),
        109 => {
            if p.l2_persisting_bytes == 0 {
                0
            } else {
                128 << 20
            }
        }
        111 => p.shared_reserved_per_block.into(),
        113 => 1,
        115 => 1,
        // Clusters of more than one block, tensor maps and multicast are not modelled, though Hopper has them.
        120 | 127 | 132 => 0,
        126 => {
            if hopper {
                4
            } else {
                1
            }
        }
        129 => 1,
        130 | 133 | 135..=138 | 141..=148 | 151..=156 | 158 | 161 => 0,
        131 | 134 => -1,
        139 | 140 => 0,
        _ => return None,
    };
    i32::try_from(value).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use simt::profile::PROFILES;

    #[test]
    fn every_attribute_of_cuda_12_9_has_a_value() {
        for profile in &PROFILES {
            for attribute in 1..=143 {
                assert!(
                    device(profile, attribute).is_some(),
                    "{attribute} of {}",
                    profile.name
                );
            }
            assert_eq!(device(profile, 0), None);
            assert_eq!(device(profile, 10_000), None);
            assert_eq!(device(profile, -1), None);
        }
    }

    #[test]
    fn the_profile_s_figures_are_under_the_driver_s_numbers() {
        let t4 = Profile::find("t4").unwrap();
        let expected = [
            (16, 40),
            (39, 1024),
            (106, 16),
            (82, 65536),
            (75, 7),
            (76, 5),
            (8, 49152),
            (97, 65536),
        ];
        for (attribute, value) in expected {
            assert_eq!(device(t4, attribute), Some(value), "{attribute}");
        }
    }
}
