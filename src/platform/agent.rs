//! The user's object: a shell around [`Session`].

use std::cell::OnceCell;
use std::rc::Rc;

use futures::StreamExt;
use worker::{
    ByteStream, Env, Request, Response, State, WebSocket, WebSocketIncomingMessage, WebSocketPair,
    console_log, durable_object,
};

use super::ports::PlatformPorts;
use super::sockets::Sockets;
use super::{clock, entry, environment};
use crate::chat::protocol::refuse;
use crate::http::address::Address;
use crate::http::caller::{self, Caller};
use crate::http::problem::Problem;
use crate::http::query::chat_thread;
use crate::http::route::Route;
use crate::id::{OwnerKey, ThreadId};
use crate::session::ports::{Body, CallFailed};
use crate::session::{Session, api};

/// A request larger than this is refused before it is read.
const MAX_BODY_BYTES: usize = 1024 * 1024;

#[durable_object]
pub struct ChatAgent {
    state: State,
    env: Env,
    session: OnceCell<Rc<Session<PlatformPorts>>>,
}

impl worker::DurableObject for ChatAgent {
    fn new(state: State, env: Env) -> Self {
        Sockets::of(&state).answer_pings();
        Self { state, env, session: OnceCell::new() }
    }

    async fn fetch(&self, request: Request) -> worker::Result<Response> {
        let session = match self.session() {
            Ok(session) => session,
            Err(problem) => return entry::problem(&problem),
        };
        match self.serve(&session, request).await {
            Ok(response) => Ok(response),
            Err(error) => {
                console_log!("{{\"event\":\"request_failed\",\"error\":{:?}}}", error.to_string());
                entry::problem(&Problem::internal())
            }
        }
    }

    async fn websocket_message(
        &self,
        socket: WebSocket,
        message: WebSocketIncomingMessage,
    ) -> worker::Result<()> {
        let Some(attachment) = Sockets::attachment(&socket) else { return Ok(()) };
        let Some(thread) = ThreadId::parse(&attachment.t) else { return Ok(()) };
        if attachment.x.is_some_and(|ends| ends <= clock::now()) {
            let (code, reason) = api::SIGNED_OUT;
            let _ = socket.close(Some(code), Some(reason));
            return Ok(());
        }
        let session = match self.session() {
            Ok(session) => session,
            Err(problem) => {
                let _ = socket.send_with_str(
                    serde_json::json!({"type": "error", "code": problem.code.as_str(), "message": problem.detail})
                        .to_string(),
                );
                return Ok(());
            }
        };
        let result = match message {
            WebSocketIncomingMessage::String(text) => session.receive(&attachment.c, &thread, &text).await,
            WebSocketIncomingMessage::Binary(_) => {
                session.refuse(&attachment.c, &refuse("binary_frame", "Frames are JSON text.", None));
                Ok(())
            }
        };
        if let Err(error) = result {
            session.report(&attachment.c, &error);
        }
        Ok(())
    }

    async fn websocket_close(
        &self,
        socket: WebSocket,
        code: usize,
        _reason: String,
        _clean: bool,
    ) -> worker::Result<()> {
        // The other side waits for the closing frame; codes that may not be sent are answered by a plain one.
        let code = u16::try_from(code).ok().filter(|code| (3000..5000).contains(code)).unwrap_or(1000);
        let _ = socket.close(Some(code), Some(""));
        Ok(())
    }

    async fn websocket_error(&self, _socket: WebSocket, _error: worker::Error) -> worker::Result<()> {
        Ok(())
    }

    async fn alarm(&self) -> worker::Result<Response> {
        match self.session() {
            Ok(session) => {
                if let Err(error) = session.alarm().await {
                    // The runtime calls a failed alarm again, with backoff.
                    console_log!("{{\"event\":\"alarm_failed\",\"error\":{:?}}}", error.to_string());
                    return Err(worker::Error::RustError(error.to_string()));
                }
            }
            Err(problem) => {
                console_log!("{{\"event\":\"alarm_skipped\",\"code\":{:?}}}", problem.code.as_str());
            }
        }
        Response::empty()
    }
}

/// A request's body as it arrives: an import may be larger than the object's memory.
struct Upload(Option<ByteStream>);

impl Body for Upload {
    async fn chunk(&mut self) -> Result<Option<Vec<u8>>, CallFailed> {
        let Some(stream) = &mut self.0 else { return Ok(None) };
        stream.next().await.transpose().map_err(|error| CallFailed(error.to_string()))
    }
}

/// The whole of a body; `None` as soon as it is too large.
async fn bounded(upload: &mut Upload) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    // A body that breaks off is what came of it, which is no JSON.
    while let Ok(Some(chunk)) = upload.chunk().await {
        body.extend(chunk);
        if body.len() > MAX_BODY_BYTES {
            return None;
        }
    }
    Some(body)
}

