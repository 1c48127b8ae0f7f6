//! The output of kernels, in a buffer of bounded size: as on a GPU, new messages displace the oldest. A device stores
//! the format and the arguments of a call; this buffer stores the text.

use std::collections::{BTreeMap, VecDeque};

/// Messages of one block; each comes from one call by one thread.
#[derive(Debug, Default)]
pub(crate) struct Text {
    bytes: VecDeque<u8>,
    lengths: VecDeque<usize>,
}

impl Text {
    /// Bytes that a block buffers before the launch gets them.
    const OWN: usize = 4096;

    /// Adds a message.
    pub fn push(&mut self, message: &[u8]) {
        if !message.is_empty() {
            self.bytes.extend(message);
            self.lengths.push_back(message.len());
        }
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.lengths.is_empty()
    }

    /// Whether it is long enough to pass it on to the launch.
    pub fn is_long(&self) -> bool {
        self.bytes.len() >= Self::OWN
    }

    /// Removes the oldest message, and returns its length.
    fn pop(&mut self) -> Option<usize> {
        let length = self.lengths.pop_front()?;
        self.bytes.drain(..length);
        Some(length)
    }

    fn append(&mut self, mut later: Text) {
        self.bytes.append(&mut later.bytes);
        self.lengths.append(&mut later.lengths);
    }
}

/// What the blocks of a launch have printed, in block order: as if they had run one after the other. The last messages
/// are kept, as many as fit. Which these are does not depend on the order in which the blocks really run.
#[derive(Debug)]
pub(crate) struct Printed {
    /// The capacity in bytes.
    most: usize,
    bytes: usize,
    blocks: BTreeMap<u64, Text>,
    /// The last block whose messages were dropped: those of the blocks before it are dropped too.
    first: u64,
}

impl Printed {
    /// Creates an empty buffer with room for `most` bytes.
    pub fn new(most: usize) -> Printed {
        Printed { most, bytes: 0, blocks: BTreeMap::new(), first: 0 }
    }

    /// Adds what a block has printed since the last call.
    pub fn add(&mut self, block: u64, text: Text) {
        if block < self.first {
            return;
        }
        self.bytes += text.bytes.len();
        self.blocks.entry(block).or_default().append(text);
        while self.bytes > self.most
            && let Some(mut oldest) = self.blocks.first_entry()
        {
            self.first = *oldest.key();
            match oldest.get_mut().pop() {
                Some(length) => self.bytes -= length,
                None => drop(oldest.remove()),
            }
        }
    }

    /// Writes the text, piece by piece.
    pub fn write(self, out: &mut dyn FnMut(&[u8])) {
        for mut text in self.blocks.into_values() {
            out(text.bytes.make_contiguous());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns what is left of these messages, each with its block, in a buffer of `most` bytes.
    fn left(most: usize, messages: &[(u64, &str)]) -> String {
        let mut printed = Printed::new(most);
        for (block, message) in messages {
            let mut text = Text::default();
            text.push(message.as_bytes());
            printed.add(*block, text);
        }
        let mut all = Vec::new();
        printed.write(&mut |piece| all.extend_from_slice(piece));
        String::from_utf8(all).unwrap()
    }

    #[test]
    fn the_last_whole_messages_are_kept_in_the_order_of_the_blocks() {
        let messages = [(0, "abc"), (2, "ghi"), (1, "def"), (2, "jk")];
        for (most, want) in
            [(11, "abcdefghijk"), (10, "defghijk"), (8, "defghijk"), (7, "ghijk"), (4, "jk"), (1, ""), (0, "")]
        {
            assert_eq!(left(most, &messages), want, "{most}");
        }
    }

    #[test]
    fn what_is_kept_does_not_depend_on_which_block_runs_first() {
        let in_order = [(0, "abc"), (1, "defghi"), (1, "jklmno")];
        let late = [(1, "defghi"), (1, "jklmno"), (0, "abc")];
        for most in 0..16 {
            assert_eq!(left(most, &in_order), left(most, &late), "{most}");
        }
        assert_eq!(left(9, &late), "jklmno", "between what is kept nothing is missing");
    }

    #[test]
    fn no_text_takes_no_room() {
        let mut text = Text::default();
        text.push(b"");
        assert!(text.is_empty());
    }
}
