//! Work and studies in Japanese: 「病院で働いている」, 「法律を勉強している」.

use super::Clause;
use super::objects::{Predicate, ending, is_adjective, is_place, object, with_te};
use super::words::{TE_ENDINGS, VERB_ENDINGS, is_occupation};
use crate::llm::embedded::statement::{Slot, Statement, When};
use crate::text::phrase::contains_any;
use crate::words;

/// 「ピアノを10年習っていた」 without how long.
fn without_duration(body: &str) -> String {
    let Some((thing, rest)) = body.split_once('を').filter(|(_, rest)| rest.contains("習って")) else {
        return body.to_owned();
    };
    let digits = rest.trim_start_matches(|c: char| c.is_numeric() || "一二三四五六七八九十".contains(c));
    let verb = (digits.len() < rest.len())
        .then(|| digits.strip_prefix("年間").or_else(|| digits.strip_prefix('年')));
    verb.flatten().map_or_else(|| body.to_owned(), |verb| format!("{thing}を{verb}"))
}

pub fn work(clause: &Clause) -> Option<Vec<Statement>> {
    let body = without_duration(clause.body);
    let body = body.as_str();
    let build = |slot, about: &str, value: &str, text: String, found: &Predicate| {
        let when = if found.past { When::Past } else { When::Now };
        Some(vec![Statement::new(slot, about, value, text).negated(found.negated).when(when)])
    };
    for stem in words![
        "で働いて",
        "に勤めて",
        "で勤めて",
        "に勤務して",
        "で勤務して",
        "で仕事をして",
        "でアルバイトをして",
        "でバイトをして",
        "でバイトして",
        "でパートをして",
    ] {
        if let Some(found) = ending(body, stem, TE_ENDINGS) {
            let place = object(found.before)?;
            let is_where = ![
                "在宅",
                "家",
                "自宅",
                "夜",
                "外",
                "一人",
                "みんな",
                "フル",
                "テレワーク",
                "リモート",
                "今",
                "夜勤",
                "パート",
                "アルバイト",
                "派遣",
                "正社員",
            ]
            .contains(&place)
                && is_place(place);
            let text = format!("{place}{}。", with_te(stem, &found)?);
            return if is_where {
                build(Slot::Workplace, "", place, text, &found)
            } else {
                build(Slot::Habit, stem, place, text, &found)
            };
        }
    }
    for stem in words!["として働いて", "の仕事をして", "をして", "をやって", "の仕事して"]
    {
        if let Some(found) = ending(body, stem, TE_ENDINGS)
            && let Some(said) = object(found.before)
        {
            // 「東京でエンジニアをしています」
            let role = said.rsplit_once('で').map_or(said, |(_, role)| role);
            let is_role = !role.contains('で') && (is_occupation(role) || role.ends_with("先生"))
                || !role.contains('で')
                    && stem.contains("仕事")
                    && role.chars().count() >= 2
                    && !is_adjective(role)
                    && !role.ends_with(['い', 'な', 'る', 'た']);
            if is_role {
                return build(
                    Slot::Occupation,
                    "",
                    role,
                    format!("{said}{}。", with_te(stem, &found)?),
                    &found,
                );
            }
        }
    }
    for (stem, slot) in [
        ("に通って", Slot::School),
        ("に在学して", Slot::School),
        ("を専攻して", Slot::School),
        ("を勉強して", Slot::School),
        ("の勉強をして", Slot::School),
        ("を習って", Slot::Habit),
        ("を学んで", Slot::School),
        ("を教えて", Slot::Habit),
    ] {
        if let Some(found) = ending(body, stem, TE_ENDINGS)
            && let Some(subject) = object(found.before)
        {
            let slot = match slot {
                Slot::School if subject.ends_with('語') => Slot::Language,
                Slot::School
                    if stem == "に通って"
                        && !contains_any(
                            subject,
                            words!["大学", "学校", "高校", "大学院", "専門", "中学"],
                        ) =>
                {
                    Slot::Habit
                }
                slot => slot,
            };
            let about = format!("{} {subject}", stem.trim_start_matches(['を', 'に', 'の']));
            return build(slot, &about, "", format!("{subject}{}。", with_te(stem, &found)?), &found);
        }
    }
    for stem in words![
        "大学を卒業し",
        "高校を卒業し",
        "学部を卒業し",
        "学校を卒業し",
        "大学院を卒業し",
        "大学院を修了し"
    ] {
        if let Some(found) = ending(body, stem, VERB_ENDINGS).filter(|found| found.past && !found.negated) {
            let school = format!("{}{}", found.before, stem.split('を').next()?);
            return Some(vec![
                Statement::new(Slot::School, "school", &school, format!("{school}を卒業した。"))
                    .when(When::Past),
            ]);
        }
    }
    None
}
