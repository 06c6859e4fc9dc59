//! Whether an installation can serve: what `/readyz` answers.
//!
//! Invariant: names only, of variables and of bindings, never a value, because anybody may ask. Deliberately absent:
//! whether D1, Vectorize or a model answer. Chat does without the first two, and a question that anybody may ask
//! must not cost money.

use crate::config::Config;

/// What a Worker can't do without.
const REQUIRED_BINDINGS: &[&str] = &["AGENT", "DB", "ASSETS"];

/// Every variable and binding that is missing or can't be used, each once; empty when the installation is ready.
/// `is_loopback` tells whether the request came to this machine's own address.
pub fn missing(
    lookup: &dyn Fn(&str) -> Option<String>,
    is_bound: &dyn Fn(&str) -> bool,
    is_loopback: bool,
) -> Vec<&'static str> {
    let mut missing = match Config::read(lookup) {
        Ok(_) => Vec::new(),
        Err(unfinished) => unfinished.variables(),
    };
    let says = |name: &str, value: &str| lookup(name).as_deref() == Some(value);
    if says("AUTH_MODE", "local") && !is_loopback && !missing.contains(&"AUTH_MODE") {
        missing.push("AUTH_MODE");
    }
    if ["MODEL_PROVIDER", "EMBEDDING_PROVIDER"].iter().any(|name| says(name, "workers-ai")) && !is_bound("AI")
    {
        missing.push("AI");
    }
    missing.extend(REQUIRED_BINDINGS.iter().filter(|name| !is_bound(name)));
    missing
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Long enough for every rule about length.
    const ANYTHING: &str = "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx";
    const GOOD: &[(&str, &str)] = &[("AUTH_MODE", "local"), ("SESSION_SECRET", ANYTHING)];
    const ALL: &[&str] = &["AGENT", "DB", "ASSETS", "AI"];

    fn lacks(variables: &[(&str, &str)], bound: &[&str], is_loopback: bool) -> Vec<&'static str> {
        missing(
            &|name| variables.iter().rev().find(|(n, _)| *n == name).map(|(_, value)| (*value).to_owned()),
            &|name| bound.contains(&name),
            is_loopback,
        )
    }

    fn with(more: &[(&'static str, &'static str)]) -> Vec<&'static str> {
        lacks(&[GOOD, more].concat(), ALL, true)
    }

    #[test]
    fn a_whole_installation_lacks_nothing() {
        assert!(with(&[]).is_empty());
        assert!(lacks(GOOD, &["AGENT", "DB", "ASSETS"], true).is_empty(), "the built-in model needs no AI");
        let access =
            [("AUTH_MODE", "access"), ("ACCESS_TEAM_DOMAIN", "t.cloudflareaccess.com"), ("ACCESS_AUD", "a")];
        assert!(lacks(&[GOOD, &access].concat(), ALL, false).is_empty());
    }

    #[test]
    fn everything_that_is_missing_is_named_at_once() {
        assert_eq!(lacks(&[], &[], true), ["AUTH_MODE", "SESSION_SECRET", "AGENT", "DB", "ASSETS"]);
        assert_eq!(
            with(&[("AUTH_MODE", "access"), ("MODEL_PROVIDER", "openai"), ("QUEUE_MAX", "many")]),
            ["ACCESS_TEAM_DOMAIN", "ACCESS_AUD", "MODEL_BASE_URL", "CHAT_MODEL", "QUEUE_MAX"]
        );
        assert_eq!(
            with(&[("AUTH_MODE", "everybody"), ("SESSION_SECRET", "")]),
            ["AUTH_MODE", "SESSION_SECRET"]
        );
        assert_eq!(with(&[("EMBEDDING_PROVIDER", "my own")]), ["EMBEDDING_PROVIDER"]);
    }

    #[test]
    fn a_name_is_enough_only_on_this_machine() {
        assert_eq!(lacks(GOOD, ALL, false), ["AUTH_MODE"]);
        assert_eq!(lacks(&GOOD[1..], ALL, false), ["AUTH_MODE"], "named once");
    }

    #[test]
    fn a_binding_is_wanted_when_a_provider_uses_it() {
        for variable in ["MODEL_PROVIDER", "EMBEDDING_PROVIDER"] {
            let variables = [GOOD, &[(variable, "workers-ai")]].concat();
            assert_eq!(lacks(&variables, &["AGENT", "DB", "ASSETS"], true), ["AI"]);
        }
    }
}
