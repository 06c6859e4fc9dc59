//! The search over blocks of sketches.
//!
//! A search estimates every vector from its sketch and then looks at the codes of the best, which lie one a row. A session
//! holds copies of the blocks and of the codes it has looked at. What a search reads and what is held are bounded: of a
//! memory of more than half a million messages (of 192 numbers each) the oldest are found by their words alone, and in the
//! first searches after an object came back those that are not read yet.

use super::blocks::{BLOCK, DOC, docs_of};
use super::codes::{cosine, norm};
use super::embeddings::{Corpus, Serving};
use super::sketch::{Asked, SCALES, width};
use super::sql::{Row, Sql, StoreError, Value};
use crate::best::least_of_best;
use crate::sorted::{SortedMap, SortedSet};

/// Blocks that one search reads, the newest first: four thousand texts, some milliseconds after an object came back.
const READ_AT_ONCE: usize = 8;
/// Blocks that are read at once where nobody waits for it.
const READ_AHEAD: usize = 32;
/// Copies of blocks that a session holds, in bytes: an isolate has 128 MB for everything.
const HELD_BYTES: usize = 24 * 1024 * 1024;
/// Copies of codes, in bytes.
const CODES_BYTES: usize = 2 * 1024 * 1024;
/// For each text that is wanted, so many are looked at by their codes, and always so many.
const LOOKED_AT: usize = 4;
const LOOKED_AT_LEAST: usize = 192;
/// What a filter leaves too little of is looked for among so many times as many.
const FARTHER: usize = 8;

const BLOCKS: &str =
    "SELECT block, edition, docs, bits, scales FROM embedding_sketches WHERE model = ? AND corpus = ?";
/// What is read down to here is read wholly.
const BELOW_ALL: i64 = -(1 << 52);

/// A block as it is searched: the bytes as they are stored.
struct Copy {
    block: i64,
    /// Model and corpus.
    of: (i64, i64),
    edition: i64,
    docs: Vec<u8>,
    bits: Vec<u8>,
    scales: Vec<u8>,
    /// The codes that were looked at, by their places in the block.
    codes: SortedMap<usize, Code>,
}

struct Code {
    bytes: Vec<u8>,
    length: f32,
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
        Ok(Self { block, of, edition, docs, bits, scales, codes: SortedMap::new() })
    }

    /// What tells whether the stored block is another one by now.
    fn is(&self) -> [i64; 3] {
        [self.block, self.edition, self.docs.len() as i64]
    }

    fn bytes(&self) -> usize {
        self.bits.len() + self.docs.len() + self.scales.len()
    }
}

