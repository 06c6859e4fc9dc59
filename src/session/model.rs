//! Calling models: a streamed answer, a whole one, a vector; each with an end that has a name.

use std::collections::VecDeque;
use std::pin::pin;

use futures::future::{Either, select};
use serde_json::Value;

use super::Session;
use super::ports::{Body, ModelCall, ModelReply, Models, Ports};
use crate::config::Provider;
use crate::llm::embeddings::{self, Purpose};
use crate::llm::manner::Manner;
use crate::llm::openai::{self, Endpoint};
use crate::llm::stream::StreamDecoder;
use crate::llm::tools::{Exchange, with_tools};
use crate::llm::workers_ai;
use crate::llm::{
    Completion, FinishReason, HttpRequest, JsonMode, ModelFailure, Piece, Prompt, Usage, embedded, failure,
    table,
};
use crate::store::settings;
use crate::text;
use crate::time::SECOND;

/// A memory call answers within this time or is tried again later.
const CALL_DEADLINE_MS: i64 = 120 * SECOND;
/// A whole answer larger than this is not one.
const MAX_BODY_BYTES: usize = 8 * 1024 * 1024;
/// Of a refusal this much is read.
const MAX_REFUSAL_BYTES: usize = 8 * 1024;
/// The setting that keeps how a server wants to be asked for a model, behind the model's name.
const MANNER: &str = "model_manner";
/// The built-in model's answer goes out in pieces of about this many characters, as a real one's does.
const EMBEDDED_PIECE_CHARS: usize = 24;

/// An answer that is being given.
pub enum AnswerStream<B> {
    /// The built-in model's, whole already.
    Ready(VecDeque<Vec<Piece>>),
    /// A server's, as bytes, until it is whole.
    Bytes { body: Option<B>, decoder: Box<StreamDecoder>, ended: bool },
}

impl<B: Body> AnswerStream<B> {
    /// The next pieces; `None` at the end.
    pub async fn next(&mut self) -> Result<Option<Vec<Piece>>, ModelFailure> {
        match self {
            Self::Ready(pieces) => Ok(pieces.pop_front()),
            Self::Bytes { ended: true, .. } => Ok(None),
            Self::Bytes { body: source, decoder, ended } => {
                if let Some(body) = source
                    && let Ok(Some(bytes)) = body.chunk().await
                {
                    let pieces = decoder.push(&bytes)?;
                    if decoder.is_done() {
                        // Dropped, because what may still come is of no use.
                        *source = None;
                    }
                    return Ok(Some(pieces));
                }
                *source = None;
                // What came before a break may already be a whole answer, and what was said counts also before a failure.
                let last = decoder.finish();
                *ended = !decoder.has_failed();
                last.map(Some)
            }
        }
    }

    /// Whether it was held back for thoughts that weren't there.
    pub fn began_plainly(&self) -> bool {
        matches!(self, Self::Bytes { decoder, .. } if decoder.began_plainly())
    }
}

type BodyOf<P> = <<P as Ports>::Models as Models>::Body;

impl<P: Ports> Session<P> {
    /// Begins an answer.
    pub(super) async fn open_answer(
        &self,
        prompt: &Prompt,
        exchanges: &[Exchange],
        offered: Option<&Value>,
    ) -> Result<AnswerStream<BodyOf<P>>, ModelFailure> {
        let model = &self.config.chat_model;
        let reply = match &self.config.model {
            Provider::Embedded => return Ok(AnswerStream::Ready(embedded_pieces(prompt))),
            Provider::OpenAi { base_url, api_key } => {
                self.ask_in_manner(model, |manner| {
                    let at = Endpoint { base_url, api_key: api_key.as_ref(), model, manner };
                    let request = openai::chat_request(&at, prompt, true, JsonMode::Prose);
                    with_tools(request, exchanges, offered)
                })
                .await?
            }
            Provider::WorkersAi => {
                let run = workers_ai::chat_run(model, prompt, true, JsonMode::Prose);
                self.call(ModelCall::Ai(run)).await?
            }
        };
        if reply.status >= 300 {
            return Err(failure::from_status(reply.status, reply.retry_after.as_deref(), self.ports.now()));
        }
        let decoder = match &self.config.model {
            Provider::WorkersAi => StreamDecoder::workers_ai(prompt.max_tokens),
            _ => StreamDecoder::openai().in_thought(self.manner(model).begins_in_thought()),
        };
        Ok(AnswerStream::Bytes { body: Some(reply.body), decoder: Box::new(decoder), ended: false })
    }

