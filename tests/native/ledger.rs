//! Memory's ledger over SQLite: what is decided is written once, explained, undone, and forgotten for good.

use std::collections::BTreeMap;

use crate::support::sqlite::Sqlite;
use kioku::id::{ChangeId, FactId, MessageId, ThreadId};
use kioku::memory::calls::Sameness;
use kioku::memory::model::{Candidate, Fact, Kind, Op, Scope, Source, Status};
use kioku::memory::operations::ProposedOp;
use kioku::memory::reconcile::{Case, Change, Decision, NewFact, Reason, Verdict, reconcile};
use kioku::store::facts::{self, Filter};
use kioku::store::forget::{self, Forgotten};
use kioku::store::learn::{self, Edit, Outcome, Refused};
use kioku::store::ledger::{self, Act, Applied, Told, UndoRefused};
use kioku::store::sql::{Sql, StoreError, Value};
use kioku::store::{schema, tombstones};
use kioku::text::case::lower;
use kioku::time::Millis;
use proptest::prelude::*;

struct Memory {
    sql: Sqlite,
    now: i64,
    rolled: u64,
    /// What the mirrors were told: each fact's version, and whether it is there.
    mirror: BTreeMap<FactId, (u32, bool)>,
}

impl Memory {
    fn new() -> Self {
        let sql = Sqlite::memory();
        schema::migrate(&sql, Millis(0)).unwrap();
        Self { sql, now: 1_000, rolled: 0, mirror: BTreeMap::new() }
    }

    fn act<T>(&mut self, body: impl FnOnce(&Sqlite, &mut Act<'_>) -> T) -> T {
        self.now += 10;
        let Self { sql, now, rolled, mirror } = self;
        let mut dice = || {
            *rolled += 1;
            let mut bytes = [0; 10];
            bytes[2..].copy_from_slice(&rolled.to_be_bytes());
            bytes
        };
        let mut told = |told: Told<'_>| {
            let (fact, version, there) = match told {
                Told::Changed(fact) => (&fact.id, fact.version, true),
                Told::Removed { fact, version } => (fact, version, false),
            };
            let last = mirror.insert(fact.clone(), (version, there));
            assert!(last.is_none_or(|(last, _)| last < version), "versions only grow");
            Ok(())
        };
        body(sql, &mut Act { now: Millis(*now), turn: None, dice: &mut dice, told: &mut told })
    }

    fn apply(&mut self, plan: &[Change]) -> Outcome {
        self.act(|sql, act| learn::apply(sql, plan, 1000, act)).unwrap()
    }

    fn one(&mut self, change: Change) -> Applied {
        let mut outcome = self.apply(&[change]);
        outcome.applied.pop().unwrap_or_else(|| panic!("refused: {:?}", outcome.refused))
    }

    fn add(&mut self, text: &str) -> Fact {
        let change = Change::Add(self.said(text));
        self.one(change).fact.unwrap()
    }

    fn supersede(&mut self, old: &Fact, text: &str) -> Applied {
        let new = self.said(text);
        self.one(Change::Supersede { old: vec![old.id.clone()], new, ended: Some("2026-11-30".into()) })
    }

    fn edit(&mut self, id: &FactId, edit: Edit<'_>) -> Option<(Fact, Option<Applied>)> {
        self.act(|sql, act| learn::edit(sql, id, edit, "2026-11-30", act)).unwrap()
    }

    fn undo(&mut self, change: &ChangeId) -> Result<Applied, UndoRefused> {
        self.act(|sql, act| ledger::undo(sql, change, act)).unwrap()
    }

    fn forget(&mut self, id: &FactId) -> Option<Forgotten> {
        self.act(|sql, act| forget::forget(sql, id, &[7; 32], act)).unwrap()
    }

    fn fact(&self, id: &FactId) -> Option<Fact> {
        facts::get(&self.sql, id).unwrap()
    }

    fn said(&self, text: &str) -> NewFact {
        Self::said_at(text, self.now)
    }

    fn said_at(text: &str, said_at: i64) -> NewFact {
        NewFact {
            text: text.to_owned(),
            kind: Kind::Other,
            scope: Scope::Global,
            status: Status::Current,
            valid_from: None,
            valid_until: None,
            superseded_by: None,
            source: Source {
                message: MessageId::parse(&format!("m_{said_at}")),
                thread: Some(ThreadId::main()),
                quote: format!("{text}, you know"),
                said_at: Millis(said_at),
            },
            reason: "said by the user",
        }
    }

