//! Measures exact search and recall natively: `npm run bench:recall`.
//!
//! Search over 1,000, 10,000 and 100,000 vectors of 1,024 numbers, beside the time it takes to read as many bytes; the
//! memory they take and the time to pack them; and the whole of what a question costs with 10,000 facts and 100,000
//! messages. Milliseconds, of this machine.
//!
//! `npm run bench:recall -- --fill FILE FACTS MESSAGES [DIMENSIONS]` fills an object's file instead, so that the same can
//! be measured in the runtime (`npm run bench -- --scenarios search`): with vectors of the built-in table, or with
//! made-up ones of so many numbers.

#[path = "../tests/native/support/sqlite.rs"]
#[allow(dead_code, reason = "the double's faults are for tests")]
mod sqlite;

use kioku::id::{FactId, MessageId, ThreadId};
use kioku::llm::Role;
use kioku::llm::table::{MODEL, VERSION, embed};
use kioku::memory::gate::{Gate, OPEN};
use kioku::memory::passages;
use kioku::memory::rank::scale;
use kioku::memory::when::When;
use kioku::store::embeddings::{self, Corpus};
use kioku::store::held::Held;
use kioku::store::index::{self, MessageFilter, Query};
use kioku::store::sql::{Sql, StoreError, atomic};
use kioku::store::{messages, schema};
use kioku::time::Millis;

const DIMENSIONS: usize = 1_024;
const ROUNDS: usize = 30;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    if let ["--fill", file, facts, said, more @ ..] = args.as_slice() {
        let count = |text: &str| text.parse().expect("a number");
        let dimensions = more.first().map(|dimensions| count(dimensions));
        return fill(file, count(facts), count(said), dimensions).expect("the object takes an archive");
    }
    for count in [1_000, 10_000, 100_000] {
        vectors(count).expect("memory takes vectors");
    }
    whole(10_000, 100_000).expect("memory takes an archive");
}

fn vectors(count: usize) -> Result<(), StoreError> {
    let sql = empty("bench")?;
    let mut dice = Dice(7);
    let began = now();
    for chunk in 0..count / 500 {
        let some: Vec<_> =
            (0..500).map(|n| (Corpus::Messages, (chunk * 500 + n) as i64, dice.vector())).collect();
        embeddings::put(&sql, &some)?;
    }
    let built = began.elapsed().as_secs_f64();
    let mut held = Held::default();
    let model = embeddings::serving(&sql)?.remove(0);
    let question = dice.vector();
    let first = once(|| held.nearest(&sql, &model, Corpus::Messages, &question, 100, None).map(drop))?;
    let warm = median(|| held.nearest(&sql, &model, Corpus::Messages, &question, 100, None).map(drop))?;
    let bytes: Vec<u8> = (0..count * DIMENSIONS).map(|n| n as u8).collect();
    let read = median(|| {
        // As 64-bit words: as fast as memory gives them.
        let (words, _) = bytes.as_chunks::<8>();
        std::hint::black_box(
            words.iter().fold(0_u64, |sum, word| sum.wrapping_add(u64::from_le_bytes(*word))),
        );
        Ok(())
    })?;
    println!(
        "{count:>7} vectors of {DIMENSIONS}: first search {first:.2} ms, then {warm:.2} ms, reading as many bytes {read:.2} ms \
         ({:.1} times); {:.1} MB; a vector is stored in {:.3} ms",
        warm / read.max(0.001),
        (count * DIMENSIONS) as f64 / 1e6,
        built * 1_000.0 / count as f64,
    );
    Ok(())
}

