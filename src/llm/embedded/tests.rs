//! The built-in model through its public functions, as the turn engine calls it.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{answer, complete};
use crate::llm::{ChatMessage, Prompt, Role, Schema};

fn call(name: &'static str, input: &Value) -> Value {
    let prompt = Prompt {
        messages: vec![
            ChatMessage { role: Role::System, content: "Fixed text.".to_owned() },
            ChatMessage { role: Role::User, content: input.to_string() },
        ],
        max_tokens: 400,
        schema: Some(Schema { name, schema: String::new(), composes: false }),
    };
    serde_json::from_str(&complete(&prompt)).unwrap()
}

fn operations(said: &str, existing: &Value) -> Vec<Value> {
    let input = json!({"type": "extraction_input", "now": "2026-11-30T02:00:00Z", "timezone": "Asia/Tokyo",
        "messages": [{"ref": "m1", "role": "user", "text": said, "said_at": "2026-11-30T02:00:00Z"}], "existing": existing});
    let operations = call("memory_operations", &input)["operations"].as_array().unwrap().clone();
    for operation in &operations {
        let quote = operation["quote"].as_str().unwrap();
        assert!(said.contains(quote), "{quote} is not in {said}");
    }
    operations
}

fn learned(said: &str) -> Vec<String> {
    operations(said, &json!([])).iter().map(|o| o["text"].as_str().unwrap().to_owned()).collect()
}

fn asks(facts: &Value, recent: &[(Role, &str)], question: &str) -> String {
    asks_after("", facts, recent, question)
}

fn asks_after(summary: &str, facts: &Value, recent: &[(Role, &str)], question: &str) -> String {
    let memory = json!({"type": "reference_memory", "summary": summary, "facts": facts, "passages": [], "timezone": "Asia/Tokyo", "now": "2026-11-30T02:00:00Z"});
    let mut messages = vec![
        ChatMessage { role: Role::System, content: "Fixed text.".to_owned() },
        ChatMessage { role: Role::User, content: memory.to_string() },
    ];
    messages
        .extend(recent.iter().map(|(role, said)| ChatMessage { role: *role, content: (*said).to_owned() }));
    messages.push(ChatMessage { role: Role::User, content: question.to_owned() });
    answer(&Prompt { messages, max_tokens: 1024, schema: None })
}

const TALKED: &[(Role, &str)] = &[(Role::User, "hi"), (Role::Assistant, "Hello!")];

#[test]
fn english_self_statements_become_short_third_person_sentences() {
    for (said, texts) in [
        ("I live in Osaka.", &["Lives in Osaka."][..]),
        (
            "My name is Aiko Tanaka and I work at Hitachi as a designer.",
            &["Name is Aiko Tanaka.", "Works at Hitachi.", "Works as a designer."],
        ),
        ("I really don't like cilantro", &["Does not like cilantro."]),
        ("I love hiking but hate running.", &["Loves hiking.", "Hates running."]),
        ("I'm allergic to peanuts.", &["Is allergic to peanuts."]),
        ("I have a cat named Momo", &["Has a cat named Momo."]),
        ("My wife's name is Yuki.", &["Has a wife named Yuki."]),
        ("I’m 34 years old", &["Is 34 years old."]),
        ("I used to live in Nagoya.", &["Lived in Nagoya."]),
        ("I moved to Kobe last month.", &["Lives in Kobe."]),
        ("My favourite colour is green.", &["Favourite colour is green."]),
        ("I'm going to visit Kyoto next month", &["Plans to visit Kyoto."]),
        ("I speak English and Spanish", &["Speaks English.", "Speaks Spanish."]),
        ("I don't eat meat.", &["Does not eat meat."]),
        ("I no longer live in Tokyo", &["No longer lives in Tokyo."]),
        ("Please answer in Japanese.", &["Prefers answers in Japanese."]),
        ("Remember that the spare key is under the blue pot.", &["The spare key is under the blue pot."]),
        ("I decided to learn Rust.", &["Decided to learn Rust."]),
        ("My brother lives in Sapporo", &["Brother lives in Sapporo."]),
    ] {
        assert_eq!(learned(said), texts, "{said}");
    }
}

