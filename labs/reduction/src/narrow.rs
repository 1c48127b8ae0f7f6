//! Sums of 16-bit numbers: half the bytes, and the question of the format in which to add.
use std::cell::OnceCell;

use cudarc::driver::PushKernelArg;
use harness::{Case, Check, Inputs, Launch, Result, Row, Run, Tolerance, launch_1d, parallel, parallel_vec, row};

use crate::{Op, experiment::set_result, reference::Reference};

/// A 16-bit format, and the format of its additions.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Narrow {
    kernel: &'static str,
    encode: fn(f32) -> u16,
}

#[rustfmt::skip]
pub(crate) static NARROW: &[Row<Narrow>] = &[
    row("half", "like vectorized, but numbers of 16 bits, added in float", Narrow { kernel: "half_sum", encode: half }),
    row("bfloat16", "like half, but with the exponents of float", Narrow { kernel: "bfloat16_sum", encode: bfloat16 }),
    row("half-in-half", "like half, but a thread adds in half", Narrow { kernel: "half_in_half_sum", encode: half })
        .racy("a sum in half has 11 bits: it rounds away what is small next to it"),
];

/// The bits of a number in half precision. It must be exact and not subnormal there.
///
/// ```
/// assert_eq!([0.0, 1.0, 0.5, 255.0 / 256.0].map(reduction::half), [0, 0x3c00, 0x3800, 0x3bf8]);
/// ```
pub fn half(number: f32) -> u16 {
    let bits = number.to_bits();
    if number == 0.0 { 0 } else { ((bits >> 13) - (112 << 10)) as u16 }
}

/// The bits of a number in bfloat16, the upper half of a float's. It must be exact there.
///
/// ```
/// assert_eq!([0.0, 1.0, -2.0].map(reduction::bfloat16), [0, 0x3f80, 0xc000]);
/// ```
pub fn bfloat16(number: f32) -> u16 {
    (number.to_bits() >> 16) as u16
}

/// The sums of ones that show where a format stagnates.
pub(crate) static ONES: [Row; 1] = [row("ones", "4096 ones by each of 32 threads, added in float and in half", ())];

/// A row of n random numbers for each variant, if sums are requested, and one of ones.
pub(crate) fn run(run: &Run, n: usize, of_random: bool) -> Result<()> {
    // Multiples of 1/256 below 1 are exact in both formats, and their sum is exact in f64.
    let random =
        run.input("bytes", move || Inputs::in_chunks(run.options().seed, "narrow", n, |mut inputs, n| inputs.bytes(n)));
    let value = OnceCell::new();
    for row in run.rows(NARROW).filter(|_| of_random) {
        let rule = Launch::one_wave(256).at_least(64).whole_warps();
        let number = |byte| f32::from(byte) / 256.0;
        let value = *value.get_or_init(|| total(random.host()) as f64 / 256.0);
        let case = Case::new(row.name()).label("random").launch(rule);
        sum(run, row, case, (random.host(), number), value, true)?;
    }
    if run.wants(ONES[0].name()) {
        for row in NARROW {
            // Above 2048 the halves are 2 apart, so that adding 1 has no effect.
            let value = if row.name() == "half-in-half" { 32.0 * 2048.0 } else { 32.0 * 4096.0 };
            let case = Case::new(ONES[0].name()).label(row.name()).launch(launch_1d(1, 32));
            sum(run, row, case, (&vec![u8::MAX; 32 * 4096], |_| 1.0), value, false)?;
        }
    }
    Ok(())
}

/// The sum of the bytes.
fn total(bytes: &[u8]) -> u64 {
    let parts: Vec<&[u8]> = bytes.chunks(1 << 20).collect();
    parallel(parts.len(), |part| parts[part].iter().map(|byte| u64::from(*byte)).sum::<u64>()).into_iter().sum()
}

/// A row: the sum of a number for each byte, which should be `value`, within the bound of its roundings if `rounds`.
fn sum(
    run: &Run,
    of: &Narrow,
    case: Case,
    (bytes, number): (&[u8], fn(u8) -> f32),
    value: f64,
    rounds: bool,
) -> Result<()> {
    let n = bytes.len();
    run.case(case.n(n).kernel("narrow.cu", of.kernel), |case| {
        let (stream, kernel, launch) = (run.stream(), case.kernel()?, case.launch());
        let codes: Vec<u16> = (0..=u8::MAX).map(|byte| (of.encode)(number(byte))).collect();
        let encoded = parallel_vec(n, |i| codes[usize::from(bytes[i])]);
        let (x, length) = (run.upload("x", &encoded)?, n as u64);
        let threads = (launch.grid_dim.0 * launch.block_dim.0) as usize;
        // A thread's numbers (up to a tile more than others have), then its warp, its block's warps, and the blocks.
        let chain = n.div_ceil(threads) + 64 + 5 + 32 + launch.grid_dim.0 as usize;
        let bound = Tolerance::sum(chain, value, f64::from(f32::EPSILON));
        let tolerance = if rounds { bound } else { Tolerance::EXACT };
        let mut result = f64::NAN;
        case.reads(size_of::<u16>() * n);
        case.flop(Op::Sum.flop(n));
        case.measure(
            &mut stream.alloc_zeros::<f32>(1)?,
            |total| Ok(stream.memset_zeros(total)?),
            |total| {
                // SAFETY: the kernels' parameters; x holds n numbers.
                unsafe { stream.launch_builder(&kernel).arg(&*x).arg(total).arg(&length).launch(launch) }?;
                Ok(())
            },
            |total| {
                result = f64::from(stream.clone_dtoh(total)?[0]);
                Ok(Check::scalar("sum", result, value, tolerance))
            },
        )?;
        set_result(case, Op::Sum, result, Reference { value, magnitude: value, roundings: 0 }, chain);
        Ok(())
    })?;
    Ok(())
}
