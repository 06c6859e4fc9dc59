//! Claims of Japanese sentences: 「もう大阪には住んでいない」, 「妹の名前は花子です」.

use super::claim::{Claim, Count, Holds};
use crate::text::fold::fold;

/// Folded, without punctuation and spaces, in plain form; katakana stays, because its border shows words.
fn plain(text: &str) -> String {
    let kept: String = fold(text)
        .chars()
        .filter(|c| c.is_alphanumeric() || *c == 'ー' || *c == 'ゝ' || *c == '々')
        .collect();
    let mut kept = kept;
    for (polite, plain) in POLITE_INSIDE {
        kept = kept.replace(polite, plain);
    }
    // Endings may stack: 「…のです」, 「…んですよ」.
    for _ in 0..3 {
        match POLITE_END.iter().find_map(|(polite, plain)| Some((kept.strip_suffix(polite)?, plain))) {
            Some((stem, plain)) if !stem.is_empty() => kept = format!("{stem}{plain}"),
            _ => break,
        }
    }
    plain_verb(&kept)
}

const POLITE_INSIDE: &[(&str, &str)] = &[
    ("ではありませんでした", "ではなかった"),
    ("じゃありませんでした", "ではなかった"),
    ("ではありません", "ではない"),
    ("じゃありません", "ではない"),
    ("ではないです", "ではない"),
    ("じゃないです", "ではない"),
    ("じゃない", "ではない"),
    ("でない", "ではない"),
    ("じゃなかった", "ではなかった"),
    ("くありません", "くない"),
];

const POLITE_END: &[(&str, &str)] = &[
    ("んですよ", ""),
    ("のですよ", ""),
    ("んです", ""),
    ("のです", ""),
    ("ですよ", ""),
    ("ですね", ""),
    ("でした", "だった"),
    ("です", ""),
    ("である", ""),
    ("だよ", ""),
    ("だね", ""),
    ("よ", ""),
    ("ね", ""),
];

/// 飲みます → 飲む, 食べます → 食べる, 飲みません → 飲まない: the plain form of a polite ending.
fn plain_verb(text: &str) -> String {
    const ENDINGS: &[(&str, Form)] = &[
        ("ませんでした", Form::NotPast),
        ("ません", Form::Not),
        ("ました", Form::Past),
        ("ます", Form::Plain),
    ];
    let Some((stem, form)) = ENDINGS.iter().find_map(|(end, form)| Some((text.strip_suffix(end)?, *form)))
    else {
        return text.strip_suffix('だ').filter(|_| !text.ends_with("んだ")).unwrap_or(text).to_owned();
    };
    let mut letters: Vec<char> = stem.chars().collect();
    let Some(last) = letters.pop() else { return text.to_owned() };
    let before = letters.last().copied();
    let head: String = letters.iter().collect();
    if last == 'し' {
        return format!("{head}{}", form.of("する", "しない", "した", "しなかった"));
    }
    // A verb whose stem ends in い after て is 〜ている; an i-row ending after kanji is a five-row verb.
    let rows = ROWS.iter().find(|row| row.0 == last);
    match rows {
        Some(&(_, u, a, past)) if !(last == 'い' && matches!(before, Some('て' | 'で'))) => match form {
            Form::Plain => format!("{head}{u}"),
            Form::Not => format!("{head}{a}ない"),
            Form::Past => format!("{head}{past}"),
            Form::NotPast => format!("{head}{a}なかった"),
        },
        _ => format!("{head}{last}{}", form.of("る", "ない", "た", "なかった")),
    }
}

#[derive(Clone, Copy)]
enum Form {
    Plain,
    Not,
    Past,
    NotPast,
}

impl Form {
    fn of(
        self,
        plain: &'static str,
        not: &'static str,
        past: &'static str,
        not_past: &'static str,
    ) -> &'static str {
        match self {
            Self::Plain => plain,
            Self::Not => not,
            Self::Past => past,
            Self::NotPast => not_past,
        }
    }
}

