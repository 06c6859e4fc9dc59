//! Personal access tokens: made, listed, revoked. Only a signed-in person comes here.

use serde::Deserialize;
use serde_json::{Value, json as object};

use super::{Answer, Request, body, json, no_content};
use crate::http::problem::Problem;
use crate::http::route::Scope;
use crate::http::token;
use crate::id::TokenId;
use crate::session::Session;
use crate::session::ports::Ports;
use crate::store::sql::StoreError;
use crate::store::tokens::{self, StoredToken};
use crate::text::shows_nothing;
use crate::time::Millis;

/// Nobody can keep an eye on more.
const MAX_TOKENS: usize = 50;
const MAX_NAME_CHARS: usize = 100;

/// Closes the connections of a token that was revoked, or of sessions that were ended.
pub const SIGNED_OUT: (u16, &str) = (4401, "signed out");

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NewToken {
    name: String,
    scopes: Vec<String>,
    expires_at: Option<String>,
}

impl<P: Ports> Session<P> {
    pub(super) fn list_tokens(&self) -> Answer {
        let list: Vec<Value> = tokens::list(self.ports.sql())?.iter().map(wire).collect();
        json(200, &object!({"tokens": list}))
    }

    pub(super) fn make_token(&self, request: &Request) -> Answer {
        let new: NewToken = body(request)?;
        let now = self.ports.now();
        let name = new.name.trim();
        if shows_nothing(name) || name.chars().count() > MAX_NAME_CHARS || name.chars().any(char::is_control)
        {
            return Err(Problem::bad_field("name", "must have 1 to 100 visible characters").into());
        }
        let scopes = scopes(&new.scopes)?;
        let expires_at = match &new.expires_at {
            None => None,
            Some(raw) => {
                let at = Millis::parse_rfc3339(raw).filter(|at| *at > now);
                Some(at.ok_or_else(|| Problem::bad_field("expires_at", "must be an instant in the future"))?)
            }
        };
        let sql = self.ports.sql();
        if tokens::list(sql)?.len() >= MAX_TOKENS {
            return Err(Problem::conflict("There are 50 tokens; revoke one first.").into());
        }
        let (text, token) = self.mint().ok_or_else(|| StoreError::corrupt("owner"))?;
        let stored = StoredToken {
            id: token.id,
            hash: token.hash,
            name: name.to_owned(),
            scopes,
            created_at: now,
            expires_at,
            last_used_at: None,
        };
        tokens::add(sql, &stored)?;
        let mut answer = wire(&stored);
        answer["token"] = text.into();
        json(201, &answer)
    }

    pub(super) fn revoke_token(&self, id: &TokenId) -> Answer {
        if !tokens::revoke(self.ports.sql(), id)? {
            return Err(Problem::not_found().into());
        }
        self.ports.peers().close_token(id, SIGNED_OUT.0, SIGNED_OUT.1);
        no_content()
    }

    fn mint(&self) -> Option<(String, token::Token)> {
        let mut chance = [0; token::SECRET_BYTES];
        for (place, byte) in chance.iter_mut().zip(self.ports.random().into_iter().chain(self.ports.random()))
        {
            *place = byte;
        }
        token::mint(&self.config.session_secret, &self.owner, self.ports.random(), chance)
    }
}

fn scopes(words: &[String]) -> Result<Vec<Scope>, Problem> {
    let mut scopes: Vec<Scope> = words.iter().filter_map(|word| Scope::parse(word)).collect();
    if scopes.is_empty() || scopes.len() != words.len() {
        let known: Vec<&str> = Scope::ALL.iter().map(|scope| scope.as_str()).collect();
        return Err(Problem::bad_field("scopes", &format!("must be some of {}", known.join(", "))));
    }
    scopes.sort_unstable();
    scopes.dedup();
    Ok(scopes)
}

fn wire(token: &StoredToken) -> Value {
    object!({
        "id": token.id.as_str(),
        "name": token.name,
        "scopes": token.scopes.iter().map(|scope| scope.as_str()).collect::<Vec<_>>(),
        "created_at": token.created_at.to_rfc3339(),
        "expires_at": token.expires_at.map(Millis::to_rfc3339),
        "last_used_at": token.last_used_at.map(Millis::to_rfc3339),
    })
}
