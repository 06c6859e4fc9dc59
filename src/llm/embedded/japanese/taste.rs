//! Tastes and favourites in Japanese: 「猫が好きじゃない」, 「好きな色は緑です」.

use super::Clause;
use super::objects::{ending, is_plain_object, noun, object, parts, without_trailing_adverbs};
use super::words::NOUN_ENDINGS;
use crate::llm::embedded::statement::{Slot, Statement, When};
use crate::words;

/// 「(一番)好きなXはYです」
pub fn favourite(clause: &Clause) -> Option<Vec<Statement>> {
    let rest = words!["一番好きな", "いちばん好きな", "好きな"]
        .iter()
        .find_map(|opening| clause.body.strip_prefix(opening))?;
    let (class, rest) = rest.split_once('は')?;
    let found = noun(rest)?;
    let value = object(found.before)?;
    let is_class = (1..=8).contains(&class.chars().count()) && !class.contains(['の', 'が', 'を', 'と']);
    (is_class && !found.negated && !found.past).then(|| {
        let value = value.trim_start_matches('、');
        vec![Statement::new(Slot::Favourite, class, value, format!("好きな{class}は{value}。"))]
    })
}

/// 「離婚の話はしたくない」: what isn't to be talked about.
pub fn unspoken(clause: &Clause) -> Option<Vec<Statement>> {
    let end = words![
        "の話はしたくない",
        "の話をしたくない",
        "の話したくない",
        "については話したくない",
        "について話したくない",
        "の話題は避けたい"
    ];
    let body = clause.body.replace("あんまり", "").replace("あまり", "").replace("です", "");
    let (topic, end) = end.iter().find_map(|end| Some((body.strip_suffix(end)?, end)))?;
    let topic = object(topic)?;
    Some(vec![Statement::new(Slot::Taste, topic, "dislike", format!("{topic}{end}。"))])
}

pub fn taste(clause: &Clause) -> Option<Vec<Statement>> {
    let stems = [
        ("大好き", true),
        ("だいすき", true),
        ("大好物", true),
        ("好き", true),
        ("すき", true),
        ("大嫌い", false),
        ("嫌い", false),
        ("きらい", false),
        ("苦手", false),
    ];
    let (stem, likes, found) = stems.iter().find_map(|(stem, likes)| {
        ending(clause.body, stem, NOUN_ENDINGS).map(|found| (*stem, *likes, found))
    })?;
    let stem = match stem {
        "だいすき" => "大好き",
        "すき" => "好き",
        "きらい" => "嫌い",
        _ => stem,
    };
    // 「嫌いじゃない」 is neither; 「好きで始めた」 can't reach here, because で ends a clause only at its pause.
    if found.negated && !likes {
        return Some(Vec::new());
    }
    let mut before = without_trailing_adverbs(found.before);
    let particle = words!["のことが", "が", "は", "も", "を"]
        .iter()
        .find(|particle| before.ends_with(*particle))
        .unwrap_or("");
    before = before.strip_suffix(particle).unwrap_or(before);
    let tail = match (found.negated, found.past) {
        (false, false) => "",
        (true, false) => "ではない",
        (false, true) => "だった",
        (true, true) => return Some(Vec::new()),
    };
    let value = if likes && !found.negated { "like" } else { "dislike" };
    let when = if found.past { When::Past } else { When::Now };
    let statements = parts(before)
        .into_iter()
        .filter(|object| is_plain_object(object))
        .map(|object| {
            let link = if particle == "も" && object.contains('も') { "も" } else { "が" };
            Statement::new(Slot::Taste, object, value, format!("{object}{link}{stem}{tail}。")).when(when)
        })
        .collect();
    Some(statements)
}
