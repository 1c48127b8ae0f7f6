//! Compares an output on the GPU with the last right one: it compares a GiB in a millisecond, while copying it to the
//! host and comparing it there takes a good part of a second, after every sample.
use std::sync::Arc;

use cudarc::{
    driver::{CudaFunction, CudaSlice, CudaStream, DeviceRepr, LaunchConfig, PushKernelArg},
    nvrtc::Ptx,
};

use crate::{device::session::Session, error::Result, measure::check::Check};

/// `differs(a, b, words, flag)` sets `flag[0]` to 1 if a word of `a` differs from that of `b`. For the oldest target
/// and PTX version that any supported driver reads.
const DIFFERS: &str = "\
.version 6.0
.target sm_50
.address_size 64
.visible .entry differs(.param .u64 a, .param .u64 b, .param .u64 words, .param .u64 flag)
{
    .reg .pred %p<3>;
    .reg .b32 %r<6>;
    .reg .b64 %rd<12>;
    ld.param.u64 %rd1, [a];
    ld.param.u64 %rd2, [b];
    ld.param.u64 %rd3, [words];
    ld.param.u64 %rd4, [flag];
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %ntid.x;
    mov.u32 %r3, %tid.x;
    mov.u32 %r4, %nctaid.x;
    cvt.u64.u32 %rd5, %r3;
    mul.wide.u32 %rd6, %r1, %r2;
    add.s64 %rd5, %rd5, %rd6;
    mul.wide.u32 %rd6, %r4, %r2;
AGAIN:
    setp.ge.u64 %p1, %rd5, %rd3;
    @%p1 ret;
    shl.b64 %rd7, %rd5, 2;
    add.s64 %rd8, %rd1, %rd7;
    add.s64 %rd9, %rd2, %rd7;
    ld.global.u32 %r3, [%rd8];
    ld.global.u32 %r4, [%rd9];
    setp.eq.u32 %p2, %r3, %r4;
    @%p2 bra NEXT;
    st.global.u32 [%rd4], 1;
NEXT:
    add.s64 %rd5, %rd5, %rd6;
    bra AGAIN;
}
";

/// Outputs below this size, in bytes, are compared on the host, which is faster then.
const LEAST: usize = 1 << 20;

/// Memory that must stay free besides the copy of a right output, in bytes.
const SPARE: usize = 1 << 30;

/// A right output, kept on the GPU.
#[derive(Debug)]
struct DeviceCopy<T> {
    stream: Arc<CudaStream>,
    differs: CudaFunction,
    flag: CudaSlice<u32>,
    right: CudaSlice<T>,
}

impl<T: DeviceRepr> DeviceCopy<T> {
    /// Keeps a copy of `output`, which is right; `None` if the GPU has too little memory.
    ///
    /// # Errors
    /// The driver's errors.
    fn keep(session: &Session, output: &CudaSlice<T>) -> Result<Option<Self>> {
        if session.free_bytes()? < bytes_of(output).saturating_add(SPARE) {
            return Ok(None);
        }
        let stream = session.stream.clone();
        let differs = session.context.load_module(Ptx::from_src(DIFFERS))?.load_function("differs")?;
        let flag = stream.alloc_zeros(1)?;
        let right = stream.clone_dtod(output)?;
        Ok(Some(Self { stream, differs, flag, right }))
    }

    /// Whether `output` equals the right one, bit for bit.
    ///
    /// # Errors
    /// The driver's errors.
    fn equals(&mut self, output: &CudaSlice<T>) -> Result<bool> {
        if output.len() != self.right.len() {
            return Ok(false);
        }
        let words = (bytes_of(output) / 4) as u64;
        self.stream.memset_zeros(&mut self.flag)?;
        let blocks = words.div_ceil(256).clamp(1, 1 << 14) as u32;
        let launch = LaunchConfig { grid_dim: (blocks, 1, 1), block_dim: (256, 1, 1), shared_mem_bytes: 0 };
        let mut builder = self.stream.launch_builder(&self.differs);
        builder.arg(output).arg(&self.right).arg(&words).arg(&mut self.flag);
        // SAFETY: these are the kernel's parameters: two arrays of `words` words, and a word to write.
        unsafe { builder.launch(launch) }?;
        Ok(self.stream.clone_dtoh(&self.flag)? == [0])
    }
}

