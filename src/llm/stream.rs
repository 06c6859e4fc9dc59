//! A streamed answer: a provider's bytes in, pieces of the answer out.
//!
//! Invariants: the pieces don't depend on the chunking; `Finished` and `Usage` come at most once each; nothing
//! said before a failure is lost, because the failure waits for the next call when text came before it. Deadlines
//! and stalls are the caller's, who has a clock.

use super::ending::Ending;
use super::openai::{self, Chunk};
use super::sse::{Event, Parser};
use super::thoughts::Thoughts;
use super::tools::Fragments;
use super::{FinishReason, ModelFailure, Piece, Usage, json, workers_ai};

/// Most text of one answer, in bytes; `max_tokens` keeps honest answers below a fifth of it.
const MAX_ANSWER_BYTES: usize = 512 * 1024;

/// Most bytes of an answer that came whole although a stream was asked for.
const MAX_PLAIN_BYTES: usize = 2 * 1024 * 1024;

const BYTE_ORDER_MARK: [u8; 3] = [0xef, 0xbb, 0xbf];

/// Decodes one stream. Feed it until [`StreamDecoder::is_done`] or the end, then call [`StreamDecoder::finish`].
#[derive(Debug)]
pub struct StreamDecoder {
    dialect: Dialect,
    form: Form,
    events: Parser,
    plain: Vec<u8>,
    calls: Fragments,
    thoughts: Thoughts,
    ending: Ending,
    said: Said,
    done: bool,
    failure: Option<ModelFailure>,
}

#[derive(Clone, Copy, Debug)]
enum Dialect {
    OpenAi,
    WorkersAi { max_tokens: u32 },
}

/// What the body turned out to be, judged by its first byte that isn't blank.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Form {
    Unknown,
    Events,
    /// The server ignored `stream` and answers with one JSON document.
    Plain,
}

/// What has been handed out so far.
#[derive(Debug, Default)]
struct Said {
    bytes: usize,
    visible: bool,
    finish: Option<FinishReason>,
    finish_given: bool,
    usage: Option<Usage>,
    usage_given: bool,
}

impl StreamDecoder {
    /// For OpenAI-compatible servers, where an answer without a finish reason was cut short.
    pub fn openai() -> Self {
        Self::new(Dialect::OpenAi)
    }

    /// For the `AI` binding, whose older models end with `[DONE]` and never say why; `max_tokens` tells a full
    /// answer from one that was cut.
    pub fn workers_ai(max_tokens: u32) -> Self {
        Self::new(Dialect::WorkersAi { max_tokens })
    }

    /// The answer begins inside its thoughts, as the model's answers before did.
    #[must_use]
    pub fn in_thought(mut self, begins: bool) -> Self {
        if begins {
            self.thoughts = Thoughts::begun();
        }
        self
    }

    /// Whether it was held back for thoughts that weren't there.
    pub fn began_plainly(&self) -> bool {
        self.thoughts.was_wrong()
    }

    fn new(dialect: Dialect) -> Self {
        Self {
            dialect,
            form: Form::Unknown,
            events: Parser::new(),
            plain: Vec::new(),
            calls: Fragments::default(),
            thoughts: Thoughts::default(),
            ending: Ending::default(),
            said: Said::default(),
            done: false,
            failure: None,
        }
    }

    /// Takes the next bytes. After an error the stream is over.
    pub fn push(&mut self, bytes: &[u8]) -> Result<Vec<Piece>, ModelFailure> {
        if let Some(failure) = &self.failure {
            return Err(failure.clone());
        }
        let mut pieces = Vec::new();
        let mut bytes = bytes;
        if self.form == Form::Unknown {
            let start = bytes.iter().position(|b| !b.is_ascii_whitespace() && !BYTE_ORDER_MARK.contains(b));
            match start.and_then(|start| bytes.get(start..)) {
                Some(rest @ [b'{' | b'[', ..]) => {
                    self.form = Form::Plain;
                    bytes = rest;
                }
                // What answers is no model: a sign-in page, a proxy's error.
                Some([b'<', ..]) => self.failure = Some(ModelFailure::Garbled("a page")),
                Some(_) => self.form = Form::Events,
                None => {}
            }
        }
        if self.form == Form::Plain {
            self.plain.extend_from_slice(bytes);
            if self.plain.len() > MAX_PLAIN_BYTES {
                self.plain.clear();
                self.failure = Some(ModelFailure::Garbled("an endless answer"));
            }
        } else if self.failure.is_none() {
            for event in self.events.push(bytes) {
                if let Err(failure) = self.take(&event, &mut pieces) {
                    self.failure = Some(failure);
                    break;
                }
            }
            if self.events.is_overlong() && self.failure.is_none() && !self.done {
                self.failure = Some(ModelFailure::Garbled("an endless line"));
            }
        }
        if self.failure.is_some() {
            self.say_rest(&mut pieces);
        }
        self.give(pieces)
    }

