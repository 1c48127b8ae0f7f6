//! Arrays, and mipmapped arrays: the driver's record of each. Their texels lie in device memory, row after row without
//! gaps. A device uses a different layout, but programs cannot observe it.

use super::allocation::{allocate, release, with_owned};
use crate::abi::constants::{array_flags, array_format};
use crate::abi::error::{Error, Result};
use crate::abi::types::{ArrayDesc, Handle};
use crate::state::contexts::context::Context;
use crate::state::device::handles::{HandleTable, fresh};
use simt::memory::MemoryKind;
use simt::texture::{ChannelKind, Format, Image, Layout, Level, Shape};
use std::sync::Arc;

/// An array, or a level of a mipmapped array.
pub struct Array {
    /// The requested description; for a level, with the extents of that level.
    pub desc: ArrayDesc,
    /// Its texels.
    pub image: Image,
    /// The allocation that holds the texels.
    memory: u64,
    /// Whether it is a level, which is freed together with all levels.
    is_level: bool,
}

/// A mipmapped array.
pub struct Mipmapped {
    /// Its texels.
    pub image: Image,
    memory: u64,
    levels: Vec<Handle>,
}

static ARRAYS: HandleTable<Array> = HandleTable::new();
static MIPMAPPED: HandleTable<Mipmapped> = HandleTable::new();

/// Returns the format of a texel.
///
/// # Errors
/// `CUDA_ERROR_INVALID_VALUE` for an invalid number of channels, `CUDA_ERROR_NOT_SUPPORTED` for formats other than
/// integers and floating-point numbers.
pub fn format(format: i32, channels: u32) -> Result<Format> {
    if !matches!(channels, 1 | 2 | 4) || format <= 0 {
        return Err(Error::INVALID_VALUE);
    }
    let (kind, bits) = match format {
        array_format::UNSIGNED_INT8 => (ChannelKind::Unsigned, 8),
        array_format::UNSIGNED_INT16 => (ChannelKind::Unsigned, 16),
        array_format::UNSIGNED_INT32 => (ChannelKind::Unsigned, 32),
        array_format::SIGNED_INT8 => (ChannelKind::Signed, 8),
        array_format::SIGNED_INT16 => (ChannelKind::Signed, 16),
        array_format::SIGNED_INT32 => (ChannelKind::Signed, 32),
        array_format::HALF => (ChannelKind::Float, 16),
        array_format::FLOAT => (ChannelKind::Float, 32),
        _ => return Err(Error::NOT_SUPPORTED),
    };
    Ok(Format { kind, bits, channels })
}

/// Returns the shape that a description requests.
///
/// # Errors
/// `CUDA_ERROR_INVALID_VALUE` for extents and flags that contradict each other, `CUDA_ERROR_NOT_SUPPORTED` for arrays
/// that are sparse, mapped later, or for depths.
pub fn shape(desc: &ArrayDesc) -> Result<Shape> {
    use array_flags::{ALL, COLOR_ATTACHMENT, CUBEMAP, LAYERED, SURFACE_LDST, TEXTURE_GATHER};
    let ArrayDesc { width, height, depth, flags, .. } = *desc;
    if flags & !ALL != 0 || width == 0 {
        return Err(Error::INVALID_VALUE);
    }
    if flags & !(LAYERED | SURFACE_LDST | CUBEMAP | TEXTURE_GATHER | COLOR_ATTACHMENT) != 0 {
        return Err(Error::NOT_SUPPORTED);
    }
    let layered = flags & LAYERED != 0;
    let shape = if flags & CUBEMAP != 0 {
        let fine = width == height && if layered { depth > 0 && depth.is_multiple_of(6) } else { depth == 6 };
        if !fine {
            return Err(Error::INVALID_VALUE);
        }
        Shape::Cube { layered }
    } else if layered {
        if depth == 0 {
            return Err(Error::INVALID_VALUE);
        }
        if height == 0 { Shape::D1 { layered } } else { Shape::D2 { layered } }
    } else {
        match (height, depth) {
            (0, 0) => Shape::D1 { layered },
            (_, 0) => Shape::D2 { layered },
            (0, _) => return Err(Error::INVALID_VALUE),
            _ => Shape::D3,
        }
    };
    if flags & TEXTURE_GATHER != 0 && shape != (Shape::D2 { layered: false }) {
        return Err(Error::INVALID_VALUE);
    }
    Ok(shape)
}

