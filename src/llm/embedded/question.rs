//! What a message to the built-in model asks: whether it asks at all, about whom, and for which attributes.

use super::answer::MAX_QUESTION_BYTES;
use super::rewrite::is_function_word;
use super::statement::Slot;
use crate::text::fold::fold_kana;
use crate::text::language::is_katakana;
use crate::text::list::Words;
use crate::text::phrase::contains_any;
use crate::text::prefix;
use crate::text::term::terms;
use crate::words;

/// The attributes that a question names.
pub fn slots(folded: &str) -> Vec<Slot> {
    const CUES: &[(Slot, Words)] = &[
        (
            Slot::Name,
            words![
                "my name",
                "i called",
                "私の名前",
                "僕の名前",
                "俺の名前",
                "わたしの名前",
                "自分の名前",
                "名前を覚えて",
            ],
        ),
        (
            Slot::Nickname,
            words!["my name", "my nickname", "call me", "私の名前", "僕の名前", "あだ名", "呼べば"],
        ),
        (Slot::Age, words!["how old am i", "my age", "何歳", "年齢"]),
        (Slot::Birthday, words!["birthday", "was i born", "誕生日", "生年月日"]),
        (
            Slot::Home,
            words![
                "do i live",
                "did i live",
                "my home",
                "i living",
                "am i based",
                "have i lived",
                "住んで",
                "引っ越",
                "住所",
            ],
        ),
        (
            Slot::Origin,
            words!["i from", "grow up", "hometown", "was i born", "出身", "生まれた", "育った", "地元"],
        ),
        (
            Slot::Workplace,
            words![
                "i work",
                "my job",
                "my company",
                "employer",
                "work for",
                "働いて",
                "勤め",
                "職場",
                "会社"
            ],
        ),
        (
            Slot::Occupation,
            words!["i do for", "my job", "my occupation", "my profession", "do i do", "職業", "仕事"],
        ),
        (
            Slot::School,
            words!["i study", "my school", "my university", "my major", "学校", "大学", "専攻", "勉強"],
        ),
        (
            Slot::Taste,
            words!["i like", "i love", "i hate", "i enjoy", "i dislike", "i prefer", "好き", "嫌い", "苦手"],
        ),
        (Slot::Favourite, words!["favorite", "favourite", "一番好き", "好きな"]),
        (Slot::Allergy, words!["allerg", "アレルギー"]),
        (Slot::Health, words!["my health", "i eat", "allerg", "健康", "病気", "持病", "食べられない"]),
        (Slot::Pet, words!["pet", "my cat", "my dog", "ペット", "飼って", "猫の名前", "犬の名前"]),
        (
            Slot::Relation,
            words![
                "my family",
                "my wife",
                "my husband",
                "my son",
                "my daughter",
                "my sister",
                "my brother",
                "my mother",
                "my father",
                "家族",
                "妻",
                "夫",
                "息子",
                "娘",
                "兄弟",
                "妹",
                "弟",
                "姉",
                "兄",
            ],
        ),
        (Slot::Plan, words!["my plan", "i planning", "i going to", "am i doing", "予定", "計画"]),
        (Slot::Language, words!["language", "i speak", "言語", "話せる", "何語"]),
        (Slot::Possession, words!["i own", "i drive", "持って"]),
        (Slot::Decision, words!["i decide", "決めた", "ことにした"]),
    ];
    let mut found: Vec<Slot> = CUES
        .iter()
        .filter(|(_, cues)| cues.iter().any(|cue| folded.contains(cue)))
        .map(|(slot, _)| *slot)
        .collect();
    if found.contains(&Slot::Favourite) && !folded.contains("好きな") {
        found.retain(|slot| *slot != Slot::Taste);
    }
    found
}

/// Whether what is liked (or disliked) is asked for and not whether one thing is: "What food do I hate?".
pub fn asks_tastes(folded: &str) -> Option<bool> {
    let asks_which =
        contains_any(folded, words!["what", "which", "何", "なに", "どんな", "嫌いな", "苦手な", "好きな"]);
    let dislikes = words!["hate", "dislike", "can't stand", "not like", "don't like", "嫌い", "苦手"];
    let likes = words!["like", "love", "enjoy", "好き"];
    let has = |words: Words| words.iter().any(|word| folded.contains(word));
    (asks_which && (has(dislikes) || has(likes))).then(|| !has(dislikes))
}

/// Attributes of which a user has many, so that the question's object chooses.
pub fn needs_object(slots: &[Slot]) -> bool {
    slots.iter().any(|slot| {
        matches!(
            slot,
            Slot::Taste
                | Slot::Favourite
                | Slot::Pet
                | Slot::Relation
                | Slot::Possession
                | Slot::School
                | Slot::Decision
                | Slot::Plan
        )
    })
}

