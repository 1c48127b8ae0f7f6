//! The counts of textures and surfaces, compared with Nsight Compute's on an H100 for the kernels of the same names in
//! `reports/agreement/units/textures.cu`, for one warp.

use super::common::{Arg, Device};
use super::{FLOAT, device, format, level, nearest};
use simt::counters::TextureTraffic;
use simt::machine::Report;
use simt::texture::{Address, ChannelKind, Format, Image, Layout, Object, Sampler, Shape, Texture};

const PLANE: Shape = Shape::D2 { layered: false };
const LAYERS: Shape = Shape::D2 { layered: true };
const FOUR: Format = Format { kind: ChannelKind::Float, bits: 32, channels: 4 };
const BYTE: Format = Format { kind: ChannelKind::Unsigned, bits: 8, channels: 1 };
const ARRAY: &str = "tex.2d.v4.f32.f32 {%o0, %o1, %o2, %o3}, [%h, {%i0, %i1}];";
const SLICES: &str = "tex.3d.v4.f32.f32 {%o0, %o1, %o2, %o3}, [%h, {%i0, %i1, %i2, %i2}];";
const LAYER: &str = "tex.a2d.v4.f32.f32 {%o0, %o1, %o2, %o3}, [%h, {%i2, %i0, %i1, %i1}];";
const GATHER: &str = "tld4.r.2d.v4.f32.f32 {%o0, %o1, %o2, %o3}, [%h, {%i0, %i1}];";
const INDEX: &str = "tex.1d.v4.f32.s32 {%o0, %o1, %o2, %o3}, [%h, {%i0}];";

/// An image of 128 by 128 texels in 8 slices.
fn image(device: &Device, shape: Shape, layout: Layout, format: Format) -> Image {
    let extents = if shape == Shape::Linear { [128 * 128, 1, 1] } else { [128, 128, 8] };
    let base = device.zeros::<u8>((128 * 128 * 8 * format.bytes()) as usize);
    Image { shape, layout, format, levels: vec![level(base, extents, format.bytes())] }
}

/// Runs the instruction in the lanes of a warp, with these inputs.
fn report(device: &Device, handle: u64, lanes: u32, inputs: impl Fn(u32) -> [u32; 3]) -> Report {
    let from = device.put(&(0..lanes).flat_map(inputs).collect::<Vec<u32>>());
    let args = [Arg::Ptr(handle), Arg::Ptr(from), Arg::Ptr(device.zeros::<u32>(4 * 32))];
    device.launch("k", 1, lanes, &args)
}

/// Returns requests, sectors, and distinct sectors of an instruction.
fn numbers(traffic: &TextureTraffic, lanes: u32) -> [u64; 3] {
    assert_eq!((traffic.instructions, traffic.lanes), (1, lanes.into()));
    [traffic.requests, traffic.sectors, traffic.distinct_sectors]
}

/// Returns the numbers of a fetch by `lanes` lanes from an image.
fn fetched(
    instruction: &str,
    (shape, layout, format): (Shape, Layout, Format),
    sampler: Sampler,
    lanes: u32,
    inputs: impl Fn(u32) -> [u32; 3],
) -> [u64; 3] {
    let device = device(instruction, 3, 4);
    let image = image(&device, shape, layout, format);
    let handle = device.memory.add_object(Object::Texture(Texture { image, sampler }));
    let totals = report(&device, handle, lanes, inputs).counters.totals;
    assert_eq!(totals.surface_loads, TextureTraffic::default());
    // Only the inputs are loaded.
    assert_eq!(totals.global_loads.requests, 3);
    numbers(&totals.textures, lanes)
}

/// Coordinates as bits.
fn real(at: [f32; 3]) -> [u32; 3] {
    at.map(f32::to_bits)
}