#[test]
fn japanese_self_statements_become_plain_sentences_without_a_subject() {
    for (said, texts) in [
        ("大阪に住んでいます。", &["大阪に住んでいる。"][..]),
        ("私は東京で働いてるよ", &["東京で働いている。"]),
        ("猫は好きじゃないです", &["猫が好きではない。"]),
        ("猫が大好きなんです！", &["猫が大好き。"]),
        ("私の名前は田中愛子です。", &["名前は田中愛子。"]),
        ("そばアレルギーです", &["そばアレルギー。"]),
        ("モモという名前の猫を飼っています", &["モモという名前の猫を飼っている。"]),
        ("うちの猫の名前はタマです。", &["猫の名前はタマ。"]),
        ("３４歳です", &["３４歳。"]),
        ("昔は名古屋に住んでいました", &["名古屋に住んでいた。"]),
        ("来月、京都に行く予定です。", &["京都に行く予定。"]),
        ("英語と中国語が話せます", &["英語が話せる。", "中国語が話せる。"]),
        ("お酒は飲みません", &["お酒を飲まない。"]),
        ("敬語で話してください", &["敬語で話してほしい。"]),
        ("妻は猫が好きで、犬が苦手です", &["妻は猫が好き。", "妻は犬が苦手。"]),
        ("好きな色は緑です", &["好きな色は緑。"]),
        ("看護師をしています", &["看護師をしている。"]),
        ("北海道出身です", &["北海道出身。"]),
        ("合鍵は青い鉢の下にあると覚えておいて", &["合鍵は青い鉢の下にある。"]),
        ("あとはペンギンが好きです。", &["ペンギンが好き。"]),
        ("もう東京には住んでいません", &["東京に住んでいない。"]),
        ("犬", &[]),
    ] {
        assert_eq!(learned(said), texts, "{said}");
    }
}

#[test]
fn questions_conditions_reports_echoes_and_wishes_teach_nothing() {
    for said in [
        "Do I live in Osaka?",
        "If I lived in Paris I would eat bread.",
        "She said I love cats.",
        "Maybe I like sushi",
        "Hello there!",
        "Can you write a poem about my cat?",
        "Imagine I am a pilot.",
        "I would like a table for two",
        "I think it is fine",
        "> I live in Rome",
        "猫が好きですか？",
        "猫がお好きなんですね",
        "もし東京に住んでいたら楽しい",
        "友達は猫が好きです",
        "東京に住みたい",
        "猫が好きな人は多い",
        "田中さんは看護師です",
        "好きかもしれない",
        "「私は犬が好きです」と言われた",
        "こんにちは",
        "ありがとう",
        "猫が好きって言ってた",
    ] {
        assert!(learned(said).is_empty(), "{said}: {:?}", learned(said));
    }
}

#[test]
fn relative_dates_become_the_speakers_dates_and_periods_end() {
    let moved = &operations("I moved to Kobe last month.", &json!([]))[0];
    assert_eq!(moved["valid_from"], "2026-10");
    let period = &operations("2015年から2018年まで名古屋に住んでいました。", &json!([]))[0];
    assert_eq!((period["valid_from"].as_str(), period["valid_until"].as_str()), (Some("2015"), Some("2018")));
    let plan = &operations("来月、京都に行く予定です。", &json!([]))[0];
    assert_eq!((plan["kind"].as_str(), plan["valid_from"].as_str()), (Some("plan"), Some("2026-12")));
}

#[test]
fn a_new_value_supersedes_and_the_same_value_confirms() {
    let existing = json!([{"ref": "f1", "text": "Lives in Osaka."}, {"ref": "f2", "text": "Likes natto."}, {"ref": "f3", "text": "大阪に住んでいる。"}, {"ref": "f4", "text": "猫が好き。"}]);
    for (said, op, target) in [
        ("I live in Kobe now.", "supersede", Some("f1")),
        ("I live in Osaka.", "confirm", Some("f1")),
        ("I don't like natto anymore", "supersede", Some("f2")),
        ("I like ramen", "add", None),
        ("神戸に引っ越しました。", "supersede", Some("f1")),
        ("猫は好きじゃない", "supersede", Some("f4")),
        ("猫が好きです", "confirm", Some("f4")),
        ("犬が好きです", "add", None),
    ] {
        let found = &operations(said, &existing)[0];
        assert_eq!((found["op"].as_str(), found["target"].as_str()), (Some(op), target), "{said}");
    }
}

