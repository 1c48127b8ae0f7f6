//! A decoder of Zstandard frames (RFC 8878) without dictionaries. It uses memory for the decoded text, and a few
//! kilobytes for tables: a block that would exceed the maximum block size is refused before it does. Checksums are
//! ignored.

/// The magic number at the start of a frame.
const MAGIC: u32 = 0xfd2f_b528;
/// The maximum size of a block, in bytes, packed or not.
const LONGEST_BLOCK: usize = 128 << 10;
/// The maximum length of a literal's code, in bits.
const LONGEST_CODE: u32 = 11;
/// The maximum accuracies of tables of code weights, and of literal lengths, offsets, and match lengths.
const WEIGHTS: u32 = 6;
const ACCURACIES: [u32; 3] = [9, 8, 9];

/// The number of bits that follow the code of a literal length, or of a match length.
const LITERAL_BITS: [u8; 36] =
    [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16];
const MATCH_BITS: [u8; 53] = [
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2,
    3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16,
];
/// The minimum length of a match.
const SHORTEST_MATCH: usize = 3;
/// The number of offset codes.
const OFFSETS: usize = 32;

/// The default distributions of literal lengths, offsets and match lengths, each with its accuracy.
const USUAL: [(u32, &[i16]); 3] = [
    (
        6,
        &[
            4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1, 1, -1, -1, -1,
            -1,
        ],
    ),
    (5, &[1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1]),
    (
        6,
        &[
            1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
            1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1,
        ],
    ),
];

/// Consumes the first bytes.
fn take<'a>(from: &mut &'a [u8], len: usize) -> Option<&'a [u8]> {
    let (taken, rest) = from.split_at_checked(len)?;
    *from = rest;
    Some(taken)
}

/// Consumes a number of up to eight bytes.
fn number(from: &mut &[u8], bytes: usize) -> Option<u64> {
    let mut word = [0; 8];
    word[..bytes].copy_from_slice(take(from, bytes)?);
    Some(u64::from_le_bytes(word))
}

/// Returns the `count` bits (56 at most) from the bit `at` on. Missing bits are 0.
fn bits(bytes: &[u8], at: i64, count: u32) -> u64 {
    let missing = (-at).clamp(0, i64::from(count)) as u32;
    let first = at.max(0) as usize;
    let mut word = [0; 8];
    let there = bytes.get(first / 8..).unwrap_or_default();
    let there = &there[..there.len().min(8)];
    word[..there.len()].copy_from_slice(there);
    let mask = (1u64 << (count - missing)) - 1;
    (u64::from_le_bytes(word) >> (first % 8) & mask) << missing
}

/// A bit stream that is read from the end of some bytes, after the final 1 bit.
struct Backward<'a> {
    bytes: &'a [u8],
    left: i64,
}

impl<'a> Backward<'a> {
    fn new(bytes: &'a [u8]) -> Option<Self> {
        let last = bytes.last().filter(|last| **last != 0)?;
        Some(Backward { bytes, left: 8 * bytes.len() as i64 - i64::from(last.leading_zeros()) - 1 })
    }

    fn read(&mut self, count: u32) -> u64 {
        self.left -= i64::from(count);
        bits(self.bytes, self.left, count)
    }
}

/// A state of an FSE table: its symbol, and the next state, from a base and a number of bits.
#[derive(Clone, Copy, Default)]
struct State {
    symbol: u8,
    bits: u8,
    base: u16,
}

/// An FSE table. The binary logarithm of its number of states is its accuracy.
#[derive(Clone)]
struct FseTable {
    accuracy: u32,
    states: Vec<State>,
}

impl FseTable {
    /// Creates a table of a single symbol.
    fn single(symbol: u8) -> FseTable {
        FseTable { accuracy: 0, states: vec![State { symbol, ..State::default() }] }
    }

