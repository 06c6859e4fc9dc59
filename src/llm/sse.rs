//! Server-sent events, incrementally: bytes in any chunking, whole events out.
//!
//! Invariant: the events depend on the bytes alone, never on where the network cut them. Lines are cut at ASCII
//! line ends before they are decoded, so a character split over two chunks can't be garbled. The fields `id` and
//! `retry` are read past: a model's stream can't be resumed, so there is nothing to do with them.

/// Longest line kept, in bytes. Providers send some kilobytes; a whole plain answer stays below 200 KB.
const MAX_LINE_BYTES: usize = 1024 * 1024;

/// Most data of one event, in bytes, over all of its `data` lines.
const MAX_EVENT_BYTES: usize = 1024 * 1024;

/// One dispatched event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The `event` field; empty where the stream named none.
    pub name: String,
    /// The `data` lines, joined with line feeds.
    pub data: String,
}

/// Reads one stream. A line or event beyond the bounds ends it: see [`Parser::is_overlong`].
#[derive(Debug, Default)]
pub struct Parser {
    line: Vec<u8>,
    /// The last byte was a carriage return, so a line feed that follows belongs to the same line end.
    after_cr: bool,
    past_first_line: bool,
    name: String,
    data: Option<String>,
    overlong: bool,
}

impl Parser {
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the next bytes and gives the events that they complete.
    pub fn push(&mut self, bytes: &[u8]) -> Vec<Event> {
        let mut events = Vec::new();
        for &byte in bytes {
            if self.overlong {
                break;
            }
            let closes_crlf = byte == b'\n' && self.after_cr;
            self.after_cr = byte == b'\r';
            match byte {
                b'\n' if closes_crlf => {}
                b'\n' | b'\r' => self.end_line(&mut events),
                _ if self.line.len() < MAX_LINE_BYTES => self.line.push(byte),
                _ => self.give_up(),
            }
        }
        events
    }

    /// The stream has ended: gives the events that only lacked their blank lines.
    pub fn finish(&mut self) -> Vec<Event> {
        let mut events = Vec::new();
        if !self.line.is_empty() {
            self.end_line(&mut events);
        }
        self.dispatch(&mut events);
        events
    }

    /// A line or an event was longer than any honest one; the rest of the stream is not read.
    pub fn is_overlong(&self) -> bool {
        self.overlong
    }

    fn end_line(&mut self, events: &mut Vec<Event>) {
        let bytes = std::mem::take(&mut self.line);
        let text = String::from_utf8_lossy(&bytes);
        let mut line = text.as_ref();
        if !self.past_first_line {
            self.past_first_line = true;
            line = line.strip_prefix('\u{feff}').unwrap_or(line);
        }
        if line.is_empty() {
            self.dispatch(events);
            return;
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "event" => value.clone_into(&mut self.name),
            "data" => {
                // Some servers leave out the blank line. No JSON goes on like this, so the event before is whole.
                let begins_anew = value.starts_with('{') || value == "[DONE]";
                if begins_anew && self.data.as_ref().is_some_and(|data| data.ends_with('}')) {
                    self.dispatch(events);
                }
                self.add_data(value);
            }
            // A comment (no field name), `id`, `retry`, or a field that nobody defined.
            _ => {}
        }
    }

    fn add_data(&mut self, value: &str) {
        let held = self.data.as_ref().map_or(0, String::len);
        if held + value.len() > MAX_EVENT_BYTES {
            self.give_up();
            return;
        }
        match &mut self.data {
            Some(data) => {
                data.push('\n');
                data.push_str(value);
            }
            None => self.data = Some(value.to_owned()),
        }
    }

    fn dispatch(&mut self, events: &mut Vec<Event>) {
        let name = std::mem::take(&mut self.name);
        if let Some(data) = self.data.take() {
            events.push(Event { name, data });
        }
    }

