//! The object's SQLite behind the store's port.

use std::cell::Cell;

use wasm_bindgen::prelude::*;
use worker::Storage;
use worker::js_sys::{Array, ArrayBuffer, Uint8Array};

use crate::store::sql::{Arg, Row, Sql, StoreError, Value, rows_of_json};

#[wasm_bindgen(inline_js = r#"
export function rowsInOnePiece(rows) {
  const parts = [];
  let length = 0;
  const apart = (value) => {
    if (!(value instanceof ArrayBuffer)) return value;
    parts.push(value);
    length += value.byteLength;
    return [value.byteLength];
  };
  const text = JSON.stringify(rows[0].some((value) => value instanceof ArrayBuffer) ? rows.map((row) => row.map(apart)) : rows);
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    bytes.set(new Uint8Array(part), at);
    at += part.byteLength;
  }
  return [text, bytes];
}
"#)]
extern "C" {
    /// Rows as [`rows_of_json`] reads them: the text and the bytes. One of each crosses the border instead of every value.
    #[wasm_bindgen(js_name = rowsInOnePiece)]
    fn rows_in_one_piece(rows: &Array) -> Array;
}

#[wasm_bindgen]
extern "C" {
    type TransactionalStorage;

    #[wasm_bindgen(method, getter)]
    fn sql(this: &TransactionalStorage) -> SqlStorage;

    #[wasm_bindgen(method, catch, js_name = transactionSync)]
    fn transaction_sync(
        this: &TransactionalStorage,
        body: &mut dyn FnMut() -> Result<(), JsValue>,
    ) -> Result<(), JsValue>;

    type SqlStorage;

    #[wasm_bindgen(method, catch, variadic)]
    fn exec(this: &SqlStorage, sql: &str, args: &Array) -> Result<Cursor, JsValue>;

    #[wasm_bindgen(method, getter, js_name = databaseSize)]
    fn database_size(this: &SqlStorage) -> f64;

    type Cursor;

    #[wasm_bindgen(method, catch)]
    fn raw(this: &Cursor) -> Result<RawRows, JsValue>;

    type RawRows;

    #[wasm_bindgen(method, catch, js_name = toArray)]
    fn to_array(this: &RawRows) -> Result<Array, JsValue>;
}

pub struct ObjectSql {
    sql: SqlStorage,
    storage: Storage,
    in_transaction: Cell<bool>,
}

impl ObjectSql {
    pub fn new(storage: Storage) -> Self {
        let sql = storage.as_raw().unchecked_ref::<TransactionalStorage>().sql();
        Self { sql, storage, in_transaction: Cell::new(false) }
    }
}

impl Sql for ObjectSql {
    fn bytes(&self) -> i64 {
        self.sql.database_size() as i64
    }

    fn exec(&self, sql: &str, args: &[Arg<'_>]) -> Result<Vec<Row>, StoreError> {
        let args: Array = args.iter().map(to_js).collect();
        let cursor = self.sql.exec(sql, &args).map_err(refused)?;
        // A statement that gives no rows is over by now.
        if !(sql.starts_with("SELECT") || sql.contains("RETURNING")) {
            return Ok(Vec::new());
        }
        let rows = cursor.raw().and_then(|rows| rows.to_array()).map_err(refused)?;
        if rows.length() == 0 {
            return Ok(Vec::new());
        }
        let written = rows_in_one_piece(&rows);
        let bytes = written.get(1).dyn_into::<Uint8Array>().map(|bytes| bytes.to_vec()).unwrap_or_default();
        match written.get(0).as_string().and_then(|text| rows_of_json(&text, &bytes)) {
            Some(rows) => Ok(rows),
            None => Ok(rows.iter().map(|row| row_of(row.unchecked_ref())).collect()),
        }
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
            (None, Err(error)) => Err(refused(error)),
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

fn refused(error: JsValue) -> StoreError {
    StoreError::engine(super::environment::describe(&error))
}

/// A row as the store's type, of the object or of D1; its columns keep the statement's order.
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
            } else if let Some(bytes) = value.dyn_ref::<ArrayBuffer>() {
                Value::Blob(Uint8Array::new(bytes).to_vec())
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
