//! Query strings, read strictly: a value that can't be used is an error that names its parameter, never a default.
//!
//! Unknown parameters are passed over, empty ones count as absent. A cursor is data for a keyset (where to go on)
//! and grants nothing, because every look-up happens inside its owner's object; so it isn't signed.

use std::fmt::Write as _;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::encoding;
use crate::id::ThreadId;
use crate::json;
use crate::memory::model::{Kind, Status};
use crate::time::Millis;

/// Items of a list where nothing is asked for.
pub const DEFAULT_LIMIT: usize = 50;
/// Most items of a list.
pub const MAX_LIMIT: usize = 200;
/// Longest searched text, in characters; more is no question but a paste.
const MAX_QUERY_CHARS: usize = 500;
/// Longest cursor, in bytes. An honest one has a time and an id.
const MAX_CURSOR_BYTES: usize = 512;
/// `bytes` of the digest: default and most, in bytes.
const DIGEST_BYTES: (usize, usize) = (1200, 20_000);

/// A parameter that can't be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadParameter {
    pub name: &'static str,
    pub rule: String,
}

impl BadParameter {
    pub fn new(name: &'static str, rule: impl Into<String>) -> Self {
        Self { name, rule: rule.into() }
    }
}

/// Where a list goes on: after the item with this time and id.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Keyset {
    pub at: Millis,
    pub id: String,
}

/// Makes an opaque cursor of anything that says where to go on.
pub fn to_cursor<T: Serialize>(place: &T) -> String {
    // A place is a struct of numbers and strings, which JSON always takes; an empty cursor would only be refused.
    encoding::base64url(&serde_json::to_vec(place).unwrap_or_default())
}

/// Reads back what [`to_cursor`] made.
pub fn from_cursor<T: DeserializeOwned>(name: &'static str, raw: &str) -> Result<T, BadParameter> {
    let bad = || BadParameter::new(name, "isn't a cursor of this list");
    if raw.len() > MAX_CURSOR_BYTES {
        return Err(bad());
    }
    let bytes = encoding::from_base64url(raw).ok_or_else(bad)?;
    json::read(&bytes).map_err(|_| bad())
}

/// How facts are searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Match {
    Keyword,
    Semantic,
    Hybrid,
}

/// What becomes of a forgotten fact's messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Messages {
    /// They stay in the transcript and out of everything else.
    Exclude,
    /// Their text goes too.
    Erase,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportFormat {
    Json,
    Jsonl,
    Markdown,
    Digest,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImportFormat {
    Kioku,
    Messages,
    ChatGpt,
    Claude,
}

/// `GET /api/memory/facts`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FactsQuery {
    pub q: Option<String>,
    pub matching: Match,
    /// `None` for all of them.
    pub status: Option<Status>,
    pub kind: Option<Kind>,
    pub thread: Option<ThreadId>,
    /// Said at this instant or later.
    pub since: Option<Millis>,
    /// Said before this instant.
    pub until: Option<Millis>,
    pub cursor: Option<String>,
    pub limit: usize,
}

impl FactsQuery {
    pub fn parse(raw: &str) -> Result<Self, BadParameter> {
        let query = Query::parse(raw);
        let statuses: Vec<_> =
            Status::ALL.iter().map(|s| (s.as_str(), Some(*s))).chain([("all", None)]).collect();
        let kinds: Vec<_> = Kind::ALL.iter().map(|kind| (kind.as_str(), *kind)).collect();
        let matches = [("keyword", Match::Keyword), ("semantic", Match::Semantic), ("hybrid", Match::Hybrid)];
        Ok(Self {
            q: query.searched("q")?,
            matching: query.choice("match", &matches)?.unwrap_or(Match::Hybrid),
            status: query.choice("status", &statuses)?.unwrap_or(Some(Status::Current)),
            kind: query.choice("kind", &kinds)?,
            thread: query.thread()?,
            since: query.instant("since")?,
            until: query.instant("until")?,
            cursor: query.one("cursor")?,
            limit: query.limit()?,
        })
    }
}

/// A list that only goes on: `GET /api/memory/changes`, `/api/threads` (`cursor`), messages (`before`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageQuery {
    pub after: Option<Keyset>,
    pub limit: usize,
}

impl PageQuery {
    /// `name` is what the route calls its cursor.
    pub fn parse(raw: &str, name: &'static str) -> Result<Self, BadParameter> {
        let query = Query::parse(raw);
        let after = query.one(name)?.map(|cursor| from_cursor(name, &cursor)).transpose()?;
        Ok(Self { after, limit: query.limit()? })
    }
}

