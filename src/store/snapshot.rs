//! A fact as the ledger keeps it: JSON whose fields only ever grow, because old entries must stay undoable.

use serde::{Deserialize, Serialize};

use super::sql::StoreError;
use crate::id::{FactId, MessageId, ThreadId, TurnId};
use crate::json;
use crate::memory::model::{Fact, Kind, Scope, Source, Status};
use crate::time::Millis;

#[derive(Serialize, Deserialize)]
struct Snapshot {
    id: FactId,
    text: String,
    kind: String,
    scope: String,
    status: String,
    pinned: bool,
    edited: bool,
    observed_at: Millis,
    valid_from: Option<String>,
    valid_until: Option<String>,
    supersedes: Vec<FactId>,
    superseded_by: Option<FactId>,
    message: Option<MessageId>,
    thread: Option<ThreadId>,
    quote: String,
    said_at: Millis,
    turn: Option<TurnId>,
    created_at: Millis,
    updated_at: Millis,
    version: u32,
}

pub(super) fn write(fact: &Fact) -> Result<String, StoreError> {
    let fact = fact.clone();
    serde_json::to_string(&Snapshot {
        id: fact.id,
        text: fact.text,
        kind: fact.kind.as_str().to_owned(),
        scope: fact.scope.to_word(),
        status: fact.status.as_str().to_owned(),
        pinned: fact.pinned,
        edited: fact.edited,
        observed_at: fact.observed_at,
        valid_from: fact.valid_from,
        valid_until: fact.valid_until,
        supersedes: fact.supersedes,
        superseded_by: fact.superseded_by,
        message: fact.source.message,
        thread: fact.source.thread,
        quote: fact.source.quote,
        said_at: fact.source.said_at,
        turn: fact.turn,
        created_at: fact.created_at,
        updated_at: fact.updated_at,
        version: fact.version,
    })
    .map_err(|_| StoreError::corrupt("snapshot"))
}

pub(super) fn read(json: &str) -> Result<Fact, StoreError> {
    let kept: Snapshot = json::read(json.as_bytes()).map_err(|_| StoreError::corrupt("snapshot"))?;
    Ok(Fact {
        id: kept.id,
        text: kept.text,
        kind: Kind::parse(&kept.kind).ok_or_else(|| StoreError::corrupt("kind"))?,
        scope: Scope::parse(&kept.scope).ok_or_else(|| StoreError::corrupt("scope"))?,
        status: Status::parse(&kept.status).ok_or_else(|| StoreError::corrupt("status"))?,
        pinned: kept.pinned,
        edited: kept.edited,
        observed_at: kept.observed_at,
        valid_from: kept.valid_from,
        valid_until: kept.valid_until,
        supersedes: kept.supersedes,
        superseded_by: kept.superseded_by,
        source: Source {
            message: kept.message,
            thread: kept.thread,
            quote: kept.quote,
            said_at: kept.said_at,
        },
        turn: kept.turn,
        created_at: kept.created_at,
        updated_at: kept.updated_at,
        version: kept.version,
    })
}
