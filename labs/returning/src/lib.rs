//! How a kernel gives back a value: 2 + 3, through every kind of memory, and the classic mistake.
use cudarc::driver::{CudaFunction, PushKernelArg, result, sys};
use harness::{
    Case, Check, Error, Lab, Recorder, Result, Run, Tolerance, Variant,
    clap::{Arg, value_parser},
    launch_1d,
};

/// The lab.
pub static LAB: Lab = Lab {
    name: "returning",
    summary: "how a kernel gives back a value: 2 + 3 through every kind of memory",
    kernels: &[kernels::source!("returning")],
    variants: &[
        Variant::new("explicit", "a buffer on the device, copied back"),
        Variant::new(
            "managed",
            "like explicit, but in managed memory, which the host reads itself",
        ),
        Variant::new(
            "pinned",
            "like managed, but in host memory that the device maps",
        ),
        Variant::new("global", "a variable of the device, read by its name"),
        Variant::new(
            "host-pointer",
            "like explicit, but with the address of a host variable",
        )
        .wrong("the kernel writes through a host address, which is none of the device's")
        .own_process(),
    ],
    columns: &["result", "way_back"],
    args,
    run,
    exercises: None,
};

fn args() -> Vec<Arg> {
    let number = |name: &'static str, default: &'static str| {
        Arg::new(name)
            .long(name)
            .value_name("NUMBER")
            .default_value(default)
            .allow_negative_numbers(true)
            .value_parser(value_parser!(i32))
            .help("One of the two numbers to add; sums wrap at 32 bits")
    };
    vec![number("x", "2"), number("y", "3")]
}

/// The result before the kernel ran: what a kernel that writes nothing leaves.
const NOT_YET: i32 = i32::MIN;

fn run(run: &Run) -> Result<()> {
    refuse_sizes(run)?;
    let number = |name| *run.args().get_one::<i32>(name).expect("it has a default");
    let sum = Sum {
        run,
        x: number("x"),
        y: number("y"),
    };
    sum.case("explicit", "device", "copied by the host", Sum::explicit)?;
    sum.case("managed", "managed", "read in place", Sum::managed)?;
    sum.case("pinned", "mapped", "read in place", Sum::pinned)?;
    sum.case("global", "device", "copied by name", Sum::global)?;
    sum.case("host-pointer", "pageable", "none", Sum::host_pointer)
}

/// One thread adds two numbers: there is nothing to size.
fn refuse_sizes(run: &Run) -> Result<()> {
    let options = run.options();
    if options.n.is_some() || options.blocks.is_some() || options.threads.is_some() {
        return Err(Error::usage(
            "one thread adds two numbers here; --n, --blocks and --threads are for other labs",
        ));
    }
    Ok(())
}

struct Sum<'a> {
    run: &'a Run,
    x: i32,
    y: i32,
}

