//! JSON as servers and models write it: strictly, or with what Python and JavaScript call values.

use serde_json::Value;

/// The one value of the text, mended if it isn't strict JSON.
pub fn parse(text: &str) -> Option<Value> {
    let text = text.trim_start_matches('\u{feff}');
    serde_json::from_slice(text.as_bytes())
        .ok()
        .or_else(|| serde_json::from_slice(mended(text).as_bytes()).ok())
}

/// The text with strings in double quotes, control characters in them escaped and halves of characters replaced, and
/// with words for values that JSON has or lacks. Nothing is closed and nothing left out.
pub fn mended(text: &str) -> String {
    let mut output = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let taken = match c {
            '"' | '\'' => string(rest, c, &mut output),
            _ if c.is_ascii_alphabetic() || c == '-' => word(rest, &mut output),
            _ => {
                output.push(c);
                c.len_utf8()
            }
        };
        rest = rest.get(taken..).unwrap_or_default();
    }
    output
}

fn word(rest: &str, output: &mut String) -> usize {
    let end = rest.find(|c: char| !c.is_ascii_alphabetic() && c != '-').unwrap_or(rest.len());
    let word = rest.get(..end).unwrap_or_default();
    output.push_str(match word {
        "NaN" | "nan" | "Infinity" | "-Infinity" | "inf" | "-inf" | "None" | "undefined" => "null",
        "True" => "true",
        "False" => "false",
        other => other,
    });
    end
}

/// A string from its opening quote on; one that never closes stays open.
fn string(rest: &str, quote: char, output: &mut String) -> usize {
    output.push('"');
    let mut at = quote.len_utf8();
    while let Some(c) = rest.get(at..).and_then(|rest| rest.chars().next()) {
        at += c.len_utf8();
        match c {
            _ if c == quote => {
                output.push('"');
                break;
            }
            '"' => output.push_str("\\\""),
            '\\' => at += escape(rest.get(at..).unwrap_or_default(), output),
            '\n' => output.push_str("\\n"),
            '\t' => output.push_str("\\t"),
            c if c.is_control() => {}
            c => output.push(c),
        }
    }
    at
}

/// What follows a backslash, and its length.
fn escape(rest: &str, output: &mut String) -> usize {
    let unit = |from: usize| {
        let digits = rest.get(from..from + 4)?;
        u16::from_str_radix(digits, 16).ok()
    };
    match rest.chars().next() {
        Some('\'') => output.push('\''),
        Some('u') => {
            let (first, second) =
                (unit(1), rest.get(5..7).filter(|next| *next == "\\u").and_then(|_| unit(7)));
            return match (first, second) {
                (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => {
                    output.push('\\');
                    output.push_str(rest.get(..11).unwrap_or_default());
                    11
                }
                (Some(0xd800..=0xdfff), _) => {
                    output.push(char::REPLACEMENT_CHARACTER);
                    5
                }
                _ => {
                    output.push_str("\\u");
                    1
                }
            };
        }
        Some(c) => {
            output.push('\\');
            output.push(c);
            return c.len_utf8();
        }
        None => output.push('\\'),
    }
    1
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn what_servers_and_models_write_for_json_is_read() {
        for (text, value) in [
            (r#"{"a":NaN,"b":[-Infinity,1e-3]}"#, json!({"a": null, "b": [null, 0.001]})),
            (
                r#"{'a': None, 'b': True, 'c': "it's", 'd': 'say "x"', 'e': 'l\'été'}"#,
                json!({"a": null, "b": true, "c": "it's", "d": "say \"x\"", "e": "l'été"}),
            ),
            ("{\"a\":\"x\ny\tz\"}", json!({"a": "x\ny\tz"})),
            (
                r#"{"a":"\ud83d","b":"\ud83d\ude00","c":"\u00e9\\u"}"#,
                json!({"a": "\u{fffd}", "b": "😀", "c": "é\\u"}),
            ),
            ("\u{feff}{\"犬\":'ポチ'}", json!({"犬": "ポチ"})),
        ] {
            assert_eq!(parse(text), Some(value), "{text}");
        }
    }

    #[test]
    fn words_inside_strings_stay_as_they_are() {
        let text = r#"{"a": NaN, "b": "None of it is True, 'NaN' -Infinity"}"#;
        assert_eq!(parse(text), Some(json!({"a": null, "b": "None of it is True, 'NaN' -Infinity"})));
    }

    #[test]
    fn what_is_cut_or_no_json_stays_unread() {
        for text in ["", "{", "{\"a\":\"b", "nothing", "{'a': 'don't'}", "[1,", "\\", "'\\", "\"\\ud8"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn nothing_panics_and_strict_json_means_the_same(text in "[\\[\\]{}\"',:\\\\u0d8Na\n 犬-]{0,40}") {
            if let Ok(strict) = serde_json::from_str::<Value>(&text) {
                prop_assert_eq!(serde_json::from_str::<Value>(&mended(&text)).ok(), Some(strict));
            }
            let _ = parse(&text);
        }
    }
}
