//! Plans and decisions in Japanese: 「京都に行く予定です」, 「引っ越すことにした」.

use super::Clause;
use super::objects::{ending, points};
use super::words::{NOUN_ENDINGS, VERB_ENDINGS};
use crate::llm::embedded::dates;
use crate::llm::embedded::statement::{Slot, Statement, When};
use crate::text::list::Words;
use crate::words;

pub fn plan(clause: &Clause) -> Option<Vec<Statement>> {
    let body = clause.body;
    if let Some(found) = ending(body, "予定", NOUN_ENDINGS)
        .or_else(|| ending(body, "つもり", NOUN_ENDINGS))
        .or_else(|| ending(body, "計画", NOUN_ENDINGS))
    {
        let doing = found.before;
        let is_action = doing.ends_with(['る', 'く', 'う', 'む', 'す', 'ぶ', 'つ', 'の', 'い', 'ぐ'])
            && doing.chars().count() >= 3;
        let word = if body.contains("つもり") { "つもり" } else { "予定" };
        let events = [
            "旅行",
            "出張",
            "結婚",
            "引っ越し",
            "出産",
            "手術",
            "受験",
            "留学",
            "帰省",
            "入院",
            "試験",
            "面接",
            "入学",
            "卒業",
            "転職",
        ];
        let is_meal =
            doing.strip_suffix('の').is_some_and(|event| !events.iter().any(|word| event.ends_with(word)));
        if !is_action || is_meal || doing.chars().count() > 28 || found.past || points(doing) {
            return Some(Vec::new());
        }
        let tail = if found.negated { "ではない" } else { "" };
        return Some(vec![
            Statement::new(Slot::Plan, doing, "", format!("{doing}{word}{tail}。"))
                .negated(found.negated)
                .when(When::Ahead),
        ]);
    }
    let found = words!["ことにし", "ことに決め", "ことを決め", "と決め"]
        .iter()
        .find_map(|stem| ending(body, stem, VERB_ENDINGS))?;
    if found.negated || !found.past || found.before.chars().count() < 3 || points(found.before) {
        return Some(Vec::new());
    }
    Some(vec![Statement::new(Slot::Decision, found.before, "", format!("{}ことにした。", found.before))])
}

#[rustfmt::skip]
const APPOINTMENTS: Words = words![
    "面接", "試験", "テスト", "予約", "約束", "会議", "打ち合わせ", "結婚式", "手術", "検査", "健康診断", "旅行", "出張", "発表",
    "発表会", "プレゼン", "大会", "試合", "ライブ", "コンサート", "飲み会", "同窓会", "歓迎会", "送別会", "入学式", "卒業式", "デート",
    "レース", "マラソン", "締め切り", "締切", "フライト", "診察", "授業参観", "運動会", "面談", "説明会", "研修", "引っ越し",
];
/// Whom one goes to by appointment.
const VISITED: Words = words!["歯医者", "歯科", "病院", "美容院", "眼科", "皮膚科", "健診"];

/// 「木曜の3時に歯医者」: what and when, with nothing behind it. The hour stays in its words.
fn bare_appointment(clause: &Clause) -> Option<Vec<Statement>> {
    let body = clause.body;
    let is_named = APPOINTMENTS.iter().chain(VISITED).any(|word| body.ends_with(word));
    let is_timed = body.find(['に', 'は', 'の', 'か']).is_some() || body.contains('時');
    let is_plain = body.chars().count() <= 24 && !body.contains(['が', 'を', '、']) && !points(body);
    if !(is_named && is_timed && is_plain) {
        return None;
    }
    let date = dates::ahead(body, clause.today?)?;
    let mut statement = Statement::new(Slot::Plan, body, &date, format!("{body}。")).when(When::Ahead);
    statement.from = Some(date);
    Some(vec![statement])
}

/// 「来週の金曜日に面接があります」: an appointment with a date that is to come.
pub fn appointment(clause: &Clause) -> Option<Vec<Statement>> {
    let Some(before) =
        words!["があります", "がある", "があって", "が入っています", "が入っている", "が入ってる"]
            .iter()
            .find_map(|end| clause.body.strip_suffix(end))
    else {
        return bare_appointment(clause);
    };
    let date = dates::ahead(clause.body, clause.today?)?;
    let what = before.rsplit(['に', 'は', '、']).next()?;
    let what = what.rsplit("から").next()?;
    let what = without_relative_date(what);
    let is_plain = (2..=12).contains(&what.chars().count())
        && !what.contains(['が', 'を', 'も'])
        && !what.chars().any(char::is_numeric)
        && !points(what);
    if !is_plain || !APPOINTMENTS.iter().any(|word| what.ends_with(word)) {
        return None;
    }
    let mut statement =
        Statement::new(Slot::Plan, what, &date, format!("{what}がある。")).when(When::Ahead).single();
    statement.from = Some(date);
    Some(vec![statement])
}

/// 「明日試験」 and 「来週の面接」 begin with their date.
fn without_relative_date(what: &str) -> &str {
    words![
        "明後日",
        "あさって",
        "明日",
        "あした",
        "今日",
        "今夜",
        "今晩",
        "再来週",
        "来週",
        "今週",
        "再来月",
        "来月",
        "今月",
        "再来年",
        "来年",
        "今年",
    ]
    .iter()
    .find_map(|word| what.strip_prefix(word))
    .unwrap_or(what)
    .trim_start_matches('の')
}
