//! Programs that use data of the machine in memory that kernels can write, and change it between the uses: tensor maps,
//! matrix descriptors, mbarriers, return addresses, function pointers, stacks, the heap, formats, handles.
//!
//! Words changed in text (see `words` and `characters`) almost never give a valid tensor map. These programs are
//! generated: each begins with valid objects, so that it reaches the code after the first check.

#[path = "targeted/maps.rs"]
mod maps;
#[path = "targeted/uses.rs"]
mod uses;

use super::launch::Outcome;
use gpu::Part;
use simt::machine::{Checks, Geometry, Launch, Module, Settings, run};
use simt::memory::{Memory, MemoryKind};
use simt::tensor::TensorMap;
use simt::texture::{
    Address, ChannelKind, Format, Image, Layout, Level, Object, Sampler, Shape as ImageShape, Texture,
};
use std::fmt::Write;
use std::sync::Arc;

/// The target of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Tensor maps: copies, sums and prefetches by maps whose words change; `tensormap.replace`.
    TensorMaps,
    /// Descriptors of matrices in shared memory, for `wgmma`.
    Descriptors,
    /// Words of mbarriers.
    Barriers,
    /// Recursive calls with changed frames, function pointers and branch tables.
    Calls,
    /// Arrays on the stack: `alloca`, `stacksave`, `stackrestore`.
    Stacks,
    /// The heap, formats of `printf`, and assertions.
    Heap,
    /// Handles of textures and surfaces.
    Handles,
    /// Asynchronous copies, and addresses of other blocks of a cluster.
    Copies,
}

impl Family {
    /// All families.
    pub const ALL: [Family; 8] = [
        Family::TensorMaps,
        Family::Descriptors,
        Family::Barriers,
        Family::Calls,
        Family::Stacks,
        Family::Heap,
        Family::Handles,
        Family::Copies,
    ];

    /// Returns its name on the command line.
    pub fn name(self) -> String {
        format!("{self:?}").to_lowercase()
    }
}

/// Pseudo-random numbers from a seed (SplitMix64).
struct Draw(u64);

impl Draw {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    fn one_in(&mut self, count: u64) -> bool {
        self.below(count) == 0
    }

    fn pick<T: Clone>(&mut self, list: &[T]) -> T {
        list[self.below(list.len() as u64) as usize].clone()
    }

    /// Returns a number near those at which a check may be wrong.
    fn edge(&mut self) -> u64 {
        match self.below(6) {
            0 => self.below(40),
            1 => (1 << self.below(64)) + self.below(3) - 1,
            2 => 0u64.wrapping_sub(1 + self.below(300)),
            3 => (1u64 << self.below(64)).wrapping_neg(),
            4 => self.next() & 0xffff_ffff,
            _ => self.next(),
        }
    }
}

/// A program, and the tensor maps at the beginning of its buffer.
pub struct Program {
    /// Its PTX.
    pub text: String,
    maps: Vec<TensorMap>,
    /// Threads of a block.
    threads: u32,
}

/// Bytes of the buffer of a kernel.
const BUFFER: u64 = 1 << 16;
/// The start of its data, after the tensor maps.
const DATA: u64 = 4096;
/// The maximum number of warp instructions of a launch.
const BUDGET: u64 = 4_000;
/// The number of tensor maps of a program.
const MAPS: u64 = 3;

