//! A lab's own options: how they are declared, and how a run reads them.
use std::{fs::File, io::Read};

use clap::{Arg, ArgAction, builder::PossibleValuesParser, value_parser};

use crate::{
    error::{Error, Result},
    lab::{options::parse_u32, run::Run},
};

/// An option that chooses among `values`, repeatable; without it all are chosen ([`Run::chosen`]).
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

/// An option that holds a value: the caller adds how it is parsed, and its default if it has one.
pub fn value(name: &'static str, value_name: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).value_name(value_name).allow_hyphen_values(true).help(help)
}

/// An option that holds a count of at least one ([`Run::count`]).
pub fn count(name: &'static str, help: &'static str) -> Arg {
    value(name, "COUNT", help).value_parser(parse_u32)
}

/// An option that holds a number, with a default ([`Run::number`]).
pub fn number(name: &'static str, default: &'static str, help: &'static str) -> Arg {
    Arg::new(name)
        .long(name)
        .value_name("NUMBER")
        .default_value(default)
        .allow_negative_numbers(true)
        .value_parser(value_parser!(f64))
        .help(help)
}

/// An option without a value ([`Run::is_given`]).
pub fn switch(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).action(ArgAction::SetTrue).help(help)
}

/// An option that names a file, `-` for standard input ([`Run::file`]).
pub fn file(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).value_name("FILE").help(help)
}

/// All that a file holds, or standard input where `file` is `-`.
///
/// # Errors
/// [`Error::Io`].
pub fn read(file: &str) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = match file {
        "-" => std::io::stdin().lock().read_to_end(&mut bytes),
        path => File::open(path).and_then(|mut file| file.read_to_end(&mut bytes)),
    };
    read.map_err(|source| Error::Io { action: "read", path: file.into(), source })?;
    Ok(bytes)
}

impl Run {
    /// The elements of `all` whose names were chosen with the option `option`; all of them without it.
    pub fn chosen<T: Copy>(&self, option: &str, all: &[T], name: impl Fn(T) -> &'static str) -> Vec<T> {
        let names: Vec<&String> = self.args().get_many(option).into_iter().flatten().collect();
        all.iter().copied().filter(|&one| names.is_empty() || names.iter().any(|n| *n == name(one))).collect()
    }

    /// The value of an option declared by [`count`].
    pub fn count(&self, option: &str) -> Option<u32> {
        self.args().get_one::<u32>(option).copied()
    }

    /// The value of an option declared by [`number`].
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

    /// The value of an option declared by [`file()`].
    pub fn file(&self, option: &str) -> Option<&str> {
        self.args().get_one::<String>(option).map(String::as_str)
    }
}
