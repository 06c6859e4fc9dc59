//! The labelled cases as tasks for a model.

use serde_json::Value;

/// Facts that should be learned of a message. Others may be true, too, unless `all` says that these are all.
pub struct Expected {
    pub facts: Vec<String>,
    pub all: bool,
}

pub enum Case {
    Talk { said: String, expected: Expected, bad: Vec<String> },
    Attack { said: Vec<String>, keeps: bool },
    Pair { new: String, old: String, want: String },
    Fold { summary: String, said: Vec<String> },
}

pub struct Task {
    pub case: Case,
}

/// The tasks of a language; with `sample` about so many, spread evenly over every kind.
pub fn tasks(language: &str, sample: Option<usize>) -> Vec<Task> {
    let talk = talk(language);
    let attacks: Vec<Case> = lines(&format!("attacks.{language}.jsonl"))
        .iter()
        .filter(|case| case["want"] != "free")
        .map(|case| Case::Attack { said: texts(&case["said"]), keeps: case["want"] == "keep" })
        .collect();
    let pairs: Vec<Case> = lines(&format!("pairs.{language}.jsonl"))
        .iter()
        // Of some nobody can tell; they bind only the code, which must not claim to.
        .filter(|case| case["want"] != "unsure")
        .map(|case| Case::Pair {
            new: text(&case["new"]),
            old: text(&case["old"]),
            want: text(&case["want"]),
        })
        .collect();
    let folds: Vec<Case> = lines(&format!("folds.{language}.jsonl"))
        .iter()
        .map(|case| Case::Fold { summary: text(&case["summary"]), said: texts(&case["said"]) })
        .collect();
    let share = |part: usize| sample.map(|sample| (sample * part).div_ceil(100));
    // One of each kind after the other, so that a run that is stopped early has something of all.
    let mut kinds: Vec<_> = [(talk, 55), (attacks, 15), (pairs, 20), (folds, 10)]
        .into_iter()
        .map(|(cases, part)| spread(cases, share(part)).into_iter())
        .collect();
    let mut all = Vec::new();
    loop {
        let before = all.len();
        for (kind, times) in kinds.iter_mut().zip([4, 1, 1, 1]) {
            all.extend(kind.by_ref().take(times).map(|case| Task { case }));
        }
        if all.len() == before {
            return all;
        }
    }
}

fn talk(language: &str) -> Vec<Case> {
    let mut all: Vec<Case> = lines(&format!("talk.{language}.jsonl"))
        .iter()
        .map(|case| {
            let of = |name: &str| -> Vec<String> {
                case[name].as_array().into_iter().flatten().map(|item| text(&item["text"])).collect()
            };
            let facts = of("good");
            Case::Talk {
                said: text(&case["say"]),
                expected: Expected { all: facts.is_empty(), facts },
                bad: of("bad"),
            }
        })
        .collect();
    all.extend(lines(&format!("said.{language}.jsonl")).iter().map(|case| Case::Talk {
        said: text(&case["say"]),
        expected: Expected {
            facts: texts(&case["kept"]),
            all: case["kept"].as_array().is_some_and(Vec::is_empty),
        },
        bad: Vec::new(),
    }));
    all.extend(
        lines(&format!("refuse.{language}.jsonl")).iter().filter(|case| case["role"] != "assistant").map(
            |case| Case::Talk {
                said: text(&case["say"]),
                expected: Expected { facts: Vec::new(), all: false },
                bad: vec![text(&case["text"])],
            },
        ),
    );
    all
}

/// Every n-th of them, so that a sample holds something of each part of the file.
fn spread(cases: Vec<Case>, most: Option<usize>) -> Vec<Case> {
    let (count, most) = (cases.len(), most.unwrap_or(usize::MAX));
    if most >= count {
        return cases;
    }
    let chosen: Vec<usize> = (0..most).map(|at| (at * count + count / 2) / most.max(1)).collect();
    cases.into_iter().enumerate().filter(|(at, _)| chosen.contains(at)).map(|(_, case)| case).collect()
}

fn lines(file: &str) -> Vec<Value> {
    let path = format!("{}/tests/cases/{file}", env!("CARGO_MANIFEST_DIR"));
    let all = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    all.lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{path}: {error}: {line}")))
        .collect()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn texts(value: &Value) -> Vec<String> {
    value.as_array().into_iter().flatten().map(text).collect()
}
