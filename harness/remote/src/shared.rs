//! Host memory that both processes map at the same address, in pieces, each of which is a memory file.
use std::{
    fs::File,
    io, mem,
    os::{
        fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd},
        unix::net::UnixStream,
    },
    ptr,
};

use libc::{MAP_ANONYMOUS, MAP_FIXED, MAP_FIXED_NOREPLACE, MAP_NORESERVE, MAP_PRIVATE, MAP_SHARED, c_int};

/// The size of a piece in bytes: less than the largest file that a judged process may write.
pub const PIECE: usize = 1 << 29;

/// The alignment of addresses and lengths.
pub const PAGE: usize = 1 << 16;

/// Reserves `bytes` bytes of the judge's address space at `address`, where nothing is mapped yet.
///
/// # Errors
/// Errors of the system; [`io::ErrorKind::AddrInUse`] when something is mapped there.
pub fn reserve(address: usize, bytes: usize) -> io::Result<()> {
    map(address, bytes, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1)
}

/// Maps a piece at `address`: over reserved memory, or where nothing is mapped.
///
/// # Errors
/// Errors of the system.
pub fn map_piece(address: usize, bytes: usize, piece: &OwnedFd, is_reserved: bool) -> io::Result<()> {
    let how = if is_reserved { MAP_FIXED } else { MAP_FIXED_NOREPLACE };
    map(address, bytes, MAP_SHARED | how, piece.as_raw_fd())
}

fn map(address: usize, bytes: usize, flags: c_int, file: RawFd) -> io::Result<()> {
    let rights = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: the caller has reserved the memory that is mapped over; nothing else is replaced.
    let got = unsafe { libc::mmap(ptr::without_provenance_mut(address), bytes, rights, flags, file, 0) };
    if got == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    if got.addr() != address {
        // A system without MAP_FIXED_NOREPLACE treats the address as a hint.
        unmap(got.addr(), bytes);
        return Err(io::ErrorKind::AddrInUse.into());
    }
    Ok(())
}

/// Unmaps a mapping made by one of these functions.
pub fn unmap(address: usize, bytes: usize) {
    // SAFETY: the caller names a mapping of its own.
    unsafe { libc::munmap(ptr::without_provenance_mut(address), bytes) };
}

/// Creates a memory file of `bytes` bytes whose length neither process can change: unmapped pages would count as memory
/// of neither, and accesses to truncated pages would kill the process that reads them.
///
/// # Errors
/// Errors of the system.
pub fn piece(bytes: usize) -> io::Result<OwnedFd> {
    // SAFETY: a plain system call with a static name; the descriptor is owned from here on.
    let file = unsafe {
        let number = libc::memfd_create(c"pinned".as_ptr(), libc::MFD_CLOEXEC | libc::MFD_ALLOW_SEALING);
        if number < 0 {
            return Err(io::Error::last_os_error());
        }
        File::from_raw_fd(number)
    };
    file.set_len(bytes as u64)?;
    let seals = libc::F_SEAL_GROW | libc::F_SEAL_SHRINK | libc::F_SEAL_SEAL;
    // SAFETY: a call on a descriptor that this process owns.
    if unsafe { libc::fcntl(file.as_raw_fd(), libc::F_ADD_SEALS, seals) } != 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(file.into())
}

/// Room for one descriptor along with a message.
const CONTROL: usize = 64;

/// A message of one byte, with room for a descriptor.
fn with_message<T>(of: impl FnOnce(&mut libc::msghdr) -> T) -> T {
    let mut byte = 0_u8;
    let mut control = [0_u64; CONTROL / 8];
    let mut vector = libc::iovec { iov_base: (&raw mut byte).cast(), iov_len: 1 };
    // SAFETY: zeros are a valid header.
    let mut message: libc::msghdr = unsafe { mem::zeroed() };
    message.msg_iov = &raw mut vector;
    message.msg_iovlen = 1;
    message.msg_control = control.as_mut_ptr().cast();
    message.msg_controllen = CONTROL as _;
    of(&mut message)
}

/// Sends a descriptor.
///
/// # Errors
/// Errors of the socket.
pub fn send(socket: &UnixStream, file: BorrowedFd<'_>) -> io::Result<()> {
    with_message(|message| {
        // SAFETY: the header has room for one descriptor, and is whole.
        let sent = unsafe {
            let length = mem::size_of::<RawFd>() as u32;
            message.msg_controllen = libc::CMSG_SPACE(length) as _;
            let head = libc::CMSG_FIRSTHDR(message);
            (*head).cmsg_level = libc::SOL_SOCKET;
            (*head).cmsg_type = libc::SCM_RIGHTS;
            (*head).cmsg_len = libc::CMSG_LEN(length) as _;
            libc::CMSG_DATA(head).cast::<RawFd>().write_unaligned(file.as_raw_fd());
            libc::sendmsg(socket.as_raw_fd(), message, 0)
        };
        if sent == 1 { Ok(()) } else { Err(io::Error::last_os_error()) }
    })
}

/// Receives a descriptor.
///
/// # Errors
/// Errors of the socket; when none came.
pub fn receive(socket: &UnixStream) -> io::Result<OwnedFd> {
    with_message(|message| {
        // SAFETY: the header is whole, and the system has filled it; the descriptor is owned from here on.
        unsafe {
            if libc::recvmsg(socket.as_raw_fd(), message, libc::MSG_CMSG_CLOEXEC) != 1 {
                return Err(io::Error::last_os_error());
            }
            let head = libc::CMSG_FIRSTHDR(message);
            if head.is_null() || (*head).cmsg_type != libc::SCM_RIGHTS {
                return Err(io::ErrorKind::InvalidData.into());
            }
            Ok(OwnedFd::from_raw_fd(libc::CMSG_DATA(head).cast::<RawFd>().read_unaligned()))
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A worker that broke out could otherwise hide memory in it that no limit counts, or truncate what the judge
    /// reads.
    #[test]
    fn a_piece_has_one_length() {
        use std::os::unix::fs::FileExt;
        let file = File::from(piece(PAGE).unwrap());
        file.write_all_at(&vec![1; PAGE], 0).unwrap();
        for length in [0, 2 * PAGE as u64] {
            assert_eq!(file.set_len(length).unwrap_err().kind(), io::ErrorKind::PermissionDenied);
        }
        assert!(file.write_at(&[1], PAGE as u64).is_err());
        // SAFETY: a call on a descriptor that is open.
        assert_eq!(unsafe { libc::fallocate(file.as_raw_fd(), 0, 0, 2 * PAGE as libc::off_t) }, -1);
        assert_eq!(file.metadata().unwrap().len(), PAGE as u64);
    }
}
