//! Whether a Japanese sentence or clause asserts, and what is left without its closing particles.
//!
//! Questions, echoes (「好きなんですね」), conditions, wishes and reports assert nothing.

use crate::text::list::Words;
use crate::text::phrase::contains_any;
use crate::words;

/// The clause without closing particles, or nothing if it echoes, asks or supposes.
pub fn asserted(body: &str, explicit: bool) -> Option<&str> {
    let core = without_decoration(body);
    let echoes = [
        "んですね",
        "のですね",
        "んだね",
        "んだねえ",
        "なのね",
        "ですもんね",
        "ますもんね",
        "でしょ",
        "でしょう",
        "だろう",
        "んですねー",
        "んですねぇ",
        "んでしたね",
        "んですか",
        "でしたっけ",
        "っけ",
        "のかな",
        "かね",
        "かな",
        "かも",
        "らしい",
        "らしいです",
        "みたい",
        "みたいです",
        "そうです",
        "と思います",
        "と思う",
        "かもしれません",
        "かもしれない",
    ];
    if echoes.iter().any(|end| core.ends_with(end)) {
        return None;
    }
    // 「楽しいですよね」 asks to agree; 「好きなんですよね」 tells.
    if words!["ですよね", "ますよね", "だよね", "るよね"].iter().any(|end| core.ends_with(end))
        && !core.ends_with("んですよね")
        && !core.ends_with("んだよね")
        && !explicit
    {
        return None;
    }
    if core.ends_with("んだ") && !explicit {
        return None;
    }
    let honorific = contains_any(
        core,
        words!["お好き", "いらっしゃ", "なさって", "されてる", "されてい", "お住まい", "お持ち"],
    );
    (!honorific && !core.is_empty()).then(|| without_particles(core))
}

pub fn is_unasserted(sentence: &str) -> bool {
    let core = without_decoration_but_questions(sentence);
    core.ends_with(['？', '?'])
        || words!["か", "かしら", "ですか", "ますか", "でしょうか", "ませんか", "かい"]
            .iter()
            .any(|end| core.ends_with(end))
            && !core.ends_with("しか")
        || contains_any(
            sentence,
            words![
                "もし",
                "仮に",
                "例えば",
                "たとえば",
                "冗談",
                "って言",
                "と言って",
                "と言わ",
                "と聞",
                "だったら",
                "なら、",
                "っていう設定",
                "というふり",
                "ふりをして",
                "なんちゃって",
                "嘘です",
            ],
        )
        || sentence.starts_with(['「', '『', '>', '＞', '`', '{', '<', '|', '#'])
        || sentence.contains(['`', '{', '}'])
}

/// Without marks, laughter and emoji at the end.
pub fn without_decoration(text: &str) -> &str {
    without_decoration_but_questions(text).trim_end_matches(['？', '?']).trim_end()
}

fn without_decoration_but_questions(text: &str) -> &str {
    let mut core = text.trim();
    loop {
        let trimmed = core.trim_end_matches(|c: char| {
            !c.is_alphanumeric() && !matches!(c, '？' | '?' | 'ー' | '」' | '』')
                || matches!(c, 'ｗ' | '笑' | '♪')
                || (c == 'w' && !core.is_ascii())
        });
        let trimmed = trimmed.trim_end_matches("（笑").trim_end_matches("(笑");
        let trimmed = if trimmed.ends_with(['ね', 'よ', 'す', 'た', 'な']) {
            trimmed
        } else {
            trimmed.trim_end_matches("ねぇ").trim_end_matches("ねえ").trim_end_matches("よぉ")
        };
        // 「ですー」 is drawled; the mark of 「アレルギー」 belongs to its word.
        let trimmed = match trimmed.strip_suffix('ー') {
            Some(rest) if rest.ends_with(|c: char| matches!(c, 'ぁ'..='ん' | 'ー')) => rest,
            _ => trimmed,
        };
        if trimmed.len() == core.len() {
            return core;
        }
        core = trimmed;
    }
}

/// Without closing particles and explanatory んです.
pub fn without_particles(core: &str) -> &str {
    let mut rest = core.trim_end_matches('、');
    for _ in 0..4 {
        let before = rest;
        for particle in words![
            "けれども",
            "けれど",
            "けども",
            "けど",
            "んですよね",
            "んだよね",
            "よね",
            "よ",
            "ね",
            "なあ",
            "なぁ",
            "わ",
            "ぞ",
            "ので",
            "のに",
            "んです",
            "のです",
            "んだ",
            "のだ",
        ] {
            if let Some(left) = rest.strip_suffix(particle) {
                rest = left;
                break;
            }
        }
        // が, から, し and の end a clause only after a predicate.
        for particle in words!["から", "が", "し", "の"] {
            if let Some(left) = rest.strip_suffix(particle)
                && ends_with_any(left, words!["です", "ます", "だ", "た", "る", "い", "な", "ません", "く"])
                && !(particle == "し" && left.ends_with("出"))
            {
                rest = left;
                break;
            }
        }
        if rest.len() == before.len() {
            break;
        }
    }
    if rest.is_empty() { core } else { rest }
}

pub fn ends_with_any(text: &str, endings: Words) -> bool {
    endings.iter().any(|end| text.ends_with(end))
}
