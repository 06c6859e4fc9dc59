//! How a server wants to be asked, learned from what it refuses.
//!
//! Compatible servers differ in which optional parts of a request they take, and models' templates in which roles. A
//! refusal that names such a part is answered once with a request without it. Nothing else of a refusal is read.

use serde_json::{Value, json};

use super::{ChatMessage, Role};

/// The parts that are left out or written otherwise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Manner(u8);

const NO_USAGE: u8 = 1;
const OTHER_CAP: u8 = 2;
const TAKING_TURNS: u8 = 4;
const NO_TEMPERATURE: u8 = 8;
const IN_THOUGHT: u8 = 16;

/// Words of a refusal, in lower case, and the part that they are about.
const REFUSALS: [(&str, u8); 8] = [
    ("stream_options", NO_USAGE),
    ("include_usage", NO_USAGE),
    ("max_completion_tokens", OTHER_CAP),
    ("temperature", NO_TEMPERATURE),
    ("must alternate", TAKING_TURNS),
    ("system role", TAKING_TURNS),
    ("role 'system'", TAKING_TURNS),
    ("assistant roles are supported", TAKING_TURNS),
];

impl Manner {
    /// Whether a refusal with this status may be about the request's form. Servers that fail in a template say 500.
    pub fn may_be_refused_with(status: u16) -> bool {
        matches!(status, 400 | 422 | 500)
    }

    /// The manner to ask in after this refusal; `None` if it names nothing that was still in.
    pub fn after(self, refusal: &[u8]) -> Option<Self> {
        let words = String::from_utf8_lossy(refusal).to_ascii_lowercase();
        let named = REFUSALS.iter().filter(|(part, _)| words.contains(part));
        let parts = named.fold(0, |parts, (_, part)| parts | part);
        (parts & !self.0 != 0).then_some(Self(self.0 | parts))
    }

    pub fn asks_for_usage(self) -> bool {
        self.0 & NO_USAGE == 0
    }

    pub fn sets_temperature(self) -> bool {
        self.0 & NO_TEMPERATURE == 0
    }

    /// Whether the cap goes by the other of its two names.
    pub fn swaps_the_cap(self) -> bool {
        self.0 & OTHER_CAP != 0
    }

    /// Whether the model's template opens its thoughts, so that answers begin inside them and only close them.
    pub fn begins_in_thought(self) -> bool {
        self.0 & IN_THOUGHT != 0
    }

    /// The same, with answers that begin inside a thought or don't.
    #[must_use]
    pub fn in_thought(self, begins: bool) -> Self {
        Self(if begins { self.0 | IN_THOUGHT } else { self.0 & !IN_THOUGHT })
    }

    /// The messages as the server takes them: with all roles, or user and assistant by turns. The system's words then
    /// stand before the user's first, each part a paragraph of its own, so that memory stays one JSON document.
    pub fn messages(self, messages: &[ChatMessage]) -> Value {
        let mut given: Vec<(Role, String)> = Vec::new();
        for message in messages {
            let by_turns = self.0 & TAKING_TURNS != 0;
            let role = if by_turns && message.role == Role::System { Role::User } else { message.role };
            match given.last_mut().filter(|(last, _)| by_turns && *last == role) {
                Some((_, content)) => *content = format!("{content}\n\n{}", message.content),
                None => given.push((role, message.content.clone())),
            }
        }
        given.into_iter().map(|(role, content)| json!({"role": role.as_str(), "content": content})).collect()
    }

    /// As it is kept for the next time.
    pub fn to_word(self) -> String {
        self.0.to_string()
    }

    pub fn parse(word: &str) -> Option<Self> {
        word.parse().ok().map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_names_the_part_it_refuses() {
        let after = |refusal: &str| Manner::default().after(refusal.as_bytes());
        let usage = "[{'type': 'extra_forbidden', 'loc': ('body', 'stream_options'), 'msg': 'Extra inputs'}]";
        assert!(!after(usage).unwrap().asks_for_usage());
        let cap = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.";
        assert!(after(cap).unwrap().swaps_the_cap());
        assert!(!after("Unsupported value: 'temperature' does not support 0").unwrap().sets_temperature());
        for turns in [
            "After the optional system message, conversation roles must alternate user/assistant/...",
            "System role not supported",
            "Only user and assistant roles are supported!",
        ] {
            assert_eq!(after(turns), Some(Manner(TAKING_TURNS)), "{turns}");
        }
        for other in ["", "model not found", "maximum context length is 4096 tokens", "\u{0}文脈が長すぎます"]
        {
            assert_eq!(after(other), None, "{other}");
        }
        assert_eq!(after(usage).unwrap().after(usage.as_bytes()), None, "it is left out already");
        assert_eq!(Manner::parse(&Manner(9).to_word()), Some(Manner(9)));
    }

    #[test]
    fn user_and_assistant_take_turns_and_nothing_is_lost() {
        let said = |role, content: &str| ChatMessage { role, content: content.to_owned() };
        let messages = [
            said(Role::System, "あなたは Kioku"),
            said(Role::User, "{\"type\":\"reference_memory\"}"),
            said(Role::User, "hello"),
            said(Role::Assistant, "hi"),
            said(Role::User, "犬の名前は？"),
        ];
        let turns = Manner(TAKING_TURNS).messages(&messages);
        assert_eq!(
            turns,
            json!([
                {"role": "user", "content": "あなたは Kioku\n\n{\"type\":\"reference_memory\"}\n\nhello"},
                {"role": "assistant", "content": "hi"}, {"role": "user", "content": "犬の名前は？"},
            ])
        );
        assert_eq!(Manner::default().messages(&messages).as_array().map(Vec::len), Some(5));
    }
}
