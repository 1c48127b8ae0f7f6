//! All parts at once: what is right needs few processes, and only what is not is looked at alone.
use std::collections::HashMap;

use harness::Result;

use super::standing::Bench;
use crate::{
    assignment::rubric::Part,
    judge::{Swept, Task, sweep},
};

impl Bench<'_> {
    /// Tries `parts` together: all of them at the smallest size, and those before the first that is not right there, or
    /// with `every` all others, at the further sizes.
    ///
    /// # Errors
    /// What keeps runs from starting or being read.
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

    /// A task for all variants of these parts that run with the same options.
    fn tasks<'p>(&self, parts: impl Iterator<Item = &'p Part>) -> Vec<Task> {
        let mut groups: HashMap<&[String], Vec<String>> = HashMap::new();
        for part in parts {
            groups.entry(&part.options).or_default().extend_from_slice(&part.variants);
        }
        groups.into_iter().map(|(options, variants)| self.task(options, &variants)).collect()
    }
}
