//! A conversation of Claude's `conversations.json`: a list of messages, each by a human or the assistant.

use crate::sorted::SortedMap;
use serde_json::Value;

use super::chatgpt::Found;
use super::scan::{Content, Piece, Shape, Splitter, members};
use super::{Conversation, Reason, Said, instant, known_by_text, known_elsewhere, text, thread_of, title};
use crate::id::ThreadId;
use crate::llm::Role;
use crate::time::Millis;

pub fn read(record: &[u8]) -> Result<Found, Reason> {
    let parts: SortedMap<String, &[u8]> = members(record).ok_or(Reason::NotAnObject)?.into_iter().collect();
    let value = |name: &str| parts.get(name).and_then(|bytes| serde_json::from_slice::<Value>(bytes).ok());
    let list =
        parts.get("chat_messages").filter(|list| list.starts_with(b"[")).ok_or(Reason::Conversation)?;
    let began = value("created_at").as_ref().and_then(instant);
    let id = value("uuid").and_then(|id| id.as_str().map(str::to_owned)).ok_or(Reason::Conversation)?;
    let thread = thread_of("claude", &id);
    let mut found = Found {
        conversation: Conversation {
            thread: thread.clone(),
            title: title(value("name").as_ref()),
            messages: Vec::new(),
        },
        skipped: 0,
        broken: Vec::new(),
    };
    let mut last = began;
    // One message at a time: a conversation of megabytes isn't held twice.
    let mut splitter = Splitter::new(Shape::Records, usize::MAX);
    let mut take = |piece: Piece<'_>| {
        let message = match piece.content {
            Content::Whole(bytes) => serde_json::from_slice::<Value>(bytes).map_err(|_| Reason::NotJson),
            Content::TooLong | Content::Lost | Content::CutOff => Err(Reason::NotJson),
        };
        match message.and_then(|message| said(&thread, &message, last)) {
            Ok(Some(said)) => {
                last = Some(said.said_at);
                found.conversation.messages.push(said);
            }
            Ok(None) => found.skipped += 1,
            Err(reason) => found.broken.push(reason),
        }
    };
    splitter.feed(list, &mut take);
    splitter.end(&mut take);
    Ok(found)
}

fn said(thread: &ThreadId, message: &Value, last: Option<Millis>) -> Result<Option<Said>, Reason> {
    let role = match message.get("sender").and_then(Value::as_str) {
        Some("human") => Role::User,
        Some("assistant") => Role::Assistant,
        _ => return Err(Reason::Role),
    };
    let blocks = message.get("content").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let is_text = |block: &&Value| block.get("type").and_then(Value::as_str) == Some("text");
    let words = blocks.iter().filter(is_text).filter_map(|block| block.get("text")).filter_map(Value::as_str);
    let mut joined = words.filter(|word| !word.trim().is_empty()).collect::<Vec<_>>().join("\n\n");
    if joined.is_empty() {
        // Older exports have the text alone.
        message.get("text").and_then(Value::as_str).unwrap_or_default().clone_into(&mut joined);
    }
    if joined.trim().is_empty() {
        return Ok(None);
    }
    let text = text(&joined)?.to_owned();
    let said_at = message.get("created_at").and_then(instant).or(last).ok_or(Reason::CreatedAt)?;
    let uuid = message.get("uuid").and_then(Value::as_str);
    let uuid = uuid.filter(|id| (1..=super::MAX_EXTERNAL_ID_BYTES).contains(&id.len())).map(str::to_owned);
    let id = match &uuid {
        Some(uuid) => known_elsewhere(thread, uuid),
        None => known_by_text(thread, role, &text, said_at),
    };
    Ok(Some(Said { id, external_id: uuid, role, text, said_at }))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn both_sides_are_read_from_their_text_blocks_and_from_older_exports() {
        let conversation = json!({"uuid": "c-1", "name": "Kyoto trip", "created_at": "2025-01-01T00:00:00Z", "chat_messages": [
            {"uuid": "1", "sender": "human", "text": "", "created_at": "2025-01-01T00:00:01.5Z",
             "content": [{"type": "text", "text": "明日は京都です"}, {"type": "tool_use", "input": {}}]},
            {"uuid": "2", "sender": "assistant", "text": "Take the early train.", "created_at": "2025-01-01T00:00:03Z"},
            {"uuid": "3", "sender": "human", "text": " ", "content": []},
            {"uuid": "4", "sender": "nobody", "text": "x"},
        ]});
        let found = read(conversation.to_string().as_bytes()).unwrap_or_else(|reason| panic!("{reason:?}"));
        let said: Vec<(Role, &str)> =
            found.conversation.messages.iter().map(|said| (said.role, said.text.as_str())).collect();
        assert_eq!(said, [(Role::User, "明日は京都です"), (Role::Assistant, "Take the early train.")]);
        assert_eq!((found.skipped, found.broken), (1, vec![Reason::Role]));
        assert_eq!(found.conversation.title, "Kyoto trip");
    }

    #[test]
    fn a_conversation_without_id_or_messages_is_refused() {
        for bad in
            [json!({"uuid": "x"}), json!({"chat_messages": []}), json!({"uuid": "x", "chat_messages": {}})]
        {
            assert!(read(bad.to_string().as_bytes()).is_err(), "{bad}");
        }
    }
}
