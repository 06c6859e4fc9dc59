//! Blocks of sketches, and the search over them.
//!
//! A row a vector would cost a row read for every one in every search, so sketches lie in blocks of some hundred: adding
//! one writes a constant part of a block. A search estimates every vector from its sketch and then looks at the codes of
//! the best, which lie one a row. A session holds copies of the blocks and of the codes it has looked at. What a search
//! reads and what is held are bounded: of a memory of more than half a million messages (of 192 numbers each) the oldest
//! are found by their words alone, and in the first searches after an object came back those that are not read yet.

use super::codes::{cosine, norm, unit};
use super::embeddings::{Corpus, Serving};
use super::sketch::{Asked, SCALES, Sketch, width};
use super::sql::{Arg, Row, Sql, StoreError, Value};
use crate::sorted::SortedSet;

/// Sketches of one block at most: up to 70 KB of a thousand numbers each.
const BLOCK: usize = 512;
/// Bytes of a text's place.
const DOC: usize = 8;
/// Blocks that one search reads: some milliseconds. An object that comes back to a large memory has looked through all of
/// it after some searches, the newest first.
const READ_AT_ONCE: usize = 64;
/// Copies of blocks that a session holds, in bytes: an isolate has 128 MB for everything.
const HELD_BYTES: usize = 24 * 1024 * 1024;
/// Copies of codes, in bytes.
const CODES_BYTES: usize = 2 * 1024 * 1024;
/// For each text that is wanted, so many are looked at by their codes, and always so many.
const LOOKED_AT: usize = 4;
const LOOKED_AT_LEAST: usize = 256;
/// What a filter leaves too little of is looked for among so many times as many.
const FARTHER: usize = 8;

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

/// A block as it is searched: the bytes as they are stored.
struct Copy {
    block: i64,
    /// Model and corpus.
    of: (i64, i64),
    edition: i64,
    docs: Vec<u8>,
    bits: Vec<u8>,
    scales: Vec<u8>,
}

impl Copy {
    /// Of a row with edition, docs, bits and scales; nothing where they don't fit each other.
    fn read(row: Row, of: (i64, i64), dimensions: usize) -> Result<Self, StoreError> {
        let (block, edition) = (row.int(0)?, row.int(1)?);
        let mut blobs = row.0.into_iter().skip(2).map(|value| match value {
            Value::Blob(bytes) => Ok(bytes),
            _ => Err(StoreError::corrupt("block")),
        });
        let mut next = || blobs.next().unwrap_or(Err(StoreError::corrupt("block")));
        let (docs, bits, scales) = (next()?, next()?, next()?);
        let count = docs.len() / DOC;
        if bits.len() != count * width(dimensions) || scales.len() != count * SCALES {
            return Err(StoreError::corrupt("block"));
        }
        Ok(Self { block, of, edition, docs, bits, scales })
    }

    fn bytes(&self) -> usize {
        self.bits.len() + self.docs.len() + self.scales.len()
    }
}

/// The copies that a session holds. Losing them costs reading again, nothing else.
#[derive(Default)]
pub struct Held {
    copies: Vec<Copy>,
    /// A model and its centre.
    centre: Option<(i64, Vec<f32>)>,
    /// Codes that were looked at.
    codes: Vec<Code>,
}

struct Code {
    block: i64,
    doc: i64,
    bytes: Vec<u8>,
    length: f32,
}

/// Tells which of some texts may be found.
pub type Among<'a> = &'a dyn Fn(&[i64]) -> Result<SortedSet<i64>, StoreError>;

