//! Tombstones: what was forgotten is recognized when old text says it again, without being kept.
//!
//! Invariant: only keyed hashes are stored, under a random key that never leaves this object, so that nobody can
//! look up whether a guessed sentence was forgotten. Said anew after the deletion, it is learned anew.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use super::sql::{Sql, StoreError};
use crate::memory::claim::normal;
use crate::text::fold::fold_kana;
use crate::text::sentences::sentences;
use crate::time::Millis;

pub const SCHEMA: &str = "
CREATE TABLE tombstones (
    hash TEXT PRIMARY KEY,
    forgotten_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE tombstone_key (one INTEGER PRIMARY KEY CHECK (one = 1), key BLOB NOT NULL);
";

/// Sentences shorter than this ("yes.") say nothing alone, and would refuse what was never forgotten.
const MIN_SENTENCE_CHARS: usize = 6;

/// Marks texts and their sentences as forgotten. `random` becomes the key if there is none yet.
pub(super) fn bury(
    sql: &dyn Sql,
    texts: &[String],
    forgotten_at: Millis,
    random: &[u8; 32],
) -> Result<(), StoreError> {
    sql.exec("INSERT OR IGNORE INTO tombstone_key VALUES (1, ?)", &[random.as_slice().into()])?;
    let key = key(sql)?.ok_or_else(|| StoreError::corrupt("tombstone key"))?;
    for hash in texts.iter().flat_map(|text| forms(text)).map(|form| hash(&key, &form)) {
        sql.exec(
            "INSERT INTO tombstones VALUES (?1, ?2)
             ON CONFLICT (hash) DO UPDATE SET forgotten_at = max(forgotten_at, ?2)",
            &[hash.as_str().into(), forgotten_at.into()],
        )?;
    }
    Ok(())
}

/// Whether a text, or the quote that it rests on, was forgotten after it had been said.
pub fn is_tombstoned(sql: &dyn Sql, text: &str, quote: &str, said_at: Millis) -> Result<bool, StoreError> {
    let Some(key) = key(sql)? else { return Ok(false) };
    for form in forms(text).into_iter().chain(forms(quote)) {
        let rows = sql.exec(
            "SELECT 1 FROM tombstones WHERE hash = ? AND forgotten_at >= ?",
            &[hash(&key, &form).as_str().into(), said_at.into()],
        )?;
        if !rows.is_empty() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether anything was ever forgotten.
pub fn are_any(sql: &dyn Sql) -> Result<bool, StoreError> {
    Ok(key(sql)?.is_some())
}

/// The forms under which a text is recognized: as folded, without what doesn't change its meaning, and each
/// sentence of it.
fn forms(text: &str) -> Vec<String> {
    let mut forms = vec![fold_kana(text), normal(text)];
    for sentence in sentences(text) {
        if sentence.chars().count() >= MIN_SENTENCE_CHARS {
            forms.extend([fold_kana(sentence), normal(sentence)]);
        }
    }
    forms.retain(|form| !form.is_empty());
    forms.sort();
    forms.dedup();
    forms
}

fn key(sql: &dyn Sql) -> Result<Option<Vec<u8>>, StoreError> {
    let rows = sql.known("SELECT key FROM tombstone_key", &[])?;
    rows.first().map(|row| Ok(row.blob(0)?.to_vec())).transpose()
}

fn hash(key: &[u8], form: &str) -> String {
    let mut mac = <Hmac<Sha256> as KeyInit>::new_from_slice(key).expect("an HMAC takes keys of any length");
    mac.update(form.as_bytes());
    crate::encoding::hex(&mac.finalize().into_bytes())
}
