//! Japanese predicates: 「大阪に住んでいる」, 「猫が好きじゃない」, 「そばアレルギーです」.

use super::family::{family, introduced, of_family, pet};
use super::habit::{habit, language};
use super::health::health;
use super::identity::{attribute, identity};
use super::name::{name_statement, presented};
use super::objects::{without_adverbs, without_period};
use super::own::own;
use super::place::home;
use super::plan::{appointment, plan};
use super::taste::{favourite, taste, unspoken};
use super::work::work;
use super::{Clause, Subject};
use crate::llm::embedded::statement::{Slot, Statement, When};
use crate::words;

/// Reads one family of predicates: `None` if the clause has none of them, nothing if it has but says nothing sure.
type Reader = fn(&Clause) -> Option<Vec<Statement>>;

pub fn read(clause: &Clause) -> Vec<Statement> {
    if let Some(found) = appointment(clause).filter(|_| matches!(clause.subject, Subject::Me { .. })) {
        return found;
    }
    if let Some((before, name)) = presented(clause) {
        let subject = Subject::Me { explicit: true };
        let mut found = if before.ends_with('の') {
            Vec::new()
        } else {
            read(&Clause { subject, body: before, ..*clause })
        };
        found.push(name_statement(Slot::Name, name));
        return found;
    }
    let (body, period) = without_period(clause);
    let body = without_adverbs(&body).to_owned();
    let me = Clause { body: &body, ..*clause };
    let readers: [Reader; 14] = [
        unspoken, favourite, introduced, attribute, taste, plan, home, work, pet, family, health, language,
        identity, habit,
    ];
    let mut statements = readers.iter().find_map(|reader| reader(&me)).unwrap_or_default();
    if statements.is_empty() {
        // A date of which only a part was resolved stays in the words: 「来年4月に」.
        let is_whole = !body.contains("月に") || !clause.body.contains('年');
        statements = own(if is_whole { &me } else { clause }).unwrap_or_default();
    }
    // 「元々は運転士です」 tells what one was.
    if words!["元々", "もともと", "昔は", "以前は", "前は", "元は"]
        .iter()
        .any(|word| clause.body.starts_with(word))
    {
        statements.retain(|statement| {
            statement.when == When::Past
                || matches!(statement.slot, Slot::Origin | Slot::Taste | Slot::Birthday)
        });
    }
    for statement in &mut statements {
        let (from, until) = period.clone();
        if until.is_some() && statement.when == When::Now {
            statement.when = When::Past;
        }
        if from.is_some() || until.is_some() {
            (statement.from, statement.until) = (from, until);
        }
    }
    match clause.subject {
        Subject::Family(who) => statements.into_iter().map(|of_user| of_family(who, of_user)).collect(),
        _ => statements,
    }
}
