//! JSON objects in which no name occurs twice.
//!
//! Readers differ in which of two equal names they take, and in a signed document that difference is an attack.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, Visitor};
use serde_json::Value;

/// The members of the object; `None` for anything else and for one whose own members repeat a name.
pub fn distinct_members(json: &[u8]) -> Option<BTreeMap<String, Value>> {
    serde_json::from_slice::<Distinct>(json).ok().map(|distinct| distinct.0)
}

struct Distinct(BTreeMap<String, Value>);

impl<'de> Deserialize<'de> for Distinct {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = Distinct;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of distinct members")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Distinct, A::Error> {
                let mut members = BTreeMap::new();
                while let Some((name, value)) = map.next_entry::<String, Value>()? {
                    if members.insert(name, value).is_some() {
                        return Err(A::Error::custom("a member occurs twice"));
                    }
                }
                Ok(Distinct(members))
            }
        }
        deserializer.deserialize_map(Members)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_occur_once_however_it_is_written() {
        assert_eq!(distinct_members(br#"{"a":1,"b":{"a":2}}"#).unwrap().len(), 2);
        for bad in [r#"{"a":1,"a":1}"#, r#"{"a":1,"\u0061":2}"#, "[]", "1", "", "{", r#"{"a":1} x"#] {
            assert_eq!(distinct_members(bad.as_bytes()), None, "{bad}");
        }
    }
}
