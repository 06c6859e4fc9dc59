//! An issuer's public keys: where they are, which of them count, which one signed.
//!
//! A key that isn't understood is passed over, so that an issuer can add new kinds; a key too weak to be believed
//! is passed over too. Only public members are kept.

use serde_json::{Map, Value, json};

use super::jwt::Algorithm;
use super::origin::is_loopback;
use crate::encoding;

/// Most bytes of a key set, and most keys of it; issuers publish a handful.
const MAX_BYTES: usize = 256 * 1024;
const MAX_KEYS: usize = 64;

/// RSA keys below 2048 bits can be broken.
const MIN_RSA_BYTES: usize = 256;

/// One public key.
#[derive(Clone, Debug, PartialEq)]
pub struct Jwk {
    pub kid: Option<String>,
    /// The only algorithm it is used with.
    pub algorithm: Algorithm,
    /// What the runtime imports: the public members and nothing else.
    pub public: Value,
}

/// An issuer's keys.
#[derive(Clone, Debug, PartialEq)]
pub struct Keys(Vec<Jwk>);

impl Keys {
    /// Reads a key set; `None` if it is none or has no usable key.
    pub fn parse(body: &[u8]) -> Option<Self> {
        if body.len() > MAX_BYTES {
            return None;
        }
        let set: Value = serde_json::from_slice(body).ok()?;
        let keys: Vec<Jwk> = set.get("keys")?.as_array()?.iter().take(MAX_KEYS).filter_map(key).collect();
        (!keys.is_empty()).then_some(Self(keys))
    }

    /// The key that a token names. A token without a name is believed only where there is no choice; so is a
    /// name that two keys share.
    pub fn choose(&self, kid: Option<&str>, algorithm: Algorithm) -> Option<&Jwk> {
        let mut fitting = self
            .0
            .iter()
            .filter(|key| key.algorithm == algorithm && (kid.is_none() || key.kid.as_deref() == kid));
        let found = fitting.next()?;
        fitting.next().is_none().then_some(found)
    }
}

/// The issuer of Access tokens, from the team's domain with or without scheme and suffix.
pub fn access_issuer(team_domain: &str) -> String {
    let domain = team_domain.trim().trim_start_matches("https://").trim_end_matches('/');
    if domain.contains('.') {
        format!("https://{domain}")
    } else {
        format!("https://{domain}.cloudflareaccess.com")
    }
}

/// Where Access publishes its keys.
pub fn access_keys_url(team_domain: &str) -> String {
    format!("{}/cdn-cgi/access/certs", access_issuer(team_domain))
}

/// Where an OpenID issuer describes itself.
pub fn discovery_url(issuer: &str) -> String {
    format!("{}/.well-known/openid-configuration", issuer.trim_end_matches('/'))
}

/// What we need of an OpenID issuer's description.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Discovery {
    pub jwks_uri: String,
    pub authorization_endpoint: String,
    pub token_endpoint: String,
    /// Whether a client's secret goes into a header, which is how it goes where nothing else is said.
    pub takes_basic: bool,
}

impl Discovery {
    /// Reads the description; `None` if it is another issuer's, or leads off TLS.
    pub fn parse(body: &[u8], issuer: &str) -> Option<Self> {
        let document: Value = serde_json::from_slice(body).ok()?;
        let text = |name: &str| document.get(name).and_then(Value::as_str);
        if text("issuer") != Some(issuer) {
            return None;
        }
        let address = |name: &str| text(name).filter(|url| is_protected(url)).map(str::to_owned);
        Some(Self {
            jwks_uri: address("jwks_uri")?,
            authorization_endpoint: address("authorization_endpoint")?,
            token_endpoint: address("token_endpoint")?,
            takes_basic: document
                .get("token_endpoint_auth_methods_supported")
                .and_then(Value::as_array)
                .is_none_or(|methods| methods.contains(&json!("client_secret_basic"))),
        })
    }
}

/// TLS, or this machine.
fn is_protected(url: &str) -> bool {
    let local =
        url.strip_prefix("http://").map(|rest| rest.split(['/', '?', '#', '\\']).next().unwrap_or(""));
    url.starts_with("https://") || local.is_some_and(is_loopback)
}

