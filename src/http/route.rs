//! Which route a request means, and what it takes to use it.
//!
//! Invariant: one table says it all. A route that isn't a row can't be parsed, and a row can't lack its access
//! rule, so neither the router nor the tests that are generated from [`Route::ALL`] can forget one.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;

use crate::id::{ChangeId, FactId, ThreadId, TokenId, TurnId};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Method {
    Get,
    Post,
    Put,
    Patch,
    Delete,
}

impl Method {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
        }
    }

    /// `HEAD` is read as `GET`; a method without any route is `None`.
    fn parse(word: &str) -> Option<Self> {
        match word {
            "GET" | "HEAD" => Some(Self::Get),
            "POST" => Some(Self::Post),
            "PUT" => Some(Self::Put),
            "PATCH" => Some(Self::Patch),
            "DELETE" => Some(Self::Delete),
            _ => None,
        }
    }
}

/// What a personal access token may be allowed to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    Chat,
    MemoryRead,
    MemoryWrite,
}

impl Scope {
    pub const ALL: &[Self] = &[Self::Chat, Self::MemoryRead, Self::MemoryWrite];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Chat => "chat",
            Self::MemoryRead => "memory:read",
            Self::MemoryWrite => "memory:write",
        }
    }

    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|scope| scope.as_str() == word)
    }
}

/// What it takes to use a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// No identity.
    Open,
    /// A signed-in person; no personal access token will do. For what a leaked token must not reach.
    Person,
    /// A signed-in person, or a token with this scope.
    Scoped(Scope),
    /// A signed-in person, or any token.
    AnyToken,
    /// A token with this scope; for clients that are not browsers.
    TokenOnly(Scope),
    /// Any token; what it asks for inside needs the scopes of its own.
    TokenByContent,
}

impl Access {
    pub fn needs_identity(self) -> bool {
        self != Self::Open
    }

    /// Whether a signed-in person may use it without a token.
    pub fn admits_person(self) -> bool {
        !matches!(self, Self::TokenOnly(_) | Self::TokenByContent)
    }

    /// The one scope that a token needs.
    pub fn scope(self) -> Option<Scope> {
        match self {
            Self::Scoped(scope) | Self::TokenOnly(scope) => Some(scope),
            Self::Open | Self::Person | Self::AnyToken | Self::TokenByContent => None,
        }
    }

    /// Whether a token with these scopes may use it.
    pub fn admits_token(self, scopes: &[Scope]) -> bool {
        match self {
            Self::Open | Self::AnyToken | Self::TokenByContent => true,
            Self::Person => false,
            Self::Scoped(scope) | Self::TokenOnly(scope) => scopes.contains(&scope),
        }
    }
}

/// Why a request means no route.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RouteError {
    NotFound,
    /// The `Allow` header.
    MethodNotAllowed(String),
}

