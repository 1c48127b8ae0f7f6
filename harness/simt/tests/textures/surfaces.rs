//! Surfaces: loads, stores and reductions, inside and outside.

use super::common::{Arg, Device};
use super::{device, format, level, play};
use simt::finding::FindingKind;
use simt::texture::{ChannelKind, Image, Layout, Object, Shape};

/// Creates a surface of five by four texels of this kind, all zero, and returns its handle and address.
fn surface(device: &Device, kind: ChannelKind, bits: u32, channels: u32) -> (u64, u64) {
    let format = format(kind, bits, channels);
    let base = device.zeros::<u8>(20 * format.bytes() as usize);
    let levels = vec![level(base, [5, 4, 1], format.bytes())];
    (
        device.memory.add_object(Object::Surface(Image {
            shape: Shape::D2 { layered: false },
            layout: Layout::Squares,
            format,
            levels,
        })),
        base,
    )
}

/// Returns texels in rows and columns from -2 to 5, in order.
fn around() -> Vec<[i32; 2]> {
    (0..64).map(|i| [i % 8 - 2, i / 8 - 2]).collect()
}

#[test]
fn loads_and_stores_outside_do_as_their_mode_says() {
    for mode in ["clamp", "zero"] {
        let device = device(&format!("sust.b.2d.b32.{mode} [%h, {{%i0, %i1}}], {{%i2}};"), 3, 1);
        let (handle, base) = surface(&device, ChannelKind::Unsigned, 32, 1);
        let inputs: Vec<Vec<u32>> =
            around().iter().enumerate().map(|(i, [x, y])| vec![(x * 4) as u32, *y as u32, 100 + i as u32]).collect();
        // Several lanes store to the same texel: they store in lane order, and the last one wins.
        let mut want = [0u32; 20];
        for (i, [x, y]) in around().into_iter().enumerate() {
            let inside = (0..5).contains(&x) && (0..4).contains(&y);
            if inside || mode == "clamp" {
                want[(y.clamp(0, 3) * 5 + x.clamp(0, 4)) as usize] = 100 + i as u32;
            }
        }
        for chunk in inputs.chunks(1) {
            let from = device.put(&chunk[0]);
            let args = [Arg::Ptr(handle), Arg::Ptr(from), Arg::Ptr(device.zeros::<u32>(1))];
            device.launch("k", 1, 1, &args);
        }
        assert_eq!(device.get::<u32>(base, 20), want, "{mode}");

        let loads = super::device(&format!("suld.b.2d.b32.{mode} {{%o0}}, [%h, {{%i0, %i1}}];"), 2, 1);
        let (handle, base) = surface(&loads, ChannelKind::Unsigned, 32, 1);
        let host = loads.memory.host(base, 80).expect("it is there").cast::<u32>();
        for (i, value) in want.iter().enumerate() {
            unsafe { host.add(i).write(value + 1) };
        }
        let inputs: Vec<Vec<u32>> = around().iter().map(|[x, y]| vec![(x * 4) as u32, *y as u32]).collect();
        for ([x, y], got) in around().into_iter().zip(play(&loads, handle, &inputs, 1)) {
            let inside = (0..5).contains(&x) && (0..4).contains(&y);
            let at = (y.clamp(0, 3) * 5 + x.clamp(0, 4)) as usize;
            let value = if inside || mode == "clamp" { want[at] + 1 } else { 0 };
            assert_eq!(got[0], value, "{mode} {x} {y}");
        }
    }
}

