//! Shared memory and atomics with addresses of every kind: values and counters are compared with those of a few lines
//! of Rust. The machine remembers the patterns of addresses; results must not depend on whether they repeat, move or
//! change.

use crate::common::{Arg, Device};
use std::collections::BTreeSet;

const ROUNDS: usize = 64;
const AREA: u32 = 4096;

/// Returns a kernel that fills shared memory with numbers computed from the word's index, then for each round and lane
/// takes an offset from `offsets`, executes `access` with its address in `%rd6`, and stores `%r10` and `%r11`, if the
/// access set them.
fn kernel(access: &str) -> String {
    format!(
        ".version 8.0\n.target sm_70\n.address_size 64\n
.visible .entry probe(.param .u64 offsets, .param .u64 out, .param .u32 rounds)
{{
    .reg .pred %p<3>; .reg .b32 %r<20>; .reg .b64 %rd<12>; .reg .f32 %f<4>; .reg .b16 %rs<4>;
    .shared .align 16 .b8 area[{AREA}];
    ld.param.u64 %rd1, [offsets];
    ld.param.u64 %rd2, [out];
    ld.param.u32 %r1, [rounds];
    mov.u32 %r2, %tid.x;
    mov.u64 %rd3, area;
    mov.u32 %r3, %r2;
FILL:
    mul.wide.u32 %rd4, %r3, 4;
    add.s64 %rd4, %rd3, %rd4;
    mul.lo.u32 %r4, %r3, 0x9e3779b9;
    st.shared.u32 [%rd4], %r4;
    add.u32 %r3, %r3, 32;
    setp.lt.u32 %p1, %r3, {words};
    @%p1 bra FILL;
    bar.sync 0;
    mul.wide.u32 %rd5, %r2, 4;
    add.s64 %rd1, %rd1, %rd5;
    add.s64 %rd5, %rd5, %rd5;
    add.s64 %rd2, %rd2, %rd5;
    mov.u32 %r5, 0;
ROUND:
    ld.global.u32 %r6, [%rd1];
    cvt.u64.u32 %rd7, %r6;
    add.s64 %rd6, %rd3, %rd7;
    mov.u32 %r10, 0;
    mov.u32 %r11, 0;
    {access}
    st.global.u32 [%rd2], %r10;
    st.global.u32 [%rd2+4], %r11;
    add.s64 %rd1, %rd1, 128;
    add.s64 %rd2, %rd2, 256;
    add.u32 %r5, %r5, 1;
    setp.lt.u32 %p2, %r5, %r1;
    @%p2 bra ROUND;
    ret;
}}
",
        words = AREA / 4
    )
}

/// Pseudo-random numbers.
struct Random(u64);
impl Random {
    fn below(&mut self, n: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as u32 % n
    }
}

/// Returns offsets of 32 lanes for each round, for accesses of `size` bytes: rows, columns, rows of tiles, a single
/// location, arbitrary ones; some stay the same for several rounds, others move on.
fn offsets(size: u32) -> Vec<[u32; 32]> {
    let mut random = Random(u64::from(size));
    let mut rounds = Vec::new();
    while rounds.len() < ROUNDS {
        let kind = random.below(7);
        let (stride, step) = (random.below(5) + 1, random.below(3) * size);
        let scattered: Vec<u32> = (0..32).map(|_| random.below(1024 / size)).collect();
        let mut base = random.below(512 / size) * size;
        for _ in 0..=random.below(4) {
            rounds.push(std::array::from_fn(|lane| {
                let lane = lane as u32;
                base + match kind {
                    0 => lane * size,
                    1 => lane * size * stride % 2048,
                    2 => lane / 16 * 64 * size.div_ceil(4) % 2048,
                    3 => lane % 16 * size,
                    4 => lane / 31 * size,
                    5 => (31 - lane) * size,
                    _ => scattered[lane as usize] * size,
                }
            }));
            base += step;
        }
    }
    rounds.truncate(ROUNDS);
    rounds
}

/// Returns the byte of shared memory at an offset.
fn byte(at: u32) -> u32 {
    ((at / 4).wrapping_mul(0x9e37_79b9) >> (at % 4 * 8)) & 0xff
}

/// Returns the number of `size` bytes at an offset, its low 32 bits.
fn number(at: u32, size: u32) -> u32 {
    (0..size.min(4)).fold(0, |n, i| n | (byte(at + i) << (8 * i)))
}