    fn all(&self) -> Vec<Fact> {
        facts::list(&self.sql, &Filter::default(), None, 10_000).unwrap()
    }

    /// Everything that any column of any table holds.
    fn dump(&self) -> String {
        let mut dump = String::new();
        for table in self.sql.exec("SELECT name FROM sqlite_master WHERE type = 'table'", &[]).unwrap() {
            let table = table.text(0).unwrap();
            for row in self.sql.exec(&format!("SELECT * FROM {table}"), &[]).unwrap() {
                for value in row.0 {
                    if let Value::Text(text) = value {
                        dump.push_str(&text);
                        dump.push('\n');
                    }
                }
            }
        }
        dump
    }

    fn check(&self) {
        let stored: BTreeMap<FactId, Fact> =
            self.all().into_iter().map(|fact| (fact.id.clone(), fact)).collect();
        for fact in stored.values() {
            if let Some(successor) = &fact.superseded_by {
                assert_eq!(fact.status, Status::Past, "what was superseded is past");
                let successor = stored.get(successor).expect("a successor exists");
                assert!(successor.supersedes.contains(&fact.id), "links agree");
            }
            assert_eq!(self.mirror.get(&fact.id), Some(&(fact.version, true)), "mirrors know each fact");
        }
        for (id, (_, there)) in &self.mirror {
            assert_eq!(*there, stored.contains_key(id), "mirrors know what is gone");
        }
        let mut replayed: BTreeMap<FactId, Fact> = BTreeMap::new();
        let mut entries = ledger::list(&self.sql, None, 10_000).unwrap();
        entries.reverse();
        for entry in entries {
            for item in entry.items {
                match item.after {
                    Some(fact) => replayed.insert(item.fact, fact),
                    None => replayed.remove(&item.fact),
                };
            }
        }
        assert_eq!(replayed, stored, "the ledger replays to what is stored");
    }
}

#[test]
fn a_supersede_keeps_the_old_fact_as_history_and_undo_brings_it_back_exactly() {
    let mut memory = Memory::new();
    let old = memory.add("大阪に住んでいる");
    let applied = memory.supersede(&old, "東京に住んでいる");
    let new = applied.fact.clone().unwrap();
    assert_eq!((applied.op, &new.supersedes), (Op::Superseded, &vec![old.id.clone()]));
    let past = memory.fact(&old.id).unwrap();
    assert_eq!((past.status, past.valid_until.as_deref()), (Status::Past, Some("2026-11-30")));
    assert_eq!(past.superseded_by, Some(new.id.clone()));

    let undone = memory.undo(&applied.change).unwrap();
    let restored = memory.fact(&old.id).unwrap();
    let expected = Fact { version: restored.version, updated_at: restored.updated_at, ..old.clone() };
    assert_eq!(restored, expected);
    assert!(restored.version > past.version);
    assert_eq!(memory.fact(&new.id), None);

    memory.undo(&undone.change).unwrap();
    let again = memory.fact(&new.id).unwrap();
    assert_eq!(again, Fact { version: again.version, updated_at: again.updated_at, ..new });
    assert_eq!(memory.fact(&old.id).unwrap().status, Status::Past);
    memory.check();
}

#[test]
fn an_entry_is_undone_once_and_not_over_a_later_change() {
    let mut memory = Memory::new();
    let fact = memory.add("I like tea");
    let added = ledger::list(&memory.sql, None, 1).unwrap().remove(0);
    let (_, edited) =
        memory.edit(&fact.id, Edit { text: Some("I like green tea"), ..Edit::default() }).unwrap();
    assert_eq!(memory.undo(&added.id), Err(UndoRefused::Overtaken));
    memory.undo(&edited.unwrap().change).unwrap();
    assert_eq!(memory.fact(&fact.id).unwrap().text, "I like tea");
    memory.undo(&added.id).unwrap();
    assert_eq!(memory.undo(&added.id), Err(UndoRefused::AlreadyUndone));
    assert_eq!(memory.undo(&ChangeId::parse("c_none").unwrap()), Err(UndoRefused::Missing));
    memory.check();
}

