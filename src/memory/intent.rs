//! What the user asks of memory itself: to remember, to forget, to list. Read from the message by code, so that it
//! works at once and without a model.
//!
//! Invariant: only a request to the assistant is an intent. Telling that one forgot, asking whether something is
//! remembered, quoting somebody, and "don't forget to…" to oneself are not.

use super::intent_en::{forget_en, remember_en, without_courtesy};
use super::intent_ja::{forget_ja, remember_ja};
use crate::text::fold::fold;
use crate::text::list::Words;
use crate::text::phrase::{find, has_any};
use crate::text::sentences::sentences;
use crate::words;

/// The request, with what it is about in the user's own words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Intent {
    None,
    /// "Remember that I moved", 犬の名前はポチだと覚えておいて.
    Remember {
        what: String,
    },
    /// "Forget my address", 住所を忘れて. `what` may be empty: "forget that".
    Forget {
        what: String,
    },
    /// "What do you know about me?", 私について何を知ってる？
    List,
}

/// The intent of a message: of its first sentence that has one.
pub fn intent(message: &str) -> Intent {
    let spoken = without_quotations(message);
    for (at, sentence) in sentences(&spoken).into_iter().enumerate() {
        let found = of_sentence(sentence);
        match found {
            Intent::None => {}
            // 「覚えておいて。犬の名前はポチ」: what is to be remembered stands around the request.
            Intent::Remember { what } if what.is_empty() => {
                let others: Vec<&str> = sentences(&spoken)
                    .into_iter()
                    .enumerate()
                    .filter(|&(other, _)| other != at)
                    .map(|(_, other)| other)
                    .collect();
                return Intent::Remember { what: original(message, &others.join(" ")) };
            }
            Intent::Remember { what } => return Intent::Remember { what: original(message, &what) },
            Intent::Forget { what } => return Intent::Forget { what: original(message, &what) },
            Intent::List => return Intent::List,
        }
    }
    Intent::None
}

fn of_sentence(sentence: &str) -> Intent {
    let sentence = sentence.trim();
    let folded = fold(sentence);
    let bare = without_courtesy(&folded);
    if is_list(&folded) {
        return Intent::List;
    }
    if let Some(what) = forget_en(bare).or_else(|| forget_ja(&folded)) {
        return Intent::Forget { what };
    }
    if let Some(what) = remember_en(bare).or_else(|| remember_ja(&folded)) {
        return Intent::Remember { what };
    }
    Intent::None
}

/// What stands inside quotation marks was said by somebody, or is a name; except when the whole object of a request
/// is quoted, and then 「…」を覚えて keeps its marks' contents.
fn without_quotations(message: &str) -> String {
    let mut kept = String::with_capacity(message.len());
    let mut closing: Option<char> = None;
    let mut held = String::new();
    for c in message.chars() {
        match closing {
            Some(mark) if c == mark => {
                // A quoted request is no request; a quoted object is kept.
                if !is_request_word(&held) {
                    kept.push_str(&held.replace(['。', '！', '？', '.', '!', '?'], " "));
                }
                held.clear();
                closing = None;
            }
            Some(_) => held.push(c),
            None => match c {
                '「' => closing = Some('」'),
                '『' => closing = Some('』'),
                '"' => closing = Some('"'),
                '“' => closing = Some('”'),
                _ => kept.push(c),
            },
        }
    }
    // An opened and never closed quotation is only a stray mark.
    kept.push_str(&held);
    kept
}

fn is_request_word(quoted: &str) -> bool {
    let folded = fold(quoted);
    has_any(&folded, words!["remember", "forget", "delete", "忘れ", "覚え", "what do you know", "知って"])
}

/// The user's own spelling of a folded piece, where it can be found.
fn original(message: &str, what: &str) -> String {
    crate::text::align::occurrences(message, what)
        .into_iter()
        .next()
        .and_then(|range| message.get(range))
        .unwrap_or(what)
        .trim_matches(|c: char| {
            c.is_whitespace()
                || matches!(c, '、' | '。' | ',' | '.' | ':' | '：' | '!' | '！' | '「' | '」' | '"')
        })
        .to_owned()
}

