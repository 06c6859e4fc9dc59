//! Whatever comes from outside is taken without a panic: by every parser, and by every route and frame of an object.
//!
//! A short run in every test; for a long one: `PROPTEST_CASES=100000 cargo test --release --test native fuzz::`.

use crate::support::world::{World, config};
use kioku::chat::protocol;
use kioku::config::Secret;
use kioku::http::caller::{self, Caller};
use kioku::http::identity::{Identity, cookie};
use kioku::http::jwks::{Discovery, Keys};
use kioku::http::jwt::Unverified;
use kioku::http::route::Route;
use kioku::http::sign_in::{self, Flow};
use kioku::http::{query, session, token};
use kioku::llm::stream::StreamDecoder;
use kioku::llm::{embeddings, openai, workers_ai};
use kioku::memory::{calls, intent, json, policy};
use kioku::session::api::Request;
use kioku::time::Millis;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json as object};

const NOW: Millis = Millis(1_796_004_000_000);

/// Text with what breaks parsers: borders of characters, joiners, directions, quotes, escapes, full width.
fn text() -> impl Strategy<Value = String> {
    let hostile = select(vec![
        "\0",
        "\u{7f}",
        "\u{200b}",
        "\u{200d}",
        "\u{202e}",
        "\u{feff}",
        "\u{fffd}",
        "\u{10ffff}",
        "\r\n",
        "\"",
        "\\",
        "\\ud800",
        "%00",
        "%f",
        "é",
        "e\u{301}",
        "が",
        "か\u{3099}",
        "犬",
        "ｆｕｌｌ",
        "㌔",
        "👩‍👩‍👧",
        "🇯🇵",
        "ﷺ",
        "1e999",
        "-0",
        "../",
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        ";",
        "=",
        "&",
        "?",
        "#",
        ".",
        "null",
        "NaN",
        "2026-02-30T25:61:00Z",
    ])
    .prop_map(str::to_owned);
    prop::collection::vec(prop_oneof![hostile, "\\PC{0,8}", "[a-z0-9_-]{0,8}"], 0..8)
        .prop_map(|parts| parts.concat())
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((key(), inner), 0..5)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// Names that somebody reads, and others.
fn key() -> impl Strategy<Value = String> {
    let known = select(vec![
        "type",
        "id",
        "text",
        "turn",
        "after",
        "title",
        "temporary",
        "summary",
        "kind",
        "scope",
        "status",
        "pinned",
        "confirm",
        "query",
        "thread",
        "limit",
        "name",
        "scopes",
        "expires_at",
        "memory_mode",
        "timezone",
        "locale",
        "retention_days",
        "never_remember",
        "role",
        "content",
        "created_at",
        "external_id",
        "messages",
        "operations",
        "op",
        "target",
        "message",
        "quote",
        "valid_from",
        "valid_until",
        "verdict",
        "choices",
        "delta",
        "usage",
        "data",
        "embedding",
        "index",
        "response",
        "keys",
        "kid",
        "kty",
        "alg",
        "issuer",
        "jwks_uri",
    ])
    .prop_map(str::to_owned);
    prop_oneof![4 => known, 1 => text()]
}

/// Bytes that begin as something good and are then cut, doubled and changed.
fn damaged(good: Vec<&'static str>) -> impl Strategy<Value = Vec<u8>> {
    let changes = prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..4_u8), 0..6);
    (select(good), changes).prop_map(|(good, changes)| {
        let mut bytes = good.as_bytes().to_vec();
        for (place, byte, how) in changes {
            let place = place.index(bytes.len() + 1);
            match how {
                0 => bytes.truncate(place),
                1 => bytes.insert(place, byte),
                2 => bytes.extend_from_within(place..),
                _ => {
                    if let Some(old) = bytes.get_mut(place) {
                        *old = byte;
                    }
                }
            }
        }
        bytes
    })
}

