//! Reading JSON into the types of this crate.
//!
//! The library's reader is made anew for each type, and with it the texts of its errors: a kilobyte and more each. Here
//! text becomes a [`Value`] first, by code that is there once, and a type takes what it needs from that.

use serde::de::value::StringDeserializer;
use serde::de::{self, DeserializeOwned, DeserializeSeed, Deserializer, IntoDeserializer, Visitor};
use serde_json::{Map, Value};

/// Why JSON is no `T`. Nothing of what was read is in it.
#[derive(Debug)]
pub enum Unreadable {
    NotJson(serde_json::Error),
    /// JSON of another form; what is missing, or was expected.
    Misfit(String),
}

/// Reads one document.
pub fn read<T: DeserializeOwned>(json: &[u8]) -> Result<T, Unreadable> {
    let value: Value = serde_json::from_slice(json).map_err(Unreadable::NotJson)?;
    T::deserialize(Reader(value)).map_err(|misfit| Unreadable::Misfit(misfit.0))
}

/// What is missing, or was expected; never what was found.
#[derive(Debug)]
struct Misfit(String);

impl Misfit {
    fn expected(what: &dyn de::Expected) -> Self {
        Self(format!("expected {what}"))
    }

    fn one_of(names: &[&str]) -> Self {
        let of = if names.len() > 1 { "one of " } else { "" };
        Self(format!("expected {of}`{}`", names.join("`, `")))
    }
}

impl std::fmt::Display for Misfit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Misfit {}

// The default methods tell what was found too, and with it how every kind of number is printed.
impl de::Error for Misfit {
    fn custom<T: std::fmt::Display>(_: T) -> Self {
        Self("expected another form".to_owned())
    }

    fn invalid_type(_: de::Unexpected<'_>, expected: &dyn de::Expected) -> Self {
        Self::expected(expected)
    }

    fn invalid_value(_: de::Unexpected<'_>, expected: &dyn de::Expected) -> Self {
        Self::expected(expected)
    }

    fn invalid_length(_: usize, expected: &dyn de::Expected) -> Self {
        Self::expected(expected)
    }

    fn unknown_variant(_: &str, expected: &'static [&'static str]) -> Self {
        Self::one_of(expected)
    }

    fn unknown_field(_: &str, expected: &'static [&'static str]) -> Self {
        Self::one_of(expected)
    }

    fn missing_field(field: &'static str) -> Self {
        Self(format!("missing field `{field}`"))
    }

    fn duplicate_field(field: &'static str) -> Self {
        Self(format!("duplicate field `{field}`"))
    }
}

struct Reader(Value);

impl<'de> Deserializer<'de> for Reader {
    type Error = Misfit;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
        match self.0 {
            Value::Null => visitor.visit_unit(),
            Value::Bool(value) => visitor.visit_bool(value),
            Value::Number(number) => match (number.as_u64(), number.as_i64()) {
                (Some(value), _) => visitor.visit_u64(value),
                (None, Some(value)) => visitor.visit_i64(value),
                (None, None) => visitor.visit_f64(number.as_f64().unwrap_or_default()),
            },
            Value::String(value) => visitor.visit_string(value),
            Value::Array(items) => visitor.visit_seq(Items(items.into_iter())),
            Value::Object(members) => visitor.visit_map(Members::of(members)),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
        if self.0.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        match self.0 {
            Value::Object(members) => visitor.visit_map(Members::of(members)),
            _ => Err(Misfit::expected(&visitor)),
        }
    }

    /// Of variants without contents.
    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        match self.0 {
            Value::String(name) => visitor.visit_enum(name.into_deserializer()),
            _ => Err(Misfit::expected(&visitor)),
        }
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
        match self.0 {
            Value::String(value) => visitor.visit_string(value),
            _ => Err(Misfit::expected(&visitor)),
        }
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
        self.deserialize_string(visitor)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
        match self.0 {
            Value::Array(items) => visitor.visit_seq(Items(items.into_iter())),
            _ => Err(Misfit::expected(&visitor)),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
        visitor.visit_unit()
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char bytes byte_buf unit unit_struct tuple tuple_struct
        map identifier
    }
}

struct Items(std::vec::IntoIter<Value>);

impl<'de> de::SeqAccess<'de> for Items {
    type Error = Misfit;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Misfit> {
        self.0.next().map(|item| seed.deserialize(Reader(item))).transpose()
    }
}

struct Members {
    left: serde_json::map::IntoIter,
    value: Value,
}

impl Members {
    fn of(members: Map<String, Value>) -> Self {
        Self { left: members.into_iter(), value: Value::Null }
    }
}

impl<'de> de::MapAccess<'de> for Members {
    type Error = Misfit;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Misfit> {
        let Some((name, value)) = self.left.next() else { return Ok(None) };
        self.value = value;
        let name: StringDeserializer<Misfit> = name.into_deserializer();
        seed.deserialize(name).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Misfit> {
        seed.deserialize(Reader(self.value.take()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Plant {
        name: String,
        height: Option<u32>,
        #[serde(default)]
        names: Vec<String>,
        light: Option<Light>,
        place: Option<Place>,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    enum Light {
        Shade,
        Sun,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(untagged)]
    enum Place {
        Pot(f64),
        Bed { row: i64 },
    }

    fn misfit(json: &str) -> String {
        match read::<Plant>(json.as_bytes()) {
            Err(Unreadable::Misfit(words)) => words,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_type_takes_its_fields_from_json() {
        let json = r#"{"name":"楓","height":3,"names":["maple"],"light":"Sun","place":{"row":-1}}"#;
        let plant = Plant {
            name: "楓".into(),
            height: Some(3),
            names: vec!["maple".into()],
            light: Some(Light::Sun),
            place: Some(Place::Bed { row: -1 }),
        };
        assert_eq!(read::<Plant>(json.as_bytes()).unwrap(), plant);
        let bare = read::<Plant>(br#"{"name":"fern","height":null,"place":0.5}"#).unwrap();
        assert_eq!((bare.height, bare.light, bare.place), (None, None, Some(Place::Pot(0.5))));
    }

    #[test]
    fn what_is_no_json_is_told_from_what_does_not_fit() {
        assert!(matches!(read::<Plant>(b"{\"name\":"), Err(Unreadable::NotJson(_))));
        assert!(matches!(read::<Plant>(b"{} {}"), Err(Unreadable::NotJson(_))));
        assert_eq!(misfit("{}"), "missing field `name`");
        for other in ["[]", "null", "\"x\""] {
            assert_eq!(misfit(other), "expected struct Plant");
        }
        assert_eq!(misfit(r#"{"name":1}"#), "expected a string");
        assert_eq!(misfit(r#"{"name":"x","height":-1}"#), "expected u32");
        assert_eq!(misfit(r#"{"name":"x","names":"x"}"#), "expected a sequence");
        assert_eq!(misfit(r#"{"name":"x","light":"Dusk"}"#), "expected one of `Shade`, `Sun`");
        let unknown = misfit(r#"{"name":"x","secret":1}"#);
        assert_eq!(unknown, "expected one of `name`, `height`, `names`, `light`, `place`");
    }
}
