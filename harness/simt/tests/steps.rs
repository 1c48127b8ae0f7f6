//! Recorded launches: what the steps say is what the machine did.

use crate::common::{Arg, Device};
use recording::{
    AccessKind, BlockRange, Event, Finding, Header, InstructionInfo, Recording, RegisterInfo, Replay, Space, Step,
    lanes_of,
};
use simt::machine::{Checks, RecordRequest, Recorded, Report, register_names};

/// Half of each warp's lanes double their number, the others negate it; then each thread stores that of its mirror
/// image in the block.
const MIRROR: &str = "
.version 7.8
.target sm_80
.address_size 64
.file 1 \"mirror.cu\"
.visible .entry mirror(.param .u64 out)
{
    .reg .pred %p<3>;
    .reg .b32 %r<12>;
    .reg .b64 %rd<5>;
    .shared .align 4 .b8 tile[256];
    .loc 1 5 0
    ld.param.u64 %rd1, [out];
    cvta.to.global.u64 %rd2, %rd1;
    mov.u32 %r1, %tid.x;
    .loc 1 6 0
    and.b32 %r2, %r1, 1;
    setp.eq.s32 %p1, %r2, 0;
    @%p1 bra EVEN;
    .loc 1 7 0
    neg.s32 %r3, %r1;
    bra JOIN;
EVEN:
    .loc 1 8 0
    shl.b32 %r3, %r1, 1;
JOIN:
    .loc 1 9 0
    shl.b32 %r4, %r1, 2;
    mov.u32 %r5, tile;
    add.s32 %r6, %r5, %r4;
    st.shared.u32 [%r6], %r3;
    .loc 1 10 0
    bar.sync 0;
    .loc 1 11 0
    sub.s32 %r7, %r5, %r4;
    ld.shared.u32 %r8, [%r7+252];
    setp.gt.s32 %p2, %r8, 0;
    @%p2 add.s32 %r8, %r8, 1000;
    .loc 1 12 0
    mov.u32 %r9, %ctaid.x;
    mad.lo.s32 %r10, %r9, 64, %r1;
    mul.wide.s32 %rd3, %r10, 4;
    add.s64 %rd4, %rd2, %rd3;
    st.global.u32 [%rd4], %r8;
    ret;
}
";

fn request(first: u64, last: u64) -> RecordRequest {
    RecordRequest { blocks: BlockRange { first, last }, limit: 64 << 20 }
}

/// Runs the kernel in `grid` blocks of 64 threads; returns what was recorded, and the results.
fn mirror(grid: u32, record: Option<RecordRequest>) -> (Report, Vec<i32>) {
    let device = Device::new(MIRROR);
    let out = device.zeros::<i32>(64 * grid as usize);
    let shape = ([grid, 1, 1], [64, 1, 1], 0);
    let (report, _) = device.launch_recorded("mirror", shape, &[Arg::Ptr(out)], record);
    assert_eq!(report.fault, None, "{:#?}", report.findings);
    let results = device.get(out, 64 * grid as usize);
    (report, results)
}

/// Returns the steps of a recording, through a file.
fn steps(recorded: &Recorded, blocks: BlockRange) -> Vec<Step> {
    let header = Header {
        grid: [u32::MAX, 1, 1],
        block: [1024, 1, 1],
        blocks,
        instructions: vec![InstructionInfo::default(); recorded.instructions.len()],
        registers: vec![
            RegisterInfo { name: String::new(), function: String::new(), bytes: 0 };
            recorded.registers.len()
        ],
        findings: vec![Finding { title: String::new(), text: String::new() }; recorded.findings.len()],
        steps: recorded.steps.steps,
        ..Header::default()
    };
    Recording::read(&Recording::write(&header, &recorded.steps)).unwrap().steps
}

fn recorded(report: Report, first: u64, last: u64) -> (Recorded, Vec<Step>) {
    let recorded = report.recorded.expect("it was recorded");
    let steps = steps(&recorded, BlockRange { first, last });
    (recorded, steps)
}

/// Returns the steps at a line of the source.
fn at_line<'s>(recorded: &Recorded, steps: &'s [Step], line: u32) -> Vec<&'s Step> {
    steps.iter().filter(|step| recorded.instructions[step.instruction as usize].line == line).collect()
}

const EVEN: u32 = 0x5555_5555;

