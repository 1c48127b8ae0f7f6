//! Shared-memory accesses of all lanes, checked by the pattern that the instruction remembers.

use crate::engine::traffic::pattern::{Access, Pattern};
use crate::engine::warp::Warp;
use crate::engine::warp::program::Op;
use crate::lane::{ALL, LANES};

/// Returns the pattern of a shared-memory access by all lanes, `size` bytes a lane, and the host's address of its
/// lowest byte. The access is then in bounds, aligned and counted. Returns `None` if it is out of bounds or misaligned,
/// or if some lanes do not take part.
///
/// # Safety
/// `op` is a memory instruction of the program that runs, and its space is shared memory; the processor supports what
/// `W` requires.
#[inline(always)]
pub(crate) unsafe fn find<'w, const W: u8>(
    warp: &mut Warp<'_>,
    op: &Op,
    size: u32,
    one: bool,
) -> Option<(*mut u8, &'w Pattern)> {
    if warp.mask() != ALL {
        return None;
    }
    // SAFETY: the caller's contract; every instruction has a site, and its pattern lives as long as the worker.
    unsafe {
        let (base, offset) = op.address();
        let addr = &*warp.reg::<[u64; LANES]>(base);
        let site = warp.sites.add(op.site as usize);
        let first = addr[0];
        let mut pattern = (*site).delta as *const Pattern;
        let mut differ = 1;
        if !pattern.is_null() {
            differ = u64::from((*pattern).differs::<W>(addr));
        }
        let base = first.wrapping_add(offset);
        if size < 4 && !pattern.is_null() {
            differ |= (base.wrapping_add((*pattern).lowest) ^ (*pattern).phase) & 3;
        }
        if differ != 0 {
            pattern = learn(warp, op, size, one)?;
        }
        let pattern = &*pattern;
        let low = base.wrapping_add(pattern.lowest);
        let needed = pattern.span + u64::from(size);
        if low & u64::from(size - 1) != 0 || low >= warp.shared_len || warp.shared_len - low < needed {
            return None;
        }
        let site = &mut *site;
        site.requests += 1;
        site.lanes += LANES as u64;
        site.sectors += u64::from(pattern.waves);
        site.ideal += u64::from(pattern.ideal);
        site.extra = site.extra.max(u64::from(pattern.ways));
        Some((warp.shared.add(low as usize), pattern))
    }
}

/// Learns the pattern of the current addresses, if they are aligned and in bounds.
#[inline(never)]
unsafe fn learn(warp: &mut Warp<'_>, op: &Op, size: u32, one: bool) -> Option<*const Pattern> {
    // SAFETY: as for `find`; no reference to a pattern exists while it is replaced.
    unsafe {
        let (base, offset) = op.address();
        let addr = *warp.reg::<[u64; LANES]>(base);
        let address = addr.map(|a| a.wrapping_add(offset));
        let bits = address.iter().fold(0, |bits, a| bits | a);
        let room = warp.shared_len.checked_sub(u64::from(size))?;
        if bits & u64::from(size - 1) != 0 || address.iter().any(|&a| a > room) {
            return None;
        }
        let access = Access { size, width: warp.program().width(op, size), one };
        let learnt = Pattern::from_addresses(&address, access, op.site);
        let site = &mut *warp.sites.add(op.site as usize);
        let patterns = &mut warp.scratch.get_mut().patterns;
        let mut pattern = site.delta as *mut Pattern;
        if pattern.is_null() {
            pattern = patterns.like(learnt);
        } else if (*pattern).owner == op.site {
            *pattern = learnt;
        } else {
            pattern = patterns.add(learnt);
        }
        site.delta = pattern as u64;
        Some(pattern)
    }
}
