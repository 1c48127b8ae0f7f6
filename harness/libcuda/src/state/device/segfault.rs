//! Reads and writes of device memory by the host: a word about them before the program ends by SIGSEGV, as it would
//! with a GPU. A program that handles the signal itself still gets it.

use simt::memory::is_device_address;
use std::cell::UnsafeCell;
use std::ffi::c_void;
use std::sync::Once;

/// The handler that the program had, to which the signal is passed on. It is written once, before the handler is set.
struct Earlier(UnsafeCell<libc::sigaction>);
// SAFETY: see above.
unsafe impl Sync for Earlier {}

// SAFETY: the structure is valid when zeroed: the system's own handling.
static EARLIER: Earlier = Earlier(UnsafeCell::new(unsafe { std::mem::zeroed() }));

/// What begins the message, and what ends it.
const MESSAGE: [&[u8]; 2] = [
    b"emulated CUDA driver: the host reads or writes device memory by a pointer (",
    b"): copy the data by cudaMemcpy, or allocate it by cudaMallocManaged or cudaMallocHost\n",
];

/// Watches for accesses of the host to device memory, unless standard error must stay empty.
pub fn watch(is_quiet: bool) {
    static WATCHED: Once = Once::new();
    if is_quiet {
        return;
    }
    // SAFETY: the structures are valid when zeroed, and the handler does only what a handler may.
    WATCHED.call_once(|| unsafe {
        if libc::sigaction(libc::SIGSEGV, std::ptr::null(), EARLIER.0.get()) != 0 {
            return;
        }
        let mut own: libc::sigaction = std::mem::zeroed();
        own.sa_sigaction = on_signal as *const () as libc::sighandler_t;
        // The program may have run out of stack.
        own.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        libc::sigaction(libc::SIGSEGV, &raw const own, std::ptr::null_mut());
    });
}

extern "C" fn on_signal(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: the system passes both structures, and all functions here may be called in a handler.
    unsafe {
        if let Some(address) = device_address(info, context) {
            let text = hexadecimal(address);
            for part in [MESSAGE[0], &text, MESSAGE[1]] {
                // Where standard error is closed, the message is lost.
                let _ = libc::write(libc::STDERR_FILENO, part.as_ptr().cast(), part.len());
            }
        }
        let earlier = &*EARLIER.0.get();
        match earlier.sa_sigaction {
            // The instruction faults again once the handler has returned.
            libc::SIG_DFL | libc::SIG_IGN => _ = libc::sigaction(signal, earlier, std::ptr::null_mut()),
            handler if earlier.sa_flags & libc::SA_SIGINFO != 0 => {
                type Handler = extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut c_void);
                std::mem::transmute::<libc::sighandler_t, Handler>(handler)(signal, info, context);
            }
            handler => std::mem::transmute::<libc::sighandler_t, extern "C" fn(libc::c_int)>(handler)(signal),
        }
    }
}

/// The address of the device that the host has accessed, if it was one.
///
/// # Safety
/// Both structures are those of a handler.
unsafe fn device_address(info: *const libc::siginfo_t, context: *const c_void) -> Option<u64> {
    // SAFETY: the caller's.
    unsafe {
        let address = (*info).si_addr() as u64;
        if is_device_address(address) {
            return Some(address);
        }
        // The processor does not say which address it was if no program can have it; a register then holds it, or what
        // it was computed from.
        if (*info).si_code == SI_KERNEL { registers(context).find(|value| is_device_address(*value)) } else { None }
    }
}

/// `SI_KERNEL`: a fault without an address.
const SI_KERNEL: libc::c_int = 0x80;

/// The general registers at the fault.
///
/// # Safety
/// The context is that of a handler.
unsafe fn registers(context: *const c_void) -> impl Iterator<Item = u64> {
    #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
    {
        // SAFETY: the caller's.
        let all = unsafe { (*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs };
        (libc::REG_R8..=libc::REG_RSP).map(move |register| all[register as usize] as u64)
    }
    #[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
    {
        let _ = context;
        std::iter::empty()
    }
}

/// A number of 48 bits as text.
fn hexadecimal(number: u64) -> [u8; 14] {
    let mut text = *b"0x000000000000";
    for (place, digit) in text[2..].iter_mut().rev().enumerate() {
        *digit = b"0123456789abcdef"[(number >> (4 * place)) as usize & 15];
    }
    text
}

#[cfg(test)]
mod tests {
    use super::hexadecimal;

    #[test]
    fn an_address_is_written_as_text() {
        assert_eq!(&hexadecimal(0x8000_0012_abcd), b"0x80000012abcd");
    }
}