/// Returns the passes over the banks: in each part of the warp, the most distinct words of any bank. Wide accesses go
/// in halves (8 bytes) or quarters (16 bytes), two of them together where lanes access in pairs.
fn passes(address: &[u32; 32], size: u32) -> u64 {
    let of = |lanes: &[u32]| {
        let words: BTreeSet<u32> = lanes.iter().flat_map(|a| (a / 4)..(a + size).div_ceil(4)).collect();
        let ways = (0..32).map(|bank| words.iter().filter(|w| *w % 32 == bank).count());
        ways.max().unwrap_or(0) as u64
    };
    if size < 8 {
        return of(address);
    }
    let together = address.chunks(256 / size as usize);
    together
        .map(|lanes| {
            let paired = |step: usize| (0..lanes.len()).all(|i| lanes[i] == lanes[i ^ step]);
            if paired(1) || paired(2) { of(lanes) } else { lanes.chunks(lanes.len() / 2).map(of).sum() }
        })
        .sum()
}

/// Runs a probe; returns the two results of every round and lane, and the counters.
fn probe(access: &str, rounds: &[[u32; 32]]) -> (Vec<[u32; 2]>, simt::counters::Totals) {
    let device = Device::new(&kernel(access));
    let flat: Vec<u32> = rounds.iter().flatten().copied().collect();
    let (from, to) = (device.put(&flat), device.zeros::<u32>(flat.len() * 2));
    let args = [Arg::Ptr(from), Arg::Ptr(to), Arg::U32(rounds.len() as u32)];
    let report = device.launch("probe", 1, 32, &args);
    let out = device.get::<u32>(to, flat.len() * 2);
    let pairs = out.chunks(2).map(|p| [p[0], p[1]]).collect();
    (pairs, report.counters.totals)
}

#[test]
fn loads_of_every_width() {
    for (access, size, second) in [
        ("ld.shared.u8 %r10, [%rd6];", 1, 0),
        ("ld.shared.u16 %rs1, [%rd6]; cvt.u32.u16 %r10, %rs1;", 2, 0),
        ("ld.shared.u32 %r10, [%rd6];", 4, 0),
        ("ld.shared.v2.u32 {%r10, %r11}, [%rd6];", 8, 4),
        ("ld.shared.v4.u32 {%r10, %r12, %r13, %r11}, [%rd6];", 16, 12),
    ] {
        let rounds = offsets(size);
        let (out, totals) = probe(access, &rounds);
        for (at, got) in rounds.iter().flatten().zip(&out) {
            let low = number(*at, size);
            let high = if second > 0 { number(at + second, 4) } else { 0 };
            assert_eq!(*got, [low, high], "{access} at {at}");
        }
        let loads = totals.shared_loads;
        assert_eq!(loads.requests, ROUNDS as u64, "{access}");
        let expected: u64 = rounds.iter().map(|r| passes(r, size)).sum();
        assert_eq!(loads.wavefronts, expected, "{access}");
    }
}

#[test]
fn stores_of_every_width() {
    for (store, size) in [
        ("cvt.u16.u32 %rs1, %r7; st.shared.u8 [%rd6], %rs1;", 1),
        ("cvt.u16.u32 %rs1, %r7; st.shared.u16 [%rd6], %rs1;", 2),
        ("st.shared.u32 [%rd6], %r7;", 4),
        ("st.shared.v2.u32 [%rd6], {%r7, %r7};", 8),
        ("st.shared.v4.u32 [%rd6], {%r7, %r7, %r7, %r7};", 16),
    ] {
        // Every lane stores its own number, then reads the result: of lanes with the same address the highest has won.
        let access = format!("shl.b32 %r7, %r5, 8; or.b32 %r7, %r7, %r2; {store} ld.shared.u8 %r10, [%rd6];");
        let rounds = offsets(size);
        let (out, totals) = probe(&access, &rounds);
        for (round, got) in rounds.iter().zip(out.chunks(32)) {
            for (lane, at) in round.iter().enumerate() {
                let winner = (0..32).filter(|&l| round[l] == *at).max().unwrap_or(lane);
                assert_eq!(got[lane][0], winner as u32, "{store} at {at}");
            }
        }
        // The first store of each lane fills the area, a row at a time.
        let fill = u64::from(AREA / 4 / 32);
        let expected: u64 = rounds.iter().map(|r| passes(r, size)).sum();
        assert_eq!(totals.shared_stores.wavefronts, fill + expected, "{store}");
    }
}

