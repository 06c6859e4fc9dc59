//! Sends calls to models: over HTTP, or to the `AI` binding.

use wasm_bindgen::prelude::*;
use worker::js_sys::futures::JsFuture;
use worker::js_sys::{Promise, Uint8Array};
use worker::web_sys::ReadableStream;
use worker::{AbortController, Fetch, Headers, Method, Request, RequestInit, RequestRedirect, ResponseBody};

use super::environment::describe;
use super::gathered::Gathered;
use super::plain;
use crate::llm::HttpRequest;
use crate::llm::workers_ai::{Run, run_options};
use crate::session::ports::{Body, CallFailed, ModelCall, ModelReply, Models};

#[wasm_bindgen]
extern "C" {
    type Ai;

    #[wasm_bindgen(method, catch)]
    fn run(this: &Ai, model: &str, input: &JsValue, options: &JsValue) -> Result<Promise, JsValue>;
}

pub struct PlatformModels {
    ai: Option<JsValue>,
    /// The AI Gateway that runs go through.
    gateway: Option<String>,
}

impl PlatformModels {
    pub fn new(ai: Option<JsValue>, gateway: Option<String>) -> Self {
        Self { ai, gateway }
    }
}

/// A body that ends its request when it is dropped, so that a stopped answer isn't generated on and paid for.
pub struct PlatformBody {
    bytes: Bytes,
    abort: Option<AbortController>,
}

enum Bytes {
    Stream(Gathered),
    Whole(Option<Vec<u8>>),
}

impl Drop for PlatformBody {
    fn drop(&mut self) {
        if let Bytes::Stream(stream) = &self.bytes {
            stream.cancel();
        }
        if let Some(abort) = self.abort.take() {
            abort.abort();
        }
    }
}

impl Body for PlatformBody {
    async fn chunk(&mut self) -> Result<Option<Vec<u8>>, CallFailed> {
        match &mut self.bytes {
            Bytes::Stream(stream) => {
                let next = JsFuture::from(stream.next()).await;
                let next = next.map_err(|error| CallFailed(describe(&error)))?;
                Ok(next.dyn_ref::<Uint8Array>().map(Uint8Array::to_vec))
            }
            Bytes::Whole(bytes) => Ok(bytes.take()),
        }
    }
}

impl Models for PlatformModels {
    type Body = PlatformBody;

    async fn call(&self, call: ModelCall) -> Result<ModelReply<PlatformBody>, CallFailed> {
        match call {
            ModelCall::Http(request) => fetch(&request).await,
            ModelCall::Ai(run) => self.run(&run).await,
        }
    }
}

impl PlatformModels {
    async fn run(&self, run: &Run) -> Result<ModelReply<PlatformBody>, CallFailed> {
        let ai = self.ai.as_ref().ok_or_else(|| CallFailed("no AI binding".to_owned()))?;
        let input = worker::js_sys::JSON::parse(&run.input).map_err(|_| CallFailed("input".to_owned()))?;
        let options = plain::to_js(&run_options(self.gateway.as_deref()))
            .map_err(|_| CallFailed("options".to_owned()))?;
        let thrown = |error: JsValue| CallFailed(describe(&error));
        let promise = ai.unchecked_ref::<Ai>().run(&run.model, &input, &options).map_err(thrown)?;
        let output = JsFuture::from(promise).await.map_err(thrown)?;
        let bytes = if let Some(stream) = output.dyn_ref::<ReadableStream>() {
            Bytes::Stream(Gathered::new(stream))
        } else {
            let json = worker::js_sys::JSON::stringify(&output).map_err(thrown)?;
            Bytes::Whole(Some(String::from(json).into_bytes()))
        };
        Ok(ModelReply { status: 200, retry_after: None, body: PlatformBody { bytes, abort: None } })
    }
}

async fn fetch(request: &HttpRequest) -> Result<ModelReply<PlatformBody>, CallFailed> {
    let headers = Headers::new();
    for (name, value) in &request.headers {
        headers.set(name, value).map_err(|e| failed(&e))?;
    }
    let mut init = RequestInit::new();
    // Followed, a redirect would ask again as a `GET`, or hand the key and the memory to another server.
    init.with_method(Method::Post)
        .with_headers(headers)
        .with_redirect(RequestRedirect::Manual)
        .with_body(Some(JsValue::from_str(&request.body)));
    let outgoing = Request::new_with_init(&request.url, &init).map_err(|e| failed(&e))?;
    // Held from here on, so that dropping this future before the answer comes ends the request too.
    let controller = AbortController::default();
    let signal = controller.signal();
    let abort = AbortOnDrop(Some(controller));
    let response = Fetch::Request(outgoing).send_with_signal(&signal).await.map_err(|e| failed(&e))?;
    let status = response.status_code();
    let retry_after = response.headers().get("retry-after").ok().flatten();
    let bytes = match response.body() {
        ResponseBody::Stream(stream) => Bytes::Stream(Gathered::new(stream)),
        _ => Bytes::Whole(None),
    };
    Ok(ModelReply { status, retry_after, body: PlatformBody { bytes, abort: abort.keep() } })
}

struct AbortOnDrop(Option<AbortController>);

impl AbortOnDrop {
    fn keep(mut self) -> Option<AbortController> {
        self.0.take()
    }
}

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        if let Some(abort) = self.0.take() {
            abort.abort();
        }
    }
}

fn failed(error: &worker::Error) -> CallFailed {
    CallFailed(error.to_string())
}
