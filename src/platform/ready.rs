//! `/readyz`: whether the bindings and the configuration are whole.

use worker::{Env, Response, console_log};

use super::entry;
use super::environment::{binding, lookup};
use crate::http::problem::Problem;
use crate::http::ready;
use crate::session::api;

pub fn answer(env: &Env, is_loopback: bool) -> worker::Result<Response> {
    let missing = missing(env, is_loopback);
    if missing.is_empty() {
        let body = serde_json::json!({"status": "ready", "version": env!("CARGO_PKG_VERSION")});
        return entry::respond(api::text(200, "application/json; charset=utf-8", body.to_string()));
    }
    console_log!("{}", serde_json::json!({"event": "not_ready", "missing": missing}));
    entry::problem(&Problem::misconfigured(&missing))
}

pub fn missing(env: &Env, is_loopback: bool) -> Vec<&'static str> {
    ready::missing(&|name| lookup(env, name), &|name| binding(env, name).is_some(), is_loopback)
}
