//! Numbers and bytes on the socket.
use std::io::{self, Read, Write};

/// Writes a number.
///
/// # Errors
/// Errors of the socket.
pub fn put(to: &mut impl Write, number: u64) -> io::Result<()> {
    to.write_all(&number.to_ne_bytes())
}

/// Writes a length and the bytes.
///
/// # Errors
/// Errors of the socket.
pub fn put_bytes(to: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    put(to, bytes.len() as u64)?;
    to.write_all(bytes)
}

/// Reads a number.
///
/// # Errors
/// Errors of the socket.
pub fn get(from: &mut impl Read) -> io::Result<u64> {
    let mut bytes = [0; 8];
    from.read_exact(&mut bytes)?;
    Ok(u64::from_ne_bytes(bytes))
}

/// Reads a length of at most `most`, and the bytes.
///
/// # Errors
/// Errors of the socket; a greater length.
pub fn get_bytes(from: &mut impl Read, most: u64) -> io::Result<Vec<u8>> {
    let length = get(from)?;
    if length > most {
        return Err(io::Error::new(io::ErrorKind::InvalidData, format!("{length} bytes where {most} are the most")));
    }
    let mut bytes = Vec::new();
    // Memory is allocated as the bytes arrive, not by the announced length.
    if from.take(length).read_to_end(&mut bytes)? as u64 == length {
        Ok(bytes)
    } else {
        Err(io::ErrorKind::UnexpectedEof.into())
    }
}
