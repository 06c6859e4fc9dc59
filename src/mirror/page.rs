//! The memory page's lists: one question, asked of D1 when it is fresh and of the object when it is not.
//!
//! Both give the same facts in the same order, newest first by `(created_at, id)`, which never change; so a page
//! is neither repeated nor skipped while facts are edited. What D1 gives is confirmed by the object.

use super::ports::{Facts, Statement};
use super::rows::{COLUMNS, LAYOUT, shard};
use super::search::{matches, needles, searchable};
use crate::id::{FactId, MessageId, OwnerKey, ThreadId, TurnId};
use crate::json;
use crate::memory::model::{Fact, Kind, Scope, Source, Status};
use crate::store::mirrors::{self, Mirror};
use crate::store::outbox;
use crate::store::sql::{Arg, Row, Sql, StoreError};
use crate::time::Millis;

/// Which facts are asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    /// Words that text or quote must contain; see [`super::search`].
    pub q: String,
    /// `None` is every status.
    pub status: Option<Status>,
    pub kind: Option<Kind>,
    /// Facts said in this thread, or only recalled in it.
    pub thread: Option<ThreadId>,
    /// Said at this instant or later.
    pub since: Option<Millis>,
    /// Said before this instant.
    pub until: Option<Millis>,
    pub after: Option<Cursor>,
    /// 1 to 200.
    pub limit: usize,
}

/// The last fact of the page before.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cursor {
    created_at: Millis,
    id: FactId,
}

impl Cursor {
    pub fn of(fact: &Fact) -> Self {
        Self { created_at: fact.created_at, id: fact.id.clone() }
    }

    /// The time and id behind which the list goes on.
    pub fn place(&self) -> (Millis, FactId) {
        (self.created_at, self.id.clone())
    }

    /// The opaque form for the wire.
    pub fn to_token(&self) -> String {
        crate::encoding::base64url(format!("{}.{}", self.created_at.0, self.id).as_bytes())
    }

    /// `None` for anything that [`Cursor::to_token`] doesn't give.
    pub fn parse(token: &str) -> Option<Self> {
        let bytes = crate::encoding::from_base64url(token)?;
        let (created_at, id) = std::str::from_utf8(&bytes).ok()?.split_once('.')?;
        let created_at: i64 = created_at.parse().ok()?;
        // Larger numbers don't survive the runtime.
        (created_at.unsigned_abs() < 1 << 53)
            .then(|| Some(Self { created_at: Millis(created_at), id: FactId::parse(id)? }))?
    }
}

/// One page. D1's facts are what it knows; the object confirms each id and version before showing it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Page {
    pub facts: Vec<Fact>,
    pub next: Option<Cursor>,
}

/// The question for D1. It asks for one fact more than the page has, which tells whether there is a next one.
pub fn statement(owner: &OwnerKey, query: &Query) -> Statement {
    let mut sql = format!("SELECT {COLUMNS} FROM facts WHERE owner = ? AND deleted = 0");
    let mut args: Vec<Arg<'_>> = vec![owner.as_str().into()];
    match query.status {
        // Spelled out so that the index of held facts is used.
        Some(Status::Held) => sql.push_str(" AND status = 'held'"),
        Some(status) => {
            sql.push_str(" AND status = ?");
            args.push(status.as_str().into());
        }
        None => {}
    }
    if let Some(kind) = query.kind {
        sql.push_str(" AND kind = ?");
        args.push(kind.as_str().into());
    }
    let scope;
    if let Some(thread) = &query.thread {
        scope = Scope::Thread(thread.clone()).to_word();
        sql.push_str(" AND (thread = ? OR scope = ?)");
        args.push(thread.as_str().into());
        args.push((&scope).into());
    }
    if let Some(since) = query.since {
        sql.push_str(" AND said_at >= ?");
        args.push(since.into());
    }
    if let Some(until) = query.until {
        sql.push_str(" AND said_at < ?");
        args.push(until.into());
    }
    let needles = needles(&query.q);
    match &needles {
        None => {}
        Some(needles) if needles.is_empty() => sql.push_str(" AND 0"),
        Some(needles) => {
            for needle in needles {
                sql.push_str(" AND instr(search, ?) > 0");
                args.push(needle.into());
            }
        }
    }
    if let Some(cursor) = &query.after {
        sql.push_str(" AND (created_at, id) < (?, ?)");
        args.push(cursor.created_at.into());
        args.push(cursor.id.as_str().into());
    }
    sql.push_str(" ORDER BY created_at DESC, id DESC LIMIT ?");
    args.push((query.limit as i64 + 1).into());
    Statement::new(sql, &args)
}

/// Reads the rows that [`statement`] asked for.
pub fn read(rows: &[Row], query: &Query) -> Result<Page, StoreError> {
    let facts = rows.iter().map(read_fact).collect::<Result<Vec<_>, _>>()?;
    Ok(cut(facts, query.limit))
}

