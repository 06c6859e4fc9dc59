//! What the user asks of memory itself: to remember, to forget, to list. Read from the message by code, so that it
//! works at once and without a model.
//!
//! Invariant: only a request to the assistant is an intent. Telling that one forgot, asking whether something is
//! remembered, quoting somebody, and "don't forget to…" to oneself are not.

use crate::text::fold::fold;
use crate::text::phrase::{find, has_any, starts, starts_any};
use crate::text::sentences::sentences;

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
    has_any(&folded, &["remember", "forget", "delete", "忘れ", "覚え", "what do you know", "知って"])
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

fn without_courtesy(folded: &str) -> &str {
    let mut bare = folded.trim_start_matches(|c: char| !c.is_alphanumeric());
    loop {
        let shorter = [
            "please",
            "ok",
            "okay",
            "hey",
            "hi",
            "so",
            "and",
            "oh",
            "also",
            "now",
            "well",
            "kioku",
            "just",
            "could you",
            "can you",
            "would you",
            "will you",
            "you can",
            "you should",
            "i want you to",
            "i'd like you to",
            "i would like you to",
            "i need you to",
            "let's",
            "kindly",
            "alright",
            "actually",
            "by the way",
            "btw",
            "go ahead and",
        ]
        .iter()
        .find(|&&word| starts(bare, word))
        .and_then(|word| bare.get(word.len()..));
        match shorter {
            Some(rest) => bare = rest.trim_start_matches([',', ' ', '!', ':', ';', '.']),
            None => return bare,
        }
    }
}

fn rest_after(bare: &str, opening: &[&str]) -> Option<String> {
    opening.iter().filter(|&&phrase| starts(bare, phrase)).max_by_key(|phrase| phrase.len()).and_then(
        |phrase| {
            let rest = bare.get(phrase.len()..)?;
            Some(
                rest.trim_matches(|c: char| {
                    c.is_whitespace() || matches!(c, ',' | '.' | ':' | '!' | '?' | ';')
                })
                .to_owned(),
            )
        },
    )
}

fn remember_en(bare: &str) -> Option<String> {
    // "Remember when we…?", "remember the time" recall a story; "remember me?" asks.
    let asks = bare.ends_with('?') && !starts_any(bare, &["remember that", "note that"]);
    if asks
        || starts_any(
            bare,
            &[
                "remember when",
                "remember how",
                "remember the time",
                "remember me",
                "remembering",
                "note to self",
            ],
        )
    {
        return None;
    }
    let what = rest_after(
        bare,
        &[
            "remember that",
            "remember this",
            "remember",
            "don't forget that",
            "do not forget that",
            "never forget that",
            "keep in mind that",
            "keep in mind",
            "make a note that",
            "make a note of",
            "make a note",
            "take a note that",
            "take note that",
            "take note of",
            "note down that",
            "note down",
            "note that",
            "memorize that",
            "memorize this",
            "memorize",
            "save this to memory",
            "save to memory that",
            "save to memory",
            "store this",
            "add to your memory that",
            "add to memory that",
            "add to memory",
            "for future reference",
            "commit to memory that",
            "commit to memory",
            "bear in mind that",
        ],
    )?;
    // "Remember to buy milk" and "remember the milk" with "to" are reminders of an act, and still facts to keep.
    Some(strip_trailing_please(&what))
}

fn strip_trailing_please(what: &str) -> String {
    let trimmed = what.trim_end_matches(|c: char| !c.is_alphanumeric());
    let trimmed = ["please", "for me", "for later", "ok", "okay"].iter().fold(trimmed, |text, word| {
        text.strip_suffix(word).map_or(text, |rest| rest.trim_end_matches([',', ' ']))
    });
    trimmed.to_owned()
}

