//! The object's own search index: facts and messages by their words and by their spelling.
//!
//! Full-text tables without content, over text that [`crate::text::search`] cut into terms: one insert writes a
//! handful of rows however long the memory is. What is indexed is kept beside the terms, because taking a text out
//! again needs the same text; so nothing here depends on what the caller still has, and a deletion leaves no term
//! behind (`secure-delete`). Deliberate absence: no reading of facts or messages; a hit is only an id.

use super::lookup::{Corpus, search};
use super::sql::{Arg, Sql, StoreError, atomic};
use crate::id::{FactId, ThreadId};
use crate::text::search::{asked_grams, asked_words, indexed_grams, indexed_words};
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
}

/// A text that shares terms with the question.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit<Id> {
    pub id: Id,
    /// BM25; higher is better, above zero.
    pub score: f64,
    /// Whether it shares a word that few of the texts have.
    pub rare_term_shared: bool,
    pub text: String,
}

/// Two lists, best first: by words and by trigrams. A text that shares nothing is in neither.
#[derive(Clone, Debug, PartialEq)]
pub struct Found<Id> {
    pub by_words: Vec<Hit<Id>>,
    pub by_grams: Vec<Hit<Id>>,
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
            "INSERT INTO indexed_facts (id, text) VALUES (?, ?) RETURNING doc",
            &[id.as_str().into(), text.into()],
        )?;
        let doc = rows.first().ok_or(StoreError::Corrupt("inserted row"))?.int(0)?;
        add_terms(sql, "fact_terms", doc, text)
    })
}

/// Takes a fact out of the index. Idempotent.
pub fn drop_fact(sql: &dyn Sql, id: &FactId) -> Result<(), StoreError> {
    atomic(sql, || {
        let rows =
            sql.exec("DELETE FROM indexed_facts WHERE id = ? RETURNING doc, text", &[id.as_str().into()])?;
        rows.first().map_or(Ok(()), |row| remove_terms(sql, "fact_terms", row.int(0)?, row.text(1)?))
    })
}

/// Indexes a message by its place in the archive. Idempotent; a changed text replaces the old one.
pub fn put_message(
    sql: &dyn Sql,
    seq: i64,
    thread: &ThreadId,
    said_at: Millis,
    text: &str,
) -> Result<(), StoreError> {
    atomic(sql, || {
        drop_message(sql, seq)?;
        sql.exec(
            "INSERT INTO indexed_messages (doc, thread, said_at, text) VALUES (?, ?, ?, ?)",
            &[seq.into(), thread.as_str().into(), said_at.into(), text.into()],
        )?;
        add_terms(sql, "message_terms", seq, text)
    })
}

/// Takes a message out of the index. Idempotent.
pub fn drop_message(sql: &dyn Sql, seq: i64) -> Result<(), StoreError> {
    atomic(sql, || {
        let rows = sql.exec("DELETE FROM indexed_messages WHERE doc = ? RETURNING text", &[seq.into()])?;
        rows.first().map_or(Ok(()), |row| remove_terms(sql, "message_terms", seq, row.text(0)?))
    })
}

