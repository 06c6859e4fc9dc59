//! Figures to Analytics Engine, where the binding `METRICS` is.

use serde_json::json;
use wasm_bindgen::prelude::*;

use super::plain;
use crate::session::figures::Figure;

#[wasm_bindgen]
extern "C" {
    type Dataset;

    #[wasm_bindgen(method, catch, js_name = writeDataPoint)]
    fn write_data_point(this: &Dataset, point: &JsValue) -> Result<(), JsValue>;
}

pub struct Metrics {
    dataset: Option<JsValue>,
}

impl Metrics {
    pub fn new(dataset: Option<JsValue>) -> Self {
        Self { dataset }
    }

    /// Kept or lost: nothing waits for a figure, and nothing fails for one.
    pub fn write(&self, figure: &Figure<'_>) {
        let Some(dataset) = &self.dataset else { return };
        let [first, second] = figure.labels;
        let point = json!({
            "indexes": [figure.kind],
            "blobs": [figure.kind, first, second, env!("CARGO_PKG_VERSION")],
            "doubles": figure.numbers.iter().map(|(_, number)| *number).collect::<Vec<_>>(),
        });
        if let Ok(point) = plain::to_js(&point) {
            let _ = dataset.unchecked_ref::<Dataset>().write_data_point(&point);
        }
    }
}
