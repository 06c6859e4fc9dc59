//! Who is let in, what that costs, and what a refusal says: sessions, personal access tokens, budgets.

use crate::support::world::{Script, Whom, World, config};
use kioku::http::caller::{Caller, Presented};
use kioku::http::problem::{Code, Problem};
use kioku::http::route::{Access, Method, Route, Scope};
use kioku::http::token;
use kioku::id::TokenId;
use kioku::session::api::Request;
use kioku::store::sql::{Row, Sql};
use kioku::time::{DAY, MINUTE, Millis};
use serde_json::{Value, json};

fn person(issued: Millis) -> Caller {
    Caller { name: "花".to_owned(), issued: Some(issued), expires: None, token: None }
}

fn admit(world: &mut World, caller: &Caller, method: &str, path: &str) -> Result<Vec<Scope>, Problem> {
    let route = Route::parse(method, path).expect("a route");
    world.session().admit(caller, &route)
}

fn code(refused: Result<Vec<Scope>, Problem>) -> Option<Code> {
    refused.err().map(|problem| problem.code)
}

/// Makes a token and gives its text and its caller, as the Worker would.
fn make(world: &mut World, body: &Value) -> (String, Caller) {
    let (status, answer) = call(world, "POST", "/api/tokens", &body.to_string());
    assert_eq!(status, 201, "{answer}");
    let text = answer["token"].as_str().expect("the token").to_owned();
    let read = token::read(&world.config.secrets(), &text).expect("a token of ours");
    assert_eq!(read.id.as_str(), answer["id"]);
    let shown = Presented { id: read.id, hash: read.hash };
    (text, Caller { name: String::new(), issued: None, expires: None, token: Some(shown) })
}

fn call(world: &mut World, method: &str, path: &str, body: &str) -> (u16, Value) {
    let session = world.session();
    let request = Request {
        method: method.to_owned(),
        path: path.to_owned(),
        query: String::new(),
        body: body.as_bytes().to_vec(),
        user: "花".to_owned(),
    };
    let response = futures::executor::block_on(session.handle(request));
    (response.status, serde_json::from_str(&response.body).unwrap_or(Value::Null))
}

fn now(world: &World) -> Millis {
    world.outside.now.get()
}

fn rows(world: &World, sql: &str) -> Vec<Row> {
    world.outside.sql.exec(sql, &[]).expect("the storage answers")
}

/// Puts so many bytes into the storage that nothing ever looks at.
fn fill(world: &World, bytes: i64) {
    let sql = "INSERT INTO meta VALUES ('filler', hex(zeroblob(?)))";
    world.outside.sql.exec(sql, &[(bytes / 2).into()]).expect("the storage answers");
}

fn example(pattern: &str) -> String {
    pattern
        .split('/')
        .map(|part| if part.starts_with('{') { "x_1" } else { part })
        .collect::<Vec<_>>()
        .join("/")
}

#[test]
fn a_token_is_shown_once_and_only_its_hash_is_stored() {
    let mut world = World::new(config(&[]));
    let (text, _) = make(&mut world, &json!({"name": " 台所 script ", "scopes": ["memory:read"]}));
    let (_, list) = call(&mut world, "GET", "/api/tokens", "");
    assert_eq!(list["tokens"][0]["name"], "台所 script");
    assert!(!list.to_string().contains(&text) && !list.to_string().contains("hash"));
    let secret = text.strip_prefix("kioku_pat_").unwrap();
    for row in rows(&world, "SELECT * FROM tokens") {
        assert!(!format!("{row:?}").contains(secret));
    }
}

