//! Merging episodes into weeks: a job of every week, or at once by the user, who may look before.

use serde_json::{Value, json};

use super::Session;
use super::ports::Ports;
use super::work::Worked;
use crate::memory::episodes::{Week, mergeable, merged};
use crate::memory::model::{Fact, Kind};
use crate::store::jobs::{self, JobKind};
use crate::store::sql::{Sql, StoreError};
use crate::store::{facts, weeks};
use crate::time::{DAY, Millis, local_date};

/// Episodes become due for their week in this rhythm.
const CONSOLIDATED_EVERY_MS: i64 = 7 * DAY;

impl<P: Ports> Session<P> {
    /// Merges what is due, and comes back in a week while there are episodes.
    pub(super) fn consolidate_by_and_by(&self) -> Result<Worked, StoreError> {
        let sql = self.ports.sql();
        let found = self.due_weeks()?;
        weeks::merge(sql, &found)?;
        self.ports.log("consolidated", &[("weeks", found.len().to_string())]);
        if !weeks::has_episodes(sql)? {
            return Ok(Worked::Done);
        }
        let now = self.ports.now();
        Ok(Worked::Later(now.plus(CONSOLIDATED_EVERY_MS + i64::from(self.dice()) % DAY)))
    }

    /// The weeks that merging now would make or let grow.
    pub(super) fn due_weeks(&self) -> Result<Vec<Week>, StoreError> {
        let sql = self.ports.sql();
        let zone = self.settings()?.timezone;
        let date = |at| local_date(self.ports.zones(), &zone, at);
        let places = weeks::places(sql)?;
        let all = facts::all(sql)?;
        let mut found =
            mergeable(&all, &places, date(self.ports.now()), &|fact: &Fact| date(fact.source.said_at));
        found.retain(|week| week.facts.iter().any(|fact| !places.contains_key(fact)));
        Ok(found)
    }

    /// The weeks as they were merged.
    pub(super) fn merged_weeks(&self, facts: &[Fact]) -> Result<Vec<Week>, StoreError> {
        Ok(merged(facts, &weeks::places(self.ports.sql())?))
    }
}

pub(super) fn shown(weeks: &[Week]) -> Value {
    let show = |week: &Week| json!({"week": week.monday.to_string(), "text": week.text, "facts": week.facts});
    weeks.iter().map(show).collect()
}

/// Asks for the next merging, if none is due. Call it where facts change.
pub(super) fn ask_to_consolidate(sql: &dyn Sql, fact: &Fact, now: Millis) -> Result<(), StoreError> {
    if fact.kind != Kind::Event {
        return Ok(());
    }
    jobs::ask_once(sql, JobKind::Consolidate, "weeks", now.plus(CONSOLIDATED_EVERY_MS), now)
}