/// Returns the program of a family with this number.
pub fn program(family: Family, number: u64) -> Program {
    let mut draw = Draw(number.wrapping_mul(64).wrapping_add(family as u64));
    let maps: Vec<TensorMap> = (0..MAPS).map(|_| maps::map(&mut draw)).collect();
    let mut body = String::new();
    for step in 0..3 + draw.below(14) {
        let changes = step > 0 && draw.one_in(2);
        let lines = if changes { change(&mut draw) } else { uses::usage(family, &mut draw, &maps, step) };
        // A branch, so that only some lanes or warps execute it; mostly a single lane, if a step is expensive.
        let is_expensive = matches!(family, Family::TensorMaps | Family::Heap | Family::Copies);
        match draw.below(if is_expensive { 12 } else { 4 }) {
            // All warps of a warpgroup execute the product.
            0 | 4.. if family != Family::Descriptors || changes => {
                let condition =
                    if draw.one_in(4) { draw.pick(&["%odd", "%warp0", "!%first", "!%odd"]) } else { "%first" };
                let _ = writeln!(body, "  @{} bra SKIP{step};\n{lines}SKIP{step}:", negated(condition));
            }
            1 if !lines.contains(':') => {
                let _ = writeln!(body, "  mov.u32 %turn, 0;\nAGAIN{step}:\n{lines}  add.u32 %turn, %turn, 1;");
                let _ = writeln!(body, "  setp.lt.u32 %p, %turn, {};\n  @%p bra AGAIN{step};", 2 + draw.below(3));
            }
            _ => body += &lines,
        }
        if draw.one_in(5) {
            body += "  bar.sync 0;\n";
        }
    }
    let threads = if family == Family::Descriptors { 128 } else { 40 };
    Program { text: module(&mut draw, &body), maps, threads }
}

fn negated(condition: &str) -> String {
    condition.strip_prefix('!').map_or_else(|| format!("!{condition}"), str::to_owned)
}

