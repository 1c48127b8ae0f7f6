//! What all rows record: the shape, what the arithmetic says, and that the emulated device has counted the same.
use harness::{Check, Result, Run, Tolerance, Trial, parallel};

use crate::counting::{Count, Requests};
use crate::matrix::Shape;

/// Sets the columns of the arithmetic, and compares it with what the machine has counted in the launches of `kernel`.
/// A GPU does not count, so nothing is compared there.
pub(crate) fn compare(run: &Run, case: &mut Trial<'_>, kernel: &str, count: Count) -> Result<()> {
    case.set("load_sectors_per_request", count.loads.each());
    case.set("store_sectors_per_request", count.stores.each());
    case.set("bank_conflicts", count.conflicts);
    let report = case.machine()?;
    if !report.is_counted {
        return Ok(());
    }
    let launches = report.launches.iter().filter(|launch| launch.kernel == kernel);
    let counted: Vec<Count> = launches
        .map(|launch| {
            let totals = &launch.counters.totals;
            let of = |requests, sectors| Requests { requests, sectors };
            let (loads, stores) = (&totals.global_loads, &totals.global_stores);
            let conflicts = totals.shared_loads.conflicts + totals.shared_stores.conflicts;
            Count { loads: of(loads.requests, loads.sectors), stores: of(stores.requests, stores.sectors), conflicts }
        })
        .collect();
    if let Some(one) = counted.first() {
        case.set("counted_load_sectors_per_request", one.loads.each());
        case.set("counted_store_sectors_per_request", one.stores.each());
        case.set("counted_bank_conflicts", one.conflicts);
    }
    // A kernel of the user's own may touch what it likes.
    if run.options().kernel.is_none() {
        for one in &counted {
            case.check(Check::that(*one == count, format!("the machine counts {one:?}, should be {count:?}")));
        }
    }
    Ok(())
}

/// Sets the columns that every row has; `bytes` are those that must be read and written.
pub(crate) fn describe(case: &mut Trial<'_>, shape: Shape, bytes: usize) {
    case.set("m", shape.m);
    case.bytes(bytes);
}

/// Compares two arrays, which must be the same to the last bit. That they are is found on all cores; where they differ
/// is looked for only if they do.
pub(crate) fn same(actual: &[f32], expected: &[f32]) -> Check {
    const PART: usize = 1 << 20;
    let part = |i: usize| {
        let of = |all: &[f32]| (i * PART).min(all.len())..((i + 1) * PART).min(all.len());
        actual[of(actual)] == expected[of(expected)]
    };
    let parts = actual.len().max(expected.len()).div_ceil(PART);
    if parallel(parts, part).into_iter().all(|is_same| is_same) && !actual.is_empty() {
        return Check::all_right(actual.len());
    }
    Check::compare(actual, expected, Tolerance::EXACT)
}
