//! Grades one submission of a class, unless its marks are known already.
use std::{collections::BTreeMap, fs, path::Path, time::Instant};

use harness::{DeviceChoice, Error, Result};
use wire::printable::is_hidden;

use super::{
    entry::Entry,
    key, lock, private,
    record::{Record, Store},
    settings::ClassSettings,
    similar,
};
use crate::{
    assignment::rubric::{Exercise, Rubric},
    judge::{
        BaselineCache, Grading,
        marks::marked::{ExerciseMark, Marked},
    },
    submission::{Submission, Unread, Wanted},
};

/// A class whose submissions are graded.
#[derive(Debug)]
pub struct Class {
    /// The lab.
    pub lab: &'static harness::Lab,
    /// The submissions.
    pub entries: Vec<Entry>,
    /// The settings that all submissions share.
    pub settings: ClassSettings,
    /// The rubric.
    pub rubric: Rubric,
    /// The records.
    pub store: Store,
    /// The version of this program: submissions with marks of another version are graded again.
    pub version: String,
    /// Parts that are to be marked again even if nothing has changed.
    pub again: Vec<String>,
}

/// Computes the marks of an opened submission at a path.
type Mark<'a> = &'a dyn Fn(&Grading, &Path, Result<&Submission, &Unread>) -> Result<Marked>;

/// An opened submission.
struct Opened {
    submission: Result<Submission, Unread>,
    /// A hash of its content.
    content: String,
}

impl Class {
    /// The device on which answers are judged.
    ///
    /// # Errors
    /// [`Error::Usage`] when there is no such device.
    pub fn choice(&self) -> Result<DeviceChoice> {
        self.settings.device.parse().map_err(Error::Usage)
    }

    /// Whether a submission must be graded: it has no marks, or something they depend on has changed.
    ///
    /// # Errors
    /// Why it or its record cannot be read.
    pub fn is_due(&self, entry: &Entry) -> Result<bool> {
        if !self.again.is_empty() {
            return Ok(true);
        }
        let Some(record) = self.store.read(entry)? else {
            return Ok(true);
        };
        Ok(match &entry.handed_in {
            Ok(path) => !self.due(Some(&record), &self.open(path)?.content).is_empty(),
            Err(why) => record.problem.as_ref() != Some(why),
        })
    }

    /// The parts of a submission with the hash `content` that are to be marked.
    fn due(&self, record: Option<&Record>, content: &str) -> Vec<Exercise> {
        let is_known = |part: &Exercise| {
            let Some(record) = record else { return false };
            let marked = record.marked.iter().flat_map(|marked| &marked.parts).find(|marked| marked.name == part.name);
            let is_same = record.keys.get(&part.name) == Some(&self.key(part, content));
            is_same && marked.is_some_and(|marked| marked.unjudged.is_none())
        };
        let is_due = |part: &&Exercise| self.again.contains(&part.name) || !is_known(part);
        self.rubric.exercises.iter().filter(is_due).cloned().collect()
    }

    fn key(&self, part: &Exercise, content: &str) -> String {
        key::of_part(part, &self.rubric, &self.settings, content, &self.version)
    }

    /// Grades a submission and stores its record.
    ///
    /// # Errors
    /// Why the record cannot be written, and [`Error::Interrupted`].
    pub fn grade(&self, entry: &Entry) -> Result<()> {
        let _lock = lock::acquire(&self.choice()?)?;
        self.mark(entry, &|grading, path, opened| grading.mark_opened(path, opened, &|_, _| ()))
    }

    /// Records no points for a submission whose grading had to be stopped because of `why`.
    ///
    /// # Errors
    /// As [`Class::grade`].
    pub fn stopped(&self, entry: &Entry, why: &str) -> Result<()> {
        self.mark(entry, &|grading, path, _| Ok(grading.stopped(path, why)))
    }