/// `GET /api/chat`: the thread.
pub fn chat_thread(raw: &str) -> Result<ThreadId, BadParameter> {
    Ok(Query::parse(raw).thread()?.unwrap_or_else(ThreadId::main))
}

/// `DELETE /api/memory/facts/{id}`.
pub fn forget_messages(raw: &str) -> Result<Messages, BadParameter> {
    let choices = [("exclude", Messages::Exclude), ("erase", Messages::Erase)];
    Ok(Query::parse(raw).choice("messages", &choices)?.unwrap_or(Messages::Exclude))
}

/// `GET /api/export`: the format, and the digest's budget in bytes.
pub fn export(raw: &str) -> Result<(ExportFormat, usize), BadParameter> {
    let query = Query::parse(raw);
    let formats = [
        ("json", ExportFormat::Json),
        ("jsonl", ExportFormat::Jsonl),
        ("markdown", ExportFormat::Markdown),
        ("digest", ExportFormat::Digest),
    ];
    let (default, most) = DIGEST_BYTES;
    let format = query.choice("format", &formats)?.unwrap_or(ExportFormat::Json);
    Ok((format, query.number("bytes", default, 100, most)?))
}

/// `POST /api/memory/weeks/consolidate`: whether it only tells what it would do.
pub fn dry_run(raw: &str) -> Result<bool, BadParameter> {
    Ok(Query::parse(raw).choice("dry_run", &[("true", true), ("false", false)])?.unwrap_or(false))
}

/// `POST /api/import`: the format must be named, because guessing wrongly would teach nonsense.
pub fn import(raw: &str) -> Result<ImportFormat, BadParameter> {
    let formats = [
        ("kioku", ImportFormat::Kioku),
        ("messages", ImportFormat::Messages),
        ("chatgpt", ImportFormat::ChatGpt),
        ("claude", ImportFormat::Claude),
    ];
    let format = Query::parse(raw).choice("format", &formats)?;
    format.ok_or_else(|| BadParameter::new("format", one_of(&formats)))
}

/// `POST /api/import`: whether facts are extracted from the user's own messages, in the background.
pub fn import_extracts(raw: &str) -> Result<bool, BadParameter> {
    let choices = [("none", false), ("extract", true)];
    Ok(Query::parse(raw).choice("facts", &choices)?.unwrap_or(false))
}

/// What becomes of the facts that were said in a thread that is deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThreadFacts {
    Keep,
    Forget,
}

/// `DELETE /api/threads/{id}`.
pub fn thread_facts(raw: &str) -> Result<ThreadFacts, BadParameter> {
    let choices = [("keep", ThreadFacts::Keep), ("forget", ThreadFacts::Forget)];
    Ok(Query::parse(raw).choice("facts", &choices)?.unwrap_or(ThreadFacts::Keep))
}

/// The decoded pairs of a query string.
struct Query(Vec<(String, String)>);

impl Query {
    fn parse(raw: &str) -> Self {
        let raw = raw.strip_prefix('?').unwrap_or(raw);
        Self(form_urlencoded::parse(raw.as_bytes()).into_owned().collect())
    }

    /// An instant in RFC 3339.
    fn instant(&self, name: &'static str) -> Result<Option<Millis>, BadParameter> {
        self.one(name)?
            .map(|raw| {
                Millis::parse_rfc3339(&raw)
                    .ok_or_else(|| BadParameter::new(name, "must be an instant such as 2026-11-30T00:00:00Z"))
            })
            .transpose()
    }

    /// The value of a parameter. Given twice it is refused, since readers would differ in which one they take.
    fn one(&self, name: &'static str) -> Result<Option<String>, BadParameter> {
        let mut values = self.0.iter().filter(|(key, _)| key == name).map(|(_, value)| value);
        let value = values.next();
        if values.next().is_some() {
            return Err(BadParameter::new(name, "is given twice"));
        }
        Ok(value.filter(|value| !value.is_empty()).cloned())
    }