macro_rules! routes {
    ($($(#[$doc:meta])* $name:ident $(($id:ty))? = $method:ident $pattern:literal, $access:expr;)+) => {
        /// A route of the contract, with the id that its path names.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub enum Route { $($(#[$doc])* $name $(($id))?,)+ }

        impl Route {
            /// Every route: method and path, ids written as `{thread}`, `{fact}`, …
            pub const ALL: &[(Method, &'static str)] = &[$((Method::$method, $pattern),)+];

            pub fn method(&self) -> Method {
                match self { $(Self::$name { .. } => Method::$method,)+ }
            }

            /// The path with its ids left out, for logs and metrics.
            pub fn pattern(&self) -> &'static str {
                match self { $(Self::$name { .. } => $pattern,)+ }
            }

            pub fn access(&self) -> Access {
                match self { $(Self::$name { .. } => $access,)+ }
            }

            /// The routes at a path, whatever their method.
            fn at(path: &str) -> Vec<Self> {
                let mut found = Vec::new();
                $(
                    found.extend(id_in(path, $pattern).and_then(|_id| {
                        Some(Self::$name $((<$id>::parse(&_id)?))?)
                    }));
                )+
                found
            }
        }
    };
}

use Access::{AnyToken, Open, Person, Scoped, TokenByContent, TokenOnly};
use Scope::{Chat, MemoryRead, MemoryWrite};

routes! {
    ChatPage = Get "/", Open;
    MemoryPage = Get "/memory", Open;
    Health = Get "/healthz", Open;
    Ready = Get "/readyz", Open;
    SignInLocally = Post "/auth/local", Open;
    /// Sends the browser to the OpenID provider.
    SignIn = Get "/auth/login", Open;
    /// Takes it back from there.
    FinishSignIn = Get "/auth/callback", Open;
    /// With `everywhere=true`, of all devices.
    SignOut = Post "/auth/logout", Open;
    Me = Get "/api/me", AnyToken;
    ChangeSettings = Patch "/api/me/settings", Person;
    /// The end of the account; a token can't do it.
    CloseAccount = Delete "/api/me", Person;
    /// The WebSocket.
    OpenChat = Get "/api/chat", Scoped(Chat);
    ListThreads = Get "/api/threads", Scoped(Chat);
    MakeThread = Post "/api/threads", Scoped(Chat);
    ChangeThread(ThreadId) = Patch "/api/threads/{thread}", Scoped(Chat);
    DeleteThread(ThreadId) = Delete "/api/threads/{thread}", Scoped(Chat);
    ListMessages(ThreadId) = Get "/api/threads/{thread}/messages", Scoped(Chat);
    ReadSpending(ThreadId) = Get "/api/threads/{thread}/tokens", Scoped(Chat);
    ReadSummary(ThreadId) = Get "/api/threads/{thread}/summary", Scoped(MemoryRead);
    ReplaceSummary(ThreadId) = Put "/api/threads/{thread}/summary", Scoped(MemoryWrite);
    DeleteSummary(ThreadId) = Delete "/api/threads/{thread}/summary", Scoped(MemoryWrite);
    ListFacts = Get "/api/memory/facts", Scoped(MemoryRead);
    AddFact = Post "/api/memory/facts", Scoped(MemoryWrite);
    ReadFact(FactId) = Get "/api/memory/facts/{fact}", Scoped(MemoryRead);
    EditFact(FactId) = Patch "/api/memory/facts/{fact}", Scoped(MemoryWrite);
    ForgetFact(FactId) = Delete "/api/memory/facts/{fact}", Scoped(MemoryWrite);
    ListChanges = Get "/api/memory/changes", Scoped(MemoryRead);
    UndoChange(ChangeId) = Post "/api/memory/changes/{change}/undo", Scoped(MemoryWrite);
    /// Can't be undone, so a token can't do it.
    ForgetEverything = Delete "/api/memory", Person;
    Recall = Post "/api/recall", Scoped(MemoryRead);
    ReadMirrors = Get "/api/memory/mirrors", Scoped(MemoryRead);
    ReconcileMirrors = Post "/api/memory/mirrors/reconcile", Scoped(MemoryWrite);
    /// Weeks into which episodes were merged.
    ListWeeks = Get "/api/memory/weeks", Scoped(MemoryRead);
    ConsolidateWeeks = Post "/api/memory/weeks/consolidate", Scoped(MemoryWrite);
    ReadTrace(TurnId) = Get "/api/traces/{turn}", Scoped(MemoryRead);
    /// A token can't make, see or revoke tokens.
    ListTokens = Get "/api/tokens", Person;
    MakeToken = Post "/api/tokens", Person;
    RevokeToken(TokenId) = Delete "/api/tokens/{token}", Person;
    Export = Get "/api/export", Scoped(MemoryRead);
    Import = Post "/api/import", Scoped(MemoryWrite);
    CompleteChat = Post "/v1/chat/completions", TokenOnly(Chat);
    ListModels = Get "/v1/models", TokenOnly(Chat);
    /// Each tool needs the scope of what it does.
    Mcp = Post "/mcp", TokenByContent;
}

impl Route {
    /// Reads a method and a path without its query. An id outside its alphabet names nothing.
    pub fn parse(method: &str, path: &str) -> Result<Self, RouteError> {
        let at_path = Self::at(path);
        if at_path.is_empty() {
            return Err(RouteError::NotFound);
        }
        let mut allowed: Vec<&str> = at_path.iter().map(|route| route.method().as_str()).collect();
        if at_path.iter().any(|route| route.method() == Method::Get && !route.is_socket()) {
            allowed.push("HEAD");
        }
        let asked = Method::parse(method);
        at_path
            .into_iter()
            .find(|route| Some(route.method()) == asked && !(method == "HEAD" && route.is_socket()))
            .ok_or_else(|| RouteError::MethodNotAllowed(allowed.join(", ")))
    }

    pub fn is_socket(&self) -> bool {
        *self == Self::OpenChat
    }

    /// Whether it makes the memory grow, so that a full one refuses it.
    pub fn needs_room(&self) -> bool {
        matches!(
            self,
            Self::MakeThread
                | Self::ReplaceSummary(_)
                | Self::AddFact
                | Self::EditFact(_)
                | Self::Import
                | Self::CompleteChat
        )
    }

    /// Whether a request without a bearer token has to pass [`super::origin`]: everything that changes or costs
    /// something, signing in included, and the WebSocket, which no same-origin policy protects.
    pub fn checks_origin(&self) -> bool {
        self.method() != Method::Get || self.is_socket()
    }
}

/// The decoded segment of `path` where `pattern` has its `{…}` (empty for a pattern without); `None` if they differ.
fn id_in<'a>(path: &'a str, pattern: &str) -> Option<Cow<'a, str>> {
    let mut id = Cow::Borrowed("");
    let mut segments = path.split('/');
    for expected in pattern.split('/') {
        let segment = segments.next()?;
        if expected.starts_with('{') {
            id = percent_decode_str(segment).decode_utf8().ok()?;
        } else if segment != expected {
            return None;
        }
    }
    segments.next().is_none().then_some(id)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn example(pattern: &str) -> String {
        pattern.split('/').map(|s| if s.starts_with('{') { "x_1-Z" } else { s }).collect::<Vec<_>>().join("/")
    }

    #[test]
    fn every_route_is_reached_by_its_own_row_and_by_no_other() {
        let mut seen = BTreeSet::new();
        for (method, pattern) in Route::ALL {
            let route = Route::parse(method.as_str(), &example(pattern)).unwrap();
            assert_eq!((route.method(), route.pattern()), (*method, *pattern));
            assert!(seen.insert((*method, *pattern)), "{pattern} twice");
        }
    }

    #[test]
    fn everything_under_api_v1_and_mcp_needs_an_identity() {
        for (method, pattern) in Route::ALL {
            let access = Route::parse(method.as_str(), &example(pattern)).unwrap().access();
            let private = ["/api", "/v1", "/mcp"].iter().any(|prefix| pattern.starts_with(prefix));
            assert_eq!(access.needs_identity(), private, "{pattern}");
        }
    }

    #[test]
    fn every_change_and_the_socket_check_the_origin() {
        for (method, pattern) in Route::ALL {
            let route = Route::parse(method.as_str(), &example(pattern)).unwrap();
            assert_eq!(route.checks_origin(), *method != Method::Get || *pattern == "/api/chat", "{pattern}");
        }
    }

    #[test]
    fn a_token_reaches_only_what_its_scopes_say_and_never_tokens_settings_or_everything() {
        let reading = [Scope::MemoryRead];
        let all = Scope::ALL;
        let access = |method, path: &str| Route::parse(method, path).unwrap().access();
        assert!(access("GET", "/api/memory/facts").admits_token(&reading));
        assert!(!access("POST", "/api/memory/facts").admits_token(&reading));
        assert!(!access("GET", "/api/chat").admits_token(&reading));
        for (method, path) in [
            ("POST", "/api/tokens"),
            ("GET", "/api/tokens"),
            ("DELETE", "/api/memory"),
            ("PATCH", "/api/me/settings"),
            ("DELETE", "/api/me"),
        ] {
            assert!(
                !access(method, path).admits_token(all) && access(method, path).admits_person(),
                "{path}"
            );
        }
        assert!(!access("POST", "/v1/chat/completions").admits_person());
    }

    #[test]
    fn a_wrong_method_is_told_the_right_ones() {
        let allow = |method, path| Route::parse(method, path).unwrap_err();
        let not_allowed = |allow: &str| RouteError::MethodNotAllowed(allow.to_owned());
        assert_eq!(allow("PUT", "/api/threads"), not_allowed("GET, POST, HEAD"));
        assert_eq!(allow("HEAD", "/api/chat"), not_allowed("GET"));
        assert_eq!(allow("get", "/api/me"), not_allowed("GET, DELETE, HEAD"));
        assert_eq!(Route::parse("HEAD", "/healthz"), Ok(Route::Health));
    }

    #[test]
    fn a_path_that_is_only_similar_names_nothing() {
        for path in [
            "",
            "//",
            "/api",
            "/api/",
            "/api/threads/",
            "/api/threads//messages",
            "/API/me",
            "/api/me/",
            "/api/memory/facts/犬",
            "/api/memory/facts/a%2Fb",
            "/api/memory/facts/%ff",
            "/api/memory/facts/..",
            "/api/memory/facts/a%20b",
            "/api/threads/main/messages/x",
            "api/me",
        ] {
            assert_eq!(Route::parse("GET", path), Err(RouteError::NotFound), "{path:?}");
        }
        let too_long = format!("/api/traces/{}", "x".repeat(65));
        assert_eq!(Route::parse("GET", &too_long), Err(RouteError::NotFound));
        let encoded = Route::parse("GET", "/api/threads/m%61in/messages");
        assert_eq!(encoded, Ok(Route::ListMessages(ThreadId::main())));
    }

    proptest! {
        #[test]
        fn no_path_panics(method in "[A-Z]{0,7}", path in "(/|[a-z%]|api|\\PC){0,30}") {
            let _ = Route::parse(&method, &path);
        }
    }
}
