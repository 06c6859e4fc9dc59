//! Reading what was said elsewhere: exports of Kioku, ChatGPT and Claude, and messages as lines.
//!
//! Invariant: a file is read in pieces of bounded size, whatever its size and wherever its chunks end, and the same
//! file always gives the same ids, so that reading it again adds nothing. A piece that can't be read is named by its
//! line and costs nothing but itself. Deliberately absent: any trust; roles, times and texts are checked here, and
//! what they may do to memory is decided where everything else is.

mod chatgpt;
mod claude;
mod kioku;
mod messages;
mod reader;
mod scan;

use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::id::{MessageId, ThreadId};
use crate::llm::Role;
use crate::memory::model::Fact;
use crate::text::shows_nothing;
use crate::time::Millis;

pub use reader::Reader;

/// Longest text of one message, in bytes: a row of the object takes 2 MB, and it is there twice, once indexed.
pub const MAX_TEXT_BYTES: usize = 256 * 1024;
/// Longest id of another system, in bytes.
const MAX_EXTERNAL_ID_BYTES: usize = 200;
/// A title longer than this is cut.
const MAX_TITLE_CHARS: usize = 200;

/// Something that was read, and where it begins.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// From 1.
    pub line: u64,
    /// Which entry of its list it is, from 1; `None` where lines are the entries.
    pub item: Option<u64>,
    pub read: Read,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Read {
    Conversation(Conversation),
    Fact(Box<Fact>),
    /// What an export of Kioku says of a thread besides its messages.
    Thread(Thread),
    /// Nothing that is kept: a system message, a tool's output, an empty text.
    Skipped,
    /// A piece that can't be used.
    Broken(Reason),
}

/// Messages of one thread, in the order in which they were said.
#[derive(Clone, Debug, PartialEq)]
pub struct Conversation {
    pub thread: ThreadId,
    /// Empty where it has none.
    pub title: String,
    pub messages: Vec<Said>,
}

/// One message that was said elsewhere.
#[derive(Clone, Debug, PartialEq)]
pub struct Said {
    /// Made from what identifies it where it comes from, so that it is recognized when it comes again.
    pub id: MessageId,
    pub external_id: Option<String>,
    pub role: Role,
    pub text: String,
    pub said_at: Millis,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Thread {
    pub id: ThreadId,
    pub title: String,
    pub summary: String,
}

/// Why a piece can't be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    NotJson,
    /// The file ends inside it.
    CutOff,
    TooLong,
    /// A packed archive; what it holds has to be unpacked first.
    Zip,
    NotAnObject,
    Role,
    Content,
    CreatedAt,
    ThreadId,
    ExternalId,
    /// A fact whose fields aren't those of a fact.
    Fact,
    /// A conversation without its messages.
    Conversation,
}

impl Reason {
    /// A word for programs; it never quotes what was sent.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NotJson => "not_json",
            Self::CutOff => "cut_off",
            Self::TooLong => "too_long",
            Self::Zip => "zip",
            Self::NotAnObject => "not_an_object",
            Self::Role => "role",
            Self::Content => "content",
            Self::CreatedAt => "created_at",
            Self::ThreadId => "thread",
            Self::ExternalId => "external_id",
            Self::Fact => "fact",
            Self::Conversation => "conversation",
        }
    }
}

/// Ten bytes that name the same thing every time: the hash of its parts, each behind its length.
fn digest(parts: &[&str]) -> [u8; 10] {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part.as_bytes());
    }
    let mut first = [0; 10];
    for (byte, hashed) in first.iter_mut().zip(hash.finalize()) {
        *byte = hashed;
    }
    first
}

/// The thread of a conversation of another system.
fn thread_of(system: &str, conversation: &str) -> ThreadId {
    ThreadId::new(digest(&["thread", system, conversation]))
}

/// A message that has an id where it comes from. The same id in another thread is another message.
fn known_elsewhere(thread: &ThreadId, external_id: &str) -> MessageId {
    MessageId::new(digest(&["message", thread.as_str(), external_id]))
}

/// A message that is known by what it says, who said it and when.
fn known_by_text(thread: &ThreadId, role: Role, text: &str, said_at: Millis) -> MessageId {
    MessageId::new(digest(&["text", thread.as_str(), role.as_str(), text, &said_at.0.to_string()]))
}

/// An instant: RFC 3339, or seconds since 1970 as a number.
fn instant(value: &Value) -> Option<Millis> {
    /// The years 1970 to 9999, in seconds: more are milliseconds, or nonsense.
    const LAST: f64 = 253_402_300_799.0;
    let at = match value {
        Value::String(text) => Millis::parse_rfc3339(text)?,
        Value::Number(number) => {
            let seconds = number.as_f64().filter(|s| s.is_finite() && *s >= 0.0)?;
            let seconds = if seconds > LAST { seconds / 1000.0 } else { seconds };
            if seconds > LAST {
                return None;
            }
            Millis((seconds * 1000.0).round() as i64)
        }
        _ => return None,
    };
    Some(at)
}

/// A text that says something and isn't longer than a row may be.
fn text(value: &str) -> Result<&str, Reason> {
    if shows_nothing(value) {
        return Err(Reason::Content);
    }
    if value.len() > MAX_TEXT_BYTES {
        return Err(Reason::TooLong);
    }
    Ok(value)
}

fn title(value: Option<&Value>) -> String {
    let title = crate::text::one_line(value.and_then(Value::as_str).unwrap_or_default());
    crate::text::prefix_chars(&title, MAX_TITLE_CHARS).to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_instant_is_rfc_3339_or_a_number_of_seconds() {
        let at = Some(Millis(1_700_000_000_500));
        for value in [
            json!("2023-11-14T22:13:20.5Z"),
            json!("2023-11-15T07:13:20.5+09:00"),
            json!(1_700_000_000.5),
            json!(1_700_000_000_500_i64),
        ] {
            assert_eq!(instant(&value), at, "{value}");
        }
        for value in [json!("yesterday"), json!(-1), json!(1e300), json!(null), json!({}), json!("")] {
            assert_eq!(instant(&value), None, "{value}");
        }
    }

    #[test]
    fn the_same_id_in_two_threads_names_two_messages_and_borders_cannot_be_shifted() {
        let thread = |id| ThreadId::parse(id).unwrap();
        assert_ne!(known_elsewhere(&thread("a"), "D1:3"), known_elsewhere(&thread("b"), "D1:3"));
        assert_ne!(known_elsewhere(&thread("ab"), "c"), known_elsewhere(&thread("a"), "bc"));
        assert_eq!(known_elsewhere(&thread("a"), "犬"), known_elsewhere(&thread("a"), "犬"));
    }
}
