//! What a message only shows: a mail that was forwarded, a text to be translated, a character of a game, a plot.
//!
//! Nothing in it is told by the user about themselves, however much it says "I".

use std::ops::Range;

use super::script::script;
use crate::text::fold::fold;
use crate::text::list::Words;
use crate::text::phrase::{contains_any, ends_any, has_any, starts_any};
use crate::text::sentences::sentences;
use crate::words;

/// Where a message shows material: byte ranges, in no order.
pub(super) fn material(message: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    found.extend(headed(message));
    found.extend(worked_on(message));
    found.extend(script(message));
    // Said to somebody else, and come here by mistake.
    if has_any(&fold(message), MISSENT) {
        found.push(0..message.len());
    }
    for sentence in sentences(message) {
        let start = (sentence.as_ptr() as usize).saturating_sub(message.as_ptr() as usize);
        let end = start + sentence.len();
        if let Some(colon) = sentence.find([':', '：']) {
            let label = fold(sentence.get(..colon).unwrap_or_default());
            let rest = sentence.get(colon + 1..).unwrap_or_default();
            let shows = has_any(&label, SHOWN) || speaks(&fold(rest)) && !has_any(&label, OPENS);
            if shows && !has_any(&label, OWN) {
                found.push(start + colon..paragraph_end(message, start + colon));
            }
        }
        let folded = fold(sentence);
        // "Picture this: …", 「こう考えてみて。…」: what follows is imagined.
        if has_any(&folded, IMAGINE) && end < message.len() {
            found.push(end..paragraph_end(message, end));
        }
        // 「次の紹介文を短くして。」: what follows is the text that was meant.
        if has_any(&folded, POINTING) && has_any(&folded, SHOWN) && end < message.len() {
            found.push(end..message.len());
        }
        // 「応募者の自己PRです。」, "This is what she wrote.": what follows is that.
        if presents(&folded) && end < message.len() {
            found.push(end..paragraph_end(message, end));
        }
        // "Just make something up": what is said of the user is a sketch.
        if has_any(&folded, INVENTS) {
            found.push(start..paragraph_end(message, start));
        }
        if has_any(&folded, FICTION) || names_author(&folded) {
            found.push(start..end);
        }
    }
    found
}

/// From a mail's first header line to the blank line that ends its body.
fn headed(message: &str) -> Option<Range<usize>> {
    let mut at = 0;
    for line in message.split_inclusive('\n') {
        let folded = fold(line);
        if is_header(&folded) {
            let end = paragraph_end(message, at);
            // Behind a paragraph of headers alone comes the body.
            let is_head =
                message.get(at..end).is_some_and(|head| head.lines().all(|line| is_header(&fold(line))));
            let body = message.get(end..).map_or(end, |rest| end + rest.len() - rest.trim_start().len());
            return Some(at..if is_head { paragraph_end(message, body) } else { end });
        }
        at += line.len();
    }
    None
}

fn is_header(folded: &str) -> bool {
    const HEADERS: Words = words![
        "from:",
        "to:",
        "subject:",
        "fwd:",
        "fw:",
        "cc:",
        "sent:",
        "re:",
        "差出人",
        "宛先",
        "件名",
        "転送",
        "送信者",
        "from :",
    ];
    HEADERS.iter().any(|header| folded.trim_start().starts_with(header))
}

/// "As Whitman wrote, …", 「太宰が書いたように」: the words are somebody else's.
fn names_author(folded: &str) -> bool {
    let opens =
        folded.strip_prefix("as ").and_then(|rest| rest.split_once(',')).is_some_and(|(author, _)| {
            words![
                "wrote",
                "said",
                "put it",
                "sang",
                "writes",
                "says",
                "sings",
                "put",
                "once said",
                "once wrote",
                "goes",
                "has it"
            ]
            .iter()
            .any(|verb| author.ends_with(verb))
                && !crate::text::phrase::starts_any(author, words!["i", "we", "you"])
        });
    opens
        || words![
            "が書いた",
            "が言った",
            "が言う",
            "が歌った",
            "の歌にある",
            "歌にもある",
            "が詠んだ",
            "が語った"
        ]
        .iter()
        .any(|said| ["ように", "とおり", "通り"].iter().any(|way| folded.contains(&format!("{said}{way}"))))
}

/// Whether a sentence hands over somebody else's words.
fn presents(folded: &str) -> bool {
    let end = folded.trim_end_matches(|c: char| !c.is_alphanumeric());
    let is_own = has_any(folded, words!["my", "i wrote", "私の", "僕の", "俺の", "自分の"]);
    let is_handed = starts_any(folded, words!["here's", "here is", "this is", "below is"])
        && has_any(end, OTHERS_WORDS)
        || end.strip_suffix("です").is_some_and(|noun| ends_any(noun, OTHERS_WORDS_JA));
    is_handed && !is_own
}

