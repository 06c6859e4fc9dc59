//! The user's connections: hibernating WebSockets, found by tag.

use std::collections::HashSet;

use serde_json::json;
use wasm_bindgen::{JsCast, JsValue};
use worker::worker_sys::ext::WebSocketExt;
use worker::{State, WebSocket, web_sys};

use super::plain;

use crate::chat::protocol::{PING, PONG};
use crate::http::caller::Caller;
use crate::id::{ThreadId, TokenId};
use crate::session::ports::{Peers, To};
use crate::time::Millis;

/// What is attached to a socket: ids only, because an attachment is small and everything else is in SQL.
pub struct Attachment {
    /// The connection.
    pub c: String,
    /// Its thread.
    pub t: String,
    /// When the session or token that opened it ends.
    pub x: Option<Millis>,
}

pub struct Sockets {
    state: State,
}

impl Sockets {
    pub fn new(state: State) -> Self {
        Self { state }
    }

    /// The same object's sockets through another handle of its state.
    pub fn of(state: &State) -> Self {
        Self::new(same(state))
    }

    /// Lets the runtime answer pings, so that they don't wake the object.
    pub fn answer_pings(&self) {
        if let Ok(pair) = worker::WebSocketRequestResponsePair::new(PING, PONG) {
            self.state.set_websocket_auto_response(&pair);
        }
    }

    pub fn accept(
        &self,
        socket: &WebSocket,
        connection: &str,
        thread: &ThreadId,
        caller: &Caller,
    ) -> worker::Result<()> {
        let attachment = json!({"c": connection, "t": thread.as_str(), "x": caller.expires});
        let token = caller.token.as_ref().map(|token| token_tag(&token.id));
        let mut tags = vec![connection_tag(connection), thread_tag(thread)];
        tags.extend(token);
        let tags: Vec<&str> = tags.iter().map(String::as_str).collect();
        self.state.accept_websocket_with_tags(socket, &tags);
        let web: &web_sys::WebSocket = socket.as_ref();
        Ok(web.serialize_attachment(plain::to_js(&attachment)?)?)
    }

    pub fn attachment(socket: &WebSocket) -> Option<Attachment> {
        let web: &web_sys::WebSocket = socket.as_ref();
        let attachment = plain::of_js(&web.deserialize_attachment().ok()?)?;
        Some(Attachment {
            c: attachment["c"].as_str()?.to_owned(),
            t: attachment["t"].as_str()?.to_owned(),
            x: attachment["x"].as_i64().map(Millis),
        })
    }
}

impl Peers for Sockets {
    fn close_token(&self, token: &TokenId, code: u16, reason: &str) {
        for socket in self.state.get_websockets_with_tag(&token_tag(token)) {
            let _ = socket.close(Some(code), Some(reason));
        }
    }

    fn count(&self) -> usize {
        self.state.get_websockets().len()
    }

    fn send(&self, to: To<'_>, frame: &str) {
        let (sockets, but) = match to {
            To::One(connection) => (self.state.get_websockets_with_tag(&connection_tag(connection)), None),
            To::Thread(thread) => (self.state.get_websockets_with_tag(&thread_tag(thread)), None),
            To::Others(thread, but) => (self.state.get_websockets_with_tag(&thread_tag(thread)), Some(but)),
            To::Everyone => (self.state.get_websockets(), None),
        };
        for socket in sockets {
            if but.is_some() && Self::attachment(&socket).is_some_and(|a| Some(a.c.as_str()) == but) {
                continue;
            }
            // The one thing that can go wrong is that it has just closed; it finds everything when it comes back.
            let _ = socket.send_with_str(frame);
        }
    }

    fn close(&self, thread: Option<&ThreadId>, code: u16, reason: &str) {
        let sockets = match thread {
            Some(thread) => self.state.get_websockets_with_tag(&thread_tag(thread)),
            None => self.state.get_websockets(),
        };
        let mut closed = HashSet::new();
        for socket in sockets {
            let id = Self::attachment(&socket).map(|a| a.c);
            if closed.insert(id) {
                let _ = socket.close(Some(code), Some(reason));
            }
        }
    }
}

fn connection_tag(connection: &str) -> String {
    format!("c:{connection}")
}

fn token_tag(token: &TokenId) -> String {
    format!("k:{token}")
}

fn thread_tag(thread: &ThreadId) -> String {
    format!("t:{thread}")
}

/// Another handle of the same state.
pub fn same(state: &State) -> State {
    let raw: &JsValue = state.as_raw().as_ref();
    State::from(raw.clone().unchecked_into::<worker::worker_sys::DurableObjectState>())
}
