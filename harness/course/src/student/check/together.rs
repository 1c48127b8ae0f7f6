//! Tries all parts together: right parts need few processes, and only the others are run in isolation.
use std::collections::HashMap;

use harness::Result;

use super::part_status::Bench;
use crate::{
    assignment::rubric::Part,
    judge::{Swept, Task, sweep},
};

impl Bench<'_> {
    /// Tries `parts` together: all of them at the smallest size, then at the further sizes those before the first that
    /// is not right, or with `every` all right ones.
    ///
    /// # Errors
    /// Why runs cannot be started or read.
    pub fn sweep(&self, parts: &[&Part], every: bool) -> Result<Swept> {
        let Some(first) = parts.first().map(|part| self.task(&part.options, &part.variants).sizes) else {
            return Ok(Swept::default());
        };
        let (smallest, further) = first.split_at(1);
        let mut swept = sweep(&self.tasks(parts.iter().copied()), smallest)?;
        let is_right = |part: &&&Part| swept.is_right(&self.task(&part.options, &part.variants), smallest[0]);
        let all = parts.iter();
        let right: Vec<&Part> =
            if every { all.filter(is_right).copied().collect() } else { all.take_while(is_right).copied().collect() };
        let more = sweep(&self.tasks(right.into_iter()), further)?;
        swept.extend(more);
        Ok(swept)
    }

    /// One task for all variants of those parts that run with the same options.
    fn tasks<'p>(&self, parts: impl Iterator<Item = &'p Part>) -> Vec<Task> {
        let mut groups: HashMap<&[String], Vec<String>> = HashMap::new();
        for part in parts {
            groups.entry(&part.options).or_default().extend_from_slice(&part.variants);
        }
        groups.into_iter().map(|(options, variants)| self.task(options, &variants)).collect()
    }
}
