//! Finds the kernel argument from which an address was computed.

use crate::engine::warp::Warp;
use crate::finding::{Blame, Finding, FindingKind};
use crate::kernel::Param;

pub(super) fn points_there(argument: usize) -> String {
    format!("argument {argument} of the kernel points there")
}

impl Warp<'_> {
    /// Returns the number (from 1) of the argument nearest to `address`, among those that `fits` accepts as pointers.
    pub(super) fn argument(&self, address: u64, fits: impl Fn(u64) -> bool) -> Option<usize> {
        let launch = self.launch();
        let value = |p: &Param| {
            let bytes = launch.params.get(p.offset as usize..)?.first_chunk()?;
            (p.size == 8).then(|| u64::from_le_bytes(*bytes))
        };
        let values = launch.param_list.iter().zip(1..);
        let values = values.filter_map(|(p, i)| Some((value(p)?, i)));
        let fitting = values.filter(|(value, _)| fits(*value));
        let nearest = fitting.min_by_key(|(value, _)| value.abs_diff(address));
        nearest.map(|(_, i)| i)
    }

    /// Adds to the latest finding which kernel argument led to the bad address.
    #[cold]
    pub(crate) fn name_argument(&mut self, address: u64) {
        // Takes the finding out of the list for now, because the search for the argument borrows the whole warp.
        let Some(mut finding) = self.notes.get_mut().findings.list.pop() else {
            return;
        };
        self.note_argument(&mut finding, address);
        self.notes.get_mut().findings.list.push(finding);
    }

    fn note_argument(&self, finding: &mut Finding, address: u64) {
        finding.notes.push(match finding.kind {
            FindingKind::NullPointer => match self.argument(0, |value| value == 0) {
                Some(i) => format!("argument {i} of the kernel is null"),
                None => {
                    finding.blame = Blame::Kernel;
                    finding.remedy = Some("look at where the pointer comes from".into());
                    "no argument of the kernel is null: it read this pointer from memory, or computed it".into()
                }
            },
            FindingKind::HostPointer => {
                let near = |value: u64| value > 4096 && value.abs_diff(address) < 1 << 20;
                match self.argument(address, near) {
                    Some(i) => points_there(i),
                    None => return,
                }
            }
            _ => {
                let Some(near) = &finding.allocation else {
                    return;
                };
                let inside = |value: u64| value >= near.address && value - near.address < near.size;
                match self.argument(near.address, inside) {
                    Some(i) => points_there(i),
                    None => return,
                }
            }
        });
    }
}
