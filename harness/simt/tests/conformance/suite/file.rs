//! The file of results: a device's results for every case.
//!
//! Compressed with gzip: `SIMTCV01`, a line about the device, then for each case its name, a hash of its operands,
//! and its results: for each a column with every value, or with the first ones and a hash of each block's.

use std::io::{Read, Write};

use flate2::{Compression, bufread::GzDecoder, write::GzEncoder};

use super::values::hash;
use super::{COUNT, Case};

const MAGIC: &[u8] = b"SIMTCV01";
/// The number of results that a digested column has in full.
pub const FIRST: usize = 8;
/// The number of results that one hash covers, a block's.
pub const GROUP: usize = 256;
/// The number of results, a warp's, that are hashed first.
const WARP: usize = 32;

/// The results of one case in one register.
#[derive(Clone, Debug, PartialEq)]
pub enum Column {
    /// Every thread's.
    Full(Vec<u64>),
    /// The first [`FIRST`] threads', and a hash of each [`GROUP`].
    Digest(Vec<u64>, Vec<u32>),
}

/// The results of one case.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    pub name: String,
    /// The hash of the operands.
    pub inputs: u64,
    /// Why there are no results; empty if there are.
    pub error: String,
    pub columns: Vec<Column>,
}

/// A whole file.
#[derive(Clone, Debug, PartialEq)]
pub struct Vectors {
    /// The device that produced them.
    pub device: String,
    pub entries: Vec<Entry>,
}

/// Returns the hash of a case's operands and lines.
pub fn inputs(case: &Case) -> u64 {
    let operands = case.operands();
    hash(case.text.bytes().chain(operands.iter().flatten().flat_map(|v| v.to_le_bytes())))
}

/// Returns the hash of a group of results: that of its warps' hashes.
pub fn digest(group: &[u64]) -> u32 {
    let of_warp = |results: &[u64]| folded(hash(results.iter().flat_map(|v| v.to_le_bytes())));
    folded(hash(group.chunks(WARP).flat_map(|results| of_warp(results).to_le_bytes())))
}

fn folded(hash: u64) -> u32 {
    (hash ^ (hash >> 32)) as u32
}

impl Column {
    /// Returns the column with hashes in place of most values; short columns are unchanged.
    pub fn compact(&self, bits: u32) -> Column {
        match self {
            Column::Full(values) if bits > 0 => {
                Column::Digest(values[..FIRST].to_vec(), values.chunks(GROUP).map(digest).collect())
            }
            other => other.clone(),
        }
    }
}

/// Writes values as bits, as bytes that index a table, or unencoded, whichever is shortest.
fn put(out: &mut Vec<u8>, values: &[u64]) {
    let mut distinct: Vec<u64> = values.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    let largest = distinct.last().copied().unwrap_or(0);
    let width = (8 - largest.leading_zeros() as usize / 8).max(1);
    let index = |v: &u64| distinct.binary_search(v).expect("it is among them") as u8;
    if distinct.len() <= 2 {
        out.extend([0, distinct.len() as u8]);
        out.extend(distinct.iter().flat_map(|v| v.to_le_bytes()));
        for chunk in values.chunks(8) {
            out.push(chunk.iter().rev().fold(0, |b, v| (b << 1) | index(v)));
        }
    } else if distinct.len() <= 255 && distinct.len() * 8 + values.len() < values.len() * width {
        out.extend([1, distinct.len() as u8]);
        out.extend(distinct.iter().flat_map(|v| v.to_le_bytes()));
        out.extend(values.iter().map(index));
    } else {
        out.extend([2, width as u8]);
        for value in values {
            out.extend(&value.to_le_bytes()[..width]);
        }
    }
}

/// Reads what the writers above wrote; `None` when the bytes end too early.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn bytes(&mut self, n: usize) -> Option<&'a [u8]> {
        let (head, tail) = self.0.split_at_checked(n)?;
        self.0 = tail;
        Some(head)
    }

    fn number(&mut self, n: usize) -> Option<u64> {
        Some(self.bytes(n)?.iter().rev().fold(0, |x, b| (x << 8) | u64::from(*b)))
    }

    fn text(&mut self) -> Option<String> {
        let n = self.number(2)? as usize;
        Some(String::from_utf8_lossy(self.bytes(n)?).into_owned())
    }

    fn values(&mut self, count: usize) -> Option<Vec<u64>> {
        let (kind, n) = (self.number(1)?, self.number(1)? as usize);
        if kind == 2 {
            return (0..count).map(|_| self.number(n)).collect();
        }
        let distinct: Vec<u64> = (0..n).map(|_| self.number(8)).collect::<Option<_>>()?;
        let pick = |i: usize| distinct.get(i).copied();
        if kind == 1 {
            return self.bytes(count)?.iter().map(|&b| pick(b.into())).collect();
        }
        let bits = self.bytes(count.div_ceil(8))?;
        (0..count).map(|i| pick((bits[i / 8] >> (i % 8) & 1).into())).collect()
    }
}

fn put_text(out: &mut Vec<u8>, text: &str) {
    let text = &text.as_bytes()[..text.len().min(400)];
    out.extend((text.len() as u16).to_le_bytes());
    out.extend(text);
}

impl Vectors {
    /// Encodes it as bytes.
    pub fn write(&self) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        put_text(&mut out, &self.device);
        out.extend((self.entries.len() as u32).to_le_bytes());
        for entry in &self.entries {
            put_text(&mut out, &entry.name);
            out.extend(entry.inputs.to_le_bytes());
            put_text(&mut out, &entry.error);
            out.push(entry.columns.len() as u8);
            for column in &entry.columns {
                match column {
                    Column::Full(values) => {
                        out.push(0);
                        put(&mut out, values);
                    }
                    Column::Digest(first, groups) => {
                        out.push(1);
                        put(&mut out, first);
                        out.extend(groups.iter().flat_map(|g| g.to_le_bytes()));
                    }
                }
            }
        }
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(&out).and_then(|()| encoder.finish()).expect("a vector takes all bytes")
    }

    /// Decodes bytes; `None` if they are not such a file.
    pub fn read(compressed: &[u8]) -> Option<Vectors> {
        let mut bytes = Vec::new();
        GzDecoder::new(compressed).read_to_end(&mut bytes).ok()?;
        let mut from = Reader(bytes.strip_prefix(MAGIC)?);
        let device = from.text()?;
        let count = from.number(4)?;
        let mut entries = Vec::new();
        for _ in 0..count {
            let name = from.text()?;
            let inputs = from.number(8)?;
            let error = from.text()?;
            let mut columns = Vec::new();
            for _ in 0..from.number(1)? {
                columns.push(if from.number(1)? == 0 {
                    Column::Full(from.values(COUNT)?)
                } else {
                    let first = from.values(FIRST)?;
                    let groups = (0..COUNT / GROUP).map(|_| Some(from.number(4)? as u32));
                    Column::Digest(first, groups.collect::<Option<_>>()?)
                });
            }
            entries.push(Entry { name, inputs, error, columns });
        }
        Some(Vectors { device, entries })
    }
}
