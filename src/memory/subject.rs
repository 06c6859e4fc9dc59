//! Whom a statement is about: what is said of somebody else may not be told of the user.

use super::units_en::{Word, is_adverb, is_contracted_noun, is_filler, verb_at, words};
use super::units_ja::is_time;
use super::vocabulary::{GROUPS_JA, WIDER_JA};
use crate::text::case::lower;
use crate::text::fold::fold;
use crate::text::language::{Language, is_han, is_kana, is_katakana, language};
use crate::text::list::Words;
use crate::text::names::is_japanese_name;
use crate::text::phrase::{contains_any, has, has_any};
use crate::words;

/// People and animals around a user, in English. Each names its spellings.
#[rustfmt::skip]
const PEOPLE_EN: &[Words] = &[
    words!["sister", "sisters"], words!["brother", "brothers"], words!["mother", "mom", "mum", "mam", "mama"],
    words!["father", "dad", "papa"], words!["parents"], words!["wife", "spouse", "partner"], words!["husband", "spouse", "partner"],
    words!["son", "sons"], words!["daughter", "daughters"], words!["child", "children", "kid", "kids"], words!["friend", "friends"],
    words!["boss", "manager"], words!["colleague", "colleagues", "coworker", "co-worker"], words!["girlfriend", "partner"],
    words!["boyfriend", "partner"], words!["aunt"], words!["uncle"], words!["cousin", "cousins"],
    words!["grandmother", "grandma", "granny", "nan"], words!["grandfather", "grandpa", "granddad"], words!["grandparents"],
    words!["neighbor", "neighbour", "neighbors", "neighbours"], words!["roommate", "flatmate", "housemate"], words!["teacher"],
    words!["doctor"], words!["dog", "puppy", "greyhound", "terrier"], words!["cat", "kitten"], words!["pet"], words!["niece"], words!["nephew"],
    words!["fiancé", "fiance", "fiancee", "fiancée"], words!["mother-in-law"], words!["father-in-law"], words!["brother-in-law"],
    words!["sister-in-law"], words!["in-laws"], words!["stepsister"], words!["stepbrother"], words!["stepmother", "stepmom"],
    words!["stepfather", "stepdad"], words!["stepson"], words!["stepdaughter"], words!["grandson"], words!["granddaughter"], words!["ex", "ex-wife", "ex-husband"],
    words!["company"], words!["team"], words!["partner"], words!["landlord"], words!["landlady"], words!["therapist"], words!["coach"], words!["professor"],
    words!["advisor", "adviser", "supervisor"], words!["client", "clients"], words!["student", "students"], words!["twin", "twins"],
    words!["baby", "toddler"], words!["family"], words!["hamster"], words!["rabbit"], words!["horse"], words!["parrot"], words!["everyone"], words!["everybody"],
    words!["somebody", "someone"], words!["people"],
];

/// Whether a lower-cased word is a person or animal close to somebody.
pub(super) fn is_person_en(word: &str) -> bool {
    PEOPLE_EN.iter().any(|group| group.contains(word))
}

/// The first person or animal that a Japanese text names.
pub(super) fn person_ja(text: &str) -> Option<&'static str> {
    PEOPLE_JA
        .iter()
        .filter_map(|person| text.find(person).map(|at| (at, std::cmp::Reverse(person.len()), person)))
        .min()
        .map(|(_, _, person)| person)
}

