//! Judge rounds: a judged lab runs several times in one process, each time with another seed and other options. The
//! modules stay loaded meanwhile. A kernel that keeps an answer, and returns it again for other inputs, is then
//! detected.
//!
//! The rounds of a case make one row. Counters, notes and the lab's own columns are those of the first round.
use clap::{ArgMatches, Command, FromArgMatches};

use crate::{
    error::{Error, Result},
    lab::{options::Options, rounds::Rounds, run::Run},
};

/// The seed and options of a later round.
#[derive(Debug)]
pub(crate) struct Again {
    seed: u64,
    blocks: Option<u32>,
    threads: Option<u32>,
    args: ArgMatches,
}

impl Again {
    /// Parses the value of `--again` for one round: a JSON array with the words of a command line of `lab`.
    ///
    /// # Errors
    /// [`Error::Usage`] when the lab has no such options.
    fn of(lab: &Command, words: &str) -> Result<Self> {
        let unfit = |why: &dyn std::fmt::Display| Error::usage(format!("--again {words}: {why}"));
        let words: Vec<String> = serde_json::from_str(words).map_err(|error| unfit(&error))?;
        let args = lab.clone().no_binary_name(true).try_get_matches_from(words).map_err(|error| unfit(&error))?;
        let Options { seed, blocks, threads, .. } = Options::from_arg_matches(&args).map_err(|error| unfit(&error))?;
        Ok(Self { seed, blocks, threads, args })
    }
}

/// Runs `body`, a function of the lab with this command line: once, or in rounds if `--again` requests them. The cases'
/// rows are written after the rounds.
///
/// # Errors
/// Those of `body`, after which no further round is run; those of [`Run::case`].
pub(crate) fn run(run: &mut Run, lab: &Command, body: impl Fn(&Run) -> Result<()>) -> Result<()> {
    let again: Vec<Again> = run.options.again.iter().map(|words| Again::of(lab, words)).collect::<Result<_>>()?;
    if again.is_empty() {
        return body(run);
    }
    let first = (run.options.clone(), run.args.clone());
    let before = run.records.borrow().len();
    *run.rounds.borrow_mut() = Some(Rounds::first());
    let mut result = body(run);
    for Again { seed, blocks, threads, args } in again {
        if result.is_err() || run.lost.borrow().is_some() {
            break;
        }
        run.options = Options { blocks, threads, seed, ..run.options.clone() };
        run.args = args;
        run.records.borrow_mut().truncate(before);
        if let Some(rounds) = &mut *run.rounds.borrow_mut() {
            rounds.begin();
        }
        result = body(run);
    }
    (run.options, run.args) = first;
    run.records.borrow_mut().truncate(before);
    let rounds = run.rounds.borrow_mut().take();
    // The results before an error count as well.
    for held in rounds.into_iter().flat_map(Rounds::into_held) {
        run.finish(run.judged(held.variant, held.passes))?;
    }
    result
}

#[cfg(test)]
mod tests {
    use clap::{Arg, Args};

    use super::*;

    fn lab() -> Command {
        Options::augment_args(Command::new("lab")).arg(Arg::new("x").long("x").allow_hyphen_values(true))
    }

    #[test]
    fn a_round_has_the_seed_and_the_options_of_its_words() {
        let round = Again::of(&lab(), r#"["--seed", "7", "--x=-3", "--blocks", "2"]"#).unwrap();
        assert_eq!((round.seed, round.blocks, round.threads), (7, Some(2), None));
        assert_eq!(round.args.get_one::<String>("x").unwrap(), "-3");
    }

    #[test]
    fn words_that_are_none_are_refused_with_the_option() {
        for words in ["--seed 7", r#"["--y=3"]"#, r#"["--seed", "many"]"#] {
            match Again::of(&lab(), words) {
                Err(Error::Usage(said)) => assert!(said.starts_with(&format!("--again {words}: ")), "{said}"),
                other => panic!("{other:?}"),
            }
        }
    }
}
