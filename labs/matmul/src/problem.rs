//! One shape's matrices on the device, and the right answer.
use cudarc::driver::CudaSlice;
use harness::{CaseContext, Error, Result, Run, Times, Uploaded};

use crate::{Arithmetic, Element, Shape, answer::Answer};

/// A, B and C on the device.
pub(crate) type Matrices<'a, T> = (&'a CudaSlice<T>, &'a CudaSlice<T>, &'a mut CudaSlice<f32>);

/// The matrices, with elements of type `T` in A and B, and the right answer.
pub(crate) struct Problem<T> {
    pub(crate) shape: Shape,
    pub(crate) a: Uploaded<T>,
    pub(crate) b: Uploaded<T>,
    c: CudaSlice<f32>,
    answer: Answer,
}

impl<T: Element> Problem<T> {
    /// Makes the matrices; `names` are the kernels' names of the factors.
    pub(crate) fn new(run: &Run, shape: Shape, names: [&str; 2]) -> Result<Self> {
        // Impossible sizes are refused before the matrices are made.
        shape.check().map_err(Error::Usage)?;
        run.needs(shape.bytes(), &format!("matrices of {shape}"), "--m, --k or --n")?;
        let input = |label, elements| -> (Vec<T>, Vec<f32>) {
            let random = run.inputs(label).f32(elements, -1.0..1.0);
            let rounded: Vec<T> = random.into_iter().map(T::of).collect();
            let values = rounded.iter().map(|x| x.value()).collect();
            (rounded, values)
        };
        let (a, exact_a) = input("A", shape.m * shape.k);
        let (b, exact_b) = input("B", shape.k * shape.n);
        Ok(Self {
            shape,
            answer: Answer::new(&exact_a, &exact_b, shape, run.options().seed),
            a: run.upload(names[0], &a)?,
            b: run.upload(names[1], &b)?,
            // SAFETY: poisoned before each sample, and read only after the kernel.
            c: unsafe { run.stream().alloc(shape.m * shape.n) }?,
        })
    }

    /// Sets the columns that describe the product.
    pub(crate) fn describe(&self, case: &mut CaseContext<'_>) {
        case.set("m", self.shape.m);
        case.set("k", self.shape.k);
        case.flop(self.shape.flop());
    }

    /// Times `multiply`, checks each product, and sets the columns that every row has. Each sample begins with a cold
    /// cache, whatever the previous row has left there.
    pub(crate) fn measure(
        &mut self,
        run: &Run,
        case: &mut CaseContext<'_>,
        arithmetic: Arithmetic,
        cublas: Option<f64>,
        mut multiply: impl FnMut(Matrices<'_, T>) -> Result<()>,
    ) -> Result<Times> {
        self.describe(case);
        case.peak(arithmetic.peak());
        case.cold();
        case.set("error_bound", self.answer.tolerance(arithmetic).absolute);
        if let Some(partly) = self.answer.partly() {
            case.note(partly);
        }
        let Self { a, b, c, answer, .. } = self;
        let times = case.time(c, |c| multiply((a, b, c)), |c| answer.check(c, arithmetic))?;
        if !run.is_emulated() && times.median > 0.0 {
            let rate = tera(self.shape, times);
            case.set("tflop_per_s", rate);
            case.set("percent_of_cublas", cublas.map(|c| 100.0 * rate / c));
        }
        Ok(times)
    }
}

/// The rate in 10^12 operations per second.
pub(crate) fn tera(shape: Shape, times: Times) -> f64 {
    shape.flop() as f64 / times.median / 1e9
}
