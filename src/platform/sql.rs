//! The object's SQLite behind the store's port.

use std::cell::Cell;

use wasm_bindgen::prelude::*;
use worker::js_sys::{Array, Uint8Array};
use worker::{SqlStorage, SqlStorageValue, Storage};

use crate::store::sql::{Arg, Row, Sql, StoreError, Value};

#[wasm_bindgen]
extern "C" {
    type TransactionalStorage;

    #[wasm_bindgen(method, catch, js_name = transactionSync)]
    fn transaction_sync(
        this: &TransactionalStorage,
        body: &mut dyn FnMut() -> Result<(), JsValue>,
    ) -> Result<(), JsValue>;
}

pub struct ObjectSql {
    sql: SqlStorage,
    storage: Storage,
    in_transaction: Cell<bool>,
}

impl ObjectSql {
    pub fn new(storage: Storage) -> Self {
        Self { sql: storage.sql(), storage, in_transaction: Cell::new(false) }
    }
}

impl Sql for ObjectSql {
    fn bytes(&self) -> i64 {
        self.sql.database_size() as i64
    }

    fn exec(&self, sql: &str, args: &[Arg<'_>]) -> Result<Vec<Row>, StoreError> {
        let args: Vec<JsValue> = args.iter().map(to_js).collect();
        let cursor = self.sql.exec_raw(sql, args).map_err(|error| StoreError::Engine(error.to_string()))?;
        let mut rows = Vec::new();
        for row in cursor.raw() {
            let row = row.map_err(|error| StoreError::Engine(error.to_string()))?;
            rows.push(Row(row.into_iter().map(from_js).collect()));
        }
        Ok(rows)
    }

    fn atomically(&self, body: &mut dyn FnMut() -> Result<(), StoreError>) -> Result<(), StoreError> {
        if self.in_transaction.get() {
            return body();
        }
        let storage: &TransactionalStorage = self.storage.as_raw().unchecked_ref();
        let mut failed = None;
        self.in_transaction.set(true);
        let result = storage.transaction_sync(&mut || {
            body().map_err(|error| {
                failed = Some(error);
                JsValue::from_str("rolled back")
            })
        });
        self.in_transaction.set(false);
        match (failed, result) {
            (Some(error), _) => Err(error),
            (None, Err(error)) => Err(StoreError::Engine(super::environment::describe(&error))),
            (None, Ok(())) => Ok(()),
        }
    }
}

fn to_js(arg: &Arg<'_>) -> JsValue {
    match arg {
        Arg::Null => JsValue::NULL,
        Arg::Int(value) => JsValue::from_f64(*value as f64),
        Arg::Real(value) => JsValue::from_f64(*value),
        Arg::Text(value) => JsValue::from_str(value),
        Arg::Blob(value) => Uint8Array::from(*value).into(),
    }
}

fn from_js(value: SqlStorageValue) -> Value {
    match value {
        SqlStorageValue::Null => Value::Null,
        SqlStorageValue::Boolean(value) => Value::Int(i64::from(value)),
        SqlStorageValue::Integer(value) => Value::Int(value),
        SqlStorageValue::Float(value) => Value::Real(value),
        SqlStorageValue::String(value) => Value::Text(value),
        SqlStorageValue::Blob(value) => Value::Blob(value),
    }
}

/// A row of D1 as the store's type; its columns keep the statement's order.
pub fn row_of(columns: &Array) -> Row {
    Row(columns
        .iter()
        .map(|value| {
            if let Some(text) = value.as_string() {
                Value::Text(text)
            } else if let Some(number) = value.as_f64() {
                if number.fract() == 0.0 { Value::Int(number as i64) } else { Value::Real(number) }
            } else if let Some(flag) = value.as_bool() {
                Value::Int(i64::from(flag))
            } else if let Some(bytes) = value.dyn_ref::<Array>() {
                Value::Blob(bytes.iter().filter_map(|b| b.as_f64()).map(|b| b as u8).collect())
            } else {
                Value::Null
            }
        })
        .collect())
}

/// An argument of D1.
pub fn value_to_js(value: &Value) -> JsValue {
    match value {
        Value::Null => JsValue::NULL,
        Value::Int(value) => JsValue::from_f64(*value as f64),
        Value::Real(value) => JsValue::from_f64(*value),
        Value::Text(value) => JsValue::from_str(value),
        Value::Blob(value) => Uint8Array::from(value.as_slice()).into(),
    }
}
