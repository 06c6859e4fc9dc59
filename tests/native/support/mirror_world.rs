//! An object with its facts, its mirrors and a clock.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::future::Future;
use std::pin::pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use futures::executor::block_on;
use kioku::id::{FactId, OwnerKey, ThreadId};
use kioku::memory::model::{Fact, Source};
use kioku::mirror::drain::{Drained, Ports, drain};
use kioku::mirror::page::{self, Page, Query};
use kioku::mirror::ports::{Embed, Facts, MirrorError, Table, Vector};
use kioku::mirror::reconcile::{Interrupted, Run, step};
use kioku::mirror::vectors::{Unanswered, nearest};
use kioku::mirror::{rows, vectors};
use kioku::store::mirrors::{self, Condition, Mirror};
use kioku::store::outbox::{self, Change};
use kioku::store::receipts::{self, Fresh, Summary};
use kioku::store::schema;
use kioku::store::sql::{Arg, StoreError, atomic};
use kioku::time::{HOUR, Millis};

use super::d1::{D1, give_way};
use super::sqlite::Sqlite;
use super::vectorize::Vectorize;

pub const DIMENSIONS: u32 = 8;

pub struct World {
    pub sql: Sqlite,
    pub facts: OwnFacts,
    pub d1: Rc<D1>,
    tables: Vec<Rc<D1>>,
    pub vectorize: Rc<Vectorize>,
    pub has_vectorize: bool,
    pub embed: FakeEmbed,
    pub owner: OwnerKey,
    now: Cell<Millis>,
    dice: Cell<u32>,
    made: Cell<u8>,
    /// Facts that were forgotten and not said anew: id, last version.
    forgotten: RefCell<Vec<Fact>>,
    seed: u8,
}

#[derive(Default)]
pub struct OwnFacts(RefCell<BTreeMap<FactId, Fact>>);

impl OwnFacts {
    pub fn all(&self) -> Vec<Fact> {
        self.0.borrow().values().cloned().collect()
    }
}

impl Facts for OwnFacts {
    fn fact(&self, id: &FactId) -> Result<Option<Fact>, StoreError> {
        Ok(self.0.borrow().get(id).cloned())
    }

    fn page(&self, after: Option<&FactId>, limit: usize) -> Result<Vec<(FactId, u32)>, StoreError> {
        let facts = self.0.borrow();
        let after = facts.values().filter(|fact| after.is_none_or(|after| fact.id > *after));
        Ok(after.take(limit).map(|fact| (fact.id.clone(), fact.version)).collect())
    }
}

pub struct FakeEmbed {
    pub model: String,
    pub is_down: Cell<bool>,
    pub calls: Cell<u32>,
}

impl FakeEmbed {
    fn values(&self, text: &str) -> Vec<f32> {
        let mut values = vec![0.1; DIMENSIONS as usize];
        for (at, byte) in text.bytes().chain(self.model.bytes()).enumerate() {
            values[(at * 7 + usize::from(byte)) % DIMENSIONS as usize] += f32::from(byte);
        }
        values
    }
}

impl Embed for FakeEmbed {
    fn model(&self) -> &str {
        &self.model
    }

    async fn embed(&self, facts: &[Fact]) -> Result<Vec<Vec<f32>>, MirrorError> {
        self.calls.set(self.calls.get() + 1);
        give_way().await;
        if self.is_down.get() {
            return Err(MirrorError::Unavailable("the embedding model is down".to_owned()));
        }
        Ok(facts.iter().map(|fact| self.values(&fact.text)).collect())
    }
}

fn object() -> Sqlite {
    let sql = Sqlite::memory();
    schema::migrate(&sql, Millis(1)).expect("schema");
    sql
}

impl World {
    pub fn new() -> Self {
        Self::over(Sqlite::memory())
    }

    pub fn over(d1: Sqlite) -> Self {
        Self::on(D1::over(d1))
    }

    pub fn on(d1: D1) -> Self {
        Self::with(Rc::new(d1), Rc::new(Vectorize::new(DIMENSIONS)), "subject", 1)
    }

