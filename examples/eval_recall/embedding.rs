//! What gives texts their vectors: the built-in table, or a file of vectors that another model made.

use std::collections::BTreeMap;
use std::path::Path;

use data_encoding::BASE64;
use kioku::llm::table;
use serde_json::Value;

/// The two uses of a text, as the file names them.
pub const QUERY: &str = "query";
pub const PASSAGE: &str = "passage";

pub struct Embedding {
    /// Whose threshold counts.
    pub model: String,
    made: BTreeMap<(String, String), Vec<f32>>,
}

impl Embedding {
    pub fn built_in() -> Self {
        Self { model: table::MODEL.to_owned(), made: BTreeMap::new() }
    }

    /// Lines of `{"use", "text", "vector"}`, the vector as base64 of little-endian floats.
    pub fn read(path: &Path, model: &str) -> Self {
        let text = std::fs::read_to_string(path).expect("a file of vectors");
        let mut made = BTreeMap::new();
        for line in text.lines() {
            let Ok(line) = serde_json::from_str::<Value>(line) else { continue };
            let of = |name: &str| line[name].as_str().unwrap_or_default().to_owned();
            let bytes = BASE64.decode(of("vector").as_bytes()).expect("base64");
            let vector = bytes.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
            made.insert((of("use"), of("text")), vector);
        }
        Self { model: model.to_owned(), made }
    }

    pub fn is_built_in(&self) -> bool {
        self.model == table::MODEL
    }

    /// A text's vector; none where the file has none.
    pub fn of(&self, used_as: &str, text: &str) -> Vec<f32> {
        if self.is_built_in() {
            return table::embed(text);
        }
        let text: String = text.chars().take(2_000).collect();
        self.made.get(&(used_as.to_owned(), text)).cloned().unwrap_or_default()
    }

    /// Whether every one of the texts has its vector.
    pub fn has<'t>(&self, used_as: &str, mut texts: impl Iterator<Item = &'t str>) -> bool {
        self.is_built_in() || texts.all(|text| !self.of(used_as, text).is_empty())
    }
}
