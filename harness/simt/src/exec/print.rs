//! `printf`, `assert`: device functions that the machine provides.

use super::access::Request;
use super::arguments::{Arguments, Misfit};
use super::control::lanes;
use super::{Flow, Warp};
use crate::finding::{Access, Kind, Space, What};
use crate::lane::LANES;
use crate::machine::Fault;
use crate::program::Op;
use std::ffi::CString;

/// The longest string that is read from the device.
const LONGEST: u64 = 1 << 20;
/// The widest field.
const WIDEST: i64 = 1 << 16;

impl Warp {
    /// Reads bytes at a lane's generic address.
    pub(super) fn read(
        &mut self,
        op: &Op,
        lane: usize,
        address: u64,
        out: &mut [u8],
    ) -> Result<(), Flow> {
        for (i, byte) in out.iter_mut().enumerate() {
            let request = Request {
                space: Space::Generic,
                size: 1,
                what: What::Read,
            };
            let at = address.wrapping_add(i as u64);
            match self.resolve_lane(lane, at, request) {
                // SAFETY: checked.
                Ok(pointer) => *byte = unsafe { pointer.read_volatile() },
                Err(wrong) => return Err(self.access_fault(op, lane, request, wrong)),
            }
        }
        Ok(())
    }

    /// Reads a string that ends in a zero byte.
    fn read_string(&mut self, op: &Op, lane: usize, address: u64) -> Result<Vec<u8>, Flow> {
        let mut out = Vec::new();
        for i in 0..LONGEST {
            let mut byte = [0u8];
            self.read(op, lane, address.wrapping_add(i), &mut byte)?;
            if byte[0] == 0 {
                break;
            }
            out.push(byte[0]);
        }
        Ok(out)
    }