impl Sum<'_> {
    fn case(
        &self,
        variant: &str,
        memory: &str,
        way_back: &str,
        body: fn(&Self, &mut Recorder<'_>) -> Result<()>,
    ) -> Result<()> {
        let case = Case::new(variant)
            .memory_mode(memory)
            .launch(launch_1d(1, 1));
        self.run.case(case, |case| {
            case.set("way_back", way_back);
            body(self, case)
        })?;
        Ok(())
    }

    /// Times `launch`, after which `read` gives the result; checks every one.
    fn measure(
        &self,
        case: &mut Recorder<'_>,
        mut reset: impl FnMut() -> Result<()>,
        mut launch: impl FnMut() -> Result<()>,
        mut read: impl FnMut() -> Result<i32>,
    ) -> Result<()> {
        let expected = self.x.wrapping_add(self.y);
        let mut last = NOT_YET;
        case.measure_wall(
            &mut last,
            |_| reset(),
            |last| {
                launch()?;
                // The way back belongs to what is timed.
                self.run.stream().synchronize()?;
                *last = read()?;
                Ok(())
            },
            |last| Ok(Check::scalar("the sum", *last, expected, Tolerance::EXACT)),
        )?;
        case.set("result", last);
        Ok(())
    }

    /// Launches `add` with the address that it is to write to.
    fn add(&self, kernel: &CudaFunction, address: u64) -> Result<()> {
        // SAFETY: the callers pass the address of an int that outlives the launch; `host_pointer` breaks
        // this rule, which is its point, and the device refuses the access.
        unsafe {
            self.run
                .stream()
                .launch_builder(kernel)
                .arg(&self.x)
                .arg(&self.y)
                .arg(&address)
                .launch(launch_1d(1, 1))
        }?;
        Ok(())
    }

    fn kernel(&self, name: &str) -> Result<CudaFunction> {
        self.run.function("returning.cu", name)
    }

    fn explicit(&self, case: &mut Recorder<'_>) -> Result<()> {
        use cudarc::driver::DevicePtrMut;
        let stream = self.run.stream();
        let kernel = self.kernel("add")?;
        let mut buffer = stream.clone_htod(&[NOT_YET])?;
        let address = buffer.device_ptr_mut(stream).0;
        let buffer = std::cell::RefCell::new(buffer);
        self.measure(
            case,
            || Ok(stream.memcpy_htod(&[NOT_YET], &mut *buffer.borrow_mut())?),
            || self.add(&kernel, address),
            || Ok(stream.clone_dtoh(&*buffer.borrow())?[0]),
        )
    }

    fn managed(&self, case: &mut Recorder<'_>) -> Result<()> {
        let device = &self.run.session().device;
        if !device.managed_memory {
            return Err(Error::Skip(format!(
                "{} has no managed memory",
                device.name
            )));
        }
        let kernel = self.kernel("add")?;
        let memory = HostMemory::managed(self.run)?;
        self.measure(
            case,
            || memory.write(NOT_YET),
            || self.add(&kernel, memory.device),
            || Ok(memory.read()),
        )
    }

    fn pinned(&self, case: &mut Recorder<'_>) -> Result<()> {
        let device = &self.run.session().device;
        if !device.can_map_host_memory {
            return Err(Error::Skip(format!("{} maps no host memory", device.name)));
        }
        let kernel = self.kernel("add")?;
        let memory = HostMemory::mapped(self.run)?;
        self.measure(
            case,
            || memory.write(NOT_YET),
            || self.add(&kernel, memory.device),
            || Ok(memory.read()),
        )
    }

    fn global(&self, case: &mut Recorder<'_>) -> Result<()> {
        let stream = self.run.stream();
        let module = self.run.module("returning.cu")?;
        let kernel = self.kernel("add_global")?;
        let answer = || module.get_global("answer", stream);
        self.measure(
            case,
            || Ok(stream.memcpy_htod(&NOT_YET.to_ne_bytes(), &mut answer()?)?),
            || {
                // SAFETY: the kernel writes its own variable.
                unsafe {
                    stream
                        .launch_builder(&kernel)
                        .arg(&self.x)
                        .arg(&self.y)
                        .launch(launch_1d(1, 1))
                }?;
                Ok(())
            },
            || {
                let mut bytes = [0; 4];
                stream.memcpy_dtoh(&answer()?, &mut bytes)?;
                stream.synchronize()?;
                Ok(i32::from_ne_bytes(bytes))
            },
        )
    }

    /// The mistake: `&result` of the host, handed to the device.
    fn host_pointer(&self, case: &mut Recorder<'_>) -> Result<()> {
        let kernel = self.kernel("add")?;
        if reads_host_memory(self.run)? {
            return Err(Error::Skip(
                "this device reads and writes ordinary host memory (HMM or ATS), so the mistake is none here".into(),
            ));
        }
        let result = Box::new(NOT_YET);
        let address = &raw const *result as u64;
        self.add(&kernel, address)?;
        let outcome = self.run.stream().synchronize();
        // Reached by a device that did not notice: the variable must then be untouched, which is wrong too.
        // SAFETY: the box is alive; volatile, because something else may have written to it.
        let after = unsafe { (&raw const *result).read_volatile() };
        case.set("result", after);
        case.note("remedy: give the kernel memory that both sides can reach (managed, mapped), or a device buffer to copy back");
        outcome?;
        let expected = self.x.wrapping_add(self.y);
        case.check(Check::scalar("the sum", after, expected, Tolerance::EXACT));
        Ok(())
    }
}

/// Whether the device reaches pageable host memory by itself, as some systems let it.
fn reads_host_memory(run: &Run) -> Result<bool> {
    let attribute = sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS;
    Ok(run.session().context.attribute(attribute)? != 0)
}

/// An int in memory that the host and the device both reach.
struct HostMemory {
    host: *mut i32,
    device: sys::CUdeviceptr,
    managed: bool,
}

impl HostMemory {
    fn managed(run: &Run) -> Result<Self> {
        run.session().context.bind_to_thread()?;
        // SAFETY: four bytes, written before they are read, freed by `drop`.
        let device =
            unsafe { result::malloc_managed(4, sys::CUmemAttach_flags::CU_MEM_ATTACH_GLOBAL) }?;
        Ok(Self {
            host: device as *mut i32,
            device,
            managed: true,
        })
    }

    fn mapped(run: &Run) -> Result<Self> {
        run.session().context.bind_to_thread()?;
        // SAFETY: as above; the device's address of the memory is asked for before any use.
        unsafe {
            let host = result::malloc_host(4, sys::CU_MEMHOSTALLOC_DEVICEMAP)?;
            let mut memory = Self {
                host: host.cast(),
                device: 0,
                managed: false,
            };
            sys::cuMemHostGetDevicePointer_v2(&raw mut memory.device, host, 0).result()?;
            Ok(memory)
        }
    }

    /// From the host; the device is idle then. (Fallible only to fit where others are.)
    #[allow(clippy::unnecessary_wraps)]
    fn write(&self, value: i32) -> Result<()> {
        // SAFETY: four aligned bytes that live as long as `self`.
        unsafe { self.host.write_volatile(value) };
        Ok(())
    }

    fn read(&self) -> i32 {
        // SAFETY: as in `write`.
        unsafe { self.host.read_volatile() }
    }
}

impl Drop for HostMemory {
    fn drop(&mut self) {
        // SAFETY: allocated by `managed` or `mapped`, freed once.
        let _ = unsafe {
            if self.managed {
                result::memory_free(self.device)
            } else {
                result::free_host(self.host.cast())
            }
        };
    }
}
