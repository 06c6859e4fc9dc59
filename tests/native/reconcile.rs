//! What a new fact does to the old ones: who decides, what is held, and what is never touched.

use kioku::id::{FactId, MessageId, ThreadId};
use kioku::memory::calls::Sameness;
use kioku::memory::model::{Candidate, Fact, Scope, Status};
use kioku::memory::operations::ProposedOp;
use kioku::memory::reconcile::{Case, Change, Decision, Nominee, Reason, Verdict, nominate, reconcile};
use kioku::time::Millis;
use proptest::prelude::*;

const TODAY: &str = "2026-11-30";

fn candidate(text: &str) -> Candidate {
    Candidate::new(MessageId::parse("m_new").unwrap(), text, Millis(2_000))
}

fn fact(id: &str, text: &str) -> Fact {
    Fact::new(FactId::parse(id).unwrap(), text, Millis(1_000))
}

fn decide(
    candidate: &Candidate,
    op: ProposedOp,
    target: Option<&str>,
    facts: &[Fact],
    verdicts: Option<&[Verdict]>,
) -> Decision {
    let thread = ThreadId::main();
    let target = target.map(|id| FactId::parse(id).unwrap());
    let case = Case { candidate, thread: &thread, op, target: target.as_ref(), hold: None, today: TODAY };
    reconcile(case, facts, verdicts)
}

fn plan(decision: Decision) -> Change {
    match decision {
        Decision::Plan(mut plan) if plan.len() == 1 => plan.remove(0),
        other => panic!("{other:?}"),
    }
}

fn verdict(id: &str, sameness: Sameness) -> Verdict {
    Verdict { fact: FactId::parse(id).unwrap(), sameness }
}

/// `op target…`, short enough to compare.
fn shown(change: &Change) -> String {
    match change {
        Change::Add(new) => format!("add {}", new.status.as_str()),
        Change::Confirm { fact, .. } => format!("confirm {fact}"),
        Change::Supersede { old, ended, .. } => {
            let old: Vec<&str> = old.iter().map(FactId::as_str).collect();
            format!("supersede {} {}", old.join(" "), ended.as_deref().unwrap_or("?"))
        }
        Change::Hold { reason, contests, .. } => {
            format!("hold {reason:?} {}", contests.as_ref().map_or("", FactId::as_str))
        }
        Change::ProposeForget { fact, .. } => format!("propose {fact}"),
    }
}

#[test]
fn code_decides_without_a_judge_where_values_tell() {
    for (new, old, want) in [
        ("I moved to Kyoto", "I live in Osaka", "supersede f_1 2026-11-30"),
        ("京都に引っ越しました", "大阪に住んでいます", "supersede f_1 2026-11-30"),
        ("猫が好きではない", "猫が好き", "supersede f_1 2026-11-30"),
        ("ネコが好きです", "ねこが好き", "confirm f_1"),
        ("I like tea", "I like coffee", "add current"),
        ("犬を飼っています", "猫を飼っています", "add current"),
    ] {
        for op in [ProposedOp::Add, ProposedOp::Supersede, ProposedOp::Confirm] {
            // Whatever the model proposes.
            let got = plan(decide(&candidate(new), op, Some("f_1"), &[fact("f_1", old)], None));
            assert_eq!(shown(&got), want, "{new} / {old} {op:?}");
        }
    }
}

#[test]
fn a_judge_is_asked_only_where_code_cannot_tell_and_its_word_counts() {
    let new = candidate("I live in Osaka city");
    let facts = [fact("f_1", "I live in Osaka"), fact("f_2", "I like tea")];
    let asked = decide(&new, ProposedOp::Supersede, Some("f_1"), &facts, None);
    assert_eq!(asked, Decision::NeedsJudge(vec![FactId::parse("f_1").unwrap()]));
    for (sameness, want) in [
        (Sameness::Same, "confirm f_1"),
        (Sameness::Changed, "supersede f_1 2026-11-30"),
        (Sameness::Contradicts, "supersede f_1 2026-11-30"),
        (Sameness::Separate, "add current"),
    ] {
        let verdicts = [verdict("f_1", sameness)];
        let got = plan(decide(&new, ProposedOp::Supersede, Some("f_1"), &facts, Some(&verdicts)));
        assert_eq!(shown(&got), want);
    }
    // A verdict about a fact that code knows to be separate changes nothing.
    let verdicts = [verdict("f_2", Sameness::Changed), verdict("f_1", Sameness::Separate)];
    let got = plan(decide(&new, ProposedOp::Supersede, Some("f_2"), &facts, Some(&verdicts)));
    assert_eq!(shown(&got), "add current");
    // One may like both, whatever the judge says.
    let verdicts = [verdict("f_2", Sameness::Changed)];
    let new = candidate("I like green tea");
    let got = plan(decide(&new, ProposedOp::Supersede, Some("f_2"), &facts, Some(&verdicts)));
    assert_eq!(shown(&got), "add current");
}

