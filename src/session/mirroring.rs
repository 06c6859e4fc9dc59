//! The session's side of the mirrors: facts as they are, vectors from the configured model, one pass at a time.

use serde_json::json;

use super::Session;
use super::ports::Ports;
use super::work::Worked;
use crate::id::FactId;
use crate::llm::ModelFailure;
use crate::llm::embeddings::Purpose;
use crate::memory::model::Fact;
use crate::mirror::drain::{self, drain};
use crate::mirror::ports::{Embed, Facts, MirrorError};
use crate::mirror::reconcile;
use crate::store::facts;
use crate::store::sql::{Row, Sql, StoreError};

/// The object's facts, as they are at this moment.
pub(super) struct OwnFacts<'a>(pub &'a dyn Sql);

impl Facts for OwnFacts<'_> {
    fn fact(&self, id: &FactId) -> Result<Option<Fact>, StoreError> {
        facts::get(self.0, id)
    }

    fn page(&self, after: Option<&FactId>, limit: usize) -> Result<Vec<(FactId, u32)>, StoreError> {
        let rows = self.0.exec(
            "SELECT id, version FROM facts WHERE id > ? ORDER BY id LIMIT ?",
            &[after.map_or("", FactId::as_str).into(), (limit as i64).into()],
        )?;
        let read = |row: &Row| {
            let id = FactId::parse(row.text(0)?).ok_or_else(|| StoreError::corrupt("fact id"))?;
            Ok((id, row.int(1)? as u32))
        };
        rows.iter().map(read).collect()
    }
}

/// Vectors from the session's embedding model.
pub(super) struct Embedder<'a, P: Ports>(pub &'a Session<P>);

impl<P: Ports> Embed for Embedder<'_, P> {
    fn model(&self) -> &str {
        &self.0.config.embedding_model
    }

    async fn embed(&self, facts: &[Fact]) -> Result<Vec<Vec<f32>>, MirrorError> {
        self.0.let_turns_go_first().await;
        let texts: Vec<&str> = facts.iter().map(|fact| fact.text.as_str()).collect();
        self.0.embed(&texts, Purpose::Passage).await.map_err(|failure| match failure {
            ModelFailure::Refused { status } => MirrorError::Refused(format!("embedding: status {status}")),
            other => MirrorError::Unavailable(format!("embedding: {}", other.code())),
        })
    }
}

impl<P: Ports> Session<P> {
    /// One pass from the outbox to the mirrors.
    pub(super) async fn mirror(&self) -> Result<Worked, StoreError> {
        self.let_turns_go_first().await;
        let facts = OwnFacts(self.ports.sql());
        let embedder = Embedder(self);
        let ports = self.mirror_ports(&facts, &embedder);
        drain(&ports, self.ports.now(), self.dice()).await?;
        Ok(Worked::Done)
    }

    /// Compares the object with both mirrors and repairs what differs. Gives the drift that was found.
    pub(super) async fn reconcile_mirrors(&self) -> Result<serde_json::Value, StoreError> {
        let facts = OwnFacts(self.ports.sql());
        let embedder = Embedder(self);
        let ports = self.mirror_ports(&facts, &embedder);
        let mut run = reconcile::Run::default();
        let mut unreachable = Vec::new();
        while !run.is_done() {
            if let Err(interrupted) = reconcile::step(&ports, &mut run, self.ports.now()).await {
                match interrupted {
                    reconcile::Interrupted::Store(error) => return Err(error),
                    reconcile::Interrupted::Mirror(mirror, error) => {
                        unreachable.push(format!("{}: {error}", mirror.as_str()));
                        break;
                    }
                }
            }
        }
        crate::store::outbox::resume(self.ports.sql(), self.ports.now())?;
        drain(&ports, self.ports.now(), self.dice()).await?;
        self.arm()?;
        let found = serde_json::to_value(&run).unwrap_or_default();
        Ok(json!({"drift": found, "complete": run.is_done(), "errors": unreachable}))
    }

    fn mirror_ports<'a>(
        &'a self,
        facts: &'a OwnFacts<'a>,
        embedder: &'a Embedder<'a, P>,
    ) -> drain::Ports<'a, P::Table, P::Vectors, Embedder<'a, P>, OwnFacts<'a>> {
        drain::Ports {
            sql: self.ports.sql(),
            facts,
            tables: self.ports.tables(),
            vectors: self.ports.vectors(),
            embed: embedder,
            owner: &self.owner,
        }
    }
}
