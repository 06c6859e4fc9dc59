//! Configuration, read once from the environment's strings.
//!
//! `Config::read` takes a look-up function and not an environment, so that every value, default and refusal is
//! tested natively. A value that can't be used is an error that names the variable, never a silent default.

use std::borrow::Cow;
use std::fmt;

use crate::time::Millis;

mod read;

/// Everything that can be configured. Each field's comment names its variable.
#[derive(Clone, Debug)]
pub struct Config {
    pub auth: Auth,
    /// `SESSION_SECRET`: signs session cookies and personal access tokens; at least 32 bytes.
    pub session_secret: Secret,
    /// `SESSION_SECRET_PREVIOUS`: what it was before, still believed while it is being changed.
    pub previous_secret: Option<Secret>,
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
    /// `AI_GATEWAY`: the AI Gateway that runs of the `AI` binding go through.
    pub ai_gateway: Option<String>,
    /// `MEMORY_LAYOUT`.
    pub layout: Layout,
    /// `MODEL_TOOLS`: whether models that can are offered memory as tools.
    pub model_tools: bool,
    /// `MODEL_CALLS`: whether the model answers several calls at a time, so that none has to give way to another.
    pub calls_side_by_side: bool,
    /// `RECALL_THRESHOLD`: from which cosine on a text counts as near to a question, instead of the shipped value.
    pub recall_threshold: Option<f32>,
    pub limits: Limits,
    /// `SITE_SWITCH`, `SITE_SWITCH_UNTIL`.
    pub switch: Switch,
}

/// `AUTH_MODE`: who vouches for the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Auth {
    /// A name is enough; only on loopback hosts.
    Local,
    /// Cloudflare Access: `ACCESS_TEAM_DOMAIN`, `ACCESS_AUD`.
    Access { team_domain: String, audience: String },
    /// Any OpenID provider: `OIDC_ISSUER`, and `OIDC_AUDIENCE` for bearer tokens.
    Oidc { issuer: String, audience: String, client: Client },
}

/// What this installation is called at the OpenID provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Client {
    /// `OIDC_CLIENT_ID`; by default the audience.
    pub id: String,
    /// `OIDC_CLIENT_SECRET`; a public client has none and proves itself by PKCE alone.
    pub secret: Option<Secret>,
}

/// `SITE_SWITCH`: what the operator lets everybody do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Switch {
    #[default]
    On,
    /// No model is called: nobody can chat, everybody can read, take away and delete what is theirs.
    NoModel { until: Option<Millis> },
    /// Nothing that needs an identity is answered.
    Off { until: Option<Millis> },
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
    pub requests_per_minute: u32,
    pub connections_max: usize,
    pub storage_max_mb: u32,
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
            requests_per_minute: 600,
            connections_max: 32,
            storage_max_mb: 1000,
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
    pub rule: Cow<'static, str>,
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.variable, self.rule)
    }
}

/// Everything that keeps this installation from working. Holds names and rules, never values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfinished(pub Vec<ConfigError>);

impl Unfinished {
    /// The variables' names, each once.
    pub fn variables(&self) -> Vec<&'static str> {
        let mut names: Vec<_> = self.0.iter().map(|error| error.variable).collect();
        names.dedup();
        names
    }
}

impl Auth {
    /// Where a browser signs in; at Access that is a sign-out, after which it asks anew.
    pub fn sign_in(&self) -> &'static str {
        match self {
            Self::Local => "/auth/local",
            Self::Access { .. } => "/cdn-cgi/access/logout",
            Self::Oidc { .. } => "/auth/login",
        }
    }
}

impl Config {
    /// The secrets whose signatures are believed; the first one signs.
    pub fn secrets(&self) -> Vec<&Secret> {
        std::iter::once(&self.session_secret).chain(&self.previous_secret).collect()
    }

    /// Reads every variable through `lookup`; an empty string counts as absent. What can't be used is told
    /// all at once, so that nobody sets up an installation by one error after another.
    pub fn read(lookup: &dyn Fn(&str) -> Option<String>) -> Result<Self, Unfinished> {
        let (config, errors) = read::config(lookup);
        if errors.is_empty() { Ok(config) } else { Err(Unfinished(errors)) }
    }
}

#[cfg(test)]
mod tests;