#[test]
fn negation_and_numbers_are_judged_and_separate_objects_stay_separate() {
    for (new, old, verdict) in [
        ("猫が好きではない。", "猫が好き。", "contradicts"),
        ("犬が好き。", "猫が好き。", "separate"),
        ("Lives in Kobe.", "Lives in Osaka.", "changed"),
        ("Lives in Osaka.", "The user lives in Osaka.", "same"),
        ("Is 35 years old.", "Is 34 years old.", "changed"),
        ("３５歳。", "34歳。", "changed"),
        ("Does not like tea.", "Likes tea.", "contradicts"),
        ("Lived in Osaka.", "Lives in Kobe.", "separate"),
        ("Is allergic to peanuts.", "Is allergic to shrimp.", "separate"),
        ("The wifi code has 12 digits.", "The wifi code has 10 digits.", "changed"),
        ("", "Likes tea.", "separate"),
    ] {
        let judged = call("same_fact", &json!({"new": new, "existing": [{"ref": "a", "text": old}]}));
        assert_eq!(judged["verdict"], verdict, "{new} / {old}");
    }
}

#[test]
fn it_answers_about_the_user_from_memory_and_invents_nothing() {
    let facts = json!([
        {"text": "Lives in Kobe.", "since": "2024-04-01", "status": "current"},
        {"text": "Lived in Osaka.", "until": "2024-04-01", "status": "past"},
        {"text": "Has a cat named Momo.", "status": "current"},
        {"text": "Has a dog named Rex.", "status": "current"},
        {"text": "Likes tea.", "status": "current"},
    ]);
    let asked = |question| asks(&facts, TALKED, question);
    assert!(
        asked("Where do I live?").contains("You live in Kobe. (since 2024-04-01)"),
        "{}",
        asked("Where do I live?")
    );
    assert!(!asked("Where do I live?").contains("Osaka"));
    assert!(asked("Where did I live before?").contains("Osaka"));
    let cat = asked("What is my cat's name?");
    assert!(cat.contains("Momo") && !cat.contains("Rex"), "{cat}");
    assert!(
        asked("What do you know about me?").contains("(until 2024-04-01)")
            || asked("What do you know about me?").contains("in the past")
    );
    let dentist = json!([{"text": "Dentist appointment.", "date": "2026-12-09", "status": "current"}]);
    let told = asks(&dentist, TALKED, "What do you know about me?");
    assert!(told.contains("Dentist appointment. (2026-12-09)"), "{told}");
    let dentist = json!([{"text": "歯医者の予約がある。", "date": "2026-12-09", "status": "current"}]);
    let told = asks(&dentist, TALKED, "私について何を知っていますか？");
    assert!(told.contains("歯医者の予約がある。（2026-12-09）"), "{told}");
    assert_eq!(asked("How old am I?"), "I don't know that about you.");
    assert!(asked("Do I like tea?").contains("You like tea."));
}

#[test]
fn what_is_liked_and_disliked_is_told_whatever_class_is_asked_for() {
    let facts = json!([{"text": "Can't stand coriander."}, {"text": "Likes jazz."}, {"text": "パクチーが苦手。"},
        {"text": "夫の健太はドイツ語の先生。"}]);
    assert_eq!(
        asks(&facts, TALKED, "What food do I hate?"),
        "- You can't stand coriander.\n- パクチーが苦手。"
    );
    assert_eq!(asks(&facts, TALKED, "Which things do I like?"), "You like jazz.");
    assert_eq!(asks(&facts, TALKED, "嫌いな食べ物は？"), "- Can't stand coriander.\n- パクチーが苦手。");
    assert_eq!(asks(&facts, TALKED, "Do I like olives?"), "I don't know that about you.");
    assert_eq!(asks(&facts, TALKED, "健太って誰だっけ"), "夫の健太はドイツ語の先生。");
    let told: &[(Role, &str)] = &[(Role::User, "夫の健太はドイツ語の先生です"), (Role::Assistant, "はい")];
    let answer = asks(&json!([]), told, "健太って誰だっけ");
    assert!(answer.contains("> 夫の健太はドイツ語の先生です"), "{answer}");
}

#[test]
fn what_was_just_said_answers_a_question_that_names_it_and_no_other() {
    for (said, asked, told, other) in [
        ("犬のハナと暮らしています。", "犬の名前は？", "ハナ", "ペルーの首都は？"),
        ("弟の健太は福岡で働いています。", "健太はどこで働いている？", "福岡", "福山はどこにある？"),
        ("My dog is called Biscuit.", "What is the dog called?", "Biscuit", "What is the capital of Peru?"),
    ] {
        let talked = [(Role::User, said), (Role::Assistant, "OK")];
        assert!(asks(&json!([]), &talked, asked).contains(told), "{asked}");
        assert!(!asks(&json!([]), &talked, other).contains(told), "{other}");
    }
}

