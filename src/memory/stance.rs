//! What a text holds about its content: denied or not, past or not, wished or done.
//!
//! A fact may reword what was said, but not turn it round. Each feature is read from the words of both languages,
//! and compared between the fact and the words it rests on.

use crate::text::fold::fold;
use crate::text::list::Words;
use crate::text::phrase::{contains_any, has, has_any};
use crate::words;

/// How a fact's text departs from what was said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// A negation, dislike or end was lost or invented.
    Polarity,
    /// What was is told as what is.
    Tense,
    /// A wish or plan is told as done.
    Modality,
}

/// The first way in which `text` says something else than `said`.
pub fn turned(text: &str, said: &str) -> Option<Turn> {
    let (text, said) = (fold(text), fold(said));
    if is_denied(&text) != is_denied(&said) {
        return Some(Turn::Polarity);
    }
    let narrows = |folded: &str| {
        has_any(
            folded,
            words![
                "only",
                "しか",
                "だけ",
                "のみ",
                "except",
                "unless",
                "以外",
                "as long as",
                "so long as",
                "provided that"
            ],
        ) && !has_any(folded, words!["しかし", "しかも", "not only", "だけど", "だけれど"])
    };
    if narrows(&said) && !narrows(&text) {
        return Some(Turn::Polarity);
    }
    if is_wish(&said) && !is_wish(&text) && !is_appointment(&text, &said) {
        return Some(Turn::Modality);
    }
    if is_wish(&text) && !is_wish(&said) && !is_open(&said) {
        return Some(Turn::Modality);
    }
    if (has_ended(&said) && !has_ended(&text) && tells_state(&text)) || is_ahead_of(&text, &said) {
        return Some(Turn::Tense);
    }
    let lost_past = is_over(&said) && !is_over(&text) && !tells_past(&text);
    let revived =
        tells_state_of_the_past(&said) && tells_present(&text) && !tells_past(&text) && !is_over(&text);
    (lost_past || revived).then_some(Turn::Tense)
}

/// Whether an odd number of words turn the statement round.
pub fn is_denied(folded: &str) -> bool {
    let mut rest = without_answer(folded);
    if rest.contains("neither") {
        rest = rest.replace(" nor ", " and ");
    }
    for word in NO_DENIAL {
        rest = rest.replace(word, " ");
    }
    // しか…ない means "only".
    if let Some(at) = rest.find("しか").filter(|&at| {
        !rest.get(at..).is_some_and(|tail| tail.starts_with("しかし") || tail.starts_with("しかも"))
    }) {
        for word in words!["ませんでした", "ません", "なかった", "ない"] {
            if let Some(denial) = rest.get(at..).and_then(|tail| tail.find(word)) {
                rest.replace_range(at + denial..at + denial + word.len(), "\u{1}");
                break;
            }
        }
    }
    let mut count = 0;
    for word in DENIALS {
        // Every hit is blanked, so that 「ではない」 is not counted again as 「ない」.
        while has(&rest, word) {
            let Some(at) = crate::text::phrase::find(&rest, word) else { break };
            rest.replace_range(at..at + word.len(), "\u{1}");
            count += 1;
        }
    }
    // "Tuesdays off" denies as much as "not on Tuesdays".
    let free_day = ["day", "days"].iter().any(|day| rest.contains(&format!("{day} off")));
    (count + usize::from(free_day)) % 2 == 1
}

/// The text without a "no" that answers or opens it and denies nothing in it: "no I'm a midwife".
fn without_answer(folded: &str) -> String {
    let rest = folded.trim_start();
    let answered = rest.strip_prefix("no").filter(|rest| {
        rest.starts_with(',')
            || words!["i", "i'm", "we", "he", "she", "it", "it's", "that's", "my", "they"]
                .iter()
                .any(|word| crate::text::phrase::starts(rest.trim_start(), word) && rest.starts_with(' '))
    });
    answered.unwrap_or(folded).to_owned()
}

/// Something was had or done until then.
#[rustfmt::skip]
fn has_ended(folded: &str) -> bool {
    has_any(
        folded,
        words![
            "sold", "buried", "passed away", "died", "lost", "gave away", "given away", "got rid of", "broke up", "laid off",
            "fired", "moved out", "threw away", "put down", "returned", "売っ", "売り、", "売りま", "見送", "亡くな", "手放", "別れ",
            "なくしま", "なくした", "失く", "捨て", "譲っ", "譲り", "リストラ", "クビ", "引き払",
        ],
    )
}

/// The text tells what somebody has or does at this time.
fn tells_state(folded: &str) -> bool {
    let end = folded.trim_end_matches(|c: char| !c.is_alphanumeric());
    has_any(
        folded,
        words!["has", "have", "owns", "own", "lives", "live", "works", "work", "uses", "drives", "keeps"],
    ) && !has_any(folded, words!["had", "owned", "lived", "worked"])
        || words!["ている", "でいる", "がいる", "がある", "持つ", "飼う"]
            .iter()
            .any(|state| end.ends_with(state))
}