    /// Keeps whether the model's answers begin inside its thoughts.
    pub(super) fn begins_in_thought(&self, begins: bool) {
        let (model, known) = (&self.config.chat_model, self.manner(&self.config.chat_model));
        if known.begins_in_thought() != begins && matches!(self.config.model, Provider::OpenAi { .. }) {
            self.keep_manner(model, known.in_thought(begins));
        }
    }

    /// Asks a server as it is known to want it, and once more where its refusal names what it doesn't take. A manner
    /// that helped is kept.
    async fn ask_in_manner(
        &self,
        model: &str,
        request: impl Fn(Manner) -> HttpRequest,
    ) -> Result<ModelReply<BodyOf<P>>, ModelFailure> {
        let known = self.manner(model);
        let refused = self.call(ModelCall::Http(request(known))).await?;
        if !Manner::may_be_refused_with(refused.status) {
            return Ok(refused);
        }
        let ModelReply { status, retry_after, mut body } = refused;
        let mut words = Vec::new();
        while words.len() < MAX_REFUSAL_BYTES
            && let Ok(Some(chunk)) = body.chunk().await
        {
            words.extend_from_slice(&chunk);
        }
        let Some(manner) = known.after(&words) else {
            return Ok(ModelReply { status, retry_after, body });
        };
        drop(body);
        let reply = self.call(ModelCall::Http(request(manner))).await?;
        if reply.status < 300 {
            self.keep_manner(model, manner);
        }
        Ok(reply)
    }

    fn manner(&self, model: &str) -> Manner {
        let kept = settings::get(self.ports.sql(), &setting(model)).unwrap_or_else(|error| {
            self.ports.log("setting_not_read", &[("error", error.to_string())]);
            None
        });
        kept.as_deref().and_then(Manner::parse).unwrap_or_default()
    }

    fn keep_manner(&self, model: &str, manner: Manner) {
        self.ports.log("model_manner", &[("manner", manner.to_word())]);
        if settings::set(self.ports.sql(), &setting(model), &manner.to_word()).is_err() {
            self.ports.log("setting_not_kept", &[]);
        }
    }

    /// A memory call: one whole answer from the memory model, asked again once if that can help.
    pub(super) async fn complete(&self, prompt: &Prompt) -> Result<Completion, ModelFailure> {
        if self.config.model == Provider::Embedded {
            let text = embedded::complete(prompt);
            let usage = Some(estimated(prompt, &text));
            return Ok(Completion { text, finish: FinishReason::Stop, usage });
        }
        let mut json = JsonMode::Schema;
        let mut asked_again = false;
        loop {
            let failed = match self.complete_once(prompt, json).await {
                Ok(mut completion) => {
                    completion.usage.get_or_insert_with(|| estimated(prompt, &completion.text));
                    return Ok(completion);
                }
                Err(failed) => failed,
            };
            // Servers that don't know schemas say 400; they are asked in weaker words.
            match (&failed, json.weaker()) {
                (ModelFailure::Refused { status: 400 | 404 | 422 | 501 }, Some(weaker)) => json = weaker,
                _ => match failed.backoff(self.dice()) {
                    Some(wait) if !asked_again => {
                        asked_again = true;
                        self.ports.sleep(wait.0).await;
                    }
                    _ => return Err(failed),
                },
            }
        }
    }

    async fn complete_once(&self, prompt: &Prompt, json: JsonMode) -> Result<Completion, ModelFailure> {
        let model = &self.config.memory_model;
        match &self.config.model {
            Provider::OpenAi { base_url, api_key } => {
                let asked = self.ask_in_manner(model, |manner| {
                    let at = Endpoint { base_url, api_key: api_key.as_ref(), model, manner };
                    openai::chat_request(&at, prompt, false, json)
                });
                openai::read_completion(&self.whole(asked).await?)
            }
            Provider::Embedded | Provider::WorkersAi => {
                let run = workers_ai::chat_run(model, prompt, false, json);
                let bytes = self.whole(self.call(ModelCall::Ai(run))).await?;
                let output = serde_json::from_slice(&bytes).map_err(|_| ModelFailure::Garbled("output"))?;
                workers_ai::read_completion(&output)
            }
        }
    }