fn forget_en(bare: &str) -> Option<String> {
    if starts_any(
        bare,
        &[
            "forget to",
            "forget about it",
            "forget it",
            "forget-me-not",
            "never mind",
            "forget how",
            "forget when",
            "forget where",
            "forget what i was",
            "forget the whole",
        ],
    ) && !starts_any(bare, &["forget about it all"])
        || (bare.ends_with('?') && !starts_any(bare, &["forget", "delete", "erase", "remove"]))
    {
        return None;
    }
    let memory_words = [
        "know about me",
        "about me",
        "memory",
        "memories",
        "you remember",
        "you know",
        "you stored",
        "you saved",
        "you learned",
        "facts",
        "remembered",
    ];
    if let Some(what) = rest_after(
        bare,
        &[
            "forget everything you know about",
            "forget everything about",
            "forget all about",
            "forget what you know about",
            "forget what i said about",
            "forget what i told you about",
            "forget that",
            "forget about",
            "forget",
        ],
    ) {
        // An instruction to the model is forgotten by nobody here.
        return (!has_any(&what, &["instructions", "prompt", "rules", "guidelines"]))
            .then(|| strip_trailing_please(&what));
    }
    let removal = rest_after(
        bare,
        &[
            "delete what you know about",
            "delete everything you know about",
            "delete everything about",
            "delete the fact that",
            "delete the memory that",
            "delete the memory of",
            "delete the memory about",
            "delete all memories of",
            "delete all memories about",
            "delete from memory",
            "erase what you know about",
            "erase everything about",
            "erase the fact that",
            "erase the memory of",
            "remove what you know about",
            "remove the fact that",
            "remove from memory",
            "remove from your memory",
            "stop remembering that",
            "stop remembering",
            "don't remember that",
            "don't remember",
            "do not remember that",
            "do not remember",
            "no longer remember that",
            "you don't need to remember that",
            "you don't need to remember",
        ],
    );
    if let Some(what) = removal {
        return Some(strip_trailing_please(&what));
    }
    let removes = starts_any(bare, &["delete", "erase", "remove", "clear", "wipe"]);
    (removes && has_any(bare, &memory_words)).then(|| {
        let rest = rest_after(bare, &["delete", "erase", "remove", "clear", "wipe"]).unwrap_or_default();
        let cut = [" from your memory", " from memory", " from my memory", " from your memories"]
            .iter()
            .find_map(|tail| rest.strip_suffix(tail))
            .unwrap_or(&rest);
        strip_trailing_please(cut)
    })
}

/// Requests to remember, longest first; what precedes them is the object.
const REMEMBER_JA: &[&str] = &[
    "覚えといて",
    "覚えておいて",
    "覚えていて",
    "覚えてください",
    "覚えて下さい",
    "覚えてね",
    "覚えてほしい",
    "覚えて欲しい",
    "覚えておいてほしい",
    "覚えて",
    "おぼえておいて",
    "おぼえといて",
    "おぼえていて",
    "おぼえて",
    "憶えておいて",
    "憶えて",
    "記憶しておいて",
    "記憶して",
    "メモしておいて",
    "メモしといて",
    "メモして",
    "記録しておいて",
    "記録して",
    "忘れないで",
    "忘れないでおいて",
    "忘れないように",
    "覚えておけ",
    "覚えとけ",
    "覚えろ",
    "メモっといて",
    "メモっておいて",
    "覚えておくように",
];

/// What may follow 覚えて when it is no request: a state, a wish of one's own, a question.
const NOT_A_REQUEST: &[&str] = &[
    "いない",
    "いません",
    "ない",
    "ません",
    "る",
    "いる",
    "います",
    "いた",
    "いました",
    "た？",
    "おこう",
    "おかない",
    "おきたい",
    "おく",
    "おき",
    "しまっ",
    "しまう",
    "き",
    "ます",
    "もら",
    "くれた",
    "くれてい",
    "くれて",
    "たら",
    "も",
    "は",
    "から",
    "なかった",
    "られ",
    "よかった",
    "行",
    "ゆ",
    "みた",
    "みる",
    "みよう",
    "いれば",
    "いたら",
    "くる",
    "きた",
];