#[rustfmt::skip]
const PEOPLE_JA: Words = words![
    "妹", "姉", "兄", "弟", "母", "父", "両親", "妻", "嫁", "夫", "旦那", "主人", "息子", "娘", "子供",
    "子ども", "友達", "友人", "親友", "上司", "同僚", "部下", "先輩", "後輩", "彼女", "彼氏", "恋人", "叔母",
    "叔父", "伯母", "伯父", "おば", "おじ", "いとこ", "祖母", "祖父", "おばあちゃん", "おじいちゃん", "隣人",
    "先生", "医者", "社長", "部長", "課長", "犬", "猫", "ペット", "姪", "甥", "孫", "義母", "義父", "元カレ",
    "元カノ", "親", "ママ", "パパ", "お母さん", "お父さん", "お姉ちゃん", "お兄ちゃん", "ルームメイト",
    "婚約者", "奥さん", "彼", "長女", "次女", "三女", "長男", "次男", "三男", "義兄", "義姉", "義弟", "義妹", "大家", "カウンセラー",
    "主治医", "担任", "コーチ", "監督", "姑", "舅", "双子", "赤ちゃん", "甥っ子", "姪っ子", "生徒", "店長", "ハムスター", "うさぎ", "インコ",
    "愛犬", "愛猫", "子猫", "子犬", "仔猫", "仔犬", "元夫", "元妻", "元彼", "家族", "みんな", "義理の弟", "義理の兄", "義理の姉", "義理の妹",
];

/// The one whom `said` is about and `text` leaves out; `None` if the two are about the same.
pub(super) fn dropped(text: &str, said: &str) -> Option<String> {
    let (folded_text, folded_said) = (fold(text), fold(said));
    match language(said) {
        Language::En => dropped_en(&folded_text, said),
        Language::Ja => dropped_ja(&folded_text, &folded_said),
    }
}

/// The subject is what stands before the verb. It is the user, or the text must name it.
fn dropped_en(text: &str, said: &str) -> Option<String> {
    let words = words(said);
    let skip = words
        .iter()
        .take_while(|word| is_filler(&word.low) || words!["by", "the", "way"].contains(word.low.as_str()))
        .count();
    let starts_with_the = skip > 0 && words.get(skip - 1).is_some_and(|word| word.low == "the");
    let own: Vec<&Word> = words.iter().skip(skip - usize::from(starts_with_the)).collect();
    let bare = |word: &Word| word.low.split('\'').next().unwrap_or_default().to_owned();
    let first = own.first()?;
    if words!["he", "she", "they", "his", "her", "their"].contains(bare(first).as_str()) {
        // Who is meant stands in another sentence; a fact that names nobody but the user misses them.
        return says_user(text).then(|| bare(first));
    }
    let verb = verb_at(&own).filter(|verb| *verb <= 8)?;
    let subject = own.get(..verb + usize::from(is_contracted_noun(&own, verb)))?;
    if subject.is_empty()
        || subject.iter().any(|word| words!["i", "we", "im", "ive", "you"].contains(bare(word).as_str()))
    {
        return None;
    }
    // "Daughter's birthday" names her as well as "a daughter" does.
    let text = text.replace('’', "'").replace("'s", "");
    for word in subject {
        let who = word.low.trim_end_matches("'s");
        if let Some(group) = PEOPLE_EN.iter().find(|group| group.contains(who))
            && !has_any(&text, *group)
        {
            return Some(who.to_owned());
        }
    }
    let is_named = |word: &&&Word| {
        let who = word.low.trim_end_matches("'s");
        has(&text, who) || PEOPLE_EN.iter().any(|group| group.contains(who) && has_any(&text, *group))
    };
    let content = |word: &&&Word| {
        word.low.len() > 1
            && !is_adverb(&word.low)
            && !words![
                "my",
                "our",
                "the",
                "it",
                "that",
                "this",
                "there",
                "what",
                "which",
                "these",
                "those",
                "two",
                "three",
                "of",
                "in",
                "on",
                "at",
                "a",
                "an",
                "and",
                "everything",
                "nothing",
                "since",
                "until",
                "from",
                "to",
                "for",
                "with",
                "one",
                "all",
                "both",
                "me",
                "us",
                "today",
                "yesterday"
            ]
            .contains(bare(word).as_str())
    };
    let mut contents = subject.iter().filter(content).peekable();
    contents.peek()?;
    // "Only my work schedule changed" is about the user too; only somebody's name or noun of their own is missed.
    let names =
        subject.iter().filter(content).any(|word| word.is_capital && !OPENING.contains(word.low.as_str()));
    let owned = words!["my", "our", "the", "all", "most"].contains(bare(first).as_str());
    (!contents.any(|word| is_named(&word)) && (names || owned || subject.len() == 1))
        .then(|| subject.iter().filter(content).map(|word| word.low.clone()).next_back().unwrap_or_default())
}

