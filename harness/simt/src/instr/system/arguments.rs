//! The arguments of a `printf`, and whether they match its format.
//!
//! Memory contains neither their number nor their types. They are known if the lowering could follow how the compiler
//! packed them for the call ([`Packed`]). Otherwise an argument is certainly missing only if the initialisation check
//! knows that it was not written.

use crate::engine::traffic::request::space_of;
use crate::engine::warp::program::{Op, Packed, Piece, Value};
use crate::engine::warp::{Flow, Warp};
use crate::finding::{Access, AccessKind, Finding, FindingKind, Passed, Space};
use crate::lane::LANES;

/// The longest part of a format that a finding shows, in bytes.
const LONGEST_SHOWN: usize = 1 << 10;

/// An argument that does not match the format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Misfit {
    /// Its number, from 1.
    number: u32,
    /// The conversion that reads it, without its per cent sign.
    conversion: Vec<u8>,
    /// What was passed instead.
    passed: Passed,
}

/// A lane's arguments while the format is processed.
pub(super) struct Arguments<'p> {
    start: u64,
    at: u64,
    packed: Option<&'p Packed>,
    /// The number of arguments read so far.
    pub taken: u32,
    /// The first conversion that devices do not support.
    pub unknown: Option<Vec<u8>>,
    /// The first argument that does not match.
    pub misfit: Option<Misfit>,
    /// A piece whose lower half was read as an argument. That is an error unless the other half is read as one, too.
    /// (The compiler may have merged two neighbouring stores into one.)
    half: Option<(Piece, Misfit)>,
    /// A piece whose other half was read, too. That is an error if arguments are left at the end.
    halves: Option<Misfit>,
}

impl<'p> Arguments<'p> {
    /// Creates the arguments that begin at a generic address.
    pub fn new(start: u64, packed: Option<&'p Packed>) -> Self {
        Arguments { start, at: start, packed, taken: 0, unknown: None, misfit: None, half: None, halves: None }
    }

    /// Returns the next argument, of `size` bytes; 0 if it was not passed.
    pub fn next(&mut self, warp: &mut Warp, op: &Op, lane: usize, size: u32, conversion: &[u8]) -> Result<u64, Flow> {
        let size_of = u64::from(size);
        let at = self.at.checked_next_multiple_of(size_of).unwrap_or(0);
        self.at = at.wrapping_add(size_of);
        self.taken += 1;
        let offset = at.wrapping_sub(self.start);
        let passed = match self.packed {
            Some(packed) => self.judge(packed, offset as u32, size, conversion),
            None => missing(warp, lane, at, size),
        };
        if let Some(passed) = passed {
            let misfit = Misfit { number: self.taken, conversion: conversion.to_vec(), passed };
            self.misfit.get_or_insert(misfit);
            // An argument that is too short or missing is not read. Half of an argument is read, because a device would
            // print it.
            if passed != Passed::Double || size == 8 {
                return Ok(0);
            }
        }
        let mut bytes = [0u8; 8];
        warp.read(op, lane, at, &mut bytes[..size as usize])?;
        Ok(u64::from_le_bytes(bytes))
    }

    /// Returns what was passed for an argument, if it does not match.
    fn judge(&mut self, packed: &Packed, offset: u32, size: u32, conversion: &[u8]) -> Option<Passed> {
        if let Some((piece, misfit)) = self.half.take() {
            let first = if (offset, size) == (piece.offset + 4, 4) { &mut self.halves } else { &mut self.misfit };
            first.get_or_insert(misfit);
        }
        let end = packed.pieces.last().map_or(0, |p| p.offset + p.size);
        if self.misfit.is_some() {
            // From here on the arguments may be stored elsewhere.
            return (offset.saturating_add(size) > end).then_some(Passed::Nothing);
        }
        let inside = |p: &&Piece| (p.offset..p.offset + p.size).contains(&offset);
        let Some(piece) = packed.pieces.iter().find(inside) else {
            return Some(Passed::Nothing);
        };
        let kind = conversion.last().map_or(0, u8::to_ascii_lowercase);
        match (size, piece.size) {
            (8, 4) => Some(Passed::Int),
            (4, 8) if piece.value == Value::Double => Some(Passed::Double),
            (4, 8) if piece.value == Value::Whole && offset == piece.offset => {
                let misfit = Misfit { number: self.taken, conversion: conversion.to_vec(), passed: Passed::Long };
                self.half = Some((*piece, misfit));
                None
            }
            // The bits of a double may be printed as a number, but they are not an address.
            (8, 8) if piece.value == Value::Double && matches!(kind, b's' | b'p') => Some(Passed::Double),
            _ => None,
        }
    }

