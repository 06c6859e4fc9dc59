//! Blocks of sketches, as they are stored.
//!
//! A row a vector would cost a row read for every one in every search, so sketches lie in blocks of some hundred: adding
//! one writes a constant part of a block. [`super::held`] searches them.

use super::codes::unit;
use super::embeddings::Corpus;
use super::sketch::Sketch;
use super::sql::{Arg, Sql, StoreError};

/// Sketches of one block at most: up to 70 KB of a thousand numbers each.
pub(super) const BLOCK: usize = 512;
/// Bytes of a text's place.
pub(super) const DOC: usize = 8;
/// Adds sketches of vectors behind those of the newest block with room. Gives how many that block has then.
pub(super) fn append<'a>(
    sql: &dyn Sql,
    model: i64,
    corpus: Corpus,
    centre: &[f32],
    codes: impl IntoIterator<Item = (i64, &'a [u8])>,
) -> Result<usize, StoreError> {
    let newest = sql.exec(
        "SELECT block, edition, docs, bits, scales FROM embedding_sketches
         WHERE model = ? AND corpus = ? AND length(docs) < ? ORDER BY block DESC LIMIT 1",
        &[model.into(), corpus.key().into(), ((BLOCK * DOC) as i64).into()],
    )?;
    let mut open = match newest.first() {
        Some(row) => Open {
            block: Some(row.int(0)?),
            edition: row.int(1)?,
            docs: row.blob(2)?.to_vec(),
            bits: row.blob(3)?.to_vec(),
            scales: row.blob(4)?.to_vec(),
        },
        None => Open::default(),
    };
    for (doc, code) in codes {
        if open.docs.len() >= BLOCK * DOC {
            std::mem::take(&mut open).write(sql, model, corpus)?;
        }
        open.push(doc, &Sketch::of(&unit(code), centre));
    }
    open.write(sql, model, corpus)?;
    Ok(open.docs.len() / DOC)
}

/// Takes a text's sketch out of the blocks of a model, or of all. Rare: it writes the block anew.
pub(super) fn take_out(
    sql: &dyn Sql,
    model: Option<i64>,
    corpus: Corpus,
    doc: i64,
) -> Result<(), StoreError> {
    let rows = sql.exec(
        "SELECT block, model, edition, docs FROM embedding_sketches
         WHERE corpus = ?1 AND lowest <= ?2 AND highest >= ?2 AND (?3 IS NULL OR model = ?3)",
        &[corpus.key().into(), doc.into(), model.into()],
    )?;
    for row in rows {
        let (block, mut docs) = (row.int(0)?, row.blob(3)?.to_vec());
        let Some(at) = docs_of(&docs).position(|known| known == doc) else { continue };
        let rows =
            sql.exec("SELECT bits, scales FROM embedding_sketches WHERE block = ?", &[block.into()])?;
        let row_of_block = rows.first().ok_or_else(|| StoreError::corrupt("block"))?;
        let (mut bits, mut scales) = (row_of_block.blob(0)?.to_vec(), row_of_block.blob(1)?.to_vec());
        let count = docs.len() / DOC;
        for bytes in [&mut docs, &mut bits, &mut scales] {
            let width = bytes.len() / count.max(1);
            bytes.drain(at * width..(at + 1) * width);
        }
        let open = Open { block: Some(block), edition: row.int(2)? + 1, docs, bits, scales };
        open.write(sql, row.int(1)?, corpus)?;
    }
    Ok(())
}

/// A block that is being written.
#[derive(Default)]
struct Open {
    block: Option<i64>,
    edition: i64,
    docs: Vec<u8>,
    bits: Vec<u8>,
    scales: Vec<u8>,
}

impl Open {
    fn push(&mut self, doc: i64, sketch: &Sketch) {
        self.docs.extend_from_slice(&doc.to_le_bytes());
        self.bits.extend_from_slice(&sketch.bits);
        self.scales.extend_from_slice(&sketch.scales());
    }

    fn write(&self, sql: &dyn Sql, model: i64, corpus: Corpus) -> Result<(), StoreError> {
        let (Some(lowest), Some(highest)) = (docs_of(&self.docs).min(), docs_of(&self.docs).max()) else {
            sql.exec("DELETE FROM embedding_sketches WHERE block = ?", &[self.block.into()])?;
            return Ok(());
        };
        let blobs = [&self.docs, &self.bits, &self.scales].map(|bytes| Arg::Blob(bytes));
        let [docs, bits, scales] = blobs;
        let (lowest, highest) = (Arg::Int(lowest), Arg::Int(highest));
        match self.block {
            Some(block) => sql.exec(
                "UPDATE embedding_sketches SET edition = ?, lowest = ?, highest = ?, docs = ?, bits = ?, scales = ?
                 WHERE block = ?",
                &[self.edition.into(), lowest, highest, docs, bits, scales, block.into()],
            )?,
            None => sql.exec(
                "INSERT INTO embedding_sketches (model, corpus, edition, lowest, highest, docs, bits, scales)
                 VALUES (?, ?, 1, ?, ?, ?, ?, ?)",
                &[model.into(), corpus.key().into(), lowest, highest, docs, bits, scales],
            )?,
        };
        Ok(())
    }
}

/// The places in a list of them.
pub(super) fn docs_of(bytes: &[u8]) -> impl Iterator<Item = i64> + '_ {
    bytes.as_chunks::<DOC>().0.iter().map(|doc| i64::from_le_bytes(*doc))
}
