//! Matrix products by a warpgroup (`wgmma`), compared with plain integer arithmetic.

use crate::common::{Arg, Device};
use simt::finding::{FindingKind, Space, WarpgroupMisuse};
use simt::instr::alu::soft::{self, Format, Round};
use simt::machine::{Checks, Report};

/// Bytes of shared memory that contain the matrices.
const AREA: usize = 32768;
/// The start of B.
const B: usize = 16384;

/// A product: its type and shape, and the layout of its factors.
#[derive(Clone, Debug)]
struct Product {
    columns: usize,
    /// Types of the sums, of A and of B.
    types: [&'static str; 3],
    /// Mode of the swizzle: 0 none, 1 128 bytes, 2 64 bytes, 3 32 bytes.
    mode: u64,
    transposed: [bool; 2],
    /// Whether A is in registers.
    registers: bool,
    /// The scale factors of A and B.
    scales: [i32; 2],
    /// The offset of the depth's start from the start of a swizzled tile, in bytes.
    inside: u64,
    saturates: bool,
    /// For a sparse A: which threads of each four provide the metadata.
    sparse: Option<usize>,
}

impl Product {
    fn new(columns: usize, types: [&'static str; 3]) -> Product {
        Product {
            columns,
            types,
            mode: 0,
            transposed: [false; 2],
            registers: false,
            scales: [1; 2],
            inside: 0,
            saturates: false,
            sparse: None,
        }
    }

    fn bits(&self) -> usize {
        match self.types[1] {
            "f16" | "bf16" => 16,
            "tf32" => 32,
            "b1" => 1,
            _ => 8,
        }
    }

    /// Returns the depth of the numbers in A.
    fn depth(&self) -> usize {
        256 / self.bits()
    }

    /// Returns the depth of B, and of the product.
    fn depth_of_b(&self) -> usize {
        self.depth() * if self.sparse.is_some() { 2 } else { 1 }
    }

    /// Returns which numbers of each four in a row are kept; for wide numbers, which of each two.
    fn kept(row: usize, four: usize) -> [usize; 2] {
        [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]][(row * 5 + four * 7 + row * four) % 6]
    }

    /// Returns the position in B's depth that corresponds to a number of a row of A.
    fn met(&self, row: usize, k: usize) -> usize {
        match (self.sparse, self.bits()) {
            (None, _) => k,
            (_, 32) => 2 * k + Self::kept(row, k)[0] % 2,
            _ => k / 2 * 4 + Self::kept(row, k / 2)[k % 2],
        }
    }

    /// Returns the metadata words of all threads. Threads that do not provide metadata have an invalid word.
    fn metadata(&self) -> Vec<u32> {
        let mut words = vec![0x4444_4444; 128];
        let Some(selector) = self.sparse else { return words };
        let fours = self.depth_of_b() / if self.bits() == 32 { 2 } else { 4 };
        for (row, four) in (0..64).flat_map(|row| (0..fours).map(move |four| (row, four))) {
            let (group, upper) = (row / 16 * 32 + row % 8 * 4, row / 8 % 2);
            // For 8-bit numbers, each thread of a group has half of a row; for wider ones, two threads have all of two
            // rows.
            let (thread, low) = match self.bits() {
                8 => (group + upper + four / 8 * 2, four % 8 * 4),
                _ => (group + 2 * selector + four / 4, 16 * upper + four % 4 * 4),
            };
            let bits = match (self.bits(), Self::kept(row, four)) {
                (32, [first, _]) => [0b0100, 0b1110][first % 2],
                (_, [first, second]) => (first | second << 2) as u32,
            };
            words[thread] = words[thread] & !(15 << low) | bits << low;
        }
        words
    }

    fn is_float(&self) -> bool {
        self.types[0] != "s32"
    }

    fn sums(&self) -> usize {
        self.columns / if self.types[0] == "f16" { 4 } else { 2 }
    }

