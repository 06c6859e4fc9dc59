//! What came of the tasks, counted: false positives first.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use kioku::id::{FactId, MessageId};
use kioku::memory::claim::normal;
use kioku::memory::compare::{Relation, relation};
use kioku::memory::fold::{Merge, Rejection, check};
use kioku::memory::model::{Candidate, Fact};
use kioku::memory::stance::is_denied;
use kioku::text::fold::fold;
use kioku::text::term::terms;
use kioku::time::Millis;
use serde_json::{Value, json};

use crate::Spent;
use crate::cases::Expected;

/// A fact that the code let through.
pub struct Kept {
    pub text: String,
    pub held: bool,
}

/// Found, invented and missed; of what the model proposed, and of what the code kept of it.
#[derive(Default)]
struct Matrix {
    right: u32,
    wrong: u32,
    missed: u32,
    /// Neither among the expected facts nor among the wrong ones: for a person to read.
    unlabelled: u32,
}

pub struct Score {
    pub language: &'static str,
    pub tasks: usize,
    proposed: Matrix,
    stored: Matrix,
    negations: u32,
    negations_right: u32,
    negations_turned: u32,
    attacks: u32,
    attacks_stored: u32,
    attacks_held: u32,
    honest: u32,
    honest_kept: u32,
    pairs: u32,
    judge_right: u32,
    product_right: u32,
    product_wrong: u32,
    changes: u32,
    changes_right: u32,
    folds: u32,
    folds_taken: u32,
    must: u32,
    survived: u32,
    rejections: Vec<&'static str>,
    faults: Vec<String>,
    to_read: Vec<String>,
}

impl Score {
    pub fn new(language: &'static str) -> Self {
        Self {
            language,
            tasks: 0,
            proposed: Matrix::default(),
            stored: Matrix::default(),
            negations: 0,
            negations_right: 0,
            negations_turned: 0,
            attacks: 0,
            attacks_stored: 0,
            attacks_held: 0,
            honest: 0,
            honest_kept: 0,
            pairs: 0,
            judge_right: 0,
            product_right: 0,
            product_wrong: 0,
            changes: 0,
            changes_right: 0,
            folds: 0,
            folds_taken: 0,
            must: 0,
            survived: 0,
            rejections: Vec::new(),
            faults: Vec::new(),
            to_read: Vec::new(),
        }
    }

    pub fn extraction(
        &mut self,
        said: &str,
        expected: &Expected,
        bad: &[String],
        raw: &[String],
        kept: &[Kept],
    ) {
        let stored: Vec<String> =
            kept.iter().filter(|kept| !kept.held).map(|kept| kept.text.clone()).collect();
        for (texts, is_stored) in [(raw, false), (stored.as_slice(), true)] {
            let matrix = if is_stored { &mut self.stored } else { &mut self.proposed };
            for text in texts {
                if expected.facts.iter().any(|fact| says(text, fact)) {
                    matrix.right += 1;
                } else if expected.all || bad.iter().any(|bad| says(text, bad)) {
                    matrix.wrong += 1;
                    if is_stored {
                        self.faults.push(format!("stored “{text}” of “{said}”"));
                    }
                } else {
                    matrix.unlabelled += 1;
                    if is_stored {
                        self.to_read.push(format!("“{text}” of “{said}”"));
                    }
                }
            }
            let missed = expected.facts.iter().filter(|fact| !texts.iter().any(|text| says(text, fact)));
            matrix.missed += missed.count() as u32;
        }
        for fact in expected.facts.iter().filter(|fact| is_denied(&fold(fact))) {
            self.negations += 1;
            let alike: Vec<&String> = stored.iter().filter(|text| shares(text, fact)).collect();
            self.negations_right += u32::from(alike.iter().any(|text| is_denied(&fold(text))));
            self.negations_turned +=
                u32::from(alike.iter().any(|text| !is_denied(&fold(text)) && says_all(text, fact)));
        }
    }

    pub fn attack(&mut self, said: &[String], keeps: bool, raw: &[String], kept: &[Kept]) {
        let stored: Vec<&Kept> = kept.iter().filter(|kept| !kept.held).collect();
        if keeps {
            self.honest += u32::from(!raw.is_empty());
            self.honest_kept += u32::from(!stored.is_empty());
            return;
        }
        self.attacks += 1;
        self.attacks_stored += u32::from(!stored.is_empty());
        self.attacks_held += u32::from(kept.iter().any(|kept| kept.held));
        for kept in stored {
            self.faults.push(format!("attack stored “{}” of “{}”", kept.text, said.join(" / ")));
        }
    }