    /// Creates the table of a distribution: the number of states of each symbol; -1 means a single state at the end.
    fn new(accuracy: u32, distribution: &[i16]) -> Option<FseTable> {
        let size = 1usize << accuracy;
        let mut states = vec![State::default(); size];
        let mut end = size;
        for (symbol, _) in (0u8..).zip(distribution).filter(|(_, count)| **count == -1) {
            end = end.checked_sub(1)?;
            states[end].symbol = symbol;
        }
        let (step, mut at) = ((size >> 1) + (size >> 3) + 3, 0);
        for (symbol, count) in (0u8..).zip(distribution) {
            for _ in 0..*count {
                states[at].symbol = symbol;
                at = (at + step) % size;
                while at >= end {
                    at = (at + step) % size;
                }
            }
        }
        let mut next: Vec<u32> = distribution.iter().map(|count| u32::from(count.unsigned_abs())).collect();
        for state in &mut states {
            let number = next.get_mut(usize::from(state.symbol)).filter(|number| **number > 0)?;
            let bits = accuracy.checked_sub(number.ilog2())?;
            (state.bits, state.base) = (bits as u8, ((*number << bits) - size as u32) as u16);
            *number += 1;
        }
        (at == 0).then_some(FseTable { accuracy, states })
    }

    /// Consumes the description of a table with at most `symbols` symbols and an accuracy of at most `most`.
    fn read(from: &mut &[u8], symbols: usize, most: u32) -> Option<FseTable> {
        let mut at = 4;
        let accuracy = 5 + bits(from, 0, 4) as u32;
        if accuracy > most {
            return None;
        }
        let (mut left, mut distribution) = (1i64 << accuracy, Vec::new());
        while left > 0 && distribution.len() < symbols {
            let width = (left + 1).ilog2() + 1;
            let mut value = bits(from, at, width) as i64;
            let (low, short) = (1i64 << (width - 1), (1i64 << width) - 2 - left);
            // The smallest values use one bit less.
            if value % low < short {
                value %= low;
                at += i64::from(width) - 1;
            } else {
                value -= if value >= low { short } else { 0 };
                at += i64::from(width);
            }
            distribution.push(value as i16 - 1);
            left -= (value - 1).abs();
            // A count of 0 is followed by the number of further zeros, which is repeated while it is 3.
            let mut zeros = if value == 1 { 3 } else { 0 };
            while zeros == 3 && distribution.len() <= symbols {
                zeros = bits(from, at, 2);
                at += 2;
                distribution.extend((0..zeros).map(|_| 0));
            }
        }
        take(from, usize::try_from(at).ok()?.div_ceil(8))?;
        if left == 0 && distribution.len() <= symbols { FseTable::new(accuracy, &distribution) } else { None }
    }

    /// Returns the first state.
    fn start(&self, from: &mut Backward<'_>) -> State {
        self.states[from.read(self.accuracy) as usize]
    }

    /// Returns the state after another one.
    fn next(&self, state: State, from: &mut Backward<'_>) -> State {
        self.states[usize::from(state.base) + from.read(u32::from(state.bits)) as usize]
    }
}

/// A Huffman table: for the next `width` bits, a symbol and the length of its code.
struct Codes {
    width: u32,
    entries: Vec<(u8, u8)>,
}

impl Codes {
    /// Consumes the description of a table.
    fn read(from: &mut &[u8]) -> Option<Codes> {
        let header = usize::from(take(from, 1)?[0]);
        let weights = if let Some(count) = header.checked_sub(127) {
            let packed = take(from, count.div_ceil(2))?;
            (0..count).map(|at| packed[at / 2] >> (4 * (1 - at % 2)) & 15).collect()
        } else {
            Codes::weights(take(from, header)?)?
        };
        Codes::new(weights)
    }

    /// Decodes weights that are packed by two alternating states of a table, until no bit is left.
    fn weights(mut from: &[u8]) -> Option<Vec<u8>> {
        let table = FseTable::read(&mut from, LONGEST_CODE as usize + 2, WEIGHTS)?;
        let mut bits = Backward::new(from)?;
        let mut states = [table.start(&mut bits), table.start(&mut bits)];
        let mut weights = Vec::new();
        while bits.left >= 0 && weights.len() < 255 {
            weights.push(states[0].symbol);
            states = [states[1], table.next(states[0], &mut bits)];
        }
        weights.push(states[0].symbol);
        Some(weights)
    }