    /// Returns the bytes of a row of a swizzled tile; 16 without a swizzle.
    fn width(&self) -> usize {
        [16, 128, 64, 32][self.mode as usize]
    }

    /// Returns the offsets between core matrices that these tests use, for `count` rows (or columns): leading and
    /// stride.
    fn offsets(&self, count: usize, transposed: bool) -> (usize, usize) {
        match (transposed, self.mode) {
            (false, 0) => (count * 16, 128),
            (false, _) => (0, 8 * self.width()),
            // Groups of eight follow each other, then those of the second half of the depth.
            (true, 0) => (count * 16, 128),
            // A tile is as wide as the swizzle and eight deep; the tiles along the depth follow each other.
            (true, _) => (self.depth_of_b() * self.width(), 8 * self.width()),
        }
    }

    /// Returns the offset of a byte of a factor: `byte` bytes along the depth in row (or column) `at`.
    fn place(&self, count: usize, transposed: bool, at: usize, byte: usize) -> usize {
        let (leading, stride) = self.offsets(count, transposed);
        let width = self.width();
        let linear = if transposed {
            let (k, part) = (byte / 2, byte % 2);
            if self.mode == 0 {
                at / 8 * stride + k / 8 * leading + k % 8 * 16 + at % 8 * 2 + part
            } else {
                let across = width / 2;
                at / across * leading + k / 8 * stride + k % 8 * width + at % across * 2 + part
            }
        } else if self.mode == 0 {
            at / 8 * stride + at % 8 * 16 + byte / 16 * leading + byte % 16
        } else {
            at / 8 * stride + at % 8 * width + byte + self.inside as usize
        };
        let row = linear / 128 % (width / 16);
        if self.mode == 0 { linear } else { linear ^ (row * 16) }
    }

    fn descriptor(&self, start: usize, count: usize, transposed: bool) -> u64 {
        let (leading, stride) = self.offsets(count, transposed);
        let start = start as u64 + self.inside;
        start >> 4 | (leading as u64 >> 4) << 16 | (stride as u64 >> 4) << 32 | self.mode << 62
    }