/// Returns the extents of a level of an array.
fn level_of(desc: &ArrayDesc, shape: Shape, level: u32) -> ArrayDesc {
    let half = |extent: usize| if extent == 0 { 0 } else { (extent >> level).max(1) };
    let depth = if shape == Shape::D3 { half(desc.depth) } else { desc.depth };
    ArrayDesc { width: half(desc.width), height: half(desc.height), depth, ..*desc }
}

/// Returns the maximum number of levels of an array: until all its extents are 1.
pub fn most_levels(desc: &ArrayDesc, shape: Shape) -> u32 {
    let depth = if shape == Shape::D3 { desc.depth } else { 0 };
    desc.width.max(desc.height).max(depth).max(1).ilog2() + 1
}

/// Returns the layout of the texels of levels, from an address on, and their total size. `None` if they exceed any
/// memory.
fn lay_out(descs: &[ArrayDesc], format: Format) -> Option<(Vec<Level>, u64)> {
    let mut levels = Vec::new();
    let mut at = 0u64;
    for desc in descs {
        let [width, height, depth] = [desc.width, desc.height.max(1), desc.depth.max(1)];
        let pitch = (width as u64).checked_mul(format.bytes().into())?;
        let slice = pitch.checked_mul(height as u64)?;
        let [width, height, slices] =
            [u32::try_from(width).ok()?, u32::try_from(height).ok()?, u32::try_from(depth).ok()?];
        levels.push(Level { base: at, width, height, depth: slices, pitch, slice });
        at = at.checked_add(slice.checked_mul(depth as u64)?)?;
        // Texels of the next level begin at a multiple of their size.
        at = at.checked_next_multiple_of(16)?;
    }
    Some((levels, at))
}

/// Allocates the texels of arrays with these extents.
fn image(context: &Context, descs: &[ArrayDesc], shape: Shape, call: &str) -> Result<(Image, u64)> {
    let format = format(descs[0].format, descs[0].num_channels)?;
    let (mut levels, bytes) = lay_out(descs, format).ok_or(Error::INVALID_VALUE)?;
    let bytes = usize::try_from(bytes).map_err(|_| Error::OUT_OF_MEMORY)?;
    let memory = allocate(context, bytes, MemoryKind::Device, 0, call)?;
    for level in &mut levels {
        level.base += memory;
    }
    Ok((Image { shape, layout: Layout::Squares, format, levels }, memory))
}

/// Makes an array.
///
/// # Errors
/// As [`shape`] and [`format`]; `CUDA_ERROR_OUT_OF_MEMORY`.
pub fn create(context: &Context, desc: &ArrayDesc) -> Result<Handle> {
    let (image, memory) = image(context, &[*desc], shape(desc)?, "cuArrayCreate")?;
    Ok(ARRAYS.insert(Arc::new(Array { desc: *desc, image, memory, is_level: false })))
}

/// Creates an array with `levels` levels; at least one, and at most the possible number.
///
/// # Errors
/// As [`create`].
pub fn create_mipmapped(context: &Context, desc: &ArrayDesc, levels: u32) -> Result<Handle> {
    let shape = shape(desc)?;
    let levels = levels.clamp(1, most_levels(desc, shape));
    let descs: Vec<ArrayDesc> = (0..levels).map(|level| level_of(desc, shape, level)).collect();
    let (image, memory) = image(context, &descs, shape, "cuMipmappedArrayCreate")?;
    let level = |(desc, level): (&ArrayDesc, &Level)| {
        let image = Image { levels: vec![*level], ..image.clone() };
        let handle = fresh();
        ARRAYS.insert_as(handle, Arc::new(Array { desc: *desc, image, memory, is_level: true }));
        handle
    };
    let handles = descs.iter().zip(&image.levels).map(level).collect();
    Ok(MIPMAPPED.insert(Arc::new(Mipmapped { image, memory, levels: handles })))
}

