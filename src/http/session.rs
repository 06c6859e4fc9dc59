//! The signed session cookie: who signed in, when, until when.
//!
//! Invariant: a cookie is believed only after its signature is checked ([`super::signed`]). Nothing is stored: ending
//! sessions everywhere is the owner's object remembering an instant and refusing sessions issued before it.

use serde::{Deserialize, Serialize};

use super::identity::{Identity, cookie};
use super::signed;
use crate::config::Secret;
use crate::json;
use crate::time::{DAY, MINUTE, Millis, SECOND};

/// The cookie's name.
pub const COOKIE: &str = "kioku_session";

/// How long a session lasts, in milliseconds.
pub const LIFETIME: i64 = 30 * DAY;

/// Longest cookie read, in bytes; browsers keep none beyond 4 KB.
const MAX_COOKIE_BYTES: usize = 4096;

/// How far a clock of this server may be ahead of another, in milliseconds.
const CLOCK_SKEW: i64 = 5 * MINUTE;

/// What the key is derived for. A change of the signed form gets a new label, and everybody signs in again.
const PURPOSE: &[u8] = b"kioku session cookie v1";

/// A session whose signature and dates are good.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    pub identity: Identity,
    pub issued: Millis,
    pub expires: Millis,
    /// Half its time is over, or it was signed with the previous secret: answer with a new cookie.
    pub wants_renewal: bool,
}

/// The signed form. Field names are short because the cookie travels with every request.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Claims {
    v: u8,
    iss: String,
    sub: String,
    name: String,
    iat: Millis,
    exp: Millis,
}

/// The cookie's value for a user who has just signed in or been renewed. `None` if the identity is too long for
/// any browser to keep.
pub fn sign(secret: &Secret, identity: &Identity, now: Millis) -> Option<String> {
    let claims = Claims {
        v: 1,
        iss: identity.issuer.clone(),
        sub: identity.subject.clone(),
        name: identity.display.clone(),
        iat: now,
        exp: now.plus(LIFETIME),
    };
    let value = signed::seal(secret, PURPOSE, &serde_json::to_vec(&claims).ok()?)?;
    (value.len() <= MAX_COOKIE_BYTES).then_some(value)
}

/// Reads the session from a `Cookie` header. `secrets` are `SESSION_SECRET` and then, while it is being changed,
/// the one before it.
pub fn verify(secrets: &[&Secret], cookie_header: &str, now: Millis) -> Option<Session> {
    let value = cookie(cookie_header, COOKIE).filter(|value| value.len() <= MAX_COOKIE_BYTES)?;
    let opened = signed::open(secrets, PURPOSE, value)?;
    let claims: Claims = json::read(&opened.payload).ok()?;
    let is_current = claims.v == 1 && claims.iat <= now.plus(CLOCK_SKEW) && now < claims.exp;
    if !is_current {
        return None;
    }
    let identity = Identity { issuer: claims.iss, subject: claims.sub, display: claims.name };
    let wants_renewal = opened.by_previous || now.since(claims.iat) > LIFETIME / 2;
    Some(Session { identity, issued: claims.iat, expires: claims.exp, wants_renewal })
}

/// The `Set-Cookie` header that signs in. `secure` is true everywhere but on loopback, where there is no TLS.
pub fn set_cookie(value: &str, secure: bool) -> String {
    attributes(value, LIFETIME / SECOND, secure)
}

/// The `Set-Cookie` header that signs out.
pub fn clear_cookie(secure: bool) -> String {
    attributes("", 0, secure)
}

fn attributes(value: &str, max_age_seconds: i64, secure: bool) -> String {
    let secure = if secure { "; Secure" } else { "" };
    format!("{COOKIE}={value}; Path=/; HttpOnly; SameSite=Lax; Max-Age={max_age_seconds}{secure}")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NOW: Millis = Millis(1_796_004_000_000);

    fn secret(letter: &str) -> Secret {
        Secret::new(letter.repeat(32))
    }

    fn sakura() -> Identity {
        Identity::local("桜 \"S\"; Path=/evil").unwrap()
    }

    fn header(value: &str) -> String {
        format!("other=1; {COOKIE}={value}")
    }

    #[test]
    fn a_session_is_believed_for_thirty_days_and_renewed_after_half() {
        let key = secret("a");
        let cookie = header(&sign(&key, &sakura(), NOW).unwrap());
        let at = |now| verify(&[&key], &cookie, now);
        let fresh = at(NOW).unwrap();
        assert_eq!((fresh.identity, fresh.wants_renewal), (sakura(), false));
        assert!(!at(NOW.plus(15 * DAY)).unwrap().wants_renewal);
        assert!(at(NOW.plus(15 * DAY + 1)).unwrap().wants_renewal);
        assert!(at(NOW.plus(30 * DAY - 1)).is_some());
        assert_eq!(at(NOW.plus(30 * DAY)), None);
        assert_eq!(at(NOW.plus(-DAY)), None);
    }

    #[test]
    fn a_changed_secret_keeps_sessions_while_the_previous_one_is_known() {
        let (old, new) = (secret("a"), secret("b"));
        let cookie = header(&sign(&old, &sakura(), NOW).unwrap());
        assert!(verify(&[&new, &old], &cookie, NOW).unwrap().wants_renewal);
        assert_eq!(verify(&[&new], &cookie, NOW), None);
        assert_eq!(verify(&[], &cookie, NOW), None);
    }

    #[test]
    fn no_changed_byte_is_believed() {
        let key = secret("a");
        let value = sign(&key, &sakura(), NOW).unwrap();
        for (place, byte) in value.bytes().enumerate() {
            let mut forged = value.clone().into_bytes();
            forged[place] = if byte == b'A' { b'B' } else { b'A' };
            let forged = String::from_utf8(forged).unwrap();
            assert_eq!(verify(&[&key], &header(&forged), NOW), None, "byte {place}");
        }
        let payload = value.split('.').next().unwrap();
        for forged in ["", ".", payload, &format!("{payload}."), &format!("{value}A"), &format!("{value}.x")]
        {
            assert_eq!(verify(&[&key], &header(forged), NOW), None);
        }
        assert_eq!(verify(&[&key], &format!("{COOKIE}={value}; {COOKIE}={value}"), NOW), None);
    }

    #[test]
    fn the_cookie_is_for_this_server_alone_and_ends_at_logout() {
        assert_eq!(
            set_cookie("v", true),
            "kioku_session=v; Path=/; HttpOnly; SameSite=Lax; Max-Age=2592000; Secure"
        );
        assert_eq!(clear_cookie(false), "kioku_session=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0");
    }

    #[test]
    fn an_identity_too_long_for_a_cookie_gets_none() {
        let long = Identity { issuer: "i".repeat(4000), subject: String::new(), display: String::new() };
        assert_eq!(sign(&secret("a"), &long, NOW), None);
    }

    proptest! {
        #[test]
        fn every_identity_comes_back_as_it_was(issuer in "\\PC{0,30}", subject in ".{0,30}", display in ".{0,30}") {
            let (key, identity) = (secret("k"), Identity { issuer, subject, display });
            let value = sign(&key, &identity, NOW).unwrap();
            prop_assert!(value.bytes().all(|b| b.is_ascii_graphic() && b != b';'));
            prop_assert_eq!(verify(&[&key], &header(&value), NOW).unwrap().identity, identity);
        }

        #[test]
        fn no_cookie_panics(text in "\\PC{0,60}") {
            let _ = verify(&[&secret("k")], &header(&text), NOW);
        }
    }
}
