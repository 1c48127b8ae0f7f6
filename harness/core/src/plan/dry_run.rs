//! `--dry-run`: prints what would run.
use crate::{
    export::layout::{fitted, paragraphs, width, wrapped},
    lab::row::{Expect, Variant},
    plan::run_plan::{PlannedLab, RunPlan},
};

impl RunPlan<'_> {
    /// Returns what would run, for people: every lab with its variants and what is expected of them, and the sizes as
    /// far as they are known.
    pub(crate) fn text(&self) -> String {
        let mut parts: Vec<String> = self.left_out.iter().map(|why| paragraphs(&format!("Left out: {why}"))).collect();
        if let Some(file) = &self.replaced {
            parts.push(paragraphs(&format!("--kernel {} replaces {}", file.path, file.name)));
        }
        parts.extend(self.labs.iter().map(|planned| self.lab_text(planned)));
        let (variants, labs) = (counted(self.variants(), "variant"), counted(self.labs.len(), "lab"));
        let end = format!(
            "{variants} of {labs} would run; nothing was run or written. A lab makes its cases while it runs, so the number of \
             cases and what the lab chooses itself are not known here."
        );
        parts.push(wrapped(&end, 0));
        parts.join("\n\n")
    }

    fn lab_text(&self, planned: &PlannedLab) -> String {
        let PlannedLab { lab, variants, .. } = planned;
        let mut lines = vec![wrapped(&format!("{}: {}", lab.name, lab.summary), 2)];
        lines.push(wrapped(&format!("  {}", self.sizes(planned)), 4));
        if lab.has_exercises() {
            let exercises = match (planned.has_experiment, planned.has_exercises) {
                (true, true) => "the experiment, then the exercises",
                (true, false) => "the experiment, without the exercises",
                (false, _) => "the exercises only",
            };
            lines.push(wrapped(&format!("  Runs {exercises}"), 4));
        }
        lines.extend(planned.remarks.iter().map(|remark| wrapped(&format!("  {remark}"), 4)));
        let row = |variant: &&Variant| vec![variant.name.to_string(), self.expectation(variant)];
        let rows: Vec<Vec<String>> = variants.iter().map(row).collect();
        lines.push(fitted(&["variant", "expected"], &rows, &[], width()));
        lines.join("\n")
    }

    /// Returns the sizes of a lab's cases, as far as the command line gives them.
    fn sizes(&self, planned: &PlannedLab) -> String {
        let options = &self.options;
        let sizes = [
            ("n", options.n.map(|n| n as u64)),
            ("blocks", options.blocks.map(u64::from)),
            ("threads", options.threads.map(u64::from)),
        ];
        let is_used = |name: &str| planned.variants.iter().any(|variant| planned.lab.takes(name, variant.name));
        let known = |(name, given): (&str, Option<u64>)| match given {
            Some(value) => format!("{name}: {value}"),
            None if is_used(name) => format!("{name}: chosen by the lab"),
            None => format!("{name}: fixed"),
        };
        let cases = Some(format!("cases: {}", options.cases.join(", "))).filter(|_| !options.cases.is_empty());
        sizes.map(known).into_iter().chain(cases).collect::<Vec<_>>().join("; ")
    }

    /// Returns what is expected of a variant.
    fn expectation(&self, variant: &Variant) -> String {
        match variant.expected(self.replaced.is_some()) {
            Expect::Right => "right".into(),
            Expect::Wrong(mistake) => format!("wrong on purpose: {mistake}"),
            Expect::Racy(mistake) | Expect::Planted(mistake) => {
                format!("wrong on purpose, or right by luck: {mistake}")
            }
        }
    }
}

/// Returns a number with its noun.
fn counted(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}
