//! Every refusal, as a problem document (RFC 9457).
//!
//! [`Code`] is the whole vocabulary and stable: clients branch on it. A detail says what to do, names parameters
//! and variables, and never quotes what was sent, what is stored or whose it is.

use std::ops::Deref;

use serde_json::json;

use super::API_HEADERS;
use super::query::BadParameter;
use super::route::RouteError;
use crate::config::{ConfigError, Unfinished};
use crate::json::Unreadable;
use crate::time::{Millis, SECOND};

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $status:literal $code:literal, $title:literal;)+) => {
        /// What went wrong, for programs.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Code { $($(#[$doc])* $name,)+ }

        impl Code {
            pub const ALL: &[Self] = &[$(Self::$name,)+];

            pub fn as_str(self) -> &'static str {
                match self { $(Self::$name => $code,)+ }
            }

            pub fn status(self) -> u16 {
                match self { $(Self::$name => $status,)+ }
            }

            /// The same for every problem of this code.
            pub fn title(self) -> &'static str {
                match self { $(Self::$name => $title,)+ }
            }
        }
    };
}

codes! {
    BadRequest = 400 "bad_request", "The request can't be understood";
    BadParameter = 400 "bad_parameter", "A parameter can't be used";
    BadBody = 400 "bad_body", "The body can't be used";
    /// No identity, or one that is forged or expired.
    Unauthenticated = 401 "unauthenticated", "Sign in first";
    Forbidden = 403 "forbidden", "This identity may not do that";
    /// A personal access token without the scope.
    MissingScope = 403 "missing_scope", "The token lacks a scope";
    WrongOrigin = 403 "wrong_origin", "The request comes from another site";
    LocalOnly = 403 "local_only", "Only on a loopback address";
    /// Also for what exists but belongs to somebody else.
    NotFound = 404 "not_found", "There is nothing here";
    MethodNotAllowed = 405 "method_not_allowed", "This route has no such method";
    Conflict = 409 "conflict", "Something else happened first";
    TooLarge = 413 "too_large", "Too much at once";
    UnsupportedMediaType = 415 "unsupported_media_type", "The body has the wrong type";
    Unprocessable = 422 "unprocessable", "Understood, but not possible";
    UpgradeRequired = 426 "upgrade_required", "This route is a WebSocket";
    TooManyConnections = 429 "too_many_connections", "Too many connections are open";
    OverStorage = 507 "over_storage", "The storage is full";
    OverBudget = 429 "over_budget", "Today's budget is used up";
    TooManyRequests = 429 "too_many_requests", "Too many requests";
    QueueFull = 429 "queue_full", "Too many messages are waiting";
    Internal = 500 "internal", "A fault of this server";
    /// The operator has switched it off.
    SwitchedOff = 503 "switched_off", "Switched off for now";
    Misconfigured = 503 "misconfigured", "The installation isn't finished";
    Unavailable = 503 "unavailable", "Something needed is down";
}

/// One refusal. One word long: most functions hand it up, and each of them copies it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem(Box<Told>);

/// What a refusal says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    pub code: Code,
    pub detail: String,
    /// When to come back.
    pub until: Option<Millis>,
    allow: Option<String>,
    /// Names of what the installation lacks.
    missing: Vec<String>,
    /// Where to sign in.
    sign_in: Option<&'static str>,
}

impl Problem {
    pub fn new(code: Code, detail: impl Into<String>) -> Self {
        let detail = detail.into();
        Self(Box::new(Told { code, detail, until: None, allow: None, missing: Vec::new(), sign_in: None }))
    }

    fn and(mut self, add: impl FnOnce(&mut Told)) -> Self {
        add(&mut self.0);
        self
    }

    pub fn bad_request(detail: &str) -> Self {
        Self::new(Code::BadRequest, detail)
    }

    /// A body that isn't the JSON that is expected.
    pub fn unreadable(error: &Unreadable) -> Self {
        let why = match error {
            Unreadable::NotJson(error) => format!(" (line {}, column {})", error.line(), error.column()),
            Unreadable::Misfit(words) => format!(": {words}"),
        };
        Self::new(Code::BadBody, format!("The body isn't the JSON that is expected{why}."))
    }

    /// A field of the body that can't be used, and what it must be.
    pub fn bad_field(field: &str, rule: &str) -> Self {
        Self::new(Code::BadBody, format!("`{field}` {rule}."))
    }

    /// `sign_in` is where a browser does that.
    pub fn unauthenticated(sign_in: &'static str) -> Self {
        let detail = "Sign in, or send a personal access token as a bearer token.";
        Self::new(Code::Unauthenticated, detail).and(|told| told.sign_in = Some(sign_in))
    }

