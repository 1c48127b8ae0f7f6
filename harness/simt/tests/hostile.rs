//! Values of a kernel that the machine uses as addresses, lengths, counts, indices or descriptors: whatever they are,
//! the launch ends with a finding or with a result, and nothing changes outside of the kernel's own memory. As in all
//! tests, arithmetic overflow is checked.

use crate::common::{Arg, Device};
use gpu::Part;
use simt::machine::{Checks, Module};
use simt::memory::Memory;
use simt::report::{Sources, one};
use simt::tensor::{Element, Interleave, Shape, TensorMap};
use simt::texture::{Address, ChannelKind, Format, Image, Layout, Level, Object, Sampler, Shape as Pixels, Texture};
use std::sync::Arc;

/// How kernels use the values: a topic, and the code. `%d0` to `%d3` and `%r0` to `%r3` are the lane's values, `%glob`
/// points to 4 KiB of memory, `%map` to a tensor map, `tile` has 4 KiB and `bar` 64 bytes of shared memory, `own` 64
/// bytes of local memory.
const CASES: &[(&str, &str)] = &[
    ("loads", "ld.shared.v4.u32 {%r4, %r5, %r6, %r7}, [%d0];"),
    ("loads", "ld.local.v2.u64 {%d4, %d5}, [%d0];"),
    ("loads", "ld.v4.f32 {%f0, %f1, %f2, %f3}, [%d0+-8];"),
    ("loads", "ld.global.nc.u16 %h0, [%d0+2147483647];"),
    ("loads", "ld.const.b64 %d4, [%d0];"),
    ("loads", "ld.shared::cluster.u8 %h0, [%d0];"),
    ("loads", "ld.b128 %q0, [%d0];"),
    ("stores", "st.shared.v2.u32 [%d0], {%r0, %r1};"),
    ("stores", "st.local.u8 [%d0], %r0;"),
    ("stores", "st.v4.u32 [%d0], {%r0, %r1, %r2, %r3};"),
    ("stores", "st.shared::cluster.b64 [%d0], %d1;"),
    ("atomics", "atom.add.u32 %r4, [%d0], %r0;"),
    ("atomics", "atom.shared.add.u32 %r4, [%d0], %r0;"),
    ("atomics", "atom.shared.cas.b16 %h0, [%d0], %h1, %h2;"),
    ("atomics", "atom.cas.b128 %q0, [%d0], %q1, %q2;"),
    ("atomics", "red.global.v4.f32.add [%d0], {%f0, %f1, %f2, %f3};"),
    ("atomics", "atom.inc.u32 %r4, [%d0], %r0; atom.min.s64 %d4, [%d1], %d2;"),
    ("spaces", "isspacep.shared %p0, %d0; cvta.to.shared.u64 %d4, %d0; ld.shared.u32 %r4, [%d4];"),
    (
        "hints",
        "prefetch.global.L2 [%d0]; discard.global.L2 [%d1], 128; applypriority.global.L2::evict_normal [%d0], 128;",
    ),
    ("copies", "cp.async.ca.shared.global [%d0], [%d1], 16, %r0; cp.async.wait_all;"),
    ("copies", "cp.async.ca.shared.global [%d0], [%glob], 4, %r0; cp.async.wait_all;"),
    ("copies", "cp.async.ca.shared.global [tile], [%glob], 16, %r0; cp.async.wait_all;"),
    ("bulk copies", "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%d0], [%d1], %r0, [%d2];"),
    ("bulk copies", "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%glob], %r0, [bar];"),
    (
        "bulk copies",
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [tile], [%glob], %r0, [bar], %h0;",
    ),
    (
        "bulk copies",
        "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%d0], [tile], %r0, [%d1];",
    ),
    ("bulk copies", "cp.async.bulk.global.shared::cta.bulk_group [%glob], [%d0], %r0;"),
    ("bulk copies", "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u64 [%d0], [%d1], %r0;"),
    (
        "bulk copies",
        "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%d0], {%r0, %r1, %r2, %r3}, [%d1];",
    ),
    (
        "bulk copies",
        "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.inc.u32 [%d0], %r0, [%d1];",
    ),
    ("mbarriers", "mbarrier.init.shared.b64 [%d0], %r0; mbarrier.arrive.shared.b64 %d4, [%d0], %r1;"),
    ("mbarriers", "st.shared.b64 [bar], %d0; mbarrier.arrive.shared.b64 %d4, [bar], %r0;"),
    ("mbarriers", "st.shared.b64 [bar], %d0; mbarrier.arrive_drop.shared.b64 %d4, [bar], %r0;"),
    ("mbarriers", "st.shared.b64 [bar], %d0; mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [bar], %r0;"),
    ("mbarriers", "st.shared.b64 [bar], %d0; mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [bar], %r0;"),
    ("mbarriers", "st.shared.b64 [bar], %d0; mbarrier.try_wait.shared.b64 %p0, [bar], %d1;"),
    ("mbarriers", "st.shared.b64 [bar], %d0; cp.async.mbarrier.arrive.shared.b64 [bar];"),
    ("mbarriers", "mbarrier.test_wait.parity.b64 %p0, [%d0], %r0; mbarrier.pending_count.b64 %r4, %d1;"),
    ("mbarriers", "mbarrier.inval.b64 [%d0];"),
    ("matrices", "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r4, %r5, %r6, %r7}, [%d0];"),
    ("matrices", "stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%d0], {%r0, %r1, %r2, %r3};"),
    ("matrices", "wmma.load.a.sync.aligned.row.m16n16k16.f16 {%r4, %r5, %r6, %r7, %r8, %r9, %r10, %r11}, [%d0], %r0;"),
    ("matrices", "wmma.store.d.sync.aligned.col.m16n16k16.f32 [%d0], {%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7}, %r0;"),
    (
        "matrices",
        "mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0, %f1, %f2, %f3}, {%r4, %r5}, {%r6, %r7}, {%f0, %f1, %f2, %f3}, %r0, 0;",
    ),
    (
        "descriptors",
        "wgmma.fence.sync.aligned; wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %d0, %d1, %p0, 1, 1, 1, 1; wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;",
    ),
    (
        "descriptors",
        "shfl.sync.idx.b32 %r0, %r0, 0, 31, -1; cvt.u64.u32 %d0, %r0; shl.b64 %d1, %d0, 32; or.b64 %d0, %d0, %d1; wgmma.fence.sync.aligned; wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %d0, %d0, %p0, 1, 1, 0, 0; wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;",
    ),
    (
        "tensor maps",
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%d0], [%map, {%r0, %r1}], [%d1];",
    ),
    (
        "tensor maps",
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%d0, {%r0, %r1}], [bar];",
    ),
    ("tensor maps", "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%map, {%r0, %r1}], [%d0];"),
    ("tensor maps", "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.bulk_group [%map, {%r0, %r1}], [tile];"),
    (
        "tensor maps",
        "tensormap.replace.tile.box_dim.global.b1024.b32 [%map], 0, %r0; tensormap.replace.tile.box_dim.global.b1024.b32 [%map], 1, %r1; cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%map, {%r2, %r3}], [tile];",
    ),
    (
        "tensor maps",
        "and.b32 %r0, %r0, 255; and.b32 %r1, %r1, 7; or.b32 %r1, %r1, 1; tensormap.replace.tile.box_dim.global.b1024.b32 [%map], 1, %r0; tensormap.replace.tile.element_stride.global.b1024.b32 [%map], 1, %r1; and.b32 %r2, %r2, -4; cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%map, {%r2, %r3}], [bar];",
    ),
    (
        "tensor maps",
        "tensormap.replace.tile.global_stride.global.b1024.b64 [%map], 0, %d0; tensormap.replace.tile.global_dim.global.b1024.b32 [%map], 1, %r0; cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%map, {0, %r1}], [bar];",
    ),
    (
        "tensor maps",
        "tensormap.replace.tile.rank.global.b1024.b32 [%map], %r0; tensormap.replace.tile.elemtype.global.b1024.b32 [%map], %r1;",
    ),
    (
        "tensor maps",
        "tensormap.replace.tile.swizzle_mode.global.b1024.b32 [%map], %r0; tensormap.replace.tile.interleave_layout.global.b1024.b32 [%map], %r1;",
    ),
    ("tensor maps", "tensormap.replace.tile.global_address.global.b1024.b64 [%d0], %d1;"),
    ("clusters", "mapa.shared::cluster.u32 %r4, %r0, %r1; cvt.u64.u32 %d4, %r4; st.shared::cluster.u32 [%d4], %r2;"),
    ("clusters", "mapa.u64 %d4, %d0, %r0; getctarank.u64 %r4, %d4; st.u32 [%d4], %r4;"),
    ("lanes", "shfl.sync.up.b32 %r4|%p0, %r0, %r1, %r2, %r3; shfl.sync.idx.b32 %r5, %r0, %r1, %r2, -1;"),
    (
        "lanes",
        "match.any.sync.b64 %r4, %d0, %r0; vote.sync.ballot.b32 %r5, %p0, %r1; redux.sync.max.s32 %r6, %r2, %r3;",
    ),
    ("lanes", "elect.sync %r4|%p0, %r0; bar.warp.sync %r1; activemask.b32 %r5;"),
    (
        "counts",
        "bfe.s32 %r4, %r0, %r1, %r2; bfi.b64 %d4, %d0, %d1, %r1, %r2; prmt.b32 %r5, %r0, %r1, %r2; fns.b32 %r6, %r0, %r1, %r2;",
    ),
    (
        "counts",
        "shf.l.wrap.b32 %r4, %r0, %r1, %r2; shf.r.clamp.b32 %r5, %r0, %r1, %r2; shl.b64 %d4, %d0, %r0; shr.s16 %h0, %h1, %r1;",
    ),
    (
        "counts",
        "bmsk.clamp.b32 %r4, %r0, %r1; szext.wrap.s32 %r5, %r0, %r1; bfind.shiftamt.u64 %r6, %d0; vshl.u32.u32.u32.clamp %r7, %r0, %r1;",
    ),
    (
        "counts",
        "div.s32 %r4, %r0, %r1; rem.s64 %d4, %d0, %d1; div.u64 %d5, %d0, %d1; mad.hi.s64 %d6, %d0, %d1, %d2; sad.s32 %r5, %r0, %r1, %r2;",
    ),
    ("barriers", "bar.sync %r0, %r1;"),
    ("barriers", "barrier.arrive %r0, %r1; barrier.red.popc.u32 %r4, %r2, %p0;"),
    ("branches", "brx.idx %r0, TARGETS;"),
    (
        "calls",
        "{ .param .b32 a; .param .b32 r; st.param.b32 [a], %r0; call.uni (r), %d0, (a), PROTOTYPE; ld.param.b32 %r4, [r]; }",
    ),
    ("stacks", "stackrestore.u64 %d0; alloca.u64 %d4, %d1; st.local.u8 [%d4], %r0;"),
    ("stacks", "alloca.u64 %d4, %d0; stackrestore.u64 %d1; alloca.u64 %d5, %d2, 8388608;"),
    ("waits", "nanosleep.u32 %r0; mov.u64 %d4, %clock64; add.u64 %d4, %d4, %d0;"),
    (
        "the heap",
        "{ .param .b64 a; .param .b64 r; st.param.b64 [a], %d0; call.uni (r), malloc, (a); ld.param.b64 %d4, [r]; } st.u8 [%d4], %r0;",
    ),
    ("the heap", "{ .param .b64 a; st.param.b64 [a], %d0; call.uni free, (a); }"),
    (
        "the heap",
        "{ .param .b64 a; .param .b64 r; st.param.b64 [a], 64; call.uni (r), malloc, (a); ld.param.b64 %d4, [r]; } st.u64 [%d4+-8], %d0; st.u64 [%d4+64], %d1; { .param .b64 a; st.param.b64 [a], %d4; call.uni free, (a); }",
    ),
    (
        "printf",
        "{ .param .b64 a; .param .b64 b; .param .b32 r; st.param.b64 [a], %d0; st.param.b64 [b], %d1; call.uni (r), vprintf, (a, b); }",
    ),
    (
        "printf",
        "st.global.v2.u64 [%glob], {%d0, %d1}; { .param .b64 a; .param .b64 b; .param .b32 r; st.param.b64 [a], %glob; st.param.b64 [b], %d2; call.uni (r), vprintf, (a, b); }",
    ),
    (
        "printf",
        "mov.u32 %r4, 0x2a2e2a25; mov.u32 %r5, 0x73252564; mov.u32 %r6, 0x39392525; mov.u32 %r7, 0x00006439; st.global.v4.u32 [%glob], {%r4, %r5, %r6, %r7}; st.global.v2.u64 [%glob+16], {%d0, %d1}; add.u64 %d4, %glob, 16; { .param .b64 a; .param .b64 b; .param .b32 r; st.param.b64 [a], %glob; st.param.b64 [b], %d4; call.uni (r), vprintf, (a, b); }",
    ),
    (
        "assertions",
        "{ .param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d; .param .b64 e; st.param.b64 [a], %d0; st.param.b64 [b], %d1; st.param.b32 [c], %r0; st.param.b64 [d], %glob; st.param.b64 [e], %d2; call.uni __assertfail, (a, b, c, d, e); }",
    ),
    (
        "the runtime",
        "{ .param .b32 a; .param .b64 b; .param .b64 r; st.param.b32 [a], %r0; st.param.b64 [b], %d0; call.uni (r), __simt_runtime, (a, b); ld.param.b64 %d4, [r]; }",
    ),
    ("textures", "tex.2d.v4.f32.s32 {%f0, %f1, %f2, %f3}, [%d0, {%r0, %r1}];"),
    (
        "textures",
        "and.b64 %d0, %d0, 1; add.u64 %d0, %d0, 1; tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%d0, {%f4, %f5}];",
    ),
    (
        "textures",
        "mov.u64 %d0, 1; tex.grad.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%d0, {%f4, %f5}], {%f6, %f7}, {%f8, %f9};",
    ),
    (
        "textures",
        "mov.u64 %d0, 1; tex.level.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%d0, {%f4, %f5}], %f6; txq.level.width.b32 %r4, [%d0], %r0;",
    ),
    (
        "textures",
        "mov.u64 %d0, 1; tld4.r.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%d0, {%f4, %f5}]; istypep.texref %p0, %d1;",
    ),
    ("surfaces", "suld.b.2d.v4.b32.trap {%r4, %r5, %r6, %r7}, [%d0, {%r0, %r1}];"),
    (
        "surfaces",
        "mov.u64 %d0, 2; suld.b.2d.v2.b64.clamp {%d4, %d5}, [%d0, {%r0, %r1}]; sust.b.2d.v4.b32.clamp [%d0, {%r1, %r2}], {%r0, %r1, %r2, %r3};",
    ),
    (
        "surfaces",
        "mov.u64 %d0, 2; sust.p.2d.b32.zero [%d0, {%r0, %r1}], {%r2}; sured.b.add.2d.u32.clamp [%d0, {%r0, %r1}], %r2;",
    ),
];

