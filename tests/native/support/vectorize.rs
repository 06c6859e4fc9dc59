//! Vectorize as a map, with its limits, its late visibility and its faults.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use kioku::mirror::ports::{
    Described, MAX_DELETE, MAX_GET, MAX_TOP_K, MAX_UPSERT, Match, MirrorError, Vector, Vectors,
};
use kioku::time::Millis;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    Down,
    /// The write is accepted, and the answer is an error.
    ErrorAfter,
    /// The write isn't accepted, and the answer is an error.
    ErrorBefore,
    /// The write is accepted, and no answer ever comes.
    LostAnswer,
    /// The write isn't accepted now but arrives later, after the caller gave up.
    Late,
    /// No room for more vectors; deletions are accepted.
    Full,
    Slow,
}

enum Mutation {
    Upsert(Vec<Vector>),
    Delete(Vec<String>),
}

pub struct Vectorize {
    dimensions: Cell<u32>,
    visible: RefCell<BTreeMap<String, Vector>>,
    log: RefCell<Vec<(String, Millis, Mutation)>>,
    late: RefCell<Vec<Mutation>>,
    fault: Cell<Option<Fault>>,
    /// Writes take effect only when [`Vectorize::process`] is called.
    pub lags: Cell<bool>,
    /// Other users' mutations hide which of ours was processed.
    pub is_busy: Cell<bool>,
    next: Cell<u64>,
    processed: RefCell<Described>,
    pub now: Cell<Millis>,
    requests: Cell<u64>,
    upserted: Cell<u64>,
}

impl Vectorize {
    pub fn new(dimensions: u32) -> Self {
        Self {
            dimensions: Cell::new(dimensions),
            visible: RefCell::default(),
            log: RefCell::default(),
            late: RefCell::default(),
            fault: Cell::new(None),
            lags: Cell::new(false),
            is_busy: Cell::new(false),
            next: Cell::new(1),
            processed: RefCell::default(),
            now: Cell::new(Millis(0)),
            requests: Cell::new(0),
            upserted: Cell::new(0),
        }
    }

    pub fn set_fault(&self, fault: Option<Fault>) {
        self.fault.set(fault);
    }

    /// The operator names an index of other dimensions; it is empty.
    pub fn remake(&self, dimensions: u32) {
        self.dimensions.set(dimensions);
        self.visible.borrow_mut().clear();
        self.log.borrow_mut().clear();
    }

    pub fn requests(&self) -> u64 {
        self.requests.get()
    }

    pub fn upserted(&self) -> u64 {
        self.upserted.get()
    }

    /// Applies the accepted writes, in order.
    pub fn process(&self) {
        for (id, at, mutation) in self.log.take() {
            match mutation {
                Mutation::Upsert(vectors) => {
                    for vector in vectors {
                        self.visible.borrow_mut().insert(vector.id.clone(), vector);
                    }
                }
                Mutation::Delete(ids) => {
                    for id in ids {
                        self.visible.borrow_mut().remove(&id);
                    }
                }
            }
            let id = if self.is_busy.get() { "of-another-user".to_owned() } else { id };
            let mut processed = self.processed.borrow_mut();
            processed.processed_up_to_mutation = Some(id);
            processed.processed_up_to = Some(at);
        }
    }

    /// Lets the writes arrive that were given up.
    pub fn deliver_late(&self, reversed: bool) {
        let mut late = self.late.take();
        if reversed {
            late.reverse();
        }
        for mutation in late {
            self.accept(mutation);
        }
    }

    pub fn visible(&self) -> Vec<Vector> {
        self.visible.borrow().values().cloned().collect()
    }

    /// Someone loses or adds a vector behind our back.
    pub fn tamper(&self, change: impl FnOnce(&mut BTreeMap<String, Vector>)) {
        change(&mut self.visible.borrow_mut());
    }

    fn accept(&self, mutation: Mutation) -> String {
        let id = format!("mutation-{}", self.next.get());
        self.next.set(self.next.get() + 1);
        self.log.borrow_mut().push((id.clone(), self.now.get(), mutation));
        if !self.lags.get() {
            self.process();
        }
        id
    }

