//! A lab's own options: their declaration, and their values in a run.
use std::{
    fs::{self, File, FileType},
    io::Read,
};

use clap::{Arg, ArgAction, builder::PossibleValuesParser, value_parser};

use crate::{
    device::host,
    error::{Error, Result},
    lab::run::Run,
    options::number::parse_u32,
};

/// Declares an option that chooses among `values`, repeatable; without it all are chosen ([`Run::chosen`]).
pub fn choice(
    name: &'static str,
    value_name: &'static str,
    values: impl IntoIterator<Item = &'static str>,
    help: &'static str,
) -> Arg {
    Arg::new(name)
        .long(name)
        .value_name(value_name)
        .action(ArgAction::Append)
        .value_parser(PossibleValuesParser::new(values))
        .help(help)
}

/// Declares an option with a value: the caller adds its parser, and its default if it has one.
pub fn value(name: &'static str, value_name: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).value_name(value_name).allow_hyphen_values(true).help(help)
}

/// Declares an option with a count of at least one ([`Run::count`]).
pub fn count(name: &'static str, help: &'static str) -> Arg {
    value(name, "COUNT", help).value_parser(parse_u32)
}

/// Declares an option with a number and a default ([`Run::number`]).
pub fn number(name: &'static str, default: &'static str, help: &'static str) -> Arg {
    Arg::new(name)
        .long(name)
        .value_name("NUMBER")
        .default_value(default)
        .allow_negative_numbers(true)
        .value_parser(value_parser!(f64))
        .help(help)
}

/// Declares an option without a value ([`Run::is_given`]).
pub fn switch(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).action(ArgAction::SetTrue).help(help)
}

/// Declares an option that names a file, `-` for standard input ([`Run::file`]).
pub fn file(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).value_name("FILE").help(help)
}

/// A file may have at most this fraction of the available memory: it is also parsed, copied and counted.
const SHARE: u64 = 4;

fn read(file: &str) -> Result<Vec<u8>> {
    let room = host::room();
    let most = room.as_ref().map_or(u64::MAX, |room| room.bytes / SHARE);
    let too_large = || {
        let why = room.as_ref().map_or_else(String::new, |room| format!(", a quarter of what there is: {room}"));
        Error::CannotRun(format!("{file} holds more than {}{why}; give a smaller file", host::size(most)))
    };
    let io = |error| Error::usage(format!("cannot read {file}: {error}"));
    let mut bytes = Vec::new();
    let read = if file == "-" {
        read_within(&mut std::io::stdin().lock(), most, &mut bytes)
    } else {
        let about = fs::metadata(file).map_err(io)?;
        if let Some(kind) = unreadable(about.file_type()) {
            return Err(Error::usage(format!("cannot read {file}: it is {kind}, not a file")));
        }
        if about.len() > most {
            return Err(too_large());
        }
        File::open(file).and_then(|mut file| read_within(&mut file, most, &mut bytes))
    };
    if read.map_err(io)? { Ok(bytes) } else { Err(too_large()) }
}

/// Reads to the end, but at most `most` bytes. Returns whether the end was reached.
fn read_within(from: &mut impl Read, most: u64, into: &mut Vec<u8>) -> std::io::Result<bool> {
    from.take(most.saturating_add(1)).read_to_end(into)?;
    Ok(into.len() as u64 <= most)
}

/// Describes the target of a path, unless it is a file or a pipe.
fn unreadable(kind: FileType) -> Option<&'static str> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        if kind.is_char_device() || kind.is_block_device() {
            return Some("a device");
        } else if kind.is_socket() {
            return Some("a socket");
        }
    }
    kind.is_dir().then_some("a folder")
}

impl Run {
    /// Returns the contents of a file, or of standard input if `file` is `-`. Only files and pipes are read: a device
    /// like `/dev/zero` is endless.
    ///
    /// # Errors
    /// [`Error::Usage`] when it cannot be read, [`Error::CannotRun`] when it is too large for this computer's memory.
    pub fn read(&self, file: &str) -> Result<Vec<u8>> {
        if file == "-" && self.process.role.is_case() {
            let why = "a case in a separate process (--timeout) cannot read standard input again; give a file";
            return Err(Error::usage(why));
        }
        read(file)
    }

    /// Returns the elements of `all` whose names were chosen with the option `option`; all of them without it.
    pub fn chosen<T: Copy>(&self, option: &str, all: &[T], name: impl Fn(T) -> &'static str) -> Vec<T> {
        let names: Vec<&String> = self.args().get_many(option).into_iter().flatten().collect();
        all.iter().copied().filter(|&one| names.is_empty() || names.iter().any(|n| *n == name(one))).collect()
    }

    /// Returns the value of an option declared by [`count`].
    pub fn count(&self, option: &str) -> Option<u32> {
        self.args().get_one::<u32>(option).copied()
    }

    /// Returns the value of an option declared by [`number`].
    ///
    /// # Panics
    /// When the lab declares no such option.
    pub fn number(&self, option: &str) -> f64 {
        *self.args().get_one::<f64>(option).expect("the option is declared, with a default")
    }

    /// Whether an option declared by [`switch`] is given.
    pub fn is_given(&self, option: &str) -> bool {
        self.args().get_flag(option)
    }

    /// Returns the value of an option declared by [`file()`].
    pub fn file(&self, option: &str) -> Option<&str> {
        self.args().get_one::<String>(option).map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_is_read_than_there_is_room_for() {
        for (most, whole) in [(5, true), (4, false), (0, false)] {
            let mut into = Vec::new();
            assert_eq!(read_within(&mut &b"hello"[..], most, &mut into).unwrap(), whole);
            assert!(into.len() as u64 <= most + 1);
        }
        // Endless input.
        assert!(!read_within(&mut std::io::repeat(7), 100, &mut Vec::new()).unwrap());
    }

    #[test]
    fn a_file_is_read_and_nothing_else() {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), "1 2\n").unwrap();
        assert_eq!(read(file.path().to_str().unwrap()).unwrap(), b"1 2\n");
        for (path, words) in [("/dev/zero", "a device"), ("/", "a folder"), ("/no/such", "No such file")] {
            let error = read(path).unwrap_err();
            assert!(error.to_string().starts_with(&format!("cannot read {path}: ")), "{error}");
            assert!(error.to_string().contains(words), "{error}");
            assert_eq!(error.exit_code(), 2);
        }
    }
}
