//! A launch with all that its kernels launch and ask for in their turn.

mod calls;

use self::calls::{Calls, Work};
use super::launch::KernelLaunch;
use crate::state::contexts::context::Context;
use crate::state::device::interrupt::INTERRUPTED;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Runs a launch, and after it what its kernel asked for: each piece of work with all that comes of it before the next.
/// After a kernel that fails nothing is done any more.
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

/// Whether nothing is to be done any more: something has failed, or the user has interrupted the program.
fn has_ended(context: Option<&Arc<Context>>) -> bool {
    INTERRUPTED.load(Ordering::Relaxed) || context.is_some_and(|context| context.check().is_err())
}
