//! Copies of boxes of tensors (`cp.async.bulk.tensor`): what they move, fill and leave out, what must be waited for,
//! and what a device rejects.

use crate::common::{Arg, Device};
use simt::finding::{FindingKind, Scope, Space, TensorMapMisuse};
use simt::machine::{Checks, Fault, Report};
use simt::tensor::{Element, Interleave, Shape, TensorMap};

/// Words of the tile in shared memory.
const WORDS: usize = 1024;

/// Returns a module with a kernel of these lines for 64 threads: `tile` has 1024 words, initially 7, `bar` is an
/// mbarrier for one arrival, `%map` the address of a tensor map, and `%out` that of 1024 words to which the tile is
/// written at the end.
fn module(lines: &str) -> String {
    format!(
        ".version 8.6
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 map, .param .u64 out)
{{
  .shared .align 1024 .b32 tile[{WORDS}];
  .shared .align 128 .b64 spare[16];
  .shared .align 8 .b64 bar;
  .reg .b64 %map, %out, %state, %at, %d<4>;
  .reg .b32 %t, %r<8>, %mine, %x, %y, %z;
  .reg .b16 %h<4>, %all;
  .reg .pred %p, %first;
  ld.param.u64 %map, [map];
  ld.param.u64 %out, [out];
  mov.u32 %t, %tid.x;
  setp.eq.u32 %first, %t, 0;
  mov.u32 %mine, tile;
  mad.lo.u32 %mine, %t, 4, %mine;
  mov.u32 %r0, 0;
  mov.u32 %x, 7;
FILL:
  st.shared.u32 [%mine], %x;
  add.u32 %mine, %mine, 256;
  add.u32 %r0, %r0, 1;
  setp.lt.u32 %p, %r0, {turns};
  @%p bra FILL;
  @%first mbarrier.init.shared::cta.b64 [bar], 1;
  fence.proxy.async.shared::cta;
  bar.sync 0;
{lines}
  ret;
}}
",
        turns = WORDS / 64
    )
}

/// Writes the tile to `%out`.
const SHOW: &str = "  mov.u32 %mine, tile;
  mad.lo.u32 %mine, %t, 4, %mine;
  mad.wide.u32 %at, %t, 4, %out;
  mov.u32 %r0, 0;
SHOW:
  ld.shared.u32 %r1, [%mine];
  st.global.u32 [%at], %r1;
  add.u32 %mine, %mine, 256;
  add.u64 %at, %at, 256;
  add.u32 %r0, %r0, 1;
  setp.lt.u32 %p, %r0, 16;
  @%p bra SHOW;
";
const WAIT: &str = "WAIT:
  mbarrier.try_wait.parity.shared::cta.b64 %p, [bar], 0;
  @!%p bra WAIT;
";

/// Returns a load by the first thread, of `bytes` bytes.
fn load(how: &str, coordinates: &str, rest: &str, bytes: u64) -> String {
    format!(
        "  @!%first bra LOADED;
  mbarrier.arrive.expect_tx.shared::cta.b64 %state, [bar], {bytes};
  cp.async.bulk.tensor.{how}.mbarrier::complete_tx::bytes [tile], [%map, {coordinates}], [bar]{rest};
LOADED:
"
    )
}

/// Returns a store by the first thread.
fn store(how: &str, coordinates: &str) -> String {
    format!(
        "  @!%first bra STORED;
  {how}.bulk_group [%map, {coordinates}], [tile];
  cp.async.bulk.commit_group;
  cp.async.bulk.wait_group 0;
STORED:
"
    )
}

/// Returns a map of a tensor without gaps, with a box.
fn map(element: Element, dims: &[u64], sizes: &[u32]) -> TensorMap {
    let whole = |list: &[u64]| -> [u64; 5] { std::array::from_fn(|at| list.get(at).copied().unwrap_or(1)) };
    let mut strides = [0; 4];
    let mut bytes = u64::from(element.bytes());
    for at in 0..dims.len() - 1 {
        bytes *= dims[at];
        strides[at] = bytes;
    }
    TensorMap {
        address: 0,
        element,
        rank: dims.len() as u32,
        dims: whole(dims),
        strides,
        shape: Shape::Tiled(std::array::from_fn(|at| sizes.get(at).copied().unwrap_or(1))),
        steps: [1; 5],
        interleave: Interleave::None,
        swizzle: 0,
        fill_nan: false,
    }
}

