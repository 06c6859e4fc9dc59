//! The single statements of a message: a subject, a verb and what belongs to them.
//!
//! A fact says one thing, and all of it must stand in one statement. Words that are gathered from several make a fact
//! that nobody said: 「ベスパ売って自転車買った」 holds every word of 「自転車を売った」. Invariant: units lie in order within
//! the message and on character borders; a unit that leaves its subject out carries the one of its sentence.

use std::ops::Range;

use super::assertion::{Clause, Mood};
use super::{units_en, units_ja};
use crate::text::language::{Language, language};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Unit {
    /// The bytes of the message.
    pub range: Range<usize>,
    /// Whom it is about, where that was said before it in the same sentence.
    pub topic: Option<Range<usize>>,
    pub sentence: usize,
    /// What an "it" or "one" of it may stand for: what the statement before it says behind its verb.
    pub referent: Option<Range<usize>>,
}

impl Unit {
    /// The statement in full, its subject first.
    pub fn words(&self, message: &str) -> String {
        let own = message.get(self.range.clone()).unwrap_or_default().trim();
        match self.topic.clone().and_then(|topic| message.get(topic)) {
            Some(topic) if language(own) == Language::En => format!("{} {own}", topic.trim()),
            Some(topic) => format!("{}{own}", topic.trim()),
            None => own.to_owned(),
        }
    }

    /// From the subject to the end.
    pub fn span(&self) -> Range<usize> {
        self.topic.as_ref().map_or(self.range.start, |topic| topic.start.min(self.range.start))
            ..self.range.end
    }
}

/// A piece of a clause, as the grammars of the two languages find it. Offsets are those of the clause.
pub(super) struct Piece {
    pub range: Range<usize>,
    pub subject: Subject,
    /// What its verb is said of or done to.
    pub object: Option<Range<usize>>,
}

/// How a piece tells whom it is about.
pub(super) enum Subject {
    /// By itself; later pieces may leave it out.
    Own(Range<usize>),
    /// As the piece before it does.
    Carried,
}

/// The units of all asserting clauses, in order. A subject carries over from clauses that assert nothing, too.
pub(super) fn units(message: &str, clauses: &[Clause]) -> Vec<Unit> {
    let mut found: Vec<Unit> = Vec::new();
    let mut topic: Option<Range<usize>> = None;
    let mut referent: Option<Range<usize>> = None;
    let mut sentence = usize::MAX;
    for clause in clauses {
        if clause.sentence != sentence {
            (topic, referent, sentence) = (None, None, clause.sentence);
        }
        let text = message.get(clause.range.clone()).unwrap_or_default();
        let pieces = match language(text) {
            Language::En => units_en::pieces(text),
            Language::Ja => units_ja::pieces(text),
        };
        let place = |part: &Range<usize>| clause.range.start + part.start..clause.range.start + part.end;
        for piece in pieces {
            let carried = match &piece.subject {
                Subject::Own(own) => {
                    topic = Some(place(own));
                    // What a "who" belongs to stands before it.
                    topic.clone().filter(|_| own.end <= piece.range.start)
                }
                Subject::Carried => topic.clone(),
            };
            let object = piece.object.as_ref().map(place);
            if matches!(clause.mood, Mood::Asserts | Mood::Prefers) {
                found.push(Unit {
                    range: place(&piece.range),
                    topic: carried,
                    sentence,
                    referent: referent.clone(),
                });
            }
            referent = object.or(referent);
        }
    }
    found
}

/// The statements of a fact's text, each with its subject.
pub(super) fn statements(text: &str) -> Vec<String> {
    let whole = Clause { range: 0..text.len(), sentence: 0, mood: Mood::Asserts };
    let found = units(text, &[whole]);
    if found.len() < 2 {
        return vec![text.to_owned()];
    }
    found.iter().map(|unit| unit.words(text)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::assertion::clauses;
    use proptest::prelude::*;

    fn shown(message: &str) -> Vec<String> {
        units(message, &clauses(message)).iter().map(|unit| unit.words(message)).collect()
    }

    #[test]
    fn every_statement_stands_by_itself_with_its_subject() {
        for (message, want) in [
            ("I live in Osaka.", vec!["I live in Osaka."]),
            (
                "I sold the Vespa, bought an e-bike instead",
                vec!["I sold the Vespa,", "I bought an e-bike instead"],
            ),
            (
                "My niece is turning twelve and loves axolotls",
                vec!["My niece is turning twelve", "My niece and loves axolotls"],
            ),
            ("I have two cats, Momo and Kuro.", vec!["I have two cats, Momo and Kuro."]),
            ("I like hiking, swimming and tea", vec!["I like hiking, swimming and tea"]),
            (
                "I visited my friend Ana who lives in Bonn",
                vec!["I visited my friend Ana", "my friend Ana who lives in Bonn"],
            ),
            ("ベスパ売って電動自転車買った", vec!["ベスパ売って", "電動自転車買った"]),
            ("先週、京都に引っ越しました", vec!["先週、京都に引っ越しました"]),
            ("母は70歳ですが、毎朝泳いでいます", vec!["母は70歳ですが、", "母は毎朝泳いでいます"]),
            ("看護師じゃなくて助産師です", vec!["看護師じゃなくて", "助産師です"]),
        ] {
            assert_eq!(shown(message), want, "{message}");
        }
    }

    proptest! {
        #[test]
        fn units_lie_in_order_within_any_message(
            message in "(I |my |who |and |, |lives |猫|は|売って|、|じゃなくて|です|。|[a-z ñ猫あ]{1,4}){0,14}"
        ) {
            let mut end = 0;
            for unit in units(&message, &clauses(&message)) {
                prop_assert!(unit.range.start >= end && message.get(unit.span()).is_some());
                prop_assert!(unit.referent.clone().is_none_or(|part| message.get(part).is_some()));
                let _ = unit.words(&message);
                end = unit.range.end;
            }
        }
    }
}
