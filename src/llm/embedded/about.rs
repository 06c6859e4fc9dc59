//! Answers to questions about the user: from the facts that fit, else in the user's own words.

use super::answer::{Given, Known, MAX_QUESTION_BYTES, is_users, shown, told_before};
use super::input::text;
use super::question::{asks_tastes, content_terms, is_question, needs_object, overlap, slots};
use super::statement::{Slot, When, read, read_fact};
use super::wording;
use crate::llm::Role;
use crate::text::fold::fold;
use crate::text::language::Language;
use crate::text::phrase::contains_any;
use crate::text::{prefix, prefix_chars};
use crate::words;

/// The answer to a question about the user.
pub fn about(given: &Given, known: &[Known], asked: Language, folded: &str) -> String {
    let wants_past = contains_any(
        folded,
        words!["before", "used to", "previously", "did i live", "did i work", "前は", "以前", "昔", "前に"],
    );
    let slots = slots(folded);
    let wanted = content_terms(given.question);
    let asks_wording = contains_any(
        folded,
        words![
            "did i say",
            "have i said",
            "did i tell",
            "did i mention",
            "i told you",
            "i said",
            "言った",
            "言っていた",
            "言ってた",
            "話した",
            "話していた",
            "述べた",
        ],
    );
    let tastes = asks_tastes(folded);
    let mut found: Vec<(u32, &Known)> = known
        .iter()
        .filter_map(|fact| {
            let statement = read_fact(fact.text);
            let slot_fits = statement.as_ref().is_some_and(|s| slots.contains(&s.slot));
            let overlap = overlap(&wanted, fact.text);
            let is_past = fact.is_past || statement.is_some_and(|s| s.when == When::Past);
            // An attribute that is asked for by name needs no shared word; anything else does.
            let fits = if slots.is_empty() {
                overlap > 0
            } else {
                slot_fits && (wanted.is_empty() || overlap > 0 || !needs_object(&slots))
            };
            let is_other_taste = tastes.is_some_and(|likes| slot_fits && is_taste(fact, !likes));
            let fits = (fits || (overlap >= 2 && !slot_fits))
                && !is_other_taste
                && !misses_direction(given.question, fact.text);
            let at_time = !slots.is_empty() && is_past != wants_past && !needs_object(&slots);
            (fits && !at_time).then_some((overlap + 4 * u32::from(slot_fits), fact))
        })
        .collect();
    if let (true, Some(likes)) = (found.is_empty(), tastes) {
        found.extend(known.iter().filter(|fact| is_taste(fact, likes)).map(|fact| (1, fact)));
    }
    crate::order::by_key(&mut found, |(score, _)| std::cmp::Reverse(*score));
    let best = found.first().map_or(0, |(score, _)| *score);
    let mut lines: Vec<String> = found
        .iter()
        .filter(|(score, _)| *score * 2 >= best)
        .take(8)
        .map(|(_, fact)| shown(fact, asked))
        .collect();
    if lines.len() > 1 {
        for line in &mut lines {
            line.insert_str(0, "- ");
        }
    }
    if asks_wording || lines.is_empty() {
        lines.extend(quotes(given, &wanted, &slots, asked));
    }
    if lines.is_empty() { wording::unknown(asked).to_owned() } else { lines.join("\n") }
}

fn is_taste(fact: &Known, likes: bool) -> bool {
    let statement = read_fact(fact.text).filter(|statement| statement.slot == Slot::Taste);
    statement.is_some_and(|statement| !fact.is_past && (statement.value == "like") == likes)
}

/// The user's own words in passages and recent messages that say what is asked.
fn quotes(given: &Given, wanted: &[String], slots: &[Slot], asked: Language) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for passage in told_before(given).take(24) {
        let said = passage.as_str().unwrap_or_else(|| text(passage, "text"));
        let is_user = is_users(passage);
        if is_user && supports(given.question, wanted, said) {
            let day = [text(passage, "said_at"), text(passage, "at"), text(passage, "since")]
                .into_iter()
                .find(|day| !day.is_empty())
                .unwrap_or("");
            found.push(wording::said(asked, prefix_chars(day, 10), prefix_chars(said.trim(), 200)));
        }
        if found.len() >= 3 {
            return found;
        }
    }
    let mut is_recent = false;
    for (role, said) in given.recent.iter().rev().filter(|(role, _)| *role == Role::User) {
        let said = prefix(said, MAX_QUESTION_BYTES);
        let fits = read(said, None).iter().any(|reading| {
            slots.contains(&reading.statement.slot)
                && (!needs_object(slots) || supports(given.question, wanted, said))
        });
        let is_told = !is_question(said, &fold(said)) && supports(given.question, wanted, said);
        if *role == Role::User && (fits || is_told) {
            if !is_recent {
                if !found.is_empty() {
                    found.push(String::new());
                }
                found.push(wording::mentioned(asked).to_owned());
                is_recent = true;
            }
            found.push(format!("> {}", prefix_chars(said.trim(), 200).replace('\n', " ")));
        }
        if found.len() >= 4 {
            break;
        }
    }
    if found.is_empty() {
        let summary = text(&given.memory, "summary");
        let lines = summary.lines().filter(|line| {
            supports(given.question, wanted, line)
                || read(line, None).iter().any(|r| slots.contains(&r.statement.slot) && !needs_object(slots))
        });
        found.extend(lines.take(3).map(|line| wording::said(asked, "", prefix_chars(line.trim(), 200))));
    }
    found
}

/// Whether words of the user's may answer a question: they have half of what it asks about, and the direction it asks
/// for. One shared word is no answer: "Where did I move from?" isn't about every message that moves something.
fn supports(question: &str, wanted: &[String], said: &str) -> bool {
    let shared = overlap(wanted, said);
    shared > 0 && shared as usize * 2 >= wanted.len() && !misses_direction(question, said)
}

/// The question asks from where, with whom or until when, and the words don't say.
fn misses_direction(question: &str, said: &str) -> bool {
    let (question, said) = (fold(question), fold(said));
    let asked = question.trim_end_matches(|c: char| !c.is_alphanumeric());
    let english = words!["from", "with", "until"]
        .iter()
        .any(|word| asked.ends_with(&format!(" {word}")) && !said.contains(&format!("{word} ")));
    let japanese = [("どこから", "から"), ("誰と", "と"), ("いつまで", "まで"), ("いつから", "から")]
        .iter()
        .any(|(word, answer)| question.contains(word) && !said.contains(answer));
    english || japanese
}