const FRAMES: &[&str] = &[
    r#"{"type":"send","id":"a-1","text":"犬の名前はポチです"}"#,
    r#"{"type":"resume","turn":"t_x","after":3}"#,
    r#"{"type":"stop","turn":"t_x"}"#,
];
const STREAMS: &[&str] = &[
    "data: {\"choices\":[{\"delta\":{\"content\":\"こんにちは\"},\"finish_reason\":null}]}\n\ndata: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":2}}\n\ndata: [DONE]\n\n",
    "data: {\"response\":\"はい\",\"usage\":{\"prompt_tokens\":3}}\r\n\r\nevent: x\rdata: [DONE]\r\r",
    ": comment\n\nid: 1\ndata: {\"error\":{\"message\":\"no\",\"code\":429}}\n\n",
];
const IMPORTS: &[(&str, &str)] = &[
    (
        "messages",
        "{\"role\":\"user\",\"content\":\"犬が好き\",\"created_at\":\"2026-01-02T03:04:05Z\",\"thread\":\"a\"}\n{}\n",
    ),
    (
        "kioku",
        r#"{"facts":[{"id":"f_1","text":"I like tea.","kind":"preference","source":{"quote":"tea"}}],"threads":[]}"#,
    ),
    (
        "chatgpt",
        r#"[{"title":"x","mapping":{"a":{"id":"a","message":{"author":{"role":"user"},"content":{"parts":["hi"]},"create_time":1.5},"parent":null,"children":["a"]}}}]"#,
    ),
    (
        "claude",
        r#"[{"uuid":"u","name":"n","chat_messages":[{"sender":"human","text":"hi","created_at":"2026-01-01T00:00:00Z"}]}]"#,
    ),
];
const COOKIES: &[&str] =
    &["kioku_session=e30.AAAA; kioku_sign_in=e30.AAAA; CF_Authorization=a.b.c", "a=b;;=;kioku_session"];
const TOKENS: &[&str] =
    &["eyJhbGciOiJSUzI1NiIsImtpZCI6ImEifQ.e30.AAAA", "kioku_pat_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"];
const ANSWERS: &[&str] = &[
    r#"{"operations":[{"op":"add","text":"The user lives in Kyoto.","kind":"place","target":null,"message":"m1","quote":"I live in Kyoto","valid_from":null,"valid_until":"2026-13-01"}]}"#,
    "```json\n{\"summary\":\"ok\"}\n``` and more",
    r#"{"choices":[{"message":{"content":"x"},"finish_reason":"length"}],"usage":{}}"#,
    r#"{"data":[{"index":0,"embedding":[0.1,1e39,null]}]}"#,
];