    /// What a lane prints.
    fn format(
        &mut self,
        op: &Op,
        lane: usize,
        format: &[u8],
        arguments: &mut Arguments<'_>,
    ) -> Result<Vec<u8>, Flow> {
        let mut out = Vec::new();
        let mut rest = format;
        while let Some((&first, more)) = rest.split_first() {
            rest = more;
            if first != b'%' {
                out.push(first);
                continue;
            }
            let start = rest;
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
            let number = |rest: &mut &[u8]| {
                let mut value: i64 = 0;
                while let Some((&c, more)) = rest.split_first() {
                    if !c.is_ascii_digit() {
                        break;
                    }
                    value = (value * 10 + i64::from(c - b'0')).min(WIDEST);
                    *rest = more;
                }
                value
            };
            let mut width = None;
            if rest.first() == Some(&b'*') {
                rest = &rest[1..];
                let value = i64::from(arguments.next(self, op, lane, 4, b"*")? as i32);
                if value < 0 && !flags.contains('-') {
                    flags.push('-');
                }
                width = Some(value.abs().min(WIDEST));
            } else if rest.first().is_some_and(u8::is_ascii_digit) {
                width = Some(number(&mut rest));
            }
            // What C has and devices have not.
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
            let Some((&conversion, more)) = rest.split_first() else {
                // A per cent sign that nothing follows.
                out.push(b'%');
                out.extend_from_slice(start);
                break;
            };
            let whole = &start[..start.len() - more.len()];
            if unknown {
                arguments.unknown.get_or_insert_with(|| whole.to_vec());
                out.push(b'%');
                out.extend_from_slice(whole);
                rest = more;
                continue;
            }
            let mut take = |size| arguments.next(self, op, lane, size, whole);
            let mut spec = format!("%{flags}");
            if let Some(width) = width {
                spec.push_str(&width.to_string());
            }
            if let Some(precision) = precision {
                spec.push_str(&format!(".{precision}"));
            }
            match conversion {
                b'%' => out.push(b'%'),
                b'd' | b'i' => {
                    let raw = take(length)?;
                    let value = match (length, short) {
                        (8, _) => raw as i64,
                        (_, false) => i64::from(raw as i32),
                        (_, true) => i64::from(raw as i16),
                    };
                    integer(&mut out, &spec, conversion, value as u64);
                }
                b'u' | b'o' | b'x' | b'X' => {
                    let raw = take(length)?;
                    let value = match (length, short) {
                        (8, _) => raw,
                        (_, false) => u64::from(raw as u32),
                        (_, true) => u64::from(raw as u16),
                    };
                    integer(&mut out, &spec, conversion, value);
                }
                b'c' => {
                    let value = take(4)? as u8;
                    padded(&mut out, &flags, width, &[value]);
                }
                b'p' => {
                    let value = take(8)?;
                    padded(&mut out, &flags, width, format!("{value:#x}").as_bytes());
                }
                b's' => {
                    let pointer = take(8)?;
                    let mut text = if pointer == 0 {
                        b"(null)".to_vec()
                    } else {
                        self.read_string(op, lane, pointer)?
                    };
                    if let Some(most) = precision {
                        text.truncate(most as usize);
                    }
                    padded(&mut out, &flags, width, &text);
                }
                b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A' => {
                    let value = f64::from_bits(take(8)?);
                    float(&mut out, &spec, conversion, value);
                }
                _ => {
                    // No conversion: as it stands.
                    out.push(b'%');
                    out.extend_from_slice(whole);
                }
            }
            rest = more;
        }
        arguments.end();
        Ok(out)
    }

    /// Keeps what the block prints.
    fn print(&mut self, text: &[u8]) {
        // SAFETY: the block outlives its warps, and nobody else uses it while this one runs.
        unsafe { (*self.block).printed.extend_from_slice(text) };
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

/// Formats by the host's C library, which has the rules that C has.
fn formatted(
    out: &mut Vec<u8>,
    spec: String,
    print: impl Fn(*mut libc::c_char, usize, *const libc::c_char) -> i32,
) {
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
    formatted(out, spec, |to, length, spec| unsafe {
        libc::snprintf(to, length, spec, value)
    });
}

fn float(out: &mut Vec<u8>, spec: &str, conversion: u8, value: f64) {
    let spec = format!("{spec}{}", conversion as char);
    // SAFETY: as above, one double.
    formatted(out, spec, |to, length, spec| unsafe {
        libc::snprintf(to, length, spec, value)
    });
}

/// `vprintf`: format in `a`, packed arguments in `b` (64-bit addresses), result to `d` unless that is `u32::MAX`.
pub(crate) unsafe fn printf(warp: &mut Warp, op: &Op) -> Flow {
    // SAFETY: registers as above.
    let (formats, arguments) = unsafe {
        (
            *warp.reg::<[u64; LANES]>(op.a),
            *warp.reg::<[u64; LANES]>(op.b),
        )
    };
    let program = warp.worker().program();
    let packed = program.packed.get((op.c as usize).wrapping_sub(1));
    let mut known: Option<(u64, Vec<u8>)> = None;
    let mut wrong: Option<(Misfit, u32, Vec<u8>)> = None;
    let mut unknown: Option<(Vec<u8>, u32, Vec<u8>)> = None;
    for lane in lanes(warp.mask()) {
        let format = match &known {
            Some((address, text)) if *address == formats[lane] => text.clone(),
            _ => match warp.read_string(op, lane, formats[lane]) {
                Ok(text) => {
                    known = Some((formats[lane], text.clone()));
                    text
                }
                Err(flow) => return flow,
            },
        };
        let mut given = Arguments::new(arguments[lane], packed);
        match warp.format(op, lane, &format, &mut given) {
            Ok(text) => warp.print(&text),
            Err(flow) => return flow,
        }
        if let Some(misfit) = given.misfit {
            note(&mut wrong, misfit, lane, &format);
        }
        if let Some(conversion) = given.unknown {
            note(&mut unknown, conversion, lane, &format);
        }
        if op.d != u32::MAX {
            // SAFETY: `d` is a 32-bit register.
            unsafe { (*warp.reg::<[u32; LANES]>(op.d))[lane] = given.taken };
        }
    }
    if let Some((misfit, mask, format)) = wrong {
        warp.misfit(op, &misfit, mask, &format, packed);
    }
    if let Some((conversion, mask, format)) = unknown {
        warp.unknown_conversion(op, &conversion, mask, &format);
    }
    Flow::Next
}

/// Adds a lane to those that something is wrong with, if it is the same as for the first of them, or that one.
fn note<T: PartialEq>(found: &mut Option<(T, u32, Vec<u8>)>, what: T, lane: usize, format: &[u8]) {
    match found {
        Some((first, mask, _)) if *first == what => *mask |= 1 << lane,
        Some(_) => {}
        None => *found = Some((what, 1 << lane, format.to_vec())),
    }
}

/// `__assertfail`: message in `a`, file in `b`, line in `c` (32 bits), function in `e`.
pub(crate) unsafe fn assert_failed(warp: &mut Warp, op: &Op) -> Flow {
    // SAFETY: registers as above.
    let (message, file, line, function) = unsafe {
        (
            *warp.reg::<[u64; LANES]>(op.a),
            *warp.reg::<[u64; LANES]>(op.b),
            *warp.reg::<[u32; LANES]>(op.c),
            *warp.reg::<[u64; LANES]>(op.e),
        )
    };
    let mut expression = String::new();
    let place = warp.program().place_of(op.site);
    let mask = warp.mask();
    let mut access = Access::at(What::Execute, place);
    access.threads = mask.count_ones();
    for lane in lanes(mask) {
        let mut text = |address| {
            let bytes = warp.read_string(op, lane, address)?;
            Ok(String::from_utf8_lossy(&bytes).into_owned())
        };
        let parts: Result<[String; 3], Flow> = (|| {
            Ok([
                text(file[lane])?,
                text(function[lane])?,
                text(message[lane])?,
            ])
        })();
        let [file, function, message] = match parts {
            Ok(parts) => parts,
            Err(flow) => return flow,
        };
        let who = warp.located(access.clone(), lane);
        let ([bx, by, bz], [tx, ty, tz]) = (who.block, who.thread);
        let line = line[lane];
        warp.print(
            format!("{file}:{line}: {function}: block: [{bx},{by},{bz}], thread: [{tx},{ty},{tz}] Assertion `{message}` failed.\n")
                .as_bytes(),
        );
        if expression.is_empty() {
            expression = message;
        }
    }
    let access = warp.located(access, mask.trailing_zeros() as usize);
    warp.fault(
        Fault::Assert,
        Kind::Assert { expression },
        vec![access],
        None,
    )
}

/// `nanosleep`: others may go on.
pub(crate) unsafe fn sleep(warp: &mut Warp, _: &Op) -> Flow {
    warp.fuel -= super::SHARE;
    warp.penalty += super::SHARE;
    Flow::Next
}