#[test]
fn what_is_said_again_confirms_and_adds_nothing() {
    let mut memory = Memory::new();
    let fact = memory.add("猫が好き");
    let said = memory.said("私は猫が好きです。");
    let applied = memory.one(Change::Add(said));
    assert_eq!((applied.op, applied.fact.as_ref().map(|f| &f.id)), (Op::Confirmed, Some(&fact.id)));
    assert!(applied.fact.unwrap().observed_at > fact.observed_at);
    assert_eq!(facts::sources(&memory.sql, &fact.id).unwrap().len(), 2);
    // An old message confirms without making it look fresh or stale.
    let before = memory.fact(&fact.id).unwrap().observed_at;
    let old = Memory::said_at("猫が好き", 5);
    assert_eq!(memory.one(Change::Add(old)).fact.unwrap().observed_at, before);
    memory.check();
}

#[test]
fn pinned_and_edited_facts_are_only_contested_and_approval_replaces_them() {
    let mut memory = Memory::new();
    let old = memory.add("I live in Osaka");
    memory.edit(&old.id, Edit { pinned: Some(true), ..Edit::default() }).unwrap();
    let held = memory.supersede(&old, "I live in Kyoto");
    let fact = held.fact.unwrap();
    assert_eq!((held.op, fact.status), (Op::Held, Status::Held));
    assert_eq!(memory.fact(&old.id).unwrap().status, Status::Current);
    let reason = facts::hold(&memory.sql, &fact.id).unwrap().unwrap();
    assert_eq!(reason, (Reason::Protected.as_str().to_owned(), Some(old.id.clone())));

    let (approved, applied) =
        memory.edit(&fact.id, Edit { status: Some(Status::Current), ..Edit::default() }).unwrap();
    assert_eq!(approved.supersedes, std::slice::from_ref(&old.id));
    assert_eq!(memory.fact(&old.id).unwrap().status, Status::Past);
    memory.undo(&applied.unwrap().change).unwrap();
    assert_eq!(memory.fact(&old.id).unwrap().status, Status::Current);
    assert_eq!(memory.fact(&fact.id).unwrap().status, Status::Held);
    memory.check();
}

#[test]
fn what_went_while_a_model_was_asked_does_not_come_back() {
    let mut memory = Memory::new();
    let fact = memory.add("I like tea");
    memory.forget(&fact.id).unwrap();
    let confirm = Change::Confirm {
        fact: fact.id.clone(),
        message: MessageId::parse("m_1").unwrap(),
        quote: "I like tea".into(),
        said_at: Millis(1),
    };
    assert_eq!(memory.apply(&[confirm]).refused, [Refused::Gone]);
    let propose = Change::ProposeForget { fact: fact.id, quote: "tea".into() };
    assert_eq!(memory.apply(&[propose]).refused, [Refused::Gone]);
    memory.check();
}

#[test]
fn nothing_of_a_forgotten_fact_is_left_in_any_column() {
    let mut memory = Memory::new();
    let old = memory.add("Lives in Osaka");
    let fact = memory.supersede(&old, "Lives in Xanadu").fact.unwrap();
    memory.edit(&fact.id, Edit { text: Some("Lives in Shangri-La"), ..Edit::default() }).unwrap();
    let confirm = Change::Confirm {
        fact: fact.id.clone(),
        message: MessageId::parse("m_again").unwrap(),
        quote: "yes, Xanadu it is".into(),
        said_at: Millis(2_000),
    };
    memory.one(confirm);
    let entries = ledger::list(&memory.sql, None, 100).unwrap();
    let forgotten = memory.forget(&fact.id).unwrap();
    assert_eq!(forgotten.sources.len(), 2);
    assert!(forgotten.texts.iter().any(|text| text.contains("Shangri-La")));
    let dump = lower(&memory.dump());
    assert!(!dump.contains("xanadu") && !dump.contains("shangri"), "{dump}");
    assert!(dump.contains("osaka"));
    assert_eq!(memory.fact(&old.id).unwrap().superseded_by, None);
    for entry in &entries {
        if entry.items.iter().any(|item| item.fact == fact.id) {
            assert_eq!(memory.undo(&entry.id), Err(UndoRefused::Forgotten));
        }
    }
    assert_eq!(memory.undo(&forgotten.change), Err(UndoRefused::Forgotten));
    assert_eq!(memory.forget(&fact.id), None);
    memory.check();
}

#[test]
fn an_undone_addition_can_still_be_forgotten() {
    let mut memory = Memory::new();
    let fact = memory.add("Lives in Xanadu");
    let added = ledger::list(&memory.sql, None, 1).unwrap().remove(0);
    memory.undo(&added.id).unwrap();
    assert!(memory.dump().contains("Xanadu"));
    memory.forget(&fact.id).unwrap();
    assert!(!lower(&memory.dump()).contains("xanadu"));
}

