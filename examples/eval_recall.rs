//! Measures recall, and what each step of its pipeline brings: `npm run eval:recall -- [FOLDER] [--write FILE]
//! [--short] [--vectors FILE MODEL]`, the last of them to measure another model than the built-in table.
//!
//! On the repository's own paraphrases: facts and messages that are asked for in other words, near misses that must
//! find nothing, questions in the other language. With a folder of public data sets, which are no part of the
//! repository, also on LoCoMo's long conversations and JSQuAD's paragraphs. A set that isn't there is skipped, visibly.

#[path = "../tests/native/support/sqlite.rs"]
#[allow(dead_code, reason = "the double's faults are for tests")]
mod sqlite;

#[path = "eval_recall/archive.rs"]
mod archive;
#[path = "eval_recall/embedding.rs"]
mod embedding;
#[path = "eval_recall/halves.rs"]
mod halves;
#[path = "eval_recall/paraphrases.rs"]
mod paraphrases;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use archive::{Archive, STEPS, found_within};
use embedding::{Embedding, PASSAGE, QUERY};
use halves::{Halves, is_held_out};
use kioku::calendar::{Date, midnight};
use kioku::memory::when::when;
use kioku::time::Millis;
use serde_json::Value;

fn main() {
    let mut args: Vec<String> = std::env::args().skip(1).collect();
    let write = args.iter().position(|arg| arg == "--write").map(|at| {
        args.remove(at);
        if at < args.len() { args.remove(at) } else { String::new() }
    });
    // Only the whole, with and without its gate.
    let short = args.iter().position(|arg| arg == "--short").map(|at| args.remove(at)).is_some();
    let embedding = match args.iter().position(|arg| arg == "--vectors") {
        Some(at) if at + 2 < args.len() => {
            let [_, file, model] = args.drain(at..at + 3).collect::<Vec<_>>().try_into().expect("three");
            Embedding::read(Path::new(&file), &model)
        }
        _ => Embedding::built_in(),
    };
    let most = if short { 2 } else { STEPS.len() };
    let mut out = format!(
        "# Recall, measured\n\nPer cent, by `npm run eval:recall`; embedding: {}. In brackets two halves (LoCoMo by conversation, \
         the rest by text): weights are chosen on the first and believed on the second. Those of the gate are older than \
         the split and were chosen on both.\n",
        embedding.model
    );
    paraphrases::measure(&embedding, most, &mut out);
    let folder = args.into_iter().next().or_else(|| std::env::var("KIOKU_DATA").ok()).map(PathBuf::from);
    match &folder {
        Some(folder) => {
            for named in [true, false] {
                locomo(&embedding, &folder.join("locomo/locomo_dev5.json"), named, most, &mut out);
            }
            jsquad(&embedding, &folder.join("jglue/jsquad_dev.json"), most, &mut out);
        }
        None => println!("skipped: LoCoMo and JSQuAD (no folder as argument or in KIOKU_DATA)"),
    }
    println!("{out}");
    if let Some(path) = write
        && let Err(error) = std::fs::write(&path, &out)
    {
        println!("{path}: {error}");
    }
}

/// Writes a line of the report. Writing to a string can't fail.
pub fn line(out: &mut String, text: &str) {
    let _ = writeln!(out, "{text}");
}

fn read(path: &Path) -> Option<Value> {
    let bytes = std::fs::read(path).map_err(|error| println!("skipped: {}: {error}", path.display())).ok()?;
    serde_json::from_slice(&bytes).map_err(|error| println!("skipped: {}: {error}", path.display())).ok()
}