fn whole(facts: usize, messages: usize) -> Result<(), StoreError> {
    const WORDS: &[&str] = &[
        "coffee", "train", "garden", "paper", "harbour", "laptop", "recipe", "clock", "bridge", "piano",
        "winter", "market", "doctor", "letter", "window", "river", "ticket", "jacket", "museum", "kitchen",
        "珈琲", "列車", "庭園", "和紙", "港", "時計", "料理", "橋", "琴", "硯",
    ];
    let sql = empty(MODEL)?;
    let mut dice = Dice(11);
    let sentence = |dice: &mut Dice, n: usize| {
        let mut word = || WORDS[dice.next() as usize % WORDS.len()];
        let name = n % 997;
        format!(
            "Yesterday {} and {} near the {} with visitor{name}, then {} again",
            word(),
            word(),
            word(),
            word()
        )
    };
    let began = now();
    for from in (0..facts + messages).step_by(500) {
        atomic(&sql, || {
            let mut made = Vec::new();
            for n in from..(from + 500).min(facts + messages) {
                let text = sentence(&mut dice, n);
                if n < facts {
                    let id = FactId::parse(&format!("f_{n:08}")).ok_or_else(|| StoreError::corrupt("id"))?;
                    index::put_fact(&sql, &id, &text)?;
                } else {
                    let seq = (n - facts) as i64 + 1;
                    index::put_message(&sql, seq, &ThreadId::main(), Millis(seq), &text)?;
                }
            }
            for waiting in embeddings::waiting(&sql, None, 1_000)? {
                made.push((waiting.corpus, waiting.doc, embed(&waiting.text)));
            }
            embeddings::put(&sql, &made)
        })?;
    }
    println!(
        "{facts} facts and {messages} messages: indexed and embedded in {:.2} ms each",
        began.elapsed().as_secs_f64() * 1_000.0 / (facts + messages) as f64
    );
    let mut held = Held::default();
    let mut times = Vec::new();
    let mut parts = [0.0; 4];
    for n in 0..200 {
        let question = format!("When did I see the {} with visitor{}?", WORDS[n % WORDS.len()], n * 5 % 997);
        let mut took = [0.0; 4];
        let (query, filter) = (Query::by_words(&question), MessageFilter::default());
        let model = embeddings::serving(&sql)?.remove(0);
        let mut near = Vec::new();
        took[0] = once(|| {
            let asked = embed(&question);
            held.nearest(&sql, &model, Corpus::Facts, &asked, 100, None)?;
            let found = held.nearest(&sql, &model, Corpus::Messages, &asked, 100, None)?;
            near = found.into_iter().map(|(seq, cosine)| (seq, scale(MODEL).nearness(cosine))).collect();
            Ok(())
        })?;
        took[1] = once(|| index::search_facts(&sql, &query, 50).map(drop))?;
        let mut found = None;
        took[2] = once(|| {
            found = Some(index::search_messages(&sql, &query, &filter, 100)?);
            Ok(())
        })?;
        took[3] = once(|| {
            if let Some(found) = &found {
                let gate = Gate::of(&When::whole(&question), found);
                if passages::about(&gate, found, &near) >= OPEN {
                    let around = index::neighbours(&sql, &passages::lenders(found, &near))?;
                    passages::rank(&gate, found, &around, &near, &[]);
                }
            }
            Ok(())
        })?;
        if n == 0 {
            println!("  the first question, which reads the vectors: {:.2} ms", took.iter().sum::<f64>());
            continue;
        }
        times.push(took.iter().sum::<f64>());
        for (part, took) in parts.iter_mut().zip(took) {
            *part += took / 199.0;
        }
    }
    times.sort_by(f64::total_cmp);
    println!(
        "  recall p50 {:.2} ms, p95 {:.2} ms; on average meaning {:.2}, facts by words {:.2}, messages by words {:.2}, gate and order {:.2}",
        times[times.len() / 2],
        times[times.len() * 95 / 100],
        parts[0],
        parts[1],
        parts[2],
        parts[3],
    );
    Ok(())
}

