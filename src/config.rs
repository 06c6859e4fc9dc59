//! Configuration, read once from the environment's strings.
//!
//! `Config::read` takes a look-up function and not an environment, so that every value, default and refusal is
//! tested natively. A value that can't be used is an error that names the variable, never a silent default.

use std::fmt;

/// Everything that can be configured. Each field's comment names its variable.
#[derive(Clone, Debug)]
pub struct Config {
    pub auth: Auth,
    /// `SESSION_SECRET`: signs session cookies; at least 32 bytes.
    pub session_secret: Secret,
    /// `MODEL_PROVIDER`, `MODEL_BASE_URL`, `MODEL_API_KEY`.
    pub model: Provider,
    /// `CHAT_MODEL`.
    pub chat_model: String,
    /// `MEMORY_MODEL`: extraction, folding, rewriting, judging. Default: the chat model.
    pub memory_model: String,
    /// `EMBEDDING_PROVIDER`, `EMBEDDING_BASE_URL`, `EMBEDDING_API_KEY`; the URL and key default to the model's.
    pub embedding: Provider,
    /// `EMBEDDING_MODEL`.
    pub embedding_model: String,
    /// `MEMORY_LAYOUT`.
    pub layout: Layout,
    /// `MODEL_TOOLS`: whether models that can are offered memory as tools.
    pub model_tools: bool,
    /// `RECALL_THRESHOLD`: from which cosine on a text counts as near to a question, instead of the shipped value.
    pub recall_threshold: Option<f32>,
    pub limits: Limits,
}

/// `AUTH_MODE`: who vouches for the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Auth {
    /// A name is enough; only on loopback hosts.
    Local,
    /// Cloudflare Access: `ACCESS_TEAM_DOMAIN`, `ACCESS_AUD`.
    Access { team_domain: String, audience: String },
    /// Any OpenID provider: `OIDC_ISSUER`, `OIDC_AUDIENCE`.
    Oidc { issuer: String, audience: String },
}

/// Who answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Provider {
    /// The built-in model: no key, deterministic, runs in the wasm.
    Embedded,
    /// Any OpenAI-compatible server; the URL goes up to and with `/v1`, without a final slash.
    OpenAi { base_url: String, api_key: Option<Secret> },
    /// The `AI` binding.
    WorkersAi,
}

impl Provider {
    pub fn name(&self) -> &'static str {
        match self {
            Self::Embedded => "embedded",
            Self::OpenAi { .. } => "openai",
            Self::WorkersAi => "workers-ai",
        }
    }
}

/// `MEMORY_LAYOUT`: how reference memory reaches the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// In a user-role message of its own.
    Separate,
    /// In front of the question, in one message, for models that take the separate one for the question.
    Merged,
}

/// The numbers of SPEC section 5, under the same names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    pub max_message_chars: usize,
    pub recent_messages: usize,
    pub summary_max_tokens: u32,
    pub fact_max_chars: usize,
    pub memory_prompt_tokens: u32,
    pub prompt_max_tokens: u32,
    pub reply_max_tokens: u32,
    pub queue_max: usize,
    pub facts_max: usize,
    pub daily_token_budget: u32,
    pub model_stall_ms: i64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_message_chars: 8000,
            recent_messages: 10,
            summary_max_tokens: 400,
            fact_max_chars: 300,
            memory_prompt_tokens: 800,
            prompt_max_tokens: 6000,
            reply_max_tokens: 1024,
            queue_max: 8,
            facts_max: 10_000,
            daily_token_budget: 200_000,
            model_stall_ms: 30_000,
        }
    }
}

/// A secret that no log can print.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    pub fn new(value: String) -> Self {
        Self(value)
    }

    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// A variable that is missing or can't be used. Holds names and rules, never values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError {
    pub variable: &'static str,
    pub rule: &'static str,
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.variable, self.rule)
    }
}

/// Session secrets shorter than this can be guessed.
const MIN_SECRET_BYTES: usize = 32;