/// Runs a kernel of these lines on a tensor. Returns its report, the tile, and the tensor.
fn run(lines: &str, map: &TensorMap, tensor: &[u32]) -> (Report, Vec<u32>, Vec<u32>) {
    let mut device = Device::new(&module(lines));
    device.settings.checks = Checks::ALL;
    let data = device.put(tensor);
    let words = device.put(&TensorMap { address: data, ..*map }.words());
    let out = device.put(&[0u32; WORDS]);
    let (report, _) = device.try_launch("k", [1, 1, 1], [64, 1, 1], 0, &[Arg::Ptr(words), Arg::Ptr(out)]);
    (report, device.get(out, WORDS), device.get(data, tensor.len()))
}

fn fine(report: &Report) {
    assert_eq!((report.fault, report.findings.as_slice()), (None, &[][..]));
}

fn numbers(count: usize) -> Vec<u32> {
    (0..count as u32).map(|i| i * 3 + 100).collect()
}

/// A tile of 32 x 8 words out of 64 x 40, with every swizzle, from a position where it leaves the tensor and from one
/// where it does not. A row of the tile is one of 128 bytes in shared memory.
#[test]
fn a_tile_comes_swizzled() {
    let tensor = numbers(64 * 40);
    for (swizzle, width, repeats) in [(0, 32, 1), (1, 8, 4), (2, 16, 2), (3, 32, 1)] {
        for (x, y) in [(4i64, 3i64), (64 - 4, 35), (-4, -2)] {
            let map = TensorMap { swizzle, ..map(Element::U32, &[64, 40], &[width, 8 * repeats]) };
            let set = format!("  mov.u32 %x, {x};\n  mov.u32 %y, {y};\n");
            let load = load("2d.shared::cluster.global.tile", "{%x, %y}", "", 1024);
            let (report, tile, _) = run(&[&set, &load, WAIT, SHOW].concat(), &map, &tensor);
            fine(&report);
            for row in 0..8 * repeats as i64 {
                for column in 0..i64::from(width) {
                    let (i, j) = (x + column, y + row);
                    let inside = (0..64).contains(&i) && (0..40).contains(&j);
                    let expected = if inside { tensor[(64 * j + i) as usize] } else { 0 };
                    let linear = i64::from(width) * row + column;
                    // The formulas of the programming guide: chunks of 4 words in rows of 32.
                    let (line, chunk) = (linear / 32, linear % 32 / 4);
                    let mask = [0, 1, 3, 7][swizzle as usize];
                    let place = 32 * line + 4 * (chunk ^ (line & mask)) + linear % 4;
                    assert_eq!(tile[place as usize], expected, "swizzle {swizzle}, ({x}, {y}), {row}, {column}");
                }
            }
            assert_eq!(tile[256..], [7; WORDS - 256], "nothing else has changed");
        }
    }
}

/// Rows of 16 bytes are as far apart as a swizzle spans; the bytes between them are not changed. A copy back restores
/// the tensor.
#[test]
fn short_rows_have_gaps_behind_them() {
    let tensor = numbers(16 * 8);
    for (swizzle, span) in [(1u32, 8), (2, 16), (3, 32)] {
        let map = TensorMap { swizzle, ..map(Element::U32, &[16, 8], &[4, 8]) };
        let mut expected = [7; WORDS];
        for row in 0..8 {
            let (line, chunk) = (row * span / 32, row * span % 32 / 4);
            let place = 32 * line + 4 * (chunk ^ (line & [0, 1, 3, 7][swizzle as usize]));
            expected[place..place + 4].copy_from_slice(&tensor[16 * row + 4..][..4]);
        }
        let load = load("2d.shared::cluster.global", "{4, 0}", "", 128);
        let (report, tile, _) = run(&[&load, WAIT, SHOW].concat(), &map, &tensor);
        fine(&report);
        assert_eq!(tile, expected, "swizzle {swizzle}");
        let store = store("cp.async.bulk.tensor.2d.global.shared::cta", "{8, 0}");
        let (report, _, tensor) = run(&[&load, WAIT, MEET, &store].concat(), &map, &tensor);
        fine(&report);
        for row in 0..8 {
            assert_eq!(tensor[16 * row + 8..][..4], tensor[16 * row + 4..][..4], "swizzle {swizzle}, row {row}");
        }
    }
}

