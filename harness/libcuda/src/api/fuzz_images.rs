//! A fuzzer of images: a fat binary with arbitrary headers is loaded or refused as an invalid image, nothing is read
//! past its end, and no more memory is used than its text may need. For millions of images see [`super::fuzz_range`].

use super::fuzz_range::{run_piece, run_range};
use super::image::{from_bytes, from_memory};
use crate::abi::error::{Error, Refused};
use crate::state::modules::fat_binary::samples::{Packing, Sample, container};
use crate::state::modules::fat_binary::{ImagePtx, MAGIC};
use std::ffi::c_void;

const TEXT: &str = ".version 7.0\n.target sm_52\n.address_size 64\n.visible .entry kernel(.param .u64 p)\n{\nret;\n}\n";
/// The limit of the process's address space: a damaged image of some kilobytes does not need more.
const ADDRESSES: u64 = 2 << 30;

/// A pseudo-random number generator (SplitMix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ word >> 31
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }

    /// Returns a number that may be mistaken for a size.
    fn size(&mut self) -> u64 {
        let near = self.next() % 9;
        match self.below(6) {
            0 => near,
            1 => near.wrapping_sub(4),
            2 => (1u64 << self.below(64)).wrapping_add(near).wrapping_sub(4),
            3 => 64 * near,
            4 => self.next() % 4096,
            _ => self.next(),
        }
    }
}

/// Returns a payload: repetitive text, or random bytes.
fn payload(random: &mut Random) -> Vec<u8> {
    match random.below(4) {
        0 => (0..random.below(600)).map(|_| random.next() as u8).collect(),
        1 => vec![random.next() as u8; random.below(5000)],
        _ => {
            let mut text = TEXT.repeat(1 + random.below(8)).into_bytes();
            // Comments, which make it less repetitive.
            (0..random.below(20)).for_each(|_| text.extend(format!("// {:x}\n", random.next()).bytes()));
            text
        }
    }
}

/// Returns a fat binary as `fatbinary` may have written it.
fn whole(random: &mut Random) -> Vec<u8> {
    let packings = [Packing::Plain, Packing::Lz4, Packing::Zstd, Packing::Lz4, Packing::Zstd, Packing::Unknown];
    let payloads: Vec<_> = (0..random.below(4)).map(|_| payload(random)).collect();
    let mut entry = |payload| -> Sample<'_> {
        let (kind, architecture) = (1 + u16::from(random.below(4) == 0), 10 * random.below(13) as u32);
        (kind, architecture, packings[random.below(packings.len())], payload)
    };
    let entries: Vec<_> = payloads.iter().map(|payload| entry(payload.as_slice())).collect();
    container(&entries)
}

/// Makes one random change to an image.
fn damage(random: &mut Random, image: &mut Vec<u8>) {
    let at = random.below(image.len());
    match random.below(7) {
        0 => image.truncate(at),
        1 => {
            let piece = image[at..image.len().min(at + random.below(200))].to_vec();
            let to = random.below(image.len());
            image.splice(to..to, piece);
        }
        2 => drop(image.drain(at..image.len().min(at + random.below(50)))),
        way => {
            // Fields lie at multiples of their size, mostly in the headers.
            let bytes = 1 << random.below(4);
            let end = if way == 3 { image.len() } else { image.len().min(80) };
            let at = random.below(end) / bytes * bytes;
            let value = if way == 6 { 1 << random.below(64) } else { random.size() }.to_le_bytes();
            for (byte, new) in image.iter_mut().skip(at).zip(&value[..bytes]) {
                *byte = if way == 6 { *byte ^ new } else { *new };
            }
        }
    }
}

/// Returns the image for a seed.
fn image(seed: u64) -> Vec<u8> {
    let mut random = Random(seed);
    let mut image = whole(&mut random);
    for _ in 0..random.below(6) {
        damage(&mut random, &mut image);
    }
    image
}

/// Memory that is followed by an inaccessible page.
struct Edge(*mut u8);

impl Edge {
    /// The maximum size of an image, in bytes.
    const ROOM: usize = 1 << 17;

    fn new() -> Edge {
        let (access, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: a new mapping, the last page of which is made inaccessible.
        unsafe {
            let start = libc::mmap(std::ptr::null_mut(), Edge::ROOM + 4096, access, flags, -1, 0);
            assert_ne!(start, libc::MAP_FAILED);
            assert_eq!(libc::mprotect(start.byte_add(Edge::ROOM), 4096, libc::PROT_NONE), 0);
            Edge(start.cast())
        }
    }

    /// Places bytes directly before the inaccessible page.
    fn put(&self, bytes: &[u8]) -> *const c_void {
        // SAFETY: the mapping has room for these bytes.
        unsafe {
            let at = self.0.add(Edge::ROOM - bytes.len());
            at.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
            at.cast()
        }
    }
}

/// The numbers of images that were loaded and refused.
#[derive(Debug, Default)]
struct Figures {
    loaded: u64,
    refused: u64,
}

impl Figures {
    fn count(&mut self, seed: u64, read: Result<ImagePtx, Refused>) {
        match read.map_err(Error::from) {
            Ok(_) => self.loaded += 1,
            // Machine code, or an unknown compression: the PTX that is present is complete.
            Err(Error::INVALID_IMAGE | Error::NO_BINARY_FOR_GPU) => self.refused += 1,
            Err(error) => panic!("seed {seed}: {error:?}"),
        }
    }

    /// Reads the image of a seed as a file's bytes, in memory, and in memory behind a wrapper.
    fn run(&mut self, seed: u64, edge: &Edge) {
        let image = image(seed);
        let image = &image[..image.len().min(Edge::ROOM)];
        self.count(seed, from_bytes(image));
        let at = edge.put(image);
        // Without its magic number it would be a text, which the caller would have to terminate.
        if image.starts_with(&MAGIC.to_le_bytes()) {
            self.count(seed, from_memory(at));
            let wrapper = [0x1_4662_43b1_u64, at as u64, 0];
            self.count(seed, from_memory(wrapper.as_ptr().cast()));
        }
    }
}

#[test]
fn no_damaged_image_crashes() {
    let (edge, mut figures) = (Edge::new(), Figures::default());
    (0..3000).for_each(|seed| figures.run(seed, &edge));
    // The test covers both: images that are complete enough, and others.
    assert!(figures.loaded > 1000 && figures.refused > 1000, "{figures:?}");
}

#[test]
#[ignore = "runs for as long as requested: see the documentation of `fuzz_range`"]
fn a_range_of_seeds() {
    run_range("api::fuzz_images::one_piece", 20_000);
}

#[test]
#[ignore = "a piece of the range above"]
fn one_piece() {
    let limit = libc::rlimit { rlim_cur: ADDRESSES, rlim_max: ADDRESSES };
    // SAFETY: the limit is a live value.
    assert_eq!(unsafe { libc::setrlimit(libc::RLIMIT_AS, &raw const limit) }, 0);
    let (edge, mut figures) = (Edge::new(), Figures::default());
    run_piece(|seed| figures.run(seed, &edge));
    println!("{} loaded, {} refused", figures.loaded, figures.refused);
}