fn remember_ja(folded: &str) -> Option<String> {
    let (at, word) = REMEMBER_JA
        .iter()
        .filter_map(|word| folded.rfind(word).map(|at| (at, *word)))
        .max_by_key(|(at, word)| (at + word.len(), word.len()))?;
    let after = folded.get(at + word.len()..)?;
    let before = folded.get(..at)?;
    let tail = after.trim_end_matches(['。', '.', '!', '~', 'ー', ' ', 'w', '笑']);
    if is_question_tail(after)
        || NOT_A_REQUEST.iter().any(|no| tail.starts_with(no)) && !tail.starts_with("くれ")
    {
        return None;
    }
    let polite = [
        "",
        "ね",
        "よ",
        "な",
        "ください",
        "下さい",
        "くださいね",
        "くれ",
        "ほしい",
        "欲しい",
        "ほしいです",
        "欲しいです",
        "ほしいな",
        "もらえると助かります",
        "お願い",
        "お願いします",
        "いただけますか",
        "くださいませ",
        "おいて",
        "おいてね",
        "頂戴",
        "ちょうだい",
    ];
    let is_request = polite.contains(&tail)
        || tail.starts_with(['、', ','])
        || tail.starts_with("くださ")
        || tail.starts_with(':');
    // 忘れないで is said to the assistant only about facts: 傘を忘れないで reminds somebody of an umbrella, and is kept too.
    if !is_request || has_any(before, &["と言われた", "って言われた"]) && word.starts_with("忘れ")
    {
        return None;
    }
    let object =
        before.trim_end_matches([' ', '、', ',']).trim_end_matches("ちゃんと").trim_end_matches("しっかり");
    let object = trim_particle(object);
    if object.is_empty() || object == "これ" || object == "それ" || object == "このこと" {
        // The object follows: 覚えておいて、犬の名前はポチ.
        return Some(
            tail.trim_start_matches(|c: char| !c.is_alphanumeric())
                .trim_start_matches("ください")
                .trim_start_matches(['、', ',', ':', ' '])
                .to_owned(),
        )
        .map(|rest| if polite.contains(&rest.as_str()) { String::new() } else { rest });
    }
    Some(object.to_owned())
}

fn trim_particle(object: &str) -> &str {
    for particle in [
        "ということを",
        "っていうのを",
        "というのを",
        "ってことを",
        "ことを",
        "のことは",
        "のことを",
        "と",
        "って",
        "を",
        "は",
        "も",
        "、",
    ] {
        if let Some(rest) = object.strip_suffix(particle)
            && !rest.is_empty()
        {
            return rest.trim_end_matches(['、', ',', ' ']);
        }
    }
    object
}

const FORGET_JA: &[&str] = &[
    "忘れて",
    "わすれて",
    "記憶から消して",
    "記憶から削除して",
    "メモリから消して",
    "覚えないで",
    "記憶しないで",
    "覚えなくていい",
    "覚えておかないで",
    "忘れろ",
    "忘れてくれ",
];
const DELETE_JA: &[&str] = &["削除して", "消して", "消去して", "破棄して"];

