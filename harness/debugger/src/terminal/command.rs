//! The commands, with their names and abbreviations.

use crate::session::AwaitedEvent;
use crate::stepping::StepSize;
use crate::stops::{Direction, WatchedAccess};
use crate::suggest::nearest;

/// What a command does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    Run,
    Resume(Direction),
    Step(StepSize, Direction),
    Until,
    Break,
    Watch(WatchedAccess),
    Delete,
    Print,
    Examine,
    Backtrace,
    List,
    Info,
    Cuda,
    Help,
    Quit,
}

/// A command.
pub struct CommandInfo {
    /// Its name, then its abbreviations.
    pub names: &'static [&'static str],
    /// What follows the name.
    pub arguments: &'static str,
    /// What it does, for the help.
    pub about: &'static str,
    /// What it does.
    pub action: Action,
}

const fn row(
    names: &'static [&'static str],
    arguments: &'static str,
    about: &'static str,
    action: Action,
) -> CommandInfo {
    CommandInfo { names, arguments, about, action }
}

/// All commands, in the order of the help.
#[rustfmt::skip]
pub const COMMANDS: &[CommandInfo] = &[
    row(&["run", "r"], "", "go to the start, and from there to the first stop", Action::Run),
    row(&["continue", "c"], "", "run to the next breakpoint, watchpoint or finding", Action::Resume(Direction::Forward)),
    row(&["reverse-continue", "rc"], "", "run back to the previous one", Action::Resume(Direction::Reverse)),
    row(&["step", "s"], "[N]", "go to the next source line, also of inlined and called functions", Action::Step(StepSize::Line, Direction::Forward)),
    row(&["next", "n"], "[N]", "go to the next source line of this function", Action::Step(StepSize::LineOver, Direction::Forward)),
    row(&["finish", "fin"], "", "go to the line that called this function", Action::Step(StepSize::Out, Direction::Forward)),
    row(&["stepi", "si"], "[N]", "execute one instruction", Action::Step(StepSize::Instruction, Direction::Forward)),
    row(&["reverse-step", "rs"], "[N]", "go back to the previous source line", Action::Step(StepSize::Line, Direction::Reverse)),
    row(&["reverse-next", "rn"], "[N]", "go back to the previous source line of this function", Action::Step(StepSize::LineOver, Direction::Reverse)),
    row(&["reverse-finish"], "", "go back to the line that called this function", Action::Step(StepSize::Out, Direction::Reverse)),
    row(&["reverse-stepi", "rsi"], "[N]", "go back one instruction", Action::Step(StepSize::Instruction, Direction::Reverse)),
    row(&["until", "u"], "divergence|barrier|finding", "run until the warp diverges or comes to a barrier, or to a finding", Action::Until),
    row(&["break", "b"], "[FILE:]LINE|FUNCTION|*PTXLINE [if CONDITION]", "stop each warp that comes there", Action::Break),
    row(&["watch"], "EXPRESSION", "stop when a register or memory changes", Action::Watch(WatchedAccess::Change)),
    row(&["rwatch"], "EXPRESSION", "stop when memory is read", Action::Watch(WatchedAccess::Read)),
    row(&["awatch"], "EXPRESSION", "stop when memory is read or written", Action::Watch(WatchedAccess::Any)),
    row(&["delete", "d"], "[N]", "delete a breakpoint or watchpoint, or all", Action::Delete),
    row(&["cuda"], "[block N] [thread N] [warp N] [lane N]", "show or set the focus; N may be (X,Y,Z)", Action::Cuda),
    row(&["info", "i"], "TOPIC", "describe the launch; `info` lists the topics", Action::Info),
    row(&["print", "p", "inspect"], "[/xduft] EXPRESSION", "print a register, a variable, memory or a computed value", Action::Print),
    row(&["x"], "[/COUNT][xduf] ADDRESS | /i", "show memory, or with /i the next instructions", Action::Examine),
    row(&["backtrace", "bt", "where"], "", "show the calls that led here", Action::Backtrace),
    row(&["list", "l"], "[LINE]", "show the source", Action::List),
    row(&["help", "h"], "", "show the commands", Action::Help),
    row(&["quit", "q"], "", "end", Action::Quit),
];

/// Returns the command that a word names: by a name, an abbreviation, or the unambiguous beginning of a name.
///
/// # Errors
/// When it names none, or several.
pub fn find(word: &str) -> Result<Action, String> {
    if let Some(command) = COMMANDS.iter().find(|command| command.names.contains(&word)) {
        return Ok(command.action);
    }
    let begins: Vec<&CommandInfo> = COMMANDS.iter().filter(|command| command.names[0].starts_with(word)).collect();
    match begins.as_slice() {
        [one] => Ok(one.action),
        [] => {
            let known: Vec<&str> = COMMANDS.iter().map(|command| command.names[0]).collect();
            Err(format!("Undefined command: \"{word}\"; {}", nearest(word, &known)))
        }
        several => {
            let names: Vec<&str> = several.iter().map(|command| command.names[0]).collect();
            Err(format!("Ambiguous command \"{word}\": {}", names.join(", ")))
        }
    }
}

/// Returns the help.
pub fn help() -> String {
    let row = |command: &CommandInfo| {
        let names = command.names.join(", ");
        format!("{:<60}{}", format!("{names} {}", command.arguments), command.about)
    };
    COMMANDS.iter().map(row).collect::<Vec<_>>().join("\n")
}

/// Returns the event that a word names.
///
/// # Errors
/// When it names none.
pub fn awaited(word: &str) -> Result<AwaitedEvent, String> {
    let events = [
        ("divergence", AwaitedEvent::Divergence),
        ("barrier", AwaitedEvent::Barrier),
        ("finding", AwaitedEvent::Finding),
    ];
    let found = events.iter().find(|(name, _)| !word.is_empty() && name.starts_with(word));
    let names = events.map(|(name, _)| name);
    found.map(|(_, event)| *event).ok_or_else(|| format!("`until` needs an event; {}", nearest(word, &names)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_abbreviations_are_unique() {
        let mut names: Vec<&str> = COMMANDS.iter().flat_map(|command| command.names).copied().collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }

    #[test]
    fn unambiguous_beginnings_are_enough() {
        assert_eq!(find("cont"), Ok(Action::Resume(Direction::Forward)));
        assert_eq!(find("s"), Ok(Action::Step(StepSize::Line, Direction::Forward)));
        assert!(find("reverse-").unwrap_err().contains("Ambiguous"));
        assert!(find("brake").unwrap_err().contains("did you mean `break`?"));
    }
}
