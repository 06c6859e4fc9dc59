//! The environment's strings and bindings.

use wasm_bindgen::{JsCast, JsValue};
use worker::Env;
use worker::js_sys::Reflect;

use crate::config::{Config, Provider, Unfinished};

pub fn config(env: &Env) -> Result<Config, Unfinished> {
    Config::read(&|name| lookup(env, name))
}

/// The bindings that this configuration needs and has not.
pub fn missing_bindings(env: &Env, config: &Config) -> Vec<&'static str> {
    let needs_ai = [&config.model, &config.embedding].contains(&&Provider::WorkersAi);
    let needed = ["AGENT", "DB", "ASSETS"].into_iter().chain(needs_ai.then_some("AI"));
    needed.filter(|name| binding(env, name).is_none()).collect()
}

/// A variable or secret; anything but a string counts as absent.
pub fn lookup(env: &Env, name: &str) -> Option<String> {
    binding(env, name)?.as_string()
}

/// A binding as it is, without a look at its constructor's name, so that a stand-in serves too.
pub fn binding(env: &Env, name: &str) -> Option<JsValue> {
    let env: &JsValue = env.unchecked_ref();
    Reflect::get(env, &name.into()).ok().filter(|value| !value.is_undefined() && !value.is_null())
}

/// What a thrown value says, for logs.
pub fn describe(error: &JsValue) -> String {
    Reflect::get(error, &"message".into())
        .ok()
        .and_then(|message| message.as_string())
        .or_else(|| error.as_string())
        .unwrap_or_else(|| "unknown error".to_owned())
}
