//! The known facts that what was said is compared with, by the model that proposes and by the code that decides.

use super::Session;
use super::ports::Ports;
use crate::id::FactId;
use crate::memory::calls::Known;
use crate::memory::extract::Said;
use crate::memory::model::{Candidate, Fact, Status};
use crate::memory::reconcile::nominate;
use crate::store::facts;
use crate::store::index::{self, Query};
use crate::store::sql::StoreError;

/// Facts shown to the model beside what was said.
const EXISTING: usize = 12;
/// Facts that candidates are compared with: the newest, and those that share words.
const COMPARED: u32 = 300;
const NOMINATED: usize = 8;

impl<P: Ports> Session<P> {
    /// The facts that share words with what was said, for the model to propose against.
    pub(super) fn existing(&self, asked: &[Said]) -> Result<Vec<(Known, FactId)>, StoreError> {
        let sql = self.ports.sql();
        let mut ids: Vec<FactId> = Vec::new();
        for said in asked {
            let found = index::search_facts(sql, &Query::by_words(&said.text), EXISTING as u32)?;
            for hit in found.by_words {
                if ids.len() < EXISTING && !ids.contains(&hit.id) {
                    ids.push(hit.id);
                }
            }
        }
        for fact in facts::current(sql, EXISTING as u32)? {
            if ids.len() < EXISTING && !ids.contains(&fact.id) {
                ids.push(fact.id);
            }
        }
        Ok(facts::by_ids(sql, &ids)?
            .into_iter()
            .filter(|fact| fact.status == Status::Current)
            .enumerate()
            .map(|(at, fact)| {
                let known =
                    Known { reference: format!("f{}", at + 1), text: fact.text, since: fact.valid_from };
                (known, fact.id)
            })
            .collect())
    }

    /// The facts that a candidate may repeat, change or contradict.
    pub(super) fn nominated(
        &self,
        candidate: &Candidate,
        target: Option<&FactId>,
    ) -> Result<Vec<Fact>, StoreError> {
        let sql = self.ports.sql();
        let found = index::search_facts(sql, &Query::of(&candidate.text), 20)?;
        let mut ids: Vec<FactId> =
            found.by_words.into_iter().chain(found.by_grams).map(|hit| hit.id).collect();
        ids.extend(target.cloned());
        let mut near = facts::by_ids(sql, &ids)?;
        for fact in facts::same_attribute(sql, &candidate.text)? {
            if !near.iter().any(|known| known.id == fact.id) {
                near.push(fact);
            }
        }
        for fact in facts::current(sql, COMPARED)? {
            if !near.iter().any(|known| known.id == fact.id) {
                near.push(fact);
            }
        }
        let mut nominated: Vec<Fact> = nominate(candidate, &near, NOMINATED).into_iter().cloned().collect();
        if let Some(target) = target
            && !nominated.iter().any(|fact| fact.id == *target)
        {
            nominated.extend(near.into_iter().find(|fact| fact.id == *target));
        }
        Ok(nominated)
    }
}
