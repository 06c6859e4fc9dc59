//! Clauses of a message and whether each asserts something: the user's statements are told from questions,
//! suppositions, requests, citations and jokes.
//!
//! Invariant: the clauses lie in order within the message and on character borders. A clause is taken for an
//! assertion only if nothing in it, or in the sentence that governs it, says otherwise.

use std::ops::Range;

use super::figure::is_figure;
use super::material::material;
use super::retraction::is_taken_back;
use super::{mood_en, mood_ja};
use crate::text::language::{Language, language};
use crate::text::sentences::sentences;

/// What a clause does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mood {
    Asserts,
    /// Asks for a standing manner of being answered: 敬語で話して.
    Prefers,
    Asks,
    Supposes,
    /// Maybe, かもしれない, still thinking about it.
    Undecided,
    Requests,
    /// Asks to have something summed up or said again.
    Recaps,
    /// Somebody else says it.
    Cites,
    /// Taken back at once, or said in a picture: just kidding, 冗談です, "married to my job".
    Jokes,
    Greets,
}

/// A clause and the bytes of the message it takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clause {
    pub range: Range<usize>,
    /// Which sentence of the message it belongs to.
    pub sentence: usize,
    pub mood: Mood,
}

/// The clauses of a message.
pub fn clauses(message: &str) -> Vec<Clause> {
    let pieces = sentences(message);
    let marked = quotations(message);
    let is_told = |mark: &Range<usize>| message.get(mark.clone()).is_some_and(is_utterance);
    let mut shown = material(message);
    let quoted = [marked.as_slice(), &shown].concat();
    shown.extend(marked.into_iter().filter(is_told));
    let mut found = Vec::new();
    for (number, sentence) in pieces.iter().enumerate() {
        let start = offset(message, sentence);
        let next = pieces.get(number + 1).copied().unwrap_or_default();
        let taken_back = is_taken_back(sentence, next);
        let is_japanese = language(sentence) == Language::Ja;
        let mut parts = if is_japanese { mood_ja::split(sentence) } else { mood_en::split(sentence) };
        for border in shown.iter().flat_map(|mark| [mark.start, mark.end]) {
            cut(&mut parts, border.checked_sub(start), sentence);
        }
        let moods =
            if is_japanese { mood_ja::moods(sentence, &parts) } else { mood_en::moods(sentence, &parts) };
        for (part, mood) in parts.into_iter().zip(moods) {
            let range = start + part.start..start + part.end;
            let spoken = letters_of(message, &range);
            let inside = quoted.iter().any(|mark| mark.start <= spoken.start && spoken.end <= mark.end);
            let is_picture = || mood == Mood::Asserts && message.get(range.clone()).is_some_and(is_figure);
            let mood = if taken_back {
                Mood::Jokes
            } else if inside || is_cited_block(sentence) {
                Mood::Cites
            } else if is_picture() {
                Mood::Jokes
            } else {
                mood
            };
            found.push(Clause { range, sentence: number, mood });
        }
    }
    found
}

/// Whether what stands in quotation marks is said, and no name or word that is only mentioned.
fn is_utterance(quoted: &str) -> bool {
    match language(quoted) {
        Language::En => quoted.split_whitespace().count() >= 4,
        Language::Ja => quoted.chars().count() >= 8,
    }
}

/// Divides the part that holds a border between what is said and what is shown.
fn cut(parts: &mut Vec<Range<usize>>, border: Option<usize>, sentence: &str) {
    let Some(border) = border.filter(|&border| sentence.is_char_boundary(border)) else { return };
    if let Some(at) = parts.iter().position(|part| part.start < border && border < part.end) {
        let whole = parts.remove(at);
        parts.insert(at, border..whole.end);
        parts.insert(at, whole.start..border);
    }
}

/// The range without the marks at its edges.
fn letters_of(message: &str, range: &Range<usize>) -> Range<usize> {
    let text = message.get(range.clone()).unwrap_or_default();
    let start = text.len() - text.trim_start_matches(|c: char| !c.is_alphanumeric()).len();
    let end = text.trim_end_matches(|c: char| !c.is_alphanumeric()).len();
    range.start + start..range.start + end.max(start)
}

/// Where quotation marks enclose something: the bytes between the marks.
pub fn quotations(message: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut open: Vec<(char, usize)> = Vec::new();
    let mut fence: Option<usize> = None;
    for (at, c) in message.char_indices() {
        let tail = message.get(at..).unwrap_or_default();
        if tail.starts_with("```") && !message.get(..at).is_some_and(|head| head.ends_with('`')) {
            match fence.take() {
                Some(start) => found.push(start..at),
                None => fence = Some(at),
            }
        }
        let closing = match c {
            '「' => Some('」'),
            '『' => Some('』'),
            '“' => Some('”'),
            '"' if open.last().is_none_or(|(mark, _)| *mark != '"') => Some('"'),
            _ => None,
        };
        if let Some(mark) = closing {
            open.push((mark, at + c.len_utf8()));
        } else if let Some(&(mark, start)) = open.last()
            && mark == c
        {
            found.push(start..at);
            open.pop();
        }
    }
    found
}

