//! Finds what lies at or near an address.

use crate::engine::warp::Warp;
use crate::engine::warp::tables::SharedVar;
use crate::finding::{Access, Allocation, Relation};

impl Warp<'_> {
    /// Returns the allocation of global memory at or near an address.
    pub(crate) fn nearest_global(&self, address: u64, size: u32) -> Option<Allocation> {
        if let Some(block) = self.heap_block(address) {
            return Some(block);
        }
        let diagnosis = self.launch().view.diagnose(address, u64::from(size));
        if let Some(freed) = diagnosis.freed {
            return Some(Allocation {
                address: freed.start,
                size: freed.end - freed.start,
                name: freed.label.to_string(),
                freed: true,
                relation: Relation::from_address(address, freed.start, freed.end - freed.start),
            });
        }
        let near = match (diagnosis.before, diagnosis.after) {
            (Some(b), Some(a)) => Some(if a.distance < b.distance { a } else { b }),
            (b, a) => b.or(a),
        }?;
        Some(Allocation {
            address: near.start,
            size: near.bytes,
            name: near.label.to_string(),
            freed: false,
            relation: Relation::from_address(address, near.start, near.bytes),
        })
    }

    /// Returns the variable in shared memory at or near an offset. If the offset lies inside the variable, `access`
    /// gets its name.
    pub(crate) fn nearest_shared(&self, address: u64, access: &mut Access) -> Option<Allocation> {
        let variables = &self.program().shared_vars;
        let end = |v: &SharedVar| {
            if v.size == 0 { self.shared_len } else { u64::from(v.offset) + u64::from(v.size) }
        };
        let distance = |v: &SharedVar| {
            let start = u64::from(v.offset);
            if (address as i64) < start as i64 {
                start.wrapping_sub(address)
            } else {
                // The first offset after a variable has distance 1, because another variable may begin there.
                (address + 1).saturating_sub(end(v))
            }
        };
        let var = variables.iter().min_by_key(|v| distance(v))?;
        let start = u64::from(var.offset);
        if address >= start && address < end(var) {
            access.variable = Some((var.name.clone(), address - start));
        }
        Some(Allocation {
            address: start,
            size: end(var) - start,
            name: var.name.clone(),
            freed: false,
            relation: Relation::below(address, start, end(var) - start),
        })
    }
}
