//! The rows on a line: copies, strides, offsets, and one field of many.
use std::borrow::Cow;

use cudarc::driver::{CudaSlice, PushKernelArg};
use harness::{Case, CaseContext, Check, Input, Inputs, Launch, Result, Run, Times, parallel};

use crate::counting::{Count, line, wide_line};
use crate::matrix::Shape;
use crate::measured::{compare, describe, same};
use crate::{COPIES, FIELDS};

/// The way to copy a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Copying {
    /// By the driver.
    Driver,
    /// One float per thread.
    Plain,
    /// 16 floats per thread.
    Wide,
    /// Every n-th float, for a given stride n.
    Stride,
    /// From a given offset on.
    Offset,
}

/// The layout of a field in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Field {
    /// In structures of four floats.
    OfStructures,
    /// In a separate array.
    OfArrays,
    /// All fields of the structures.
    All,
}

/// One copy: which input float goes to index i, and what distinguishes its row.
struct One {
    kernel: &'static str,
    label: String,
    /// The number of floats written.
    floats: usize,
    stride: usize,
    offset: usize,
    /// The kernel's last argument, if it has one: the column's name and the value.
    argument: Option<(&'static str, u64)>,
    /// Floats per thread.
    each: usize,
}

/// The factor of a field.
const FACTOR: f32 = 2.5;
/// The number of elements that one task checks.
const PART: usize = 1 << 20;
const STRIDES: [u32; 6] = [1, 2, 4, 8, 16, 32];
const OFFSETS: [u32; 4] = [0, 1, 8, 31];

/// Runs every chosen copy of a line with as many floats as a matrix of `shape`; all except the driver's own only if
/// `swept`. Returns the rate of the driver's copy in GB/s, if it was measured.
pub(crate) fn copies(run: &Run, shape: Shape, swept: bool) -> Result<Option<f64>> {
    let floats = shape.floats();
    let given = |name, usual: &[u32]| -> Vec<usize> {
        let given = run.args().get_many::<u32>(name);
        given.map_or(usual.to_vec(), |all| all.copied().collect()).into_iter().map(|value| value as usize).collect()
    };
    let offsets = given("offset", &OFFSETS);
    let most = offsets.iter().max().copied().unwrap_or(0);
    let seed = run.options().seed;
    let draw = |mut inputs: Inputs, n| inputs.f32(n, -1.0..1.0);
    let x = run.input("x", || Inputs::in_chunks(seed, "x", floats + most, draw));
    let mut rate = None;
    for row in run.rows(COPIES) {
        let plain =
            One { kernel: "copy", label: shape.to_string(), floats, stride: 1, offset: 0, argument: None, each: 1 };
        match row.with {
            Copying::Driver => rate = driver(run, row.name(), shape, &x)?,
            Copying::Plain if swept => one(run, row.name(), shape, &x, &plain)?,
            Copying::Wide if swept => one(run, row.name(), shape, &x, &One { kernel: "copy_wide", each: 16, ..plain })?,
            Copying::Stride if swept => {
                for stride in given("stride", &STRIDES) {
                    let label = format!("{shape}, stride {stride}");
                    let argument = Some(("stride", stride as u64));
                    let floats = floats.div_ceil(stride);
                    let strided = One { kernel: "copy_stride", label, floats, stride, argument, ..plain };
                    one(run, row.name(), shape, &x, &strided)?;
                }
            }
            Copying::Offset if swept => {
                for &offset in &offsets {
                    let label = format!("{shape}, offset {offset}");
                    let argument = Some(("offset", offset as u64));
                    one(run, row.name(), shape, &x, &One { kernel: "copy_offset", label, offset, argument, ..plain })?;
                }
            }
            _ => {}
        }
    }
    Ok(rate)
}

/// Runs the driver's own copy; returns its rate in GB/s on a GPU.
fn driver(run: &Run, name: &'static str, shape: Shape, x: &Input<'_, f32>) -> Result<Option<f64>> {
    let (floats, mut rate) = (shape.floats(), None);
    run.case(Case::new(name).label(shape.to_string()).n(shape.n), |case| {
        let bytes = 2 * floats * size_of::<f32>();
        describe(case, shape, bytes);
        let (host, there) = (&x.host()[..floats], x.device()?);
        // SAFETY: poisoned before each sample, and read only after the copy.
        let mut y = unsafe { run.stream().alloc::<f32>(floats) }?;
        let times =
            case.time(&mut y, |y| Ok(run.stream().memcpy_dtod(&there.slice(..floats), y)?), |y| same(y, host))?;
        rate = (!run.is_emulated()).then(|| bytes as f64 / times.median / 1e6);
        Ok(())
    })?;
    Ok(rate)
}

fn one(run: &Run, name: &'static str, shape: Shape, x: &Input<'_, f32>, one: &One) -> Result<()> {
    let One { floats, stride, offset, .. } = *one;
    // The launch counts threads by n, which here is the matrix's.
    let blocks = Launch::covering(256).each(one.each);
    let launch =
        blocks.resolve(floats, run.options(), &run.session().device, || run.function("line.cu", one.kernel))?;
    let case = Case::new(name).label(one.label.as_str()).n(shape.n).work(3 * floats as u64);
    run.case(case.kernel("line.cu", one.kernel).launch(launch), |case| {
        describe(case, shape, 2 * floats * size_of::<f32>());
        if let Some((column, value)) = one.argument {
            case.set(column, value);
        }
        let expected: Cow<'_, [f32]> = match stride {
            1 => x.host()[offset..offset + floats].into(),
            _ => x.host().iter().step_by(stride).take(floats).copied().collect(),
        };
        let (stream, kernel, there) = (run.stream(), case.kernel()?, x.device()?);
        // SAFETY: poisoned before each sample, and read only after the kernel.
        let mut y = unsafe { stream.alloc::<f32>(floats) }?;
        let length = floats as u64;
        case.time(
            &mut y,
            |y| {
                let mut builder = stream.launch_builder(&kernel);
                builder.arg(there).arg(y).arg(&length);
                if let Some((_, value)) = &one.argument {
                    builder.arg(value);
                }
                // SAFETY: these are the kernels' parameters; y holds that many floats, and x all that are read.
                unsafe { builder.launch(launch) }?;
                Ok(())
            },
            |y| same(y, &expected),
        )?;
        let count = match one.each {
            1 => line(length, 1, |i| i * stride as u64 + offset as u64, |i| i),
            _ => wide_line(length),
        };
        compare(run, case, one.kernel, count)
    })?;
    Ok(())
}