#[test]
fn eight_lanes_fetch_together_from_linear_memory() {
    let index = |format, lanes, at: fn(u32) -> u32| {
        fetched(INDEX, (Shape::Linear, Layout::Rows, format), nearest(), lanes, |lane| [at(lane), 0, 0])
    };
    let pair = format(ChannelKind::Float, 32, 2);
    assert_eq!(index(BYTE, 32, |lane| lane), [4, 4, 1], "linear_bytes");
    assert_eq!(index(pair, 32, |lane| lane), [4, 8, 8], "linear_pairs");
    assert_eq!(index(FOUR, 32, |lane| lane), [8, 16, 16], "linear_fours");
    assert_eq!(index(FOUR, 32, |lane| 4 * lane), [8, 32, 32], "linear_fours_apart");
    assert_eq!(index(FLOAT, 32, |lane| lane + 3), [4, 8, 5], "linear_shifted");
    assert_eq!(index(FLOAT, 32, |lane| lane % 8 * 8 + lane / 8), [4, 32, 8], "linear_across");
    assert_eq!(index(FLOAT, 32, |lane| lane % 4 * 8 + lane / 4), [4, 16, 4], "linear_across_quads");
    assert_eq!(index(FLOAT, 16, |lane| lane), [2, 2, 2], "linear_half");
    assert_eq!(index(FLOAT, 5, |lane| lane), [1, 1, 1], "linear_five");
    let outside = |lane: u32| if lane < 16 { lane } else { lane.wrapping_neg() };
    assert_eq!(index(FLOAT, 32, outside), [2, 2, 2], "linear_outside");
}

#[test]
fn four_lanes_fetch_together_from_arrays() {
    let plane = |shape, format, layout, lanes, at: fn(f32) -> [f32; 3]| {
        fetched(ARRAY, (shape, layout, format), nearest(), lanes, |lane| real(at(lane as f32)))
    };
    let array = |format, at| plane(PLANE, format, Layout::Squares, 32, at);
    assert_eq!(plane(PLANE, FLOAT, Layout::Rows, 32, |l| [l + 0.5, 0.5, 0.0]), [8, 8, 4], "pitch_row");
    assert_eq!(plane(PLANE, FLOAT, Layout::Rows, 32, |l| [0.5, l + 0.5, 0.0]), [8, 32, 32], "pitch_column");
    assert_eq!(array(BYTE, |l| [l + 0.5, 0.5, 0.0]), [8, 8, 2], "plane_bytes_row");
    assert_eq!(array(BYTE, |l| [0.5, l + 0.5, 0.0]), [8, 16, 16], "plane_bytes_column");
    assert_eq!(array(FOUR, |l| [l + 0.5, 0.5, 0.0]), [8, 32, 32], "plane_fours_row");
    assert_eq!(array(FOUR, |l| [0.5, l + 0.5, 0.0]), [8, 16, 16], "plane_fours_column");
    assert_eq!(array(FLOAT, |l| [4.0 * l + 0.5, 0.5, 0.0]), [8, 32, 32], "plane_apart");
    assert_eq!(array(FLOAT, |_| [5.5, 7.5, 0.0]), [8, 8, 1], "plane_one");
    assert_eq!(array(FLOAT, |l| [l - 15.5, 0.5, 0.0]), [8, 8, 4], "plane_outside");
    assert_eq!(plane(PLANE, FLOAT, Layout::Squares, 5, |l| [l + 0.5, 0.5, 0.0]), [2, 2, 2], "plane_five");
    let deep = |lane: u32| real([0.5, 0.5, (lane % 8) as f32 + 0.5]);
    let volume = (Shape::D3, Layout::Squares, FLOAT);
    assert_eq!(fetched(SLICES, volume, nearest(), 32, deep), [8, 32, 8], "volume_deep");
    let layer = |lane: u32| [0.5f32.to_bits(), 0.5f32.to_bits(), lane % 8];
    assert_eq!(fetched(LAYER, (LAYERS, Layout::Squares, FLOAT), nearest(), 32, layer), [8, 32, 8], "layers_deep");
}

#[test]
fn a_filter_needs_the_texels_that_it_weighs() {
    let linear = Sampler { linear: true, ..nearest() };
    let border = Sampler { address: [Address::Border; 3], ..linear.clone() };
    let array = (PLANE, Layout::Squares, FLOAT);
    let plane = |instruction, image, sampler: &Sampler, at: fn(f32) -> [f32; 3]| {
        fetched(instruction, image, sampler.clone(), 32, |lane| real(at(lane as f32)))
    };
    assert_eq!(plane(ARRAY, array, &linear, |l| [l + 0.5, 0.5, 0.0]), [8, 8, 8], "plane_exactly");
    assert_eq!(plane(ARRAY, array, &linear, |l| [l + 1.0, 0.5, 0.0]), [8, 16, 9], "plane_between_columns");
    // The second block of the kernel: its rows span two squares.
    assert_eq!(plane(ARRAY, array, &linear, |l| [l + 0.5, 2.0, 0.0]), [8, 16, 16], "plane_between_rows");
    assert_eq!(plane(ARRAY, array, &border, |l| [l - 15.0, 0.5, 0.0]), [8, 12, 5], "plane_border");
    assert_eq!(plane(GATHER, array, &nearest(), |l| [l + 1.0, 1.0, 0.0]), [8, 16, 9], "plane_gather");
    let rows = (PLANE, Layout::Rows, FLOAT);
    assert_eq!(plane(ARRAY, rows, &linear, |l| [l + 1.0, 1.0, 0.0]), [8, 24, 10], "pitch_between");
}

