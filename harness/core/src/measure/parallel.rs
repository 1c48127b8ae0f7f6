//! Parallel work on the host: inputs and references of a billion elements.
use std::{
    io,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread::{self, Builder, Scope, ScopedJoinHandle},
};

/// Returns the results of `task(0)` to `task(tasks - 1)`, in that order, computed on all cores, or on fewer if the
/// system refuses to start threads; this thread works too. If a task panics, so does this function.
pub fn parallel<T: Send>(tasks: usize, task: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let asked = std::env::var(CORES).ok();
    on_threads(cores(asked.as_deref()).min(tasks), tasks, task, &StartThreads)
}

/// The variable with the number of cores for this process and its children, if several such processes share a computer.
pub const CORES: &str = "WARPLAB_CORES";

/// Returns the number of cores to use, at most the number requested.
fn cores(asked: Option<&str>) -> usize {
    let all = thread::available_parallelism().map_or(1, usize::from);
    asked.and_then(|asked| asked.parse().ok()).map_or(all, |asked: usize| asked.clamp(1, all))
}

/// Starts threads: by the system, or by a test that refuses.
trait Start {
    /// Starts `work` on a thread of `scope`.
    fn start<'s>(&self, scope: &'s Scope<'s, '_>, work: &'s (dyn Fn() + Sync)) -> io::Result<ScopedJoinHandle<'s, ()>>;
}

struct StartThreads;

impl Start for StartThreads {
    fn start<'s>(&self, scope: &'s Scope<'s, '_>, work: &'s (dyn Fn() + Sync)) -> io::Result<ScopedJoinHandle<'s, ()>> {
        Builder::new().spawn_scoped(scope, work)
    }
}

/// [`parallel`] on this many threads, including this one. Each thread keeps its results until its last task is done, so
/// that no thread waits for another.
fn on_threads<T: Send>(threads: usize, tasks: usize, task: impl Fn(usize) -> T + Sync, starter: &dyn Start) -> Vec<T> {
    let (next, done) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        let mut own = Vec::new();
        loop {
            let i = next.fetch_add(1, Ordering::Relaxed);
            if i >= tasks {
                break;
            }
            own.push((i, task(i)));
        }
        done.lock().expect("a list is added as a whole").push(own);
    };
    run_on(threads, &work, starter);
    let mut all: Vec<Option<T>> = (0..tasks).map(|_| None).collect();
    for (i, result) in done.into_inner().expect("all threads have ended well").into_iter().flatten() {
        all[i] = Some(result);
    }
    all.into_iter().map(|result| result.expect("every task has been done")).collect()
}

/// Runs `work` on this many threads. Type-erased, so that it is not monomorphized for every closure of every lab.
fn run_on(threads: usize, work: &(dyn Fn() + Sync), starter: &dyn Start) {
    thread::scope(|scope| {
        // If the system starts no further thread, the existing ones do the work.
        let others: Vec<_> = (1..threads).map_while(|_| starter.start(scope, work).ok()).collect();
        work();
        for other in others {
            other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        }
    });
}

/// As [`parallel`], but each task writes its own chunk of `all`, `chunk` elements long (the last may be shorter):
/// `task(i, chunk_i)`.
pub fn parallel_chunks<T: Send>(all: &mut [T], chunk: usize, task: impl Fn(usize, &mut [T]) + Sync) {
    let chunks: Vec<_> = all.chunks_mut(chunk).map(Mutex::new).collect();
    parallel(chunks.len(), |i| {
        task(i, &mut chunks[i].lock().expect("one task a chunk"));
    });
}

/// Elements of a list that one task makes.
const PART: usize = 1 << 18;

/// Returns `n` elements, where `element(i)` returns the one at `i`, made on all cores as by [`parallel`]. If the type's
/// default is zeros, memory is first touched by the core that writes it.
pub fn parallel_vec<T: Clone + Default + Send>(n: usize, element: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let mut all = vec![T::default(); n];
    parallel_chunks(&mut all, PART, |part, chunk| {
        for (i, place) in (part * PART..).zip(chunk) {
            *place = element(i);
        }
    });
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Starts at most this many threads.
    struct StartAtMost(AtomicUsize);

    impl Start for StartAtMost {
        fn start<'s>(
            &self,
            scope: &'s Scope<'s, '_>,
            work: &'s (dyn Fn() + Sync),
        ) -> io::Result<ScopedJoinHandle<'s, ()>> {
            let left = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
            match left {
                Ok(_) => StartThreads.start(scope, work),
                Err(_) => Err(io::ErrorKind::WouldBlock.into()),
            }
        }
    }

    #[test]
    fn no_more_cores_are_used_than_asked_for_or_there() {
        let all = thread::available_parallelism().map_or(1, usize::from);
        assert_eq!((cores(None), cores(Some("x"))), (all, all));
        assert_eq!((cores(Some("0")), cores(Some("1")), cores(Some("100000"))), (1, 1, all));
    }

    #[test]
    fn without_threads_the_work_is_done_on_this_one() {
        for threads in [0, 1, 3] {
            let starter = StartAtMost(AtomicUsize::new(threads));
            let squares = on_threads(8, 100, |i| i * i, &starter);
            assert_eq!(squares, (0..100).map(|i| i * i).collect::<Vec<_>>(), "{threads}");
        }
    }

    #[test]
    fn results_come_in_order_and_chunks_are_all_written() {
        assert_eq!(parallel(0, |i| i), [0usize; 0]);
        assert_eq!(parallel(100, |i| i * i), (0..100).map(|i| i * i).collect::<Vec<_>>());
        let mut all = vec![0; 1001];
        parallel_chunks(&mut all, 10, |i, chunk| chunk.fill(i));
        assert_eq!(all, (0..1001).map(|k| k / 10).collect::<Vec<_>>());
        for n in [0, 1, PART, 2 * PART + 3] {
            assert!(parallel_vec(n, |i| 3 * i) == (0..n).map(|i| 3 * i).collect::<Vec<_>>(), "{n}");
        }
    }
}