fn offset(message: &str, piece: &str) -> usize {
    (piece.as_ptr() as usize).saturating_sub(message.as_ptr() as usize)
}

/// A line of a mail or a chat that somebody else wrote.
fn is_cited_block(sentence: &str) -> bool {
    sentence.starts_with(['>', '＞', '|'])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shown(message: &str) -> Vec<(String, Mood)> {
        clauses(message)
            .into_iter()
            .map(|clause| (message[clause.range].trim().to_owned(), clause.mood))
            .collect()
    }

    fn only(message: &str) -> Mood {
        let all = shown(message);
        all.iter().map(|(_, mood)| *mood).find(|mood| *mood != Mood::Asserts).unwrap_or(Mood::Asserts)
    }

    #[test]
    fn statements_assert() {
        for message in [
            "I live in Osaka.",
            "When I was a child I lived in Nara",
            "What I like most is tea",
            "Moved to Osaka last week",
            "I would like to visit Paris",
            "Have two cats",
            "I don't eat meat",
            "I told my boss that I quit",
            "猫が好き",
            "大阪に住んでいます。",
            "静かな場所が好きだ",
            "いつか海外に行きたい",
            "最近忙しくて大変だ",
            "車が欲しい",
            "薬を飲まなければならない",
            "psqlは必ず -h localhost を付ける",
            "朝は例えば、パンを食べる",
            "冗談が好きです",
        ] {
            assert_eq!(only(message), Mood::Asserts, "{message}: {:?}", shown(message));
        }
    }

    #[test]
    fn what_is_no_statement_is_told_apart() {
        for (message, want) in [
            ("Do I live in Osaka?", Mood::Asks),
            ("what is the capital of Australia", Mood::Asks),
            ("I like cats, right?", Mood::Asks),
            ("top_kって5から3に下げた方がいいかな", Mood::Asks),
            ("大阪に住むのはどうだろうか", Mood::Asks),
            ("猫が好きですか。", Mood::Asks),
            ("何を食べるの", Mood::Asks),
            ("If I win, I will buy a boat", Mood::Supposes),
            ("I would move to Paris", Mood::Supposes),
            ("もし宝くじが当たったら家を買う", Mood::Supposes),
            ("猫だったらいいのに", Mood::Supposes),
            ("Maybe I will move to Kyoto", Mood::Undecided),
            ("京都に引っ越すかもしれない", Mood::Undecided),
            ("転職を検討しています", Mood::Undecided),
            ("Write a poem about my cat", Mood::Requests),
            ("Please book a table", Mood::Requests),
            ("猫の詩を書いてください", Mood::Requests),
            ("おすすめを教えて", Mood::Requests),
            ("夕食会のメニューを考えています", Mood::Requests),
            ("さっきの件、もう一回まとめて", Mood::Recaps),
            ("Summarize what I said", Mood::Recaps),
            ("He said that I am lazy", Mood::Cites),
            ("彼は猫が好きだと言っていた", Mood::Cites),
            ("明日は雨らしい", Mood::Cites),
            ("> I live in Osaka", Mood::Cites),
            ("I own a castle. Just kidding!", Mood::Jokes),
            ("実は王様なんだ、というのは冗談です", Mood::Jokes),
            ("敬語で話して", Mood::Prefers),
            ("Answer in bullet points", Mood::Prefers),
            ("こんにちは！", Mood::Greets),
            ("Good morning", Mood::Greets),
        ] {
            assert_eq!(only(message), want, "{message}: {:?}", shown(message));
        }
    }

    #[test]
    fn a_statement_before_a_question_still_asserts() {
        for (message, statement) in [
            ("I live in Osaka, what should I eat?", "I live in Osaka,"),
            ("大阪に住んでいるんですが、おすすめはありますか？", "大阪に住んでいるんですが、"),
            ("卵アレルギーなので、別の料理を教えて", "卵アレルギーなので、"),
            ("I'm allergic to nuts, can you suggest a cake?", "I'm allergic to nuts,"),
        ] {
            let all = shown(message);
            assert!(all.contains(&(statement.to_owned(), Mood::Asserts)), "{all:?}");
            assert!(all.len() == 2 && all[1].1 != Mood::Asserts, "{all:?}");
        }
    }

    proptest! {
        #[test]
        fn clauses_lie_in_order_within_any_message(message in "(if|I|たら|、|が、|ので|。|？|\\?|, |「|」|\"|```|[a-z 猫あ]{1,4}){0,12}") {
            let mut end = 0;
            for clause in clauses(&message) {
                prop_assert!(clause.range.start >= end && message.get(clause.range.clone()).is_some());
                end = clause.range.end;
            }
        }
    }
}
