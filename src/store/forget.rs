//! Forgetting: a fact goes with every version and quote of it, and leaves keyed hashes behind.
//!
//! Invariant: after [`forget`] no column of these tables holds the fact's words; the ledger's entries stay, empty,
//! so that the history shows that something was forgotten. What it rested on, in other tables, is the caller's:
//! the messages that said it and the summaries made from them.

use super::ledger::{Act, Draft, commit, next_version};
use super::sql::{Row, Sql, StoreError, atomic};
use super::{facts, messages, snapshot, tombstones};
use crate::id::{ChangeId, FactId, MessageId};
use crate::memory::model::{Fact, Op};
use crate::sorted::SortedSet;
use crate::text::fold::fold;

/// What was forgotten, for the caller to follow up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Forgotten {
    pub change: ChangeId,
    /// The version under which mirrors delete it.
    pub version: u32,
    /// Messages that said or confirmed it.
    pub sources: Vec<MessageId>,
    /// Its texts and quotes, to find what repeats them; not to be stored.
    pub texts: Vec<String>,
}

/// Forgets a fact; also one that only the ledger still knows, because its addition was undone. `None` if nothing
/// knows it. `random` becomes the tombstones' key if there is none yet.
pub fn forget(
    sql: &dyn Sql,
    id: &FactId,
    random: &[u8; 32],
    act: &mut Act<'_>,
) -> Result<Option<Forgotten>, StoreError> {
    atomic(sql, || {
        let texts = texts(sql, id)?;
        if texts.is_empty() {
            return Ok(None);
        }
        let sources = facts::sources(sql, id)?;
        let texts: Vec<String> = texts.into_iter().collect();
        tombstones::bury(sql, &texts, act.now, random)?;
        // Facts that it replaced, or that replaced it, lose the link in the same entry.
        let mut after: Vec<(FactId, Option<Fact>)> = vec![(id.clone(), None)];
        let fact = facts::get(sql, id)?;
        for linked in fact.iter().flat_map(|fact| fact.supersedes.iter().chain(&fact.superseded_by)) {
            if let Some(mut linked) = facts::get(sql, linked)? {
                linked.superseded_by = linked.superseded_by.filter(|successor| successor != id);
                after.push((linked.id.clone(), Some(linked)));
            }
        }
        // Facts of the same messages keep no quote that has words of it.
        let shared = Shared::of(sql, &sources, &texts)?;
        let mut others = facts::resting_on(sql, &sources)?;
        others.retain(|other| other != id);
        for other in &others {
            let known = after.iter().position(|(fact, _)| fact == other);
            let Some(mut fact) = known.map_or(facts::get(sql, other)?, |at| after[at].1.clone()) else {
                continue;
            };
            if shared.is(&fact.source.quote) {
                fact.source.quote.clear();
                match known {
                    Some(at) => after[at].1 = Some(fact),
                    None => after.push((other.clone(), Some(fact))),
                }
            }
        }
        let version = next_version(sql, id)?;
        let draft = Draft {
            op: Op::Forgotten,
            fact: id,
            reason: "forgotten by the user",
            quote: None,
            undoes: None,
            after,
        };
        let change = commit(sql, draft, act)?.change;
        wipe(sql, id)?;
        for twin in undone_twins(sql, id, &texts)? {
            wipe(sql, &twin)?;
        }
        for other in &others {
            unquote(sql, other, &shared)?;
        }
        Ok(Some(Forgotten { change, version, sources: sources.clone(), texts }))
    })
}

/// Forgets all facts with their history. Tombstones and their key stay, and so do the old facts' hashes: text
/// imported later teaches nothing that was forgotten one by one.
pub fn clear(sql: &dyn Sql) -> Result<(), StoreError> {
    atomic(sql, || {
        for table in ["facts", "fact_sources", "holds", "change_items", "changes", "weeks"] {
            sql.exec(&format!("DELETE FROM {table}"), &[])?;
        }
        Ok(())
    })
}

/// Facts that were taken back, among the whole ledger.
pub const INDEX: &str = "
CREATE INDEX change_items_removed ON change_items (fact) WHERE after IS NULL AND before IS NOT NULL;
";

/// Facts that only the ledger knows, because they were undone, and that said the same.
fn undone_twins(sql: &dyn Sql, id: &FactId, texts: &[String]) -> Result<SortedSet<FactId>, StoreError> {
    let texts: Vec<String> = texts.iter().map(|text| fold(text)).collect();
    let mut found = SortedSet::new();
    let rows = sql.exec(
        "SELECT fact, before, after FROM change_items WHERE fact IN (
             SELECT fact FROM change_items
             WHERE after IS NULL AND before IS NOT NULL AND fact <> ? AND fact NOT IN (SELECT id FROM facts))",
        &[id.as_str().into()],
    )?;
    for row in &rows {
        for column in [1, 2] {
            let kept = row.optional(column, |row, column| snapshot::read(row.text(column)?))?;
            if kept.is_some_and(|fact| texts.contains(&fold(&fact.text))) {
                found.insert(FactId::parse(row.text(0)?).ok_or_else(|| StoreError::corrupt("fact id"))?);
            }
        }
    }
    Ok(found)
}

