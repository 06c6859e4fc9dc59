//! A conversation of ChatGPT's `conversations.json`: a tree of messages, of which one branch was shown.
//!
//! The branch that ends at `current_node` is read; answers that were generated again and questions that were edited
//! leave other branches, which the user had taken back. Without that mark the last branch is read.

use crate::sorted::{SortedMap, SortedSet};
use serde_json::Value;

use super::scan::members;
use super::{Conversation, Reason, Said, instant, known_elsewhere, text, thread_of, title};
use crate::llm::Role;
use crate::time::Millis;

/// What a conversation holds: its messages, and how many were left out or couldn't be used.
pub struct Found {
    pub conversation: Conversation,
    pub skipped: u64,
    pub broken: Vec<Reason>,
}

/// A node of the tree, without what isn't needed of it.
struct Node {
    parent: Option<String>,
    message: Result<Option<Spoken>, Reason>,
}

struct Spoken {
    id: Option<String>,
    role: Role,
    text: String,
    said_at: Option<Millis>,
}

pub fn read(record: &[u8]) -> Result<Found, Reason> {
    let parts: SortedMap<String, &[u8]> = members(record).ok_or(Reason::NotAnObject)?.into_iter().collect();
    let value = |name: &str| {
        parts.get(name).and_then(|bytes| serde_json::from_slice::<Value>(bytes).ok()).filter(|v| !v.is_null())
    };
    let mapping = members(parts.get("mapping").ok_or(Reason::Conversation)?).ok_or(Reason::Conversation)?;
    let mut order: Vec<String> = Vec::new();
    let mut nodes: SortedMap<String, Node> = SortedMap::new();
    for (id, bytes) in mapping {
        order.push(id.clone());
        nodes.insert(id, node(bytes));
    }
    let began = value("create_time").as_ref().and_then(instant);
    let current = value("current_node").and_then(|id| id.as_str().map(str::to_owned));
    let leaf = current.filter(|id| nodes.contains_key(id)).or_else(|| last_leaf(&order, &nodes));
    let id = value("conversation_id").or_else(|| value("id"));
    let id = id.as_ref().and_then(Value::as_str).map(str::to_owned);
    // Without an id of its own a conversation is known by its first node.
    let id = id.or_else(|| order.first().cloned()).ok_or(Reason::Conversation)?;
    let thread = thread_of("chatgpt", &id);
    let mut found = Found {
        conversation: Conversation {
            thread: thread.clone(),
            title: title(value("title").as_ref()),
            messages: Vec::new(),
        },
        skipped: 0,
        broken: Vec::new(),
    };
    let mut last = began;
    for id in branch(leaf, &nodes) {
        match nodes.remove(&id).map(|node| node.message) {
            Some(Ok(Some(spoken))) => match spoken.said_at.or(last) {
                Some(said_at) => {
                    last = Some(said_at);
                    let external_id = spoken.id.unwrap_or(id);
                    found.conversation.messages.push(Said {
                        id: known_elsewhere(&thread, &external_id),
                        external_id: Some(external_id),
                        role: spoken.role,
                        text: spoken.text,
                        said_at,
                    });
                }
                None => found.broken.push(Reason::CreatedAt),
            },
            Some(Err(reason)) => found.broken.push(reason),
            Some(Ok(None)) => found.skipped += 1,
            None => {}
        }
    }
    Ok(found)
}

/// The ids from the root to a leaf.
fn branch(leaf: Option<String>, nodes: &SortedMap<String, Node>) -> Vec<String> {
    let mut branch = Vec::new();
    let mut seen = SortedSet::new();
    let mut next = leaf;
    // A forged tree may run in circles.
    while let Some(id) = next.filter(|id| seen.insert(id.clone())) {
        next = nodes.get(&id).and_then(|node| node.parent.clone());
        branch.push(id);
    }
    branch.reverse();
    branch
}

/// The last node that is nobody's parent.
fn last_leaf(order: &[String], nodes: &SortedMap<String, Node>) -> Option<String> {
    let parents: SortedSet<&str> = nodes.values().filter_map(|node| node.parent.as_deref()).collect();
    order.iter().rev().find(|id| !parents.contains(id.as_str())).cloned()
}

fn node(bytes: &[u8]) -> Node {
    let Ok(value) = serde_json::from_slice::<Value>(bytes) else {
        return Node { parent: None, message: Err(Reason::NotJson) };
    };
    let parent = value.get("parent").and_then(Value::as_str).map(str::to_owned);
    Node { parent, message: spoken(value.get("message")) }
}