    /// Ends the format.
    pub fn end(&mut self) {
        let end = self.packed.and_then(|packed| packed.pieces.last());
        let end = end.map_or(0, |last| u64::from(last.offset + last.size));
        if let Some(misfit) = self.halves.take()
            && self.at.wrapping_sub(self.start) < end
        {
            self.misfit.get_or_insert(misfit);
        }
        if let Some((_, misfit)) = self.half.take() {
            self.misfit.get_or_insert(misfit);
        }
    }
}

/// Returns [`Passed::Nothing`] if an argument in the lane's local memory was not written, as far as that is tracked.
fn missing(warp: &Warp, lane: usize, address: u64, size: u32) -> Option<Passed> {
    let (space, offset) = space_of(address);
    if !warp.launch().init || space != Space::Local {
        return None;
    }
    let beyond = offset + u64::from(size) > warp.local_len;
    let start = lane as u64 * warp.local_len;
    let unwritten = || {
        let written = &warp.written;
        written.unwritten(start + offset, size.into()).is_some()
    };
    (beyond || unwritten()).then_some(Passed::Nothing)
}

impl Warp<'_> {
    /// Records arguments of the lanes of a mask that do not match the format.
    #[cold]
    pub(super) fn misfit(&mut self, op: &Op, misfit: &Misfit, mask: u32, format: &[u8], packed: Option<&Packed>) {
        let kind = FindingKind::PrintArgument {
            argument: misfit.number,
            conversion: match String::from_utf8_lossy(&misfit.conversion[..misfit.conversion.len().min(LONGEST_SHOWN)])
            {
                star if star == "*" => star.into_owned(),
                other => format!("%{other}"),
            },
            passed: misfit.passed,
        };
        let empty = packed.is_some_and(|packed| packed.pieces.is_empty());
        self.print_finding(op, kind, mask, format, empty);
    }

    /// Records a conversion that devices do not support.
    #[cold]
    pub(super) fn unknown_conversion(&mut self, op: &Op, conversion: &[u8], mask: u32, format: &[u8]) {
        let shown = &conversion[..conversion.len().min(LONGEST_SHOWN)];
        let conversion = format!("%{}", String::from_utf8_lossy(shown));
        self.print_finding(op, FindingKind::PrintConversion { conversion }, mask, format, false);
    }

    /// Records an error in a format, or in the arguments after it; `nothing`: no arguments were passed.
    fn print_finding(&mut self, op: &Op, kind: FindingKind, mask: u32, format: &[u8], nothing: bool) {
        if !self.launch().memory_check {
            return;
        }
        let text = String::from_utf8_lossy(&format[..format.len().min(LONGEST_SHOWN)]);
        let mut access = Access::at(AccessKind::Execute, self.program().place_of(op.site));
        access.threads = mask.count_ones();
        let access = self.located(access, mask.trailing_zeros() as usize % LANES);
        let mut finding = Finding::new(kind, self.program().name.clone()).with(access);
        finding.notes.push(if nothing {
            format!("nothing was passed behind the format {text:?}")
        } else {
            let more = if format.len() > LONGEST_SHOWN { "..." } else { "" };
            format!("the format is {text:?}{more}")
        });
        finding.seed = self.launch().seed;
        self.scratch.get_mut().findings.add(finding);
    }
}