/// Every number of dimensions, to the block's own shared memory, with steps.
#[test]
fn one_to_five_dimensions() {
    let dims = [8u64, 5, 4, 3, 3];
    let sizes = [4u32, 3, 2, 2, 3];
    let tensor = numbers(8 * 5 * 4 * 3 * 3);
    for rank in 1..=5 {
        let mut map = map(Element::S32, &dims[..rank], &sizes[..rank]);
        map.steps = [1, 2, 1, 2, 2];
        let count = |d: usize| if d < rank { u64::from(sizes[d].div_ceil(map.steps[d])) } else { 1 };
        let bytes = 4 * (0..5).map(count).product::<u64>();
        let begin = |d: usize| if d == 0 { 4 } else { 1 };
        let list = (0..rank).map(|d| begin(d).to_string()).collect::<Vec<_>>().join(", ");
        let load = load(&format!("{rank}d.shared::cta.global.tile"), &format!("{{{list}}}"), "", bytes);
        let (report, tile, _) = run(&[&load, WAIT, SHOW].concat(), &map, &tensor);
        fine(&report);
        for number in 0..bytes / 4 {
            let (mut rest, mut at, mut pitch, mut inside) = (number, 0, 1, true);
            for d in 0..rank {
                let here = begin(d) + rest % count(d) * if d == 0 { 1 } else { u64::from(map.steps[d]) };
                inside &= here < dims[d];
                at += here * pitch;
                pitch *= dims[d];
                rest /= count(d);
            }
            let expected = if inside { tensor[at as usize] } else { 0 };
            assert_eq!(tile[number as usize], expected, "{rank} dimensions, word {number}");
        }
        assert_eq!(tile[bytes as usize / 4], 7);
    }
}

#[test]
fn what_lies_outside_is_filled() {
    let tensor = [0x3f80_0fff; 64];
    for (element, inside) in [(Element::F32, 0x3f80_0fff), (Element::Tf32, 0x3f80_0000), (Element::Bf16, 0x3f80_0fff)] {
        let size = if element == Element::Bf16 { 2 } else { 1 };
        let map = TensorMap { fill_nan: true, ..map(element, &[62 * size], &[4 * size as u32]) };
        let load = load("1d.shared::cluster.global", &format!("{{{}}}", 60 * size), "", 16);
        let (report, tile, _) = run(&[&load, WAIT, SHOW].concat(), &map, &tensor);
        fine(&report);
        assert_eq!(tile[..4], [inside, inside, 0x7ff7_7ff7, 0x7ff7_7ff7], "{element:?}");
    }
}

/// Fills the tile with its own numbers.
const COUNT: &str = "  mov.u32 %mine, tile;
  mad.lo.u32 %mine, %t, 4, %mine;
  st.shared.u32 [%mine], %t;
";
const FENCE: &str = "  fence.proxy.async.shared::cta;
";
const MEET: &str = "  bar.sync 0;
";

#[test]
fn a_tile_goes_and_what_lies_outside_stays() {
    for (x, y) in [(4i32, 3i32), (12, 6)] {
        let map = TensorMap { swizzle: 1, ..map(Element::U32, &[16, 8], &[8, 8]) };
        let store = store("cp.async.bulk.tensor.2d.global.shared::cta.tile", &format!("{{{x}, {y}}}"));
        let (report, _, tensor) = run(&[COUNT, FENCE, MEET, &store].concat(), &map, &[9; 128]);
        fine(&report);
        for (i, &got) in (0..).zip(&tensor) {
            let (column, row) = (i % 16 - x, i / 16 - y);
            let inside = (0..8).contains(&column) && (0..8).contains(&row);
            let (line, chunk) = (8 * row / 32, (8 * row + column) % 32 / 4);
            let place = 32 * line + 4 * (chunk ^ (line & 1)) + column % 4;
            assert_eq!(got, if inside { place as u32 } else { 9 }, "({x}, {y}), word {i}");
        }
    }
}

#[test]
fn stores_write_whole_pieces() {
    let map = map(Element::U32, &[6], &[8]);
    let store = store("cp.async.bulk.tensor.1d.global.shared::cta.tile", "{0}");
    let (report, _, tensor) = run(&[COUNT, FENCE, MEET, &store].concat(), &map, &[9; 16]);
    fine(&report);
    assert_eq!(tensor[..10], [0, 1, 2, 3, 4, 5, 6, 7, 9, 9], "the tensor ends inside the second piece");
}