impl Held {
    /// The texts nearest to a question's vector by the same model, with their cosines, best first; only some `among` all
    /// where that is given. The order and the cosines are those of the codes, with the question at full precision.
    pub fn nearest(
        &mut self,
        sql: &dyn Sql,
        model: &Serving,
        corpus: Corpus,
        question: &[f32],
        limit: usize,
        among: Option<Among<'_>>,
    ) -> Result<Vec<(i64, f32)>, StoreError> {
        let length = question.iter().map(|x| x * x).sum::<f32>().sqrt();
        if question.len() != model.dimensions || !(length > 0.0 && length.is_finite()) || limit == 0 {
            return Ok(Vec::new());
        }
        let question: Vec<f32> = question.iter().map(|x| x / length).collect();
        let asked = Asked::of(&question, self.centre(sql, model)?);
        let listed = self.listed(sql, model, corpus)?;
        let wanted = (limit * LOOKED_AT).max(LOOKED_AT_LEAST);
        let mut most = wanted;
        let best = loop {
            let mut best = self.estimated(sql, model, corpus, &listed, &asked, most)?;
            let all = best.len();
            if let Some(among) = among {
                let docs: Vec<i64> = best.iter().map(|one| one.doc).collect();
                let kept = among(&docs)?;
                best.retain(|one| kept.contains(&one.doc));
            }
            if best.len() >= wanted || all < most || among.is_none() {
                best.truncate(wanted);
                break best;
            }
            most *= FARTHER;
        };
        let mut found = self.looked_at(sql, model, corpus, &question, &best)?;
        crate::order::by(&mut found, |a, b| b.1.total_cmp(&a.1).then_with(|| b.0.cmp(&a.0)));
        found.truncate(limit);
        Ok(found)
    }

    /// Around what the model's sketches are made.
    fn centre(&mut self, sql: &dyn Sql, model: &Serving) -> Result<&[f32], StoreError> {
        let is_known = |(of, centre): &(i64, Vec<f32>)| *of == model.id && centre.len() == model.dimensions;
        if !model.centred {
            self.centre = None;
        } else if !self.centre.as_ref().is_some_and(is_known) {
            self.centre = Some((model.id, super::embeddings::centre(sql, model.id)?));
        }
        Ok(self.centre.as_ref().map_or(&[], |(_, centre)| centre))
    }

    /// The blocks of a corpus. Those that are held and were changed are given up.
    fn listed(&mut self, sql: &dyn Sql, model: &Serving, corpus: Corpus) -> Result<Vec<i64>, StoreError> {
        let rows = sql.exec(
            "SELECT block, edition, length(docs) / 8 FROM embedding_sketches WHERE model = ? AND corpus = ?
             ORDER BY block DESC",
            &[model.id.into(), corpus.key().into()],
        )?;
        let mut listed = Vec::with_capacity(rows.len());
        let of = (model.id, corpus.key());
        let known: SortedSet<i64> = rows.iter().map(|row| row.int(0)).collect::<Result<_, _>>()?;
        self.copies.retain(|copy| copy.of != of || known.contains(&copy.block));
        for row in rows {
            let (block, edition, count) = (row.int(0)?, row.int(1)?, row.int(2)?);
            listed.push(block);
            let Some(at) = self.copies.iter().position(|copy| copy.block == block) else { continue };
            let is_same = self.copies[at].edition == edition;
            if !is_same {
                // What was only added to keeps its codes.
                self.codes.retain(|code| code.block != block);
            }
            if !is_same || (self.copies[at].docs.len() / DOC) as i64 != count {
                self.copies.swap_remove(at);
            }
        }
        Ok(listed)
    }

    /// The `most` texts that seem nearest, best first.
    fn estimated(
        &mut self,
        sql: &dyn Sql,
        model: &Serving,
        corpus: Corpus,
        listed: &[i64],
        asked: &Asked,
        most: usize,
    ) -> Result<Vec<Estimated>, StoreError> {
        let is_held = |block: &i64| self.copies.iter().any(|copy| copy.block == *block);
        let missing: Vec<i64> = listed.iter().copied().filter(|block| !is_held(block)).collect();
        self.read(sql, model, corpus, &missing)?;
        let of = (model.id, corpus.key());
        let looked_at: Vec<(&Copy, Vec<f32>)> = self
            .copies
            .iter()
            .filter(|copy| copy.of == of)
            .map(|copy| (copy, asked.estimates(&copy.bits, &copy.scales)))
            .collect();
        let least = least_of_best(looked_at.iter().map(|(_, estimates)| estimates.as_slice()), most);
        let mut best: Vec<Estimated> = Vec::new();
        for (copy, estimates) in looked_at {
            let near = docs_of(&copy.docs).zip(estimates).filter(|(_, estimate)| *estimate >= least);
            best.extend(near.map(|(doc, estimate)| Estimated { doc, block: copy.block, estimate }));
        }
        crate::order::by(&mut best, |a, b| b.estimate.total_cmp(&a.estimate).then_with(|| b.doc.cmp(&a.doc)));
        best.truncate(most);
        Ok(best)
    }

