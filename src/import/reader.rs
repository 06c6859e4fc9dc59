//! One file, chunk by chunk: which shape it has, and what its pieces are.

use serde_json::Value;

use super::scan::{Content, Piece, Shape, Splitter};
use super::{Entry, Read, Reason, chatgpt, claude, kioku, messages};
use crate::http::query::ImportFormat;

/// Longest line or entry, in bytes: the text of one message, written with escapes, and room around it.
const LONGEST_ENTRY: usize = 2 * 1024 * 1024;
/// Longest conversation, in bytes. The runtime gives the isolate 128 MB for everything.
const LONGEST_CONVERSATION: usize = 16 * 1024 * 1024;
/// How the lines of Kioku's own export begin, spaces left out.
const LINE_OF_OURS: &[u8] = b"{\"type\"";

/// Some editors put this before UTF-8.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();
const ZIP: &[u8] = b"PK";

/// Reads a file of one format as its chunks come.
pub struct Reader {
    format: ImportFormat,
    at: At,
}

enum At {
    /// What was seen so far doesn't tell the shape.
    Beginning(Vec<u8>),
    Inside(Splitter),
    /// What follows isn't read.
    Over,
}

impl Reader {
    pub fn new(format: ImportFormat) -> Self {
        Self { format, at: At::Beginning(Vec::new()) }
    }

    /// Whether anything but blanks has come.
    pub fn has_begun(&self) -> bool {
        !matches!(self.at, At::Beginning(_))
    }

    /// Takes the next bytes and gives what they complete.
    pub fn feed(&mut self, chunk: &[u8]) -> Vec<Entry> {
        let mut found = Vec::new();
        match &mut self.at {
            At::Beginning(seen) => {
                seen.extend_from_slice(chunk);
                self.look(false, &mut found);
            }
            At::Inside(splitter) => split(self.format, splitter, chunk, &mut found),
            At::Over => {}
        }
        found
    }

    /// The file is over.
    pub fn end(&mut self) -> Vec<Entry> {
        let mut found = Vec::new();
        self.look(true, &mut found);
        if let At::Inside(splitter) = &mut self.at {
            let (format, shape) = (self.format, splitter.shape());
            splitter.end(&mut |piece| read(format, shape, piece, &mut found));
            self.at = At::Over;
        }
        found
    }

    /// Tells the shape as soon as it can be told, and reads what was seen until then.
    fn look(&mut self, is_over: bool, found: &mut Vec<Entry>) {
        let At::Beginning(seen) = &self.at else { return };
        let text = seen.strip_prefix(BYTE_ORDER_MARK).unwrap_or(seen);
        let first: Vec<u8> =
            text.iter().filter(|b| !b.is_ascii_whitespace()).take(LINE_OF_OURS.len()).copied().collect();
        let is_enough = first.len() >= LINE_OF_OURS.len();
        if first.is_empty() && seen.len() > LONGEST_ENTRY {
            self.at = At::Over;
            return;
        }
        if first.is_empty() || !is_over && !is_enough {
            return;
        }
        if first.starts_with(ZIP) {
            self.at = At::Over;
            found.push(Entry { line: 1, item: None, read: Read::Broken(Reason::Zip) });
            return;
        }
        let shape = match self.format {
            ImportFormat::ChatGpt | ImportFormat::Claude => Shape::Records,
            ImportFormat::Messages if first.starts_with(b"[") => Shape::Records,
            ImportFormat::Messages => Shape::Lines,
            ImportFormat::Kioku if first == LINE_OF_OURS => Shape::Lines,
            ImportFormat::Kioku => Shape::Members,
        };
        let longest = match self.format {
            ImportFormat::ChatGpt | ImportFormat::Claude => LONGEST_CONVERSATION,
            ImportFormat::Messages | ImportFormat::Kioku => LONGEST_ENTRY,
        };
        let mut splitter = Splitter::new(shape, longest);
        split(self.format, &mut splitter, text, found);
        self.at = At::Inside(splitter);
    }
}

