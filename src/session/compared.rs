//! The known facts that what was said is compared with, by the model that proposes and by the code that decides.

use super::Session;
use super::ports::Ports;
use crate::id::FactId;
use crate::memory::calls::Known;
use crate::memory::extract::Said;
use crate::memory::model::{Candidate, Fact, Status};
use crate::memory::reconcile::{Nominee, nominate};
use crate::sorted::{SortedMap, SortedSet};
use crate::store::facts;
use crate::store::index::{self, Query};
use crate::store::sql::{Sql, StoreError};

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
        let familiar = &mut self.familiar.borrow_mut().facts;
        let found = index::search_facts_knowing(sql, &Query::of(&candidate.text), familiar, 20)?;
        let mut ids: Vec<FactId> =
            found.by_words.into_iter().chain(found.by_grams).map(|hit| hit.id).collect();
        ids.extend(target.cloned());
        ids.extend(facts::same_attribute(sql, &candidate.text)?.into_iter().map(|fact| fact.id));
        let compared = &mut *self.compared.borrow_mut();
        let ids = compared.read(sql, &ids)?;
        let nominees: Vec<&Nominee> =
            ids.iter().filter_map(|id| compared.nominees.get(id)).map(|(_, nominee)| nominee).collect();
        let mut nominated = nominate(candidate, &nominees, NOMINATED);
        nominated.extend(target.filter(|target| !nominated.contains(target)).cloned());
        let mut found = facts::by_ids(sql, &nominated)?;
        crate::order::by_key(&mut found, |fact| nominated.iter().position(|id| *id == fact.id));
        Ok(found)
    }
}

/// What is known of facts that candidates were compared with before. Losing it costs finding it anew, nothing else.
#[derive(Default)]
pub(super) struct Compared {
    /// By the version of the fact that they were made from.
    nominees: SortedMap<FactId, (u32, Nominee)>,
}

impl Compared {
    /// Learns what is not known yet of these facts and of the newest ones. Gives the ids of those that are there.
    fn read(&mut self, sql: &dyn Sql, ids: &[FactId]) -> Result<SortedSet<FactId>, StoreError> {
        let mut versions: SortedMap<FactId, u32> = facts::newest(sql, COMPARED)?.into_iter().collect();
        let others: Vec<FactId> = ids.iter().filter(|id| !versions.contains_key(id)).cloned().collect();
        versions.extend(facts::versions(sql, &others)?);
        self.nominees.retain(|id, (version, _)| versions.get(id) == Some(version));
        let unknown: Vec<FactId> =
            versions.keys().filter(|id| !self.nominees.contains_key(id)).cloned().collect();
        for fact in facts::by_ids(sql, &unknown)? {
            self.nominees.insert(fact.id.clone(), (fact.version, Nominee::of(&fact)));
        }
        Ok(versions.keys().cloned().collect())
    }
}
