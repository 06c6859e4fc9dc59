//! Reads the JSON in a model's answer: fenced, wrapped in prose, with trailing commas or cut off.
//!
//! Invariant: nothing is made up. A value that was cut in the middle is dropped with the object it belongs to,
//! because half a sentence may be the opposite of the whole one ("I like … not").

use serde_json::Value;

use crate::llm::json::{mended, parse};
use crate::llm::thoughts::behind_all;
use crate::text::prefix;

/// Longer answers than this don't come from any schema of ours.
const MAX_BYTES: usize = 256 * 1024;
/// Openers that are tried before the answer counts as prose.
const MAX_STARTS: usize = 12;

/// The first object or list in the answer, after at most one repair; `None` if there is none.
pub fn read(answer: &str) -> Option<Value> {
    let answer = behind_all(prefix(answer, MAX_BYTES)).trim();
    match parse(answer) {
        Some(value) if value.is_object() || value.is_array() => return Some(value),
        // Some models write the document as a string.
        Some(Value::String(document)) => return parse(&document).filter(|value| !value.is_string()),
        _ => {}
    }
    let starts: Vec<usize> = answer
        .match_indices(['{', '['])
        .map(|(at, _)| at)
        .filter(|&at| opens_json(answer, at))
        .take(MAX_STARTS)
        .collect();
    // The outermost opener first, repaired if need be, before anything inside it counts as the answer.
    starts.iter().filter_map(|&at| answer.get(at..)).find_map(|tail| {
        first_value(tail).or_else(|| serde_json::from_slice(repaired(&mended(tail))?.as_bytes()).ok())
    })
}

fn opens_json(answer: &str, at: usize) -> bool {
    let next = answer.get(at + 1..).unwrap_or_default().trim_start().chars().next();
    match next {
        Some('"' | '\'' | '}' | ']' | '{' | '[') => true,
        Some(c) => {
            answer.get(at..).is_some_and(|tail| tail.starts_with('[')) && (c.is_ascii_digit() || c == '-')
        }
        None => false,
    }
}

fn first_value(tail: &str) -> Option<Value> {
    serde_json::Deserializer::from_slice(tail.as_bytes()).into_iter::<Value>().next()?.ok()
}

/// What is complete before the text was cut: how much of the output, and which brackets were open there.
struct Complete {
    output: usize,
    open: Vec<char>,
}

/// The text with trailing commas removed, and a cut-off tail closed behind the last complete value.
fn repaired(tail: &str) -> Option<String> {
    let mut output = String::with_capacity(tail.len());
    let mut open: Vec<char> = Vec::new();
    let mut complete: Option<Complete> = None;
    let mut in_string = false;
    let mut escaped = false;
    // Whether the string being read is a value rather than a key.
    let mut after_colon = false;
    for c in tail.chars() {
        if in_string {
            match c {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '"' => in_string = false,
                _ => {}
            }
            output.push(c);
            if !in_string && (after_colon || open.last() == Some(&']')) {
                complete = Some(Complete { output: output.len(), open: open.clone() });
                after_colon = false;
            }
            continue;
        }
        match c {
            '"' => {
                in_string = true;
                output.push(c);
            }
            '{' | '[' => {
                open.push(if c == '{' { '}' } else { ']' });
                after_colon = false;
                output.push(c);
                if open.len() > 32 {
                    return None;
                }
            }
            '}' | ']' => {
                if open.pop() != Some(c) {
                    return None;
                }
                let kept = output.trim_end().trim_end_matches(',').len();
                output.truncate(kept);
                output.push(c);
                if open.is_empty() {
                    return Some(output);
                }
                complete = Some(Complete { output: output.len(), open: open.clone() });
            }
            _ => {
                after_colon = match c {
                    ':' => true,
                    ',' => false,
                    _ => after_colon,
                };
                output.push(c);
            }
        }
    }
    let mut complete = complete?;
    output.truncate(complete.output);
    while let Some(bracket) = complete.open.pop() {
        output.push(bracket);
    }
    Some(output)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn fences_prose_thoughts_and_trailing_commas_are_tolerated() {
        let want = json!({"query": "京都 ホテル"});
        for answer in [
            "{\"query\":\"京都 ホテル\"}",
            "```json\n{\"query\": \"京都 ホテル\"}\n```",
            "Sure! Here is {the} JSON: {\"query\":\"京都 ホテル\",} Hope it helps.",
            "<think>{\"query\":\"no\"}</think>{\"query\":\"京都 ホテル\"}",
            "[THINK]{\"query\":\"no\"}[/THINK]{\"query\":\"京都 ホテル\"}",
            "考え中 {\"query\":\"no\"} </thinking>{\"query\":\"京都 ホテル\"}",
            "{\"query\":\"京都 ホテル\"",
            "{\"query\":\"京都 ホテル\", \"ru",
        ] {
            assert_eq!(read(answer).as_ref(), Some(&want), "{answer}");
        }
        assert_eq!(read("[{\"op\":\"add\"},]"), Some(json!([{"op": "add"}])));
        assert_eq!(read("{\"a\":\"x\ny\"}"), Some(json!({"a": "x\ny"})));
        assert_eq!(
            read("Here's it: {'query': '京都', 'n': None,}"),
            Some(json!({"query": "京都", "n": null}))
        );
        assert_eq!(read(&json!(want.to_string()).to_string()), Some(want), "a document in a string");
    }

    #[test]
    fn a_value_that_was_cut_is_dropped_and_not_closed() {
        assert_eq!(read("{\"summary\":\"I like cats, but my wi"), None);
        let cut = "{\"operations\":[{\"op\":\"add\",\"text\":\"a\"},{\"op\":\"add\",\"text\":\"I lik";
        assert_eq!(read(cut), Some(json!({"operations": [{"op": "add", "text": "a"}, {"op": "add"}]})));
        assert_eq!(
            read("{\"operations\":["),
            None,
            "a list that was cut before its first value isn't an empty one"
        );
    }

    #[test]
    fn prose_and_bare_words_are_no_json() {
        for answer in ["", "no", "42", "\"text\"", "{", "[", "{{{{", "[INST] hi", "}{", "{\"a\":}"] {
            assert_eq!(read(answer), None, "{answer}");
        }
        assert_eq!(read(&"[".repeat(100_000)), None);
    }

    proptest! {
        #[test]
        fn no_answer_panics(answer in "[\\[\\]{}\",:a1\\\\\n 日-]{0,60}") {
            let _ = read(&answer);
        }

        #[test]
        fn every_cut_of_a_good_answer_gives_only_values_of_that_answer(cut in 0usize..200) {
            let good = "{\"operations\":[{\"op\":\"add\",\"text\":\"猫が好きではない\"},{\"op\":\"forget\",\"text\":\"b\"}]}";
            if let Some(value) = read(crate::text::prefix(good, cut)) {
                for op in value["operations"].as_array().into_iter().flatten() {
                    for text in op.as_object().into_iter().flat_map(serde_json::Map::values) {
                        prop_assert!(["add", "猫が好きではない", "forget", "b"].contains(&text.as_str().unwrap()));
                    }
                }
            }
        }
    }
}
