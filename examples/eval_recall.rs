//! Measures recall, and what each step of its pipeline brings: `npm run eval:recall -- [FOLDER] [--write FILE]
//! [--short]`.
//!
//! On the repository's own paraphrases: facts and messages that are asked for in other words, near misses that must
//! find nothing, questions in the other language. With a folder of public data sets, which are no part of the
//! repository, also on LoCoMo's long conversations and JSQuAD's paragraphs. A set that isn't there is skipped, visibly.

#[path = "../tests/support/sqlite.rs"]
#[allow(dead_code, reason = "the double's faults are for tests")]
mod sqlite;

#[path = "eval_recall/archive.rs"]
mod archive;
#[path = "eval_recall/paraphrases.rs"]
mod paraphrases;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use archive::{Archive, STEPS, found_within};
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
    let most = if short { 2 } else { STEPS.len() };
    let mut out = String::from("# Recall, measured\n\nPer cent. `npm run eval:recall` makes this table.\n");
    paraphrases::measure(most, &mut out);
    let folder = args.into_iter().next().or_else(|| std::env::var("KIOKU_DATA").ok()).map(PathBuf::from);
    match &folder {
        Some(folder) => {
            for named in [true, false] {
                locomo(&folder.join("locomo/locomo_dev5.json"), named, most, &mut out);
            }
            jsquad(&folder.join("jglue/jsquad_dev.json"), most, &mut out);
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

fn share(part: usize, whole: usize) -> f64 {
    part as f64 * 100.0 / whole.max(1) as f64
}

fn locomo(path: &Path, named: bool, most: usize, out: &mut String) {
    let Some(data) = read(path) else { return };
    // What each step brings is the same without names.
    let steps = if named { most } else { 2 };
    let (mut questions, mut hits) = (0, vec![[0; 3]; STEPS.len()]);
    let (mut foreign, mut injected) = (0, vec![0; STEPS.len()]);
    let mut both = [0; 2];
    let samples: Vec<&Value> = each(&data).collect();
    for (position, sample) in samples.iter().enumerate() {
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
        let timed: Vec<(&str, Millis)> = said.iter().map(String::as_str).zip(said_at).collect();
        let archive = Archive::said(&timed);
        let (facts, sources) = observations(&sample["observation"]);
        let memory = Archive::of(&facts);
        for qa in each(&sample["qa"]).filter(|qa| each(&qa["evidence"]).next().is_some()) {
            questions += 1;
            let asked = text(&qa["question"]);
            let is_evidence = |seq: &i64| {
                turns
                    .get(*seq as usize - 1)
                    .is_some_and(|turn| each(&qa["evidence"]).any(|e| *e == turn["dia_id"]))
            };
            let ways = archive.ask(asked, memory.about(asked), steps);
            for (hits, order) in hits.iter_mut().zip(&ways) {
                for (hit, most) in hits.iter_mut().zip([5, 10, 20]) {
                    *hit += usize::from(order.iter().take(most).any(is_evidence));
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
                let found = said.iter().take(5).any(is_evidence) || known.iter().take(5).any(is_source);
                *both += usize::from(found);
            }
        }
        // Questions about other people's lives are the hardest that should find nothing.
        for qa in each(&samples[(position + 1) % samples.len()]["qa"]).step_by(5) {
            foreign += 1;
            for (injected, order) in injected.iter_mut().zip(archive.ask(text(&qa["question"]), 0.0, steps)) {
                *injected += usize::from(!order.is_empty());
            }
        }
    }
    line(
        out,
        &format!(
            "\n## LoCoMo, {}: {questions} questions, an answering turn among the first, {foreign} questions of another conversation\n",
            if named { "speakers named in the texts" } else { "texts alone" }
        ),
    );
    line(out, "| passages | 5 | 10 | 20 | foreign questions that inject |\n|---|---|---|---|---|");
    for ((step, hits), injected) in STEPS.iter().zip(&hits).zip(&injected).take(steps) {
        let [five, ten, twenty] = hits.map(|n| share(n, questions));
        line(
            out,
            &format!(
                "| {} | {five:.1} | {ten:.1} | {twenty:.1} | {:.1} |",
                step.name,
                share(*injected, foreign)
            ),
        );
    }
    for (both, way) in both.iter().zip([0, 1]) {
        line(
            out,
            &format!(
                "\nFive passages and five observations, {}: {:.1}",
                STEPS[way].name,
                share(*both, questions)
            ),
        );
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

fn jsquad(path: &Path, most: usize, out: &mut String) {
    let Some(data) = read(path) else { return };
    let paragraphs: Vec<&Value> =
        each(&data["data"]).flat_map(|article| each(&article["paragraphs"])).collect();
    let texts: Vec<String> = paragraphs.iter().map(|p| text(&p["context"]).to_owned()).collect();
    let archive = Archive::of(&texts);
    let (mut questions, mut hits) = (0, vec![[0; 2]; STEPS.len()]);
    for (seq, paragraph) in (1_i64..).zip(&paragraphs) {
        for qa in each(&paragraph["qas"]) {
            questions += 1;
            for (hits, order) in hits.iter_mut().zip(archive.ask(text(&qa["question"]), 0.0, most)) {
                hits[0] += usize::from(found_within(&order, seq, 1));
                hits[1] += usize::from(found_within(&order, seq, 5));
            }
        }
    }
    line(
        out,
        &format!(
            "\n## JSQuAD: {questions} questions, the paragraph among the first\n\n| passages | 1 | 5 |\n|---|---|---|"
        ),
    );
    for (step, hits) in STEPS.iter().zip(&hits).take(most) {
        let [first, five] = hits.map(|n| share(n, questions));
        line(out, &format!("| {} | {first:.1} | {five:.1} |", step.name));
    }
}