/// Which database may be asked for this owner's pages: none while it lacks a change, or before this memory has
/// moved into it, and then the object answers by [`select`].
pub fn fresh_shard(sql: &dyn Sql, owner: &OwnerKey, databases: usize) -> Result<Option<usize>, StoreError> {
    let shard = shard(owner, databases);
    let is_fresh = databases > 0
        && mirrors::known_shard(sql)? == Some(shard as i64)
        && mirrors::known_layout(sql)? == LAYOUT
        && outbox::is_fresh(sql, Mirror::D1)?;
    Ok(is_fresh.then_some(shard))
}

/// The page as the object knows it; `None` if D1 and the object differ in any fact, and then the object answers.
pub fn confirm<F: Facts>(page: &Page, facts: &F) -> Result<Option<Page>, StoreError> {
    let mut confirmed = Vec::with_capacity(page.facts.len());
    for mirrored in &page.facts {
        match facts.fact(&mirrored.id)? {
            Some(fact) if fact.version == mirrored.version => confirmed.push(fact),
            _ => return Ok(None),
        }
    }
    Ok(Some(Page { facts: confirmed, next: page.next.clone() }))
}

/// The same page from the object's own facts.
pub fn select(facts: impl IntoIterator<Item = Fact>, query: &Query) -> Page {
    let needles = needles(&query.q);
    let mut found: Vec<Fact> =
        facts.into_iter().filter(|fact| is_asked_for(fact, query, needles.as_deref())).collect();
    crate::order::by(&mut found, |a, b| (b.created_at, &b.id).cmp(&(a.created_at, &a.id)));
    found.truncate(query.limit + 1);
    cut(found, query.limit)
}

/// Whether a fact belongs to some page of this query: the object asks it of the facts that D1 gave.
pub fn is_match(fact: &Fact, query: &Query) -> bool {
    is_asked_for(fact, query, needles(&query.q).as_deref())
}

fn is_asked_for(fact: &Fact, query: &Query, needles: Option<&[String]>) -> bool {
    query.status.is_none_or(|status| fact.status == status)
        && query.kind.is_none_or(|kind| fact.kind == kind)
        && query.since.is_none_or(|since| fact.source.said_at >= since)
        && query.until.is_none_or(|until| fact.source.said_at < until)
        && query.thread.as_ref().is_none_or(|thread| {
            fact.source.thread.as_ref() == Some(thread)
                || matches!(&fact.scope, Scope::Thread(own) if own == thread)
        })
        && query.after.as_ref().is_none_or(|cursor| Cursor::of(fact) < *cursor)
        && needles.is_none_or(|needles| matches(&searchable(&[&fact.text, &fact.source.quote]), needles))
}

fn cut(mut facts: Vec<Fact>, limit: usize) -> Page {
    let has_more = facts.len() > limit;
    facts.truncate(limit);
    let next = if has_more { facts.last().map(Cursor::of) } else { None };
    Page { facts, next }
}

fn read_fact(row: &Row) -> Result<Fact, StoreError> {
    fn id<T>(row: &Row, column: usize, parse: fn(&str) -> Option<T>) -> Result<Option<T>, StoreError> {
        row.optional(column, |row, column| parse(row.text(column)?).ok_or_else(|| StoreError::corrupt("id")))
    }
    Ok(Fact {
        id: id(row, 0, FactId::parse)?.ok_or_else(|| StoreError::corrupt("fact id"))?,
        version: u32::try_from(row.int(1)?).map_err(|_| StoreError::corrupt("version"))?,
        text: row.string(2)?,
        kind: Kind::parse(row.text(3)?).ok_or_else(|| StoreError::corrupt("kind"))?,
        scope: Scope::parse(row.text(4)?).ok_or_else(|| StoreError::corrupt("scope"))?,
        status: Status::parse(row.text(5)?).ok_or_else(|| StoreError::corrupt("status"))?,
        pinned: row.flag(6)?,
        edited: row.flag(7)?,
        observed_at: Millis(row.int(8)?),
        valid_from: row.optional(9, Row::string)?,
        valid_until: row.optional(10, Row::string)?,
        supersedes: json::read(row.text(11)?.as_bytes()).map_err(|_| StoreError::corrupt("supersedes"))?,
        superseded_by: id(row, 12, FactId::parse)?,
        source: Source {
            message: id(row, 13, MessageId::parse)?,
            thread: id(row, 14, ThreadId::parse)?,
            quote: row.string(15)?,
            said_at: Millis(row.int(16)?),
        },
        turn: id(row, 17, TurnId::parse)?,
        created_at: Millis(row.int(18)?),
        updated_at: Millis(row.int(19)?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_that_we_did_not_give_is_refused() {
        let cursor = Cursor { created_at: Millis(1_796_004_000_123), id: FactId::new([1; 10]) };
        assert_eq!(Cursor::parse(&cursor.to_token()), Some(cursor));
        let encode = |text: &str| crate::encoding::base64url(text.as_bytes());
        for bad in
            ["", "?", "犬", &encode("1"), &encode("x.f_a"), &encode("1.犬"), &encode("9007199254740993.f_a")]
        {
            assert_eq!(Cursor::parse(bad), None, "{bad}");
        }
    }
}
