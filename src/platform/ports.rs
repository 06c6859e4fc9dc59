//! Everything a session reaches for, on Workers.

use std::cell::Cell;
use std::rc::Rc;

use worker::{Env, State, console_log};

use super::clock::{self, IntlZones};
use super::d1::D1Table;
use super::environment::binding;
use super::metrics::Metrics;
use super::models::PlatformModels;
use super::sockets::{Sockets, same};
use super::sql::ObjectSql;
use super::vectorize::VectorizeIndex;
use crate::config::Config;
use crate::session::figures::Figure;
use crate::session::ports::{LastPiece, Peers, Ports};
use crate::store::known::Known;
use crate::store::sql::Sql;
use crate::time::{Millis, Zones};

pub struct PlatformPorts {
    sql: Known<ObjectSql>,
    sockets: Sockets,
    models: PlatformModels,
    metrics: Metrics,
    tables: Vec<D1Table>,
    vectors: Option<VectorizeIndex>,
    state: State,
}

impl PlatformPorts {
    pub fn new(state: &State, env: &Env, config: &Config) -> Self {
        Self {
            sql: Known::over(ObjectSql::new(state.storage())),
            sockets: Sockets::of(state),
            models: PlatformModels::new(binding(env, "AI"), config.ai_gateway.clone()),
            metrics: Metrics::new(binding(env, "METRICS")),
            tables: databases(env),
            vectors: binding(env, "VECTORIZE").map(VectorizeIndex::new),
            state: same(state),
        }
    }

    pub fn sockets(&self) -> &Sockets {
        &self.sockets
    }
}

impl Ports for PlatformPorts {
    type Models = PlatformModels;
    type Table = D1Table;
    type Vectors = VectorizeIndex;

    fn sql(&self) -> &dyn Sql {
        &self.sql
    }

    fn peers(&self) -> &dyn Peers {
        &self.sockets
    }

    fn zones(&self) -> &dyn Zones {
        &IntlZones
    }

    fn models(&self) -> &PlatformModels {
        &self.models
    }

    fn tables(&self) -> &[D1Table] {
        &self.tables
    }

    fn vectors(&self) -> Option<&VectorizeIndex> {
        self.vectors.as_ref()
    }

    fn now(&self) -> Millis {
        clock::now()
    }

    fn random(&self) -> [u8; 10] {
        clock::random()
    }

    async fn sleep(&self, millis: i64) {
        clock::sleep(millis).await;
    }

    fn last_piece(&self) -> Rc<Cell<LastPiece>> {
        thread_local! {
            static LAST: Rc<Cell<LastPiece>> = Rc::default();
        }
        LAST.with(Rc::clone)
    }

    fn wake_at(&self, at: Millis) {
        let storage = self.state.storage();
        worker::wasm_bindgen_futures::spawn_local(async move {
            // The binding takes an offset from now, not an instant.
            if storage.set_alarm(at.since(clock::now())).await.is_err() {
                console_log!("{{\"event\":\"alarm_not_set\"}}");
            }
        });
    }

    fn log(&self, event: &str, fields: &[(&str, String)]) {
        let mut line = serde_json::Map::new();
        line.insert("event".to_owned(), event.into());
        for (name, value) in fields {
            line.insert((*name).to_owned(), value.as_str().into());
        }
        console_log!("{}", serde_json::Value::Object(line));
    }

    fn measure(&self, figure: &Figure<'_>) {
        self.metrics.write(figure);
    }
}

/// `DB`, `DB_1`, `DB_2` …, as far as they are bound.
pub(super) fn databases(env: &Env) -> Vec<D1Table> {
    let first = binding(env, "DB");
    let more = (1..).map_while(|number| binding(env, &format!("DB_{number}")));
    first.into_iter().chain(more).map(D1Table::new).collect()
}