    pub fn forbidden(detail: &str) -> Self {
        Self::new(Code::Forbidden, detail)
    }

    pub fn missing_scope(scope: super::route::Scope) -> Self {
        Self::new(Code::MissingScope, format!("The token needs the scope `{}`.", scope.as_str()))
    }

    pub fn wrong_origin() -> Self {
        Self::new(Code::WrongOrigin, "Use the pages of this server, or a personal access token.")
    }

    pub fn local_only() -> Self {
        Self::new(
            Code::LocalOnly,
            "Signing in with a name works only on localhost; set AUTH_MODE for other hosts.",
        )
    }

    pub fn not_found() -> Self {
        Self::new(Code::NotFound, "Nothing of yours has this address.")
    }

    pub fn too_large(what: &str, most: usize, unit: &str) -> Self {
        Self::new(Code::TooLarge, format!("{what} may have at most {most} {unit}."))
    }

    pub fn conflict(detail: &str) -> Self {
        Self::new(Code::Conflict, detail)
    }

    pub fn unsupported_media_type(expected: &str) -> Self {
        Self::new(Code::UnsupportedMediaType, format!("Send {expected}."))
    }

    pub fn unprocessable(detail: &str) -> Self {
        Self::new(Code::Unprocessable, detail)
    }

    pub fn upgrade_required() -> Self {
        Self::new(Code::UpgradeRequired, "Open this address as a WebSocket.")
    }

    pub fn over_budget(until: Millis) -> Self {
        let detail = format!("The token budget of this day is used up until {}.", until.to_rfc3339());
        Self::new(Code::OverBudget, detail).and(|told| told.until = Some(until))
    }

    pub fn too_many_requests(until: Millis) -> Self {
        let detail = format!("Slow down until {}.", until.to_rfc3339());
        Self::new(Code::TooManyRequests, detail).and(|told| told.until = Some(until))
    }

    pub fn too_many_connections(most: usize) -> Self {
        Self::new(Code::TooManyConnections, format!("At most {most} may be open; close one first."))
    }

    pub fn over_storage(most_mb: u32) -> Self {
        let detail = format!("{most_mb} MB are used; delete something, then there is room again.");
        Self::new(Code::OverStorage, detail)
    }

    /// `what` is what is switched off.
    pub fn switched_off(what: &str, until: Option<Millis>) -> Self {
        let when =
            until.map_or_else(|| "by the operator".to_owned(), |at| format!("until {}", at.to_rfc3339()));
        Self::new(Code::SwitchedOff, format!("{what} is switched off {when}.")).and(|told| told.until = until)
    }

    pub fn queue_full(most: usize) -> Self {
        Self::new(Code::QueueFull, format!("At most {most} messages can wait; send again after an answer."))
    }

    /// `what` is a part of the installation ("the model", "D1"), never an address.
    pub fn unavailable(what: &str) -> Self {
        Self::new(Code::Unavailable, format!("{what} can't be reached; try again later."))
    }

    /// The memory was stored by a newer version than this one, which leaves it alone.
    pub fn newer_memory() -> Self {
        Self::new(
            Code::Unavailable,
            "This version is older than the stored memory, which it leaves as it is. It is back with the newer version.",
        )
    }

    /// Names of variables or bindings only, never their values.
    pub fn misconfigured(names: &[&str]) -> Self {
        Self::new(Code::Misconfigured, format!("Missing or unusable: {}.", names.join(", ")))
            .and(|told| told.missing = names.iter().map(|name| (*name).to_owned()).collect())
    }

    /// What went wrong is in the log, not in the answer.
    pub fn internal() -> Self {
        Self::new(Code::Internal, "It has been logged; try again.")
    }

    pub fn status(&self) -> u16 {
        self.code.status()
    }

    /// The `application/problem+json` body.
    pub fn body(&self) -> String {
        let mut body = json!({
            "type": format!("urn:kioku:problem:{}", self.code.as_str()),
            "title": self.code.title(),
            "status": self.code.status(),
            "detail": self.detail,
            "code": self.code.as_str(),
        });
        if let Some(until) = self.until {
            body["until"] = until.to_rfc3339().into();
        }
        if !self.missing.is_empty() {
            body["missing"] = self.missing.as_slice().into();
        }
        if let Some(sign_in) = self.sign_in {
            body["sign_in"] = sign_in.into();
        }
        body.to_string()
    }

