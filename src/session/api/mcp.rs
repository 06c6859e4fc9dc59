//! Memory as tools of the Model Context Protocol: the routes of memory, asked by another name.

use serde_json::{Map, Value, json as object};

use super::edits::written;
use super::{Answer, Refused, Request, Response, json, no_content};
use crate::http::mcp::{self, Asked, Tool};
use crate::http::problem::Problem;
use crate::http::route::Scope;
use crate::memory::model::{Kind, Scope as FactScope, Status};
use crate::memory::reconcile::Reason;
use crate::session::Session;
use crate::session::ports::Ports;
use crate::store::facts;

impl<P: Ports> Session<P> {
    /// Answers `POST /mcp` for a token with these scopes.
    pub async fn handle_mcp(&self, body: &[u8], scopes: &[Scope]) -> Response {
        let answer = match self.recover() {
            Ok(()) => self.mcp(body, scopes).await,
            Err(error) => Err(error.into()),
        };
        self.answered(answer)
    }

    async fn mcp(&self, body: &[u8], scopes: &[Scope]) -> Answer {
        let (id, tool, arguments) = match mcp::read(body, scopes) {
            Asked::Answer(answer) => return json(200, &answer),
            Asked::Nothing => {
                let mut accepted = no_content()?;
                accepted.status = 202;
                return Ok(accepted);
            }
            Asked::Call { id, tool, arguments } => (id, tool, arguments),
        };
        match self.use_tool(tool, arguments).await {
            Ok(found) => {
                let data: Value = serde_json::from_slice(found.body.as_bytes()).unwrap_or_default();
                json(200, &mcp::found(&id, &data))
            }
            Err(Refused::Problem(problem)) => json(200, &mcp::failed(&id, &problem.detail)),
            Err(refused) => Err(refused),
        }
    }

    async fn use_tool(&self, tool: Tool, arguments: Map<String, Value>) -> Answer {
        match tool {
            Tool::Recall => self.recall_route(&asking(String::new(), &Value::Object(arguments))).await,
            Tool::ListFacts => self.list_facts(&asking(as_query(&arguments)?, &Value::Null)).await,
            Tool::ProposeFact => self.propose_fact(&arguments),
        }
    }

    /// Holds a fact until the user decides.
    fn propose_fact(&self, arguments: &Map<String, Value>) -> Answer {
        let text = arguments.get("text").and_then(Value::as_str).filter(|_| arguments.len() == 1);
        let text = text.ok_or_else(|| Problem::bad_field("text", "must be the one argument"))?;
        let text = self.fact_text(text, Kind::Other)?;
        if self.storage_is_full() {
            return Err(Problem::over_storage(self.config.limits.storage_max_mb).into());
        }
        let (sql, now) = (self.ports.sql(), self.ports.now());
        if facts::same_text(sql, &text)?.iter().any(|fact| fact.status == Status::Current) {
            return json(200, &object!({"status": "known"}));
        }
        let plan = [written(text, Kind::Other, FactScope::Global, Some(Reason::Proposed), now)];
        let outcome = self.apply(None, &plan)?;
        if outcome.applied.is_empty() {
            return Err(Problem::conflict("It was forgotten on the user's wish, or there is no room.").into());
        }
        self.arm()?;
        self.tell_all(&outcome.applied)?;
        json(200, &object!({"status": "held"}))
    }
}

fn asking(query: String, body: &Value) -> Request {
    let body = if body.is_null() { Vec::new() } else { body.to_string().into_bytes() };
    Request { method: String::new(), path: String::new(), query, body, user: String::new() }
}

/// Arguments as a query string: strings and numbers, of the names that the tool has.
fn as_query(arguments: &Map<String, Value>) -> Result<String, Problem> {
    let mut query = form_urlencoded::Serializer::new(String::new());
    for (name, value) in arguments {
        let known = ["q", "status", "cursor", "limit"].contains(&name.as_str());
        match value {
            Value::String(text) if known => query.append_pair(name, text),
            Value::Number(number) if known => query.append_pair(name, &number.to_string()),
            _ => return Err(Problem::bad_request("The arguments are `q`, `status`, `cursor` and `limit`.")),
        };
    }
    Ok(query.finish())
}
