//! Allergies, ailments and what cannot be eaten, in Japanese.

use super::Clause;
use super::objects::{ending, is_temporary, object, without_trailing_adverbs};
use super::words::{AILMENTS, NOUN_ENDINGS, VERB_ENDINGS};
use crate::llm::embedded::statement::{Slot, Statement};
use crate::text::language::is_katakana;
use crate::words;

pub fn health(clause: &Clause) -> Option<Vec<Statement>> {
    let body = clause.body;
    let has = words!["があります", "がある", "があって", "もあります", "持ちです", "持ち", "があるん"]
        .iter()
        .find_map(|end| body.strip_suffix(end))
        .unwrap_or(body);
    let lacks = words!["はありません", "はない", "はないです", "がない"]
        .iter()
        .find_map(|end| body.strip_suffix(end));
    if let Some(found) = ending(lacks.unwrap_or(has), "アレルギー", NOUN_ENDINGS) {
        let substance = object(found.before.trim_end_matches(['の', 'に', 'は'])).filter(|said| {
            *said != "自称"
                && !said.contains(['、', 'で'])
                && !said.contains("ない")
                && !said.contains("です")
        })?;
        let negated = found.negated || lacks.is_some();
        // 「エビのアレルギーがある」 keeps its words.
        let is_katakana = substance.ends_with(|c: char| is_katakana(c));
        let link = if is_katakana && found.before.ends_with('の') { "の" } else { "" };
        let text = if negated {
            format!("{substance}{link}アレルギーではない。")
        } else if link.is_empty() {
            format!("{substance}アレルギー。")
        } else {
            format!("{substance}のアレルギーがある。")
        };
        return (!found.past)
            .then(|| vec![Statement::new(Slot::Allergy, substance, "allergic", text).negated(negated)]);
    }
    for ailment in AILMENTS {
        if let Some(found) = ending(has, ailment, NOUN_ENDINGS).filter(|found| {
            found.before.chars().count() <= 4 && !found.past && !found.before.contains(['は', 'が', 'を'])
        }) {
            let name = format!("{}{ailment}", found.before);
            let text =
                if found.negated { format!("{name}ではない。") } else { format!("{name}がある。") };
            return Some(vec![Statement::new(Slot::Health, &name, "", text).negated(found.negated)]);
        }
    }
    for (stem, verb) in [
        ("食べられ", "食べられない"),
        ("たべられ", "食べられない"),
        ("飲め", "飲めない"),
        ("食べれ", "食べられない"),
    ] {
        if let Some(found) = ending(body, stem, VERB_ENDINGS).filter(|found| found.negated && !found.past) {
            let before = without_trailing_adverbs(found.before);
            let thing = object(before.trim_end_matches(['が', 'は', 'を', 'も']))?;
            let is_time =
                words!["時", "とき", "日", "頃", "前", "後"].iter().any(|time| thing.ends_with(time));
            if is_time || is_temporary(thing) || thing.contains(['は', 'で']) {
                return Some(Vec::new());
            }
            return Some(vec![
                Statement::new(Slot::Health, &format!("{verb} {thing}"), "", format!("{thing}が{verb}。"))
                    .negated(true),
            ]);
        }
    }
    None
}
