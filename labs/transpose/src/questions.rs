//! Questions that arithmetic answers.
use harness::Question;

/// The questions.
pub(crate) fn all() -> Vec<Question> {
    Vec::new()
}