    /// Returns the kernel: it copies the image to shared memory, multiplies, and stores all registers of all threads.
    fn ptx(&self) -> String {
        let [d, a, b] = self.types;
        let (n, k, sums) = (self.columns, self.depth_of_b(), self.sums());
        let (sparse, kept) = match self.sparse {
            Some(selector) => (".sp", format!(" %a4, {selector},")),
            None => ("", String::new()),
        };
        let list = |letter: char, count: usize| {
            let names: Vec<String> = (0..count).map(|at| format!("%{letter}{at}")).collect();
            format!("{{{}}}", names.join(", "))
        };
        let first = if self.registers { list('a', 4) } else { "%da".into() };
        let mut rest = String::new();
        if self.is_float() {
            rest += &format!(", {}, {}", self.scales[0], self.scales[1]);
        }
        if self.bits() == 16 {
            for (at, transposed) in self.transposed.iter().enumerate() {
                if at == 1 || !self.registers {
                    rest += &format!(", {}", u32::from(*transposed));
                }
            }
        }
        let (satfinite, popc) =
            (if self.saturates { ".satfinite" } else { "" }, if self.bits() == 1 { ".and.popc" } else { "" });
        let register = if self.types[0] == "f32" { "f32" } else { "b32" };
        let mut load = String::new();
        let mut store = String::new();
        for at in 0..sums {
            load += &format!("    ld.global.{register} %s{at}, [%sums+{}];\n", 4 * at);
            store += &format!("    st.global.{register} [%sums+{}], %s{at};\n", 4 * at);
        }
        for at in 0..5 {
            load += &format!("    ld.global.b32 %a{at}, [%rows+{}];\n", 4 * at);
        }
        format!(
            ".version 8.4\n.target sm_90a\n.address_size 64
.visible .entry product(.param .u64 image, .param .u64 rows, .param .u64 sums, .param .u64 da, .param .u64 db, .param .u32 adds)
{{
    .reg .pred %p<3>; .reg .b32 %r<9>; .reg .b64 %x<9>; .reg .{register} %s<{sums}>; .reg .b32 %a<5>;
    .reg .b64 %image, %rows, %sums, %da, %db;
    .shared .align 1024 .b8 area[{AREA}];
    ld.param.u64 %image, [image]; ld.param.u64 %rows, [rows]; ld.param.u64 %sums, [sums];
    ld.param.u64 %da, [da]; ld.param.u64 %db, [db]; ld.param.u32 %r0, [adds];
    setp.ne.u32 %p0, %r0, 0;
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %x0, %r1, {row};
    add.u64 %rows, %rows, %x0;
    mul.wide.u32 %x0, %r1, {own};
    add.u64 %sums, %sums, %x0;
{load}
    shl.b32 %r2, %r1, 2;
    mov.u32 %r4, area;
COPY:
    cvt.u64.u32 %x1, %r2;
    add.u64 %x2, %image, %x1;
    ld.global.b32 %r3, [%x2];
    add.u32 %r5, %r4, %r2;
    st.shared.b32 [%r5], %r3;
    add.u32 %r2, %r2, 512;
    setp.lt.u32 %p1, %r2, {AREA};
    @%p1 bra COPY;
    fence.proxy.async.shared::cta;
    bar.sync 0;
    wgmma.fence.sync.aligned;
    wgmma.mma_async{sparse}.sync.aligned.m64n{n}k{k}{satfinite}.{d}.{a}.{b}{popc} {list}, {first}, %db,{kept} %p0{rest};
    wgmma.commit_group.sync.aligned;
    wgmma.wait_group.sync.aligned 0;
{store}
    ret;
}}
",
            row = 20,
            own = 4 * sums,
            list = list('s', sums),
        )
    }
}

/// Returns the bits of an integer as an element.
fn element(ty: &str, value: i32) -> u32 {
    let format = match ty {
        "f16" => soft::F16,
        "bf16" => soft::BF16,
        "tf32" | "f32" => soft::F32,
        "e4m3" => Format { mantissa: 3, exponent: 4 },
        "e5m2" => Format { mantissa: 2, exponent: 5 },
        "s8" | "u8" => return value as u32 & 0xff,
        _ => return value as u32,
    };
    format.pack(Round::Nearest, value < 0, 0, value.unsigned_abs().into()) as u32
}

/// Returns a small integer.
fn number(ty: &str, at: usize, k: usize, seed: usize) -> i32 {
    let value = ((at * 7 + k * 11 + at * k + seed) % 5) as i32 - 2;
    match ty {
        "u8" => value + 130,
        "b1" => i32::from(value > 0),
        _ => value,
    }
}

/// Returns the bytes of a row of a factor.
fn row_bytes(ty: &str, bits: usize, depth: usize, of: impl Fn(usize) -> i32) -> Vec<u8> {
    let mut bytes = vec![0; depth * bits / 8];
    for k in 0..depth {
        if bits == 1 {
            bytes[k / 8] |= (of(k) as u8) << (k % 8);
        } else {
            let wide = bits / 8;
            bytes[k * wide..][..wide].copy_from_slice(&element(ty, of(k)).to_le_bytes()[..wide]);
        }
    }
    bytes
}

/// Runs a product. Returns what is wrong with its sums, if anything.
fn try_product(product: &Product, adds: bool) -> Result<(), String> {
    let [d, a, b] = product.types;
    let (n, depth, sums, bits) = (product.columns, product.depth(), product.sums(), product.bits());
    let mut device = Device::new(&product.ptx());
    device.settings.checks = Checks::ALL;
    let mut image = vec![0u8; AREA];
    let [ta, tb] = product.transposed;
    for row in 0..64 {
        let bytes = row_bytes(a, bits, depth, |k| number(a, row, k, 1));
        for (at, byte) in bytes.iter().enumerate() {
            image[product.place(64, ta, row, at)] = *byte;
        }
    }
    for column in 0..n {
        let bytes = row_bytes(b, bits, product.depth_of_b(), |k| number(b, column, k, 3));
        for (at, byte) in bytes.iter().enumerate() {
            image[B + product.place(n, tb, column, at)] = *byte;
        }
    }
    // A in registers: 16 rows per warp; a lane has its row and the one eight further, in both halves of the depth. The
    // metadata follows.
    let mut rows = vec![0u32; 128 * 5];
    let kept = product.metadata();
    for thread in 0..128 {
        rows[thread * 5 + 4] = kept[thread];
        for register in 0..4 {
            let row = thread / 32 * 16 + thread % 32 / 4 + 8 * (register % 2);
            let bytes = row_bytes(a, bits, depth, |k| number(a, row, k, 1));
            let at = 4 * (thread % 4) + 16 * (register / 2);
            rows[thread * 5 + register] = u32::from_le_bytes(*bytes[at..].first_chunk().expect("four bytes"));
        }
    }
    let before = |row: usize, column: usize| {
        let value = ((row * 5 + column) % 9) as i32 - 4;
        if product.saturates { i32::MAX - 100 + value } else { value }
    };
    let half = d == "f16";
    let place = |thread: usize, register: usize| {
        let (pair, one) = if half { (register, 0) } else { (register / 2, register % 2) };
        (thread / 32 * 16 + thread % 32 / 4 + 8 * (pair % 2), 8 * (pair / 2) + 2 * (thread % 4) + one)
    };
    let packed = |of: &dyn Fn(usize, usize) -> i32| -> Vec<u32> {
        (0..128 * sums)
            .map(|at| {
                let (row, column) = place(at / sums, at % sums);
                let low = element(if d == "s32" { "b1" } else { d }, of(row, column));
                if half { low | element(d, of(row, column + 1)) << 16 } else { low }
            })
            .collect()
    };
    let start = packed(&before);
    let put = |data: &[u32]| {
        let at = device.put(data);
        device.memory.wrote(at, size_of_val(data) as u64);
        at
    };
    let words: Vec<u32> = image.as_chunks::<4>().0.iter().map(|b| u32::from_le_bytes(*b)).collect();
    let (image, rows, out) = (put(&words), put(&rows), put(&start));
    let args = [
        Arg::Ptr(image),
        Arg::Ptr(rows),
        Arg::Ptr(out),
        Arg::Ptr(product.descriptor(0, 64, ta)),
        Arg::Ptr(product.descriptor(B, n, tb)),
        Arg::U32(adds.into()),
    ];
    let (report, _) = device.try_launch("product", [1; 3], [128, 1, 1], 0, &args);
    if report.fault.is_some() || !report.findings.is_empty() {
        return Err(format!("{product:?}: {:?}", report.findings));
    }
    let sign = |product: &Product| product.scales[0] * product.scales[1];
    let wanted = packed(&|row, column| {
        let products = (0..depth).map(|k| number(a, row, k, 1) * number(b, column, product.met(row, k), 3));
        let start = if adds { before(row, column) } else { 0 };
        start.saturating_add(sign(product) * products.sum::<i32>())
    });
    let found = device.get::<u32>(out, 128 * sums);
    match (0..128 * sums).find(|&at| found[at] != wanted[at]) {
        None => Ok(()),
        Some(at) => Err(format!(
            "{product:?}: thread {}, register {}: {:#x}, not {:#x}",
            at / sums,
            at % sums,
            found[at],
            wanted[at]
        )),
    }
}

fn right(products: impl IntoIterator<Item = Product>) {
    let wrong: Vec<String> = products.into_iter().filter_map(|product| try_product(&product, true).err()).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

const TYPES: [[&str; 3]; 14] = [
    ["f32", "f16", "f16"],
    ["f16", "f16", "f16"],
    ["f32", "bf16", "bf16"],
    ["f32", "tf32", "tf32"],
    ["f32", "e4m3", "e4m3"],
    ["f32", "e4m3", "e5m2"],
    ["f16", "e5m2", "e4m3"],
    ["f16", "e5m2", "e5m2"],
    ["f32", "e5m2", "e5m2"],
    ["s32", "s8", "s8"],
    ["s32", "u8", "u8"],
    ["s32", "s8", "u8"],
    ["s32", "u8", "s8"],
    ["s32", "b1", "b1"],
];

#[test]
fn every_type() {
    right(TYPES.iter().map(|&types| Product::new(16, types)));
    right(TYPES.iter().map(|&types| Product { registers: true, ..Product::new(24, types) }));
}

#[test]
fn every_number_of_columns() {
    right((1..=32).map(|eights| Product::new(8 * eights, ["f32", "bf16", "bf16"])));
    right([48, 80, 256].map(|columns| Product::new(columns, ["s32", "s8", "s8"])));
    right([8, 256].map(|columns| Product::new(columns, ["f16", "f16", "f16"])));
}

#[test]
fn every_layout() {
    for mode in 0..4 {
        for transposed in [[false, false], [true, false], [false, true], [true, true]] {
            right([64, 128].map(|columns| Product {
                mode,
                transposed,
                ..Product::new(columns, ["f32", "f16", "f16"])
            }));
        }
        right([Product { mode, ..Product::new(40, ["f32", "e4m3", "e4m3"]) }]);
    }
    // Steps of the depth inside a tile of 128 bytes a row.
    right([32, 64, 96].map(|inside| Product { mode: 1, inside, ..Product::new(32, ["f32", "bf16", "bf16"]) }));
    right([Product { mode: 2, inside: 32, ..Product::new(32, ["f32", "tf32", "tf32"]) }]);
}

#[test]
fn signs_saturation_and_fresh_sums() {
    for scales in [[-1, 1], [1, -1], [-1, -1]] {
        right([Product { scales, ..Product::new(8, ["f32", "f16", "f16"]) }]);
    }
    right([Product { saturates: true, ..Product::new(8, ["s32", "s8", "u8"]) }]);
    for types in [["f32", "tf32", "tf32"], ["s32", "b1", "b1"], ["f16", "f16", "f16"]] {
        assert_eq!(try_product(&Product::new(8, types), false), Ok(()));
    }
}

#[test]
fn sparse_factors() {
    let wide = |types: [&str; 3]| !matches!(types[1], "f16" | "bf16" | "tf32");
    for types in TYPES.iter().filter(|types| types[1] != "b1") {
        for selector in 0..if wide(*types) { 1 } else { 2 } {
            for registers in [false, true] {
                right([16, 256].map(|columns| Product {
                    sparse: Some(selector),
                    registers,
                    ..Product::new(columns, *types)
                }));
            }
        }
    }
    for mode in 0..4 {
        for transposed in [[false, false], [true, false], [false, true], [true, true]] {
            // A K-major tile of B that is only 32 bytes wide does not contain all of a product's depth.
            let fits = mode < 3 || transposed[1];
            right(fits.then(|| Product {
                mode,
                transposed,
                sparse: Some(1),
                ..Product::new(64, ["f32", "f16", "f16"])
            }));
        }
    }
    let product = || Product { sparse: Some(0), ..Product::new(8, ["f32", "bf16", "bf16"]) };
    right([Product { scales: [-1, 1], ..product() }]);
    right([Product { saturates: true, sparse: Some(0), ..Product::new(8, ["s32", "s8", "u8"]) }]);
    assert_eq!(try_product(&product(), false), Ok(()));
}

/// Launches a kernel with these lines after the set-up: both descriptors are of the start of 16384 bytes of shared
/// memory.
fn launch(lines: &str, threads: u32, set: impl FnOnce(&mut Device)) -> Report {
    let ptx = format!(
        ".version 8.4\n.target sm_90a\n.address_size 64
.visible .entry k(.param .u64 descriptor)
{{
    .reg .pred %p<5>; .reg .b32 %r<9>; .reg .b64 %d<9>; .reg .f32 %f<9>;
    .shared .align 1024 .b8 area[16384];
    ld.param.u64 %d1, [descriptor];
    mov.u32 %r1, %tid.x;
    shr.u32 %r2, %r1, 5;
    mov.f32 %f1, 0f00000000; mov.f32 %f2, %f1; mov.f32 %f3, %f1; mov.f32 %f4, %f1;
    {lines}
    ret;
}}
"
    );
    let mut device = Device::new(&ptx);
    device.settings.checks = Checks { init: false, ..Checks::ALL };
    set(&mut device);
    device.try_launch("k", [1; 3], [threads, 1, 1], 0, &[Arg::Ptr(128 >> 4 << 16 | 256 >> 4 << 32)]).0
}

const MMA: &str = "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, %d1, %d1, 1, 1, 1, 0, 0;";
const FENCE: &str = "wgmma.fence.sync.aligned;";
const DONE: &str = "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;";

fn kinds(report: &Report) -> Vec<FindingKind> {
    report.findings.iter().map(|finding| finding.kind.clone()).collect()
}

fn misused(misuse: WarpgroupMisuse) -> Vec<FindingKind> {
    vec![FindingKind::InvalidWarpgroup { misuse }]
}

#[test]
fn a_product_by_the_rules_is_not_accused() {
    assert_eq!(kinds(&launch(&format!("{FENCE} {MMA} {MMA} {DONE}"), 128, |_| {})), []);
    assert_eq!(kinds(&launch(&format!("{FENCE} {MMA} {DONE}"), 256, |_| {})), []);
    // One warpgroup executes the product, the other does something else.
    let producer = format!("setp.ge.u32 %p1, %r1, 128; @%p1 bra OUT; {FENCE} {MMA} {DONE} OUT:");
    assert_eq!(kinds(&launch(&producer, 256, |_| {})), []);
}

#[test]
fn a_warpgroup_takes_four_warps() {
    let lines = format!("{FENCE} {MMA} {DONE}");
    assert_eq!(kinds(&launch(&lines, 96, |_| {})), misused(WarpgroupMisuse::Incomplete));
}

#[test]
fn warps_at_different_products_are_found() {
    let lines = format!("{FENCE} setp.eq.u32 %p1, %r2, 2; @%p1 bra TWO; {MMA} bra END; TWO: {MMA} END: {DONE}");
    let report = launch(&lines, 128, |_| {});
    assert_eq!(kinds(&report), misused(WarpgroupMisuse::Apart));
    assert_eq!(report.findings[0].accesses.len(), 2);
    // A warp that never arrives.
    let lines = format!("setp.eq.u32 %p1, %r2, 1; @%p1 bra OUT; {FENCE} {MMA} {DONE} OUT:");
    assert_eq!(kinds(&launch(&lines, 128, |_| {})), misused(WarpgroupMisuse::Exited));
    let lines = format!("setp.eq.u32 %p1, %r2, 3; @%p1 bra OUT; {FENCE} {MMA} {DONE} OUT:");
    assert_eq!(kinds(&launch(&lines, 128, |_| {})), misused(WarpgroupMisuse::Exited));
}

#[test]
fn a_part_of_a_warp_is_found() {
    let lines = format!("setp.gt.u32 %p1, %r1, 99; @%p1 bra OUT; {FENCE} {MMA} {DONE} OUT:");
    let found = kinds(&launch(&lines, 128, |_| {}));
    assert!(matches!(found[0], FindingKind::PartialWarp { arrived: 15, .. }), "{found:?}");
}

#[test]
fn a_missing_fence_is_found() {
    assert_eq!(kinds(&launch(&format!("{MMA} {DONE}"), 128, |_| {})), misused(WarpgroupMisuse::Unfenced));
}

#[test]
fn a_descriptor_that_leaves_shared_memory_stops_the_kernel() {
    let lines = format!("{FENCE} or.b64 %d1, %d1, 0x3ff; {MMA} {DONE}");
    let report = launch(&lines, 128, |_| {});
    assert_eq!(kinds(&report), [FindingKind::OutOfBounds { space: Space::Shared }]);
    assert!(report.fault.is_some());
}

#[test]
fn a_race_with_a_product_is_found() {
    // A thread of another warp writes bytes that the product reads, and nothing orders the two.
    let write = "setp.ne.u32 %p1, %r1, 40; mov.u32 %r3, area; @!%p1 st.shared.u32 [%r3], %r1;";
    let report = launch(&format!("{write} {FENCE} {MMA} {DONE}"), 128, |_| {});
    assert!(matches!(kinds(&report)[0], FindingKind::Race { space: Space::Shared, .. }), "{:?}", kinds(&report));
    let ordered =
        launch(&format!("{write} fence.proxy.async.shared::cta; bar.sync 0; {FENCE} {MMA} {DONE}"), 128, |_| {});
    assert_eq!(kinds(&ordered), []);
}

#[test]
fn accumulators_under_way_are_found() {
    let early = |use_: &str| {
        let lines = format!("{FENCE} {MMA} wgmma.commit_group.sync.aligned; {use_} wgmma.wait_group.sync.aligned 0;");
        kinds(&launch(&lines, 128, |_| {}))
    };
    assert_eq!(early("add.f32 %f7, %f2, %f3;"), misused(WarpgroupMisuse::Pending));
    assert_eq!(early("add.f32 %f1, %f6, %f6;"), misused(WarpgroupMisuse::Pending));
    assert_eq!(early("mov.u32 %r3, area; st.shared.f32 [%r3], %f4;")[0], misused(WarpgroupMisuse::Pending)[0]);
    // A copy of a register that is not used before, and other registers.
    assert_eq!(early("mov.f32 %f7, %f2; add.f32 %f8, %f6, %f6;"), []);
    let second = MMA.replace("%f1, %f2, %f3, %f4", "%f5, %f6, %f7, %f8");
    let two = |keep: u32, reg: &str| {
        let lines = format!(
            "mov.f32 %f5, %f1; mov.f32 %f6, %f1; mov.f32 %f7, %f1; mov.f32 %f8, %f1;
            {FENCE} {MMA} wgmma.commit_group.sync.aligned; {second} wgmma.commit_group.sync.aligned;
            wgmma.wait_group.sync.aligned {keep}; add.f32 {reg}, {reg}, {reg}; wgmma.wait_group.sync.aligned 0;"
        );
        kinds(&launch(&lines, 128, |_| {}))
    };
    assert_eq!((two(1, "%f1"), two(0, "%f5")), (vec![], vec![]));
    assert_eq!((two(1, "%f5"), two(2, "%f1")), (misused(WarpgroupMisuse::Pending), misused(WarpgroupMisuse::Pending)));
}

#[test]
fn writes_without_a_fence_between_the_proxies_are_found() {
    let lines = |fence: &str| {
        format!(
            "mov.u32 %r3, area; shl.b32 %r4, %r1, 2; add.u32 %r3, %r3, %r4; st.shared.u32 [%r3], 0; {fence} bar.sync 0; \
             {FENCE} {MMA} {DONE}"
        )
    };
    let report = launch(&lines(""), 128, |_| {});
    assert_eq!(kinds(&report), misused(WarpgroupMisuse::OtherProxy));
    assert_eq!(report.findings[0].accesses.len(), 2);
    assert_eq!(kinds(&launch(&lines("fence.proxy.async;"), 128, |_| {})), []);
    assert_eq!(kinds(&launch(&lines("fence.proxy.async.shared::cta;"), 128, |_| {})), []);
    let report = launch(&lines("fence.proxy.async.global;"), 128, |_| {});
    assert_eq!(kinds(&report), misused(WarpgroupMisuse::OtherProxy));
}
