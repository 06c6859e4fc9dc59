//! Signing in at an OpenID provider: the authorization-code flow with PKCE, as text that goes out and comes back.
//!
//! Invariant: an answer counts only in the browser that began the flow, once, for ten minutes: its `state` is in a
//! signed cookie there, the code is worth nothing without the cookie's verifier, and the identity token must hold the
//! cookie's nonce. Where a flow ends is one of our own pages, never an address that was given.

use form_urlencoded::Serializer;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use super::identity::cookie;
use super::jwks::Discovery;
use super::signed;
use crate::config::{Client, Secret};
use crate::encoding;
use crate::id::ThreadId;
use crate::json;
use crate::time::{MINUTE, Millis, SECOND};

/// The cookie that a flow is kept in.
pub const COOKIE: &str = "kioku_sign_in";
/// Where the provider sends the browser back to.
pub const CALLBACK: &str = "/auth/callback";
/// Time to type a password and find a second factor.
const LIFETIME: i64 = 10 * MINUTE;
const PURPOSE: &[u8] = b"kioku sign-in v1";
/// Random bytes of a flow: 32 for each of state, nonce and verifier.
pub const CHANCE_BYTES: usize = 96;
/// Longest code looked at, in bytes.
const MAX_CODE_BYTES: usize = 4096;

/// One sign-in that was begun.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Flow {
    state: String,
    pub nonce: String,
    verifier: String,
    /// The page that was left.
    pub page: String,
    exp: Millis,
}

/// How a sign-in failed, for the page to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failed {
    /// The provider, or the person there, said no.
    Denied,
    /// Begun in another browser, or too long ago.
    Expired,
    /// What the provider sent doesn't hold.
    Unusable,
    /// The provider can't be reached.
    Unreachable,
}

impl Failed {
    /// The page that says so.
    pub fn page(self) -> &'static str {
        match self {
            Self::Denied => "/?sign_in=denied",
            Self::Expired => "/?sign_in=expired",
            Self::Unusable => "/?sign_in=unusable",
            Self::Unreachable => "/?sign_in=unreachable",
        }
    }
}

impl Flow {
    /// Begins a sign-in; `query` says which page was left.
    pub fn begin(chance: &[u8; CHANCE_BYTES], query: &str, now: Millis) -> Self {
        let mut parts = chance.chunks(32).map(encoding::base64url);
        let mut part = || parts.next().unwrap_or_default();
        Self { state: part(), nonce: part(), verifier: part(), page: page(query), exp: now.plus(LIFETIME) }
    }

    /// Where the browser goes.
    pub fn address(&self, provider: &Discovery, client: &Client, origin: &str) -> String {
        let challenge = encoding::base64url(&Sha256::digest(&self.verifier));
        let query = Serializer::new(String::new())
            .append_pair("response_type", "code")
            .append_pair("client_id", &client.id)
            .append_pair("redirect_uri", &format!("{origin}{CALLBACK}"))
            .append_pair("scope", "openid profile email")
            .append_pair("state", &self.state)
            .append_pair("nonce", &self.nonce)
            .append_pair("code_challenge", &challenge)
            .append_pair("code_challenge_method", "S256")
            .finish();
        let endpoint = &provider.authorization_endpoint;
        let joint = if endpoint.contains('?') { '&' } else { '?' };
        format!("{endpoint}{joint}{query}")
    }

    /// The `Set-Cookie` header that keeps the flow in the browser. The provider sends the browser back by a link,
    /// with which `Lax` cookies travel.
    pub fn set_cookie(&self, secret: &Secret, secure: bool) -> Option<String> {
        let value = signed::seal(secret, PURPOSE, &serde_json::to_vec(self).ok()?)?;
        Some(attributes(&value, LIFETIME / SECOND, secure))
    }

    /// The flow that this browser began.
    pub fn read(secrets: &[&Secret], cookies: &str, now: Millis) -> Option<Self> {
        let opened = signed::open(secrets, PURPOSE, cookie(cookies, COOKIE)?)?;
        let flow: Self = json::read(&opened.payload).ok()?;
        (now < flow.exp).then_some(flow)
    }

