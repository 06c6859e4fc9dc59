//! Pets and relatives in Japanese, and what is said of them.

use super::Clause;
use super::name::{is_name, known_being, named};
use super::objects::{ending, is_plain_object, object, points, te_tail};
use super::words::{PETS, RELATIVES, TE_ENDINGS};
use crate::llm::embedded::statement::{Slot, Statement, When};
use crate::words;

/// What is said of a relative, under their word: 「妹は東京に住んでいる。」
pub fn of_family(who: &str, of_user: Statement) -> Statement {
    let about = format!("{who} {} {}", of_user.slot as u8, of_user.about);
    let is_single =
        matches!(of_user.slot, Slot::Home | Slot::Age | Slot::Workplace | Slot::Name | Slot::Taste);
    let mut statement =
        Statement::new(Slot::Relation, about.trim(), &of_user.value, format!("{who}は{}", of_user.text))
            .negated(of_user.negated)
            .when(of_user.when);
    if of_user.slot == Slot::Name {
        statement =
            Statement::new(Slot::Relation, who, &of_user.value, format!("{who}の名前は{}。", of_user.value));
    }
    statement.single = is_single;
    (statement.from, statement.until) = (of_user.from, of_user.until);
    statement
}

pub fn pet(clause: &Clause) -> Option<Vec<Statement>> {
    let found = words!["を飼って", "飼って", "を飼育して"]
        .iter()
        .find_map(|stem| ending(clause.body, stem, TE_ENDINGS))?;
    let said = object(found.before.trim_end_matches('は').trim_end_matches('も'))
        .filter(|said| is_plain_object(said))?;
    let animal = PETS.iter().find(|pet| said.contains(*pet))?;
    let name = said
        .split_once("という名前の")
        .or_else(|| said.split_once("という"))
        .or_else(|| said.split_once("って名前の"))
        .map(|(name, _)| name)
        .or_else(|| said.split_once(animal)?.1.strip_prefix('の').filter(|name| !name.is_empty()))
        .unwrap_or("");
    // 「猫を2匹」 has its particle already.
    let link = if said.contains('を') { "" } else { "を" };
    let text = format!("{said}{link}飼って{}。", te_tail(&found)?);
    let when = if found.past { When::Past } else { When::Now };
    Some(vec![Statement::new(Slot::Pet, animal, name, text).negated(found.negated).when(when)])
}

/// 「犬、ポチっていう」
pub fn introduced(clause: &Clause) -> Option<Vec<Statement>> {
    let said = words!["っていう", "という", "って言う", "っていいます", "といいます", "って名前"]
        .iter()
        .find_map(|end| clause.body.strip_suffix(end))?;
    let being = RELATIVES.iter().chain(PETS).find(|word| said.starts_with(*word))?;
    let name = said.get(being.len()..)?.trim_start_matches(['、', 'は', ' ', '　']);
    let is_apart = !said.get(being.len()..)?.starts_with(name) && is_name(name);
    is_apart.then(|| vec![named(known_being(being).unwrap_or(Slot::Relation), being, name)])
}

/// 「子供が二人います」, 「結婚しています」
pub fn family(clause: &Clause) -> Option<Vec<Statement>> {
    for (stem, about) in [
        ("結婚して", "結婚"),
        ("婚約して", "婚約"),
        ("離婚して", "離婚"),
        ("妊娠して", "妊娠"),
        ("同棲して", "同棲"),
    ] {
        let body = clause.body.replacen("はして", "して", 1);
        if let Some(found) =
            ending(&body, stem, TE_ENDINGS).filter(|found| found.before.is_empty() && !found.past)
        {
            return Some(vec![
                Statement::new(Slot::Trait, about, "", format!("{stem}{}。", te_tail(&found)?))
                    .negated(found.negated),
            ]);
        }
    }
    let (rest, negated) = [
        ("いません", true),
        ("いない", true),
        ("いないです", true),
        ("います", false),
        ("おります", false),
        ("いる", false),
        ("いて", false),
    ]
    .iter()
    .find_map(|(end, negated)| Some((clause.body.strip_suffix(end)?, *negated)))?;
    if let Some(all) = beings(rest).filter(|all| all.len() > 1 && !negated) {
        let each = |(word, count): (&str, &str)| {
            let slot = if PETS.contains(word) { Slot::Pet } else { Slot::Relation };
            Statement::new(slot, &format!("has {word}"), count, format!("{word}が{count}いる。"))
        };
        return Some(all.into_iter().map(each).collect());
    }
    let (who, count) =
        rest.split_once('が').or_else(|| rest.split_once('は')).or_else(|| rest.split_once('も'))?;
    let being = RELATIVES.iter().chain(PETS).find(|word| {
        *word == who
            || who.ends_with(*word) && (who.contains('の') || who.contains('歳') || who.contains('人'))
    })?;
    let is_count = count.is_empty()
        || count.ends_with(['人', '匹', '羽', '頭', 'り', 'つ', '名']) && count.chars().count() <= 5;
    let is_long =
        who.chars().count() > 8 || who.contains('、') || rest.contains('も') && !rest.contains('が');
    if !is_count || is_long || points(who) {
        return Some(Vec::new());
    }
    let slot = if PETS.contains(being) { Slot::Pet } else { Slot::Relation };
    let text = format!("{who}が{count}い{}。", if negated { "ない" } else { "る" });
    Some(vec![Statement::new(slot, &format!("has {being}"), count, text).negated(negated)])
}

/// The members of a list, with their numbers: 「妻と子供が二人」, 「犬と猫が」. `None` if anything else stands there.
fn beings(list: &str) -> Option<Vec<(&str, &str)>> {
    let mut found = Vec::new();
    let mut rest = list;
    loop {
        let word = RELATIVES
            .iter()
            .chain(PETS)
            .filter(|word| rest.starts_with(word))
            .max_by_key(|word| word.len())?;
        rest = rest.get(word.len()..)?;
        let counted = rest.strip_prefix(['が', 'も', 'は']).unwrap_or(rest);
        let kana =
            ["ひとり", "ふたり"].iter().find(|word| counted.starts_with(**word)).map(|word| word.len());
        let length = kana.unwrap_or_else(|| {
            counted
                .chars()
                .take_while(|c| c.is_numeric() || "一二三四五六七八九十数何人匹羽頭名つ".contains(*c))
                .map(char::len_utf8)
                .sum()
        });
        let (count, after) = counted.split_at_checked(length)?;
        found.push((word, count));
        rest = after.trim_end_matches(['が', 'も']);
        if rest.is_empty() {
            return Some(found);
        }
        rest = words!["と、", "と", "や", "、", "も"].iter().find_map(|link| rest.strip_prefix(link))?;
    }
}
