//! The ways in which a result comes back, each timed from the launch until the host has the value.
use cudarc::driver::{DevicePtr, PushKernelArg, sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS};
use harness::{CaseContext, Check, Error, HostVisible, Result, Run, Tolerance, launch_1d};

/// The value in the result before the kernel runs, which a kernel that writes nothing leaves there: never the sum
/// itself.
fn not_yet(run: &Run) -> i32 {
    let (x, y) = numbers(run);
    if x.wrapping_add(y) == i32::MIN { i32::MAX } else { i32::MIN }
}

/// A buffer on the device, which the host copies back.
pub(crate) fn explicit(run: &Run, case: &mut CaseContext<'_>) -> Result<()> {
    let stream = run.stream();
    let before = [not_yet(run)];
    let mut buffer = stream.clone_htod(&before)?;
    let address = buffer.device_ptr(stream).0;
    let write = |buffer: &mut _| Ok(stream.memcpy_htod(&before, buffer)?);
    measure(run, case, Some(address), &mut buffer, write, |buffer| Ok(stream.clone_dtoh(buffer)?[0]))
}

/// Managed memory, whose page migrates.
pub(crate) fn managed(run: &Run, case: &mut CaseContext<'_>) -> Result<()> {
    read_in_place(run, case, HostVisible::managed(run.session(), not_yet(run))?)
}

/// Host memory that the device maps.
pub(crate) fn mapped(run: &Run, case: &mut CaseContext<'_>) -> Result<()> {
    read_in_place(run, case, HostVisible::mapped(run.session(), not_yet(run))?)
}

fn read_in_place(run: &Run, case: &mut CaseContext<'_>, mut memory: HostVisible<i32>) -> Result<()> {
    let write = |memory: &mut HostVisible<i32>| {
        memory.write(not_yet(run));
        Ok(())
    };
    measure(run, case, Some(memory.address()), &mut memory, write, |memory| Ok(memory.read()))
}

/// The `__device__` variable `answer`, which the host looks up by its name each time.
pub(crate) fn global(run: &Run, case: &mut CaseContext<'_>) -> Result<()> {
    let (module, stream) = (run.module("returning.cu")?, run.stream());
    let answer = || module.get_global("answer", stream);
    let write = |(): &mut ()| Ok(stream.memcpy_htod(&not_yet(run).to_ne_bytes(), &mut answer()?)?);
    measure(run, case, None, &mut (), write, |()| {
        let mut bytes = [0; 4];
        stream.memcpy_dtoh(&answer()?, &mut bytes)?;
        stream.synchronize()?;
        Ok(i32::from_ne_bytes(bytes))
    })
}

/// The `__managed__` variable `sum`: its device address is valid on the host as well.
pub(crate) fn managed_variable(run: &Run, case: &mut CaseContext<'_>) -> Result<()> {
    if !run.session().device.managed_memory {
        return Err(Error::skip(format!("{} has no managed memory", run.session().device.name)));
    }
    let (module, stream) = (run.module("returning.cu")?, run.stream());
    let address = module.get_global("sum", stream)?.device_ptr(stream).0;
    let mut sum = address as *mut i32;
    let write = |sum: &mut *mut i32| {
        // SAFETY: the module, and so its variable, outlives the case, and the device is idle.
        unsafe { sum.write_volatile(not_yet(run)) };
        Ok(())
    };
    // SAFETY: as above.
    measure(run, case, None, &mut sum, write, |sum| Ok(unsafe { sum.read_volatile() }))
}

/// Times the kernel and the return of the value that it left in `place`, and checks every result. The kernel gets the
/// place's device address, unless it refers to the place directly. Before each launch, `write` puts [`not_yet`] there.
fn measure<P>(
    run: &Run,
    case: &mut CaseContext<'_>,
    address: Option<u64>,
    place: &mut P,
    write: impl FnMut(&mut P) -> Result<()>,
    read: impl Fn(&P) -> Result<i32>,
) -> Result<()> {
    let (kernel, (x, y)) = (case.kernel()?, numbers(run));
    let result = std::cell::Cell::new(not_yet(run));
    let launch = |place: &mut P| {
        let mut builder = run.stream().launch_builder(&kernel);
        builder.arg(&x).arg(&y);
        if let Some(address) = &address {
            builder.arg(address);
        }
        // SAFETY: the kernel writes one int, at the place's address, and the place outlives the launch.
        unsafe { builder.launch(launch_1d(1, 1)) }?;
        // The return of the value is part of the timed work.
        run.stream().synchronize()?;
        result.set(read(place)?);
        Ok(())
    };
    case.measure_wall(place, write, launch, |_| Ok(check(result.get(), x, y)))?;
    case.set("result", result.get());
    Ok(())
}

/// The mistake: `&result` of the host is passed to the device.
pub(crate) fn host_pointer(run: &Run, case: &mut CaseContext<'_>) -> Result<()> {
    let (kernel, (x, y)) = (case.kernel()?, numbers(run));
    if run.session().context.attribute(CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS)? != 0 {
        return Err(Error::skip(
            "this device reads and writes ordinary host memory (HMM or ATS), so this is not a mistake here",
        ));
    }
    let result = Box::new(not_yet(run));
    let address = &raw const *result as u64;
    // SAFETY: the address is not one of the device's. That is the point of the case: the device refuses the access.
    unsafe { run.stream().launch_builder(&kernel).arg(&x).arg(&y).arg(&address).launch(launch_1d(1, 1)) }?;
    let outcome = run.stream().synchronize();
    // A device that did not notice must have left the variable untouched. That is wrong too. SAFETY: the box is alive;
    // volatile, because something else may have written to it.
    let after = unsafe { (&raw const *result).read_volatile() };
    case.set("result", after);
    if after == not_yet(run) {
        case.note(format!("the variable still holds {after}, which the lab put there before the launch"));
    }
    case.note(
        "remedy: give the kernel memory that both sides can reach (managed, mapped), or a device buffer to copy back",
    );
    outcome?;
    case.check(check(after, x, y));
    Ok(())
}

/// The mistake: the kernel gets the value of `result`, and writes its own copy.
pub(crate) fn by_value(run: &Run, case: &mut CaseContext<'_>) -> Result<()> {
    let (kernel, (x, y)) = (case.kernel()?, numbers(run));
    let result = not_yet(run);
    // SAFETY: the kernel takes three ints and writes to no memory.
    unsafe { run.stream().launch_builder(&kernel).arg(&x).arg(&y).arg(&result).launch(launch_1d(1, 1)) }?;
    run.stream().synchronize()?;
    case.set("result", result);
    case.note("remedy: pass the address of memory that both sides can reach");
    case.check(check(result, x, y));
    Ok(())
}

/// The mistake: the host reads as soon as the kernel is launched.
pub(crate) fn no_wait(run: &Run, case: &mut CaseContext<'_>) -> Result<()> {
    let (kernel, (x, y)) = (case.kernel()?, numbers(run));
    // Not managed memory: there, some devices kill a host program that reads while a kernel runs.
    let memory = HostVisible::mapped(run.session(), not_yet(run))?;
    let address = memory.address();
    // SAFETY: the kernel writes one int, to memory that outlives it, because it is waited for below.
    unsafe { run.stream().launch_builder(&kernel).arg(&x).arg(&y).arg(&address).launch(launch_1d(1, 1)) }?;
    let early = memory.read();
    run.stream().synchronize()?;
    let late = memory.read();
    case.set("result", early);
    case.note(format!("{early} immediately, {late} after waiting; remedy: wait for the stream before reading"));
    case.check(check(late, x, y));
    case.check(check(early, x, y));
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
