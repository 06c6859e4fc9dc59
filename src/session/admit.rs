//! Who of the verified callers is let in now: sessions that were not ended, tokens that are still good, and as many
//! of either as the limits allow.
//!
//! Invariant: decided before a request's body is read, so a refusal costs next to nothing; and only what is let in
//! counts.

use subtle::ConstantTimeEq;

use super::Session;
use super::api::{Answer, Refused, SIGNED_OUT, no_content};
use super::ports::Ports;
use crate::chat::protocol::{Refusal, refuse};
use crate::config::{Provider, Switch};
use crate::http::caller::{Caller, Presented};
use crate::http::problem::Problem;
use crate::http::route::{Route, Scope};
use crate::store::sql::StoreError;
use crate::store::{settings, tokens, usage};
use crate::time::Millis;

/// Where the object notes when all sessions were ended.
const ENDED: &str = "sessions_ended";

const MEGABYTE: i64 = 1_000_000;

impl<P: Ports> Session<P> {
    /// Lets a verified caller use a route, within these scopes, or says why not and until when.
    pub fn admit(&self, caller: &Caller, route: &Route) -> Result<Vec<Scope>, Problem> {
        let refused = |refused| match refused {
            Refused::Problem(problem) => problem,
            Refused::Store(error) => {
                self.ports.log("request_failed", &[("error", error.to_string())]);
                Problem::internal()
            }
        };
        self.admits(caller, route)
            .map_err(refused)
            .inspect_err(|problem| self.count_refusal(problem.code.as_str()))
    }

    fn admits(&self, caller: &Caller, route: &Route) -> Result<Vec<Scope>, Refused> {
        let now = self.ports.now();
        if caller.expires.is_some_and(|at| at <= now) {
            return Err(self.unauthenticated().into());
        }
        let scopes = match &caller.token {
            Some(token) => self.check_token(token, route, now)?,
            None => self.check_session(caller, route).map(|()| Scope::ALL.to_vec())?,
        };
        if route.is_socket() && self.ports.peers().count() >= self.config.limits.connections_max {
            return Err(Problem::too_many_connections(self.config.limits.connections_max).into());
        }
        if route.needs_room() && self.storage_is_full() {
            return Err(Problem::over_storage(self.config.limits.storage_max_mb).into());
        }
        let most = self.config.limits.requests_per_minute;
        self.meter.borrow_mut().take(most, now).map_err(Problem::too_many_requests)?;
        Ok(scopes)
    }

    /// Counts a frame; what is refused gets an answer that says until when.
    pub(super) fn admit_frame(&self, id: Option<&str>) -> Result<(), Refusal> {
        let most = self.config.limits.requests_per_minute;
        self.meter.borrow_mut().take(most, self.ports.now()).map_err(|until| {
            let problem = Problem::too_many_requests(until);
            refuse(problem.code.as_str(), &problem.detail, id.map(str::to_owned))
        })
    }

    /// Why no new turn can be taken on, whoever asks.
    pub(super) fn refuses_turns(&self) -> Result<Option<Problem>, StoreError> {
        if let Switch::NoModel { until } | Switch::Off { until } = self.config.switch
            && self.model_is_off()
        {
            return Ok(Some(Problem::switched_off("Chatting", until)));
        }
        let now = self.ports.now();
        // The built-in model costs nothing: without a key nobody is stopped.
        if self.config.model != Provider::Embedded
            && usage::on_day(self.ports.sql(), now)?.tokens()
                >= i64::from(self.config.limits.daily_token_budget)
        {
            return Ok(Some(Problem::over_budget(usage::day_ends(now))));
        }
        Ok(self.storage_is_full().then(|| Problem::over_storage(self.config.limits.storage_max_mb)))
    }

    /// Whether the operator lets no model be called.
    pub(super) fn model_is_off(&self) -> bool {
        match self.config.switch {
            Switch::On => false,
            Switch::NoModel { until } | Switch::Off { until } => until.is_none_or(|at| at > self.ports.now()),
        }
    }

    pub(super) fn storage_is_full(&self) -> bool {
        self.ports.sql().bytes() > i64::from(self.config.limits.storage_max_mb) * MEGABYTE
    }

    fn check_token(&self, shown: &Presented, route: &Route, now: Millis) -> Result<Vec<Scope>, Refused> {
        let sql = self.ports.sql();
        let stored = tokens::get(sql, &shown.id)?
            .filter(|stored| bool::from(stored.hash.as_bytes().ct_eq(shown.hash.as_bytes())))
            .filter(|stored| stored.expires_at.is_none_or(|at| at > now));
        let Some(stored) = stored else { return Err(self.unauthenticated().into()) };
        // Whoever has only a token must not throw people out.
        if *route == Route::SignOut || !route.access().admits_token(&stored.scopes) {
            return Err(match route.access().scope() {
                Some(scope) => Problem::missing_scope(scope),
                None => Problem::forbidden("A personal access token can't do this; sign in."),
            }
            .into());
        }
        tokens::used(sql, &stored, now)?;
        Ok(stored.scopes)
    }

    fn check_session(&self, caller: &Caller, route: &Route) -> Result<(), Refused> {
        let ended = self.sessions_ended()?;
        let is_over = ended.is_some_and(|ended| caller.issued.is_none_or(|issued| issued <= ended));
        if is_over || !route.access().admits_person() {
            return Err(self.unauthenticated().into());
        }
        Ok(())
    }

    fn unauthenticated(&self) -> Problem {
        Problem::unauthenticated(self.config.auth.sign_in())
    }

    fn sessions_ended(&self) -> Result<Option<Millis>, StoreError> {
        let stored = settings::get(self.ports.sql(), ENDED)?;
        stored
            .map(|text| text.parse().map(Millis).map_err(|_| StoreError::corrupt("end of sessions")))
            .transpose()
    }

    /// Ends every session that was begun until now, and every connection.
    pub(super) fn end_sessions(&self) -> Answer {
        let now = self.ports.now();
        let ended = self.sessions_ended()?.map_or(now, |before| before.max(now));
        settings::set(self.ports.sql(), ENDED, &ended.0.to_string())?;
        self.ports.peers().close(None, SIGNED_OUT.0, SIGNED_OUT.1);
        no_content()
    }
}
