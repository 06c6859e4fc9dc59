//! Facts' vectors in the object, eight bits a number, searched exactly.
//!
//! Each row records its model, so vectors of an old model never meet a question of a new one; what has no vector of
//! the model in use is listed as missing until it is embedded. Goes with its fact: `index::drop_fact` drops it too.

use super::index::FactsState;
use super::sql::{Sql, StoreError};
use crate::id::FactId;

pub const SCHEMA: &str = "
CREATE TABLE fact_embeddings (
    id TEXT PRIMARY KEY,
    model TEXT NOT NULL,
    scale REAL NOT NULL,
    vector BLOB NOT NULL
) WITHOUT ROWID;
";

/// Rows read at a time, so that a search holds a bounded part of a large memory.
const PAGE: i64 = 1_000;

/// Stores a fact's vector, in place of any other. A vector without length or with infinities isn't stored.
pub fn put(sql: &dyn Sql, id: &FactId, model: &str, vector: &[f32]) -> Result<(), StoreError> {
    let Some((scale, packed)) = pack(vector) else { return Ok(()) };
    sql.exec(
        "INSERT INTO fact_embeddings (id, model, scale, vector) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT (id) DO UPDATE SET model = ?2, scale = ?3, vector = ?4",
        &[id.as_str().into(), model.into(), f64::from(scale).into(), packed.as_slice().into()],
    )?;
    Ok(())
}

pub fn remove(sql: &dyn Sql, id: &FactId) -> Result<(), StoreError> {
    sql.exec("DELETE FROM fact_embeddings WHERE id = ?", &[id.as_str().into()])?;
    Ok(())
}

/// Indexed facts that have no vector of this model, newest first.
pub fn missing(sql: &dyn Sql, model: &str, limit: u32) -> Result<Vec<(FactId, String)>, StoreError> {
    sql.exec(
        "SELECT f.id, f.text FROM indexed_facts f LEFT JOIN fact_embeddings e ON e.id = f.id AND e.model = ?
         WHERE e.id IS NULL ORDER BY f.doc DESC LIMIT ?",
        &[model.into(), i64::from(limit).into()],
    )?
    .iter()
    .map(|row| Ok((FactId::parse(row.text(0)?).ok_or(StoreError::Corrupt("fact id"))?, row.string(1)?)))
    .collect()
}

/// The vectors of one model in memory: reading thousands of rows costs more than comparing them.
///
/// Invariant: they are those of `state`, or `state` is `None` and they are read anew.
#[derive(Debug, Default)]
pub struct Vectors {
    model: &'static str,
    state: Option<FactsState>,
    known: Vec<Known>,
}

#[derive(Debug)]
struct Known {
    id: FactId,
    norm: f32,
    vector: Box<[u8]>,
}

impl Vectors {
    pub fn of(model: &'static str) -> Self {
        Self { model, ..Self::default() }
    }

    /// Whether they are those of the facts that are indexed now.
    pub fn are_of(&self, state: FactsState) -> bool {
        self.state == Some(state)
    }

    /// Reads what came since they were read, or everything where something went. Facts without a vector are not
    /// among them until they have one and this is called with `None` in between.
    pub fn read(&mut self, sql: &dyn Sql, state: FactsState) -> Result<(), StoreError> {
        let before = self.state.take().unwrap_or_default();
        if before == FactsState::default() {
            self.known.clear();
        }
        let mut news = self.newer(sql, before.newest)?;
        if news.len() as i64 != state.count - before.count {
            self.known.clear();
            news = self.newer(sql, 0)?;
        }
        self.known.extend(news.into_iter().flatten());
        self.state = Some(state);
        Ok(())
    }

    /// What is known is to be read anew: a fact has no vector yet.
    pub fn forget(&mut self) {
        self.state = None;
    }