#[test]
fn a_divergent_kernel_is_recorded_step_by_step() {
    let (report, results) = mirror(1, Some(request(0, 0)));
    let (recorded, steps) = recorded(report, 0, 0);
    assert!(!recorded.steps.is_cut);
    let names = register_names(MIRROR).unwrap();
    let name = |register: u32| &*names["mirror"][recorded.registers[register as usize].number as usize];

    let branch = at_line(&recorded, &steps, 6);
    let diverged: Vec<_> = branch.iter().filter(|step| step.event == Event::Diverge).collect();
    assert_eq!(diverged.iter().map(|step| (step.warp, step.mask)).collect::<Vec<_>>(), [(0, u32::MAX), (1, u32::MAX)]);

    let odd = at_line(&recorded, &steps, 7);
    let change = &odd[0].changes[0];
    assert_eq!((odd[0].mask, name(change.register)), (!EVEN, "%r3"));
    assert_eq!((change.values[0], change.values[5] as u32 as i32), (0, -5));
    let even = at_line(&recorded, &steps, 8);
    assert_eq!((even[1].mask, even[1].warp, even[1].changes[0].values[4]), (EVEN, 1, 72));

    let joined = at_line(&recorded, &steps, 9);
    assert!(joined[0].reconverged && joined[0].mask == u32::MAX);
    assert_eq!(steps.iter().filter(|step| step.reconverged).count(), 2);
    let store = joined.iter().find_map(|step| step.access.as_ref()).unwrap();
    assert_eq!((store.kind, store.space, store.bytes), (AccessKind::Store, Space::Shared, 4));
    assert_eq!((store.addresses[3], store.elements[0][4], store.traffic), (12, 8, 1));

    let barrier: Vec<_> = at_line(&recorded, &steps, 10).iter().map(|step| (step.warp, step.event)).collect();
    assert_eq!(barrier, [(0, Event::WaitAtBarrier(0)), (1, Event::Passed), (0, Event::Released)]);

    let guarded: Vec<_> =
        at_line(&recorded, &steps, 11).into_iter().filter(|step| step.mask.count_ones() < 32).collect();
    // In warp 1, which opens the barrier, lane 31 holds thread 63, whose mirror image has the number 0.
    assert_eq!((guarded[0].warp, guarded[0].mask), (1, !EVEN & !(1 << 31)));
    // Lane 1 holds thread 33, whose mirror image is thread 30.
    assert_eq!(guarded[0].changes[0].values[1], 2 * 30 + 1000);

    let exits: Vec<_> = steps.iter().filter(|step| step.event == Event::Exit).map(|step| step.warp).collect();
    assert_eq!(exits.len(), 2);
    for thread in 0..64 {
        let mirror = 63 - thread;
        let value = if mirror % 2 == 0 { 2 * mirror } else { -mirror };
        assert_eq!(results[thread as usize], if value > 0 { value + 1000 } else { value });
    }
}

#[test]
fn a_record_replays_to_the_memory_of_the_machine() {
    let device = Device::new(MIRROR);
    let out = device.zeros::<i32>(4 * 64);
    let shape = ([4, 1, 1], [64, 1, 1], 0);
    let (report, _) = device.launch_recorded("mirror", shape, &[Arg::Ptr(out)], Some(request(0, 3)));
    let (recorded, steps) = recorded(report, 0, 3);
    let names = register_names(MIRROR).unwrap();
    let named = |name: &str| {
        let number = names["mirror"].iter().position(|known| known == name).unwrap() as u32;
        recorded.registers.iter().position(|register| register.number == number).unwrap() as u32
    };
    let text: Vec<&str> = MIRROR.lines().collect();
    let mut replay = Replay::new(BlockRange { first: 0, last: 3 }, 4);
    let mut stores = 0;
    for step in &steps {
        // What is stored is what the registers held that the instruction names.
        if let Some(access) = step.access.as_ref().filter(|access| access.kind == AccessKind::Store) {
            let line = text[recorded.instructions[step.instruction as usize].ptx_line as usize - 1];
            let source = line.rsplit(' ').next().unwrap().trim_end_matches(';');
            let values = replay.register(step.block, step.warp, named(source)).unwrap();
            assert!(lanes_of(step.mask).all(|lane| values[lane] & 0xffff_ffff == access.elements[0][lane]), "{line}");
            stores += 1;
        }
        replay.step(step).unwrap();
    }
    assert_eq!(stores, 2 * 4 * 2);
    let bytes = device.get::<u8>(out, 4 * 64 * 4);
    let mut known: Vec<(u64, u8)> = replay.global().collect();
    known.sort_unstable();
    let expected: Vec<(u64, u8)> = (out..).zip(bytes).collect();
    assert_eq!(known, expected);
}

