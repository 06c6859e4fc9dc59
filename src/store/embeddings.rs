//! Vectors of facts and messages in the object: by which model, of which texts, and what still waits for one.
//!
//! Invariant: a text that is indexed has a vector of the model in use or waits for one, and a text that is dropped has
//! neither. Each row names its model, so vectors of an old model never meet a question of a new one; when the model
//! changes, everything waits anew, and the old vectors serve until nothing waits. Nothing here grows with the memory
//! but that change: writing, waiting and taking out each cost a few rows.

use super::blocks;
use super::codes::encode;
use super::sql::{Arg, Row, Sql, StoreError, atomic};
use crate::sorted::SortedSet;

pub const SCHEMA: &str = "
DROP TABLE IF EXISTS fact_embeddings;

CREATE TABLE embedding_models (
    model INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    -- Of our side: what is put before a text, how a vector is kept, which built-in table.
    version INTEGER NOT NULL,
    -- Known with the first vector.
    dimensions INTEGER,
    UNIQUE (name, version)
);

-- Newly made vectors; soon they are packed into blocks.
CREATE TABLE embeddings (
    model INTEGER NOT NULL,
    corpus INTEGER NOT NULL,
    doc INTEGER NOT NULL,
    code BLOB NOT NULL,
    PRIMARY KEY (model, corpus, doc)
) WITHOUT ROWID;

CREATE TABLE embedding_blocks (
    block INTEGER PRIMARY KEY AUTOINCREMENT,
    model INTEGER NOT NULL,
    corpus INTEGER NOT NULL,
    -- Grows with every change, for those who hold a copy.
    edition INTEGER NOT NULL,
    lowest INTEGER NOT NULL,
    highest INTEGER NOT NULL,
    docs BLOB NOT NULL,
    codes BLOB NOT NULL
);
CREATE INDEX embedding_blocks_by_model ON embedding_blocks (model, corpus);

CREATE TABLE embedding_queue (
    corpus INTEGER NOT NULL,
    doc INTEGER NOT NULL,
    PRIMARY KEY (corpus, doc)
) WITHOUT ROWID;

INSERT INTO embedding_queue SELECT 0, doc FROM indexed_facts;
INSERT INTO embedding_queue SELECT 1, doc FROM indexed_messages;
";

/// What is searched together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Corpus {
    Facts,
    Messages,
}

impl Corpus {
    pub(super) fn key(self) -> i64 {
        match self {
            Self::Facts => 0,
            Self::Messages => 1,
        }
    }
}

/// A model whose vectors can be searched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Serving {
    pub(super) id: i64,
    pub name: String,
    pub version: u32,
    pub dimensions: usize,
}

/// A text without a vector of the model in use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    pub corpus: Corpus,
    pub doc: i64,
    pub text: String,
}

/// Names the model in use. If it is another one than before, everything waits for its vectors. Whether it changed.
pub fn aim_at(sql: &dyn Sql, name: &str, version: u32) -> Result<bool, StoreError> {
    let newest = sql.exec("SELECT name, version FROM embedding_models ORDER BY model DESC LIMIT 1", &[])?;
    if let Some(row) = newest.first()
        && row.text(0)? == name
        && row.int(1)? == i64::from(version)
    {
        return Ok(false);
    }
    atomic(sql, || {
        // Vectors that it left behind when it was in use before may be of texts that have changed.
        for row in sql.exec(
            "SELECT model FROM embedding_models WHERE name = ? AND version = ?",
            &[name.into(), i64::from(version).into()],
        )? {
            drop_model(sql, row.int(0)?)?;
        }
        sql.exec(
            "INSERT INTO embedding_models (name, version) VALUES (?, ?)",
            &[name.into(), i64::from(version).into()],
        )?;
        queue_everything(sql)
    })?;
    Ok(true)
}

/// The models that have vectors, the one in use first; the other ones only until nothing waits.
pub fn serving(sql: &dyn Sql) -> Result<Vec<Serving>, StoreError> {
    sql.known(
        "SELECT model, name, version, dimensions FROM embedding_models WHERE dimensions IS NOT NULL
         ORDER BY model DESC",
        &[],
    )?
    .iter()
    .map(|row| {
        Ok(Serving {
            id: row.int(0)?,
            name: row.string(1)?,
            version: row.int(2)? as u32,
            dimensions: row.int(3)? as usize,
        })
    })
    .collect()
}

/// A text waits for a vector.
pub(super) fn queue(sql: &dyn Sql, corpus: Corpus, doc: i64) -> Result<(), StoreError> {
    sql.exec("INSERT OR IGNORE INTO embedding_queue VALUES (?, ?)", &[corpus.key().into(), doc.into()])?;
    Ok(())
}

/// Whether any text waits.
pub fn is_waiting(sql: &dyn Sql) -> Result<bool, StoreError> {
    Ok(!sql.known("SELECT 1 FROM embedding_queue LIMIT 1", &[])?.is_empty())
}

