//! Kioku's own export: facts, threads and messages under the ids they had, in JSON or line by line.

use serde_json::Value;

use super::messages::{external_id, thread};
use super::{Conversation, Read, Reason, Said, Thread, instant, known_by_text, known_elsewhere, text, title};
use crate::id::{FactId, MessageId, ThreadId};
use crate::llm::Role;
use crate::memory::model::{Fact, Kind, Scope, Source, Status};
use crate::text::one_line;
use crate::time::Millis;

/// One entry of the lists `facts`, `threads` and `messages`, or of a line of that type; other members say nothing
/// that is kept.
pub fn read(kind: &str, value: &Value) -> Result<Option<Read>, Reason> {
    match kind {
        "facts" | "fact" => fact(value).map(|fact| Some(Read::Fact(Box::new(fact)))),
        "threads" | "thread" => conversation(value).map(Some),
        "messages" | "message" => message(value).map(Some),
        _ => Ok(None),
    }
}

/// One line, `{"type","value"}`.
pub fn read_line(line: &Value) -> Result<Option<Read>, Reason> {
    let kind = line.get("type").and_then(Value::as_str).ok_or(Reason::NotAnObject)?;
    read(kind, line.get("value").ok_or(Reason::NotAnObject)?)
}

fn message(value: &Value) -> Result<Read, Reason> {
    let object = value.as_object().ok_or(Reason::NotAnObject)?;
    let role = match object.get("role").and_then(Value::as_str) {
        Some("user") => Role::User,
        Some("assistant") => Role::Assistant,
        _ => return Err(Reason::Role),
    };
    let content = object.get("content").and_then(Value::as_str).ok_or(Reason::Content)?;
    if content.is_empty() {
        return Ok(Read::Skipped);
    }
    let content = text(content)?;
    let said_at = object.get("created_at").and_then(instant).ok_or(Reason::CreatedAt)?;
    let (thread, named) = thread(object.get("thread"))?;
    let elsewhere = external_id(object.get("external_id"))?;
    let own = object.get("id").and_then(Value::as_str).or(elsewhere.as_deref()).and_then(own_id);
    let id = match (own, &elsewhere) {
        (Some(id), _) => id,
        (None, Some(elsewhere)) => known_elsewhere(&thread, elsewhere),
        (None, None) => known_by_text(&thread, role, content, said_at),
    };
    let external_id = elsewhere.filter(|elsewhere| elsewhere != id.as_str());
    let said = Said { id, external_id, role, text: content.to_owned(), said_at };
    Ok(Read::Conversation(Conversation { thread, title: named, messages: vec![said] }))
}

/// An id that a message of Kioku has.
fn own_id(id: &str) -> Option<MessageId> {
    MessageId::parse(id).filter(|id| id.as_str().starts_with("m_"))
}

fn conversation(value: &Value) -> Result<Read, Reason> {
    let id = value.get("id").and_then(Value::as_str).and_then(ThreadId::parse).ok_or(Reason::ThreadId)?;
    let summary = value.get("summary").and_then(Value::as_str).unwrap_or_default().to_owned();
    Ok(Read::Thread(Thread { id, title: title(value.get("title")), summary }))
}