fn forget_ja(folded: &str) -> Option<String> {
    let direct = FORGET_JA
        .iter()
        .filter_map(|word| folded.rfind(word).map(|at| (at, *word)))
        .max_by_key(|(at, word)| (at + word.len(), word.len()));
    let (at, word) = match direct {
        Some(found) => found,
        None => {
            let found = DELETE_JA
                .iter()
                .filter_map(|word| folded.rfind(word).map(|at| (at, *word)))
                .max_by_key(|(at, _)| *at)?;
            // Files and lines are deleted too; memory is meant when it is named.
            if !has_any(
                folded.get(..found.0)?,
                &[
                    "記憶",
                    "覚えている",
                    "覚えてる",
                    "私について",
                    "私の情報",
                    "私に関する",
                    "メモリ",
                    "知っていること",
                    "僕について",
                    "俺について",
                    "覚えた",
                ],
            ) {
                return None;
            }
            found
        }
    };
    let after = folded.get(at + word.len()..)?;
    let before = folded.get(..at)?;
    let tail = after.trim_end_matches(['。', '.', '!', '~', 'ー', ' ']);
    let polite = [
        "",
        "ね",
        "よ",
        "ください",
        "下さい",
        "くださいね",
        "くれ",
        "ほしい",
        "欲しい",
        "ほしいです",
        "欲しいです",
        "お願い",
        "お願いします",
        "もらえますか",
        "くれますか",
        "くれる",
        "もらえる",
        "いただけますか",
        "です",
        "いい",
        "いいよ",
        "いいです",
        "構いません",
        "頂戴",
        "ちょうだい",
    ];
    let asks_politely = polite.contains(&tail.trim_end_matches(['?', '？']));
    if !asks_politely || is_about_instructions(before) {
        return None;
    }
    Some(
        trim_particle(before.trim_end_matches([' ', '、', ',']))
            .trim_start_matches(|c: char| !c.is_alphanumeric())
            .to_owned(),
    )
}

fn is_about_instructions(before: &str) -> bool {
    has_any(before, &["指示", "命令", "プロンプト", "ルール"])
}

fn is_question_tail(after: &str) -> bool {
    let tail = after.trim_end_matches(['。', ' ']);
    (tail.ends_with('?') || tail.ends_with("か") || tail.ends_with("の"))
        && !tail.contains("くれますか")
        && !tail.contains("もらえますか")
        && !tail.contains("いただけますか")
        && !tail.contains("くれる?")
        && !tail.contains("もらえる?")
}

fn is_list(folded: &str) -> bool {
    const EN: &[&str] = &[
        "what do you know about me",
        "what do you remember about me",
        "what have you learned about me",
        "what have you remembered",
        "what have you stored about me",
        "what have you saved about me",
        "what facts do you have about me",
        "what do you have on me",
        "what's in your memory",
        "what is in your memory",
        "list everything you know about me",
        "list what you know about me",
        "list your memories",
        "show me what you know about me",
        "show me what you remember",
        "show what you know about me",
        "show me your memories",
        "tell me what you know about me",
        "tell me everything you know about me",
        "tell me what you remember about me",
        "everything you know about me",
        "list my facts",
        "show my memory",
        "show my facts",
        "what else do you know about me",
        "what information do you have about me",
    ];
    if has_any(folded, EN) && !has_any(folded, &["forget", "delete", "erase", "remove", "wipe", "clear"]) {
        return true;
    }
    let about_me = has_any(
        folded,
        &[
            "私について",
            "私のこと",
            "僕について",
            "僕のこと",
            "俺について",
            "俺のこと",
            "わたしのこと",
            "わたしについて",
            "自分について",
            "私に関して",
            "うちのこと",
            "ぼくのこと",
            "おれのこと",
        ],
    );
    let knows = has_any(folded, &["知って", "覚えて", "記憶して", "知ってる", "把握して", "教えて"]);
    let asks = has_any(
        folded,
        &[
            "何を",
            "なにを",
            "何か",
            "どんなこと",
            "何が",
            "全部",
            "すべて",
            "全て",
            "一覧",
            "どこまで",
            "どれくらい",
            "なに知",
            "何知",
            "何覚え",
            "どんな",
        ],
    );
    let lists_memory = has_any(
        folded,
        &[
            "記憶の一覧",
            "記憶を一覧",
            "記憶を見せて",
            "記憶をすべて",
            "覚えていることを教えて",
            "覚えてることを教えて",
            "覚えていることを全部",
            "覚えている内容",
            "知っていることを教えて",
            "記憶を全部",
            "何を覚えて",
            "なにを覚えて",
        ],
    );
    let deletes = has_any(folded, &["忘れて", "消して", "削除"]);
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
