//! Vectors of facts and messages in the object: by which model, of which texts, and what still waits for one.
//!
//! Invariant: a text that is indexed has a vector of the model in use or waits for one, and a text that is dropped has
//! neither. Each row names its model, so vectors of an old model never meet a question of a new one; when the model
//! changes, everything waits anew, and the old vectors serve until nothing waits. Nothing here grows with the memory
//! but that change: writing, waiting and taking out each cost a few rows.

use super::blocks;
use super::codes::{encode, unit};
use super::sql::{Arg, Row, Sql, StoreError, atomic};

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

/// Codes one a row, and their sketches in blocks. What was stored before in another way is made anew in the background;
/// until then texts are found by their words.
pub const SKETCHED: &str = "
CREATE TABLE fact_codes (
    doc INTEGER NOT NULL,
    model INTEGER NOT NULL,
    code BLOB NOT NULL,
    PRIMARY KEY (doc, model)
) WITHOUT ROWID;

CREATE TABLE message_codes (
    doc INTEGER NOT NULL,
    model INTEGER NOT NULL,
    code BLOB NOT NULL,
    PRIMARY KEY (doc, model)
) WITHOUT ROWID;

CREATE TABLE embedding_sketches (
    block INTEGER PRIMARY KEY AUTOINCREMENT,
    model INTEGER NOT NULL,
    corpus INTEGER NOT NULL,
    -- Grows when something is taken out, for those who hold a copy.
    edition INTEGER NOT NULL,
    lowest INTEGER NOT NULL,
    highest INTEGER NOT NULL,
    docs BLOB NOT NULL,
    bits BLOB NOT NULL,
    scales BLOB NOT NULL
);
CREATE INDEX embedding_sketches_by_model ON embedding_sketches (model, corpus);

-- What the sketches are made around, once there are enough vectors to tell.
ALTER TABLE embedding_models ADD COLUMN centre BLOB;

DROP TABLE embeddings;
DROP TABLE embedding_blocks;
INSERT OR IGNORE INTO embedding_queue SELECT 0, doc FROM indexed_facts;
INSERT OR IGNORE INTO embedding_queue SELECT 1, doc FROM indexed_messages;
INSERT OR IGNORE INTO jobs (kind, key, due_at, created_at)
SELECT 'embed', 'all', 0, 0 FROM embedding_queue LIMIT 1;
";

/// What is searched together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Corpus {
    Facts,
    Messages,
}

impl Corpus {
    pub(super) const ALL: [Self; 2] = [Self::Facts, Self::Messages];

    pub(super) fn key(self) -> i64 {
        match self {
            Self::Facts => 0,
            Self::Messages => 1,
        }
    }

    /// The table of its codes. Each has its own, because facts are made anew more often than messages
    /// ([`super::renewal`]).
    pub(super) fn codes(self) -> &'static str {
        match self {
            Self::Facts => "fact_codes",
            Self::Messages => "message_codes",
        }
    }

    /// The table of its texts.
    fn texts(self) -> &'static str {
        match self {
            Self::Facts => "indexed_facts",
            Self::Messages => "indexed_messages",
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
    /// Whether its sketches are made around a centre.
    pub(super) centred: bool,
}

/// From so many vectors of a corpus on it is known where their centre is.
const CENTRED: usize = 256;
/// Vectors that a centre is made of.
const SAMPLE: i64 = 1_024;
/// Vectors that are read at once where all are read.
const PAGE: usize = 512;

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
        "SELECT model, name, version, dimensions, centre IS NOT NULL FROM embedding_models WHERE dimensions IS NOT NULL
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
            centred: row.flag(4)?,
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
    for corpus in Corpus::ALL.into_iter().filter(|each| corpus.is_none_or(|wanted| wanted == *each)) {
        let rows = sql.exec(
            &format!(
                "SELECT q.doc, d.text FROM embedding_queue q LEFT JOIN {} d ON d.doc = q.doc
                 WHERE q.corpus = ? ORDER BY q.doc DESC LIMIT ?",
                corpus.texts()
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
        let mut made: Vec<(Corpus, i64, Option<Vec<u8>>)> = Vec::new();
        for (corpus, doc, vector) in vectors {
            let dimensions = vector.len() as i64;
            let code = encode(vector);
            if code.is_some() && known != Some(dimensions) {
                // Another model under the same name: what it made before can't be compared.
                if known.is_some() {
                    made.clear();
                    drop_vectors(sql, model)?;
                    queue_everything(sql)?;
                }
                sql.exec(
                    "UPDATE embedding_models SET dimensions = ? WHERE model = ?",
                    &[dimensions.into(), model.into()],
                )?;
                known = Some(dimensions);
            }
            made.retain(|(of, known, _)| (of, known) != (corpus, doc));
            made.push((*corpus, *doc, code));
        }
        for corpus in Corpus::ALL {
            let made: Vec<&(Corpus, i64, Option<Vec<u8>>)> =
                made.iter().filter(|(of, ..)| *of == corpus).collect();
            if made.is_empty() {
                continue;
            }
            let docs: Vec<i64> = made.iter().map(|(_, doc, _)| *doc).collect();
            let docs = serde_json::to_string(&docs).unwrap_or_default();
            let coded: Vec<(i64, &[u8])> =
                made.iter().filter_map(|(_, doc, code)| Some((*doc, code.as_deref()?))).collect();
            store(sql, model, corpus, &coded)?;
            sql.exec(
                "DELETE FROM embedding_queue WHERE corpus = ? AND doc IN (SELECT value FROM json_each(?))",
                &[corpus.key().into(), docs.as_str().into()],
            )?;
        }
        if !is_waiting(sql)? {
            for row in &*sql.known("SELECT model FROM embedding_models WHERE model <> ?", &[model.into()])? {
                drop_model(sql, row.int(0)?)?;
            }
        }
        Ok(())
    })
}