/// Words that stand before a verb and are nobody.
const OPENING: Words =
    words!["born", "currently", "english", "japanese", "moved", "have", "had", "when", "after", "before"];

fn says_user(text: &str) -> bool {
    has_any(text, words!["user", "i", "i'm", "i've"])
}

/// A person or animal before は, が, も or の at the beginning, perhaps behind うちの or 私の.
#[rustfmt::skip]
fn dropped_ja(text: &str, said: &str) -> Option<String> {
    let head = head_ja(said);
    let person =
        PEOPLE_JA.iter().filter(|person| head.starts_with(*person)).max_by_key(|person| person.len());
    if let Some(person) = person {
        let after = head.get(person.len()..)?;
        let is_subject = words![
            "は", "が", "も", "の", "たちは", "達は", "さんは", "さんが", "、", "って", "夫婦は", "夫婦が", "一家は", "ちゃんは", "ちゃんが",
        ]
        .iter()
        .any(|particle| after.starts_with(particle))
            && !["がい", "が二", "が三", "が一", "がほ", "が欲", "が好", "が大好", "が苦手", "が嫌"]
                .iter()
                .any(|other| after.starts_with(other));
        if !is_subject {
            return None;
        }
        let spellings: Vec<&str> = GROUPS_JA
            .iter()
            .filter(|group| group.contains(person))
            .flat_map(|group| group.iter())
            .filter(|other| PEOPLE_JA.contains(other))
            .chain(WIDER_JA.iter().filter(|(_, narrow)| narrow.contains(person)).map(|(wide, _)| *wide))
            .collect();
        let named = text.contains(person) || spellings.iter().any(|other| text.contains(other));
        return (!named).then(|| person.to_owned());
    }
    titled(head, text).or_else(|| topic_left_out(head, text)).or_else(|| owner_left_out(head, text))
}

/// The sentence without what opens it: times, conjunctions and whose the subject is.
#[rustfmt::skip]
fn head_ja(said: &str) -> &str {
    const OPENINGS: Words = words![
        "ちなみに", "実は", "あと", "それと", "そして", "でも", "今は", "今でも", "今", "昔", "以前", "昨日", "今日", "先週", "先月", "去年", "今年",
        "最近", "いや", "あー", "えっと", "まあ", "ところで", "そういえば", "しかも", "だから", "また", "この前", "どうも", "うち", "私", "僕", "俺",
        "わたし", "我が家", "わが家", "自分", "元", "亡き", "実の", "義理の", "一番上の", "下の", "上の",
    ];
    let mut head = said.trim_start_matches(|c: char| !c.is_alphanumeric());
    loop {
        let shorter = OPENINGS.iter().find_map(|opening| head.strip_prefix(opening)).filter(|rest| {
            // 「私は」 is the subject and no opening; 「元夫」 and 「私の妹」 are.
            !rest.starts_with(['は', 'が', 'も']) && !rest.is_empty()
        });
        match shorter {
            Some(rest) => head = rest.trim_start_matches(|c: char| !c.is_alphanumeric() || c == 'の'),
            None => return head,
        }
    }
}

