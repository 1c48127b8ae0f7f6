//! Host memory that both processes have at the same address, and how it gets there: in pieces, each a memory file.
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

/// Bytes of a piece: less than the largest file that a judged process may write.
pub const PIECE: usize = 1 << 29;

/// What addresses and lengths are multiples of.
pub const PAGE: usize = 1 << 16;

/// Maps so many bytes of the judge's own at `address`, where nothing is mapped yet.
///
/// # Errors
/// The system's; [`io::ErrorKind::AddrInUse`] when there is something.
pub fn reserve(address: usize, bytes: usize) -> io::Result<()> {
    map(address, bytes, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1)
}

/// Maps a piece at `address`: over what was reserved there, or where nothing is.
///
/// # Errors
/// The system's.
pub fn map_piece(address: usize, bytes: usize, piece: &OwnedFd, is_reserved: bool) -> io::Result<()> {
    let how = if is_reserved { MAP_FIXED } else { MAP_FIXED_NOREPLACE };
    map(address, bytes, MAP_SHARED | how, piece.as_raw_fd())
}

fn map(address: usize, bytes: usize, flags: c_int, file: RawFd) -> io::Result<()> {
    let rights = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: the caller has reserved what is mapped over; nothing else is replaced.
    let got = unsafe { libc::mmap(ptr::without_provenance_mut(address), bytes, rights, flags, file, 0) };
    if got == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    if got.addr() != address {
        // A system without MAP_FIXED_NOREPLACE takes the address as a wish.
        unmap(got.addr(), bytes);
        return Err(io::ErrorKind::AddrInUse.into());
    }
    Ok(())
}

/// Unmaps what one of these functions has mapped.
pub fn unmap(address: usize, bytes: usize) {
    // SAFETY: the caller names a mapping of its own.
    unsafe { libc::munmap(ptr::without_provenance_mut(address), bytes) };
}

/// A memory file of so many bytes, which neither process can make longer or shorter: what is not mapped counts as
/// memory of neither, and what is mapped and gone ends the process that reads it.
///
/// # Errors
/// The system's.
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

/// Room for one descriptor beside a message.
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
/// The socket's.
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
/// The socket's; when none came.
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

    /// A worker that broke out would otherwise keep in it what no limit counts, or take from the judge what it reads.
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