#[test]
fn a_filter_of_many_bytes_looks_sectors_up_several_times() {
    let linear = Sampler { linear: true, ..nearest() };
    let sectors = |instruction, image, at: fn(f32) -> [f32; 3]| {
        fetched(instruction, image, linear.clone(), 32, |lane| real(at(lane as f32)))[1]
    };
    let (fours, rows) = ((PLANE, Layout::Squares, FOUR), (PLANE, Layout::Rows, FOUR));
    let pairs = (PLANE, Layout::Squares, format(ChannelKind::Float, 32, 2));
    assert_eq!(sectors(ARRAY, pairs, |l| [l + 1.0, 1.0, 0.0]), 24, "wide_pairs, first block");
    assert_eq!(sectors(ARRAY, fours, |l| [l + 1.0, 1.0, 0.0]), 96, "plane_fours_between, first block");
    assert_eq!(sectors(ARRAY, fours, |l| [l + 0.5, 0.5, 0.0]), 64, "wide_fours_exactly");
    assert_eq!(sectors(ARRAY, fours, |_| [5.0, 7.0, 0.0]), 64, "wide_fours_one");
    assert_eq!(sectors(ARRAY, rows, |l| [l + 1.0, 1.0, 0.0]), 128, "wide_pitch_fours");
    assert_eq!(sectors(GATHER, fours, |l| [l + 1.0, 1.0, 0.0]), 40, "wide_gather, first block");
    let volume = (Shape::D3, Layout::Squares, FLOAT);
    assert_eq!(sectors(SLICES, volume, |l| [l + 0.5, 0.5, 3.5]), 16, "deep_exactly");
    assert_eq!(sectors(SLICES, volume, |l| [l + 0.5, 0.5, 4.0]), 32, "deep_slices");
    assert_eq!(sectors(SLICES, volume, |l| [l + 1.0, 0.5, 3.5]), 24, "deep_columns");
    let wide = (Shape::D3, Layout::Squares, FOUR);
    assert_eq!(sectors(SLICES, wide, |l| [l + 1.0, 1.0, 4.0]), 256, "deep_fours, first block");
}

#[test]
fn lanes_at_the_finest_level_look_up_apart() {
    let device = device("tex.level.2d.v4.f32.f32 {%o0, %o1, %o2, %o3}, [%h, {%i0, %i1}], %i2;", 3, 4);
    let levels = [128, 64].map(|n| level(device.zeros::<f32>((n * n) as usize), [n, n, 1], 4)).to_vec();
    let image = Image { shape: PLANE, layout: Layout::Squares, format: FLOAT, levels };
    for (linear, sectors) in [(true, 32), (false, 24)] {
        let sampler = Sampler { normalized: true, linear, linear_levels: linear, ..nearest() };
        let texture = Object::Texture(Texture { image: image.clone(), sampler });
        let handle = device.memory.add_object(texture);
        let at = |lane| real([(2 * lane + 1) as f32 / 128.0, 1.0 / 128.0, (lane % 4) as f32 * 0.25]);
        let totals = report(&device, handle, 32, at).counters.totals;
        assert_eq!(numbers(&totals.textures, 32)[..2], [8, sectors], "levels_by_lane, levels_nearest");
    }
}

/// Returns the report of an instruction on a surface, by `lanes` lanes.
fn of_surface(instruction: &str, (shape, format): (Shape, Format), lanes: u32, at: fn(u32) -> [u32; 3]) -> Report {
    let mut device = device(instruction, 3, 1);
    device.settings.costs = true;
    let image = image(&device, shape, Layout::Squares, format);
    let handle = device.memory.add_object(Object::Surface(image));
    report(&device, handle, lanes, at)
}

