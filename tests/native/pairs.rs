//! Labelled pairs of facts: what code tells about a new and an old one, in English and Japanese.

use kioku::id::{FactId, MessageId};
use kioku::memory::claim::claim;
use kioku::memory::compare::{Relation, relation};
use kioku::memory::model::{Candidate, Fact};
use kioku::time::Millis;

const PAIRS: &[(&str, &str)] =
    &[("en", include_str!("../cases/pairs.en.jsonl")), ("ja", include_str!("../cases/pairs.ja.jsonl"))];

#[derive(serde::Deserialize)]
struct Pair {
    want: String,
    new: String,
    old: String,
}

fn pairs() -> Vec<Pair> {
    PAIRS.iter().flat_map(|(_, text)| text.lines()).map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn told(new: &str, old: &str) -> Relation {
    let candidate = Candidate::new(MessageId::parse("m_new").unwrap(), new, Millis(2_000));
    let fact = Fact::new(FactId::parse("f_old").unwrap(), old, Millis(1_000));
    relation(&candidate, &fact)
}

fn word(relation: Relation) -> &'static str {
    match relation {
        Relation::Same => "same",
        Relation::Changed => "changed",
        Relation::Contradicts => "contradicts",
        Relation::Separate => "separate",
        Relation::Unsure => "unsure",
    }
}

/// That code can't tell costs a question to the judge; that it tells something else costs the truth.
#[test]
fn code_never_tells_what_is_not_so_and_tells_most_of_what_is() {
    let pairs = pairs();
    let mut wrong = Vec::new();
    let mut open = Vec::new();
    for pair in &pairs {
        let got = word(told(&pair.new, &pair.old));
        if got == pair.want {
            continue;
        }
        let shown = format!(
            "{} for {}: {} / {}\n    {:?}\n    {:?}",
            got,
            pair.want,
            pair.new,
            pair.old,
            claim(&pair.new),
            claim(&pair.old)
        );
        if got == "unsure" { open.push(shown) } else { wrong.push(shown) }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong\n{}\n{} open\n{}",
        wrong.len(),
        wrong.join("\n"),
        open.len(),
        open.join("\n")
    );
    assert!(open.len() * 20 <= pairs.len(), "{} of {} open\n{}", open.len(), pairs.len(), open.join("\n"));
}

#[test]
fn a_fact_is_the_same_as_itself_whoever_is_new() {
    for pair in pairs() {
        for text in [&pair.new, &pair.old] {
            assert_eq!(told(text, text), Relation::Same, "{text}");
        }
    }
}

/// Who was first decides which fact ends, not whether two facts are about the same.
#[test]
fn sameness_and_separateness_are_mutual() {
    for pair in pairs() {
        if matches!(pair.want.as_str(), "same" | "contradicts") {
            assert_eq!(word(told(&pair.old, &pair.new)), pair.want, "{} / {}", pair.old, pair.new);
        }
    }
}
