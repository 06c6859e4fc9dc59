//! The plain form of Japanese sentences: 「ユーザーは東京に住んでいます。」 becomes 「東京に住んでいる」.
//!
//! Endings are rewritten by rule, without a dictionary: two spellings of one sentence meet, and a rare verb may take
//! a wrong but constant form. Negation and tense are never rewritten away.

use crate::text::fold::{fold, fold_kana};
use crate::text::list::Words;
use crate::words;

/// See [`super::claim::normal`].
pub fn normal(text: &str) -> String {
    fold_kana(&without_user(text))
}

/// The plain form without naming the user; katakana stays.
pub(super) fn without_user(text: &str) -> String {
    let plain = plain(text);
    without_any(without_any(&plain, SELF_TOPICS), SELF_OWNERS).to_owned()
}

pub(super) fn without_any(text: &str, starts: Words) -> &str {
    starts.iter().find_map(|start| text.strip_prefix(start)).filter(|rest| !rest.is_empty()).unwrap_or(text)
}

/// Folded, without punctuation and spaces, in plain form; katakana stays, because its border shows words.
pub(super) fn plain(text: &str) -> String {
    let kept: String = fold(text)
        .chars()
        .filter(|c| c.is_alphanumeric() || *c == 'ー' || *c == 'ゝ' || *c == '々')
        .collect();
    let mut kept = kept;
    for (polite, plain) in POLITE_INSIDE {
        kept = kept.replace(polite, plain);
    }
    plain_end(&kept)
}

/// The text with its ending in the plain form.
pub(crate) fn plain_end(text: &str) -> String {
    let mut kept = text.to_owned();
    // Endings may stack: 「…のです」, 「…んですよ」.
    for _ in 0..3 {
        match POLITE_END.iter().find_map(|(polite, plain)| Some((kept.strip_suffix(polite)?, plain))) {
            Some((stem, plain)) if !stem.is_empty() => kept = format!("{stem}{plain}"),
            _ => break,
        }
    }
    plain_verb(&kept)
}

const POLITE_INSIDE: &[(&str, &str)] = &[
    ("ではありませんでした", "ではなかった"),
    ("じゃありませんでした", "ではなかった"),
    ("ではありません", "ではない"),
    ("じゃありません", "ではない"),
    ("ではないです", "ではない"),
    ("じゃないです", "ではない"),
    ("じゃない", "ではない"),
    ("でない", "ではない"),
    ("じゃなかった", "ではなかった"),
    ("くありません", "くない"),
];

const POLITE_END: &[(&str, &str)] = &[
    ("なんですよ", ""),
    ("なんです", ""),
    ("なのです", ""),
    ("なんだ", ""),
    ("んですよ", ""),
    ("のですよ", ""),
    ("んです", ""),
    ("のです", ""),
    ("ですよ", ""),
    ("ですね", ""),
    ("でした", "だった"),
    ("です", ""),
    ("である", ""),
    ("だよ", ""),
    ("だね", ""),
    ("よ", ""),
    ("ね", ""),
];

/// 飲みます → 飲む, 食べます → 食べる, 飲みません → 飲まない: the plain form of a polite ending.
fn plain_verb(text: &str) -> String {
    const ENDINGS: &[(&str, Form)] = &[
        ("ませんでした", Form::NotPast),
        ("ません", Form::Not),
        ("ました", Form::Past),
        ("ます", Form::Plain),
    ];
    let Some((stem, form)) = ENDINGS.iter().find_map(|(end, form)| Some((text.strip_suffix(end)?, *form)))
    else {
        return text.strip_suffix('だ').filter(|_| !text.ends_with("んだ")).unwrap_or(text).to_owned();
    };
    let mut letters: Vec<char> = stem.chars().collect();
    let Some(last) = letters.pop() else { return text.to_owned() };
    let before = letters.last().copied();
    let head: String = letters.iter().collect();
    // 行く and 来る have pasts of their own.
    if last == 'き' && before == Some('行') && matches!(form, Form::Past) {
        return format!("{head}った");
    }
    if last == 'き' && before.is_some_and(|c| matches!(c, 'て' | 'で')) {
        return format!("{head}{}", form.of("くる", "こない", "きた", "こなかった"));
    }
    if last == 'し' {
        return format!("{head}{}", form.of("する", "しない", "した", "しなかった"));
    }
    let rows = ROWS.iter().find(|row| row.0 == last);
    match rows {
        Some(&(_, u, a, past)) if !is_one_row(before, last) => match form {
            Form::Plain => format!("{head}{u}"),
            Form::Not => format!("{head}{a}ない"),
            Form::Past => format!("{head}{past}"),
            Form::NotPast => format!("{head}{a}なかった"),
        },
        _ => format!("{head}{last}{}", form.of("る", "ない", "た", "なかった")),
    }
}

/// Common verbs of one row whose stem ends in the i-row.
const ONE_ROW: &[(char, char)] =
    &[('起', 'き'), ('生', 'き'), ('飽', 'き'), ('降', 'り'), ('借', 'り'), ('足', 'り'), ('落', 'ち')];

/// Whether a stem that ends in the i-row takes る all the same: いる behind a particle or a count, できる.
fn is_one_row(before: Option<char>, last: char) -> bool {
    match before {
        None => last == 'い',
        Some('で') if last == 'き' => true,
        Some(before) if ONE_ROW.contains(&(before, last)) => true,
        Some(before) => last == 'い' && ("てでがはもにをと".contains(before) || COUNTERS.contains(&before)),
    }
}

#[derive(Clone, Copy)]
enum Form {
    Plain,
    Not,
    Past,
    NotPast,
}

impl Form {
    fn of(
        self,
        plain: &'static str,
        not: &'static str,
        past: &'static str,
        not_past: &'static str,
    ) -> &'static str {
        match self {
            Self::Plain => plain,
            Self::Not => not,
            Self::Past => past,
            Self::NotPast => not_past,
        }
    }
}

/// Stem, plain, before ない, and past of the verbs with five rows.
const ROWS: &[(char, &str, &str, &str)] = &[
    ('い', "う", "わ", "った"),
    ('き', "く", "か", "いた"),
    ('ぎ', "ぐ", "が", "いだ"),
    ('ち', "つ", "た", "った"),
    ('に', "ぬ", "な", "んだ"),
    ('び', "ぶ", "ば", "んだ"),
    ('み', "む", "ま", "んだ"),
    ('り', "る", "ら", "った"),
];

pub(super) const SELF_TOPICS: Words = words![
    "ユーザーさんは",
    "ユーザーには",
    "私には",
    "僕には",
    "わたしには",
    "ユーザーは",
    "ユーザは",
    "わたくしは",
    "わたしは",
    "あたしは",
    "私は",
    "僕は",
    "ぼくは",
    "俺は",
    "おれは",
    "自分は",
    "私も",
    "僕も",
    "俺も",
    "私が",
    "僕が",
];

pub(super) const SELF_OWNERS: Words =
    words!["ユーザーの", "ユーザの", "わたしの", "私の", "僕の", "俺の", "自分の", "うちの"];

/// What people, animals and things are counted with.
pub(super) const COUNTERS: &[char] = &['人', '匹', '頭', '羽', '台', '本', '個', '枚', '冊', '軒'];
