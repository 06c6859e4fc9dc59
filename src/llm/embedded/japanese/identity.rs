//! Names, ages, roles and traits as the whole predicate in Japanese: 「30歳です」, 「趣味は読書です」.

use super::name::{called, given_name, is_name, known_being, name_statement, named};
use super::objects::{Predicate, ending, is_adjective, is_place, noun, object, points, without_adverbs};
use super::words::{ATTRIBUTES, NOUN_ENDINGS, OTHERS, PETS, RELATIVES, is_occupation};
use super::{Clause, Subject};
use crate::llm::embedded::statement::{Slot, Statement, When};
use crate::text::language::is_kana;
use crate::text::names::is_japanese_name;
use crate::text::phrase::contains_any;
use crate::words;

/// 「趣味は読書です」, 「猫の名前はタマです」, 「読書が趣味です」
pub fn attribute(clause: &Clause) -> Option<Vec<Statement>> {
    if let Some(found) = ending(clause.body, "趣味", NOUN_ENDINGS)
        && let Some(value) =
            found.before.strip_suffix('が').and_then(|said| object(said.rsplit('、').next()?))
        && !found.negated
    {
        let text = match (found.past, value.ends_with('の')) {
            (true, _) => format!("{value}が趣味だった。"),
            (false, true) => format!("{value}が趣味。"),
            (false, false) => format!("趣味は{value}。"),
        };
        let when = if found.past { When::Past } else { When::Now };
        return Some(vec![Statement::new(Slot::Trait, "趣味", value, text).when(when)]);
    }
    let (owner, rest) = clause.body.split_once('は')?;
    let rest = without_adverbs(rest.trim_start_matches(['、', ' ', '　']));
    if let Some(of) = owner.strip_suffix("の名前").or_else(|| owner.strip_suffix("の名")) {
        let of = of.trim_start_matches("飼っている").trim_start_matches("飼ってる");
        let name = given_name(rest)?;
        return known_being(of).map(|slot| vec![named(slot, of, name)]);
    }
    if PETS.contains(owner) || RELATIVES.contains(owner) {
        let name = called(rest)?;
        return known_being(owner).map(|slot| vec![named(slot, owner, name)]);
    }
    let &(noun_word, slot, single) = ATTRIBUTES.iter().find(|(word, ..)| *word == owner)?;
    if slot == Slot::Name || slot == Slot::Nickname {
        return given_name(rest).map(|name| vec![name_statement(slot, name)]);
    }
    let found = noun(rest)?;
    let value = object(found.before)?;
    let shape = match slot {
        Slot::Birthday | Slot::Age => value.contains(|c: char| c.is_numeric()),
        Slot::Origin | Slot::Workplace => is_place(value),
        Slot::Occupation => {
            is_occupation(value) || value.chars().count() >= 2 && !value.contains(['が', 'は', 'を', 'い'])
        }
        _ => true,
    };
    // 「夢は広がります」: a verb, not a value.
    let is_verbal = value.ends_with(['る', 'す', 'た', 'か', 'く', 'う', 'む', 'ん', 'ね', 'よ', 'て'])
        && !value.chars().all(is_kana)
        || value.contains('、')
        || value.ends_with("ます")
        || value.ends_with("ません");
    if found.negated || found.past || !shape || is_verbal || is_adjective(value) {
        return None;
    }
    let text = if slot == Slot::Age { format!("{value}。") } else { format!("{noun_word}は{value}。") };
    let about = if matches!(slot, Slot::Trait | Slot::School | Slot::Language | Slot::Possession) {
        noun_word
    } else {
        ""
    };
    let statement = Statement::new(slot, about, value, text);
    Some(vec![if single { statement.single() } else { statement }])
}

