//! Whether a question can be understood alone.
//!
//! Pronouns, ellipsis and short follow-ups take their meaning from what was said before; a question that names what it is
//! about does not, even where it holds a pronoun for that. In doubt it stands alone: words of another talk in a search
//! find what nobody asked for.

use super::query::without_quotes;
use crate::text::fold::fold;
use crate::text::language::{Language, is_cjk, is_han, is_katakana, language};
use crate::text::list::Words;
use crate::text::phrase::{find, has_any, starts_any};
use crate::text::search::asked_words;
use crate::words;

/// Whether the question leans on what was said before it.
pub fn leans_on_context(question: &str) -> bool {
    let question = without_quotes(question);
    let folded = fold(&question);
    match language(&folded) {
        Language::En => leans_en(&question, &folded),
        Language::Ja => leans_ja(&folded),
    }
}

fn leans_en(question: &str, folded: &str) -> bool {
    // What stands for a person or a place, and what stands for a thing.
    const PEOPLE: Words =
        words!["they", "them", "their", "he", "she", "his", "her", "him", "there", "hers", "theirs"];
    const THINGS: Words = words!["it", "its", "it's", "those", "these"];
    #[rustfmt::skip]
    const POINTERS: Words = words![
        "that one", "this one", "the above", "the former", "the latter", "the same", "the other one", "the first one",
        "the second one",
    ];
    const ELLIPSIS: Words = words!["what about", "how about", "why not", "which one", "really"];
    const FOLLOW: Words = words!["and", "why", "or", "but", "then", "also", "so"];
    #[rustfmt::skip]
    const AUXILIARIES: Words = words![
        "is", "are", "was", "were", "am", "do", "does", "did", "have", "has", "had", "can", "could", "will", "would", "should",
        "what's", "who's", "where's", "when's", "how's",
    ];
    // "It is raining", "is it possible" and "there is little time" point at nothing.
    #[rustfmt::skip]
    const EMPTY: Words = words![
        "is it possible", "is it true", "is it ok", "what time is it", "what day is it", "it is raining", "is it raining",
        "will it rain", "it rains", "does it take", "how far is it", "is there", "are there", "was there", "were there",
        "there is", "there are", "there's", "there was", "there were", "there will be",
    ];
    let words = folded.split_whitespace().count();
    if folded.is_empty() {
        return false;
    }
    let is_complete = has_any(folded, AUXILIARIES) && !asked_words(folded).is_empty();
    let follows =
        words <= 5 && (starts_any(folded, ELLIPSIS) || (starts_any(folded, FOLLOW) && !is_complete));
    let points = |pointers: Words, is_named: &dyn Fn(&str) -> bool| {
        let at = pointers.iter().filter_map(|pointer| find(folded, pointer)).min();
        at.is_some_and(|at| !is_named(folded.get(..at).unwrap_or_default()))
    };
    let points = points(POINTERS, &|_| false)
        || !has_any(folded, EMPTY)
            && (points(PEOPLE, &|before| names_someone(question, before))
                || points(THINGS, &|before| ends_clause(before)));
    let that = has_any(folded, words!["that", "this"]) && asked_words(folded).len() <= 1;
    follows || points || that || (words <= 2 && folded.ends_with('?') && asked_words(folded).is_empty())
}

/// Whether whom or what a pronoun stands for is named before it: "my sister", or a name.
fn names_someone(question: &str, before: &str) -> bool {
    let own = has_any(before, words!["my", "our"]) && !asked_words(before).is_empty();
    let words = question.split_whitespace().take(before.split_whitespace().count()).skip(1);
    own || words
        .filter(|word| word.chars().count() > 1 && !word.starts_with("I'"))
        .any(|word| word.chars().next().is_some_and(char::is_uppercase))
}

/// Whether a clause that says what it is about ends before a pronoun: "where is the key, and what is it for?"
fn ends_clause(before: &str) -> bool {
    let ends = words!["and", "but", "when", "if", "because", "while", "before", "after", "since", "so"];
    let end = ends.iter().filter_map(|word| find(before, word)).chain(before.find(',')).min();
    end.and_then(|end| before.get(..end)).is_some_and(|clause| !asked_words(clause).is_empty())
}

