//! Threads, their messages and their summaries.

use serde::Deserialize;
use serde_json::{Value, json as object};

use super::edits::no_secret;
use super::{Answer, Refused, Request, body, json, no_content};
use crate::chat::protocol::{WireFact, WireMessage};
use crate::http::problem::Problem;
use crate::http::query::{Keyset, PageQuery, ThreadFacts, thread_facts, to_cursor};
use crate::id::ThreadId;
use crate::session::Session;
use crate::session::ports::Ports;
use crate::store::threads::Thread;
use crate::store::{facts, leaving, messages, receipts, threads};
use crate::text::{self, one_line};
use crate::time::Millis;

/// A title longer than this is a message.
const MAX_TITLE_CHARS: usize = 200;
/// Enough for a thread a day for decades.
pub(super) const MAX_THREADS: i64 = 10_000;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NewThread {
    title: Option<String>,
    #[serde(default)]
    temporary: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ThreadChange {
    title: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NewSummary {
    summary: String,
}

impl<P: Ports> Session<P> {
    pub(super) fn list_threads(&self, request: &Request) -> Answer {
        let query = PageQuery::parse(&request.query, "cursor")?;
        let sql = self.ports.sql();
        self.thread(&ThreadId::main())?;
        let after = query.after.as_ref().map(|place| (place.at, place.id.as_str()));
        let mut found = threads::list(sql, after, query.limit as u32 + 1)?;
        let more = found.len() > query.limit;
        found.truncate(query.limit);
        let next = found
            .last()
            .filter(|_| more)
            .map(|thread| to_cursor(&Keyset { at: thread.updated_at, id: thread.id.to_string() }));
        let list: Vec<Value> = found.iter().map(wire).collect();
        json(200, &object!({"threads": list, "next_cursor": next}))
    }

    pub(super) fn make_thread(&self, request: &Request) -> Answer {
        let new: NewThread = body(request)?;
        let title = title(&new.title.unwrap_or_default())?;
        let (sql, now) = (self.ports.sql(), self.ports.now());
        if threads::count(sql)? >= MAX_THREADS {
            return Err(Problem::conflict("There are too many threads; delete some first.").into());
        }
        let id = ThreadId::new(self.ports.random());
        threads::create(sql, &id, &title, new.temporary, now)?;
        self.arm()?;
        json(201, &wire(&self.known_thread(&id)?))
    }

    pub(super) fn change_thread(&self, id: &ThreadId, request: &Request) -> Answer {
        let change: ThreadChange = body(request)?;
        let title = title(&change.title)?;
        self.known_thread(id)?;
        threads::rename(self.ports.sql(), id, &title, self.ports.now())?;
        json(200, &wire(&self.known_thread(id)?))
    }

    /// Answers when nothing shows it any more: 204 if it is erased too, 202 with a receipt while that goes on. With
    /// `?facts=forget` what was learned in it is forgotten too, and told by id.
    pub(super) async fn delete_thread(&self, id: &ThreadId, request: &Request) -> Answer {
        let forgets = thread_facts(&request.query)? == ThreadFacts::Forget;
        self.known_thread(id)?;
        let (sql, now) = (self.ports.sql(), self.ports.now());
        let gone = if forgets { leaving::facts_of_thread(sql, id, now, u32::MAX)? } else { Vec::new() };
        let told: Vec<WireFact> = facts::by_ids(sql, &gone)?.iter().map(WireFact::of).collect();
        self.drop_thread(id, forgets)?;
        let waiting = self.out_of_sight().await?;
        for fact in &told {
            self.tell_forgotten(fact, String::new());
        }
        let state = |is_done| if is_done { "done" } else { "pending" };
        let mut receipt = object!({
            "deleted": id, "object": state(waiting.is_none()), "messages": state(waiting.messages == 0),
        });
        if forgets {
            let mirrors = receipts::slowest(sql, &gone)?;
            receipt["forgotten"] = object!(gone);
            receipt["facts"] = state(waiting.facts == 0).into();
            receipt["d1"] = mirrors.d1.as_receipt().into();
            receipt["vectorize"] = mirrors.vectorize.as_receipt().into();
        }
        match (waiting.is_none(), forgets) {
            (true, false) => no_content(),
            (true, true) => json(200, &receipt),
            (false, _) => json(202, &receipt),
        }
    }

    pub(super) fn list_messages(&self, id: &ThreadId, request: &Request) -> Answer {
        let query = PageQuery::parse(&request.query, "before")?;
        self.known_thread(id)?;
        let before = query.after.map(|place| place.at.0);
        let mut found = messages::page(self.ports.sql(), id, before, query.limit as u32 + 1)?;
        let more = found.len() > query.limit;
        found.truncate(query.limit);
        // A message's place in the archive stands where other lists have a time: it is what orders them.
        let next = found
            .last()
            .filter(|_| more)
            .map(|message| to_cursor(&Keyset { at: Millis(message.seq), id: message.id.to_string() }));
        let list: Vec<WireMessage> = found.iter().map(WireMessage::from).collect();
        json(200, &object!({"messages": list, "next_before": next, "next_cursor": next}))
    }

    pub(super) fn read_summary(&self, id: &ThreadId) -> Answer {
        json(200, &summary(&self.known_thread(id)?))
    }

    pub(super) fn replace_summary(&self, id: &ThreadId, request: &Request) -> Answer {
        let new: NewSummary = body(request)?;
        if text::estimate::tokens(&new.summary) > self.config.limits.summary_max_tokens {
            let rule = format!("may have at most {} tokens", self.config.limits.summary_max_tokens);
            return Err(Problem::bad_field("summary", &rule).into());
        }
        let thread = self.known_thread(id)?;
        no_secret(&new.summary)?;
        threads::set_summary(self.ports.sql(), id, new.summary.trim(), thread.folded_seq, self.ports.now())?;
        json(200, &summary(&self.known_thread(id)?))
    }

    pub(super) fn delete_summary(&self, id: &ThreadId) -> Answer {
        let thread = self.known_thread(id)?;
        threads::set_summary(self.ports.sql(), id, "", thread.folded_seq, self.ports.now())?;
        no_content()
    }

    pub(super) fn known_thread(&self, id: &ThreadId) -> Result<Thread, Refused> {
        self.thread(id)?.ok_or_else(|| Problem::not_found().into())
    }
}

fn title(raw: &str) -> Result<String, Refused> {
    let title = one_line(raw);
    if title.chars().count() > MAX_TITLE_CHARS {
        return Err(Problem::bad_field("title", "may have at most 200 characters").into());
    }
    Ok(title)
}

fn wire(thread: &Thread) -> Value {
    object!({
        "id": thread.id,
        "title": thread.title,
        "temporary": thread.temporary,
        "created_at": thread.created_at.to_rfc3339(),
        "updated_at": thread.updated_at.to_rfc3339(),
    })
}

fn summary(thread: &Thread) -> Value {
    object!({
        "thread": thread.id,
        "summary": thread.summary,
        "updated_at": thread.summary_updated_at.map(Millis::to_rfc3339),
    })
}
