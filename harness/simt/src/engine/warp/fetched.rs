//! The pieces of work that a warp fetches in a loop until none is left.

/// The pieces of work that a warp has fetched.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fetched {
    all: u32,
    /// How many more it may fetch before others go first.
    credit: u32,
}

impl Fetched {
    /// A warp that has fetched many pieces keeps its turn for a 64th of that number, as turns take longer than short
    /// pieces do.
    const SHARE: u32 = 64;

    /// Records that the warp has fetched a piece. Returns whether others go first.
    pub fn gives_way(&mut self) -> bool {
        self.all = self.all.saturating_add(1);
        let gives_way = self.credit == 0;
        self.credit = if gives_way { self.all / Self::SHARE } else { self.credit - 1 };
        gives_way
    }
}
