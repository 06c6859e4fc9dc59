//! Homes and origins in Japanese: 「大阪に住んでいる」, 「北海道出身です」.

use super::Clause;
use super::objects::{Predicate, ending, object, place, with_te};
use super::words::{NOUN_ENDINGS, TE_ENDINGS, VERB_ENDINGS};
use crate::llm::embedded::dates;
use crate::llm::embedded::statement::{Slot, Statement, When};
use crate::text::list::Words;
use crate::words;

/// A place that one is at for longer than an hour, unlike a station or a shop.
fn is_far(place: &str) -> bool {
    #[rustfmt::skip]
    const KNOWN: Words = words![
        "東京", "大阪", "京都", "名古屋", "札幌", "福岡", "仙台", "広島", "神戸", "横浜", "沖縄", "北海道", "九州", "四国", "アメリカ", "イギリス",
        "フランス", "ドイツ", "イタリア", "スペイン", "カナダ", "オーストラリア", "ニュージーランド", "インド", "タイ", "ベトナム", "インドネシア",
        "シンガポール", "マレーシア", "フィリピン", "ブラジル", "韓国", "中国", "台湾", "香港", "ニューヨーク", "ロサンゼルス", "シアトル", "ボストン",
        "ロンドン", "パリ", "ベルリン", "ミュンヘン", "ローマ", "ミラノ", "マドリード", "バルセロナ", "アムステルダム", "ウィーン", "プラハ", "ソウル",
        "バンコク", "ハノイ", "シドニー", "ハワイ", "海外",
    ];
    KNOWN.contains(place)
        || place.chars().count() > 2 && place.ends_with(['県', '市', '町', '村', '州', '島'])
}

pub fn home(clause: &Clause) -> Option<Vec<Statement>> {
    let body = clause.body;
    let place_statement = |slot, about: &str, place: &str, text: String, found: &Predicate| {
        let when = if found.past && slot == Slot::Home { When::Past } else { When::Now };
        Some(vec![Statement::new(slot, about, place, text).negated(found.negated).when(when)])
    };
    for stem in words![
        "には住んで",
        "に住んで",
        "で暮らして",
        "で一人暮らしして",
        "で一人暮らしをして",
        "に在住して",
        "にすんで",
    ] {
        if let Some(found) = ending(body, stem, TE_ENDINGS) {
            let place = place(found.before)?;
            let text = format!(
                "{place}{}。",
                with_te(if stem.starts_with('で') { "で暮らして" } else { "に住んで" }, &found)?
            );
            return place_statement(Slot::Home, "", place, text, &found);
        }
    }
    if let Some(found) = ending(body, "在住", NOUN_ENDINGS) {
        let place = place(found.before)?;
        return (!found.negated).then(|| {
            place_statement(
                Slot::Home,
                "",
                place,
                format!("{place}に住んで{}。", if found.past { "いた" } else { "いる" }),
                &found,
            )
        })?;
    }
    for stem in
        words!["に引っ越し", "へ引っ越し", "に移住し", "に引越し", "へ移住し", "に引っ越してき", "に越してき"]
    {
        if let Some(found) = ending(body, stem, VERB_ENDINGS).filter(|found| found.past && !found.negated) {
            let place = place(found.before.rsplit("から").next()?)?;
            return Some(vec![Statement::new(Slot::Home, "", place, format!("{place}に引っ越した。"))]);
        }
    }
    if let Some(found) = ending(body, "に", TE_ENDINGS)
        && !found.past
        && let place = found.before.strip_prefix('今').unwrap_or(found.before)
        && is_far(place)
    {
        let text = format!("{place}にい{}。", if found.negated { "ない" } else { "る" });
        return place_statement(Slot::Whereabouts, "", place, text, &found);
    }
    if let Some(found) = ending(body, "出身", NOUN_ENDINGS) {
        let place = place(found.before.trim_end_matches('の'))?;
        let text =
            if found.negated { format!("{place}出身ではない。") } else { format!("{place}出身。") };
        return place_statement(Slot::Origin, "", place, text, &found);
    }
    for (stem, about, verb) in [
        ("で生まれ", "born", "で生まれた"),
        ("生まれ", "born", "生まれ"),
        ("で育ち", "grew up", "で育った"),
        ("育ち", "grew up", "育ち"),
    ] {
        let found = ending(body, stem, VERB_ENDINGS)
            .filter(|found| found.past)
            .or_else(|| ending(body, stem, NOUN_ENDINGS));
        if let Some(found) = found.filter(|found| !found.negated) {
            let before = found.before.trim_end_matches('の');
            if before.contains(|c: char| c.is_numeric()) || dates::japanese(before, None).is_some() {
                return object(before)
                    .map(|date| vec![Statement::new(Slot::Birthday, "", date, format!("{date}生まれ。"))]);
            }
            let place = place(before)?;
            return place_statement(Slot::Origin, about, place, format!("{place}{verb}。"), &found);
        }
    }
    None
}