    /// Another owner in the same databases.
    pub fn sharing(other: &Self, subject: &str) -> Self {
        Self::with(other.d1.clone(), other.vectorize.clone(), subject, other.seed + 1)
    }

    fn with(d1: Rc<D1>, vectorize: Rc<Vectorize>, subject: &str, seed: u8) -> Self {
        Self {
            sql: object(),
            facts: OwnFacts::default(),
            tables: vec![d1.clone()],
            d1,
            vectorize,
            has_vectorize: true,
            embed: FakeEmbed { model: "model".to_owned(), is_down: Cell::new(false), calls: Cell::new(0) },
            owner: OwnerKey::of("issuer", subject),
            now: Cell::new(Millis(1_796_000_000_000)),
            dice: Cell::new(1),
            made: Cell::new(0),
            forgotten: RefCell::default(),
            seed,
        }
    }

    pub fn now(&self) -> Millis {
        self.now.get()
    }

    pub fn advance(&self, millis: i64) {
        self.now.set(self.now.get().plus(millis));
        self.vectorize.now.set(self.now.get());
    }

    fn roll(&self) -> u32 {
        self.dice.set(self.dice.get().wrapping_mul(1_664_525).wrapping_add(1_013_904_223));
        self.dice.get()
    }

    pub fn add(&self, text: &str) -> FactId {
        let count = u32::from(self.made.get()) + self.facts.0.borrow().len() as u32 * 256;
        self.made.set(self.made.get().wrapping_add(1));
        let mut random = [self.seed; 10];
        random[1..5].copy_from_slice(&count.to_be_bytes());
        random[5..].copy_from_slice(&self.now.get().0.to_be_bytes()[3..]);
        let id = FactId::new(random);
        let now = self.now.get();
        let fact = Fact {
            valid_from: Some("2015-04".to_owned()),
            source: Source {
                message: None,
                thread: Some(ThreadId::main()),
                quote: format!("{text}。"),
                said_at: now,
            },
            ..Fact::new(id.clone(), text, now)
        };
        atomic(&self.sql, || outbox::enqueue(&self.sql, &id, 1, Change::Upsert, now)).expect("enqueue");
        self.facts.0.borrow_mut().insert(id.clone(), fact);
        id
    }

    pub fn change(&self, id: &FactId, change: impl FnOnce(&mut Fact)) {
        let mut facts = self.facts.0.borrow_mut();
        let fact = facts.get_mut(id).expect("the fact");
        change(fact);
        fact.version += 1;
        outbox::enqueue(&self.sql, id, fact.version, Change::Upsert, self.now.get()).expect("enqueue");
    }

    pub fn edit(&self, id: &FactId, text: &str) {
        self.change(id, |fact| text.clone_into(&mut fact.text));
    }

    pub fn pin(&self, id: &FactId) {
        self.change(id, |fact| fact.pinned = !fact.pinned);
    }

    pub fn forget(&self, id: &FactId) {
        let fact = self.facts.0.borrow_mut().remove(id).expect("the fact");
        atomic(&self.sql, || {
            outbox::enqueue(&self.sql, id, fact.version, Change::Delete, self.now.get())?;
            receipts::forgotten(&self.sql, id, Summary::Clean, self.now.get())
        })
        .expect("enqueue");
        self.forgotten.borrow_mut().push(fact);
    }

    pub fn undo_forget(&self, which: u8) {
        let mut forgotten = self.forgotten.borrow_mut();
        if forgotten.is_empty() {
            return;
        }
        let at = usize::from(which) % forgotten.len();
        let mut fact = forgotten.remove(at);
        fact.version += 1;
        outbox::enqueue(&self.sql, &fact.id, fact.version, Change::Upsert, self.now.get()).expect("enqueue");
        self.facts.0.borrow_mut().insert(fact.id.clone(), fact);
    }

