//! Formats the output of a `printf` from its format and its arguments.

use super::arguments::Arguments;
use crate::engine::traffic::request::Request;
use crate::engine::warp::program::Op;
use crate::engine::warp::{Flow, Warp};
use crate::finding::{AccessKind, Space};
use std::ffi::CString;

/// The longest string that is read from the device.
pub(super) const LONGEST: usize = 1 << 20;
/// The maximum width of a field.
const WIDEST: i64 = 1 << 16;

/// The width of a field.
#[derive(Clone, Copy)]
enum Width {
    Default,
    Given(i64),
    /// `*`: an argument gives the width.
    Argument,
}

/// A parsed conversion of a format.
struct Conversion<'f> {
    flags: String,
    width: Width,
    precision: Option<i64>,
    /// Bytes of an integer.
    length: u32,
    /// `h`: the integer is truncated to 16 bits.
    short: bool,
    /// Whether C has this conversion, but devices do not.
    unknown: bool,
    /// Its letter; `None` if the format ends before it.
    letter: Option<u8>,
    /// The whole conversion without its per cent sign.
    whole: &'f [u8],
    /// What follows it in the format.
    rest: &'f [u8],
}

/// Parses the digits at the start of a text as a number.
fn number(rest: &mut &[u8]) -> i64 {
    let mut value: i64 = 0;
    while let Some((&c, more)) = rest.split_first() {
        if !c.is_ascii_digit() {
            break;
        }
        value = (value * 10 + i64::from(c - b'0')).min(WIDEST);
        *rest = more;
    }
    value
}

impl<'f> Conversion<'f> {
    /// Parses the conversion whose per cent sign precedes `start`.
    fn parse(start: &'f [u8]) -> Conversion<'f> {
        let mut rest = start;
        let mut flags = String::new();
        while let Some((&c, more)) = rest.split_first() {
            if !b"-+ #0".contains(&c) {
                break;
            }
            if !flags.contains(c as char) {
                flags.push(c as char);
            }
            rest = more;
        }
        let width = match rest.first() {
            Some(b'*') => {
                rest = &rest[1..];
                Width::Argument
            }
            Some(c) if c.is_ascii_digit() => Width::Given(number(&mut rest)),
            _ => Width::Default,
        };
        let mut unknown = false;
        let mut precision = None;
        if rest.first() == Some(&b'.') {
            rest = &rest[1..];
            if rest.first() == Some(&b'*') {
                rest = &rest[1..];
                unknown = true;
            } else {
                precision = Some(number(&mut rest));
            }
        }
        let mut length = 4u32;
        let mut short = false;
        while let Some((&c, more)) = rest.split_first() {
            match c {
                b'h' if short => unknown = true,
                b'h' => short = true,
                b'l' => length = 8,
                b'j' | b'z' | b't' | b'L' | b'q' => unknown = true,
                _ => break,
            }
            rest = more;
        }
        let letter = rest.split_first().map(|(&letter, more)| {
            rest = more;
            letter
        });
        unknown |= letter == Some(b'n');
        Conversion {
            flags,
            width,
            precision,
            length,
            short,
            unknown,
            letter,
            whole: &start[..start.len() - rest.len()],
            rest,
        }
    }
}

impl Warp<'_> {
    /// Reads bytes at a lane's generic address.
    pub(super) fn read(&mut self, op: &Op, lane: usize, address: u64, out: &mut [u8]) -> Result<(), Flow> {
        for (i, byte) in out.iter_mut().enumerate() {
            let request = Request { space: Space::Generic, size: 1, what: AccessKind::Read };
            let at = address.wrapping_add(i as u64);
            match self.resolve_lane(lane, at, request) {
                // SAFETY: checked.
                Ok(pointer) => *byte = unsafe { pointer.read_volatile() },
                Err(wrong) => return Err(self.access_fault(op, lane, request, wrong)),
            }
        }
        Ok(())
    }

    /// Reads a zero-terminated string, or the first `most` bytes of a longer one.
    pub(super) fn read_string(&mut self, op: &Op, lane: usize, address: u64, most: usize) -> Result<Vec<u8>, Flow> {
        let mut out = Vec::new();
        while out.len() < most {
            let mut byte = [0u8];
            self.read(op, lane, address.wrapping_add(out.len() as u64), &mut byte)?;
            if byte[0] == 0 {
                break;
            }
            out.push(byte[0]);
        }
        Ok(out)
    }