/// Returns a module whose kernel has these lines.
fn module(draw: &mut Draw, body: &str) -> String {
    let text = draw.pick(&["%d %s\\n", "%65535d", "%.9000f%n", "%*d%*.*s", "%s%s%s%s", "plain"]).as_bytes().to_vec();
    let mut format: Vec<u8> = text;
    for _ in 0..draw.below(3) {
        let at = draw.below(format.len() as u64) as usize;
        format[at] = draw.pick(&[b'%', b's', b'*', b'.', b'9', b'l', b'n', b'f', 0xff, draw.0 as u8 | 1]);
    }
    format.push(0);
    let format: Vec<String> = format.iter().map(u8::to_string).collect();
    format!(
        ".version 8.6
.target sm_90a
.address_size 64
.extern .func (.param .b64 out) malloc (.param .b64 bytes);
.extern .func free (.param .b64 place);
.extern .func (.param .b32 out) vprintf (.param .b64 format, .param .b64 list);
.extern .func __assertfail (.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e);
.global .align 8 .b8 format[{length}] = {{{list}}};
.global .align 8 .u64 table[4] = {{f, g, f, g}};
.func (.param .b64 out) g(.param .b64 n, .param .b64 at);
.func (.param .b64 out) f(.param .b64 n, .param .b64 at)
{{
  .local .align 16 .b8 mine[64];
  .reg .b64 %n, %at, %own, %x<6>;
  .reg .pred %p;
  ld.param.u64 %n, [n];
  ld.param.u64 %at, [at];
  mov.u64 %own, mine;
  cvta.local.u64 %own, %own;
  st.u64 [%own+8], %n;
  mov.u64 %x0, %n;
  setp.ge.u64 %p, %n, 5;
  @%p bra LAST;
  setp.eq.u64 %p, %n, 0;
  @%p bra CHANGE;
  sub.u64 %x1, %n, 1;
  {{ .param .b64 a; .param .b64 b; .param .b64 c; st.param.b64 [a], %x1; st.param.b64 [b], %own;
    call.uni (c), {other}, (a, b); ld.param.b64 %x2, [c]; }}
  add.u64 %x0, %x0, %x2;
  bra.uni LAST;
CHANGE:
  add.u64 %x3, %at, {step};
  st.b{width} [%x3], {value};
LAST:
  ld.u64 %x4, [%own+8];
  add.u64 %x0, %x0, %x4;
  st.param.b64 [out], %x0;
  ret;
}}
.func (.param .b64 out) g(.param .b64 n, .param .b64 at)
{{
  .reg .b64 %n, %at, %x<4>;
  .reg .pred %p;
  ld.param.u64 %n, [n];
  ld.param.u64 %at, [at];
  mov.u64 %x1, 0;
  setp.eq.u64 %p, %n, 0;
  @%p bra DONE;
  sub.u64 %x0, %n, 1;
  {{ .param .b64 a; .param .b64 b; .param .b64 c; st.param.b64 [a], %x0; st.param.b64 [b], %at;
    call.uni (c), f, (a, b); ld.param.b64 %x1, [c]; }}
DONE:
  st.param.b64 [out], %x1;
  ret;
}}
.visible .entry k(.param .u64 buffer, .param .u64 handles)
{{
  .shared .align 1024 .b8 tile[16384];
  .shared .align 8 .b64 bar[4];
  .local .align 16 .b8 mine[256];
  .reg .b64 %map, %data, %own, %handle, %to, %v, %state, %saved, %kept<4>, %d<8>;
  .reg .b32 %t, %turn, %w, %c<8>, %r<8>;
  .reg .b16 %h<4>;
  .reg .f32 %s<8>, %f<8>;
  .reg .pred %p, %q, %first, %odd, %warp0;
  ld.param.u64 %map, [buffer];
  ld.param.u64 %handle, [handles];
  add.u64 %data, %map, {DATA};
  mov.u64 %own, mine;
  cvta.local.u64 %own, %own;
  mov.u32 %t, %tid.x;
  setp.eq.u32 %first, %t, 0;
  and.b32 %r0, %t, 1;
  setp.ne.u32 %odd, %r0, 0;
  setp.lt.u32 %warp0, %t, 32;
  mov.u64 %kept0, %data; mov.u64 %kept1, %own; mov.u64 %kept2, %map; mov.u64 %kept3, f;
  mov.u64 %saved, 0; mov.u64 %state, 0; mov.u64 %v, 0; mov.u64 %to, %data;
  mov.f32 %s0, 0f3F800000; mov.f32 %s1, %s0; mov.f32 %s2, %s0; mov.f32 %s3, %s0;
  stacksave.u64 %saved;
  @%first mbarrier.init.shared::cta.b64 [bar], 1048575;
  @%first mbarrier.init.shared::cta.b64 [bar+8], 128;
  @%first mbarrier.init.shared::cta.b64 [bar+16], 4096;
  fence.mbarrier_init.release.cluster;
  barrier.cluster.arrive; barrier.cluster.wait;
{body}
  barrier.cluster.arrive; barrier.cluster.wait;
  ret;
}}
",
        length = format.len(),
        list = format.join(", "),
        other = draw.pick(&["f", "g"]),
        step = draw.pick(&[8, 16, 48, 64, 72, 80, 88, 96, 104, 112, 128, -8, -16, -64, -96, -128]),
        width = draw.pick(&[8, 32, 64]),
        value = draw.edge() as i64,
    )
}

