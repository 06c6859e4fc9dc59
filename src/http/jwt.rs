//! Signed tokens of Access and OpenID providers: parsed strictly, verified, and only then read.
//!
//! Invariant: claims exist only behind a good signature; [`Unverified`] hands out none. The algorithm is pinned
//! by the kind of the key, never by the token alone, so `none` and an HMAC over a public key have no way in. Keys
//! that a token brings along (`jwk`, `jku`, `x5u`) are not looked at. The mathematics is the runtime's, behind
//! [`Signatures`].

use std::collections::BTreeMap;
use std::future::Future;

use serde_json::Value;

use super::claims::Claims;
use super::distinct::distinct_members;
use super::jwks::{Jwk, Keys};
use crate::encoding;

/// Longest token looked at, in bytes. Access and common providers stay below 4 KB.
const MAX_TOKEN_BYTES: usize = 16 * 1024;

/// What a header may call a token about a user, in any case.
const TYPES: &[&str] = &["JWT", "at+jwt", "application/jwt", "application/at+jwt"];

/// Why a token isn't believed. The user only learns that it isn't; the words are for logs and tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JwtError {
    Malformed(&'static str),
    /// Not RS256 or ES256.
    Algorithm,
    /// No key of this name; the keys may have been rotated, so they are worth fetching once more.
    UnknownKey,
    BadSignature,
    Expired,
    NotYetValid,
    WrongIssuer,
    WrongAudience,
    WrongNonce,
    /// Nobody is named: a service's token, or an unusable name.
    NoSubject,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algorithm {
    Rs256,
    Es256,
}

impl Algorithm {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Rs256 => "RS256",
            Self::Es256 => "ES256",
        }
    }

    fn parse(word: &str) -> Option<Self> {
        [Self::Rs256, Self::Es256].into_iter().find(|algorithm| algorithm.as_str() == word)
    }
}

/// Checks a signature with the runtime's cryptography. ES256 signatures are the 64 raw bytes of r and s.
pub trait Signatures {
    /// Whether `signature` over `data` was made with the private half of `key`; `false` also for a key that the
    /// runtime can't use.
    fn verify(&self, key: &Jwk, data: &[u8], signature: &[u8]) -> impl Future<Output = bool>;
}

/// A token of the right form, of which nothing may be believed yet.
pub struct Unverified<'a> {
    algorithm: Algorithm,
    kid: Option<String>,
    /// `header.payload`, the bytes under the signature.
    signed: &'a str,
    payload: Vec<u8>,
    signature: Vec<u8>,
}

impl<'a> Unverified<'a> {
    /// Reads the compact form.
    pub fn parse(token: &'a str) -> Result<Self, JwtError> {
        if token.len() > MAX_TOKEN_BYTES {
            return Err(JwtError::Malformed("too long"));
        }
        let (signed, signature) = token.rsplit_once('.').ok_or(JwtError::Malformed("not three parts"))?;
        let (header, payload) = signed.split_once('.').ok_or(JwtError::Malformed("not three parts"))?;
        let decode = |part: &str| {
            // This alphabet has no dot, so a fourth part ends here too.
            encoding::from_base64url(part).ok_or(JwtError::Malformed("not base64url"))
        };
        let header = members(&decode(header)?)?;
        if header.contains_key("crit") {
            return Err(JwtError::Malformed("an extension that must be understood"));
        }
        // Issuers sign other things with the same keys, such as notices of sign-out.
        let is_ours = header.get("typ").is_none_or(|typ| {
            typ.as_str().is_some_and(|typ| TYPES.iter().any(|known| typ.eq_ignore_ascii_case(known)))
        });
        if !is_ours {
            return Err(JwtError::Malformed("another type"));
        }
        let algorithm = header.get("alg").and_then(Value::as_str).and_then(Algorithm::parse);
        let kid = match header.get("kid") {
            None => None,
            Some(Value::String(kid)) => Some(kid.clone()),
            Some(_) => return Err(JwtError::Malformed("kid isn't text")),
        };
        let (payload, signature) = (decode(payload)?, decode(signature)?);
        Ok(Self { algorithm: algorithm.ok_or(JwtError::Algorithm)?, kid, signed, payload, signature })
    }

    /// The claims, if one of `keys` signed them.
    pub async fn verify(&self, keys: &Keys, signatures: &impl Signatures) -> Result<Claims, JwtError> {
        let key = keys.choose(self.kid.as_deref(), self.algorithm).ok_or(JwtError::UnknownKey)?;
        if !signatures.verify(key, self.signed.as_bytes(), &self.signature).await {
            return Err(JwtError::BadSignature);
        }
        members(&self.payload).map(Claims)
    }
}

fn members(json: &[u8]) -> Result<BTreeMap<String, Value>, JwtError> {
    distinct_members(json).ok_or(JwtError::Malformed("not a JSON object of distinct members"))
}

