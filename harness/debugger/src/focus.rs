//! The thread that the debugger looks at.

use recording::{Header, LANES};

/// A thread, by its block, its warp in the block, and its lane in the warp.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Focus {
    /// The number of the block in the grid, x fastest.
    pub block: u64,
    /// The number of the warp in its block.
    pub warp: u32,
    /// The lane.
    pub lane: usize,
}

impl Focus {
    /// Returns the number of the thread in its block.
    pub fn thread(self) -> u64 {
        u64::from(self.warp) * LANES as u64 + self.lane as u64
    }

    /// Returns the thread with this number in a block.
    pub fn at_thread(block: u64, thread: u64) -> Self {
        Self { block, warp: (thread / LANES as u64) as u32, lane: (thread % LANES as u64) as usize }
    }

    /// Returns `blockIdx` and `threadIdx`.
    pub fn indices(self, header: &Header) -> [[u32; 3]; 2] {
        [index_of(self.block, header.grid), index_of(self.thread(), header.block)]
    }
}

/// Returns the threads of a block.
pub fn threads_of(header: &Header) -> u64 {
    header.block.iter().map(|&n| u64::from(n)).product()
}

/// Returns the index of an item by its number, x fastest.
pub fn index_of(number: u64, [x, y, _]: [u32; 3]) -> [u32; 3] {
    let (x, y) = (u64::from(x.max(1)), u64::from(y.max(1)));
    [(number % x) as u32, (number / x % y) as u32, (number / x / y) as u32]
}

/// Returns the number of an item by its index, x fastest; `None` if it is outside.
pub fn number_of(index: [u32; 3], sizes: [u32; 3]) -> Option<u64> {
    let is_inside = index.iter().zip(&sizes).all(|(at, size)| at < size);
    let [x, y, z] = index.map(u64::from);
    is_inside.then(|| x + u64::from(sizes[0]) * (y + u64::from(sizes[1]) * z))
}

/// Returns an index as `(x,y,z)`.
pub fn shown([x, y, z]: [u32; 3]) -> String {
    format!("({x},{y},{z})")
}
