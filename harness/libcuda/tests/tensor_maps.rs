//! Tensor maps through the driver's calls: accepted and refused arguments, and a kernel that reads an accepted map.

mod common;
use common::{alloc, context, function, module, ok, open, symbol};
use cudarc::driver::sys;
use flate2::read::GzDecoder;
use std::ffi::{c_char, c_int, c_uint, c_void};
use std::fs::File;
use std::io::Read;

const PTX: &str = ".version 8.6
.target sm_90
.address_size 64
.visible .entry tile(.param .align 64 .b8 map[128], .param .u64 out)
{
  .shared .align 128 .b32 tile[64];
  .shared .align 8 .b64 bar;
  .reg .b64 %map, %out, %state;
  .reg .b32 %t, %r<4>;
  .reg .pred %p;
  mov.b64 %map, map;
  cvta.param.u64 %map, %map;
  ld.param.u64 %out, [out];
  mov.u32 %t, %tid.x;
  setp.eq.u32 %p, %t, 0;
  @!%p bra LOADED;
  mbarrier.init.shared::cta.b64 [bar], 1;
  fence.proxy.async.shared::cta;
  mbarrier.arrive.expect_tx.shared::cta.b64 %state, [bar], 256;
  cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [tile], [%map, {4, 1}], [bar];
LOADED:
  bar.sync 0;
WAIT:
  mbarrier.try_wait.parity.shared::cta.b64 %p, [bar], 0;
  @!%p bra WAIT;
  mov.u32 %r0, tile;
  mad.lo.u32 %r0, %t, 4, %r0;
  ld.shared.u32 %r1, [%r0];
  mad.wide.u32 %out, %t, 4, %out;
  st.global.u32 [%out], %r1;
  ret;
}
";

const INVALID_VALUE: c_int = 1;
const INVALID_CONTEXT: c_int = 201;
const NOT_SUPPORTED: c_int = 801;

/// `CUtensorMap`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(64))]
struct Map([u64; 16]);

type Encode = unsafe extern "C" fn(
    *mut Map,
    c_int,
    c_uint,
    u64,
    *const u64,
    *const u64,
    *const c_uint,
    *const c_uint,
    c_int,
    c_int,
    c_int,
    c_int,
) -> c_int;
type EncodePixels = unsafe extern "C" fn(
    *mut Map,
    c_int,
    c_uint,
    u64,
    *const u64,
    *const u64,
    *const c_int,
    *const c_int,
    c_uint,
    c_uint,
    *const c_uint,
    c_int,
    c_int,
    c_int,
    c_int,
) -> c_int;
type Replace = unsafe extern "C" fn(*mut Map, u64) -> c_int;

/// The arguments of a call.
#[derive(Clone)]
struct Tensor {
    element: c_int,
    rank: u32,
    address: u64,
    dims: [u64; 5],
    strides: [u64; 4],
    sizes: [u32; 5],
    steps: [u32; 5],
    interleave: c_int,
    swizzle: c_int,
    promotion: c_int,
    fill: c_int,
    lower: [c_int; 3],
    upper: [c_int; 3],
    channels: u32,
    pixels: u32,
}

/// 16 x 8 words at an address.
fn plane(address: u64) -> Tensor {
    Tensor {
        element: 2,
        rank: 2,
        address,
        dims: [16, 8, 0, 0, 0],
        strides: [64, 0, 0, 0],
        sizes: [8, 8, 0, 0, 0],
        steps: [1; 5],
        interleave: 0,
        swizzle: 0,
        promotion: 0,
        fill: 0,
        lower: [-1; 3],
        upper: [-1; 3],
        channels: 8,
        pixels: 64,
    }
}

/// 8 channels of 4 bytes, 16 x 8 x 4 x 2 of them.
fn pixels(address: u64, rank: u32) -> Tensor {
    let (dims, strides) = ([8, 16, 8, 4, 2], [32, 512, 4096, 16384]);
    Tensor { rank, dims, strides, sizes: [8, 2, 2, 2, 2], ..plane(address) }
}

fn encode(tensor: &Tensor, out: *mut Map) -> c_int {
    let call: Encode = symbol("cuTensorMapEncodeTiled");
    let Tensor { element, rank, address, dims, strides, sizes, steps, interleave, swizzle, promotion, fill, .. } =
        tensor;
    unsafe {
        call(
            out,
            *element,
            *rank,
            *address,
            dims.as_ptr(),
            strides.as_ptr(),
            sizes.as_ptr(),
            steps.as_ptr(),
            *interleave,
            *swizzle,
            *promotion,
            *fill,
        )
    }
}