fn split(format: ImportFormat, splitter: &mut Splitter, bytes: &[u8], found: &mut Vec<Entry>) {
    let shape = splitter.shape();
    splitter.feed(bytes, &mut |piece| read(format, shape, piece, found));
}

fn read(format: ImportFormat, shape: Shape, piece: Piece<'_>, found: &mut Vec<Entry>) {
    let mut push = |read: Read| found.push(Entry { line: piece.line, item: piece.item, read });
    let bytes = match piece.content {
        Content::Whole(bytes) => bytes,
        Content::TooLong => return push(Read::Broken(Reason::TooLong)),
        Content::Lost => return push(Read::Broken(Reason::NotJson)),
        Content::CutOff => return push(Read::Broken(Reason::CutOff)),
    };
    let conversation = match format {
        ImportFormat::ChatGpt => chatgpt::read(bytes),
        ImportFormat::Claude => claude::read(bytes),
        ImportFormat::Messages | ImportFormat::Kioku => {
            match entry(format, shape, piece.key, bytes) {
                Ok(read) => read.into_iter().for_each(push),
                Err(reason) => push(Read::Broken(reason)),
            }
            return;
        }
    };
    match conversation {
        Ok(read) => {
            read.broken.into_iter().for_each(|reason| push(Read::Broken(reason)));
            (0..read.skipped).for_each(|_| push(Read::Skipped));
            push(Read::Conversation(read.conversation));
        }
        Err(reason) => {
            // An outline that isn't even JSON is told apart from JSON of another kind.
            let is_json = serde_json::from_slice::<serde::de::IgnoredAny>(bytes).is_ok();
            push(Read::Broken(if is_json { reason } else { Reason::NotJson }));
        }
    }
}

