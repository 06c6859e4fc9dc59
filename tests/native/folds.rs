//! Labelled folds: which new summary may replace the old one, and what survives without a model.

use kioku::memory::calls::Line;
use kioku::memory::fold::{Merge, check, extractive};
use kioku::memory::fold_keep::keep;
use kioku::text::estimate::tokens;

const FOLDS: &[&str] = &[include_str!("../cases/folds.en.jsonl"), include_str!("../cases/folds.ja.jsonl")];
const MOST: u32 = 400;

#[derive(serde::Deserialize)]
struct Fold {
    summary: String,
    said: Vec<String>,
    good: Vec<String>,
    bad: Vec<String>,
}

fn folds() -> Vec<Fold> {
    FOLDS.iter().flat_map(|text| text.lines()).map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn lines(said: &[String]) -> Vec<Line> {
    said.iter()
        .enumerate()
        .map(|(at, text)| Line {
            reference: format!("m{at}"),
            role: "user".into(),
            text: text.clone(),
            said_at: "2026-11-30T02:00:00Z".into(),
        })
        .collect()
}

fn nothing(_: &str) -> bool {
    false
}

#[test]
fn good_summaries_are_taken_and_bad_ones_are_not() {
    let mut wrong = Vec::new();
    for fold in folds() {
        let lines = lines(&fold.said);
        let keep = keep(&fold.summary, &lines);
        for (summaries, is_good) in [(&fold.good, true), (&fold.bad, false)] {
            for summary in summaries {
                let verdict = check(
                    summary,
                    &Merge { old: &fold.summary, messages: &lines, keep: &keep },
                    MOST,
                    &nothing,
                );
                if verdict.is_ok() != is_good {
                    wrong.push(format!("{summary}\n  {verdict:?} keep {keep:?}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_summary_without_a_model_passes_its_own_check() {
    for fold in folds() {
        let lines = lines(&fold.said);
        let keep = keep(&fold.summary, &lines);
        let summary = extractive(&fold.summary, &lines, MOST, &nothing, &nothing);
        if !summary.is_empty() {
            let merge = Merge { old: &fold.summary, messages: &lines, keep: &keep };
            assert_eq!(check(&summary, &merge, MOST, &nothing), Ok(()), "{summary}\n{keep:?}");
        }
    }
}

/// Twenty folds in a row, each of small talk and one thing that matters.
#[test]
fn what_matters_survives_twenty_folds_without_a_model() {
    let english: Vec<(String, String)> = (0..20)
        .map(|n| {
            let (name, number) = (format!("Person{}", (b'A' + n) as char), 100 + u32::from(n));
            match n % 4 {
                0 => (format!("I told you about {name}."), name),
                1 => (format!("Locker {number} is mine."), number.to_string()),
                2 => (format!("Never invite {name}."), name),
                _ => (format!("I owe {name} {number} yen."), number.to_string()),
            }
        })
        .collect();
    let japanese: Vec<(String, String)> = "赤青黄緑紫白黒金銀茶空海山川森花月星雪雨"
        .chars()
        .enumerate()
        .map(|(n, c)| match n % 3 {
            0 => (format!("{c}田さんと会った。"), format!("{c}田さん")),
            1 => (format!("{c}色の箱は{n}番。"), format!("{n}番")),
            _ => (format!("{c}木さんは呼ばないで。"), format!("{c}木さん")),
        })
        .collect();
    for (planted, talk) in [
        (english, "What a lovely day it is, isn't it? Well, thanks."),
        (japanese, "今日はいい天気ですね。どうしましょうか？"),
    ] {
        let mut summary = String::new();
        for (sentence, _) in &planted {
            summary =
                extractive(&summary, &lines(&[talk.to_owned(), sentence.clone()]), MOST, &nothing, &nothing);
            assert!(tokens(&summary) <= MOST);
        }
        let kept = planted.iter().filter(|(_, mark)| summary.contains(mark.as_str())).count();
        assert!(kept * 20 >= planted.len() * 19, "{kept} of {}:\n{summary}", planted.len());
    }
}
