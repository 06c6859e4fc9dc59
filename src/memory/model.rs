//! What a fact is.

use crate::id::{FactId, MessageId, ThreadId, TurnId};
use crate::time::Millis;

/// An enumeration whose variants are words of the wire and of storage.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$about:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $name { $($(#[$about])* $variant),+ }

        impl $name {
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            /// The word of the wire and of storage.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }

            pub fn parse(word: &str) -> Option<Self> {
                match word { $($word => Some(Self::$variant),)+ _ => None }
            }
        }
    };
}

pub(crate) use words;

words!(
    /// What a fact is about.
    Kind {
        Identity = "identity",
        Preference = "preference",
        Relationship = "relationship",
        Place = "place",
        Work = "work",
        Health = "health",
        Plan = "plan",
        Event = "event",
        Decision = "decision",
        Other = "other",
    }
);

words!(
    /// Whether a fact holds now, held once, or awaits the user's approval.
    Status { Current = "current", Past = "past", Held = "held" }
);

words!(
    /// What happened to a fact.
    Op {
        Added = "added",
        Confirmed = "confirmed",
        Superseded = "superseded",
        Forgotten = "forgotten",
        Held = "held",
        Edited = "edited",
        Undone = "undone",
    }
);

/// Where a fact may be recalled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scope {
    Global,
    Thread(ThreadId),
}

impl Scope {
    /// `global` or `thread:ID`.
    pub fn to_word(&self) -> String {
        match self {
            Self::Global => "global".to_owned(),
            Self::Thread(thread) => format!("thread:{thread}"),
        }
    }

    pub fn parse(word: &str) -> Option<Self> {
        match word.strip_prefix("thread:") {
            Some(id) => ThreadId::parse(id).map(Self::Thread),
            None => (word == "global").then_some(Self::Global),
        }
    }

    /// Whether a fact of this scope may be given to an answer in `thread`.
    pub fn reaches(&self, thread: &ThreadId) -> bool {
        match self {
            Self::Global => true,
            Self::Thread(own) => own == thread,
        }
    }
}

/// What the user said that a fact rests on. A fact added by hand rests on no message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    pub message: Option<MessageId>,
    pub thread: Option<ThreadId>,
    /// The user's own words, verbatim.
    pub quote: String,
    pub said_at: Millis,
}

/// One short dated sentence about the user.
///
/// Dates of validity are ISO 8601 and as precise as what was said: `2015`, `2015-04` or `2015-04-01`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    pub id: FactId,
    pub text: String,
    pub kind: Kind,
    pub scope: Scope,
    pub status: Status,
    pub pinned: bool,
    /// The user changed its text by hand; extraction may flag it but not change it.
    pub edited: bool,
    /// When it was last said or confirmed.
    pub observed_at: Millis,
    pub valid_from: Option<String>,
    pub valid_until: Option<String>,
    pub supersedes: Vec<FactId>,
    pub superseded_by: Option<FactId>,
    pub source: Source,
    pub turn: Option<TurnId>,
    pub created_at: Millis,
    pub updated_at: Millis,
    /// Counts every change, so that a late mirror write can't undo a newer one.
    pub version: u32,
}

impl Fact {
    /// A fact as it begins: current, true everywhere, of no particular kind, without dates, said at `at` in the words
    /// of its text.
    pub fn new(id: FactId, text: &str, at: Millis) -> Self {
        Self {
            id,
            text: text.to_owned(),
            kind: Kind::Other,
            scope: Scope::Global,
            status: Status::Current,
            pinned: false,
            edited: false,
            observed_at: at,
            valid_from: None,
            valid_until: None,
            supersedes: Vec::new(),
            superseded_by: None,
            source: Source { message: None, thread: None, quote: text.to_owned(), said_at: at },
            turn: None,
            created_at: at,
            updated_at: at,
            version: 1,
        }
    }

    /// Whether `valid_from` is when it takes place: plans and events have a date, states a beginning.
    pub fn takes_place(&self) -> bool {
        matches!(self.kind, Kind::Plan | Kind::Event) && self.valid_until.is_none()
    }
}

/// A fact that passed the checks but isn't stored yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    pub text: String,
    pub kind: Kind,
    pub scope: Scope,
    /// The message that says it.
    pub message: MessageId,
    pub quote: String,
    pub said_at: Millis,
    pub valid_from: Option<String>,
    pub valid_until: Option<String>,
}

impl Candidate {
    /// What a message says at `at` in the words of `text`: true everywhere, of no particular kind, without dates.
    pub fn new(message: MessageId, text: &str, at: Millis) -> Self {
        Self {
            text: text.to_owned(),
            kind: Kind::Other,
            scope: Scope::Global,
            message,
            quote: text.to_owned(),
            said_at: at,
            valid_from: None,
            valid_until: None,
        }
    }
}
