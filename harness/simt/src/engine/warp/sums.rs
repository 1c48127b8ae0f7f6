//! Sums that a worker keeps for a while before it adds them to memory.
//!
//! Where the warps of several workers add to one word, each change waits until the cache line with the word has arrived
//! from the other worker's processor, and must be retried if the other was faster. So additions after which the thread
//! reads no memory (see `passes::defer_final_sums`) are kept, and a worker adds many of them in one turn, in the order
//! in which its warps made them. Any other reader of the word meanwhile sees it as if those threads came later. Kept
//! sums are written before the launch ends, and before their worker waits for another.

use crate::lane::LANES;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError, TryLockError};

/// With at least this many kept sums, a worker adds them as soon as no other worker is adding its own.
const SOME: usize = 32;
/// With this many, it waits for its turn.
const MOST: usize = 256;

/// A function that adds a warp's values to a word, lane by lane: it maps the old word to the new one.
pub(crate) type Add = fn(u32, &[u32; LANES]) -> u32;

/// What the lanes of a warp add to a word.
struct Sum {
    word: *mut u32,
    add: Add,
    terms: [u32; LANES],
}

/// The workers' turns at adding.
#[derive(Default)]
pub(crate) struct Turns(Mutex<()>);

/// The sums that a worker keeps.
#[derive(Default)]
pub(crate) struct Sums(Vec<Sum>);

impl Sums {
    /// Keeps a sum, and adds what is kept if it is time to.
    ///
    /// # Safety
    /// `word` is aligned, and may be changed atomically until [`Sums::finish`] has been called.
    #[inline(always)]
    pub unsafe fn keep(&mut self, word: *mut u32, add: Add, terms: [u32; LANES], turns: &Turns) {
        if self.0.capacity() == 0 {
            self.0.reserve_exact(MOST);
        }
        self.0.push(Sum { word, add, terms });
        if self.0.len().is_multiple_of(SOME) {
            self.add_some(turns);
        }
    }

    /// Adds the kept sums, unless another worker has its turn and there is room for more.
    #[inline(never)]
    fn add_some(&mut self, turns: &Turns) {
        let turn = match turns.0.try_lock() {
            Ok(turn) => turn,
            Err(TryLockError::Poisoned(turn)) => turn.into_inner(),
            Err(TryLockError::WouldBlock) if self.0.len() < MOST => return,
            Err(TryLockError::WouldBlock) => turns.0.lock().unwrap_or_else(PoisonError::into_inner),
        };
        self.add_all();
        drop(turn);
    }

    /// Adds all kept sums.
    #[inline(always)]
    pub fn finish(&mut self, turns: &Turns) {
        if !self.0.is_empty() {
            self.wait_and_add(turns);
        }
    }

    #[inline(never)]
    fn wait_and_add(&mut self, turns: &Turns) {
        let turn = turns.0.lock().unwrap_or_else(PoisonError::into_inner);
        self.add_all();
        drop(turn);
    }

    fn add_all(&mut self) {
        for sums in self.0.chunk_by(|one, next| one.word == next.word) {
            // SAFETY: see `keep`.
            add_to(unsafe { AtomicU32::from_ptr(sums[0].word) }, sums);
        }
        self.0.clear();
    }
}

/// Adds to one word, with few changes of it.
fn add_to(word: &AtomicU32, mut sums: &[Sum]) {
    let mut seen = word.load(Ordering::Relaxed);
    let mut count = sums.len();
    while !sums.is_empty() {
        count = count.min(sums.len());
        let (first, rest) = sums.split_at(count);
        let new = first.iter().fold(seen, |value, sum| (sum.add)(value, &sum.terms));
        match word.compare_exchange(seen, new, Ordering::SeqCst, Ordering::Relaxed) {
            Ok(_) => (seen, sums) = (new, rest),
            // A thread that changes the word without a turn wins against a long sum again and again.
            Err(now) => (seen, count) = (now, (count / 2).max(1)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn add(value: u32, terms: &[u32; LANES]) -> u32 {
        terms.iter().fold(value, |sum, term| sum.wrapping_add(*term))
    }

    #[test]
    fn sums_are_kept_until_there_are_enough_and_until_the_end() {
        let (turns, mut sums) = (Turns::default(), Sums::default());
        let mut words = [0u32; 2];
        let to = words.as_mut_ptr();
        let keep = |sums: &mut Sums, at: usize| unsafe { sums.keep(to.add(at), add, [1; LANES], &turns) };
        (0..SOME - 1).for_each(|i| keep(&mut sums, i % 2));
        assert_eq!(unsafe { to.read() }, 0);
        keep(&mut sums, 0);
        assert_eq!(unsafe { (to.read(), to.add(1).read()) }, (17 * 32, 15 * 32));
        keep(&mut sums, 1);
        sums.finish(&turns);
        assert_eq!(words, [17 * 32, 16 * 32]);
    }

    #[test]
    fn a_worker_keeps_more_sums_while_it_is_another_s_turn() {
        let (turns, mut sums) = (Turns::default(), Sums::default());
        let mut word = 0u32;
        let to = &raw mut word;
        let other = turns.0.lock().unwrap();
        (0..2 * SOME).for_each(|_| unsafe { sums.keep(to, add, [1; LANES], &turns) });
        assert_eq!(unsafe { to.read() }, 0);
        drop(other);
        (0..SOME).for_each(|_| unsafe { sums.keep(to, add, [1; LANES], &turns) });
        assert_eq!(word, (3 * SOME * LANES) as u32);
    }

    #[test]
    fn nothing_is_lost_where_others_change_the_word_without_a_turn() {
        let word = AtomicU32::new(0);
        let turns = Turns::default();
        std::thread::scope(|scope| {
            let others = scope.spawn(|| (0..200_000).for_each(|_| _ = word.fetch_add(1, Ordering::Relaxed)));
            let mut sums = Sums::default();
            (0..10_000).for_each(|_| unsafe { sums.keep(word.as_ptr(), add, [1; LANES], &turns) });
            sums.finish(&turns);
            others.join().unwrap();
        });
        assert_eq!(word.into_inner(), 200_000 + 320_000);
    }
}
