//! What a thread's turns cost in tokens, beside what they would have cost without memory.

use crate::sorted::SortedMap;
use serde_json::{Value, json as object};

use super::{Answer, json};
use crate::chat::prompt::system;
use crate::http::problem::Problem;
use crate::id::{ThreadId, TurnId};
use crate::llm::Role;
use crate::session::Session;
use crate::session::ports::Ports;
use crate::store::{messages, threads, turns};
use crate::text::estimate::tokens;
use crate::text::language::language;

/// Messages that are read; what came before them is estimated from its length.
const READ: usize = 400;
/// What a provider adds around a message.
const FRAME_TOKENS: f64 = 4.0;

impl<P: Ports> Session<P> {
    /// The newest turns of a thread, oldest first: the tokens that were read and written, and an estimate of the
    /// tokens that would have been read if the whole conversation had been sent each time, with the instructions.
    pub(super) fn thread_spending(&self, id: &ThreadId) -> Answer {
        let sql = self.ports.sql();
        if threads::get(sql, id, self.ports.now())?.is_none() {
            return Err(Problem::not_found().into());
        }
        let read = messages::recent(sql, id, READ)?;
        let spent: SortedMap<TurnId, turns::Turn> =
            turns::newest(sql, id, READ as u32)?.into_iter().map(|turn| (turn.id.clone(), turn)).collect();
        let told: f64 = read.iter().map(|message| f64::from(tokens(&message.text)) + FRAME_TOKENS).sum();
        let bytes: usize = read.iter().map(|message| message.text.len()).sum();
        let earlier = match read.first() {
            Some(first) => messages::bytes_before(sql, id, first.seq)? as f64,
            None => 0.0,
        };
        let mut whole = earlier * told / bytes.max(1) as f64;
        let instructions = tokens(system(language(read.last().map_or("", |message| &message.text))));
        let mut list: Vec<Value> = Vec::new();
        for message in &read {
            whole += f64::from(tokens(&message.text)) + FRAME_TOKENS;
            let turn = message.turn.as_ref().and_then(|turn| spent.get(turn));
            if let Some(turn) = turn.filter(|turn| message.role == Role::User && turn.usage.prompt_tokens > 0)
            {
                list.push(object!({
                    "turn": turn.id, "at": turn.accepted_at.to_rfc3339(),
                    "prompt_tokens": turn.usage.prompt_tokens,
                    "completion_tokens": turn.usage.completion_tokens,
                    "whole_history_tokens": instructions + whole.round() as u32,
                }));
            }
        }
        json(200, &object!({"turns": list}))
    }
}
