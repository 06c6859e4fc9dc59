//! The messages that go with a fact: what it rests on, what confirmed it, and what says it again, also in a reply that
//! is still being given.

use super::Session;
use super::ports::Ports;
use crate::id::{MessageId, ThreadId, TurnId};
use crate::memory::repeating::Told;
use crate::store::index::{self, MessageFilter, Query};
use crate::store::sql::StoreError;
use crate::store::{messages, settings, threads, turns};
use crate::text::sentences::sentences;

/// So many of the newest messages are read one by one; older ones are found by their words.
const READ: u32 = 1_000;
const FOUND: u32 = 200;
/// The turn during which something was forgotten last: if its object dies, nobody can tell what its reply says.
const FORGOTTEN_IN: &str = "forgotten_in";

/// What was forgotten while a turn ran.
pub(super) struct Gone {
    texts: Vec<Told>,
    /// The turn's own message said it.
    is_source: bool,
    erase: bool,
}

impl<P: Ports> Session<P> {
    /// The messages a fact rests on, the replies to them, and every message that says it again. A running turn's reply
    /// is looked at when it is there.
    pub(super) fn messages_that_say(
        &self,
        sources: &[MessageId],
        texts: &[String],
        erase: bool,
    ) -> Result<Vec<MessageId>, StoreError> {
        let sql = self.ports.sql();
        let mut ids = sources.to_vec();
        let mut asked: Vec<TurnId> = Vec::new();
        for source in sources {
            let Some(turn) = messages::get(sql, source)?.and_then(|message| message.turn) else { continue };
            ids.extend(turns::get(sql, &turn)?.and_then(|turn| turn.reply));
            asked.push(turn);
        }
        let told: Vec<Told> = texts.iter().map(|text| Told::of(text)).collect();
        let mut read = messages::newest(sql, READ)?;
        for text in texts {
            let found =
                index::search_messages(sql, &Query::by_words(text), &MessageFilter::default(), FOUND)?;
            let places: Vec<i64> = found.by_words.iter().map(|hit| hit.id).collect();
            read.extend(messages::at(sql, &places)?);
        }
        let says = |message: &&messages::Message| {
            told.iter().any(|told| told.is_said_by(message.role, &message.text))
        };
        ids.extend(read.iter().filter(says).map(|message| message.id.clone()));
        ids.sort();
        ids.dedup();
        if let Some(running) = self.running.borrow_mut().as_mut() {
            settings::set(sql, FORGOTTEN_IN, running.turn.as_str())?;
            running.gone.push(Gone { texts: told, is_source: asked.contains(&running.turn), erase });
        }
        Ok(ids)
    }

    /// Threads whose summary says it, whoever wrote that. Titles that say it are taken back.
    pub(super) fn threads_that_say(&self, texts: &[String]) -> Result<Vec<ThreadId>, StoreError> {
        let told: Vec<Told> = texts.iter().map(|text| Told::of(text)).collect();
        let says = |summary: &str| {
            sentences(summary).iter().any(|sentence| {
                told.iter().any(|told| told.is_said_by(crate::llm::Role::Assistant, sentence))
            })
        };
        let is_named = |title: &str| told.iter().any(|told| told.is_said_by(crate::llm::Role::User, title));
        threads::untitle_where(self.ports.sql(), is_named)?;
        let summaries = threads::summaries(self.ports.sql())?;
        Ok(summaries.into_iter().filter(|(_, summary)| says(summary)).map(|(thread, _)| thread).collect())
    }

    /// Whether the reply of the running turn says what was forgotten meanwhile, and then whether it is to be erased.
    pub(super) fn says_what_is_gone(&self, reply: &str) -> Option<bool> {
        let running = self.running.borrow();
        let said = running.iter().flat_map(|running| &running.gone).filter(|gone| {
            gone.is_source
                || gone.texts.iter().any(|told| told.is_said_by(crate::llm::Role::Assistant, reply))
        });
        said.map(|gone| gone.erase).reduce(|one, other| one || other)
    }

    /// Whether something was forgotten while this turn ran in an object that is no more.
    pub(super) fn was_forgotten_in(&self, turn: &TurnId) -> Result<bool, StoreError> {
        Ok(settings::get(self.ports.sql(), FORGOTTEN_IN)?.as_deref() == Some(turn.as_str()))
    }
}