fn each(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// The conversations of LoCoMo from this one on are held out.
const HELD_OUT_FROM: usize = 3;

fn locomo(embedding: &Embedding, path: &Path, named: bool, most: usize, out: &mut String) {
    let Some(data) = read(path) else { return };
    // What each step brings is the same without names.
    let steps = if named { most } else { 2 };
    let mut hits = vec![[Halves::default(); 4]; STEPS.len()];
    let mut both = [Halves::default(); 2];
    let samples: Vec<&Value> = each(&data).collect();
    for (position, sample) in samples.iter().enumerate() {
        let half = position >= HELD_OUT_FROM;
        let turns: Vec<&Value> =
            (1..100).flat_map(|n| each(&sample["conversation"][format!("session_{n}")])).collect();
        let said_at: Vec<Millis> = (1..100)
            .flat_map(|n| {
                let at = session_time(text(&sample["conversation"][format!("session_{n}_date_time")]));
                each(&sample["conversation"][format!("session_{n}")]).map(move |_| at)
            })
            .collect();
        let said: Vec<String> = turns
            .iter()
            .map(|turn| {
                if named {
                    format!("{}: {}", text(&turn["speaker"]), text(&turn["text"]))
                } else {
                    text(&turn["text"]).to_owned()
                }
            })
            .collect();
        let (facts, sources) = observations(&sample["observation"]);
        let texts = said.iter().chain(&facts).map(String::as_str);
        if !embedding.has(PASSAGE, texts) {
            println!("skipped: conversation {position} (no vectors)");
            continue;
        }
        let timed: Vec<(&str, Millis)> = said.iter().map(String::as_str).zip(said_at).collect();
        let archive = Archive::said(embedding, &timed);
        let memory = Archive::of(embedding, &facts);
        for qa in each(&sample["qa"]).filter(|qa| each(&qa["evidence"]).next().is_some()) {
            let asked = text(&qa["question"]);
            let is_evidence = |seq: &i64| {
                turns
                    .get(*seq as usize - 1)
                    .is_some_and(|turn| each(&qa["evidence"]).any(|e| *e == turn["dia_id"]))
            };
            let ways = archive.ask(asked, memory.about(asked), steps);
            for (hits, order) in hits.iter_mut().zip(&ways) {
                for (hit, most) in hits.iter_mut().zip([5, 10, 20]) {
                    hit.count(half, order.iter().take(most).any(is_evidence));
                }
            }
            // The same evidence as facts: five and five together.
            let is_source = |seq: &i64| {
                sources
                    .get(*seq as usize - 1)
                    .is_some_and(|ids| each(&qa["evidence"]).any(|e| ids.contains(&text(e))))
            };
            let known = memory.ask(asked, archive.about(asked), 2);
            for ((both, said), known) in both.iter_mut().zip(&ways).zip(&known) {
                both.count(half, said.iter().take(5).any(is_evidence) || known.iter().take(5).any(is_source));
            }
        }
        // Questions about other people's lives are the hardest that should find nothing.
        let foreign = each(&samples[(position + 1) % samples.len()]["qa"]).step_by(5);
        for qa in foreign.filter(|qa| embedding.has(QUERY, std::iter::once(text(&qa["question"])))) {
            for (hits, order) in hits.iter_mut().zip(archive.ask(text(&qa["question"]), 0.0, steps)) {
                hits[3].count(half, !order.is_empty());
            }
        }
    }
    line(
        out,
        &format!(
            "\n## LoCoMo, {}: {} questions, an answering turn among the first, {} questions of another conversation\n",
            if named { "speakers named in the texts" } else { "texts alone" },
            hits[0][0].whole(),
            hits[0][3].whole(),
        ),
    );
    line(out, "| passages | 5 | 10 | 20 | foreign questions that inject |\n|---|---|---|---|---|");
    for (step, [five, ten, twenty, injected]) in STEPS.iter().zip(&hits).take(steps) {
        line(out, &format!("| {} | {five} | {ten} | {twenty} | {injected} |", step.name));
    }
    for (both, way) in both.iter().zip([0, 1]) {
        line(out, &format!("\nFive passages and five observations, {}: {both}", STEPS[way].name));
    }
}

/// Reads `1:56 pm on 8 May, 2023`, by the day.
fn session_time(raw: &str) -> Millis {
    let date = raw.rsplit(" on ").next().unwrap_or_default();
    when(date, Date::new(2026, 11, 30).expect("a date"))
        .days
        .first()
        .map_or(Millis(0), |days| midnight(*days.start()))
}

/// The data's own facts, with the turns that each rests on.
fn observations(observation: &Value) -> (Vec<String>, Vec<Vec<&str>>) {
    let (mut facts, mut sources) = (Vec::new(), Vec::new());
    for (_, by_speaker) in observation.as_object().into_iter().flatten() {
        for (_, list) in by_speaker.as_object().into_iter().flatten() {
            for fact in each(list) {
                facts.push(text(&fact[0]).to_owned());
                sources.push(match &fact[1] {
                    Value::Array(ids) => ids.iter().map(text).collect(),
                    one => text(one).split([',', ';']).map(str::trim).collect(),
                });
            }
        }
    }
    (facts, sources)
}

fn jsquad(embedding: &Embedding, path: &Path, most: usize, out: &mut String) {
    let Some(data) = read(path) else { return };
    let paragraphs: Vec<&Value> =
        each(&data["data"]).flat_map(|article| each(&article["paragraphs"])).collect();
    let texts: Vec<String> = paragraphs.iter().map(|p| text(&p["context"]).to_owned()).collect();
    if !embedding.has(PASSAGE, texts.iter().map(String::as_str)) {
        return println!("skipped: JSQuAD (no vectors)");
    }
    let archive = Archive::of(embedding, &texts);
    let mut hits = vec![[Halves::default(); 2]; STEPS.len()];
    for ((seq, paragraph), context) in (1_i64..).zip(&paragraphs).zip(&texts) {
        for qa in each(&paragraph["qas"]) {
            let orders = archive.ask(text(&qa["question"]), 0.0, most);
            for (hits, order) in hits.iter_mut().zip(&orders) {
                for (hit, most) in hits.iter_mut().zip([1, 5]) {
                    hit.count(is_held_out(context), found_within(order, seq, most));
                }
            }
            if std::env::var("KIOKU_SHOW").is_ok() && !is_held_out(context) {
                let place = |order: &[i64]| order.iter().position(|found| *found == seq);
                let (with, without) = (place(&orders[0]), place(&orders[1]));
                if with.is_none_or(|place| place > 4) {
                    println!("JSQuAD {with:?} {without:?}: {}", text(&qa["question"]));
                }
            }
        }
    }
    line(
        out,
        &format!(
            "\n## JSQuAD: {} questions, the paragraph among the first\n\n| passages | 1 | 5 |\n|---|---|---|",
            hits[0][0].whole()
        ),
    );
    for (step, [first, five]) in STEPS.iter().zip(&hits).take(most) {
        line(out, &format!("| {} | {first} | {five} |", step.name));
    }
}