    fn newer(&self, sql: &dyn Sql, than: i64) -> Result<Vec<Option<Known>>, StoreError> {
        let (mut found, mut after) = (Vec::new(), than);
        loop {
            let rows = sql.exec(
                "SELECT f.doc, f.id, e.vector FROM indexed_facts f
                 LEFT JOIN fact_embeddings e ON e.id = f.id AND e.model = ? WHERE f.doc > ? ORDER BY f.doc LIMIT ?",
                &[self.model.into(), after.into(), PAGE.into()],
            )?;
            for row in &rows {
                found.push(row.optional(2, |row, at| {
                    let vector: Box<[u8]> = row.blob(at)?.into();
                    let id = FactId::parse(row.text(1)?).ok_or(StoreError::Corrupt("fact id"))?;
                    Ok(Known { id, norm: norm(&vector), vector })
                })?);
            }
            match rows.last() {
                Some(last) if rows.len() as i64 == PAGE => after = last.int(0)?,
                _ => return Ok(found),
            }
        }
    }

    /// The facts nearest to a vector of the same model, with their cosines, best first.
    pub fn nearest(&self, question: &[f32], limit: usize) -> Vec<(FactId, f32)> {
        let Some((_, asked)) = pack(question) else { return Vec::new() };
        let asked_norm = norm(&asked);
        let mut found: Vec<(&FactId, f32)> = self
            .known
            .iter()
            // A server may serve another model under the same name.
            .filter(|known| known.vector.len() == asked.len())
            .map(|known| (&known.id, dot(&asked, &known.vector) as f32 / (asked_norm * known.norm).max(1.0)))
            .collect();
        let order = |a: &(&FactId, f32), b: &(&FactId, f32)| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(b.0));
        if limit > 0 && limit < found.len() {
            found.select_nth_unstable_by(limit - 1, order);
        }
        found.truncate(limit);
        crate::order::by(&mut found, order);
        found.into_iter().map(|(id, cosine)| (id.clone(), cosine)).collect()
    }
}

/// The largest number becomes 127; a byte is a two's complement number. `None` if there is no direction.
fn pack(vector: &[f32]) -> Option<(f32, Vec<u8>)> {
    let largest = vector.iter().fold(0.0_f32, |largest, x| largest.max(x.abs()));
    if largest <= 0.0 || !vector.iter().all(|x| x.is_finite()) {
        return None;
    }
    let scale = largest / 127.0;
    Some((scale, vector.iter().map(|x| (x / scale).round() as i8 as u8).collect()))
}

fn dot(a: &[u8], b: &[u8]) -> i32 {
    // Blocks of sixteen with a sum of their own: the compiler turns each into vector instructions.
    let (a_blocks, b_blocks) = (a.chunks_exact(16), b.chunks_exact(16));
    let rest: i32 = a_blocks.remainder().iter().zip(b_blocks.remainder()).map(|(&x, &y)| product(x, y)).sum();
    let blocks: i32 =
        a_blocks.zip(b_blocks).map(|(a, b)| a.iter().zip(b).map(|(&x, &y)| product(x, y)).sum::<i32>()).sum();
    rest + blocks
}

fn product(x: u8, y: u8) -> i32 {
    i32::from(i16::from(x as i8) * i16::from(y as i8))
}