    /// The bytes have ended: what was still held back, or why the answer doesn't count. Call it once, and again while
    /// it [has failed](Self::has_failed) without having said so.
    pub fn finish(&mut self) -> Result<Vec<Piece>, ModelFailure> {
        let mut pieces = Vec::new();
        if self.failure.is_none() {
            self.failure = self.last(&mut pieces).err();
            self.say_rest(&mut pieces);
        }
        self.give(pieces)
    }

    fn last(&mut self, pieces: &mut Vec<Piece>) -> Result<(), ModelFailure> {
        if self.form == Form::Plain {
            self.read_plain(pieces)?;
        } else {
            for event in self.events.finish() {
                // Half an event is a cut, not garbage.
                self.take(&event, pieces).map_err(|failure| match failure {
                    ModelFailure::Garbled(_) => ModelFailure::CutShort,
                    other => other,
                })?;
            }
        }
        self.say_finish(pieces);
        if self.said.finish.is_none() || !self.said.visible {
            return Err(ModelFailure::CutShort);
        }
        self.say_usage(pieces);
        Ok(())
    }

    /// Whether the answer doesn't count, perhaps without having said so yet.
    pub fn has_failed(&self) -> bool {
        self.failure.is_some()
    }

    /// The provider said that nothing follows; reading on is useless.
    pub fn is_done(&self) -> bool {
        self.done
    }

    fn give(&self, pieces: Vec<Piece>) -> Result<Vec<Piece>, ModelFailure> {
        match &self.failure {
            Some(failure) if pieces.is_empty() => Err(failure.clone()),
            _ => Ok(pieces),
        }
    }

    fn take(&mut self, event: &Event, pieces: &mut Vec<Piece>) -> Result<(), ModelFailure> {
        let data = event.data.trim();
        if self.done || data.is_empty() {
            return Ok(());
        }
        if data == "[DONE]" {
            self.done = true;
            if let (Dialect::WorkersAi { max_tokens }, None) = (self.dialect, self.said.finish) {
                let used = self.said.usage.map_or(0, |usage| usage.completion_tokens);
                let cut = used >= max_tokens;
                self.said.finish = Some(if cut { FinishReason::Length } else { FinishReason::Stop });
            }
            self.say_finish(pieces);
            self.say_usage(pieces);
            return Ok(());
        }
        let json = json::parse(data).ok_or(ModelFailure::Garbled("a chunk of the stream isn't JSON"))?;
        let chunk = match self.dialect {
            Dialect::OpenAi => openai::read_chunk(&json),
            Dialect::WorkersAi { .. } => workers_ai::read_chunk(&json),
        }?;
        self.calls.take(&json);
        if event.name == "error" {
            return Err(ModelFailure::Unavailable { status: None, retry_after_ms: None });
        }
        self.say(chunk, pieces)
    }

    fn say(&mut self, chunk: Chunk, pieces: &mut Vec<Piece>) -> Result<(), ModelFailure> {
        let says_nothing = chunk.text.is_empty();
        self.said.bytes += chunk.text.len();
        if self.said.bytes > MAX_ANSWER_BYTES {
            return Err(ModelFailure::Garbled("an endless answer"));
        }
        let text = self.ending.hear(&self.thoughts.hear(chunk.text));
        self.say_text(text, pieces);
        // Some servers repeat a running count with every chunk; only the last one is the answer's.
        if chunk.usage.is_some() {
            self.said.usage = chunk.usage;
        }
        self.said.finish = chunk.finish.or(self.said.finish);
        // Some servers give a reason with every piece of text: with text it counts at the end only.
        if says_nothing && chunk.finish.is_some() {
            self.say_finish(pieces);
        }
        Ok(())
    }

    fn say_text(&mut self, text: String, pieces: &mut Vec<Piece>) {
        if !text.is_empty() {
            self.said.visible |= !text.trim().is_empty();
            pieces.push(Piece::Text(text));
        }
    }