/// What was said, or `None` for what a reader of the conversation didn't see as somebody's words.
fn spoken(message: Option<&Value>) -> Result<Option<Spoken>, Reason> {
    let Some(message) = message.filter(|message| !message.is_null()) else { return Ok(None) };
    let role = match message.pointer("/author/role").and_then(Value::as_str) {
        Some("user") => Role::User,
        Some("assistant") => Role::Assistant,
        Some(_) => return Ok(None),
        None => return Err(Reason::Role),
    };
    let is_hidden =
        message.pointer("/metadata/is_visually_hidden_from_conversation") == Some(&Value::Bool(true));
    let is_for_a_tool =
        message.get("recipient").and_then(Value::as_str).is_some_and(|recipient| recipient != "all");
    if is_hidden || is_for_a_tool {
        return Ok(None);
    }
    let content = message.get("content").ok_or(Reason::Content)?;
    let kind = content.get("content_type").and_then(Value::as_str).unwrap_or("text");
    if !matches!(kind, "text" | "multimodal_text") {
        return Ok(None);
    }
    let parts = content.get("parts").and_then(Value::as_array).ok_or(Reason::Content)?;
    // What was spoken is transcribed; pictures and sounds are only pointed at.
    let words =
        parts.iter().filter_map(|part| part.as_str().or_else(|| part.get("text").and_then(Value::as_str)));
    let joined = words.filter(|word| !word.trim().is_empty()).collect::<Vec<_>>().join("\n");
    if joined.is_empty() {
        return Ok(None);
    }
    let id = message.get("id").and_then(Value::as_str);
    Ok(Some(Spoken {
        id: id.filter(|id| (1..=super::MAX_EXTERNAL_ID_BYTES).contains(&id.len())).map(str::to_owned),
        role,
        text: text(&joined)?.to_owned(),
        said_at: message.get("create_time").and_then(instant),
    }))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn message(role: &str, parts: Value) -> Value {
        json!({"id": "x", "author": {"role": role}, "create_time": 1_700_000_000.25,
            "content": {"content_type": "text", "parts": parts}, "metadata": {}})
    }

    fn said(conversation: &Value) -> Vec<String> {
        let found = read(conversation.to_string().as_bytes()).unwrap_or_else(|reason| panic!("{reason:?}"));
        let line = |said: &Said| format!("{}: {}", said.role.as_str(), said.text);
        found.conversation.messages.iter().map(line).collect()
    }

    fn tree(current: &Value) -> Value {
        let with_id = |id: &str, mut message: Value| {
            message["id"] = id.into();
            message
        };
        json!({
            "title": "京都の旅", "create_time": 1_700_000_000.0, "conversation_id": "c-1", "current_node": current,
            "mapping": {
                "root": {"id": "root", "message": null, "parent": null, "children": ["system"]},
                "system": {"id": "system", "message": message("system", json!([""])), "parent": "root", "children": ["q"]},
                "q": {"message": with_id("q", message("user", json!(["京都で何を見る？"]))), "parent": "system"},
                "a1": {"message": with_id("a1", message("assistant", json!(["First try"]))), "parent": "q"},
                "a2": {"message": with_id("a2", message("assistant", json!(["金閣寺", "清水寺"]))), "parent": "q"},
            },
        })
    }

    #[test]
    fn the_branch_that_was_shown_is_read_from_its_root() {
        assert_eq!(said(&tree(&json!("a1"))), ["user: 京都で何を見る？", "assistant: First try"]);
        assert_eq!(said(&tree(&json!("a2"))), ["user: 京都で何を見る？", "assistant: 金閣寺\n清水寺"]);
        assert_eq!(said(&tree(&json!(null))), ["user: 京都で何を見る？", "assistant: 金閣寺\n清水寺"]);
        let found =
            read(tree(&json!("a2")).to_string().as_bytes()).unwrap_or_else(|reason| panic!("{reason:?}"));
        assert_eq!((found.conversation.title.as_str(), found.skipped), ("京都の旅", 2));
        assert_eq!(found.conversation.messages[0].external_id.as_deref(), Some("q"));
    }

    #[test]
    fn what_nobody_said_is_left_out() {
        let mut hidden = message("user", json!(["My instructions"]));
        hidden["metadata"]["is_visually_hidden_from_conversation"] = true.into();
        let mut call = message("assistant", json!(["search(\"x\")"]));
        call["recipient"] = "browser".into();
        let mut code = message("assistant", json!(["print()"]));
        code["content"]["content_type"] = "code".into();
        let picture = message("user", json!([{"asset_pointer": "file://x"}]));
        let spoken = message(
            "user",
            json!([{"content_type": "audio_transcription", "text": "Hello there"}, {"asset_pointer": "x"}]),
        );
        let chain = [hidden, call, code, message("tool", json!(["result"])), picture, spoken];
        let mut mapping = serde_json::Map::new();
        for (at, message) in chain.iter().enumerate() {
            let parent = at.checked_sub(1).map(|at| format!("n{at}"));
            mapping.insert(format!("n{at}"), json!({"parent": parent, "message": message}));
        }
        let conversation = json!({"id": "c", "mapping": mapping, "current_node": "n5"});
        assert_eq!(said(&conversation), ["user: Hello there"]);
    }

    #[test]
    fn a_broken_node_costs_only_itself_and_a_circle_ends() {
        let conversation = json!({"id": "c", "current_node": "b", "mapping": {
            "a": {"parent": "b", "message": {"author": {}}},
            "b": {"parent": "a", "message": message("user", json!(["ok"]))},
        }});
        let found = read(conversation.to_string().as_bytes()).unwrap_or_else(|reason| panic!("{reason:?}"));
        assert_eq!((found.conversation.messages.len(), found.broken), (1, vec![Reason::Role]));
        for bad in [json!([]), json!({}), json!({"mapping": []}), json!({"mapping": {}})] {
            assert!(read(bad.to_string().as_bytes()).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_message_without_a_time_was_said_when_the_one_before_it_was() {
        let mut untimed = message("user", json!(["later"]));
        untimed["create_time"] = Value::Null;
        let conversation = json!({"id": "c", "create_time": 50.0, "current_node": "a",
            "mapping": {"a": {"parent": null, "message": untimed}}});
        let found = read(conversation.to_string().as_bytes()).unwrap_or_else(|reason| panic!("{reason:?}"));
        assert_eq!(found.conversation.messages[0].said_at, Millis(50_000));
    }
}
