//! Compressed PTX. Memory is taken as the text grows, never because a header names a size.

use std::io::Read;

/// The longest text that is unpacked, in bytes. No compiler writes as much PTX into one module.
const LONGEST: u64 = 256 << 20;
/// The text is first taken to have so many times the bytes of what is packed.
const USUAL: usize = 8;
/// Bytes that a stream of zstd refers back at most, unless its text is longer: what each decoder has to be able to keep.
const WINDOW: u64 = 8 << 20;

/// Unpacks a block of LZ4, `unpacked` bytes at most. `None` if it is damaged or too long.
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

/// Unpacks a frame of zstd, `unpacked` bytes at most. `None` if it is damaged or too long.
pub fn zstd(packed: &[u8], unpacked: u64) -> Option<Vec<u8>> {
    let most = Some(unpacked).filter(|most| *most <= LONGEST && window(packed) <= WINDOW.max(*most))?;
    let unpack = || {
        let mut text = Vec::new();
        let decoder = ruzstd::decoding::StreamingDecoder::new(packed).ok()?;
        decoder.take(most).read_to_end(&mut text).ok()?;
        Some(text)
    };
    // Some damage makes the decoder panic.
    std::panic::catch_unwind(unpack).ok().flatten()
}

/// How far back a frame refers, as its header says; nothing for a header that is not one.
fn window(frame: &[u8]) -> u64 {
    match frame {
        // A frame of a single segment has no window but its content.
        [_, _, _, _, descriptor, window, ..] if descriptor & 0x20 == 0 => {
            let base = 1u64 << (10 + (window >> 3));
            base + base / 8 * u64::from(window & 7)
        }
        _ => 0,
    }
}
