//! Claims of Japanese sentences: 「もう大阪には住んでいない」, 「妹の名前は花子です」.

use super::claim::{Claim, Count, Holds, QUIT};
use super::markers_ja::{BIRTH, MARKERS, STATES, TIME_STARTS, TOPICS};
use super::plain_ja::{COUNTERS, SELF_OWNERS, SELF_TOPICS, plain, without_any};
use crate::text::fold::fold_kana;
use crate::text::list::Words;
use crate::words;

/// See [`super::claim::claim`].
pub fn read(text: &str) -> Option<Claim> {
    let plain = plain(text);
    let mut rest = plain.as_str();
    let no_more = rest.contains("もう");
    let mut owned = false;
    loop {
        let shorter = without_any(without_any(rest, SELF_TOPICS), TIME_STARTS);
        let shorter = without_any(shorter, SELF_OWNERS);
        owned |= SELF_OWNERS.iter().any(|owner| rest.starts_with(owner));
        if shorter == rest {
            break;
        }
        rest = shorter;
    }
    let _ = owned;
    let (rest, dated) = without_dates(rest);
    let (rest, counted) = without_counts(&rest);
    let mut claim = read_plain(&rest, dated, no_more)?;
    claim.object.extend(counted);
    Some(claim)
}

fn read_plain(rest: &str, dated: bool, no_more: bool) -> Option<Claim> {
    // 「吸うのをやめた」: what is given up is a sentence itself.
    let given_up = words!["のをやめた", "のを辞めた", "のを止めた", "のをやめている"]
        .iter()
        .find_map(|end| rest.strip_suffix(end));
    if let Some(inner) = given_up {
        return read_plain(inner, dated, false).map(|claim| Claim { holds: Holds::Ended, ..claim });
    }
    let holds = holds(rest, no_more);
    if let Some(claim) = topic(rest, holds) {
        return Some(claim);
    }
    if let Some(claim) = state(rest, holds) {
        return Some(claim);
    }
    for &(marker, attribute, count, denies) in MARKERS {
        let Some((before, after)) = rest.split_once(marker) else { continue };
        // 「好きな色」 and 「大阪に住んでいる友人」 are about something else.
        if is_attributive(after) {
            return None;
        }
        let before = before.strip_suffix("のことが").or(before.strip_suffix("のが")).unwrap_or(before);
        // 「大阪から引っ越した」 ends a home; 「大阪から東京に引っ越した」 begins one.
        let leaves = attribute == "home" && before.ends_with("から");
        let before = match before.split_once("から") {
            Some((_, to)) if attribute == "home" && !to.is_empty() => to,
            _ => before.strip_suffix("から").unwrap_or(before),
        };
        let (subject, object) = split_topic(before);
        let (object, name) = named(object);
        if object.is_empty() && name.is_none() {
            continue;
        }
        let moved = marker.starts_with('引') || words!["移住", "に転職", "に入社"].contains(marker);
        let holds = match holds {
            _ if leaves => Holds::Ended,
            Holds::Once if moved || dated && attribute == "have" => Holds::Now,
            Holds::Once if denies && attribute == "employer" => Holds::Ended,
            Holds::Now if denies && attribute == "employer" => Holds::Ended,
            Holds::Now if denies => Holds::Not,
            Holds::Not if denies && attribute == "like" => Holds::Now,
            Holds::Not if denies => Holds::Not,
            holds => holds,
        };
        let (attribute, count, holds) = match attribute {
            BIRTH => (birth(&object), Count::Fixed, Holds::Now),
            attribute => (attribute, count, holds),
        };
        return Some(made(subject, attribute, count, &object, name, holds));
    }
    action(rest, holds)
}

fn made(
    subject: &str,
    attribute: &str,
    count: Count,
    object: &str,
    name: Option<String>,
    holds: Holds,
) -> Claim {
    let object = fold_kana(object);
    Claim {
        subject: fold_kana(subject),
        attribute: attribute.to_owned(),
        count,
        object: if object.is_empty() { Vec::new() } else { vec![object] },
        name,
        holds,
    }
}