/// Launches of each case.
const SEEDS: u64 = 60;

/// Bytes of the kernel's memory, and of the guard area after it.
const BYTES: usize = 4096;

fn module(code: &str) -> String {
    format!(
        ".version 9.0
.target sm_90a
.address_size 64
.extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);
.extern .func (.param .b64 r) malloc(.param .b64 a);
.extern .func free(.param .b64 a);
.extern .func (.param .b64 r) __simt_runtime(.param .b32 a, .param .b64 b);
.extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e);
.func (.param .b32 r) called(.param .b32 a) {{ st.param.b32 [r], 1; ret; }}
.global .u64 pointer = called;
.visible .entry k(.param .u64 values, .param .u64 glob, .param .u64 map)
{{
  .shared .align 1024 .b8 tile[{BYTES}];
  .shared .align 64 .b8 bar[64];
  .local .align 16 .b8 own[64];
  .reg .b64 %at, %glob, %map, %d<8>; .reg .b32 %t, %r<12>; .reg .f32 %f<10>; .reg .b16 %h<4>; .reg .pred %p<2>;
  .reg .b128 %q<3>;
  ld.param.u64 %at, [values];
  ld.param.u64 %glob, [glob];
  ld.param.u64 %map, [map];
  mov.u32 %t, %tid.x;
  and.b32 %t, %t, 31;
  mad.wide.u32 %at, %t, 64, %at;
  ld.global.v2.u64 {{%d0, %d1}}, [%at];
  ld.global.v2.u64 {{%d2, %d3}}, [%at+16];
  ld.global.v4.u32 {{%r0, %r1, %r2, %r3}}, [%at+32];
  ld.global.v4.f32 {{%f4, %f5, %f6, %f7}}, [%at+48];
  mov.f32 %f0, %f4; mov.f32 %f1, %f5; mov.f32 %f2, %f6; mov.f32 %f3, %f7; mov.f32 %f8, %f4; mov.f32 %f9, %f7;
  cvt.u16.u32 %h0, %r0; cvt.u16.u32 %h1, %r1; cvt.u16.u32 %h2, %r2; setp.lt.u32 %p0, %r0, %r1;
  mov.b128 %q1, {{%d0, %d1}}; mov.b128 %q2, {{%d2, %d3}};
  st.local.u64 [own], %d0;
  mov.b32 %r4, %r0; mov.b32 %r5, %r1; mov.b32 %r6, %r2; mov.b32 %r7, %r3;
  TARGETS: .branchtargets END, NEXT;
  PROTOTYPE: .callprototype (.param .b32 _) _ (.param .b32 _);
  {code}
NEXT:
  st.global.u32 [%glob], %r4;
END:
  ret;
}}
"
    )
}

