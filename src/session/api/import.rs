//! Imports: what was said elsewhere enters the archive, and exported facts come back, while the file still arrives.
//!
//! Invariant: each window of the file is one transaction, and every id is made from what was read, so an import that
//! breaks off keeps what it has and can simply be sent again. Nothing here is on a reply's path: indexing and
//! extraction are jobs. What is read passes the same rules as what is said: secrets don't become facts, text aimed at
//! the model is held, what was forgotten stays forgotten.

use crate::sorted::SortedSet;
use serde_json::{Value, json as object};

use super::threads::MAX_THREADS;
use super::{Answer, Refused, Request, Response, json};
use crate::http::problem::{Code, Problem};
use crate::http::query::{ImportFormat, import, import_extracts};
use crate::id::ThreadId;
use crate::import::{self, Conversation, Entry, Read, Reader};
use crate::memory::category::{Category, categories};
use crate::memory::directive::directive;
use crate::memory::model::Fact;
use crate::memory::policy;
use crate::memory::reconcile::Reason;
use crate::session::Session;
use crate::session::ports::{Body, CallFailed, Ports};
use crate::store::archive::{self, Placing};
use crate::store::jobs::{self, JobKind};
use crate::store::restore::{NotRestored, restore};
use crate::store::sql::{StoreError, atomic};
use crate::store::threads;
use crate::text::estimate;
use crate::time::Millis;

/// Bytes that are read and written at a time: what they complete is held, and no other event comes in between.
const WINDOW: usize = 64 * 1024;
/// Broken pieces that are listed; all of them are counted.
const LISTED: usize = 100;

/// What one import has done so far.
struct Import {
    /// The line and the entry that is being taken.
    at: (u64, Option<u64>),
    extracts: bool,
    /// What the user never wants to be remembered.
    never: Vec<Category>,
    /// Where messages go that belong in front of a conversation here.
    in_front: Option<i64>,
    threads: SortedSet<ThreadId>,
    messages: u64,
    repeated: u64,
    facts: u64,
    facts_repeated: u64,
    skipped: u64,
    broken: u64,
    listed: Vec<Value>,
}

/// A request's body that is there as a whole.
pub(super) struct WholeBody(pub Option<Vec<u8>>);

impl Body for WholeBody {
    async fn chunk(&mut self) -> Result<Option<Vec<u8>>, CallFailed> {
        Ok(self.0.take())
    }
}

impl<P: Ports> Session<P> {
    /// Answers `POST /api/import` while its body arrives.
    pub async fn handle_import(&self, query: &str, body: &mut impl Body) -> Response {
        let answer = match self.recover() {
            Ok(()) => self.import(query, body).await,
            Err(error) => Err(error.into()),
        };
        self.answered(answer)
    }

    pub(super) async fn import_whole(&self, request: &Request) -> Answer {
        self.import(&request.query, &mut WholeBody(Some(request.body.clone()))).await
    }

    async fn import(&self, query: &str, body: &mut impl Body) -> Answer {
        let format = import(query)?;
        let mut reader = Reader::new(format);
        let mut import = Import {
            at: (0, None),
            extracts: import_extracts(query)?,
            never: self.settings()?.never(),
            in_front: None,
            threads: SortedSet::new(),
            messages: 0,
            repeated: 0,
            facts: 0,
            facts_repeated: 0,
            skipped: 0,
            broken: 0,
            listed: Vec::new(),
        };
        let mut is_whole = true;
        loop {
            match body.chunk().await {
                Ok(Some(chunk)) => {
                    for window in chunk.chunks(WINDOW) {
                        self.take(&reader.feed(window), &mut import)?;
                    }
                }
                Ok(None) => break,
                // Whoever sent it is gone; what came is kept.
                Err(CallFailed(_)) => {
                    is_whole = false;
                    break;
                }
            }
        }
        if is_whole && !reader.has_begun() {
            let rest = reader.end();
            if rest.is_empty() {
                return Err(Problem::new(Code::BadBody, "The file is empty.").into());
            }
            self.take(&rest, &mut import)?;
        } else if is_whole {
            self.take(&reader.end(), &mut import)?;
        }
        self.arm()?;
        self.ports.log(
            "imported",
            &[("messages", import.messages.to_string()), ("broken", import.broken.to_string())],
        );
        let waiting = archive::waiting(self.ports.sql())?;
        json(
            200,
            &object!({
                "format": format_word(format),
                "messages": import.messages,
                "repeated": import.repeated,
                "facts": import.facts,
                "facts_repeated": import.facts_repeated,
                "threads": import.threads.len(),
                "skipped": import.skipped,
                "broken_total": import.broken,
                "broken": import.listed,
                "complete": is_whole,
                "waiting": {"to_index": waiting.to_index, "to_extract": waiting.to_study},
            }),
        )
    }

    /// Writes what was read, all or nothing.
    fn take(&self, read: &[Entry], import: &mut Import) -> Result<(), Refused> {
        if read.is_empty() {
            return Ok(());
        }
        let (sql, now) = (self.ports.sql(), self.ports.now());
        // A transaction that fails ends the import, so that its counts need no way back.
        atomic(sql, || {
            let mut touched: SortedSet<&ThreadId> = SortedSet::new();
            for Entry { line, item, read } in read {
                import.at = (*line, *item);
                match read {
                    Read::Conversation(conversation) => {
                        if self.take_conversation(conversation, import)? {
                            touched.insert(&conversation.thread);
                        }
                    }
                    Read::Thread(thread) => self.take_thread(thread)?,
                    Read::Fact(fact) => self.take_fact(fact, import)?,
                    Read::Skipped => import.skipped += 1,
                    Read::Broken(reason) => import.note(reason.as_str()),
                }
            }
            for thread in touched {
                if !archive::is_conversation(sql, thread)? {
                    archive::pass_over(sql, thread, self.config.limits.recent_messages)?;
                }
                jobs::ask_once(sql, JobKind::IndexArchive, "all", now, now)?;
                if import.extracts {
                    jobs::ask_once(sql, JobKind::ExtractArchive, "all", now, now)?;
                }
                import.threads.insert(thread.clone());
            }
            Ok(())
        })?;
        Ok(())
    }

