//! The object's own search index: facts and messages by their words and by their spelling.
//!
//! Full-text tables without content, over text that [`crate::text::search`] cut into terms: one insert writes a
//! handful of rows however long the memory is. What is indexed is kept beside the terms, because taking a text out
//! again needs the same text; so nothing here depends on what the caller still has, and a deletion leaves no term
//! behind (`secure-delete`). Deliberate absence: no reading of facts or messages; a hit is only an id.

use crate::sorted::{SortedMap, SortedSet};
use std::rc::Rc;

use super::embeddings::{self, Corpus};
pub use super::lookup::Familiar;
use super::lookup::{Search, Tables};
use super::renewal::{self, FACTS_UP_TO, MESSAGES_UP_TO, renewed};
use super::sql::{Arg, Sql, StoreError, atomic, counted};
use crate::id::{FactId, ThreadId};
use crate::text::estimate;
use crate::text::search::{Terms, asked_grams, asked_words, indexed_grams, indexed_words};
use crate::time::Millis;

pub const SCHEMA: &str = "
CREATE TABLE indexed_facts (
    doc INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    text TEXT NOT NULL
);

CREATE TABLE indexed_messages (
    -- The message's place in the archive.
    doc INTEGER PRIMARY KEY,
    thread TEXT NOT NULL,
    said_at INTEGER NOT NULL,
    text TEXT NOT NULL
);

CREATE VIRTUAL TABLE fact_terms USING fts5 (terms, content = '', tokenize = 'ascii');

CREATE VIRTUAL TABLE message_terms USING fts5 (terms, content = '', tokenize = 'ascii');

CREATE VIRTUAL TABLE fact_vocabulary USING fts5vocab (fact_terms, row);

CREATE VIRTUAL TABLE message_vocabulary USING fts5vocab (message_terms, row);

INSERT INTO fact_terms (fact_terms, rank) VALUES ('secure-delete', 1);

INSERT INTO message_terms (message_terms, rank) VALUES ('secure-delete', 1);

";

/// A fact's number is never given twice, so that the newest one and how many there are tell whether anything changed.
pub const NUMBERED: &str = "
CREATE TABLE numbered_facts (
    doc INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    text TEXT NOT NULL
);
INSERT INTO numbered_facts SELECT doc, id, text FROM indexed_facts;
DROP TABLE indexed_facts;
ALTER TABLE numbered_facts RENAME TO indexed_facts;
";

/// The words that a text is found by, cut once: in order, with repetitions, separated by spaces.
pub const CUT: &str = "
ALTER TABLE indexed_facts ADD COLUMN terms TEXT;
ALTER TABLE indexed_messages ADD COLUMN terms TEXT;
DROP TABLE fact_vocabulary;
DROP TABLE message_vocabulary;
";

/// A question, cut into the terms that can tell one text from another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    pub words: Vec<String>,
    pub grams: Vec<String>,
}

impl Query {
    pub fn of(text: &str) -> Self {
        Self { words: asked_words(text), grams: asked_grams(text) }
    }

    /// The question's words alone: what a turn asks. Trigrams cost most of a search, and only order what words find.
    pub fn by_words(text: &str) -> Self {
        Self { words: asked_words(text), grams: Vec::new() }
    }
}

/// A text that shares terms with the question.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit<Id> {
    pub id: Id,
    /// BM25; higher is better, above zero.
    pub score: f64,
    /// Whether it shares a word that few of the texts have.
    pub rare_term_shared: bool,
    pub known: Rc<Indexed>,
}

/// What choosing among found texts asks of each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Indexed {
    pub terms: Terms,
    pub tokens: u32,
}

impl Indexed {
    pub fn of(text: &str) -> Self {
        Self { terms: Terms::of(text), tokens: estimate::tokens(text) }
    }
}

/// Two lists, best first: by words and by trigrams. A text that shares nothing is in neither.
#[derive(Clone, Debug, PartialEq)]
pub struct Found<Id> {
    pub by_words: Vec<Hit<Id>>,
    pub by_grams: Vec<Hit<Id>>,
    /// The question's words that any text has, with the number of those texts.
    pub frequencies: SortedMap<String, i64>,
    /// About how many texts there are.
    pub total: i64,
}

/// Which messages a search looks at.
#[derive(Clone, Copy, Debug, Default)]
pub struct MessageFilter<'a> {
    pub thread: Option<&'a ThreadId>,
    /// Said at or after this instant.
    pub since: Option<Millis>,
    /// Said before this instant.
    pub until: Option<Millis>,
}