/// A topic that is neither the user nor something of theirs: 「玲奈は8月まで産休」 is not about the user.
#[rustfmt::skip]
fn topic_left_out(head: &str, text: &str) -> Option<String> {
    const OWN: Words = words![
        "私", "僕", "俺", "わたし", "ぼく", "おれ", "自分", "うち", "家", "我々", "こと", "もの", "の", "方", "ほう", "とき", "時", "頃", "朝", "昼", "夜", "晩",
        "日", "月", "年", "週", "曜", "今", "前", "後", "目標", "夢", "名前", "仕事", "職業", "出身", "趣味", "年齢", "担当", "専門", "専攻", "これ", "それ",
        "本業", "副業", "普段", "最近", "実", "国籍", "住まい", "身長", "体重",
    ];
    let topical = head.split_once('は');
    let (topic, rest) = match (topical, head.split_once('が')) {
        (Some((topic, _)), Some((subject, rest))) if subject.len() < topic.len() => (subject, rest),
        (Some(topical), _) => topical,
        (None, subject) => subject?,
    };
    let noun: String = topic.chars().rev().take_while(|c| is_han(*c) || is_katakana(*c) || c.is_ascii_alphanumeric()).collect();
    let noun: String = noun.chars().rev().collect();
    let length = noun.chars().count();
    // A が marks objects, too: only a name before it is surely somebody.
    let is_object = head.get(topic.len()..).is_some_and(|after| after.starts_with('が'));
    let is_name = noun.chars().all(is_katakana) || is_japanese_name(&noun);
    if is_object && (!is_name || topic.contains(['と', 'や', '、'])) {
        return None;
    }
    let is_topic = !rest.is_empty() && (1..=10).contains(&length) && topic.ends_with(noun.as_str());
    let is_own = is_time(&noun) || OWN.iter().any(|own| topic.ends_with(own)) || topic.contains(['に', 'で', 'を', 'へ', 'が']);
    let vouched = GROUPS_JA.iter().any(|group| group.iter().any(|word| noun.contains(word)) && group.iter().any(|word| text.contains(word)));
    (is_topic && !is_own && !vouched && !text.contains(noun.as_str())).then_some(noun)
}

/// 「庭いじりは妻の担当」: what is somebody else's is told as if it were the user's.
fn owner_left_out(head: &str, text: &str) -> Option<String> {
    let end = text.trim_end_matches(|c: char| !c.is_alphanumeric());
    let value: String = end.chars().rev().take_while(|c| is_han(*c)).collect();
    let value: String = value.chars().rev().collect();
    if value.chars().count() < 2 {
        return None;
    }
    PEOPLE_JA
        .iter()
        .find(|person| head.contains(&format!("{person}の{value}")) && !text.contains(*person))
        .map(|person| (*person).to_owned())
}

/// The statement with the one whom its "she" or its ownerless 名前 means, if only one is named before it.
pub(super) fn with_antecedent(words: &str, before: &str) -> Option<String> {
    match language(words) {
        Language::En => {
            let opening = words.split_whitespace().find(|word| !is_filler(&lower(word)))?;
            let pronoun = opening.split(['\'', '’']).next().unwrap_or(opening);
            if !words!["he", "she", "they"].contains(lower(pronoun).as_str()) {
                return None;
            }
            let mut named = words_of(before).filter(|word| is_person_en(word)).collect::<Vec<_>>();
            named.dedup();
            let [person] = named.as_slice() else { return None };
            let at = words.find(opening)?;
            let rest = words.get(at + pronoun.len()..)?;
            let verb =
                rest.strip_prefix("'s").or_else(|| rest.strip_prefix("’s")).map(|rest| format!(" is{rest}"));
            Some(format!("my {person}{}", verb.unwrap_or_else(|| rest.to_owned())))
        }
        Language::Ja => {
            let own = words.trim_start_matches(|c: char| !c.is_alphanumeric());
            let rest = own.strip_prefix("名前は").or_else(|| own.strip_prefix("名は"))?;
            let before = fold(before);
            let person = person_ja(&before)?;
            let others = before.replacen(person, "", 1);
            person_ja(&others).is_none().then(|| format!("{person}の名前は{rest}"))
        }
    }
}