#[test]
fn a_supersede_that_nobody_confirms_is_held_or_added_but_changes_nothing() {
    let new = candidate("I like green tea");
    let facts = [fact("f_1", "I like tea")];
    let got = plan(decide(&new, ProposedOp::Supersede, Some("f_1"), &facts, Some(&[])));
    assert_eq!(shown(&got), "hold Disputed f_1");
    let got = plan(decide(&new, ProposedOp::Add, None, &facts, Some(&[])));
    assert_eq!(shown(&got), "add current");
    // A target that wasn't nominated is a target that doesn't exist.
    let got = plan(decide(&candidate("I like jazz"), ProposedOp::Supersede, Some("f_9"), &facts, None));
    assert_eq!(shown(&got), "add current");
}

#[test]
fn a_models_forget_only_proposes() {
    let facts = [fact("f_1", "I like tea")];
    let new = candidate("I like tea");
    assert_eq!(shown(&plan(decide(&new, ProposedOp::Forget, Some("f_1"), &facts, None))), "propose f_1");
    assert_eq!(decide(&new, ProposedOp::Forget, Some("f_9"), &facts, None), Decision::Plan(Vec::new()));
}

#[test]
fn pinned_and_edited_facts_are_contested_not_changed() {
    for (pinned, edited) in [(true, false), (false, true)] {
        let old = Fact { pinned, edited, ..fact("f_1", "大阪に住んでいます") };
        let got = plan(decide(&candidate("東京に引っ越しました"), ProposedOp::Add, None, &[old], None));
        assert_eq!(shown(&got), "hold Protected f_1");
    }
}

#[test]
fn nothing_acts_across_scopes_but_a_confirmation_of_what_is_true_everywhere() {
    let thread = Scope::Thread(ThreadId::main());
    let global = fact("f_1", "I live in Osaka");
    let own = Fact { scope: thread.clone(), ..fact("f_2", "I live in Osaka") };
    let here = Candidate { scope: thread, ..candidate("I moved to Kyoto") };
    let got = plan(decide(&here, ProposedOp::Supersede, Some("f_1"), std::slice::from_ref(&global), None));
    assert_eq!(shown(&got), "add current");
    let got =
        plan(decide(&candidate("I moved to Kyoto"), ProposedOp::Add, None, std::slice::from_ref(&own), None));
    assert_eq!(shown(&got), "add current");
    let both = [global, own];
    let got = plan(decide(&candidate("I moved to Kyoto"), ProposedOp::Add, None, &both, None));
    assert_eq!(shown(&got), "supersede f_1 2026-11-30");
    let same_here = Candidate { text: "I live in Osaka".into(), ..here };
    let got = plan(decide(&same_here, ProposedOp::Add, None, &both[..1], None));
    assert_eq!(shown(&got), "confirm f_1");
}

#[test]
fn the_end_of_the_old_is_the_beginning_of_the_new_where_that_is_told() {
    let moved = Candidate { valid_from: Some("2026-10".into()), ..candidate("I moved to Kyoto") };
    let old = Fact { valid_from: Some("2015".into()), ..fact("f_1", "I live in Osaka") };
    let got = plan(decide(&moved, ProposedOp::Add, None, std::slice::from_ref(&old), None));
    assert_eq!(shown(&got), "supersede f_1 2026-10");
    // A beginning before the old one's is no end of it, and neither is one to come.
    for from in ["2010", "2027-04"] {
        let moved = Candidate { valid_from: Some(from.into()), ..moved.clone() };
        let got = plan(decide(&moved, ProposedOp::Add, None, std::slice::from_ref(&old), None));
        assert_eq!(shown(&got), "supersede f_1 2026-11-30", "{from}");
    }
}

#[test]
fn old_text_does_not_end_what_was_said_after_it() {
    let old_text = Candidate { said_at: Millis(500), ..candidate("I live in Osaka") };
    let now = fact("f_1", "I live in Kyoto");
    let Change::Add(new) = plan(decide(&old_text, ProposedOp::Add, None, &[now], None)) else { panic!() };
    assert_eq!((new.status, new.superseded_by.unwrap().as_str()), (Status::Past, "f_1"));
}

