//! Checks that judged kernels do not modify their inputs. Each input is read back after each pass over the case's body
//! in which it existed, or when it is freed, and compared with its original contents.
use std::{
    cell::RefCell,
    fmt,
    hash::{BuildHasher, RandomState},
    rc::{Rc, Weak},
    sync::Arc,
};

use cudarc::driver::{CudaContext, DeviceRepr, DriverError, result, sys::CUdeviceptr};

use crate::measure::parallel::parallel;

/// Bytes that are read back at a time.
const CHUNK: usize = 1 << 24;

/// Bytes for each number of a [`Digest`]; a chunk has a whole number of them.
const PART: usize = 1 << 20;

/// The maximum size, in bytes, of an array that is copied only for the comparison.
const LARGEST_COPY: usize = 1 << 26;

/// Data whose bytes can be compared with those on a device.
pub(crate) trait Bytes {
    /// Returns its bytes.
    fn bytes(&self) -> &[u8];
    /// Returns the size of an element in bytes.
    fn element(&self) -> usize;
}

impl<T: DeviceRepr> Bytes for Vec<T> {
    fn bytes(&self) -> &[u8] {
        bytes(self)
    }

    fn element(&self) -> usize {
        size_of::<T>()
    }
}

/// Returns the bytes of `data`, as copied to a device.
fn bytes<T: DeviceRepr>(data: &[T]) -> &[u8] {
    // SAFETY: the slice's own memory. Data for a device have no padding.
    unsafe { std::slice::from_raw_parts(data.as_ptr().cast(), size_of_val(data)) }
}

/// A digest of large data: a number for every [`PART`], which cannot be predicted.
struct Digest {
    state: RandomState,
    parts: Vec<u64>,
}

impl Digest {
    fn from_bytes(data: &[u8]) -> Self {
        let state = RandomState::new();
        let parts = digests(&state, data);
        Self { state, parts }
    }
}

fn digests(state: &RandomState, data: &[u8]) -> Vec<u64> {
    parallel(data.len().div_ceil(PART), |part| state.hash_one(&data[part * PART..data.len().min((part + 1) * PART)]))
}

/// The contents of an input before the kernels ran.
enum Original {
    /// The data themselves, which may be shared.
    Data(Rc<dyn Bytes>),
    /// A digest, the number of bytes, and the size of an element.
    Digest(Digest, usize, usize),
}

impl Original {
    /// Returns the range of elements that contains the first change of the bytes at `address`.
    fn first_change(&self, address: CUdeviceptr) -> Result<Option<[usize; 2]>, DriverError> {
        match self {
            Self::Data(data) => {
                let place = in_chunks(address, data.bytes().len(), |at, now| {
                    first_difference(&data.bytes()[at..at + now.len()], now).map(|byte| at + byte)
                })?;
                Ok(place.map(|byte| [byte / data.element(); 2]))
            }
            Self::Digest(digest, length, element) => {
                let place = in_chunks(address, *length, |at, now| {
                    let known = &digest.parts[at / PART..];
                    let part = digests(&digest.state, now).iter().zip(known).position(|(now, known)| now != known);
                    part.map(|part| at + part * PART)
                })?;
                Ok(place.map(|byte| [byte / element, (length.min(&(byte + PART)) - 1) / element]))
            }
        }
    }
}

/// Returns the position of the first difference of two slices of the same length.
fn first_difference(before: &[u8], now: &[u8]) -> Option<usize> {
    if before == now { None } else { before.iter().zip(now).position(|(before, now)| before != now) }
}

/// Reads back the bytes at `address`, chunk by chunk, until `find`, which gets the chunk's offset, returns a position.
fn in_chunks(
    address: CUdeviceptr,
    length: usize,
    find: impl Fn(usize, &[u8]) -> Option<usize>,
) -> Result<Option<usize>, DriverError> {
    let mut now = vec![0; length.min(CHUNK)];
    for at in (0..length).step_by(CHUNK) {
        let now = &mut now[..CHUNK.min(length - at)];
        // SAFETY: the caller holds memory of that length at the address.
        unsafe { result::memcpy_dtoh_sync(now, address + at as u64) }?;
        if let Some(place) = find(at, now) {
            return Ok(Some(place));
        }
    }
    Ok(None)
}

/// The results of reading back inputs.
#[derive(Debug, Default)]
struct ReadBack {
    /// A description of the first input that was changed.
    changed: Option<String>,
    /// Why an input could not be read back.
    error: Option<DriverError>,
}

/// An input on the device. It is read back a last time on drop, which must come before its memory is freed.
pub(crate) struct GuardedMemory {
    name: String,
    address: CUdeviceptr,
    original: Original,
    context: Arc<CudaContext>,
    seen: Rc<RefCell<ReadBack>>,
}

impl GuardedMemory {
    /// Reads the input back. Changes are undone for the following cases, if the original data are available.
    fn look(&self) {
        if let Err(error) = self.compare() {
            self.seen.borrow_mut().error.get_or_insert(error);
        }
    }

    fn compare(&self) -> Result<(), DriverError> {
        // Kernels may run on any stream.
        self.context.synchronize()?;
        let Some(place) = self.original.first_change(self.address)? else {
            return Ok(());
        };
        self.seen.borrow_mut().changed.get_or_insert_with(|| words(&self.name, place));
        if let Original::Data(data) = &self.original {
            // SAFETY: the memory at the address has the length of the data.
            unsafe { result::memcpy_htod_sync(self.address, data.bytes()) }?;
        }
        Ok(())
    }
}

impl Drop for GuardedMemory {
    fn drop(&mut self) {
        self.look();
    }
}

impl fmt::Debug for GuardedMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("GuardedMemory").field(&self.name).finish()
    }
}

