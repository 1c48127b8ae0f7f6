//! Textures and surfaces: each instruction is compared with scalar arithmetic, and the checks are tested.

#[path = "../common/mod.rs"]
mod common;
mod counts;
mod ptx;
mod reference;
mod surfaces;

use common::{Arg, Device};
use reference::{Plain, coordinates, next};
use simt::finding::FindingKind;
use simt::machine::Checks;
use simt::texture::{Address, ChannelKind, Format, Image, Layout, Level, Object, Sampler, Shape, Texture};

/// The number of fetches of a run.
const COUNT: usize = 256;
const FLOAT: Format = Format { kind: ChannelKind::Float, bits: 32, channels: 1 };

/// A format.
pub fn format(kind: ChannelKind, bits: u32, channels: u32) -> Format {
    Format { kind, bits, channels }
}

/// Returns a sampler that takes the nearest texel, and clamps.
pub fn nearest() -> Sampler {
    Sampler {
        address: [Address::Clamp; 3],
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
        most: 99.0,
        seamless: false,
    }
}

/// Returns a level at an address, with contiguous texels.
pub fn level(base: u64, [width, height, depth]: [u32; 3], bytes: u32) -> Level {
    let pitch = u64::from(width) * u64::from(bytes);
    Level { base, width, height, depth, pitch, slice: pitch * u64::from(height) }
}

/// Runs a kernel of one instruction once for each row of inputs, with all checks on; returns its rows of outputs.
pub fn play(device: &Device, handle: u64, inputs: &[Vec<u32>], outputs: usize) -> Vec<Vec<u32>> {
    let flat: Vec<u32> = inputs.concat();
    let (from, to) = (device.put(&flat), device.zeros::<u32>(inputs.len() * outputs));
    let args = [Arg::Ptr(handle), Arg::Ptr(from), Arg::Ptr(to)];
    let blocks = inputs.len().div_ceil(64) as u32;
    assert_eq!(inputs.len() % 64, 0, "whole blocks");
    let (report, _) = device.try_launch("k", [blocks, 1, 1], [64, 1, 1], 0, &args);
    assert_eq!((report.fault, report.findings.as_slice()), (None, &[][..]));
    device.get::<u32>(to, inputs.len() * outputs).chunks(outputs).map(<[u32]>::to_vec).collect()
}

/// Returns a device with a kernel of one instruction.
pub fn device(instruction: &str, inputs: usize, outputs: usize) -> Device {
    let mut device = Device::new(&ptx::kernel(instruction, inputs, outputs));
    device.settings.checks = Checks { init: false, ..Checks::ALL };
    device
}

const FETCHES: [(&str, usize); 3] = [
    ("tex.1d.v4.f32.f32 {%o0, %o1, %o2, %o3}, [%h, {%i0}];", 1),
    ("tex.2d.v4.f32.f32 {%o0, %o1, %o2, %o3}, [%h, {%i0, %i1}];", 2),
    ("tex.3d.v4.f32.f32 {%o0, %o1, %o2, %o3}, [%h, {%i0, %i1, %i2, %i2}];", 3),
];

/// Every mode in every number of dimensions, at edges and elsewhere.
#[test]
fn a_fetch_is_what_the_guide_s_formulas_give() {
    for (instruction, dimensions) in FETCHES {
        let device = device(instruction, dimensions, 4);
        let mut extents = [1usize; 3];
        extents[..dimensions].copy_from_slice(&[7, 5, 4][..dimensions]);
        let shape = [Shape::D1 { layered: false }, Shape::D2 { layered: false }, Shape::D3][dimensions - 1];
        let mut state = 5;
        let texels: Vec<f32> =
            (0..extents.iter().product()).map(|_| (next(&mut state) >> 12) as f32 / 1024.0 - 300.0).collect();
        let image = Image {
            shape,
            layout: Layout::Squares,
            format: FLOAT,
            levels: vec![level(device.put(&texels), extents.map(|n| n as u32), 4)],
        };
        for address in [Address::Wrap, Address::Clamp, Address::Mirror, Address::Border] {
            for (linear, normalized) in [(false, false), (false, true), (true, false), (true, true)] {
                let border = [7.25f32, 0.0, 0.0, 3.0].map(f32::to_bits);
                let sampler = Sampler { address: [address; 3], linear, normalized, border, ..nearest() };
                let plain = Plain {
                    extents,
                    address,
                    linear,
                    normalized,
                    border: 7.25,
                    texels: texels.iter().map(|&t| f64::from(t)).collect(),
                };
                let object = Object::Texture(Texture { image: image.clone(), sampler });
                let handle = device.memory.add_object(object);
                let axes: Vec<Vec<f32>> =
                    (0..dimensions).map(|d| coordinates(COUNT, extents[d], normalized, d as u64 + 1)).collect();
                let at = |i: usize| -> Vec<f32> { axes.iter().map(|axis| axis[i]).collect() };
                let inputs: Vec<Vec<u32>> = (0..COUNT).map(|i| at(i).into_iter().map(f32::to_bits).collect()).collect();
                for (i, got) in play(&device, handle, &inputs, 4).iter().enumerate() {
                    let mut place = [0f32; 3];
                    place[..dimensions].copy_from_slice(&at(i));
                    let want = plain.fetch(place);
                    let what = format!("{address:?} linear {linear} normalized {normalized} at {place:?}");
                    assert_eq!(f32::from_bits(got[0]), want, "{what}");
                }
            }
        }
    }
}

