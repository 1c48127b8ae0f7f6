//! Messages on a stream: a header with the length, and JSON.

use std::io::{self, BufRead, ErrorKind, Read, Write};

use serde_json::Value;

/// The most bytes of a message.
const MOST_BYTES: u64 = 16 << 20;
/// The most bytes of a line of the header.
const MOST_HEADER: u64 = 4096;

/// Reads a message; `None` at the end of the stream.
pub fn read(input: &mut impl BufRead) -> io::Result<Option<Value>> {
    let wrong = |what: &str| io::Error::new(ErrorKind::InvalidData, format!("not a message of the protocol: {what}"));
    let mut length = None;
    loop {
        let mut line = String::new();
        if input.by_ref().take(MOST_HEADER).read_line(&mut line)? == 0 {
            return if length.is_none() { Ok(None) } else { Err(wrong("it ends in its header")) };
        }
        let line = line.trim();
        if line.is_empty() && length.is_some() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("Content-Length")
        {
            length = value.trim().parse().ok().filter(|length| *length <= MOST_BYTES);
            length.ok_or_else(|| wrong("its Content-Length is not a number of at most 16 MiB"))?;
        } else if !line.is_empty() && !line.contains(':') {
            return Err(wrong("a line of its header has no colon"));
        }
    }
    let mut body = vec![0; length.unwrap_or(0) as usize];
    input.read_exact(&mut body)?;
    serde_json::from_slice(&body).map(Some).map_err(|error| wrong(&error.to_string()))
}

/// Writes a message.
pub fn write(output: &mut impl Write, message: &Value) -> io::Result<()> {
    let body = message.to_string();
    write!(output, "Content-Length: {}\r\n\r\n{body}", body.len())
}
