//! Small requests to identity providers: bounded in time and size, and never redirected.

use futures::future::{Either, select};
use futures::{StreamExt, pin_mut};
use wasm_bindgen::JsValue;
use worker::{AbortController, Fetch, Headers, Method, Request, RequestInit, RequestRedirect};

use super::clock;
use crate::http::issuer;
use crate::time::SECOND;

/// A person or a WebSocket waits meanwhile.
const DEADLINE: i64 = 5 * SECOND;
/// Longest answer, in bytes; descriptions, key sets and tokens have a few kilobytes.
const MAX_BYTES: usize = 256 * 1024;

/// The outside, as an issuer's keys are fetched from it.
pub struct Outgoing;

impl issuer::Fetch for Outgoing {
    async fn get(&self, url: &str) -> Option<Vec<u8>> {
        request(url, &[("accept", "application/json")], None).await
    }
}

/// The body of a 200; a `POST` where there is a form.
pub async fn request(url: &str, headers: &[(&str, &str)], form: Option<&str>) -> Option<Vec<u8>> {
    let controller = AbortController::default();
    let signal = controller.signal();
    let body = {
        let answer = send(url, headers, form, &signal);
        let deadline = clock::sleep(DEADLINE);
        pin_mut!(answer, deadline);
        match select(answer, deadline).await {
            Either::Left((body, _)) => body,
            Either::Right(_) => None,
        }
    };
    if body.is_none() {
        controller.abort();
    }
    body
}

async fn send(
    url: &str,
    headers: &[(&str, &str)],
    form: Option<&str>,
    signal: &worker::AbortSignal,
) -> Option<Vec<u8>> {
    let sent = Headers::new();
    for (name, value) in headers {
        sent.set(name, value).ok()?;
    }
    let mut init = RequestInit::new();
    init.with_headers(sent).with_redirect(RequestRedirect::Manual);
    if let Some(form) = form {
        init.with_method(Method::Post).with_body(Some(JsValue::from_str(form)));
    }
    let request = Request::new_with_init(url, &init).ok()?;
    let mut response = Fetch::Request(request).send_with_signal(signal).await.ok()?;
    if response.status_code() != 200 {
        return None;
    }
    let mut stream = response.stream().ok()?;
    let mut body = Vec::new();
    while let Some(chunk) = stream.next().await {
        body.extend(chunk.ok()?);
        if body.len() > MAX_BYTES {
            return None;
        }
    }
    Some(body)
}
