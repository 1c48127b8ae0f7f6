//! Tests of the table as a whole: every kind of processor gives the same results, and names mean what they say.

mod names;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{RngSeed, TestRunner};

use super::index::all_forms;
use super::table::{AluForm, Imm};
use super::{Handler, HostVectors};
use crate::engine::warp::Warp;
use crate::engine::warp::program::Op;
use crate::engine::warp::shared::Shared;
use ptx::ast::Type;

/// Bytes of a register here: room for 32 lanes of 64 bits.
const SLOT: usize = 256;
/// The slots of the operands.
const SOURCES: [u32; 4] = [0, 1, 2, 3];
const DST: u32 = 4;
const DST2: u32 = 5;

/// A register file of six registers.
#[derive(Clone, PartialEq)]
#[repr(align(64))]
struct File([u8; 6 * SLOT]);

impl File {
    fn lane(&self, slot: u32, ty: Type, lane: usize) -> u64 {
        let at = slot as usize * SLOT;
        if ty == Type::Pred {
            return u64::from(self.0[at + lane / 8] >> (lane % 8) & 1);
        }
        let size = ty.size() as usize;
        let mut bytes = [0; 8];
        bytes[..size].copy_from_slice(&self.0[at + lane * size..][..size]);
        u64::from_le_bytes(bytes)
    }

    fn set(&mut self, slot: u32, ty: Type, lane: usize, value: u64) {
        let at = slot as usize * SLOT;
        if ty == Type::Pred {
            let bit = 1 << (lane % 8);
            let byte = &mut self.0[at + lane / 8];
            *byte = (*byte & !bit) | if value & 1 != 0 { bit } else { 0 };
            return;
        }
        let size = ty.size() as usize;
        self.0[at + lane * size..][..size].copy_from_slice(&value.to_le_bytes()[..size]);
    }
}

/// Executes a form's handler over a register file.
fn execute(form: &AluForm, handler: Handler, file: &mut File, mask: u32, literal: u64, dst: u32) {
    let offset = |slot: u32| slot * SLOT as u32;
    let op = Op {
        full: handler,
        part: handler,
        d: offset(dst),
        a: offset(SOURCES[0]),
        b: offset(SOURCES[1]),
        c: offset(SOURCES[2]),
        e: offset(SOURCES[3]),
        d2: offset(DST2),
        imm: match form.imm {
            Imm::None => 0,
            Imm::Preset(value) => value,
            Imm::Operand => literal,
        },
        site: 0,
    };
    let mut warp = Warp::idle(Shared::empty());
    warp.place(file.0.as_mut_ptr(), mask);
    // SAFETY: all offsets lie inside the file, each slot has room for any register, and the handler is for this
    // processor.
    unsafe { handler(&mut warp, &op) };
}

/// Returns the results of one lane.
fn one_lane(form: &AluForm, sources: &[u64]) -> (u64, u64) {
    let mut file = File([0; 6 * SLOT]);
    for ((&value, &ty), slot) in sources.iter().zip(&form.src).zip(SOURCES) {
        file.set(slot, ty, 9, value);
    }
    let handlers = (form.handlers)(HostVectors::detect());
    execute(form, handlers.part, &mut file, 1 << 9, 0, DST);
    let second = form.dst2.map_or(0, |ty| file.lane(DST2, ty, 9));
    (file.lane(DST, form.dst, 9), second)
}

/// Generates bits, many of which are special as integers or numbers of some size.
fn value() -> impl Strategy<Value = u64> {
    let special = [
        0u64,
        1,
        2,
        31,
        32,
        33,
        63,
        64,
        0x7f,
        0x80,
        0xff,
        0x7fff,
        0x8000,
        0xffff,
        0x7fff_ffff,
        0x8000_0000,
        0xffff_ffff,
        0x3f80_0000,
        0xbf80_0000,
        0x7f80_0000,
        0xff80_0000,
        0x7fc0_0001,
        0x0000_0001,
        0x007f_ffff,
        0x8000_0001,
        0x4f00_0000,
        0xcf00_0000,
        0x3f00_0000,
        0x3c00_3c00,
        0x7c00_fc00,
        0x7e01_0001,
        0x3ff0_0000_0000_0000,
        0x7ff0_0000_0000_0000,
        0xfff0_0000_0000_0000,
        0x7ff8_0000_0000_0001,
        0x8000_0000_0000_0000,
        0x7fff_ffff_ffff_ffff,
        0x0000_0000_0000_0001,
        0x41e0_0000_0000_0000,
        0x43e0_0000_0000_0000,
        u64::MAX,
    ];
    prop_oneof![
        2 => proptest::sample::select(special.to_vec()),
        1 => 0u64..100,
        3 => any::<u64>(),
        // Numbers near one, of both sizes.
        2 => any::<(u32, u8)>().prop_map(|(m, e)| u64::from((m & 0x807f_ffff) | ((100 + u32::from(e) % 60) << 23))),
        2 => any::<(u64, u8)>().prop_map(|(m, e)| (m & 0x800f_ffff_ffff_ffff) | ((1000 + u64::from(e) % 60) << 52)),
    ]
}

