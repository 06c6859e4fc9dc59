//! Whether a Japanese fact says of its subject what the statement says; see [`super::predicate`].

use super::cover_ja::related_ja;
use super::subject::person_ja;
use crate::text::language::{is_han, is_katakana};
use crate::text::list::Words;
use crate::words;

/// Whether the folded `text` says something else than the folded statement `said`.
pub(super) fn misread_ja(text: &str, said: &str) -> bool {
    let (told, stated) = (predicate(text), predicate(said));
    if misnames_ja(text, said)
        || becomes_active(text, said)
        || turns_case(text, said)
        || renames_user_ja(text, said)
    {
        return true;
    }
    match (&told, &stated) {
        (Predicate::Words(told), Predicate::Words(stated)) => {
            let meets = told.iter().any(|told| {
                stated.iter().any(|stated| stated.contains(told.as_str()) || told.contains(stated.as_str()))
            });
            !meets
                && !stated.iter().any(|stated| text.contains(stated.as_str()))
                && !related_ja(&told.join(" "), &stated.join(" "))
                && !is_introduced(text, said)
                && !is_first_half(text, said)
        }
        (Predicate::Exists, Predicate::Words(_)) => !implies_having(said),
        _ => false,
    }
}

/// 「名前は健太で、京都に住んでいます」: the fact is word for word a clause that another follows.
fn is_first_half(text: &str, said: &str) -> bool {
    let bare =
        text.trim_end_matches(|c: char| !c.is_alphanumeric()).trim_end_matches("です").trim_end_matches('だ');
    !bare.is_empty()
        && words!["で、", "であり", "でして", "ですが、", "だし、", "ですし、"]
            .iter()
            .any(|link| said.contains(&format!("{bare}{link}")))
}

/// What the end of a Japanese sentence says.
enum Predicate {
    /// Runs of kanji, katakana, Latin letters or digits; the last one, and the one before it if the last only helps.
    Words(Vec<String>),
    /// がいる, がある.
    Exists,
    Unknown,
}

fn predicate(sentence: &str) -> Predicate {
    let end = sentence
        .trim_end_matches(|c: char| !c.is_alphanumeric())
        .trim_end_matches(['w', '笑'])
        .trim_end_matches(|c: char| !c.is_alphanumeric());
    let content = |c: char| is_han(c) || is_katakana(c) || c.is_ascii_alphanumeric();
    let mut runs: Vec<(String, String)> = Vec::new();
    let mut in_run = false;
    for c in end.chars() {
        let is_content = content(c);
        match runs.last_mut() {
            Some((run, _)) if is_content && in_run => run.push(c),
            Some((_, tail)) if !is_content => tail.push(c),
            _ if is_content => runs.push((c.to_string(), String::new())),
            _ => {}
        }
        in_run = is_content;
    }
    let Some((last, tail)) = runs.pop() else { return Predicate::Unknown };
    let copular = tail.is_empty() || COPULAR.iter().any(|start| tail.starts_with(start));
    let after = tail.trim_start_matches(['が', 'も', 'は', 'に', 'と']);
    let counted = last.chars().next_back().is_some_and(|c| "人匹頭羽台本個軒".contains(c));
    if counted
        && words!["いる", "いま", "いな", "いた", "ある", "あり"].iter().any(|verb| tail.starts_with(verb))
    {
        return Predicate::Exists;
    }
    if !copular
        && tail.starts_with(['が', 'も', 'は'])
        && words!["いる", "いま", "いな", "いた", "いて", "ある", "あり", "あっ", "ない", "い。"]
            .iter()
            .any(|verb| after.starts_with(verb))
    {
        return Predicate::Exists;
    }
    if !copular
        && tail.starts_with(['が', 'を', 'に', 'は', 'も', 'と', 'で', 'へ', 'か'])
        && tail.chars().count() >= 3
        && !tail.starts_with("から")
    {
        return Predicate::Unknown;
    }
    let mut words = vec![last.clone()];
    // 引っ越す has its first kanji before a っ.
    if let Some((before, link)) = runs.last()
        && link == "っ"
    {
        words = vec![format!("{before}っ{last}")];
    }
    if HELPS.contains(last.as_str())
        && let Some((before, _)) = runs.pop()
    {
        words.push(before);
    }
    Predicate::Words(words)
}

