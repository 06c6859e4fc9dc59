//! What a verified token says, and whether that names a user of ours.
//!
//! Invariant: only [`super::jwt::Unverified::verify`] makes claims, behind a good signature.

use std::collections::BTreeMap;

use serde_json::Value;

use super::identity::Identity;
use super::jwt::JwtError;
use crate::time::{MINUTE, Millis};

/// Longest subject, in bytes; OpenID allows 255 characters.
const MAX_SUBJECT_BYTES: usize = 1020;

/// How far the issuer's clock may differ from ours, in milliseconds.
pub const SKEW: i64 = MINUTE;

/// What a verified token says.
#[derive(Clone, Debug, PartialEq)]
pub struct Claims(pub(super) BTreeMap<String, Value>);

/// What a token must say.
#[derive(Clone, Copy, Debug)]
pub struct Expected<'a> {
    pub issuer: &'a str,
    pub audience: &'a str,
    /// For the identity token of a sign-in that we began: the nonce that we sent.
    pub nonce: Option<&'a str>,
}

impl Claims {
    /// The user, if the token is for us, from the right issuer, and valid at `now`.
    pub fn identity(&self, expected: &Expected<'_>, now: Millis) -> Result<Identity, JwtError> {
        if self.text("iss") != Some(expected.issuer) {
            return Err(JwtError::WrongIssuer);
        }
        self.check_audience(expected)?;
        let expires = self.instant("exp")?.ok_or(JwtError::Malformed("no exp"))?;
        if now >= expires.plus(SKEW) {
            return Err(JwtError::Expired);
        }
        for start in ["nbf", "iat"] {
            if self.instant(start)?.is_some_and(|start| start > now.plus(SKEW)) {
                return Err(JwtError::NotYetValid);
            }
        }
        if expected.nonce.is_some_and(|nonce| nonce.is_empty() || self.text("nonce") != Some(nonce)) {
            return Err(JwtError::WrongNonce);
        }
        let subject = self.text("sub").filter(|sub| !sub.is_empty() && sub.len() <= MAX_SUBJECT_BYTES);
        let subject = subject.ok_or(JwtError::NoSubject)?;
        let display = ["email", "preferred_username", "name"].iter().find_map(|name| self.text(name));
        Ok(Identity {
            issuer: expected.issuer.to_owned(),
            subject: subject.to_owned(),
            display: display.unwrap_or(subject).chars().filter(|c| !c.is_control()).take(200).collect(),
        })
    }

    /// When the token was made.
    pub fn issued(&self) -> Option<Millis> {
        self.instant("iat").ok().flatten()
    }

    /// From when on it isn't believed.
    pub fn expires(&self) -> Option<Millis> {
        self.instant("exp").ok().flatten().map(|at| at.plus(SKEW))
    }

    fn check_audience(&self, expected: &Expected<'_>) -> Result<(), JwtError> {
        let audiences: Vec<&str> = match self.0.get("aud") {
            Some(Value::String(audience)) => vec![audience],
            Some(Value::Array(audiences)) => audiences.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        };
        // An identity token for several parties says which of them asked for it.
        let asked = expected.nonce.and(self.text("azp")).is_none_or(|party| party == expected.audience);
        let is_ours = !expected.audience.is_empty() && audiences.contains(&expected.audience) && asked;
        is_ours.then_some(()).ok_or(JwtError::WrongAudience)
    }

    fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name).and_then(Value::as_str)
    }

    /// Seconds since 1970, perhaps with a fraction. A date that isn't a number is no missing date.
    fn instant(&self, name: &str) -> Result<Option<Millis>, JwtError> {
        let Some(value) = self.0.get(name) else { return Ok(None) };
        let seconds = value.as_f64().ok_or(JwtError::Malformed("a date isn't a number"))?;
        Ok(Some(Millis((seconds * 1000.0) as i64)))
    }
}
