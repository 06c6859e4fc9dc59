//! How an English verb stands: in time, negated or not.

use crate::llm::embedded::statement::When;

/// How the verb stands.
#[derive(Clone, Copy)]
pub struct Mood {
    pub when: When,
    pub negated: bool,
    pub never: bool,
    /// By "no longer" or "anymore".
    pub ended: bool,
    /// "Am living", "have lived": a past form that holds now.
    pub perfect: bool,
}

/// The sentence for the mood; `not` stands for the negation of now.
pub fn phrase(mood: Mood, now: &str, not: &str, past: &str, object: &str) -> String {
    match (mood.when, mood.negated) {
        (When::Past, _) => format!("{past} {object}."),
        (_, true) => match not.strip_prefix("Is not") {
            Some(rest) if mood.ended => format!("Is no longer{rest} {object}."),
            _ => format!("{not} {object}."),
        },
        _ => format!("{now} {object}."),
    }
}
