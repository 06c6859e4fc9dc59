//! What a question asks of memory, decided from its words alone.
//!
//! Deliberate absence: no model. A wrong guess here costs a rewrite or a few facts too many, never an answer.

use crate::text::fold::fold;
use crate::text::language::{Language, is_cjk, language};
use crate::text::list::Words;
use crate::text::phrase::{has_any, starts_any};
use crate::text::search::asked_words;
use crate::words;

/// What a question asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wants {
    /// What was before: past facts count as much as current ones.
    pub past: bool,
    /// Everything that is known.
    pub list: bool,
    /// What was said, literally or when: passages count as much as facts.
    pub wording: bool,
}

pub fn wants(question: &str) -> Wants {
    Wants {
        past: asks_about_past(question),
        list: asks_for_list(question),
        wording: asks_for_wording_or_events(question),
    }
}

/// Whether the question can't be understood alone: pronouns, ellipsis, very short follow-ups.
pub fn leans_on_context(question: &str) -> bool {
    let folded = fold(&without_quotes(question));
    match language(&folded) {
        Language::En => leans_en(&folded),
        Language::Ja => leans_ja(&folded),
    }
}

/// Whether it asks what was before or has changed.
pub fn asks_about_past(question: &str) -> bool {
    #[rustfmt::skip]
    const PAST: Words = words![
        "used to", "before", "previous", "previously", "formerly", "former", "last", "earlier", "back then", "in the past",
        "originally", "at first", "once", "no longer", "changed", "did i live", "did i work", "was i", "were we",
        "以前", "前は", "前に", "前の", "まえは", "昔", "むかし", "かつて", "元々", "もともと", "当時", "最初は", "引っ越す前", "過去", "変わった",
        "だったっけ", "でしたっけ", "ていたっけ", "住んでいた", "働いていた",
    ];
    has_any(&fold(&without_quotes(question)), PAST)
}

/// "What do you know about me?"
pub fn asks_for_list(question: &str) -> bool {
    #[rustfmt::skip]
    const LIST: Words = words![
        "know about me", "remember about me", "learned about me", "learnt about me", "have on me", "stored about me",
        "remember of me", "tell me about myself", "who am i", "everything about me", "facts about me", "saved about me",
        "summarize me", "describe me",
        "私について", "わたしについて", "僕について", "ぼくについて", "俺について", "自分について", "私のこと", "わたしのこと", "僕のこと", "俺のこと",
        "私は誰", "私はだれ", "覚えていることを", "覚えてることを", "知っていることを", "何を覚えて", "なにを覚えて",
    ];
    has_any(&fold(question), LIST)
}

/// "What exactly did I say about…", 「いつ…って言った？」
pub fn asks_for_wording_or_events(question: &str) -> bool {
    #[rustfmt::skip]
    const WORDING: Words = words![
        "did i say", "did i tell", "did i mention", "i said", "i told you", "i mentioned", "did we talk", "did we discuss",
        "we talked", "we discussed", "did you say", "did you tell", "you said", "you told", "exactly", "word for word",
        "my words", "quote", "when did", "what happened", "last time", "conversation",
        "言った", "言って", "言いました", "話した", "話しました", "話して", "伝えた", "書いた", "いつ", "正確に", "一字一句", "何があった", "前回", "会話",
    ];
    has_any(&fold(question), WORDING)
}

/// The question without the marks of quotation around a whole part of it; the words stay.
pub fn without_quotes(question: &str) -> String {
    question
        .chars()
        .map(|c| match c {
            '"' | '“' | '”' | '「' | '」' | '『' | '』' | '«' | '»' | '`' => ' ',
            other => other,
        })
        .collect::<String>()
        .trim()
        .to_owned()
}

fn leans_en(folded: &str) -> bool {
    #[rustfmt::skip]
    const POINTERS: Words = words![
        "it", "its", "it's", "that one", "this one", "those", "these", "them", "they", "their", "he", "she", "his", "her", "him",
        "the above", "the former", "the latter", "the same", "the other one", "the first one", "the second one", "there",
    ];
    const FOLLOW: Words = words![
        "and",
        "what about",
        "how about",
        "why",
        "why not",
        "or",
        "but",
        "then",
        "also",
        "really",
        "which one",
    ];
    // "It is raining", "is it possible" and "there is little time" point at nothing.
    #[rustfmt::skip]
    const EMPTY: Words = words![
        "is it possible", "is it true", "is it ok", "what time is it", "it is raining", "is there", "are there", "was there",
        "were there", "there is", "there are", "there's", "there was", "there were", "there will be",
    ];
    let words = folded.split_whitespace().count();
    if folded.is_empty() {
        return false;
    }
    let follows = starts_any(folded, FOLLOW) && words <= 5;
    let points = has_any(folded, POINTERS) && !has_any(folded, EMPTY);
    let that = has_any(folded, words!["that", "this"]) && asked_words(folded).len() <= 1;
    follows || points || that || (words <= 2 && folded.ends_with('?') && asked_words(folded).is_empty())
}