impl<'a> MessageFilter<'a> {
    /// Whether it lets every message through.
    pub fn is_open(&self) -> bool {
        self.thread.is_none() && self.since.is_none() && self.until.is_none()
    }

    /// Its conditions on `indexed_messages d`, with their arguments behind `args`.
    fn conditions(&self, args: &mut Vec<Arg<'a>>) -> String {
        let mut conditions = String::new();
        let mut ask = |condition: &str, arg: Option<Arg<'a>>| {
            if let Some(arg) = arg {
                conditions.push_str(condition);
                args.push(arg);
            }
        };
        ask(" AND d.thread = ?", self.thread.map(|thread| thread.as_str().into()));
        ask(" AND d.said_at >= ?", self.since.map(Arg::from));
        ask(" AND d.said_at < ?", self.until.map(Arg::from));
        conditions
    }
}

/// Indexes a fact under this text, instead of what it was indexed under before. Idempotent.
pub fn put_fact(sql: &dyn Sql, id: &FactId, text: &str) -> Result<(), StoreError> {
    atomic(sql, || {
        let rows = sql.exec("SELECT text FROM indexed_facts WHERE id = ?", &[id.as_str().into()])?;
        match rows.first() {
            Some(row) if row.text(0)? == text => return Ok(()),
            Some(_) => drop_fact(sql, id)?,
            None => {}
        }
        let rows = sql.exec(
            &format!(
                "INSERT INTO indexed_facts (id, text, terms) VALUES (?, ?, ?) RETURNING doc, {FACTS_UP_TO}"
            ),
            &[id.as_str().into(), text.into(), cut(text).as_str().into()],
        )?;
        let row = rows.first().ok_or_else(|| StoreError::corrupt("inserted row"))?;
        embeddings::queue(sql, Corpus::Facts, row.int(0)?)?;
        put_terms(sql, "fact_terms", row.int(0)?, text, renewal::has(row, 1, row.int(0)?)?)
    })
}

/// Takes a fact out of the index. Idempotent.
pub fn drop_fact(sql: &dyn Sql, id: &FactId) -> Result<(), StoreError> {
    atomic(sql, || {
        let statement = format!("DELETE FROM indexed_facts WHERE id = ? RETURNING doc, text, {FACTS_UP_TO}");
        let rows = sql.exec(&statement, &[id.as_str().into()])?;
        let Some(row) = rows.first() else { return Ok(()) };
        embeddings::remove(sql, Corpus::Facts, row.int(0)?)?;
        drop_terms(sql, "fact_terms", row.int(0)?, row.text(1)?, renewal::has(row, 2, row.int(0)?)?)
    })
}

/// Indexes a message by its place in the archive, and queues it for a vector. Idempotent; a changed text replaces the old
/// one.
pub fn put_message(
    sql: &dyn Sql,
    seq: i64,
    thread: &ThreadId,
    said_at: Millis,
    text: &str,
) -> Result<(), StoreError> {
    atomic(sql, || {
        put_words(sql, seq, thread, said_at, text)?;
        embeddings::queue(sql, Corpus::Messages, seq)
    })
}

