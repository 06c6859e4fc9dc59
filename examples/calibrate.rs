//! Finds from which cosine on an embedding model calls a text near: the questions of `tests/cases/recall` by their
//! answers and by near misses. `npm run calibrate` starts it, sends its requests and keeps what it finds.
//!
//! `calibrate embedded` needs nobody. Otherwise (`calibrate openai BASE_URL MODEL`, `calibrate workers-ai MODEL`) each
//! request is one line of JSON on standard output and its answer one line on standard input, and the last line is the
//! result. So the requests are those that Kioku itself makes, prefixes and all, and no key passes through here.

#[path = "../tests/native/support/sqlite.rs"]
#[allow(dead_code, reason = "the double's faults are for tests")]
mod sqlite;

use std::io::BufRead;
use std::path::Path;

use kioku::id::FactId;
use kioku::llm::HttpRequest;
use kioku::llm::embeddings::{Purpose, embeddings_request, embeddings_run, read_embeddings, read_run};
use kioku::llm::manner::Manner;
use kioku::llm::openai::Endpoint;
use kioku::llm::table;
use kioku::memory::gate::{Gate, OPEN};
use kioku::memory::rank::Scale;
use kioku::memory::when::When;
use kioku::store::index::{self, Found, Query};
use kioku::store::schema;
use kioku::text::search::Terms;
use kioku::time::Millis;
use serde_json::{Value, json};

/// Of the near misses so many may find something, in every language and kind of text.
const SILENT: f64 = 0.95;
const BATCH: usize = 32;

enum Model {
    Embedded,
    OpenAi { base_url: String, name: String },
    WorkersAi { name: String },
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let model = match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] | ["embedded"] => Model::Embedded,
        ["openai", base_url, name] => {
            Model::OpenAi { base_url: base_url.trim_end_matches('/').to_owned(), name: name.to_owned() }
        }
        ["workers-ai", name] => Model::WorkersAi { name: name.to_owned() },
        _ => return println!("{}", json!({"error": "embedded, openai BASE_URL MODEL or workers-ai MODEL"})),
    };
    let mut sets = Vec::new();
    for language in ["en", "ja"] {
        for kind in ["fact", "said"] {
            match Set::read(language, kind).measured(&model) {
                Ok(set) => sets.push(set),
                Err(error) => return println!("{}", json!({"error": error})),
            }
        }
    }
    println!("{}", json!({"result": result(&sets)}));
}

/// Texts, questions that one of them answers, and questions that none does.
struct Set {
    name: String,
    texts: Vec<String>,
    asked: Vec<(String, usize)>,
    misses: Vec<String>,
}

/// What the gate sees of a question: each text with its cosine, and what it shares.
struct Seen {
    gate: Gate,
    cosines: Vec<f32>,
    right: Option<usize>,
}

struct Measured {
    name: String,
    texts: Vec<String>,
    seen: Vec<Seen>,
}

impl Set {
    fn read(language: &str, kind: &str) -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/cases/recall/{language}.jsonl"));
        let lines = std::fs::read_to_string(&path).expect("the repository's own file");
        let mut set = Self {
            name: format!("{language}, {kind}"),
            texts: Vec::new(),
            asked: Vec::new(),
            misses: Vec::new(),
        };
        for line in lines.lines() {
            let line: Value = serde_json::from_str(line).expect("a line of JSON");
            if let Some(miss) = line["miss"].as_str() {
                set.misses.push(miss.to_owned());
                continue;
            }
            let asked = line["ask"].as_array().into_iter().flatten().filter_map(Value::as_str);
            set.asked.extend(asked.map(|question| (question.to_owned(), set.texts.len())));
            set.texts.push(line[kind].as_str().unwrap_or_default().to_owned());
        }
        set
    }

    fn measured(self, model: &Model) -> Result<Measured, String> {
        let texts: Vec<&str> = self.texts.iter().map(String::as_str).collect();
        let places = embed(model, &texts, Purpose::Passage)?;
        let all: Vec<&str> = self
            .asked
            .iter()
            .map(|(question, _)| question.as_str())
            .chain(self.misses.iter().map(String::as_str))
            .collect();
        let questions = embed(model, &all, Purpose::Query)?;
        let sql = sqlite::Sqlite::memory();
        schema::migrate(&sql, Millis(0)).map_err(|error| error.to_string())?;
        for (n, text) in self.texts.iter().enumerate() {
            let id = FactId::parse(&format!("f_{n}")).ok_or("an id")?;
            index::put_fact(&sql, &id, text).map_err(|error| error.to_string())?;
        }
        let mut seen = Vec::new();
        for (n, (question, vector)) in all.iter().zip(&questions).enumerate() {
            let found: Found<FactId> =
                index::search_facts(&sql, &Query::of(question), 50).map_err(|error| error.to_string())?;
            seen.push(Seen {
                gate: Gate::of(&When::whole(question), &found),
                cosines: places.iter().map(|place| cosine(vector, place)).collect(),
                right: self.asked.get(n).map(|(_, right)| *right),
            });
        }
        Ok(Measured { name: self.name, texts: self.texts, seen })
    }
}

