//! From what a provider says went wrong to what the caller can do next.
//!
//! Only status numbers and error codes are read. A provider's message may quote the conversation, so it is never
//! kept, shown or logged.

use serde_json::Value;

use super::ModelFailure;
use crate::calendar;
use crate::time::{DAY, Millis, SECOND};

/// The failure behind an answer whose status isn't 2xx. `retry_after` is that header: seconds or an HTTP date.
pub fn from_status(status: u16, retry_after: Option<&str>, now: Millis) -> ModelFailure {
    let retry_after_ms = retry_after.and_then(|value| retry_after_ms(value, now));
    match status {
        429 => ModelFailure::Busy { retry_after_ms },
        // The provider's own deadline passed. No automatic retry of a 4xx, but the user's retry has a chance.
        408 => ModelFailure::Stalled,
        300..500 => ModelFailure::Refused { status },
        500.. => ModelFailure::Unavailable { status: Some(status), retry_after_ms },
        _ => ModelFailure::Garbled("an unexpected status"),
    }
}

/// The failure that a body or a streamed event reports; `None` if it reports none.
///
/// Reads `{"error":{"code","type","message"}}` with a number or a word as code, `{"error":"text"}` and
/// `{"object":"error","code":400}`.
pub fn from_error_object(body: &Value) -> Option<ModelFailure> {
    let error = match body.get("error").filter(|error| says_something(error)) {
        None if body.get("object").and_then(Value::as_str) == Some("error") => body,
        None => return None,
        Some(error) => error,
    };
    let number = ["code", "status", "status_code"].iter().find_map(|key| error.get(*key).and_then(status_in));
    if let Some(status) = number {
        return Some(from_status(status, None, Millis(0)));
    }
    let words =
        ["code", "type"].map(|key| error.get(key).and_then(Value::as_str).unwrap_or("").to_ascii_lowercase());
    let says = |parts: &[&str]| words.iter().any(|word| parts.iter().any(|part| word.contains(part)));
    Some(if says(&["insufficient_quota", "billing"]) {
        // It comes as a 429, but waiting doesn't fill an account.
        ModelFailure::Refused { status: 402 }
    } else if says(&["rate_limit", "too_many_requests"]) {
        ModelFailure::Busy { retry_after_ms: None }
    } else if says(&["auth", "permission", "api_key"]) {
        ModelFailure::Refused { status: 401 }
    } else if says(&["not_found"]) {
        ModelFailure::Refused { status: 404 }
    } else if says(&["invalid", "bad_request", "badrequest", "context_length", "exceed"]) {
        ModelFailure::Refused { status: 400 }
    } else {
        ModelFailure::Unavailable { status: None, retry_after_ms: None }
    })
}

/// Some servers write the absence of an error as an empty one.
fn says_something(error: &Value) -> bool {
    match error {
        Value::Null | Value::Bool(false) => false,
        Value::String(text) => !text.is_empty(),
        Value::Object(fields) => !fields.is_empty(),
        _ => true,
    }
}

fn status_in(code: &Value) -> Option<u16> {
    let number = match code {
        Value::Number(number) => number.as_u64(),
        Value::String(text) => text.parse().ok(),
        _ => None,
    };
    number.and_then(|n| u16::try_from(n).ok()).filter(|n| (400..600).contains(n))
}

/// Milliseconds to wait, at most a day; `None` for a value that is neither seconds nor a date.
fn retry_after_ms(value: &str, now: Millis) -> Option<i64> {
    let value = value.trim();
    if value.starts_with(|c: char| c.is_ascii_digit()) {
        return seconds(value);
    }
    Some(calendar::http_date(value)?.since(now).min(DAY))
}

/// `7` and `0.5` in milliseconds, at most a day. The library's reading of fractions brings a table of 10 KB.
fn seconds(value: &str) -> Option<i64> {
    let (whole, fraction) = value.split_once('.').unwrap_or((value, ""));
    if !(whole.bytes().chain(fraction.bytes()).all(|b| b.is_ascii_digit())) {
        return None;
    }
    let whole = whole.parse::<i64>().unwrap_or(DAY).min(DAY);
    let thousandths =
        fraction.bytes().chain(*b"000").take(3).fold(0, |sum, digit| sum * 10 + i64::from(digit - b'0'));
    Some((whole * SECOND + thousandths).min(DAY))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const NOW: Millis = Millis(784_111_770_000); // 1994-11-06T08:49:30Z

    #[test]
    fn a_provider_that_says_when_is_asked_then() {
        let wait = |header| from_status(429, Some(header), NOW);
        let busy = |retry_after_ms| ModelFailure::Busy { retry_after_ms };
        assert_eq!(wait("7"), busy(Some(7000)));
        assert_eq!(wait(" 0.5 "), busy(Some(500)));
        assert_eq!(wait("Sun, 06 Nov 1994 08:49:37 GMT"), busy(Some(7000)));
        assert_eq!(wait("Sun, 06 Nov 1994 08:49:00 GMT"), busy(Some(0)));
        assert_eq!(wait("99999999999999999999"), busy(Some(DAY)));
        for nonsense in ["", "soon", "-3", "NaN", "inf", "7 apples", "明日"] {
            assert_eq!(wait(nonsense), busy(None), "{nonsense:?}");
        }
    }

    #[test]
    fn only_429_and_5xx_are_asked_again_by_themselves() {
        for status in 200..600 {
            let retried = from_status(status, None, NOW).backoff(0).is_some();
            assert_eq!(retried, status == 429 || status >= 500, "{status}");
        }
    }

    #[test]
    fn an_error_object_is_read_by_its_code_and_never_by_its_message() {
        let read = |value| from_error_object(&value).map(|failure| failure.code());
        assert_eq!(read(json!({"error": {"code": 429, "message": "x"}})), Some("model_busy"));
        assert_eq!(read(json!({"error": {"code": "502"}})), Some("model_unavailable"));
        assert_eq!(read(json!({"error": {"type": "rate_limit_error"}})), Some("model_busy"));
        assert_eq!(
            read(json!({"error": {"code": "insufficient_quota", "type": "x"}})),
            Some("model_refused")
        );
        assert_eq!(
            read(json!({"error": {"type": "invalid_request_error", "code": null}})),
            Some("model_refused")
        );
        assert_eq!(read(json!({"error": "out of memory"})), Some("model_unavailable"));
        assert_eq!(read(json!({"object": "error", "code": 400})), Some("model_refused"));
        assert_eq!(read(json!({"error": null, "choices": []})), None);
        assert_eq!(read(json!("error")), None);
        for none in [json!(""), json!({}), json!(false)] {
            assert_eq!(read(json!({"error": none, "choices": []})), None);
        }
    }
}
