//! Japanese alignment; see [`super::derive`]. Without a dictionary, a phrase is what stands between two places where
//! hiragana ends and a word begins; it is kept or left out as a whole.

use crate::calendar::Date;

use super::derive::{dates, is_gone, is_within};
use super::numbers::{kanji_value, number_at};
use super::plain_ja::{SELF_OWNERS, SELF_TOPICS, plain_end, without_any};
use super::stance::is_denied;
use super::subject::person_ja;
use crate::text::fold::{fold, fold_kana};
use crate::text::language::{is_kana, is_katakana};
use crate::text::list::Words;
use crate::text::names::is_japanese_name;
use crate::text::phrase::contains_any;
use crate::text::script::{Script, runs};
use crate::words;

pub(super) fn follows(text: &str, said: &str, today: Date) -> bool {
    let said = fold(said);
    let told = with_dates_of(&fold(text), &said, today);
    let wanted = form(&told);
    let is_past = wanted.ends_with(['た', 'だ']) && !is_denied(&said);
    let gone: Vec<String> = dates(&said, today)
        .iter()
        .filter(|own| is_past && is_gone(own.date, today))
        .map(|own| fold_kana(&in_digits(&slice(&said, own.from, own.to))))
        .collect();
    let may_go = |phrase: &str| {
        gone.iter()
            .any(|date| phrase.strip_prefix(date.as_str()).is_some_and(|end| matches!(end, "" | "に" | "は")))
    };
    let given = form(&without_fillers(&said, &told));
    !wanted.is_empty() && (aligned(&wanted, &phrases(&given), &may_go) || is_permuted(&wanted, &given))
}

/// 「2015年に大学を卒業した」 and 「大学を2015年に卒業した」: the parts before a verb stand in any order, each with its
/// particle. And 「釣りが趣味」 is 「趣味は釣り」.
fn is_permuted(text: &str, said: &str) -> bool {
    if let (Some((value, head)), Some((own, rest))) = (text.split_once('が'), said.split_once('は'))
        && own == head
        && rest == value
    {
        return true;
    }
    let (mut told, mut stated) = (phrases(text), phrases(said));
    let same_end = told.pop().is_some_and(|end| stated.pop() == Some(end));
    let are_parts = stated.iter().all(|phrase| {
        phrase.chars().filter(|c| is_kana(*c)).count() == 1
            && phrase.ends_with(['を', 'に', 'で', 'へ', 'が'])
    });
    crate::order::by_key(&mut told, Clone::clone);
    crate::order::by_key(&mut stated, Clone::clone);
    same_end && are_parts && told == stated
}

pub(super) fn retells(text: &str, said: &str, today: Date) -> bool {
    let said = fold(said);
    let told = with_dates_of(&fold(text), &said, today);
    let told = without_any(without_any(&told, SELF_TOPICS), SELF_OWNERS);
    let (told, stated) = (parts(told), parts(&said));
    let voice = |parts: &[(String, String)]| -> Vec<bool> {
        VOICES.iter().map(|voice| parts.iter().any(|(_, tail)| tail.contains(voice))).collect()
    };
    let has_others = told.iter().any(|(run, _)| !said.contains(run.as_str()));
    // The same words in the same order, none of them in another part, and in the same voice.
    let mut place = 0;
    let keeps_parts = told.iter().all(|(run, tail)| {
        let found = stated.iter().enumerate().skip(place).find(|(_, (own, _))| own.contains(run.as_str()));
        let Some((at, (_, own))) = found else { return false };
        place = at;
        match (case(tail), case(own)) {
            (Some(told), Some(own)) => told == own,
            _ => true,
        }
    });
    has_others || keeps_parts && voice(&told) == voice(&stated)
}

/// Endings that turn doer and other round.
const VOICES: Words = words!["られ", "され", "させ", "もら", "くれ", "あげ", "くださ", "いただ"];

/// The words with the hiragana behind each.
fn parts(text: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    for (script, run) in runs(text) {
        match (script, found.last_mut()) {
            (Script::Hiragana, Some((_, tail))) => tail.push_str(&run),
            (Script::Hiragana | Script::Other, _) => {}
            _ => found.push((run, String::new())),
        }
    }
    found
}

