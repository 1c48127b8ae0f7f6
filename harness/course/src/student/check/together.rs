//! Tries all parts together: right parts need few processes, and only the others are run in isolation.
use std::collections::HashMap;

use harness::Result;

use super::part_status::Bench;
use crate::{
    assignment::rubric::Part,
    judge::{JudgeRequest, run::SharedOutcomes},
};

impl Bench<'_> {
    /// Tries `parts` together: all of them at the smallest size, then at the further sizes those before the first that
    /// is not right, or with `every` all right ones.
    ///
    /// # Errors
    /// Why runs cannot be started or read.
    pub fn together(&self, parts: &[&Part], every: bool) -> Result<SharedOutcomes> {
        let Some(first) = parts.first().map(|part| self.request(&part.options, &part.variants).sizes) else {
            return Ok(SharedOutcomes::default());
        };
        let (smallest, further) = first.split_at(1);
        let mut shared = self.runner.together(&self.requests(parts.iter().copied()), smallest)?;
        let is_right = |part: &&&Part| shared.is_right(&self.request(&part.options, &part.variants), smallest[0]);
        let all = parts.iter();
        let right: Vec<&Part> =
            if every { all.filter(is_right).copied().collect() } else { all.take_while(is_right).copied().collect() };
        let more = self.runner.together(&self.requests(right.into_iter()), further)?;
        shared.extend(more);
        Ok(shared)
    }

    /// One request for all variants of those parts that run with the same options.
    fn requests<'p>(&self, parts: impl Iterator<Item = &'p Part>) -> Vec<JudgeRequest> {
        let mut groups: HashMap<&[String], Vec<String>> = HashMap::new();
        for part in parts {
            groups.entry(&part.options).or_default().extend_from_slice(&part.variants);
        }
        groups.into_iter().map(|(options, variants)| self.request(options, &variants)).collect()
    }
}