/// Describes the change of an input.
fn words(name: &str, [from, to]: [usize; 2]) -> String {
    let place = if from == to { format!("at element {from}") } else { format!("between elements {from} and {to}") };
    format!("the kernel changed its input `{name}` {place}, which it may only read")
}

/// The inputs of judged kernels.
#[derive(Debug)]
pub(crate) struct InputGuard {
    context: Arc<CudaContext>,
    held: RefCell<Vec<Weak<GuardedMemory>>>,
    seen: Rc<RefCell<ReadBack>>,
}

impl InputGuard {
    /// Creates an empty set on the device of `context`.
    pub(crate) fn new(context: &Arc<CudaContext>) -> Self {
        Self { context: context.clone(), held: RefCell::default(), seen: Rc::default() }
    }

    /// Watches the input `name`, whose data are at `address`, and stay there until the result is dropped.
    pub(crate) fn hold(&self, name: &str, data: Rc<dyn Bytes>, address: CUdeviceptr) -> Rc<GuardedMemory> {
        self.held_as(name, Original::Data(data), address)
    }

    /// As [`InputGuard::hold`], if the caller does not keep the data: of large data only a digest is kept.
    pub(crate) fn hold_copy<T: DeviceRepr + Clone + 'static>(
        &self,
        name: &str,
        data: &[T],
        address: CUdeviceptr,
    ) -> Rc<GuardedMemory> {
        let all = bytes(data);
        let original = if all.len() <= LARGEST_COPY {
            Original::Data(Rc::new(data.to_vec()))
        } else {
            Original::Digest(Digest::from_bytes(all), all.len(), size_of::<T>())
        };
        self.held_as(name, original, address)
    }

    fn held_as(&self, name: &str, original: Original, address: CUdeviceptr) -> Rc<GuardedMemory> {
        let (context, seen) = (self.context.clone(), self.seen.clone());
        let held = Rc::new(GuardedMemory { name: name.into(), address, original, context, seen });
        let mut all = self.held.borrow_mut();
        all.retain(|held| held.strong_count() > 0);
        all.push(Rc::downgrade(&held));
        held
    }

    /// Reads back the watched inputs, and describes the first one that was changed since the last call, if any.
    ///
    /// # Errors
    /// The driver's errors.
    pub(crate) fn seen(&self) -> Result<Option<String>, DriverError> {
        let held: Vec<Rc<GuardedMemory>> = self.held.borrow().iter().filter_map(Weak::upgrade).collect();
        for held in &held {
            held.look();
        }
        let ReadBack { changed, error } = self.seen.take();
        error.map_or(Ok(changed), Err)
    }
}

#[cfg(test)]
mod tests {
    use cudarc::driver::{CudaSlice, DevicePtr};

    use super::*;
    use crate::device::session::Session;

    fn session() -> Session {
        Session::open(&"emulated".parse().unwrap()).unwrap()
    }

    fn address<T>(session: &Session, slice: &CudaSlice<T>) -> CUdeviceptr {
        slice.device_ptr(&session.stream).0
    }

    /// Modifies an input, which a kernel must not do.
    fn write(session: &Session, slice: &mut CudaSlice<u32>, at: usize) {
        session.stream.memcpy_htod(&[!0], &mut slice.slice_mut(at..=at)).unwrap();
    }

    #[test]
    fn a_changed_input_is_named_with_its_element_and_set_right() {
        let (session, data) = (session(), (0..100).collect::<Vec<u32>>());
        let inputs = InputGuard::new(&session.context);
        let mut x = session.stream.clone_htod(&data).unwrap();
        let _held = inputs.hold("x", Rc::new(data.clone()), address(&session, &x));
        assert_eq!(inputs.seen().unwrap(), None);
        for at in [5, 0, 99] {
            write(&session, &mut x, at);
            let words = format!("the kernel changed its input `x` at element {at}, which it may only read");
            assert_eq!(inputs.seen().unwrap(), Some(words));
            assert_eq!(inputs.seen().unwrap(), None, "what was seen is told once");
            assert_eq!(session.stream.clone_dtoh(&x).unwrap(), data);
        }
    }

    #[test]
    fn an_input_is_read_back_before_it_is_freed() {
        let (session, data) = (session(), [7_u32; 9]);
        let inputs = InputGuard::new(&session.context);
        let mut x = session.stream.clone_htod(&data).unwrap();
        let held = inputs.hold_copy("table", &data, address(&session, &x));
        write(&session, &mut x, 8);
        drop(held);
        drop(x);
        assert!(inputs.seen().unwrap().unwrap().contains("`table` at element 8"));
        assert_eq!(inputs.seen().unwrap(), None, "nothing is held any more");
    }

    #[test]
    fn a_change_of_large_data_is_seen_in_any_part() {
        let (session, n) = (session(), (LARGEST_COPY + PART) / 4 + 3);
        let data: Vec<u32> = (0..n as u32).collect();
        let inputs = InputGuard::new(&session.context);
        let mut x = session.stream.clone_htod(&data).unwrap();
        let held = inputs.hold_copy("x", &data, address(&session, &x));
        assert!(matches!(held.original, Original::Digest(..)));
        assert_eq!(inputs.seen().unwrap(), None);
        let part = PART / 4;
        for at in [n - 1, CHUNK / 4 + 2 * part, 0] {
            write(&session, &mut x, at);
            let (from, to) = (at / part * part, (at / part * part + part - 1).min(n - 1));
            let words = format!("`x` between elements {from} and {to}, which");
            let seen = inputs.seen().unwrap().unwrap();
            assert!(seen.contains(&words), "{seen}: {words}");
        }
    }
}