/// The part that a particle gives; は and も hide it.
fn case(tail: &str) -> Option<char> {
    tail.chars().next().filter(|first| "をにでからへとよまが".contains(*first))
}

/// 「パン屋を辞めて、働くことになりました」: the first verb is as past as the last.
pub(super) fn finished(words: &str, sentence: &str) -> String {
    let own = words.trim_end_matches(['、', ' ']);
    let end = sentence.trim_end_matches(|c: char| !c.is_alphanumeric());
    let is_past =
        ["た", "ました", "でした", "んだ", "たんだけど", "んです"].iter().any(|past| end.ends_with(past));
    let te = own.strip_suffix('て').map(|stem| format!("{stem}た"));
    let de =
        ["ん", "い"].iter().any(|sound| own.ends_with(&format!("{sound}で"))).then(|| own.strip_suffix('で'));
    match te.or_else(|| de.flatten().map(|stem| format!("{stem}だ"))) {
        Some(past) if is_past && !own.ends_with("ていて") && !own.ends_with("くて") => past,
        _ => words.to_owned(),
    }
}

/// 「夫の健と」 says that the husband is 健. A brother of whom somebody else is the subject is theirs.
pub(super) fn names_in_passing(text: &str, said: &str) -> bool {
    let bare = text.trim_end_matches(|c: char| !c.is_alphanumeric());
    let bare = ["です", "だ"].iter().find_map(|end| bare.strip_suffix(end)).unwrap_or(bare);
    let bare = without_any(without_any(bare, SELF_TOPICS), SELF_OWNERS);
    let owned =
        ["がいる", "を飼っている"].iter().find_map(|end| bare.strip_suffix(end)?.split_once("という"));
    let named = owned.map(|(name, head)| (head, name)).or_else(|| bare.split_once('は'));
    let Some((head, name)) = named.filter(|(_, name)| !name.is_empty()) else { return false };
    // 「きなこという猫がいる」, 「猫の名前はきなこ」
    let told = format!("{}の{name}", head.strip_suffix("の名前").unwrap_or(head));
    said.find(&told).is_some_and(|at| {
        let before = said.get(..at).unwrap_or_default();
        let next = said.get(at + told.len()..).and_then(|rest| rest.chars().next());
        let is_whole = next.is_none_or(|next| "はがをにでともへや、。(".contains(next));
        let own = without_any(before, SELF_TOPICS);
        is_whole && !own.contains(['が', 'は']) && !name.contains(['は', 'が', 'を', 'に'])
    })
}

/// The text with the dates that it resolved written as they were said: 「2026年10月に」 as 「先月」.
fn with_dates_of(text: &str, said: &str, today: Date) -> String {
    let stated = dates(said, today);
    let mut told: String = text.to_owned();
    for own in dates(text, today).iter().rev().filter(|own| own.is_absolute) {
        let spelled = slice(text, own.from, own.to);
        if said.contains(&spelled) {
            continue;
        }
        let Some(source) = stated.iter().find(|source| is_within(own.date, source.date)) else { continue };
        let original = slice(said, source.from, source.to);
        let letters: Vec<char> = told.chars().collect();
        let mut end = own.to;
        let takes_particle = letters.get(end) == Some(&'に') && !said.contains(&format!("{original}に"));
        end += usize::from(takes_particle);
        let head: String = letters.iter().take(own.from).collect();
        let tail: String = letters.iter().skip(end).collect();
        // 「先月引っ越した(2026年10月)」
        told = match (head.strip_suffix('('), tail.strip_prefix(')')) {
            (Some(head), Some(tail)) if head.contains(&original) => format!("{head}{tail}"),
            _ => format!("{head}{original}{tail}"),
        };
    }
    told
}

fn slice(text: &str, from: usize, to: usize) -> String {
    text.chars().skip(from).take(to.saturating_sub(from)).collect()
}

