//! What the user does to facts by hand: adding, editing, forgetting, undoing.

use serde::Deserialize;
use serde_json::json as object;

use super::facts::receipt_body;
use super::{Answer, Refused, Request, body, json};
use crate::chat::protocol::WireFact;
use crate::http::problem::{Code, Problem};
use crate::http::query::{Messages, forget_messages};
use crate::id::{ChangeId, FactId};
use crate::memory::category::categories;
use crate::memory::directive::directive;
use crate::memory::model::{Kind, Scope, Source, Status};
use crate::memory::policy;
use crate::memory::reconcile::{Change, NewFact, Reason};
use crate::session::Session;
use crate::session::ports::{Ports, To};
use crate::store::ledger::UndoRefused;
use crate::store::{facts, learn, ledger, receipts};
use crate::text::one_line;
use crate::time::{Millis, local_date};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NewBody {
    text: String,
    kind: Option<String>,
    scope: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EditBody {
    text: Option<String>,
    pinned: Option<bool>,
    status: Option<String>,
    /// Only if nobody has changed the fact since it was read.
    if_version: Option<u32>,
}

impl<P: Ports> Session<P> {
    pub(super) fn add_fact(&self, request: &Request) -> Answer {
        let new: NewBody = body(request)?;
        let kind = match &new.kind {
            Some(word) => {
                Kind::parse(word).ok_or_else(|| Problem::bad_field("kind", "isn't a kind of fact"))?
            }
            None => Kind::Other,
        };
        let text = self.fact_text(&new.text, kind)?;
        let scope = match &new.scope {
            Some(word) => Scope::parse(word)
                .ok_or_else(|| Problem::bad_field("scope", "must be global or thread:ID"))?,
            None => Scope::Global,
        };
        if let Scope::Thread(thread) = &scope {
            self.known_thread(thread)?;
        }
        let hold = second_look(&text);
        let change = written(text, kind, scope, hold, self.ports.now());
        let outcome = self.apply(None, &[change])?;
        let Some(fact) = outcome.applied.first().and_then(|applied| applied.fact.as_ref()) else {
            return Err(Problem::conflict("There are too many facts; forget some first.").into());
        };
        self.arm()?;
        let wire = self.wire_fact(fact)?;
        self.tell_all(&outcome.applied)?;
        json(201, &wire)
    }

    pub(super) fn edit_fact(&self, id: &FactId, request: &Request) -> Answer {
        let change: EditBody = body(request)?;
        let known = facts::get(self.ports.sql(), id)?;
        if let (Some(known), Some(version)) = (&known, change.if_version)
            && known.version != version
        {
            return Err(Problem::conflict("It has changed since; read it again.").into());
        }
        let kind = known.map_or(Kind::Other, |fact| fact.kind);
        let text = change.text.as_deref().map(|text| self.fact_text(text, kind)).transpose()?;
        let status = match &change.status {
            // What is held is held by a rule, not by hand.
            Some(word) => Some(
                Status::parse(word)
                    .filter(|status| *status != Status::Held)
                    .ok_or_else(|| Problem::bad_field("status", "must be current or past"))?,
            ),
            None => None,
        };
        let (sql, now) = (self.ports.sql(), self.ports.now());
        let settings = self.settings()?;
        let today = local_date(self.ports.zones(), &settings.timezone, now).to_string();
        let hold = text.as_deref().and_then(second_look);
        let edit = learn::Edit { text: text.as_deref(), pinned: change.pinned, status, hold };
        let edited = self.act(None, |act| learn::edit(sql, id, edit, &today, act))?;
        let Some((fact, applied)) = edited else { return Err(Problem::not_found().into()) };
        self.arm()?;
        if let Some(applied) = applied {
            self.tell_all(&[applied])?;
        }
        json(200, &self.wire_fact(&fact)?)
    }

    pub(super) fn forget(&self, id: &FactId, request: &Request) -> Answer {
        let erase = forget_messages(&request.query)? == Messages::Erase;
        let wire = facts::get(self.ports.sql(), id)?.as_ref().map(WireFact::of);
        // Asked again, because the answer was lost: the same receipt.
        self.forget_fact(id, erase)?;
        if let Some(fact) = wire {
            self.tell_forgotten(&fact, String::new());
        }
        let receipt = receipts::receipt(self.ports.sql(), id)?.ok_or_else(Problem::not_found)?;
        json(200, &receipt_body(id, &receipt))
    }

    pub(super) fn undo_change(&self, id: &ChangeId) -> Answer {
        let sql = self.ports.sql();
        let about = ledger::get(sql, id)?.map(|entry| entry.fact);
        let before = about.map(|fact| facts::get(sql, &fact)).transpose()?.flatten();
        match self.undo(id)? {
            Ok(applied) => {
                let fact = applied.fact.as_ref().map(|fact| self.wire_fact(fact)).transpose()?;
                let answer = object!({"change": applied.change, "op": applied.op.as_str(), "fact": fact});
                match before {
                    // Its first entry was undone: there is no such fact now.
                    Some(before) if fact.is_none() => {
                        self.tell_forgotten(&WireFact::of(&before), applied.change.to_string());
                    }
                    _ => self.tell_all(&[applied])?,
                }
                json(200, &answer)
            }
            Err(UndoRefused::Missing) => Err(Problem::not_found().into()),
            Err(UndoRefused::Forgotten) => {
                Err(Problem::conflict("What was forgotten can't be brought back.").into())
            }
            Err(UndoRefused::AlreadyUndone) => Err(Problem::conflict("It is undone already.").into()),
            Err(UndoRefused::Overtaken) => Err(Problem::conflict(
                "It, or what stands in its place, has changed since; undo that change first.",
            )
            .into()),
            Err(UndoRefused::Nothing) => Err(Problem::conflict("It changed nothing.").into()),
        }
    }

    pub(super) fn tell_all(&self, applied: &[ledger::Applied]) -> Result<(), Refused> {
        let told: Vec<_> = applied.iter().map(|applied| (applied.clone(), None)).collect();
        Ok(self.tell_remembered(To::Everyone, None, &told)?)
    }

    /// A text that may become a fact of this kind.
    pub(super) fn fact_text(&self, raw: &str, kind: Kind) -> Result<String, Refused> {
        let text = one_line(raw);
        if text.is_empty() {
            return Err(Problem::bad_field("text", "must not be empty").into());
        }
        let most = self.config.limits.fact_max_chars;
        if text.chars().count() > most {
            return Err(Problem::bad_field("text", &format!("may have at most {most} characters")).into());
        }
        no_secret(&text)?;
        let never = self.settings()?.never();
        if let Some(found) = categories(&text, kind).into_iter().find(|found| never.contains(found)) {
            let told = format!("You chose never to remember what is about {}.", found.as_str());
            return Err(Problem::new(Code::Unprocessable, told).into());
        }
        Ok(text)
    }
}

/// A program that may write can be told what to write; an order to the model awaits approval.
fn second_look(text: &str) -> Option<Reason> {
    directive(text).map(|_| Reason::Instruction)
}

/// A fact that rests on no message; it is held where there is a reason to.
pub(super) fn written(text: String, kind: Kind, scope: Scope, hold: Option<Reason>, now: Millis) -> Change {
    let new = NewFact {
        text: text.clone(),
        kind,
        scope,
        status: if hold.is_some() { Status::Held } else { Status::Current },
        valid_from: None,
        valid_until: None,
        superseded_by: None,
        source: Source { message: None, thread: None, quote: text, said_at: now },
        reason: hold.map_or("added by the user", Reason::as_str),
    };
    match hold {
        Some(reason) => Change::Hold { new, reason, contests: None },
        None => Change::Add(new),
    }
}

/// Refuses what is never stored, wherever it is typed in.
pub(super) fn no_secret(text: &str) -> Result<(), Problem> {
    let told = "Cards, ids, passwords and keys are never stored.";
    if policy::screen(text).is_empty() { Ok(()) } else { Err(Problem::new(Code::Unprocessable, told)) }
}