proptest! {
    #[test]
    fn no_frame_panics(raw in prop_oneof![text(), value().prop_map(|v| v.to_string())], damaged in damaged(FRAMES.to_vec())) {
        let _ = (protocol::parse(&raw, 8000), protocol::parse(&raw, 0));
        let _ = protocol::parse(&String::from_utf8_lossy(&damaged), 8000);
    }

    #[test]
    fn no_address_or_query_panics(method in "[A-Z]{0,7}", path in text(), raw in text()) {
        let _ = (Route::parse(&method, &path), Route::parse("GET", &format!("/api/memory/facts/{path}")));
        let raw = format!("limit={raw}&q={raw}&match={raw}&status={raw}&kind={raw}&thread={raw}&cursor={raw}&bytes={raw}&format={raw}&before={raw}&messages={raw}");
        let _ = (query::FactsQuery::parse(&raw), query::PageQuery::parse(&raw, "before"), query::chat_thread(&raw));
        let _ = (query::forget_messages(&raw), query::export(&raw), query::import(&raw));
    }

    #[test]
    fn no_cookie_token_or_key_panics(
        raw in text(), cookies in damaged(COOKIES.to_vec()), tokens in damaged(TOKENS.to_vec()), keys in value(),
    ) {
        let secret = Secret::new("k".repeat(32));
        let flow = Flow::begin(&[7; sign_in::CHANCE_BYTES], &raw, NOW);
        for text in [raw.as_str(), &String::from_utf8_lossy(&cookies), &String::from_utf8_lossy(&tokens)] {
            let _ = (cookie(text, "kioku_session"), session::verify(&[&secret], text, NOW), Flow::read(&[&secret], text, NOW));
            let _ = (token::read(&[&secret], text), Unverified::parse(text).is_ok(), Caller::decode(text));
            let _ = (Identity::local(text), flow.code(text, text), caller::HEADER);
        }
        let json = keys.to_string().into_bytes();
        let set = object!({"keys": [keys]}).to_string().into_bytes();
        let _ = (Keys::parse(&json), Keys::parse(&set), Discovery::parse(&json, &raw), sign_in::identity_token(&json));
    }

    #[test]
    fn no_answer_of_a_model_panics(
        raw in text(), answers in damaged(ANSWERS.to_vec()), any in value(), chunk in 1..40_usize, stream in damaged(STREAMS.to_vec()),
    ) {
        for mut decoder in [StreamDecoder::openai(), StreamDecoder::workers_ai(100)] {
            for bytes in stream.chunks(chunk).chain([raw.as_bytes()]) {
                let _ = decoder.push(bytes);
            }
            let _ = decoder.finish();
        }
        let answer = String::from_utf8_lossy(&answers);
        for text in [raw.as_str(), &answer, &any.to_string()] {
            let _ = (json::read(text), calls::read_summary(text), calls::read_query(text), calls::read_judged(text, &[]));
            let _ = (openai::read_completion(text.as_bytes()), embeddings::read_embeddings(text.as_bytes(), 1));
        }
        let _ = (workers_ai::read_completion(&any), embeddings::read_run(&any, 1), workers_ai::failure(&raw));
    }

    #[test]
    fn no_message_panics_where_it_is_judged(raw in text()) {
        let _ = (intent::intent(&raw), policy::screen(&raw), policy::mask(&raw).len());
    }
}

proptest! {
    // Each case opens an object.
    #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases / 8, ..ProptestConfig::default() })]

    #[test]
    fn no_import_panics_and_none_is_our_fault(
        format in select(vec!["kioku", "messages", "chatgpt", "claude"]),
        file in damaged(IMPORTS.iter().map(|(_, file)| *file).collect()), any in value(),
    ) {
        let mut world = World::new(config(&[]));
        let session = world.session();
        for body in [file, any.to_string().into_bytes(), format!("[{any},{any}]").into_bytes()] {
            let (method, path, user) = ("POST".to_owned(), "/api/import".to_owned(), String::new());
            let request = Request { method, path, query: format!("format={format}"), body, user };
            let response = futures::executor::block_on(session.handle(request));
            prop_assert!(response.status != 500, "{format}: {}", response.body);
        }
    }

    #[test]
    fn no_request_panics_and_none_is_our_fault(
        requests in prop::collection::vec(
            (select(Route::ALL.to_vec()), text(), text(), prop_oneof![
                value().prop_map(|v| v.to_string().into_bytes()),
                text().prop_map(String::into_bytes),
                prop::collection::vec(any::<u8>(), 0..40),
            ]),
            1..12,
        ),
    ) {
        let mut world = World::new(config(&[]));
        let session = world.session();
        for ((method, pattern), id, query, body) in requests {
            let id = if id.len() % 2 == 0 { "main".to_owned() } else { id };
            let path: String = pattern.split('/').map(|part| if part.starts_with('{') { &id } else { part }).collect::<Vec<_>>().join("/");
            let query = format!("limit=2&q={query}&status=all&cursor={query}&format=json");
            let request = Request { method: method.as_str().to_owned(), path, query, body, user: id.clone() };
            let response = futures::executor::block_on(session.handle(request));
            prop_assert!(response.status != 500, "{} {}: {}", method.as_str(), pattern, response.body);
            prop_assert!((200..600).contains(&response.status));
        }
    }
}
