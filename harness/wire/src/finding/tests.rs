//! Findings are deduplicated and counted.

use super::*;

fn out_of_bounds(line: u32, address: u64) -> Finding {
    let place = SourcePlace { line, ..SourcePlace::default() };
    let access = Access::memory(AccessKind::Write, Space::Global, 4, address, place);
    let space = Space::Global;
    Finding::new(FindingKind::OutOfBounds { space }, "k").with(access)
}

#[test]
fn one_mistake_is_kept_once() {
    let mut all = Findings::default();
    all.extend([out_of_bounds(6, 0x100), out_of_bounds(6, 0x104), out_of_bounds(7, 0x100)]);
    assert_eq!(all.list.iter().map(|f| f.count).collect::<Vec<_>>(), [2, 1]);
    assert_eq!(all.list[0].accesses[0].address, Some(0x100));
}

#[test]
fn distances_count_as_sanitizers_do() {
    assert_eq!(Relation::from_address(0x0ffc, 0x1000, 16), Relation::Before(4));
    assert_eq!(Relation::from_address(0x100f, 0x1000, 16), Relation::Inside(15));
    assert_eq!(Relation::from_address(0x1010, 0x1000, 16), Relation::After(1));
    assert_eq!(Relation::from_address(u64::MAX, 0, 0), Relation::After(u64::MAX));
}

#[test]
fn the_list_is_bounded() {
    let mut all = Findings::default();
    all.extend((0..1000).map(|line| out_of_bounds(line, 0)));
    assert_eq!(all.list.len(), Findings::MOST);
    assert_eq!(all.dropped, 1000 - Findings::MOST as u64);
}

#[test]
fn a_limit_that_the_kernel_sets_is_the_kernels_to_change() {
    let blame = |limit| FindingKind::LaunchLimit { limit, asked: 256, allowed: 128 }.blame();
    assert_eq!(
        [blame(Limit::LaunchBounds), blame(Limit::RequiredBlock), blame(Limit::LocalMemory)],
        [Blame::Kernel; 3]
    );
    assert_eq!([blame(Limit::ThreadsPerBlock), blame(Limit::Grid), blame(Limit::Arguments)], [Blame::Host; 3]);
}
