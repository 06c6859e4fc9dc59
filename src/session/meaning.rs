//! Nearness in meaning: texts get their vectors in the background, questions theirs when they are asked.
//!
//! A question waits only a moment for its vector; without one it is answered from words alone. The built-in table
//! needs no waiting: what was said a moment ago gets its vector on the way.

use crate::sorted::SortedMap;
use std::pin::pin;

use futures::future::{Either, select};

use super::Session;
use super::ports::Ports;
use super::work::Worked;
use crate::config::Provider;
use crate::id::FactId;
use crate::llm::embeddings::Purpose;
use crate::llm::table;
use crate::memory::rank::{NEAR, Scale, scale};
use crate::store::embeddings::{self, Corpus, Serving, Waiting};
use crate::store::held::Among;
use crate::store::index::{self, MessageFilter};
use crate::store::jobs::{self, JobKind};
use crate::store::sql::StoreError;
use crate::text;
use crate::time::{Millis, SECOND};

/// A question that waits longer for its vector is searched for by its words.
const QUESTION_DEADLINE_MS: i64 = 2 * SECOND;
/// Texts that one recall gives their vectors on the way, where that needs no network.
const ON_THE_WAY: usize = 50;
/// Texts of one call in the background; Workers AI takes a hundred.
const BATCH: usize = 48;
/// Of a longer text this much is embedded: models cut at some 500 tokens anyway.
const MAX_CHARS: usize = 2_000;
/// What is put before texts and how vectors are kept, for models that name no version themselves.
const REMOTE_VERSION: u32 = 1;

/// What a question is near to, best first, 0 is as near as any, 1 near enough.
#[derive(Default)]
pub(super) struct Near {
    pub facts: Vec<(FactId, f32)>,
    pub messages: Vec<(i64, f32)>,
    /// Why no model told, where one has vectors here: the question is searched for by its words alone.
    pub words_only: Option<&'static str>,
}

impl<P: Ports> Session<P> {
    /// The facts and messages nearest to a question in meaning; none where no model can tell in time.
    pub(super) async fn near(&self, question: &str, filter: &MessageFilter<'_>) -> Result<Near, StoreError> {
        let sql = self.ports.sql();
        self.name_the_model()?;
        if self.config.embedding == Provider::Embedded && embeddings::is_waiting(sql)? {
            self.embed_by_table(&embeddings::waiting(sql, None, ON_THE_WAY)?)?;
        }
        let (mut facts, mut messages) = (SortedMap::new(), SortedMap::new());
        let (mut is_asked, mut failed) = (false, None);
        for model in embeddings::serving(sql)? {
            let asked = match self.question_vector(&model, question).await {
                Ok(asked) => asked,
                Err(reason) => {
                    failed = Some(reason);
                    continue;
                }
            };
            is_asked = true;
            let scale = self.scale_of(&model.name);
            let found = self.held.borrow_mut().nearest(sql, &model, Corpus::Facts, &asked, NEAR, None)?;
            // The model in use comes first, and what it says of a text counts.
            for (doc, cosine) in found {
                facts.or_insert(doc, scale.nearness(cosine));
            }
            for (doc, cosine) in self.near_messages(&model, &asked, filter)? {
                messages.or_insert(doc, scale.nearness(cosine));
            }
        }
        let docs: Vec<i64> = facts.keys().copied().collect();
        let ids = index::facts_at(sql, &docs)?;
        let facts = facts.into_iter().filter_map(|(doc, near)| Some((ids.get(&doc)?.clone(), near)));
        Ok(Near {
            facts: best_first(facts.collect()),
            messages: best_first(messages.into_iter().collect()),
            words_only: failed.filter(|_| !is_asked),
        })
    }

    /// Reads vectors that the next questions will be compared with, while nobody waits for it.
    pub(super) fn read_ahead(&self) -> Result<(), StoreError> {
        let sql = self.ports.sql();
        embeddings::serving(sql)?.iter().try_for_each(|model| self.held.borrow_mut().read_ahead(sql, model))
    }

    /// The nearest messages that the filter lets through.
    fn near_messages(
        &self,
        model: &Serving,
        asked: &[f32],
        filter: &MessageFilter<'_>,
    ) -> Result<Vec<(i64, f32)>, StoreError> {
        let sql = self.ports.sql();
        let let_through = |docs: &[i64]| index::let_through(sql, docs, filter);
        let among: Option<Among<'_>> = if filter.is_open() { None } else { Some(&let_through) };
        self.held.borrow_mut().nearest(sql, model, Corpus::Messages, asked, NEAR, among)
    }

