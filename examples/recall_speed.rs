//! Measures what recall's parts take natively: `cargo run --release --example recall_speed [FACTS] [MESSAGES]`.

#[path = "../tests/support/sqlite.rs"]
#[allow(dead_code, reason = "the double's faults are for tests")]
mod sqlite;

use kioku::id::{FactId, ThreadId};
use kioku::llm::table::{MODEL, embed};
use kioku::store::sql::{Sql, StoreError, atomic};
use kioku::store::{embeddings, index};
use kioku::time::Millis;

const QUESTIONS: &[&str] = &[
    "Question 7 about the piano: please keep the answer short and to the point because there is little time today and the list is long",
    "Which pianos did I see in Oslo?",
    "奈良の和紙はどうだった？",
    "what did I buy in Cork",
];
const ROUNDS: u32 = 20;

fn main() {
    let number =
        |at: usize, usual: usize| std::env::args().nth(at).and_then(|n| n.parse().ok()).unwrap_or(usual);
    let (facts, messages) = (number(1, 1_000), number(2, 10_000));
    let sql = filled(facts, messages).expect("memory takes it");
    println!("{facts} facts, {messages} messages; milliseconds a question");
    for question in QUESTIONS {
        let query = index::Query::of(question);
        let vector = embed(question);
        println!("{question}: {} words, {} trigrams", query.words.len(), query.grams.len());
        timed("the question's terms", || drop(index::Query::of(question)));
        timed("the question's vector", || drop(embed(question)));
        let words = index::Query::by_words(question);
        timed("facts by words", || drop(index::search_facts(&sql, &words, 50)));
        timed("facts by terms", || drop(index::search_facts(&sql, &query, 50)));
        let state = index::facts_state(&sql).expect("a count");
        let mut kept = embeddings::Vectors::of(MODEL);
        kept.read(&sql, state).expect("vectors");
        timed("facts by meaning", || drop(kept.nearest(&vector, 50)));
        timed("the facts' vectors, read", || drop(embeddings::Vectors::of(MODEL).read(&sql, state)));
        timed("facts without a vector", || drop(embeddings::missing(&sql, MODEL, 50)));
        timed("messages by words", || {
            drop(index::search_messages(&sql, &words, &index::MessageFilter::default(), 100));
        });
        timed("messages by terms", || {
            drop(index::search_messages(&sql, &query, &index::MessageFilter::default(), 100));
        });
    }
}

#[expect(clippy::disallowed_methods, reason = "a measurement needs the machine's clock")]
fn timed(what: &str, act: impl Fn()) {
    act();
    let mut best = f64::INFINITY;
    for _ in 0..ROUNDS {
        let began = std::time::Instant::now();
        act();
        best = best.min(began.elapsed().as_secs_f64() * 1000.0);
    }
    println!("  {best:8.3}  {what}");
}

fn filled(facts: usize, messages: usize) -> Result<sqlite::Sqlite, StoreError> {
    const THINGS: &[&str] = &[
        "coffee", "trains", "gardens", "paper", "harbours", "laptops", "recipes", "clocks", "bridges",
        "pianos",
    ];
    const PLACES: &[&str] =
        &["Kyoto", "Lisbon", "Oslo", "Nara", "Quito", "Perth", "Turin", "Osaka", "Bergen", "Cork"];
    const 物: &[&str] = &["珈琲", "列車", "庭園", "和紙", "港", "時計", "料理", "橋", "琴", "硯"];
    let sql = sqlite::Sqlite::memory();
    sql.exec(index::SCHEMA, &[])?;
    sql.exec(embeddings::SCHEMA, &[])?;
    atomic(&sql, || {
        for at in 0..facts {
            let text = if at % 2 == 0 {
                format!(
                    "I looked at {} in {} with colleague number {}.",
                    THINGS[at % 10],
                    PLACES[at / 10 % 10],
                    at / 100
                )
            } else {
                format!("{}で{}番目の{}を買った。", PLACES[at / 10 % 10], at / 100, 物[at % 10])
            };
            let id = FactId::parse(&format!("f_{at:08}")).ok_or(StoreError::Corrupt("id"))?;
            index::put_fact(&sql, &id, &text)?;
            embeddings::put(&sql, &id, MODEL, &embed(&text))?;
        }
        for at in 0..messages {
            let text = if at % 3 == 0 {
                format!("{}の{}について話した。 ({at})", PLACES[at % 10], 物[at / 10 % 10])
            } else {
                format!(
                    "We spoke about {} and {} near {}. ({at})",
                    THINGS[at % 10],
                    THINGS[at / 10 % 10],
                    PLACES[at / 100 % 10]
                )
            };
            index::put_message(&sql, at as i64 + 1, &ThreadId::main(), Millis(at as i64), &text)?;
        }
        Ok(())
    })?;
    Ok(sql)
}
