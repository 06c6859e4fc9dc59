//! Languages, possessions and repeated actions in Japanese.

use super::Clause;
use super::objects::{ending, is_temporary, object, parts, points, without_trailing_adverbs};
use super::words::{POSSESSIONS, TE_ENDINGS, VERB_ENDINGS};
use crate::llm::embedded::statement::{Slot, Statement};
use crate::text::phrase::contains_any;
use crate::words;

pub fn language(clause: &Clause) -> Option<Vec<Statement>> {
    for stem in words!["話せ", "しゃべれ", "喋れ", "話し", "でき"] {
        if let Some(found) = ending(clause.body, stem, VERB_ENDINGS).filter(|found| !found.past) {
            let before = without_trailing_adverbs(found.before);
            let tongues = before.trim_end_matches(['が', 'を', 'は', 'も']);
            if !tongues.ends_with('語') {
                return None;
            }
            let tail = if found.negated { "話せない" } else { "話せる" };
            return Some(
                parts(tongues)
                    .into_iter()
                    .map(|tongue| {
                        Statement::new(Slot::Language, tongue, "speaks", format!("{tongue}が{tail}。"))
                            .negated(found.negated)
                    })
                    .collect(),
            );
        }
    }
    let found = ["を持って", "持って", "もって"]
        .iter()
        .find_map(|stem| ending(clause.body, stem, TE_ENDINGS))
        .filter(|found| !found.past)?;
    let thing = object(found.before.trim_end_matches(['は', 'も', 'が']))?;
    POSSESSIONS.iter().any(|noun| thing.ends_with(noun)).then(|| {
        let tail = if found.negated { "いない" } else { "いる" };
        vec![
            Statement::new(Slot::Possession, thing, "", format!("{thing}を持って{tail}。"))
                .negated(found.negated),
        ]
    })
}

/// 「毎朝走っています」, 「肉は食べません」
pub fn habit(clause: &Clause) -> Option<Vec<Statement>> {
    let body = clause.body;
    for (stem, verb) in [
        ("食べ", "食べない"),
        ("飲ま", "飲まない"),
        ("飲み", "飲まない"),
        ("吸わ", "吸わない"),
        ("吸い", "吸わない"),
    ] {
        if let Some(found) = ending(body, stem, VERB_ENDINGS).filter(|found| found.negated && !found.past) {
            let before = without_trailing_adverbs(found.before);
            let thing = object(before.trim_end_matches(['は', 'を', 'も', 'が']))?;
            let vague = before.len() != found.before.len()
                || is_temporary(thing)
                || thing.contains(['は', 'し', 'で']);
            let fine = !vague && body.contains(thing);
            return fine.then(|| {
                vec![
                    Statement::new(Slot::Habit, &format!("{verb} {thing}"), "", format!("{thing}を{verb}。"))
                        .negated(true),
                ]
            });
        }
    }
    let is_frequent = words![
        "毎日",
        "毎朝",
        "毎晩",
        "毎週",
        "毎年",
        "週に",
        "週1",
        "週2",
        "週3",
        "週4",
        "週5",
        "月に",
        "週末は",
        "休日は",
        "休みの日は",
    ]
    .iter()
    .any(|word| clause.body.starts_with(word));
    let core = words![
        "しています",
        "してます",
        "している",
        "してる",
        "ています",
        "てます",
        "ている",
        "でいます",
        "でます",
        "ます",
    ]
    .iter()
    .find_map(|end| body.strip_suffix(end).map(|stem| (stem, end)));
    let (stem, end) = core?;
    let length = body.chars().count();
    let is_bare = stem.chars().count() < 6 && !stem.contains(['を', 'に', 'で']) || stem.contains("ば");
    if !is_frequent
        || is_bare
        || !(6..=30).contains(&length)
        || points(body)
        || body.contains('、')
        || contains_any(body, words!["気が", "みたい", "終わ", "思"])
    {
        return None;
    }
    let end = match end {
        "しています" | "してます" | "してる" => "している",
        "ています" | "てます" => "ている",
        "でいます" | "でます" => "でいる",
        end => end,
    };
    Some(vec![Statement::new(Slot::Habit, stem, "", format!("{stem}{end}。"))])
}
