//! Counts the sectors that the lanes of a warp need from textures and surfaces.

use super::address::Geometry;
use crate::engine::traffic::texels::{Needs, Parts, requests};
use crate::engine::warp::Warp;
use crate::engine::warp::program::Op;
use crate::finding::{AccessKind, Space};
use crate::texture::{Shape, Texture};

/// Returns how a fetch from a texture is split into requests. `filters`: it uses the texture's filter.
pub(super) fn fetched(texture: &Texture, filters: bool) -> Parts {
    let Texture { image, sampler } = texture;
    let wide = image.format.bytes() > 8;
    if image.shape == Shape::Linear {
        return Parts::with_lanes(if wide { 4 } else { 8 });
    }
    // The limit of a filter: four lanes' 8-byte texels from a plane.
    match (image.shape == Shape::D3, wide) {
        _ if !filters || !sampler.linear => Parts::with_lanes(4),
        (false, false) => Parts::with_lanes(4),
        (false, true) => Parts { lanes: 4, together: 2, times: 2 },
        (true, false) => Parts { lanes: 4, together: 2, times: 1 },
        (true, true) => Parts { lanes: 4, together: 1, times: 2 },
    }
}

/// Returns the number of lanes in a request to a surface.
pub(super) fn lanes_of(geometry: Geometry) -> usize {
    if geometry.dimensions() > 2 || geometry.is_layered() { 4 } else { 8 }
}

impl Warp<'_> {
    /// Counts what the running lanes need from textures, at this instruction.
    pub(super) fn count_fetch(&mut self, op: &Op, needs: &Needs, parts: Parts) {
        self.count_texels(op, needs, (parts, None), AccessKind::Read);
    }

    /// Counts what the running lanes need from surfaces, at this instruction. A request has `lanes` lanes.
    pub(super) fn count_surface(&mut self, op: &Op, needs: &Needs, lanes: usize, what: AccessKind) {
        let made = requests(self.mask(), lanes);
        self.count_texels(op, needs, (Parts::with_lanes(lanes), Some(made)), what);
    }

    fn count_texels(&mut self, op: &Op, needs: &Needs, (parts, made): (Parts, Option<u64>), what: AccessKind) {
        let (mask, block) = (self.mask(), self.block.get().number);
        // SAFETY: every instruction has a site.
        let site = unsafe { self.site(op, Space::Global, Space::Global) };
        let traffic = needs.traffic(mask.count_ones(), parts, made);
        site.requests += traffic.instructions;
        site.lanes += traffic.lanes;
        site.sectors += traffic.sectors;
        site.ideal += traffic.distinct_sectors;
        site.extra += traffic.requests;
        self.scratch.get_mut().costs.touched_sectors(block, needs.distinct(), what == AccessKind::Read);
    }
}
