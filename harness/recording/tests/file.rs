//! Recordings as files: what is written is read, and anything else gets a clear error.

use proptest::prelude::*;
use recording::{
    Access, AccessKind, BlockRange, Change, Encoder, Event, Finding, Header, InstructionInfo, LANES, Lanes, ReadError,
    Recording, RegisterInfo, Space, Step, lanes_of,
};

fn header() -> Header {
    Header {
        kernel: "k".into(),
        grid: [4, 1, 1],
        block: [64, 1, 1],
        blocks: BlockRange { first: 0, last: 3 },
        instructions: vec![InstructionInfo { text: "add.s32 %r1, %r1, 1;".into(), ..InstructionInfo::default() }; 9],
        registers: vec![RegisterInfo { name: "%r1".into(), function: "k".into(), bytes: 4 }; 3],
        findings: vec![Finding { title: "a race".into(), text: "two threads\n".into() }],
        ..Header::default()
    }
}

fn encode(encoder: &mut Encoder, steps: &[Step]) {
    for step in steps {
        encoder.step(step);
    }
}

fn file_of(steps: &[Step], limit: usize) -> (Header, Vec<u8>) {
    let mut encoder = Encoder::new(limit);
    encode(&mut encoder, steps);
    let encoded = encoder.finish();
    let header = Header { steps: encoded.steps, ..header() };
    let file = Recording::write(&header, &encoded);
    (header, file)
}

/// Values of one of the shapes that have their own encoding, or any.
fn values() -> impl Strategy<Value = Lanes> {
    prop_oneof![
        any::<u64>().prop_map(|value| [value; LANES]),
        (any::<u64>(), any::<i32>()).prop_map(|(first, stride)| {
            std::array::from_fn(|lane| first.wrapping_add((i64::from(stride) * lane as i64) as u64))
        }),
        prop::array::uniform32(0..2u64),
        prop::array::uniform32(any::<u32>().prop_map(u64::from)),
        prop::array::uniform32(any::<u64>()),
    ]
}

fn access() -> impl Strategy<Value = Access> {
    let kinds = prop::sample::select(vec![AccessKind::Load, AccessKind::Store, AccessKind::Atomic]);
    let spaces = vec![Space::Global, Space::Shared, Space::Local, Space::Parameter, Space::Constant];
    let elements = prop::collection::vec(values(), 0..4);
    (kinds, prop::sample::select(spaces), 1..64u32, values(), elements, any::<u32>(), any::<u32>()).prop_map(
        |(kind, space, bytes, addresses, elements, traffic, ideal)| Access {
            kind,
            space,
            bytes,
            addresses,
            elements,
            traffic,
            ideal,
        },
    )
}

fn step() -> impl Strategy<Value = Step> {
    let events = vec![
        Event::None,
        Event::Diverge,
        Event::WaitAtBarrier(3),
        Event::WaitForLanes,
        Event::WaitForPhase,
        Event::WaitForCluster,
        Event::Retry,
        Event::Released,
        Event::Passed,
        Event::Exit,
        Event::Fault,
    ];
    let changes = prop::collection::vec((0..3u32, values()), 0..3);
    let at = (0..4u64, 0..2u32, 0..9u32, prop_oneof![any::<u32>(), Just(u32::MAX)], any::<bool>());
    (at, prop::sample::select(events), changes, prop::option::of(access()), prop::option::of(Just(0))).prop_map(
        |((block, warp, instruction, mask, reconverged), event, changes, access, finding)| {
            let changes = changes.into_iter().map(|(register, values)| Change { register, values }).collect();
            masked(Step { block, warp, instruction, mask, reconverged, event, changes, access, finding })
        },
    )
}

/// The step with zeros in the lanes outside its mask, which a file does not keep.
fn masked(mut step: Step) -> Step {
    let mask = step.mask;
    let clear = |values: &mut Lanes| lanes_of(!mask).for_each(|lane| values[lane] = 0);
    step.changes.iter_mut().for_each(|change| clear(&mut change.values));
    if let Some(access) = &mut step.access {
        clear(&mut access.addresses);
        access.elements.iter_mut().for_each(clear);
        if mask == 0 {
            access.elements.clear();
        }
    }
    step
}