#[test]
fn what_was_just_told_is_known_before_memory_has_it_and_once() {
    for (said, then, asked, told, gone) in [
        (
            "I'm Hana and I live in Kyoto.",
            "Actually, I live in Kobe.",
            "What do you know about me?",
            "Kobe",
            "Kyoto",
        ),
        (
            "花です。京都に住んでいます。",
            "神戸に引っ越しました。",
            "私について何を知ってる？",
            "神戸",
            "京都",
        ),
    ] {
        let talked =
            [(Role::User, said), (Role::Assistant, "OK"), (Role::User, then), (Role::Assistant, "OK")];
        let answer = asks(&json!([]), &talked, asked);
        assert!(answer.contains(told) && !answer.contains(gone), "{answer}");
        let kept = json!([{"text": if asked.is_ascii() { "Lives in Kobe." } else { "神戸に住んでいる。" }, "status": "current"}]);
        let answer = asks(&kept, &talked, asked);
        assert_eq!(answer.matches(told).count(), 1, "{answer}");
    }
    let asked = [(Role::User, "Do I live in Rome?"), (Role::Assistant, "I don't know that about you.")];
    assert_eq!(
        asks(&json!([]), &asked, "What do you know about me?"),
        "I don't know anything about you yet."
    );
}

#[test]
fn japanese_questions_are_answered_in_japanese() {
    let facts = json!([{"text": "猫の名前はタマ。", "status": "current"}, {"text": "大阪に住んでいる。", "status": "current"}, {"text": "そばアレルギー。", "status": "current"}]);
    let asked = |question| asks(&facts, TALKED, question);
    assert!(asked("私の猫の名前は？").contains("タマ"));
    assert!(asked("私はどこに住んでいますか？").contains("大阪"));
    assert!(asked("私のアレルギーは何？").contains("そば"));
    assert_eq!(asked("私の誕生日はいつ？"), "それについては、あなたから聞いた覚えがありません。");
    assert!(asked("私について何を知っていますか？").contains("大阪に住んでいる。"));
}

#[test]
fn what_is_known_and_what_was_said_stand_apart_as_markdown_has_it() {
    for (question, fact, summary, heading) in [
        (
            "What do you know about me?",
            "Lives in Osaka.",
            "I like tea.",
            "From earlier in this conversation:",
        ),
        ("私について何を知っていますか？", "大阪に住んでいる。", "お茶が好きです。", "この会話でこれまでに:"),
    ] {
        let facts = json!([{"text": fact, "status": "current"}]);
        let answer = asks_after(summary, &facts, TALKED, question);
        let lines: Vec<&str> = answer.lines().collect();
        let at = lines.iter().position(|line| *line == heading).expect("a heading");
        assert_eq!(lines[at - 1], "", "{answer}");
        assert!(lines[at - 2].starts_with("- ") && lines[at + 1].starts_with("> "), "{answer}");
    }
}

#[test]
fn it_says_what_it_is_first_and_whenever_asked_something_general() {
    for question in ["What's the capital of France?", "Write a Rust function that sorts a list", "hello"] {
        assert!(asks(&json!([]), &[], question).contains("MODEL_PROVIDER"), "{question}");
    }
    assert!(asks(&json!([]), TALKED, "What's the capital of France?").contains("MODEL_BASE_URL"));
    assert!(asks(&json!([]), TALKED, "フランスの首都はどこですか？").contains("内蔵モデル"));
    assert!(!asks(&json!([]), TALKED, "Where do I live?").contains("MODEL_PROVIDER"));
    for (first, again, still) in [
        ("hello", "What's the capital of France?", "built-in model"),
        ("こんにちは", "フランスの首都はどこですか？", "内蔵モデル"),
    ] {
        let introduced = asks(&json!([]), &[], first);
        let talked = [(Role::User, first), (Role::Assistant, introduced.as_str())];
        let reply = asks(&json!([]), &talked, again);
        assert!(reply.contains(still) && !reply.contains("MODEL_PROVIDER"), "{reply}");
    }
    assert!(asks(&json!([{"text": "Name is Aiko.", "status": "current"}]), TALKED, "Hello").contains("Aiko"));
}