/// What was said without the words that say how much or that the talk begins, unless the text has them, too.
fn without_fillers(said: &str, text: &str) -> String {
    #[rustfmt::skip]
    const FILLERS: Words = words![
        "とても", "すごく", "かなり", "本当に", "ほんとに", "めっちゃ", "めちゃくちゃ", "やっと", "ようやく", "ついに",
        "実は", "ちなみに", "一応", "ちょっと", "うちの", "我が家の", "私の", "僕の", "俺の", "自分の",
    ];
    #[rustfmt::skip]
    const OPENING: Words = words![
        "はい、", "ええ、", "うん、", "あの、", "えっと、", "あと、", "それと、", "そして、", "また、", "それから、",
        "ところで、", "こんにちは、", "はじめまして、", "なので、", "だから、", "でも、", "ただ、", "ちなみに、", "実は、", "しかも", "それに", "あと",
    ];
    let mut rest = said.trim_start();
    while let Some((_, after)) = OPENING.strip_from(rest) {
        rest = after;
    }
    let mut kept = rest.to_owned();
    if !is_denied(said) {
        for filler in FILLERS.iter().filter(|filler| !text.contains(filler)) {
            kept = kept.replace(filler, "");
        }
    }
    kept
}

/// One spelling for all that says the same: politeness, the user's name, numerals, marks. Commas stay.
fn form(folded: &str) -> String {
    let kept: String = folded
        .chars()
        .filter(|c| c.is_alphanumeric() || matches!(c, 'ー' | '々' | '、' | '.' | '%' | '-'))
        .collect();
    let laughs = kept.trim_end_matches(['w', '笑']);
    let mut kept = if laughs.ends_with(is_kana) { laughs } else { &kept }.trim_matches('、').to_owned();
    kept = without_any(without_any(&kept, SELF_TOPICS), SELF_OWNERS).trim_start_matches('、').to_owned();
    kept = kept.strip_prefix("うちは").unwrap_or(&kept).trim_start_matches('、').to_owned();
    kept =
        kept.replace("じゃな", "ではな").replace("じゃあり", "ではあり").replace("ではないです", "ではない");
    kept = plain_end(&without_link(&kept));
    for (casual, plain) in [
        ("てる", "ている"),
        ("でる", "でいる"),
        ("てた", "ていた"),
        ("てない", "ていない"),
        ("ことある", "ことがある"),
        ("あらない", "ない"),
        ("あらなかった", "なかった"),
    ] {
        if let Some(stem) =
            kept.strip_suffix(casual).filter(|stem| !stem.ends_with(['出', '育', '立', '捨', '慌', '当']))
        {
            kept = format!("{stem}{plain}");
            break;
        }
    }
    fold_kana(&in_digits(&kept))
}

/// A clause without what links it to the next: 「幸子ですが」, 「教えていて」, 「大阪出身で」.
pub(super) fn without_link(text: &str) -> String {
    for link in words!["けれども", "けれど", "けど", "せいで", "おかげで", "ので", "から", "が", "し"]
    {
        if let Some(stem) = text.strip_suffix(link)
            && ["です", "ます", "た", "だ", "る", "い", "ません", "な"].iter().any(|end| stem.ends_with(end))
        {
            let told = ["んだ", "のだ"].iter().find_map(|end| stem.strip_suffix(end));
            return told.unwrap_or(stem).trim_end_matches('な').to_owned();
        }
    }
    for (link, plain) in [
        ("なくて", "ない"),
        ("くて", "い"),
        ("ていて", "ている"),
        ("でいて", "でいる"),
        ("ており", "ている"),
        ("でおり", "でいる"),
        ("であり", ""),
    ] {
        if let Some(stem) = text.strip_suffix(link) {
            return format!("{stem}{plain}");
        }
    }
    // The で of a noun that is what somebody is; what stands behind 「に」 or 「を」 is where it is done.
    text.strip_suffix('で')
        .filter(|stem| stem.ends_with(|c: char| !is_kana(c) || is_katakana(c)))
        .unwrap_or(text)
        .to_owned()
}

