//! What a sentence says about the user, as an attribute and a value that can be compared.
//!
//! Both the user's clauses and stored fact texts are read into it, so that "I moved to Kobe" meets "Lives in
//! Osaka." as the same attribute. A sentence of no known attribute gives nothing.

use std::ops::Range;

use crate::calendar::Date;

use super::{english, japanese};
use crate::memory::model::Kind;
use crate::text::language::{Language, language};
use crate::words;

/// Which attribute of the user a statement is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Slot {
    Name,
    Nickname,
    Age,
    Birthday,
    Home,
    /// Where the user is for now.
    Whereabouts,
    Origin,
    Workplace,
    Occupation,
    School,
    /// A like or dislike; `about` is its object.
    Taste,
    /// A favourite; `about` is the class ("colour").
    Favourite,
    Allergy,
    Health,
    /// A family member or friend; `about` is who and what of them.
    Relation,
    Pet,
    Plan,
    Language,
    Possession,
    Habit,
    Decision,
    /// How the user wants to be answered.
    Manner,
    Event,
    /// Another trait or state; `about` names it where it has one value.
    Trait,
    /// Said with "remember that", in the user's words.
    Note,
}

impl Slot {
    pub fn kind(self) -> Kind {
        match self {
            Self::Name | Self::Nickname | Self::Age | Self::Birthday | Self::Language | Self::Trait => {
                Kind::Identity
            }
            Self::Home | Self::Whereabouts | Self::Origin => Kind::Place,
            Self::Workplace | Self::Occupation | Self::School => Kind::Work,
            Self::Taste | Self::Favourite | Self::Manner => Kind::Preference,
            Self::Allergy | Self::Health => Kind::Health,
            Self::Relation | Self::Pet => Kind::Relationship,
            Self::Plan => Kind::Plan,
            Self::Decision => Kind::Decision,
            Self::Event => Kind::Event,
            Self::Possession | Self::Habit | Self::Note => Kind::Other,
        }
    }

    /// Whether a new value for the same `about` replaces the old one.
    fn has_one_value(self) -> bool {
        matches!(
            self,
            Self::Name
                | Self::Nickname
                | Self::Age
                | Self::Birthday
                | Self::Home
                | Self::Whereabouts
                | Self::Origin
                | Self::Workplace
                | Self::Favourite
                | Self::Manner
        )
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    Past,
    Now,
    Ahead,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    pub slot: Slot,
    /// Folded; empty where the attribute needs no object.
    pub about: String,
    /// Folded.
    pub value: String,
    pub negated: bool,
    pub when: When,
    /// A short sentence without a subject, in the language of the source.
    pub text: String,
    pub from: Option<String>,
    pub until: Option<String>,
    /// Whether another value for the same `about` replaces this one although its slot allows several.
    pub single: bool,
}

/// A statement and the bytes of the source that say it, with subject and negation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    pub span: Range<usize>,
    pub statement: Statement,
}

/// How two statements stand to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    Same,
    Changed,
    Contradicts,
    Separate,
}

impl Statement {
    pub fn new(slot: Slot, about: &str, value: &str, text: String) -> Self {
        Self {
            slot,
            about: key(about),
            value: key(value),
            negated: false,
            when: When::Now,
            text,
            from: None,
            until: None,
            single: false,
        }
    }

    #[must_use]
    pub fn negated(mut self, negated: bool) -> Self {
        self.negated = negated;
        self
    }

    #[must_use]
    pub fn when(mut self, when: When) -> Self {
        self.when = when;
        self
    }

    #[must_use]
    pub fn single(mut self) -> Self {
        self.single = true;
        self
    }

    /// How this newer statement stands to an `older` one.
    pub fn against(&self, older: &Self) -> Relation {
        if self.slot != older.slot || self.about != older.about {
            return Relation::Separate;
        }
        let same_value = self.value == older.value;
        if self.when != older.when {
            // "Used to live in Osaka" ends "lives in Osaka"; any other pair of different times can both be true.
            let ended =
                self.when == When::Past && older.when == When::Now && same_value && self.until.is_none();
            return if ended && self.slot.has_one_value() {
                Relation::Contradicts
            } else {
                Relation::Separate
            };
        }
        if same_value {
            let same_dates = self.when == When::Now || (self.from == older.from && self.until == older.until);
            return match (self.negated == older.negated, same_dates) {
                (true, true) => Relation::Same,
                (true, false) => Relation::Separate,
                (false, _) => Relation::Contradicts,
            };
        }
        if self.slot == Slot::Taste {
            return Relation::Contradicts;
        }
        let replaces = self.when == When::Now && (self.slot.has_one_value() || (self.single && older.single));
        if replaces && !self.negated && !older.negated { Relation::Changed } else { Relation::Separate }
    }
}

/// What a message or a sentence says about its speaker. `today` is the speaker's date when it was said.
pub fn read(text: &str, today: Option<Date>) -> Vec<Reading> {
    match language(text) {
        Language::En => english::read(text, today),
        Language::Ja => japanese::read(text, today),
    }
}

/// What a stored fact says; the same grammar, whose subject may be "The user", 「ユーザーは」 or absent.
pub fn read_fact(text: &str) -> Option<Statement> {
    let text = crate::text::prefix(text, 1_200);
    let readings = match language(text) {
        Language::En => english::read_fact(text),
        Language::Ja => japanese::read(text, None),
    };
    readings.into_iter().next().map(|reading| reading.statement)
}

/// The form in which two objects are compared: folded, without an article or closing marks.
pub fn key(text: &str) -> String {
    let folded = crate::text::fold::fold(text);
    let mut rest = folded.trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '+' | '#' | 'ー'));
    for article in words!["a ", "an ", "the ", "my "] {
        rest = rest.strip_prefix(article).unwrap_or(rest);
    }
    rest.to_owned()
}
