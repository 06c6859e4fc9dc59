//! A turn's trace, with what its ids stand for now.
//!
//! Invariant: a trace stores no text, so what was forgotten, excluded or erased since is not told by it. What was
//! searched for is kept beside it, and by no forgetting ([`rewrites`]).

use serde_json::{Value, json};

use super::super::Session;
use super::super::ports::Ports;
use super::memory::wire_job;
use super::{Answer, json as answer};
use crate::chat::protocol::{WireChange, WireQuery};
use crate::http::problem::Problem;
use crate::id::{ChangeId, TurnId};
use crate::store::jobs::{self, Job, JobKind};
use crate::store::sql::StoreError;
use crate::store::turns::Turn;
use crate::store::{facts, ledger, messages, rewrites, traces, turns};

impl<P: Ports> Session<P> {
    /// The trace, and beside it what the `recalled`, `remembered` and `done` frames told: a page that comes later
    /// shows an answer as the page did that was there.
    pub(super) fn read_trace(&self, id: &TurnId) -> Answer {
        let sql = self.ports.sql();
        let (trace, turn) = (traces::get(sql, id)?, turns::get(sql, id)?);
        if trace.is_none() && turn.is_none() {
            return Err(Problem::not_found().into());
        }
        // A turn that code answered recalled nothing, and old traces are cleaned up before their turns.
        let mut body = Value::Object(trace.unwrap_or_default());
        let (facts, passages) = self.recalled_then(&body["recall"])?;
        let remembered = self.remembered_then(&body["memory"]["stored"])?;
        body["turn"] = id.as_str().into();
        body["recalled"] = json!({"facts": facts, "passages": passages});
        if let Some(query) = self.query_then(id, turn.as_ref())? {
            body["recalled"]["query"] = json!(query);
        }
        body["remembered"] = json!(remembered);
        if let Some(turn) = turn {
            let usage = turn.usage;
            body["usage"] = json!({
                "prompt_tokens": usage.prompt_tokens, "completion_tokens": usage.completion_tokens,
                "estimated": usage.estimated,
            });
            body["timing"] = timing(&turn);
            if body["memory"].is_null()
                && let Some(job) = self.failing_job(&turn)?
            {
                body["job"] = wire_job(&job);
            }
        }
        answer(200, &body)
    }

    /// The job that should have learned from what was said, where it fails so far.
    fn failing_job(&self, turn: &Turn) -> Result<Option<Job>, StoreError> {
        let sql = self.ports.sql();
        let is_its = |job: &Job| {
            job.kind == JobKind::Extract && job.key == turn.thread.as_str() && job.error.is_some()
        };
        let Some(job) = jobs::list(sql)?.into_iter().find(is_its) else { return Ok(None) };
        let waiting = messages::to_learn(sql, &turn.thread, u32::MAX)?;
        Ok(waiting.iter().any(|message| message.id == turn.user_message).then_some(job))
    }

    /// What was asked and what was searched for, where they differ and the question can still be told.
    fn query_then(&self, id: &TurnId, turn: Option<&Turn>) -> Result<Option<WireQuery>, StoreError> {
        let sql = self.ports.sql();
        let Some(searched) = rewrites::get(sql, id)? else { return Ok(None) };
        let question = turn.map_or(Ok(None), |turn| messages::get(sql, &turn.user_message))?;
        Ok(question
            .filter(|question| !question.text.is_empty())
            .map(|question| WireQuery { original: question.text, searched }))
    }

    /// Changes that can still be told, each with whether it was undone since.
    fn remembered_then(&self, stored: &Value) -> Result<Vec<Value>, StoreError> {
        let sql = self.ports.sql();
        let mut changes = Vec::new();
        for entry in stored.as_array().into_iter().flatten() {
            let named = entry["change"].as_str().and_then(ChangeId::parse);
            let Some(made) = named.map_or(Ok(None), |id| ledger::get(sql, &id))? else { continue };
            let Some(fact) = facts::get(sql, &made.fact)? else { continue };
            let change = WireChange {
                change: made.id.to_string(),
                op: made.op.as_str(),
                fact: self.wire_fact(&fact)?,
                reason: entry["reason"].as_str().map(str::to_owned),
            };
            let mut change = json!(change);
            change["undone"] = made.undone_by.is_some().into();
            changes.push(change);
        }
        Ok(changes)
    }
}

/// What of the timing is kept: the first word's time is told only while the turn runs.
fn timing(turn: &Turn) -> Value {
    let (Some(started), Some(finished)) = (turn.started_at, turn.finished_at) else { return Value::Null };
    json!({
        "queued_ms": started.since(turn.accepted_at), "recall_ms": null, "first_token_ms": null,
        "total_ms": finished.since(turn.accepted_at),
    })
}