    fn give_up(&mut self) {
        *self = Self { overlong: true, ..Self::default() };
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read_in(chunks: &[&[u8]]) -> Vec<Event> {
        let mut parser = Parser::new();
        let mut events: Vec<Event> = chunks.iter().flat_map(|chunk| parser.push(chunk)).collect();
        events.extend(parser.finish());
        events
    }

    fn data(text: &str) -> Vec<String> {
        read_in(&[text.as_bytes()]).into_iter().map(|event| event.data).collect()
    }

    #[test]
    fn every_line_end_ends_a_line_and_crlf_ends_only_one() {
        for end in ["\n", "\r", "\r\n"] {
            let text = format!("data: 記憶{end}data:犬{end}{end}data: b{end}{end}");
            assert_eq!(data(&text), ["記憶\n犬", "b"], "{end:?}");
        }
    }

    #[test]
    fn comments_unknown_fields_ids_and_retries_say_nothing() {
        let text = ": ping\n\nid: 7\nretry: 10\nfoo: bar\nevent: error\ndata: x\n\nevent: lone\n\ndata\n\n";
        let expected =
            [("error", "x"), ("", "")].map(|(name, data)| Event { name: name.into(), data: data.into() });
        assert_eq!(read_in(&[text.as_bytes()]), expected);
    }

    #[test]
    fn only_one_space_and_only_the_first_byte_order_mark_are_taken_off() {
        assert_eq!(data("\u{feff}data:  a\n\ndata: \u{feff}b\n\n"), [" a", "\u{feff}b"]);
    }

    #[test]
    fn an_event_without_its_blank_line_comes_at_the_end() {
        assert_eq!(data("data: a\n\ndata: [DONE]"), ["a", "[DONE]"]);
        assert_eq!(data("data: a\n"), ["a"]);
        assert!(data("").is_empty());
    }

    #[test]
    fn an_endless_line_or_event_ends_the_stream_instead_of_filling_memory() {
        let mut parser = Parser::new();
        for _ in 0..300 {
            parser.push(&[b'x'; 8192]);
        }
        assert!(parser.is_overlong() && parser.line.capacity() <= 2 * MAX_LINE_BYTES);
        let mut parser = Parser::new();
        let line = format!("data: {}\n", "犬".repeat(1000));
        for _ in 0..500 {
            parser.push(line.as_bytes());
        }
        assert!(parser.is_overlong() && parser.finish().is_empty() && parser.push(b"data: a\n\n").is_empty());
    }

    fn stream() -> impl Strategy<Value = Vec<u8>> {
        let piece = prop_oneof![
            Just(b"data: ".to_vec()),
            Just(b"data:".to_vec()),
            Just(b"event: error".to_vec()),
            Just(b"\n".to_vec()),
            Just(b"\r".to_vec()),
            Just(b"\r\n".to_vec()),
            Just(b": note".to_vec()),
            Just("\u{feff}".as_bytes().to_vec()),
            Just("記憶🐕é".as_bytes().to_vec()),
            Just(vec![0xf0, 0x9f]),
            Just(vec![0xff]),
            proptest::collection::vec(any::<u8>(), 0..6),
        ];
        proptest::collection::vec(piece, 0..30).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn any_chunking_gives_the_same_events(bytes in stream(), cuts in proptest::collection::vec(0usize..200, 0..20)) {
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(bytes.len())).collect();
            cuts.extend([0, bytes.len()]);
            cuts.sort_unstable();
            let chunks: Vec<&[u8]> = cuts.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect();
            let whole = read_in(&[&bytes]);
            prop_assert_eq!(read_in(&chunks), whole.clone());
            let single: Vec<&[u8]> = bytes.chunks(1).collect();
            prop_assert_eq!(read_in(&single), whole);
        }

        #[test]
        fn text_comes_through_as_it_was_sent(text in "[^\r\n]{0,40}") {
            let stream = format!("data: {text}\n\n");
            prop_assert_eq!(data(&stream), vec![text]);
        }
    }
}