/// A generator of numbers (splitmix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// Returns a value that may be close to a valid one: an offset, an address, a limit of a type, or any bits.
    fn value(&mut self, glob: u64) -> u64 {
        const LIMITS: [u64; 12] =
            [0, 1, 31, 32, 1 << 24, 1 << 31, 1 << 32, 1 << 56, 1 << 62, 1 << 63, u64::MAX, 0x8000_0000_8000_0000];
        let near = self.next() % 4400;
        match self.next() % 9 {
            0 => LIMITS[self.next() as usize % LIMITS.len()].wrapping_sub(self.next() % 3),
            1 => self.next(),
            2 => near,
            3 => near & !15,
            4 => (1 << 56) + (near & !7),
            5 => glob.wrapping_add(near & !15),
            6 => (2 << 56) + near % 80,
            7 => ((1 + self.next() % 3) << 24) + (near & !15),
            _ => 2 << 62 | self.next() >> 2,
        }
    }
}

/// A device with a texture (handle 1) and a surface (2) of 16 by 8 texels of four bytes.
fn device(code: &str) -> Device {
    let device = Device::new(&module(code));
    let base = device.put(&[1f32; 128]);
    let image = Image {
        shape: Pixels::D2 { layered: false },
        layout: Layout::Squares,
        format: Format { kind: ChannelKind::Float, bits: 32, channels: 1 },
        levels: vec![Level { base, width: 16, height: 8, depth: 1, pitch: 64, slice: 512 }],
    };
    let sampler = Sampler {
        address: [Address::Wrap, Address::Mirror, Address::Border],
        linear: true,
        normalized: true,
        promoted: true,
        srgb: false,
        border: [0; 4],
        linear_levels: true,
        samples: 16,
        optimized: true,
        bias: 0.0,
        least: 0.0,
        most: 10.0,
        seamless: false,
    };
    assert_eq!(device.memory.add_object(Object::Texture(Texture { image: image.clone(), sampler })), 1);
    assert_eq!(device.memory.add_object(Object::Surface(image)), 2);
    device
}

