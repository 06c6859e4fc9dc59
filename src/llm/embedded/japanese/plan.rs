//! Plans and decisions in Japanese: 「京都に行く予定です」, 「引っ越すことにした」.

use super::Clause;
use super::objects::{ending, points};
use super::words::{NOUN_ENDINGS, VERB_ENDINGS};
use crate::llm::embedded::statement::{Slot, Statement, When};

pub fn plan(clause: &Clause) -> Option<Vec<Statement>> {
    let body = clause.body;
    if let Some(found) = ending(body, "予定", NOUN_ENDINGS)
        .or_else(|| ending(body, "つもり", NOUN_ENDINGS))
        .or_else(|| ending(body, "計画", NOUN_ENDINGS))
    {
        let doing = found.before;
        let is_action = doing.ends_with(['る', 'く', 'う', 'む', 'す', 'ぶ', 'つ', 'の', 'い', 'ぐ'])
            && doing.chars().count() >= 3;
        let word = if body.contains("つもり") { "つもり" } else { "予定" };
        let events = [
            "旅行",
            "出張",
            "結婚",
            "引っ越し",
            "出産",
            "手術",
            "受験",
            "留学",
            "帰省",
            "入院",
            "試験",
            "面接",
            "入学",
            "卒業",
            "転職",
        ];
        let is_meal =
            doing.strip_suffix('の').is_some_and(|event| !events.iter().any(|word| event.ends_with(word)));
        if !is_action || is_meal || doing.chars().count() > 28 || found.past || points(doing) {
            return Some(Vec::new());
        }
        let tail = if found.negated { "ではない" } else { "" };
        return Some(vec![
            Statement::new(Slot::Plan, doing, "", format!("{doing}{word}{tail}。"))
                .negated(found.negated)
                .when(When::Ahead),
        ]);
    }
    let found = ["ことにし", "ことに決め", "ことを決め", "と決め"]
        .iter()
        .find_map(|stem| ending(body, stem, VERB_ENDINGS))?;
    if found.negated || !found.past || found.before.chars().count() < 3 || points(found.before) {
        return Some(Vec::new());
    }
    Some(vec![Statement::new(Slot::Decision, found.before, "", format!("{}ことにした。", found.before))])
}
