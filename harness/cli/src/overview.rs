//! The help of the whole program: the first steps, and every command in its group.
use std::fmt::Write;

use clap::Command;
use harness::Exit;

/// What a newcomer types, and what it does.
const FIRST_STEPS: &[(&str, &str)] = &[
    ("warplab run all", "Run every lab, on the GPU if there is one: check the answers, time them"),
    ("warplab run vecadd", "Run one lab; with --help, show its variants and its own options"),
    ("warplab list", "List the labs, and the variants of each"),
    ("warplab start histogram", "Create a working folder for a lab's assignment, with its handout"),
    ("warplab check", "Compile and run the kernels in it, and say what to do next"),
];

/// The rest of the help.
const MORE: &str = "`warplab COMMAND --help` shows a command's options and examples.";

/// Returns the help: `about` says what the program is, and each group of commands has a title.
pub fn text(about: &str, groups: &[(&str, Vec<Command>)]) -> String {
    let mut text = format!("{about}\n\nUsage: warplab COMMAND\n\nFirst steps:\n");
    for (example, about) in FIRST_STEPS {
        let _ = writeln!(text, "{}", harness::wrapped(&format!("  {example:25}{about}"), 27));
    }
    for (title, commands) in groups {
        let _ = writeln!(text, "\n{title}:");
        for command in commands.iter().filter(|command| !command.is_hide_set()) {
            let about = command.get_about().unwrap_or_default();
            // A long name is followed by a space.
            let name = format!("{} ", command.get_name());
            let _ = writeln!(text, "{}", harness::wrapped(&format!("  {name:13}{about}"), 15));
        }
    }
    let version = "-V, --version shows the version.";
    format!("{text}\n{MORE} {version}\n\n{}", harness::paragraphs(&Exit::codes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_command_stands_in_one_group() {
        let command = crate::command(&[]);
        let help = command.clone().render_help().to_string();
        for sub in command.get_subcommands() {
            let line = format!("  {} ", sub.get_name());
            let times = help.lines().filter(|l| l.starts_with(&line)).count();
            assert_eq!(times, usize::from(!sub.is_hide_set()), "{}", sub.get_name());
        }
    }

    #[test]
    fn the_first_steps_are_commands() {
        for (example, _) in FIRST_STEPS {
            let words: Vec<&str> = example.split(' ').collect();
            crate::command(&[]).try_get_matches_from(&words).unwrap_or_else(|error| panic!("{example}: {error}"));
        }
    }
}