/// As [`put_message`], for who stores its vector in the same transaction: a queue's rows are billed like others.
pub fn put_words(
    sql: &dyn Sql,
    seq: i64,
    thread: &ThreadId,
    said_at: Millis,
    text: &str,
) -> Result<(), StoreError> {
    atomic(sql, || {
        let statement = format!(
            "INSERT INTO indexed_messages (doc, thread, said_at, text, terms) VALUES (?, ?, ?, ?, ?)
             ON CONFLICT (doc) DO NOTHING RETURNING {MESSAGES_UP_TO}"
        );
        let cut = cut(text);
        let args: [Arg<'_>; 5] =
            [seq.into(), thread.as_str().into(), said_at.into(), text.into(), cut.as_str().into()];
        let mut rows = sql.exec(&statement, &args)?;
        if rows.is_empty() {
            drop_message(sql, seq)?;
            rows = sql.exec(&statement, &args)?;
        }
        let row = rows.first().ok_or_else(|| StoreError::corrupt("inserted row"))?;
        put_terms(sql, "message_terms", seq, text, renewal::has(row, 0, seq)?)
    })
}

/// Takes a message out of the index. Idempotent.
pub fn drop_message(sql: &dyn Sql, seq: i64) -> Result<(), StoreError> {
    atomic(sql, || {
        let statement =
            format!("DELETE FROM indexed_messages WHERE doc = ? RETURNING text, {MESSAGES_UP_TO}");
        let rows = sql.exec(&statement, &[seq.into()])?;
        let Some(row) = rows.first() else { return Ok(()) };
        embeddings::remove(sql, Corpus::Messages, seq)?;
        drop_terms(sql, "message_terms", seq, row.text(0)?, renewal::has(row, 1, seq)?)
    })
}

/// Empties the index of facts and messages.
pub fn clear(sql: &dyn Sql) -> Result<(), StoreError> {
    atomic(sql, || {
        embeddings::clear(sql)?;
        renewal::give_up(sql)?;
        for statement in [
            "DELETE FROM indexed_facts",
            "DELETE FROM indexed_messages",
            "INSERT INTO fact_terms (fact_terms) VALUES ('delete-all')",
            "INSERT INTO message_terms (message_terms) VALUES ('delete-all')",
        ] {
            sql.exec(statement, &[])?;
        }
        Ok(())
    })
}

/// The facts that share terms with the question, at most `limit` a list.
pub fn search_facts(sql: &dyn Sql, query: &Query, limit: u32) -> Result<Found<FactId>, StoreError> {
    search_facts_knowing(sql, query, &mut Familiar::default(), limit)
}

/// The same by one who searches again and again.
pub fn search_facts_knowing(
    sql: &dyn Sql,
    query: &Query,
    familiar: &mut Familiar,
    limit: u32,
) -> Result<Found<FactId>, StoreError> {
    let rows = sql.known("SELECT count(*) FROM indexed_facts", &[])?;
    let total = rows.first().ok_or_else(|| StoreError::corrupt("count"))?.int(0)?;
    let (corpus, limit) = (&Tables::FACTS, limit as usize);
    let found = Search { sql, corpus, total, conditions: "", args: &[], limit }.find(query, familiar)?;
    let hits = || found.by_words.iter().chain(&found.by_grams);
    let ids = facts_at(sql, &hits().map(|hit| hit.id).collect::<Vec<_>>())?;
    let named = |hits: Vec<Hit<i64>>| -> Vec<Hit<FactId>> {
        let named = hits.into_iter().filter_map(|hit| {
            let Hit { id, score, rare_term_shared, known } = hit;
            Some(Hit { id: ids.get(&id)?.clone(), score, rare_term_shared, known })
        });
        named.collect()
    };
    let Found { by_words, by_grams, frequencies, total } = found;
    Ok(Found { by_words: named(by_words), by_grams: named(by_grams), frequencies, total })
}

/// The messages that share terms with the question, by their places in the archive.
pub fn search_messages(
    sql: &dyn Sql,
    query: &Query,
    filter: &MessageFilter<'_>,
    limit: u32,
) -> Result<Found<i64>, StoreError> {
    search_messages_knowing(sql, query, &mut Familiar::default(), filter, limit)
}

/// The same by one who searches again and again.
pub fn search_messages_knowing(
    sql: &dyn Sql,
    query: &Query,
    familiar: &mut Familiar,
    filter: &MessageFilter<'_>,
    limit: u32,
) -> Result<Found<i64>, StoreError> {
    // Messages are dropped rarely, so the outermost places are near enough to their number, and cost two rows to read.
    // Those that were imported behind a conversation have places below zero.
    let rows = sql.exec(
        "SELECT max(0, coalesce((SELECT max(doc) FROM indexed_messages), 0))
              - min(0, coalesce((SELECT min(doc) FROM indexed_messages), 0))",
        &[],
    )?;
    let total = counted(&rows)?.int(0)?;
    let mut args: Vec<Arg<'_>> = Vec::new();
    let conditions = filter.conditions(&mut args);
    let limit = limit as usize;
    let corpus = &Tables::MESSAGES;
    Search { sql, corpus, total, conditions: &conditions, args: &args, limit }.find(query, familiar)
}

/// The facts at places of the index; places that hold none are left out.
pub fn facts_at(sql: &dyn Sql, docs: &[i64]) -> Result<SortedMap<i64, FactId>, StoreError> {
    let places = serde_json::to_string(docs).unwrap_or_default();
    sql.exec(
        "SELECT doc, id FROM indexed_facts WHERE doc IN (SELECT value FROM json_each(?))",
        &[places.as_str().into()],
    )?
    .iter()
    .map(|row| Ok((row.int(0)?, FactId::parse(row.text(1)?).ok_or_else(|| StoreError::corrupt("fact id"))?)))
    .collect()
}

/// Those of the messages that a filter lets through.
pub fn let_through(
    sql: &dyn Sql,
    docs: &[i64],
    filter: &MessageFilter<'_>,
) -> Result<SortedSet<i64>, StoreError> {
    let places = serde_json::to_string(docs).unwrap_or_default();
    let mut args: Vec<Arg<'_>> = vec![places.as_str().into()];
    let conditions = filter.conditions(&mut args);
    let statement = format!(
        "SELECT d.doc FROM indexed_messages d WHERE d.doc IN (SELECT value FROM json_each(?)){conditions}"
    );
    sql.exec(&statement, &args)?.iter().map(|row| row.int(0)).collect()
}

/// A message with those beside it in its thread, where they are near in the archive too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Neighbours {
    pub doc: i64,
    pub said_at: Millis,
    /// Nearest first, two at most.
    pub before: Vec<i64>,
    pub after: Vec<i64>,
}

