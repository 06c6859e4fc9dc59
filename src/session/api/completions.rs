//! Chatting from other programs: a question becomes a turn like any other, and whoever asked hears its answer.

use futures::StreamExt;
use futures::channel::mpsc::UnboundedReceiver;
use futures::stream::{self, Stream};

use super::{Refused, Response, json, text};
use crate::http::completions::{self, Heard, Writer};
use crate::http::problem::Problem;
use crate::id::{ClientId, ThreadId};
use crate::session::Session;
use crate::session::listen::Brought;
use crate::session::ports::{Ports, To};
use crate::session::receive::NotOpened;
use crate::store::threads;
use crate::store::turns::State;

/// An answer that is on its way. Its turn runs only when somebody runs it ([`Session::run_turns`]).
pub struct Completing {
    pub is_streamed: bool,
    writer: Writer,
    heard: UnboundedReceiver<Heard>,
}

impl Completing {
    /// The events of a streamed answer, as they come.
    pub fn events(self) -> impl Stream<Item = String> {
        let Self { writer, heard, .. } = self;
        let opening = writer.opening();
        let end = std::iter::once(removed());
        let heard = heard.chain(stream::iter(end)).scan(false, |is_over, heard| {
            let told = (!*is_over).then_some(heard);
            *is_over |= !matches!(told, Some(Heard::Text(_)));
            std::future::ready(told)
        });
        stream::iter(std::iter::once(opening)).chain(heard.map(move |heard| writer.events(&heard)))
    }

    /// The whole answer, once it is there.
    pub async fn whole(mut self) -> Result<Response, Refused> {
        let mut said = String::new();
        loop {
            match self.heard.next().await.unwrap_or_else(removed) {
                Heard::Text(text) => said.push_str(&text),
                end => return json(200, &self.writer.whole(&said, &end)?),
            }
        }
    }
}

/// The turn went with its thread.
fn removed() -> Heard {
    Heard::Failed { code: "removed".to_owned() }
}

impl<P: Ports> Session<P> {
    /// Opens a turn for `POST /v1/chat/completions`. A request that is repeated with its key is the same turn.
    pub fn complete_chat(&self, key: Option<&str>, body: &[u8]) -> Result<Completing, Response> {
        let opened = self.recover().map_err(Refused::from).and_then(|()| self.open_completion(key, body));
        opened.map_err(|refused| self.answered(Err(refused)))
    }

    /// A refusal or a whole answer, as it is sent.
    pub async fn completed(&self, completing: Completing) -> Response {
        self.answered(completing.whole().await)
    }

    fn open_completion(&self, key: Option<&str>, body: &[u8]) -> Result<Completing, Refused> {
        let asked = completions::read(body, self.config.limits.max_message_chars)?;
        let id = match key {
            None => ClientId::new(self.ports.random()),
            Some(key) => ClientId::parse(key)
                .ok_or_else(|| Problem::bad_field("Idempotency-Key", "must be 1 to 64 of A–Z a–z 0–9 _ -"))?,
        };
        let (sql, now) = (self.ports.sql(), self.ports.now());
        let thread = asked.thread.clone().unwrap_or_else(ThreadId::programs);
        if asked.thread.is_none() && threads::get(sql, &thread, now)?.is_none() {
            threads::create(sql, &thread, "", false, now)?;
        }
        let opening = match self.open_turn(&thread, &id, &asked.question)? {
            Ok(opening) => opening,
            Err(NotOpened::UnknownThread) => return Err(Problem::not_found().into()),
            Err(NotOpened::Refused(problem)) => return Err(problem.into()),
            Err(NotOpened::QueueFull) => {
                return Err(Problem::queue_full(self.config.limits.queue_max).into());
            }
        };
        let turn = opening.turn;
        if turn.state == State::Queued {
            let before = asked.thread.is_none().then_some(asked.before);
            let brought = Brought { instructions: asked.instructions, before };
            self.brought.borrow_mut().insert(turn.id.clone(), brought);
        }
        if !opening.repeated {
            self.tell_asked(To::Thread(&turn.thread), &turn, &asked.question);
        }
        let heard = self.listen(&turn)?;
        let writer = Writer::new(turn.id, turn.accepted_at, asked.with_usage);
        Ok(Completing { is_streamed: asked.is_streamed, writer, heard })
    }
}

/// The head of a streamed answer; its body is the events.
pub fn event_stream() -> Response {
    text(200, "text/event-stream; charset=utf-8", String::new())
}