#[test]
fn channels_become_numbers_by_their_format() {
    let device = device(FETCHES[0].0, 1, 4);
    let bytes: Vec<u8> = (0..=255).collect();
    let at = device.put(&bytes);
    let inputs: Vec<Vec<u32>> = (0..64).map(|i| vec![(i as f32 + 0.25).to_bits()]).collect();
    let fetch = |format: Format, promoted: bool, srgb: bool| {
        let width = 256 / format.bytes();
        let image = Image {
            shape: Shape::D1 { layered: false },
            layout: Layout::Squares,
            format,
            levels: vec![level(at, [width, 1, 1], format.bytes())],
        };
        let sampler = Sampler { promoted, srgb, ..nearest() };
        let handle = device.memory.add_object(Object::Texture(Texture { image, sampler }));
        play(&device, handle, &inputs, 4)
    };
    let unsigned = fetch(format(ChannelKind::Unsigned, 8, 4), true, false);
    let signed = fetch(format(ChannelKind::Signed, 8, 2), false, false);
    let signed_fraction = fetch(format(ChannelKind::Signed, 8, 4), true, false);
    let wide = fetch(format(ChannelKind::Unsigned, 16, 2), true, false);
    let half = fetch(format(ChannelKind::Float, 16, 2), false, false);
    let srgb = fetch(format(ChannelKind::Unsigned, 8, 4), true, true);
    for i in 0..64 {
        let byte = |k: usize| bytes[(4 * i + k) % 256];
        for k in 0..4 {
            assert_eq!(f32::from_bits(unsigned[i][k]), f32::from(byte(k)) / 255.0);
            let fraction = (f32::from(byte(k) as i8) / 127.0).max(-1.0);
            assert_eq!(f32::from_bits(signed_fraction[i][k]), fraction);
            let encoded = |code: u8| f64::from(code) / 255.0;
            let linear = |encoded: f64| match encoded {
                0.04045.. => ((encoded + 0.055) / 1.055).powf(2.4),
                _ => encoded / 12.92,
            };
            let want = if k == 3 { encoded(byte(k)) } else { linear(encoded(byte(k))) };
            // Colours have 8 bits, counted from the leading bit of the last of eight codes.
            let near = if k == 3 { 0.0 } else { (linear(encoded(byte(k) | 7)) / 256.0).max(2f64.powi(-16)) };
            assert!((f64::from(f32::from_bits(srgb[i][k])) - want).abs() <= near.max(want * 1e-7), "{i} {k}");
        }
        let pair = |k: usize| bytes[(2 * i + k) % 256];
        assert_eq!(signed[i], [pair(0) as i8 as i32 as u32, pair(1) as i8 as i32 as u32, 0, 0]);
        let word = |k: usize| u16::from_le_bytes([byte(2 * k), byte(2 * k + 1)]);
        assert_eq!(wide[i], [(f32::from(word(0)) / 65535.0).to_bits(), (f32::from(word(1)) / 65535.0).to_bits(), 0, 0]);
        // A 16-bit floating-point number, by its parts.
        let number = |bits: u16| {
            let (exponent, mantissa) = (i32::from(bits >> 10 & 31), f32::from(bits & 1023));
            let magnitude = match exponent {
                0 => mantissa * 2f32.powi(-24),
                _ => (1.0 + mantissa / 1024.0) * 2f32.powi(exponent - 15),
            };
            if bits >> 15 == 1 { -magnitude } else { magnitude }
        };
        if word(0) & 0x7c00 != 0x7c00 {
            assert_eq!(f32::from_bits(half[i][0]), number(word(0)));
        }
    }
}

