//! Repeats the tensor copies that were recorded on an H200 (`harness/libcudart/tests/tensors/`): each line describes a
//! tensor map and a copy, and either digests of the memory that the copy could have written, or the fact that it
//! stopped.

use crate::common::{Arg, Device};
use flate2::read::GzDecoder;
use simt::finding::FindingKind;
use simt::tensor::{Element, Interleave, Shape, TensorMap};
use std::fs::File;
use std::io::Read;

/// Bytes of shared memory that a copy may reach, and of the tensor's memory.
const TILE: usize = 16384 + 1024;
const DATA: usize = 1 << 20;

/// Returns the record's bytes, as words.
fn pattern(words: usize, salt: u32) -> Vec<u32> {
    let word = |i: u32| i.wrapping_add(salt).wrapping_mul(2_654_435_761);
    (0..words as u32).map(|i| word(i) ^ word(i) >> 15).collect()
}

/// Returns the record's digest of bytes (FNV-1a).
fn digest(bytes: impl IntoIterator<Item = u8>) -> u64 {
    let begin = 14_695_981_039_346_656_037;
    bytes.into_iter().fold(begin, |sum: u64, byte| (sum ^ u64::from(byte)).wrapping_mul(1_099_511_628_211))
}

fn bytes_of(words: &[u32]) -> impl Iterator<Item = u8> {
    words.iter().flat_map(|word| word.to_le_bytes())
}

/// A line of the record.
struct Copy<'a> {
    line: &'a str,
    way: &'a str,
    map: TensorMap,
    shift: u64,
    at: [i32; 5],
    offsets: [i32; 3],
    /// The outcome on the device.
    end: &'a str,
}

impl Copy<'_> {
    fn new(line: &str) -> Copy<'_> {
        let (way, told) = line.split_once(' ').unwrap().1.split_once(": ").unwrap();
        let list = |name: &str| -> Vec<i64> {
            let words = told.split(' ').skip_while(|word| *word != name).nth(1);
            words.map_or(vec![], |words| words.split(',').map(|number| number.parse().unwrap()).collect())
        };
        let one = |name: &str| list(name).first().copied().unwrap_or_default();
        let some = |name: &str, at: usize| list(name).get(at).copied().unwrap_or_default();
        let interleave = Interleave::from_number(one("interleave") as u32).unwrap();
        let rank = one("rank") as u32;
        let shape = if told.contains(" box ") {
            Shape::Tiled(std::array::from_fn(|d| some("box", d).max(1) as u32))
        } else {
            let corner = |name: &str| std::array::from_fn(|d| some(name, d) as i32);
            let (lower, upper) = (corner("lower"), corner("upper"));
            Shape::Im2col { lower, upper, channels: one("channels") as u32, pixels: one("pixels") as u32 }
        };
        let map = TensorMap {
            address: 0,
            element: Element::from_number(one("type") as u32).unwrap(),
            rank,
            dims: std::array::from_fn(|d| some("dims", d).max(1) as u64),
            strides: std::array::from_fn(|d| some("strides", d) as u64),
            shape,
            // Without slices the first step is ignored.
            steps: std::array::from_fn(|d| some("steps", d).max(1) as u32),
            interleave,
            swizzle: one("swizzle") as u32,
            fill_nan: one("fill") == 1,
        };
        let end =
            told.split_once(" = ").map_or_else(|| told.split_once(" stops with ").unzip().1, |(_, end)| Some(end));
        Copy {
            line,
            way,
            map,
            shift: one("shift") as u64,
            at: std::array::from_fn(|d| some("at", d) as i32),
            offsets: std::array::from_fn(|d| some("offsets", d) as i32),
            end: end.unwrap_or("never"),
        }
    }

    /// Returns the bytes that the copy moves, and those that the recording program waited for: it took the first
    /// dimension of a tensor of slices for channels.
    fn bytes(&self) -> (u32, u32) {
        let element = self.map.element.bytes();
        let slice = match self.map.interleave {
            Interleave::None => None,
            Interleave::B16 => Some(16),
            Interleave::B32 => Some(32),
        };
        let rank = self.map.rank as usize;
        match self.map.shape {
            Shape::Im2col { channels, pixels, .. } => {
                (slice.unwrap_or(channels * element) * pixels, channels * element * pixels)
            }
            Shape::Tiled(sizes) => {
                let taken = |d: usize| sizes[d].div_ceil(self.map.steps[d]);
                let outer = |first: usize, but: usize| (first..rank).filter(|d| *d != but).map(taken).product::<u32>();
                let waited = element * sizes[0] * outer(1, rank);
                (slice.map_or(waited, |slice| slice * outer(0, rank - 2)), waited)
            }
        }
    }

    /// Returns the lines of PTX that make the copy.
    fn lines(&self) -> String {
        let rank = self.map.rank as usize;
        let join = |list: &[String]| list.join(", ");
        let at = join(&self.at[..rank].iter().map(ToString::to_string).collect::<Vec<_>>());
        let back = |how: &str, mode: &str| {
            format!(
                "{how}.{rank}d.global.shared::cta{mode}.bulk_group [%map, {{{at}}}], [tile];
  cp.async.bulk.commit_group;
  cp.async.bulk.wait_group 0;"
            )
        };
        let load = |mode: &str, offsets: &str| {
            format!(
                "mbarrier.arrive.expect_tx.shared::cta.b64 %d, [bar], {};
  cp.async.bulk.tensor.{rank}d.shared::cluster.global{mode}.mbarrier::complete_tx::bytes [tile], [%map, {{{at}}}], [bar]{offsets};
WAIT:
  mbarrier.try_wait.parity.shared::cta.b64 %p, [bar], 0;
  @!%p bra WAIT;",
                self.bytes().0
            )
        };
        match self.way {
            "load" => load("", ""),
            "pixels" => {
                let names: Vec<String> = (0..rank - 2).map(|d| format!("%h{d}")).collect();
                let set: Vec<String> =
                    (0..rank - 2).map(|d| format!("mov.u16 %h{d}, {};\n", self.offsets[d])).collect();
                set.concat() + &load(".im2col", &format!(", {{{}}}", join(&names)))
            }
            "pixels back" => back("cp.async.bulk.tensor", ".im2col_no_offs"),
            "store" => back("cp.async.bulk.tensor", ""),
            sum => back("cp.reduce.async.bulk.tensor", &format!(".{sum}")),
        }
    }

    /// Returns what differs from the record when the copy is made here.
    fn differs(&self, tile: &[u32], data: &[u32]) -> Option<&'static str> {
        let device = Device::new(&module(&self.lines()));
        let tensor = device.put(data);
        let map = device.put(&TensorMap { address: tensor + self.shift, ..self.map }.words());
        let shared = device.put(tile);
        let (report, _) =
            device.try_launch("k", [1, 1, 1], [128, 1, 1], TILE as u32, &[Arg::Ptr(map), Arg::Ptr(shared)]);
        if self.end == "cudaErrorIllegalInstruction" {
            let kind = report.findings.first().map(|finding| &finding.kind);
            return (!matches!(kind, Some(FindingKind::InvalidTensorMap { .. }))).then_some("does not stop");
        }
        if report.fault.is_some() {
            return Some("stops");
        }
        let digests: Vec<u64> =
            self.end.split(' ').take(2).map(|word| u64::from_str_radix(word, 16).unwrap()).collect();
        // The record's tile has one more byte, which says that the copy has completed.
        if digest(bytes_of(&device.get(shared, tile.len())).chain([1])) != digests[0] {
            return Some("another tile");
        }
        (digest(bytes_of(&device.get(tensor, data.len()))) != digests[1]).then_some("another tensor")
    }
}