fn words_of(text: &str) -> impl Iterator<Item = String> {
    words(text).into_iter().map(|word| word.low.trim_end_matches("'s").to_owned())
}

/// Whether a sentence that names no subject goes on about somebody of the sentence before it: 「妹がいます。看護師です。」
pub(super) fn goes_on_about_other(words: &str, before: &str) -> bool {
    let (words, before) = (fold(words), fold(before));
    if language(&words) != Language::Ja || before.is_empty() {
        return false;
    }
    let end = words.trim_end_matches(|c: char| !c.is_alphanumeric());
    let mut bare = words.clone();
    for attribute in words!["体重は", "身長は", "性格は", "年齢は", "誕生日は", "今は", "最近は", "昔は"]
    {
        bare = bare.replace(attribute, "");
    }
    let has_subject = bare.contains('は')
        || bare.contains('が') && !bare.ends_with('が')
        || bare.contains('も')
        || contains_any(&words, words!["私", "僕", "俺", "うち", "自分"]);
    if has_subject || contains_any(end, words!["たい", "つもり", "ほしい", "ください"]) {
        return false;
    }
    let Some(person) = person_ja(&before) else { return false };
    let copular =
        words!["です", "でした", "だ", "だった", "歳", "才", "だよ", "ですよ", "みたい", "みたいです"]
            .iter()
            .any(|ending| end.ends_with(ending))
            || end.chars().next_back().is_some_and(|c| !is_kana(c));
    let is_topic = words!["は", "が", "も", "って"]
        .iter()
        .any(|particle| before.contains(&format!("{person}{particle}")))
        && !["がいる", "がいま", "がほし", "が欲し", "が好"]
            .iter()
            .any(|other| before.contains(&format!("{person}{other}")));
    let is_own = contains_any(end, words!["好き", "予定", "しま", "いま"]);
    is_topic || copular && !is_own
}

/// 田中さんは…, ケンくんが…: somebody by name and title.
#[rustfmt::skip]
fn titled(head: &str, text: &str) -> Option<String> {
    for title in words![
        "さんは", "さんが", "くんは", "くんが", "君は", "君が", "ちゃんは", "ちゃんが", "氏は", "氏が",
        "先生は", "先生が", "様は", "様が", "さんの", "くんの", "ちゃんの",
    ] {
        if let Some(at) = head.find(title)
            && let Some(name) = head.get(..at)
            && (1..=8).contains(&name.chars().count())
            && name.chars().all(char::is_alphabetic)
            && !name.chars().any(|c| matches!(c, 'は' | 'が' | 'を' | 'に') && is_kana(c))
        {
            return (!text.contains(name)).then(|| name.to_owned());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_of_others_is_not_told_of_the_user() {
        for (text, said) in [
            ("The user lives in Osaka", "My sister lives in Osaka"),
            ("The user is a nurse", "She is a nurse"),
            ("The user likes jazz", "Kenji likes jazz"),
            ("東京に住んでいる", "妹は東京に住んでいる"),
            ("看護師だ", "うちの母は看護師です"),
            ("ジャズが好き", "田中さんはジャズが好き"),
        ] {
            assert!(dropped(text, said).is_some(), "{text} / {said}");
        }
        for (text, said) in [
            ("The user's sister lives in Osaka", "My sister lives in Osaka"),
            ("The user's mother is a nurse", "my mom is a nurse"),
            ("Kenji likes jazz", "Kenji likes jazz"),
            ("The user has a sister", "I have a sister"),
            ("Daughter's birthday is June 10", "My daughter's birthday is June 10"),
            ("猫が好き", "猫が好きです"),
            ("妹がいる", "妹が二人います"),
            ("母は看護師", "うちのお母さんは看護師です"),
            ("仕事は看護師", "私の仕事は看護師です"),
        ] {
            assert_eq!(dropped(text, said), None, "{text} / {said}");
        }
    }
}
