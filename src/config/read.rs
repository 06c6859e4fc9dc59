//! How each variable is read: its default, its bounds, and what is said when it can't be used.

use std::borrow::Cow;
use std::cell::RefCell;

use super::{Auth, Client, Config, ConfigError, Layout, Limits, Provider, Secret, Switch};
use crate::http::address::Address;
use crate::http::jwks::access_issuer;
use crate::http::origin::is_origin;
use crate::time::Millis;

/// Session secrets shorter than this can be guessed.
const MIN_SECRET_BYTES: usize = 32;

/// The configuration, and everything that can't be used. With an error, the configuration is not to be.
pub(super) fn config(lookup: &dyn Fn(&str) -> Option<String>) -> (Config, Vec<ConfigError>) {
    let reader = Reader { lookup, errors: RefCell::default() };
    let config = reader.config();
    (config, reader.errors.into_inner())
}

/// Reads on after an error, with a value that is never used.
struct Reader<'a> {
    lookup: &'a dyn Fn(&str) -> Option<String>,
    errors: RefCell<Vec<ConfigError>>,
}

impl Reader<'_> {
    fn config(&self) -> Config {
        let auth = self.auth();
        let session_secret = Secret::new(self.must("SESSION_SECRET"));
        let previous_secret = self.get("SESSION_SECRET_PREVIOUS").map(Secret::new);
        for (variable, secret) in
            [("SESSION_SECRET", Some(&session_secret)), ("SESSION_SECRET_PREVIOUS", previous_secret.as_ref())]
        {
            if secret.is_some_and(|secret| (1..MIN_SECRET_BYTES).contains(&secret.expose().len())) {
                self.refuse(variable, "must have at least 32 bytes");
            }
        }
        let model = self.provider("MODEL_PROVIDER", &["MODEL_BASE_URL"], &["MODEL_API_KEY"]);
        let embedding = self.provider(
            "EMBEDDING_PROVIDER",
            &["EMBEDDING_BASE_URL", "MODEL_BASE_URL"],
            &["EMBEDDING_API_KEY", "MODEL_API_KEY"],
        );
        let chat_model = match &model {
            Provider::Embedded => self.get("CHAT_MODEL").unwrap_or_else(|| "kioku-embedded".to_owned()),
            Provider::OpenAi { .. } => self.must("CHAT_MODEL"),
            Provider::WorkersAi => self
                .get("CHAT_MODEL")
                .unwrap_or_else(|| "@cf/meta/llama-3.3-70b-instruct-fp8-fast".to_owned()),
        };
        let embedding_model = match &embedding {
            Provider::Embedded => "kioku-embedded".to_owned(),
            Provider::OpenAi { .. } => self.must("EMBEDDING_MODEL"),
            Provider::WorkersAi => {
                self.get("EMBEDDING_MODEL").unwrap_or_else(|| "@cf/baai/bge-m3".to_owned())
            }
        };
        let layout = match self.get("MEMORY_LAYOUT").as_deref() {
            None | Some("separate") => Layout::Separate,
            Some("merged") => Layout::Merged,
            Some(_) => {
                self.refuse("MEMORY_LAYOUT", "must be separate or merged");
                Layout::Separate
            }
        };
        let model_tools = match self.get("MODEL_TOOLS").as_deref() {
            None | Some("auto") => true,
            Some("off") => false,
            Some(_) => {
                self.refuse("MODEL_TOOLS", "must be auto or off");
                false
            }
        };
        let is_hosted = match &model {
            Provider::OpenAi { base_url, .. } => base_url.starts_with("https:"),
            Provider::WorkersAi | Provider::Embedded => true,
        };
        let calls_side_by_side = match self.get("MODEL_CALLS").as_deref() {
            None | Some("auto") => is_hosted,
            Some("many") => true,
            Some("one") => false,
            Some(_) => {
                self.refuse("MODEL_CALLS", "must be auto, one or many");
                false
            }
        };
        let recall_threshold = self.get("RECALL_THRESHOLD").and_then(|value| {
            // Read as JSON: the library's reading brings a table of 10 KB into the wasm.
            let threshold = serde_json::from_slice::<f32>(value.trim().as_bytes())
                .ok()
                .filter(|value| (0.05..=1.0).contains(value));
            if threshold.is_none() {
                self.refuse("RECALL_THRESHOLD", "must be between 0.05 and 1");
            }
            threshold
        });
        Config {
            auth,
            session_secret,
            previous_secret,
            memory_model: self.get("MEMORY_MODEL").unwrap_or_else(|| chat_model.clone()),
            model,
            chat_model,
            embedding,
            embedding_model,
            ai_gateway: self.get("AI_GATEWAY"),
            layout,
            model_tools,
            calls_side_by_side,
            recall_threshold,
            limits: self.limits(),
            switch: self.switch(),
        }
    }

    fn get(&self, name: &str) -> Option<String> {
        (self.lookup)(name).filter(|value| !value.is_empty())
    }

    fn must(&self, variable: &'static str) -> String {
        self.get(variable).unwrap_or_else(|| {
            self.refuse(variable, "is missing");
            String::new()
        })
    }

    fn refuse(&self, variable: &'static str, rule: impl Into<Cow<'static, str>>) {
        self.errors.borrow_mut().push(ConfigError { variable, rule: rule.into() });
    }

    /// An address that a request can be sent to; what is missing has been told.
    fn address(&self, variable: &'static str, address: &str) {
        if !address.is_empty() && !Address::parse(address).is_some_and(|it| is_origin(it.origin)) {
            self.refuse(variable, "must be an address such as https://name.example/v1");
        }
    }

    fn auth(&self) -> Auth {
        match self.must("AUTH_MODE").as_str() {
            "access" => {
                let team_domain = self.must("ACCESS_TEAM_DOMAIN");
                if !team_domain.is_empty() && !is_origin(&access_issuer(&team_domain)) {
                    self.refuse("ACCESS_TEAM_DOMAIN", "must be a name such as team.cloudflareaccess.com");
                }
                Auth::Access { team_domain, audience: self.must("ACCESS_AUD") }
            }
            "oidc" => {
                let audience = self.must("OIDC_AUDIENCE");
                let client = Client {
                    id: self.get("OIDC_CLIENT_ID").unwrap_or_else(|| audience.clone()),
                    secret: self.get("OIDC_CLIENT_SECRET").map(Secret::new),
                };
                let issuer = self.must("OIDC_ISSUER");
                self.address("OIDC_ISSUER", &issuer);
                Auth::Oidc { issuer, audience, client }
            }
            // What is missing has been told.
            "local" | "" => Auth::Local,
            _ => {
                self.refuse("AUTH_MODE", "must be local, access or oidc");
                Auth::Local
            }
        }
    }

    /// The first of `base_urls` and of `api_keys` that is there counts.
    fn provider(
        &self,
        variable: &'static str,
        base_urls: &[&'static str],
        api_keys: &[&'static str],
    ) -> Provider {
        match self.get(variable).as_deref() {
            None | Some("embedded") => Provider::Embedded,
            Some("workers-ai") => Provider::WorkersAi,
            Some("openai") => {
                let named = base_urls.iter().find(|name| self.get(name).is_some()).or(base_urls.last());
                let base_url = named.map_or_else(String::new, |variable| {
                    let base_url = self.must(variable);
                    self.address(variable, &base_url);
                    base_url
                });
                Provider::OpenAi {
                    base_url: base_url.trim_end_matches('/').to_owned(),
                    api_key: api_keys.iter().find_map(|name| self.get(name)).map(Secret::new),
                }
            }
            Some(_) => {
                self.refuse(variable, "must be embedded, openai or workers-ai");
                Provider::Embedded
            }
        }
    }

    fn switch(&self) -> Switch {
        let until = self.get("SITE_SWITCH_UNTIL").and_then(|raw| {
            let until = Millis::parse_rfc3339(&raw);
            if until.is_none() {
                self.refuse("SITE_SWITCH_UNTIL", "must be an instant such as 2026-11-30T02:00:00Z");
            }
            until
        });
        match self.get("SITE_SWITCH").as_deref() {
            None | Some("on") => Switch::On,
            Some("no_model") => Switch::NoModel { until },
            Some("off") => Switch::Off { until },
            Some(_) => {
                self.refuse("SITE_SWITCH", "must be on, no_model or off");
                Switch::On
            }
        }
    }

    fn limits(&self) -> Limits {
        let number = |variable: &'static str, default: i64, least: i64, most: i64| {
            let Some(value) = self.get(variable) else { return default };
            let number = value.trim().parse().ok().filter(|number| (least..=most).contains(number));
            number.unwrap_or_else(|| {
                self.refuse(variable, format!("must be a whole number from {least} to {most}"));
                default
            })
        };
        let d = Limits::default();
        // Every upper bound keeps a value in a row under SQLite's 2 MB here, a prompt within what models take,
        // and a storage within the 32 bits that its size is told in.
        Limits {
            max_message_chars: number("MAX_MESSAGE_CHARS", d.max_message_chars as i64, 1, 100_000) as usize,
            recent_messages: number("RECENT_MESSAGES", d.recent_messages as i64, 2, 10) as usize,
            summary_max_tokens: number("SUMMARY_MAX_TOKENS", d.summary_max_tokens.into(), 50, 4000) as u32,
            fact_max_chars: number("FACT_MAX_CHARS", d.fact_max_chars as i64, 20, 2000) as usize,
            memory_prompt_tokens: number("MEMORY_PROMPT_TOKENS", d.memory_prompt_tokens.into(), 0, 50_000)
                as u32,
            prompt_max_tokens: number("PROMPT_MAX_TOKENS", d.prompt_max_tokens.into(), 500, 200_000) as u32,
            reply_max_tokens: number("REPLY_MAX_TOKENS", d.reply_max_tokens.into(), 16, 32_000) as u32,
            queue_max: number("QUEUE_MAX", d.queue_max as i64, 1, 1000) as usize,
            facts_max: number("FACTS_MAX", d.facts_max as i64, 1, 100_000) as usize,
            daily_token_budget: number("DAILY_TOKEN_BUDGET", d.daily_token_budget.into(), 1, 1_000_000_000)
                as u32,
            model_stall_ms: number("MODEL_STALL_MS", d.model_stall_ms, 100, 600_000),
            requests_per_minute: number("REQUESTS_PER_MINUTE", d.requests_per_minute.into(), 1, 1_000_000)
                as u32,
            connections_max: number("CONNECTIONS_MAX", d.connections_max as i64, 1, 1000) as usize,
            storage_max_mb: number("STORAGE_MAX_MB", d.storage_max_mb.into(), 1, 4000) as u32,
        }
    }
}
