//! What is refused or held whatever the user said: secrets, forbidden categories, shapes that are no fact.

use super::assertion::{Mood, clauses};
use super::category::{Category, categories};
use super::directive::directive;
use super::model::Kind;
use super::policy::{Screening, screen_with};
use super::verdict::Reason;
use crate::text::sentences::sentences;

/// What the user's settings demand of every fact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rules {
    pub fact_max_chars: usize,
    /// Categories that are never remembered.
    pub never: Vec<Category>,
    pub sensitive: Sensitive,
    pub screening: Screening,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            fact_max_chars: 300,
            never: Vec::new(),
            sensitive: Sensitive::Keep,
            screening: Screening::default(),
        }
    }
}

/// What happens to health, beliefs and other protected subjects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sensitive {
    #[default]
    Keep,
    Hold,
    Refuse,
}

pub(super) fn shape(text: &str, rules: &Rules) -> Result<(), Reason> {
    if !text.chars().any(char::is_alphanumeric) {
        return Err(Reason::Empty);
    }
    if text.chars().count() > rules.fact_max_chars {
        return Err(Reason::TooLong);
    }
    Ok(())
}

/// One fact is one sentence, and it states something.
pub(super) fn single(text: &str) -> Result<(), Reason> {
    let pieces = sentences(text);
    let ends = |piece: &str| piece.ends_with(['。', '！', '？', '!', '?']) || piece.split(' ').count() > 2;
    if pieces.len() > 1 && pieces.iter().filter(|piece| ends(piece)).count() > 1 {
        return Err(Reason::SeveralSentences);
    }
    match clauses(text).last().map(|clause| clause.mood) {
        Some(mood @ (Mood::Asks | Mood::Greets | Mood::Recaps)) if directive(text).is_none() => {
            Err(Reason::NotAsserted(mood))
        }
        _ => Ok(()),
    }
}

pub(super) fn secret(texts: &[&str], rules: &Rules) -> Result<(), Reason> {
    match texts.iter().find_map(|text| screen_with(text, rules.screening).into_iter().next()) {
        Some(found) => Err(Reason::Secret(found.kind)),
        None => Ok(()),
    }
}

/// Whether the settings let it in: refused, to be held, or free.
pub(super) fn permission(texts: &[&str], kind: Kind, rules: &Rules) -> Result<Option<Reason>, Reason> {
    let found: Vec<Category> = texts.iter().flat_map(|text| categories(text, kind)).collect();
    if let Some(category) = found.iter().find(|category| rules.never.contains(category)) {
        return Err(Reason::Forbidden(*category));
    }
    let sensitive =
        found.iter().find(|category| category.is_sensitive()).map(|category| Reason::Sensitive(*category));
    match (sensitive, rules.sensitive) {
        (Some(reason), Sensitive::Refuse) => Err(reason),
        (Some(reason), Sensitive::Hold) => Ok(Some(reason)),
        _ => Ok(None),
    }
}
