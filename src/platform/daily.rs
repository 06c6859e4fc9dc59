//! The daily line for the operator: how much there is, in numbers.

use worker::{Env, ScheduleContext, ScheduledEvent, console_log, event};

use super::d1::D1Table;
use super::environment::binding;
use super::metrics::Metrics;
use super::ports::databases;
use super::ready;
use super::vectorize::VectorizeIndex;
use crate::mirror::former;
use crate::mirror::ports::{Statement, Table, Vectors};
use crate::session::figures::Figure;

const COUNTS: &str = "SELECT count(DISTINCT CASE WHEN deleted = 0 THEN owner END), coalesce(sum(deleted = 0), 0), \
                      coalesce(sum(deleted = 0 AND status = 'held'), 0), coalesce(sum(deleted), 0) FROM facts";
/// Four statements each, of the 1,000 that D1 allows an invocation; 50 on the free plan, where it goes on the next day.
const PIECES_A_DAY: usize = 200;
const NAMES: [&str; 4] = ["owners", "facts", "held", "forgotten"];

#[event(scheduled)]
async fn daily(_event: ScheduledEvent, env: Env, _context: ScheduleContext) {
    // The address that people use is not known here, so the loopback rule can't be looked at.
    let missing = ready::missing(&env, true);
    let mut numbers = vec![("missing", missing.len() as i64)];
    let mut errors = Vec::new();
    if let Some(database) = binding(&env, "DB") {
        match D1Table::new(database).batch(&[Statement { sql: COUNTS.to_owned(), args: Vec::new() }]).await {
            Ok(results) => {
                if let Some(row) = results.first().and_then(|rows| rows.first()) {
                    let count = |at: usize| row.int(at).unwrap_or_default();
                    numbers.extend(NAMES.iter().enumerate().map(|(at, name)| (*name, count(at))));
                }
            }
            Err(error) => errors.push(format!("d1: {error}")),
        }
    }
    for table in databases(&env) {
        if let Err(error) = former::give_back(&table, PIECES_A_DAY).await {
            errors.push(format!("d1: {error}"));
        }
    }
    if let Some(index) = binding(&env, "VECTORIZE") {
        match VectorizeIndex::new(index).describe().await {
            Ok(told) => {
                numbers.push(("vectors", told.count as i64));
                numbers.push(("dimensions", told.dimensions.into()));
            }
            Err(error) => errors.push(format!("vectorize: {error}")),
        }
    }
    let mut line =
        serde_json::json!({"event": "daily", "version": env!("CARGO_PKG_VERSION"), "lacks": missing});
    for (name, number) in &numbers {
        line[*name] = (*number).into();
    }
    line["errors"] = errors.into();
    console_log!("{line}");
    Metrics::new(binding(&env, "METRICS")).write(&Figure {
        kind: "daily",
        labels: ["", ""],
        numbers: &numbers,
    });
}
