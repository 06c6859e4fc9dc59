//! The user: settings, limits, usage.

use serde::Deserialize;
use serde_json::{Value, json as object};

use super::{Answer, Refused, Request, body, json, nullable};
use crate::chat::protocol::PROTOCOL;
use crate::http::problem::Problem;
use crate::memory::category::Category;
use crate::session::Session;
use crate::session::ports::Ports;
use crate::store::jobs::{self, JobKind};
use crate::store::settings::{self, MemoryMode, Settings};
use crate::store::sql::atomic;
use crate::store::{facts, usage};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Change {
    memory_mode: Option<String>,
    timezone: Option<String>,
    locale: Option<String>,
    #[serde(default, deserialize_with = "nullable")]
    retention_days: Option<Value>,
    never_remember: Option<Vec<String>>,
}

/// A hundred years; beyond that nobody means a number of days.
const MAX_RETENTION_DAYS: u64 = 36_500;

impl<P: Ports> Session<P> {
    pub(super) fn me(&self, request: &Request) -> Answer {
        let now = self.ports.now();
        let used = usage::on_day(self.ports.sql(), now)?;
        let limits = &self.config.limits;
        json(
            200,
            &object!({
                "user": {"name": request.user},
                "sign_in": self.config.auth.sign_in(),
                "protocol": PROTOCOL,
                "settings": wire(&self.settings()?),
                "limits": {
                    "max_message_chars": limits.max_message_chars,
                    "recent_messages": limits.recent_messages,
                    "summary_max_tokens": limits.summary_max_tokens,
                    "fact_max_chars": limits.fact_max_chars,
                    "facts_max": limits.facts_max,
                    "queue_max": limits.queue_max,
                    "daily_token_budget": limits.daily_token_budget,
                    "requests_per_minute": limits.requests_per_minute,
                    "connections_max": limits.connections_max,
                    "storage_max_mb": limits.storage_max_mb,
                },
                "usage": {
                    "day": now.utc_day(),
                    "turns": used.turns,
                    "model_calls": used.model_calls,
                    "prompt_tokens": used.prompt_tokens,
                    "completion_tokens": used.completion_tokens,
                    "resets_at": usage::day_ends(now).to_rfc3339(),
                    "requests_this_minute": self.meter.borrow().taken(now),
                    "connections": self.ports.peers().count(),
                    "facts": facts::count(self.ports.sql())?,
                    "storage_bytes": self.ports.sql().bytes(),
                },
                "providers": {
                    "model": self.config.model.name(),
                    "chat_model": self.config.chat_model,
                    "memory_model": self.config.memory_model,
                    "embedding": self.config.embedding.name(),
                    "embedding_model": self.config.embedding_model,
                },
            }),
        )
    }

    pub(super) fn change_settings(&self, request: &Request) -> Answer {
        let change: Change = body(request)?;
        let mut settings = self.settings()?;
        if let Some(mode) = &change.memory_mode {
            settings.memory_mode = MemoryMode::parse(mode)
                .ok_or_else(|| Problem::bad_field("memory_mode", "must be on, read_only or off"))?;
        }
        if let Some(zone) = change.timezone {
            if self.ports.zones().offset_seconds(&zone, self.ports.now()).is_none() {
                return Err(Problem::bad_field("timezone", "must be an IANA time zone").into());
            }
            settings.timezone = zone;
        }
        if let Some(locale) = change.locale {
            if locale.len() > 35 || !locale.chars().all(|c| c.is_ascii_alphanumeric() || c == '-') {
                return Err(Problem::bad_field("locale", "must be a language tag").into());
            }
            settings.locale = locale;
        }
        if let Some(days) = change.retention_days {
            settings.retention_days = retention(&days)?;
        }
        if let Some(categories) = change.never_remember {
            settings.never_remember = known_categories(categories)?;
        }
        let (sql, now) = (self.ports.sql(), self.ports.now());
        atomic(sql, || {
            settings::save(sql, &settings)?;
            if settings.retention_days.is_some() {
                jobs::ask(sql, JobKind::Retain, "daily", now, now)?;
            }
            Ok(())
        })?;
        self.arm()?;
        json(200, &wire(&settings))
    }
}

fn retention(days: &Value) -> Result<Option<u32>, Refused> {
    if days.is_null() {
        return Ok(None);
    }
    let days = days.as_u64().filter(|days| (1..=MAX_RETENTION_DAYS).contains(days));
    let days = days.ok_or_else(|| Problem::bad_field("retention_days", "must be null or 1 to 36500"))?;
    Ok(Some(days as u32))
}

/// Each category once, in the order of the list.
fn known_categories(categories: Vec<String>) -> Result<Vec<String>, Refused> {
    let mut kept: Vec<String> = Vec::new();
    for word in categories {
        if Category::parse(&word).is_none() {
            let known: Vec<&str> = Category::ALL.iter().map(|category| category.as_str()).collect();
            return Err(Problem::bad_field("never_remember", &format!("knows {}", known.join(", "))).into());
        }
        if !kept.contains(&word) {
            kept.push(word);
        }
    }
    Ok(kept)
}

fn wire(settings: &Settings) -> Value {
    object!({
        "memory_mode": settings.memory_mode.as_str(),
        "timezone": settings.timezone,
        "locale": settings.locale,
        "retention_days": settings.retention_days,
        "never_remember": settings.never_remember,
    })
}