#[test]
fn an_access_outside_that_traps_is_found() {
    for (instruction, at) in [
        ("suld.b.2d.b32.trap {%o0}, [%h, {%i0, %i1}];", [20, 0]),
        ("sust.b.2d.b32.trap [%h, {%i0, %i1}], {%i1};", [-4, 3]),
        ("sured.b.add.2d.u32.trap [%h, {%i0, %i1}], %i1;", [0, 4]),
    ] {
        let device = device(instruction, 2, 1);
        let (handle, _) = surface(&device, ChannelKind::Unsigned, 32, 1);
        let from = device.put(&at);
        let args = [Arg::Ptr(handle), Arg::Ptr(from), Arg::Ptr(device.zeros::<u32>(1))];
        let (report, _) = device.try_launch("k", [1, 1, 1], [1, 1, 1], 0, &args);
        let finding = &report.findings[0];
        assert_eq!(finding.kind, FindingKind::OutsideSurface { at: [at[0], at[1], 0], extent: [20, 4, 1] });
        assert!(finding.accesses[0].place.ptx_line > 0);
        assert!(report.fault.is_some());
        let text = simt::report::one(finding, &simt::report::Sources::new());
        let what = ["read", "write", "atomic"][usize::from(at[0] != 20) + usize::from(at[1] == 4)];
        assert!(text.contains(&format!("Invalid surface {what} of size 4 bytes at byte {} of row", at[0])), "{text}");
        assert!(text.contains("The surface has 4 rows of 20 bytes in 1 slice"), "{text}");
    }
    let device = device("suld.b.2d.b32.trap {%o0}, [%h, {%i0, %i1}];", 2, 1);
    let (handle, _) = surface(&device, ChannelKind::Unsigned, 32, 1);
    let args = [Arg::Ptr(handle), Arg::Ptr(device.put(&[6u32, 0])), Arg::Ptr(device.zeros::<u32>(1))];
    let (report, _) = device.try_launch("k", [1, 1, 1], [1, 1, 1], 0, &args);
    assert!(matches!(report.findings[0].kind, FindingKind::Misaligned { required: 4, .. }));
}

#[test]
fn vectors_and_bytes_keep_their_places() {
    let device = device(
        "cvt.u16.u32 %s0, %i2;\nsust.b.2d.b8.trap [%h, {%i0, %i1}], {%s0};\n\
         suld.b.2d.v4.b8.zero {%s0, %s1, %s2, %s3}, [%h, {%i3, %i1}];\n\
         cvt.u32.u16 %o0, %s0;\ncvt.u32.u16 %o1, %s1;\ncvt.u32.u16 %o2, %s2;\ncvt.u32.u16 %o3, %s3;",
        4,
        4,
    );
    let (handle, _) = surface(&device, ChannelKind::Unsigned, 8, 4);
    let from = device.put(&[6u32, 2, 0x1fe, 4]);
    let to = device.zeros::<u32>(4);
    device.launch("k", 1, 1, &[Arg::Ptr(handle), Arg::Ptr(from), Arg::Ptr(to)]);
    assert_eq!(device.get::<u32>(to, 4), [0, 0, 0xfe, 0]);
}

#[test]
fn a_formatted_store_counts_texels_and_fits_values_to_channels() {
    let device = device("sust.p.2d.v2.b32.trap [%h, {%i0, %i1}], {%i2, %i3};", 4, 1);
    let (handle, base) = surface(&device, ChannelKind::Signed, 8, 2);
    for (x, pair) in [(1u32, [5i32, -6]), (4, [1000, -1000])] {
        let from = device.put(&[x as i32, 3, pair[0], pair[1]]);
        device.launch("k", 1, 1, &[Arg::Ptr(handle), Arg::Ptr(from), Arg::Ptr(device.zeros::<u32>(1))]);
    }
    let row = &device.get::<u8>(base, 40)[30..];
    assert_eq!(row, [0, 0, 5, 250, 0, 0, 0, 0, 127, 128]);
}

#[test]
fn reductions_combine_all_lanes() {
    for (operation, ty, want) in [
        ("add", "u32", (0..64u32).map(|i| i.wrapping_sub(20)).fold(0, u32::wrapping_add)),
        ("min", "s32", -20i32 as u32),
        ("max", "s32", 43),
        ("max", "u32", u32::MAX),
        ("or", "b32", u32::MAX),
        ("and", "b32", 0),
    ] {
        let device = device(&format!("sured.b.{operation}.2d.{ty}.zero [%h, {{%i0, %i1}}], %i2;"), 3, 1);
        let (handle, base) = surface(&device, ChannelKind::Unsigned, 32, 1);
        let inputs: Vec<Vec<u32>> = (0..64).map(|i: u32| vec![8, 2, i.wrapping_sub(20)]).collect();
        play(&device, handle, &inputs, 1);
        let texels = device.get::<u32>(base, 20);
        assert_eq!(texels[2 * 5 + 2], want, "{operation} {ty}");
        assert_eq!(texels.iter().filter(|t| **t != 0).count(), usize::from(want != 0));
    }
}
