//! Plain objects on the runtime's side.
//!
//! They are made and read by the runtime's own JSON, which is no code of ours, and they are what bindings expect: a Map
//! is ignored in silence.

use serde_json::Value;
use wasm_bindgen::JsValue;
use worker::js_sys::JSON;

pub fn to_js(value: &Value) -> Result<JsValue, JsValue> {
    JSON::parse(&value.to_string())
}

/// `None` for what has no JSON, such as `undefined`.
pub fn of_js(value: &JsValue) -> Option<Value> {
    let json = JSON::stringify(value).ok()?.as_string()?;
    serde_json::from_slice(json.as_bytes()).ok()
}