#[test]
fn reductions_of_tensors() {
    type Combine = fn(u32, u32) -> u32;
    let operations: [(&str, Element, Combine); 6] = [
        ("add", Element::U32, |a, b| a + b),
        ("min", Element::S32, |a, b| a.min(b)),
        ("max", Element::U32, |a, b| a.max(b)),
        ("inc", Element::U32, |a, b| if a >= b { 0 } else { a + 1 }),
        ("xor", Element::S32, |a, b| a ^ b),
        ("or", Element::U32, |a, b| a | b),
    ];
    for (name, element, combine) in operations {
        let map = map(element, &[8, 8], &[8, 8]);
        let store = store(&format!("cp.reduce.async.bulk.tensor.2d.global.shared::cta.{name}.tile"), "{0, 1}");
        let (report, _, tensor) = run(&[COUNT, FENCE, MEET, &store].concat(), &map, &[20; 64]);
        fine(&report);
        for (i, &got) in (0..).zip(&tensor) {
            assert_eq!(got, if i < 8 { 20 } else { combine(20, i - 8) }, "{name}, word {i}");
        }
    }
    let halves = map(Element::F16, &[16, 8], &[16, 4]);
    let store = store("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add", "{0, 0}");
    let one = COUNT.replace("%t;\n", "0x3c003800;\n");
    let (report, _, tensor) = run(&[&one, FENCE, MEET, &store].concat(), &halves, &[0x4000_3c00; 64]);
    fine(&report);
    assert_eq!((tensor[0], tensor[31], tensor[32]), (0x4200_3e00, 0x4200_3e00, 0x4000_3c00));
    for (name, element, one, other, result) in [
        ("min", Element::F16, 0x3c00_4000, 0x4000_bc00, 0x3c00_bc00),
        ("max", Element::Bf16, 0x7fff_8000, 0x4000_0000, 0x4000_0000),
    ] {
        let halves = map(element, &[16, 8], &[16, 4]);
        let put = COUNT.replace("%t;\n", &format!("{one};\n"));
        let store = self::store(&format!("cp.reduce.async.bulk.tensor.2d.global.shared::cta.{name}"), "{0, 0}");
        let (report, _, tensor) = run(&[&put, FENCE, MEET, &store].concat(), &halves, &[other; 64]);
        fine(&report);
        assert_eq!((tensor[0], tensor[31], tensor[32]), (result, result, other), "{name}");
    }
    // 2^-139 twice; types with FTZ treat it as zero.
    for (element, sum) in [(Element::F32, 0x800), (Element::F32Ftz, 0)] {
        let map = map(element, &[8, 8], &[8, 4]);
        let small = COUNT.replace("%t;\n", "0x400;\n");
        let (report, _, tensor) = run(&[&small, FENCE, MEET, &store].concat(), &map, &[0x400; 64]);
        fine(&report);
        assert_eq!((tensor[0], tensor[31], tensor[32]), (sum, sum, 0x400), "{element:?}");
    }
    // Bytes have no sums, and neither have signed 64-bit integers.
    for (element, sizes) in [(Element::U8, [16, 4]), (Element::S64, [4, 4])] {
        let map = map(element, &[16, 8], &sizes);
        let (report, ..) = run(&[COUNT, FENCE, MEET, &store].concat(), &map, &[0; 256]);
        assert_eq!(report.findings[0].kind, FindingKind::InvalidTensorMap { misuse: TensorMapMisuse::Operation });
    }
}