#[test]
fn a_token_opens_exactly_what_its_scopes_say() {
    for scopes in
        [&["chat"][..], &["memory:read"], &["memory:write"], &["chat", "memory:read", "memory:write"]]
    {
        let mut world = World::new(config(&[]));
        let (_, caller) = make(&mut world, &json!({"name": "t", "scopes": scopes}));
        let held: Vec<Scope> = scopes.iter().filter_map(|word| Scope::parse(word)).collect();
        for (method, pattern) in Route::ALL {
            let route = Route::parse(method.as_str(), &example(pattern)).unwrap();
            let refused = code(admit(&mut world, &caller, method.as_str(), &example(pattern)));
            let expected = match route.access() {
                _ if route == Route::SignOut => Some(Code::Forbidden),
                Access::Open | Access::AnyToken | Access::TokenByContent => None,
                Access::Person => Some(Code::Forbidden),
                Access::Scoped(scope) | Access::TokenOnly(scope) if held.contains(&scope) => None,
                Access::Scoped(_) | Access::TokenOnly(_) => Some(Code::MissingScope),
            };
            assert_eq!(refused, expected, "{scopes:?} {method:?} {pattern}");
        }
    }
}

#[test]
fn a_token_ends_when_it_expires_or_is_revoked_and_its_connections_with_it() {
    let mut world = World::new(config(&[]));
    let until = now(&world).plus(MINUTE).to_rfc3339();
    let (_, brief) = make(&mut world, &json!({"name": "b", "scopes": ["chat"], "expires_at": until}));
    let (_, lasting) = make(&mut world, &json!({"name": "l", "scopes": ["chat"]}));
    assert_eq!(code(admit(&mut world, &brief, "GET", "/api/threads")), None);
    let last_used = |world: &mut World| call(world, "GET", "/api/tokens", "").1["tokens"].clone();
    assert!(last_used(&mut world).as_array().unwrap().iter().any(|token| !token["last_used_at"].is_null()));
    world.advance(MINUTE);
    assert_eq!(code(admit(&mut world, &brief, "GET", "/api/threads")), Some(Code::Unauthenticated));
    assert_eq!(code(admit(&mut world, &lasting, "GET", "/api/threads")), None);
    let id = lasting.token.as_ref().unwrap().id.to_string();
    assert_eq!(call(&mut world, "DELETE", &format!("/api/tokens/{id}"), "").0, 204);
    assert!(world.outside.sent.borrow().iter().any(|(whom, _)| *whom == Whom::ClosedToken(id.clone())));
    assert_eq!(code(admit(&mut world, &lasting, "GET", "/api/threads")), Some(Code::Unauthenticated));
    assert_eq!(call(&mut world, "DELETE", &format!("/api/tokens/{id}"), "").0, 404);
}

#[test]
fn a_token_of_the_right_name_and_another_hash_opens_nothing() {
    let mut world = World::new(config(&[]));
    let (_, mut caller) = make(&mut world, &json!({"name": "t", "scopes": ["chat"]}));
    caller.token.as_mut().unwrap().hash = "0".repeat(64);
    assert_eq!(code(admit(&mut world, &caller, "GET", "/api/me")), Some(Code::Unauthenticated));
    caller.token.as_mut().unwrap().id = TokenId::new([9; 10]);
    assert_eq!(code(admit(&mut world, &caller, "GET", "/api/me")), Some(Code::Unauthenticated));
}

