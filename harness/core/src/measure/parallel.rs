//! Host work over all cores: inputs and references of a billion elements.
use std::{
    sync::atomic::{AtomicUsize, Ordering},
    thread::{self, ScopedJoinHandle},
};

/// The results of `task(0)` to `task(tasks - 1)`, in that order, computed on all cores. If a task panics, so does this
/// function.
pub fn parallel<T: Send>(tasks: usize, task: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let work = || {
        let mut done = Vec::new();
        loop {
            let i = next.fetch_add(1, Ordering::Relaxed);
            if i >= tasks {
                return done;
            }
            done.push((i, task(i)));
        }
    };
    let mut all: Vec<(usize, T)> = thread::scope(|scope| {
        let workers: Vec<_> = (0..cores.min(tasks)).map(|_| scope.spawn(work)).collect();
        let done = workers.into_iter().map(ScopedJoinHandle::join);
        done.flat_map(|w| w.unwrap_or_else(|e| std::panic::resume_unwind(e))).collect()
    });
    all.sort_by_key(|(i, _)| *i);
    all.into_iter().map(|(_, result)| result).collect()
}

/// As [`parallel`], but each task writes its own chunk of `all`, `chunk` elements long (the last may
/// be shorter): `task(i, chunk_i)`.
pub fn parallel_chunks<T: Send>(all: &mut [T], chunk: usize, task: impl Fn(usize, &mut [T]) + Sync) {
    let chunks: Vec<_> = all.chunks_mut(chunk).map(std::sync::Mutex::new).collect();
    parallel(chunks.len(), |i| {
        task(i, &mut chunks[i].lock().expect("one task a chunk"));
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order_and_chunks_are_all_written() {
        assert_eq!(parallel(0, |i| i), [0usize; 0]);
        assert_eq!(parallel(100, |i| i * i), (0..100).map(|i| i * i).collect::<Vec<_>>());
        let mut all = vec![0; 1001];
        parallel_chunks(&mut all, 10, |i, chunk| chunk.fill(i));
        assert_eq!(all, (0..1001).map(|k| k / 10).collect::<Vec<_>>());
    }
}
