//! Requests to remember and to forget, in English.

use crate::text::list::Words;
use crate::text::phrase::{has_any, starts, starts_any};
use crate::words;

#[rustfmt::skip]
pub(super) fn without_courtesy(folded: &str) -> &str {
    let mut bare = folded.trim_start_matches(|c: char| !c.is_alphanumeric());
    loop {
        let shorter = words![
            "please", "ok", "okay", "hey", "hi", "so", "and", "oh", "also", "now", "well", "kioku", "just",
            "could you", "can you", "would you", "will you", "you can", "you should", "i want you to",
            "i'd like you to", "i would like you to", "i need you to", "let's", "kindly", "alright", "actually",
            "by the way", "btw", "go ahead and",
        ]
        .iter()
        .find(|&word| starts(bare, word))
        .and_then(|word| bare.get(word.len()..));
        match shorter {
            Some(rest) => bare = rest.trim_start_matches([',', ' ', '!', ':', ';', '.']),
            None => return bare,
        }
    }
}

fn rest_after(bare: &str, opening: Words) -> Option<String> {
    opening.iter().filter(|&phrase| starts(bare, phrase)).max_by_key(|phrase| phrase.len()).and_then(
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

#[rustfmt::skip]
pub(super) fn remember_en(bare: &str) -> Option<String> {
    // "Remember when we…?", "remember the time" recall a story; "remember me?" asks.
    // "Remember, practice makes perfect" tells somebody something; "remember, my dog is Rex" asks.
    let is_maxim = bare.strip_prefix("remember,").is_some_and(|rest| {
        !rest.split(|c: char| !c.is_alphanumeric()).any(|word| words!["i", "my", "we", "our", "me"].contains(word))
    });
    let asks = is_maxim || bare.ends_with('?') && !starts_any(bare, words!["remember that", "note that"]);
    if asks
        || starts_any(
            bare,
            words![
                "remember when", "remember how", "remember the time", "remember me", "remembering",
                "note to self",
            ],
        )
    {
        return None;
    }
    let what = rest_after(
        bare,
        words![
            "remember that", "remember this", "remember", "don't forget that", "do not forget that",
            "never forget that", "keep in mind that", "keep in mind", "make a note that", "make a note of",
            "make a note", "take a note that", "take note that", "take note of", "note down that", "note down",
            "note that", "memorize that", "memorize this", "memorize", "save this to memory",
            "save to memory that", "save to memory", "store this", "add to your memory that",
            "add to memory that", "add to memory", "for future reference", "commit to memory that",
            "commit to memory", "bear in mind that",
        ],
    )?;
    // "Remember to buy milk" and "remember the milk" with "to" are reminders of an act, and still facts to keep.
    Some(strip_trailing_please(&what))
}

fn strip_trailing_please(what: &str) -> String {
    let trimmed = what.trim_end_matches(|c: char| !c.is_alphanumeric());
    let trimmed = words!["please", "for me", "for later", "ok", "okay"].iter().fold(trimmed, |text, word| {
        text.strip_suffix(word).map_or(text, |rest| rest.trim_end_matches([',', ' ']))
    });
    trimmed.to_owned()
}

#[rustfmt::skip]
pub(super) fn forget_en(bare: &str) -> Option<String> {
    if starts_any(
        bare,
        words![
            "forget to", "forget about it", "forget it", "forget-me-not", "never mind", "forget how",
            "forget when", "forget where", "forget what i was", "forget the whole",
        ],
    ) && !starts_any(bare, words!["forget about it all"])
        || (bare.ends_with('?') && !starts_any(bare, words!["forget", "delete", "erase", "remove"]))
    {
        return None;
    }
    let memory_words = words![
        "know about me", "about me", "my memories", "your memory", "memories", "you remember", "you know", "you stored",
        "you saved", "you learned", "facts", "remembered",
    ];
    if let Some(what) = rest_after(
        bare,
        words![
            "forget everything you know about", "forget everything about", "forget all about",
            "forget what you know about", "forget what i said about", "forget what i told you about",
            "forget that", "forget about", "forget",
        ],
    ) {
        // An instruction to the model is forgotten by nobody here.
        return (!has_any(&what, words!["instructions", "prompt", "rules", "guidelines"]))
            .then(|| strip_trailing_please(&what));
    }
    let removal = rest_after(
        bare,
        words![
            "delete what you know about", "delete everything you know about", "delete everything about",
            "delete the fact that", "delete the memory that", "delete the memory of", "delete the memory about",
            "delete all memories of", "delete all memories about", "delete from memory",
            "erase what you know about", "erase everything about", "erase the fact that", "erase the memory of",
            "remove what you know about", "remove the fact that", "remove from memory",
            "remove from your memory", "stop remembering that", "stop remembering", "don't remember that",
            "don't remember", "do not remember that", "do not remember", "no longer remember that",
            "you don't need to remember that", "you don't need to remember",
        ],
    );
    if let Some(what) = removal {
        return Some(strip_trailing_please(&what));
    }
    let removes = starts_any(bare, words!["delete", "erase", "remove", "clear", "wipe"]);
    (removes && (has_any(bare, memory_words) || bare.trim_end_matches(|c: char| !c.is_alphanumeric()).ends_with("memory"))).then(|| {
        let rest = rest_after(bare, words!["delete", "erase", "remove", "clear", "wipe"]).unwrap_or_default();
        let cut = words![" from your memory", " from memory", " from my memory", " from your memories"]
            .iter()
            .find_map(|tail| rest.strip_suffix(tail))
            .unwrap_or(&rest);
        strip_trailing_please(cut)
    })
}