#[test]
fn what_makes_no_token_says_why() {
    let mut world = World::new(config(&[]));
    let past = now(&world).plus(-1).to_rfc3339();
    for body in [
        json!({"name": "", "scopes": ["chat"]}),
        json!({"name": "字".repeat(101), "scopes": ["chat"]}),
        json!({"name": "a\nb", "scopes": ["chat"]}),
        json!({"name": "t", "scopes": []}),
        json!({"name": "t", "scopes": ["chat", "admin"]}),
        json!({"name": "t", "scopes": ["chat"], "expires_at": past}),
        json!({"name": "t", "scopes": ["chat"], "expires_at": "soon"}),
        json!({"name": "t", "scopes": ["chat"], "owner": "x"}),
        json!({"name": "t"}),
    ] {
        let (status, answer) = call(&mut world, "POST", "/api/tokens", &body.to_string());
        assert_eq!((status, &answer["code"]), (400, &json!("bad_body")), "{body}");
    }
    for _ in 0..50 {
        make(&mut world, &json!({"name": "t", "scopes": ["chat"]}));
    }
    assert_eq!(call(&mut world, "POST", "/api/tokens", r#"{"name":"t","scopes":["chat"]}"#).0, 409);
}

#[test]
fn ending_all_sessions_ends_those_begun_before_and_closes_every_connection() {
    let mut world = World::new(config(&[]));
    let (before, tab) = (person(now(&world)), world.connect("main"));
    let (_, token) = make(&mut world, &json!({"name": "t", "scopes": ["chat"]}));
    assert_eq!(code(admit(&mut world, &before, "GET", "/api/me")), None);
    assert_eq!(call(&mut world, "POST", "/auth/logout", "").0, 204);
    assert!(!world.outside.sent.borrow().iter().all(|(whom, _)| *whom != Whom::Closed(None)));
    assert!(!world.outside.sockets.borrow()[&tab].open);
    assert_eq!(code(admit(&mut world, &before, "GET", "/api/me")), Some(Code::Unauthenticated));
    let timeless = Caller { issued: None, ..person(Millis(0)) };
    assert_eq!(code(admit(&mut world, &timeless, "GET", "/api/me")), Some(Code::Unauthenticated));
    assert_eq!(code(admit(&mut world, &token, "GET", "/api/me")), None, "tokens are ended by themselves");
    let now = now(&world);
    assert_eq!(code(admit(&mut world, &person(now.plus(1)), "GET", "/api/me")), None);
    world.evict();
    assert_eq!(code(admit(&mut world, &before, "GET", "/api/me")), Some(Code::Unauthenticated));
}

#[test]
fn a_caller_whose_time_is_over_is_refused() {
    let mut world = World::new(config(&[]));
    let now = now(&world);
    let caller = |expires| Caller { expires: Some(expires), ..person(now) };
    assert_eq!(code(admit(&mut world, &caller(now.plus(1)), "GET", "/api/me")), None);
    assert_eq!(code(admit(&mut world, &caller(now), "GET", "/api/me")), Some(Code::Unauthenticated));
}

#[test]
fn a_minute_takes_so_many_requests_and_frames_and_refusals_do_not_count() {
    let mut world = World::new(config(&[("REQUESTS_PER_MINUTE", "3")]));
    let caller = person(now(&world));
    let tab = world.connect("main");
    world.frame(&tab, &json!({"type": "send", "id": "a", "text": "はい"}));
    world.poll();
    for _ in 0..2 {
        assert_eq!(code(admit(&mut world, &caller, "GET", "/api/me")), None);
    }
    for _ in 0..3 {
        let problem = admit(&mut world, &caller, "GET", "/api/me").unwrap_err();
        let next = Millis((now(&world).0 / MINUTE + 1) * MINUTE);
        assert_eq!((problem.code, problem.until), (Code::TooManyRequests, Some(next)));
    }
    world.frame(&tab, &json!({"type": "send", "id": "b", "text": "もう一度"}));
    world.poll();
    let error = world.of_type(&tab, "error")[0].clone();
    assert_eq!((&error["code"], &error["id"]), (&json!("too_many_requests"), &json!("b")));
    let (_, me) = call(&mut world, "GET", "/api/me", "");
    assert_eq!(
        (&me["usage"]["requests_this_minute"], &me["limits"]["requests_per_minute"]),
        (&json!(3), &json!(3))
    );
    world.advance(MINUTE);
    assert_eq!(code(admit(&mut world, &caller, "GET", "/api/me")), None);
}

#[test]
fn a_turn_can_be_stopped_when_nothing_else_is_let_in() {
    let mut world = World::new(config(&[("REQUESTS_PER_MINUTE", "1")]));
    world.script(Script::Stall(vec![(10, "long".into())]));
    let tab = world.connect("main");
    world.send(&tab, "a", "go");
    world.advance(50);
    let turn = world.of_type(&tab, "accepted")[0]["turn"].clone();
    world.frame(&tab, &json!({"type": "stop", "turn": turn}));
    world.settle();
    assert_eq!(world.of_type(&tab, "stopped").len(), 1);
}

#[test]
fn so_many_connections_are_open_and_no_more() {
    let mut world = World::new(config(&[("CONNECTIONS_MAX", "2")]));
    let caller = person(now(&world));
    let first = world.connect("main");
    assert_eq!(code(admit(&mut world, &caller, "GET", "/api/chat")), None);
    world.connect("main");
    assert_eq!(code(admit(&mut world, &caller, "GET", "/api/chat")), Some(Code::TooManyConnections));
    assert_eq!(code(admit(&mut world, &caller, "GET", "/api/me")), None);
    world.disconnect(&first);
    assert_eq!(code(admit(&mut world, &caller, "GET", "/api/chat")), None);
}

#[test]
fn a_full_storage_takes_nothing_more_and_lets_everything_be_deleted() {
    let mut world = World::new(config(&[("STORAGE_MAX_MB", "1")]));
    let caller = person(now(&world));
    world.session();
    fill(&world, 1_200_000);
    for (method, pattern) in Route::ALL {
        let route = Route::parse(method.as_str(), &example(pattern)).unwrap();
        if !route.access().admits_person() {
            continue;
        }
        let refused = code(admit(&mut world, &caller, method.as_str(), &example(pattern)));
        assert_eq!(refused, route.needs_room().then_some(Code::OverStorage), "{method:?} {pattern}");
        assert!(!route.needs_room() || !matches!(method, Method::Get | Method::Delete), "{pattern}");
    }
    let tab = world.connect("main");
    world.send(&tab, "a", "まだ入る？");
    world.poll();
    assert_eq!(world.of_type(&tab, "error")[0]["code"], "over_storage");
}

#[test]
fn while_no_model_may_be_called_turns_are_refused_and_memory_work_waits_unharmed() {
    let mut world = World::new(config(&[]));
    world.script(Script::say("hello"));
    let tab = world.connect("main");
    world.send(&tab, "a", "I live in Kyoto.");
    world.advance(200);
    assert_eq!(world.of_type(&tab, "done").len(), 1);
    let until = now(&world).plus(DAY);
    world.evict();
    world.config = config(&[("SITE_SWITCH", "no_model"), ("SITE_SWITCH_UNTIL", &until.to_rfc3339())]);
    let tab = world.connect("main");
    world.send(&tab, "b", "And now?");
    world.poll();
    let error = world.of_type(&tab, "error")[0].clone();
    assert_eq!(error["code"], "switched_off");
    assert!(error["message"].as_str().unwrap().contains(&until.to_rfc3339()), "{error}");
    world.send(&tab, "a", "I live in Kyoto.");
    world.poll();
    assert_eq!(world.of_type(&tab, "accepted")[0]["repeated"], true);
    let calls = world.outside.calls.borrow().len();
    world.advance(DAY / 2);
    assert_eq!(world.outside.calls.borrow().len(), calls, "no model was called");
    let jobs = rows(&world, "SELECT attempts, parked FROM jobs WHERE kind = 'extract'");
    assert_eq!(jobs.len(), 1);
    assert_eq!((jobs[0].int(0), jobs[0].int(1)), (Ok(0), Ok(0)), "the work waits and has failed nothing");
    world.advance(DAY);
    assert!(world.outside.calls.borrow().len() > calls, "and is done when the switch says so");
}

#[test]
fn vectors_of_a_server_wait_too_while_no_model_may_be_called_and_indexing_goes_on() {
    let server = [("EMBEDDING_PROVIDER", "openai"), ("EMBEDDING_MODEL", "scripted-embedding")];
    let mut world = World::new(config(&server));
    let tab = world.connect("main");
    world.send(&tab, "a", "I live in Kyoto.");
    world.poll();
    while world.of_type(&tab, "done").is_empty() {
        world.step(Millis(i64::MAX));
    }
    world.evict();
    world.config = config(&[server[0], server[1], ("SITE_SWITCH", "no_model")]);
    let calls = world.outside.calls.borrow().len();
    world.advance(DAY / 2);
    assert_eq!(world.outside.calls.borrow().len(), calls, "no model was called");
    let failed = rows(&world, "SELECT kind FROM jobs WHERE attempts > 0 OR parked = 1");
    assert_eq!(failed.len(), 0, "waiting for the operator is no failure");
    assert_eq!(rows(&world, "SELECT doc FROM indexed_messages").len(), 2);
}

#[test]
fn other_programs_recall_what_is_known_and_only_propose_what_is_new() {
    let mut world = World::new(config(&[("MODEL_PROVIDER", "embedded")]));
    call(&mut world, "POST", "/api/memory/facts", r#"{"text":"犬のポチを飼っている。"}"#);
    let ask = |world: &mut World, tool: &str, arguments: Value, scopes: &[Scope]| -> Value {
        let message = json!({"jsonrpc": "2.0", "id": "a", "method": "tools/call", "params": {"name": tool, "arguments": arguments}});
        let session = world.session();
        let answer = futures::executor::block_on(session.handle_mcp(message.to_string().as_bytes(), scopes));
        assert_eq!(answer.status, 200);
        serde_json::from_str(&answer.body).unwrap()
    };
    let read = [Scope::MemoryRead];
    let recalled = ask(&mut world, "recall", json!({"query": "犬の名前は？"}), &read);
    assert_eq!(recalled["result"]["structuredContent"]["facts"][0]["text"], "犬のポチを飼っている。");
    let text = recalled["result"]["content"][0]["text"].as_str().unwrap();
    assert_eq!(serde_json::from_str::<Value>(text).unwrap()["type"], "reference_memory");
    let listed = ask(&mut world, "list_facts", json!({"q": "ポチ", "limit": 5}), &read);
    assert_eq!(listed["result"]["structuredContent"]["facts"].as_array().unwrap().len(), 1);
    for wrong in [
        json!({}),
        json!({"query": ""}),
        json!({"query": "x", "limit": 0}),
        json!({"query": "x", "owner": "y"}),
    ] {
        assert_eq!(ask(&mut world, "recall", wrong, &read)["result"]["isError"], true);
    }
    assert!(ask(&mut world, "propose_fact", json!({"text": "I like tea."}), &read)["error"].is_object());

    let write = [Scope::MemoryWrite];
    for (text, status) in
        [("I like tea.", "held"), ("I like tea.", "held"), ("犬のポチを飼っている。", "known")]
    {
        let proposed = ask(&mut world, "propose_fact", json!({"text": text}), &write);
        assert_eq!(proposed["result"]["structuredContent"]["status"], status, "{text}: {proposed}");
    }
    let secret = ask(&mut world, "propose_fact", json!({"text": "My card is 4111 1111 1111 1111."}), &write);
    assert_eq!(secret["result"]["isError"], true);
    let held = ask(&mut world, "list_facts", json!({"status": "held"}), &read);
    assert_eq!(
        held["result"]["structuredContent"]["facts"].as_array().unwrap().len(),
        1,
        "once, for the user to decide"
    );
    let recalled = ask(&mut world, "recall", json!({"query": "Do I like tea?"}), &read);
    assert!(!recalled.to_string().contains("I like tea."), "what is held is never recalled: {recalled}");
}

/// What the tests of the built Worker are generated from: a route that is added here is one they must know.
#[test]
fn the_table_of_routes_is_the_golden_one() {
    let access = |access: Access| match access {
        Access::Open => "open".to_owned(),
        Access::Person => "person".to_owned(),
        Access::AnyToken | Access::TokenByContent => "any token".to_owned(),
        Access::Scoped(scope) | Access::TokenOnly(scope) => scope.as_str().to_owned(),
    };
    let lines: Vec<String> = Route::ALL
        .iter()
        .map(|(method, pattern)| {
            let route = Route::parse(method.as_str(), &example(pattern)).unwrap();
            let row = json!({
                "method": method.as_str(),
                "path": pattern,
                "access": access(route.access()),
                "person": route.access().admits_person(),
                "origin": route.checks_origin(),
            });
            row.to_string()
        })
        .collect();
    let table = format!("[\n{}\n]\n", lines.join(",\n"));
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/routes.json");
    if std::env::var_os("KIOKU_UPDATE_GOLDEN").is_some() {
        std::fs::write(path, &table).unwrap();
    }
    assert_eq!(
        std::fs::read_to_string(path).unwrap_or_default(),
        table,
        "KIOKU_UPDATE_GOLDEN=1 writes it anew"
    );
}