/// Every text and quote that a fact ever had.
pub(super) fn texts(sql: &dyn Sql, id: &FactId) -> Result<SortedSet<String>, StoreError> {
    let mut found = SortedSet::new();
    let mut keep = |fact: Fact| {
        found.insert(fact.text);
        found.insert(fact.source.quote);
    };
    facts::get(sql, id)?.map(&mut keep);
    for row in sql.exec("SELECT before, after FROM change_items WHERE fact = ?", &[id.as_str().into()])? {
        for column in [0, 1] {
            row.optional(column, |row, column| snapshot::read(row.text(column)?))?.map(&mut keep);
        }
    }
    for row in sql.exec("SELECT quote FROM changes WHERE fact = ?", &[id.as_str().into()])? {
        found.extend(row.optional(0, Row::string)?);
    }
    found.remove("");
    Ok(found)
}

/// Quotes that stand in a message together with words of what is forgotten.
struct Shared<'a> {
    messages: Vec<String>,
    texts: &'a [String],
}

impl<'a> Shared<'a> {
    fn of(sql: &dyn Sql, sources: &[MessageId], texts: &'a [String]) -> Result<Self, StoreError> {
        let mut messages = Vec::new();
        for source in sources {
            messages.extend(messages::get(sql, source)?.map(|message| message.text));
        }
        Ok(Self { messages, texts })
    }

    fn is(&self, quote: &str) -> bool {
        let overlaps = |message: &String| {
            let place = |part: &str| message.find(part).map(|at| (at, at + part.len()));
            place(quote).is_some_and(|(start, end)| {
                self.texts.iter().filter_map(|text| place(text)).any(|(from, to)| start < to && from < end)
            })
        };
        !quote.is_empty()
            && (self.texts.iter().any(|text| quote.contains(text.as_str()))
                || self.messages.iter().any(overlaps))
    }
}

/// Takes such quotes out of a fact's history.
fn unquote(sql: &dyn Sql, fact: &FactId, shared: &Shared<'_>) -> Result<(), StoreError> {
    let id = fact.as_str().into();
    for row in sql.exec("SELECT seq, quote FROM changes WHERE fact = ? AND quote IS NOT NULL", &[id])? {
        if shared.is(row.text(1)?) {
            sql.exec("UPDATE changes SET quote = NULL WHERE seq = ?", &[row.int(0)?.into()])?;
        }
    }
    for row in sql.exec("SELECT change, before, after FROM change_items WHERE fact = ?", &[id])? {
        let unquoted = |column| -> Result<Option<String>, StoreError> {
            let Some(mut kept) = row.optional(column, |row, column| snapshot::read(row.text(column)?))?
            else {
                return Ok(None);
            };
            if shared.is(&kept.source.quote) {
                kept.source.quote.clear();
            }
            snapshot::write(&kept).map(Some)
        };
        sql.exec(
            "UPDATE change_items SET before = ?, after = ? WHERE change = ? AND fact = ?",
            &[unquoted(1)?.as_ref().into(), unquoted(2)?.as_ref().into(), row.int(0)?.into(), id],
        )?;
    }
    Ok(())
}

/// No entry of the ledger about this fact can be undone any more.
pub(super) fn seal(sql: &dyn Sql, id: &FactId) -> Result<(), StoreError> {
    sql.exec(
        "UPDATE changes SET wiped = 1
         WHERE fact = ?1 OR seq IN (SELECT change FROM change_items WHERE fact = ?1)",
        &[id.as_str().into()],
    )?;
    Ok(())
}

fn wipe(sql: &dyn Sql, id: &FactId) -> Result<(), StoreError> {
    seal(sql, id)?;
    let id = id.as_str().into();
    sql.exec("UPDATE changes SET quote = NULL WHERE fact = ?", &[id])?;
    sql.exec("UPDATE change_items SET before = NULL, after = NULL WHERE fact = ?", &[id])?;
    sql.exec("DELETE FROM fact_sources WHERE fact = ?", &[id])?;
    sql.exec("DELETE FROM weeks WHERE fact = ?", &[id])?;
    sql.exec("DELETE FROM holds WHERE fact = ?1", &[id])?;
    sql.exec("UPDATE holds SET contests = NULL WHERE contests = ?", &[id])?;
    Ok(())
}
