use super::*;

fn read(variables: &[(&str, &str)]) -> Result<Config, Unfinished> {
    Config::read(&|name| {
        variables.iter().rev().find(|(n, _)| *n == name).map(|(_, value)| (*value).to_owned())
    })
}

const LOCAL: &[(&str, &str)] =
    &[("AUTH_MODE", "local"), ("SESSION_SECRET", "0123456789abcdef0123456789abcdef")];

fn with(more: &[(&'static str, &'static str)]) -> Result<Config, Unfinished> {
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
fn a_server_of_ones_own_answers_one_call_at_a_time_unless_it_is_said_to_answer_more() {
    let many = |url: &'static str, more: &[(&'static str, &'static str)]| {
        let mut variables = vec![("MODEL_PROVIDER", "openai"), ("MODEL_BASE_URL", url), ("CHAT_MODEL", "m")];
        variables.extend(more);
        with(&variables).unwrap().calls_side_by_side
    };
    assert!(many("https://models.test/v1", &[]) && !many("http://127.0.0.1:8080/v1", &[]));
    assert!(many("http://127.0.0.1:8080/v1", &[("MODEL_CALLS", "many")]));
    assert!(!many("https://models.test/v1", &[("MODEL_CALLS", "one")]));
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
        (
            &[("MODEL_PROVIDER", "openai"), ("MODEL_BASE_URL", "m.example/v1"), ("CHAT_MODEL", "m")],
            "MODEL_BASE_URL",
        ),
        (
            &[("MODEL_PROVIDER", "openai"), ("MODEL_BASE_URL", "file:///v1"), ("CHAT_MODEL", "m")],
            "MODEL_BASE_URL",
        ),
        (
            &[
                ("EMBEDDING_PROVIDER", "openai"),
                ("MODEL_BASE_URL", "http://m/v1"),
                ("EMBEDDING_BASE_URL", "http://e e/v1"),
                ("EMBEDDING_MODEL", "e"),
            ],
            "EMBEDDING_BASE_URL",
        ),
        (&[("AUTH_MODE", "oidc"), ("OIDC_ISSUER", "ftp://i"), ("OIDC_AUDIENCE", "a")], "OIDC_ISSUER"),
        (
            &[("AUTH_MODE", "access"), ("ACCESS_TEAM_DOMAIN", "my team"), ("ACCESS_AUD", "a")],
            "ACCESS_TEAM_DOMAIN",
        ),
        (&[("QUEUE_MAX", "many")], "QUEUE_MAX"),
        (&[("RECENT_MESSAGES", "11")], "RECENT_MESSAGES"),
        (&[("MEMORY_LAYOUT", "mixed")], "MEMORY_LAYOUT"),
        (&[("MODEL_TOOLS", "on")], "MODEL_TOOLS"),
        (&[("MODEL_CALLS", "2")], "MODEL_CALLS"),
        (&[("RECALL_THRESHOLD", "1.5")], "RECALL_THRESHOLD"),
        (&[("RECALL_THRESHOLD", "NaN")], "RECALL_THRESHOLD"),
        (&[("SESSION_SECRET_PREVIOUS", "short")], "SESSION_SECRET_PREVIOUS"),
        (&[("STORAGE_MAX_MB", "0")], "STORAGE_MAX_MB"),
        (&[("SITE_SWITCH", "maybe")], "SITE_SWITCH"),
        (&[("SITE_SWITCH", "off"), ("SITE_SWITCH_UNTIL", "tomorrow")], "SITE_SWITCH_UNTIL"),
    ];
    for (variables, named) in cases {
        assert_eq!(with(variables).unwrap_err().variables().first(), Some(named));
    }
}

#[test]
fn everything_that_is_missing_is_named_at_once() {
    assert_eq!(read(&[]).unwrap_err().variables(), ["AUTH_MODE", "SESSION_SECRET"]);
    let more = [("AUTH_MODE", "oidc"), ("MODEL_PROVIDER", "openai")];
    assert_eq!(
        read(&more).unwrap_err().variables(),
        ["OIDC_AUDIENCE", "OIDC_ISSUER", "SESSION_SECRET", "MODEL_BASE_URL", "CHAT_MODEL"]
    );
}

#[test]
fn the_client_is_called_as_the_audience_unless_it_has_its_own_name() {
    let oidc = [("AUTH_MODE", "oidc"), ("OIDC_ISSUER", "https://i"), ("OIDC_AUDIENCE", "api")];
    let id = |more: &[_]| match with(&[&oidc[..], more].concat()).unwrap().auth {
        Auth::Oidc { client, .. } => client.id,
        other => panic!("{other:?}"),
    };
    assert_eq!(id(&[]), "api");
    assert_eq!(id(&[("OIDC_CLIENT_ID", "web")]), "web");
}

#[test]
fn the_switch_says_until_when() {
    let switch = |more: &[_]| with(more).unwrap().switch;
    assert_eq!(switch(&[]), Switch::On);
    assert_eq!(switch(&[("SITE_SWITCH", "no_model")]), Switch::NoModel { until: None });
    let until = Some(Millis(86_400_000));
    let off = [("SITE_SWITCH", "off"), ("SITE_SWITCH_UNTIL", "1970-01-02T00:00:00Z")];
    assert_eq!(switch(&off), Switch::Off { until });
}

#[test]
fn a_secret_is_not_printed() {
    let printed = format!("{:?}", with(&[("MODEL_API_KEY", "hunter2")]).unwrap());
    assert!(!printed.contains("hunter2") && !printed.contains("0123456789abcdef"));
}