/// Names, ages, work and states as the whole predicate: 「30歳です」, 「会社員です」, 「田中と申します」
pub fn identity(clause: &Clause) -> Option<Vec<Statement>> {
    let body = clause.body;
    let introduces_by_name = clause.subject == Subject::Me { explicit: true }
        || clause.greeted
        || body.ends_with("と申します")
        || matches!(clause.subject, Subject::Family(_));
    if let Some(name) = called(body).filter(|_| introduces_by_name) {
        return Some(vec![name_statement(Slot::Name, name)]);
    }
    for end in words!["と呼んで", "って呼んで", "とよんで", "ってよんで"] {
        if let Some(name) = body.find(end).and_then(|at| body.get(..at)) {
            let name = name.rsplit(['、', 'は']).next()?;
            let wish = end.trim_end_matches("呼んで").trim_end_matches("よんで");
            return is_name(name).then(|| {
                let text = match wish {
                    "と" => format!("{name}と呼ばれたい。"),
                    _ => format!("{name}{wish}呼んでほしい。"),
                };
                vec![Statement::new(Slot::Nickname, "", name, text)]
            });
        }
    }
    let found = noun(body)?;
    let word = found.before;
    if let Some(number) = word.strip_suffix('歳').or_else(|| word.strip_suffix('才')) {
        let is_number = (1..=3).contains(&number.chars().count())
            && number.chars().all(|c| c.is_numeric() || "一二三四五六七八九十".contains(c));
        let when = if found.past { When::Past } else { When::Now };
        return (is_number && !found.negated)
            .then(|| vec![Statement::new(Slot::Age, "", number, format!("{number}歳。")).when(when)]);
    }
    if let Some(decade) =
        word.strip_suffix('代').filter(|n| n.chars().count() == 2 && n.chars().all(char::is_numeric))
    {
        return (!found.negated && !found.past)
            .then(|| vec![Statement::new(Slot::Age, "", word, format!("{decade}代。"))]);
    }
    for state in words![
        "独身",
        "既婚",
        "未婚",
        "左利き",
        "右利き",
        "バツイチ",
        "ベジタリアン",
        "ヴィーガン",
        "一人暮らし",
        "ひとり暮らし",
        "二人暮らし",
        "実家暮らし",
        "一人っ子",
        "ペーパードライバー",
        "インドア派",
        "アウトドア派",
        "猫派",
        "犬派",
        "下戸",
        "末っ子",
        "甘党",
        "辛党",
        "夜型",
        "朝型",
    ] {
        if word == state || word.split_once("から").is_some_and(|(_, after)| after == state) {
            return Some(vec![state_of(Slot::Trait, state, "", &found)]);
        }
    }
    let is_role = is_occupation(word)
        && word.chars().count() <= 12
        && !word
            .replacen("のある", "", 1)
            .contains(['は', 'が', 'を', 'も', '、', 'く', 'る', 'た', 'い', 'な', 'て', 'で'])
        && !points(word);
    if is_role && !(found.negated && found.past) {
        return Some(vec![state_of(Slot::Occupation, "", word, &found)]);
    }
    // 「はじめまして、田中です」
    let introduces = clause.greeted
        && body.ends_with("です")
        && is_name(word)
        && !contains_any(word, OTHERS)
        && !found.negated
        && !found.past
        && word.chars().count() <= 5;
    // 「私は田中です」: without a greeting, only a word that is a name and nothing else.
    let is_explicit = clause.subject == Subject::Me { explicit: true } || clause.introduced;
    let names = is_explicit && is_japanese_name(word) && !found.negated && !found.past;
    (introduces || names).then(|| vec![name_statement(Slot::Name, word)])
}

/// What one is, or was, or is not.
fn state_of(slot: Slot, about: &str, value: &str, found: &Predicate) -> Statement {
    let tail = match (found.negated, found.past) {
        (true, _) => "ではない",
        (false, true) => "だった",
        (false, false) => "",
    };
    let when = if found.past { When::Past } else { When::Now };
    Statement::new(slot, about, value, format!("{about}{value}{tail}。")).negated(found.negated).when(when)
}