    /// The headers of the response, [`API_HEADERS`] included.
    pub fn headers(&self, now: Millis) -> Vec<(&'static str, String)> {
        let mut headers: Vec<_> =
            API_HEADERS.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
        headers.push(("content-type", "application/problem+json; charset=utf-8".to_owned()));
        if let Some(until) = self.until {
            let seconds = (until.since(now) + SECOND - 1) / SECOND;
            headers.push(("retry-after", seconds.max(1).to_string()));
        }
        if let Some(allow) = &self.allow {
            headers.push(("allow", allow.clone()));
        }
        match self.code {
            Code::Unauthenticated => headers.push(("www-authenticate", "Bearer realm=\"kioku\"".to_owned())),
            Code::UpgradeRequired => headers.push(("upgrade", "websocket".to_owned())),
            _ => {}
        }
        headers
    }
}

impl Deref for Problem {
    type Target = Told;

    fn deref(&self) -> &Told {
        &self.0
    }
}

impl From<RouteError> for Problem {
    fn from(error: RouteError) -> Self {
        match error {
            RouteError::NotFound => Self::not_found(),
            RouteError::MethodNotAllowed(allow) => {
                let detail = format!("Here only: {allow}.");
                Self::new(Code::MethodNotAllowed, detail).and(|told| told.allow = Some(allow))
            }
        }
    }
}

impl From<BadParameter> for Problem {
    fn from(bad: BadParameter) -> Self {
        Self::new(Code::BadParameter, format!("`{}` {}.", bad.name, bad.rule))
    }
}

impl From<&Unfinished> for Problem {
    fn from(unfinished: &Unfinished) -> Self {
        let told: Vec<String> = unfinished.0.iter().map(ConfigError::to_string).collect();
        Self::new(Code::Misconfigured, format!("{}.", told.join("; ")))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::Value;

    use super::*;
    use crate::json;

    #[test]
    fn every_code_has_its_own_word_and_an_error_status() {
        let words: BTreeSet<_> = Code::ALL.iter().map(|code| code.as_str()).collect();
        assert_eq!(words.len(), Code::ALL.len());
        for code in Code::ALL {
            let body: Value = serde_json::from_str(&Problem::new(*code, "犬 \"x\"").body()).unwrap();
            assert_eq!(body["status"], code.status());
            assert_eq!(body["code"], code.as_str());
            assert_eq!(body["detail"], "犬 \"x\"");
            assert!((400..600).contains(&code.status()) && !code.title().is_empty());
        }
    }

    #[test]
    fn a_body_that_is_not_as_expected_is_told_what_is_and_not_what_it_holds() {
        #[derive(Debug, serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Wanted {
            #[expect(dead_code, reason = "only read")]
            text: String,
        }
        for (sent, told) in [
            ("{}", ": missing field `text`."),
            (r#"{"text":"秘密","秘密, expected":1}"#, ": expected `text`."),
            (r#"{"text":["秘密, expected at line 9"]}"#, ": expected a string."),
            (r#"{"text":"秘密 at line 9"#, "(line 1, column 25)."),
        ] {
            let error = json::read::<Wanted>(sent.as_bytes()).unwrap_err();
            let detail = &Problem::unreadable(&error).detail;
            assert!(detail.ends_with(told) && !detail.contains("秘密"), "{detail}");
        }
    }

    #[test]
    fn a_refusal_says_until_when() {
        let problem = Problem::over_budget(Millis(86_400_000));
        let body: Value = serde_json::from_str(&problem.body()).unwrap();
        assert_eq!(body["until"], "1970-01-02T00:00:00Z");
        let retry = |now| problem.headers(Millis(now)).into_iter().find(|(name, _)| *name == "retry-after");
        assert_eq!(retry(86_398_500), Some(("retry-after", "2".to_owned())));
        assert_eq!(retry(90_000_000), Some(("retry-after", "1".to_owned())));
    }

    #[test]
    fn a_problem_is_never_cached_and_tells_the_allowed_methods() {
        let problem = Problem::from(RouteError::MethodNotAllowed("GET, HEAD".to_owned()));
        let headers = problem.headers(Millis(0));
        assert!(headers.contains(&("allow", "GET, HEAD".to_owned())));
        assert!(headers.contains(&("cache-control", "no-store".to_owned())));
    }

    #[test]
    fn a_wrong_configuration_names_the_variable_and_not_its_value() {
        let error = |variable, rule: &'static str| ConfigError { variable, rule: rule.into() };
        let unfinished = Unfinished(vec![
            error("AUTH_MODE", "is missing"),
            error("SESSION_SECRET", "must have at least 32 bytes"),
        ]);
        let told = "AUTH_MODE is missing; SESSION_SECRET must have at least 32 bytes.";
        assert_eq!(Problem::from(&unfinished).detail, told);
        let misconfigured = Problem::misconfigured(&["DB", "AGENT"]);
        assert_eq!(misconfigured.detail, "Missing or unusable: DB, AGENT.");
        assert!(misconfigured.body().contains(r#""missing":["DB","AGENT"]"#));
    }
}