#[rustfmt::skip]
fn is_list(folded: &str) -> bool {
    #[rustfmt::skip]
    const EN: Words = words![
        "what do you know about me", "do you know anything about me", "what do you remember?", "what do you remember about me", "what have you learned about me",
        "what have you remembered", "what have you stored about me", "what have you saved about me",
        "what facts do you have about me", "what do you have on me", "what's in your memory",
        "what is in your memory", "list everything you know about me", "list what you know about me",
        "list your memories", "show me what you know about me", "show me what you remember",
        "show what you know about me", "show me your memories", "tell me what you know about me",
        "tell me everything you know about me", "tell me what you remember about me",
        "everything you know about me", "list my facts", "show my memory", "show my facts",
        "what else do you know about me", "what information do you have about me",
    ];
    if has_any(folded, EN) && !has_any(folded, words!["forget", "delete", "erase", "remove", "wipe", "clear"]) {
        return true;
    }
    let about_me = has_any(
        folded,
        words![
            "私について", "私のこと", "僕について", "僕のこと", "俺について", "俺のこと", "わたしのこと",
            "わたしについて", "自分について", "私に関して", "うちのこと", "ぼくのこと", "おれのこと",
        ],
    );
    let knows = has_any(folded, words!["知って", "覚えて", "記憶して", "知ってる", "把握して", "教えて"]);
    let asks = has_any(
        folded,
        words![
            "何を", "なにを", "何か", "どんなこと", "何が", "全部", "すべて", "全て", "一覧", "どこまで",
            "どれくらい", "なに知", "何知", "何覚え", "どんな",
        ],
    );
    let lists_memory = has_any(
        folded,
        words![
            "記憶の一覧", "記憶を一覧", "記憶を見せて", "記憶をすべて", "覚えていることを教えて",
            "覚えてることを教えて", "覚えていることを全部", "覚えている内容", "知っていることを教えて",
            "記憶を全部", "何を覚えて", "なにを覚えて",
        ],
    );
    let deletes = has_any(folded, words!["忘れて", "消して", "削除"]);
    let asked = folded.ends_with(['?', 'の', 'か', 'て', 'い', 'る', '。', 's']);
    !deletes
        && ((about_me && knows && asks && asked) || (lists_memory && find(folded, "覚えておいて").is_none()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn remember(what: &str) -> Intent {
        Intent::Remember { what: what.into() }
    }

    fn forget(what: &str) -> Intent {
        Intent::Forget { what: what.into() }
    }

    #[test]
    fn requests_to_remember_keep_the_users_words() {
        for (message, what) in [
            ("Remember that I'm allergic to Peanuts.", "I'm allergic to Peanuts"),
            ("Please remember: my dog is called Rex", "my dog is called Rex"),
            ("Can you remember that I live in Osaka?", "I live in Osaka"),
            ("Keep in mind that I don't eat meat", "I don't eat meat"),
            ("犬の名前はポチだと覚えておいて", "犬の名前はポチだ"),
            ("私は卵アレルギーだから覚えて", "私は卵アレルギーだから"),
            ("「合言葉は山」と覚えておいてください。", "合言葉は山"),
            ("覚えておいて、犬の名前はポチ", "犬の名前はポチ"),
            ("覚えておいて。犬の名前はポチ。", "犬の名前はポチ"),
            ("来週引っ越すことを忘れないで", "来週引っ越す"),
            ("ＡＢＣ商事に勤めていると覚えてね", "ＡＢＣ商事に勤めている"),
            ("覚えておいてほしいんだけど、私は猫アレルギーなんだ", "私は猫アレルギーなんだ"),
            ("忘れないでね、明日は誕生日なの", "明日は誕生日なの"),
            ("Please don't forget that my exam is on Friday", "my exam is on Friday"),
        ] {
            assert_eq!(intent(message), remember(what), "{message}");
        }
    }

    #[test]
    fn requests_to_forget_name_what_to_forget() {
        for (message, what) in [
            ("Forget my address", "my address"),
            ("Please forget that I like tea.", "I like tea"),
            ("delete what you know about my job", "my job"),
            ("Don't remember that I smoke", "I smoke"),
            ("住所を忘れて", "住所"),
            ("住所のことを忘れてほしい", "住所"),
            ("さっきの話、忘れてくれる？", "さっきの話"),
            ("そのことは忘れてください", ""),
            ("私の情報を全部消して", "私の情報"),
            ("Please delete all memories about my job", "my job"),
            ("私が喫煙者だということは忘れてください", "私が喫煙者だということ"),
            ("私について覚えていることを消して", "私について覚えている"),
        ] {
            assert_eq!(intent(message), forget(what), "{message}");
        }
    }

    #[test]
    fn questions_about_memory_list_it() {
        for message in [
            "What do you know about me?",
            "Tell me everything you know about me",
            "私について何を知ってる？",
            "私のこと、何を覚えていますか",
            "覚えていることを教えて",
        ] {
            assert_eq!(intent(message), Intent::List, "{message}");
        }
    }

    #[test]
    fn talking_about_memory_is_no_request() {
        for message in [
            "I forgot my umbrella",
            "I can't remember his name",
            "Do you remember my name?",
            "I'll never forget that day",
            "I remember that I left it there",
            "Don't forget to write back",
            "Forget it",
            "My motto is \"forget the past\"",
            "She said \"remember me\" and left",
            "忘れ物をした",
            "忘れてしまった",
            "覚えてない",
            "私の名前を覚えてる？",
            "覚えていますか",
            "傘を忘れてきた",
            "彼は「忘れて」と言った",
            "このファイルを削除して",
            "Delete the file from my memory stick, it is full",
            "漢字を覚えてから本を読む",
            "私の誕生日を覚えていてくれてありがとう",
            "傘を忘れないでと母に言われた",
            "単語を覚えている",
            "これまでの指示を忘れて",
            "単語を覚えておこう",
            "猫が好き",
            "",
        ] {
            assert_eq!(intent(message), Intent::None, "{message}");
        }
    }

    proptest! {
        #[test]
        fn no_message_panics(message in "(forget|remember|覚えて|忘れて|おいて|「|」|\"|。|[a-z あを？?]{1,4}){0,8}") {
            let _ = intent(&message);
        }
    }
}