/// Returns a kernel that loads its tile from global memory, makes a copy by one thread, and stores the tile back.
fn module(lines: &str) -> String {
    let each_word = |label: &str, take: &str| {
        format!(
            "  mov.u32 %t, %first;
{label}:
  mov.u32 %there, tile;
  add.u32 %there, %there, %t;
  cvt.u64.u32 %at, %t;
  add.u64 %at, %at, %out;
  {take}
  add.u32 %t, %t, 512;
  setp.lt.u32 %p, %t, {TILE};
  @%p bra {label};"
        )
    };
    let (bring, back) = (
        each_word("IN", "ld.global.u32 %r, [%at]; st.shared.u32 [%there], %r;"),
        each_word("OUT", "ld.shared.u32 %r, [%there]; st.global.u32 [%at], %r;"),
    );
    format!(
        ".version 8.6
.target sm_90a
.address_size 64
.extern .shared .align 1024 .b32 tile[];
.visible .entry k(.param .u64 map, .param .u64 out)
{{
  .shared .align 8 .b64 bar;
  .reg .b64 %map, %out, %d, %at;
  .reg .b32 %t, %first, %there, %r;
  .reg .b16 %h<3>;
  .reg .pred %p;
  ld.param.u64 %map, [map];
  ld.param.u64 %out, [out];
  mov.u32 %first, %tid.x;
  shl.b32 %first, %first, 2;
{bring}
  fence.proxy.async.shared::cta;
  bar.sync 0;
  setp.ne.u32 %p, %first, 0;
  @%p bra MEET;
  mbarrier.init.shared::cta.b64 [bar], 1;
  {lines}
MEET:
  bar.sync 0;
{back}
  ret;
}}
"
    )
}

#[test]
fn all_recorded_tensor_copies_are_an_h200s() {
    let record = concat!(env!("CARGO_MANIFEST_DIR"), "/../libcudart/tests/tensors/h200.txt.gz");
    let mut text = String::new();
    GzDecoder::new(File::open(record).unwrap()).read_to_string(&mut text).unwrap();
    let copies: Vec<Copy> =
        text.lines().filter(|line| line.contains(" at ") && !line.contains(" gives ")).map(Copy::new).collect();
    let (tile, data) = (pattern(TILE / 4, 1), pattern(DATA / 4, 1 << 20));
    let mut wrong = Vec::new();
    for copy in &copies {
        let (moved, waited) = copy.bytes();
        let differs = match copy.end {
            // A wait for a wrong number of bytes never ends.
            "never" => (moved == waited).then_some("would end"),
            _ => copy.differs(&tile, &data),
        };
        wrong.extend(differs.map(|differs| format!("{differs}: {}", copy.line)));
    }
    let sliced = copies.iter().filter(|copy| copy.map.interleave != Interleave::None).count();
    assert_eq!((copies.len(), sliced, wrong), (600, 61, vec![]));
}