/// Runs one field of structures, with about as many floats as the matrix.
pub(crate) fn fields(run: &Run, shape: Shape) -> Result<()> {
    let structures = shape.floats().div_ceil(4);
    let x = run.input("x", || run.inputs("fields").f32(4 * structures, -1.0..1.0));
    for row in run.rows(FIELDS) {
        let (n, u) = (structures as u64, structures);
        let (kernel, floats, count): (_, _, fn(u64) -> Count) = match row.with {
            Field::OfStructures => ("aos", 1, |n| line(n, 1, |i| 4 * i + 1, |i| 4 * i + 1)),
            Field::OfArrays => ("soa", 1, |n| line(n, 1, |i| n + i, |i| n + i)),
            Field::All => ("aos_whole", 4, |n| line(n, 4, |i| 4 * i, |i| 4 * i)),
        };
        let is_field = move |i: usize| match row.with {
            Field::OfStructures => i % 4 == 1,
            Field::OfArrays => i / u == 1,
            Field::All => true,
        };
        let rule = Launch::covering(256);
        let launch = rule.resolve(u, run.options(), &run.session().device, || run.function("line.cu", kernel))?;
        let case = Case::new(row.name()).label(shape.to_string()).n(shape.n).work(3 * n);
        run.case(case.kernel("line.cu", kernel).launch(launch), |case| {
            describe(case, shape, 2 * floats * u * size_of::<f32>());
            let mut y = run.stream().alloc_zeros::<f32>(4 * u)?;
            let host = x.host();
            scale(run, case, &x, &mut y, n, |y| field(y, host, is_field))?;
            compare(run, case, kernel, count(n))
        })?;
    }
    Ok(())
}

fn scale(
    run: &Run,
    case: &mut CaseContext<'_>,
    x: &Input<'_, f32>,
    y: &mut CudaSlice<f32>,
    structures: u64,
    check: impl FnMut(&[f32]) -> Check,
) -> Result<Times> {
    let (stream, kernel, launch, there) = (run.stream(), case.kernel()?, case.launch(), x.device()?);
    let launched = |y: &mut CudaSlice<f32>| {
        let mut builder = stream.launch_builder(&kernel);
        builder.arg(there).arg(y).arg(&structures).arg(&FACTOR);
        // SAFETY: these are the kernels' parameters, and both lines hold four floats a structure.
        unsafe { builder.launch(launch) }?;
        Ok(())
    };
    case.time(y, launched, check)
}

/// Checks that the field's floats are scaled and the others unwritten.
fn field(y: &[f32], x: &[f32], is_field: impl Fn(usize) -> bool + Sync) -> Check {
    let expected = |i: usize| if is_field(i) { FACTOR * x[i] } else { f32::from_bits(u32::MAX) };
    let is_wrong = |i: &usize| y[*i].to_bits() != expected(*i).to_bits();
    let wrong = parallel(y.len().div_ceil(PART), |part| (part * PART..y.len().min((part + 1) * PART)).find(is_wrong));
    let words = wrong.into_iter().flatten().next().map(|i| {
        let should = if is_field(i) { format!("should be {}", expected(i)) } else { "belongs to another field".into() };
        format!("[{i}] is {}, {should}", y[i])
    });
    Check::that(words.is_none(), words.unwrap_or_default())
}
