//! A misbehaving worker can only give wrong results to its judge.
#![cfg(target_os = "linux")]
use std::{
    ffi::{c_char, c_void},
    io::{self, Read, Write},
    os::unix::net::UnixStream,
    sync::mpsc,
    thread,
    time::Duration,
};

use remote::{
    calls::{number, other},
    client::{Client, Launch},
    frame::{get, get_bytes, put, put_bytes},
    serve::serve,
};

/// The judge's end, with a read timeout, and the worker's.
fn pair() -> (UnixStream, UnixStream) {
    let (mine, theirs) = UnixStream::pair().unwrap();
    let long = Some(Duration::from_secs(10));
    mine.set_read_timeout(long).unwrap();
    mine.set_write_timeout(long).unwrap();
    (mine, theirs)
}

/// A client whose worker runs `worker`.
fn client(worker: impl FnOnce(UnixStream) -> io::Result<()> + Send + 'static) -> Client {
    let (mine, theirs) = pair();
    thread::spawn(move || worker(theirs));
    Client::new(mine).unwrap()
}

fn device_count(client: &Client) -> io::Result<(i32, [u32; 2])> {
    let mut room = [7_u32; 2];
    // SAFETY: the call writes four bytes.
    let code = unsafe { client.call(number("cuDeviceGetCount"), &[room.as_mut_ptr() as u64]) }?;
    Ok((code, room))
}

/// Reads the request of [`device_count`].
fn asked(worker: &mut UnixStream) -> io::Result<()> {
    assert_eq!((get(worker)?, get(worker)?), (number("cuDeviceGetCount"), 1));
    Ok(())
}

#[test]
fn an_answer_has_as_many_bytes_as_were_asked_for() {
    let client = client(|mut worker| {
        asked(&mut worker)?;
        put(&mut worker, 0)?;
        // Surplus bytes count as the beginning of the next reply.
        worker.write_all(&[1, 0, 0, 0, 9, 9, 9, 9, 9, 9, 9, 9])?;
        asked(&mut worker)
    });
    assert_eq!(device_count(&client).unwrap(), (0, [1, 7]));
    assert_eq!(device_count(&client).unwrap_err().kind(), io::ErrorKind::InvalidData);
}

fn record(client: &Client) -> i32 {
    // SAFETY: these are plain values.
    unsafe { client.call(number("cuEventRecord"), &[11, 12]) }.unwrap()
}

/// Between a record and the launch after it, the judge does not wait: the measured time would include the latency to
/// the worker.
#[test]
fn what_gives_nothing_back_goes_with_the_next_call_which_brings_its_code() {
    const REFUSED: i32 = 400;
    let (mine, mut worker) = pair();
    let client = Client::new(mine).unwrap();
    // SAFETY: these are plain values.
    let clear = || unsafe { client.call(number("cuMemsetD8Async"), &[13, 0, 14, 12]) }.unwrap();
    assert_eq!([record(&client), record(&client), clear()], [0; 3], "nobody has answered yet");
    let worker = thread::spawn(move || {
        for answer in [REFUSED, 0] {
            assert_eq!([(); 3].map(|()| get(&mut worker).unwrap()), [number("cuEventRecord"), 11, 12]);
            put(&mut worker, answer as u64).unwrap();
        }
        assert_eq!([(); 5].map(|()| get(&mut worker).unwrap()), [number("cuMemsetD8Async"), 13, 0, 14, 12]);
        put(&mut worker, 0).unwrap();
        for count in [3_u32, 4] {
            asked(&mut worker).unwrap();
            put(&mut worker, 0).unwrap();
            worker.write_all(&count.to_ne_bytes()).unwrap();
        }
    });
    assert_eq!(device_count(&client).unwrap(), (REFUSED, [3, 7]));
    assert_eq!(device_count(&client).unwrap(), (0, [4, 7]), "it is told once");
    worker.join().unwrap();
}