fn encode_pixels(tensor: &Tensor, out: *mut Map) -> c_int {
    let call: EncodePixels = symbol("cuTensorMapEncodeIm2col");
    let Tensor { element, rank, address, dims, strides, steps, interleave, swizzle, promotion, fill, .. } = tensor;
    unsafe {
        call(
            out,
            *element,
            *rank,
            *address,
            dims.as_ptr(),
            strides.as_ptr(),
            tensor.lower.as_ptr(),
            tensor.upper.as_ptr(),
            tensor.channels,
            tensor.pixels,
            steps.as_ptr(),
            *interleave,
            *swizzle,
            *promotion,
            *fill,
        )
    }
}

fn configure(profile: &std::ffi::CStr) {
    let library = open();
    let configure = unsafe { library.get::<unsafe extern "C" fn(*const c_char) -> c_int>(b"simt_configure") }.unwrap();
    assert_eq!(unsafe { configure(profile.as_ptr()) }, 0);
}

/// A change to the arguments of a call, and whether they are valid after it.
type Change = (&'static str, bool, fn(&mut Tensor));

/// Returns the numbers after a word of a line of the record, after the colon.
fn numbers<T: Default + Copy + TryFrom<i64>, const N: usize>(line: &str, word: &str) -> [T; N] {
    let (_, told) = line.split_once(": ").unwrap();
    let mut words = told.split(' ').skip_while(|found| *found != word).skip(1);
    let mut list = words.next().unwrap_or_default().split(',').map(|number| number.parse::<i64>().unwrap());
    std::array::from_fn(|_| list.next().map_or(T::default(), |number| T::try_from(number).ok().unwrap()))
}

/// Returns the arguments in a line of the record, for a tensor that begins `shift` bytes after an address.
fn told(line: &str, address: u64) -> Tensor {
    let one = |word: &str| numbers::<c_int, 1>(line, word)[0];
    let (tiled, address) = (line.contains(" box "), address + u64::try_from(one("shift")).unwrap());
    let tensor = Tensor {
        element: one("type"),
        rank: one("rank") as u32,
        address,
        dims: numbers(line, "dims"),
        strides: numbers(line, "strides"),
        steps: numbers(line, "steps"),
        interleave: one("interleave"),
        swizzle: one("swizzle"),
        promotion: one("promotion"),
        fill: one("fill"),
        ..plane(address)
    };
    if tiled {
        return Tensor { sizes: numbers(line, "box"), ..tensor };
    }
    let [channels, pixels] = [one("channels"), one("pixels")].map(|number| number as u32);
    Tensor { lower: numbers(line, "lower"), upper: numbers(line, "upper"), channels, pixels, ..tensor }
}

/// The results of NVIDIA's driver for 2400 maps, most of them with a mistake.
fn answers_as_an_h200(data: u64) {
    let record = concat!(env!("CARGO_MANIFEST_DIR"), "/../libcudart/tests/tensors/h200.txt.gz");
    let mut text = String::new();
    GzDecoder::new(File::open(record).unwrap()).read_to_string(&mut text).unwrap();
    let mistakes: Vec<&str> = text.lines().filter(|line| line.contains(" gives ")).collect();
    let wrong: Vec<&str> = mistakes
        .iter()
        .filter(|line| {
            let tensor = told(line, data);
            let mut map = Map([0; 16]);
            let call = if line.contains(" box ") { encode } else { encode_pixels };
            call(&tensor, &raw mut map) != numbers::<c_int, 1>(line, "gives")[0]
        })
        .copied()
        .collect();
    assert_eq!((mistakes.len(), wrong), (2400, vec![]));
}

#[test]
fn maps_are_made_and_refused() {
    configure(c"{\"profile\": \"h200\"}");
    ok(unsafe { sys::cuInit(0) });
    let mut map = Map([0; 16]);
    assert_eq!(encode(&plane(0), &raw mut map), INVALID_CONTEXT);
    context();
    let mut yes = 0;
    let ask: unsafe extern "C" fn(*mut c_int, c_int, c_int) -> c_int = symbol("cuDeviceGetAttribute");
    assert_eq!((unsafe { ask(&raw mut yes, 127, 0) }, yes), (0, 1), "TENSOR_MAP_ACCESS_SUPPORTED");

    let data = alloc(4096);
    let input: Vec<u32> = (0..128).map(|i| i * i).collect();
    ok(unsafe { sys::cuMemcpyHtoD_v2(data, input.as_ptr().cast(), 512) });
    let out = alloc(256);
    let kernel = function(module(PTX), "tile");
    let run = |map: &Map| -> Vec<u32> {
        let mut arguments = [(&raw const *map).cast_mut().cast::<c_void>(), (&raw const out).cast_mut().cast()];
        ok(unsafe {
            let (stream, extra) = (std::ptr::null_mut(), std::ptr::null_mut());
            sys::cuLaunchKernel(kernel, 1, 1, 1, 64, 1, 1, 0, stream, arguments.as_mut_ptr(), extra)
        });
        let mut words = vec![0u32; 64];
        ok(unsafe { sys::cuMemcpyDtoH_v2(words.as_mut_ptr().cast(), out, 256) });
        words
    };
    let tile = |from: &dyn Fn(u32) -> u32| -> Vec<u32> {
        (0..64).map(|i| if i < 56 { from(16 * (1 + i / 8) + 4 + i % 8) } else { 0 }).collect()
    };
    assert_eq!(encode(&plane(data), &raw mut map), 0);
    assert_eq!(run(&map), tile(&|i| i * i));
    // The same map with a different address.
    let replace: Replace = symbol("cuTensorMapReplaceAddress");
    ok(unsafe { sys::cuMemcpyHtoD_v2(data + 1024, input[1..].as_ptr().cast(), 508) });
    assert_eq!(unsafe { replace(&raw mut map, data + 1024) }, 0);
    assert_eq!(run(&map)[..56], tile(&|i| (i + 1) * (i + 1))[..56]);
    assert_eq!(unsafe { replace(&raw mut map, data + 8) }, INVALID_VALUE);
    assert_eq!(unsafe { replace(std::ptr::null_mut(), data) }, INVALID_VALUE);
    let mut none = Map([7; 16]);
    assert_eq!(unsafe { replace(&raw mut none, data) }, INVALID_VALUE);

    let tiled: [Change; 43] = [
        ("as it is", true, |_| {}),
        ("half-precision", true, |t| t.element = 6),
        ("the last type", true, |t| t.element = 12),
        ("four bits", false, |t| t.element = 13),
        ("no type", false, |t| t.element = -1),
        ("no dimensions", false, |t| t.rank = 0),
        ("six dimensions", false, |t| t.rank = 6),
        ("an address between", false, |t| t.address += 8),
        ("an address at 16", true, |t| t.address += 16),
        ("no elements", false, |t| t.dims[1] = 0),
        ("2^32 elements", true, |t| t.dims[1] = 1 << 32),
        ("more", false, |t| t.dims[1] = (1 << 32) + 1),
        ("a stride between", false, |t| t.strides[0] = 72),
        ("a stride of 2^40", false, |t| t.strides[0] = 1 << 40),
        ("a stride below", true, |t| t.strides[0] = (1 << 40) - 16),
        ("a box of nothing", false, |t| t.sizes[1] = 0),
        ("a box of 256", true, |t| t.sizes[1] = 256),
        ("a box of 257", false, |t| t.sizes[1] = 257),
        ("a row of 8 bytes", false, |t| t.sizes[0] = 2),
        ("a row of 20 bytes", false, |t| t.sizes[0] = 5),
        ("a step of nothing", false, |t| t.steps[1] = 0),
        ("a step of 8", true, |t| t.steps[1] = 8),
        ("a step of 9", false, |t| t.steps[1] = 9),
        ("a step in a row", false, |t| t.steps[0] = 9),
        ("slices of a plane", false, |t| t.interleave = 1),
        ("no interleave", false, |t| t.interleave = 3),
        ("a swizzle", true, |t| t.swizzle = 1),
        ("a row longer than it", false, |t| (t.swizzle, t.sizes[0]) = (1, 12)),
        ("a wider swizzle", true, |t| (t.swizzle, t.sizes[0]) = (2, 16)),
        ("a row longer than that", false, |t| (t.swizzle, t.sizes[0]) = (2, 20)),
        ("the widest", true, |t| (t.swizzle, t.sizes[0]) = (3, 32)),
        ("a row longer than the widest", false, |t| (t.swizzle, t.sizes[0]) = (3, 36)),
        ("a swizzle of another device", false, |t| t.swizzle = 4),
        ("the last promotion", true, |t| t.promotion = 3),
        ("no promotion", false, |t| t.promotion = 4),
        ("NaN of integers", false, |t| t.fill = 1),
        ("NaN", true, |t| (t.fill, t.element) = (1, 7)),
        ("no fill", false, |t| t.fill = 2),
        ("slices", true, |t| *t = Tensor { interleave: 1, ..pixels(t.address, 4) }),
        ("wide slices", true, |t| *t = Tensor { interleave: 2, swizzle: 1, ..pixels(t.address, 3) }),
        ("wide slices without a swizzle", true, |t| *t = Tensor { interleave: 2, ..pixels(t.address, 3) }),
        ("a part of a slice", false, |t| *t = Tensor { interleave: 1, sizes: [2; 5], ..pixels(t.address, 3) }),
        ("wide slices between", false, |t| {
            *t = Tensor { interleave: 2, swizzle: 1, ..pixels(t.address + 16, 3) };
        }),
    ];
    for (name, right, change) in tiled {
        let mut tensor = plane(data);
        change(&mut tensor);
        let before = Map([1; 16]);
        let mut map = before;
        let expected = if right { 0 } else { INVALID_VALUE };
        assert_eq!(encode(&tensor, &raw mut map), expected, "{name}");
        assert_eq!(map == before, !right, "{name}");
    }
    let columns: [Change; 18] = [
        ("as it is", true, |_| {}),
        ("one corner", true, |t| *t = Tensor { lower: [-32768; 3], upper: [32767; 3], ..pixels(t.address, 3) }),
        ("one corner too far", false, |t| *t = Tensor { lower: [-32769; 3], ..pixels(t.address, 3) }),
        ("two corners", true, |t| (t.lower, t.upper) = ([-128; 3], [127; 3])),
        ("two corners too far", false, |t| t.upper[1] = 128),
        ("three corners", true, |t| *t = Tensor { lower: [-16; 3], upper: [15; 3], ..pixels(t.address, 5) }),
        ("three corners too far", false, |t| *t = Tensor { lower: [-17; 3], ..pixels(t.address, 5) }),
        ("two dimensions", false, |t| t.rank = 2),
        ("nothing between the corners", false, |t| (t.lower[0], t.upper[0]) = (8, -8)),
        ("one pixel between them", true, |t| (t.lower[0], t.upper[0]) = (7, -8)),
        ("no channels", false, |t| t.channels = 0),
        ("256 channels", true, |t| t.channels = 256),
        ("257 channels", false, |t| t.channels = 257),
        ("1024 pixels", true, |t| t.pixels = 1024),
        ("1025 pixels", false, |t| t.pixels = 1025),
        ("more pixels than shared memory holds", false, |t| (t.channels, t.pixels) = (64, 909)),
        ("as many", true, |t| (t.channels, t.pixels) = (64, 908)),
        ("a swizzle narrower than the channels", false, |t| (t.swizzle, t.channels) = (1, 16)),
    ];
    for (name, right, change) in columns {
        let mut tensor = pixels(data, 4);
        change(&mut tensor);
        let expected = if right { 0 } else { INVALID_VALUE };
        assert_eq!(encode_pixels(&tensor, &raw mut map), expected, "{name}");
    }
    answers_as_an_h200(data);
    // An invalid pointer to the map.
    assert_eq!(encode(&plane(data), std::ptr::null_mut()), INVALID_VALUE);
    let mut two = [Map([0; 16]); 2];
    assert_eq!(encode(&plane(data), (&raw mut two).cast::<u64>().wrapping_add(4).cast()), INVALID_VALUE);
    let wide: unsafe extern "C" fn() -> c_int = symbol("cuTensorMapEncodeIm2colWide");
    assert_eq!(unsafe { wide() }, NOT_SUPPORTED);
    // The call, looked up by name.
    let mut found = std::ptr::null_mut::<c_void>();
    let find: unsafe extern "C" fn(*const c_char, *mut *mut c_void, c_int, u64, *mut c_int) -> c_int =
        symbol("cuGetProcAddress_v2");
    let name = c"cuTensorMapEncodeTiled";
    assert_eq!(unsafe { find(name.as_ptr(), &raw mut found, 12000, 0, std::ptr::null_mut()) }, 0);
    let direct: Encode = symbol("cuTensorMapEncodeTiled");
    assert_eq!(found.cast_const(), direct as *const c_void);
}
