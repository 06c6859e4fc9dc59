//! Whatever a user does by any route while mirrors fail and the object dies: in the end D1 and Vectorize hold exactly what
//! the object holds, and nothing that was forgotten is anywhere. `tests/native/mirrors.rs` does the same below the routes, where
//! an answer can be late at every single await.

use std::collections::BTreeSet;

use crate::support::world::{Script, World, config};
use crate::support::{d1, vectorize};
use proptest::prelude::*;
use serde_json::{Value, json};

const DAY: i64 = 86_400_000;

#[derive(Clone, Debug)]
enum Step {
    Add { in_thread: bool },
    Edit(u8),
    Pin(u8),
    End(u8),
    Forget { which: u8, erase: bool },
    Undo(u8),
    Say,
    Import,
    ImportExport,
    MergeWeeks,
    Retain(bool),
    DeleteThread { forgets: bool },
    ForgetEverything,
    CloseAccount,
    FaultD1(Option<d1::Fault>),
    FaultVectorize(Option<vectorize::Fault>),
    DeliverLate(bool),
    FailStorage(u8),
    Evict,
    Days(u8),
    Seconds(u8),
    Reconcile,
}

fn step() -> impl Strategy<Value = Step> {
    use d1::Fault as D;
    use vectorize::Fault as V;
    let d1 = prop_oneof![
        Just(None),
        prop::sample::select(vec![
            D::Down,
            D::ErrorBefore,
            D::ErrorAfter,
            D::Late,
            D::Refuse,
            D::Full,
            D::Slow,
            D::Stale
        ])
        .prop_map(Some)
    ];
    let vectorize = prop_oneof![
        Just(None),
        prop::sample::select(vec![V::Down, V::ErrorBefore, V::ErrorAfter, V::Late, V::Full, V::Slow])
            .prop_map(Some)
    ];
    prop_oneof![
        6 => any::<bool>().prop_map(|in_thread| Step::Add { in_thread }),
        3 => any::<u8>().prop_map(Step::Edit),
        1 => any::<u8>().prop_map(Step::Pin),
        2 => any::<u8>().prop_map(Step::End),
        5 => (any::<u8>(), any::<bool>()).prop_map(|(which, erase)| Step::Forget { which, erase }),
        3 => any::<u8>().prop_map(Step::Undo),
        2 => Just(Step::Say),
        1 => Just(Step::Import),
        6 => Just(Step::ImportExport),
        1 => Just(Step::MergeWeeks),
        1 => any::<bool>().prop_map(Step::Retain),
        2 => any::<bool>().prop_map(|forgets| Step::DeleteThread { forgets }),
        1 => Just(Step::ForgetEverything),
        1 => Just(Step::CloseAccount),
        3 => d1.prop_map(Step::FaultD1),
        3 => vectorize.prop_map(Step::FaultVectorize),
        2 => any::<bool>().prop_map(Step::DeliverLate),
        1 => any::<u8>().prop_map(Step::FailStorage),
        2 => Just(Step::Evict),
        1 => (0u8..20).prop_map(Step::Days),
        3 => any::<u8>().prop_map(Step::Seconds),
        1 => Just(Step::Reconcile),
    ]
}

struct Run {
    world: World,
    thread: Option<String>,
    made: usize,
    /// The newest export, which may hold what was forgotten since.
    exported: Value,
    /// Words of which every fact was forgotten.
    forgotten: BTreeSet<String>,
}

/// A word that no other fact has.
fn word(n: usize) -> String {
    const LETTERS: &[u8] = b"bdfgklmnprstvz";
    const KANA: &[&str] = &["あき", "くさ", "しす", "たち", "つな", "にぬ", "はひ", "まみ"];
    let letter = |n: usize| char::from(LETTERS[n % LETTERS.len()]);
    if n.is_multiple_of(2) {
        format!("Qu{}o{}elle", letter(n / 28), letter(n / 2))
    } else {
        format!("紫{}{}寺", KANA[n / 16 % 8], KANA[n / 2 % 8])
    }
}

impl Run {
    fn new() -> Self {
        let world = World::new(config(&[]));
        world.outside.sql.doubt(false);
        world.outside.vectorize.remake(kioku::llm::table::DIMENSIONS as u32);
        Self { world, thread: None, made: 0, exported: Value::Null, forgotten: BTreeSet::new() }
    }

    /// A call that a failing storage may refuse.
    fn call(&mut self, method: &str, path: &str, body: &Value) -> Value {
        let (status, answer) = self.world.call(method, path, body);
        assert!(status < 600, "{method} {path}: {status} {answer}");
        answer
    }