/// What 「…生まれ」 tells: the year, the day, or the place.
fn birth(object: &str) -> &'static str {
    match (object.contains(|c: char| c.is_ascii_digit()), object.contains('月')) {
        (_, true) => "birthday",
        (true, false) => "birth year",
        (false, false) => "birthplace",
    }
}

/// Whether what follows a marker makes it describe a noun.
fn is_attributive(after: &str) -> bool {
    if after.starts_with('な') && !after.starts_with("なの") && !after.starts_with("なん") {
        return !after.starts_with("なくな") && !after.starts_with("ない") && !after.starts_with("なか");
    }
    after.starts_with("の") && after.chars().count() > 2
}

fn holds(text: &str, no_more: bool) -> Holds {
    const ENDED: Words = words!["なくなった", "やめた", "辞めた", "止めた", "卒業した", "やめている"];
    if ENDED.iter().any(|end| text.ends_with(end)) {
        return Holds::Ended;
    }
    let denied = words!["ない", "なかった", "ず", "ぬ"].iter().any(|end| text.ends_with(end))
        && ![
            "かもしれない",
            "しかない",
            "なければならない",
            "といけない",
            "にちがいない",
            "に違いない",
            "危ない",
            "少ない",
        ]
        .iter()
        .any(|end| text.ends_with(end));
    match (denied, no_more) {
        (true, true) => Holds::Ended,
        (true, false) => Holds::Not,
        _ if text.ends_with('た') || text.ends_with("んだ") || text.ends_with("いだ") => Holds::Once,
        _ => Holds::Now,
    }
}

/// 「妹の名前は花子」, 「好きな色は青」, 「上司は田中」.
fn topic(text: &str, holds: Holds) -> Option<Claim> {
    let (head, value) = text.split_once('は')?;
    if head.is_empty() || value.is_empty() {
        return None;
    }
    let value = value.strip_suffix("ではない").or(value.strip_suffix("だった")).unwrap_or(value);
    if let Some(at) = head.find("好きな") {
        let owner = head.get(..at).unwrap_or_default().trim_end_matches(['の', 'が']);
        let owner = owner.strip_suffix("一番").unwrap_or(owner);
        let thing = head.get(at + "好きな".len()..).unwrap_or_default();
        return Some(made(owner, &format!("favorite {thing}"), Count::One, value, None, holds));
    }
    let (owner, noun) = head.rsplit_once('の').unwrap_or(("", head));
    let known = TOPICS.iter().find(|topic| topic.0 == noun);
    if let Some((_, attribute, count)) = known {
        let value = value.strip_suffix("生まれ").unwrap_or(value);
        return Some(made(owner, attribute, *count, value, None, holds));
    }
    // A noun as the value: 「妹は看護師」. With a particle or a verb ending it is another form.
    let is_noun = value.chars().count() <= 12
        && !value.contains(['を', 'が', 'に', 'で', 'へ'])
        && value.chars().last().is_some_and(|c| !('ぁ'..='ゖ').contains(&c))
        && !MARKERS.iter().any(|marker| value.contains(marker.0))
        && !STATES.iter().any(|state| value.contains(state.0))
        && age(value).is_none();
    (is_noun && !matches!(holds, Holds::Once)).then(|| made(head, "is", Count::Unknown, value, None, holds))
}

/// Age and marital status, whose value is the word itself.
fn state(text: &str, holds: Holds) -> Option<Claim> {
    let (subject, value) = match text.split_once('は') {
        Some((subject, value)) if !value.is_empty() => (subject, value),
        _ => ("", text),
    };
    if let Some(age) = age(value) {
        // 「36歳になった」 is told in the past and holds now.
        let holds = if value.ends_with("なった") { Holds::Now } else { holds };
        return Some(made(subject, "age", Count::One, &age.to_string(), None, holds));
    }
    let (word, state) = STATES.iter().find(|(word, _)| value.starts_with(word))?;
    let after = value.strip_prefix(word)?;
    let plain = ["", "した", "している", "していた", "していない", "しない", "ではない", "だった", "中"];
    let holds = if holds == Holds::Once && after == "した" { Holds::Now } else { holds };
    plain.contains(&after).then(|| made(subject, "marital", Count::One, state, None, holds))
}

