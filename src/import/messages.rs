//! Messages as lines: `{"role","content","created_at","external_id"?,"thread"?}`.

use serde_json::Value;

use super::{
    Conversation, MAX_EXTERNAL_ID_BYTES, Read, Reason, Said, instant, known_by_text, known_elsewhere,
};
use super::{text, thread_of, title};
use crate::id::ThreadId;
use crate::llm::Role;

/// Where messages go that name no thread.
const UNNAMED: &str = "imported";

/// One message, as a conversation of its own.
pub fn read(value: &Value) -> Result<Read, Reason> {
    let object = value.as_object().ok_or(Reason::NotAnObject)?;
    let role = match object.get("role").and_then(Value::as_str) {
        Some("user") => Role::User,
        Some("assistant") => Role::Assistant,
        _ => return Err(Reason::Role),
    };
    let content = text(object.get("content").and_then(Value::as_str).ok_or(Reason::Content)?)?;
    let said_at = object.get("created_at").and_then(instant).ok_or(Reason::CreatedAt)?;
    let (thread, named) = thread(object.get("thread"))?;
    let external_id = external_id(object.get("external_id"))?;
    let id = match &external_id {
        Some(external_id) => known_elsewhere(&thread, external_id),
        None => known_by_text(&thread, role, content, said_at),
    };
    let said = Said { id, external_id, role, text: content.to_owned(), said_at };
    Ok(Read::Conversation(Conversation { thread, title: named, messages: vec![said] }))
}

/// The thread, and the title it begins with. A name that can't be an id stands for one, and is its title.
pub(super) fn thread(value: Option<&Value>) -> Result<(ThreadId, String), Reason> {
    match value {
        None | Some(Value::Null) => Ok((ThreadId::parse(UNNAMED).ok_or(Reason::ThreadId)?, String::new())),
        Some(Value::String(name)) if !name.trim().is_empty() && name.len() <= 1000 => {
            Ok(match ThreadId::parse(name) {
                Some(id) => (id, String::new()),
                None => (thread_of("messages", name), title(value)),
            })
        }
        Some(_) => Err(Reason::ThreadId),
    }
}

pub(super) fn external_id(value: Option<&Value>) -> Result<Option<String>, Reason> {
    let id = match value {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::String(id)) => id.clone(),
        Some(Value::Number(id)) => id.to_string(),
        Some(_) => return Err(Reason::ExternalId),
    };
    if id.is_empty() || id.len() > MAX_EXTERNAL_ID_BYTES {
        return Err(Reason::ExternalId);
    }
    Ok(Some(id))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn conversation(value: Value) -> Conversation {
        match read(&value) {
            Ok(Read::Conversation(conversation)) => conversation,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_line_is_a_message_with_an_id_that_stays_the_same() {
        let line = json!({"role": "user", "content": "犬を飼っています", "created_at": "2024-05-01T09:00:00+09:00",
            "external_id": "D1:3", "thread": "conv-1"});
        let read = conversation(line.clone());
        assert_eq!(read.thread.as_str(), "conv-1");
        let [said] = read.messages.as_slice() else { panic!("one message") };
        assert_eq!((said.role, said.text.as_str()), (Role::User, "犬を飼っています"));
        assert_eq!(said.said_at.to_rfc3339(), "2024-05-01T00:00:00Z");
        assert_eq!(said.external_id.as_deref(), Some("D1:3"));
        assert_eq!(conversation(line).messages[0].id, said.id);
    }

    #[test]
    fn messages_without_an_id_are_told_apart_by_what_is_said_who_says_it_and_when() {
        let id = |role: &str, content: &str, at: u32| {
            conversation(json!({"role": role, "content": content, "created_at": at})).messages[0].id.clone()
        };
        let same = id("user", "Yes", 5);
        assert_eq!(id("user", "Yes", 5), same);
        for other in [id("assistant", "Yes", 5), id("user", "Yes.", 5), id("user", "Yes", 6)] {
            assert_ne!(other, same);
        }
    }

    #[test]
    fn a_thread_of_any_name_gets_an_id_and_its_name_as_title() {
        let named =
            conversation(json!({"role": "user", "content": "x", "created_at": 1, "thread": "京都 旅行"}));
        assert_eq!(named.title, "京都 旅行");
        assert!(named.thread.as_str().starts_with("th_"));
        let unnamed = conversation(json!({"role": "user", "content": "x", "created_at": 1}));
        assert_eq!(unnamed.thread.as_str(), UNNAMED);
    }

    #[test]
    fn what_is_missing_or_wrong_is_named() {
        let good = json!({"role": "user", "content": "x", "created_at": "2024-05-01T00:00:00Z"});
        for (field, value, reason) in [
            ("role", json!("system"), Reason::Role),
            ("role", json!(null), Reason::Role),
            ("content", json!("  \n"), Reason::Content),
            ("content", json!(["x"]), Reason::Content),
            ("content", json!("x".repeat(super::super::MAX_TEXT_BYTES + 1)), Reason::TooLong),
            ("created_at", json!("May"), Reason::CreatedAt),
            ("created_at", json!(null), Reason::CreatedAt),
            ("thread", json!(7), Reason::ThreadId),
            ("thread", json!(" "), Reason::ThreadId),
            ("external_id", json!(""), Reason::ExternalId),
            ("external_id", json!({}), Reason::ExternalId),
        ] {
            let mut line = good.clone();
            line[field] = value.clone();
            assert_eq!(read(&line), Err(reason), "{field}");
        }
        assert_eq!(read(&json!([])), Err(Reason::NotAnObject));
    }
}
