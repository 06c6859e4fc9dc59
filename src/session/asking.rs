//! One answer while it comes: what of it the turn hears, and where the next event comes from.

use super::model::{AnswerStream, estimated};
use super::tools::Tools;
use crate::chat::turn::Event;
use crate::llm::tools::ToolCall;
use crate::llm::{ModelFailure, Piece, Prompt};
use crate::store::turns::Turn;

/// Where the next event of a running turn comes from.
pub(super) enum Source<B> {
    Ask {
        after_ms: i64,
    },
    /// What code says, without a model.
    Say(String),
    /// Tools that the model calls.
    Call(Vec<ToolCall>),
    Listen(AnswerStream<B>),
    /// An event that came already, and the source behind it.
    Came(Event, Box<Source<B>>),
    /// Nothing more is said.
    Over,
    /// It broke off.
    Broken(ModelFailure),
    Silent,
}

/// What an answer is asked for with.
pub(super) struct Asking<'a> {
    pub turn: &'a Turn,
    pub prompt: &'a Prompt,
    pub tools: &'a Tools,
}

/// How an answer goes on.
pub(super) enum Next {
    Listen,
    /// Calls have to be done first.
    Call(Vec<ToolCall>),
    /// It was a call written as text: it is asked for anew, without tools.
    AskWithout,
}

impl Asking<'_> {
    /// What the turn hears of an answer's pieces, and how the answer goes on.
    pub(super) fn hear(&self, pieces: Vec<Piece>) -> (Vec<Piece>, Next) {
        let mut calls = None;
        let mut heard = Vec::new();
        for piece in pieces {
            match piece {
                Piece::ToolCalls(called) => calls = Some(called),
                Piece::Usage(usage) => heard.push(Piece::Usage(self.tools.total(usage))),
                Piece::Text(text) => heard.extend(self.tools.hear(text).map(Piece::Text)),
                finished @ Piece::Finished(_) => {
                    heard.extend(self.tools.kept_back().map(Piece::Text));
                    heard.push(finished);
                }
            }
        }
        if let Some(call) = self.tools.written_call() {
            self.tools.spend(self.tools.total(estimated(self.prompt, &call)));
            return (Vec::new(), Next::AskWithout);
        }
        // Who calls although nothing is offered any more gives no answer.
        let calls = calls.filter(|_| self.tools.take_more());
        if let Some(calls) = &calls {
            heard.retain(|piece| !matches!(piece, Piece::Finished(_)));
            let called: String = calls.iter().map(|call| call.arguments.as_str()).collect();
            let total = heard.iter().find_map(|piece| match piece {
                Piece::Usage(total) => Some(*total),
                _ => None,
            });
            self.tools.spend(total.unwrap_or_else(|| self.tools.total(estimated(self.prompt, &called))));
            heard.retain(|piece| !matches!(piece, Piece::Usage(_)));
        }
        (heard, calls.map_or(Next::Listen, Next::Call))
    }

    /// The end of an answer: at once, or behind words that were kept back.
    pub(super) fn last_words<B>(&self, end: Event, then: Source<B>) -> (Event, Source<B>) {
        match self.tools.kept_back() {
            Some(text) => (Event::Heard(vec![Piece::Text(text)]), then),
            None => (end, Source::Silent),
        }
    }
}