/// Words of what is only to come, or open: a wish may be read from them.
fn is_open(folded: &str) -> bool {
    has_any(
        folded,
        words![
            "love to",
            "like to",
            "i'd",
            "prefer",
            "prefers",
            "please",
            "need to",
            "ask",
            "asked",
            "call me",
            "applying",
            "starting",
            "leaving",
            "moving",
            "getting",
            "trying",
            "can't wait",
            "after",
            "on",
            "in",
            "at",
            "until",
            "ください",
            "下さい",
            "呼んで",
            "て。",
            "嬉しい",
            "助かる",
            "助かり",
            "から",
            "に",
            "まで",
            "好き",
            "する",
            "します",
        ],
    )
}

/// The text tells as done or as going on what was only said to come.
fn is_ahead_of(text: &str, said: &str) -> bool {
    if has_any(said, words!["moving", "relocating"])
        && has_any(text, words!["lives", "live", "moved", "relocated"])
    {
        return !tells_past(said);
    }
    let habitual = contains_any(said, words!["毎", "いつも", "よく", "普段", "週に", "たまに"]);
    let end = text.trim_end_matches(|c: char| !c.is_alphanumeric());
    let goes_on =
        words!["ている", "でいる", "ています", "でいます"].iter().any(|ending| end.ends_with(ending));
    let verb_end = said.trim_end_matches(|c: char| !c.is_alphanumeric());
    let plain = words!["む", "く", "う", "つ", "ぶ", "ぐ", "ます", "る"]
        .iter()
        .any(|ending| verb_end.ends_with(ending))
        && ![
            "てる",
            "でる",
            "ている",
            "でいる",
            "てます",
            "でます",
            "ています",
            "でいます",
            "てある",
            "である",
            "がある",
            "がいる",
            "あります",
            "います",
        ]
        .iter()
        .any(|ending| verb_end.ends_with(ending));
    let done =
        words!["た", "だった", "でした"].iter().any(|ending| end.ends_with(ending)) && !end.ends_with("また");
    plain && !habitual && !tells_done(said) && (goes_on || done)
}

/// A past form anywhere, or a て that leaves the tense to what follows.
fn tells_done(folded: &str) -> bool {
    let mut rest = folded.to_owned();
    for word in words![
        "たい",
        "たく",
        "また",
        "たち",
        "ため",
        "たまに",
        "たら",
        "たぶん",
        "たくさん",
        "あなた",
        "いただ",
        "ただ",
    ] {
        rest = rest.replace(word, " ");
    }
    rest.contains('た') || rest.contains("だっ") || rest.contains("んだ") || rest.contains("いだ")
}

/// Words that hold a negation's letters, or two of them, and deny nothing.
#[rustfmt::skip]
const NO_DENIAL: Words = words![
    "なければならない", "なければなりません", "なければいけない", "なければいけません", "なくてはならない",
    "なくてはいけない", "なくてはなりません", "ないといけない", "ないといけません", "なきゃいけない",
    "なきゃならない", "ねばならない", "ずにはいられない", "かもしれない", "かもしれません", "に違いない",
    "にちがいない", "しか飲まない", "しか食べない", "少なくない", "少ない", "少なく", "危ない", "つまらない",
    "もったいない", "切ない", "とんでもない", "何気ない", "さりげない", "なんでもない", "間違いない",
    "じゃないか", "申し訳ない", "きたない", "汚ない", "幼い", "てんない", "おなか", "案内", "内緒",
    "家内", "国内", "only not", "not only", "no problem", "no. ", "why not", "not just", "no doubt", "all but",
    "北朝鮮ない", "ずっと", "必ず", "まず", "わずか", "少しずつ", "ずつ", "涼しい", "はずれ", "はず", "しずか",
    "みず", "ずいぶん", "ずれ", "ず、",
];