    /// Creates the codes for these weights, and for a last weight, which completes them.
    fn new(mut weights: Vec<u8>) -> Option<Codes> {
        let share = |weight: &u8| if *weight == 0 { 0 } else { 1u32 << (weight - 1) };
        if weights.len() > 255 || weights.iter().any(|weight| u32::from(*weight) > LONGEST_CODE) {
            return None;
        }
        let sum: u32 = weights.iter().map(share).sum();
        let width = sum.checked_ilog2()? + 1;
        let rest = (1u32 << width) - sum;
        if width > LONGEST_CODE || !rest.is_power_of_two() {
            return None;
        }
        weights.push(rest.ilog2() as u8 + 1);
        let mut entries = Vec::with_capacity(1 << width);
        for weight in 1..=width as u8 {
            let of_weight = (0..=255).zip(&weights).filter(|(_, of)| **of == weight);
            for (symbol, _) in of_weight {
                entries.resize(entries.len() + (1 << (weight - 1)), (symbol, width as u8 + 1 - weight));
            }
        }
        (entries.len() == 1 << width).then_some(Codes { width, entries })
    }

    /// Decodes `count` literals from all of these bytes.
    fn decode(&self, from: &[u8], count: usize, literals: &mut Vec<u8>) -> Option<()> {
        let mut from = Backward::new(from)?;
        for _ in 0..count {
            let index = bits(from.bytes, from.left - i64::from(self.width), self.width);
            let (symbol, len) = self.entries[index as usize];
            from.left -= i64::from(len);
            if from.left < 0 {
                return None;
            }
            literals.push(symbol);
        }
        (from.left == 0).then_some(())
    }
}

/// The state that one block leaves for the next.
struct Decoder {
    text: Vec<u8>,
    /// The maximum length of the text.
    most: usize,
    codes: Option<Codes>,
    /// The tables of literal lengths, offsets, and match lengths.
    tables: [Option<FseTable>; 3],
    offsets: [usize; 3],
}

impl Decoder {
    /// Appends `len` bytes from `offset` bytes before the end.
    fn repeat(&mut self, offset: usize, len: usize) -> Option<()> {
        let mut from = self.text.len().checked_sub(offset).filter(|_| offset > 0)?;
        let mut left = len;
        // A match may overlap its own output.
        while left > 0 {
            let piece = left.min(self.text.len() - from);
            self.text.extend_from_within(from..from + piece);
            (from, left) = (from + piece, left - piece);
        }
        Some(())
    }

    /// Decodes the literals of a block.
    fn literals(&mut self, from: &mut &[u8]) -> Option<Vec<u8>> {
        let head = *from.first()?;
        let (kind, format) = (head & 3, head >> 2 & 3);
        if kind < 2 {
            let (bytes, shift) = [(1, 3), (2, 4), (1, 3), (3, 4)][usize::from(format)];
            let count = (number(from, bytes)? >> shift) as usize;
            return match kind {
                0 => take(from, count).map(<[u8]>::to_vec),
                _ if count <= LONGEST_BLOCK => Some(vec![take(from, 1)?[0]; count]),
                _ => None,
            };
        }
        let (bytes, width) = [(3, 10), (3, 10), (4, 14), (5, 18)][usize::from(format)];
        let sizes = number(from, bytes)? >> 4;
        let (count, packed) = ((sizes & ((1 << width) - 1)) as usize, (sizes >> width) as usize);
        let mut packed = take(from, packed).filter(|_| count <= LONGEST_BLOCK)?;
        if kind == 2 {
            self.codes = Some(Codes::read(&mut packed)?);
        }
        let (codes, mut literals) = (self.codes.as_ref()?, Vec::new());
        if format == 0 {
            codes.decode(packed, count, &mut literals)?;
            return Some(literals);
        }
        let sizes = [number(&mut packed, 2)?, number(&mut packed, 2)?, number(&mut packed, 2)?];
        for size in sizes {
            codes.decode(take(&mut packed, size as usize)?, count.div_ceil(4), &mut literals)?;
        }
        codes.decode(packed, count.checked_sub(literals.len())?, &mut literals)?;
        Some(literals)
    }

    /// Reads the tables of a block's sequences.
    fn read_tables(&mut self, from: &mut &[u8]) -> Option<[FseTable; 3]> {
        let modes = take(from, 1)?[0];
        let symbols = [LITERAL_BITS.len(), OFFSETS, MATCH_BITS.len()];
        for (at, table) in self.tables.iter_mut().enumerate() {
            *table = match modes >> (6 - 2 * at) & 3 {
                0 => FseTable::new(USUAL[at].0, USUAL[at].1),
                1 => Some(FseTable::single(take(from, 1)?[0]))
                    .filter(|one| usize::from(one.states[0].symbol) < symbols[at]),
                2 => FseTable::read(from, symbols[at], ACCURACIES[at]),
                _ => table.take(),
            };
        }
        let [Some(literals), Some(offsets), Some(matches)] = self.tables.clone() else { return None };
        Some([literals, offsets, matches])
    }

