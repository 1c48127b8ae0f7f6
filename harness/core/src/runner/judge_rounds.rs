//! Judge rounds: a judged lab runs several times in one process, each time with another seed and other options. The
//! modules stay loaded meanwhile. A kernel that keeps an answer, and returns it again for other inputs, is then
//! detected.
//!
//! The rounds of a case make one row. Counters, notes and the lab's own columns are those of the first round.
use clap::{ArgMatches, Command, FromArgMatches};

use crate::{
    error::{Error, Result},
    lab::{
        case::Case,
        row::Variant,
        run::{CaseRunner, Run},
    },
    measure::case_result::CaseAccumulator,
    options::common::{LabOptions, Options},
    runner::cases::Cases,
};

/// The seed and options of a later round.
#[derive(Debug)]
pub(crate) struct JudgeRound {
    seed: u64,
    blocks: Option<u32>,
    threads: Option<u32>,
    args: ArgMatches,
}

impl JudgeRound {
    /// Parses the value of `--again` for one round: a JSON array with the words of a command line of `lab`.
    ///
    /// # Errors
    /// [`Error::Usage`] when the lab has no such options.
    fn parse(lab: &Command, words: &str) -> Result<Self> {
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
pub(crate) fn run(run: &mut Run, cases: &Cases, lab: &Command, body: impl Fn(&Run) -> Result<()>) -> Result<()> {
    let again: Vec<JudgeRound> =
        run.options().again.iter().map(|words| JudgeRound::parse(lab, words)).collect::<Result<_>>()?;
    if again.is_empty() {
        return body(run);
    }
    let first = run.options.clone();
    let before = cases.records().len();
    cases.begin_rounds();
    let mut result = body(run);
    for JudgeRound { seed, blocks, threads, args } in again {
        if result.is_err() || cases.lost().is_some() {
            break;
        }
        run.options = LabOptions { common: Options { blocks, threads, seed, ..first.common.clone() }, own: args };
        cases.begin_round(before);
        // Buffers that a lab allocates for several cases have the addresses of the round before too.
        if run.is_emulated() {
            run.session.give_back_freed();
        }
        result = body(run);
    }
    run.options = first;
    // The results before an error count as well.
    for held in cases.end_rounds(before) {
        cases.finish(run, cases.judged(run, held.variant, held.passes))?;
    }
    result
}

/// The rounds so far.
#[derive(Debug)]
pub(crate) struct JudgeRounds {
    /// The number of this round; the first one is 1.
    pub(crate) number: u64,
    /// The number of cases in this round so far.
    had: usize,
    held: Vec<HeldCase>,
}

/// A case between two rounds.
#[derive(Debug)]
pub(crate) struct HeldCase {
    pub(crate) variant: &'static Variant,
    /// The case in its first round: random options may change its label.
    case: Case,
    pub(crate) passes: CaseAccumulator,
}

impl JudgeRounds {
    /// Returns the first round, before its first case.
    pub(crate) fn first() -> Self {
        Self { number: 1, had: 0, held: Vec::new() }
    }

    /// Begins the next round.
    pub(crate) fn begin(&mut self) {
        self.number += 1;
        self.had = 0;
    }

    /// Returns all cases, in order.
    pub(crate) fn into_held(self) -> Vec<HeldCase> {
        self.held
    }

    /// Returns the state of the next case in this round, if an earlier round had it. The order of cases is the same in
    /// all rounds.
    pub(crate) fn next(&self, variant: &Variant) -> Option<(Case, CaseAccumulator)> {
        let held = self.held.get(self.had).filter(|held| held.variant.name == variant.name);
        held.map(|held| (held.case.clone(), held.passes.clone()))
    }

    /// Keeps the state of a case until the next round.
    pub(crate) fn hold(&mut self, variant: &'static Variant, case: Case, passes: CaseAccumulator) {
        let held = HeldCase { variant, case, passes };
        match self.held.get_mut(self.had) {
            Some(known) if known.variant.name == variant.name => *known = held,
            _ => self.held.insert(self.had, held),
        }
        self.had += 1;
    }
}

#[cfg(test)]
mod tests {
    use clap::{Arg, Args};

    use super::*;
    use crate::lab::row::Expect;
    use record::Record;

    fn lab() -> Command {
        Options::augment_args(Command::new("lab")).arg(Arg::new("x").long("x").allow_hyphen_values(true))
    }

    #[test]
    fn a_round_has_the_seed_and_the_options_of_its_words() {
        let round = JudgeRound::parse(&lab(), r#"["--seed", "7", "--x=-3", "--blocks", "2"]"#).unwrap();
        assert_eq!((round.seed, round.blocks, round.threads), (7, Some(2), None));
        assert_eq!(round.args.get_one::<String>("x").unwrap(), "-3");
    }

    #[test]
    fn words_that_are_none_are_refused_with_the_option() {
        for words in ["--seed 7", r#"["--y=3"]"#, r#"["--seed", "many"]"#] {
            match JudgeRound::parse(&lab(), words) {
                Err(Error::Usage(said)) => assert!(said.starts_with(&format!("--again {words}: ")), "{said}"),
                other => panic!("{other:?}"),
            }
        }
    }

    const fn variant(name: &'static str) -> Variant {
        Variant { name, summary: "", expect: Expect::Right, own_process: false }
    }
    static A: Variant = variant("a");
    static B: Variant = variant("b");

    #[test]
    fn a_case_goes_on_where_the_round_before_left_it() {
        let passes = |case: &str| CaseAccumulator::new(Record { case: case.into(), ..Record::default() });
        let mut rounds = JudgeRounds::first();
        for (variant, case) in [(&A, "32 rows"), (&A, "64 rows"), (&B, "")] {
            assert!(rounds.next(variant).is_none());
            rounds.hold(variant, Case::new(variant.name).label(case), passes(case));
        }
        rounds.begin();
        assert_eq!(rounds.number, 2);
        // Random options change labels, but not the order.
        for (variant, case) in [(&A, "32 rows"), (&A, "64 rows"), (&B, "")] {
            let (known, passes) = rounds.next(variant).unwrap();
            assert_eq!(known.key(), Case::new(variant.name).label(case).key());
            rounds.hold(variant, known, passes);
        }
        assert!(rounds.next(&B).is_none());
        rounds.begin();
        assert!(rounds.next(&B).is_none(), "another variant's case");
        let cases: Vec<String> = rounds.into_held().into_iter().map(|held| held.passes.record.case).collect();
        assert_eq!(cases, ["32 rows", "64 rows", ""]);
    }
}