/// Pixels of a convolution: 4 channels, 6 x 5 pixels, 2 images; a filter of 3 x 3 with a border of one pixel.
#[test]
fn columns_of_pixels() {
    let tensor = numbers(4 * 6 * 5 * 2);
    let shape = Shape::Im2col { lower: [-1, -1, 0], upper: [-1, -1, 0], channels: 4, pixels: 16 };
    let map = TensorMap { shape, ..map(Element::F32, &[4, 6, 5, 2], &[]) };
    let set = "  mov.u16 %h0, 2;\n  mov.u16 %h1, 1;\n";
    let load = load("4d.shared::cluster.global.im2col", "{0, 3, 2, 0}", ", {%h0, %h1}", 256);
    let (report, tile, _) = run(&[set, &load, WAIT, SHOW].concat(), &map, &tensor);
    fine(&report);
    // Filters begin at -1 and end at 6 - 1 - 1 = 4, so that there are six in a row; likewise five rows.
    let (mut w, mut h, mut n) = (3i64, 2i64, 0i64);
    for pixel in 0..16 {
        let (x, y) = (w + 2, h + 1);
        for channel in 0..4 {
            let inside = (0..6).contains(&x) && (0..5).contains(&y) && n < 2;
            let expected = if inside { tensor[(channel + 4 * (x + 6 * (y + 5 * n))) as usize] } else { 0 };
            assert_eq!(tile[(4 * pixel + channel) as usize], expected, "pixel {pixel}, channel {channel}");
        }
        w += 1;
        if w > 4 {
            (w, h) = (-1, h + 1);
        }
        if h > 3 {
            (h, n) = (-1, n + 1);
        }
    }
    // A copy back to the same pixels, without offsets; no pixel may lie before the tensor.
    let shape = Shape::Im2col { lower: [0; 3], upper: [-1, -1, 0], channels: 4, pixels: 16 };
    let map = TensorMap { shape, ..map };
    let store = store("cp.async.bulk.tensor.4d.global.shared::cta.im2col_no_offs", "{0, 3, 2, 0}");
    let (report, _, tensor) = run(&[COUNT, FENCE, MEET, &store].concat(), &map, &tensor);
    fine(&report);
    assert_eq!(tensor[4 * (3 + 6 * 2)..][..8], [0, 1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(tensor[4 * 6 * 3..][..4], [8, 9, 10, 11], "the next row");
}

#[test]
fn all_blocks_of_a_cluster_get_a_tile() {
    let lines = "  mov.u32 %r2, %cluster_ctarank;
  setp.eq.u32 %p, %r2, 0;
  and.pred %p, %p, %first;
  @%first mbarrier.arrive.expect_tx.shared::cta.b64 %state, [bar], 256;
  barrier.cluster.arrive;
  barrier.cluster.wait;
  mov.u16 %all, 5;
  @%p cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint [tile], [%map, {0, 1}], [bar], %all, 0;
  setp.eq.u32 %p, %r2, 1;
  @%p bra DONE;
";
    let end = "DONE:
  mul.wide.u32 %at, %r2, 4096;
  add.u64 %out, %out, %at;
";
    let tensor = numbers(16 * 8);
    let mut device = Device::new(&module(&[lines, WAIT, end, SHOW].concat()));
    device.settings.checks = Checks::ALL;
    device.cluster = Some([3, 1, 1]);
    let data = device.put(&tensor);
    let words = device.put(&TensorMap { address: data, ..map(Element::U32, &[16, 8], &[8, 8]) }.words());
    let out = device.put(&[0u32; 3 * WORDS]);
    let (report, _) = device.try_launch("k", [3, 1, 1], [64, 1, 1], 0, &[Arg::Ptr(words), Arg::Ptr(out)]);
    fine(&report);
    let tile: Vec<u32> = (0..64).map(|i| if i < 56 { tensor[16 * (1 + i / 8) + i % 8] } else { 0 }).collect();
    for rank in 0..3 {
        let expected = if rank == 1 { vec![7; 64] } else { tile.clone() };
        assert_eq!(device.get::<u32>(out + 4096 * rank, 64), expected, "block {rank}");
    }
}

/// Nothing is copied, and no row is read: the largest box has 2^32 rows, which no shared memory bounds here.
#[test]
fn a_multicast_to_no_block_copies_nothing() {
    let load = "  mov.u16 %all, 0;
  @%first cp.async.bulk.tensor.5d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [tile], [%map, {0, 0, 0, 0, 0}], [bar], %all;
";
    let (report, tile, _) = run(&[load, SHOW].concat(), &map(Element::U8, &[256; 5], &[256; 5]), &numbers(64));
    fine(&report);
    assert_eq!(tile[..64], [7; 64]);
}

/// Hints are accepted and do nothing.
#[test]
fn hints_and_fences_do_nothing() {
    let lines = "  prefetch.tensormap [%map];
  fence.proxy.tensormap::generic.acquire.gpu [%map], 128;
  fence.proxy.tensormap::generic.release.gpu;
  mov.u16 %h0, 0;
  mov.u64 %d0, 0;
  cp.async.bulk.prefetch.tensor.2d.L2.global.tile.L2::cache_hint [%map, {%t, %t}], %d0;
  cp.async.bulk.prefetch.tensor.3d.L2.global.im2col [%map, {%t, %t, %t}], {%h0};
";
    let (report, tile, _) = run(&[lines, SHOW].concat(), &map(Element::U32, &[16, 8], &[8, 8]), &[1; 128]);
    fine(&report);
    assert_eq!(tile, [7; WORDS]);
}

fn races(report: &Report, scope: Scope) -> bool {
    report.findings.iter().any(|f| f.kind == FindingKind::Race { space: Space::Shared, scope })
}

#[test]
fn a_tile_that_nobody_has_waited_for_has_not_come() {
    let map = map(Element::U32, &[16, 8], &[8, 8]);
    let load = load("2d.shared::cluster.global", "{0, 0}", "", 256);
    let (report, ..) = run(&[&load, SHOW].concat(), &map, &[1; 128]);
    assert!(races(&report, Scope::Block), "{:#?}", report.findings);
    let early = store("cp.async.bulk.tensor.2d.global.shared::cta", "{0, 0}").replace("wait_group 0", "wait_group 1");
    let (report, ..) = run(&[COUNT, FENCE, MEET, &early, MEET, COUNT].concat(), &map, &[1; 128]);
    assert!(races(&report, Scope::Block), "{:#?}", report.findings);
    let remedy = report.findings[0].remedy.as_deref().unwrap_or_default();
    assert!(remedy.contains("wait_group"), "{remedy}");
}

/// A barrier alone does not order a store before a copy. The fence may be on either side of it.
#[test]
fn a_missing_fence_of_proxies_is_a_race() {
    let map = map(Element::U32, &[16, 8], &[8, 8]);
    let store = store("cp.async.bulk.tensor.2d.global.shared::cta", "{0, 0}");
    let behind = store.replace("STORED;\n", &format!("STORED;\n{FENCE}"));
    for right in [[COUNT, FENCE, MEET, &store].concat(), [COUNT, MEET, &behind].concat()] {
        fine(&run(&right, &map, &[1; 128]).0);
    }
    for wrong in [[COUNT, MEET, &store].concat(), [FENCE, COUNT, MEET, &store].concat()] {
        let (report, ..) = run(&wrong, &map, &[1; 128]);
        assert_eq!(report.fault, None);
        assert!([Scope::Thread, Scope::Warp, Scope::Block].iter().any(|scope| races(&report, *scope)));
        let remedy = report.findings[0].remedy.as_deref().unwrap_or_default();
        assert!(remedy.contains("fence.proxy.async"), "{remedy}");
    }
    // Bytes that a copy has written may be copied again.
    let load = load("2d.shared::cluster.global", "{0, 0}", "", 256);
    fine(&run(&[COUNT, MEET, &load, WAIT, &store].concat(), &map, &[1; 128]).0);
}

/// Returns the finding of a kernel that a device stops, and all its text.
fn refused(lines: &str, map: &TensorMap, fault: Fault) -> (FindingKind, String) {
    let (report, ..) = run(lines, map, &[1; 128]);
    assert_eq!(report.fault, Some(fault), "{lines}: {:#?}", report.findings);
    let finding = &report.findings[0];
    assert!(finding.accesses[0].place.ptx_line > 0, "{finding:#?}");
    (finding.kind.clone(), finding.notes.join("; "))
}

#[test]
fn misuse_is_told() {
    let map = map(Element::U32, &[16, 8], &[8, 8]);
    let good = load("2d.shared::cluster.global", "{0, 0}", "", 256);
    let misuse = |lines: &str, misuse: TensorMapMisuse| {
        let (kind, notes) = refused(lines, &map, Fault::IllegalInstruction);
        assert_eq!(kind, FindingKind::InvalidTensorMap { misuse });
        notes
    };
    misuse(&good.replace("[%map,", "[%map+32,"), TensorMapMisuse::Misaligned);
    misuse(&good.replace("[%map,", "[%out,"), TensorMapMisuse::NotAMap);
    let local = "  mov.u64 %d0, spare;\n  cvta.shared.u64 %map, %d0;\n";
    misuse(&[local, &good].concat(), TensorMapMisuse::Space);
    let deep = load("3d.shared::cluster.global", "{0, 0, 0}", "", 256);
    let notes = misuse(&deep, TensorMapMisuse::Rank { map: 2, asked: 3 });
    assert!(notes.contains("16 x 8 elements of 4 bytes") && notes.contains("box of 8 x 8 (256 bytes)"), "{notes}");
    // Elements of 4 bytes: a box may begin at every fourth of them, also outside the tensor, and in any row.
    let odd = |way: &dyn Fn(&str) -> String, at: i32| {
        misuse(&way(&format!("{{{at}, 3}}")), TensorMapMisuse::Coordinate { at, bytes: 4 });
    };
    odd(&|at| load("2d.shared::cluster.global", at, "", 256), 2);
    odd(&|at| store("cp.async.bulk.tensor.2d.global.shared::cta", at), -3);
    for (place, at) in [("{-4, 3}", -4), ("{4, -2}", -2)] {
        misuse(&store("cp.async.bulk.tensor.2d.global.shared::cta", place), TensorMapMisuse::Before { at });
    }
    let (report, ..) = run(&load("2d.shared::cluster.global", "{-4, 3}", "", 256), &map, &[1; 128]);
    fine(&report);
    let spare = good.replace("[%map,", "[%d0,");
    let (kind, _) = refused(&["  mov.u64 %d0, 64;\n", &spare].concat(), &map, Fault::IllegalAddress);
    assert_eq!(kind, FindingKind::NullPointer);
    // The wrong mode, on a map of three dimensions.
    let column = TensorMap { dims: [16, 4, 2, 1, 1], rank: 3, strides: [64, 256, 0, 0], ..map };
    let set = "  mov.u16 %h0, 0;\n";
    let pixels = load("3d.shared::cluster.global.im2col", "{0, 0, 0}", ", {%h0}", 256);
    let (kind, _) = refused(&[set, &pixels].concat(), &column, Fault::IllegalInstruction);
    assert_eq!(kind, FindingKind::InvalidTensorMap { misuse: TensorMapMisuse::Mode });
}

#[test]
fn places_of_boxes_are_checked() {
    let fits = map(Element::U32, &[16, 8], &[8, 8]);
    let good = load("2d.shared::cluster.global", "{0, 0}", "", 256);
    let (kind, _) = refused(&good.replace("[tile]", "[tile+64]"), &fits, Fault::MisalignedAddress);
    assert_eq!(kind, FindingKind::Misaligned { space: Space::Shared, required: 128 });
    // More than the tile can hold.
    let large = map(Element::U32, &[16, 8], &[256, 256]);
    let (kind, notes) = refused(&good, &large, Fault::IllegalAddress);
    assert_eq!(kind, FindingKind::OutOfBounds { space: Space::Shared });
    assert!(notes.contains("box of 256 x 256 (262144 bytes)"), "{notes}");
    // The tensor is larger than its memory.
    let beyond = map(Element::U32, &[16, 800], &[8, 8]);
    let (kind, notes) = refused(&good.replace("{0, 0}", "{0, 600}"), &beyond, Fault::IllegalAddress);
    assert_eq!(kind, FindingKind::OutOfBounds { space: Space::Global });
    assert!(notes.contains("16 x 800 elements"), "{notes}");
    let shape = Shape::Im2col { lower: [0; 3], upper: [0; 3], channels: 16, pixels: 2 };
    let sliced = TensorMap { interleave: Interleave::B32, shape, ..map(Element::U32, &[16, 4, 2], &[]) };
    let pixels = |at: &str| load("3d.shared::cluster.global.im2col", at, ", {%h0}", 64);
    let set = "  mov.u16 %h0, 0;\n";
    // A column begins between the corners.
    let (kind, _) = refused(&[set, &pixels("{16, 0, 0}")].concat(), &sliced, Fault::IllegalInstruction);
    assert_eq!(kind, FindingKind::InvalidTensorMap { misuse: TensorMapMisuse::Corners { at: 16, first: 0, last: 15 } });
}

/// A kernel creates a map from another one: in shared memory, then in global memory.
#[test]
fn kernels_change_maps() {
    let lines = "  setp.lt.u32 %p, %t, 16;
  mad.wide.u32 %at, %t, 8, %map;
  mov.u32 %r1, spare;
  mad.lo.u32 %r2, %t, 8, %r1;
  @%p ld.global.u64 %d0, [%at];
  @%p st.shared.u64 [%r2], %d0;
  bar.sync 0;
  cvt.u64.u32 %d1, %r1;
  mov.u32 %y, 4;
  @%first tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%d1], 1, %y;
  @%first tensormap.replace.tile.rank.shared::cta.b1024.b32 [%d1], 1;
  @%first tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%d1], 7;
  @%first tensormap.replace.tile.fill_mode.shared::cta.b1024.b32 [%d1], 1;
  @%first tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%d1], 1, 3;
  bar.sync 0;
  setp.ge.u32 %p, %t, 32;
  @%p bra NEXT;
  tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%out], [%d1], 128;