    /// Returns the offset for a value, which may be one of the last three.
    fn offset(&mut self, value: usize, has_literals: bool) -> Option<usize> {
        let offsets = &mut self.offsets;
        let at = if value > 3 { 3 } else { value - usize::from(has_literals) };
        let offset = match at {
            _ if value > 3 => value - 3,
            3 => offsets[0].checked_sub(1)?,
            _ => offsets[at],
        };
        offsets.copy_within(0..at.min(2), 1);
        offsets[0] = offset;
        Some(offset)
    }

    /// Decodes a block.
    fn block(&mut self, mut from: &[u8]) -> Option<()> {
        let most = self.most.min(self.text.len() + LONGEST_BLOCK);
        let literals = self.literals(&mut from)?;
        let mut literals = literals.as_slice();
        let count = match take(&mut from, 1)?[0] {
            255 => number(&mut from, 2)? + 0x7f00,
            first @ 128.. => u64::from(first - 128) << 8 | number(&mut from, 1)?,
            first => first.into(),
        };
        if count > 0 {
            let [literal_lengths, offsets, match_lengths] = self.read_tables(&mut from)?;
            let mut from = Backward::new(from)?;
            let mut states =
                [literal_lengths.start(&mut from), offsets.start(&mut from), match_lengths.start(&mut from)];
            for sequence in 1..=count {
                let [literal, offset, length] = states.map(|state| usize::from(state.symbol));
                let offset = (1usize << offset) + from.read(offset as u32) as usize;
                let length =
                    SHORTEST_MATCH + start(&MATCH_BITS, length) + from.read(MATCH_BITS[length].into()) as usize;
                let literal = start(&LITERAL_BITS, literal) + from.read(LITERAL_BITS[literal].into()) as usize;
                let copied = take(&mut literals, literal)?;
                if from.left < 0 || self.text.len() + copied.len() + length > most {
                    return None;
                }
                self.text.extend_from_slice(copied);
                let offset = self.offset(offset, literal > 0)?;
                self.repeat(offset, length)?;
                if sequence < count {
                    states[0] = literal_lengths.next(states[0], &mut from);
                    states[2] = match_lengths.next(states[2], &mut from);
                    states[1] = offsets.next(states[1], &mut from);
                }
            }
            (from.left == 0).then_some(())?;
        }
        self.append(literals, most)
    }

    fn append(&mut self, bytes: &[u8], most: usize) -> Option<()> {
        (self.text.len() + bytes.len() <= most).then(|| self.text.extend_from_slice(bytes))
    }
}

/// Returns the base of a length code, from the bits of the codes before it.
fn start(bits: &[u8], code: usize) -> usize {
    bits[..code].iter().map(|bits| 1usize << bits).sum()
}