    fn choice<T: Copy>(
        &self,
        name: &'static str,
        choices: &[(&'static str, T)],
    ) -> Result<Option<T>, BadParameter> {
        let Some(value) = self.one(name)? else { return Ok(None) };
        let found = choices.iter().find(|(word, _)| *word == value);
        found.map(|(_, choice)| Some(*choice)).ok_or_else(|| BadParameter::new(name, one_of(choices)))
    }

    fn number(
        &self,
        name: &'static str,
        default: usize,
        least: usize,
        most: usize,
    ) -> Result<usize, BadParameter> {
        let Some(value) = self.one(name)? else { return Ok(default) };
        let number = value.bytes().all(|b| b.is_ascii_digit()).then(|| value.parse().ok()).flatten();
        number
            .filter(|number| (least..=most).contains(number))
            .ok_or_else(|| BadParameter::new(name, format!("must be a whole number from {least} to {most}")))
    }

    fn limit(&self) -> Result<usize, BadParameter> {
        self.number("limit", DEFAULT_LIMIT, 1, MAX_LIMIT)
    }

    fn thread(&self) -> Result<Option<ThreadId>, BadParameter> {
        let Some(value) = self.one("thread")? else { return Ok(None) };
        ThreadId::parse(&value).map(Some).ok_or_else(|| BadParameter::new("thread", "isn't a thread's id"))
    }

    fn searched(&self, name: &'static str) -> Result<Option<String>, BadParameter> {
        let Some(value) = self.one(name)? else { return Ok(None) };
        if value.chars().count() > MAX_QUERY_CHARS {
            return Err(BadParameter::new(name, format!("may have at most {MAX_QUERY_CHARS} characters")));
        }
        Ok(Some(value.trim().to_owned()).filter(|value| !value.is_empty()))
    }
}

fn one_of<T>(choices: &[(&'static str, T)]) -> String {
    let mut rule = "must be one of".to_owned();
    for (word, _) in choices {
        // Writing to a String can't fail.
        let _ = write!(rule, " {word},");
    }
    rule.pop();
    rule
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_facts_query_has_defaults_and_reads_japanese() {
        let query = FactsQuery::parse("").unwrap();
        assert_eq!((query.matching, query.status, query.limit), (Match::Hybrid, Some(Status::Current), 50));
        let query = FactsQuery::parse(
            "?q=%E7%8A%AC+%20&status=all&kind=place&match=keyword&thread=main&limit=200&x=1",
        )
        .unwrap();
        assert_eq!(query.q.as_deref(), Some("犬"));
        assert_eq!((query.matching, query.status, query.kind), (Match::Keyword, None, Some(Kind::Place)));
        assert_eq!((query.thread, query.limit), (Some(ThreadId::main()), 200));
    }

    #[test]
    fn what_can_not_be_used_is_named() {
        let long = format!("q={}", "犬".repeat(501));
        for (raw, name) in [
            ("limit=0", "limit"),
            ("limit=201", "limit"),
            ("limit=%2B5", "limit"),
            ("limit=-1", "limit"),
            ("limit=５", "limit"),
            ("limit=99999999999999999999999", "limit"),
            ("status=Current", "status"),
            ("status=old", "status"),
            ("match=fuzzy", "match"),
            ("kind=animal", "kind"),
            ("since=yesterday", "since"),
            ("until=2026-13-01T00:00:00Z", "until"),
            ("thread=a/b", "thread"),
            ("thread=犬", "thread"),
            ("kind=place&kind=work", "kind"),
            (&long, "q"),
        ] {
            assert_eq!(FactsQuery::parse(raw).unwrap_err().name, name, "{raw}");
        }
        assert_eq!(import("").unwrap_err().rule, "must be one of kioku, messages, chatgpt, claude");
        assert_eq!(export("format=pdf").unwrap_err().name, "format");
        assert_eq!(forget_messages("messages=all").unwrap_err().name, "messages");
        assert_eq!(export("format=digest&bytes=1200"), Ok((ExportFormat::Digest, 1200)));
    }

    #[test]
    fn a_cursor_comes_back_as_it_went_and_garbage_is_refused() {
        let place = Keyset { at: Millis(1_796_004_000_123), id: "m_abc".to_owned() };
        let raw = format!("before={}&limit=2", to_cursor(&place));
        assert_eq!(PageQuery::parse(&raw, "before"), Ok(PageQuery { after: Some(place), limit: 2 }));
        let other = to_cursor(&serde_json::json!({"at": 1, "id": "x", "owner": "me"}));
        for garbage in ["x", "犬", "e30", "bnVsbA", "e30=", &"A".repeat(600), &other] {
            assert_eq!(PageQuery::parse(&format!("cursor={garbage}"), "cursor").unwrap_err().name, "cursor");
        }
    }

    proptest! {
        #[test]
        fn no_query_panics_and_limits_hold(raw in "(limit|q|cursor|status|kind|=|&|%|[0-9]|\\PC){0,40}") {
            if let Ok(query) = FactsQuery::parse(&raw) {
                prop_assert!((1..=MAX_LIMIT).contains(&query.limit));
            }
            let _ = (PageQuery::parse(&raw, "cursor"), chat_thread(&raw), export(&raw), import(&raw), import_extracts(&raw));
        }
    }
}