/// Lines that quote another text, and all lines around one that asks for work on a text.
fn worked_on(message: &str) -> Vec<Range<usize>> {
    let mut quoted = Vec::new();
    let mut others = Vec::new();
    let mut is_asked = false;
    let mut at = 0;
    for line in message.split_inclusive('\n') {
        let range = at..at + line.len();
        at = range.end;
        let folded = fold(line);
        let asked =
            folded.trim().trim_end_matches(|c: char| c.is_ascii_punctuation() || "。！？：".contains(c));
        let asked = POLITE.iter().find_map(|word| asked.strip_prefix(word)).unwrap_or(asked).trim_start();
        if starts_any(asked, WORK_ASKED) || ends_any(asked, WORK_ASKED_JA) {
            is_asked = true;
        } else if line.trim_start().starts_with(['>', '＞']) {
            quoted.push(range);
        } else {
            others.push(range);
        }
    }
    if is_asked { quoted.into_iter().chain(others).collect() } else { quoted }
}

fn paragraph_end(message: &str, from: usize) -> usize {
    message.get(from..).and_then(|rest| rest.find("\n\n")).map_or(message.len(), |length| from + length)
}

/// Words of a label or a request that has its text behind it.
#[rustfmt::skip]
const SHOWN: Words = words![
    "translate", "proofread", "shortened", "shorten", "rewrite", "rephrase", "summarize", "summarise", "fix", "edit",
    "correct", "bio", "text", "article", "email", "mail", "letter", "message", "paragraph", "essay", "sentence",
    "sentences", "story", "character", "campaign", "novel", "draft", "transcript", "chat", "conversation", "lyrics",
    "poem", "title", "headline", "tagline", "hypothetical", "log", "note for the ai", "note to the ai", "speech", "review", "example", "sample", "quote", "caption", "imported", "訳して", "英訳", "和訳", "翻訳", "添削", "要約",
    "短くして", "直して", "校正", "紹介文", "文章", "例文", "メール", "手紙", "記事", "作文", "歌詞", "台本", "キャラ", "小説", "物語", "設定",
    "登場人物", "語にして", "取り込み", "会話", "投稿", "口コミ", "レビュー", "題名", "タイトル", "見出し", "ログ", "注記", "仮定の話", "もしもの話", "たとえ話",
];
/// Labels behind which people go on about themselves.
#[rustfmt::skip]
const OPENS: Words = words![
    "i", "i'm", "i've", "i'll", "me", "my", "we", "we're", "we've", "us", "breaking", "our", "update", "note", "fyi", "ps", "p.s", "record", "fact", "facts",
    "thing", "things", "context", "background", "reminder", "correction", "clarification", "confession", "edit", "intro",
    "news", "btw", "also", "question", "problem", "issue", "situation", "plan", "goal", "honest", "honestly", "so", "anyway",
    "point", "reason", "tl;dr", "answer", "remember", "私", "僕", "俺", "自分", "うち", "追記", "補足", "ちなみに", "背景", "自己紹介",
    "前提", "余談", "近況", "報告", "訂正", "理由", "結論", "覚え", "メモ", "質問", "相談", "悩み", "状況", "プロフィール",
];

/// Whether somebody speaks of themselves.
fn speaks(folded: &str) -> bool {
    has_any(folded, words!["i", "i'm", "im", "i've", "i'll", "i'd", "my"])
        || contains_any(folded, words!["私は", "私の", "僕は", "俺は", "います", "ました", "です"])
}