    /// The code that the provider sent back to us.
    pub fn code(&self, query: &str, issuer: &str) -> Result<String, Failed> {
        let one = |name: &str| {
            let mut found = form_urlencoded::parse(query.as_bytes()).filter(|(key, _)| key == name);
            let value = found.next().map(|(_, value)| value.into_owned());
            value.filter(|_| found.next().is_none())
        };
        let state = one("state").unwrap_or_default();
        if !bool::from(state.as_bytes().ct_eq(self.state.as_bytes())) {
            return Err(Failed::Expired);
        }
        // A provider that names itself (RFC 9207) must be ours, or a mixed-up one could be given our code.
        if one("iss").is_some_and(|iss| iss != issuer) {
            return Err(Failed::Unusable);
        }
        if one("error").is_some() {
            return Err(Failed::Denied);
        }
        one("code").filter(|code| !code.is_empty() && code.len() <= MAX_CODE_BYTES).ok_or(Failed::Unusable)
    }

    /// What is sent to the token endpoint: headers and form.
    pub fn redeem(
        &self,
        code: &str,
        provider: &Discovery,
        client: &Client,
        origin: &str,
    ) -> (Vec<(&'static str, String)>, String) {
        let mut headers = vec![
            ("accept", "application/json".to_owned()),
            ("content-type", "application/x-www-form-urlencoded".to_owned()),
        ];
        let mut form = Serializer::new(String::new());
        form.append_pair("grant_type", "authorization_code")
            .append_pair("code", code)
            .append_pair("redirect_uri", &format!("{origin}{CALLBACK}"))
            .append_pair("code_verifier", &self.verifier);
        match &client.secret {
            Some(secret) if provider.takes_basic => {
                let escape =
                    |text: &str| form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>();
                let pair = format!("{}:{}", escape(&client.id), escape(secret.expose()));
                headers.push(("authorization", format!("Basic {}", encoding::base64(pair.as_bytes()))));
            }
            secret => {
                form.append_pair("client_id", &client.id);
                if let Some(secret) = secret {
                    form.append_pair("client_secret", secret.expose());
                }
            }
        }
        (headers, form.finish())
    }
}

/// The `Set-Cookie` header that ends a flow.
pub fn clear_cookie(secure: bool) -> String {
    attributes("", 0, secure)
}

/// The identity token in the token endpoint's answer.
pub fn identity_token(body: &[u8]) -> Option<String> {
    #[derive(Deserialize)]
    struct Answer {
        id_token: String,
    }
    json::read::<Answer>(body).ok().map(|answer| answer.id_token)
}

fn attributes(value: &str, max_age_seconds: i64, secure: bool) -> String {
    let secure = if secure { "; Secure" } else { "" };
    format!("{COOKIE}={value}; Path={CALLBACK}; HttpOnly; SameSite=Lax; Max-Age={max_age_seconds}{secure}")
}

/// One of our pages: `page=memory`, or the chat with its `thread`.
fn page(query: &str) -> String {
    let mut thread = None;
    for (name, value) in form_urlencoded::parse(query.as_bytes()) {
        match &*name {
            "page" if value == "memory" => return "/memory".to_owned(),
            "thread" => thread = ThreadId::parse(&value),
            _ => {}
        }
    }
    thread.map_or_else(|| "/".to_owned(), |thread| format!("/?thread={thread}"))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    const NOW: Millis = Millis(1_796_004_000_000);

    fn flow() -> Flow {
        let chance: [u8; CHANCE_BYTES] = std::array::from_fn(|place| place as u8);
        Flow::begin(&chance, "thread=th_a", NOW)
    }

    fn provider(takes_basic: bool) -> Discovery {
        Discovery {
            jwks_uri: "https://i/keys".to_owned(),
            authorization_endpoint: "https://i/auth?tenant=1".to_owned(),
            token_endpoint: "https://i/token".to_owned(),
            takes_basic,
        }
    }

    fn client(secret: Option<&str>) -> Client {
        Client { id: "ki:oku".to_owned(), secret: secret.map(|secret| Secret::new(secret.to_owned())) }
    }

    fn pairs(query: &str) -> BTreeMap<String, String> {
        form_urlencoded::parse(query.as_bytes()).into_owned().collect()
    }

    #[test]
    fn the_browser_is_sent_with_a_challenge_and_never_with_the_verifier() {
        let flow = flow();
        let address = flow.address(&provider(true), &client(None), "https://k");
        let query = pairs(address.strip_prefix("https://i/auth?").unwrap());
        assert_eq!(query["tenant"], "1");
        assert_eq!(query["redirect_uri"], "https://k/auth/callback");
        assert_eq!(query["code_challenge"], encoding::base64url(&Sha256::digest(&flow.verifier)));
        assert!(!address.contains(&flow.verifier) && flow.verifier.len() == 43);
        assert!(flow.state != flow.nonce && flow.nonce != flow.verifier);
    }

    #[test]
    fn a_flow_is_kept_in_its_browser_for_ten_minutes() {
        let key = Secret::new("a".repeat(32));
        let line = flow().set_cookie(&key, true).unwrap();
        let cookies = line.split(';').next().unwrap();
        assert_eq!(Flow::read(&[&key], cookies, NOW), Some(flow()));
        assert_eq!(Flow::read(&[&key], cookies, NOW.plus(LIFETIME)), None);
        assert_eq!(Flow::read(&[&Secret::new("b".repeat(32))], cookies, NOW), None);
        let as_session = cookies.replace(COOKIE, "kioku_session");
        assert_eq!(crate::http::session::verify(&[&key], &as_session, NOW), None);
    }

    #[test]
    fn only_the_answer_to_this_flow_is_taken() {
        let flow = flow();
        let good = format!("code=c%2F1&state={}", flow.state);
        assert_eq!(flow.code(&good, "https://i").as_deref(), Ok("c/1"));
        assert_eq!(flow.code(&format!("{good}&iss=https://i"), "https://i").as_deref(), Ok("c/1"));
        for (query, failed) in [
            ("code=c".to_owned(), Failed::Expired),
            ("code=c&state=x".to_owned(), Failed::Expired),
            (format!("{good}&state={}", flow.state), Failed::Expired),
            (format!("{good}&iss=https://evil"), Failed::Unusable),
            (format!("{good}&code=d"), Failed::Unusable),
            (format!("state={}", flow.state), Failed::Unusable),
            (format!("error=access_denied&state={}", flow.state), Failed::Denied),
        ] {
            assert_eq!(flow.code(&query, "https://i"), Err(failed), "{query}");
        }
    }

    #[test]
    fn the_client_proves_itself_as_the_provider_wants_it() {
        let redeem = |secret, basic| flow().redeem("c", &provider(basic), &client(secret), "https://k");
        let (headers, form) = redeem(Some("p w"), true);
        let basic = format!("Basic {}", encoding::base64(b"ki%3Aoku:p+w"));
        assert!(headers.contains(&("authorization", basic)) && !form.contains("client_secret"));
        let (headers, form) = redeem(Some("p w"), false);
        assert!(headers.iter().all(|(name, _)| *name != "authorization"));
        assert_eq!(pairs(&form)["client_secret"], "p w");
        let (_, form) = redeem(None, true);
        assert_eq!((pairs(&form)["client_id"].as_str(), pairs(&form).get("client_secret")), ("ki:oku", None));
        assert_eq!(pairs(&form)["code_verifier"], flow().verifier);
    }

    #[test]
    fn a_flow_ends_on_a_page_of_ours() {
        for (query, ends) in [
            ("", "/"),
            ("page=memory", "/memory"),
            ("page=chat&thread=th_x", "/?thread=th_x"),
            ("page=//evil.com", "/"),
            ("thread=https://evil.com", "/"),
            ("thread=..%2Fx", "/"),
        ] {
            assert_eq!(page(query), ends, "{query}");
        }
    }

    proptest! {
        #[test]
        fn no_answer_panics(query in "\\PC{0,60}", body in proptest::collection::vec(any::<u8>(), 0..60)) {
            let key = Secret::new("a".repeat(32));
            let _ = (flow().code(&query, "i"), identity_token(&body), Flow::read(&[&key], &query, NOW));
            prop_assert!(page(&query).starts_with('/') && !page(&query).starts_with("//"));
        }
    }
}
