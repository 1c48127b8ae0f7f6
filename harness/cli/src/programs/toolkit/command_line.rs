//! The command lines of the toolkit's commands: options with one or two dashes, and values after `=` or a space.
use std::{ffi::OsString, fmt::Write};

use clap::{Arg, ArgMatches, Command, value_parser};
use harness::{Error, suggest};

/// An option of a tool.
#[derive(Debug)]
pub struct ToolOption {
    /// Its names, the one by which it is looked up first.
    pub names: &'static [&'static str],
    /// The name of its value; empty if it has none.
    pub value: &'static str,
    /// What it does; `None` if NVIDIA's tool has it, but it changes nothing here.
    pub help: Option<&'static str>,
}

/// A tool: its name, what it does, its options, and more text for its help.
#[derive(Debug)]
pub struct Tool {
    pub name: &'static str,
    pub about: &'static str,
    pub usage: &'static str,
    pub options: &'static [ToolOption],
    /// Options of NVIDIA's tool that are not available.
    pub refused: &'static [&'static str],
    pub more: &'static str,
}

/// A parsed command line.
#[derive(Debug, Default)]
pub struct Parsed {
    values: Vec<(&'static str, String)>,
    /// The program and its arguments: all words from the first one that is not an option.
    pub program: Vec<OsString>,
}

impl Parsed {
    /// The last value of an option; empty for one without a value, `None` if it is not given.
    pub fn last(&self, name: &str) -> Option<&str> {
        self.values.iter().rev().find(|(known, _)| *known == name).map(|(_, value)| value.as_str())
    }

    /// All values of an option.
    pub fn all(&self, name: &str) -> impl Iterator<Item = &str> {
        self.values.iter().filter(move |(known, _)| *known == name).map(|(_, value)| value.as_str())
    }

    /// All values of an option, split at commas.
    pub fn list(&self, name: &str) -> Vec<&str> {
        self.all(name).flat_map(|value| value.split(',')).map(str::trim).filter(|value| !value.is_empty()).collect()
    }

    /// Whether an option is given.
    pub fn has(&self, name: &str) -> bool {
        self.last(name).is_some()
    }

    /// The last value of an option, which must be one of `known`; the first of them by default.
    ///
    /// # Errors
    /// [`Error::Usage`] for any other value.
    pub fn choice<'k>(&self, name: &str, known: &[&'k str]) -> Result<&'k str, Error> {
        let Some(given) = self.last(name) else { return Ok(known[0]) };
        let found = known.iter().find(|known| **known == given).copied();
        found.ok_or_else(|| Error::usage(format!("{name} is `{given}`; {}", suggest::among(given, known))))
    }

    /// The last value of an option as a number.
    ///
    /// # Errors
    /// [`Error::Usage`] if it is not a number of this type.
    pub fn number<N: std::str::FromStr>(&self, name: &str, default: N) -> Result<N, Error> {
        let wrong = |value| Error::usage(format!("{name} needs a number, not `{value}`"));
        self.last(name).map_or(Ok(default), |value| value.parse().map_err(|_| wrong(value)))
    }
}

impl Tool {
    /// The subcommand of this name, which takes all words as they are.
    pub fn command(&self) -> Command {
        let words = Arg::new("words").num_args(0..).trailing_var_arg(true).allow_hyphen_values(true);
        Command::new(self.name)
            .about(self.about)
            .disable_help_flag(true)
            .arg(words.value_parser(value_parser!(OsString)).help("The tool's options, and the program"))
    }

    /// Parses the words. Shows the help and returns `None` if it is asked for.
    ///
    /// # Errors
    /// [`Error::Usage`] for an option that does not exist or is not available, or without its value.
    pub fn parse(&self, matches: &ArgMatches) -> Result<Option<Parsed>, Error> {
        let words: Vec<OsString> = matches.get_many("words").map(|all| all.cloned().collect()).unwrap_or_default();
        self.parse_words(words)
    }

    /// Parses these words, as [`Self::parse`] does.
    ///
    /// # Errors
    /// As [`Self::parse`].
    pub fn parse_words(&self, words: Vec<OsString>) -> Result<Option<Parsed>, Error> {
        let mut parsed = Parsed::default();
        let mut rest = words.into_iter();
        while let Some(word) = rest.next() {
            let text = word.to_string_lossy().into_owned();
            if text == "--" {
                break;
            }
            if !text.starts_with('-') || text == "-" {
                parsed.program.push(word);
                break;
            }
            if matches!(&*text, "--help" | "-h") {
                harness::print(&self.help());
                return Ok(None);
            }
            let (name, joined) = text.split_once('=').map_or((&*text, None), |(name, value)| (name, Some(value)));
            let option = self.find(name)?;
            let value = match (option.value, joined) {
                ("", None) => String::new(),
                ("", Some(_)) => return Err(Error::usage(format!("{}: {name} takes no value", self.name))),
                (_, Some(value)) => value.to_owned(),
                (value, None) => {
                    let missing = || Error::usage(format!("{}: {name} needs its value, {value}", self.name));
                    rest.next().ok_or_else(missing)?.to_string_lossy().into_owned()
                }
            };
            if option.help.is_none() {
                harness::print_error(&format!("note: {} of {} has no effect here", name, self.name));
            }
            parsed.values.push((option.names[0], value));
        }
        parsed.program.extend(rest);
        Ok(Some(parsed))
    }