/// Adds facts and messages to an object's file, searchable. Facts are copies of one that it has.
fn fill(file: &str, facts: usize, said: usize, dimensions: Option<usize>) -> Result<(), StoreError> {
    const THINGS: &[&str] =
        &["coffee", "trains", "gardens", "paper", "harbours", "laptops", "clocks", "pianos"];
    const PLACES: &[&str] = &["Kyoto", "Lisbon", "Oslo", "Nara", "Quito", "Perth", "Turin", "Bergen", "Cork"];
    const 物: &[&str] = &["珈琲", "列車", "庭園", "和紙", "港", "時計", "料理", "橋", "琴", "硯"];
    let about = |n: usize| {
        let (one, other, place) = (n % THINGS.len(), n / 7 % THINGS.len(), PLACES[n / 31 % PLACES.len()]);
        match n % 3 {
            0 => format!("{place}の{}について{n}番目の人と話した。", 物[n % 物.len()]),
            1 => format!("We spoke about {} and {} near {place} ({n}).", THINGS[one], THINGS[other]),
            _ => format!("Visitor number {n} brought {} to {place} and stayed for lunch.", THINGS[one]),
        }
    };
    let sql = sqlite::Sqlite::over(rusqlite::Connection::open(file).expect("an object's file"));
    schema::migrate(&sql, Millis(0))?;
    let columns = sql.exec(
        "SELECT group_concat(name) FROM pragma_table_info('facts') WHERE name NOT IN ('id', 'text')",
        &[],
    )?;
    let columns = columns[0].string(0)?;
    let (model, version) = if dimensions.is_some() { ("bench", 1) } else { (MODEL, VERSION) };
    embeddings::aim_at(&sql, model, version)?;
    let mut dice = Dice(5);
    for from in (0..facts + said).step_by(500) {
        atomic(&sql, || {
            for n in from..(from + 500).min(facts + said) {
                if n < facts {
                    let id = FactId::parse(&format!("f_{n:016}")).ok_or_else(|| StoreError::corrupt("id"))?;
                    let statement = format!(
                        "INSERT INTO facts (id, text, {columns}) SELECT ?, ?, {columns} FROM facts LIMIT 1"
                    );
                    sql.exec(&statement, &[id.as_str().into(), about(n).as_str().into()])?;
                    index::put_fact(&sql, &id, &about(n))?;
                    continue;
                }
                let id = MessageId::parse(&format!("m_{n:016}")).ok_or_else(|| StoreError::corrupt("id"))?;
                let (thread, text) = (ThreadId::main(), about(n));
                let created_at = Millis(1_700_000_000_000 + n as i64);
                let role = if n % 2 == 0 { Role::User } else { Role::Assistant };
                let seq = messages::insert(
                    &sql,
                    &messages::NewMessage {
                        id: &id,
                        thread: &thread,
                        role,
                        text: &text,
                        created_at,
                        turn: None,
                        status: None,
                        teaches: false,
                        external_id: None,
                    },
                )?;
                index::put_message(&sql, seq, &thread, created_at, &text)?;
            }
            let waiting = embeddings::waiting(&sql, None, 2_000)?;
            let made: Vec<_> = waiting
                .into_iter()
                .map(|text| {
                    let vector = match dimensions {
                        Some(count) => dice.vector_of(count),
                        None => embed(&text.text),
                    };
                    (text.corpus, text.doc, vector)
                })
                .collect();
            embeddings::put(&sql, &made)
        })?;
    }
    // What is stored was folded long ago, as it would be after that many turns.
    sql.exec(
        "UPDATE threads SET folded_seq = (SELECT coalesce(max(seq), 0) FROM messages) WHERE id = 'main'",
        &[],
    )?;
    Ok(())
}

fn empty(model: &str) -> Result<sqlite::Sqlite, StoreError> {
    let sql = sqlite::Sqlite::memory();
    schema::migrate(&sql, Millis(0))?;
    embeddings::aim_at(&sql, model, VERSION)?;
    Ok(sql)
}

#[expect(clippy::disallowed_methods, reason = "a measurement needs the machine's clock")]
fn now() -> std::time::Instant {
    std::time::Instant::now()
}

fn once(act: impl FnOnce() -> Result<(), StoreError>) -> Result<f64, StoreError> {
    let began = now();
    act()?;
    Ok(began.elapsed().as_secs_f64() * 1_000.0)
}

fn median(mut act: impl FnMut() -> Result<(), StoreError>) -> Result<f64, StoreError> {
    let mut times = (0..ROUNDS).map(|_| once(&mut act)).collect::<Result<Vec<_>, _>>()?;
    times.sort_by(f64::total_cmp);
    Ok(times[times.len() / 2])
}

/// Numbers that are the same on every run.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    fn vector(&mut self) -> Vec<f32> {
        self.vector_of(DIMENSIONS)
    }

    fn vector_of(&mut self, dimensions: usize) -> Vec<f32> {
        (0..dimensions).map(|_| (self.next() % 2_001) as f32 / 1_000.0 - 1.0).collect()
    }
}
