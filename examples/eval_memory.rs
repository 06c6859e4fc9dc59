//! Measures memory with a real model: the labelled cases of `tests/cases` through the product's own prompts and checks.
//!
//! It speaks lines of JSON with whoever can reach the model (`scripts/eval.mjs`): out goes `{"url","headers","body"}`, in
//! comes `{"status","body","ms"}`, and the last line out is `{"report","markdown"}`. Nothing is decided here: proposals
//! are read and judged by `memory::operations` and `memory::extract`, folds by `memory::fold`, pairs by `memory::compare`.

#[path = "eval_memory/cases.rs"]
mod cases;
#[path = "eval_memory/score.rs"]
mod score;

use std::io::{BufRead, Write};

use kioku::calendar::Date;
use kioku::id::MessageId;
use kioku::llm::manner::Manner;
use kioku::llm::openai::{Endpoint, chat_request, read_completion};
use kioku::llm::{JsonMode, Prompt, Role, Usage};
use kioku::memory::calls::{Extraction, Fold, Judge, Known, Line, read_judged, read_summary, reference};
use kioku::memory::extract::{Rules, Said, Verdict, check};
use kioku::memory::fold;
use kioku::memory::fold_keep::{keep, within};
use kioku::memory::{operations, policy};
use serde_json::{Value, json};

use cases::{Case, Expected, Task};
use score::{Kept, Score};

const SAID_AT: &str = "2026-11-30T02:00:00Z";
const SUMMARY_TOKENS: u32 = 400;
/// As the session has them.
const EXTRACTION_TOKENS: u32 = 1_200;
const JUDGE_TOKENS: u32 = 100;

fn main() {
    let variable = |name: &str, default: &str| std::env::var(name).unwrap_or_else(|_| default.to_owned());
    let sample: Option<usize> = std::env::args().nth(1).and_then(|raw| raw.parse().ok());
    let mut model = Model {
        base_url: variable("MODEL_BASE_URL", "http://127.0.0.1:8080/v1").trim_end_matches('/').to_owned(),
        name: variable("CHAT_MODEL", "default"),
        key: std::env::var("MODEL_API_KEY").ok().map(kioku::config::Secret::new),
        spent: Spent::default(),
        is_stopped: false,
    };
    let mut scores = [Score::new("en"), Score::new("ja")];
    let tasks = ["en", "ja"].map(|language| cases::tasks(language, sample));
    // By turns, so that a run that is stopped early has measured both languages.
    for at in 0..tasks.iter().map(Vec::len).max().unwrap_or(0) {
        for (tasks, score) in tasks.iter().zip(&mut scores) {
            let Some(task) = tasks.get(at) else { continue };
            run(task, &mut model, score);
            eprintln!("{} {}/{} calls {}", score.language, score.tasks, tasks.len(), model.spent.calls);
            if model.is_stopped {
                break;
            }
        }
        if model.is_stopped {
            break;
        }
    }
    let (report, markdown) = score::report(&model.name, sample, &scores, &model.spent);
    println!("{}", json!({"report": report, "markdown": markdown}));
}

/// What the calls cost.
#[derive(Default)]
pub struct Spent {
    pub calls: u32,
    pub failed: u32,
    pub garbled: u32,
    pub prompt_tokens: u64,
    pub completion_tokens: u64,
    pub ms: u64,
}

struct Model {
    base_url: String,
    name: String,
    key: Option<kioku::config::Secret>,
    spent: Spent,
    /// Time is up: the report is made of what was measured.
    is_stopped: bool,
}

impl Model {
    /// One whole answer, or nothing; what is no answer is counted.
    fn ask(&mut self, prompt: &Prompt) -> Option<String> {
        let manner = Manner::default();
        let at = Endpoint { base_url: &self.base_url, api_key: self.key.as_ref(), model: &self.name, manner };
        let request = chat_request(&at, prompt, false, JsonMode::Schema);
        println!("{}", json!({"url": request.url, "headers": request.headers, "body": request.body}));
        std::io::stdout().flush().ok();
        let mut line = String::new();
        std::io::stdin().lock().read_line(&mut line).ok();
        let answer: Value = serde_json::from_str(&line).unwrap_or(Value::Null);
        self.spent.calls += 1;
        self.is_stopped = answer["last"].as_bool() == Some(true);
        self.spent.ms += answer["ms"].as_u64().unwrap_or(0);
        let completion = (answer["status"].as_u64() == Some(200))
            .then(|| read_completion(answer["body"].as_str().unwrap_or_default().as_bytes()).ok())
            .flatten();
        let Some(completion) = completion else {
            self.spent.failed += 1;
            return None;
        };
        let Usage { prompt_tokens, completion_tokens, .. } = completion.usage.unwrap_or_default();
        self.spent.prompt_tokens += u64::from(prompt_tokens);
        self.spent.completion_tokens += u64::from(completion_tokens);
        Some(completion.text)
    }
}