fn key(jwk: &Value) -> Option<Jwk> {
    let text = |name: &str| jwk.get(name).and_then(Value::as_str);
    let bytes = |name: &str| encoding::from_base64url(text(name)?);
    let mut public = Map::new();
    let algorithm = match text("kty")? {
        "RSA" => {
            let modulus = bytes("n")?;
            let significant = modulus.iter().skip_while(|byte| **byte == 0).count();
            let exponent = bytes("e")?;
            if significant < MIN_RSA_BYTES || exponent == [1] {
                return None;
            }
            Algorithm::Rs256
        }
        "EC" if text("crv") == Some("P-256") => {
            if bytes("x")?.len() != 32 || bytes("y")?.len() != 32 {
                return None;
            }
            Algorithm::Es256
        }
        _ => return None,
    };
    let is_for_signatures = jwk.get("use").is_none_or(|purpose| purpose == "sig")
        && jwk.get("alg").is_none_or(|alg| alg == algorithm.as_str())
        && jwk
            .get("key_ops")
            .is_none_or(|ops| ops.as_array().is_some_and(|ops| ops.contains(&json!("verify"))));
    if !is_for_signatures {
        return None;
    }
    for name in ["kty", "n", "e", "crv", "x", "y"] {
        if let Some(value) = text(name) {
            public.insert(name.to_owned(), value.into());
        }
    }
    Some(Jwk { kid: text("kid").map(str::to_owned), algorithm, public: Value::Object(public) })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn ec(kid: &str) -> Value {
        let coordinate = encoding::base64url(&[7; 32]);
        json!({"kid": kid, "kty": "EC", "crv": "P-256", "x": coordinate, "y": coordinate})
    }

    fn rsa(bytes: usize) -> Value {
        json!({"kty": "RSA", "n": encoding::base64url(&vec![255; bytes]), "e": "AQAB"})
    }

    fn parse(keys: Value) -> Option<Keys> {
        Keys::parse(json!({"keys": keys}).to_string().as_bytes())
    }

    fn with(mut key: Value, name: &str, value: Value) -> Value {
        key[name] = value;
        key
    }

    #[test]
    fn weak_foreign_and_private_keys_do_not_count() {
        for unusable in [
            rsa(128),
            with(rsa(256), "e", json!("AQ")),
            with(rsa(256), "use", json!("enc")),
            with(rsa(256), "alg", json!("RS512")),
            with(ec("a"), "crv", json!("P-384")),
            with(ec("a"), "x", json!("AA")),
            with(ec("a"), "key_ops", json!(["sign"])),
            json!({"kty": "oct", "k": "c2VjcmV0"}),
            json!(null),
        ] {
            assert_eq!(parse(json!([unusable.clone()])), None, "{unusable}");
        }
        let keys = parse(json!([{"kty": "new"}, with(ec("a"), "d", json!("secret"))])).unwrap();
        assert!(keys.choose(Some("a"), Algorithm::Es256).unwrap().public.get("d").is_none());
    }

    #[test]
    fn a_key_is_chosen_by_name_and_kind_or_where_there_is_no_choice() {
        let keys = parse(json!([ec("a"), ec("b"), ec("b"), rsa(256)])).unwrap();
        let kid = |kid, algorithm| keys.choose(kid, algorithm).map(|key| key.kid.clone());
        assert_eq!(kid(Some("a"), Algorithm::Es256), Some(Some("a".to_owned())));
        assert_eq!(kid(Some("a"), Algorithm::Rs256), None);
        assert_eq!(kid(Some("b"), Algorithm::Es256), None);
        assert_eq!(kid(None, Algorithm::Es256), None);
        assert_eq!(kid(None, Algorithm::Rs256), Some(None));
    }

    #[test]
    fn a_teams_domain_is_read_in_every_spelling() {
        for domain in ["acme", "acme.cloudflareaccess.com", "https://acme.cloudflareaccess.com/"] {
            assert_eq!(access_issuer(domain), "https://acme.cloudflareaccess.com");
        }
        assert_eq!(access_keys_url("acme"), "https://acme.cloudflareaccess.com/cdn-cgi/access/certs");
        assert_eq!(discovery_url("https://i/"), "https://i/.well-known/openid-configuration");
    }

    #[test]
    fn a_description_must_be_the_issuers_own_and_stay_on_tls() {
        let body = |issuer: &str, base: &str| {
            json!({"issuer": issuer, "jwks_uri": format!("{base}/keys"), "token_endpoint": format!("{base}/token"),
                "authorization_endpoint": format!("{base}/auth")})
            .to_string()
        };
        let read = |body: String| Discovery::parse(body.as_bytes(), "https://i").map(|found| found.jwks_uri);
        assert_eq!(read(body("https://i", "https://i/o")).as_deref(), Some("https://i/o/keys"));
        assert_eq!(read(body("https://i", "http://127.0.0.1:9")).as_deref(), Some("http://127.0.0.1:9/keys"));
        assert_eq!(read(body("https://evil", "https://i")), None);
        for base in ["http://i", "ftp://i", "http://localhost.evil.com", "http://localhost@evil.com", ""] {
            assert_eq!(read(body("https://i", base)), None, "{base}");
        }
    }

    proptest! {
        #[test]
        fn no_key_set_panics(bytes in proptest::collection::vec(any::<u8>(), 0..60), text in "\\PC{0,40}") {
            let _ = (Keys::parse(&bytes), Discovery::parse(&bytes, &text), access_issuer(&text), is_protected(&text));
        }
    }
}
