//! Locks that are taken at almost every access, and held for a few nanoseconds.
//!
//! The locks of the standard library need two atomic operations on memory, one to lock and one to unlock, which cost
//! more than the work under the lock. These locks need one, and none at all in a launch with a single worker.

use std::cell::UnsafeCell;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicBool, Ordering};

/// The number of spins on a taken lock before yielding to the host's scheduler: the holder may be waiting to run.
const LOOKS: u32 = 64;

/// Values that threads change, each with its own lock.
#[derive(Debug)]
pub(super) struct Locks<T> {
    all: Vec<Lock<T>>,
    /// Whether only one thread uses them.
    alone: bool,
}

#[derive(Debug)]
struct Lock<T> {
    taken: AtomicBool,
    value: UnsafeCell<T>,
}

// SAFETY: a value is only accessed under its lock, or by the only thread that uses the values.
unsafe impl<T: Send> Sync for Locks<T> {}

impl<T: Default> Locks<T> {
    /// Creates `count` values.
    ///
    /// # Safety
    /// With `alone`, no two threads use them at the same time.
    pub unsafe fn new(count: u64, alone: bool) -> Locks<T> {
        let lock = |_| Lock { taken: AtomicBool::new(false), value: UnsafeCell::default() };
        Locks { all: (0..count).map(lock).collect(), alone }
    }
}

impl<T> Locks<T> {
    /// Waits for the lock of the value with this index. `None` if there is no such value.
    #[inline(always)]
    pub fn lock(&self, index: u64) -> Option<Held<'_, T>> {
        let lock = self.all.get(usize::try_from(index).ok()?)?;
        if self.alone && !lock.taken.load(Ordering::Relaxed) {
            lock.taken.store(true, Ordering::Relaxed);
        } else if lock.taken.swap(true, Ordering::Acquire) {
            lock.wait();
        }
        Some(Held { lock })
    }
}

impl<T> Lock<T> {
    #[cold]
    fn wait(&self) {
        let mut looks = 0;
        while self.taken.load(Ordering::Relaxed) || self.taken.swap(true, Ordering::Acquire) {
            looks += 1;
            if looks % LOOKS == 0 {
                std::thread::yield_now();
            }
            std::hint::spin_loop();
        }
    }
}

/// A value whose lock is held.
pub(super) struct Held<'a, T> {
    lock: &'a Lock<T>,
}

impl<T> Deref for Held<'_, T> {
    type Target = T;
    #[inline(always)]
    fn deref(&self) -> &T {
        // SAFETY: the lock is held.
        unsafe { &*self.lock.value.get() }
    }
}

impl<T> DerefMut for Held<'_, T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: the lock is held.
        unsafe { &mut *self.lock.value.get() }
    }
}

impl<T> Drop for Held<'_, T> {
    #[inline(always)]
    fn drop(&mut self) {
        self.lock.taken.store(false, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::Locks;

    #[test]
    fn several_threads_count_without_a_loss() {
        // SAFETY: they may be used by several threads.
        let counts: Locks<u64> = unsafe { Locks::new(2, false) };
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for i in 0..20_000 {
                        *counts.lock(i % 2).expect("there are two") += 1;
                    }
                });
            }
        });
        assert_eq!([0, 1].map(|i| *counts.lock(i).expect("there are two")), [40_000; 2]);
        assert!(counts.lock(2).is_none());
    }

    #[test]
    fn a_lock_is_given_back() {
        // SAFETY: only this thread uses them.
        let counts: Locks<u64> = unsafe { Locks::new(1, true) };
        for _ in 0..3 {
            *counts.lock(0).expect("there is one") += 1;
        }
        assert_eq!(*counts.lock(0).expect("there is one"), 3);
    }
}
