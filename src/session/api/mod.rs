//! The object's side of the HTTP contract: one function a route. Who asks was verified before the object was named.

mod account;
mod completions;
mod edits;
mod facts;
mod import;
mod mcp;
mod memory;
mod search;
mod spending;
mod threads;
mod tokens;
mod trace;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::Session;
use super::ports::Ports;
use crate::http::completions::models;
use crate::http::problem::Problem;
use crate::http::route::Route;
use crate::http::{API_HEADERS, query::BadParameter};
use crate::json;
use crate::store::sql::StoreError;
pub use completions::{Completing, event_stream};
pub use tokens::SIGNED_OUT;

/// A request of the object's owner.
pub struct Request {
    pub method: String,
    pub path: String,
    pub query: String,
    pub body: Vec<u8>,
    /// The name that the user is shown by.
    pub user: String,
}

pub struct Response {
    pub status: u16,
    pub headers: Vec<(&'static str, String)>,
    pub body: String,
}

/// Why a route gives no answer.
pub enum Refused {
    Problem(Problem),
    Store(StoreError),
}

impl From<Problem> for Refused {
    fn from(problem: Problem) -> Self {
        Self::Problem(problem)
    }
}

impl From<BadParameter> for Refused {
    fn from(bad: BadParameter) -> Self {
        Self::Problem(bad.into())
    }
}

impl From<StoreError> for Refused {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

pub type Answer = Result<Response, Refused>;

impl<P: Ports> Session<P> {
    /// Answers a request. Never fails: what goes wrong is a problem document.
    pub async fn handle(&self, request: Request) -> Response {
        let answer = match self.recover() {
            Ok(()) => self.route(&request).await,
            Err(error) => Err(error.into()),
        };
        self.answered(answer)
    }

    fn answered(&self, answer: Answer) -> Response {
        match answer {
            Ok(response) => response,
            Err(Refused::Problem(problem)) => {
                self.count_refusal(problem.code.as_str());
                self.refuse_request(&problem)
            }
            Err(Refused::Store(error)) => {
                self.ports.log("request_failed", &[("error", error.to_string())]);
                self.refuse_request(&Problem::internal())
            }
        }
    }

    async fn route(&self, request: &Request) -> Answer {
        let route = Route::parse(&request.method, &request.path).map_err(Problem::from)?;
        match route {
            Route::Me => self.me(request),
            Route::ChangeSettings => self.change_settings(request),
            Route::CloseAccount => self.close_account_route(request),
            Route::ListThreads => self.list_threads(request),
            Route::MakeThread => self.make_thread(request),
            Route::ChangeThread(id) => self.change_thread(&id, request),
            Route::DeleteThread(id) => self.delete_thread(&id, request).await,
            Route::ListMessages(id) => self.list_messages(&id, request),
            Route::ReadSummary(id) => self.read_summary(&id),
            Route::ReplaceSummary(id) => self.replace_summary(&id, request),
            Route::DeleteSummary(id) => self.delete_summary(&id),
            Route::ListFacts => self.list_facts(request).await,
            Route::AddFact => self.add_fact(request),
            Route::ReadFact(id) => self.read_fact(&id),
            Route::EditFact(id) => self.edit_fact(&id, request),
            Route::ForgetFact(id) => self.forget(&id, request),
            Route::ListChanges => self.list_changes(request),
            Route::UndoChange(id) => self.undo_change(&id),
            Route::ForgetEverything => self.forget_all(request),
            Route::Recall => self.recall_route(request).await,
            Route::ReadMirrors => self.read_mirrors(),
            Route::ReconcileMirrors => self.reconcile_route().await,
            Route::ListWeeks => self.list_weeks(),
            Route::ConsolidateWeeks => self.consolidate(request),
            Route::ReadSpending(id) => self.thread_spending(&id),
            Route::ReadTrace(id) => self.read_trace(&id),
            Route::SignOut => self.end_sessions(),
            Route::ListTokens => self.list_tokens(),
            Route::MakeToken => self.make_token(request),
            Route::RevokeToken(id) => self.revoke_token(&id),
            Route::Export => self.export(request),
            Route::Import => self.import_whole(request).await,
            Route::ListModels => json(200, &models()),
            _ => Err(Problem::not_found().into()),
        }
    }

    fn refuse_request(&self, problem: &Problem) -> Response {
        Response {
            status: problem.status(),
            headers: problem.headers(self.ports.now()),
            body: problem.body(),
        }
    }
}

/// A JSON answer.
pub fn json(status: u16, body: &impl Serialize) -> Answer {
    let body = serde_json::to_string(body).map_err(|_| StoreError::corrupt("answer"))?;
    Ok(text(status, "application/json; charset=utf-8", body))
}

/// An answer of another type.
pub fn text(status: u16, content_type: &str, body: String) -> Response {
    let mut headers: Vec<_> = API_HEADERS.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
    headers.push(("content-type", content_type.to_owned()));
    Response { status, headers, body }
}

pub fn no_content() -> Answer {
    let mut response = text(204, "", String::new());
    response.headers.retain(|(name, _)| *name != "content-type");
    Ok(response)
}

/// The request's JSON body. Unknown fields are refused, so that a misspelt one isn't ignored in silence.
pub fn body<T: DeserializeOwned>(request: &Request) -> Result<T, Refused> {
    let body = if request.body.is_empty() { b"{}" } else { request.body.as_slice() };
    json::read(body).map_err(|error| Problem::unreadable(&error).into())
}

/// A field that may be absent, null or a value: `None`, `Some(None)`, `Some(Some(value))`.
pub fn nullable<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    serde::Deserialize::deserialize(deserializer).map(Some)
}
