//! Tastes and favourites in Japanese: 「猫が好きじゃない」, 「好きな色は緑です」.

use super::Clause;
use super::objects::{ending, is_plain_object, noun, object, parts, without_trailing_adverbs};
use super::words::{NOUN_ENDINGS, RELATIVES};
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
    let is_verbal = words!["ます", "ません", "ある", "ない", "いる"].iter().any(|verb| value.ends_with(verb));
    let is_class =
        !is_verbal && (1..=8).contains(&class.chars().count()) && !class.contains(['の', 'が', 'を', 'と']);
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
        ("大の好物", true),
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
    // 「パクチーが大の苦手」
    let bare = found.before.strip_suffix("大の").unwrap_or(found.before);
    let mut before = without_trailing_adverbs(bare);
    let particle = words!["のことが", "が", "は", "も", "を"]
        .iter()
        .find(|particle| before.ends_with(*particle))
        .unwrap_or("");
    // 「さつまいも大好き」 ends in a noun.
    let particle = if words!["いも", "もも", "ども"].iter().any(|noun| before.ends_with(noun)) {
        ""
    } else {
        particle
    };
    before = before.strip_suffix(particle).unwrap_or(before);
    // 「妹も好きです」: she does, or she is liked.
    let is_being = RELATIVES.iter().any(|word| before.ends_with(word));
    // 「家も海藻みんな好き」: other things are liked too, and which is open.
    let is_open = particle.is_empty() && joins_by_also(before);
    if is_being && words!["は", "も"].contains(particle) || is_open {
        return Some(Vec::new());
    }
    before = before.strip_prefix("あと").filter(|rest| !rest.starts_with(is_hiragana)).unwrap_or(before);
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

/// 「家も海藻」, and not 「辛いもの」 or 「とうもろこし」.
fn joins_by_also(said: &str) -> bool {
    let ends_plainly = |before: &str| before.ends_with(|c| !is_hiragana(c));
    let opens_plainly = |after: &str| after.starts_with(|c| !is_hiragana(c));
    said.split_once('も').is_some_and(|(before, after)| ends_plainly(before) && opens_plainly(after))
}

fn is_hiragana(c: char) -> bool {
    matches!(c, 'ぁ'..='ん')
}