    /// Writes a conversation; true if anything of it was new.
    fn take_conversation(&self, read: &Conversation, import: &mut Import) -> Result<bool, StoreError> {
        let (sql, now) = (self.ports.sql(), self.ports.now());
        let times = || read.messages.iter().map(|said| said.said_at);
        let (Some(first), Some(last)) = (times().min(), times().max()) else { return Ok(false) };
        match threads::get(sql, &read.thread, now)? {
            // What is temporary is removed again, and no archive.
            Some(thread) if thread.temporary => {
                read.messages.iter().for_each(|_| import.note("temporary_thread"));
                return Ok(false);
            }
            None if threads::count(sql)? >= MAX_THREADS => {
                read.messages.iter().for_each(|_| import.note("too_many_threads"));
                return Ok(false);
            }
            _ => {}
        }
        let is_conversation = archive::is_conversation(sql, &read.thread)?;
        let mut any = false;
        for said in &read.messages {
            let seq = match (is_conversation, import.in_front) {
                (false, _) => None,
                (true, Some(next)) => Some(next),
                (true, None) => Some(archive::block(sql)?),
            };
            let placing = Placing {
                seq,
                excluded: self.is_forgotten(&said.text, said.said_at)?,
                teaches: import.extracts && said.role.is_user(),
            };
            if archive::put(sql, &read.thread, said, placing)? {
                any = true;
                import.messages += 1;
                import.in_front = seq.map(|seq| seq + 1).or(import.in_front);
            } else {
                import.repeated += 1;
            }
        }
        if any {
            archive::put_thread(sql, &read.thread, &read.title, first, last)?;
        }
        Ok(any)
    }

    /// A thread's title and summary, where there is none yet. A summary enters prompts, so it passes the rules of one.
    fn take_thread(&self, read: &import::Thread) -> Result<(), StoreError> {
        let (sql, now) = (self.ports.sql(), self.ports.now());
        let known = threads::get(sql, &read.id, now)?;
        // One that has neither messages nor a title would only be an empty line of the list.
        let is_wanted = match &known {
            Some(known) => !known.temporary,
            None => !read.title.is_empty() && threads::count(sql)? < MAX_THREADS,
        };
        if !is_wanted {
            return Ok(());
        }
        let (first, last) = known.map_or((now, now), |known| (known.created_at, known.updated_at));
        archive::put_thread(sql, &read.id, &read.title, first, last)?;
        let Some(known) = threads::get(sql, &read.id, now)? else { return Ok(()) };
        let fits = estimate::tokens(&read.summary) <= self.config.limits.summary_max_tokens;
        let is_free = known.summary.is_empty() && !known.summary_stale;
        if is_free
            && fits
            && !read.summary.is_empty()
            && policy::screen(&read.summary).is_empty()
            && directive(&read.summary).is_none()
            && !self.is_forgotten(&read.summary, Millis::default())?
            && !archive::is_conversation(sql, &read.id)?
        {
            threads::set_summary(sql, &read.id, &read.summary, known.folded_seq, now)?;
        }
        Ok(())
    }

    fn take_fact(&self, fact: &Fact, import: &mut Import) -> Result<(), StoreError> {
        let limits = &self.config.limits;
        let quote = &fact.source.quote;
        let reason = if fact.text.chars().count() > limits.fact_max_chars
            || quote.chars().count() > limits.max_message_chars
        {
            Some("too_long")
        } else if !policy::screen(&fact.text).is_empty() || !policy::screen(quote).is_empty() {
            Some("secret")
        } else if categories(&fact.text, fact.kind).iter().any(|it| import.never.contains(it)) {
            Some("never_remember")
        } else {
            None
        };
        if let Some(reason) = reason {
            import.note(reason);
            return Ok(());
        }
        let hold = directive(&fact.text).or_else(|| directive(quote)).map(|_| Reason::Instruction);
        let restored = self.act(None, |act| restore(self.ports.sql(), fact, hold, limits.facts_max, act))?;
        match restored {
            Ok(_) => import.facts += 1,
            Err(NotRestored::Known) => import.facts_repeated += 1,
            Err(NotRestored::Removed) => import.note("forgotten"),
            Err(NotRestored::Full) => import.note("facts_full"),
        }
        Ok(())
    }
}

impl Import {
    /// Counts something that wasn't taken, and lists it with its place.
    fn note(&mut self, reason: &str) {
        self.broken += 1;
        if self.listed.len() < LISTED {
            let (line, item) = self.at;
            self.listed.push(object!({"line": line, "item": item, "reason": reason}));
        }
    }
}

fn format_word(format: ImportFormat) -> &'static str {
    match format {
        ImportFormat::Kioku => "kioku",
        ImportFormat::Messages => "messages",
        ImportFormat::ChatGpt => "chatgpt",
        ImportFormat::Claude => "claude",
    }
}