/// How far apart in the archive neighbours may be: other threads are written at the same time.
const NEIGHBOURHOOD: i64 = 4;

/// The neighbours of each message, in order, and theirs in turn, so that each has its time.
pub fn neighbours(sql: &dyn Sql, docs: &[i64]) -> Result<Vec<Neighbours>, StoreError> {
    if docs.is_empty() {
        return Ok(Vec::new());
    }
    let around: SortedSet<i64> =
        docs.iter().flat_map(|doc| doc - NEIGHBOURHOOD..=doc + NEIGHBOURHOOD).collect();
    let around = serde_json::to_string(around.as_slice()).unwrap_or_default();
    let known: SortedMap<i64, (String, Millis)> = sql
        .exec(
            "SELECT doc, thread, said_at FROM indexed_messages
             WHERE doc IN (SELECT value FROM json_each(?))",
            &[around.as_str().into()],
        )?
        .iter()
        .map(|row| Ok((row.int(0)?, (row.string(1)?, Millis(row.int(2)?)))))
        .collect::<Result<_, StoreError>>()?;
    let beside = |doc: i64, thread: &str, direction: i64| -> Vec<i64> {
        let places = (1..=NEIGHBOURHOOD).map(|n| doc + n * direction);
        places.filter(|other| known.get(other).is_some_and(|(own, _)| own == thread)).take(2).collect()
    };
    let found = known.iter().map(|(&doc, (thread, said_at))| Neighbours {
        doc,
        said_at: *said_at,
        before: beside(doc, thread, -1),
        after: beside(doc, thread, 1),
    });
    Ok(found.collect())
}

/// The words that a text is found by, as they are kept beside it.
fn cut(text: &str) -> String {
    indexed_words(text).join(" ")
}

fn term_text(text: &str) -> String {
    let mut terms = indexed_words(text);
    terms.extend(indexed_grams(text));
    terms.join(" ")
}

/// Adds a text's terms; also to the table that is being made anew, where that has come so far.
fn put_terms(sql: &dyn Sql, table: &str, doc: i64, text: &str, is_renewed: bool) -> Result<(), StoreError> {
    if is_renewed {
        add_terms(sql, &renewed(table), doc, text)?;
    }
    add_terms(sql, table, doc, text)
}

/// Takes them out again, likewise.
fn drop_terms(sql: &dyn Sql, table: &str, doc: i64, text: &str, is_renewed: bool) -> Result<(), StoreError> {
    if is_renewed {
        remove_terms(sql, &renewed(table), doc, text)?;
    }
    remove_terms(sql, table, doc, text)
}

pub(super) fn add_terms(sql: &dyn Sql, table: &str, doc: i64, text: &str) -> Result<(), StoreError> {
    let terms = term_text(text);
    sql.exec(&format!("INSERT INTO {table} (rowid, terms) VALUES (?, ?)"), &[doc.into(), (&terms).into()])?;
    Ok(())
}

fn remove_terms(sql: &dyn Sql, table: &str, doc: i64, text: &str) -> Result<(), StoreError> {
    let terms = term_text(text);
    sql.exec(
        &format!("INSERT INTO {table} ({table}, rowid, terms) VALUES ('delete', ?, ?)"),
        &[doc.into(), (&terms).into()],
    )?;
    Ok(())
}

#[cfg(test)]
#[path = "index_tests.rs"]
mod tests;
