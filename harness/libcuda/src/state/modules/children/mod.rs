//! A launch, including all work that its kernels request recursively.

mod calls;

use self::calls::{Calls, Work};
use super::launch::KernelLaunch;
use crate::state::contexts::context::Context;
use crate::state::device::interrupt::INTERRUPTED;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Runs a launch, and then the work that its kernel requested: each piece of work, with everything that results from
/// it, before the next. After a kernel fails, no further work runs.
pub fn run(launch: Arc<KernelLaunch>, context: Option<&Arc<Context>>) {
    // The next piece of work is the last of the list.
    let mut rest = vec![Work::Kernel(launch)];
    while let Some(work) = rest.pop() {
        match work {
            Work::Kernel(launch) => {
                let calls = Calls::new(&launch.function, context);
                if !launch.run(context, &calls) || INTERRUPTED.load(Ordering::Relaxed) {
                    return;
                }
                rest.extend(calls.end().into_iter().rev());
            }
            Work::Copy(copy) => copy.run(context),
            Work::Fill(slices) => {
                for fill in slices.each() {
                    if has_ended(context) {
                        break;
                    }
                    fill.run(context);
                }
            }
        }
        if has_ended(context) {
            return;
        }
    }
}

/// Returns whether no further work may run: there was a failure, or the user has interrupted the program.
fn has_ended(context: Option<&Arc<Context>>) -> bool {
    INTERRUPTED.load(Ordering::Relaxed) || context.is_some_and(|context| context.check().is_err())
}
