//! The ways in which a result comes back, each timed from the launch until the host has the value.
use cudarc::driver::{DevicePtr, PushKernelArg, sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS};
use harness::{Check, Error, HostVisible, Result, Run, Tolerance, Trial, launch_1d};

/// The result before the kernel runs, which a kernel that writes nothing leaves in place.
const NOT_YET: i32 = i32::MIN;

/// A buffer on the device, which the host copies back.
pub(crate) fn explicit(run: &Run, case: &mut Trial<'_>) -> Result<()> {
    let stream = run.stream();
    let mut buffer = stream.clone_htod(&[NOT_YET])?;
    let address = buffer.device_ptr(stream).0;
    let write = |buffer: &mut _| Ok(stream.memcpy_htod(&[NOT_YET], buffer)?);
    measure(run, case, Some(address), &mut buffer, write, |buffer| Ok(stream.clone_dtoh(buffer)?[0]))
}

/// Managed memory, whose page migrates.
pub(crate) fn managed(run: &Run, case: &mut Trial<'_>) -> Result<()> {
    read_in_place(run, case, HostVisible::managed(run.session(), NOT_YET)?)
}

/// Host memory that the device maps.
pub(crate) fn mapped(run: &Run, case: &mut Trial<'_>) -> Result<()> {
    read_in_place(run, case, HostVisible::mapped(run.session(), NOT_YET)?)
}

fn read_in_place(run: &Run, case: &mut Trial<'_>, mut memory: HostVisible<i32>) -> Result<()> {
    let write = |memory: &mut HostVisible<i32>| {
        memory.write(NOT_YET);
        Ok(())
    };
    measure(run, case, Some(memory.address()), &mut memory, write, |memory| Ok(memory.read()))
}

/// The `__device__` variable `answer`, which the host finds by its name each time.
pub(crate) fn global(run: &Run, case: &mut Trial<'_>) -> Result<()> {
    let (module, stream) = (run.module("returning.cu")?, run.stream());
    let answer = || module.get_global("answer", stream);
    let write = |(): &mut ()| Ok(stream.memcpy_htod(&NOT_YET.to_ne_bytes(), &mut answer()?)?);
    measure(run, case, None, &mut (), write, |()| {
        let mut bytes = [0; 4];
        stream.memcpy_dtoh(&answer()?, &mut bytes)?;
        stream.synchronize()?;
        Ok(i32::from_ne_bytes(bytes))
    })
}

/// Times the kernel and the return of the value that it left in `place`, and checks every result. The kernel is given
/// the place's address on the device, unless it knows the place already. Before each launch, `write` puts [`NOT_YET`]
/// there.
fn measure<P>(
    run: &Run,
    case: &mut Trial<'_>,
    address: Option<u64>,
    place: &mut P,
    write: impl FnMut(&mut P) -> Result<()>,
    read: impl Fn(&P) -> Result<i32>,
) -> Result<()> {
    let (kernel, (x, y)) = (case.kernel()?, numbers(run));
    let result = std::cell::Cell::new(NOT_YET);
    let launch = |place: &mut P| {
        let mut builder = run.stream().launch_builder(&kernel);
        builder.arg(&x).arg(&y);
        if let Some(address) = &address {
            builder.arg(address);
        }
        // SAFETY: the kernel writes one int, at the place's address, and the place outlives the launch.
        unsafe { builder.launch(launch_1d(1, 1)) }?;
        // The return of the value is part of what is timed.
        run.stream().synchronize()?;
        result.set(read(place)?);
        Ok(())
    };
    case.measure_wall(place, write, launch, |_| Ok(check(result.get(), x, y)))?;
    case.set("result", result.get());
    Ok(())
}

/// The mistake: `&result` of the host is passed to the device.
pub(crate) fn host_pointer(run: &Run, case: &mut Trial<'_>) -> Result<()> {
    let (kernel, (x, y)) = (case.kernel()?, numbers(run));
    if run.session().context.attribute(CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS)? != 0 {
        return Err(Error::Skip(
            "this device reads and writes ordinary host memory (HMM or ATS), so this is not a mistake here".into(),
        ));
    }
    let result = Box::new(NOT_YET);
    let address = &raw const *result as u64;
    // SAFETY: the address is not one of the device's. That is the point of the case: the device refuses the access.
    unsafe { run.stream().launch_builder(&kernel).arg(&x).arg(&y).arg(&address).launch(launch_1d(1, 1)) }?;
    let outcome = run.stream().synchronize();
    // A device that did not notice must have left the variable untouched. That is wrong too.
    // SAFETY: the box is alive; volatile, because something else may have written to it.
    let after = unsafe { (&raw const *result).read_volatile() };
    case.set("result", after);
    case.note(
        "remedy: give the kernel memory that both sides can reach (managed, mapped), or a device buffer to copy back",
    );
    outcome?;
    case.check(check(after, x, y));
    Ok(())
}

/// The two numbers to add.
fn numbers(run: &Run) -> (i32, i32) {
    let number = |name| *run.args().get_one::<i32>(name).expect("the option is declared, with a default");
    (number("x"), number("y"))
}

fn check(result: i32, x: i32, y: i32) -> Check {
    Check::scalar("the sum", result, x.wrapping_add(y), Tolerance::EXACT)
}
