//! Orders whose halves stand apart: in one message, or in two in a row.

use std::ops::Range;

use super::directive::{Directive, directive};
use super::extract::Said;
use crate::llm::Role;

/// A directive of which the quoted words are only a half: the other stands beside them, in this message or the next.
pub(super) fn divided_directive(message: &Said, spanned: &Range<usize>, said: &[Said]) -> Option<Directive> {
    let own = message.text.get(spanned.clone())?.trim();
    let at = said.iter().position(|other| other.message == message.message);
    let neighbour = |offset: isize| {
        let other = said.get(at?.checked_add_signed(offset)?)?;
        (other.role != Role::Assistant).then_some(other.text.as_str())
    };
    let within = |part: Option<&'_ str>| {
        part.map(str::trim).filter(|part| part.chars().any(char::is_alphanumeric)).map(str::to_owned)
    };
    let before = within(message.text.get(..spanned.start)).or_else(|| neighbour(-1).map(str::to_owned));
    let after = within(message.text.get(spanned.end..)).or_else(|| neighbour(1).map(str::to_owned));
    let joined = |first: &str, second: &str| {
        [" ", ""].iter().find_map(|link| directive(&format!("{first}{link}{second}")))
    };
    // An order that a neighbour gives by itself makes nothing of these words, unless it begins or ends where they meet.
    let before = before.and_then(|before| {
        let near = tail(&before);
        let apart = near
            .char_indices()
            .rev()
            .nth(BORDER_CHARS)
            .and_then(|(at, _)| near.get(..at))
            .unwrap_or_default();
        // A sentence that ended says all it had to say.
        let is_ended = near.ends_with(['。', '！', '!', '.']) && directive(near).is_some();
        joined(near, own).filter(|found| directive(apart) != Some(*found) && !is_ended)
    });
    before.or_else(|| {
        let after = after?;
        let near = head(&after);
        let apart =
            near.char_indices().nth(BORDER_CHARS).and_then(|(at, _)| near.get(at..)).unwrap_or_default();
        joined(own, near).filter(|found| directive(apart) != Some(*found))
    })
}

/// So much of a neighbour counts to the border.
const BORDER_CHARS: usize = 10;
/// How much of a neighbour is looked at: the halves of an order stand close together.
const NEAR_BYTES: usize = 240;

fn head(text: &str) -> &str {
    crate::text::prefix(text, NEAR_BYTES)
}

fn tail(text: &str) -> &str {
    let start = (text.len().saturating_sub(NEAR_BYTES)..=text.len())
        .find(|&at| text.is_char_boundary(at))
        .unwrap_or(0);
    text.get(start..).unwrap_or_default()
}