#[test]
fn the_forgotten_is_not_learned_again_from_old_text_but_said_anew_it_is() {
    let mut memory = Memory::new();
    let fact = memory.add("東京に住んでいます。");
    let deleted_at = memory.now + 10;
    memory.forget(&fact.id).unwrap();
    memory.now += 1_000;
    for text in ["東京に住んでいます。", "私は東京に住んでいる", "ユーザーは東京に住んでいます"]
    {
        let old = Memory::said_at(text, deleted_at - 1);
        assert_eq!(memory.apply(&[Change::Add(old.clone())]).refused, [Refused::Forgotten], "{text}");
        let hold = Change::Hold { new: old, reason: Reason::Sensitive, contests: None };
        assert_eq!(memory.apply(&[hold]).refused, [Refused::Forgotten], "{text}");
    }
    // The same words in another sentence of the same message.
    assert!(
        tombstones::is_tombstoned(&memory.sql, "x", "元気です。東京に住んでいます！", Millis(1)).unwrap()
    );
    assert!(!tombstones::is_tombstoned(&memory.sql, "京都に住んでいます", "", Millis(1)).unwrap());
    let anew = memory.said("東京に住んでいます。");
    assert_eq!(memory.one(Change::Add(anew)).op, Op::Added);
    // The hashes can't be told from the text without the key.
    let key = memory.sql.exec("SELECT key FROM tombstone_key", &[]).unwrap();
    assert_eq!(key[0].blob(0).unwrap(), [7; 32]);
}

#[test]
fn everything_is_forgotten_at_once() {
    let mut memory = Memory::new();
    for text in ["I like tea", "犬が好き"] {
        memory.add(text);
    }
    forget::clear(&memory.sql).unwrap();
    assert!(memory.all().is_empty() && ledger::list(&memory.sql, None, 10).unwrap().is_empty());
    assert!(!memory.dump().contains("tea"));
}

#[test]
fn a_full_memory_refuses_and_says_so() {
    let mut memory = Memory::new();
    memory.add("one");
    let plan = [Change::Add(memory.said("two"))];
    let outcome = memory.act(|sql, act| learn::apply(sql, &plan, 1, act)).unwrap();
    assert_eq!(outcome.refused, [Refused::Full]);
    memory.check();
}

#[test]
fn a_storage_failure_anywhere_leaves_everything_as_it_was() {
    let mut memory = Memory::new();
    let old = memory.add("I live in Osaka");
    let before = memory.dump();
    for statements in 0.. {
        let new = memory.said("I live in Kyoto");
        let plan = [Change::Supersede { old: vec![old.id.clone()], new, ended: None }];
        memory.sql.fail_after(statements);
        memory.rolled = 100;
        let mirror = memory.mirror.clone();
        let result = memory.act(|sql, act| learn::apply(sql, &plan, 1000, act));
        if result.is_ok() {
            break;
        }
        memory.mirror = mirror;
        assert_eq!(memory.dump(), before, "after {statements} statements");
    }
    memory.sql.fail_after(u32::MAX);
    memory.check();
}

#[test]
fn a_mirror_that_cannot_be_told_stops_the_change() {
    let memory = Memory::new();
    let plan = [Change::Add(memory.said("I like tea"))];
    let mut told = |_: Told<'_>| Err(StoreError::engine("outbox".into()));
    let mut dice = || [1; 10];
    let mut act = Act { now: Millis(1), turn: None, dice: &mut dice, told: &mut told };
    assert!(learn::apply(&memory.sql, &plan, 10, &mut act).is_err());
    assert!(memory.all().is_empty());
}

