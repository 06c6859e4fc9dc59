//! Vectorize behind the mirror's port: one thin binding for the real index and for the local stand-in.

use std::pin::pin;

use futures::future::{Either, select};
use serde_json::{Value, json};
use wasm_bindgen::prelude::*;
use worker::js_sys::futures::JsFuture;
use worker::js_sys::{Array, Promise, Reflect};

use super::clock;
use super::environment::describe;
use super::plain;
use crate::mirror::ports::{Described, Match, MirrorError, Vector, Vectors};
use crate::time::{Millis, SECOND};

const DEADLINE_MS: i64 = 10 * SECOND;

#[wasm_bindgen]
extern "C" {
    type Index;

    #[wasm_bindgen(method, catch)]
    fn upsert(this: &Index, vectors: &JsValue) -> Result<Promise, JsValue>;

    #[wasm_bindgen(method, catch, js_name = deleteByIds)]
    fn delete_by_ids(this: &Index, ids: &JsValue) -> Result<Promise, JsValue>;

    #[wasm_bindgen(method, catch, js_name = getByIds)]
    fn get_by_ids(this: &Index, ids: &JsValue) -> Result<Promise, JsValue>;

    #[wasm_bindgen(method, catch)]
    fn query(this: &Index, vector: &JsValue, options: &JsValue) -> Result<Promise, JsValue>;

    #[wasm_bindgen(method, catch)]
    fn describe(this: &Index) -> Result<Promise, JsValue>;
}

pub struct VectorizeIndex {
    index: JsValue,
}

impl VectorizeIndex {
    pub fn new(index: JsValue) -> Self {
        Self { index }
    }

    fn index(&self) -> &Index {
        self.index.unchecked_ref()
    }
}

impl Vectors for VectorizeIndex {
    async fn upsert(&self, vectors: &[Vector]) -> Result<String, MirrorError> {
        let list: Vec<Value> = vectors
            .iter()
            .map(|v| {
                json!({
                    "id": v.id, "namespace": v.namespace, "values": v.values,
                    "metadata": {
                        "uid": v.metadata.uid, "fact": v.metadata.fact,
                        "version": v.metadata.version, "model": v.metadata.model,
                    },
                })
            })
            .collect::<Vec<Value>>();
        mutation(&settled(self.index().upsert(&plain(&list.into())?)).await?)
    }

    async fn delete_by_ids(&self, ids: &[String]) -> Result<String, MirrorError> {
        mutation(&settled(self.index().delete_by_ids(&plain(&json!(ids))?)).await?)
    }

    async fn get_by_ids(&self, ids: &[String]) -> Result<Vec<String>, MirrorError> {
        let found = answer(self.index().get_by_ids(&plain(&json!(ids))?)).await?;
        let found = found.dyn_ref::<Array>().ok_or_else(unreadable)?;
        // Their values come along, a thousand numbers each, and stay outside.
        let id = |vector: JsValue| Reflect::get(&vector, &"id".into()).ok()?.as_string();
        Ok(found.iter().filter_map(id).collect())
    }

    async fn query(
        &self,
        vector: &[f32],
        top_k: usize,
        namespace: &str,
        uid: &str,
    ) -> Result<Vec<Match>, MirrorError> {
        let options = json!({
            "topK": top_k, "namespace": namespace, "filter": {"uid": uid},
            "returnValues": false, "returnMetadata": "none",
        });
        let found = settled(self.index().query(&plain(&json!(vector))?, &plain(&options)?)).await?;
        let matches = found["matches"].as_array().ok_or_else(unreadable)?;
        Ok(matches
            .iter()
            .filter_map(|m| {
                Some(Match { id: m["id"].as_str()?.to_owned(), score: m["score"].as_f64()? as f32 })
            })
            .collect())
    }

    async fn describe(&self) -> Result<Described, MirrorError> {
        let told = settled(self.index().describe()).await?;
        // An older form puts the dimension inside `config`.
        let dimensions = told["dimensions"].as_u64().or_else(|| told["config"]["dimensions"].as_u64());
        let count = told["vectorCount"].as_u64().or_else(|| told["vectorsCount"].as_u64());
        let processed_up_to = match &told["processedUpToDatetime"] {
            Value::String(at) => Millis::parse_rfc3339(at),
            Value::Number(at) => at.as_i64().map(Millis),
            _ => None,
        };
        Ok(Described {
            dimensions: dimensions.and_then(|d| u32::try_from(d).ok()).unwrap_or(0),
            count: count.unwrap_or(0),
            processed_up_to_mutation: told["processedUpToMutation"]
                .as_str()
                .map(str::to_owned)
                .or_else(|| told["processedUpToMutation"].as_u64().map(|id| id.to_string())),
            processed_up_to,
        })
    }
}

fn plain(value: &Value) -> Result<JsValue, MirrorError> {
    plain::to_js(value).map_err(|_| MirrorError::Refused("arguments".to_owned()))
}

async fn settled(promise: Result<Promise, JsValue>) -> Result<Value, MirrorError> {
    plain::of_js(&answer(promise).await?).ok_or_else(unreadable)
}

async fn answer(promise: Result<Promise, JsValue>) -> Result<JsValue, MirrorError> {
    let promise = promise.map_err(|e| refused(&e))?;
    match select(pin!(JsFuture::from(promise)), pin!(clock::sleep(DEADLINE_MS))).await {
        Either::Left((Ok(value), _)) => Ok(value),
        Either::Left((Err(error), _)) => Err(refused(&error)),
        Either::Right(_) => Err(MirrorError::Unavailable("no answer in time".to_owned())),
    }
}

fn mutation(answer: &Value) -> Result<String, MirrorError> {
    let id = &answer["mutationId"];
    id.as_str().map(str::to_owned).or_else(|| id.as_u64().map(|id| id.to_string())).ok_or_else(unreadable)
}

fn unreadable() -> MirrorError {
    MirrorError::Unavailable("unreadable answer".to_owned())
}

/// Vectorize tells its failures apart by codes inside the message.
fn refused(error: &JsValue) -> MirrorError {
    let text = describe(error);
    let lower = text.to_ascii_lowercase();
    if lower.contains("dimension") {
        MirrorError::wrong_dimension(&text)
    } else if lower.contains("capacity") || lower.contains("max vectors") || lower.contains("index is full") {
        MirrorError::Full
    } else if lower.contains("40006") || lower.contains("invalid") || lower.contains("too large") {
        MirrorError::Refused(text)
    } else {
        MirrorError::Unavailable(text)
    }
}
