//! Words that are in every text and so find none: English stop words and single kanji.

use crate::list::Words;
use crate::words;

/// Whether a folded English word carries no meaning of its own. Contractions (`don't`) count whole.
pub fn is_stop_word(word: &str) -> bool {
    let base = word.split('\'').next().unwrap_or(word);
    STOP_WORDS.contains(base) || (word.len() == 1 && word.starts_with(|c: char| c.is_ascii_lowercase()))
}

/// Folded.
const STOP_WORDS: Words = words![
    "a",
    "about",
    "after",
    "again",
    "all",
    "also",
    "am",
    "an",
    "and",
    "any",
    "are",
    "aren",
    "as",
    "at",
    "be",
    "because",
    "been",
    "before",
    "being",
    "but",
    "by",
    "can",
    "cannot",
    "could",
    "couldn",
    "did",
    "didn",
    "do",
    "does",
    "doesn",
    "doing",
    "don",
    "done",
    "each",
    "ever",
    "few",
    "for",
    "from",
    "get",
    "got",
    "had",
    "hadn",
    "has",
    "hasn",
    "have",
    "haven",
    "having",
    "he",
    "her",
    "here",
    "hers",
    "herself",
    "him",
    "himself",
    "his",
    "how",
    "i",
    "if",
    "in",
    "into",
    "is",
    "isn",
    "it",
    "its",
    "itself",
    "just",
    "know",
    "let",
    "ll",
    "may",
    "me",
    "might",
    "mine",
    "more",
    "most",
    "much",
    "must",
    "my",
    "myself",
    "no",
    "nor",
    "not",
    "now",
    "of",
    "off",
    "on",
    "only",
    "or",
    "other",
    "our",
    "ours",
    "ourselves",
    "out",
    "over",
    "own",
    "please",
    "re",
    "remember",
    "s",
    "said",
    "same",
    "say",
    "says",
    "shall",
    "she",
    "should",
    "so",
    "some",
    "something",
    "such",
    "t",
    "tell",
    "than",
    "that",
    "the",
    "their",
    "theirs",
    "them",
    "themselves",
    "then",
    "there",
    "these",
    "they",
    "this",
    "those",
    "to",
    "told",
    "too",
    "up",
    "us",
    "ve",
    "very",
    "was",
    "wasn",
    "we",
    "were",
    "weren",
    "what",
    "when",
    "where",
    "which",
    "while",
    "who",
    "whom",
    "whose",
    "why",
    "will",
    "with",
    "won",
    "would",
    "wouldn",
    "yes",
    "yet",
    "you",
    "your",
    "yours",
    "yourself",
    "yourselves",
];

/// Whether a kanji says nothing where it stands alone: pronouns, question words, and the verbs of asking.
pub fn is_stop_kanji(c: char) -> bool {
    matches!(
        c,
        '私' | '僕'
            | '俺'
            | '何'
            | '誰'
            | '彼'
            | '君'
            | '事'
            | '物'
            | '時'
            | '所'
            | '為'
            | '様'
            | '方'
            | '今'
            | '言'
            | '教'
            | '覚'
            | '知'
            | '思'
            | '聞'
            | '話'
    )
}

/// Whether a word of a question only says what is asked of its subject: the name, the kind, the reason. A text that
/// answers seldom has it. English words are stems, Japanese ones runs of one script.
pub fn is_attribute(word: &str) -> bool {
    #[rustfmt::skip]
    const ATTRIBUTES: Words = words![
        "anyone", "anything", "call", "called", "currently", "everyone", "everything", "exactly", "going", "kind", "kinds",
        "list", "long", "many", "mention", "mentioned", "mine", "name", "named", "names", "often", "old", "people", "person",
        "place", "question", "reason", "remind", "sort", "talk", "talked", "thing", "things", "time", "times", "type",
        "usually", "way", "whose",
        "いつ", "だれ", "どこ", "何人", "何名", "何回", "何日", "何時", "何月", "何枚", "何歳", "何冊", "何年", "何本", "何",
        "人物", "内容", "別名", "原因", "問題点", "名", "名前", "名称", "回数", "場所", "役割", "意味", "方法", "日付", "時間", "時期", "曜日",
        "正式名称", "特徴", "理由", "由来", "略称", "目的", "種類", "総称", "英訳", "話", "読", "通称",
    ];
    ATTRIBUTES.contains(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contractions_are_stop_words_too() {
        for word in ["don't", "i've", "what's", "you", "i"] {
            assert!(is_stop_word(word), "{word}");
        }
        for word in ["dog's", "cat", "5"] {
            assert!(!is_stop_word(word), "{word}");
        }
    }
}