/// Texts that wait: facts first, the newest of each first.
pub fn waiting(sql: &dyn Sql, corpus: Option<Corpus>, limit: usize) -> Result<Vec<Waiting>, StoreError> {
    let mut found = Vec::new();
    for (corpus, table) in [(Corpus::Facts, "indexed_facts"), (Corpus::Messages, "indexed_messages")]
        .into_iter()
        .filter(|(each, _)| corpus.is_none_or(|wanted| wanted == *each))
    {
        let rows = sql.exec(
            &format!(
                "SELECT q.doc, d.text FROM embedding_queue q LEFT JOIN {table} d ON d.doc = q.doc
                 WHERE q.corpus = ? ORDER BY q.doc DESC LIMIT ?"
            ),
            &[corpus.key().into(), (limit.saturating_sub(found.len()) as i64).into()],
        )?;
        for row in rows {
            // A text that is gone without having been dropped is embedded as an empty one: it leaves the queue.
            let text = row.optional(1, Row::string)?.unwrap_or_default();
            found.push(Waiting { corpus, doc: row.int(0)?, text });
        }
    }
    Ok(found)
}

/// Stores the vectors of texts that waited, by the model in use. A vector without direction is not stored, and its
/// text waits no more. When nothing waits any longer, the models before are given up.
pub fn put(sql: &dyn Sql, vectors: &[(Corpus, i64, Vec<f32>)]) -> Result<(), StoreError> {
    atomic(sql, || {
        let rows =
            sql.known("SELECT model, dimensions FROM embedding_models ORDER BY model DESC LIMIT 1", &[])?;
        let model = rows.first().ok_or_else(|| StoreError::corrupt("embedding model"))?;
        let (model, mut known) = (model.int(0)?, model.optional(1, Row::int)?);
        let mut touched = SortedSet::new();
        for (corpus, doc, vector) in vectors {
            let dimensions = vector.len() as i64;
            if let Some(code) = encode(vector) {
                if known != Some(dimensions) {
                    // Another model under the same name: what it made before can't be compared.
                    if known.is_some() {
                        drop_vectors(sql, model)?;
                        queue_everything(sql)?;
                    }
                    sql.exec(
                        "UPDATE embedding_models SET dimensions = ? WHERE model = ?",
                        &[dimensions.into(), model.into()],
                    )?;
                    known = Some(dimensions);
                }
                sql.exec(
                    "INSERT INTO embeddings (model, corpus, doc, code) VALUES (?1, ?2, ?3, ?4)
                     ON CONFLICT (model, corpus, doc) DO UPDATE SET code = ?4",
                    &[model.into(), corpus.key().into(), (*doc).into(), code.as_slice().into()],
                )?;
                blocks::take_out(sql, Some(model), *corpus, *doc)?;
                touched.insert(*corpus);
            }
            let args: [Arg<'_>; 2] = [corpus.key().into(), (*doc).into()];
            sql.exec("DELETE FROM embedding_queue WHERE corpus = ? AND doc = ?", &args)?;
        }
        for corpus in touched {
            blocks::pack(sql, model, corpus)?;
        }
        if !is_waiting(sql)? {
            for row in &*sql.known("SELECT model FROM embedding_models WHERE model <> ?", &[model.into()])? {
                drop_model(sql, row.int(0)?)?;
            }
        }
        Ok(())
    })
}

/// A text has no vector of any model and waits for none. Idempotent.
pub(super) fn remove(sql: &dyn Sql, corpus: Corpus, doc: i64) -> Result<(), StoreError> {
    let args: [Arg<'_>; 2] = [corpus.key().into(), doc.into()];
    sql.exec("DELETE FROM embedding_queue WHERE corpus = ? AND doc = ?", &args)?;
    sql.exec("DELETE FROM embeddings WHERE corpus = ? AND doc = ?", &args)?;
    blocks::take_out(sql, None, corpus, doc)
}

/// Forgets every vector; the models stay known.
pub(super) fn clear(sql: &dyn Sql) -> Result<(), StoreError> {
    for table in ["embeddings", "embedding_blocks", "embedding_queue"] {
        sql.exec(&format!("DELETE FROM {table}"), &[])?;
    }
    Ok(())
}

fn queue_everything(sql: &dyn Sql) -> Result<(), StoreError> {
    sql.exec("INSERT OR IGNORE INTO embedding_queue SELECT 0, doc FROM indexed_facts", &[])?;
    sql.exec("INSERT OR IGNORE INTO embedding_queue SELECT 1, doc FROM indexed_messages", &[])?;
    Ok(())
}

fn drop_model(sql: &dyn Sql, model: i64) -> Result<(), StoreError> {
    drop_vectors(sql, model)?;
    sql.exec("DELETE FROM embedding_models WHERE model = ?", &[model.into()])?;
    Ok(())
}

fn drop_vectors(sql: &dyn Sql, model: i64) -> Result<(), StoreError> {
    sql.exec("DELETE FROM embeddings WHERE model = ?", &[model.into()])?;
    sql.exec("DELETE FROM embedding_blocks WHERE model = ?", &[model.into()])?;
    Ok(())
}

#[cfg(test)]
#[path = "embeddings_tests.rs"]
mod tests;