fn norm(vector: &[u8]) -> f32 {
    (dot(vector, vector) as f32).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sqlite::Sqlite;
    use crate::store::index;

    fn id(n: usize) -> FactId {
        FactId::parse(&format!("f_{n:05}")).unwrap()
    }

    fn stored() -> Sqlite {
        let sql = Sqlite::memory();
        sql.exec(index::SCHEMA, &[]).unwrap();
        sql.exec(index::NUMBERED, &[]).unwrap();
        sql.exec(SCHEMA, &[]).unwrap();
        sql
    }

    fn nearest(sql: &Sqlite, model: &'static str, question: &[f32], limit: usize) -> Vec<(FactId, f32)> {
        let mut vectors = Vectors::of(model);
        vectors.read(sql, index::facts_state(sql).unwrap()).unwrap();
        vectors.nearest(question, limit)
    }

    #[test]
    fn the_nearest_come_first_over_more_than_a_page() {
        let sql = stored();
        for n in 0..2_500_usize {
            let angle = n as f32 / 1_000.0;
            index::put_fact(&sql, &id(n), "犬").unwrap();
            put(&sql, &id(n), "m", &[angle.cos(), angle.sin(), 0.0]).unwrap();
        }
        let found = nearest(&sql, "m", &[1.0_f32.cos(), 1.0_f32.sin(), 0.0], 30);
        assert_eq!(found.len(), 30);
        assert!(found.iter().all(|(_, cosine)| *cosine > 0.999));
        assert!(found.is_sorted_by(|a, b| a.1 >= b.1));
        assert!(nearest(&sql, "other", &[1.0, 0.0, 0.0], 3).is_empty());
        assert!(nearest(&sql, "m", &[1.0, 0.0], 3).is_empty());
    }

    #[test]
    fn vectors_in_memory_follow_every_change_of_the_facts() {
        let sql = stored();
        let mut kept = Vectors::of("m");
        let mut check = |what: &str| {
            let state = index::facts_state(&sql).unwrap();
            if !kept.are_of(state) {
                kept.read(&sql, state).unwrap();
            }
            assert_eq!(kept.nearest(&[1.0, 0.5], 9), nearest(&sql, "m", &[1.0, 0.5], 9), "{what}");
        };
        let tell = |n: usize, text: &str, vector: &[f32]| {
            index::put_fact(&sql, &id(n), text).unwrap();
            put(&sql, &id(n), "m", vector).unwrap();
        };
        check("nothing");
        tell(1, "犬", &[1.0, 0.0]);
        tell(2, "cat", &[0.0, 1.0]);
        check("two new ones");
        tell(3, "魚", &[1.0, 1.0]);
        check("one more");
        tell(3, "鳥", &[0.1, 1.0]);
        check("the newest has another text");
        index::drop_fact(&sql, &id(3)).unwrap();
        tell(4, "bird", &[1.0, 0.4]);
        check("the newest went and another came");
        tell(1, "狼", &[0.3, 0.3]);
        index::drop_fact(&sql, &id(2)).unwrap();
        check("one changed and one went");
        index::clear(&sql).unwrap();
        check("all went");
        tell(5, "馬", &[0.5, 0.4]);
        check("one came after all went");
    }

    #[test]
    fn what_has_no_vector_of_the_model_is_missing_and_a_dropped_fact_has_none() {
        let sql = stored();
        index::put_fact(&sql, &id(1), "犬").unwrap();
        index::put_fact(&sql, &id(2), "cat").unwrap();
        put(&sql, &id(1), "m", &[1.0, 0.0]).unwrap();
        let ids = |model: &str| -> Vec<FactId> {
            missing(&sql, model, 9).unwrap().into_iter().map(|(id, _)| id).collect()
        };
        assert_eq!(ids("m"), [id(2)]);
        assert_eq!(ids("n"), [id(2), id(1)]);
        index::put_fact(&sql, &id(1), "猫").unwrap();
        assert_eq!(ids("m"), [id(1), id(2)]);
        put(&sql, &id(1), "m", &[1.0, 0.0]).unwrap();
        index::drop_fact(&sql, &id(1)).unwrap();
        assert!(nearest(&sql, "m", &[1.0, 0.0], 3).is_empty());
    }

    #[test]
    fn a_vector_without_direction_is_not_stored() {
        let sql = stored();
        for vector in [&[0.0, 0.0][..], &[f32::NAN, 1.0], &[f32::INFINITY, 1.0], &[]] {
            index::put_fact(&sql, &id(1), "犬").unwrap();
            put(&sql, &id(1), "m", vector).unwrap();
            assert!(nearest(&sql, "m", &[1.0, 0.0], 3).is_empty());
            assert!(nearest(&sql, "m", vector, 3).is_empty());
        }
    }
}
