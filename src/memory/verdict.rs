//! What the code decides about a proposal, with a reason that a trace can show.

use super::assertion::Mood;
use super::category::Category;
use super::cover::Gap;
use super::directive::Directive;
use super::model::Candidate;
use super::policy::Secret;
use super::stance::Turn;

/// What becomes of a proposal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It may go on to reconciliation.
    Keep(Candidate),
    /// It waits for the user, who sees why.
    Hold(Candidate, Reason),
    Refuse(Reason),
}

impl Verdict {
    pub fn reason(&self) -> Option<&Reason> {
        match self {
            Self::Keep(_) => None,
            Self::Hold(_, reason) | Self::Refuse(reason) => Some(reason),
        }
    }

    pub fn candidate(&self) -> Option<&Candidate> {
        match self {
            Self::Keep(candidate) | Self::Hold(candidate, _) => Some(candidate),
            Self::Refuse(_) => None,
        }
    }
}

/// Why a proposal was held or refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// No text, or nothing but marks.
    Empty,
    TooLong,
    /// More than one sentence: one fact is one sentence.
    SeveralSentences,
    UnknownMessage,
    /// The message named is the assistant's.
    NotUser,
    /// The quote doesn't occur in the message.
    NoQuote,
    /// The sentence asks memory to remember, forget or list, which is done at once and not extracted.
    MemoryRequest,
    /// What is quoted is no assertion.
    NotAsserted(Mood),
    /// It is spoken in a part of a play that an earlier message opened.
    Played,
    /// The text has what the quote hasn't.
    NotCovered(Gap),
    /// The text isn't in the language of the message.
    WrongLanguage,
    /// The text is about the assistant, or reports what the user does in this talk.
    NotAboutUser,
    Secret(Secret),
    /// The user forbade the category.
    Forbidden(Category),
    /// Sensitive, and the setting asks to hold or refuse such facts.
    Sensitive(Category),
    Directive(Directive),
    /// A model may only propose to forget.
    ForgetProposed,
}

impl Reason {
    /// The stable word of traces.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::TooLong => "too_long",
            Self::SeveralSentences => "several_sentences",
            Self::UnknownMessage => "unknown_message",
            Self::NotUser => "not_user",
            Self::NoQuote => "no_quote",
            Self::MemoryRequest => "memory_request",
            Self::NotAsserted(Mood::Asks) => "question",
            Self::NotAsserted(Mood::Supposes) => "hypothetical",
            Self::NotAsserted(Mood::Undecided) => "undecided",
            Self::NotAsserted(Mood::Requests | Mood::Prefers) => "request",
            Self::NotAsserted(Mood::Recaps) => "recap_request",
            Self::NotAsserted(Mood::Cites) => "citation",
            Self::NotAsserted(Mood::Jokes) => "joke",
            Self::NotAsserted(Mood::Greets | Mood::Asserts) => "greeting",
            Self::Played => "in_a_role",
            Self::NotCovered(Gap::Number(_)) => "number_not_quoted",
            Self::NotCovered(Gap::Word(_)) => "word_not_quoted",
            Self::NotCovered(Gap::Turned(Turn::Polarity)) => "polarity",
            Self::NotCovered(Gap::Turned(Turn::Tense)) => "tense",
            Self::NotCovered(Gap::Turned(Turn::Modality)) => "modality",
            Self::NotCovered(Gap::Retold) => "retold",
            Self::NotCovered(Gap::Subject(_)) => "subject",
            Self::NotCovered(Gap::Rearranged) => "rearranged",
            Self::WrongLanguage => "wrong_language",
            Self::NotAboutUser => "not_about_user",
            Self::Secret(_) => "secret",
            Self::Forbidden(_) => "forbidden_category",
            Self::Sensitive(_) => "sensitive_category",
            Self::Directive(_) => "directive",
            Self::ForgetProposed => "forget_proposed",
        }
    }

    /// What in particular, in one word; never the user's text.
    pub fn detail(&self) -> Option<&'static str> {
        match self {
            Self::Secret(secret) => Some(secret.as_str()),
            Self::Forbidden(category) | Self::Sensitive(category) => Some(category.as_str()),
            Self::Directive(directive) => Some(directive.as_str()),
            _ => None,
        }
    }
}