/// 「タマという猫」 and 「夫の健」 tell a name or a kind on the way to another verb.
fn is_introduced(text: &str, said: &str) -> bool {
    let bare = text.trim_end_matches(|c: char| !c.is_alphanumeric());
    let bare = ["です", "だ"].iter().find_map(|end| bare.strip_suffix(end)).unwrap_or(bare);
    let Some((head, value)) = bare.split_once('は') else { return false };
    let noun = head.trim_end_matches("の名前").rsplit('の').next().unwrap_or(head);
    !value.is_empty()
        && words!["という", "って", "という名前の", "という名の", "と申", "といい", "と呼"]
            .iter()
            .any(|link| said.contains(&format!("{value}{link}")))
        || said.contains(&format!("{noun}の{value}"))
        || said.contains(&format!("{value}が{head}"))
}

fn implies_having(said: &str) -> bool {
    words![
        "い",
        "ある",
        "あり",
        "あっ",
        "ない",
        "なし",
        "飼",
        "持",
        "生まれ",
        "でき",
        "迎",
        "うちの",
        "という",
        "抱え",
        "患",
        "入って",
        "入り",
        "控え",
        "症",
        "アレルギー",
        "予約",
        "私の",
        "僕の",
        "愛犬",
        "愛猫",
    ]
    .iter()
    .any(|word| said.contains(word))
}

/// 「姉が送ってくれる」 is no 「姉を送る」.
fn turns_case(text: &str, said: &str) -> bool {
    let Some(person) = person_ja(text) else { return false };
    let has = |text: &str, particles: Words| {
        particles.iter().any(|particle| text.contains(&format!("{person}{particle}")))
    };
    has(text, words!["を"]) && has(said, words!["が", "は", "も"]) && !has(said, words!["を"])
        || has(text, words!["が", "は"])
            && has(said, words!["を"])
            && !has(said, words!["が", "は", "も", "の", "と"])
}

/// A name that was given to somebody else.
fn renames_user_ja(text: &str, said: &str) -> bool {
    text.starts_with("名前は") && ["名付け", "名づけ"].iter().any(|gives| said.contains(gives))
}

/// 勧められた told as 勧めた.
fn becomes_active(text: &str, said: &str) -> bool {
    ["られ", "され"].iter().any(|voice| {
        said.match_indices(voice).any(|(at, _)| {
            let before = said.get(..at).unwrap_or_default();
            let stem: String =
                before.chars().rev().skip_while(|c| !is_han(*c)).take_while(|c| is_han(*c)).collect();
            let stem: String = stem.chars().rev().collect();
            let near = before.chars().rev().take_while(|c| !is_han(*c)).count() <= 1;
            !stem.is_empty()
                && near
                && text.contains(&stem)
                && !text.contains("られ")
                && !text.contains("され")
                && !text.contains('れ')
        })
    })
}

/// 「夫は蓮」 of 「夫の健と長男の蓮」: somebody else stands between.
fn misnames_ja(text: &str, said: &str) -> bool {
    let bare = text.trim_end_matches(|c: char| !c.is_alphanumeric());
    let bare = ["です", "だ"].iter().find_map(|end| bare.strip_suffix(end)).unwrap_or(bare);
    let Some((head, name)) = bare.split_once('は') else { return false };
    let Some(person) = person_ja(head.trim_end_matches("の名前")) else { return false };
    if name.is_empty()
        || name.chars().any(|c| matches!(c, 'が' | 'を' | 'に' | 'で'))
        || name.chars().count() > 8
    {
        return false;
    }
    let (people, names): (Vec<usize>, Vec<usize>) = (
        said.match_indices(person).map(|(at, _)| at).collect(),
        said.match_indices(name).map(|(at, _)| at).collect(),
    );
    if people.is_empty() || names.is_empty() {
        return false;
    }
    !people.iter().any(|&at| {
        names.iter().any(|&named| {
            let (start, end) = if at < named { (at + person.len(), named) } else { (named + name.len(), at) };
            said.get(start..end).is_some_and(|between| person_ja(between).is_none())
        })
    })
}

#[rustfmt::skip]
const COPULAR: Words = words![
    "です",
    "でし",
    "であ",
    "だ",
    "じゃ",
    "では",
    "でも",
    "になっ",
    "になり",
    "になる",
    "にな",
    "をし",
    "をす",
    "をや",
    "とい",
    "って",
    "なの",
    "なん",
    "での",
];

#[rustfmt::skip]
const HELPS: Words = words![
    "決", "始", "続", "思", "来", "行", "見", "頂", "下", "欲", "終", "直", "過", "多", "気", "感",
    "予定", "必要", "可能", "事", "方", "所", "出来", "合", "切", "言", "聞", "会員", "状態", "最中",
    "途中", "中",
];
