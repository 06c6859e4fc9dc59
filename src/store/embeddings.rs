//! Facts' vectors in the object, eight bits a number, searched exactly.
//!
//! Each row records its model, so vectors of an old model never meet a question of a new one; what has no vector of
//! the model in use is listed as missing until it is embedded. Goes with its fact: `index::drop_fact` drops it too.

use super::sql::{Arg, Sql, StoreError};
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

/// The facts nearest to a vector of the same model, with their cosines, best first.
pub fn nearest(
    sql: &dyn Sql,
    model: &str,
    question: &[f32],
    limit: usize,
) -> Result<Vec<(FactId, f32)>, StoreError> {
    let Some((_, asked)) = pack(question) else { return Ok(Vec::new()) };
    let asked_norm = norm(&asked);
    let mut found: Vec<(FactId, f32)> = Vec::new();
    let mut after = String::new();
    loop {
        let args: [Arg<'_>; 3] = [(&after).into(), model.into(), PAGE.into()];
        let rows = sql.exec(
            "SELECT id, vector FROM fact_embeddings WHERE id > ? AND model = ? ORDER BY id LIMIT ?",
            &args,
        )?;
        for row in &rows {
            let vector = row.blob(1)?;
            // A server may serve another model under the same name.
            if vector.len() == asked.len() {
                let cosine = dot(&asked, vector) as f32 / (asked_norm * norm(vector)).max(1.0);
                found.push((FactId::parse(row.text(0)?).ok_or(StoreError::Corrupt("fact id"))?, cosine));
            }
        }
        crate::order::by(&mut found, |a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        found.truncate(limit);
        match rows.last() {
            Some(last) if rows.len() as i64 == PAGE => after = last.string(0)?,
            _ => return Ok(found),
        }
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
        sql.exec(SCHEMA, &[]).unwrap();
        sql
    }

    #[test]
    fn the_nearest_come_first_over_more_than_a_page() {
        let sql = stored();
        for n in 0..2_500_usize {
            let angle = n as f32 / 1_000.0;
            put(&sql, &id(n), "m", &[angle.cos(), angle.sin(), 0.0]).unwrap();
        }
        let found = nearest(&sql, "m", &[1.0_f32.cos(), 1.0_f32.sin(), 0.0], 30).unwrap();
        assert_eq!(found.len(), 30);
        assert!(found.iter().all(|(_, cosine)| *cosine > 0.999));
        assert!(nearest(&sql, "other", &[1.0, 0.0, 0.0], 3).unwrap().is_empty());
        assert!(nearest(&sql, "m", &[1.0, 0.0], 3).unwrap().is_empty());
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
        assert!(nearest(&sql, "m", &[1.0, 0.0], 3).unwrap().is_empty());
    }

    #[test]
    fn a_vector_without_direction_is_not_stored() {
        let sql = stored();
        for vector in [&[0.0, 0.0][..], &[f32::NAN, 1.0], &[f32::INFINITY, 1.0], &[]] {
            put(&sql, &id(1), "m", vector).unwrap();
            assert!(nearest(&sql, "m", &[1.0, 0.0], 3).unwrap().is_empty());
            assert!(nearest(&sql, "m", vector, 3).unwrap().is_empty());
        }
    }
}
