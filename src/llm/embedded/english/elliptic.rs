//! English sentences that leave their subject out: "Born in Leeds", "dentist on Thursday at 3", "Tom here".
//!
//! Only forms that can't be an order and can't be said of anybody else.

use super::Scope;
use super::name::name;
use super::plan::bare_appointment;
use super::predicate;
use super::token::{Word, after_adverbs};
use super::words::{Form, TRAITS, is_given_name, verb};
use crate::llm::embedded::statement::{Slot, Statement};
use crate::words;

pub fn read(scope: &Scope, body: &[Word]) -> Vec<Statement> {
    let (rest, negated, _) = after_adverbs(body);
    let Some(first) = rest.first() else { return Vec::new() };
    let low = first.low.as_str();
    let next = rest.get(1).map_or("", |w| w.low.as_str());
    if next == "here" && rest.len() == 2 {
        let is_name = is_given_name(low) || scope.greeted && first.raw.starts_with(char::is_uppercase);
        return if is_name { name(&rest[..1], Slot::Name) } else { Vec::new() };
    }
    let is_state = words!["born", "allergic", "based", "married", "divorced"].contains(low)
        || TRAITS.contains(low) && matches!(next, "for" | "since");
    let form = verb(low).map(|(_, form)| form);
    let is_past = form == Some(Form::Past) && !negated && low != "moved";
    let is_lasting = low == "been" && verb(next).is_some_and(|(_, form)| form == Form::Ing);
    // "Learning German has been tough" is said of learning.
    let is_subject = rest.iter().skip(1).any(|w| {
        words!["is", "was", "has", "can", "will", "takes", "helps", "makes", "does"].contains(w.low.as_str())
    });
    let is_under_way =
        form == Some(Form::Ing) && !is_subject || is_state || rest.len() < body.len() && negated;
    let with = |auxiliary: &str| {
        let word =
            Word { raw: "", low: auxiliary.to_owned(), start: first.start, end: first.start, pause: false };
        predicate::read(scope, &[std::slice::from_ref(&word), body].concat())
    };
    if is_lasting {
        with("have")
    } else if is_under_way {
        with("am")
    } else if is_past {
        predicate::read(scope, body)
    } else {
        bare_appointment(scope, rest)
    }
}
