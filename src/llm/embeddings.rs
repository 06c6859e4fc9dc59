//! Texts to vectors, over an OpenAI-compatible server or the `AI` binding.
//!
//! Invariant: as many vectors come back as texts went out, in their order, all of one dimension, finite and not zero; an
//! answer that breaks this is refused whole, because one wrong vector would be found forever.

use serde_json::{Value, json};

use super::openai::Endpoint;
use super::workers_ai::Run;
use super::{HttpRequest, ModelFailure, failure};
use crate::encoding;

/// What a text is embedded for. Some models place questions and answers in one space only if they know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    Query,
    Passage,
}

/// `POST /embeddings`.
pub fn embeddings_request(at: &Endpoint<'_>, texts: &[&str], purpose: Purpose) -> HttpRequest {
    let prefix = prefix(at.model, purpose);
    let input: Vec<String> = texts.iter().map(|text| format!("{prefix}{text}")).collect();
    let mut body = json!({"model": model_for(at.model, purpose), "input": input, "encoding_format": "float"});
    if takes_input_type(at.model) {
        body["input_type"] = match purpose {
            Purpose::Query => "query",
            Purpose::Passage => "passage",
        }
        .into();
    }
    at.post("/embeddings", body.to_string())
}

/// An embedding run of the `AI` binding, for at most [`super::workers_ai::MAX_EMBEDDING_TEXTS`] texts.
pub fn embeddings_run(model: &str, texts: &[&str], purpose: Purpose) -> Run {
    let prefix = prefix(model, purpose);
    let text: Vec<String> = texts.iter().map(|text| format!("{prefix}{text}")).collect();
    Run { model: model.to_owned(), input: json!({"text": text}).to_string() }
}

/// Reads the answer to [`embeddings_request`] for `count` texts.
pub fn read_embeddings(body: &[u8], count: usize) -> Result<Vec<Vec<f32>>, ModelFailure> {
    let body: Value =
        serde_json::from_slice(body).map_err(|_| ModelFailure::Garbled("the answer isn't JSON"))?;
    if let Some(failure) = failure::from_error_object(&body) {
        return Err(failure);
    }
    let data = body.get("data").and_then(Value::as_array).ok_or(ModelFailure::Garbled("no embeddings"))?;
    if data.len() != count {
        return Err(ModelFailure::Garbled("not one embedding a text"));
    }
    let mut placed: Vec<Option<Vec<f32>>> = vec![None; count];
    for (position, item) in data.iter().enumerate() {
        let index = match item.get("index") {
            None => Some(position),
            Some(index) => index.as_u64().and_then(|index| usize::try_from(index).ok()),
        };
        let slot = index.and_then(|index| placed.get_mut(index)).filter(|slot| slot.is_none());
        let slot = slot.ok_or(ModelFailure::Garbled("embeddings without an order"))?;
        *slot = Some(item.get("embedding").and_then(vector).ok_or(ModelFailure::Garbled("no vector"))?);
    }
    of_one_dimension(placed.into_iter().flatten().collect())
}

/// Reads what [`embeddings_run`] gave for `count` texts: `{"shape":[n,d],"data":[[…]]}`.
pub fn read_run(output: &Value, count: usize) -> Result<Vec<Vec<f32>>, ModelFailure> {
    if let Some(failure) = failure::from_error_object(output) {
        return Err(failure);
    }
    let data = output.get("data").or_else(|| output.get("response")).and_then(Value::as_array);
    let data = data.ok_or(ModelFailure::Garbled("no embeddings"))?;
    if data.len() != count {
        return Err(ModelFailure::Garbled("not one embedding a text"));
    }
    let vectors: Option<Vec<_>> = data.iter().map(vector).collect();
    of_one_dimension(vectors.ok_or(ModelFailure::Garbled("no vector"))?)
}

/// A list of numbers, or the same as base64 of little-endian 32-bit floats.
fn vector(value: &Value) -> Option<Vec<f32>> {
    let numbers: Vec<f32> = match value {
        Value::Array(numbers) => {
            numbers.iter().map(|n| n.as_f64().map(|n| n as f32)).collect::<Option<_>>()?
        }
        Value::String(text) => {
            let bytes = encoding::from_base64(text)?;
            let (floats, rest) = bytes.as_chunks::<4>();
            if !rest.is_empty() {
                return None;
            }
            floats.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect()
        }
        _ => return None,
    };
    // Servers that run a model of another kind answer with zeros, which are near to everything and nothing.
    let points = numbers.iter().all(|n| n.is_finite()) && numbers.iter().any(|n| *n != 0.0);
    points.then_some(numbers)
}

fn of_one_dimension(vectors: Vec<Vec<f32>>) -> Result<Vec<Vec<f32>>, ModelFailure> {
    let dimension = vectors.first().map_or(0, Vec::len);
    if vectors.iter().any(|vector| vector.len() != dimension) {
        return Err(ModelFailure::Garbled("embeddings of several dimensions"));
    }
    Ok(vectors)
}