/// Counted kanji numerals as digits.
fn in_digits(text: &str) -> String {
    const COUNTED: &str = "人匹歳才年月日回本台個つ時分円枚軒頭羽冊杯階度番週泊社件名";
    let letters: Vec<char> = text.chars().collect();
    let (mut made, mut at) = (String::new(), 0);
    while let Some(&c) = letters.get(at) {
        let rest = letters.get(at..).unwrap_or_default();
        let number = kanji_value(c).and_then(|_| number_at(rest));
        match number {
            Some((number, length))
                if letters.get(at + length).is_some_and(|next| COUNTED.contains(*next)) =>
            {
                made.push_str(&number.to_string());
                at += length;
            }
            _ => {
                made.push(c);
                at += 1;
            }
        }
    }
    made
}

/// The phrases of what was said, each with its particles.
fn phrases(given: &str) -> Vec<String> {
    let mut found: Vec<String> = vec![String::new()];
    let mut last = ' ';
    for (at, c) in given.char_indices() {
        let adverb =
            ADVERBS.iter().any(|adverb| given.get(at..).is_some_and(|rest| rest.starts_with(adverb)));
        let begins = last == '、'
            || is_particle(last) && adverb
            || is_kana(last) && !is_kana(c) && c != '、' && c != 'ー';
        if begins && found.last().is_some_and(|own| !own.is_empty()) {
            found.push(String::new());
        }
        if let Some(own) = found.last_mut().filter(|_| c != '、') {
            own.push(c);
        }
        last = c;
    }
    found.retain(|phrase| !phrase.is_empty());
    found
}

/// Adverbs in hiragana, which begin a phrase behind a particle.
const ADVERBS: Words = words![
    "また",
    "もう",
    "まだ",
    "よく",
    "いつも",
    "ずっと",
    "たまに",
    "あまり",
    "ほとんど",
    "すぐ",
    "だいたい"
];

/// Whether the text is made of the phrases, in order, without some of those that may go.
fn aligned(text: &str, phrases: &[String], may_go: &impl Fn(&str) -> bool) -> bool {
    // The places of the text that are reached with all phrases before explained.
    let text = text.replace('、', "");
    let mut reached = vec![0];
    for (at, phrase) in phrases.iter().enumerate() {
        let mut next: Vec<usize> = if may_go(phrase) { reached.clone() } else { Vec::new() };
        for spelled in spellings(phrase, at + 1 == phrases.len()) {
            next.extend(reached.iter().filter_map(|&place| {
                text.get(place..)?.starts_with(spelled.as_str()).then_some(place + spelled.len())
            }));
        }
        crate::order::by_key(&mut next, |place| *place);
        next.dedup();
        reached = next;
    }
    reached.contains(&text.len())
}

/// A phrase with the particles that say the same of it.
fn spellings(phrase: &str, is_last: bool) -> Vec<String> {
    let mut all = vec![phrase.to_owned()];
    if is_last {
        return all;
    }
    let Some(particle) = phrase.chars().next_back() else { return all };
    let noun = phrase.get(..phrase.len() - particle.len_utf8()).unwrap_or_default();
    if noun.is_empty() || noun.ends_with(is_particle) || noun.ends_with(['何', '誰']) {
        return all;
    }
    let is_thing = person_ja(noun).is_none()
        && !is_japanese_name(noun)
        && !words!["さん", "くん", "ちゃん", "先生", "君", "様"].iter().any(|title| noun.ends_with(title));
    let others: &[char] = match particle {
        'が' => &['は'],
        'は' if is_thing => &['が', 'を'],
        'は' => &['が'],
        'も' if is_thing => &['は', 'が', 'を'],
        _ => &[],
    };
    all.extend(others.iter().map(|other| format!("{noun}{other}")));
    all
}

fn is_particle(c: char) -> bool {
    "はがをにでともへのらて".contains(c)
}

/// See [`super::derive::bears_on`].
pub(super) fn bears_on(rest: &str) -> bool {
    #[rustfmt::skip]
    const BEARS: Words = words![
        "だけ", "しか", "なければ", "ならば", "たら", "冗談", "嘘", "うそ", "つもりだった", "予定だった", "はずだった", "つもりでした",
        "予定でした", "はずでした", "ただし", "以外", "そうです", "らしい", "みたいです", "と言って", "と言う", "設定", "夢", "のは昔",
        "前の話", "仮に", "もし", "笑", "棒読み", "むしろ", "というか", "どころか", "とは限",
    ];
    contains_any(rest, BEARS)
}