impl Config {
    /// Reads every variable through `lookup`; an empty string counts as absent.
    pub fn read(lookup: &dyn Fn(&str) -> Option<String>) -> Result<Self, ConfigError> {
        let get = |name: &str| lookup(name).filter(|value| !value.is_empty());
        let must = |name: &'static str| get(name).ok_or(ConfigError { variable: name, rule: "is missing" });

        let auth = match must("AUTH_MODE")?.as_str() {
            "local" => Auth::Local,
            "access" => {
                Auth::Access { team_domain: must("ACCESS_TEAM_DOMAIN")?, audience: must("ACCESS_AUD")? }
            }
            "oidc" => Auth::Oidc { issuer: must("OIDC_ISSUER")?, audience: must("OIDC_AUDIENCE")? },
            _ => return Err(ConfigError { variable: "AUTH_MODE", rule: "must be local, access or oidc" }),
        };
        let session_secret = must("SESSION_SECRET")?;
        if session_secret.len() < MIN_SECRET_BYTES {
            return Err(ConfigError { variable: "SESSION_SECRET", rule: "must have at least 32 bytes" });
        }
        let model = provider(
            get("MODEL_PROVIDER"),
            "MODEL_PROVIDER",
            || must("MODEL_BASE_URL"),
            get("MODEL_API_KEY"),
        )?;
        let embedding = provider(
            get("EMBEDDING_PROVIDER"),
            "EMBEDDING_PROVIDER",
            || get("EMBEDDING_BASE_URL").map_or_else(|| must("MODEL_BASE_URL"), Ok),
            get("EMBEDDING_API_KEY").or_else(|| get("MODEL_API_KEY")),
        )?;
        let chat_model = match &model {
            Provider::Embedded => get("CHAT_MODEL").unwrap_or_else(|| "kioku-embedded".to_owned()),
            Provider::OpenAi { .. } => must("CHAT_MODEL")?,
            Provider::WorkersAi => {
                get("CHAT_MODEL").unwrap_or_else(|| "@cf/meta/llama-3.3-70b-instruct-fp8-fast".to_owned())
            }
        };
        let embedding_model = match &embedding {
            Provider::Embedded => "kioku-embedded".to_owned(),
            Provider::OpenAi { .. } => must("EMBEDDING_MODEL")?,
            Provider::WorkersAi => get("EMBEDDING_MODEL").unwrap_or_else(|| "@cf/baai/bge-m3".to_owned()),
        };
        let layout = match get("MEMORY_LAYOUT").as_deref() {
            None | Some("separate") => Layout::Separate,
            Some("merged") => Layout::Merged,
            Some(_) => {
                return Err(ConfigError { variable: "MEMORY_LAYOUT", rule: "must be separate or merged" });
            }
        };
        let model_tools = match get("MODEL_TOOLS").as_deref() {
            None | Some("auto") => true,
            Some("off") => false,
            Some(_) => return Err(ConfigError { variable: "MODEL_TOOLS", rule: "must be auto or off" }),
        };
        let recall_threshold = match get("RECALL_THRESHOLD").map(|value| value.trim().parse::<f32>()) {
            None => None,
            Some(Ok(value)) if (0.05..=1.0).contains(&value) => Some(value),
            Some(_) => {
                return Err(ConfigError { variable: "RECALL_THRESHOLD", rule: "must be between 0.05 and 1" });
            }
        };
        Ok(Self {
            auth,
            session_secret: Secret::new(session_secret),
            memory_model: get("MEMORY_MODEL").unwrap_or_else(|| chat_model.clone()),
            model,
            chat_model,
            embedding,
            embedding_model,
            layout,
            model_tools,
            recall_threshold,
            limits: limits(&get)?,
        })
    }
}

fn provider(
    value: Option<String>,
    variable: &'static str,
    base_url: impl FnOnce() -> Result<String, ConfigError>,
    api_key: Option<String>,
) -> Result<Provider, ConfigError> {
    match value.as_deref() {
        None | Some("embedded") => Ok(Provider::Embedded),
        Some("workers-ai") => Ok(Provider::WorkersAi),
        Some("openai") => Ok(Provider::OpenAi {
            base_url: base_url()?.trim_end_matches('/').to_owned(),
            api_key: api_key.map(Secret::new),
        }),
        Some(_) => Err(ConfigError { variable, rule: "must be embedded, openai or workers-ai" }),
    }
}

