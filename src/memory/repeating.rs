//! Which messages say again what was forgotten: word for word in any spelling, or, as replies do, in other words.

use crate::llm::Role;
use crate::sorted::SortedSet;
use crate::text::fold::fold_kana;
use crate::text::search::{indexed_words, telling_words};

/// A text that was forgotten, in the forms in which it is looked for.
#[derive(Clone, Debug)]
pub struct Told {
    folded: String,
    words: Vec<Vec<String>>,
}

/// Fewer words than this say nothing by themselves: a reply about tea needn't tell that somebody likes it.
const FEWEST: usize = 2;

impl Told {
    pub fn of(text: &str) -> Self {
        let bare = |c: char| c.is_ascii_punctuation() || c.is_whitespace() || "。、！？「」・…".contains(c);
        Self { folded: fold_kana(text).trim_matches(bare).to_owned(), words: telling_words(text) }
    }

    /// Whether a message says it. Users are quoted word for word; a reply speaks to them, and leaves words out.
    pub fn is_said_by(&self, role: Role, text: &str) -> bool {
        if self.folded.is_empty() {
            return false;
        }
        if fold_kana(text).contains(&self.folded) {
            return true;
        }
        if role == Role::User || self.words.len() < FEWEST {
            return false;
        }
        let said: SortedSet<String> = indexed_words(text).into_iter().collect();
        let told = self.words.iter().filter(|terms| terms.iter().all(|term| said.contains(term))).count();
        told >= FEWEST && told * 3 >= self.words.len() * 2
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_says_it_in_any_spelling_and_a_reply_in_other_words_too() {
        for (told, said, by_user, by_reply) in [
            ("My aunt is Mirelle.", "you know, my aunt is mirelle", true, true),
            ("My aunt is Mirelle.", "ＭＹ　ａｕｎｔ is Mirelle!", true, true),
            ("My aunt is Mirelle.", "Your aunt is called Mirelle.", false, true),
            ("My aunt is Mirelle.", "Your aunt is a doctor.", false, false),
            ("行きつけはカフェソレイユです", "行きつけはｶﾌｪｿﾚｲﾕです。", true, true),
            ("行きつけはカフェソレイユです", "かふぇそれいゆが行きつけでしたね。", false, true),
            ("行きつけはカフェソレイユです", "行きつけは駅前ですか？", false, false),
            ("I like tea.", "Tea comes from Yunnan.", false, false),
            ("お守りは🦊です", "お守りは🦊ですよ", true, true),
            ("", "anything", false, false),
        ] {
            let told_ = Told::of(told);
            assert_eq!(told_.is_said_by(Role::User, said), by_user, "{told} / {said} by the user");
            assert_eq!(told_.is_said_by(Role::Assistant, said), by_reply, "{told} / {said} as a reply");
        }
    }
}
