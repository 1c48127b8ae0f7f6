//! Options of a part: those of the lab and those of a launch. The device, the sizes and the inputs are the grader's
//! choice.
use harness::{
    Lab,
    clap::{Command, error::ErrorKind, parser::ValueSource},
};

use super::random_options;

/// Common options that a rubric may set too.
const OF_A_LAUNCH: [&str; 2] = ["blocks", "threads"];

/// Returns what is wrong with these options of a part of `lab`'s assignment, if anything: the lab's own parser reads
/// them, with the least and the greatest of the random numbers.
pub fn mistake(options: &[String], lab: &'static Lab) -> Option<String> {
    options.iter().find_map(|option| random_options::mistake(option)).or_else(|| {
        let command = harness::command(lab);
        random_options::ends(options).iter().find_map(|options| misread(&command, options, lab))
    })
}

/// The options without those of a launch: what is timed, or predicted, has the lab's own launch. A rubric's small grid
/// shows how the work is shared, and is slow.
pub fn without_launch(options: &[String]) -> Vec<String> {
    let is_of_a_launch = |option: &str| OF_A_LAUNCH.iter().any(|name| option.strip_prefix("--") == Some(name));
    let has_its_value = |option: &str| option.split_once('=').is_some_and(|(name, _)| is_of_a_launch(name));
    let is_value = |at: usize| at > 0 && is_of_a_launch(&options[at - 1]);
    let is_kept = |at: usize, option: &str| !is_of_a_launch(option) && !has_its_value(option) && !is_value(at);
    options.iter().enumerate().filter(|(at, option)| is_kept(*at, option)).map(|(_, option)| option.clone()).collect()
}

/// Returns why `command` cannot read the options, or an option that a rubric may not set.
fn misread(command: &Command, options: &[String], lab: &Lab) -> Option<String> {
    let words = std::iter::once(lab.name).chain(options.iter().map(String::as_str));
    let matches = match command.clone().try_get_matches_from(words) {
        Ok(matches) => matches,
        Err(error) if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) => {
            return Some("a rubric can only have options with which kernels run".into());
        }
        Err(error) => {
            let said = error.to_string();
            let first = said.split("\n\nUsage").next().unwrap_or_default().trim_start_matches("error: ");
            let blocks = first.split("\n\n").map(|block| block.split_whitespace().collect::<Vec<_>>().join(" "));
            return Some(blocks.filter(|block| !block.is_empty()).collect::<Vec<_>>().join("; "));
        }
    };
    let own = (lab.options)();
    let may = |name: &str| OF_A_LAUNCH.contains(&name) || own.iter().any(|option| option.get_id() == name);
    let is_given = |name: &str| matches.value_source(name) == Some(ValueSource::CommandLine);
    let other = command.get_arguments().find(|a| is_given(a.get_id().as_str()) && !may(a.get_id().as_str()))?;
    let name = other.get_long().unwrap_or(other.get_id().as_str());
    Some(format!(
        "--{name} is not allowed in a rubric, which may have the lab's own options, --blocks and --threads: sizes go \
         in [sizes], and device, seed and files are named by who grades"
    ))
}
