//! The time for which kernels have been running, for monitoring libraries.

use super::sync::lock;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// The number of running kernels, the time since which at least one runs, and the total of earlier such times.
struct Activity {
    running: u32,
    since: Option<Instant>,
    before: Duration,
}

/// The number of running kernels, for signal handlers, which cannot wait for the lock.
static RUNNING: AtomicU32 = AtomicU32::new(0);

static ACTIVITY: Mutex<Activity> = Mutex::new(Activity { running: 0, since: None, before: Duration::ZERO });

/// A guard for a running kernel, dropped at its end.
pub struct Busy(());

/// Records that a kernel begins.
pub fn begin() -> Busy {
    RUNNING.fetch_add(1, Ordering::Relaxed);
    let mut activity = lock(&ACTIVITY);
    activity.running += 1;
    activity.since = activity.since.or_else(|| Some(Instant::now()));
    Busy(())
}

impl Drop for Busy {
    fn drop(&mut self) {
        RUNNING.fetch_sub(1, Ordering::Relaxed);
        let mut activity = lock(&ACTIVITY);
        activity.running -= 1;
        if activity.running == 0 {
            let ended = activity.since.take().map_or(Duration::ZERO, |since| since.elapsed());
            activity.before += ended;
        }
    }
}

/// Returns whether a kernel is running. A signal handler may call this.
pub fn is_busy() -> bool {
    RUNNING.load(Ordering::Relaxed) > 0
}

/// Returns the time during which at least one kernel of this process has been running; concurrent kernels count once.
pub fn busy() -> Duration {
    let activity = lock(&ACTIVITY);
    activity.before + activity.since.map_or(Duration::ZERO, |since| since.elapsed())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_at_the_same_time_count_once() {
        let start = Instant::now();
        let before = busy();
        let kernels = (begin(), begin());
        std::thread::sleep(Duration::from_millis(20));
        drop(kernels.0);
        assert!(busy().saturating_sub(before) >= Duration::from_millis(20));
        drop(kernels.1);
        // Other tests may run kernels too, but no time counts twice.
        let counted = busy().saturating_sub(before);
        assert!(counted >= Duration::from_millis(20) && counted <= start.elapsed(), "{counted:?}");
    }
}
