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
        schema: Some(Schema { name, schema: json!({}) }),
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
    let memory = json!({"type": "reference_memory", "summary": "", "facts": facts, "passages": [], "timezone": "Asia/Tokyo", "now": "2026-11-30T02:00:00Z"});
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
        ("妻は猫が好きで、犬が苦手です", &["妻は猫が好き。"]),
        ("好きな色は緑です", &["好きな色は緑。"]),
        ("看護師をしています", &["看護師をしている。"]),
        ("北海道出身です", &["北海道出身。"]),
        ("合鍵は青い鉢の下にあると覚えておいて", &["合鍵は青い鉢の下にある。"]),
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