/// Checks that an allocation still exists: it is freed with its context.
fn exists(memory: u64) -> Result {
    with_owned(memory, |_| ()).ok_or(Error::INVALID_HANDLE)
}

/// The array with this handle.
///
/// # Errors
/// `CUDA_ERROR_INVALID_HANDLE`.
pub fn find(handle: Handle) -> Result<Arc<Array>> {
    let array = ARRAYS.get(handle)?;
    exists(array.memory)?;
    Ok(array)
}

/// Returns the mipmapped array with this handle.
///
/// # Errors
/// `CUDA_ERROR_INVALID_HANDLE`.
pub fn find_mipmapped(handle: Handle) -> Result<Arc<Mipmapped>> {
    let array = MIPMAPPED.get(handle)?;
    exists(array.memory)?;
    Ok(array)
}

/// Destroys an array. The caller has waited for the device.
///
/// # Errors
/// `CUDA_ERROR_INVALID_HANDLE`, also for a level, which is freed with its array.
pub fn destroy(handle: Handle) -> Result {
    let array = ARRAYS.get(handle)?;
    if array.is_level {
        return Err(Error::INVALID_HANDLE);
    }
    ARRAYS.remove(handle)?;
    release(array.memory);
    Ok(())
}

/// Destroys a mipmapped array. The caller has waited for the device.
///
/// # Errors
/// `CUDA_ERROR_INVALID_HANDLE`.
pub fn destroy_mipmapped(handle: Handle) -> Result {
    let array = MIPMAPPED.remove(handle)?;
    for level in &array.levels {
        ARRAYS.remove(*level)?;
    }
    release(array.memory);
    Ok(())
}

impl Mipmapped {
    /// Returns the array of a level.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` when there is no such level.
    pub fn level(&self, level: u32) -> Result<Handle> {
        self.levels.get(level as usize).copied().ok_or(Error::INVALID_VALUE)
    }
}

/// Returns a part of an array: the address of its first byte, and the bytes from row to row and from slice to slice.
/// `x` and `width` count bytes.
///
/// # Errors
/// `CUDA_ERROR_INVALID_HANDLE`; `CUDA_ERROR_INVALID_VALUE` if the part is not inside the array, or does not consist of
/// whole texels.
pub fn part(handle: Handle, [x, y, z]: [usize; 3], [width, height, depth]: [usize; 3]) -> Result<(u64, usize, usize)> {
    let array = find(handle)?;
    let level = &array.image.levels[0];
    let texel = array.image.format.bytes() as usize;
    let fits = |at: usize, count: usize, extent: u64| at.checked_add(count).is_some_and(|end| end as u64 <= extent);
    let is_inside =
        fits(x, width, level.pitch) && fits(y, height, level.height.into()) && fits(z, depth, level.depth.into());
    if !is_inside || !x.is_multiple_of(texel) || !width.is_multiple_of(texel) {
        return Err(Error::INVALID_VALUE);
    }
    let at = level.base + z as u64 * level.slice + y as u64 * level.pitch + x as u64;
    Ok((at, level.pitch as usize, level.slice as usize))
}

/// Returns the address of bytes of an array, which are contiguous from row to row.
///
/// # Errors
/// As [`part`].
pub fn range(handle: Handle, offset: usize, bytes: usize) -> Result<u64> {
    let array = find(handle)?;
    let level = &array.image.levels[0];
    let whole = level.slice * u64::from(level.depth);
    let texel = array.image.format.bytes() as usize;
    let is_inside = offset.checked_add(bytes).is_some_and(|end| end as u64 <= whole);
    if !is_inside || !offset.is_multiple_of(texel) || !bytes.is_multiple_of(texel) {
        return Err(Error::INVALID_VALUE);
    }
    Ok(level.base + offset as u64)
}