#[test]
fn lists_are_newest_first_filtered_and_paged_without_gaps() {
    let mut memory = Memory::new();
    let texts = ["ネコが好き", "犬が好き", "I like CATS", "Tokyo", "猫カフェに行った"];
    for text in texts {
        memory.add(text);
    }
    let mut seen = Vec::new();
    let mut after: Option<(Millis, FactId)> = None;
    loop {
        let cursor = after.as_ref().map(|(at, id)| (*at, id));
        let page = facts::list(&memory.sql, &Filter::default(), cursor, 2).unwrap();
        let Some(last) = page.last() else { break };
        after = Some((last.created_at, last.id.clone()));
        seen.extend(page.into_iter().map(|fact| fact.text));
    }
    assert_eq!(seen, texts.into_iter().rev().collect::<Vec<_>>());
    let found = |terms: &[&str]| -> Vec<String> {
        let terms: Vec<String> = terms.iter().map(|term| (*term).to_owned()).collect();
        let filter = Filter { contains: &terms, ..Filter::default() };
        facts::list(&memory.sql, &filter, None, 10).unwrap().into_iter().map(|fact| fact.text).collect()
    };
    assert_eq!(found(&["ねこ"]), ["ネコが好き"]);
    assert_eq!(found(&["ｃａｔｓ"]), ["I like CATS"]);
    assert_eq!(found(&["猫", "行"]), ["猫カフェに行った"]);
    assert_eq!(found(&["%"]), Vec::<String>::new());
}

#[test]
fn a_home_is_found_by_its_attribute_whatever_its_words() {
    let mut memory = Memory::new();
    let home = memory.add("大阪に住んでいます");
    memory.add("I like tea");
    for text in ["I moved to Kyoto", "東京に引っ越しました"] {
        let found = facts::same_attribute(&memory.sql, text).unwrap();
        assert_eq!(found.iter().map(|fact| &fact.id).collect::<Vec<_>>(), [&home.id], "{text}");
    }
    assert!(facts::same_attribute(&memory.sql, "I like coffee").unwrap().is_empty());
}

#[derive(Clone, Debug)]
enum Step {
    Add(usize),
    Supersede(usize, usize),
    History(usize, usize),
    Hold(usize, usize),
    Confirm(usize),
    Edit(usize, usize),
    Pin(usize, bool),
    Status(usize, Status),
    Forget(usize),
    Undo(usize),
}

fn step() -> impl Strategy<Value = Step> {
    let n = 0usize..6;
    prop_oneof![
        3 => n.clone().prop_map(Step::Add),
        3 => (n.clone(), n.clone()).prop_map(|(a, b)| Step::Supersede(a, b)),
        1 => (n.clone(), n.clone()).prop_map(|(a, b)| Step::History(a, b)),
        1 => (n.clone(), n.clone()).prop_map(|(a, b)| Step::Hold(a, b)),
        1 => n.clone().prop_map(Step::Confirm),
        1 => (n.clone(), n.clone()).prop_map(|(a, b)| Step::Edit(a, b)),
        1 => (n.clone(), any::<bool>()).prop_map(|(a, pin)| Step::Pin(a, pin)),
        2 => (n.clone(), prop_oneof![Just(Status::Current), Just(Status::Past), Just(Status::Held)])
            .prop_map(|(a, status)| Step::Status(a, status)),
        1 => n.clone().prop_map(Step::Forget),
        6 => (0usize..8).prop_map(Step::Undo),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn any_sequence_of_changes_and_undos_keeps_the_invariants(
        steps in prop::collection::vec(step(), 1..24),
    ) {
        let mut memory = Memory::new();
        let text = |at: usize| format!("fact {}", ["zero", "uno", "dos", "tres", "quatre", "cinq"][at % 6]);
        for step in steps {
            let all = memory.all();
            let pick = |at: usize| (!all.is_empty()).then(|| all[at % all.len()].clone());
            match step {
                Step::Add(at) => {
                    let new = memory.said(&text(at));
                    memory.apply(&[Change::Add(new)]);
                }
                Step::Supersede(at, to) => if let Some(old) = pick(at) {
                    let new = memory.said(&text(to));
                    memory.apply(&[Change::Supersede { old: vec![old.id], new, ended: None }]);
                },
                Step::History(at, to) => if let Some(newer) = pick(at) {
                    let new = memory.said(&text(to));
                    let new = NewFact { status: Status::Past, superseded_by: Some(newer.id), ..new };
                    memory.apply(&[Change::Add(new)]);
                },
                Step::Hold(at, to) => {
                    let new = memory.said(&text(to));
                    let contests = pick(at).map(|fact| fact.id);
                    memory.apply(&[Change::Hold { new, reason: Reason::Disputed, contests }]);
                }
                Step::Confirm(at) => if let Some(fact) = pick(at) {
                    let message = MessageId::parse("m_c").unwrap();
                    let said_at = Millis(memory.now);
                    memory.apply(&[Change::Confirm { fact: fact.id, message, quote: String::new(), said_at }]);
                },
                Step::Edit(at, to) => if let Some(fact) = pick(at) {
                    memory.edit(&fact.id, Edit { text: Some(&text(to)), ..Edit::default() });
                },
                Step::Pin(at, pinned) => if let Some(fact) = pick(at) {
                    memory.edit(&fact.id, Edit { pinned: Some(pinned), ..Edit::default() });
                },
                Step::Status(at, status) => if let Some(fact) = pick(at) {
                    memory.edit(&fact.id, Edit { status: Some(status), ..Edit::default() });
                },
                Step::Forget(at) => if let Some(fact) = pick(at) {
                    memory.forget(&fact.id).unwrap();
                },
                Step::Undo(back) => {
                    let entries = ledger::list(&memory.sql, None, 8).unwrap();
                    if let Some(entry) = entries.get(back) {
                        let before = memory.all();
                        if let Ok(undone) = memory.undo(&entry.id) {
                            memory.check();
                            if back % 2 == 0 {
                                // Undoing the undo brings back what was, but for the versions.
                                memory.undo(&undone.change).unwrap();
                                let plain = |facts: Vec<Fact>| -> Vec<Fact> {
                                    facts.into_iter().map(|fact| {
                                        Fact { version: 0, updated_at: Millis(0), ..fact }
                                    }).collect()
                                };
                                prop_assert_eq!(plain(memory.all()), plain(before));
                            }
                        }
                    }
                }
            }
            memory.check();
        }
    }
}

/// What is said of attributes that have one value at a time, and of one that has many.
const SAID: [(&str, &str); 9] = [
    ("home", "I live in Osaka"),
    ("home", "I live in Kyoto"),
    ("home", "大阪に住んでいる"),
    ("home", "京都に住んでいる"),
    ("employer", "I work at Sony"),
    ("employer", "I work at Nokia"),
    ("sister's home", "My sister lives in Kyoto"),
    ("sister's home", "My sister lives in Lyon"),
    ("many", "I like tea"),
];

fn attribute(fact: &Fact) -> &'static str {
    SAID.iter().find(|(_, text)| *text == fact.text).map_or("many", |(attribute, _)| attribute)
}