    fn find(&self, name: &str) -> Result<&ToolOption, Error> {
        if let Some(option) = self.options.iter().find(|option| option.names.contains(&name)) {
            return Ok(option);
        }
        if self.refused.contains(&name) {
            return Err(Error::usage(format!(
                "{} of NVIDIA's {} is not available here; `{} --help` lists the options that are",
                name, self.name, self.name
            )));
        }
        let known: Vec<&str> = self.options.iter().flat_map(|option| option.names).copied().collect();
        Err(Error::usage(format!("{} has no option {name}; {}", self.name, suggest::among(name, &known))))
    }

    /// Requires a program.
    ///
    /// # Errors
    /// [`Error::Usage`] without one.
    pub fn needs_program(&self, parsed: &Parsed) -> Result<(), Error> {
        if parsed.program.is_empty() { Err(Error::usage(format!("name a program: {}", self.usage))) } else { Ok(()) }
    }

    fn help(&self) -> String {
        let mut text = format!("{}\n\nUsage: {}\n\nOptions:\n", self.about, self.usage);
        for option in self.options {
            let Some(help) = option.help else { continue };
            let names = option.names.join(", ");
            let value = if option.value.is_empty() { String::new() } else { format!(" <{}>", option.value) };
            let _ = writeln!(text, "{}", harness::wrapped(&format!("  {names}{value}"), 6));
            let _ = writeln!(text, "{}", harness::wrapped(&format!("      {help}"), 6));
        }
        let without: Vec<&str> = self.options.iter().filter(|o| o.help.is_none()).map(|o| o.names[0]).collect();
        if !without.is_empty() {
            let _ = writeln!(
                text,
                "\n{}",
                harness::wrapped(&format!("Accepted, and change nothing: {}.", without.join(", ")), 0)
            );
        }
        if !self.refused.is_empty() {
            let _ =
                writeln!(text, "\n{}", harness::wrapped(&format!("Not available: {}.", self.refused.join(", ")), 0));
        }
        if !self.more.is_empty() {
            let _ = write!(text, "\n{}", self.more);
        }
        text.trim_end().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOOL: Tool = Tool {
        name: "tool",
        about: "Does something",
        usage: "tool [OPTIONS] PROGRAM",
        options: &[
            ToolOption { names: &["--kind", "-k"], value: "KIND", help: Some("The kind") },
            ToolOption { names: &["--loud"], value: "", help: Some("More") },
        ],
        refused: &["--save"],
        more: "",
    };

    fn parse(line: &str) -> Result<Parsed, String> {
        let words = line.split(' ').map(OsString::from).collect();
        TOOL.parse_words(words).map(Option::unwrap).map_err(|error| error.to_string())
    }

    #[test]
    fn options_end_at_the_program() {
        let parsed = parse("-k a,b --kind=c --loud ./x --kind d").unwrap();
        assert_eq!((parsed.list("--kind"), parsed.last("--kind")), (vec!["a", "b", "c"], Some("c")));
        assert_eq!(parsed.program, ["./x", "--kind", "d"]);
        assert!(parsed.has("--loud") && parsed.choice("--kind", &["b", "c"]).unwrap() == "c");
        assert_eq!(parse("-- -x").unwrap().program, ["-x"]);
    }

    #[test]
    fn what_is_wrong_is_named() {
        assert!(parse("--kine x").unwrap_err().contains("tool has no option --kine; did you mean `--kind`?"));
        assert!(parse("--save x").unwrap_err().contains("--save of NVIDIA's tool is not available here"));
        assert!(parse("--kind").unwrap_err().contains("--kind needs its value, KIND"));
        assert!(parse("--loud=1 x").unwrap_err().contains("--loud takes no value"));
        assert!(
            parse("-k x y").unwrap().number("--kind", 1).unwrap_err().to_string().contains("needs a number, not `x`")
        );
        assert!(parse("-k x y").unwrap().choice("--kind", &["z"]).unwrap_err().to_string().contains("there are: z"));
    }
}
