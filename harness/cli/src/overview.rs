//! The help of the whole program: the first steps, and every command in the group of its readers.
use std::fmt::Write;

use clap::Command;

/// What a newcomer types, and what it does.
const FIRST_STEPS: &[(&str, &str)] = &[
    ("warplab run all", "Run every lab, on the GPU if there is one: check the answers, time them"),
    ("warplab run vecadd", "Run one lab; with --help, show its variants and its own options"),
    ("warplab list", "List the labs, and the variants of each"),
    ("warplab start histogram", "Create a working folder for a lab's assignment, with its handout"),
    ("warplab check", "Compile and run the kernels in it, and say what to do next"),
];

/// The commands by reader.
const GROUPS: &[(&str, &[&str])] = &[
    ("Run and learn", &["run", "list", "device", "report", "compare", "history", "start", "check", "submit", "setup"]),
    ("Teach", &["grade", "class", "rubric", "new-lab", "ptx"]),
    ("Any CUDA program", &["exec", "nvcc", "driver", "shell", "env"]),
    ("As in a CUDA toolkit", &["nvidia-smi", "nsys", "nvprof", "ncu", "compute-sanitizer", "cuda-gdb"]),
    ("Shell", &["completions", "man"]),
];

/// The rest of the help.
const MORE: &str = "`warplab COMMAND --help` shows a command's options and examples.";

/// Gives the command this overview as its help.
pub fn with_overview(command: Command, exit_codes: &str) -> Command {
    let mut text = format!("{}\n\nUsage: warplab COMMAND\n\nFirst steps:\n", command.get_about().unwrap_or_default());
    for (example, about) in FIRST_STEPS {
        let _ = writeln!(text, "{}", harness::wrapped(&format!("  {example:25}{about}"), 27));
    }
    for (title, names) in GROUPS {
        let _ = writeln!(text, "\n{title}:");
        for name in *names {
            let about = command.find_subcommand(name).and_then(Command::get_about).unwrap_or_default();
            // A long name is followed by a space.
            let name = format!("{name} ");
            let _ = writeln!(text, "{}", harness::wrapped(&format!("  {name:13}{about}"), 15));
        }
    }
    let version = "-V, --version shows the version.";
    command.override_help(format!("{text}\n{MORE} {version}\n\n{exit_codes}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_command_stands_in_one_group() {
        let listed: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| *names).copied().collect();
        let command = crate::command(&[]);
        for sub in command.get_subcommands().filter(|sub| !sub.is_hide_set()) {
            let times = listed.iter().filter(|name| **name == sub.get_name()).count();
            assert_eq!(times, 1, "{}", sub.get_name());
        }
        for name in listed {
            assert!(command.find_subcommand(name).is_some(), "{name}");
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