#[test]
fn the_merged_layout_is_read_like_the_separate_one() {
    let memory = json!({"type": "reference_memory", "facts": [{"text": "Lives in Kobe.", "status": "current"}], "passages": []});
    let message = ChatMessage { role: Role::User, content: format!("{memory}\n\nWhere do I live?") };
    let said = answer(&Prompt { messages: vec![message], max_tokens: 100, schema: None });
    assert!(said.starts_with("You live in Kobe."), "{said}");
}

#[test]
fn what_was_just_said_is_known_before_it_is_a_fact() {
    let recent = [(Role::User, "My dog's name is Rex."), (Role::Assistant, "Thanks.")];
    assert!(asks(&json!([]), &recent, "What is my dog's name?").contains("Rex"));
    let recent = [(Role::User, "大阪に住んでいます。"), (Role::Assistant, "はい。")];
    assert!(asks(&json!([]), &recent, "私はどこに住んでいますか？").contains("大阪"));
}

#[test]
fn twenty_folds_keep_what_was_planted_first() {
    let mut summary = String::new();
    for round in 0..20 {
        let mut messages = vec![
            json!({"role": "user", "text": format!("The weather was nice on walk number {round}, we talked for a while.")}),
            json!({"role": "assistant", "text": "I am the built-in model."}),
        ];
        if round == 0 {
            messages.push(json!({"role": "user", "text": "My name is Aiko. I'm allergic to peanuts. Never call me before 9. 大阪に住んでいます。"}));
        }
        if round == 5 {
            messages.push(json!({"role": "user", "text": "神戸に引っ越しました。"}));
        }
        summary = call(
            "rolling_summary",
            &json!({"summary": summary, "messages": messages, "keep": ["Aiko"]}),
        )["summary"]
            .as_str()
            .unwrap()
            .to_owned();
    }
    for planted in ["Aiko", "peanuts", "before 9", "神戸"] {
        assert!(summary.contains(planted), "{planted}: {summary}");
    }
    assert!(!summary.contains("大阪") && !summary.contains("built-in"), "{summary}");
    assert!(crate::text::estimate::tokens(&summary) <= 400);
}

#[test]
fn a_question_that_leans_on_context_gets_its_nouns() {
    let query = |said: &str, question: &str| {
        call("search_query", &json!({"messages": [{"role": "user", "text": said}], "question": question}))["query"].as_str().unwrap().to_owned()
    };
    assert!(query("My sister Hanako lives in Sapporo.", "When does she visit?").contains("Hanako"));
    assert!(query("妹は札幌に住んでいます。", "いつ来るって言ってた？").contains("札幌"));
    assert_eq!(query("", "Where?"), "Where?");
}

#[test]
fn a_hundred_kilobytes_take_no_quadratic_time() {
    for piece in ["I live in Osaka and ", "猫が好きで、", "a", "、", "{\"a\":", "my my my "] {
        let long = piece.repeat(100_000 / piece.len());
        let input = json!({"messages": [{"ref": "m", "role": "user", "text": long}], "existing": [{"ref": "f", "text": long}], "new": long, "question": long, "summary": long});
        for name in ["memory_operations", "rolling_summary", "search_query", "same_fact"] {
            assert!(call(name, &input).is_object());
        }
        assert!(!asks(&json!([{"text": long, "status": "current"}]), TALKED, &long).is_empty());
    }
}

proptest! {
    #[test]
    fn any_text_gives_json_with_verbatim_quotes_and_the_same_again(
        parts in proptest::collection::vec(prop_oneof![
            "\\PC{0,12}", Just("I live in Osaka".to_owned()), Just("、".to_owned()), Just("私は猫が好き".to_owned()), Just(" my ".to_owned()),
            Just("2015年".to_owned()), Just("から".to_owned()), Just("ではない".to_owned()), Just("remember that ".to_owned()), Just("覚えておいて".to_owned()), Just("。".to_owned()), Just("’".to_owned())
        ], 0..8),
    ) {
        let said = parts.concat();
        let found = operations(&said, &json!([{"ref": "f", "text": said.clone()}]));
        prop_assert_eq!(found, operations(&said, &json!([{"ref": "f", "text": said.clone()}])));
        for name in ["rolling_summary", "search_query", "same_fact"] {
            let input = json!({"new": said.clone(), "question": said.clone(), "summary": said.clone(),
                "messages": [{"role": "user", "text": said.clone()}], "existing": [{"ref": "f", "text": said.clone()}]});
            prop_assert!(call(name, &input).is_object());
        }
        let reply = asks(&json!([{"text": said.clone(), "status": "current"}]), &[], &said);
        prop_assert!(!reply.is_empty());
    }
}