    /// Marks the parts that are due, and stores the record.
    fn mark(&self, entry: &Entry, mark: Mark) -> Result<()> {
        let known = self.store.read(entry)?;
        let path = match &entry.handed_in {
            Ok(path) => path,
            Err(why) => return self.store.write(entry, &Record { problem: Some(why.clone()), ..Record::new(entry) }),
        };
        let opened = self.open(path)?;
        let due = self.due(known.as_ref(), &opened.content);
        if due.is_empty() {
            return Ok(());
        }
        let started = Instant::now();
        let grading = Grading {
            lab: self.lab,
            rubric: Rubric { exercises: due.clone(), ..self.rubric.clone() },
            choice: self.choice()?,
            seed: Some(self.settings.seed),
            schedules: self.settings.schedules,
            limits: self.settings.limits(),
            limit_total: self.settings.limit_total,
            baseline: BaselineCache::shared(self.store.own()),
        };
        let mut marked = mark(&grading, path, opened.submission.as_ref())?;
        private::without_folders(&mut marked, path.parent().unwrap_or(Path::new("")));
        let earlier = known.filter(|_| due.len() < self.rubric.exercises.len());
        let seconds = earlier.as_ref().map_or(0.0, |known| known.seconds) + started.elapsed().as_secs_f64();
        let marked = self.joined(marked, earlier.and_then(|known| known.marked), &entry.id);
        let mut record = Record { seconds, ..Record::new(entry) };
        let keyed = |part: &Exercise| (part.name.clone(), self.key(part, &opened.content));
        record.keys = self.rubric.exercises.iter().map(keyed).collect();
        if let Ok(submission) = &opened.submission {
            record.lines = lines(&marked, &submission.kernel, &self.rubric.kernel);
            // A file that does not compile is not compared with others.
            let source = harness::replacement(self.lab, &submission.kernel).ok().filter(|_| marked.fault.is_none());
            record.shingles = source.and_then(|source| similar::of_source(&source).ok()).unwrap_or_default();
        }
        record.marked = Some(marked);
        self.store.write(entry, &record)
    }

    /// Merges the marks of the parts marked now with the earlier ones of the others, in the rubric's order.
    fn joined(&self, now: Marked, earlier: Option<Marked>, id: &str) -> Marked {
        let all: Vec<ExerciseMark> =
            now.parts.into_iter().chain(earlier.into_iter().flat_map(|known| known.parts)).collect();
        let of = |part: &Exercise| all.iter().find(|marked| marked.name == part.name).cloned();
        let parts: Vec<ExerciseMark> = self.rubric.exercises.iter().filter_map(of).collect();
        Marked {
            submission: id.into(),
            points: parts.iter().map(|part| part.points).sum(),
            of: parts.iter().map(|part| part.of).sum(),
            parts,
            ..now
        }
    }

    /// Opens a submission.
    fn open(&self, path: &Path) -> Result<Opened> {
        let wanted = Wanted { lab: self.lab.name, kernel: &self.rubric.kernel };
        let submission = Submission::open(path, wanted);
        let content = match &submission {
            Ok(submission) => key::of_files(submission)?,
            Err(Unread::Unfit(words)) => key::of_words(&words.replace(&path.display().to_string(), "")),
            Err(Unread::Machine(_)) => String::new(),
        };
        match submission {
            Err(Unread::Machine(error)) => Err(error),
            submission => Ok(Opened { submission, content }),
        }
    }
}

/// The lines of the kernel file that the marks mention as `FILE:LINE`.
fn lines(marked: &Marked, kernel: &Path, name: &str) -> BTreeMap<u32, String> {
    let text = fs::read(kernel).map_or_else(|_| String::new(), |bytes| kernels::decoded(&bytes));
    let words = marked.parts.iter().flat_map(|part| &part.criteria).map(|criterion| criterion.words.as_str());
    let numbers = words.chain(marked.fault.as_deref()).flat_map(|words| line_numbers(words, name));
    numbers.filter_map(|number| Some((number, code(text.lines().nth(number as usize - 1)?)))).collect()
}

/// The line numbers of file `name` in the words, each at least 1.
pub fn line_numbers<'a>(words: &'a str, name: &'a str) -> impl Iterator<Item = u32> + 'a {
    let after = words.split(name).skip(1);
    let number = |text: &str| {
        let digits = text.strip_prefix([':', '('])?;
        digits.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
    };
    after.filter_map(number).filter(|number| *number > 0)
}

/// Returns a line without its comments, which may contain people's names.
fn code(line: &str) -> String {
    let mut line = line.split("//").next().unwrap_or_default().to_string();
    while let Some(begin) = line.find("/*") {
        let end = line[begin..].find("*/").map_or(line.len(), |end| begin + end + 2);
        line.replace_range(begin..end, "");
    }
    // The end of a comment that began in an earlier line.
    let code = line.rsplit("*/").next().unwrap_or_default();
    code.trim().chars().filter(|c| !is_hidden(*c)).take(160).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_found_in_words() {
        let found = |words: &str| line_numbers(words, "a.cu").collect::<Vec<_>>();
        assert_eq!(found("Race at a.cu:12, and 2 more"), [12]);
        assert_eq!(found("a.cu(7): error: x\na.cu(9): error"), [7, 9]);
        assert!(found("a.cu has no kernel, a.cu:0, b.cu:3").is_empty());
    }

    #[test]
    fn a_line_of_code_has_no_comments() {
        assert_eq!(code("  c[i] = a[i]; // by Ada"), "c[i] = a[i];");
        assert_eq!(code("/* Ada */ c[i] /* x */ = 1; /* Bob"), "c[i]  = 1;");
        assert_eq!(code("by Ada */ c[i] = 1;"), "c[i] = 1;");
    }
}
