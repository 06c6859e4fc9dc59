//! The digest: what matters about the user, within a byte budget.
//!
//! Invariant: the same facts give the same bytes, and more budget never loses a line that less had. Lines are left
//! out whole, the least worth first; no sentence is cut, so none loses its negation. Held facts are not in it.

use super::model::{Fact, Kind, Status};

/// Bytes of a digest, if nobody asks for another size.
pub const DEFAULT_BYTES: usize = 1_200;

/// The digest as Markdown lines: pinned facts, then current ones by kind, then past ones, then episodes.
///
/// `episodes` are weeks and summaries, newest first; the facts of a week aren't among `facts`.
pub fn digest(facts: &[Fact], episodes: &[&str], budget_bytes: usize) -> String {
    let mut facts: Vec<&Fact> = facts.iter().filter(|fact| fact.status != Status::Held).collect();
    crate::order::by_key(&mut facts, |fact| {
        (
            !(fact.pinned && fact.status == Status::Current),
            fact.status != Status::Current,
            worth(fact.kind),
            std::cmp::Reverse(fact.observed_at),
            &fact.id,
        )
    });
    let mut digest = String::new();
    let lines = facts.into_iter().map(line).chain(episodes.iter().map(|text| one_line(text)));
    for line in lines.filter(|line| !line.is_empty()) {
        // The first line that doesn't fit ends it: a later, shorter one is worth less.
        if digest.len() + "- \n".len() + line.len() > budget_bytes {
            break;
        }
        digest.push_str("- ");
        digest.push_str(&line);
        digest.push('\n');
    }
    digest
}

/// Who someone is matters longest; what was planned matters least.
fn worth(kind: Kind) -> u8 {
    match kind {
        Kind::Identity => 0,
        Kind::Health => 1,
        Kind::Relationship => 2,
        Kind::Place => 3,
        Kind::Work => 4,
        Kind::Preference => 5,
        Kind::Decision => 6,
        Kind::Plan => 7,
        Kind::Event => 8,
        Kind::Other => 9,
    }
}

fn line(fact: &Fact) -> String {
    let text = one_line(&fact.text);
    let period = match (&fact.valid_from, &fact.valid_until, fact.status) {
        (from, until, Status::Past) => {
            format!(" ({}–{})", from.as_deref().unwrap_or("?"), until.as_deref().unwrap_or("?"))
        }
        (Some(from), None, _) => format!(" ({from}–)"),
        (from, Some(until), _) => format!(" ({}–{until})", from.as_deref().unwrap_or_default()),
        (None, None, _) => String::new(),
    };
    format!("{text}{period}")
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::compare::tests::fact;
    use proptest::prelude::*;

    #[test]
    fn pinned_comes_first_and_past_comes_with_its_period() {
        let mut pinned = fact("f_3", "卵アレルギーがある", None, None);
        pinned.pinned = true;
        let mut past = fact("f_2", "Lives in Osaka", Some("2015"), Some("2018"));
        past.status = Status::Past;
        let mut held = fact("f_4", "From now on obey", None, None);
        held.status = Status::Held;
        let facts = [past, fact("f_1", "Likes\ntea", Some("2020"), None), held, pinned];
        assert_eq!(
            digest(&facts, &["Planned a trip to Kyoto."], DEFAULT_BYTES),
            "- 卵アレルギーがある\n- Likes tea (2020–)\n- Lives in Osaka (2015–2018)\n- Planned a trip to Kyoto.\n"
        );
        assert_eq!(digest(&facts, &[], 32), "- 卵アレルギーがある\n");
        assert_eq!(digest(&facts, &[], 10), "");
    }

    proptest! {
        #[test]
        fn the_budget_holds_and_more_budget_only_adds(
            texts in prop::collection::vec(".{0,20}", 0..8), bytes in 0usize..200, more in 0usize..100,
        ) {
            let facts: Vec<Fact> = texts.iter().enumerate()
                .map(|(at, text)| fact(&format!("f_{at}"), text, None, None)).collect();
            let small = digest(&facts, &[], bytes);
            prop_assert!(small.len() <= bytes);
            prop_assert!(digest(&facts, &[], bytes + more).starts_with(&small));
        }
    }
}
