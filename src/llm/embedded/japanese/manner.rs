//! How to be answered, in Japanese: 「敬語で話してください」.

use super::assertion::without_decoration;
use crate::llm::embedded::statement::{Slot, Statement};
use crate::text::phrase::contains_any;
use crate::words;

/// 「敬語で話して(ください)」: how to be answered, in general.
pub fn manner(sentence: &str) -> Option<Statement> {
    let core = without_decoration(sentence);
    if let Some(statement) = wished(core) {
        return Some(statement);
    }
    let core = words![
        "ください",
        "下さい",
        "くださいね",
        "ほしいです",
        "ほしい",
        "欲しい",
        "欲しいです",
        "くれ",
        "ね",
        "もらいたい",
        "いただきたい",
    ]
    .iter()
    .find_map(|end| core.strip_suffix(end))
    .unwrap_or(core);
    let (verb, before) = words![
        "話して",
        "答えて",
        "返事して",
        "返事をして",
        "返信して",
        "返答して",
        "回答して",
        "しゃべって",
        "喋って",
    ]
    .iter()
    .find_map(|verb| Some((verb, core.strip_suffix(verb)?)))?;
    let before = words![
        "これからは",
        "これから",
        "今後は",
        "以後は",
        "なるべく",
        "できるだけ",
        "私には",
        "僕には",
        "私に",
        "いつも",
        "常に",
        "必ず",
        "、",
    ]
    .iter()
    .fold(before.trim(), |text, opening| text.trim_start_matches(opening));
    let length = before.chars().count();
    let is_style = before.ends_with('で') || before.ends_with('に') || before.ends_with('く');
    let points = contains_any(
        before,
        words![
            "この",
            "その",
            "質問",
            "次の",
            "以下",
            "一緒",
            "ついて",
            "相手",
            "みんな",
            "友達",
            "電話",
            "私",
            "誰",
            "英会話",
            "先生",
        ],
    );
    (is_style && !points && (2..=16).contains(&length))
        .then(|| Statement::new(Slot::Manner, "", before, format!("{before}{verb}ほしい。")))
}

/// 「返事は短めでお願いします」
fn wished(core: &str) -> Option<Statement> {
    let asked = words!["お願いします", "お願い", "お願いいたします", "頼みます", "頼む"]
        .iter()
        .find_map(|end| core.strip_suffix(end))?;
    let style = words!["返事は", "回答は", "返信は", "答えは", "返答は", "口調は", "文体は"]
        .iter()
        .find_map(|opening| asked.strip_prefix(opening))?;
    let is_style = style.ends_with(['で', 'に']) && (2..=12).contains(&style.chars().count());
    is_style.then(|| Statement::new(Slot::Manner, "", style, format!("{asked}お願いしたい。")))
}
