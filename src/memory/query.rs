//! What a question asks of memory, decided from its words alone.
//!
//! Deliberate absence: no model. A wrong guess here costs a few facts too many, never an answer.

use crate::text::fold::fold;
use crate::text::list::Words;
use crate::text::phrase::has_any;
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

#[cfg(test)]
mod tests {
    use super::*;

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
