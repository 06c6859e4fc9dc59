//! What the Worker tells an object about who asks.
//!
//! Invariant: the Worker verified it, and sets the header on every request that it hands on, so nobody outside can.
//! An object decides what only it knows: whether a session was ended, whether a token is still good.

use serde::{Deserialize, Serialize};

use crate::encoding;
use crate::id::TokenId;
use crate::json;
use crate::time::Millis;

/// The header between Worker and object.
pub const HEADER: &str = "x-kioku-caller";

/// Who asks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Caller {
    /// What the page shows; decides nothing.
    pub name: String,
    /// When the session, or the issuer's token, was made.
    pub issued: Option<Millis>,
    /// When it ends.
    pub expires: Option<Millis>,
    /// A personal access token, whose signature is good.
    pub token: Option<Presented>,
}

/// A personal access token as it was shown, to be compared with what is stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Presented {
    pub id: TokenId,
    /// SHA-256 of the token, in hexadecimal.
    pub hash: String,
}

impl Caller {
    /// The header's value: ASCII whatever the name.
    pub fn encode(&self) -> String {
        // Strings and numbers are always JSON.
        encoding::base64url(&serde_json::to_vec(self).unwrap_or_default())
    }

    pub fn decode(header: &str) -> Option<Self> {
        json::read(&encoding::from_base64url(header)?).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_caller_arrives_as_it_was_sent() {
        let id = TokenId::new([1; 10]);
        let caller = Caller {
            name: "桜 \"S\"\r\nx: y".to_owned(),
            issued: Some(Millis(1)),
            expires: None,
            token: Some(Presented { id, hash: "ab".to_owned() }),
        };
        let header = caller.encode();
        assert!(header.bytes().all(|b| b.is_ascii_graphic()));
        assert_eq!(Caller::decode(&header), Some(caller));
        for bad in ["", "e30", "犬"] {
            assert_eq!(Caller::decode(bad), None);
        }
    }

    #[test]
    fn while_a_deployment_spreads_a_caller_of_the_other_version_arrives() {
        let sent = |json: &str| Caller::decode(&encoding::base64url(json.as_bytes()));
        let newer = sent(r#"{"name":"桜","issued":1,"expires":2,"token":null,"learned_later":{"a":[1]}}"#);
        let older = sent(r#"{"name":"桜"}"#);
        assert_eq!(
            newer.map(|caller| (caller.name, caller.issued)),
            Some(("桜".to_owned(), Some(Millis(1))))
        );
        assert_eq!(older.map(|caller| (caller.name, caller.expires)), Some(("桜".to_owned(), None)));
        assert_eq!(sent(r#"{"issued":1}"#), None, "whom it is about can't be left out");
    }
}