impl ChatAgent {
    fn session(&self) -> Result<Rc<Session<PlatformPorts>>, Problem> {
        if let Some(session) = self.session.get() {
            return Ok(Rc::clone(session));
        }
        let config = environment::config(&self.env).map_err(|unfinished| Problem::from(&unfinished))?;
        let ports = PlatformPorts::new(&self.state, &self.env, &config);
        let session = Session::open_named(ports, config, self.owner()).map_err(|error| {
            console_log!("{{\"event\":\"open_failed\",\"error\":{:?}}}", error.to_string());
            if error.is_newer_schema() { Problem::newer_memory() } else { Problem::internal() }
        })?;
        Ok(Rc::clone(self.session.get_or_init(|| Rc::new(session))))
    }

    /// The object is named by its owner's key.
    fn owner(&self) -> Option<OwnerKey> {
        self.state.id().name().as_deref().and_then(OwnerKey::parse)
    }

    async fn serve(
        &self,
        session: &Rc<Session<PlatformPorts>>,
        mut request: Request,
    ) -> worker::Result<Response> {
        let url = request.inner().url();
        let Some(url) = Address::parse(&url) else { return entry::problem(&Problem::not_found()) };
        let route = match Route::parse(request.method().as_ref(), url.path) {
            Ok(route) => route,
            Err(error) => return entry::problem(&Problem::from(error)),
        };
        let Some(caller) = request.headers().get(caller::HEADER)?.as_deref().and_then(Caller::decode) else {
            return entry::problem(&Problem::internal());
        };
        let scopes = match session.admit(&caller, &route) {
            Ok(scopes) => scopes,
            Err(problem) => return entry::problem(&problem),
        };
        let is_upgrade =
            request.headers().get("upgrade")?.is_some_and(|value| value.eq_ignore_ascii_case("websocket"));
        if url.path == "/api/chat" {
            if !is_upgrade {
                return entry::problem(&Problem::upgrade_required());
            }
            return Self::upgrade(session, url.query, &caller);
        }
        if url.path == "/api/import" && request.method() == worker::Method::Post {
            let mut body = Upload(request.stream().ok());
            return entry::respond(session.handle_import(url.query, &mut body).await);
        }
        let announced = request.headers().get("content-length")?.and_then(|length| length.parse().ok());
        if announced.is_some_and(|length: usize| length > MAX_BODY_BYTES) {
            return entry::problem(&Problem::too_large("The body", MAX_BODY_BYTES, "bytes"));
        }
        let Some(body) = bounded(&mut Upload(request.stream().ok())).await else {
            return entry::problem(&Problem::too_large("The body", MAX_BODY_BYTES, "bytes"));
        };
        if route == Route::CompleteChat {
            let key = request.headers().get("idempotency-key")?;
            return self.complete_chat(session, key.as_deref(), &body).await;
        }
        if route == Route::Mcp {
            return entry::respond(session.handle_mcp(&body, &scopes).await);
        }
        let response = session
            .handle(api::Request {
                method: request.method().to_string(),
                path: url.path.to_owned(),
                query: url.query.to_owned(),
                body,
                user: caller.name,
            })
            .await;
        entry::respond(response)
    }

    /// The turn runs by itself, so that it ends even when whoever asked has gone.
    async fn complete_chat(
        &self,
        session: &Rc<Session<PlatformPorts>>,
        key: Option<&str>,
        body: &[u8],
    ) -> worker::Result<Response> {
        let completing = match session.complete_chat(key, body) {
            Ok(completing) => completing,
            Err(refused) => return entry::respond(refused),
        };
        let running = Rc::clone(session);
        self.state.wait_until(async move { running.run_turns().await });
        if !completing.is_streamed {
            return entry::respond(session.completed(completing).await);
        }
        let events = completing.events().map(|event| Ok::<_, worker::Error>(event.into_bytes()));
        let streamed = Response::from_stream(events)?;
        let head = entry::respond(api::event_stream())?;
        Ok(streamed.with_headers(head.headers().clone()))
    }

    fn upgrade(session: &Session<PlatformPorts>, query: &str, caller: &Caller) -> worker::Result<Response> {
        let id = match chat_thread(query) {
            Ok(id) => id,
            Err(bad) => return entry::problem(&Problem::from(bad)),
        };
        let thread = match session.thread(&id) {
            Ok(Some(thread)) => thread,
            Ok(None) => return entry::problem(&Problem::not_found()),
            Err(error) => return Err(worker::Error::RustError(error.to_string())),
        };
        let pair = WebSocketPair::new()?;
        let connection = crate::encoding::hex(&clock::random());
        session.ports().sockets().accept(&pair.server, &connection, &id, caller)?;
        session
            .connected(&connection, &thread)
            .map_err(|error| worker::Error::RustError(error.to_string()))?;
        Response::from_websocket(pair.client)
    }
}