    /// Reads blocks that are not held, the newest first, as many as one search may read and as have room.
    fn read(
        &mut self,
        sql: &dyn Sql,
        model: &Serving,
        corpus: Corpus,
        missing: &[i64],
    ) -> Result<(), StoreError> {
        let held: usize = self.copies.iter().map(Copy::bytes).sum();
        let room = HELD_BYTES.saturating_sub(held) / (BLOCK * (DOC + SCALES + width(model.dimensions)));
        let missing = missing.get(..missing.len().min(READ_AT_ONCE).min(room)).unwrap_or_default();
        if missing.is_empty() {
            return Ok(());
        }
        let blocks = serde_json::to_string(missing).unwrap_or_default();
        let rows = sql.exec(
            "SELECT block, edition, docs, bits, scales FROM embedding_sketches
             WHERE block IN (SELECT value FROM json_each(?))",
            &[blocks.as_str().into()],
        )?;
        for row in rows {
            self.copies.push(Copy::read(row, (model.id, corpus.key()), model.dimensions)?);
        }
        Ok(())
    }

    /// The cosines of texts with a question of length one.
    fn looked_at(
        &mut self,
        sql: &dyn Sql,
        model: &Serving,
        corpus: Corpus,
        question: &[f32],
        best: &[Estimated],
    ) -> Result<Vec<(i64, f32)>, StoreError> {
        let of = |block: i64, doc: i64| (block, doc);
        let wanted: SortedSet<(i64, i64)> = best.iter().map(|one| of(one.block, one.doc)).collect();
        let known: SortedSet<(i64, i64)> = self.codes.iter().map(|code| of(code.block, code.doc)).collect();
        let missing: Vec<(i64, i64)> = wanted.difference(&known).copied().collect();
        let mut found: Vec<(i64, f32)> = Vec::with_capacity(best.len());
        let near = self.codes.iter().filter(|code| wanted.contains(&of(code.block, code.doc)));
        found.extend(near.map(|code| (code.doc, cosine(question, &code.bytes, code.length))));
        if missing.is_empty() {
            return Ok(found);
        }
        if (self.codes.len() + missing.len()) * model.dimensions > CODES_BYTES {
            self.codes.clear();
        }
        let docs: Vec<i64> = missing.iter().map(|(_, doc)| *doc).collect();
        let docs = serde_json::to_string(&docs).unwrap_or_default();
        let rows = sql.exec(
            &format!(
                "SELECT doc, code FROM {} WHERE model = ? AND doc IN (SELECT value FROM json_each(?))",
                corpus.codes()
            ),
            &[model.id.into(), docs.as_str().into()],
        )?;
        for row in rows {
            let (doc, code) = (row.int(0)?, row.blob(1)?.to_vec());
            let length = norm(&code);
            found.push((doc, cosine(question, &code, length)));
            if let Some((block, _)) = missing.iter().find(|(_, of)| *of == doc) {
                self.codes.push(Code { block: *block, doc, bytes: code, length });
            }
        }
        Ok(found)
    }

    /// Gives up every copy.
    pub fn clear(&mut self) {
        *self = Self::default();
    }
}

/// A text that may be among the nearest.
struct Estimated {
    doc: i64,
    block: i64,
    estimate: f32,
}

/// An estimate that about the `most` best reach, by a histogram: sorting all would take longer than estimating them.
fn least_of_best<'a>(estimates: impl Iterator<Item = &'a [f32]> + Clone, most: usize) -> f32 {
    const PARTS: usize = 1_024;
    let all = estimates.flatten();
    let (lowest, highest) =
        all.clone().fold((f32::MAX, f32::MIN), |(low, high), x| (low.min(*x), high.max(*x)));
    let part = (highest - lowest) / PARTS as f32;
    if part <= 0.0 {
        return lowest;
    }
    let mut counts = [0_usize; PARTS];
    for estimate in all {
        if let Some(count) = counts.get_mut(((highest - estimate) / part) as usize) {
            *count += 1;
        }
    }
    let mut sum = 0;
    let enough = counts.iter().position(|count| {
        sum += count;
        sum >= most
    });
    enough.map_or(lowest, |at| highest - part * (at + 1) as f32)
}

/// The places in a list of them.
fn docs_of(bytes: &[u8]) -> impl Iterator<Item = i64> + '_ {
    bytes.as_chunks::<DOC>().0.iter().map(|doc| i64::from_le_bytes(*doc))
}
