//! Recall as a whole: silent about what was never mentioned, near in meaning with every provider, listed and dated.

use crate::support::world::{World, config};
use kioku::store::sql::Sql;
use serde_json::{Value, json};

fn embedded() -> World {
    World::new(config(&[("MODEL_PROVIDER", "embedded")]))
}

/// A line of the questions that recall is measured by.
fn lines(language: &str) -> Vec<Value> {
    let path = format!("{}/tests/cases/recall/{language}.jsonl", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect()
}

/// Writes messages into the archive as a conversation would, and indexes them.
fn archive(world: &mut World, said: &[&str]) {
    use kioku::id::{MessageId, ThreadId};
    use kioku::llm::Role;
    use kioku::store::{index, messages};
    world.session();
    let (sql, now) = (&world.outside.sql, world.outside.now.get());
    sql.atomically(&mut || {
        for (n, text) in said.iter().enumerate() {
            let id = MessageId::parse(&format!("m_{n}")).expect("letters and digits");
            let thread = if n % 2 == 0 { "main" } else { "th_2" };
            let thread = ThreadId::parse(thread).expect("an id");
            let at = now.plus(n as i64 * 60_000);
            let new = messages::NewMessage {
                id: &id,
                thread: &thread,
                role: Role::User,
                text,
                created_at: at,
                turn: None,
                status: None,
                teaches: false,
                external_id: None,
            };
            let seq = messages::insert(sql, &new)?;
            index::put_message(sql, seq, &thread, at, text)?;
        }
        Ok(())
    })
    .expect("the storage answers");
    // What waits for its vector gets it, fifty at a time.
    for _ in 0..=said.len() / 50 {
        let (status, _) = world.call("POST", "/api/recall", &json!({"query": "x"}));
        assert_eq!(status, 200);
    }
}

fn passages(world: &mut World, body: &Value) -> Vec<String> {
    let (status, answer) = world.call("POST", "/api/recall", body);
    assert_eq!(status, 200, "{answer}");
    let list = answer["passages"].as_array().expect("passages");
    list.iter().map(|passage| passage["text"].as_str().expect("a text").to_owned()).collect()
}

/// Near misses that find nothing, and questions whose message is among the first five, in per cent.
fn measured(language: &str) -> (usize, usize) {
    let lines = lines(language);
    let said: Vec<&str> = lines.iter().filter_map(|line| line["said"].as_str()).collect();
    let mut world = embedded();
    archive(&mut world, &said);
    let misses: Vec<&str> = lines.iter().filter_map(|line| line["miss"].as_str()).collect();
    assert!(misses.len() >= 100 && said.len() >= 100);
    let silent =
        misses.iter().filter(|miss| passages(&mut world, &json!({"query": miss})).is_empty()).count();
    let (mut asked, mut found) = (0, 0);
    for line in lines.iter().filter(|line| line["said"].is_string()) {
        // The first question of each shares words with what was said.
        let Some(question) = line["ask"][0].as_str() else { continue };
        asked += 1;
        let given = passages(&mut world, &json!({"query": question, "limit": 5}));
        found += usize::from(given.iter().any(|text| *text == line["said"]));
    }
    (silent * 100 / misses.len(), found * 100 / asked)
}

#[test]
fn near_misses_find_no_passage_and_questions_in_the_same_words_do_in_english() {
    let (silent, found) = measured("en");
    assert!(silent >= 95 && found >= 60, "{silent} silent, {found} found");
}

#[test]
fn near_misses_find_no_passage_and_questions_in_the_same_words_do_in_japanese() {
    let (silent, found) = measured("ja");
    assert!(silent >= 95 && found >= 60, "{silent} silent, {found} found");
}

#[test]
fn passages_can_be_asked_of_one_thread_and_of_a_time() {
    let mut world = embedded();
    let said = ["I bought a harmonica in Turin", "The harmonica from Turin is broken", "京都で尺八を買った"];
    archive(&mut world, &said);
    // What stands beside a hit comes with it.
    assert_eq!(passages(&mut world, &json!({"query": "harmonica from Turin"})).len(), 3);
    let only = json!({"query": "harmonica from Turin", "only_thread": true});
    assert_eq!(passages(&mut world, &only), [said[0], said[2]]);
    let later = world.outside.now.get().plus(30_000).to_rfc3339();
    let since = json!({"query": "harmonica from Turin", "since": later});
    assert_eq!(passages(&mut world, &since)[0], said[1]);
    assert!(!passages(&mut world, &since).contains(&said[0].to_owned()));
    let until = json!({"query": "harmonica from Turin", "until": later});
    assert_eq!(passages(&mut world, &until), [said[0]]);
    let (status, _) = world.call("POST", "/api/recall", &json!({"query": "x", "since": "yesterday"}));
    assert_eq!(status, 400);
}

#[test]
fn a_question_that_names_only_a_time_finds_what_was_said_then() {
    let mut world = embedded();
    archive(&mut world, &["The heron came back", "鷺が戻ってきた"]);
    // Two days later the talk was two days ago, in the user's own zone.
    let then = world.outside.now.get();
    world.outside.now.set(then.plus(24 * 60 * 60_000));
    for question in ["What did I tell you yesterday?", "昨日、何を話した？"] {
        assert_eq!(passages(&mut world, &json!({"query": question})).len(), 2, "{question}");
    }
    world.outside.now.set(then.plus(5 * 24 * 60 * 60_000));
    for question in ["What did I tell you yesterday?", "昨日、何を話した？"] {
        assert!(passages(&mut world, &json!({"query": question})).is_empty(), "{question}");
    }
}

#[test]
fn what_a_turn_leaves_out_is_listed_on_request_and_marked() {
    let mut world = embedded();
    let said = ["My sister teaches mathematics in Oslo", "姉はオスロで数学を教えている"];
    archive(&mut world, &said);
    for (near_miss, right) in [
        ("What is my sister's address in town?", "Does my sister teach in Oslo?"),
        ("姉の住所と電話は？", "姉はオスロで教えている？"),
    ] {
        let (_, silent) = world.call("POST", "/api/recall", &json!({"query": near_miss}));
        assert_eq!(
            (silent["given"].as_bool(), silent["passages"].as_array().map(Vec::len)),
            (Some(false), Some(0))
        );
        let (_, all) = world.call("POST", "/api/recall", &json!({"query": near_miss, "everything": true}));
        assert_eq!(all["given"], false, "{near_miss}");
        assert!(!all["passages"].as_array().is_none_or(Vec::is_empty), "{near_miss}");
        let (_, given) = world.call("POST", "/api/recall", &json!({"query": right}));
        assert_eq!(given["given"], true, "{right}");
    }
}

#[test]
fn equivalent_spellings_recall_the_same() {
    let mut world = embedded();
    archive(&mut world, &["ｶﾞｰﾃﾞﾆﾝｸﾞの本を買った", "My ＮＡＳ holds 4 ＴＢ", "Ich mag Café"]);
    for (one, other) in [
        ("ガーデニングの本", "ｶﾞｰﾃﾞﾆﾝｸﾞの本"),
        ("ガーデニング", "か\u{3099}ーて\u{3099}にんく\u{3099}"),
        ("NAS TB", "ｎａｓ　ｔｂ"),
        ("CAFÉ", "cafe\u{301}"),
    ] {
        let found = passages(&mut world, &json!({"query": one}));
        assert!(!found.is_empty(), "{one}");
        assert_eq!(passages(&mut world, &json!({"query": other})), found, "{other}");
    }
}

#[test]
fn any_text_is_archived_and_asked_for_without_a_panic() {
    let odd = [
        "👩‍👩‍👧‍👦🏳️‍🌈",
        "\u{202e}desrever\u{202c}",
        "\u{0}\u{1}\u{7f}",
        "ﷺ㍿①Ⅳ",
        "e\u{301}\u{301}\u{301}\u{301}",
        "¦·¦·",
        "\"OR\" NEAR(* -",
        "ＡＢＣ１２３",
        "ｶﾞｷﾞｸﾞ",
        "𠮷野家の𩸽",
        "İstanbul ﬁne",
        "ーーー",
        "ゝゞ々〆",
        "' '' ’",
        "\u{feff}\u{200b}",
        "の",
        "犬",
    ];
    let mut world = embedded();
    archive(&mut world, &odd);
    for query in odd {
        let (status, _) = world.call("POST", "/api/recall", &json!({"query": query}));
        assert!(matches!(status, 200 | 400), "{query:?}: {status}");
    }
    assert_eq!(passages(&mut world, &json!({"query": "𠮷野家の𩸽"}))[0], "𠮷野家の𩸽");
}

#[test]
fn another_provider_embeds_in_the_background_and_a_change_of_model_keeps_the_old_vectors_until_then() {
    let with = |model: &str| {
        config(&[("EMBEDDING_PROVIDER", "openai"), ("EMBEDDING_MODEL", model), ("RECALL_THRESHOLD", "0.6")])
    };
    let mut world = World::new(with("first"));
    let texts = ["Has a golden retriever puppy", "シャチハタを使っている", "Works as a nurse in a hospital"];
    for text in texts {
        let (status, _) = world.call("POST", "/api/memory/facts", &json!({"text": text}));
        assert_eq!(status, 201);
    }
    world.settle();
    let models = |world: &World| -> Vec<(String, i64)> {
        let rows = world.outside.sql.exec(
            "SELECT m.name, (SELECT count(*) FROM fact_codes c WHERE c.model = m.model) FROM embedding_models m
             ORDER BY m.model",
            &[],
        );
        rows.unwrap().iter().map(|row| (row.string(0).unwrap(), row.int(1).unwrap())).collect()
    };
    assert_eq!(models(&world), [("first".to_owned(), 3)]);
    // Each text once: nothing is embedded again without a reason.
    let embedded =
        |world: &World| world.outside.calls.borrow().iter().filter(|c| c.get("input").is_some()).count();
    let before = embedded(&world);
    world.settle();
    assert_eq!(embedded(&world), before);

    world.outside.embeddings_down.set(true);
    world.evict();
    world.config = with("second one");
    let tab = world.connect("main");
    world.send(&tab, "a", "What pet do I own?");
    world.settle();
    let recalled_by = |world: &mut World, place: usize| {
        let turn = world.of_type(&tab, "done")[place]["turn"].as_str().unwrap().to_owned();
        world.call("GET", &format!("/api/traces/{turn}"), &Value::Null).1["recall"]["words_only"].clone()
    };
    assert_eq!(recalled_by(&mut world, 0), "model_unavailable");
    assert_eq!(models(&world), [("first".to_owned(), 3), ("second one".to_owned(), 0)]);

    world.outside.embeddings_down.set(false);
    world.send(&tab, "b", "Which hospital do I work in?");
    world.settle();
    assert_eq!(recalled_by(&mut world, 1), Value::Null);
    for _ in 0..12 {
        world.settle();
    }
    let after = models(&world);
    assert_eq!(after.len(), 1, "{after:?}");
    assert!(after[0].0 == "second one" && after[0].1 >= 3, "{after:?}");
}
