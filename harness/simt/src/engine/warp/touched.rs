//! Records which atomic instruction last touched each word of shared memory.

/// For each word of shared memory, the number of the atomic that touched it last. It reveals lanes of the same
/// instruction that access the same word.
pub(crate) struct Touched {
    last: Vec<u32>,
    now: u32,
}

impl Touched {
    /// Creates the record for `bytes` bytes.
    pub fn new(bytes: u32) -> Touched {
        Touched { last: vec![0; bytes as usize / 4 + 1], now: 0 }
    }

    /// Returns the number of the next atomic, and the words' entries, to which it writes that number.
    pub fn begin(&mut self) -> (u32, *mut u32) {
        if self.now == u32::MAX {
            self.last.fill(0);
            self.now = 0;
        }
        self.now += 1;
        (self.now, self.last.as_mut_ptr())
    }
}