/// Launches a case with values from this seed. Returns whether it ended without a fault.
fn launch(device: &mut Device, seed: u64) -> bool {
    let mut random = Random(seed);
    let (glob, behind) = (device.put(&[0u8; BYTES]), device.put(&[0x5au8; BYTES]));
    let mut values: Vec<u64> = (0..32 * 8).map(|_| random.value(glob)).collect();
    if seed.is_multiple_of(5) {
        // All lanes have the same values.
        (1..32).for_each(|lane| values.copy_within(..8, 8 * lane));
    }
    let tensor = TensorMap {
        address: glob,
        element: Element::U32,
        rank: 2,
        dims: [16, 16, 1, 1, 1],
        strides: [64, 0, 0, 0],
        shape: SHAPE,
        steps: [1; 5],
        interleave: Interleave::None,
        swizzle: 0,
        fill_nan: false,
    };
    let (values, map) = (device.put(&values), device.put(&tensor.words()));
    device.settings.checks = if seed.is_multiple_of(2) { Checks::ALL } else { Checks::NONE };
    device.settings.costs = seed.is_multiple_of(3);
    device.settings.budget = 1 << 22;
    let threads = [128, 32, 1, 77][seed as usize % 4];
    let args = [Arg::Ptr(values), Arg::Ptr(glob), Arg::Ptr(map)];
    let (report, _) = device.try_launch("k", [2, 1, 1], [threads, 1, 1], 0, &args);
    for finding in &report.findings {
        assert!(!one(finding, &Sources::new()).contains("mistake in the harness"), "{finding:?}");
    }
    assert_eq!(device.get::<u8>(behind, BYTES), [0x5a; BYTES], "what lies behind the kernel's memory");
    for at in [glob, behind, values, map] {
        device.memory.free(at).expect("it lives");
    }
    report.fault.is_none()
}

/// The box of the tensor map.
const SHAPE: Shape = Shape::Tiled([16, 8, 1, 1, 1]);

#[test]
fn no_value_of_a_kernel_leads_out_of_its_memory() {
    let refused = |(_, code): &(&str, &str)| {
        let memory = Arc::new(Memory::new(1 << 26));
        let error = Module::load(&module(code), &memory, Part::default_part()).err()?;
        Some(format!("{error}: {code}"))
    };
    let refused: Vec<String> = CASES.iter().filter_map(refused).collect();
    assert!(refused.is_empty(), "{}", refused.join("\n"));
    let mut without_effect = Vec::new();
    for (at, (about, code)) in CASES.iter().enumerate() {
        let mut device = device(code);
        let fine = (0..SEEDS).filter(|seed| launch(&mut device, 1000 * at as u64 + seed)).count();
        if fine == SEEDS as usize {
            without_effect.push(*about);
        }
    }
    // These accept any value; each of the others must have been stopped at least once.
    let any =
        ["hints", "copies", "lanes", "counts", "waits", "textures", "matrices", "the heap", "the runtime", "printf"];
    without_effect.retain(|about| !any.contains(about));
    assert!(without_effect.is_empty(), "never stopped: {without_effect:?}");
}