fn age(text: &str) -> Option<i64> {
    let letters: Vec<char> = text.chars().collect();
    let (number, length) = super::numbers::number_at(&letters)?;
    let rest: String = letters.get(length..)?.iter().collect();
    words!["歳", "才", "歳になった", "才になった", "さい"].contains(rest.as_str()).then_some(number)
}

/// 「コーヒーを飲む」: a verb with its object.
fn action(text: &str, holds: Holds) -> Option<Claim> {
    let (before, verb) = text.rsplit_once('を').or_else(|| text.rsplit_once('は'))?;
    if words!["やめ", "辞め", "止め", "卒業し"].iter().any(|quit| verb.starts_with(quit))
        && holds != Holds::Not
    {
        let (subject, object) = split_topic(before);
        return Some(made(subject, QUIT, Count::Unknown, object, None, Holds::Ended));
    }
    // The first letters that aren't inflected: 飲 of 飲まない and 飲む.
    let stem: String = verb.chars().take_while(|c| !('ぁ'..='ゖ').contains(c)).collect();
    let (subject, object) = split_topic(before);
    if stem.is_empty() || object.is_empty() || verb.chars().count() > stem.chars().count() + 8 {
        return None;
    }
    Some(made(subject, &format!("do:{stem}"), Count::Unknown, object, None, holds))
}

/// The topic in front of a value, and the value without its particle.
fn split_topic(before: &str) -> (&str, &str) {
    let mut value = before;
    for particle in words![
        "には",
        "では",
        "とは",
        "にも",
        "がとても",
        "がとっても",
        "がすごく",
        "が本当に",
        "があまり",
        "はあまり",
        "がもう",
        "はもう",
        "がずっと",
        "のことが",
        "が",
        "は",
        "も",
        "を",
        "に",
        "で",
        "へ",
    ] {
        if let Some(stem) = value.strip_suffix(particle)
            && !stem.is_empty()
        {
            value = stem;
            break;
        }
    }
    match value.split_once('は') {
        // 「はさみ」 begins with the letter that marks a topic.
        Some((topic, value)) if !topic.is_empty() && !value.is_empty() => (topic, value),
        _ => ("", value),
    }
}

/// 「タマという名前の猫」, 「タマという猫」: a name and what has it.
fn named(object: &str) -> (String, Option<String>) {
    let object = object.strip_suffix("一匹").or(object.strip_suffix("1匹")).unwrap_or(object);
    for middle in words!["という名前の", "という名の", "という"] {
        if let Some((name, thing)) = object.split_once(middle)
            && !name.is_empty()
        {
            return (thing.to_owned(), Some(fold_kana(name)));
        }
    }
    (object.to_owned(), None)
}

/// Cuts 「二人」 of 「兄が二人いる」 and 「2匹の」 of 「2匹の猫」, and gives the numbers.
fn without_counts(text: &str) -> (String, Vec<String>) {
    let letters: Vec<char> = text.chars().collect();
    let (mut kept, mut counted, mut at) = (String::new(), Vec::new(), 0);
    while let Some(&c) = letters.get(at) {
        let counts = super::numbers::number_at(letters.get(at..).unwrap_or_default())
            .filter(|(_, length)| letters.get(at + length).is_some_and(|c| COUNTERS.contains(c)));
        let after = counts.map(|(_, length)| at + length + 1);
        let links = after.is_some_and(|after| letters.get(after) == Some(&'の'));
        let follows = kept.is_empty() || kept.ends_with(['が', 'を', 'は', 'も', 'に', 'と', 'で']);
        match (counts, after) {
            (Some((number, _)), Some(after)) if follows && (links || !kept.is_empty()) => {
                counted.push(number.to_string());
                at = after + usize::from(links);
            }
            _ => {
                kept.push(c);
                at += 1;
            }
        }
    }
    (kept, counted)
}