    fn facts(&mut self) -> Vec<(String, String)> {
        let list = self.call("GET", "/api/memory/facts?status=all&limit=200", &Value::Null);
        let text = |fact: &Value, name: &str| fact[name].as_str().expect("a text").to_owned();
        let mut facts: Vec<_> = list["facts"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|fact| (text(fact, "id"), text(fact, "text")))
            .collect();
        facts.sort();
        facts
    }

    fn one(&mut self, which: u8) -> Option<(String, String)> {
        let facts = self.facts();
        (!facts.is_empty()).then(|| facts[usize::from(which) % facts.len()].clone())
    }

    fn new_text(&mut self) -> String {
        self.made += 1;
        let word = word(self.made);
        if word.is_ascii() { format!("Visited {word} on a rainy day") } else { format!("{word}に行った") }
    }

    /// What is gone without a way back: words of facts that were there before and aren't now, and that no other fact says:
    /// what somebody did twice may be forgotten once.
    fn note_gone(&mut self, before: &[(String, String)]) {
        let now = self.facts();
        for (id, text) in before {
            if !now.iter().any(|(own, _)| own == id) {
                let is_said = |word: &String| now.iter().any(|(_, text)| text.contains(word.as_str()));
                let words = (1..=self.made).map(word).filter(|word| text.contains(word.as_str()));
                self.forgotten.extend(words.filter(|word| !is_said(word)));
            }
        }
    }

    fn play(&mut self, step: &Step) {
        match step {
            Step::Add { in_thread } => {
                let text = self.new_text();
                let thread = self.thread.clone().filter(|_| *in_thread);
                let scope = thread.map_or("global".to_owned(), |thread| format!("thread:{thread}"));
                self.call(
                    "POST",
                    "/api/memory/facts",
                    &json!({"text": text, "kind": "event", "scope": scope}),
                );
            }
            Step::Edit(which) => {
                let text = self.new_text();
                if let Some((id, _)) = self.one(*which) {
                    self.call("PATCH", &format!("/api/memory/facts/{id}"), &json!({"text": text}));
                }
            }
            Step::Pin(which) => self.change(*which, &json!({"pinned": true})),
            Step::End(which) => self.change(*which, &json!({"status": "past"})),
            Step::Forget { which, erase } => {
                let before = self.facts();
                if let Some((id, _)) = self.one(*which) {
                    let messages = if *erase { "erase" } else { "exclude" };
                    self.call("DELETE", &format!("/api/memory/facts/{id}?messages={messages}"), &Value::Null);
                }
                self.note_gone(&before);
            }
            Step::Undo(which) => {
                let changes = self.call("GET", "/api/memory/changes?limit=200", &Value::Null);
                let ids: Vec<&str> = changes["changes"]
                    .as_array()
                    .into_iter()
                    .flatten()
                    .filter_map(|it| it["id"].as_str())
                    .collect();
                if !ids.is_empty() {
                    let id = ids[usize::from(*which) % ids.len()].to_owned();
                    self.call("POST", &format!("/api/memory/changes/{id}/undo"), &Value::Null);
                }
            }
            Step::Say => {
                if let Some(tab) = self.world.try_connect("main") {
                    self.made += 1;
                    self.world.script(Script::say("I see."));
                    let text = format!("The weather of day {} is fine.", self.made);
                    self.world.send(&tab, &format!("say{}", self.made), &text);
                    self.world.disconnect(&tab);
                }
            }
            Step::Import => {
                let line = json!({"role": "user", "content": "Long ago it rained.", "created_at": "2026-01-01T10:00:00Z",
                    "external_id": "x1", "thread": "old"});
                self.call("POST", "/api/import?format=messages", &line);
            }
            Step::ImportExport => {
                let mut exported = self.exported.take();
                if self.made.is_multiple_of(2) && !exported.is_null() {
                    // As if somebody else had written it: known by its words alone.
                    let renamed = exported.to_string().replace("\"id\":\"f_", "\"id\":\"f_x");
                    exported = serde_json::from_str(&renamed).expect("JSON");
                }
                if !exported.is_null() {
                    self.call("POST", "/api/import?format=kioku", &exported);
                }
                self.exported = self.call("GET", "/api/export?format=json", &Value::Null);
            }
            Step::MergeWeeks => drop(self.call("POST", "/api/memory/weeks/consolidate", &Value::Null)),
            Step::Retain(on) => {
                let days = if *on { json!(10) } else { Value::Null };
                self.call("PATCH", "/api/me/settings", &json!({"retention_days": days}));
            }
            Step::DeleteThread { forgets } => {
                let before = self.facts();
                if let Some(thread) = self.thread.take() {
                    let facts = if *forgets { "forget" } else { "keep" };
                    self.call("DELETE", &format!("/api/threads/{thread}?facts={facts}"), &Value::Null);
                }
                self.note_gone(&before);
                let made = self.call("POST", "/api/threads", &json!({}));
                self.thread = made["id"].as_str().map(str::to_owned);
            }
            Step::ForgetEverything => self.end("/api/memory", "forget everything"),
            Step::CloseAccount => self.end("/api/me", "close my account"),
            Step::FaultD1(fault) => self.world.outside.d1.set_fault(*fault),
            Step::FaultVectorize(fault) => self.world.outside.vectorize.set_fault(*fault),
            Step::DeliverLate(reversed) => {
                self.world.outside.d1.deliver_late(*reversed);
                self.world.outside.vectorize.deliver_late(*reversed);
            }
            Step::FailStorage(statements) => {
                self.world.outside.sql.fail_after(u32::from(*statements));
                self.world.advance(3_000);
                self.world.outside.sql.heal();
            }
            Step::Evict => self.world.evict(),
            Step::Days(days) => {
                for _ in 0..*days {
                    self.world.advance(DAY);
                    self.world.outside.vectorize.process();
                }
            }
            Step::Seconds(seconds) => self.world.advance(i64::from(*seconds) * 1_000),
            Step::Reconcile => drop(self.call("POST", "/api/memory/mirrors/reconcile", &Value::Null)),
        }
    }

