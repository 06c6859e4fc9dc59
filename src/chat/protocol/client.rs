//! Frames that arrive, parsed once.

use serde::Deserialize;
use serde_json::Value;

use crate::id::{ClientId, TurnId};
use crate::json;
use crate::text::shows_nothing;

/// What a client may ask for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClientFrame {
    Send { id: ClientId, text: String },
    Stop { turn: TurnId },
    Retry { turn: TurnId },
    Resume { turn: TurnId, after: u32 },
}

/// Why a frame was refused. The connection stays open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    pub code: &'static str,
    pub message: String,
    /// The client's id of the send it refuses, as it came, if it was one that could be read.
    pub id: Option<String>,
}

#[derive(Deserialize)]
struct RawFrame {
    #[serde(rename = "type")]
    kind: Option<String>,
    id: Option<Value>,
    text: Option<Value>,
    turn: Option<Value>,
    after: Option<Value>,
}

/// Reads a client's frame. `max_chars` bounds the text of a send.
pub fn parse(raw: &str, max_chars: usize) -> Result<ClientFrame, Refusal> {
    // JSON escapes a character in at most twelve bytes; the rest of a frame is small. Beyond that it isn't worth parsing.
    if raw.len() > max_chars.saturating_mul(12).saturating_add(4096) {
        return Err(too_long(max_chars, None));
    }
    let frame: RawFrame = json::read(raw.as_bytes())
        .map_err(|_| refuse("bad_frame", "A frame is a JSON object with a type.", None))?;
    let turn = || {
        let id = frame.turn.as_ref().and_then(Value::as_str).and_then(TurnId::parse);
        id.ok_or_else(|| refuse("bad_id", "`turn` must be the id of a turn.", None))
    };
    match frame.kind.as_deref() {
        Some("send") => send(&frame, max_chars),
        Some("stop") => Ok(ClientFrame::Stop { turn: turn()? }),
        Some("retry") => Ok(ClientFrame::Retry { turn: turn()? }),
        Some("resume") => {
            let after = match &frame.after {
                None => Some(0),
                Some(value) => value.as_u64().and_then(|after| u32::try_from(after).ok()),
            };
            let after =
                after.ok_or_else(|| refuse("bad_frame", "`after` must be a whole number from 0.", None))?;
            Ok(ClientFrame::Resume { turn: turn()?, after })
        }
        _ => Err(refuse("unknown_frame", "The type must be send, stop, retry or resume.", None)),
    }
}

fn send(frame: &RawFrame, max_chars: usize) -> Result<ClientFrame, Refusal> {
    let raw_id = frame.id.as_ref().and_then(Value::as_str);
    let id = raw_id
        .and_then(ClientId::parse)
        .ok_or_else(|| refuse("bad_id", "`id` must be 1 to 64 characters of A–Z a–z 0–9 _ -.", None))?;
    let echo = Some(id.as_str().to_owned());
    let Some(text) = frame.text.as_ref().and_then(Value::as_str) else {
        return Err(refuse("bad_frame", "`text` must be a string.", echo));
    };
    // A NUL can't be stored by every engine, and no keyboard types one.
    let text = text.replace('\0', "");
    if shows_nothing(&text) {
        return Err(refuse("empty_message", "The message is empty.", echo));
    }
    if text.chars().count() > max_chars {
        return Err(too_long(max_chars, echo));
    }
    Ok(ClientFrame::Send { id, text })
}

fn too_long(max_chars: usize, id: Option<String>) -> Refusal {
    refuse("message_too_long", &format!("A message may have at most {max_chars} characters."), id)
}

pub fn refuse(code: &'static str, message: &str, id: Option<String>) -> Refusal {
    Refusal { code, message: message.to_owned(), id }
}
#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const MAX: usize = 20;

    #[test]
    fn each_frame_is_read() {
        let send = parse(r#"{"type":"send","id":"a-1","text":"犬が好き"}"#, MAX);
        assert_eq!(
            send,
            Ok(ClientFrame::Send { id: ClientId::parse("a-1").unwrap(), text: "犬が好き".into() })
        );
        let turn = TurnId::parse("t_1").unwrap();
        assert_eq!(
            parse(r#"{"type":"stop","turn":"t_1"}"#, MAX),
            Ok(ClientFrame::Stop { turn: turn.clone() })
        );
        assert_eq!(
            parse(r#"{"type":"retry","turn":"t_1"}"#, MAX),
            Ok(ClientFrame::Retry { turn: turn.clone() })
        );
        assert_eq!(
            parse(r#"{"type":"resume","turn":"t_1","after":7}"#, MAX),
            Ok(ClientFrame::Resume { turn, after: 7 })
        );
    }

    #[test]
    fn a_bad_frame_gets_one_code_and_the_id_it_can_be_told_by() {
        let cases = [
            ("", "bad_frame", None),
            ("[]", "bad_frame", None),
            ("null", "bad_frame", None),
            (r#"{"type":"dance"}"#, "unknown_frame", None),
            (r#"{"id":"a"}"#, "unknown_frame", None),
            (r#"{"type":"send","text":"x"}"#, "bad_id", None),
            (r#"{"type":"send","id":"a b","text":"x"}"#, "bad_id", None),
            (r#"{"type":"send","id":7,"text":"x"}"#, "bad_id", None),
            (r#"{"type":"send","id":"a"}"#, "bad_frame", Some("a")),
            (r#"{"type":"send","id":"a","text":7}"#, "bad_frame", Some("a")),
            (r#"{"type":"send","id":"a","text":" 　\n"}"#, "empty_message", Some("a")),
            (r#"{"type":"send","id":"a","text":"\u200b\u0000"}"#, "empty_message", Some("a")),
            (r#"{"type":"send","id":"a","text":"123456789012345678901"}"#, "message_too_long", Some("a")),
            (r#"{"type":"stop"}"#, "bad_id", None),
            (r#"{"type":"stop","turn":"../x"}"#, "bad_id", None),
            (r#"{"type":"resume","turn":"t","after":-1}"#, "bad_frame", None),
            (r#"{"type":"resume","turn":"t","after":"1"}"#, "bad_frame", None),
        ];
        for (raw, code, id) in cases {
            let refusal = parse(raw, MAX).unwrap_err();
            assert_eq!((refusal.code, refusal.id.as_deref()), (code, id), "{raw}");
        }
    }

    #[test]
    fn a_message_is_counted_in_characters_not_bytes() {
        let text = "犬".repeat(MAX);
        assert!(parse(&format!(r#"{{"type":"send","id":"a","text":"{text}"}}"#), MAX).is_ok());
        let paste = "x".repeat(3_000_000);
        let refusal = parse(&format!(r#"{{"type":"send","id":"a","text":"{paste}"}}"#), MAX).unwrap_err();
        assert_eq!(refusal.code, "message_too_long");
    }

    proptest! {
        #[test]
        fn no_input_panics(raw in ".{0,200}") {
            let _ = parse(&raw, MAX);
        }

        #[test]
        fn no_json_panics(kind in "send|stop|retry|resume|x", id in ".{0,70}", text in ".{0,40}", after in any::<i64>()) {
            let raw = serde_json::json!({"type": kind, "id": id, "text": text, "turn": id, "after": after});
            let _ = parse(&raw.to_string(), MAX);
        }
    }
}