/// What a sentence hands over.
#[rustfmt::skip]
const OTHERS_WORDS: Words = words![
    "wrote", "written", "said", "sent", "sent me", "posted", "statement", "cover letter", "essay", "draft", "post", "speech", "testimony",
];
#[rustfmt::skip]
const OTHERS_WORDS_JA: Words = words![
    "の自己pr", "の志望動機", "の作文", "の原稿", "の文章", "の投稿", "の手紙", "のスピーチ", "の台詞", "のセリフ", "の証言", "の口コミ", "の感想文",
];
const MISSENT: Words = words![
    "wrong chat",
    "wrong window",
    "wrong person",
    "wasn't meant for you",
    "誤爆",
    "間違えて送",
    "送り先間違"
];
/// Asks for what isn't so.
#[rustfmt::skip]
const INVENTS: Words = words![
    "just invent", "invent whatever", "invent something", "make something up", "make it up", "make up a", "made-up", "でっち上げ", "でっちあげ",
    "架空の", "適当に作って",
];
/// What may stand before a request.
const POLITE: Words = words!["please", "can you", "could you", "now"];
/// How a line begins that asks for work on the text around it.
#[rustfmt::skip]
const WORK_ASKED: Words = words![
    "make this more", "make it more", "make this sound", "make it sound", "continue this", "continue the scene",
    "continue the story", "continue the dialogue", "write the next", "conjugate", "proofread", "translate", "rewrite",
    "rephrase", "paraphrase", "summarize", "summarise", "polish this", "polish my", "correct my english", "correct my grammar",
    "check my grammar", "answer this mail", "answer this email", "reply to this",
];
/// How such a line ends in Japanese.
#[rustfmt::skip]
const WORK_ASKED_JA: Words = words![
    "英語にして", "日本語にして", "英語にしてください", "日本語にしてください", "敬語にして", "敬語にしてください", "丁寧にして", "丁寧にしてください",
    "続きを書いて", "続きを書いてください", "添削して", "添削してください", "校正して", "校正してください", "要約して", "要約してください", "訳して",
    "訳してください", "書き直して", "書き直してください", "紹介文を書いて", "紹介文を書いてください", "返信を書いて", "返信を書いてください",
];
/// An invitation to imagine what follows.
const IMAGINE: Words = words![
    "picture this",
    "imagine this",
    "consider this",
    "考えてみて",
    "想像して",
    "仮定して",
    "begins like this",
    "opens like this",
    "goes like this",
    "opens with:",
    "begins:",
    "こう始ま",
    "次のように始ま",
    "書き出しは",
    "chapter one",
    "chapter 1",
    "第一章",
    "プロローグ",
    "としてみて",
];
/// A label of the user's own, whatever it names: "my email: …".
const OWN: Words = words![
    "my email",
    "my mail",
    "my character",
    "my text number",
    "私のメール",
    "僕のメール",
    "メールアドレス"
];
/// Whether a statement is about something that is shown beside it, so that nobody understands it later: "I use this
/// function to parse dates".
pub(super) fn is_about_shown(text: &str) -> bool {
    #[rustfmt::skip]
    const WORKS: Words = words![
        "this function", "this code", "this script", "this query", "this method", "this class",
        "this regex", "this snippet", "this command", "this file", "this table", "this text",
        "these functions", "these codes", "these scripts", "these querys", "these methods", "these classs",
        "these regexs", "these snippets", "these commands", "these files", "these tables", "these texts",
    ];
    #[rustfmt::skip]
    const WORKS_JA: Words = words![
        "この関数", "このコード", "このスクリプト", "このクエリ", "このメソッド", "このクラス", "この正規表現", "このコマンド",
        "このファイル", "この文章",
    ];
    let folded = fold(text);
    has_any(&folded, WORKS) || contains_any(&folded, WORKS_JA)
}

/// Words that point at what follows.
#[rustfmt::skip]
const POINTING: Words = words![
    "following", "text below", "the below", "this text", "this article", "次の", "以下の", "下の", "この文章",
];
/// A frame that makes what stands in it invented.
#[rustfmt::skip]
const FICTION: Words = words![
    "in the novel", "in my novel", "in a novel", "in the story", "in my story", "in the game", "in my dream", "in a dream",
    "in the movie", "in the film", "in this scenario", "in this role play", "in this roleplay", "role play", "roleplay", "improv character", "in the play i", "in the film i", "in the movie i", "in the sims", "in minecraft", "in skyrim",
    "in animal crossing", "in stardew", "in this game", "my avatar", "my sim", "my persona", "picture this", "in the plot", "my character", "the protagonist", "小説の中", "物語の中",
    "話の中で", "夢の中", "ゲームの中", "映画の中", "ドラマの中", "漫画の中", "シナリオでは", "ロールプレイ", "の役で", "の役です", "即興劇", "シムズでは", "マイクラでは", "どうぶつの森では", "ゲームでは", "アバター", "練習なので", "練習として", "設定では", "主人公", "という設定",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_is_told_from_what_is_said() {
        let shows = |message: &str, part: &str| {
            let at = message.find(part).unwrap();
            material(message).iter().any(|range| range.start <= at && at + part.len() <= range.end)
        };
        for (message, part) in [
            ("Fwd: Hi, I'm Priya", "I'm Priya"),
            ("From: Stefan\nTo: me\nI moved.\n\nWhat now?", "I moved"),
            ("Here's the bio I need shortened: Maria grew up in Nairobi.", "Maria grew up"),
            ("In the novel I'm writing, I move to Alaska.", "I move"),
            ("次の紹介文を短くして。山本は札幌出身。", "札幌出身"),
            ("英訳して：私はベジタリアンです。", "私はベジタリアン"),
            ("小説の中で、私は妹を殺す。", "妹を殺す"),
            ("> I moved to Portugal last year.\n\nWhat now?", "I moved"),
            ("Please make this more polite:\n\nHi Sarah,\n\nI am allergic to nuts.", "I am allergic"),
            ("JACK: I have two brothers.\nMARY: I hate dogs.\nWrite the next five lines.", "I have two"),
            ("1. 私は学生です。\n2. 彼は医者です。\n英語にして。", "私は学生です"),
            ("太郎：俺は沖縄に引っ越す。\n\n続きを書いてください！", "俺は"),
        ] {
            assert!(shows(message, part), "{message}");
        }
        for message in [
            "Two things about me: I get seasick",
            "I'm writing a novel set in Trieste.",
            "My name: Ken",
            "名前：健",
            "小説を書いています。",
            "I translate novels.\nI live in Bonn.",
            "小説の続きを書いています。\n犬がいます。",
            "5 > 3 and I live in Bonn",
            "From now on I take the train.",
        ] {
            assert!(material(message).is_empty(), "{message}");
        }
        assert!(!shows("From: Stefan\nI moved.\n\nI live in Bonn.", "I live"));
    }
}