#[test]
fn shared_sums_and_the_lanes_that_meet() {
    let rounds = offsets(4);
    let (out, totals) = probe("add.u32 %r7, %r2, 1; atom.shared.add.u32 %r10, [%rd6], %r7;", &rounds);
    let mut memory: Vec<u32> = (0..AREA / 4).map(|w| w.wrapping_mul(0x9e37_79b9)).collect();
    let mut met = 0;
    for (round, got) in rounds.iter().zip(out.chunks(32)) {
        let distinct: BTreeSet<u32> = round.iter().copied().collect();
        met += 32 - distinct.len() as u64;
        for (lane, at) in round.iter().enumerate() {
            let word = &mut memory[*at as usize / 4];
            assert_eq!(got[lane][0], *word, "lane {lane}");
            *word = word.wrapping_add(lane as u32 + 1);
        }
    }
    assert_eq!(totals.shared_atomics.requests, ROUNDS as u64);
    assert_eq!(totals.shared_atomics.collisions, met);
    // A bank serves one lane per pass, whatever the atomic.
    let most = |round: &[u32; 32]| (0..32).map(|bank| round.iter().filter(|at| **at / 4 % 32 == bank).count()).max();
    let waited: u64 = rounds.iter().map(|round| most(round).unwrap() as u64 - 1).sum();
    assert!(waited > 0);
    assert_eq!(totals.shared_atomics.bank_conflicts, waited);
    let (_, totals) = probe("atom.shared.exch.b32 %r10, [%rd6], %r2;", &rounds);
    assert_eq!((totals.shared_atomics.collisions, totals.shared_atomics.bank_conflicts), (met, waited));
}

/// Sums of floats at one location in global memory, where subnormal numbers are flushed, computed one lane after
/// another; some lanes may not take part.
#[test]
fn global_sums_of_odd_floats() {
    let tiny = f32::from_bits(5);
    for (start, values) in [
        (0.0, vec![1.5; 32]),
        (tiny, vec![tiny; 32]),
        (f32::MIN_POSITIVE, vec![-f32::MIN_POSITIVE * 0.75; 32]),
        (-0.0, vec![-0.0; 32]),
        (1e38, vec![1e38; 32]),
        (f32::INFINITY, vec![f32::NEG_INFINITY; 32]),
        (1.0, (0..32).map(|i| if i == 7 { f32::NAN } else { i as f32 }).collect()),
        (1.0, (0..32).map(|i| 1.0 / (i as f32 - 15.5)).collect()),
    ] {
        for skip in [32, 0, 31] {
            let ptx = format!(
                ".version 8.0\n.target sm_70\n.address_size 64\n
.visible .entry sum(.param .u64 values, .param .u64 to, .param .u64 out)
{{
    .reg .pred %p<2>; .reg .b32 %r<4>; .reg .b64 %rd<8>; .reg .f32 %f<4>;
    ld.param.u64 %rd1, [values];
    ld.param.u64 %rd2, [to];
    ld.param.u64 %rd3, [out];
    mov.u32 %r1, %tid.x;
    setp.eq.u32 %p1, %r1, {skip};
    @%p1 bra DONE;
    mul.wide.u32 %rd4, %r1, 4;
    add.s64 %rd1, %rd1, %rd4;
    add.s64 %rd3, %rd3, %rd4;
    ld.global.f32 %f1, [%rd1];
    atom.global.add.f32 %f2, [%rd2], %f1;
    st.global.f32 [%rd3], %f2;
    atom.global.add.f32 %f2, [%rd2], %f1;
DONE:
    ret;
}}
"
            );
            let device = Device::new(&ptx);
            let (from, to) = (device.put(&values), device.put(&[start]));
            let out = device.zeros::<f32>(32);
            device.launch("sum", 1, 32, &[Arg::Ptr(from), Arg::Ptr(to), Arg::Ptr(out)]);
            let flush = |x: f32| {
                if x.is_subnormal() { 0f32.copysign(x) } else { x }
            };
            let mut sum = start;
            let mut add = |value: f32| {
                let old = sum;
                sum = flush(flush(sum) + flush(value));
                if sum.is_nan() {
                    sum = f32::from_bits(0x7fff_ffff);
                }
                old
            };
            let lanes: Vec<usize> = (0..32).filter(|l| *l != skip).collect();
            let found = device.get::<f32>(out, 32);
            for &lane in &lanes {
                let old = add(values[lane]);
                assert_eq!(found[lane].to_bits(), old.to_bits(), "{start} lane {lane}");
            }
            for &lane in &lanes {
                add(values[lane]);
            }
            let left = device.get::<f32>(to, 1)[0];
            assert_eq!(left.to_bits(), sum.to_bits(), "from {start} without {skip}");
        }
    }
}

