//! Preparing a turn: what is recalled, and the prompt that carries it.

use super::Session;
use super::ports::Ports;
use crate::llm::{ChatMessage, Prompt, Role};
use crate::store::messages;
use crate::store::sql::StoreError;
use crate::store::turns::Turn;

impl<P: Ports> Session<P> {
    /// The prompt of a turn; tells the thread what it was given.
    pub(super) async fn prepare(&self, turn: &Turn) -> Result<Prompt, StoreError> {
        let question =
            messages::get(self.ports.sql(), &turn.user_message)?.ok_or(StoreError::Corrupt("question"))?;
        Ok(Prompt {
            messages: vec![ChatMessage { role: Role::User, content: question.text }],
            max_tokens: self.config.limits.reply_max_tokens,
            schema: None,
        })
    }
}
