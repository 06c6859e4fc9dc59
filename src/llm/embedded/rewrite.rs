//! `search_query`: a question that leans on what was said before, with the nouns that it leans on.

use serde_json::{Value, json};

use super::input::{list, text};
use crate::text::case::lower;
use crate::text::language::{Language, is_cjk, is_kana, language};
use crate::text::list::Words;
use crate::text::{prefix, prefix_chars};
use crate::words;

const MAX_NOUNS: usize = 6;

pub fn search_query(input: &Value) -> Value {
    let question = prefix_chars(text(input, "question").trim(), 400);
    let asked = language(question);
    let mut nouns: Vec<String> = Vec::new();
    let asked_low = lower(question);
    let own = list(input, "messages")
        .iter()
        .rev()
        .filter(|m| text(m, "role") == "user" && text(m, "text").trim() != question);
    for message in own.take(2) {
        for noun in nouns_of(prefix(text(message, "text"), 2_000)) {
            let is_new =
                !asked_low.contains(&lower(&noun)) && !nouns.iter().any(|n| lower(n).contains(&lower(&noun)));
            // A query in the question's language: other scripts' names stay, other languages' words don't.
            let fits = asked == Language::Ja || !noun.chars().any(is_kana);
            if is_new && fits && nouns.len() < MAX_NOUNS {
                nouns.push(noun);
            }
        }
        if !nouns.is_empty() {
            break;
        }
    }
    let mut query = question.to_owned();
    if !nouns.is_empty() {
        query = format!("{} {}", nouns.join(" "), question);
    }
    json!({ "query": query.trim() })
}

/// Content words: Latin words that aren't function words, and runs of kanji, katakana or both.
pub fn nouns_of(said: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut run = String::new();
    let mut class = 0_u8;
    for c in said.chars().chain(['\n']) {
        let next = match c {
            'ぁ'..='ゖ' => 0,
            c if is_cjk(c) => 1,
            c if c.is_alphanumeric() || matches!(c, '\'' | '’' | '-') => 2,
            _ => 0,
        };
        if next != class && !run.is_empty() {
            let length = run.chars().count();
            let keeps = if class == 1 {
                length >= 2 || "犬猫車家妻夫母父兄姉弟妹娘本".contains(&run)
            } else {
                length >= 3 && !is_function_word(&lower(&run))
            };
            if keeps
                && !found.contains(&run)
                && !["自分", "最近", "今日", "本当", "質問", "一番"].contains(&run.as_str())
            {
                found.push(std::mem::take(&mut run));
            }
            run.clear();
        }
        class = next;
        if next != 0 {
            run.push(c);
        }
        if found.len() >= 12 {
            break;
        }
    }
    found
}

pub fn is_function_word(word: &str) -> bool {
    const WORDS: Words = words![
        "the", "and", "for", "with", "about", "that", "this", "what", "when", "where", "who", "why", "how",
        "which", "does", "did", "was", "were", "are", "you", "your", "have", "has", "had", "his", "her",
        "him", "she", "they", "them", "their", "its", "it's", "i'm", "i've", "can", "could", "would",
        "should", "will", "tell", "know", "remember", "say", "said", "from", "into", "than", "then", "there",
        "here", "please", "really", "very", "just", "like", "love", "not", "don't", "but", "because", "some",
        "any", "more", "one", "our", "out", "get", "got", "been", "being", "also", "yes", "too", "now",
        "don’t", "i’m", "ever", "name", "named", "called", "went", "going", "want", "think", "live", "thing",
        "things", "lot", "much", "all", "mine", "myself", "long", "often", "many", "old",
    ];
    WORDS.contains(word)
}