fn leans_ja(folded: &str) -> bool {
    #[rustfmt::skip]
    const POINTERS: Words = words![
        "それ", "あれ", "その", "あの", "そこ", "あそこ", "そっち", "そちら", "さっき", "先ほど", "上の", "上記", "前者", "後者", "彼女", "彼の", "彼は",
        "彼が", "あいつ", "そいつ", "同じの", "もう一つ", "もう1つ", "そのとき", "そういう", "そんな", "あんな",
    ];
    // Words that only look like pointers: connectives, and それぞれ.
    const EMPTY: Words =
        words!["それぞれ", "それでは", "それじゃ", "そのまま", "そのうち", "上の階", "あのね", "あのう"];
    const FOLLOW: Words = words![
        "じゃあ",
        "では",
        "で、",
        "なぜ",
        "どうして",
        "なんで",
        "他には",
        "ほかには",
        "あとは",
        "もっと"
    ];
    let mut rest = folded.to_owned();
    for empty in EMPTY {
        rest = rest.replace(empty, "");
    }
    let letters = rest.chars().filter(|c| c.is_alphanumeric() || is_cjk(*c)).count();
    let follows = starts_any(&rest, FOLLOW) && letters <= 12;
    // 「犬は？」 takes its verb from what was said before.
    let trimmed = rest.trim_end_matches(['?', '!', '。', ' ']);
    let elliptic = letters <= 8 && rest.ends_with('?') && trimmed.ends_with('は');
    POINTERS.iter().any(|pointer| rest.contains(pointer)) || follows || elliptic
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_that_points_at_what_was_said_leans_on_it() {
        for question in [
            "What about her?",
            "When did she move there?",
            "And the second one?",
            "Why?",
            "Is it expensive?",
            "それはいつ？",
            "さっきの店の名前は？",
            "なぜ？",
            "犬は？",
            "じゃあ、東京は？",
            "彼女の誕生日は？",
            "How about Osaka?",
            "Where is that?",
            "Can you explain the above?",
            "And before that?",
            "Is she older than him?",
            "What is it called?",
            "あれはどうなった？",
            "その件はいつ決まった？",
            "上記の店の電話番号は？",
            "それで、値段は？",
            "彼は何歳ですか",
            "ほかには？",
            "猫は？",
        ] {
            assert!(leans_on_context(question), "{question}");
        }
        for question in [
            "Where does my sister Anna live?",
            "What time is it?",
            "Which city do I live in?",
            "私の犬の名前は何ですか？",
            "大阪のおすすめの店は？ランチで探しています",
            "それぞれの犬の名前を教えてください",
            "",
            "👍",
            "今日の東京の天気はどうですか",
            "What is the name of the hotel in Bergen?",
            "Is there a dentist near the station in Leeds?",
            "ベルゲンで泊まったホテルの名前は？",
            "それぞれの都市の人口を教えて",
        ] {
            assert!(!leans_on_context(question), "{question}");
        }
    }

    #[test]
    fn the_past_lists_and_wording_are_told_apart() {
        assert!(wants("Where did I use to live? I used to live somewhere else").past);
        assert!(wants("以前はどこに住んでいましたか").past);
        assert!(!wants("Where do I live?").past && !wants("どこに住んでいますか").past);
        assert!(wants("What do you know about me?").list && wants("私について何を知ってる？").list);
        for question in [
            "What do you remember about me?",
            "Tell me everything about me.",
            "Who am I?",
            "私のことをどれくらい知っていますか",
            "わたしについて教えて",
            "私について覚えていることを全部見せて",
            "僕のこと、何を覚えてる？",
        ] {
            assert!(wants(question).list, "{question}");
        }
        for question in [
            "Where did I live before Kyoto?",
            "What was my previous job?",
            "前の仕事は？",
            "昔どこに住んでた？",
            "以前飼っていた猫の名前は？",
        ] {
            assert!(wants(question).past, "{question}");
        }
        assert!(!wants("What do you know about cats?").list && !wants("猫について何を知ってる？").list);
        assert!(
            wants("What exactly did I say about the trip?").wording
                && wants("いつ引っ越すって言った？").wording
        );
        assert!(!wants("What is my dog called?").wording);
    }
}