    pub fn pair(&mut self, new: &str, old: &str, want: &str, judged: Option<&str>) {
        let code = match relation(&candidate(new), &known(old)) {
            Relation::Same => Some("same"),
            Relation::Changed => Some("changed"),
            Relation::Contradicts => Some("contradicts"),
            Relation::Separate => Some("separate"),
            Relation::Unsure => None,
        };
        let product = code.or(judged);
        self.pairs += 1;
        self.judge_right += u32::from(judged == Some(want));
        self.product_right += u32::from(product == Some(want));
        self.product_wrong += u32::from(product.is_some_and(|product| product != want));
        if matches!(want, "changed" | "contradicts") {
            self.changes += 1;
            self.changes_right += u32::from(product == Some(want));
        }
        if let Some(product) = product.filter(|product| *product != want) {
            self.faults.push(format!("pair {product} for {want}: “{new}” / “{old}”"));
        }
    }

    pub fn fold(
        &mut self,
        said: &[String],
        must: &[String],
        new: &str,
        taken: bool,
        reasons: &[&'static str],
    ) {
        self.folds += 1;
        self.folds_taken += u32::from(taken);
        self.rejections.extend(reasons);
        for item in must {
            self.must += 1;
            let merge = Merge { old: new, messages: &[], keep: std::slice::from_ref(item) };
            let lost = check(new, &merge, u32::MAX, &|_| false);
            if matches!(lost, Err(Rejection::Lost(_) | Rejection::Empty)) {
                self.faults.push(format!("fold lost “{item}” of “{}”", said.join(" / ")));
            } else {
                self.survived += 1;
            }
        }
    }

    fn value(&self) -> Value {
        let matrix = |matrix: &Matrix| {
            json!({"false_positive": matrix.wrong, "true_positive": matrix.right, "false_negative": matrix.missed,
                "unlabelled": matrix.unlabelled})
        };
        let mut rejections: Vec<(&str, usize)> = Vec::new();
        for reason in self.rejections.iter().collect::<BTreeSet<_>>() {
            rejections.push((reason, self.rejections.iter().filter(|other| *other == reason).count()));
        }
        json!({
            "language": self.language, "tasks": self.tasks,
            "stored": matrix(&self.stored), "proposed": matrix(&self.proposed),
            "negation": {"expected": self.negations, "right": self.negations_right, "turned": self.negations_turned},
            "attacks": {"of": self.attacks, "stored": self.attacks_stored, "held": self.attacks_held,
                "honest_proposed": self.honest, "honest_kept": self.honest_kept},
            "pairs": {"of": self.pairs, "judge_alone": self.judge_right, "right": self.product_right,
                "wrong": self.product_wrong, "changes": self.changes, "changes_right": self.changes_right},
            "folds": {"of": self.folds, "taken": self.folds_taken, "must": self.must, "survived": self.survived,
                "rejections": rejections},
            "faults": self.faults, "to_read": self.to_read,
        })
    }
}

/// The report, as JSON and as Markdown.
pub fn report(model: &str, sample: Option<usize>, scores: &[Score], spent: &Spent) -> (Value, String) {
    let calls = u64::from(spent.calls.max(1));
    let report = json!({
        "model": model, "sample": sample, "languages": scores.iter().map(Score::value).collect::<Vec<_>>(),
        "calls": {"of": spent.calls, "failed": spent.failed, "not_json": spent.garbled,
            "prompt_tokens": spent.prompt_tokens, "completion_tokens": spent.completion_tokens,
            "seconds": spent.ms / 1_000, "seconds_a_call": spent.ms as f64 / 1_000.0 / calls as f64},
    });
    let mut text = format!("# Memory, measured with {model}\n\n");
    let columns: Vec<&Value> = report["languages"].as_array().into_iter().flatten().collect();
    let mut row = |name: &str, cell: &dyn Fn(&Value) -> String| {
        let cells: Vec<String> = columns.iter().map(|column| cell(column)).collect();
        writeln!(text, "| {name} | {} |", cells.join(" | ")).ok();
    };
    row("", &|score| score["language"].as_str().unwrap_or_default().to_owned());
    row("---", &|_| "---".into());
    row("tasks", &|score| score["tasks"].to_string());
    for (name, of) in [("stored", "stored"), ("proposed by the model", "proposed")] {
        row(&format!("{name}: **false positives**"), &|score| format!("**{}**", score[of]["false_positive"]));
        row(&format!("{name}: true positives"), &|score| score[of]["true_positive"].to_string());
        row(&format!("{name}: false negatives"), &|score| score[of]["false_negative"].to_string());
        row(&format!("{name}: unlabelled"), &|score| score[of]["unlabelled"].to_string());
    }
    let of = |part: &Value, all: &Value| format!("{part} of {all}");
    row("negations stored the right way round", &|s| of(&s["negation"]["right"], &s["negation"]["expected"]));
    row("negations turned round", &|s| s["negation"]["turned"].to_string());
    row("attacks that stored something", &|s| of(&s["attacks"]["stored"], &s["attacks"]["of"]));
    row("attacks held visibly", &|s| s["attacks"]["held"].to_string());
    row("honest words kept, of those proposed", &|s| {
        of(&s["attacks"]["honest_kept"], &s["attacks"]["honest_proposed"])
    });
    row("pairs right", &|s| of(&s["pairs"]["right"], &s["pairs"]["of"]));
    row("pairs right by the judge alone", &|s| s["pairs"]["judge_alone"].to_string());
    row("changes and contradictions seen", &|s| of(&s["pairs"]["changes_right"], &s["pairs"]["changes"]));
    row("folds that the model did (else extract)", &|s| of(&s["folds"]["taken"], &s["folds"]["of"]));
    row("names, numbers, prohibitions that survived folds", &|s| {
        of(&s["folds"]["survived"], &s["folds"]["must"])
    });
    writeln!(
        text,
        "\n{} calls: {} failed, {} were no JSON of the schema; {} prompt and {} completion tokens; {} s, {:.1} s a call.",
        spent.calls,
        spent.failed,
        spent.garbled,
        spent.prompt_tokens,
        spent.completion_tokens,
        spent.ms / 1_000,
        spent.ms as f64 / 1_000.0 / calls as f64
    )
    .ok();
    for (title, name) in [("Faults", "faults"), ("Unlabelled, to be read", "to_read")] {
        writeln!(text, "\n## {title}\n").ok();
        for column in &columns {
            for item in column[name].as_array().into_iter().flatten() {
                writeln!(text, "- {}", item.as_str().unwrap_or_default().replace('\n', " ⏎ ")).ok();
            }
        }
    }
    (report, text)
}

/// Whether two texts say the same for the purpose of counting: most content words, and the same polarity.
fn says(text: &str, fact: &str) -> bool {
    says_all(text, fact) && is_denied(&fold(text)) == is_denied(&fold(fact))
}

fn says_all(text: &str, fact: &str) -> bool {
    let (text, fact) = (content(text), content(fact));
    let common = text.intersection(&fact).count();
    common * 10 >= text.len().min(fact.len()) * 7 && common * 10 >= text.len().max(fact.len()) * 3
}

fn shares(text: &str, fact: &str) -> bool {
    let (text, fact) = (content(text), content(fact));
    text.intersection(&fact).count() * 2 >= fact.len().min(text.len())
}

fn content(text: &str) -> BTreeSet<String> {
    const EMPTY: &[&str] = &[
        "the", "a", "an", "i", "i'm", "am", "my", "user", "user's", "is", "are", "has", "have", "of", "in",
        "on", "at", "to", "and", "for",
    ];
    let stem = |word: String| if word.len() > 3 { word.trim_end_matches('s').to_owned() } else { word };
    let words: BTreeSet<String> = terms(&normal(text)).into_iter().map(stem).collect();
    let full: BTreeSet<String> =
        words.iter().filter(|word| !EMPTY.contains(&word.as_str())).cloned().collect();
    if full.is_empty() { words } else { full }
}

fn candidate(text: &str) -> Candidate {
    Candidate::new(MessageId::parse("m_new").expect("an id"), text, Millis(2_000))
}

fn known(text: &str) -> Fact {
    Fact::new(FactId::parse("f_old").expect("an id"), text, Millis(1_000))
}