fn limits(get: &dyn Fn(&str) -> Option<String>) -> Result<Limits, ConfigError> {
    let number = |variable: &'static str, default: i64, least: i64, most: i64| match get(variable) {
        None => Ok(default),
        Some(value) => value
            .trim()
            .parse()
            .ok()
            .filter(|number| (least..=most).contains(number))
            .ok_or(ConfigError { variable, rule: "must be a whole number within its limits" }),
    };
    let d = Limits::default();
    // Every upper bound keeps a value in a row under SQLite's 2 MB here, and a prompt within what models take.
    Ok(Limits {
        max_message_chars: number("MAX_MESSAGE_CHARS", d.max_message_chars as i64, 1, 100_000)? as usize,
        recent_messages: number("RECENT_MESSAGES", d.recent_messages as i64, 2, 10)? as usize,
        summary_max_tokens: number("SUMMARY_MAX_TOKENS", d.summary_max_tokens.into(), 50, 4000)? as u32,
        fact_max_chars: number("FACT_MAX_CHARS", d.fact_max_chars as i64, 20, 2000)? as usize,
        memory_prompt_tokens: number("MEMORY_PROMPT_TOKENS", d.memory_prompt_tokens.into(), 0, 50_000)?
            as u32,
        prompt_max_tokens: number("PROMPT_MAX_TOKENS", d.prompt_max_tokens.into(), 500, 200_000)? as u32,
        reply_max_tokens: number("REPLY_MAX_TOKENS", d.reply_max_tokens.into(), 16, 32_000)? as u32,
        queue_max: number("QUEUE_MAX", d.queue_max as i64, 1, 1000)? as usize,
        facts_max: number("FACTS_MAX", d.facts_max as i64, 1, 100_000)? as usize,
        daily_token_budget: number("DAILY_TOKEN_BUDGET", d.daily_token_budget.into(), 1, 1_000_000_000)?
            as u32,
        model_stall_ms: number("MODEL_STALL_MS", d.model_stall_ms, 100, 600_000)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(variables: &[(&str, &str)]) -> Result<Config, ConfigError> {
        Config::read(&|name| {
            variables.iter().rev().find(|(n, _)| *n == name).map(|(_, value)| (*value).to_owned())
        })
    }

    const LOCAL: &[(&str, &str)] =
        &[("AUTH_MODE", "local"), ("SESSION_SECRET", "0123456789abcdef0123456789abcdef")];

    fn with(more: &[(&'static str, &'static str)]) -> Result<Config, ConfigError> {
        read(&[LOCAL, more].concat())
    }

    #[test]
    fn the_defaults_need_no_account_and_no_key() {
        let config = with(&[]).unwrap();
        assert_eq!((config.model, config.embedding), (Provider::Embedded, Provider::Embedded));
        assert_eq!(config.limits, Limits::default());
    }

    #[test]
    fn embeddings_use_the_models_server_unless_they_have_their_own() {
        let common = [
            ("MODEL_PROVIDER", "openai"),
            ("MODEL_BASE_URL", "http://a/v1/"),
            ("MODEL_API_KEY", "k"),
            ("CHAT_MODEL", "m"),
            ("EMBEDDING_PROVIDER", "openai"),
            ("EMBEDDING_MODEL", "e"),
        ];
        let key = Some(Secret::new("k".to_owned()));
        let expected = Provider::OpenAi { base_url: "http://a/v1".to_owned(), api_key: key.clone() };
        assert_eq!(with(&common).unwrap().embedding, expected);
        let own = [&common[..], &[("EMBEDDING_BASE_URL", "http://b/v1")]].concat();
        let expected = Provider::OpenAi { base_url: "http://b/v1".to_owned(), api_key: key };
        assert_eq!(with(&own).unwrap().embedding, expected);
    }

    #[test]
    fn what_is_missing_or_unusable_is_named() {
        let cases: &[(&[(&'static str, &'static str)], &str)] = &[
            (&[("AUTH_MODE", "")], "AUTH_MODE"),
            (&[("AUTH_MODE", "none")], "AUTH_MODE"),
            (&[("AUTH_MODE", "access")], "ACCESS_TEAM_DOMAIN"),
            (&[("AUTH_MODE", "oidc"), ("OIDC_ISSUER", "https://i")], "OIDC_AUDIENCE"),
            (&[("SESSION_SECRET", "short")], "SESSION_SECRET"),
            (&[("MODEL_PROVIDER", "openai")], "MODEL_BASE_URL"),
            (&[("MODEL_PROVIDER", "gpt")], "MODEL_PROVIDER"),
            (&[("QUEUE_MAX", "many")], "QUEUE_MAX"),
            (&[("RECENT_MESSAGES", "11")], "RECENT_MESSAGES"),
            (&[("MEMORY_LAYOUT", "mixed")], "MEMORY_LAYOUT"),
            (&[("MODEL_TOOLS", "on")], "MODEL_TOOLS"),
            (&[("RECALL_THRESHOLD", "1.5")], "RECALL_THRESHOLD"),
            (&[("RECALL_THRESHOLD", "NaN")], "RECALL_THRESHOLD"),
        ];
        for (variables, named) in cases {
            assert_eq!(with(variables).unwrap_err().variable, *named);
        }
    }

    #[test]
    fn a_secret_is_not_printed() {
        let printed = format!("{:?}", with(&[("MODEL_API_KEY", "hunter2")]).unwrap());
        assert!(!printed.contains("hunter2") && !printed.contains("0123456789abcdef"));
    }
}