fn entry(format: ImportFormat, shape: Shape, key: &[u8], bytes: &[u8]) -> Result<Option<Read>, Reason> {
    let value: Value = serde_json::from_slice(bytes).map_err(|_| Reason::NotJson)?;
    if format == ImportFormat::Messages {
        return messages::read(&value).map(Some);
    }
    if shape == Shape::Lines {
        return kioku::read_line(&value);
    }
    let key: String = serde_json::from_slice(key).unwrap_or_default();
    kioku::read(&key, &value)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn all(format: ImportFormat, bytes: &[u8], chunk: usize) -> Vec<Entry> {
        let mut reader = Reader::new(format);
        let mut found = Vec::new();
        for chunk in bytes.chunks(chunk.max(1)) {
            found.extend(reader.feed(chunk));
        }
        found.extend(reader.end());
        found
    }

    fn texts(found: &[Entry]) -> Vec<String> {
        let line = |entry: &Entry| match &entry.read {
            Read::Conversation(conversation) => {
                conversation.messages.iter().map(|said| said.text.clone()).collect::<Vec<_>>().join("|")
            }
            Read::Fact(fact) => fact.text.clone(),
            Read::Thread(thread) => thread.title.clone(),
            Read::Skipped => "skipped".to_owned(),
            Read::Broken(reason) => format!("{}: {}", entry.line, reason.as_str()),
        };
        found.iter().map(line).collect()
    }

    const LINES: &str = "{\"role\":\"user\",\"content\":\"犬が好き\",\"created_at\":1}\n\n{\"role\":\"user\"\n\
        {\"role\":\"assistant\",\"content\":\"Noted 😀\",\"created_at\":\"2024-01-01T00:00:00Z\"}";
    const CHATGPT: &str = "[{\"id\":\"c\",\"title\":\"旅\",\"current_node\":\"a\",\"mapping\":{\"a\":{\"message\":{\"author\":\
        {\"role\":\"user\"},\"create_time\":5,\"content\":{\"content_type\":\"text\",\"parts\":[\"京都へ\"]}}}}},\n{\"x\":1},\n{oops}]";
    const CLAUDE: &str = "[{\"uuid\":\"c\",\"chat_messages\":[{\"uuid\":\"m\",\"sender\":\"human\",\"text\":\"こんにちは\",\
        \"created_at\":\"2024-01-01T00:00:00Z\"}]}]";
    const KIOKU: &str = "{\"exported_at\":\"x\",\"facts\":[{\"id\":\"f_1\",\"text\":\"Has a dog\",\"created_at\":1}],\"format\":\"kioku\",\
        \"messages\":[{\"id\":\"m_1\",\"role\":\"user\",\"content\":\"犬\",\"created_at\":1}],\"threads\":[{\"id\":\"main\",\"title\":\"t\"}]}";
    const KIOKU_LINES: &str = "{\"type\":\"fact\",\"value\":{\"id\":\"f_1\",\"text\":\"Has a dog\",\"created_at\":1}}\n\
        {\"type\":\"message\",\"value\":{}}\n{\"type\":\"later\",\"value\":{}}\n";

    const FILES: &[(ImportFormat, &str, &[&str])] = &[
        (ImportFormat::Messages, LINES, &["犬が好き", "3: not_json", "Noted 😀"]),
        (ImportFormat::ChatGpt, CHATGPT, &["京都へ", "2: conversation", "3: not_json"]),
        (ImportFormat::Claude, CLAUDE, &["こんにちは"]),
        (ImportFormat::Kioku, KIOKU, &["Has a dog", "犬", "t"]),
        (ImportFormat::Kioku, KIOKU_LINES, &["Has a dog", "2: role"]),
    ];

    #[test]
    fn every_format_gives_the_same_at_every_chunk_length_and_with_a_byte_order_mark() {
        for (format, file, expected) in FILES {
            for chunk in 1..=file.len() {
                assert_eq!(texts(&all(*format, file.as_bytes(), chunk)), *expected, "{format:?} by {chunk}");
            }
            let marked = format!("\u{feff}{file}");
            for chunk in [1, 2, 1000] {
                assert_eq!(
                    texts(&all(*format, marked.as_bytes(), chunk)),
                    *expected,
                    "{format:?} by {chunk}"
                );
            }
        }
    }

    #[test]
    fn a_file_that_is_cut_off_gives_what_came_before() {
        for (format, file, expected) in FILES {
            for (end, _) in file.char_indices() {
                let found = texts(&all(*format, &file.as_bytes()[..end], 64));
                let same = found.iter().zip(*expected).filter(|(found, expected)| found == expected).count();
                assert!(found.len() <= same + 1, "{format:?} until {end}: {found:?}");
            }
        }
    }

    #[test]
    fn a_packed_archive_is_told_apart_and_blanks_are_nothing() {
        for chunk in [1, 5] {
            assert_eq!(texts(&all(ImportFormat::ChatGpt, b"PK\x03\x04 and much more", chunk)), ["1: zip"]);
        }
        assert!(all(ImportFormat::Messages, b" \n\n", 1).is_empty());
        let mut reader = Reader::new(ImportFormat::Messages);
        reader.feed(b"  \n");
        assert!(!reader.has_begun());
    }

    #[test]
    fn a_list_of_messages_is_read_like_lines() {
        let list = "[\n{\"role\":\"user\",\"content\":\"a\",\"created_at\":1},\n{\"role\":\"none\"}]";
        assert_eq!(texts(&all(ImportFormat::Messages, list.as_bytes(), 3)), ["a", "3: role"]);
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_without_a_panic_and_alike_in_any_chunks(
            file in 0..FILES.len(),
            changes in prop::collection::vec((any::<u16>(), any::<u8>()), 0..4),
            chunk in 1_usize..40,
        ) {
            let (format, text, _) = FILES[file];
            let mut bytes = text.as_bytes().to_vec();
            for (at, byte) in changes {
                let at = usize::from(at) % bytes.len();
                bytes[at] = byte;
            }
            prop_assert_eq!(all(format, &bytes, chunk), all(format, &bytes, bytes.len()));
        }
    }
}
