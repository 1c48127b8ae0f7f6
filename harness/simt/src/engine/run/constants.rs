//! Special registers, constants and parameters: the area at the start of a register file.

use crate::engine::traffic::request::PARAM_WINDOW;
use crate::engine::warp::shared::Shared;
use crate::engine::warp::slot::WarpSlot;
use crate::engine::warp::tables::{Constant, Refresh, Source};
use crate::lane::LANES;
use ptx::ast::Special;

/// Bytes of the system's part of the reserved shared memory, as an H200 reports in `%reserved_smem_offset_end`.
const USED_BY_SYSTEM: u32 = 288;

/// The constants to fill in, by when each must be refreshed.
pub(crate) struct Fill {
    launch: Vec<(Constant, u64)>,
    block: Vec<(Constant, Special)>,
    warp: Vec<(Constant, Special)>,
    /// Values that depend on the lane.
    lanes: Vec<(Constant, Special)>,
    dims: [u32; 3],
    grid: [u32; 3],
    sms: u32,
    /// Dimensions of a cluster, in blocks.
    cluster: [u32; 3],
}

fn set(slot: &WarpSlot, constant: Constant, value: impl Fn(usize) -> u64) {
    // SAFETY: the lowering places its constants inside the register file, aligned to their width.
    unsafe {
        let at = slot.regs.ptr().add(constant.offset as usize);
        match constant.width {
            0 => {
                let bits = (0..LANES).fold(0u32, |m, i| m | (u32::from(value(i) != 0) << i));
                at.cast::<u32>().write(bits);
            }
            2 => {
                let at = at.cast::<u16>();
                for i in 0..LANES {
                    at.add(i).write(value(i) as u16);
                }
            }
            4 => {
                let at = at.cast::<u32>();
                for i in 0..LANES {
                    at.add(i).write(value(i) as u32);
                }
            }
            _ => {
                let at = at.cast::<u64>();
                for i in 0..LANES {
                    at.add(i).write(value(i));
                }
            }
        }
    }
}

impl Fill {
    pub fn new(shared: &Shared<'_>) -> Fill {
        let mut fill = Fill {
            launch: Vec::new(),
            block: Vec::new(),
            warp: Vec::new(),
            lanes: Vec::new(),
            dims: shared.geometry.block,
            grid: shared.geometry.grid,
            sms: shared.profile.sms,
            cluster: shared.geometry.cluster.unwrap_or([1; 3]),
        };
        for &constant in &shared.program.constants {
            match constant.source {
                Source::Bits(bits) => fill.launch.push((constant, bits)),
                Source::Param { offset, size, signed } => {
                    let mut bytes = [0u8; 8];
                    let start = (offset as usize).min(shared.params.len());
                    let len = (size as usize).min(shared.params.len() - start).min(8);
                    bytes[..len].copy_from_slice(&shared.params[start..start + len]);
                    let mut value = u64::from_le_bytes(bytes);
                    if signed && size < 8 {
                        let unused = 64 - 8 * size;
                        value = (((value << unused) as i64) >> unused) as u64;
                    }
                    fill.launch.push((constant, value));
                }
                Source::ParamAddress(offset) => {
                    let address = PARAM_WINDOW + u64::from(offset);
                    fill.launch.push((constant, address));
                }
                Source::DynamicShared(offset) => {
                    let address = i64::from(shared.dynamic_start) + i64::from(offset);
                    fill.launch.push((constant, address as u64));
                }
                Source::Special(special) => match constant.source.refresh() {
                    Refresh::Block => fill.block.push((constant, special)),
                    Refresh::Warp => fill.warp.push((constant, special)),
                    Refresh::Launch => match fill.of_launch(shared, special) {
                        Some(value) => fill.launch.push((constant, value)),
                        None => fill.lanes.push((constant, special)),
                    },
                },
            }
        }
        fill
    }

    /// Returns the bytes of a block's own shared memory, which a multiprocessor allocates with a fixed granularity.
    fn shared_size(shared: &Shared<'_>) -> u64 {
        let own = shared.shared_bytes - shared.program.reserved_shared;
        own.next_multiple_of(shared.profile.shared_alloc_unit).into()
    }

