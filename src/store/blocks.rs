//! Blocks of codes, and the exact search over them.
//!
//! A row a vector would cost a row read for every one in every search. So newly made vectors are packed, a hundred at
//! a time, into blocks of up to a megabyte: writing one vector costs a constant part of a block. A session holds
//! copies of the blocks it has searched, newest first and up to a bound; the rest is read where it lies.

use super::codes::{cosine, encode, norm, product};
use super::embeddings::{Corpus, Serving};
use super::sql::{Arg, Row, Sql, StoreError, counted};
use crate::sorted::SortedMap;

/// Vectors that wait for their packing at most.
const LOOSE: i64 = 128;
/// Codes of one block at most, in bytes; the runtime refuses values over 2 MB.
const BLOCK_BYTES: usize = 1024 * 1024;
/// Copies that a session holds, in bytes: an isolate has 128 MB for everything.
const HELD_BYTES: usize = 40 * 1024 * 1024;

/// Packs the loose vectors of a corpus if there are enough of them, behind those of the newest block with room.
pub(super) fn pack(sql: &dyn Sql, model: i64, corpus: Corpus) -> Result<(), StoreError> {
    let key: [Arg<'_>; 2] = [model.into(), corpus.key().into()];
    let loose = sql.exec("SELECT count(*) FROM embeddings WHERE model = ? AND corpus = ?", &key)?;
    if counted(&loose)?.int(0)? < LOOSE {
        return Ok(());
    }
    let rows =
        sql.exec("SELECT doc, code FROM embeddings WHERE model = ? AND corpus = ? ORDER BY doc", &key)?;
    let newest = sql.exec(
        "SELECT block, edition, docs, codes FROM embedding_blocks WHERE model = ? AND corpus = ?
         ORDER BY block DESC LIMIT 1",
        &key,
    )?;
    let mut open = match newest.first() {
        Some(row) => Some(Open {
            block: Some(row.int(0)?),
            edition: row.int(1)?,
            docs: read_docs(row.blob(2)?),
            codes: row.blob(3)?.to_vec(),
        }),
        None => None,
    };
    for row in &rows {
        let (doc, code) = (row.int(0)?, row.blob(1)?);
        if open.as_ref().is_some_and(|open| open.codes.len() + code.len() > BLOCK_BYTES)
            && let Some(full) = open.take()
        {
            full.write(sql, model, corpus)?;
        }
        let block = open.get_or_insert_with(Open::default);
        block.docs.push(doc);
        block.codes.extend_from_slice(code);
    }
    if let Some(open) = open {
        open.write(sql, model, corpus)?;
    }
    sql.exec("DELETE FROM embeddings WHERE model = ? AND corpus = ?", &key)?;
    Ok(())
}

/// Takes a text's vector out of the blocks of a model, or of all. Rare: it writes the block anew.
pub(super) fn take_out(
    sql: &dyn Sql,
    model: Option<i64>,
    corpus: Corpus,
    doc: i64,
) -> Result<(), StoreError> {
    let rows = sql.exec(
        "SELECT block, model, edition, docs FROM embedding_blocks
         WHERE corpus = ?1 AND lowest <= ?2 AND highest >= ?2 AND (?3 IS NULL OR model = ?3)",
        &[corpus.key().into(), doc.into(), model.into()],
    )?;
    for row in rows {
        let (block, mut docs) = (row.int(0)?, read_docs(row.blob(3)?));
        let Some(at) = docs.iter().position(|known| *known == doc) else { continue };
        let rows = sql.exec("SELECT codes FROM embedding_blocks WHERE block = ?", &[block.into()])?;
        let mut codes = rows.first().ok_or_else(|| StoreError::corrupt("block"))?.blob(0)?.to_vec();
        let width = codes.len() / docs.len().max(1);
        docs.remove(at);
        codes.drain(at * width..(at + 1) * width);
        let open = Open { block: Some(block), edition: row.int(2)?, docs, codes };
        open.write(sql, row.int(1)?, corpus)?;
    }
    Ok(())
}

/// A block that is being written.
#[derive(Default)]
struct Open {
    block: Option<i64>,
    edition: i64,
    docs: Vec<i64>,
    codes: Vec<u8>,
}

impl Open {
    fn write(&self, sql: &dyn Sql, model: i64, corpus: Corpus) -> Result<(), StoreError> {
        let (Some(lowest), Some(highest)) = (self.docs.iter().min(), self.docs.iter().max()) else {
            sql.exec("DELETE FROM embedding_blocks WHERE block = ?", &[self.block.into()])?;
            return Ok(());
        };
        let docs: Vec<u8> = self.docs.iter().flat_map(|doc| doc.to_le_bytes()).collect();
        let (docs, codes) = (Arg::Blob(&docs), Arg::Blob(&self.codes));
        let (lowest, highest) = (Arg::Int(*lowest), Arg::Int(*highest));
        match self.block {
            Some(block) => sql.exec(
                "UPDATE embedding_blocks SET edition = ?, lowest = ?, highest = ?, docs = ?, codes = ?
                 WHERE block = ?",
                &[(self.edition + 1).into(), lowest, highest, docs, codes, block.into()],
            )?,
            None => sql.exec(
                "INSERT INTO embedding_blocks (model, corpus, edition, lowest, highest, docs, codes)
                 VALUES (?, ?, 1, ?, ?, ?, ?)",
                &[model.into(), corpus.key().into(), lowest, highest, docs, codes],
            )?,
        };
        Ok(())
    }
}

/// A block as it is searched.
struct Copy {
    edition: i64,
    docs: Vec<i64>,
    codes: Vec<u8>,
    norms: Vec<f32>,
}

impl Copy {
    fn of(row: &Row, dimensions: usize) -> Result<Self, StoreError> {
        let (docs, codes) = (read_docs(row.blob(1)?), row.blob(2)?.to_vec());
        let norms = codes.chunks_exact(dimensions.max(1)).map(norm).collect();
        Ok(Self { edition: row.int(0)?, docs, codes, norms })
    }

    fn bytes(&self) -> usize {
        self.codes.len() + self.docs.len() * 12
    }
}

/// The copies that a session holds. Losing them costs reading again, nothing else.
#[derive(Default)]
pub struct Held {
    copies: SortedMap<i64, Copy>,
}

impl Held {
    /// The texts nearest to a question's vector by the same model, with their cosines, best first: exact over the
    /// codes, with the question at full precision.
    pub fn nearest(
        &mut self,
        sql: &dyn Sql,
        model: &Serving,
        corpus: Corpus,
        question: &[f32],
        limit: usize,
    ) -> Result<Vec<(i64, f32)>, StoreError> {
        let Some(asked) = encode(question).filter(|code| code.len() == model.dimensions) else {
            return Ok(Vec::new());
        };
        let length = question.iter().map(|x| x * x).sum::<f32>().sqrt();
        let mut best = Best {
            question,
            length,
            asked_norm: norm(&asked),
            asked,
            limit,
            least: f32::MIN,
            found: Vec::new(),
        };
        let key: [Arg<'_>; 2] = [model.id.into(), corpus.key().into()];
        for row in sql.exec("SELECT doc, code FROM embeddings WHERE model = ? AND corpus = ?", &key)? {
            let code = row.blob(1)?;
            best.look_at(&[row.int(0)?], code, &[norm(code)]);
        }
        let listed = sql.exec(
            "SELECT block, edition FROM embedding_blocks WHERE model = ? AND corpus = ? ORDER BY block DESC",
            &key,
        )?;
        for row in listed {
            let (block, edition) = (row.int(0)?, row.int(1)?);
            if self.copies.get(&block).is_none_or(|copy| copy.edition != edition) {
                self.copies.remove(&block);
                let rows = sql.exec(
                    "SELECT edition, docs, codes FROM embedding_blocks WHERE block = ?",
                    &[block.into()],
                )?;
                let Some(row) = rows.first() else { continue };
                let copy = Copy::of(row, model.dimensions)?;
                if !self.has_room_for(&copy) {
                    best.look_at(&copy.docs, &copy.codes, &copy.norms);
                    continue;
                }
                self.copies.insert(block, copy);
            }
            if let Some(copy) = self.copies.get(&block) {
                best.look_at(&copy.docs, &copy.codes, &copy.norms);
            }
        }
        Ok(best.finish())
    }

    fn has_room_for(&self, copy: &Copy) -> bool {
        self.copies.values().map(Copy::bytes).sum::<usize>() + copy.bytes() <= HELD_BYTES
    }

    /// Gives up every copy.
    pub fn clear(&mut self) {
        self.copies.clear();
    }
}

/// The best so far of a search.
struct Best<'a> {
    question: &'a [f32],
    length: f32,
    asked: Vec<u8>,
    asked_norm: f32,
    limit: usize,
    /// A coarse cosine at or below this can't be among the best.
    least: f32,
    found: Vec<(i64, f32)>,
}

/// By how much a cosine between two codes may be below the finer one.
const COARSENESS: f32 = 0.02;

impl Best<'_> {
    fn look_at(&mut self, docs: &[i64], codes: &[u8], norms: &[f32]) {
        for ((doc, code), norm) in docs.iter().zip(codes.chunks_exact(self.asked.len())).zip(norms) {
            if product(&self.asked, code) as f32 <= self.least * self.asked_norm * norm {
                continue;
            }
            self.found.push((*doc, cosine(self.question, self.length, code, *norm)));
            if self.found.len() >= self.limit * 2 + 64 {
                self.keep_best();
            }
        }
    }

    fn keep_best(&mut self) {
        crate::order::by(&mut self.found, |a, b| b.1.total_cmp(&a.1).then_with(|| b.0.cmp(&a.0)));
        self.found.truncate(self.limit);
        if let Some((_, cosine)) = self.found.last().filter(|_| self.found.len() == self.limit) {
            self.least = cosine - COARSENESS;
        }
    }

    fn finish(mut self) -> Vec<(i64, f32)> {
        self.keep_best();
        self.found
    }
}

fn read_docs(bytes: &[u8]) -> Vec<i64> {
    bytes.as_chunks::<8>().0.iter().map(|doc| i64::from_le_bytes(*doc)).collect()
}
