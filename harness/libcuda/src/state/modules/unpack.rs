//! Decompression of PTX. Memory is allocated as the text grows, not according to the size in a header.

use super::zstd;

/// The maximum length of unpacked text, in bytes. No compiler writes this amount of PTX into one module.
const LONGEST: u64 = 256 << 20;
/// The initial capacity for the text, as a multiple of the packed size.
const USUAL: usize = 8;

/// Unpacks a block of LZ4 to at most `unpacked` bytes. `None` if it is damaged or too long.
pub fn lz4(packed: &[u8], unpacked: u64) -> Option<Vec<u8>> {
    let most = usize::try_from(unpacked).ok().filter(|_| unpacked <= LONGEST)?;
    let mut text = vec![0; packed.len().saturating_mul(USUAL).min(most)];
    loop {
        match lz4_flex::block::decompress_into(packed, &mut text) {
            Ok(written) => {
                text.truncate(written);
                return Some(text);
            }
            Err(lz4_flex::block::DecompressError::OutputTooSmall { .. }) if text.len() < most => {
                text.resize((text.len() * 2).clamp(1, most), 0);
            }
            Err(_) => return None,
        }
    }
}

/// Unpacks a frame of zstd to at most `unpacked` bytes. `None` if it is damaged or too long.
pub fn zstd(packed: &[u8], unpacked: u64) -> Option<Vec<u8>> {
    zstd::decode(packed, usize::try_from(unpacked).ok().filter(|_| unpacked <= LONGEST)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a text with some repeated words and some unique ones.
    fn text(lines: u64) -> Vec<u8> {
        let line = |at: u64| format!("    ld.global.u32 %r{}, [%rd{}+{}];\n", at % 97, at % 13, at * at % 65_537 * 4);
        (0..lines).flat_map(|at| line(at).into_bytes()).collect()
    }

    #[test]
    fn what_was_packed_is_unpacked_up_to_the_length_that_is_named() {
        for lines in [0, 1, 10, 100, 20_000] {
            let text = text(lines);
            let len = text.len() as u64;
            let packed = lz4_flex::block::compress(&text);
            let level = ruzstd::encoding::CompressionLevel::Fastest;
            let frame = ruzstd::encoding::compress_to_vec(text.as_slice(), level);
            for more in [0, 1, 1 << 20] {
                assert_eq!(lz4(&packed, len + more).as_ref(), Some(&text), "{lines} lines");
                assert_eq!(zstd(&frame, len + more).as_ref(), Some(&text), "{lines} lines");
            }
            if len > 0 {
                assert_eq!((lz4(&packed, len - 1), zstd(&frame, len - 1)), (None, None), "{lines} lines");
            }
            assert_eq!((lz4(&packed, 1 << 40), zstd(&frame, u64::MAX)), (None, None), "{lines} lines");
        }
    }

    #[test]
    fn a_few_bytes_of_lz4_may_become_many() {
        let zeros = vec![0; 10 << 20];
        let packed = lz4_flex::block::compress(&zeros);
        assert!(packed.len() < 50_000);
        assert_eq!(lz4(&packed, zeros.len() as u64), Some(zeros));
    }
}