#[test]
fn a_recorded_launch_computes_what_any_other_does() {
    let plain = mirror(5, None);
    for (first, last) in [(0, 4), (2, 2)] {
        let (report, results) = mirror(5, Some(request(first, last)));
        assert_eq!((results, &report.counters), (plain.1.clone(), &plain.0.counters));
    }
    // With all checks, other paths execute the instructions.
    let device = Device::new(MIRROR);
    let run = |checks: Checks| {
        let device =
            Device { settings: simt::machine::Settings { checks, ..device.settings.clone() }, ..Device::new(MIRROR) };
        let out = device.zeros::<i32>(64);
        let (report, _) =
            device.launch_recorded("mirror", ([1, 1, 1], [64, 1, 1], 0), &[Arg::Ptr(out)], Some(request(0, 0)));
        recorded(report, 0, 0).1
    };
    assert_eq!(run(Checks::ALL), run(Checks::NONE));
}

#[test]
fn only_the_named_blocks_are_recorded() {
    let (report, results) = mirror(10_000, Some(request(0, 1)));
    let (all, _) = (report.counters.blocks, results);
    let (_, steps) = recorded(report, 0, 1);
    assert_eq!(all, 10_000);
    let mut blocks: Vec<u64> = steps.iter().map(|step| step.block).collect();
    blocks.dedup();
    assert_eq!(blocks, [0, 1]);
}

#[test]
fn a_recording_that_does_not_fit_is_cut_at_a_step() {
    let (whole, all) = recorded(mirror(1, Some(request(0, 0))).0, 0, 0);
    let limit = whole.steps.bytes.len() / 2;
    let half = RecordRequest { blocks: BlockRange { first: 0, last: 0 }, limit };
    let (report, results) = mirror(1, Some(half));
    let (cut, steps) = recorded(report, 0, 0);
    assert!(cut.steps.is_cut && cut.steps.bytes.len() <= limit);
    assert_eq!(steps, all[..steps.len()]);
    assert_eq!(results, mirror(1, None).1);
}

#[test]
fn a_finding_is_recorded_at_its_step() {
    let racy = MIRROR.replace("    bar.sync 0;\n", "");
    let mut device = Device::new(&racy);
    device.settings.checks = Checks { race: true, ..Checks::NONE };
    let out = device.zeros::<i32>(64);
    let (report, _) =
        device.launch_recorded("mirror", ([1, 1, 1], [64, 1, 1], 0), &[Arg::Ptr(out)], Some(request(0, 0)));
    assert!(!report.findings.is_empty());
    let (recorded, steps) = recorded(report, 0, 0);
    let found: Vec<_> = steps.iter().filter(|step| step.finding.is_some()).collect();
    assert!(!found.is_empty());
    let text = format!("{:?}", recorded.findings[found[0].finding.unwrap() as usize].kind);
    assert!(text.contains("Race"), "{text}");
    assert!(found[0].access.as_ref().is_some_and(|access| access.space == Space::Shared));
}

/// A fill has no address for each lane: its range is in no step, as with other instructions of this kind.
#[test]
fn a_fill_is_recorded_without_addresses() {
    let ptx = "
.version 8.6
.target sm_100
.address_size 64
.visible .entry k()
{
    .reg .b32 %r;
    .shared .align 8 .b8 sh[64];
    st.bulk.shared::cta [sh], 64, 0;
    ld.shared.u32 %r, [sh];
    ret;
}
";
    let device = Device::of(gpu::Part::find("b200").expect("a part"), ptx);
    let (report, _) = device.launch_recorded("k", ([1, 1, 1], [1, 1, 1], 0), &[], Some(request(0, 0)));
    let (_, steps) = recorded(report, 0, 0);
    let kinds: Vec<_> = steps.iter().filter_map(|step| step.access.as_ref()).map(|access| access.kind).collect();
    assert_eq!(kinds, [AccessKind::Load]);
}