    pub fn forget_everything(&self) {
        let facts = std::mem::take(&mut *self.facts.0.borrow_mut());
        atomic(&self.sql, || {
            outbox::clear(&self.sql, self.now.get())?;
            receipts::everything_forgotten(&self.sql, self.now.get())
        })
        .expect("clear");
        // They can't be undone: their epoch is over.
        self.forgotten.borrow_mut().clear();
        drop(facts);
    }

    /// The object's storage is deleted; the mirrors are not.
    pub fn lose_object(&mut self) {
        self.sql = object();
        self.facts.0.borrow_mut().clear();
    }

    pub fn with_one(&self, which: u8, act: impl FnOnce(&FactId)) {
        let ids: Vec<FactId> = self.facts.0.borrow().keys().cloned().collect();
        if !ids.is_empty() {
            act(&ids[usize::from(which) % ids.len()]);
        }
    }

    fn ports(&self) -> Ports<'_, Rc<D1>, Vectorize, FakeEmbed, OwnFacts> {
        Ports {
            sql: &self.sql,
            facts: &self.facts,
            tables: &self.tables,
            vectors: self.has_vectorize.then_some(&*self.vectorize),
            embed: &self.embed,
            owner: &self.owner,
        }
    }

    pub fn try_drain(&self) -> Result<Drained, StoreError> {
        block_on(drain(&self.ports(), self.now.get(), self.roll()))
    }

    pub fn drain(&self) -> Drained {
        self.try_drain().expect("storage works")
    }

    /// Two passes at once.
    pub fn drain_twice(&self) {
        let (first, second) = (self.ports(), self.ports());
        let (now, dice) = (self.now.get(), self.roll());
        let (first, second) =
            block_on(async { futures::join!(drain(&first, now, dice), drain(&second, now, dice)) });
        // The storage may have been made to fail.
        drop(first.and(second));
    }

    /// Something happens while the pass waits for the first time.
    pub fn drain_while(&self, act: impl FnOnce()) {
        self.drain_around(0, act);
    }

    /// Something happens while the pass waits for the `awaits + 1`-th time, or after it if it waits less often.
    pub fn drain_around(&self, awaits: u8, act: impl FnOnce()) {
        let ports = self.ports();
        let mut pass = pin!(drain(&ports, self.now.get(), self.roll()));
        let mut context = Context::from_waker(Waker::noop());
        for _ in 0..=awaits {
            if pass.as_mut().poll(&mut context).is_ready() {
                act();
                return;
            }
        }
        act();
        // The storage may have been made to fail meanwhile.
        drop(block_on(pass));
    }

    /// The pass is dropped at the given await.
    pub fn drain_until_evicted(&self, awaits: u8) {
        let ports = self.ports();
        let mut pass = pin!(drain(&ports, self.now.get(), self.roll()));
        let mut context = Context::from_waker(Waker::noop());
        for _ in 0..=awaits {
            if let Poll::Ready(result) = pass.as_mut().poll(&mut context) {
                result.expect("storage works");
                return;
            }
        }
    }

    pub fn fresh_shard(&self) -> Option<usize> {
        page::fresh_shard(&self.sql, &self.owner, self.tables.len()).expect("storage works")
    }

    pub fn next(&self) -> Option<Millis> {
        outbox::next_due(&self.sql).expect("storage works")
    }

    /// Lets the alarm ring until then.
    pub fn run_until(&self, end: Millis) {
        let mut rounds = 0;
        while let Some(at) = self.next().filter(|&at| at <= end) {
            rounds += 1;
            assert!(rounds < 20_000, "the alarm rings without end: {:?}", mirrors::state(&self.sql));
            self.now.set(self.now.get().max(at));
            self.vectorize.now.set(self.now.get());
            self.drain();
        }
        self.now.set(self.now.get().max(end));
    }

    /// Lets the alarm ring until there is nothing left to do, but for looking once more after an hour.
    pub fn settle(&self) {
        for _ in 0..400 {
            let end = self.now.get().plus(HOUR / 2);
            self.drain();
            match self.next() {
                Some(at) if at <= end => self.now.set(self.now.get().max(at)),
                _ => return,
            }
            self.vectorize.now.set(self.now.get());
        }
        panic!("it doesn't settle: {:?}", mirrors::state(&self.sql));
    }

    pub fn heal(&self) {
        self.d1.set_fault(None);
        self.vectorize.set_fault(None);
        self.vectorize.lags.set(false);
        self.vectorize.process();
        self.embed.is_down.set(false);
        outbox::resume(&self.sql, self.now.get()).expect("storage works");
        // The last late writes arrive at the worst time: after everything that superseded them.
        self.settle();
        self.d1.deliver_late(true);
        self.vectorize.deliver_late(true);
    }

    pub fn try_reconcile(&self) -> Result<Run, Interrupted> {
        let mut run = Run::default();
        while !run.is_done() {
            block_on(step(&self.ports(), &mut run, self.now.get()))?;
        }
        Ok(run)
    }

    pub fn reconcile(&self) -> Run {
        self.try_reconcile().expect("nothing fails")
    }

    pub fn state(&self, mirror: Mirror) -> Condition {
        let state = mirrors::state(&self.sql).expect("storage works");
        state.into_iter().find(|condition| condition.mirror == mirror).expect("both")
    }

    pub fn freshness(&self, fact: &FactId) -> (Fresh, Fresh) {
        let fresh = receipts::freshness(&self.sql, fact).expect("storage works");
        (fresh.d1, fresh.vectorize)
    }

    pub fn receipt(&self, fact: &FactId) -> Option<(&'static str, &'static str)> {
        let receipt = receipts::receipt(&self.sql, fact).expect("storage works")?;
        Some((receipt.mirrors.d1.as_receipt(), receipt.mirrors.vectorize.as_receipt()))
    }

    pub fn receipt_of_everything(&self) -> (&'static str, &'static str) {
        let receipt = receipts::receipt_of_everything(&self.sql).expect("storage works").expect("a receipt");
        (receipt.mirrors.d1.as_receipt(), receipt.mirrors.vectorize.as_receipt())
    }

    fn own_table(&self) -> &Rc<D1> {
        &self.tables[rows::shard(&self.owner, self.tables.len())]
    }

    /// D1's binding goes, or comes back.
    pub fn bind_d1(&mut self, bound: bool) {
        self.tables = if bound { vec![self.d1.clone()] } else { Vec::new() };
    }

    /// Adds databases until this owner belongs to another than the first.
    pub fn add_tables_until_moved(&mut self) {
        while rows::shard(&self.owner, self.tables.len()) == 0 {
            self.tables.push(Rc::new(D1::default()));
        }
    }

    pub fn rows_per_table(&self) -> Vec<usize> {
        self.tables
            .iter()
            .map(|table| table.query("SELECT 1 FROM facts WHERE owner >= '0000000000000001'", &[]).len())
            .collect()
    }

    pub fn page(&self, query: &Query) -> Page {
        let statement = page::statement(&self.owner, query);
        let fault_free = self.own_table();
        let rows = block_on(fault_free.batch(&[statement])).expect("D1 answers");
        page::read(&rows[0], query).expect("readable rows")
    }

    pub fn explain(&self, query: &Query) -> String {
        let mut statement = page::statement(&self.owner, query);
        statement.sql = format!("EXPLAIN QUERY PLAN {}", statement.sql);
        format!("{:?}", block_on(self.own_table().batch(&[statement])).expect("D1 answers"))
    }

    pub fn keyword(&self, q: &str) -> Vec<FactId> {
        let query = Query { q: q.to_owned(), limit: 200, ..Query::default() };
        self.page(&query).facts.into_iter().map(|fact| fact.id).collect()
    }

    pub fn nearest(&self, text: &str) -> Vec<FactId> {
        let values = self.embed.values(text);
        let found =
            block_on(nearest(&self.sql, &*self.vectorize, &self.owner, &values, 20)).expect("an answer");
        found.into_iter().map(|(fact, _)| fact).collect()
    }

    pub fn search_error(&self, text: &str) -> Option<MirrorError> {
        match block_on(nearest(&self.sql, &*self.vectorize, &self.owner, &self.embed.values(text), 20)) {
            Err(Unanswered::Mirror(error)) => Some(error),
            _ => None,
        }
    }

    pub fn in_d1(&self) -> Vec<(String, i64)> {
        let rows = self.own_table().query(
            "SELECT id, version - 4294967296 FROM facts WHERE owner = ?1 AND deleted = 0 ORDER BY id",
            &[Arg::Text(self.owner.as_str())],
        );
        rows.iter().map(|row| (row.string(0).expect("id"), row.int(1).expect("version"))).collect()
    }

    /// D1 has exactly the object's facts, and Vectorize exactly one vector of each one's present text.
    pub fn assert_converged(&self) {
        let own = self.facts.all();
        let table = self.own_table();
        table.set_fault(None);
        let mut listed = self.page(&Query { limit: 100_000, ..Query::default() }).facts;
        listed.sort_by(|a, b| a.id.cmp(&b.id));
        assert_eq!(listed, own, "D1 has what the object has");
        if self.has_vectorize {
            let mut indexed: Vec<(String, Vec<f32>)> = self
                .vectorize
                .visible()
                .into_iter()
                .filter(|vector| vector.metadata.uid == self.owner.as_str())
                .map(|vector: Vector| (vector.metadata.fact, vector.values))
                .collect();
            indexed.sort_by(|a, b| a.0.cmp(&b.0));
            let wanted: Vec<(String, Vec<f32>)> =
                own.iter().map(|fact| (fact.id.to_string(), self.embed.values(&fact.text))).collect();
            assert_eq!(indexed, wanted, "Vectorize has what the object has");
            assert!(
                self.vectorize
                    .visible()
                    .iter()
                    .filter(|vector| vector.metadata.uid == self.owner.as_str())
                    .all(|vector| vector.namespace == vectors::namespace(&self.owner))
            );
        }
        for fact in &own {
            let vectorize = if self.has_vectorize { Fresh::Synced } else { Fresh::Off };
            assert_eq!(self.freshness(&fact.id), (Fresh::Synced, vectorize), "and says so");
        }
        for condition in mirrors::state(&self.sql).expect("storage works") {
            assert_eq!(
                (condition.pending, condition.parked, condition.unconfirmed),
                (0, 0, 0),
                "{condition:?}"
            );
        }
    }

    /// What the user sees, by any search, is in the object; and a mirror that calls itself fresh has no other text.
    pub fn assert_nothing_forgotten_is_found(&self) {
        let known = self.facts.0.borrow();
        let in_index: Vec<Vector> = self.vectorize.visible();
        for vector in in_index.iter().filter(|vector| vector.metadata.uid == self.owner.as_str()) {
            if let Some((fact, _)) =
                kioku::store::vectors::fact_of(&self.sql, &vector.id).expect("storage works")
            {
                // Found but on its way out: the object's own look-up is what stands between.
                let is_known = known.contains_key(&fact);
                let is_on_its_way = outbox::is_pending(&self.sql, Mirror::Vectorize, fact.as_str())
                    .expect("storage works")
                    || outbox::is_pending(&self.sql, Mirror::Vectorize, "").expect("storage works");
                assert!(is_known || is_on_its_way, "{fact}");
            }
        }
        if outbox::is_fresh(&self.sql, Mirror::D1).expect("storage works") {
            for (id, _) in self.in_d1() {
                assert!(FactId::parse(&id).is_some_and(|id| known.contains_key(&id)), "{id}");
            }
        }
        for fact in self.forgotten.borrow().iter() {
            let Some(receipt) = receipts::receipt(&self.sql, &fact.id).expect("storage works") else {
                continue;
            };
            if receipt.mirrors.d1 == Fresh::Synced {
                assert!(!self.in_d1().iter().any(|(id, _)| id == fact.id.as_str()), "the receipt lies");
            }
        }
    }
}
