//! How many tokens a text costs, estimated per script where the provider doesn't tell.

use super::language::is_cjk;
use super::prefix;

/// Tokens of a text for a byte-pair tokenizer of today: about four Latin letters a token, but nearly one token
/// a Japanese character, and two for an emoji. Never less than one for a text that isn't empty.
pub fn tokens(text: &str) -> u32 {
    let (mut quarters, mut others): (u64, bool) = (0, false);
    for byte in text.bytes() {
        quarters += match byte {
            b' ' | b'A'..=b'Z' | b'a'..=b'z' => 1,
            0..=127 => 2,
            _ => {
                others = true;
                0
            }
        };
    }
    // Whole prompts are counted, and most of them need not be taken apart into characters.
    if others {
        let others = text.chars().filter(|c| !c.is_ascii());
        quarters += others.map(|c| if !is_cjk(c) && c.len_utf8() >= 4 { 8 } else { 3 }).sum::<u64>();
    }
    u32::try_from(quarters.div_ceil(4)).unwrap_or(u32::MAX)
}

/// As much of the text's beginning as costs at most so many tokens, about; cuts no character.
pub fn beginning(text: &str, most: u32) -> &str {
    let mut kept = text;
    while tokens(kept) > most {
        kept = prefix(kept, kept.len() * 7 / 8).trim_end();
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn japanese_is_not_counted_as_four_characters_a_token() {
        assert_eq!(tokens(""), 0);
        assert!((3..=5).contains(&tokens("I like green tea")));
        assert!((5..=9).contains(&tokens("緑茶が好きです。")));
        assert!(tokens("👍") >= 1);
    }

    #[test]
    fn a_beginning_fits_and_is_whole_where_it_can_be() {
        for text in ["I like green tea, and so does my sister.", "緑茶が好きです。妹もです。👍👍👍"]
        {
            assert_eq!(beginning(text, 100), text);
            let kept = beginning(text, 6);
            assert!(tokens(kept) <= 6 && !kept.is_empty() && text.starts_with(kept), "{kept}");
        }
        assert_eq!(beginning("words", 0), "");
    }
}
