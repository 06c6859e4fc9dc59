//! Ordinary self-statements, from the built-in model's proposals through the reader and the checks to kept facts.
//!
//! Every line of `cases/said.*.jsonl` is a message (`say`) and the facts that must be kept of it (`kept`), all of
//! them and no others; `from` is the date of the first. What the model proposes and the checks refuse is an error
//! of one of the two.

use kioku::calendar::Date;
use kioku::id::MessageId;
use kioku::llm::embedded::complete;
use kioku::llm::{ChatMessage, Prompt, Role, Schema};
use kioku::memory::extract::{Rules, Said, Verdict, check};
use kioku::memory::operations;
use serde_json::{Value, json};

const SAID_AT: &str = "2026-11-30T02:00:00Z";

/// The kept facts with their dates, and the proposals that were refused or held, with the reasons.
fn learn(message: &str) -> (Vec<(String, Option<String>)>, Vec<String>) {
    let input = json!({"type": "extraction_input", "now": SAID_AT, "timezone": "Asia/Tokyo", "existing": [],
        "messages": [{"ref": "m1", "role": "user", "text": message, "said_at": SAID_AT}]});
    let prompt = Prompt {
        messages: vec![ChatMessage { role: Role::User, content: input.to_string() }],
        max_tokens: 1_000,
        schema: Some(Schema { name: "memory_operations", schema: String::new(), composes: false }),
    };
    let said = Said {
        reference: "m1".into(),
        role: Role::User,
        message: MessageId::parse("m_1").expect("an id"),
        text: message.into(),
        said_at: kioku::time::Millis(1_796_004_000_000),
        date: Date::new(2026, 11, 30).expect("a day"),
    };
    let (mut kept, mut lost) = (Vec::new(), Vec::new());
    for proposal in operations::read(&complete(&prompt)).expect("the built-in model writes its own format") {
        match check(&proposal, std::slice::from_ref(&said), &Rules::default()) {
            Verdict::Keep(candidate) => kept.push((candidate.text, candidate.valid_from)),
            other => lost.push(format!("{:?}: {other:?}", proposal.text)),
        }
    }
    (kept, lost)
}

fn check_all(file: &str, at_least: usize) {
    let path = format!("{}/tests/cases/{file}", env!("CARGO_MANIFEST_DIR"));
    let lines = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let cases: Vec<Value> = lines
        .lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{path}: {error}: {line}")))
        .collect();
    assert!(cases.len() >= at_least, "{file} has only {} cases", cases.len());
    let mut wrong = Vec::new();
    for case in &cases {
        let message = case["say"].as_str().expect("say");
        let wanted: Vec<&str> =
            case["kept"].as_array().expect("kept").iter().filter_map(Value::as_str).collect();
        let (kept, lost) = learn(message);
        let texts: Vec<&str> = kept.iter().map(|(text, _)| text.as_str()).collect();
        let from = kept.first().and_then(|(_, from)| from.as_deref());
        let dated = case.get("from").is_none_or(|wanted| wanted.as_str() == from);
        if texts != wanted || !lost.is_empty() || !dated {
            wrong.push(format!(
                "{message}\n    want {wanted:?}\n    kept {texts:?} from {from:?}\n    lost {lost:?}"
            ));
        }
    }
    assert!(wrong.is_empty(), "{file}: {} of {} wrong:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

#[test]
fn every_ordinary_english_statement_survives_the_whole_path() {
    check_all("said.en.jsonl", 300);
}

#[test]
fn every_ordinary_japanese_statement_survives_the_whole_path() {
    check_all("said.ja.jsonl", 300);
}
