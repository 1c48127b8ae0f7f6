//! Tries all exercises together: right exercises need few processes, and only the others are run in isolation.
use std::collections::HashMap;

use harness::Result;

use super::exercise_status::Bench;
use crate::{
    assignment::rubric::Exercise,
    judge::{JudgeRequest, run::SharedOutcomes},
};

impl Bench<'_> {
    /// Tries `exercises` together: all of them at the smallest size, then at the further sizes those before the first
    /// that is not right, or with `every` all right ones.
    ///
    /// # Errors
    /// Why runs cannot be started or read.
    pub fn together(&self, exercises: &[&Exercise], every: bool) -> Result<SharedOutcomes> {
        let Some(first) = exercises.first().map(|exercise| self.request(&exercise.options, &exercise.variants).sizes)
        else {
            return Ok(SharedOutcomes::default());
        };
        let (smallest, further) = first.split_at(1);
        let mut shared = self.runner.together(&self.requests(exercises.iter().copied()), smallest)?;
        let is_right =
            |exercise: &&&Exercise| shared.is_right(&self.request(&exercise.options, &exercise.variants), smallest[0]);
        let all = exercises.iter();
        let right: Vec<&Exercise> =
            if every { all.filter(is_right).copied().collect() } else { all.take_while(is_right).copied().collect() };
        let more = self.runner.together(&self.requests(right.into_iter()), further)?;
        shared.extend(more);
        Ok(shared)
    }

    /// One request for all variants of those exercises that run with the same options.
    fn requests<'p>(&self, exercises: impl Iterator<Item = &'p Exercise>) -> Vec<JudgeRequest> {
        let mut groups: HashMap<&[String], Vec<String>> = HashMap::new();
        for exercise in exercises {
            groups.entry(&exercise.options).or_default().extend_from_slice(&exercise.variants);
        }
        groups.into_iter().map(|(options, variants)| self.request(options, &variants)).collect()
    }
}