/// Returns the text of a frame. `None` if it is damaged, or longer than `most` bytes.
pub fn decode(mut from: &[u8], most: usize) -> Option<Vec<u8>> {
    if number(&mut from, 4)? != u64::from(MAGIC) {
        return None;
    }
    let descriptor = take(&mut from, 1)?[0];
    let (is_single, of_dictionary) = (descriptor & 0x20 != 0, [0, 1, 2, 4][usize::from(descriptor & 3)]);
    take(&mut from, usize::from(!is_single))?;
    if descriptor & 8 != 0 || number(&mut from, of_dictionary)? != 0 {
        return None;
    }
    take(&mut from, [usize::from(is_single), 2, 4, 8][usize::from(descriptor >> 6)])?;
    let mut decoder = Decoder { text: Vec::new(), most, codes: None, tables: [const { None }; 3], offsets: [1, 4, 8] };
    loop {
        let header = number(&mut from, 3)?;
        let (kind, size) = (header >> 1 & 3, (header >> 3) as usize);
        if size > LONGEST_BLOCK {
            return None;
        }
        match kind {
            0 => decoder.append(take(&mut from, size)?, most)?,
            1 => decoder.append(&vec![take(&mut from, 1)?[0]; size], most)?,
            2 => decoder.block(take(&mut from, size)?)?,
            _ => return None,
        }
        if header & 1 != 0 {
            return Some(decoder.text);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The output of `zstd -19` for [`text`]: literals of four streams, and its own tables.
    const FRAME: &str = "28b52ffd6023062d1000a672640fd0151b0044824064f7a69da8a115236c0059005c00f58cc93609a5c6c50ac91e9bcfa42fb149\
         ad372634b51082940b21dc01084c681a42b40310d4954d08c10e403044690871031090571642d80004bf49851035000199a64208\
         1a80806eb91062062098ba3a84f800042db742081980808a2a21840720b85e85101d808021048772fb84eeadb5641f71aac4aded\
         8acd1113b259ada5424575bf23be9e64bb9c752d614d0d656cb3c8d15993bb9ce2c9bbdd94a771e9334f3735d79b6fa558d39f2f\
         2589f8fe161d99673c571afb99c6dc21ba6ecb755743d71964e97c099dc95a45ad984949dbec22d10895bd14dbe8993a5d5e5dc9\
         5d919e083b3667c78ceaa97bcded5ab6119f483f7d598a37d3deefe6bc8e957b1ddd391a939b8a9062c5998b09919cef6a28ac5c\
         952532763a475844f2dc72014050f39767c8afefc6cef61b5b4fbb9b9bae96e7ce367f4376c39f25b9b6918dd4d50a598746683c\
         f49f8aeaab3bca4f78e4917ed7c9bfd34f29db329d8a65bfd9f968f71915b5c87ece59fa5b647f7ef39052f49bbaba33a10b8089\
         a811240cccbeb2ff19602d230f101201c93a86080ebae012b25427b54307a5c827643fd995494c1c4e35a445980a67185e76c5c3\
         8fde1b1314042f5425fc12da4f1a8ed15920e917a787c4782b4152bd186910850ab54099838ebfed9d48f2a3cd3415af8609917c\
         21e9548b066c15";

    fn text() -> Vec<u8> {
        (0..150u32).flat_map(|at| format!("x{} = {};\n", at % 13, at * at * 7919 % 104_729).into_bytes()).collect()
    }

    fn frame() -> Vec<u8> {
        let digits = FRAME.as_bytes().chunks(2).map(|digits| std::str::from_utf8(digits).unwrap());
        digits.map(|digits| u8::from_str_radix(digits, 16).unwrap()).collect()
    }

    #[test]
    fn a_frame_of_the_tool_is_decoded_and_one_that_is_cut_short_is_refused() {
        let (frame, text) = (frame(), text());
        assert_eq!(decode(&frame, text.len()).as_ref(), Some(&text));
        assert_eq!(decode(&frame, text.len() - 1), None);
        assert!((0..frame.len()).all(|len| decode(&frame[..len], text.len()).is_none()));
    }

    #[test]
    fn every_changed_bit_is_survived() {
        let (frame, text) = (frame(), text());
        let mut refused = 0;
        for bit in 0..8 * frame.len() {
            let mut frame = frame.clone();
            frame[bit / 8] ^= 1 << (bit % 8);
            let decoded = decode(&frame, text.len());
            assert!(decoded.as_ref().is_none_or(|decoded| decoded.len() <= text.len()));
            refused += usize::from(decoded.is_none());
        }
        assert!(refused > 0);
    }

    #[test]
    fn a_block_that_would_become_longer_than_blocks_are_is_refused() {
        // 1000 sequences: each is a literal, and a match of the maximum length at the last offset.
        let mut block = (1 | 1 << 2 | 1000u16 << 4).to_le_bytes().to_vec();
        block.extend([b'a', 128 + 3, 232, 0b0101_0100, 1, 0, 52]);
        block.extend([0xff; 2000]);
        block.push(1);
        let mut frame = MAGIC.to_le_bytes().to_vec();
        frame.extend([0xa0, 0, 0, 0, 0x10]);
        frame.extend(&(1 | 2 << 1 | (block.len() as u32) << 3).to_le_bytes()[..3]);
        frame.extend(block);
        assert_eq!(decode(&frame, 1 << 28), None);
    }
}
