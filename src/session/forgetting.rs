//! "Forget…" said in the chat: matches are listed, the user is asked, and only the answer forgets.
//!
//! Invariant: what is offered is a row, so that the answer finds it after an eviction, and a turn that is run again
//! says again what it did and does nothing twice. An offer is answered by the very next message of its thread or not
//! at all.

use serde::{Deserialize, Serialize};

use super::Session;
use super::ports::{Ports, To};
use super::prepare::Occasion;
use crate::chat::protocol::{ServerFrame, WireChange, WireFact, WireSource};
use crate::id::{FactId, MessageId, TurnId};
use crate::json;
use crate::memory::forgetting::{self, Answer, OFFERED};
use crate::memory::intent::{Intent, intent};
use crate::memory::model::{Fact, Status};
use crate::mirror::search::is_symbol;
use crate::store::index::{self, Query};
use crate::store::messages::Message;
use crate::store::sql::{StoreError, atomic};
use crate::store::turns::{self, Turn};
use crate::store::{facts, messages, settings};
use crate::text::language::{Language, language};

/// What was offered in a thread, and what came of it.
#[derive(Serialize, Deserialize)]
struct Offer {
    asked_in: TurnId,
    facts: Vec<FactId>,
    /// Set by the turn that answered it.
    answered_in: Option<TurnId>,
    forgotten: usize,
    is_japanese: bool,
}

/// Facts that are looked through for an emoji.
const MOST_READ: u32 = 1_000;

impl<P: Ports> Session<P> {
    /// What code says to a message about forgetting; `None` for every other message, which a model answers.
    pub(super) fn said_by_code(
        &self,
        turn: &Turn,
        occasion: &Occasion,
    ) -> Result<Option<String>, StoreError> {
        if !occasion.reads() {
            return Ok(None);
        }
        let (sql, question) = (self.ports.sql(), &occasion.question);
        let key = format!("forget:{}", turn.thread);
        let offer = settings::get(sql, &key)?.and_then(|json| json::read::<Offer>(json.as_bytes()).ok());
        if let Some(offer) = offer
            && let Some(said) = self.act_on_answer(&key, offer, turn, question)?
        {
            return Ok(Some(said));
        }
        match intent(&question.text) {
            Intent::Forget { what } => self.offer(&key, &what, turn, question).map(Some),
            _ => Ok(None),
        }
    }

    fn offer(&self, key: &str, what: &str, turn: &Turn, question: &Message) -> Result<String, StoreError> {
        let asked_in = language(&question.text);
        if forgetting::is_everything(what) {
            return Ok(forgetting::everything(asked_in).to_owned());
        }
        let found = self.meant(what, question)?;
        if found.is_empty() {
            return Ok(forgetting::nothing_found(asked_in).to_owned());
        }
        let texts: Vec<&str> = found.iter().map(|fact| fact.text.as_str()).collect();
        let offer = Offer {
            asked_in: turn.id.clone(),
            facts: found.iter().map(|fact| fact.id.clone()).collect(),
            answered_in: None,
            forgotten: 0,
            is_japanese: asked_in == Language::Ja,
        };
        self.keep(key, &offer)?;
        Ok(forgetting::question(asked_in, &texts))
    }

    /// The facts that the words name, or, for "forget that", what the message before taught.
    fn meant(&self, what: &str, question: &Message) -> Result<Vec<Fact>, StoreError> {
        let sql = self.ports.sql();
        let query = Query::of(what);
        // Emoji are no words.
        let symbols: Vec<&str> =
            question.text.split(|c| !is_symbol(c)).filter(|run| !run.is_empty()).collect();
        if query.words.is_empty() && !symbols.is_empty() {
            let mut found = facts::current(sql, MOST_READ)?;
            found.retain(|fact| symbols.iter().all(|run| fact.text.contains(run)));
            found.truncate(OFFERED);
            return Ok(found);
        }
        if query.words.is_empty() {
            let before = messages::before(sql, &question.thread, question.seq, 4)?;
            let turns: Vec<&TurnId> =
                before.iter().rev().filter_map(|message| message.turn.as_ref()).collect();
            let Some(last) = turns.first() else { return Ok(Vec::new()) };
            let newest = facts::current(sql, 50)?;
            return Ok(newest.into_iter().filter(|fact| fact.turn.as_ref() == Some(*last)).collect());
        }
        let hits = index::search_facts(sql, &query, OFFERED as u32)?;
        let ids: Vec<FactId> = hits.by_words.into_iter().map(|hit| hit.id).collect();
        let mut found = facts::by_ids(sql, &ids)?;
        let place = |fact: &Fact| ids.iter().position(|id| *id == fact.id);
        crate::order::by_key(&mut found, |fact| (fact.status != Status::Current, place(fact)));
        Ok(found)
    }

    /// Does what the answer to an offer says; `None` if the message is no answer to it.
    fn act_on_answer(
        &self,
        key: &str,
        mut offer: Offer,
        turn: &Turn,
        question: &Message,
    ) -> Result<Option<String>, StoreError> {
        let sql = self.ports.sql();
        let asked_in = if offer.is_japanese { Language::Ja } else { Language::En };
        match &offer.answered_in {
            Some(answered) if *answered == turn.id => {
                return Ok(Some(forgetting::done(asked_in, offer.forgotten)));
            }
            Some(_) => return Ok(None),
            None => {}
        }
        let before = messages::before(sql, &question.thread, question.seq, 1)?;
        if !before.iter().any(|message| message.turn.as_ref() == Some(&offer.asked_in)) {
            return Ok(None);
        }
        let chosen: Vec<FactId> = match forgetting::answer(&question.text, offer.facts.len()) {
            None => return Ok(None),
            Some(Answer::Nothing) => Vec::new(),
            Some(Answer::All) => offer.facts.clone(),
            Some(Answer::Some(places)) => {
                places.iter().filter_map(|place| offer.facts.get(*place).cloned()).collect()
            }
        };
        let mut gone = Vec::new();
        atomic(sql, || {
            gone.clear();
            for id in &chosen {
                let fact = facts::get(sql, id)?;
                if self.forget_fact(id, false)?.is_some() {
                    gone.extend(fact);
                }
            }
            if !gone.is_empty()
                && let Some(asked) = turns::get(sql, &offer.asked_in)?
            {
                // The wish and the offer name it too.
                let named: Vec<MessageId> = std::iter::once(asked.user_message).chain(asked.reply).collect();
                self.exclude_messages(&named, false, self.ports.now())?;
            }
            offer.answered_in = Some(turn.id.clone());
            offer.forgotten = gone.len();
            self.keep(key, &offer)
        })?;
        for fact in &gone {
            self.tell_forgotten(&WireFact::of(fact), String::new());
        }
        Ok(Some(forgetting::done(asked_in, gone.len())))
    }

    fn keep(&self, key: &str, offer: &Offer) -> Result<(), StoreError> {
        let json = serde_json::to_string(offer).map_err(|_| StoreError::corrupt("offer"))?;
        settings::set(self.ports.sql(), key, &json)
    }

    /// Tells every tab that a fact is gone; only its id, because its words go nowhere any more.
    /// `change` is the entry that undid it, or nothing.
    pub(super) fn tell_forgotten(&self, fact: &WireFact, change: String) {
        let source = WireSource { quote: String::new(), ..fact.source.clone() };
        let fact = WireFact { text: String::new(), source, ..fact.clone() };
        let change = WireChange { change, op: "forgotten", fact, reason: None };
        self.send(To::Everyone, &ServerFrame::Remembered { turn: None, changes: vec![change] });
    }
}