    /// Returns a lane's output. The buffer drops output that is longer than it is; just enough is kept to detect that.
    pub(super) fn format(
        &mut self,
        op: &Op,
        lane: usize,
        format: &[u8],
        arguments: &mut Arguments<'_>,
    ) -> Result<Vec<u8>, Flow> {
        let most = self.launch().print_bytes.saturating_add(1);
        let mut out = Vec::new();
        let mut rest = format;
        while let Some((&first, more)) = rest.split_first() {
            rest = more;
            out.truncate(most);
            if first != b'%' {
                out.push(first);
                continue;
            }
            let mut conversion = Conversion::parse(rest);
            rest = conversion.rest;
            if let Width::Argument = conversion.width {
                let value = i64::from(arguments.next(self, op, lane, 4, b"*")? as i32);
                if value < 0 && !conversion.flags.contains('-') {
                    conversion.flags.push('-');
                }
                conversion.width = Width::Given(value.abs().min(WIDEST));
            }
            if out.len() >= most {
                // The argument is still read and checked.
                (conversion.width, conversion.precision) = (Width::Default, conversion.precision.map(|_| 0));
            }
            let known = conversion.letter.is_some() && !conversion.unknown;
            if known {
                self.convert(op, lane, &conversion, arguments, &mut out)?;
                continue;
            }
            // A per cent sign at the end, or a conversion that devices do not support: it is printed unchanged.
            if conversion.letter.is_some() {
                let whole = conversion.whole;
                arguments.unknown.get_or_insert_with(|| whole.to_vec());
            }
            out.push(b'%');
            out.extend_from_slice(conversion.whole);
        }
        arguments.end();
        out.truncate(most);
        Ok(out)
    }

    /// Prints the result of a conversion.
    fn convert(
        &mut self,
        op: &Op,
        lane: usize,
        conversion: &Conversion<'_>,
        arguments: &mut Arguments<'_>,
        out: &mut Vec<u8>,
    ) -> Result<(), Flow> {
        let Conversion { flags, precision, length, short, whole, .. } = conversion;
        let width = match conversion.width {
            Width::Given(width) => Some(width),
            _ => None,
        };
        let mut take = |size| arguments.next(self, op, lane, size, whole);
        let mut spec = format!("%{flags}");
        if let Some(width) = width {
            spec.push_str(&width.to_string());
        }
        if let Some(precision) = precision {
            spec.push_str(&format!(".{precision}"));
        }
        match conversion.letter.unwrap_or_default() {
            b'%' => out.push(b'%'),
            letter @ (b'd' | b'i') => {
                let raw = take(*length)?;
                let value = match (length, short) {
                    (8, _) => raw as i64,
                    (_, false) => i64::from(raw as i32),
                    (_, true) => i64::from(raw as i16),
                };
                integer(out, &spec, letter, value as u64);
            }
            letter @ (b'u' | b'o' | b'x' | b'X') => {
                let raw = take(*length)?;
                let value = match (length, short) {
                    (8, _) => raw,
                    (_, false) => u64::from(raw as u32),
                    (_, true) => u64::from(raw as u16),
                };
                integer(out, &spec, letter, value);
            }
            b'c' => {
                let value = take(4)? as u8;
                padded(out, flags, width, &[value]);
            }
            b'p' => {
                let value = take(8)?;
                padded(out, flags, width, format!("{value:#x}").as_bytes());
            }
            b's' => {
                let pointer = take(8)?;
                let room = self.launch().print_bytes.saturating_add(1).saturating_sub(out.len()).min(LONGEST);
                let mut text =
                    if pointer == 0 { b"(null)".to_vec() } else { self.read_string(op, lane, pointer, room)? };
                if let Some(most) = precision {
                    text.truncate(*most as usize);
                }
                padded(out, flags, width, &text);
            }
            letter @ (b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A') => {
                let value = f64::from_bits(take(8)?);
                float(out, &spec, letter, value);
            }
            _ => {
                // Not a conversion: it is printed unchanged.
                out.push(b'%');
                out.extend_from_slice(whole);
            }
        }
        Ok(())
    }
}

/// Pads text to a width.
fn padded(out: &mut Vec<u8>, flags: &str, width: Option<i64>, text: &[u8]) {
    let pad = (width.unwrap_or(0) as usize).saturating_sub(text.len());
    if !flags.contains('-') {
        out.resize(out.len() + pad, b' ');
    }
    out.extend_from_slice(text);
    if flags.contains('-') {
        out.resize(out.len() + pad, b' ');
    }
}

/// Formats with the host's C library, which follows C's rules.
fn formatted(out: &mut Vec<u8>, spec: String, print: impl Fn(*mut libc::c_char, usize, *const libc::c_char) -> i32) {
    let Ok(spec) = CString::new(spec) else {
        return;
    };
    let mut buffer = vec![0u8; 128];
    for _ in 0..2 {
        let length = print(buffer.as_mut_ptr().cast(), buffer.len(), spec.as_ptr());
        let length = usize::try_from(length).unwrap_or(0);
        if length < buffer.len() {
            out.extend_from_slice(&buffer[..length]);
            return;
        }
        buffer.resize(length + 1, 0);
    }
}

fn integer(out: &mut Vec<u8>, spec: &str, conversion: u8, value: u64) {
    let spec = format!("{spec}ll{}", conversion as char);
    // SAFETY: the buffer has the length given, and the format takes one 64-bit integer.
    formatted(out, spec, |to, length, spec| unsafe { libc::snprintf(to, length, spec, value) });
}

fn float(out: &mut Vec<u8>, spec: &str, conversion: u8, value: f64) {
    let spec = format!("{spec}{}", conversion as char);
    // SAFETY: as above, one double.
    formatted(out, spec, |to, length, spec| unsafe { libc::snprintf(to, length, spec, value) });
}