    /// The vectors of texts, in order. With another provider than the built-in one this is a network call.
    pub(super) async fn embed(
        &self,
        texts: &[&str],
        purpose: Purpose,
    ) -> Result<Vec<Vec<f32>>, ModelFailure> {
        self.embed_by(&self.config.embedding_model, texts, purpose).await
    }

    /// The same by a model that is named: the one in use before it changed.
    pub(super) async fn embed_by(
        &self,
        model: &str,
        texts: &[&str],
        purpose: Purpose,
    ) -> Result<Vec<Vec<f32>>, ModelFailure> {
        match &self.config.embedding {
            Provider::Embedded => Ok(texts.iter().map(|text| table::embed(text)).collect()),
            Provider::OpenAi { base_url, api_key } => {
                let at = Endpoint { base_url, api_key: api_key.as_ref(), model, manner: Manner::default() };
                let request = embeddings::embeddings_request(&at, texts, purpose);
                let bytes = self.whole(self.call(ModelCall::Http(request))).await?;
                embeddings::read_embeddings(&bytes, texts.len())
            }
            Provider::WorkersAi => {
                let run = embeddings::embeddings_run(model, texts, purpose);
                let bytes = self.whole(self.call(ModelCall::Ai(run))).await?;
                let output = serde_json::from_slice(&bytes).map_err(|_| ModelFailure::Garbled("output"))?;
                embeddings::read_run(&output, texts.len())
            }
        }
    }

    /// Every call of a model goes this way.
    async fn call(&self, call: ModelCall) -> Result<ModelReply<BodyOf<P>>, ModelFailure> {
        if self.model_is_off() {
            return Err(ModelFailure::Unavailable { status: None, retry_after_ms: None });
        }
        // Only the `AI` binding says more in its errors than that there was no answer.
        let runs = matches!(call, ModelCall::Ai(_));
        let unanswered = ModelFailure::Unavailable { status: None, retry_after_ms: None };
        let called = self.ports.models().call(call).await;
        called.map_err(|error| if runs { workers_ai::failure(&error.0) } else { unanswered })
    }

    /// One call's whole body, within the deadline and the size limit.
    async fn whole(
        &self,
        asked: impl Future<Output = Result<ModelReply<BodyOf<P>>, ModelFailure>>,
    ) -> Result<Vec<u8>, ModelFailure> {
        let read = pin!(async {
            let reply = asked.await?;
            let mut body = reply.body;
            let mut bytes = Vec::new();
            let broken = |_| ModelFailure::Unavailable { status: None, retry_after_ms: None };
            while let Some(chunk) = body.chunk().await.map_err(broken)? {
                if bytes.len() + chunk.len() > MAX_BODY_BYTES {
                    return Err(ModelFailure::Garbled("an endless answer"));
                }
                bytes.extend_from_slice(&chunk);
            }
            if reply.status >= 300 {
                return Err(failure::from_status(
                    reply.status,
                    reply.retry_after.as_deref(),
                    self.ports.now(),
                ));
            }
            Ok(bytes)
        });
        // A server that is allowed to be slow at chatting is so at memory work, which comes whole and not as it is made.
        let deadline = CALL_DEADLINE_MS.max(4 * self.config.limits.model_stall_ms);
        match select(read, pin!(self.ports.sleep(deadline))).await {
            Either::Left((result, _)) => result,
            Either::Right(_) => Err(ModelFailure::Stalled),
        }
    }
}

fn setting(model: &str) -> String {
    format!("{MANNER} {model}")
}

/// Tokens of a call whose provider didn't count.
pub fn estimated(prompt: &Prompt, answer: &str) -> Usage {
    Usage {
        prompt_tokens: prompt.messages.iter().map(|m| text::estimate::tokens(&m.content) + 4).sum(),
        completion_tokens: text::estimate::tokens(answer),
        estimated: true,
    }
}

fn embedded_pieces(prompt: &Prompt) -> VecDeque<Vec<Piece>> {
    let answer = embedded::answer(prompt);
    let mut pieces = VecDeque::new();
    let mut rest = answer.as_str();
    while !rest.is_empty() {
        let piece = text::prefix_chars(rest, EMBEDDED_PIECE_CHARS);
        rest = &rest[piece.len()..];
        pieces.push_back(vec![Piece::Text(piece.to_owned())]);
    }
    pieces.push_back(vec![Piece::Usage(estimated(prompt, &answer)), Piece::Finished(FinishReason::Stop)]);
    pieces
}