impl Measured {
    /// The best cosines of near misses, sorted.
    fn noise(&self) -> Vec<f32> {
        sorted(self.seen.iter().filter(|seen| seen.right.is_none()).map(|seen| best(&seen.cosines)))
    }

    /// The cosines of answers with their questions, sorted.
    fn signal(&self) -> Vec<f32> {
        sorted(self.seen.iter().filter_map(|seen| seen.cosines.get(seen.right?).copied()))
    }

    /// The part of the near misses that find nothing, and of the questions that are given their answer.
    fn rates(&self, scale: Scale) -> (f64, f64) {
        let opens = |seen: &Seen, n: usize| {
            let nearness = seen.cosines.get(n).map_or(0.0, |cosine| scale.nearness(*cosine));
            self.texts.get(n).is_some_and(|text| seen.gate.score_of(&Terms::of(text), nearness) >= OPEN)
        };
        let (mut misses, mut silent, mut asked, mut right) = (0, 0, 0, 0);
        for seen in &self.seen {
            match seen.right {
                None => {
                    misses += 1;
                    silent += i32::from(!(0..self.texts.len()).any(|n| opens(seen, n)));
                }
                Some(n) => {
                    asked += 1;
                    right += i32::from(opens(seen, n));
                }
            }
        }
        (f64::from(silent) / f64::from(misses.max(1)), f64::from(right) / f64::from(asked.max(1)))
    }
}

fn result(sets: &[Measured]) -> Value {
    let noise = sets.iter().map(|set| at(&set.noise(), 0.5)).fold(f32::MIN, f32::max);
    // The least threshold at which every set is silent enough, by hundredths of the way from noise to sameness.
    let scale = (1..=200)
        .map(|step| Scale { noise, threshold: noise + (1.0 - noise) * step as f32 / 200.0 })
        .find(|scale| sets.iter().all(|set| set.rates(*scale).0 >= SILENT))
        .unwrap_or(Scale { noise, threshold: 1.0 });
    let rows: Vec<Value> = sets
        .iter()
        .map(|set| {
            let (signal, noise) = (set.signal(), set.noise());
            let (silent, right) = set.rates(scale);
            json!({
                "set": set.name, "signal_floor": at(&signal, 0.1), "signal_median": at(&signal, 0.5),
                "noise_median": at(&noise, 0.5), "noise_ceiling": at(&noise, 0.95),
                "margin": at(&signal, 0.1) - at(&noise, 0.95), "silent": silent, "answered": right,
            })
        })
        .collect();
    json!({"sets": rows, "noise": scale.noise, "threshold": scale.threshold})
}

fn embed(model: &Model, texts: &[&str], purpose: Purpose) -> Result<Vec<Vec<f32>>, String> {
    let mut vectors = Vec::new();
    for batch in texts.chunks(BATCH) {
        vectors.extend(match model {
            Model::Embedded => batch.iter().map(|text| table::embed(text)).collect(),
            Model::OpenAi { base_url, name } => {
                let at = Endpoint { base_url, api_key: None, model: name, manner: Manner::default() };
                let HttpRequest { url, body, .. } = embeddings_request(&at, batch, purpose);
                let answer = ask(&json!({"url": url, "body": body}))?;
                read_embeddings(answer.as_bytes(), batch.len())
                    .map_err(|failure| failure.code().to_owned())?
            }
            Model::WorkersAi { name } => {
                let run = embeddings_run(name, batch, purpose);
                let answer = ask(&json!({"model": run.model, "input": run.input}))?;
                let answer: Value = serde_json::from_str(&answer).map_err(|error| error.to_string())?;
                read_run(&answer, batch.len()).map_err(|failure| failure.code().to_owned())?
            }
        });
    }
    Ok(vectors)
}

/// Writes a request and reads its answer.
fn ask(request: &Value) -> Result<String, String> {
    println!("{request}");
    let mut answer = String::new();
    std::io::stdin().lock().read_line(&mut answer).map_err(|error| error.to_string())?;
    if answer.trim().is_empty() { Err("no answer".to_owned()) } else { Ok(answer) }
}

fn cosine(a: &[f32], b: &[f32]) -> f32 {
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f32>();
    dot(a, b) / (dot(a, a) * dot(b, b)).sqrt().max(f32::MIN_POSITIVE)
}

fn best(cosines: &[f32]) -> f32 {
    cosines.iter().copied().fold(f32::MIN, f32::max)
}

fn sorted(numbers: impl Iterator<Item = f32>) -> Vec<f32> {
    let mut sorted: Vec<f32> = numbers.collect();
    sorted.sort_by(f32::total_cmp);
    sorted
}

fn at(sorted: &[f32], part: f64) -> f32 {
    let last = sorted.len().saturating_sub(1);
    sorted.get((last as f64 * part).round() as usize).copied().unwrap_or(f32::NAN)
}