    fn change(&mut self, which: u8, change: &Value) {
        if let Some((id, _)) = self.one(which) {
            self.call("PATCH", &format!("/api/memory/facts/{id}"), change);
        }
    }

    fn end(&mut self, path: &str, confirm: &str) {
        // What was exported before may be brought back by hand: everything was forgotten, and not these facts one by one.
        self.exported = Value::Null;
        self.thread = None;
        let before = self.facts();
        self.call("DELETE", path, &json!({"confirm": confirm}));
        self.note_gone(&before);
    }

    /// Every mirror works again, every late write has come, and what was to be done is done.
    fn quiesce(&mut self) {
        let outside = std::rc::Rc::clone(&self.world.outside);
        outside.sql.heal();
        outside.d1.set_fault(None);
        outside.vectorize.set_fault(None);
        outside.d1.deliver_late(true);
        outside.vectorize.deliver_late(true);
        for _ in 0..3 {
            self.call("POST", "/api/memory/mirrors/reconcile", &Value::Null);
            outside.vectorize.process();
            self.world.advance(2 * 3_600_000);
            outside.vectorize.process();
        }
    }

    fn judge(&mut self) {
        let own = self.facts();
        let outside = std::rc::Rc::clone(&self.world.outside);
        let rows: Vec<(String, String)> = outside
            .d1
            .query("SELECT id, text FROM facts WHERE deleted = 0 ORDER BY id", &[])
            .iter()
            .map(|row| (row.string(0).expect("an id"), row.string(1).expect("a text")))
            .collect();
        assert_eq!(rows, own, "D1");
        let ids: BTreeSet<String> = outside
            .vectorize
            .visible()
            .iter()
            .map(|vector| vector.id.split('.').nth(1).expect("an id").to_owned())
            .collect();
        assert_eq!(ids, own.iter().map(|(id, _)| id.clone()).collect(), "Vectorize");
        assert_eq!(outside.vectorize.visible().len(), own.len(), "one vector a fact");
        let exported = self.call("GET", "/api/export?format=jsonl", &Value::Null).to_string();
        let in_d1 = format!("{:?}", outside.d1.query("SELECT * FROM facts", &[]));
        for word in &self.forgotten {
            assert_eq!(self.world.tables_with(word), Vec::<String>::new(), "{word} in the object");
            assert!(
                !exported.contains(word.as_str()) && !in_d1.contains(word.as_str()),
                "{word} exported or in D1"
            );
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_a_user_does_while_mirrors_fail_both_end_as_the_object_is(
        steps in proptest::collection::vec(step(), 1..40),
    ) {
        let mut run = Run::new();
        for step in &steps {
            run.play(step);
        }
        run.quiesce();
        run.judge();
    }
}