#[test]
fn linear_memory_is_read_by_index_and_is_zero_outside() {
    let device = device("tex.1d.v4.s32.s32 {%o0, %o1, %o2, %o3}, [%h, {%i0}];", 1, 4);
    let texels: Vec<i32> = (0..40).map(|i| 1000 - 77 * i).collect();
    let format = format(ChannelKind::Signed, 32, 1);
    let image = Image {
        shape: Shape::Linear,
        layout: Layout::Rows,
        format,
        levels: vec![level(device.put(&texels), [40, 1, 1], 4)],
    };
    let handle = device.memory.add_object(Object::Texture(Texture { image, sampler: nearest() }));
    let inputs: Vec<Vec<u32>> = (0..64).map(|i: u32| vec![i.wrapping_sub(8)]).collect();
    for (i, got) in play(&device, handle, &inputs, 4).iter().enumerate() {
        let want = i.checked_sub(8).and_then(|i| texels.get(i)).copied().unwrap_or(0);
        assert_eq!(got[0] as i32, want, "index {}", i as i32 - 8);
    }
}

#[test]
fn layers_are_clamped_and_never_mixed() {
    let device = device("tex.a2d.v4.f32.f32 {%o0, %o1, %o2, %o3}, [%h, {%i0, %i1, %i2, %i2}];", 3, 4);
    let texels: Vec<f32> = (0..3 * 16).map(|i| (i / 16 * 100) as f32).collect();
    let levels = vec![level(device.put(&texels), [4, 4, 3], 4)];
    let image = Image { shape: Shape::D2 { layered: true }, layout: Layout::Squares, format: FLOAT, levels };
    let sampler = Sampler { linear: true, ..nearest() };
    let handle = device.memory.add_object(Object::Texture(Texture { image, sampler }));
    let inputs: Vec<Vec<u32>> = (0..64).map(|i| vec![i, 1.3f32.to_bits(), 2.9f32.to_bits()]).collect();
    for (i, got) in play(&device, handle, &inputs, 4).iter().enumerate() {
        assert_eq!(f32::from_bits(got[0]), 100.0 * i.min(2) as f32);
    }
}

/// Faces as in the guide's table, at the middle of each and towards its corners; and seams.
#[test]
fn a_direction_meets_the_face_that_the_guide_names() {
    let device = device("tex.cube.v4.f32.f32 {%o0, %o1, %o2, %o3}, [%h, {%i0, %i1, %i2, %i2}];", 3, 4);
    let texels: Vec<f32> = (0..6 * 4).map(|i| i as f32).collect();
    let levels = vec![level(device.put(&texels), [2, 2, 6], 4)];
    let image = Image { shape: Shape::Cube { layered: false }, layout: Layout::Squares, format: FLOAT, levels };
    let normalized = Sampler { normalized: true, ..nearest() };
    let texture = Texture { image: image.clone(), sampler: normalized.clone() };
    let handle = device.memory.add_object(Object::Texture(texture));
    // Face, m, s, t: each as the component of the direction (1 for x and so on), negative where it is negated.
    let faces = [(0, 1, -3, -2), (1, -1, 3, -2), (2, 2, 1, 3), (3, -2, 1, -3), (4, 3, 1, -2), (5, -3, -1, -2)];
    let mut directions = Vec::new();
    let mut wanted = Vec::new();
    for (face, m, s, t) in faces {
        for (row, column) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            let mut direction = [0f32; 3];
            let mut set = |part: i32, value: f32| {
                direction[part.unsigned_abs() as usize - 1] = if part < 0 { -value } else { value };
            };
            set(m, 4.0);
            set(s, if column == 0 { -2.0 } else { 2.0 });
            set(t, if row == 0 { -2.0 } else { 2.0 });
            directions.push(direction.map(f32::to_bits).to_vec());
            wanted.push((face * 4 + row * 2 + column) as f32);
        }
    }
    directions.resize(64, [1f32.to_bits(), 0, 0].to_vec());
    let got = play(&device, handle, &directions, 4);
    for (got, want) in got.iter().zip(&wanted) {
        assert_eq!(f32::from_bits(got[0]), *want);
    }
    // Between +x and +z, in the upper row: half of each side's texel if the filter goes across, else one side's.
    let edge = vec![vec![1f32.to_bits(), 0.5f32.to_bits(), 0.999_999f32.to_bits()]; 64];
    for (seamless, want) in [(false, 0.0), (true, 8.5)] {
        let sampler = Sampler { linear: true, seamless, ..normalized.clone() };
        let object = Object::Texture(Texture { image: image.clone(), sampler });
        let handle = device.memory.add_object(object);
        assert_eq!(f32::from_bits(play(&device, handle, &edge, 4)[0][0]), want, "seamless {seamless}");
    }
}

