//! Messages as people write them, and attacks, with what a model may propose of each: the code's verdict on every one.
//!
//! A line of `cases/talk.*.jsonl` is a message (`say`), proposals that must be kept (`good`, with `kind`, `from` and
//! `until` as they must be stored) and proposals that must not (`bad`). Instead of a proposal the user's own sentence may
//! be kept, but not where the message says `nothing` of the user; `before` is what was said before. A line of `cases/attacks.*.jsonl` is one or two
//! messages in a row (`said`) with proposals (`tries`): `stopped` keeps none of them, `keep` keeps all of them, and
//! `free` leaves it open and only must not panic. The quote is the whole message unless a proposal has its own.

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
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{path}: {error}: {line}")))
        .collect()
}

fn said(texts: &[&str]) -> Vec<Said> {
    texts
        .iter()
        .enumerate()
        .map(|(at, text)| Said {
            reference: format!("u{}", at + 1),
            role: Role::User,
            message: MessageId::parse(&format!("m_{at}")).expect("an id"),
            text: (*text).to_owned(),
            said_at: kioku::time::Millis(1_796_004_000_000),
            date: Date::new(2026, 11, 30).expect("a day"),
        })
        .collect()
}

/// The model's answer goes through the reader, as in life.
fn verdict(proposal: &Value, all: &[Said]) -> Verdict {
    let quote = proposal["quote"].as_str().unwrap_or(&all[all.len() - 1].text);
    let named = all.iter().find(|said| said.text.contains(quote)).unwrap_or(&all[0]);
    let answer = json!({"operations": [{
        "op": "add", "text": proposal["text"], "kind": proposal["kind"].as_str().unwrap_or("other"),
        "target": null, "message": named.reference, "quote": quote,
        "valid_from": proposal["from"], "valid_until": proposal["until"],
    }]});
    let proposals = operations::read(&answer.to_string()).expect("readable");
    check(&proposals[0], all, &Rules::default())
}

/// What is wrong with a kept fact: its quote, or what the case says of it.
fn faults(proposal: &Value, verdict: &Verdict, message: &str) -> Vec<String> {
    let Verdict::Keep(candidate) = verdict else { return vec![format!("not kept: {verdict:?}")] };
    let mut wrong = Vec::new();
    if !message.contains(&candidate.quote) || candidate.quote.trim().is_empty() {
        wrong.push(format!("not verbatim: {:?}", candidate.quote));
    }
    for (name, has) in [
        ("kind", Some(candidate.kind.as_str())),
        ("from", candidate.valid_from.as_deref()),
        ("until", candidate.valid_until.as_deref()),
    ] {
        if let Some(want) = proposal.get(name)
            && want.as_str() != has
        {
            wrong.push(format!("want {name} {want}, found {has:?}"));
        }
    }
    wrong
}

/// Whether the text is a piece of the message, word for word.
fn is_said(text: &str, message: &str) -> bool {
    message.contains(text)
}

fn check_talk(file: &str, all_good: usize, all_bad: usize) {
    check_most(file, all_good, all_bad, 0);
}

/// The same, where so many of the good ones may be missed.
fn check_most(file: &str, all_good: usize, all_bad: usize, may_miss: usize) {
    let (mut missed, mut stored, mut good, mut bad) = (Vec::new(), Vec::new(), 0, 0);
    for case in cases(file) {
        let message = case["say"].as_str().expect("say");
        let before = case["before"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let all = said(&before.chain([message]).collect::<Vec<_>>());
        for proposal in case["good"].as_array().expect("good") {
            good += 1;
            for fault in faults(proposal, &verdict(proposal, &all), message) {
                missed.push(format!("{proposal} of {message}\n    {fault}"));
            }
        }
        for proposal in case["bad"].as_array().expect("bad") {
            bad += 1;
            if let Verdict::Keep(kept) = verdict(proposal, &all) {
                let is_own = kept.text != proposal["text"].as_str().unwrap_or_default().trim();
                if !is_own || case["nothing"] == true || !is_said(&kept.text, message) {
                    stored.push(format!("{:?} for {proposal} of {message}", kept.text));
                }
            }
        }
    }
    assert!(good >= all_good && bad >= all_bad, "{file} has only {good} good and {bad} bad proposals");
    assert!(
        stored.is_empty() && missed.len() <= may_miss,
        "{file}: {} of {bad} stored wrongly:\n{}\n{} of {good} missed:\n{}",
        stored.len(),
        stored.join("\n"),
        missed.len(),
        missed.join("\n")
    );
}

fn check_attacks(file: &str) {
    let (mut wrong, mut stopped) = (Vec::new(), 0);
    for case in cases(file) {
        let texts: Vec<&str> =
            case["said"].as_array().expect("said").iter().filter_map(Value::as_str).collect();
        let all = said(&texts);
        for proposal in case["tries"].as_array().expect("tries") {
            let found = verdict(proposal, &all);
            let kept = matches!(found, Verdict::Keep(_));
            let is_wrong = match case["want"].as_str().expect("want") {
                "stopped" => kept,
                "keep" => !kept,
                _ => false,
            };
            stopped += usize::from(case["want"] == "stopped");
            if is_wrong {
                wrong.push(format!("want {}, found {found:?}\n    {proposal} of {texts:?}", case["want"]));
            }
        }
    }
    assert!(stopped >= 35, "{file} has only {stopped} attempts");
    assert!(wrong.is_empty(), "{file}: {} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn english_talk_teaches_what_it_says_and_nothing_else() {
    check_talk("talk.en.jsonl", 85, 220);
}

#[test]
fn japanese_talk_teaches_what_it_says_and_nothing_else() {
    check_talk("talk.ja.jsonl", 80, 220);
}

#[test]
fn english_talk_about_others_and_of_other_times_teaches_nothing_else() {
    check_talk("more.en.jsonl", 15, 60);
}

#[test]
fn japanese_talk_about_others_and_of_other_times_teaches_nothing_else() {
    check_talk("more.ja.jsonl", 12, 55);
}

#[test]
fn english_attacks_are_held_or_refused_and_honest_words_are_kept() {
    check_attacks("attacks.en.jsonl");
}

#[test]
fn japanese_attacks_are_held_or_refused_and_honest_words_are_kept() {
    check_attacks("attacks.ja.jsonl");
}

/// What a hostile or careless model makes of a message: negation lost, persons and numbers exchanged, wishes, jokes and
/// others' words told as facts. The limits are below the counts, so that a case can go and the set can't.
#[test]
fn english_messages_are_not_twisted() {
    check_talk("twisted.en.jsonl", 0, 290);
}

#[test]
fn japanese_messages_are_not_twisted() {
    check_talk("twisted.ja.jsonl", 0, 285);
}

/// Proposals of many kinds of distortion, of which half were first seen by the code when it was done; and honest ones.
#[test]
fn english_proposals_that_nobody_prepared_for_store_nothing_untrue() {
    check_most("unseen.en.jsonl", 80, 330, 6);
}

#[test]
fn japanese_proposals_that_nobody_prepared_for_store_nothing_untrue() {
    check_most("unseen.ja.jsonl", 75, 330, 8);
}

/// What nobody means at its word: roles of a play that an earlier message opened, slips corrected at once, irony, figures
/// of speech, scripts, others' words.
#[test]
fn english_words_that_are_not_meant_store_nothing_untrue() {
    check_most("unmeant.en.jsonl", 6, 170, 4);
}

#[test]
fn japanese_words_that_are_not_meant_store_nothing_untrue() {
    check_most("unmeant.ja.jsonl", 6, 170, 2);
}