/// Stem, plain, before ない, and past of the verbs with five rows.
const ROWS: &[(char, &str, &str, &str)] = &[
    ('い', "う", "わ", "った"),
    ('き', "く", "か", "いた"),
    ('ぎ', "ぐ", "が", "いだ"),
    ('ち', "つ", "た", "った"),
    ('に', "ぬ", "な", "んだ"),
    ('び', "ぶ", "ば", "んだ"),
    ('み', "む", "ま", "んだ"),
    ('り', "る", "ら", "った"),
];

const SELF_TOPICS: &[&str] = &[
    "ユーザーさんは",
    "ユーザーは",
    "ユーザは",
    "わたくしは",
    "わたしは",
    "あたしは",
    "私は",
    "僕は",
    "ぼくは",
    "俺は",
    "おれは",
    "自分は",
    "私も",
    "僕も",
    "俺も",
    "私が",
    "僕が",
];

const SELF_OWNERS: &[&str] =
    &["ユーザーの", "ユーザの", "わたしの", "私の", "僕の", "俺の", "自分の", "うちの"];

const TIME_STARTS: &[&str] = &[
    "今は",
    "現在は",
    "今では",
    "最近は",
    "最近",
    "現在",
    "今",
    "もう",
    "以前は",
    "以前",
    "昔は",
    "昔",
    "前は",
    "まだ",
    "ずっと",
    "普段は",
    "いつも",
    "とても",
    "本当に",
    "実は",
    "やっぱり",
];

/// See [`super::claim::normal`].
pub fn normal(text: &str) -> String {
    let plain = plain(text);
    let text = without_any(&plain, SELF_TOPICS);
    let text = without_any(text, SELF_OWNERS);
    crate::text::fold::fold_kana(text)
}

fn without_any<'a>(text: &'a str, starts: &[&str]) -> &'a str {
    starts.iter().find_map(|start| text.strip_prefix(start)).filter(|rest| !rest.is_empty()).unwrap_or(text)
}

/// A form of sentence: what stands after the value, the attribute, its count, and whether it denies.
type Marker = (&'static str, &'static str, Count, bool);

/// Longer forms first, because the first that occurs is taken.
const MARKERS: &[Marker] = &[
    ("アレルギー", "allergy", Count::Many, false),
    ("大嫌い", "like", Count::Many, true),
    ("大好き", "like", Count::Many, false),
    ("大すき", "like", Count::Many, false),
    ("嫌い", "like", Count::Many, true),
    ("きらい", "like", Count::Many, true),
    ("苦手", "like", Count::Many, true),
    ("気に入って", "like", Count::Many, false),
    ("好き", "like", Count::Many, false),
    ("すき", "like", Count::Many, false),
    ("好む", "like", Count::Many, false),
    ("好ま", "like", Count::Many, false),
    ("住んで", "home", Count::One, false),
    ("住む", "home", Count::One, false),
    ("在住", "home", Count::One, false),
    ("暮らして", "home", Count::One, false),
    ("引っ越し", "home", Count::One, false),
    ("引っ越した", "home", Count::One, false),
    ("引っ越", "home", Count::One, false),
    ("引越", "home", Count::One, false),
    ("移住", "home", Count::One, false),
    ("として働", "job", Count::One, false),
    ("として勤", "job", Count::One, false),
    ("で働", "employer", Count::One, false),
    ("に勤め", "employer", Count::One, false),
    ("に勤務", "employer", Count::One, false),
    ("で勤務", "employer", Count::One, false),
    ("に転職", "employer", Count::One, false),
    ("に入社", "employer", Count::One, false),
    ("を退職", "employer", Count::One, true),
    ("を退社", "employer", Count::One, true),
    ("を飼", "have", Count::Many, false),
    ("を持って", "have", Count::Many, false),
    ("を所有", "have", Count::Many, false),
    ("がいる", "have", Count::Many, false),
    ("がいない", "have", Count::Many, true),
    ("がある", "have", Count::Many, false),
    ("がない", "have", Count::Many, true),
    ("を話", "speak", Count::Many, false),
    ("が話せ", "speak", Count::Many, false),
    ("が話", "speak", Count::Many, false),
    ("出身", "origin", Count::Fixed, false),
    ("生まれ", "birthplace or birthday", Count::Unknown, false),
];