NEXT:
  bar.sync 0;
  fence.proxy.tensormap::generic.acquire.gpu [%out], 128;
  mov.u64 %map, %out;
";
    let before = map(Element::U32, &[16, 8], &[8, 8]);
    let load = load("2d.shared::cluster.global", "{4, 0}", "", 128);
    let (report, tile, _) = run(&[lines, &load, WAIT, MEET, SHOW].concat(), &before, &numbers(128));
    fine(&report);
    let expected: Vec<u32> =
        (0..32).map(|i| if i < 24 { 100 + 3 * (16 * (i / 8) + 4 + i % 8) } else { 0x7ff7_7ff7 }).collect();
    assert_eq!(tile[..32], expected);
    assert_eq!(tile[32], 7);
    // A box of 300.
    let wrong = lines.replace("mov.u32 %y, 4", "mov.u32 %y, 300");
    let (kind, _) = refused(&wrong, &before, Fault::IllegalInstruction);
    assert_eq!(kind, FindingKind::InvalidTensorMap { misuse: TensorMapMisuse::Field });
}

/// Returns the report of a load through a map with these words.
fn load_by(words: &[u64; 16], lines: &str) -> Report {
    let mut device = Device::new(&module(lines));
    device.settings.checks = Checks::ALL;
    let (at, out) = (device.put(words), device.put(&[0u32; WORDS]));
    let (report, _) = device.try_launch("k", [1, 1, 1], [64, 1, 1], 0, &[Arg::Ptr(at), Arg::Ptr(out)]);
    report
}