/// Words that turn a statement round, longest first.
#[rustfmt::skip]
const DENIALS: Words = words![
    "can't stand", "cannot stand", "can not stand", "no longer", "not any more", "not anymore", "gave up",
    "given up", "giving up", "didn't like", "don't like", "doesn't like", "dislikes", "dislike", "disliked",
    "hates", "hate", "hated", "detest", "detests", "avoid", "avoids", "avoiding", "avoided", "quit", "quits",
    "stopped", "stop", "stops", "refuse", "refuses", "unable", "disabled", "disable", "disables", "disabling",
    "forbidden", "forbid", "forbids", "prohibited", "never", "not", "cannot", "without", "neither", "nor", "against",
    "none", "no", "nothing", "nobody", "hardly", "rarely", "seldom", "don't", "doesn't", "didn't", "isn't",
    "aren't", "wasn't", "weren't", "won't", "wouldn't", "can't", "couldn't", "haven't", "hasn't", "hadn't",
    "shouldn't", "mustn't", "ain't", "dont", "doesnt", "cant", "isnt", "except", "lacks", "lack", "allergic",
    "intolerant", "ではありません", "じゃありません", "ではなかった", "じゃなかった", "ではない", "じゃない",
    "ありません", "ませんでした", "ません", "なかった", "なくなった", "なくなり", "したくない", "たくない",
    "くない", "ない", "なし", "無し", "嫌い", "きらい", "キライ", "苦手", "にがて", "大嫌い", "嫌", "やめた",
    "やめました", "やめて", "やめる", "辞めた", "辞めました", "辞めて", "辞める", "止めた", "止めました",
    "禁止", "無効", "不採用", "不可", "不要", "禁煙", "禁酒", "ダメ", "だめ", "駄目", "避け", "断っ", "できず",
    "せず", "ずに", "食べず", "飲まず", "未経験", "未婚", "無理", "非", "なく",
];

/// Whether it is said to be wished, planned or hoped.
#[rustfmt::skip]
fn is_wish(folded: &str) -> bool {
    has_any(
        folded,
        words![
            "want", "wants", "wanted", "wish", "wishes", "hope", "hopes", "hoping", "plan", "plans", "planning",
            "intend", "intends", "going to", "will", "i'll", "we'll", "would like", "would love",
            "would rather", "i'd like", "i'd love", "i'd rather", "dream", "dreams", "aim", "aims", "goal", "aspire", "aspires", "looking forward",
            "next week", "next month", "next year", "tomorrow", "supposed to", "about to", "scheduled",
            "upcoming", "desire", "desires", "interested", "たい", "予定", "つもり", "夢", "目標", "希望",
            "計画", "ほしい", "欲しい", "目指", "志望", "願", "しようと思", "ようと思", "来月", "来週", "来年",
            "明日", "明後日", "再来", "憧れ",
        ],
    )
}

/// An appointment stands before its day comes: 「来週面接があります」 tells no wish.
#[rustfmt::skip]
fn is_appointment(text: &str, said: &str) -> bool {
    const NAMES: Words = words![
        "interview", "exam", "appointment", "flight", "meeting", "wedding", "surgery", "trip", "concert",
        "presentation", "race", "marathon", "deadline", "test", "recital", "performance", "competition", "面接",
        "試験", "テスト", "予約", "約束", "会議", "打ち合わせ", "結婚式", "手術", "検査", "健康診断", "旅行", "出張",
        "発表", "プレゼン", "大会", "試合", "ライブ", "コンサート", "会", "式", "デート", "レース", "マラソン",
        "締め切り", "締切", "フライト", "診察", "授業参観", "面談", "研修",
    ];
    let stands = has_any(said, words!["i have", "i've got", "we have", "があり", "がある", "が入って"]);
    let undated = DAYS_AHEAD.iter().fold(said.to_owned(), |rest, day| rest.replace(day, " "));
    stands && has_any(text, NAMES) && !is_wish(&undated)
}

const DAYS_AHEAD: Words = words![
    "next week",
    "next month",
    "next year",
    "tomorrow",
    "来月",
    "来週",
    "来年",
    "明日",
    "明後日",
    "再来",
    "upcoming",
];

/// Whether it is said to be over: a former habit or state.
#[rustfmt::skip]
fn is_over(folded: &str) -> bool {
    has_any(
        folded,
        words![
            "used to", "formerly", "previously", "in the past", "once was", "back then", "former", "ex-",
            "no longer", "以前", "昔", "かつて", "元々は", "むかし", "前職", "過去", "子供の頃",
            "子どもの頃", "学生時代", "幼少期", "幼い頃", "小さい頃", "若い頃",
        ],
    ) || folded.match_indices("前は").any(|(at, _)| {
        // 「名前は」 and 「駅前は」 are no 「前は」.
        !folded.get(..at).is_some_and(|before| before.ends_with(crate::text::language::is_han))
    })
}

fn tells_past(folded: &str) -> bool {
    let words: Vec<&str> =
        folded.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    // "is terrified" tells of now.
    let is_state = |at: usize| {
        at.checked_sub(1)
            .and_then(|before| words.get(before))
            .is_some_and(|word| words!["is", "are", "am", "m", "be"].contains(word))
    };
    let english = words
        .iter()
        .enumerate()
        .any(|(at, word)| word.len() > 4 && word.ends_with("ed") && !is_state(at) || PAST.contains(word));
    let end = folded.trim_end_matches(|c: char| !c.is_alphanumeric());
    english
        || words!["た", "だった", "でした", "ました"].iter().any(|ending| end.ends_with(ending))
        || folded.contains("していた")
        || folded.contains("いた。")
}