/// Stores codes of texts, instead of those that the texts had, with their sketches.
fn store(sql: &dyn Sql, model: i64, corpus: Corpus, coded: &[(i64, &[u8])]) -> Result<(), StoreError> {
    let Some((_, first)) = coded.first() else { return Ok(()) };
    let docs: Vec<i64> = coded.iter().map(|(doc, _)| *doc).collect();
    let docs = serde_json::to_string(&docs).unwrap_or_default();
    let replaced = sql.exec(
        &format!(
            "SELECT doc FROM {} WHERE model = ? AND doc IN (SELECT value FROM json_each(?))",
            corpus.codes()
        ),
        &[model.into(), docs.as_str().into()],
    )?;
    for row in replaced {
        blocks::take_out(sql, Some(model), corpus, row.int(0)?)?;
    }
    let codes: Vec<u8> = coded.iter().flat_map(|(_, code)| code.iter().copied()).collect();
    sql.exec(
        &format!(
            "INSERT INTO {} (doc, model, code) SELECT value, ?1, substr(?2, key * ?3 + 1, ?3) FROM json_each(?4) WHERE true
             ON CONFLICT (doc, model) DO UPDATE SET code = excluded.code",
            corpus.codes()
        ),
        &[model.into(), codes.as_slice().into(), (first.len() as i64).into(), docs.as_str().into()],
    )?;
    let centre = centre(sql, model)?;
    let newest = blocks::append(sql, model, corpus, &centre, coded.iter().copied())?;
    if centre.is_empty() && newest >= CENTRED {
        sketch_anew(sql, model)?;
    }
    Ok(())
}

/// What a model's sketches are made around; empty while that isn't known.
pub(super) fn centre(sql: &dyn Sql, model: i64) -> Result<Vec<f32>, StoreError> {
    let rows = sql.exec(
        "SELECT centre FROM embedding_models WHERE model = ? AND centre IS NOT NULL",
        &[model.into()],
    )?;
    let Some(row) = rows.first() else { return Ok(Vec::new()) };
    Ok(row.blob(0)?.as_chunks().0.iter().map(|number| f32::from_le_bytes(*number)).collect())
}

/// Makes every sketch of a model anew, around the middle of what there is.
fn sketch_anew(sql: &dyn Sql, model: i64) -> Result<(), StoreError> {
    let mut centre: Vec<f32> = Vec::new();
    let sample = sql.exec(
        "SELECT code FROM fact_codes WHERE model = ?1 UNION ALL SELECT code FROM message_codes WHERE model = ?1 LIMIT ?2",
        &[model.into(), SAMPLE.into()],
    )?;
    for row in &sample {
        let vector = unit(row.blob(0)?);
        centre.resize(vector.len(), 0.0);
        centre.iter_mut().zip(vector).for_each(|(sum, x)| *sum += x / sample.len() as f32);
    }
    let bytes: Vec<u8> = centre.iter().flat_map(|x| x.to_le_bytes()).collect();
    sql.exec(
        "UPDATE embedding_models SET centre = ? WHERE model = ?",
        &[bytes.as_slice().into(), model.into()],
    )?;
    sql.exec("DELETE FROM embedding_sketches WHERE model = ?", &[model.into()])?;
    for corpus in Corpus::ALL {
        let page = format!(
            "SELECT doc, code FROM {} WHERE model = ? AND doc > ? ORDER BY doc LIMIT ?",
            corpus.codes()
        );
        let mut last = i64::MIN >> 11;
        loop {
            let rows = sql.exec(&page, &[model.into(), last.into(), (PAGE as i64).into()])?;
            let coded: Vec<(i64, &[u8])> =
                rows.iter().map(|row| Ok((row.int(0)?, row.blob(1)?))).collect::<Result<_, StoreError>>()?;
            let Some((doc, _)) = coded.last() else { break };
            last = *doc;
            blocks::append(sql, model, corpus, &centre, coded)?;
        }
    }
    Ok(())
}

/// A text has no vector of any model and waits for none. Idempotent.
pub(super) fn remove(sql: &dyn Sql, corpus: Corpus, doc: i64) -> Result<(), StoreError> {
    let args: [Arg<'_>; 2] = [corpus.key().into(), doc.into()];
    sql.exec("DELETE FROM embedding_queue WHERE corpus = ? AND doc = ?", &args)?;
    // In its place: what is only deleted can still be read in the file.
    for change in ["UPDATE {} SET code = zeroblob(length(code))", "DELETE FROM {}"] {
        sql.exec(&format!("{} WHERE doc = ?", change.replace("{}", corpus.codes())), &[doc.into()])?;
    }
    blocks::take_out(sql, None, corpus, doc)
}

/// Forgets every vector; the models stay known.
pub(super) fn clear(sql: &dyn Sql) -> Result<(), StoreError> {
    for table in ["fact_codes", "message_codes", "embedding_sketches", "embedding_queue"] {
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
    for table in ["fact_codes", "message_codes", "embedding_sketches"] {
        sql.exec(&format!("DELETE FROM {table} WHERE model = ?"), &[model.into()])?;
    }
    sql.exec("UPDATE embedding_models SET centre = NULL WHERE model = ?", &[model.into()])?;
    Ok(())
}

#[cfg(test)]
#[path = "embeddings_tests.rs"]
mod tests;