impl Memory {
    /// Learns as the session does: what code can't tell, a judge tells by the attribute.
    fn learn(&mut self, text: &str) {
        let own = SAID.iter().find(|(_, said)| *said == text).map_or("many", |(attribute, _)| attribute);
        let candidate =
            Candidate::new(MessageId::parse(&format!("m_{}", self.now)).unwrap(), text, Millis(self.now));
        let known = self.all();
        let verdicts: Vec<Verdict> = known
            .iter()
            .map(|fact| Verdict {
                fact: fact.id.clone(),
                sameness: match attribute(fact) {
                    _ if fact.text == text => Sameness::Same,
                    "many" => Sameness::Separate,
                    other if other == own => Sameness::Changed,
                    _ => Sameness::Separate,
                },
            })
            .collect();
        let main = ThreadId::main();
        let case = || Case {
            candidate: &candidate,
            thread: &main,
            op: ProposedOp::Add,
            target: None,
            hold: None,
            today: "2026-11-30",
        };
        let plan = match reconcile(case(), &known, None) {
            Decision::Plan(plan) => plan,
            Decision::NeedsJudge(_) => match reconcile(case(), &known, Some(&verdicts)) {
                Decision::Plan(plan) => plan,
                Decision::NeedsJudge(_) => panic!("asked twice"),
            },
        };
        self.apply(&plan);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn whatever_is_said_and_undone_an_attribute_of_one_value_has_one_current_fact(
        steps in prop::collection::vec((0usize..SAID.len() + 4, 0usize..6), 1..24),
    ) {
        let mut memory = Memory::new();
        for (what, back) in steps {
            memory.now += 1_000;
            match SAID.get(what) {
                Some((_, text)) => memory.learn(text),
                None => {
                    let entries = ledger::list(&memory.sql, None, 6).unwrap();
                    if let Some(entry) = entries.get(back) {
                        // One that later changes rest on is refused; that is no change.
                        let _ = memory.undo(&entry.id);
                    }
                }
            }
            memory.check();
            let mut current: BTreeMap<&str, Vec<String>> = BTreeMap::new();
            for fact in memory.all().into_iter().filter(|fact| fact.status == Status::Current) {
                current.entry(attribute(&fact)).or_default().push(fact.text);
            }
            for (attribute, texts) in current {
                prop_assert!(attribute == "many" || texts.len() == 1, "{}: {:?}", attribute, texts);
            }
        }
    }
}