proptest! {
    #[test]
    fn what_is_written_is_read(steps in prop::collection::vec(step(), 0..20)) {
        let (header, file) = file_of(&steps, usize::MAX);
        prop_assert_eq!(Recording::read(&file), Ok(Recording { header, steps }));
    }

    #[test]
    fn no_damage_goes_unnoticed(steps in prop::collection::vec(step(), 1..4), at in any::<usize>(), bit in 0..8u32) {
        let (_, mut file) = file_of(&steps, usize::MAX);
        let at = at % file.len();
        file[at] ^= 1u8 << bit;
        prop_assert!(Recording::read(&file).is_err());
    }

    #[test]
    fn any_contents_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let encoded = recording::Encoded { bytes, steps: 3, is_cut: false };
        let file = Recording::write(&Header { steps: 3, ..header() }, &encoded);
        if let Err(error) = Recording::read(&file) {
            prop_assert_eq!(error, ReadError::Corrupt("its steps"));
        }
    }
}

/// A step whose encoding takes a known number of bytes.
fn small() -> Step {
    Step { mask: 1, changes: vec![Change { register: 0, values: [0; LANES] }], ..Step::default() }
}

#[test]
fn each_kind_of_wrong_file_has_its_own_message() {
    let (_, file) = file_of(&[small()], usize::MAX);
    let message = |file: &[u8]| Recording::read(file).unwrap_err().to_string();
    assert!(message(b"").starts_with("it is not a recording"));
    assert!(message(b"#include <cstdio>").starts_with("it is not a recording"));
    let length = file.len();
    for cut in [4, 9, 20, length - 1] {
        let expected = if cut < 36 { 36 } else { length };
        let message = message(&file[..cut]);
        assert!(message.starts_with(&format!("it is incomplete: {cut} of {expected} bytes")), "{message}");
    }
    let mut other = file.clone();
    other[8] = 9;
    assert!(message(&other).contains("it has version 9 of the format, and this program reads version 3"));
    let mut damaged = file.clone();
    *damaged.last_mut().unwrap() ^= 1;
    assert_eq!(Recording::read(&damaged), Err(ReadError::Corrupt("its checksum")));
    let mut longer = file;
    longer.push(0);
    assert_eq!(Recording::read(&longer), Err(ReadError::Corrupt("its checksum")));
}

/// Such headers are not written; a file with a right checksum may still have one.
#[test]
fn blocks_that_the_grid_does_not_have_are_damage() {
    let most = [u32::MAX; 3];
    for wrong in [
        Header { blocks: BlockRange { first: 0, last: 4 }, ..header() },
        Header { blocks: BlockRange { first: 3, last: 2 }, ..header() },
        Header { blocks: BlockRange { first: 0, last: u64::MAX }, ..header() },
        Header { grid: [0, 1, 1], ..header() },
        Header { grid: most, ..header() },
        Header { block: most, ..header() },
    ] {
        let file = Recording::write(&wrong, &Encoder::new(usize::MAX).finish());
        assert_eq!(Recording::read(&file), Err(ReadError::Corrupt("its header")), "{wrong:?}");
    }
}

#[test]
fn a_recording_is_cut_between_two_steps() {
    let steps = vec![small(); 10];
    let whole = {
        let mut encoder = Encoder::new(usize::MAX);
        encode(&mut encoder, &steps);
        encoder.finish()
    };
    assert!(!whole.is_cut);
    for limit in 0..whole.bytes.len() {
        let mut encoder = Encoder::new(limit);
        encode(&mut encoder, &steps);
        assert!(encoder.is_cut());
        let cut = encoder.finish();
        assert!(cut.bytes.len() <= limit && cut.steps < 10);
        let header = Header { steps: cut.steps, ..header() };
        let read = Recording::read(&Recording::write(&header, &cut)).unwrap();
        assert_eq!(read.steps, steps[..cut.steps as usize]);
    }
}
