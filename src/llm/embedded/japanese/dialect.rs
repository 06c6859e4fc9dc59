//! Kansai endings in the words of the standard: 「エビ食べられへん」 is 「エビ食べられない」.
//!
//! Only the end of a clause is rewritten; what a fact says is read from it, and its quote stays as it was said.

use crate::text::language::{is_han, is_katakana};

/// A clause with its ending in standard Japanese.
pub fn standard(body: &str) -> String {
    let mut said = body.to_owned();
    for _ in 0..2 {
        let Some((stem, end)) = ENDINGS.iter().find_map(|(own, end)| Some((said.strip_suffix(own)?, end)))
        else {
            break;
        };
        said = format!("{stem}{end}");
    }
    // 「阪神ファンや」: the copula, and not the end of a word in kana.
    if let Some(noun) = said.strip_suffix('や')
        && noun.ends_with(|c| is_han(c) || is_katakana(c) || c == 'ー')
    {
        return noun.to_owned();
    }
    if let Some(thing) = said.strip_suffix("だめ")
        && said.len() < body.len() + "だめ".len()
        && body.contains("あかん")
        && !thing.ends_with(['が', 'は', 'も'])
    {
        return format!("{thing}がだめ");
    }
    said
}

/// Longer endings stand before those that end them.
const ENDINGS: &[(&str, &str)] = &[
    ("てんねん", "ている"),
    ("でんねん", "でいる"),
    ("へんねん", "ない"),
    ("あかんねん", "だめ"),
    ("やねん", ""),
    ("ねん", ""),
    ("てへん", "ていない"),
    ("られへん", "られない"),
    ("あらへん", "ない"),
    ("へん", "ない"),
    ("あかん", "だめ"),
    ("おるで", "いる"),
    ("るで", "る"),
    ("たで", "た"),
    ("やで", ""),
    ("やわ", ""),
    ("しとる", "している"),
    ("ておる", "ている"),
    ("がおる", "がいる"),
    ("人おる", "人いる"),
    ("匹おる", "匹いる"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kansai_endings_become_those_of_the_standard() {
        for (own, want) in [
            ("神戸に住んでんねん", "神戸に住んでいる"),
            ("エビ食べられへん", "エビ食べられない"),
            ("息子が二人おるで", "息子が二人いる"),
            ("阪神ファンやで", "阪神ファン"),
            ("看護師や", "看護師"),
            ("甘いもんあかんねん", "甘いもんがだめ"),
            ("酒は飲まへん", "酒は飲まない"),
            ("大阪に住んでいます", "大阪に住んでいます"),
            ("パンとお茶や", "パンとお茶"),
            ("静かなへや", "静かなへや"),
        ] {
            assert_eq!(standard(own), want, "{own}");
        }
    }
}