#[test]
fn what_is_over_is_past_from_the_start_and_ends_nothing() {
    let lived = Candidate {
        valid_from: Some("2015".into()),
        valid_until: Some("2018".into()),
        ..candidate("大阪に住んでいた")
    };
    let home = Fact { valid_from: Some("2024".into()), ..fact("f_1", "大阪に住んでいる") };
    assert_eq!(shown(&plan(decide(&lived, ProposedOp::Add, None, &[home], None))), "add past");
}

#[test]
fn what_policy_holds_waits_whatever_it_would_do() {
    let new = candidate("I moved to Kyoto");
    let thread = ThreadId::main();
    let case = Case {
        candidate: &new,
        thread: &thread,
        op: ProposedOp::Supersede,
        target: None,
        hold: Some(Reason::Sensitive),
        today: TODAY,
    };
    let got = plan(reconcile(case, &[fact("f_1", "I live in Osaka")], None));
    assert_eq!(shown(&got), "hold Sensitive ");
}

#[test]
fn the_likeliest_facts_are_nominated_first_in_both_languages() {
    let facts: Vec<Fact> = [
        "I like coffee",
        "I live in Osaka",
        "猫が好き",
        "大阪に住んでいる",
        "犬",
        "My sister likes coffee from Osaka",
    ]
    .iter()
    .enumerate()
    .map(|(at, text)| fact(&format!("f_{at}"), text))
    .collect();
    let nominees: Vec<Nominee> = facts.iter().map(Nominee::of).collect();
    let nominees: Vec<&Nominee> = nominees.iter().collect();
    let text_of = |id: &FactId| facts.iter().find(|fact| fact.id == *id).map(|fact| fact.text.clone());
    let first = |text: &str| nominate(&candidate(text), &nominees, 3).first().and_then(text_of);
    assert_eq!(first("The user likes coffee.").as_deref(), Some("I like coffee"));
    assert!(matches!(first("I moved to Kyoto").as_deref(), Some("I live in Osaka" | "大阪に住んでいる")));
    assert_eq!(first("犬").as_deref(), Some("犬"));
    assert_eq!(first("zzz"), None);
    assert_eq!(nominate(&candidate("coffee in Osaka"), &nominees, 2).len(), 2);
}

proptest! {
    /// Whatever a model and a judge say: a plan is reached, never a change of a fact that code knows to be separate,
    /// pinned, edited or of another scope, and never more than one fate for one candidate.
    #[test]
    fn no_proposal_and_no_verdict_changes_what_is_protected(
        new in prop::sample::select(vec![
            "I live in Kyoto", "I like tea", "猫が好きではない", "I like green tea", "大阪市に住んでいます", "x",
        ]),
        olds in prop::collection::vec((
            prop::sample::select(vec!["I live in Osaka", "I like tea", "猫が好き", "大阪に住んでいる", "犬が好き"]),
            any::<bool>(), any::<bool>(), any::<bool>(),
        ), 0..5),
        op in prop::sample::select(vec![
            ProposedOp::Add, ProposedOp::Supersede, ProposedOp::Confirm, ProposedOp::Forget,
        ]),
        target in prop::option::of(0usize..6),
        verdicts in prop::collection::vec((0usize..6, 0usize..4), 0..6),
    ) {
        let facts: Vec<Fact> = olds.iter().enumerate().map(|(at, &(text, pinned, edited, scoped))| Fact {
            pinned,
            edited,
            scope: if scoped { Scope::Thread(ThreadId::main()) } else { Scope::Global },
            ..fact(&format!("f_{at}"), text)
        }).collect();
        let sameness =
            [Sameness::Same, Sameness::Changed, Sameness::Contradicts, Sameness::Separate];
        let verdicts: Vec<Verdict> =
            verdicts.iter().map(|&(at, which)| verdict(&format!("f_{at}"), sameness[which])).collect();
        let target = target.map(|at| format!("f_{at}"));
        let decision = decide(&candidate(new), op, target.as_deref(), &facts, Some(&verdicts));
        let Decision::Plan(plan) = decision else { return Err(TestCaseError::fail("asked twice")) };
        prop_assert!(plan.len() <= 1);
        for change in plan {
            if op == ProposedOp::Forget {
                let proposes = matches!(change, Change::ProposeForget { .. });
                prop_assert!(proposes);
            }
            if let Change::Supersede { old, .. } = change {
                for id in old {
                    let old = facts.iter().find(|fact| fact.id == id).unwrap();
                    prop_assert!(!old.pinned && !old.edited && old.scope == Scope::Global);
                    // Of a text that states nothing, only the judge can tell.
                    prop_assert!(old.text != "犬が好き" || new == "x", "separate by code");
                }
            }
        }
    }
}