fn leans_ja(folded: &str) -> bool {
    #[rustfmt::skip]
    const POINTERS: Words = words![
        "それ", "あれ", "その", "あの", "そこ", "あそこ", "そっち", "そちら", "さっき", "先ほど", "上の", "上記", "前者", "後者", "彼女", "彼の", "彼は",
        "彼が", "あいつ", "そいつ", "同じの", "もう一つ", "もう1つ", "そのとき", "そういう", "そんな", "あんな",
    ];
    // What only looks like a pointer: connectives, それぞれ, and the elder child.
    #[rustfmt::skip]
    const EMPTY: Words = words![
        "それぞれ", "それでは", "それじゃ", "そのまま", "そのうち", "上の階", "上の子", "上の娘", "上の息子", "あのね", "あのう",
    ];
    // Others than those that were spoken of.
    const OTHERS: Words = words!["他の", "ほかの", "別の", "べつの", "次の", "残りの", "逆の", "反対の"];
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
    let points = POINTERS
        .iter()
        .filter_map(|pointer| rest.find(pointer))
        .min()
        .is_some_and(|at| rest.get(..at).is_none_or(|before| things(before) < 2));
    let begins = FOLLOW.iter().find_map(|word| rest.strip_prefix(word));
    let follows = letters <= 12 && begins.is_some_and(|rest| !says_of_what(rest));
    // 「犬は？」 takes its verb from what was said before, 「犬の名前は？」 needs none.
    let topic = rest.trim_end_matches(['?', '!', '。', ' ']).strip_suffix('は');
    let elliptic = letters <= 8
        && rest.ends_with('?')
        && topic.is_some_and(|topic| starts_any(topic, OTHERS) || !is_described(topic));
    points || follows || elliptic
}

/// What hiragana seldom writes: things, and the stems of what is done.
fn is_content(c: char) -> bool {
    is_han(c) || is_katakana(c) || (c.is_alphanumeric() && !is_cjk(c))
}

/// How many things a text names: 「犬の名前と」 two.
fn things(text: &str) -> usize {
    text.split(|c| !is_content(c)).filter(|run| !run.is_empty()).count()
}

/// Whether something stands before a thing and says which one is meant: 「犬の名前」「好きな色」「飼ってる猫」.
fn is_described(topic: &str) -> bool {
    pairs(topic).any(|(first, second)| "のなるたいだ".contains(first) && is_content(second))
}

/// Whether a question names what it is about: 「京都に引っ越したの？」 and not 「辞めたの？」.
fn says_of_what(rest: &str) -> bool {
    is_described(rest)
        || pairs(rest).any(|(first, second)| is_content(first) && "をにがでへと".contains(second))
}

fn pairs(text: &str) -> impl Iterator<Item = (char, char)> + '_ {
    text.chars().zip(text.chars().skip(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_that_points_at_what_was_said_or_leaves_it_out_leans_on_it() {
        for question in [
            "What about her?",
            "When did she move there?",
            "And the second one?",
            "Why?",
            "Is it expensive?",
            "How about Osaka?",
            "Where is that?",
            "Can you explain the above?",
            "And before that?",
            "Is she older than him?",
            "What is it called?",
            "Why not?",
            "Why so expensive?",
            "And my sister?",
            "Which one is cheaper?",
            "What colour is it?",
            "Did Anna like it?",
            "How do they cook those?",
            "What was its name?",
            "それはいつ？",
            "さっきの店の名前は？",
            "なぜ？",
            "なぜ辞めたの？",
            "犬は？",
            "猫は？",
            "東京タワーは？",
            "食べ物は？",
            "明日は？",
            "じゃあ、東京は？",
            "彼女の誕生日は？",
            "あれはどうなった？",
            "その件はいつ決まった？",
            "上記の店の電話番号は？",
            "それで、値段は？",
            "彼は何歳ですか",
            "ほかには？",
            "他の色は？",
            "次の日は？",
            "アンナはそれが好き？",
        ] {
            assert!(leans_on_context(question), "{question}");
        }
    }

    #[test]
    fn a_question_that_names_what_it_is_about_stands_alone() {
        for question in [
            "Where does my sister Anna live?",
            "What time is it?",
            "Which city do I live in?",
            "What is the name of the hotel in Bergen?",
            "Is there a dentist near the station in Leeds?",
            "Why did I quit?",
            "Why does Anna cry?",
            "And what's my dog's name?",
            "But where is Anna?",
            "Then who is Takeshi?",
            "Does my sister like her job?",
            "Did Anna call her mother?",
            "What is my dog's name and how old is it?",
            "Where did I put the key, and what is it for?",
            "What did I do in Kyoto when I lived there?",
            "Is it raining in Leeds?",
            "How long does it take to Osaka?",
            "",
            "👍",
            "犬の名前は？",
            "妹の誕生日は？",
            "好きな色は？",
            "私の名前は？",
            "飼ってる猫は？",
            "行きたい国は？",
            "買った車は？",
            "今日の予定は？",
            "上の子の名前は？",
            "なぜ京都に引っ越したの？",
            "どうして犬が好きなの？",
            "じゃあ、犬の名前は？",
            "犬の名前と、その年齢は？",
            "私の犬の名前は何ですか？",
            "大阪のおすすめの店は？ランチで探しています",
            "それぞれの犬の名前を教えてください",
            "今日の東京の天気はどうですか",
            "ベルゲンで泊まったホテルの名前は？",
            "それぞれの都市の人口を教えて",
        ] {
            assert!(!leans_on_context(question), "{question}");
        }
    }
}
