//! Inputs, made in parallel: a billion floats are there in a second.
use harness::{Inputs, parallel_chunks};

/// Elements from one generator.
const CHUNK: usize = 1 << 20;

/// `n` floats in [0, 1), the same for the same seed and label on every computer.
pub fn uniform(seed: u64, label: &str, n: usize) -> Vec<f32> {
    let mut all = vec![0.0; n];
    parallel_chunks(&mut all, CHUNK, |i, chunk| {
        let part = Inputs::new(seed, &format!("{label}{i}")).f32(chunk.len(), 0.0..1.0);
        chunk.copy_from_slice(&part);
    });
    all
}

/// Indices whose neighbourhoods go wrong first: the ends, powers of two, and the edges of blocks of
/// `threads`; each within `n`, in order, none twice.
pub fn edges(n: usize, threads: u32) -> Vec<usize> {
    let threads = threads as usize;
    let blocks = [1, 2, 3, 4, 8, 32].map(|k| k * threads);
    let powers = (0..usize::BITS - 1).map(|k| 1usize << k);
    let last = n.saturating_sub(n % threads.max(1));
    let mut edges: Vec<usize> = powers
        .chain(blocks)
        .chain([n / 2, last, n])
        .flat_map(|i| [i.saturating_sub(1), i, i + 1])
        .filter(|i| *i < n)
        .collect();
    edges.sort_unstable();
    edges.dedup();
    edges
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_do_not_depend_on_the_number_of_cores() {
        let n = CHUNK + 5;
        let x = uniform(7, "x", n);
        assert_eq!(x.len(), n);
        assert_eq!(x, uniform(7, "x", n));
        assert_eq!(x[CHUNK..], Inputs::new(7, "x1").f32(5, 0.0..1.0));
        assert_ne!(x, uniform(8, "x", n));
        assert!(x.iter().all(|v| (0.0..1.0).contains(v)));
    }

    #[test]
    fn edges_are_within_n() {
        assert_eq!(edges(0, 32), [0usize; 0]);
        assert_eq!(edges(1, 32), [0]);
        assert_eq!(edges(5, 32), [0, 1, 2, 3, 4]);
        let edges = edges((1 << 30) + 1, 256);
        assert!(edges.contains(&(1 << 30)) && edges.contains(&255) && edges.contains(&256));
        assert!(edges.is_sorted() && edges.len() < 200);
    }
}