    /// A question's vector by a model that has vectors here; or why it can't be asked, or doesn't answer in time.
    async fn question_vector(&self, model: &Serving, question: &str) -> Result<Vec<f32>, &'static str> {
        let question = text::prefix_chars(question, MAX_CHARS);
        if model.name == table::MODEL {
            if model.version != table::VERSION {
                return Err("another_table");
            }
            let vector = table::embed(question);
            *self.embedded.borrow_mut() = Some((question.to_owned(), vector.clone()));
            return Ok(vector);
        }
        let asked = pin!(self.embed_by(&model.name, std::slice::from_ref(&question), Purpose::Query));
        let reason = match select(asked, pin!(self.ports.sleep(QUESTION_DEADLINE_MS))).await {
            Either::Left((Ok(vectors), _)) => match vectors.into_iter().next() {
                Some(vector) => return Ok(vector),
                None => "no_vector",
            },
            Either::Left((Err(failure), _)) => failure.code(),
            Either::Right(_) => "late",
        };
        self.ports.log("question_not_embedded", &[("code", reason.to_owned())]);
        Err(reason)
    }

    /// Gives texts their vectors, some at a time.
    pub(super) async fn embed_waiting(&self) -> Result<Worked, StoreError> {
        let sql = self.ports.sql();
        self.name_the_model()?;
        let waiting = embeddings::waiting(sql, None, BATCH)?;
        if waiting.is_empty() {
            return Ok(Worked::Done);
        }
        if self.config.embedding == Provider::Embedded {
            self.embed_by_table(&waiting)?;
            return Ok(Worked::More);
        }
        // Servers refuse empty texts.
        let texts: Vec<&str> = waiting
            .iter()
            .map(|waiting| text::prefix_chars(waiting.text.trim(), MAX_CHARS))
            .map(|text| if text.is_empty() { "-" } else { text })
            .collect();
        let vectors = match self.embed(&texts, Purpose::Passage).await {
            Ok(vectors) => vectors,
            Err(failure) => return Ok(Worked::Failed(failure.code())),
        };
        // What was dropped or changed meanwhile keeps waiting, or is gone.
        let still: Vec<Waiting> = embeddings::waiting(sql, None, BATCH * 4)?;
        let made = waiting.into_iter().zip(vectors).filter(|(waiting, _)| still.contains(waiting));
        let made: Vec<_> = made.map(|(waiting, vector)| (waiting.corpus, waiting.doc, vector)).collect();
        embeddings::put(sql, &made)?;
        Ok(Worked::More)
    }

    /// From which cosine on the model in use calls two texts near.
    pub(super) fn recall_threshold(&self) -> f32 {
        self.scale_of(&self.config.embedding_model).threshold
    }

    fn scale_of(&self, model: &str) -> Scale {
        let mut scale = scale(model);
        if let Some(threshold) = self.config.recall_threshold
            && (model == self.config.embedding_model || model == table::MODEL)
        {
            // The noise is as far below as it was.
            scale = Scale { noise: scale.noise + threshold - scale.threshold, threshold };
        }
        scale
    }

    /// Asks for vectors of what was just written, in its transaction.
    pub(super) fn ask_for_vectors(&self, now: Millis) -> Result<(), StoreError> {
        jobs::ask(self.ports.sql(), JobKind::Embed, "all", now, now)
    }

    fn embed_by_table(&self, waiting: &[Waiting]) -> Result<(), StoreError> {
        let made: Vec<_> =
            waiting.iter().map(|each| (each.corpus, each.doc, self.by_table(&each.text))).collect();
        embeddings::put(self.ports.sql(), &made)
    }

    /// Gives messages that were just indexed their vectors, by the built-in table.
    pub(super) fn embed_messages<'a>(
        &self,
        texts: impl Iterator<Item = (i64, &'a str)>,
    ) -> Result<(), StoreError> {
        let made: Vec<_> = texts.map(|(doc, text)| (Corpus::Messages, doc, self.by_table(text))).collect();
        if made.is_empty() { Ok(()) } else { embeddings::put(self.ports.sql(), &made) }
    }

    /// The built-in table's vector of a text. A question is asked for when it is searched for and when it is indexed.
    fn by_table(&self, text: &str) -> Vec<f32> {
        if let Some((embedded, vector)) = &*self.embedded.borrow()
            && embedded == text
        {
            return vector.clone();
        }
        table::embed(text)
    }

    /// Once a session: if the configured model is another one than before, everything is embedded anew.
    pub(super) fn name_the_model(&self) -> Result<(), StoreError> {
        if self.named_model.replace(true) {
            return Ok(());
        }
        let (name, version) = match self.config.embedding {
            Provider::Embedded => (table::MODEL, table::VERSION),
            _ => (self.config.embedding_model.as_str(), REMOTE_VERSION),
        };
        let now = self.ports.now();
        let named = embeddings::aim_at(self.ports.sql(), name, version).and_then(|changed| {
            if changed { jobs::ask(self.ports.sql(), JobKind::Embed, "all", now, now) } else { Ok(()) }
        });
        self.named_model.set(named.is_ok());
        named
    }
}

fn best_first<Id: Ord + Clone>(mut found: Vec<(Id, f32)>) -> Vec<(Id, f32)> {
    crate::order::by(&mut found, |a, b| b.1.total_cmp(&a.1).then_with(|| b.0.cmp(&a.0)));
    found
}