/// The copies that a session holds. Losing them costs reading again, nothing else.
#[derive(Default)]
pub struct Held {
    copies: Vec<Copy>,
    /// Down to which block each model and corpus was read.
    reached: Vec<((i64, i64), i64)>,
    /// A model and its centre.
    centre: Option<(i64, Vec<f32>)>,
    /// Codes in the copies.
    codes: usize,
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
        self.read(sql, model, corpus, READ_AT_ONCE)?;
        let wanted = (limit * LOOKED_AT).max(LOOKED_AT_LEAST);
        let mut most = wanted;
        let best = loop {
            let mut best = self.estimated((model.id, corpus.key()), &asked, most);
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

    /// Reads some of what no search has read yet.
    pub fn read_ahead(&mut self, sql: &dyn Sql, model: &Serving) -> Result<(), StoreError> {
        Corpus::ALL.into_iter().try_for_each(|corpus| self.read(sql, model, corpus, READ_AHEAD))
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

    /// Brings what is held up to date, and reads the next blocks, from the newest down: so many, as far as they have room.
    /// Blocks that were never read are not even listed; after an object came back each would cost a page of its file.
    fn read(
        &mut self,
        sql: &dyn Sql,
        model: &Serving,
        corpus: Corpus,
        most: usize,
    ) -> Result<(), StoreError> {
        let of = (model.id, corpus.key());
        let reached = self.reached.iter().find(|(known, _)| *known == of).map(|(_, reached)| *reached);
        if let Some(reached) = reached {
            let listed = sql.known(
                "SELECT block, edition, length(docs) FROM embedding_sketches
                 WHERE model = ? AND corpus = ? AND block >= ?",
                &[model.id.into(), corpus.key().into(), reached.into()],
            )?;
            let changed = self.changed(of, &listed)?;
            if !changed.is_empty() {
                let blocks = serde_json::to_string(&changed).unwrap_or_default();
                let statement = format!("{BLOCKS} AND block IN (SELECT value FROM json_each(?))");
                let args = [model.id.into(), corpus.key().into(), blocks.as_str().into()];
                self.hold(sql.exec(&statement, &args)?, model, of)?;
            }
        }
        let bytes: usize = self.copies.iter().map(Copy::bytes).sum();
        let room = HELD_BYTES.saturating_sub(bytes) / (BLOCK * (DOC + SCALES + width(model.dimensions)));
        let most = most.min(room);
        if most == 0 || reached == Some(BELOW_ALL) {
            return Ok(());
        }
        let statement = format!("{BLOCKS} AND block < ? ORDER BY block DESC LIMIT ?");
        let above = reached.unwrap_or(-BELOW_ALL);
        let args = [model.id.into(), corpus.key().into(), above.into(), (most as i64).into()];
        let rows = sql.exec(&statement, &args)?;
        let lowest = rows.last().filter(|_| rows.len() == most).map_or(Ok(BELOW_ALL), |row| row.int(0))?;
        self.reached.retain(|(known, _)| *known != of);
        self.reached.push((of, lowest));
        self.hold(rows, model, of)
    }

    /// Gives up the copies of blocks that are gone; the stored ones that are not held as they are.
    fn changed(&mut self, of: (i64, i64), listed: &[Row]) -> Result<Vec<i64>, StoreError> {
        let stored: Vec<[i64; 3]> = listed
            .iter()
            .map(|row| Ok([row.int(0)?, row.int(1)?, row.int(2)?]))
            .collect::<Result<_, StoreError>>()?;
        self.copies.retain(|copy| copy.of != of || stored.iter().any(|[block, ..]| *block == copy.block));
        let is_held = |is: &[i64; 3]| self.copies.iter().any(|copy| copy.is() == *is);
        Ok(stored.iter().filter(|is| !is_held(is)).map(|[block, ..]| *block).collect())
    }

    /// Holds copies of blocks, instead of those that were held.
    fn hold(&mut self, rows: Vec<Row>, model: &Serving, of: (i64, i64)) -> Result<(), StoreError> {
        for row in rows {
            let mut copy = Copy::read(row, of, model.dimensions)?;
            if let Some(at) = self.copies.iter().position(|known| known.block == copy.block) {
                let before = self.copies.swap_remove(at);
                if before.edition == copy.edition {
                    // It was only added to.
                    copy.codes = before.codes;
                }
            }
            self.copies.push(copy);
        }
        Ok(())
    }

    /// The `most` texts that seem nearest, best first.
    fn estimated(&self, of: (i64, i64), asked: &Asked, most: usize) -> Vec<Estimated> {
        let looked_at: Vec<(usize, Vec<f32>)> = (0..)
            .zip(&self.copies)
            .filter(|(_, copy)| copy.of == of)
            .map(|(at, copy)| (at, asked.estimates(&copy.bits, &copy.scales)))
            .collect();
        let least = least_of_best(
            looked_at.iter().flat_map(|(_, estimates)| estimates.iter().copied()),
            -1.0..1.0,
            most,
        );
        let mut best: Vec<Estimated> = Vec::new();
        for (copy, estimates) in looked_at {
            for (place, (estimate, doc)) in
                estimates.into_iter().zip(docs_of(&self.copies[copy].docs)).enumerate()
            {
                if estimate >= least {
                    best.push(Estimated { doc, copy, place, estimate });
                }
            }
        }
        crate::order::by(&mut best, |a, b| b.estimate.total_cmp(&a.estimate).then_with(|| b.doc.cmp(&a.doc)));
        best.truncate(most);
        best
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
        let mut found: Vec<(i64, f32)> = Vec::with_capacity(best.len());
        let mut missing: Vec<&Estimated> = Vec::new();
        for one in best {
            match self.copies[one.copy].codes.get(&one.place) {
                Some(code) => found.push((one.doc, cosine(question, &code.bytes, code.length))),
                None => missing.push(one),
            }
        }
        if missing.is_empty() {
            return Ok(found);
        }
        if (self.codes + missing.len()) * model.dimensions > CODES_BYTES {
            self.codes = 0;
            self.copies.iter_mut().for_each(|copy| copy.codes.clear());
        }
        let docs: Vec<i64> = missing.iter().map(|one| one.doc).collect();
        let docs = serde_json::to_string(&docs).unwrap_or_default();
        let rows = sql.exec(
            &format!(
                "SELECT doc, code FROM {} WHERE model = ? AND doc IN (SELECT value FROM json_each(?))",
                corpus.codes()
            ),
            &[model.id.into(), docs.as_str().into()],
        )?;
        for row in rows {
            let (doc, bytes) = (row.int(0)?, row.blob(1)?.to_vec());
            let length = norm(&bytes);
            found.push((doc, cosine(question, &bytes, length)));
            if let Some(one) = missing.iter().find(|one| one.doc == doc) {
                self.codes += 1;
                self.copies[one.copy].codes.insert(one.place, Code { bytes, length });
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
    /// Where it is among the copies, and in its copy.
    copy: usize,
    place: usize,
    estimate: f32,
}