/// Returns code that changes memory: any word, a bit of it, a copy of words, or a register that is used later.
fn change(draw: &mut Draw) -> String {
    let value = draw.edge() as i64;
    let offset = draw.below(128) as i64 * draw.pick(&[1, 4, 8, 8, 8]);
    let (space, base) = draw.pick(&[
        (".global", "%map"),
        (".global", "%map"),
        ("", "%own"),
        (".shared", "tile"),
        (".shared", "bar"),
        (".global", "%data"),
        ("", "%to"),
    ]);
    let offset = match base {
        "bar" => offset % 32,
        "%own" if !draw.one_in(6) => offset % 256,
        _ => offset,
    };
    let kept = draw.below(4);
    match draw.below(9) {
        0 => format!("  st{space}.b64 [{base}+{}], {value};\n", offset & !7),
        1 => format!("  st{space}.b8 [{base}+{offset}], {};\n", value & 255),
        2 => format!("  st{space}.b64 [{base}+{}], %kept{kept};\n", offset & !7),
        3 if !space.is_empty() => {
            format!("  atom{space}.xor.b64 %d0, [{base}+{}], {};\n", offset & !7, 1i64 << (value & 63))
        }
        4 => format!("  ld{space}.b64 %kept{kept}, [{base}+{}];\n", offset & !7),
        5 => format!("  xor.b64 %kept{kept}, %kept{kept}, {};\n", 1i64 << (value & 63)),
        6 => format!("  add.s64 %kept{kept}, %kept{kept}, {};\n", value % 4096),
        7 => {
            let mut lines = String::new();
            let from = draw.below(MAPS) * 128;
            let (space, base, to) = draw.pick(&[
                ("global", "%map", 0),
                ("global", "%map", 128),
                ("global", "%map", 256),
                ("shared", "tile", 0),
            ]);
            for word in (0..128).step_by(8) {
                if !draw.one_in(20) {
                    let (from, to) = (from + word, to + word);
                    let _ =
                        writeln!(lines, "  ld.global.b64 %d0, [%map+{from}];\n  st.{space}.b64 [{base}+{to}], %d0;");
                }
            }
            lines
        }
        _ => format!("  mov.b64 %kept{kept}, {value};\n"),
    }
}

/// Creates an image of 16 x 8 texels of four channels in the buffer, as a texture and as a surface.
fn objects(memory: &Memory, base: u64) -> u64 {
    let format = Format { kind: ChannelKind::Unsigned, bits: 32, channels: 4 };
    let sampler = Sampler {
        address: [Address::Wrap; 3],
        linear: false,
        normalized: false,
        promoted: false,
        srgb: false,
        border: [0; 4],
        linear_levels: false,
        samples: 1,
        optimized: true,
        bias: 0.0,
        least: 0.0,
        most: 9.0,
        seamless: false,
    };
    let level = Level { base, width: 16, height: 8, depth: 1, pitch: 256, slice: 2048 };
    let image =
        Image { shape: ImageShape::D2 { layered: false }, layout: Layout::Squares, format, levels: vec![level] };
    let first = memory.add_object(Object::Texture(Texture { image: image.clone(), sampler }));
    memory.add_object(Object::Surface(image));
    first
}

/// Loads a program and runs it with all checks and counters, and once more with only the memory checks.
pub fn load_and_run(program: &Program) -> Outcome {
    let memory = Arc::new(Memory::new(1 << 24));
    let buffer = memory.alloc(BUFFER, 256, MemoryKind::Device, "buffer").expect("it fits into empty memory");
    let h200 = Part::find("h200").expect("the part is known");
    let Ok(module) = Module::load(&program.text, &memory, h200) else {
        return Outcome::Refused;
    };
    let mut outcome = Outcome::Completed;
    let handle = objects(&memory, buffer + DATA);
    for (checks, counts, seed) in [(Checks::ALL, true, 3), (Checks::MEMORY, false, 0)] {
        for (at, map) in program.maps.iter().enumerate() {
            let words = TensorMap { address: buffer.wrapping_add(map.address), ..*map }.words();
            let host = memory.host(buffer + 128 * at as u64, 128).expect("the buffer is there").cast::<[u64; 16]>();
            // SAFETY: 128 bytes of the buffer, which no kernel uses now.
            unsafe { host.write_unaligned(words) };
        }
        let kernel = module.kernel("k").expect("each program has it");
        let params = [buffer.to_le_bytes(), handle.to_le_bytes()].concat();
        let settings = Settings {
            checks,
            counters: counts,
            lines: counts,
            costs: counts,
            seed,
            budget: BUDGET,
            workers: 1,
            ..Settings::default()
        };
        let geometry = Geometry { cluster: Some([2, 1, 1]), ..Geometry::new([2, 1, 1], [program.threads, 1, 1]) };
        let report = run(&memory, h200, &settings, &Launch { kernel, geometry, params: &params }, &mut |_| {});
        if report.fault.is_some() {
            outcome = Outcome::Faulted;
        }
    }
    outcome
}
