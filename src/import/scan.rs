//! Cuts a stream of bytes into lines or into the parts of a JSON document, without holding more than one of them.
//!
//! Invariant: whatever the chunks, the same bytes give the same pieces. Only the outline is read here (brackets,
//! strings, commas); whether a piece is JSON, the parser says that gets it. A piece beyond its limit is passed over
//! without being held.

/// What the pieces of a document are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Each line that isn't blank.
    Lines,
    /// Each entry of the lists that stand at the top, and each other value there.
    Records,
    /// Each member of the objects that stand at the top; of a member that is a list, each entry.
    Members,
}

/// One piece and where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece<'a> {
    /// The line on which it begins, from 1.
    pub line: u64,
    /// Which entry of its list it is, from 1.
    pub item: Option<u64>,
    /// The member's name as it is written, with its quotes; empty outside [`Shape::Members`].
    pub key: &'a [u8],
    pub content: Content<'a>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content<'a> {
    Whole(&'a [u8]),
    /// It is longer than may be.
    TooLong,
    /// Nothing of this shape; what follows isn't read.
    Lost,
    /// The stream ends inside it.
    CutOff,
}

/// Takes pieces as they are found.
pub type Sink<'s> = &'s mut dyn FnMut(Piece<'_>);

pub struct Splitter {
    shape: Shape,
    at: At,
    within: Within,
    /// Where the value that is being read ends.
    value: Value,
    /// The bytes of the piece that is being read.
    held: Vec<u8>,
    is_too_long: bool,
    longest: usize,
    key: Vec<u8>,
    line: u64,
    /// Whether the last byte was a carriage return.
    returned: bool,
    begins: u64,
    item: u64,
}

/// What is expected next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    Top,
    Entry,
    Member,
    Key,
    Colon,
    MemberValue,
    Value,
    Lost,
}

/// What the value that is being read is part of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Within {
    Top,
    List,
    Object,
    MemberList,
}

impl Splitter {
    /// `longest` is the limit of one piece, in bytes.
    pub fn new(shape: Shape, longest: usize) -> Self {
        Self {
            shape,
            at: At::Top,
            within: Within::Top,
            value: Value::default(),
            held: Vec::new(),
            is_too_long: false,
            longest,
            key: Vec::new(),
            line: 1,
            returned: false,
            begins: 1,
            item: 0,
        }
    }

    pub fn shape(&self) -> Shape {
        self.shape
    }

    pub fn feed(&mut self, chunk: &[u8], sink: Sink<'_>) {
        for &byte in chunk {
            if self.shape == Shape::Lines {
                self.line_byte(byte, sink);
            } else {
                self.byte(byte, sink);
            }
            // A line ends with either of them, or with both.
            if byte == b'\r' || (byte == b'\n' && !self.returned) {
                self.line += 1;
            }
            self.returned = byte == b'\r';
        }
    }

    /// The stream is over.
    pub fn end(&mut self, sink: Sink<'_>) {
        if self.shape == Shape::Lines {
            self.begins = self.line;
            self.end_line(sink);
            return;
        }
        let is_scalar = self.at == At::Value && self.within == Within::Top && self.value.is_scalar();
        if is_scalar {
            self.end_value(sink);
        } else if !matches!(self.at, At::Top | At::Lost) {
            self.give(Content::CutOff, sink);
        }
    }

    fn line_byte(&mut self, byte: u8, sink: Sink<'_>) {
        if byte == b'\n' || byte == b'\r' {
            self.begins = self.line;
            self.end_line(sink);
        } else {
            self.hold(byte);
        }
    }

    fn end_line(&mut self, sink: Sink<'_>) {
        let held = std::mem::take(&mut self.held);
        let line = held.trim_ascii();
        let content = if self.is_too_long { Content::TooLong } else { Content::Whole(line) };
        if self.is_too_long || !line.is_empty() {
            sink(Piece { line: self.begins, item: None, key: &[], content });
        }
        self.forget(held);
    }

    fn byte(&mut self, byte: u8, sink: Sink<'_>) {
        let is_space = byte.is_ascii_whitespace();
        match self.at {
            At::Lost => {}
            At::Value => match self.value.next(byte) {
                Step::Inside => self.hold(byte),
                Step::Last => {
                    self.hold(byte);
                    self.end_value(sink);
                }
                Step::Before => {
                    self.end_value(sink);
                    self.byte(byte, sink);
                }
            },
            At::Key => {
                self.hold(byte);
                if self.value.next(byte) == Step::Last {
                    self.key = std::mem::take(&mut self.held);
                    self.at = if self.is_too_long { At::Lost } else { At::Colon };
                }
            }
            _ if is_space => {}
            At::Top => match byte {
                b'[' => self.open(Within::List),
                b'{' if self.shape == Shape::Members => {
                    self.begins = self.line;
                    self.at = At::Member;
                }
                b'{' => self.begin(byte, Within::Top),
                _ => self.lose(sink),
            },
            At::Entry => match byte {
                b',' => {}
                b']' if self.within == Within::MemberList => self.at = At::Member,
                b']' => self.at = At::Top,
                b'}' => self.lose(sink),
                _ => self.begin(byte, self.within),
            },
            At::Member => match byte {
                b',' => {}
                b'}' => self.at = At::Top,
                b'"' => {
                    self.begin(byte, Within::Object);
                    self.at = At::Key;
                }
                _ => self.lose(sink),
            },
            At::Colon if byte == b':' => self.at = At::MemberValue,
            At::Colon => self.lose(sink),
            At::MemberValue => match byte {
                b'[' => self.open(Within::MemberList),
                b',' | b']' | b'}' => self.lose(sink),
                _ => self.begin(byte, Within::Object),
            },
        }
    }