/// Cuts 「2015年から2018年まで」, 「去年から」, 「3月に」 and the like, and tells whether there were any.
fn without_dates(text: &str) -> (String, bool) {
    let letters: Vec<char> = text.chars().collect();
    let mut kept = String::new();
    let mut at = 0;
    let mut dated = false;
    while let Some(&c) = letters.get(at) {
        let rest = letters.get(at..).unwrap_or_default();
        if let Some(length) = date_length(rest) {
            at += length;
            dated = true;
        } else {
            kept.push(c);
            at += 1;
        }
    }
    if kept.is_empty() { (text.to_owned(), false) } else { (kept, dated) }
}

/// How many letters a date with the particle behind it takes, if the text starts with one that says when.
fn date_length(rest: &[char]) -> Option<usize> {
    const WORDS: Words = words![
        "去年",
        "昨年",
        "一昨年",
        "今年",
        "先月",
        "今月",
        "先週",
        "昨日",
        "来年",
        "来月",
        "子供の頃",
        "学生時代",
    ];
    const PARTICLES: Words = words!["からずっと", "から", "まで", "の間", "間", "頃", "ごろ", "に"];
    let starts =
        |at: usize, word: &str| word.chars().enumerate().all(|(offset, c)| rest.get(at + offset) == Some(&c));
    let mut end = 0;
    if let Some(word) = WORDS.iter().find(|word| starts(0, word)) {
        end = word.chars().count();
    } else {
        while let Some((_, length)) = rest.get(end..).and_then(super::numbers::number_at) {
            match rest.get(end + length) {
                Some('年' | '月' | '日') => end += length + 1,
                _ => break,
            }
        }
    }
    if end == 0 {
        return None;
    }
    let particle = PARTICLES.iter().find(|particle| starts(end, particle))?;
    Some(end + particle.chars().count())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        read(text).map_or_else(
            || "-".to_owned(),
            |claim| {
                let name = claim.name.map(|name| format!("「{name}」")).unwrap_or_default();
                format!(
                    "{}|{}|{}{name}|{:?}",
                    claim.subject,
                    claim.attribute,
                    claim.object.join(" "),
                    claim.holds
                )
            },
        )
    }

    #[test]
    fn a_sentence_tells_subject_attribute_value_and_whether_it_holds() {
        for (text, want) in [
            ("猫が好きです", "|like|猫|Now"),
            ("私は猫が好きではない。", "|like|猫|Not"),
            ("猫は好きじゃない", "|like|猫|Not"),
            ("犬が嫌い", "|like|犬|Not"),
            ("もう猫が好きではない", "|like|猫|Ended"),
            ("コーヒーが好きだった", "|like|こーひー|Once"),
            ("ユーザーは東京に住んでいます", "|home|東京|Now"),
            ("大阪には住んでいない", "|home|大阪|Not"),
            ("もう大阪に住んでいません", "|home|大阪|Ended"),
            ("2015年から2018年まで大阪に住んでいました", "|home|大阪|Once"),
            ("大阪から東京に引っ越しました", "|home|東京|Now"),
            ("大阪から引っ越した", "|home|大阪|Ended"),
            ("妹の名前は花子です", "妹|name|花子|Now"),
            ("妹は猫が好き", "妹|like|猫|Now"),
            ("タマという猫を飼っています", "|have|猫「たま」|Now"),
            ("好きな色は青です", "|favorite 色|青|Now"),
            ("35歳です", "|age|35|Now"),
            ("結婚しています", "|marital|married|Now"),
            ("離婚しました", "|marital|divorced|Now"),
            ("トヨタで働いています", "|employer|とよた|Now"),
            ("トヨタを退職しました", "|employer|とよた|Ended"),
            ("看護師として働いている", "|job|看護師|Now"),
            ("コーヒーを飲みません", "|do:飲|こーひー|Not"),
            ("肉は食べない", "|do:食|肉|Not"),
            ("卵アレルギーがある", "|allergy|卵|Now"),
        ] {
            assert_eq!(shown(text), want, "{text}");
        }
        assert_eq!(shown("！？"), "-");
    }
}