/// Neither side blocks until the other reads, however many calls are pipelined.
#[test]
fn a_hundred_thousand_records_come_to_an_end() {
    unsafe extern "C" fn right() -> i32 {
        0
    }
    let client = client(|worker| {
        // SAFETY: the function takes no arguments, and surplus ones do no harm.
        unsafe { serve(worker, |_| right as *const c_void) }
    });
    assert!((0..100_000).all(|_| record(&client) == 0));
    assert_eq!(device_count(&client).unwrap(), (0, [0, 7]));
}

/// `CUlaunchConfig`.
#[repr(C)]
struct Config {
    sizes: [u32; 7],
    stream: u64,
    attributes: *const [u32; 18],
    count: u32,
}

/// The worker's driver finds the attributes in the worker's own memory, and no more of them than the judge has.
#[test]
fn a_launch_that_is_asked_about_comes_with_its_attributes() {
    unsafe extern "C" fn sum(out: *mut u32, function: u64, config: *const Config) -> i32 {
        // SAFETY: the worker's side passes these.
        unsafe {
            let config = &*config;
            let attributes = (0..config.count as usize).map(|at| (*config.attributes.add(at)).iter().sum::<u32>());
            *out = config.sizes.iter().sum::<u32>() + attributes.sum::<u32>() + (function + config.stream) as u32;
        }
        0
    }
    let client = client(|worker| {
        // SAFETY: the arguments are those that it takes.
        unsafe { serve(worker, |_| sum as *const c_void) }
    });
    let attributes = [[100_u32; 18], [10_000; 18]];
    let mut config = Config { sizes: [1, 2, 3, 4, 5, 6, 7], stream: 20, attributes: attributes.as_ptr(), count: 2 };
    let ask = |config: *const Config| {
        let mut clusters = 0_u32;
        let arguments = [&raw mut clusters as u64, 50, config as u64];
        // SAFETY: the number has room, and the configuration is live.
        let code = unsafe { client.call(number("cuOccupancyMaxActiveClusters"), &arguments) }.unwrap();
        (code, clusters)
    };
    assert_eq!(ask(&raw const config), (0, 28 + 1800 + 180_000 + 70));
    config = Config { attributes: std::ptr::null(), count: 0, ..config };
    assert_eq!(ask(&raw const config), (0, 28 + 70));
}

/// A host queries it before each call.
#[test]
fn the_current_context_is_known_without_asking() {
    let client = client(|mut worker| {
        assert_eq!((get(&mut worker)?, get(&mut worker)?), (number("cuCtxSetCurrent"), 21));
        put(&mut worker, 0)?;
        asked(&mut worker)?;
        put(&mut worker, 0)?;
        worker.write_all(&[1, 0, 0, 0])
    });
    let mut context = 0_u64;
    // SAFETY: a plain value; and there is room for a handle.
    unsafe {
        assert_eq!(client.call(number("cuCtxSetCurrent"), &[21]).unwrap(), 0);
        assert_eq!(client.call(number("cuCtxGetCurrent"), &[&raw mut context as u64]).unwrap(), 0);
    }
    assert_eq!(context, 21);
    assert_eq!(device_count(&client).unwrap(), (0, [1, 7]));
}