#[test]
fn eight_lanes_access_a_surface_together() {
    let words = (PLANE, FLOAT);
    let load = |image, lanes, at| {
        let report = of_surface("suld.b.2d.b32.zero {%o0}, [%h, {%i0, %i1}];", image, lanes, at);
        numbers(&report.counters.totals.surface_loads, lanes)
    };
    let store = |image, lanes, at| {
        let report = of_surface("sust.b.2d.b32.zero [%h, {%i0, %i1}], {%i2};", image, lanes, at);
        numbers(&report.counters.totals.surface_stores, lanes)
    };
    assert_eq!(load(words, 32, |lane| [4 * lane, 0, 0]), [4, 8, 8], "load_words");
    assert_eq!(load(words, 32, |lane| [0, lane, 0]), [4, 16, 16], "load_column");
    assert_eq!(load(words, 32, |lane| [lane.wrapping_sub(16).wrapping_mul(4), 0, 0]), [4, 4, 4], "load_outside");
    assert_eq!(store(words, 32, |lane| [lane % 8 * 4, lane / 8, 0]), [4, 8, 4], "store_square");
    assert_eq!(store(words, 32, |_| [16, 3, 0]), [4, 4, 1], "store_one");
    assert_eq!(store(words, 16, |lane| [4 * lane, 0, 0]), [2, 4, 4], "store_half");
    let bytes = of_surface("sust.b.2d.b8.trap [%h, {%i0, %i1}], {%i2};", (PLANE, BYTE), 32, |lane| [lane, 0, 0]);
    assert_eq!(numbers(&bytes.counters.totals.surface_stores, 32), [4, 4, 2], "store_bytes");
    let deep = of_surface("suld.b.3d.b32.trap {%o0}, [%h, {%i0, %i1, %i2, %i2}];", (Shape::D3, FLOAT), 32, |lane| {
        [0, 0, lane % 8]
    });
    assert_eq!(numbers(&deep.counters.totals.surface_loads, 32), [8, 32, 8], "load_volume_deep");
    let lines = (Shape::D1 { layered: true }, FLOAT);
    let line = of_surface("suld.b.a1d.b32.trap {%o0}, [%h, {%i1, %i0}];", lines, 32, |lane| [4 * lane, 1, 0]);
    assert_eq!(numbers(&line.counters.totals.surface_loads, 32), [8, 8, 8], "load_lines");
}

#[test]
fn lanes_that_change_one_element_look_it_up_one_by_one() {
    let integers = (PLANE, format(ChannelKind::Unsigned, 32, 1));
    let add = |at| {
        let report = of_surface("sured.b.2d.add.u32.clamp [%h, {%i0, %i1}], %i2;", integers, 32, at);
        numbers(&report.counters.totals.surface_atomics, 32)
    };
    assert_eq!(add(|lane| [4 * lane, 0, 1]), [4, 8, 8], "add_row");
    assert_eq!(add(|lane| [0, lane, 1]), [4, 16, 16], "add_column");
    assert_eq!(add(|_| [16, 3, 1]), [4, 32, 1], "add_one");
    assert_eq!(add(|lane| [if lane % 8 < 5 { 0 } else { lane % 8 * 4 }, 0, 1])[1], 24, "add_uneven");
}

#[test]
fn sectors_of_surfaces_are_part_of_what_a_launch_touches() {
    let costs = |instruction, at| of_surface(instruction, (PLANE, FLOAT), 32, at).counters.costs.expect("counted");
    // The inputs are 12 sectors, the outputs 4.
    let read = costs("suld.b.2d.b32.trap {%o0}, [%h, {%i0, %i1}];", |lane| [0, lane, 0]).footprint;
    assert_eq!((read.block_read_sectors, read.read_sectors, read.written_sectors), (12 + 16, 12 + 16, 4));
    let written = costs("sust.b.2d.b32.trap [%h, {%i0, %i1}], {%i2};", |lane| [0, lane, 0]).footprint;
    assert_eq!((written.read_sectors, written.written_sectors), (12, 4 + 16));
}

#[test]
fn without_counters_nothing_is_counted() {
    let mut device = device(ARRAY, 3, 4);
    device.settings.counters = false;
    let image = image(&device, PLANE, Layout::Squares, FLOAT);
    let handle = device.memory.add_object(Object::Texture(Texture { image, sampler: nearest() }));
    let totals = report(&device, handle, 32, |lane| real([lane as f32, 0.5, 0.0])).counters.totals;
    assert_eq!(totals.textures, TextureTraffic::default());
}
