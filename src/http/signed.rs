//! What this server signs for itself: cookies and tokens that come back as they went out.
//!
//! Invariant: a payload is handed out only after its signature is checked over exactly its bytes. Each purpose has a
//! key of its own, derived from `SESSION_SECRET`, so that nothing signed for one passes for another.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use crate::config::Secret;
use crate::encoding;

/// What was signed, and with which of the secrets.
#[derive(Debug, PartialEq, Eq)]
pub struct Opened {
    pub payload: Vec<u8>,
    /// Not by the first secret, but by one that is on its way out.
    pub by_previous: bool,
}

/// `payload.signature`, both in URL-safe base64. `None` never happens: HMAC takes keys of every length.
pub fn seal(secret: &Secret, purpose: &[u8], payload: &[u8]) -> Option<String> {
    let payload = encoding::base64url(payload);
    let signature = mac(secret, purpose, payload.as_bytes())?;
    Some(format!("{payload}.{}", encoding::base64url(&signature.finalize().into_bytes())))
}

/// Reads back what [`seal`] made with any of `secrets`.
pub fn open(secrets: &[&Secret], purpose: &[u8], value: &str) -> Option<Opened> {
    let (payload, signature) = value.split_once('.')?;
    let signature = encoding::from_base64url(signature)?;
    // `verify_slice` compares in constant time.
    let signed_by = secrets.iter().position(|secret| {
        mac(secret, purpose, payload.as_bytes()).is_some_and(|mac| mac.verify_slice(&signature).is_ok())
    })?;
    Some(Opened { payload: encoding::from_base64url(payload)?, by_previous: signed_by > 0 })
}

/// A MAC over `data` with the secret's key for this purpose.
pub fn mac(secret: &Secret, purpose: &[u8], data: &[u8]) -> Option<Hmac<Sha256>> {
    let mut derivation = Hmac::<Sha256>::new_from_slice(secret.expose().as_bytes()).ok()?;
    derivation.update(purpose);
    let mut mac = Hmac::<Sha256>::new_from_slice(&derivation.finalize().into_bytes()).ok()?;
    mac.update(data);
    Some(mac)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secret(letter: &str) -> Secret {
        Secret::new(letter.repeat(32))
    }

    #[test]
    fn what_is_signed_for_one_purpose_or_by_another_secret_is_nothing() {
        let (old, new) = (secret("a"), secret("b"));
        let value = seal(&old, b"tea", "桜".as_bytes()).unwrap();
        let payload = "桜".as_bytes().to_vec();
        assert_eq!(
            open(&[&old], b"tea", &value),
            Some(Opened { payload: payload.clone(), by_previous: false })
        );
        assert_eq!(open(&[&new, &old], b"tea", &value), Some(Opened { payload, by_previous: true }));
        assert_eq!(open(&[&old], b"sake", &value), None);
        assert_eq!(open(&[&new], b"tea", &value), None);
        assert_eq!(open(&[], b"tea", &value), None);
    }

    #[test]
    fn the_secret_itself_is_not_the_key() {
        let key = secret("a");
        let payload = encoding::base64url(b"x");
        let mut plain = Hmac::<Sha256>::new_from_slice(key.expose().as_bytes()).unwrap();
        plain.update(payload.as_bytes());
        let forged = format!("{payload}.{}", encoding::base64url(&plain.finalize().into_bytes()));
        assert_eq!(open(&[&key], b"tea", &forged), None);
    }
}