const PAST: Words = words![
    "was", "were", "had", "went", "left", "lived", "grew", "quit", "got", "bought", "did", "ate", "drank",
    "wrote", "taught", "ran", "sold", "lost", "been", "knew", "met", "kept", "broke",
];

/// A state that was, without anything that still is.
#[rustfmt::skip]
fn tells_state_of_the_past(folded: &str) -> bool {
    const WAS: Words = words![
        "lived", "worked", "was", "were", "liked", "loved", "owned", "hated", "had", "smoked", "drank",
        "played", "taught", "studied",
    ];
    #[rustfmt::skip]
    const IS: Words = words![
        "live", "living", "work", "working", "am", "i'm", "is", "are", "like", "love", "own", "hate", "have",
        "i've", "still", "now", "since", "was born", "play", "study", "we're", "it's", "do", "don't", "can",
        "can't", "decided", "learned", "was diagnosed", "was told", "moved",
    ];
    let english = has_any(folded, WAS) && !has_any(folded, IS);
    let japanese = has_any(
        folded,
        words!["ていた", "でいた", "ていました", "でいました", "だった", "でした", "てた。", "てました", "かった"],
    ) && !has_any(
        folded,
        words![
            "ている", "でいる", "ています", "でいます", "今は", "今も", "現在", "です", "になった",
            "ことにした",
        ],
    );
    english || japanese
}

fn tells_present(folded: &str) -> bool {
    const IS: Words = words![
        "lives", "works", "is", "likes", "loves", "owns", "hates", "has", "smokes", "drinks", "plays",
        "teaches", "studies", "live", "work", "am", "i'm", "like", "love", "own", "have", "are",
    ];
    let end = folded.trim_end_matches(|c: char| !c.is_alphanumeric());
    let japanese =
        words!["ている", "でいる", "ています", "でいます", "です", "ます", "だ", "る", "好き", "い"]
            .iter()
            .any(|ending| end.ends_with(ending))
            && !end.ends_with("だった");
    has_any(folded, IS) || japanese
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rewording_keeps_what_was_said_the_right_way_round() {
        for (text, said) in [
            ("The user likes cats", "I love cats"),
            ("The user dislikes coriander", "I don't like coriander"),
            ("The user lived in Osaka", "I used to live in Osaka"),
            ("The user wants to visit Paris", "I would like to visit Paris"),
            ("Must take medicine", "I must take medicine"),
            ("猫が嫌い", "猫は好きではない"),
            ("薬を飲む必要がある", "薬を飲まなければならない"),
            ("大阪に住んでいた", "以前は大阪に住んでいました"),
            ("来月引っ越す予定", "来月引っ越します"),
            ("東京に住んでいる", "今は東京に住んでいます"),
            ("必ずpnpmを使う", "必ずpnpmを使います"),
            ("魚だけを食べる", "魚しか食べません"),
            ("京都に住んでいる", "私の名前は健太で、京都に住んでいます"),
            ("駅前に住んでいる", "駅前は便利なので駅前に住んでいます"),
        ] {
            assert_eq!(turned(text, said), None, "{text} / {said}");
        }
    }

    #[test]
    fn a_turned_statement_is_seen() {
        for (text, said, want) in [
            ("The user likes cats", "I don't like cats", Turn::Polarity),
            ("The user smokes", "I quit smoking", Turn::Polarity),
            ("The user dislikes tea", "I like tea", Turn::Polarity),
            ("The user eats fish", "I only eat fish", Turn::Polarity),
            ("魚を食べない", "魚しか食べません", Turn::Polarity),
            ("魚を食べる", "魚しか食べません", Turn::Polarity),
            ("猫が好き", "猫が好きではない", Turn::Polarity),
            ("猫が好き", "猫は苦手です", Turn::Polarity),
            ("肉を食べる", "肉は食べません", Turn::Polarity),
            ("キャッシュを有効にする", "キャッシュを無効にした", Turn::Polarity),
            ("The user visited Paris", "I want to visit Paris", Turn::Modality),
            ("パリに行った", "パリに行きたい", Turn::Modality),
            ("旅行がある", "来年旅行に行きたい", Turn::Modality),
            ("The user lives in Osaka", "I lived in Osaka as a child", Turn::Tense),
            ("大阪に住んでいる", "大阪に住んでいました", Turn::Tense),
            ("大阪に住んでいる", "前は大阪に住んでいて", Turn::Tense),
            ("タバコを吸う", "昔はタバコを吸っていた", Turn::Tense),
        ] {
            assert_eq!(turned(text, said), Some(want), "{text} / {said}");
        }
    }
}
