//! Personal access tokens: made, recognized and hashed. What they may do is a row in their owner's object.
//!
//! Invariant: a token names its owner under our signature, so a made-up one reaches no object; and the object knows
//! only its hash, so nothing that is stored can be used as one. It can't be read out of a token whose memory it is.

use hmac::Mac;
use sha2::{Digest, Sha256};

use super::identity::TOKEN_PREFIX;
use super::signed;
use crate::config::Secret;
use crate::encoding;
use crate::id::{OwnerKey, TokenId};

const PURPOSE: &[u8] = b"kioku personal access token v1";

const OWNER_BYTES: usize = 32;
const ID_BYTES: usize = 10;
/// 160 bits of chance, of which no part is stored.
pub const SECRET_BYTES: usize = 20;
/// Half a SHA-256: enough against forgery, and the token stays short.
const TAG_BYTES: usize = 16;
const SIGNED_BYTES: usize = OWNER_BYTES + ID_BYTES + SECRET_BYTES;

/// A token whose signature is good.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    pub owner: OwnerKey,
    pub id: TokenId,
    /// SHA-256 of the whole text, in hexadecimal: what is stored and compared.
    pub hash: String,
}

/// A new token's text and id. `None` never happens with an owner's key as it is made.
pub fn mint(
    secret: &Secret,
    owner: &OwnerKey,
    id: [u8; ID_BYTES],
    chance: [u8; SECRET_BYTES],
) -> Option<(String, Token)> {
    let mut bytes = encoding::from_hex(owner.as_str()).filter(|key| key.len() == OWNER_BYTES)?;
    bytes.extend(id);
    bytes.extend(chance);
    let tag = signed::mac(secret, PURPOSE, &bytes)?.finalize().into_bytes();
    bytes.extend(tag.iter().take(TAG_BYTES));
    let text = format!("{TOKEN_PREFIX}{}", encoding::base64url(&bytes));
    let token = Token { owner: owner.clone(), id: TokenId::new(id), hash: hash(&text) };
    Some((text, token))
}

/// Reads a token that was signed with any of `secrets`.
pub fn read(secrets: &[&Secret], text: &str) -> Option<Token> {
    let bytes = encoding::from_base64url(text.strip_prefix(TOKEN_PREFIX)?)?;
    if bytes.len() != SIGNED_BYTES + TAG_BYTES {
        return None;
    }
    let (signed, tag) = bytes.split_at_checked(SIGNED_BYTES)?;
    let is_ours = secrets.iter().any(|secret| {
        // In constant time.
        signed::mac(secret, PURPOSE, signed).is_some_and(|mac| mac.verify_truncated_left(tag).is_ok())
    });
    if !is_ours {
        return None;
    }
    let (owner, rest) = signed.split_at_checked(OWNER_BYTES)?;
    let id = *rest.first_chunk::<ID_BYTES>()?;
    let owner = OwnerKey::parse(&encoding::hex(owner))?;
    Some(Token { owner, id: TokenId::new(id), hash: hash(text) })
}

fn hash(text: &str) -> String {
    encoding::hex(&Sha256::digest(text))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn secret(letter: &str) -> Secret {
        Secret::new(letter.repeat(32))
    }

    fn made(secret: &Secret) -> (String, Token) {
        mint(secret, &OwnerKey::of("local", "桜"), [1; 10], [2; 20]).unwrap()
    }

    #[test]
    fn a_token_is_recognized_while_its_secret_is_known() {
        let (old, new) = (secret("a"), secret("b"));
        let (text, token) = made(&old);
        assert_eq!(read(&[&old], &text), Some(token.clone()));
        assert_eq!(read(&[&new, &old], &text), Some(token));
        assert_eq!(read(&[&new], &text), None);
    }

    #[test]
    fn no_changed_byte_is_believed() {
        let key = secret("a");
        let (text, _) = made(&key);
        for place in TOKEN_PREFIX.len()..text.len() {
            let mut forged = text.clone().into_bytes();
            forged[place] = if forged[place] == b'A' { b'B' } else { b'A' };
            assert_eq!(read(&[&key], &String::from_utf8(forged).unwrap()), None, "byte {place}");
        }
        for end in 0..text.len() {
            assert_eq!(read(&[&key], &text[..end]), None);
        }
        assert_eq!(read(&[&key], &format!("{text}A")), None);
    }

    #[test]
    fn a_session_is_no_token_and_a_token_no_session() {
        let key = secret("a");
        let (text, _) = made(&key);
        let cookie = format!("kioku_session={}", text.replace(TOKEN_PREFIX, ""));
        assert_eq!(crate::http::session::verify(&[&key], &cookie, crate::time::Millis(0)), None);
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "(kioku_pat_)?[A-Za-z0-9_-]{0,110}|\\PC{0,40}") {
            prop_assert_eq!(read(&[&secret("a")], &text), None);
        }
    }
}
