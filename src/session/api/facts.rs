//! Reading facts and the ledger: lists, search, one fact, changes.

use serde_json::{Value, json as object};

use super::{Answer, Refused, Request, json};
use crate::chat::protocol::WireFact;
use crate::http::problem::Problem;
use crate::http::query::{BadParameter, FactsQuery, Keyset, Match, PageQuery, to_cursor};
use crate::id::FactId;
use crate::memory::model::Fact;
use crate::mirror::page::{self, Cursor, Page};
use crate::mirror::ports::Table;
use crate::session::Session;
use crate::session::ports::Ports;
use crate::store::ledger::Entry;
use crate::store::{facts, ledger, receipts};
use crate::time::Millis;

impl<P: Ports> Session<P> {
    pub(super) async fn list_facts(&self, request: &Request) -> Answer {
        let query = FactsQuery::parse(&request.query)?;
        let cursor = match &query.cursor {
            Some(token) => Some(
                Cursor::parse(token)
                    .ok_or_else(|| BadParameter::new("cursor", "isn't a cursor of this list"))?,
            ),
            None => None,
        };
        if let Some(q) = query.q.clone().filter(|_| query.matching != Match::Keyword) {
            return self.search_facts(&q, &query).await;
        }
        let asked = page::Query {
            q: query.q.clone().unwrap_or_default(),
            status: query.status,
            kind: query.kind,
            thread: query.thread.clone(),
            since: query.since,
            until: query.until,
            after: cursor,
            limit: query.limit,
        };
        let (page, source) = self.page(&asked).await?;
        let mut list = Vec::new();
        for fact in &page.facts {
            list.push(self.wire_fact(fact)?);
        }
        json(
            200,
            &object!({
                "facts": list,
                "next_cursor": page.next.map(|cursor| cursor.to_token()),
                "source": source,
            }),
        )
    }

    /// From D1 while it shows everything, confirmed by the object; otherwise from the object itself.
    async fn page(&self, asked: &page::Query) -> Result<(Page, &'static str), Refused> {
        let sql = self.ports.sql();
        let tables = self.ports.tables();
        if let Some(table) = page::fresh_shard(sql, &self.owner, tables.len())?.and_then(|at| tables.get(at))
            && let Ok(rows) = table.batch(&[page::statement(&self.owner, asked)]).await
            && let Some(rows) = rows.first()
            && let Ok(found) = page::read(rows, asked)
        {
            let facts = super::super::mirroring::OwnFacts(sql);
            if let Some(confirmed) = page::confirm(&found, &facts)? {
                return Ok((confirmed, "d1"));
            }
        }
        Ok((self.own_page(asked)?, "object"))
    }

    pub(super) fn own_page(&self, asked: &page::Query) -> Result<Page, Refused> {
        let sql = self.ports.sql();
        let filter = facts::Filter {
            status: asked.status,
            kind: asked.kind,
            thread: asked.thread.as_ref(),
            contains: &[],
        };
        let mut found: Vec<Fact> = Vec::new();
        let mut after: Option<(Millis, FactId)> = asked.after.as_ref().map(Cursor::place);
        // One fact more than the page has tells whether there is a next one.
        while found.len() <= asked.limit {
            let batch = facts::list(sql, &filter, after.as_ref().map(|(at, id)| (*at, id)), 500)?;
            let Some(last) = batch.last() else { break };
            after = Some((last.created_at, last.id.clone()));
            found.extend(batch.into_iter().filter(|fact| page::is_match(fact, asked)));
        }
        Ok(page::select(found, asked))
    }

    pub(super) fn read_fact(&self, id: &FactId) -> Answer {
        if let Some(fact) = facts::get(self.ports.sql(), id)? {
            return json(200, &self.wire_fact(&fact)?);
        }
        match receipts::receipt(self.ports.sql(), id)? {
            Some(receipt) => json(200, &receipt_body(id, &receipt)),
            None => Err(Problem::not_found().into()),
        }
    }

    pub(super) fn list_changes(&self, request: &Request) -> Answer {
        let query = PageQuery::parse(&request.query, "cursor")?;
        let before = query.after.map(|place| place.at.0);
        let mut found = ledger::list(self.ports.sql(), before, query.limit as u32 + 1)?;
        let more = found.len() > query.limit;
        found.truncate(query.limit);
        let next = found
            .last()
            .filter(|_| more)
            .map(|entry| to_cursor(&Keyset { at: Millis(entry.seq), id: entry.id.to_string() }));
        let list: Vec<Value> = found.iter().map(entry_body).collect();
        json(200, &object!({"changes": list, "next_cursor": next}))
    }
}

pub(super) fn receipt_body(id: &FactId, receipt: &receipts::Receipt) -> Value {
    object!({
        "forgotten": id,
        "object": if receipt.is_erased { "done" } else { "pending" },
        "summary": receipt.summary.as_str(),
        "d1": receipt.mirrors.d1.as_receipt(),
        "vectorize": receipt.mirrors.vectorize.as_receipt(),
    })
}

fn entry_body(entry: &Entry) -> Value {
    let side = |fact: &Option<Fact>| fact.as_ref().map(WireFact::of);
    let items: Vec<Value> = entry
        .items
        .iter()
        .map(|item| object!({"fact": item.fact, "before": side(&item.before), "after": side(&item.after)}))
        .collect();
    let own = entry.items.iter().find(|item| item.fact == entry.fact);
    object!({
        "id": entry.id,
        "op": entry.op.as_str(),
        "fact": entry.fact,
        "before": own.and_then(|item| side(&item.before)),
        "after": own.and_then(|item| side(&item.after)),
        "items": items,
        "reason": entry.reason,
        "quote": entry.quote,
        "turn": entry.turn,
        "at": entry.at.to_rfc3339(),
        "undoes": entry.undoes,
        "undone_by": entry.undone_by,
        "undoable": !entry.wiped && entry.undone_by.is_none() && !entry.items.is_empty(),
    })
}