/// An external array with a size is allocated like the module's own; its contents do not overlap with the dynamic part.
#[test]
fn an_external_array_with_a_size_has_that_size() {
    let ptx = "
.version 8.0\n.target sm_70\n.address_size 64
.extern .shared .align 8 .b8 sized[512];
.extern .shared .align 8 .b8 dynamic[];
.visible .entry probe(.param .u64 out)
{
    .reg .b32 %r<9>; .reg .b64 %rd<5>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x;
    shl.b32 %r2, %r1, 4;
    mov.u32 %r3, sized;
    add.u32 %r4, %r3, %r2;
    st.shared.u32 [%r4+12], %r1;
    mov.u32 %r5, dynamic;
    st.shared.u32 [%r5], %r2;
    bar.sync 0;
    ld.shared.u32 %r6, [%r4+12];
    sub.u32 %r7, %r5, %r3;
    add.u32 %r6, %r6, %r7;
    mul.wide.u32 %rd2, %r1, 4;
    add.s64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r6;
    ret;
}";
    let device = Device::new(ptx);
    assert_eq!(device.module.kernel("probe").expect("it is there").static_shared, 512);
    let out = device.zeros::<u32>(32);
    let (report, _) = device.try_launch("probe", [1; 3], [32, 1, 1], 64, &[Arg::Ptr(out)]);
    assert_eq!(report.fault, None, "{:?}", report.findings);
    assert_eq!(device.get::<u32>(out, 32), (0..32).map(|i| 512 + i).collect::<Vec<_>>());
}

/// Traffic is counted where a generic address leads: in shared memory with its bank conflicts, in local memory, in
/// global memory; also if the lanes of one request access different spaces.
#[test]
fn generic_addresses_count_where_they_lead() {
    let text = ".version 8.0
.target sm_70
.address_size 64
.visible .entry probe(.param .u64 out)
{
    .reg .pred %p<3>; .reg .b32 %r<20>; .reg .b64 %rd<12>;
    .shared .align 16 .b8 area[4096];
    .local .align 16 .b8 own[128];
    ld.param.u64 %rd1, [out];
    mov.u32 %r2, %tid.x;
    mov.u64 %rd2, area;
    cvta.shared.u64 %rd2, %rd2;
    mul.wide.u32 %rd3, %r2, 8;
    add.s64 %rd3, %rd2, %rd3;
    st.u32 [%rd3], %r2;
    ld.u32 %r3, [%rd3];
    atom.add.u32 %r4, [%rd2+2048], %r2;
    mov.u64 %rd4, own;
    cvta.local.u64 %rd4, %rd4;
    st.u32 [%rd4], %r3;
    ld.u32 %r5, [%rd4];
    mul.wide.u32 %rd5, %r2, 4;
    add.s64 %rd6, %rd1, %rd5;
    st.u32 [%rd6], %r5;
    setp.lt.u32 %p1, %r2, 8;
    selp.b64 %rd7, %rd3, %rd6, %p1;
    setp.gt.u32 %p2, %r2, 23;
    selp.b64 %rd7, %rd4, %rd7, %p2;
    ld.u32 %r6, [%rd7];
    st.global.u32 [%rd6], %r6;
    ret;
}
";
    let device = Device::new(text);
    let out = device.zeros::<u32>(32);
    let (report, _) = device.try_launch("probe", [1; 3], [32, 1, 1], 0, &[Arg::Ptr(out)]);
    assert_eq!((report.fault, report.findings.len()), (None, 0));
    assert_eq!(device.get::<u32>(out, 32), (0..32).collect::<Vec<u32>>());
    let t = report.counters.totals;
    let shared = |c: &simt::counters::SharedTraffic| (c.requests, c.lanes, c.bytes, c.wavefronts, c.conflicts);
    assert_eq!(shared(&t.shared_stores), (1, 32, 128, 2, 1));
    // A load of all lanes, and one of eight lanes whose words are in different banks.
    assert_eq!(shared(&t.shared_loads), (2, 40, 160, 3, 1));
    assert_eq!((t.shared_atomics.requests, t.shared_atomics.lanes, t.shared_atomics.collisions), (1, 32, 31));
    assert_eq!((t.global_atomics.requests, t.global_atomics.collisions), (0, 0));
    let plain = |c: &simt::counters::Traffic| (c.requests, c.lanes, c.sectors);
    assert_eq!(plain(&t.local_stores), (1, 32, 4));
    assert_eq!(plain(&t.local_loads), (2, 40, 5));
    assert_eq!(plain(&t.global_stores), (2, 64, 8));
    assert_eq!(plain(&t.global_loads), (1, 16, 2));
}
