//! What a session needs from the world, one small trait a need, so that each fake knows only its own.

use std::cell::Cell;
use std::future::Future;
use std::rc::Rc;

use super::figures::Figure;
pub use super::way::LastPiece;
use crate::id::{ThreadId, TokenId};
use crate::llm::HttpRequest;
use crate::llm::workers_ai::Run;
use crate::mirror::ports::{Table, Vectors};
use crate::store::sql::Sql;
use crate::time::{Millis, Zones};

/// Everything a session reaches for.
pub trait Ports {
    type Models: Models;
    type Table: Table;
    type Vectors: Vectors;

    /// The object's own storage.
    fn sql(&self) -> &dyn Sql;
    fn peers(&self) -> &dyn Peers;
    fn zones(&self) -> &dyn Zones;
    fn models(&self) -> &Self::Models;
    /// The D1 databases, in the order of their bindings; which one is the owner's, the mirror decides.
    fn tables(&self) -> &[Self::Table];
    /// `None` where no index is bound.
    fn vectors(&self) -> Option<&Self::Vectors>;

    fn now(&self) -> Millis;
    fn random(&self) -> [u8; 10];
    fn sleep(&self, millis: i64) -> impl Future<Output = ()>;
    /// The last piece of memory work of all objects that share this thread.
    fn last_piece(&self) -> Rc<Cell<LastPiece>>;
    /// Asks to be woken at the latest then; replaces an earlier wish.
    fn wake_at(&self, at: Millis);
    /// Writes a line for operators: ids and numbers only.
    fn log(&self, event: &str, fields: &[(&str, String)]);
    /// Counts something for operators, where somebody counts.
    fn measure(&self, figure: &Figure<'_>);
}

/// Who is to be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum To<'a> {
    /// One connection.
    One(&'a str),
    /// Every tab of a thread.
    Thread(&'a ThreadId),
    /// Every tab of a thread but one.
    Others(&'a ThreadId, &'a str),
    /// Every tab of the user.
    Everyone,
}

/// The user's open connections.
pub trait Peers {
    /// Sends a frame; a connection that has just closed is skipped in silence, and finds everything on its return.
    fn send(&self, to: To<'_>, frame: &str);

    /// Closes every connection of a thread, or all of them.
    fn close(&self, thread: Option<&ThreadId>, code: u16, reason: &str);

    /// Closes every connection that a personal access token opened.
    fn close_token(&self, token: &TokenId, code: u16, reason: &str);

    /// How many are open.
    fn count(&self) -> usize;
}

/// A call of a model.
#[derive(Clone)]
pub enum ModelCall {
    Http(HttpRequest),
    Ai(Run),
}

/// What a model server answered.
pub struct ModelReply<B> {
    pub status: u16,
    pub retry_after: Option<String>,
    pub body: B,
}

/// The call never got an answer, or the `AI` binding threw: the text is the platform's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallFailed(pub String);

/// Sends calls to models. Dropping the future or the body ends the call.
pub trait Models {
    type Body: Body;

    fn call(&self, call: ModelCall) -> impl Future<Output = Result<ModelReply<Self::Body>, CallFailed>>;
}

/// The bytes of an answer, as they come.
pub trait Body {
    /// `None` at the end.
    fn chunk(&mut self) -> impl Future<Output = Result<Option<Vec<u8>>, CallFailed>>;
}
