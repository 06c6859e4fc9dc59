//! What a user's retention period removes: messages from before it, and facts that nobody said, confirmed or changed
//! since.
//!
//! Deliberately absent: the removing of facts, which is a forgetting like any other ([`super::forget`]); here they are
//! only found.

use super::sql::{Sql, StoreError, atomic};
use super::{leaving, messages, rewrites, threads};
use crate::id::{FactId, MessageId, ThreadId};
use crate::time::Millis;

/// Removes messages that were said before `before`, at most `limit` and the other half of their turns, with their
/// turns and traces; their words leave the index later ([`leaving`]). Gives the threads they were in; none if nothing was left to remove.
pub fn remove_messages(sql: &dyn Sql, before: Millis, limit: u32) -> Result<Vec<ThreadId>, StoreError> {
    atomic(sql, || {
        // A turn that still runs needs its question.
        let rows = sql.exec(
            "SELECT m.id FROM messages m WHERE m.created_at < ? AND NOT EXISTS (
                 SELECT 1 FROM turns t WHERE t.id = m.turn AND t.state IN ('queued', 'running'))
             ORDER BY m.seq LIMIT ?",
            &[before.into(), i64::from(limit).into()],
        )?;
        let old: Vec<MessageId> = rows
            .iter()
            .map(|row| MessageId::parse(row.text(0)?).ok_or_else(|| StoreError::corrupt("message id")))
            .collect::<Result<_, _>>()?;
        let ids = messages::id_list(&old);
        let rows = sql.exec(
            "SELECT seq, turn, thread FROM messages WHERE id IN (SELECT value FROM json_each(?1)) OR turn IN (
                 SELECT turn FROM messages WHERE id IN (SELECT value FROM json_each(?1)) AND turn IS NOT NULL)",
            &[ids.as_str().into()],
        )?;
        threads::untitle(sql, &ids)?;
        leaving::remove_messages(sql, &rows)?;
        let mut threads = Vec::new();
        for row in &rows {
            threads.push(ThreadId::parse(row.text(2)?).ok_or_else(|| StoreError::corrupt("thread id"))?);
        }
        if !rows.is_empty() {
            rewrites::clear(sql)?;
        }
        threads.sort();
        threads.dedup();
        Ok(threads)
    })
}

/// Threads that nobody used since `before` and that hold nothing any more.
pub fn empty_threads(sql: &dyn Sql, before: Millis) -> Result<Vec<ThreadId>, StoreError> {
    sql.exec(
        "SELECT id FROM threads WHERE id <> 'main' AND updated_at < ?
           AND NOT EXISTS (SELECT 1 FROM messages WHERE thread = threads.id)
           AND NOT EXISTS (SELECT 1 FROM turns WHERE thread = threads.id) LIMIT 100",
        &[before.into()],
    )?
    .iter()
    .map(|row| ThreadId::parse(row.text(0)?).ok_or_else(|| StoreError::corrupt("thread id")))
    .collect()
}

/// Facts that nobody said, confirmed or changed since `before` and that aren't pinned, and those that only the ledger
/// still knows from before then.
pub fn old_facts(sql: &dyn Sql, before: Millis, limit: u32) -> Result<Vec<FactId>, StoreError> {
    sql.exec(
        "SELECT id FROM facts WHERE pinned = 0 AND max(observed_at, updated_at) < ?1
         UNION
         SELECT i.fact FROM change_items i JOIN changes c ON c.seq = i.change
         WHERE i.fact NOT IN (SELECT id FROM facts) AND (i.before IS NOT NULL OR i.after IS NOT NULL)
         GROUP BY i.fact HAVING max(c.at) < ?1
         LIMIT ?2",
        &[before.into(), i64::from(limit).into()],
    )?
    .iter()
    .map(|row| FactId::parse(row.text(0)?).ok_or_else(|| StoreError::corrupt("fact id")))
    .collect()
}