fn all_vectors() -> Vec<HostVectors> {
    match HostVectors::detect() {
        HostVectors::Baseline => vec![HostVectors::Baseline],
        HostVectors::V3 => vec![HostVectors::Baseline, HostVectors::V3],
        HostVectors::V4 => vec![HostVectors::Baseline, HostVectors::V3, HostVectors::V4],
    }
}

/// Creates a runner with a fixed seed.
fn runner() -> TestRunner {
    TestRunner::new(ProptestConfig {
        rng_seed: RngSeed::Fixed(1),
        failure_persistence: None,
        ..ProptestConfig::default()
    })
}

/// Whether two results are the same. NaN payloads in double precision depend on the operand order that a compiler
/// chooses.
fn same(ty: Type, x: u64, y: u64) -> bool {
    x == y || (ty == Type::F64 && f64::from_bits(x).is_nan() && f64::from_bits(y).is_nan())
}

#[test]
fn every_processor_gives_the_same_and_leaves_dead_lanes_alone() {
    let mut runner = runner();
    let words = proptest::collection::vec(value(), 32 * 6);
    for round in 0..6 {
        let values = words.new_tree(&mut runner).unwrap().current();
        let mask: u32 = any::<u32>().new_tree(&mut runner).unwrap().current();
        for form in all_forms() {
            let mut start = File([0; 6 * SLOT]);
            for lane in 0..32 {
                for ((slot, ty), value) in SOURCES.into_iter().zip(&form.src).zip(&values[lane * 6..]) {
                    start.set(slot, *ty, lane, *value);
                }
                start.set(DST, form.dst, lane, values[lane * 6 + 4]);
                start.set(DST2, form.dst2.unwrap_or(Type::B64), lane, values[lane * 6 + 5]);
            }
            let literal = values[0];
            // In every other round the destination is the first source, if that has the same size.
            let alias = round % 2 == 1
                && form
                    .src
                    .first()
                    .is_some_and(|s| s.size() == form.dst.size() && (*s == Type::Pred) == (form.dst == Type::Pred));
            let dst = if alias { SOURCES[0] } else { DST };
            let mut want = start.clone();
            for lane in 0..32 {
                let handlers = (form.handlers)(HostVectors::Baseline);
                execute(form, handlers.part, &mut want, 1 << lane, literal, dst);
            }
            for vectors in all_vectors() {
                let handlers = (form.handlers)(vectors);
                for (what, handler, mask) in
                    [("full", handlers.full, u32::MAX), ("part", handlers.part, mask), ("part", handlers.part, 0)]
                {
                    let mut got = start.clone();
                    execute(form, handler, &mut got, mask, literal, dst);
                    for lane in 0..32 {
                        let live = mask >> lane & 1 != 0;
                        let outs = [(dst, Some(form.dst)), (DST2, form.dst2)];
                        for (slot, ty) in outs.into_iter().filter_map(|(s, t)| Some((s, t?))) {
                            let right = if live { &want } else { &start }.lane(slot, ty, lane);
                            let is = got.lane(slot, ty, lane);
                            let from: Vec<u64> =
                                SOURCES.into_iter().zip(&form.src).map(|(s, t)| start.lane(s, *t, lane)).collect();
                            assert!(
                                same(ty, is, right),
                                "{} {vectors:?} {what} lane {lane} (live: {live}): {is:#x}, not {right:#x}, from {from:#x?}",
                                form.names[0]
                            );
                        }
                    }
                }
            }
        }
    }
}