#[cfg(test)]
mod tests {
    use futures::executor::block_on;
    use proptest::prelude::*;
    use serde_json::json;
    use sha2::{Digest, Sha256};

    use super::*;
    use crate::http::claims::Expected;
    use crate::http::identity::Identity;
    use crate::time::Millis;

    const NOW: Millis = Millis(1_796_004_000_000);
    const EXPECTED: Expected<'static> = Expected { issuer: "https://i", audience: "kioku", nonce: None };

    /// Signs by hashing the key's name with the data: as strict as a signature about every byte and the key.
    struct Hashes;

    fn signature(kid: &str, data: &[u8]) -> Vec<u8> {
        Sha256::new().chain_update(kid).chain_update([0]).chain_update(data).finalize().to_vec()
    }

    impl Signatures for Hashes {
        async fn verify(&self, key: &Jwk, data: &[u8], given: &[u8]) -> bool {
            given == signature(key.kid.as_deref().unwrap_or(""), data)
        }
    }

    fn keys() -> Keys {
        let ec = |kid: &str| {
            let coordinate = encoding::base64url(&[7; 32]);
            json!({"kid": kid, "kty": "EC", "crv": "P-256", "x": coordinate, "y": coordinate})
        };
        let rsa = json!({"kid": "r", "kty": "RSA", "n": encoding::base64url(&[255; 256]), "e": "AQAB"});
        Keys::parse(json!({"keys": [ec("old"), ec("new"), rsa]}).to_string().as_bytes()).unwrap()
    }

    fn token_of(header: &str, payload: &str, kid: &str) -> String {
        let signed =
            format!("{}.{}", encoding::base64url(header.as_bytes()), encoding::base64url(payload.as_bytes()));
        let signature = encoding::base64url(&signature(kid, signed.as_bytes()));
        format!("{signed}.{signature}")
    }

    fn claims() -> Value {
        let now = NOW.0 / 1000;
        json!({"iss": "https://i", "aud": "kioku", "sub": "桜-1", "email": "s@example.com",
            "iat": now - 10, "nbf": now - 10, "exp": now + 300})
    }

    fn read(token: &str, expected: &Expected<'_>) -> Result<Identity, JwtError> {
        block_on(Unverified::parse(token)?.verify(&keys(), &Hashes))?.identity(expected, NOW)
    }