/// The first right output of a GPU's samples, with its check. An output that equals it, bit for bit, is right too, and
/// need not be copied to the host.
#[derive(Debug)]
pub(crate) struct LastRightOnDevice<T> {
    kept: Option<(DeviceCopy<T>, Check)>,
    /// Whether the GPU had too little memory for a right output.
    is_full: bool,
}

impl<T> Default for LastRightOnDevice<T> {
    fn default() -> Self {
        Self { kept: None, is_full: false }
    }
}

impl<T: DeviceRepr> LastRightOnDevice<T> {
    /// Whether an output is large enough, and consists of whole words.
    pub(crate) fn suits(output: &CudaSlice<T>) -> bool {
        let bytes = bytes_of(output);
        bytes >= LEAST && bytes.is_multiple_of(4)
    }

    /// Returns the check of `output`: that of the right one if they are equal, else that of `check` on the host.
    ///
    /// # Errors
    /// The driver's errors.
    pub(crate) fn check(
        &mut self,
        session: &Session,
        output: &CudaSlice<T>,
        check: impl FnOnce(&[T]) -> Check,
    ) -> Result<Check> {
        if let Some((right, known)) = &mut self.kept
            && right.equals(output)?
        {
            return Ok(known.clone());
        }
        let check = session.look_at(output, check)?;
        if check.passed() && self.kept.is_none() && !self.is_full {
            self.kept = DeviceCopy::keep(session, output)?.map(|right| (right, check.clone()));
            self.is_full = self.kept.is_none();
        }
        Ok(check)
    }
}

/// Returns the bytes of a device array.
fn bytes_of<T>(all: &CudaSlice<T>) -> usize {
    all.len() * size_of::<T>()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs on the machine, which executes the same kernel.
    #[test]
    fn one_bit_anywhere_makes_a_difference() {
        let session = Session::open(&"emulated".parse().unwrap()).unwrap();
        let n = 300_001;
        let values: Vec<f32> = (0..n).map(|i| i as f32).collect();
        let right = session.stream.clone_htod(&values).unwrap();
        let mut same = DeviceCopy::keep(&session, &right).unwrap().unwrap();
        assert!(same.equals(&right).unwrap());
        for at in [0, 1, 255, 256, n - 2, n - 1] {
            let mut other = values.clone();
            other[at] = f32::from_bits(other[at].to_bits() ^ 1);
            assert!(!same.equals(&session.stream.clone_htod(&other).unwrap()).unwrap(), "{at}");
        }
        assert!(!same.equals(&session.stream.clone_htod(&values[1..]).unwrap()).unwrap());
        assert!(same.equals(&right).unwrap());
    }

    #[test]
    fn an_output_is_looked_at_unless_it_equals_a_right_one() {
        let session = Session::open(&"emulated".parse().unwrap()).unwrap();
        let (mut all, mut times_checked) = (LastRightOnDevice::default(), 0);
        // Wrong outputs are checked each time, even if they equal the previous one.
        for (value, is_right) in [(7, false), (7, false), (1, true), (1, true), (2, true), (1, true), (7, false)] {
            let output = session.stream.clone_htod(&vec![value; LEAST / 4]).unwrap();
            assert!(LastRightOnDevice::suits(&output));
            let check = all.check(&session, &output, |seen| {
                times_checked += 1;
                assert!(seen.len() == LEAST / 4 && seen.iter().all(|one| *one == value));
                Check::that(is_right, "wrong")
            });
            assert_eq!(check.unwrap().passed(), is_right);
        }
        assert_eq!(times_checked, 5);
        assert!(!LastRightOnDevice::suits(&session.stream.clone_htod(&vec![1_u8; LEAST + 2]).unwrap()));
        assert!(!LastRightOnDevice::suits(&session.stream.clone_htod(&[1_u32; 9]).unwrap()));
    }
}