const TOPICS: &[(&str, &str, Count)] = &[
    ("名前", "name", Count::One),
    ("本名", "name", Count::One),
    ("苗字", "surname", Count::One),
    ("名字", "surname", Count::One),
    ("あだ名", "nickname", Count::One),
    ("誕生日", "birthday", Count::Fixed),
    ("生年月日", "birthday", Count::Fixed),
    ("年齢", "age", Count::One),
    ("職業", "job", Count::One),
    ("仕事", "job", Count::One),
    ("勤務先", "employer", Count::One),
    ("勤め先", "employer", Count::One),
    ("会社", "employer", Count::One),
    ("住所", "address", Count::One),
    ("住まい", "home", Count::One),
    ("自宅", "home", Count::One),
    ("出身地", "origin", Count::Fixed),
    ("出身", "origin", Count::Fixed),
    ("血液型", "blood type", Count::Fixed),
    ("身長", "height", Count::One),
    ("体重", "weight", Count::One),
    ("電話番号", "phone", Count::One),
    ("予算", "budget", Count::One),
    ("締め切り", "deadline", Count::One),
    ("締切", "deadline", Count::One),
];

/// See [`super::claim::claim`].
pub fn read(text: &str) -> Option<Claim> {
    let plain = plain(text);
    let mut rest = plain.as_str();
    let mut no_more = false;
    let mut owned = false;
    loop {
        no_more |= rest.starts_with("もう");
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
    let rest = rest.as_str();
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
        let moved = marker.starts_with('引') || matches!(marker, "移住" | "に転職" | "に入社");
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
    let object = crate::text::fold::fold_kana(object);
    Claim {
        subject: crate::text::fold::fold_kana(subject),
        attribute: attribute.to_owned(),
        count,
        object: if object.is_empty() { Vec::new() } else { vec![object] },
        name,
        holds,
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
    const ENDED: &[&str] = &["なくなった", "やめた", "辞めた", "止めた", "卒業した", "やめている"];
    if ENDED.iter().any(|end| text.ends_with(end)) {
        return Holds::Ended;
    }
    let denied = ["ない", "なかった", "ず", "ぬ"].iter().any(|end| text.ends_with(end))
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

const STATES: &[(&str, &str)] = &[
    ("離婚", "divorced"),
    ("独身", "single"),
    ("未婚", "single"),
    ("既婚", "married"),
    ("婚約", "engaged"),
    ("結婚", "married"),
];

/// Age and marital status, whose value is the word itself.
fn state(text: &str, holds: Holds) -> Option<Claim> {
    let (subject, value) = match text.split_once('は') {
        Some((subject, value)) if !value.is_empty() => (subject, value),
        _ => ("", text),
    };
    if let Some(age) = age(value) {
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
    matches!(rest.as_str(), "歳" | "才" | "歳になった" | "才になった" | "さい").then_some(number)
}

/// 「コーヒーを飲む」: a verb with its object.
fn action(text: &str, holds: Holds) -> Option<Claim> {
    let (before, verb) = text.rsplit_once('を').or_else(|| text.rsplit_once('は'))?;
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
    for particle in [
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
    for middle in ["という名前の", "という名の", "という"] {
        if let Some((name, thing)) = object.split_once(middle)
            && !name.is_empty()
        {
            return (thing.to_owned(), Some(crate::text::fold::fold_kana(name)));
        }
    }
    (object.to_owned(), None)
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
    const WORDS: &[&str] = &[
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
    const PARTICLES: &[&str] = &["からずっと", "から", "まで", "の間", "間", "頃", "ごろ", "に"];
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