    fn read_claims(changes: Value, expected: &Expected<'_>) -> Result<Identity, JwtError> {
        let mut payload = claims();
        for (name, value) in changes.as_object().unwrap() {
            payload[name] = value.clone();
        }
        read(&token_of(r#"{"alg":"ES256","kid":"new"}"#, &payload.to_string(), "new"), expected)
    }

    #[test]
    fn a_good_token_names_its_user() {
        let identity = read_claims(json!({}), &EXPECTED).unwrap();
        assert_eq!((identity.subject.as_str(), identity.display.as_str()), ("桜-1", "s@example.com"));
        assert!(read_claims(json!({"aud": ["other", "kioku"]}), &EXPECTED).is_ok());
        let old = token_of(r#"{"alg":"ES256","kid":"old"}"#, &claims().to_string(), "old");
        assert!(read(&old, &EXPECTED).is_ok());
        let rsa = token_of(r#"{"alg":"RS256","kid":"r","typ":"JWT"}"#, &claims().to_string(), "r");
        assert!(read(&rsa, &EXPECTED).is_ok());
    }

    #[test]
    fn every_claim_is_checked() {
        let now = NOW.0 / 1000;
        for (changes, error) in [
            (json!({"iss": "https://evil"}), JwtError::WrongIssuer),
            (json!({"iss": ["https://i"]}), JwtError::WrongIssuer),
            (json!({"iss": "https://i/"}), JwtError::WrongIssuer),
            (json!({"aud": "other"}), JwtError::WrongAudience),
            (json!({"aud": []}), JwtError::WrongAudience),
            (json!({"aud": null}), JwtError::WrongAudience),
            (json!({"aud": {"kioku": 1}}), JwtError::WrongAudience),
            (json!({"exp": now - 61}), JwtError::Expired),
            (json!({"exp": -1}), JwtError::Expired),
            (json!({"exp": "2099"}), JwtError::Malformed("a date isn't a number")),
            (json!({"nbf": now + 61}), JwtError::NotYetValid),
            (json!({"iat": 1e300}), JwtError::NotYetValid),
            (json!({"sub": ""}), JwtError::NoSubject),
            (json!({"sub": 7}), JwtError::NoSubject),
            (json!({"sub": "x".repeat(1021)}), JwtError::NoSubject),
        ] {
            assert_eq!(read_claims(changes.clone(), &EXPECTED), Err(error), "{changes}");
        }
        assert!(read_claims(json!({"exp": now - 59, "nbf": now + 59}), &EXPECTED).is_ok());
        let nobody = Expected { audience: "", ..EXPECTED };
        assert_eq!(read_claims(json!({"aud": ""}), &nobody), Err(JwtError::WrongAudience));
    }

    #[test]
    fn a_sign_in_gets_back_its_own_nonce() {
        let expected = Expected { nonce: Some("n1"), ..EXPECTED };
        assert!(read_claims(json!({"nonce": "n1"}), &expected).is_ok());
        assert_eq!(read_claims(json!({"nonce": "n2"}), &expected), Err(JwtError::WrongNonce));
        assert_eq!(read_claims(json!({}), &expected), Err(JwtError::WrongNonce));
        assert_eq!(
            read_claims(json!({"nonce": "n1", "azp": "other"}), &expected),
            Err(JwtError::WrongAudience)
        );
        let empty = Expected { nonce: Some(""), ..EXPECTED };
        assert_eq!(read_claims(json!({"nonce": ""}), &empty), Err(JwtError::WrongNonce));
    }

    #[test]
    fn the_token_chooses_neither_algorithm_nor_key() {
        let payload = claims().to_string();
        let with = |header: &str, kid: &str| read(&token_of(header, &payload, kid), &EXPECTED);
        for alg in ["none", "None", "HS256", "ES384", "RS512", "PS256", "es256", ""] {
            let header = json!({"alg": alg, "kid": "new"}).to_string();
            assert_eq!(with(&header, "new"), Err(JwtError::Algorithm), "{alg}");
        }
        assert_eq!(with(r#"{"kid":"new"}"#, "new"), Err(JwtError::Algorithm));
        assert_eq!(with(r#"{"alg":"RS256","kid":"new"}"#, "new"), Err(JwtError::UnknownKey));
        assert_eq!(with(r#"{"alg":"ES256","kid":"gone"}"#, "gone"), Err(JwtError::UnknownKey));
        assert_eq!(with(r#"{"alg":"ES256"}"#, "new"), Err(JwtError::UnknownKey));
        assert_eq!(with(r#"{"alg":"ES256","kid":"new"}"#, "old"), Err(JwtError::BadSignature));
        let own_key = r#"{"alg":"ES256","kid":"mine","jwk":{"kid":"mine","kty":"EC"},"jku":"https://evil"}"#;
        assert_eq!(with(own_key, "mine"), Err(JwtError::UnknownKey));
        assert!(matches!(
            with(r#"{"alg":"ES256","kid":"new","crit":["b64"]}"#, "new"),
            Err(JwtError::Malformed(_))
        ));
        assert!(matches!(with(r#"{"alg":"ES256","kid":["new"]}"#, "new"), Err(JwtError::Malformed(_))));
        assert!(matches!(
            with(r#"{"alg":"ES256","alg":"none","kid":"new"}"#, "new"),
            Err(JwtError::Malformed(_))
        ));
    }

    #[test]
    fn a_claim_that_occurs_twice_spoils_the_token() {
        let twice = claims().to_string().replacen('{', r#"{"sub":"admin","#, 1);
        let token = token_of(r#"{"alg":"ES256","kid":"new"}"#, &twice, "new");
        assert!(matches!(read(&token, &EXPECTED), Err(JwtError::Malformed(_))));
        let escaped = claims().to_string().replacen('{', r#"{"s\u0075b":"admin","#, 1);
        let token = token_of(r#"{"alg":"ES256","kid":"new"}"#, &escaped, "new");
        assert!(matches!(read(&token, &EXPECTED), Err(JwtError::Malformed(_))));
    }

    #[test]
    fn what_is_cut_padded_stretched_or_huge_is_refused() {
        let good = token_of(r#"{"alg":"ES256","kid":"new"}"#, &claims().to_string(), "new");
        for end in 0..good.len() {
            assert!(read(&good[..end], &EXPECTED).is_err(), "cut at {end}");
        }
        for bad in [
            format!("{good}="),
            format!("{good}."),
            format!(" {good}"),
            format!("{good}\n"),
            format!("a.{good}"),
        ] {
            assert!(read(&bad, &EXPECTED).is_err(), "{bad}");
        }
        let huge = "A".repeat(MAX_TOKEN_BYTES + 1);
        assert_eq!(read(&huge, &EXPECTED), Err(JwtError::Malformed("too long")));
    }

    proptest! {
        #[test]
        fn no_token_panics_and_no_changed_byte_is_believed(place in any::<proptest::sample::Index>(), byte in 33u8..127) {
            let good = token_of(r#"{"alg":"ES256","kid":"new"}"#, &claims().to_string(), "new");
            let mut bytes = good.clone().into_bytes();
            let place = place.index(bytes.len());
            bytes[place] = byte;
            let changed = String::from_utf8(bytes).unwrap();
            prop_assert_eq!(read(&changed, &EXPECTED).is_ok(), changed == good);
        }

        #[test]
        fn no_text_panics(text in "(\\.|eyJ|[A-Za-z0-9_-]{0,9}|\\PC){0,12}") {
            let _ = read(&text, &EXPECTED);
        }
    }
}
