//! Memory as a whole: recall without a turn, mirrors, traces, the digest, forgetting everything.

use std::fmt::Write as _;

use serde::Deserialize;
use serde_json::{Value, json as object};

use super::{Answer, Request, body, json, text};
use crate::chat::protocol::WireFact;
use crate::http::problem::Problem;
use crate::http::query::{ExportFormat, dry_run, export};
use crate::id::{MessageId, ThreadId};
use crate::memory::digest::digest;
use crate::memory::episodes::apart;
use crate::memory::model::Fact;
use crate::memory::query::without_quotes;
use crate::session::Session;
use crate::session::consolidate::shown;
use crate::session::ports::Ports;
use crate::session::recall::{Asked, scored};
use crate::store::index::MessageFilter;
use crate::store::jobs::Job;
use crate::store::messages::Message;
use crate::store::sql::StoreError;
use crate::store::{archive, facts, jobs, leaving, messages, mirrors, receipts, threads, weeks};
use crate::text::shows_nothing;
use crate::time::Millis;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RecallBody {
    query: String,
    thread: Option<String>,
    limit: Option<usize>,
    /// Passages of that thread alone.
    only_thread: Option<bool>,
    /// Also what a turn would leave out, because it is hardly about the question.
    everything: Option<bool>,
    /// Passages said from then on, and before then.
    since: Option<String>,
    until: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ForgetBody {
    confirm: Option<String>,
}

/// What has to be typed.
const CONFIRMATION: &str = "forget everything";
const CLOSING: &str = "close my account";
const MAX_RECALLED: usize = 200;
/// Messages whose ids elsewhere an export reads at once.
const EXPORTED_AT_ONCE: usize = 1_000;

impl<P: Ports> Session<P> {
    pub(super) async fn recall_route(&self, request: &Request) -> Answer {
        let asked: RecallBody = body(request)?;
        if shows_nothing(&asked.query) || asked.query.chars().count() > self.config.limits.max_message_chars {
            return Err(Problem::bad_field("query", "must be a question of a message's length").into());
        }
        let limit = asked.limit.unwrap_or(MAX_RECALLED);
        if !(1..=MAX_RECALLED).contains(&limit) {
            return Err(Problem::bad_field("limit", "must be 1 to 200").into());
        }
        let thread = match &asked.thread {
            Some(raw) => {
                ThreadId::parse(raw).ok_or_else(|| Problem::bad_field("thread", "isn't a thread's id"))?
            }
            None => ThreadId::main(),
        };
        self.known_thread(&thread)?;
        let searched = without_quotes(&asked.query);
        let instant = |name: &'static str, raw: &Option<String>| match raw {
            Some(raw) => Millis::parse_rfc3339(raw)
                .map(Some)
                .ok_or_else(|| Problem::bad_field(name, "must be an instant such as 2026-11-30T02:00:00Z")),
            None => Ok(None),
        };
        let filter = MessageFilter {
            thread: asked.only_thread.unwrap_or(false).then_some(&thread),
            since: instant("since", &asked.since)?,
            until: instant("until", &asked.until)?,
        };
        let recalled = self
            .recall(&Asked {
                question: &searched,
                thread: &thread,
                zone: &self.settings()?.timezone,
                shown_from: None,
                shown: &[],
                most_passages: limit,
                everything: asked.everything.unwrap_or(false),
                filter,
            })
            .await?;
        let facts: Vec<WireFact> =
            recalled.facts.iter().take(limit).map(|(fact, score)| scored(fact, *score)).collect();
        let given: Vec<&(Message, f64)> = recalled.passages.iter().take(limit).collect();
        let places: Vec<i64> = given.iter().map(|(message, _)| message.seq).collect();
        let mut beside = messages::beside(self.ports.sql(), &places)?;
        let mut passages: Vec<Value> = Vec::new();
        for ((message, _), told) in given.iter().zip(self.told(&given)?) {
            let mut passage = serde_json::to_value(told).unwrap_or_default();
            let [before, after] = beside.remove(&message.seq).unwrap_or_default();
            passage["before"] = self.neighbour(before)?;
            passage["after"] = self.neighbour(after)?;
            passages.push(passage);
        }
        json(
            200,
            &object!({
                "query": {"original": asked.query, "searched": searched},
                "facts": facts,
                "passages": passages,
                "given": recalled.given,
                "threshold": self.recall_threshold(),
            }),
        )
    }

    /// What was said before or after a passage; nothing where it is left out of recall.
    fn neighbour(&self, message: Option<Message>) -> Result<Value, StoreError> {
        let Some(message) = message.filter(|message| !message.excluded && !message.text.is_empty()) else {
            return Ok(Value::Null);
        };
        if self.is_forgotten(&message.text, message.created_at)? {
            return Ok(Value::Null);
        }
        Ok(object!({
            "message": message.id, "role": message.role.as_str(), "text": message.text,
            "said_at": message.created_at.to_rfc3339(),
        }))
    }

    pub(super) fn read_mirrors(&self) -> Answer {
        let sql = self.ports.sql();
        let now = self.ports.now();
        let mut body = serde_json::Map::new();
        for state in mirrors::state(sql)? {
            let lag = state.oldest.map(|at| now.since(at));
            body.insert(
                state.mirror.as_str().to_owned(),
                object!({
                    "bound": state.bound,
                    "pending": state.pending,
                    "parked": state.parked,
                    "unconfirmed": state.unconfirmed,
                    "oldest": state.oldest.map(Millis::to_rfc3339),
                    "lag_ms": lag,
                    "last_error": state.last_error,
                    "next_at": state.next_at.map(Millis::to_rfc3339),
                }),
            );
        }
        let waiting = archive::waiting(sql)?;
        body.insert(
            "archive".to_owned(),
            object!({"to_index": waiting.to_index, "to_extract": waiting.to_study}),
        );
        let leaving = leaving::waiting(sql)?;
        body.insert("erasing".to_owned(), object!({"messages": leaving.messages, "facts": leaving.facts}));
        let jobs: Vec<Value> = jobs::list(sql)?.iter().map(wire_job).collect();
        body.insert("jobs".to_owned(), jobs.into());
        let everything = receipts::receipt_of_everything(sql)?;
        body.insert("forgetting_everything".to_owned(), everything.map_or(Value::Null, |receipt| {
            object!({"d1": receipt.mirrors.d1.as_receipt(), "vectorize": receipt.mirrors.vectorize.as_receipt()})
        }));
        json(200, &Value::Object(body))
    }

    pub(super) async fn reconcile_route(&self) -> Answer {
        json(200, &self.reconcile_mirrors().await?)
    }

    pub(super) fn forget_all(&self, request: &Request) -> Answer {
        confirmed(request, CONFIRMATION)?;
        self.forget_everything()?;
        self.receipt_of_everything()
    }

    /// Ends the account: everything, and with it settings, tokens and usage. The identity itself is the provider's.
    pub(super) fn close_account_route(&self, request: &Request) -> Answer {
        confirmed(request, CLOSING)?;
        self.close_account()?;
        self.receipt_of_everything()
    }

    fn receipt_of_everything(&self) -> Answer {
        let receipt = receipts::receipt_of_everything(self.ports.sql())?;
        let (d1, vectorize) = receipt
            .map_or(("done", "off"), |r| (r.mirrors.d1.as_receipt(), r.mirrors.vectorize.as_receipt()));
        json(
            200,
            &object!({
                "forgotten": "everything", "object": "done", "summary": "done", "d1": d1, "vectorize": vectorize,
            }),
        )
    }

    /// The weeks into which episodes were merged.
    pub(super) fn list_weeks(&self) -> Answer {
        let all = facts::all(self.ports.sql())?;
        json(200, &object!({"weeks": shown(&self.merged_weeks(&all)?)}))
    }

    /// Merges what is due now; with `dry_run=true` only says what that would be.
    pub(super) fn consolidate(&self, request: &Request) -> Answer {
        let dry_run = dry_run(&request.query)?;
        let due = self.due_weeks()?;
        if !dry_run {
            weeks::merge(self.ports.sql(), &due)?;
        }
        json(200, &object!({"dry_run": dry_run, "weeks": shown(&due)}))
    }

    /// Everything that the user may take along. The messages of a large archive are in `jsonl`, line by line.
    pub(super) fn export(&self, request: &Request) -> Answer {
        let (format, bytes) = export(&request.query)?;
        let sql = self.ports.sql();
        let all = facts::all(sql)?;
        let mut found = threads::list(sql, None, 10_000)?;
        found.retain(|thread| !thread.temporary);
        match format {
            ExportFormat::Digest => {
                let weeks = self.merged_weeks(&all)?;
                let facts: Vec<Fact> = apart(&all, &weeks).into_iter().cloned().collect();
                let summaries = found.iter().filter(|t| !t.summary_stale).map(|t| t.summary.as_str());
                let episodes: Vec<&str> =
                    weeks.iter().map(|week| week.text.as_str()).chain(summaries).collect();
                Ok(text(200, "text/markdown; charset=utf-8", digest(&facts, &episodes, bytes)))
            }
            ExportFormat::Markdown => {
                let mut out = String::from("# Kioku\n\n");
                for fact in &all {
                    let since = fact.valid_from.as_deref().unwrap_or("");
                    let until = fact.valid_until.as_deref().unwrap_or("");
                    let dates = if since.is_empty() && until.is_empty() {
                        String::new()
                    } else {
                        format!(" ({since}–{until})")
                    };
                    // Writing to a string can't fail.
                    let _ = writeln!(out, "- [{}] {}{dates}", fact.status.as_str(), fact.text);
                }
                Ok(text(200, "text/markdown; charset=utf-8", out))
            }
            ExportFormat::Json | ExportFormat::Jsonl => {
                let wire: Vec<WireFact> = all.iter().map(WireFact::of).collect();
                let mut said = Vec::new();
                let mut conversations = Vec::new();
                for thread in &found {
                    conversations.push(object!({
                        "id": thread.id, "title": thread.title, "summary": thread.summary,
                        "created_at": thread.created_at.to_rfc3339(),
                    }));
                    // What was forgotten stays where the user said it, and isn't carried elsewhere.
                    let mut kept = messages::recent(sql, &thread.id, usize::MAX)?;
                    kept.retain(|message| !message.excluded && !message.text.is_empty());
                    for some in kept.chunks(EXPORTED_AT_ONCE) {
                        let ids: Vec<&MessageId> = some.iter().map(|message| &message.id).collect();
                        let external = messages::external_ids(sql, &ids)?;
                        said.extend(some.iter().map(|message| {
                            let id = message.id.to_string();
                            object!({
                                "id": message.id, "external_id": external.get(&id).unwrap_or(&id),
                                "thread": message.thread, "role": message.role.as_str(), "content": message.text,
                                "created_at": message.created_at.to_rfc3339(),
                            })
                        }));
                    }
                }
                if format == ExportFormat::Json {
                    let body = object!({
                        "format": "kioku", "version": 1, "exported_at": self.ports.now().to_rfc3339(),
                        "facts": wire, "threads": conversations, "messages": said,
                    });
                    return json(200, &body);
                }
                let mut out = String::new();
                let mut line = |kind: &str, value: Value| {
                    out.push_str(&object!({"type": kind, "value": value}).to_string());
                    out.push('\n');
                };
                for fact in wire {
                    line("fact", serde_json::to_value(fact).unwrap_or_default());
                }
                for thread in conversations {
                    line("thread", thread);
                }
                for message in said {
                    line("message", message);
                }
                Ok(text(200, "application/jsonl; charset=utf-8", out))
            }
        }
    }
}

fn confirmed(request: &Request, words: &str) -> Result<(), super::Refused> {
    let asked: ForgetBody = body(request)?;
    if asked.confirm.as_deref() == Some(words) {
        return Ok(());
    }
    Err(Problem::bad_field("confirm", &format!("must be \"{words}\"")).into())
}

/// A job as mirrors and traces tell it.
pub(super) fn wire_job(job: &Job) -> Value {
    object!({
        "kind": job.kind.as_str(), "key": job.key, "due_at": job.due_at.to_rfc3339(),
        "attempts": job.attempts, "error": job.error, "parked": job.parked,
    })
}
