//! D1 behind the mirror's port.

use std::pin::pin;

use futures::future::{Either, select};
use wasm_bindgen::prelude::*;
use worker::js_sys::futures::JsFuture;
use worker::js_sys::{Array, Object, Promise, Reflect};

use super::clock;
use super::environment::describe;
use super::sql::{row_of, value_to_js};
use crate::mirror::ports::{MirrorError, Statement, Table};
use crate::store::sql::Row;
use crate::time::SECOND;

/// D1 was seen to stall for a minute and more; whoever waits here can do without.
const DEADLINE_MS: i64 = 10 * SECOND;

#[wasm_bindgen]
extern "C" {
    type Database;

    #[wasm_bindgen(method, catch)]
    fn prepare(this: &Database, sql: &str) -> Result<Prepared, JsValue>;

    #[wasm_bindgen(method, catch)]
    fn batch(this: &Database, statements: &Array) -> Result<Promise, JsValue>;

    type Prepared;

    #[wasm_bindgen(method, catch, variadic)]
    fn bind(this: &Prepared, args: &Array) -> Result<Prepared, JsValue>;
}

pub struct D1Table {
    database: JsValue,
}

impl D1Table {
    pub fn new(database: JsValue) -> Self {
        Self { database }
    }
}

impl Table for D1Table {
    async fn batch(&self, statements: &[Statement]) -> Result<Vec<Vec<Row>>, MirrorError> {
        let database: &Database = self.database.unchecked_ref();
        let prepared = Array::new();
        for statement in statements {
            let args: Array = statement.args.iter().map(value_to_js).collect();
            let bound =
                database.prepare(&statement.sql).and_then(|p| p.bind(&args)).map_err(|e| refused(&e))?;
            prepared.push(bound.as_ref());
        }
        let promise = database.batch(&prepared).map_err(|e| refused(&e))?;
        let results = match select(pin!(JsFuture::from(promise)), pin!(clock::sleep(DEADLINE_MS))).await {
            Either::Left((results, _)) => results.map_err(|e| refused(&e))?,
            Either::Right(_) => return Err(MirrorError::Unavailable("no answer in time".to_owned())),
        };
        Ok(Array::from(&results).iter().map(|result| rows(&result)).collect())
    }
}

fn rows(result: &JsValue) -> Vec<Row> {
    let results = Reflect::get(result, &"results".into()).unwrap_or(JsValue::UNDEFINED);
    if !results.is_object() {
        return Vec::new();
    }
    Array::from(&results).iter().map(|row| row_of(&Object::values(row.unchecked_ref()))).collect()
}

/// D1 tells its failures apart only in words. What isn't plainly a wrong statement is tried again.
fn refused(error: &JsValue) -> MirrorError {
    let text = describe(error);
    if text.contains("exceeded maximum DB size") || text.contains("SQLITE_FULL") {
        MirrorError::Full
    } else if text.contains("SQLITE_CONSTRAINT")
        || text.contains("no such table")
        || text.contains("syntax error")
    {
        MirrorError::Refused(text)
    } else {
        MirrorError::Unavailable(text)
    }
}