    /// What was held back.
    fn say_rest(&mut self, pieces: &mut Vec<Piece>) {
        let rest = self.thoughts.rest();
        let rest = self.ending.hear(&rest) + &self.ending.rest();
        self.say_text(rest, pieces);
    }

    /// Says how the answer ended, once it is known, with what was held back.
    fn say_finish(&mut self, pieces: &mut Vec<Piece>) {
        let (Some(reason), false) = (self.said.finish, self.said.finish_given) else { return };
        self.say_rest(pieces);
        let calls = self.calls.finish();
        // Some servers call it a natural end.
        let called = !calls.is_empty() && matches!(reason, FinishReason::ToolCalls | FinishReason::Stop);
        let reason = if called { FinishReason::ToolCalls } else { reason };
        if called {
            self.said.visible = true;
            pieces.push(Piece::ToolCalls(calls));
        }
        self.said.finish_given = true;
        pieces.push(Piece::Finished(reason));
    }

    fn say_usage(&mut self, pieces: &mut Vec<Piece>) {
        if let (Some(usage), false) = (self.said.usage, self.said.usage_given) {
            self.said.usage_given = true;
            pieces.push(Piece::Usage(usage));
        }
    }

    fn read_plain(&mut self, pieces: &mut Vec<Piece>) -> Result<(), ModelFailure> {
        let body = std::mem::take(&mut self.plain);
        let json = json::parse(&String::from_utf8_lossy(&body)).ok_or(ModelFailure::CutShort)?;
        self.calls.take(&json);
        if !self.calls.is_empty() {
            let usage = openai::usage_in(&json);
            return self
                .say(Chunk { finish: Some(FinishReason::ToolCalls), usage, ..Chunk::default() }, pieces);
        }
        let whole = match self.dialect {
            Dialect::OpenAi => openai::completion_in(&json),
            Dialect::WorkersAi { .. } => workers_ai::read_completion(&json),
        }?;
        self.say(Chunk { text: whole.text, finish: Some(whole.finish), usage: whole.usage }, pieces)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The whole conversation with a decoder: every piece, then how it ended.
    fn read_in<'a>(
        mut decoder: StreamDecoder,
        chunks: impl Iterator<Item = &'a [u8]>,
    ) -> (String, Vec<Piece>, Result<(), ModelFailure>) {
        let (mut text, mut rest, mut end) = (String::new(), Vec::new(), Ok(()));
        let mut keep = |answer: Result<Vec<Piece>, ModelFailure>| match answer {
            Ok(pieces) => {
                for piece in pieces {
                    match piece {
                        Piece::Text(piece) => text.push_str(&piece),
                        other => rest.push(other),
                    }
                }
            }
            Err(failure) => end = Err(failure),
        };
        for chunk in chunks {
            keep(decoder.push(chunk));
        }
        keep(decoder.finish());
        if decoder.has_failed() {
            keep(decoder.finish());
        }
        (text, rest, end)
    }

    fn read(stream: &str) -> (String, Vec<Piece>, Result<(), ModelFailure>) {
        read_in(StreamDecoder::openai(), std::iter::once(stream.as_bytes()))
    }

