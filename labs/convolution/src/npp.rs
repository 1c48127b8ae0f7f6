//! NPP, NVIDIA's library for images: the peer of the convolutions of an image, if the library can be loaded.
use std::{
    ffi::{c_int, c_uint, c_void},
    sync::Arc,
};

use cudarc::driver::{CudaSlice, CudaStream, DevicePtr, DevicePtrMut, sys::CUdevice_attribute};
use harness::{Error, Result, Run};
use libloading::Library;

use crate::masks::Mask;

/// `NppiSize` and `NppiPoint`.
type Pair = [c_int; 2];

/// `NppStreamContext`, as NPP 12 and 13 have it.
#[repr(C)]
#[derive(Clone, Copy)]
struct Context {
    stream: *mut c_void,
    device: c_int,
    multiprocessors: c_int,
    threads_per_multiprocessor: c_int,
    threads_per_block: c_int,
    shared_bytes_per_block: usize,
    major: c_int,
    minor: c_int,
    stream_flags: c_uint,
    reserved: c_int,
}

/// `nppiFilterBorder_32f_C1R_Ctx`: source, bytes of its rows, its size, the place of the first result in it;
/// destination, bytes of its rows, size of the result; the mask in device memory, its size, its middle; the border, and
/// the stream.
type FilterCall =
    unsafe extern "C" fn(u64, c_int, Pair, Pair, u64, c_int, Pair, u64, Pair, Pair, c_int, Context) -> c_int;

/// `NPP_BORDER_REPLICATE`: beyond the source, its last points repeat. Those are zeros here, and no result needs them.
const BORDER_REPLICATE: c_int = 2;

/// The library with an image on the device that has zeros around it, and its mask.
pub(crate) struct Filter {
    library: Library,
    stream: Arc<CudaStream>,
    context: Context,
    padded: CudaSlice<f32>,
    mask: CudaSlice<f32>,
    size: (u32, u32),
    radius: u32,
}

impl Filter {
    /// Opens the library, and copies the image and its mask to the device.
    pub(crate) fn open(run: &Run, points: &[f32], (width, height): (u32, u32), mask: &Mask) -> Result<Self> {
        if run.is_emulated() {
            return Err(Error::skip("NPP needs an NVIDIA GPU"));
        }
        // SAFETY: loading the library runs its initialisers, which is intended.
        let opened = ["libnppif.so.13", "libnppif.so.12"].iter().find_map(|name| unsafe { Library::new(*name) }.ok());
        let library = opened.ok_or_else(|| {
            Error::skip(
                "NPP was not found; put the folder of libnppif.so (of the CUDA toolkit, or of `pip install \
                 nvidia-npp-cu12`) on LD_LIBRARY_PATH",
            )
        })?;
        let radius = (mask.row.len() / 2) as u32;
        let stride = (width + 2 * radius) as usize;
        let mut padded = vec![0.0; stride * (height + 2 * radius) as usize];
        for (y, row) in points.chunks_exact(width as usize).enumerate() {
            let first = (y + radius as usize) * stride + radius as usize;
            padded[first..first + row.len()].copy_from_slice(row);
        }
        // The library wants the factors in reverse order.
        let reversed: Vec<f32> = mask.whole().into_iter().rev().collect();
        let stream = run.stream().clone();
        let (padded, mask) = (stream.clone_htod(&padded)?, stream.clone_htod(&reversed)?);
        let context = context(&stream)?;
        Ok(Self { library, context, padded, mask, size: (width, height), radius, stream })
    }

    /// Enqueues the convolution.
    pub(crate) fn apply(&self, out: &mut CudaSlice<f32>) -> Result<()> {
        let ((width, height), radius) = (self.size, self.radius as c_int);
        let (stride, side) = ((width + 2 * self.radius) as c_int, 2 * radius + 1);
        let row_bytes = |floats: c_int| floats * size_of::<f32>() as c_int;
        let (source, _reads) = self.padded.device_ptr(&self.stream);
        let (mask, _reads_mask) = self.mask.device_ptr(&self.stream);
        let (out, _writes) = out.device_ptr_mut(&self.stream);
        let first = source + row_bytes(stride * radius + radius) as u64;
        // SAFETY: the name is the call's, whose type is above.
        let call = unsafe { self.library.get::<FilterCall>(b"nppiFilterBorder_32f_C1R_Ctx\0") };
        let call = call.map_err(|error| Error::skip(format!("NPP is there, but lacks the call: {error}")))?;
        // SAFETY: the source has `radius` points around each side of the result, and the mask side x side floats.
        let status = unsafe {
            call(
                first,
                row_bytes(stride),
                [stride, height as c_int + 2 * radius],
                [radius, radius],
                out,
                row_bytes(width as c_int),
                [width as c_int, height as c_int],
                mask,
                [side, side],
                [radius, radius],
                BORDER_REPLICATE,
                self.context,
            )
        };
        if status < 0 { Err(Error::CannotRun(format!("NPP fails with status {status}"))) } else { Ok(()) }
    }
}

/// The stream with the facts of its device that NPP asks for.
fn context(stream: &CudaStream) -> Result<Context> {
    use CUdevice_attribute as Attribute;
    let device = stream.context();
    let of = |attribute| device.attribute(attribute);
    Ok(Context {
        stream: stream.cu_stream().cast(),
        device: device.ordinal() as c_int,
        multiprocessors: of(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?,
        threads_per_multiprocessor: of(Attribute::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR)?,
        threads_per_block: of(Attribute::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?,
        shared_bytes_per_block: of(Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK)? as usize,
        major: of(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?,
        minor: of(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?,
        stream_flags: 0,
        reserved: 0,
    })
}