    async fn write(&self, mutation: Mutation) -> Result<String, MirrorError> {
        self.ask().await?;
        match self.fault.get() {
            Some(Fault::Late) => {
                self.late.borrow_mut().push(mutation);
                Err(MirrorError::Unavailable("no answer".to_owned()))
            }
            Some(Fault::Full) if matches!(mutation, Mutation::Upsert(_)) => Err(MirrorError::Full),
            Some(Fault::ErrorBefore) => Err(MirrorError::Unavailable("an error".to_owned())),
            Some(Fault::LostAnswer) => {
                self.accept(mutation);
                std::future::pending().await
            }
            Some(Fault::ErrorAfter) => {
                self.accept(mutation);
                Err(MirrorError::Unavailable("the answer was lost".to_owned()))
            }
            _ => Ok(self.accept(mutation)),
        }
    }

    async fn ask(&self) -> Result<(), MirrorError> {
        self.requests.set(self.requests.get() + 1);
        match self.fault.get() {
            Some(Fault::Down) => Err(MirrorError::Unavailable("Vectorize is down".to_owned())),
            Some(Fault::Slow) => {
                super::d1::give_way().await;
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

impl Vectors for Vectorize {
    async fn upsert(&self, vectors: &[Vector]) -> Result<String, MirrorError> {
        assert!((1..=MAX_UPSERT).contains(&vectors.len()));
        for vector in vectors {
            assert!(vector.id.len() <= 64 && vector.namespace.len() <= 64 && vector.metadata.uid.len() <= 64);
            let given = vector.values.len() as u32;
            if given != self.dimensions.get() {
                return Err(MirrorError::WrongDimension { expected: self.dimensions.get(), given });
            }
        }
        self.upserted.set(self.upserted.get() + vectors.len() as u64);
        self.write(Mutation::Upsert(vectors.to_vec())).await
    }

    async fn delete_by_ids(&self, ids: &[String]) -> Result<String, MirrorError> {
        assert!((1..=MAX_DELETE).contains(&ids.len()));
        self.write(Mutation::Delete(ids.to_vec())).await
    }

    async fn get_by_ids(&self, ids: &[String]) -> Result<Vec<String>, MirrorError> {
        assert!((1..=MAX_GET).contains(&ids.len()));
        self.ask().await?;
        Ok(ids.iter().filter(|id| self.visible.borrow().contains_key(*id)).cloned().collect())
    }

    async fn query(
        &self,
        vector: &[f32],
        top_k: usize,
        namespace: &str,
        uid: &str,
    ) -> Result<Vec<Match>, MirrorError> {
        assert!((1..=MAX_TOP_K).contains(&top_k));
        self.ask().await?;
        let given = vector.len() as u32;
        if given != self.dimensions.get() {
            return Err(MirrorError::WrongDimension { expected: self.dimensions.get(), given });
        }
        let mut found: Vec<Match> = self
            .visible
            .borrow()
            .values()
            .filter(|stored| stored.namespace == namespace && stored.metadata.uid == uid)
            .map(|stored| Match { id: stored.id.clone(), score: cosine(vector, &stored.values) })
            .collect();
        found.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.id.cmp(&b.id)));
        found.truncate(top_k);
        Ok(found)
    }

    async fn describe(&self) -> Result<Described, MirrorError> {
        self.ask().await?;
        Ok(Described {
            dimensions: self.dimensions.get(),
            count: self.visible.borrow().len() as u64,
            ..self.processed.borrow().clone()
        })
    }
}

fn cosine(a: &[f32], b: &[f32]) -> f32 {
    let dot: f32 = a.iter().zip(b).map(|(a, b)| a * b).sum();
    let norm = |v: &[f32]| v.iter().map(|x| x * x).sum::<f32>().sqrt();
    dot / (norm(a) * norm(b)).max(f32::EPSILON)
}