    const DELTA: &str = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"ポチ\"}}]}\n\n";
    const STOP: &str = "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n";
    const USAGE: &str = "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":2}}\n\n";
    const DONE: &str = "data: [DONE]\n\n";

    fn usage(prompt_tokens: u32, completion_tokens: u32) -> Piece {
        Piece::Usage(Usage { prompt_tokens, completion_tokens, estimated: false })
    }

    #[test]
    fn usage_comes_once_after_the_finish() {
        let expected = vec![Piece::Finished(FinishReason::Stop), usage(5, 2)];
        assert_eq!(read(&[DELTA, STOP, USAGE, DONE].concat()), ("ポチ".to_owned(), expected.clone(), Ok(())));
        assert_eq!(read(&[USAGE, DELTA, STOP, USAGE, USAGE].concat()).1, expected);
    }

    #[test]
    fn a_stream_without_a_finish_reason_was_cut_and_keeps_what_was_said() {
        let unended = DELTA.trim_end();
        for stream in [DELTA, unended, &[DELTA, DONE].concat(), &[DELTA, "data: {\"choi"].concat()] {
            assert_eq!(read(stream), ("ポチ".to_owned(), vec![], Err(ModelFailure::CutShort)), "{stream}");
        }
        let held = DELTA.replace("ポチ", "1 <");
        assert_eq!(
            read(&held),
            ("1 <".to_owned(), vec![], Err(ModelFailure::CutShort)),
            "what was held back, too"
        );
        for nothing in ["", "\n\n", ": keep-alive\n\n", STOP] {
            assert_eq!(read(nothing).2, Err(ModelFailure::CutShort), "{nothing:?}");
        }
    }

    #[test]
    fn an_error_inside_the_stream_loses_nothing_said_before_it() {
        let error = "data: {\"error\":{\"code\":429,\"message\":\"slow down\"}}\n\n";
        let (text, _, end) = read(&[DELTA, error, DELTA].concat());
        assert_eq!((text.as_str(), end), ("ポチ", Err(ModelFailure::Busy { retry_after_ms: None })));
        let named = "event: error\ndata: {\"message\":\"gone\"}\n\n";
        assert_eq!(read(&[DELTA, named].concat()).2.unwrap_err().code(), "model_unavailable");
        assert_eq!(read(&[DELTA, "data: oops\n\n", STOP].concat()).2.unwrap_err().code(), "model_garbled");
    }

    #[test]
    fn a_server_that_ignores_stream_is_read_all_the_same() {
        let plain = " {\"choices\":[{\"message\":{\"content\":\"ポチ\"},\"finish_reason\":\"stop\"}]}\n";
        assert_eq!(read(plain).0, "ポチ");
        assert_eq!(read(plain.trim_end_matches(['}', '\n'])).2, Err(ModelFailure::CutShort));
        assert_eq!(read("{\"error\":{\"code\":404}}").2, Err(ModelFailure::Refused { status: 404 }));
    }

    #[test]
    fn an_endless_answer_ends() {
        let mut decoder = StreamDecoder::openai();
        let delta = DELTA.replace("ポチ", &"x".repeat(10_000));
        let failed = (0..1000).find_map(|_| decoder.push(delta.as_bytes()).err());
        assert_eq!(failed, Some(ModelFailure::Garbled("an endless answer")));
        let mut decoder = StreamDecoder::openai();
        let failed = (0..100_000).find_map(|_| decoder.push(b"data: xxxxxxxxxxxxxxxxxxxxxxxxx").err());
        assert_eq!(failed, Some(ModelFailure::Garbled("an endless line")));
    }

    #[test]
    fn nothing_counts_after_done() {
        let mut decoder = StreamDecoder::openai();
        decoder.push([DELTA, STOP, DONE].concat().as_bytes()).unwrap();
        assert!(decoder.is_done());
        assert_eq!(decoder.push(DELTA.as_bytes()), Ok(vec![]));
        assert_eq!(decoder.finish(), Ok(vec![]));
    }

    #[test]
    fn workers_ai_ends_with_done_and_its_cap_tells_a_cut() {
        let stream = "data: {\"response\":\"ポチ\"}\n\ndata: {\"response\":\"\",\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":2}}\n\ndata: [DONE]\n\n";
        let read =
            |max_tokens| read_in(StreamDecoder::workers_ai(max_tokens), std::iter::once(stream.as_bytes())).1;
        assert_eq!(read(100), [Piece::Finished(FinishReason::Stop), usage(5, 2)]);
        assert_eq!(read(2), [Piece::Finished(FinishReason::Length), usage(5, 2)]);
    }

    proptest! {
        #[test]
        fn any_bytes_in_any_chunking_read_alike(
            parts in proptest::collection::vec(prop_oneof![
                Just(DELTA.as_bytes().to_vec()), Just(STOP.as_bytes().to_vec()), Just(USAGE.as_bytes().to_vec()),
                Just(DONE.as_bytes().to_vec()), Just(b"{\"choices\":".to_vec()), Just(b"data: {\n\n".to_vec()),
                Just(vec![0xef, 0xbb, 0xbf]), proptest::collection::vec(any::<u8>(), 0..8),
            ], 0..8),
            size in 1usize..40,
        ) {
            let bytes = parts.concat();
            for make in [StreamDecoder::openai as fn() -> _, || StreamDecoder::workers_ai(9)] {
                let whole = read_in(make(), std::iter::once(bytes.as_slice()));
                prop_assert_eq!(read_in(make(), bytes.chunks(size)), whole);
            }
        }
    }
}