    fn open(&mut self, list: Within) {
        self.within = list;
        self.at = At::Entry;
        self.begins = self.line;
        self.item = 0;
    }

    fn begin(&mut self, byte: u8, within: Within) {
        self.at = At::Value;
        self.within = within;
        self.begins = self.line;
        self.value = Value::beginning_with(byte);
        if within != Within::Object {
            self.item += 1;
        }
        self.forget(Vec::new());
        self.hold(byte);
    }

    fn end_value(&mut self, sink: Sink<'_>) {
        let held = std::mem::take(&mut self.held);
        let content = if self.is_too_long { Content::TooLong } else { Content::Whole(&held) };
        self.give(content, sink);
        self.at = match self.within {
            Within::Top => At::Top,
            Within::List | Within::MemberList => At::Entry,
            Within::Object => At::Member,
        };
        self.forget(held);
    }

    fn lose(&mut self, sink: Sink<'_>) {
        self.begins = self.line;
        self.at = At::Lost;
        self.give(Content::Lost, sink);
    }

    fn give(&self, content: Content<'_>, sink: Sink<'_>) {
        let is_entry = matches!(self.within, Within::List | Within::MemberList) && self.item > 0;
        let key: &[u8] = match self.within {
            Within::Object | Within::MemberList => &self.key,
            Within::Top | Within::List => &[],
        };
        sink(Piece { line: self.begins, item: is_entry.then_some(self.item), key, content });
    }

    fn hold(&mut self, byte: u8) {
        if self.held.len() < self.longest && !self.is_too_long {
            self.held.push(byte);
        } else if !self.is_too_long {
            self.is_too_long = true;
            self.held = Vec::new();
        }
    }

    /// Begins the next piece in the room of the last one, unless that was unusually large.
    fn forget(&mut self, mut room: Vec<u8>) {
        const KEPT: usize = 64 * 1024;
        room.clear();
        if room.capacity() > KEPT {
            room = Vec::new();
        }
        self.held = room;
        self.is_too_long = false;
    }
}

/// Where a value ends, told byte by byte.
#[derive(Clone, Copy, Debug, Default)]
struct Value {
    depth: u32,
    in_string: bool,
    is_escaped: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Inside,
    /// The value ends with this byte.
    Last,
    /// The value has ended before this byte.
    Before,
}

impl Value {
    fn beginning_with(byte: u8) -> Self {
        Self { depth: u32::from(matches!(byte, b'{' | b'[')), in_string: byte == b'"', is_escaped: false }
    }

    fn is_scalar(self) -> bool {
        self.depth == 0 && !self.in_string
    }

    fn next(&mut self, byte: u8) -> Step {
        if self.in_string {
            if self.is_escaped {
                self.is_escaped = false;
            } else if byte == b'\\' {
                self.is_escaped = true;
            } else if byte == b'"' {
                self.in_string = false;
                return if self.depth == 0 { Step::Last } else { Step::Inside };
            }
            return Step::Inside;
        }
        if self.depth == 0 {
            let ends = byte.is_ascii_whitespace() || matches!(byte, b',' | b']' | b'}');
            return if ends { Step::Before } else { Step::Inside };
        }
        match byte {
            b'"' => self.in_string = true,
            b'{' | b'[' => self.depth = self.depth.saturating_add(1),
            b'}' | b']' => {
                self.depth -= 1;
                if self.depth == 0 {
                    return Step::Last;
                }
            }
            _ => {}
        }
        Step::Inside
    }
}

/// The members of an object, each with its value's bytes, in order; `None` if it isn't one.
pub fn members(object: &[u8]) -> Option<Vec<(String, &[u8])>> {
    let mut members = Vec::new();
    let inside = object.trim_ascii().strip_prefix(b"{")?.strip_suffix(b"}")?;
    let mut rest = inside.trim_ascii();
    while !rest.is_empty() {
        let (key, after) = value(rest)?;
        let (colon, after) = after.trim_ascii_start().split_first()?;
        let (found, after) = value(after.trim_ascii_start())?;
        if *colon != b':' || found.is_empty() {
            return None;
        }
        members.push((serde_json::from_slice(key).ok()?, found));
        let after = after.trim_ascii_start();
        rest = match after.split_first() {
            Some((b',', after)) => after.trim_ascii_start(),
            Some(_) => return None,
            None => after,
        };
    }
    Some(members)
}

/// The value that the bytes begin with, and what follows it.
fn value(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (first, _) = bytes.split_first()?;
    let mut value = Value::beginning_with(*first);
    for (at, byte) in bytes.iter().enumerate().skip(1) {
        match value.next(*byte) {
            Step::Inside => {}
            Step::Last => return bytes.split_at_checked(at + 1),
            Step::Before => return bytes.split_at_checked(at),
        }
    }
    value.is_scalar().then_some((bytes, &[]))
}

#[cfg(test)]
#[path = "scan_tests.rs"]
mod tests;