/// Empties the index of facts and messages.
pub fn clear(sql: &dyn Sql) -> Result<(), StoreError> {
    atomic(sql, || {
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
    let total = count(sql, "SELECT count(*) FROM indexed_facts", &[])?;
    search(sql, query, total, limit, &Corpus::FACTS, "", &[], |row| {
        FactId::parse(row.text(0)?).ok_or(StoreError::Corrupt("fact id"))
    })
}

/// The messages that share terms with the question, by their places in the archive.
pub fn search_messages(
    sql: &dyn Sql,
    query: &Query,
    filter: &MessageFilter<'_>,
    limit: u32,
) -> Result<Found<i64>, StoreError> {
    // Messages are dropped rarely, so the newest place is near enough to their number, and costs one row to read.
    let total = count(sql, "SELECT coalesce(max(doc), 0) FROM indexed_messages", &[])?;
    let mut conditions = String::new();
    let mut args: Vec<Arg<'_>> = Vec::new();
    if let Some(thread) = filter.thread {
        conditions.push_str(" AND d.thread = ?");
        args.push(thread.as_str().into());
    }
    if let Some(since) = filter.since {
        conditions.push_str(" AND d.said_at >= ?");
        args.push(since.into());
    }
    if let Some(until) = filter.until {
        conditions.push_str(" AND d.said_at < ?");
        args.push(until.into());
    }
    search(sql, query, total, limit, &Corpus::MESSAGES, &conditions, &args, |row| row.int(0))
}

fn term_text(text: &str) -> String {
    let mut terms = indexed_words(text);
    terms.extend(indexed_grams(text));
    terms.join(" ")
}

fn add_terms(sql: &dyn Sql, table: &str, doc: i64, text: &str) -> Result<(), StoreError> {
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

fn count(sql: &dyn Sql, statement: &str, args: &[Arg<'_>]) -> Result<i64, StoreError> {
    sql.exec(statement, args)?.first().ok_or(StoreError::Corrupt("count"))?.int(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sqlite::Sqlite;

    fn index(facts: &[&str]) -> Sqlite {
        let sql = Sqlite::memory();
        sql.exec(SCHEMA, &[]).unwrap();
        for (n, text) in facts.iter().enumerate() {
            put_fact(&sql, &id(n), text).unwrap();
        }
        sql
    }

    fn id(n: usize) -> FactId {
        FactId::parse(&format!("f_{n}")).unwrap()
    }

    fn first(sql: &Sqlite, question: &str) -> Option<String> {
        let found = search_facts(sql, &Query::of(question), 5).unwrap();
        found.by_words.into_iter().next().map(|hit| hit.text)
    }

    #[test]
    fn words_of_one_and_two_characters_are_found_in_any_spelling() {
        let sql = index(&[
            "犬を飼っている",
            "大阪に住んでいる",
            "仕事でReactを使う",
            "コーヒーが好き",
            "I adopted two cats in Kyoto",
            "My sister's name is Anna",
        ]);
        for (question, answer) in [
            ("犬の名前は？", "犬を飼っている"),
            ("大阪のおすすめは？", "大阪に住んでいる"),
            ("ＲＥＡＣＴって何", "仕事でReactを使う"),
            ("ｺｰﾋｰは?", "コーヒーが好き"),
            ("which cat did I adopt", "I adopted two cats in Kyoto"),
            ("anna", "My sister's name is Anna"),
        ] {
            assert_eq!(first(&sql, question).as_deref(), Some(answer), "{question}");
        }
    }

    #[test]
    fn a_question_without_content_finds_nothing() {
        let sql = index(&["私は犬が好きです", "I like what I do"]);
        for question in ["What do you do?", "それはどうですか", "", "？！", "👍", "\"OR\" NEAR("]
        {
            let found = search_facts(&sql, &Query::of(question), 5).unwrap();
            assert!(found.by_words.is_empty(), "{question}: {found:?}");
        }
    }

    #[test]
    fn a_forgotten_text_leaves_no_term_behind() {
        let sql = index(&["I live in Wroclaw", "秘密の合言葉は柚子胡椒", "I like tea"]);
        put_message(&sql, 7, &ThreadId::main(), Millis(1), "柚子胡椒とWroclaw").unwrap();
        drop_fact(&sql, &id(0)).unwrap();
        drop_fact(&sql, &id(0)).unwrap();
        put_fact(&sql, &id(1), "緑茶").unwrap();
        drop_message(&sql, 7).unwrap();
        for table in ["fact_terms_data", "message_terms_data"] {
            for row in sql.exec(&format!("SELECT block FROM {table}"), &[]).unwrap() {
                let block = row.blob(0).unwrap();
                for trace in ["rocl", "ocla", "柚", "椒"] {
                    let there = block.windows(trace.len()).any(|bytes| bytes == trace.as_bytes());
                    assert!(!there, "{trace} in {table}");
                }
            }
        }
        assert_eq!(first(&sql, "柚子胡椒"), None);
        assert_eq!(first(&sql, "tea").as_deref(), Some("I like tea"));
        clear(&sql).unwrap();
        assert_eq!(first(&sql, "tea"), None);
    }

    #[test]
    fn messages_are_found_by_thread_and_time() {
        let sql = index(&[]);
        let other = ThreadId::parse("th_2").unwrap();
        put_message(&sql, 1, &ThreadId::main(), Millis(10), "猫の名前はタマ").unwrap();
        put_message(&sql, 2, &other, Millis(20), "猫の名前はミケ").unwrap();
        let find = |filter: MessageFilter<'_>| -> Vec<i64> {
            let found = search_messages(&sql, &Query::of("猫の名前"), &filter, 5).unwrap();
            let mut ids: Vec<i64> = found.by_words.iter().map(|hit| hit.id).collect();
            ids.sort_unstable();
            ids
        };
        assert_eq!(find(MessageFilter::default()), [1, 2]);
        assert_eq!(find(MessageFilter { thread: Some(&other), ..MessageFilter::default() }), [2]);
        assert_eq!(find(MessageFilter { until: Some(Millis(20)), ..MessageFilter::default() }), [1]);
        assert_eq!(find(MessageFilter { since: Some(Millis(20)), ..MessageFilter::default() }), [2]);
    }

    #[test]
    fn an_insert_writes_a_few_rows_however_much_there_is() {
        let sql = index(&[]);
        let cost = |seq: i64| {
            let before = sql.statements();
            put_message(&sql, seq, &ThreadId::main(), Millis(seq), "今日は大阪で犬と散歩した。Nice weather!")
                .unwrap();
            sql.statements() - before
        };
        let first = cost(1);
        for seq in 2..500 {
            cost(seq);
        }
        assert_eq!(cost(500), first);
    }

    #[test]
    fn a_half_written_index_is_undone() {
        let sql = index(&["犬"]);
        for after in 0..4 {
            sql.fail_after(after);
            let _ = put_fact(&sql, &id(0), "猫を飼う");
            sql.fail_after(u32::MAX);
            let found = first(&sql, "犬").is_some();
            assert_ne!(found, first(&sql, "猫").is_some(), "after {after}");
            put_fact(&sql, &id(0), "犬").unwrap();
        }
    }
}