#[test]
fn a_worker_that_hangs_up_is_an_error() {
    let client = client(|mut worker| asked(&mut worker));
    assert_eq!(device_count(&client).unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
}

#[test]
fn a_text_that_is_too_long_is_refused_before_it_comes() {
    let client = client(|mut worker| {
        assert_eq!(get(&mut worker)?, other::TELL);
        assert_eq!(get_bytes(&mut worker, 99)?, b"simt_report_json");
        put(&mut worker, u64::MAX)?;
        worker.read_exact(&mut [0])
    });
    assert_eq!(client.tell("simt_report_json").unwrap_err().kind(), io::ErrorKind::InvalidData);
}

const PTX: &std::ffi::CStr = c".visible .entry small(.param .u32 a) { ret; }\n\
    .visible .entry large(.param .u32 a, .param .align 8 .b8 b[4096]) { ret; }";

/// Serves the requests before a launch, with this handle for each function.
fn loads(worker: &mut UnixStream, handles: &[u64]) -> io::Result<()> {
    assert_eq!((get(worker)?, get(worker)?, get(worker)?), (number("cuModuleLoadData"), 1, 1));
    get_bytes(worker, 4096)?;
    put(worker, 0)?;
    put(worker, 5)?;
    for handle in handles {
        assert_eq!([(); 4].map(|()| get(worker).unwrap()), [number("cuModuleGetFunction"), 1, 5, 1]);
        get_bytes(worker, 99)?;
        put(worker, 0)?;
        put(worker, *handle)?;
    }
    Ok(())
}

fn load(client: &Client) {
    let mut module = 0;
    // SAFETY: the module is live, and the image ends with NUL.
    assert_eq!(unsafe { client.load(&raw mut module, PTX.as_ptr()) }.unwrap(), 0);
    assert_eq!(module, 5);
}

fn function(client: &Client, name: &std::ffi::CStr) -> io::Result<i32> {
    let mut function = 0;
    let name: *const c_char = name.as_ptr();
    // SAFETY: the function is live, and the name ends with NUL.
    unsafe { client.function(&raw mut function, 5, name) }
}

#[test]
fn one_function_cannot_be_given_for_another_one_with_larger_parameters() {
    let client = client(|mut worker| loads(&mut worker, &[8, 8]));
    load(&client);
    assert_eq!(function(&client, c"small").unwrap(), 0);
    assert_eq!(function(&client, c"large").unwrap_err().kind(), io::ErrorKind::InvalidData);
}

/// Otherwise the judge would use the parameters of an untrusted kernel for its own kernel of the same name, with which
/// it is compared.
#[test]
fn one_module_cannot_be_given_for_another_one() {
    let client = client(|mut worker| {
        loads(&mut worker, &[])?;
        loads(&mut worker, &[])
    });
    load(&client);
    let mut module = 0;
    // SAFETY: as in `load`.
    let again = unsafe { client.load(&raw mut module, PTX.as_ptr()) };
    assert_eq!(again.unwrap_err().kind(), io::ErrorKind::InvalidData);
}

#[test]
fn a_launch_sends_its_parameters_and_nothing_behind_them() {
    let (tell, told) = mpsc::channel();
    let client = client(move |mut worker| {
        loads(&mut worker, &[8])?;
        let head: Vec<u64> = (0..12).map(|_| get(&mut worker).unwrap()).collect();
        assert_eq!(head, [other::LAUNCH, 0, 8, 1, 1, 1, 32, 1, 1, 0, 0, 1]);
        tell.send(get_bytes(&mut worker, 4096)?).unwrap();
        put(&mut worker, 0)
    });
    load(&client);
    assert_eq!(function(&client, c"small").unwrap(), 0);
    let secret = [3_u32, 1_234_567_890];
    let parameters = [secret.as_ptr().cast::<c_void>()];
    let launch = Launch { is_cooperative: false, function: 8, shape: [1, 1, 1, 32, 1, 1, 0, 0] };
    // SAFETY: the kernel has one parameter of four bytes.
    assert_eq!(unsafe { client.launch(&launch, parameters.as_ptr()) }.unwrap(), 0);
    assert_eq!(told.recv().unwrap(), 3_u32.to_ne_bytes());
    assert_eq!((client.parameter(8, 0), client.parameter(8, 1)), (Some((0, 4)), None));
}

/// The driver reads as many bytes as the kernel has parameters, whatever the judge has parsed from the kernel's text.
#[test]
fn a_worker_launches_with_the_parameters_that_the_driver_knows_of_only() {
    unsafe extern "C" fn info(_: u64, at: usize, offset: *mut usize, bytes: *mut usize) -> i32 {
        if at > 0 {
            return 1;
        }
        // SAFETY: the worker's side passes these.
        unsafe {
            *offset = 0;
            *bytes = 8;
        }
        0
    }
    unsafe extern "C" fn launch() -> i32 {
        0
    }
    let (mut judge, worker) = pair();
    thread::spawn(move || {
        let find =
            |name: &str| if name == "cuFuncGetParamInfo" { info as *const c_void } else { launch as *const c_void };
        // SAFETY: the arguments are those that they take, and surplus ones do no harm.
        unsafe { serve(worker, find) }
    });
    for (given, answer) in [(&[8][..], 0), (&[], 1), (&[4], 1), (&[9], 1), (&[8, 8], 1)] {
        for number in [other::LAUNCH, 0, 5, 1, 1, 1, 32, 1, 1, 0, 0, given.len() as u64] {
            put(&mut judge, number).unwrap();
        }
        for bytes in given {
            put_bytes(&mut judge, &vec![0; *bytes]).unwrap();
        }
        assert_eq!(get(&mut judge).unwrap(), answer, "{given:?}");
    }
}

/// The machine is notified once that the address belongs to the host, and gets none of the bytes there.
#[test]
fn a_launch_that_is_given_an_address_of_the_judges_says_so() {
    const TAKES: &std::ffi::CStr = c".visible .entry takes(.param .u64 a) { ret; }";
    let (tell, told) = mpsc::channel();
    let client = client(move |mut worker| {
        loads(&mut worker, &[8])?;
        for _ in 0..2 {
            let first = get(&mut worker)?;
            let is_told = first == other::CONFIGURE;
            if is_told {
                tell.send(get_bytes(&mut worker, 4096)?).unwrap();
                put(&mut worker, 0)?;
                get(&mut worker)?;
            }
            (0..11).for_each(|_| assert!(get(&mut worker).is_ok()));
            get_bytes(&mut worker, 4096)?;
            put(&mut worker, 0)?;
        }
        Ok(())
    });
    let mut module = 0;
    // SAFETY: the module is live, and the image ends with NUL.
    assert_eq!(unsafe { client.load(&raw mut module, TAKES.as_ptr()) }.unwrap(), 0);
    assert_eq!(function(&client, c"takes").unwrap(), 0);
    let secret = Box::new(1_234_567_890_u64);
    let address = &raw const *secret as u64;
    let parameters = [(&raw const address).cast::<c_void>()];
    let launch = Launch { is_cooperative: false, function: 8, shape: [1, 1, 1, 32, 1, 1, 0, 0] };
    for _ in 0..2 {
        // SAFETY: the kernel has one parameter of eight bytes.
        assert_eq!(unsafe { client.launch(&launch, parameters.as_ptr()) }.unwrap(), 0);
    }
    let page = address / 4096 * 4096;
    let told: Vec<String> = told.try_iter().map(|bytes| String::from_utf8(bytes).unwrap()).collect();
    assert!(told.len() == 1 && told[0].starts_with(&format!("{{\"host\":[[{page},")), "{told:?}");
}

#[test]
fn managed_memory_is_put_over_nothing_that_the_judge_has() {
    let mine = [0_u8; 8192];
    let place = (mine.as_ptr() as u64).next_multiple_of(4096);
    let client = client(move |mut worker| {
        let asked = [(); 4].map(|()| get(&mut worker).unwrap());
        assert_eq!(asked, [number("cuMemAllocManaged"), 1, 4096, 1]);
        put(&mut worker, 0)?;
        put(&mut worker, place)?;
        put_bytes(&mut worker, &[])
    });
    // The judge's own mapping there stays.
    assert!(client.allocate_managed(4096, 1).is_err());
    assert_eq!(mine, [0; 8192]);
}