fn fact(value: &Value) -> Result<Fact, Reason> {
    let field = |name: &str| value.get(name).filter(|value| !value.is_null());
    let word = |name: &str| field(name).and_then(Value::as_str);
    let source = value.get("source").cloned().unwrap_or_default();
    let source_word = |name: &str| source.get(name).and_then(Value::as_str);
    let said_at = source.get("said_at").and_then(instant);
    let created_at = field("created_at").and_then(instant).or(said_at).ok_or(Reason::CreatedAt)?;
    let said_at = said_at.unwrap_or(created_at);
    let time = |name: &str| field(name).and_then(instant);
    let text = word("text").map(one_line).filter(|text| !text.is_empty()).ok_or(Reason::Fact)?;
    let id = word("id").and_then(FactId::parse).ok_or(Reason::Fact)?;
    Ok(Fact {
        kind: word("kind").map_or(Some(Kind::Other), Kind::parse).ok_or(Reason::Fact)?,
        scope: word("scope").map_or(Some(Scope::Global), Scope::parse).ok_or(Reason::Fact)?,
        status: word("status").map_or(Some(Status::Current), Status::parse).ok_or(Reason::Fact)?,
        pinned: field("pinned").and_then(Value::as_bool).unwrap_or(false),
        observed_at: time("observed_at").unwrap_or(said_at),
        valid_from: date(word("valid_from"))?,
        valid_until: date(word("valid_until"))?,
        superseded_by: word("superseded_by").and_then(FactId::parse),
        source: Source {
            message: source_word("message").and_then(MessageId::parse),
            thread: source_word("thread").and_then(ThreadId::parse),
            quote: source_word("quote").unwrap_or(&text).to_owned(),
            said_at,
        },
        updated_at: time("updated_at").unwrap_or(created_at),
        ..Fact::new(id, &text, created_at)
    })
}

/// `2015`, `2015-04` or `2015-04-01`.
fn date(word: Option<&str>) -> Result<Option<String>, Reason> {
    let Some(word) = word else { return Ok(None) };
    let full = match word.len() {
        4 => format!("{word}-01-01"),
        7 => format!("{word}-01"),
        _ => word.to_owned(),
    };
    let is_date = full.len() == 10 && Millis::parse_rfc3339(&format!("{full}T00:00:00Z")).is_some();
    if is_date { Ok(Some(word.to_owned())) } else { Err(Reason::Fact) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_fact_keeps_its_id_its_dates_and_what_it_rests_on() {
        let value = json!({"id": "f_1", "text": "大阪に住んでいる", "kind": "place", "scope": "global", "status": "past",
            "pinned": true, "valid_from": "2015-04", "valid_until": null, "superseded_by": "f_2",
            "observed_at": "2024-01-02T00:00:00Z", "created_at": "2024-01-01T00:00:00Z",
            "source": {"message": "m_1", "thread": "main", "quote": "大阪に住んでいます", "said_at": "2024-01-01T00:00:00Z"}});
        let Ok(Some(Read::Fact(fact))) = read("facts", &value) else { panic!("a fact") };
        assert_eq!((fact.id.as_str(), fact.status, fact.pinned), ("f_1", Status::Past, true));
        assert_eq!((fact.valid_from.as_deref(), fact.kind), (Some("2015-04"), Kind::Place));
        assert_eq!(fact.superseded_by, FactId::parse("f_2"));
        assert_eq!(fact.source.message, MessageId::parse("m_1"));
    }

    #[test]
    fn a_fact_with_a_field_that_is_none_of_a_facts_is_refused() {
        let good = json!({"id": "f_1", "text": "x y", "created_at": "2024-01-01T00:00:00Z"});
        assert!(read("fact", &good).is_ok());
        for (name, bad) in [
            ("id", json!("a b")),
            ("text", json!(" ")),
            ("kind", json!("spell")),
            ("scope", json!("everywhere")),
            ("status", json!("gone")),
            ("valid_from", json!("2015-13")),
            ("valid_until", json!("soon")),
            ("created_at", json!(null)),
        ] {
            let mut value = good.clone();
            value[name] = bad;
            assert!(read("fact", &value).is_err(), "{name}");
        }
    }

    #[test]
    fn a_message_keeps_its_own_id_and_the_one_it_had_before() {
        let one = |value: Value| match read("message", &value) {
            Ok(Some(Read::Conversation(conversation))) => conversation.messages[0].clone(),
            other => panic!("{other:?}"),
        };
        let mut value = json!({"id": "m_1", "external_id": "D1:3", "thread": "main", "role": "user", "content": "x",
            "created_at": "2024-01-01T00:00:00Z"});
        let said = one(value.clone());
        assert_eq!((said.id.as_str(), said.external_id.as_deref()), ("m_1", Some("D1:3")));
        value["external_id"] = "m_1".into();
        value["id"] = Value::Null;
        let said = one(value);
        assert_eq!((said.id.as_str(), said.external_id), ("m_1", None));
    }
}
