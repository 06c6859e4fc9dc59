//! Identifiers: opaque, prefixed by what they name, and made from 80 random bits.
//!
//! Ids come from outside too (URLs, frames, imports), so each type is parsed once, at the edge; an id that
//! parses is only a name and grants nothing, because every look-up happens inside its owner's object.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::encoding;

/// Longest id accepted from outside, in bytes. Vectorize refuses longer vector ids.
pub const MAX_ID_BYTES: usize = 64;

macro_rules! id_type {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            /// A new id from ten random bytes.
            pub fn new(random: [u8; 10]) -> Self {
                Self(format!(concat!($prefix, "{}"), encoding::base32(&random)))
            }

            /// Accepts 1 to 64 bytes of `A–Z a–z 0–9 _ -`.
            pub fn parse(raw: &str) -> Option<Self> {
                is_id(raw).then(|| Self(raw.to_owned()))
            }

            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

id_type!(
    /// A fact, `f_…`.
    FactId,
    "f_"
);
id_type!(
    /// A message, `m_…`.
    MessageId,
    "m_"
);
id_type!(
    /// A turn, `t_…`.
    TurnId,
    "t_"
);
id_type!(
    /// A thread, `th_…`; the first one is called `main`.
    ThreadId,
    "th_"
);
id_type!(
    /// An entry of the ledger, `c_…`.
    ChangeId,
    "c_"
);
id_type!(
    /// A personal access token's public name, `k_…`; it isn't the token.
    TokenId,
    "k_"
);
id_type!(
    /// The id a client gives to a message it sends, so that a repeated send is recognized.
    ClientId,
    ""
);

impl ThreadId {
    /// The thread that exists without being made.
    pub fn main() -> Self {
        Self("main".to_owned())
    }

    /// The thread of what is said in other programs, each of which keeps its conversations itself.
    pub fn programs() -> Self {
        Self("programs".to_owned())
    }
}

/// Whose memory it is: the SHA-256 of the verified issuer and subject, in lower-case hex.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct OwnerKey(String);

impl OwnerKey {
    /// Hashes issuer and subject, each behind its length, so that no two pairs share a key by shifting a border.
    pub fn of(issuer: &str, subject: &str) -> Self {
        use sha2::{Digest, Sha256};
        let mut hash = Sha256::new();
        for part in [issuer, subject] {
            hash.update((part.len() as u64).to_be_bytes());
            hash.update(part.as_bytes());
        }
        Self(encoding::hex(&hash.finalize()))
    }

    /// Reads back what [`OwnerKey::as_str`] gave: 64 lower-case hex digits.
    pub fn parse(raw: &str) -> Option<Self> {
        let is_key = raw.len() == 64 && raw.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
        is_key.then(|| Self(raw.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn is_id(raw: &str) -> bool {
    (1..=MAX_ID_BYTES).contains(&raw.len())
        && raw.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_parsed_only_within_its_alphabet_and_length() {
        assert!(ClientId::parse("a-B_9").is_some());
        for bad in ["", "a b", "犬", "a/b", &"x".repeat(65)] {
            assert!(ClientId::parse(bad).is_none(), "{bad:?}");
        }
        let made = FactId::new([255; 10]);
        assert_eq!(FactId::parse(made.as_str()), Some(made));
    }

    #[test]
    fn owners_whose_names_concatenate_alike_have_different_keys() {
        assert_ne!(OwnerKey::of("ab", "c"), OwnerKey::of("a", "bc"));
        assert_eq!(OwnerKey::parse(OwnerKey::of("a", "b").as_str()), Some(OwnerKey::of("a", "b")));
        assert_eq!(OwnerKey::parse("A".repeat(64).as_str()), None);
    }
}