#[test]
fn levels_are_chosen_by_number_and_by_footprint() {
    let by_number = "tex.level.2d.v4.f32.f32 {%o0, %o1, %o2, %o3}, [%h, {%i0, %i1}], %i2;";
    let by_sides = "tex.grad.2d.v4.f32.f32 {%o0, %o1, %o2, %o3}, [%h, {%i0, %i1}], {%i2, %i3}, {%i3, %i2};";
    for (instruction, words) in [(by_number, 3), (by_sides, 4)] {
        let device = device(instruction, words, 4);
        let levels: Vec<Level> = (0..4u32)
            .map(|l| {
                let n = 8 >> l;
                level(device.put(&vec![l as f32 * 10.0; (n * n) as usize]), [n, n, 1], 4)
            })
            .collect();
        let image = Image { shape: Shape::D2 { layered: false }, layout: Layout::Squares, format: FLOAT, levels };
        for linear_levels in [false, true] {
            let sampler = Sampler { normalized: true, linear_levels, least: 0.5, most: 2.75, bias: 0.25, ..nearest() };
            let object = Object::Texture(Texture { image: image.clone(), sampler });
            let handle = device.memory.add_object(object);
            let asked = |i: usize| i as f32 / 16.0 - 0.5;
            let inputs: Vec<Vec<u32>> = (0..64)
                .map(|i| match words {
                    3 => [0.3, 0.6, asked(i)].map(f32::to_bits).to_vec(),
                    // A side that spans this many texels of the finest level, which has eight.
                    _ => [0.3, 0.6, asked(i).exp2() / 8.0, 0.0].map(f32::to_bits).to_vec(),
                })
                .collect();
            for (i, got) in play(&device, handle, &inputs, 4).iter().enumerate() {
                let level = (asked(i) + 0.25).clamp(0.5, 2.75);
                let want = if linear_levels { level * 10.0 } else { (level + 0.5).floor() * 10.0 };
                let got = f32::from_bits(got[0]);
                // The sides come from a rounded power of two: the fraction may be the adjacent one of 8 bits, and a
                // level exactly between two is left out.
                let between = words == 4 && !linear_levels && (level + 0.5).fract() == 0.0;
                let near = if words == 4 { 10.0 / 256.0 + 1e-4 } else { 0.0 };
                assert!(between || (got - want).abs() <= near, "{instruction} {linear_levels} {i}: {got} {want}");
            }
        }
    }
}

#[test]
fn a_gather_gives_one_channel_of_four_texels() {
    for (channel, name) in ["r", "g"].into_iter().enumerate() {
        let instruction = format!("tld4.{name}.2d.v4.f32.f32 {{%o0, %o1, %o2, %o3}}|%p, [%h, {{%i0, %i1}}];");
        let device = device(&instruction, 2, 4);
        let texels: Vec<f32> = (0..2 * 5 * 4).map(|i| i as f32).collect();
        let format = format(ChannelKind::Float, 32, 2);
        let levels = vec![level(device.put(&texels), [5, 4, 1], 8)];
        let image = Image { shape: Shape::D2 { layered: false }, layout: Layout::Squares, format, levels };
        let handle = device.memory.add_object(Object::Texture(Texture { image, sampler: nearest() }));
        let (xs, ys) = (coordinates(64, 5, false, 1), coordinates(64, 4, false, 2));
        let inputs: Vec<Vec<u32>> = (0..64).map(|i| vec![xs[i].to_bits(), ys[i].to_bits()]).collect();
        for (i, got) in play(&device, handle, &inputs, 4).iter().enumerate() {
            let below = |x: f32| ((f64::from(x) - 0.5) + 1.0 / 512.0).floor() as i64;
            let texel = |dx: i64, dy: i64| {
                let x = (below(xs[i]) + dx).clamp(0, 4);
                let y = (below(ys[i]) + dy).clamp(0, 3);
                (2 * (y * 5 + x) + channel as i64) as f32
            };
            let want = [texel(0, 1), texel(1, 1), texel(1, 0), texel(0, 0)];
            assert_eq!(got.iter().map(|&w| f32::from_bits(w)).collect::<Vec<_>>(), want, "at {} {}", xs[i], ys[i]);
        }
    }
}