/// Asserts that a load through these words stops the kernel because the driver did not create them.
fn is_forged(words: &[u64; 16], lines: &str) {
    let report = load_by(words, lines);
    assert_eq!(report.fault, Some(Fault::IllegalInstruction), "{words:x?}");
    assert_eq!(report.findings[0].kind, FindingKind::InvalidTensorMap { misuse: TensorMapMisuse::NotAMap });
    let told = simt::report::one(&report.findings[0], &simt::report::Sources::new());
    assert!(told.contains("was not made by the driver"), "{told}");
}

/// Returns what can be computed without the key of the process: the words of a map and a constant digest of them.
fn forged(mut words: [u64; 16]) -> [u64; 16] {
    let digest = |sum: u64, word: &u64| (sum.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    words[15] = u64::from_le_bytes(*b"TensorMp") ^ words[..15].iter().fold(0, digest);
    words
}

/// A map whose words a kernel wrote is not a map, whatever it says: a box of 6000 elements of 8 bytes, and one of 2^57
/// rows of 128 bytes, whose size wraps to 0.
#[test]
fn maps_that_kernels_wrote_are_refused() {
    let good = load("1d.shared::cluster.global", "{0}", "", 128);
    let long = [1 << 20, 1 | 4 << 8, 4095, 0, 0, 0, 0, 0, 0, 0x01_0101_0101, 0x1770 | 1 << 16 | 1 << 32 | 1 << 48, 1];
    let sizes = [16 | 32768 << 16 | 16384 << 32 | 16384 << 48, 16384];
    let many = [1 << 20, 5 | 4 << 8, 15, 0, 0, 0, 0, 0, 0, 0x01_0101_0101, sizes[0], sizes[1]];
    for list in [long, many] {
        let words = std::array::from_fn(|at| list.get(at).copied().unwrap_or(0));
        is_forged(&forged(words), &good);
        is_forged(&words, &good);
    }
}

/// A kernel changes one word of a map that the driver created, without `tensormap.replace`.
#[test]
fn a_map_that_a_kernel_edited_is_refused() {
    let words = TensorMap { address: 1 << 20, ..map(Element::U32, &[16, 8], &[8, 8]) }.words();
    let good = load("2d.shared::cluster.global", "{0, 0}", "", 256);
    for at in 0..16 {
        let place = 8 * at;
        let edit = format!(
            "  @%first ld.global.u64 %d0, [%map+{place}];\n  xor.b64 %d0, %d0, 16;\n  @%first st.global.u64 [%map+{place}], %d0;\n"
        );
        is_forged(&words, &[&edit, MEET, &good].concat());
        // A later `tensormap.replace` does not make it valid either.
        let replace = "  mov.u32 %y, 1;\n  @%first tensormap.replace.tile.fill_mode.global.b1024.b32 [%map], %y;\n";
        is_forged(&words, &[&edit, MEET, replace, &good].concat());
    }
}

/// Fields beyond their limits stop a copy even where the words are authentic.
#[test]
fn fields_are_checked_when_a_map_is_used() {
    let fine = map(Element::U64, &[16, 8], &[8, 8]);
    let limits: [fn(&mut TensorMap); 6] = [
        |map| map.shape = Shape::Tiled([6000, 1, 1, 1, 1]),
        |map| map.shape = Shape::Tiled([16, 32768, 16384, 16384, 16384]),
        |map| map.steps[1] = 9,
        |map| map.strides[0] = 24,
        |map| map.swizzle = 4,
        |map| map.address += 8,
    ];
    for (at, change) in limits.into_iter().enumerate() {
        let mut map = TensorMap { address: 1 << 20, ..fine };
        change(&mut map);
        let report = load_by(&map.words(), &load("2d.shared::cluster.global", "{0, 0}", "", 256));
        assert_eq!(report.fault, Some(Fault::IllegalInstruction), "change {at}");
        assert_eq!(
            report.findings[0].kind,
            FindingKind::InvalidTensorMap { misuse: TensorMapMisuse::Field },
            "change {at}"
        );
    }
}

/// The largest strides lead outside of all memory, instead of wrapping around the address space.
#[test]
fn addresses_of_rows_do_not_wrap() {
    let far = TensorMap { strides: [(1 << 40) - 16; 4], dims: [1 << 32; 5], rank: 3, ..map(Element::U32, &[16], &[8]) };
    let good = load("3d.shared::cluster.global", "{0, 2147483647, 2147483647}", "", 32);
    let (kind, _) = refused(&good, &far, Fault::IllegalAddress);
    assert_eq!(kind, FindingKind::OutOfBounds { space: Space::Global });
}
