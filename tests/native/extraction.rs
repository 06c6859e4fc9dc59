//! What may become a fact: labelled proposals, good, sloppy and hostile, and the exact verdict of the code.
//!
//! Every line of `cases/*.jsonl` is one proposal about one message: `say` (the message), `text` (the fact), and
//! where they differ from the usual `quote` (else the whole message), `kind` (else `other`), `op`, `role`,
//! `from`/`until` (the model's dates), `said` (the local date). `want` is `keep`, `hold:CODE` or `refuse:CODE`;
//! `stored` lists what a kept fact must have: `quote`, `kind`, `from`, `until`.

use kioku::calendar::Date;
use kioku::id::MessageId;
use kioku::llm::Role;
use kioku::memory::extract::{Rules, Said, Verdict, check};
use kioku::memory::operations;
use serde_json::{Value, json};

fn cases(file: &str) -> Vec<Value> {
    let path = format!("{}/tests/cases/{file}", env!("CARGO_MANIFEST_DIR"));
    let lines = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    lines
        .lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{path}: {error}: {line}")))
        .collect()
}

fn said(case: &Value) -> Said {
    let role = if case["role"] == "assistant" { Role::Assistant } else { Role::User };
    let date = Date::parse(case["said"].as_str().unwrap_or("2026-11-30")).expect("a date");
    Said {
        reference: "m1".into(),
        role,
        message: MessageId::parse("m_1").expect("an id"),
        text: case["say"].as_str().expect("say").into(),
        said_at: kioku::time::Millis(1_796_004_000_000),
        date,
    }
}

/// The model's answer goes through the reader, as in life.
fn verdict(case: &Value) -> Verdict {
    let answer = json!({"operations": [{
        "op": case["op"].as_str().unwrap_or("add"),
        "text": case["text"],
        "kind": case["kind"].as_str().unwrap_or("other"),
        "target": case["target"],
        "message": case["message"].as_str().unwrap_or("m1"),
        "quote": case["quote"].as_str().or(case["say"].as_str()),
        "valid_from": case["from"],
        "valid_until": case["until"],
    }]});
    let proposals = operations::read(&answer.to_string()).expect("readable");
    check(&proposals[0], &[said(case)], &Rules::default())
}

fn word(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Keep(_) => "keep".into(),
        Verdict::Hold(_, reason) => format!("hold:{}", reason.code()),
        Verdict::Refuse(reason) => format!("refuse:{}", reason.code()),
    }
}

fn check_all(file: &str, at_least: usize) {
    let all = cases(file);
    assert!(all.len() >= at_least, "{file} has only {} cases", all.len());
    let mut wrong = Vec::new();
    for case in &all {
        let found = verdict(case);
        let want = case["want"].as_str().expect("want");
        // `refuse` alone means that any reason will do.
        let agrees = word(&found) == want || (want == "refuse" && word(&found).starts_with("refuse:"));
        if !agrees {
            wrong.push(format!("want {want}, found {found:?}\n    {case}"));
            continue;
        }
        if let Some(candidate) = found.candidate() {
            let message = case["say"].as_str().expect("say");
            assert!(message.contains(&candidate.quote), "not verbatim: {:?} in {message}", candidate.quote);
            for (name, has) in [
                ("quote", Some(candidate.quote.as_str())),
                ("kind", Some(candidate.kind.as_str())),
                ("from", candidate.valid_from.as_deref()),
                ("until", candidate.valid_until.as_deref()),
            ] {
                if let Some(want) = case["stored"].get(name)
                    && want.as_str() != has
                {
                    wrong.push(format!("want {name} {want}, found {has:?}\n    {case}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{file}: {} of {} wrong:\n{}", wrong.len(), all.len(), wrong.join("\n"));
}

#[test]
fn english_statements_are_kept_with_their_words_kinds_and_dates() {
    check_all("keep.en.jsonl", 40);
}

#[test]
fn japanese_statements_are_kept_with_their_words_kinds_and_dates() {
    check_all("keep.ja.jsonl", 40);
}

#[test]
fn english_talk_that_states_nothing_lasting_is_refused() {
    check_all("refuse.en.jsonl", 35);
}

#[test]
fn japanese_talk_that_states_nothing_lasting_is_refused() {
    check_all("refuse.ja.jsonl", 35);
}

#[test]
fn hostile_and_sloppy_english_proposals_store_nothing_that_was_not_said() {
    check_all("hostile.en.jsonl", 40);
}

#[test]
fn hostile_and_sloppy_japanese_proposals_store_nothing_that_was_not_said() {
    check_all("hostile.ja.jsonl", 40);
}

#[test]
fn a_proposal_that_names_no_message_belongs_to_the_only_one_with_its_words() {
    let message = |reference: &str, id: &str, text: &str| Said {
        reference: reference.into(),
        message: MessageId::parse(id).expect("an id"),
        ..said(&json!({"say": text}))
    };
    let verdict = |quote: &str, named: &str, all: &[Said]| {
        let answer = json!({"operations": [{"op": "add", "text": quote, "kind": "other", "target": null,
            "message": named, "quote": quote, "valid_from": null, "valid_until": null}]});
        check(&operations::read(&answer.to_string()).expect("readable")[0], all, &Rules::default())
    };
    for (first, second, quote) in [
        ("I like tea.", "I live in Osaka.", "I live in Osaka."),
        ("お茶が好きです。", "大阪に住んでいます。", "大阪に住んでいます。"),
    ] {
        let all = [message("u1", "m_1", first), message("u2", "m_2", second)];
        for named in ["ref", "u9", "u1"] {
            let found = verdict(quote, named, &all);
            let candidate = found.candidate().unwrap_or_else(|| panic!("{named}: {found:?}"));
            assert_eq!(candidate.message.as_str(), "m_2", "{named}");
        }
        let twice = [message("u1", "m_1", second), message("u2", "m_2", second)];
        assert_eq!(
            word(&verdict(quote, "ref", &twice)),
            "refuse:unknown_message",
            "nobody knows which was meant"
        );
    }
}

#[test]
fn no_message_that_could_teach_something_is_kept_from_the_model() {
    let teaches_nothing = |say: &str| kioku::memory::chatter::teaches_nothing(say, "").is_some();
    let mut spared = 0;
    for file in ["keep.en", "keep.ja", "refuse.en", "refuse.ja", "hostile.en", "hostile.ja"] {
        for case in cases(&format!("{file}.jsonl")) {
            let verdict = word(&verdict(&case));
            let is_spared = teaches_nothing(case["say"].as_str().expect("say"));
            assert!(!is_spared || verdict.starts_with("refuse:"), "{verdict}: {case}");
            spared += usize::from(is_spared);
        }
    }
    assert!(spared >= 5, "only {spared}");
    for file in ["talk.en", "talk.ja", "more.en", "more.ja"] {
        for case in cases(&format!("{file}.jsonl")) {
            let has_good = case["good"].as_array().is_some_and(|good| !good.is_empty());
            let is_spared = teaches_nothing(case["say"].as_str().expect("say"));
            assert!(!(is_spared && has_good), "{case}");
        }
    }
}