fn run(task: &Task, model: &mut Model, score: &mut Score) {
    score.tasks += 1;
    match &task.case {
        Case::Talk { said, expected, bad } => extraction(said, expected, bad, model, score),
        Case::Attack { said, keeps } => attack(said, *keeps, model, score),
        Case::Pair { new, old, want } => pair(new, old, want, model, score),
        Case::Fold { summary, said } => folding(summary, said, model, score),
    }
}

fn line(at: usize, text: &str) -> Line {
    Line { reference: reference(at), role: "user".into(), text: text.into(), said_at: SAID_AT.into() }
}

fn heard(texts: &[String]) -> Vec<Said> {
    texts
        .iter()
        .enumerate()
        .map(|(at, text)| Said {
            reference: reference(at),
            role: Role::User,
            message: MessageId::parse(&format!("m_{at}")).expect("an id"),
            text: text.clone(),
            said_at: kioku::time::Millis(1_796_004_000_000),
            date: Date::new(2026, 11, 30).expect("a day"),
        })
        .collect()
}

/// What the model proposes of messages, and what the code keeps of it.
fn proposed(texts: &[String], model: &mut Model) -> Option<(Vec<String>, Vec<Kept>)> {
    let prompt = Extraction {
        now: SAID_AT.into(),
        timezone: "Asia/Tokyo".into(),
        messages: texts.iter().enumerate().map(|(at, text)| line(at, text)).collect(),
        existing: Vec::new(),
    }
    .prompt(EXTRACTION_TOKENS);
    let answer = model.ask(&prompt)?;
    let Ok(proposals) = operations::read(&answer) else {
        model.spent.garbled += 1;
        return None;
    };
    let all = heard(texts);
    let mut raw = Vec::new();
    let mut kept = Vec::new();
    for proposal in &proposals {
        raw.push(proposal.text.clone());
        match check(proposal, &all, &Rules::default()) {
            Verdict::Keep(candidate) => kept.push(Kept { text: candidate.text, held: false }),
            Verdict::Hold(candidate, _) => kept.push(Kept { text: candidate.text, held: true }),
            Verdict::Refuse(_) => {}
        }
    }
    Some((raw, kept))
}

fn extraction(said: &str, expected: &Expected, bad: &[String], model: &mut Model, score: &mut Score) {
    match proposed(&[said.to_owned()], model) {
        Some((raw, kept)) => score.extraction(said, expected, bad, &raw, &kept),
        None => score.extraction(said, expected, bad, &[], &[]),
    }
}

fn attack(said: &[String], keeps: bool, model: &mut Model, score: &mut Score) {
    let (raw, kept) = proposed(said, model).unwrap_or_default();
    score.attack(said, keeps, &raw, &kept);
}

fn pair(new: &str, old: &str, want: &str, model: &mut Model, score: &mut Score) {
    let existing = [Known { reference: "f1".into(), text: old.into(), since: None }];
    let prompt = Judge { new: new.into(), existing: existing.to_vec() }.prompt(JUDGE_TOKENS);
    let judged = model.ask(&prompt).and_then(|answer| match read_judged(&answer, &existing) {
        Ok(judged) => Some(format!("{:?}", judged.verdict).to_ascii_lowercase()),
        Err(_) => {
            model.spent.garbled += 1;
            None
        }
    });
    score.pair(new, old, want, judged.as_deref());
}

/// As the session folds: the model is asked twice, then the extract is taken.
fn folding(summary: &str, said: &[String], model: &mut Model, score: &mut Score) {
    let lines: Vec<Line> = said.iter().enumerate().map(|(at, text)| line(at, text)).collect();
    let must = keep(summary, &lines);
    let refused = |text: &str| !policy::screen(text).is_empty();
    let mut call = Fold {
        summary: summary.into(),
        messages: lines.clone(),
        keep: within(must.clone(), SUMMARY_TOKENS),
        rejected: None,
    };
    let mut reasons = Vec::new();
    for _ in 0..2 {
        let Some(answer) = model.ask(&call.prompt(SUMMARY_TOKENS + 200)) else { break };
        let rejection = match read_summary(&answer) {
            Ok(new) => match fold::check(
                &new,
                &fold::Merge { old: summary, messages: &lines, keep: &call.keep },
                SUMMARY_TOKENS,
                &refused,
            ) {
                Ok(()) => return score.fold(said, &must, &new, true, &reasons),
                Err(rejection) => rejection,
            },
            Err(_) => {
                model.spent.garbled += 1;
                fold::Rejection::Empty
            }
        };
        reasons.push(rejection.as_str());
        call.rejected = Some(rejection.reason());
    }
    let extract = fold::extractive(summary, &lines, SUMMARY_TOKENS, &refused, &|_| false);
    score.fold(said, &must, &extract, false, &reasons);
}
