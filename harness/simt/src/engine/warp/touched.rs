//! Notes which atomic instruction touched each word of shared memory last.

/// For each word of shared memory, the number of the atomic that touched it last. It tells when lanes of one
/// instruction meet at a word.
pub(crate) struct Touched {
    last: Vec<u32>,
    now: u32,
}

impl Touched {
    /// For so many bytes.
    pub fn new(bytes: u32) -> Touched {
        Touched { last: vec![0; bytes as usize / 4 + 1], now: 0 }
    }

    /// The number of the next atomic, and the words' entries, in which it leaves that number.
    pub fn begin(&mut self) -> (u32, *mut u32) {
        if self.now == u32::MAX {
            self.last.fill(0);
            self.now = 0;
        }
        self.now += 1;
        (self.now, self.last.as_mut_ptr())
    }
}
