//! Reads a kernel file: once, and at most [`MOST`] bytes.
use std::{
    ffi::OsString,
    fs::{self, File},
    io::{self, Read, Seek, Write},
    path::Path,
    sync::OnceLock,
};

/// The largest kernel file or header in bytes.
const MOST: u64 = 16 << 20;

/// Returns the text of a regular file.
///
/// # Errors
/// The system's reason, or what is wrong with the file.
pub(crate) fn file(path: &Path) -> io::Result<String> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    text(File::open(path)?)
}

/// The copy, in the program that has read the file. It has no name, so it disappears with the last process that has it
/// open.
static READ_ONCE: OnceLock<File> = OnceLock::new();

/// Returns the path of a copy of the kernel file for a child process, if the file came through a pipe or standard
/// input, which can be read only once.
pub fn copy_for_children() -> Option<OsString> {
    #[cfg(target_os = "linux")]
    {
        use std::os::fd::AsRawFd;
        let file = READ_ONCE.get()?;
        Some(format!("/proc/{}/fd/{}", std::process::id(), file.as_raw_fd()).into())
    }
    #[cfg(not(target_os = "linux"))]
    None
}

/// Returns the text of a kernel file that the user names. A text that can be read only once is kept for
/// [`copy_for_children`].
///
/// # Errors
/// As [`file`].
pub(crate) fn given(path: &Path) -> io::Result<String> {
    let is_once = !fs::metadata(path)?.is_file() || ["/dev", "/proc"].iter().any(|system| path.starts_with(system));
    if !is_once {
        return file(path);
    }
    let text = file_or_pipe(path)?;
    let mut copy = tempfile::tempfile()?;
    copy.write_all(text.as_bytes())?;
    copy.rewind()?;
    // A program is given only one kernel file.
    let _ = READ_ONCE.set(copy);
    Ok(text)
}

/// Returns the text of a regular file, or all that comes through a pipe.
///
/// # Errors
/// As [`file`].
fn file_or_pipe(path: &Path) -> io::Result<String> {
    let kind = fs::metadata(path)?.file_type();
    if kind.is_dir() {
        return Err(io::Error::other("it is a folder; name a .cu file in it"));
    }
    #[cfg(unix)]
    let is_pipe = std::os::unix::fs::FileTypeExt::is_fifo(&kind);
    #[cfg(not(unix))]
    let is_pipe = false;
    if !(kind.is_file() || is_pipe) {
        return Err(io::Error::other("it is neither a regular file nor a pipe"));
    }
    text(File::open(path)?)
}

fn text(file: File) -> io::Result<String> {
    let mut bytes = Vec::new();
    file.take(MOST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MOST {
        return Err(io::Error::other(format!("it is larger than {} MiB", MOST >> 20)));
    }
    Ok(decoded(&bytes))
}

/// Decodes the text of a file: UTF-8 or, with a byte order mark, UTF-16. Invalid UTF-8 is read as Latin-1, in which
/// older editors write comments; nothing else depends on such bytes.
pub fn decoded(bytes: &[u8]) -> String {
    let wide = |of: fn([u8; 2]) -> u16| {
        let units = bytes[2..].chunks(2).map(|pair| of([pair[0], pair.get(1).copied().unwrap_or_default()]));
        char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
    };
    match bytes {
        [0xff, 0xfe, ..] => wide(u16::from_le_bytes),
        [0xfe, 0xff, ..] => wide(u16::from_be_bytes),
        // Editors on Windows write a byte order mark, which NVRTC does not understand.
        [0xef, 0xbb, 0xbf, bytes @ ..] | bytes => {
            let mut text = String::with_capacity(bytes.len());
            for chunk in bytes.utf8_chunks() {
                text += chunk.valid();
                text.extend(chunk.invalid().iter().map(|byte| char::from(*byte)));
            }
            text
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::{io::Write, process::Command};

    use super::*;

    #[test]
    fn what_is_no_text_is_refused_with_its_reason() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str, bytes: &[u8]| {
            let path = folder.path().join(name);
            fs::write(&path, bytes).unwrap();
            path
        };
        let large = folder.path().join("large.cu");
        File::create(&large).unwrap().set_len(MOST + 1).unwrap();
        for (path, reason) in [
            (folder.path(), "it is a folder"),
            (Path::new("/dev/zero"), "neither a regular file nor a pipe"),
            (&large, "larger than 16 MiB"),
            (&folder.path().join("none.cu"), "No such file"),
        ] {
            let error = file_or_pipe(path).unwrap_err().to_string();
            assert!(error.contains(reason), "{}: {error}", path.display());
        }
        assert_eq!(file_or_pipe(&path("good.cu", b"int x;\n")).unwrap(), "int x;\n");
    }

    #[test]
    fn text_is_read_in_the_encodings_of_editors() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("encoded.cu");
        for (bytes, text) in [
            (&b"int x; // \xe9t\xe9 \xc3\xa9\n"[..], "int x; // \u{e9}t\u{e9} \u{e9}\n"),
            (b"\xef\xbb\xbfint x;\n", "int x;\n"),
            (b"\xff\xfei\0n\0t\0 \0\xe9\0\n\0", "int \u{e9}\n"),
            (b"\xfe\xff\0i\0n\0t\0 \0\xe9\0\n", "int \u{e9}\n"),
            (b"\xff\xfei\0n", "in"),
            (b"\xff\xfe\x00\xd8", "\u{fffd}"),
            (b"", ""),
        ] {
            fs::write(&path, bytes).unwrap();
            assert_eq!(file(&path).unwrap(), text, "{bytes:?}");
        }
    }

    #[test]
    fn a_pipe_is_read_to_its_end() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe.cu");
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let writer = std::thread::spawn({
            let pipe = pipe.clone();
            move || File::options().write(true).open(pipe).unwrap().write_all(b"int x;\n").unwrap()
        });
        assert_eq!(file_or_pipe(&pipe).unwrap(), "int x;\n");
        writer.join().unwrap();
        assert!(file(&pipe).unwrap_err().to_string().contains("not a regular file"));
    }
}