/// The words of a question that choose its object.
pub fn content_terms(question: &str) -> Vec<String> {
    const ASKING: Words = words![
        "live",
        "lived",
        "work",
        "old",
        "born",
        "speak",
        "language",
        "languages",
        "plan",
        "plans",
        "planning",
        "favorite",
        "favourite",
        "pet",
        "pets",
        "family",
        "allergic",
        "before",
        "hate",
        "enjoy",
        "dislike",
        "prefer",
        "own",
        "drive",
        "mention",
        "told",
        "used",
        "kind",
        "sort",
        "doing",
        "again",
        "still",
        "覚え",
        "私の",
        "名前",
        "前は",
        "教え",
        "何で",
        "です",
        "ます",
        "どこ",
        "好き",
        "嫌い",
        "苦手",
        "住ん",
        "予定",
        "家族",
        "飼っ",
        "言っ",
        "話し",
        "以前",
        "何歳",
        "何を",
        "った",
        "てい",
        "なに",
        "あな",
        "知っ",
        "つい",
        "働い",
        "仕事",
        "職業",
        "昔は",
    ];
    let question = prefix(question, MAX_QUESTION_BYTES);
    let mut wanted: Vec<String> = terms(question)
        .into_iter()
        .map(|term| term.strip_suffix("'s").map_or(term.clone(), str::to_owned))
        .filter(|term| {
            let is_kanji = term.chars().count() == 1
                && term.chars().all(|c| {
                    crate::text::language::is_han(c)
                        && !"私僕俺何誰前好嫌名言話住今年日人方事歳職働".contains(c)
                });
            let is_pair = term.chars().count() == 2 && term.chars().all(crate::text::language::is_han);
            let is_word = term.is_ascii() && term.len() >= 3;
            (is_kanji || is_pair || is_word) && !is_function_word(term) && !ASKING.contains(term.as_str())
        })
        .collect();
    // Katakana words are content, but their folded pairs look like endings.
    let katakana = question.split(|c: char| !is_katakana(c)).filter(|run| run.chars().count() >= 2);
    wanted.extend(
        katakana.take(20).map(fold_kana).filter(|run| !matches!(run.as_str(), "あれるぎー" | "ぺっと")),
    );
    wanted
}

pub fn overlap(wanted: &[String], said: &str) -> u32 {
    if wanted.is_empty() {
        return 0;
    }
    let said = fold_kana(prefix(said, 4_000));
    let words: Vec<&str> = said.split(|c: char| !c.is_alphanumeric()).collect();
    let stem = |word: &str| word.trim_end_matches('s').to_owned();
    wanted
        .iter()
        .filter(|term| {
            if term.is_ascii() {
                words.iter().any(|w| stem(w) == stem(term))
            } else {
                said.contains(term.as_str())
            }
        })
        .count() as u32
}

pub fn is_question(question: &str, folded: &str) -> bool {
    let core = question.trim_end_matches(|c: char| c.is_whitespace() || matches!(c, '。' | '.' | '!' | '！'));
    core.ends_with(['?', '？', 'か'])
        || words![
            "what ", "what's", "where ", "who ", "when ", "how ", "why ", "which ", "do i", "do you", "am i",
            "is my", "did i", "can you", "have i", "does my",
        ]
        .iter()
        .any(|word| folded.starts_with(word))
        || words!["教えて", "だっけ", "ですっけ", "かな", "だったっけ", "覚えてる", "覚えている"]
            .iter()
            .any(|word| folded.trim_end_matches(['。', '.', '!']).ends_with(word))
        || (folded.ends_with('は') && folded.chars().count() <= 30)
}

pub fn is_command(folded: &str) -> bool {
    words![
        "tell ",
        "write ",
        "explain",
        "list ",
        "translate",
        "summarize",
        "summarise",
        "give ",
        "show ",
        "make ",
        "create ",
        "remind ",
        "help ",
        "please ",
    ]
    .iter()
    .any(|word| folded.starts_with(word))
        || contains_any(
            folded,
            words![
                "教えて",
                "書いて",
                "作って",
                "説明して",
                "翻訳して",
                "要約して",
                "ください",
                "下さい",
                "挙げて"
            ],
        )
}

pub fn is_about_me(folded: &str) -> bool {
    let words: Vec<&str> = folded.split(|c: char| !(c.is_alphanumeric() || c == '\'')).collect();
    let english =
        words.iter().any(|w| words!["i", "my", "i'm", "me", "i've", "mine", "our", "myself"].contains(w));
    let only_receiver = words.iter().all(|w| !words!["i", "my", "i'm", "i've", "mine", "our"].contains(w))
        && folded.contains(" me ");
    let japanese = contains_any(
        folded,
        words![
            "私",
            "僕",
            "俺",
            "わたし",
            "うちの",
            "自分の",
            "覚えて",
            "知って",
            "言った",
            "言ってた",
            "話した"
        ],
    );
    // 「嫌いな食べ物は？」 asks for the speaker's.
    let japanese = japanese
        || words!["好きな", "一番好きな", "嫌いな", "苦手な"].iter().any(|word| folded.starts_with(word));
    (english && !(only_receiver && is_command(folded))) || japanese
}