#[test]
fn questions_are_answered() {
    let instruction = "txq.width.b32 %o0, [%h];\ntxq.height.b32 %o1, [%h];\ntxq.level.width.b32 %o2, [%h], 1;\n\
                       txq.num_mipmap_levels.b32 %o3, [%h];\ntxq.normalized_coords.b32 %o4, [%h];\n\
                       istypep.texref %p, %h;\nselp.u32 %o5, 7, 8, %p;\nistypep.surfref %p, %h;\nselp.u32 %o6, 7, 8, %p;";
    let device = device(instruction, 1, 7);
    let base = device.zeros::<f32>(64);
    let levels = vec![level(base, [6, 4, 1], 4), level(base, [3, 2, 1], 4)];
    let image = Image { shape: Shape::D2 { layered: false }, layout: Layout::Squares, format: FLOAT, levels };
    let sampler = Sampler { normalized: true, ..nearest() };
    let handle = device.memory.add_object(Object::Texture(Texture { image, sampler }));
    assert_eq!(play(&device, handle, &vec![vec![0]; 64], 7)[0], [6, 4, 3, 2, 1, 7, 8]);
}

#[test]
fn a_handle_that_names_no_texture_is_found() {
    let device = device(FETCHES[0].0, 1, 4);
    let texels = device.put(&[1f32; 4]);
    let levels = vec![level(texels, [4, 1, 1], 4)];
    let image = Image { shape: Shape::D1 { layered: false }, layout: Layout::Squares, format: FLOAT, levels };
    let handle = device.memory.add_object(Object::Texture(Texture { image: image.clone(), sampler: nearest() }));
    let surface = device.memory.add_object(Object::Surface(image));
    let (from, to) = (device.zeros::<u32>(64), device.zeros::<u32>(256));
    let find = |handle: u64| {
        let args = [Arg::Ptr(handle), Arg::Ptr(from), Arg::Ptr(to)];
        let (report, _) = device.try_launch("k", [1, 1, 1], [64, 1, 1], 0, &args);
        report.findings.first().map(|finding| (finding.kind.clone(), finding.accesses[0].place.ptx_line > 0))
    };
    assert_eq!(find(handle), None);
    let wrong = |handle, gone| Some((FindingKind::InvalidObject { handle, surface: false, gone }, true));
    assert_eq!(find(surface), wrong(surface, false));
    assert_eq!(find(0x7fff_0000), wrong(0x7fff_0000, false));
    assert!(device.memory.remove_object(handle));
    assert_eq!(find(handle), wrong(handle, true));
}

#[test]
fn a_texture_of_freed_memory_is_found() {
    let device = device(FETCHES[0].0, 1, 4);
    let texels = device.put(&[1f32; 4]);
    let levels = vec![level(texels, [4, 1, 1], 4)];
    let image = Image { shape: Shape::D1 { layered: false }, layout: Layout::Squares, format: FLOAT, levels };
    let handle = device.memory.add_object(Object::Texture(Texture { image, sampler: nearest() }));
    device.memory.free(texels).expect("it is there");
    let (from, to) = (device.zeros::<u32>(64), device.zeros::<u32>(256));
    let args = [Arg::Ptr(handle), Arg::Ptr(from), Arg::Ptr(to)];
    let (report, _) = device.try_launch("k", [1, 1, 1], [64, 1, 1], 0, &args);
    assert_eq!(report.findings[0].kind, FindingKind::UseAfterFree);
}
