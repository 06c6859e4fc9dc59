//! What is left of a run of hiragana without particles and endings.

use crate::list::Words;
use crate::words;

/// Question words, endings and function words in hiragana.
const ENDINGS: Words = words![
    "ありませんでした",
    "ていますか",
    "でしたっけ",
    "ください",
    "ありません",
    "ませんでした",
    "でしょうか",
    "ましょうか",
    "について",
    "いますか",
    "ありますか",
    "ましたか",
    "ましたっけ",
    "だったっけ",
    "ですか",
    "ますか",
    "でしたか",
    "ませんか",
    "ました",
    "でした",
    "ません",
    "ましょう",
    "でしょう",
    "だった",
    "ですが",
    "ですね",
    "ですよ",
    "っけ",
    "だろう",
    "という",
    "といって",
    "といった",
    "いって",
    "いった",
    "ている",
    "ていた",
    "ていて",
    "てます",
    "てる",
    "てた",
    "です",
    "ます",
    "だよ",
    "だね",
    "どこ",
    "どれ",
    "どの",
    "どんな",
    "どう",
    "いつ",
    "だれ",
    "なに",
    "なん",
    "なぜ",
    "いくつ",
    "いくら",
    "どちら",
    "それ",
    "これ",
    "あれ",
    "その",
    "この",
    "あの",
    "そう",
    "こう",
    "ここ",
    "そこ",
    "あそこ",
    "わたし",
    "ぼく",
    "あなた",
    "こと",
    "もの",
    "とき",
    "ところ",
    "ため",
    "よう",
    "さん",
    "ちゃん",
    "くん",
    "から",
    "まで",
    "より",
    "ので",
    "のに",
    "けど",
    "でも",
    "しかし",
    "そして",
    "って",
    "とか",
    "など",
    "だけ",
    "ばかり",
    "ある",
    "あり",
    "いる",
    "いた",
    "いて",
    "する",
    "した",
    "して",
    "しま",
    "され",
    "なる",
    "なり",
    "なっ",
    "ない",
    "なく",
    "なかった",
    "たい",
    "たく",
    "られ",
    "れる",
    "おしえて",
    "おぼえて",
    "もう",
    "まだ",
    "とても",
    "すき",
    "には",
    "では",
    "とは",
    "へは",
    "にも",
    "でも",
    "のは",
    "のが",
    "のを",
    "かな",
    "よね",
];

const PARTICLES: &[char] = &[
    'は', 'が', 'を', 'に', 'で', 'と', 'も', 'の', 'へ', 'か', 'ね', 'よ', 'や', 'な', 'だ', 'た', 'て',
    'し',
];

/// The parts (start and end, in characters) of a hiragana run that are neither endings nor particles and at least
/// two characters long. `inflects`: the run follows a kanji or katakana, so what it begins with belongs to that.
pub fn strip_particles(run: &[char], inflects: bool) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut at = 0;
    while at < run.len() {
        match ending_at(&run[at..]) {
            Some(length) => {
                push(run, start, at, inflects, &mut found);
                at += length;
                start = at;
            }
            None => at += 1,
        }
    }
    push(run, start, run.len(), inflects, &mut found);
    found
}

fn ending_at(run: &[char]) -> Option<usize> {
    ENDINGS
        .iter()
        .filter(|ending| ending.chars().count() <= run.len() && ending.chars().zip(run).all(|(a, &b)| a == b))
        .map(|ending| ending.chars().count())
        .max()
}

fn push(run: &[char], mut start: usize, mut end: usize, inflects: bool, found: &mut Vec<(usize, usize)>) {
    if start == 0 && inflects {
        // An inflection, up to and with the first particle: 「食べるのはりんご」 leaves 「りんご」.
        match run[..end].iter().position(|c| PARTICLES.contains(c)) {
            Some(particle) => start = particle + 1,
            None => return,
        }
    }
    while end > start && PARTICLES.contains(&run[end - 1]) {
        end -= 1;
    }
    while end > start + 2 && PARTICLES.contains(&run[start]) && start > 0 {
        start += 1;
    }
    if end >= start + 2 {
        found.push((start, end));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(run: &str, inflects: bool) -> Vec<String> {
        let run: Vec<char> = run.chars().collect();
        strip_particles(&run, inflects).into_iter().map(|(a, b)| run[a..b].iter().collect()).collect()
    }

    #[test]
    fn what_is_left_of_hiragana_are_words() {
        assert_eq!(kept("ねこは", false), ["ねこ"]);
        assert_eq!(kept("とねこが", true), ["ねこ"]);
        assert_eq!(kept("りんごとみかんはどこですか", false), ["りんごとみかん"]);
        for nothing in ["ですか", "はどこですか", "それはなんでしたっけ", "の", ""] {
            assert!(kept(nothing, false).is_empty(), "{nothing}");
        }
    }
}