/// The E5 family was trained with the two uses apart; servers of it take the use as a field.
fn takes_input_type(model: &str) -> bool {
    model.to_ascii_lowercase().split(|c: char| !c.is_ascii_alphanumeric()).any(|word| word == "e5")
}

/// Some servers offer the two uses as two models, `…e5-query` and `…e5-passage`.
fn model_for(model: &str, purpose: Purpose) -> String {
    let base = model.strip_suffix("e5-query").or_else(|| model.strip_suffix("e5-passage"));
    match (base, purpose) {
        (Some(base), Purpose::Query) => format!("{base}e5-query"),
        (Some(base), Purpose::Passage) => format!("{base}e5-passage"),
        (None, _) => model.to_owned(),
    }
}

/// What a model's makers put before a text, for models whose servers leave that to the caller.
fn prefix(model: &str, purpose: Purpose) -> &'static str {
    let model = model.to_ascii_lowercase();
    let has = |part: &str| model.contains(part);
    match purpose {
        Purpose::Query if has("nomic-embed-text") => "search_query: ",
        Purpose::Passage if has("nomic-embed-text") => "search_document: ",
        Purpose::Query if has("mxbai-embed-large") => {
            "Represent this sentence for searching relevant passages: "
        }
        Purpose::Query if has("embeddinggemma") => "task: search result | query: ",
        Purpose::Passage if has("embeddinggemma") => "title: none | text: ",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::manner::Manner;

    fn body(model: &str, purpose: Purpose) -> Value {
        let at = Endpoint { base_url: "http://a/v1", api_key: None, model, manner: Manner::default() };
        serde_json::from_str(&embeddings_request(&at, &["犬", "cat"], purpose).body).unwrap()
    }

    #[test]
    fn the_use_is_told_only_to_models_that_know_it() {
        let plain = json!({"model": "bge-m3", "input": ["犬", "cat"], "encoding_format": "float"});
        assert_eq!(body("bge-m3", Purpose::Query), plain);
        assert_eq!(body("intfloat/multilingual-e5-small", Purpose::Passage)["input_type"], "passage");
        assert_eq!(body("e5-query", Purpose::Passage)["model"], "e5-passage");
        assert_eq!(body("nomic-embed-text:latest", Purpose::Query)["input"][0], "search_query: 犬");
        assert!(body("some-e50-model", Purpose::Query).get("input_type").is_none());
    }

    #[test]
    fn vectors_come_back_in_the_order_of_the_texts() {
        let base64 = encoding::base64(&[0.5f32.to_le_bytes(), (-2.0f32).to_le_bytes()].concat());
        let answer =
            json!({"data": [{"index": 1, "embedding": base64}, {"index": 0, "embedding": [1, 0.25]}]});
        let read = read_embeddings(answer.to_string().as_bytes(), 2);
        assert_eq!(read, Ok(vec![vec![1.0, 0.25], vec![0.5, -2.0]]));
        assert_eq!(
            read_embeddings(br#"{"data":[{"embedding":[1]},{"embedding":[2]}]}"#, 2),
            Ok(vec![vec![1.0], vec![2.0]])
        );
        assert_eq!(read_run(&json!({"shape": [1, 2], "data": [[1, 2]]}), 1), Ok(vec![vec![1.0, 2.0]]));
    }

    #[test]
    fn one_wrong_vector_refuses_them_all() {
        for data in [
            r#"[{"index":0,"embedding":[1,2]}]"#,
            r#"[{"index":0,"embedding":[1,2]},{"index":0,"embedding":[1,2]}]"#,
            r#"[{"index":0,"embedding":[1,2]},{"index":2,"embedding":[1,2]}]"#,
            r#"[{"index":0,"embedding":[1,2]},{"index":-1,"embedding":[1,2]}]"#,
            r#"[{"embedding":[1,2]},{"embedding":[1]}]"#,
            r#"[{"embedding":[1,2]},{"embedding":[1,null]}]"#,
            r#"[{"embedding":[1,2]},{"embedding":[1,1e300]}]"#,
            r#"[{"embedding":[1,2]},{"embedding":[]}]"#,
            r#"[{"embedding":[1,2]},{"embedding":[0,0]}]"#,
            r#"[{"embedding":[1,2]},{"embedding":"AAA="}]"#,
            r#"[{"embedding":"AADAfwAAwH8="},{"embedding":[1,2]}]"#,
            r#"[{"embedding":[1,2]},null]"#,
            "null",
        ] {
            let answer = format!(r#"{{"data":{data}}}"#);
            assert_eq!(read_embeddings(answer.as_bytes(), 2).unwrap_err().code(), "model_garbled", "{data}");
        }
        assert_eq!(read_embeddings(b"", 0).unwrap_err().code(), "model_garbled");
        assert!(read_run(&json!({"data": [[1, 2], [1]]}), 2).is_err());
    }
}