    /// Returns the value of a special register that is the same in the whole launch, or `None` if it depends on the
    /// lane.
    fn of_launch(&self, shared: &Shared<'_>, special: Special) -> Option<u64> {
        Some(match special {
            Special::Ntid(axis) => u64::from(*self.dims.get(axis as usize).unwrap_or(&0)),
            Special::Nctaid(axis) => u64::from(*self.grid.get(axis as usize).unwrap_or(&0)),
            Special::NclusterId(axis @ 0..3) => u64::from(self.grid[axis as usize] / self.cluster[axis as usize]),
            Special::ClusterNctaid(axis @ 0..3) => self.cluster[axis as usize].into(),
            Special::ClusterNctaRank => self.cluster.iter().map(|&n| u64::from(n)).product(),
            Special::IsExplicitCluster => shared.geometry.cluster.is_some().into(),
            Special::NwarpId => shared.profile.max_warps_per_sm().into(),
            Special::NsmId => u64::from(self.sms),
            Special::GridId => 1,
            // Cooperative groups read the address of the grid's workspace from two of these registers.
            Special::EnvReg(1) => shared.workspace >> 32,
            Special::EnvReg(2) => shared.workspace & 0xffff_ffff,
            Special::TotalSmemSize => Self::shared_size(shared),
            Special::AggrSmemSize => Self::shared_size(shared) + u64::from(shared.profile.shared_reserved_per_block),
            Special::ReservedSmem(1) => u64::from(USED_BY_SYSTEM.min(shared.profile.shared_reserved_per_block)),
            Special::ReservedSmem(2) => shared.profile.shared_reserved_per_block.into(),
            Special::DynamicSmemSize => u64::from(shared.geometry.dynamic_shared),
            Special::WarpSize => LANES as u64,
            Special::LaneId
            | Special::LanemaskEq
            | Special::LanemaskLe
            | Special::LanemaskLt
            | Special::LanemaskGe
            | Special::LanemaskGt => return None,
            _ => 0,
        })
    }

    /// Fills in what is constant in the whole launch.
    pub fn launch(&self, slot: &WarpSlot) {
        for &(constant, value) in &self.launch {
            set(slot, constant, |_| value);
        }
        for &(constant, special) in &self.lanes {
            set(slot, constant, |lane| {
                let eq = 1u32 << lane;
                u64::from(match special {
                    Special::LaneId => lane as u32,
                    Special::LanemaskEq => eq,
                    Special::LanemaskLt => eq - 1,
                    Special::LanemaskLe => (eq - 1) | eq,
                    Special::LanemaskGe => !(eq - 1),
                    _ => !(eq - 1) & !eq,
                })
            });
        }
    }

    /// Fills in what changes with the block.
    pub fn block(&self, slot: &WarpSlot, ctaid: [u32; 3], number: u64, rank: u32) {
        for &(constant, special) in &self.block {
            let value = match special {
                Special::Ctaid(axis) => *ctaid.get(axis as usize).unwrap_or(&0),
                Special::ClusterId(axis @ 0..3) => ctaid[axis as usize] / self.cluster[axis as usize],
                Special::ClusterCtaid(axis @ 0..3) => ctaid[axis as usize] % self.cluster[axis as usize],
                Special::ClusterCtaRank => rank,
                Special::SmId => (number % u64::from(self.sms.max(1))) as u32,
                _ => 0,
            };
            set(slot, constant, |_| u64::from(value));
        }
    }

    /// Fills in what changes with the warp.
    pub fn warp(&self, slot: &WarpSlot, warp: u32) {
        let [x, y, _] = self.dims;
        let first = warp * LANES as u32;
        for &(constant, special) in &self.warp {
            match special {
                Special::Tid(0) if x >= first + LANES as u32 => {
                    set(slot, constant, |lane| u64::from(first + lane as u32));
                }
                Special::Tid(axis @ 0..3) => {
                    // Steps from one lane to the next, without divisions.
                    let mut at = [first % x, first / x % y, first / x / y];
                    let mut values = [0u32; LANES];
                    for value in &mut values {
                        *value = at[axis as usize];
                        at[0] += 1;
                        if at[0] == x {
                            (at[0], at[1]) = (0, at[1] + 1);
                        }
                        if at[1] == y {
                            (at[1], at[2]) = (0, at[2] + 1);
                        }
                    }
                    set(slot, constant, |lane| u64::from(values[lane]));
                }
                Special::WarpId => set(slot, constant, |_| u64::from(warp)),
                _ => set(slot, constant, |_| 0),
            }
        }
    }
}
