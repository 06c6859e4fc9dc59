//! A world for scenarios: one user's object on rusqlite, virtual time, a scripted model, fakes that can fail.
//!
//! Everything runs on one thread in an order that the seed decides. `evict` drops the session and every future
//! of it wherever they are, as the runtime may; storage, sockets and the outside live on.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, VecDeque};
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use kioku::config::Config;
use kioku::id::{OwnerKey, ThreadId};
use kioku::session::Session;
use kioku::session::ports::{Body, CallFailed, ModelCall, ModelReply, Models, Peers, Ports, To};
use kioku::store::sql::Sql;
use kioku::time::{Millis, Zones};
use serde_json::{Value, json};

use super::d1::D1;
use super::sqlite::Sqlite;
use super::vectorize::Vectorize;

/// What the scripted model does for one call.
#[derive(Clone, Debug)]
pub enum Script {
    /// Says the pieces, each after its wait in milliseconds, and finishes properly.
    Say(Vec<(i64, String)>),
    /// Says the pieces and breaks off without a finish reason.
    CutShort(Vec<(i64, String)>),
    /// Says the pieces and then nothing more, for ever.
    Stall(Vec<(i64, String)>),
    /// Answers with a status, and `retry-after` if there is one.
    Status(u16, Option<String>),
    /// Can't be reached.
    Unreachable,
    /// Answers a memory call with this text.
    Json(String),
}

impl Script {
    pub fn say(text: &str) -> Self {
        Self::Say(vec![(10, text.to_owned())])
    }
}

/// What survives an eviction.
pub struct Outside {
    pub sql: Sqlite,
    pub now: Cell<Millis>,
    pub seed: Cell<u64>,
    pub alarm: Cell<Option<Millis>>,
    /// Frames by connection, for as long as it is open.
    pub sockets: RefCell<BTreeMap<String, Socket>>,
    pub scripts: RefCell<VecDeque<Script>>,
    /// Answers to memory calls, by schema name; without one they are empty.
    pub memory: RefCell<BTreeMap<String, VecDeque<Script>>>,
    pub calls: RefCell<Vec<Value>>,
    pub d1: D1,
    pub vectorize: Vectorize,
    pub logs: RefCell<Vec<String>>,
    timers: RefCell<Vec<(Millis, Waker)>>,
}

pub struct Socket {
    pub thread: ThreadId,
    pub open: bool,
    pub frames: Vec<Value>,
}

#[derive(Clone)]
pub struct FakePorts(pub Rc<Outside>);

type Task = Pin<Box<dyn Future<Output = ()>>>;

pub struct World {
    pub outside: Rc<Outside>,
    pub config: Config,
    session: Option<Rc<Session<FakePorts>>>,
    tasks: Vec<Task>,
    connections: u32,
}

pub fn config(more: &[(&str, &str)]) -> Config {
    let base = [
        ("AUTH_MODE", "local"),
        ("SESSION_SECRET", "0123456789abcdef0123456789abcdef"),
        ("MODEL_PROVIDER", "openai"),
        ("MODEL_BASE_URL", "http://model.test/v1"),
        ("CHAT_MODEL", "scripted"),
    ];
    Config::read(&|name| {
        more.iter().chain(&base).find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
    })
    .expect("the test's configuration is complete")
}

impl World {
    pub fn new(config: Config) -> Self {
        let outside = Outside {
            sql: Sqlite::memory(),
            now: Cell::new(Millis(1_796_000_000_000)),
            seed: Cell::new(1),
            alarm: Cell::new(None),
            sockets: RefCell::default(),
            scripts: RefCell::default(),
            memory: RefCell::default(),
            calls: RefCell::default(),
            d1: D1::default(),
            vectorize: Vectorize::new(384),
            logs: RefCell::default(),
            timers: RefCell::default(),
        };
        Self { outside: Rc::new(outside), config, session: None, tasks: Vec::new(), connections: 0 }
    }

    /// The session, opened anew if the object was evicted.
    pub fn session(&mut self) -> Rc<Session<FakePorts>> {
        let outside = Rc::clone(&self.outside);
        let config = self.config.clone();
        Rc::clone(self.session.get_or_insert_with(|| {
            let owner = OwnerKey::of("test", "user");
            Rc::new(Session::open(FakePorts(outside), config, owner).expect("the storage opens"))
        }))
    }

    /// Opens a tab on a thread and gives its connection.
    pub fn connect(&mut self, thread: &str) -> String {
        self.connections += 1;
        let connection = format!("conn{}", self.connections);
        let id = ThreadId::parse(thread).expect("a thread id");
        let session = self.session();
        let found = session.thread(&id).expect("the storage answers").expect("the thread exists");
        let socket = Socket { thread: id, open: true, frames: Vec::new() };
        self.outside.sockets.borrow_mut().insert(connection.clone(), socket);
        session.connected(&connection, &found).expect("the storage answers");
        connection
    }

    pub fn disconnect(&mut self, connection: &str) {
        if let Some(socket) = self.outside.sockets.borrow_mut().get_mut(connection) {
            socket.open = false;
        }
    }

    /// A frame arrives; its work goes on until [`World::settle`] or [`World::step`].
    pub fn frame(&mut self, connection: &str, frame: &Value) {
        let session = self.session();
        let thread = self.outside.sockets.borrow()[connection].thread.clone();
        let (connection, raw) = (connection.to_owned(), frame.to_string());
        self.tasks.push(Box::pin(async move {
            // A storage failure is logged by the shell, and found by the alarm.
            let _ = session.receive(&connection, &thread, &raw).await;
        }));
    }

    pub fn send(&mut self, connection: &str, id: &str, text: &str) {
        self.frame(connection, &json!({"type": "send", "id": id, "text": text}));
    }

    /// Polls every task once more than it needs, without letting time pass.
    pub fn poll(&mut self) {
        for _ in 0..2 {
            let mut context = Context::from_waker(Waker::noop());
            self.tasks.retain_mut(|task| task.as_mut().poll(&mut context) == Poll::Pending);
        }
    }

    /// Lets time pass to the next timer or alarm and runs what is due. `false` if nothing is to come before `until`.
    pub fn step(&mut self, until: Millis) -> bool {
        self.poll();
        let timer = self.outside.timers.borrow().iter().map(|(at, _)| *at).min();
        let alarm = self.outside.alarm.get();
        let Some(next) = [timer, alarm].into_iter().flatten().min().filter(|at| *at <= until) else {
            return false;
        };
        self.outside.now.set(self.outside.now.get().max(next));
        let now = self.outside.now.get();
        self.outside.timers.borrow_mut().retain(|(at, _)| *at > now);
        if alarm.is_some_and(|at| at <= now) {
            self.outside.alarm.set(None);
            let session = self.session();
            let outside = Rc::clone(&self.outside);
            self.tasks.push(Box::pin(async move {
                // The runtime calls a failed alarm again.
                if session.alarm().await.is_err() {
                    outside.alarm.set(Some(outside.now.get().plus(2_000)));
                }
            }));
        }
        self.poll();
        true
    }

    pub fn advance(&mut self, millis: i64) {
        let until = self.outside.now.get().plus(millis);
        while self.step(until) {}
        self.outside.now.set(until);
        self.poll();
    }

    /// Runs everything that happens within ten virtual minutes.
    pub fn settle(&mut self) {
        self.advance(600_000);
    }

    /// The object dies here and now, with whatever it was doing.
    pub fn evict(&mut self) {
        self.tasks.clear();
        self.session = None;
        self.outside.timers.borrow_mut().clear();
    }

    pub fn frames(&self, connection: &str) -> Vec<Value> {
        self.outside.sockets.borrow()[connection].frames.clone()
    }

    /// The frames of one type that a connection got.
    pub fn of_type(&self, connection: &str, kind: &str) -> Vec<Value> {
        self.frames(connection).into_iter().filter(|frame| frame["type"] == kind).collect()
    }

    /// The transcript of a thread, one line a message.
    pub fn transcript(&self, thread: &str) -> Vec<String> {
        let rows = self
            .outside
            .sql
            .exec(
                "SELECT role, text, coalesce(status, '') FROM messages WHERE thread = ? ORDER BY seq",
                &[thread.into()],
            )
            .expect("the storage answers");
        rows.iter()
            .map(|row| {
                let status = row.text(2).unwrap_or_default();
                let mark = if status.is_empty() { String::new() } else { format!(" [{status}]") };
                format!("{}: {}{mark}", row.text(0).unwrap_or_default(), row.text(1).unwrap_or_default())
            })
            .collect()
    }

    pub fn script(&self, script: Script) {
        self.outside.scripts.borrow_mut().push_back(script);
    }
}

impl Outside {
    fn sleep(self: &Rc<Self>, millis: i64) -> Sleep {
        Sleep { outside: Rc::clone(self), until: self.now.get().plus(millis.max(0)), registered: false }
    }
}

struct Sleep {
    outside: Rc<Outside>,
    until: Millis,
    registered: bool,
}

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if self.outside.now.get() >= self.until {
            return Poll::Ready(());
        }
        if !self.registered {
            self.registered = true;
            let entry = (self.until, context.waker().clone());
            self.outside.timers.borrow_mut().push(entry);
        }
        Poll::Pending
    }
}

impl Ports for FakePorts {
    type Models = Self;
    type Table = D1;
    type Vectors = Vectorize;

    fn sql(&self) -> &dyn Sql {
        &self.0.sql
    }

    fn peers(&self) -> &dyn Peers {
        self
    }

    fn zones(&self) -> &dyn Zones {
        &TestZones
    }

    fn models(&self) -> &Self {
        self
    }

    fn tables(&self) -> &[D1] {
        std::slice::from_ref(&self.0.d1)
    }

    fn vectors(&self) -> Option<&Vectorize> {
        Some(&self.0.vectorize)
    }

    fn now(&self) -> Millis {
        self.0.now.get()
    }

    fn random(&self) -> [u8; 10] {
        // splitmix64: the same seed gives the same world.
        let mut bytes = [0; 10];
        for half in bytes.chunks_mut(5) {
            let seed = self.0.seed.get().wrapping_add(0x9e37_79b9_7f4a_7c15);
            self.0.seed.set(seed);
            let mut z = (seed ^ (seed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            half.copy_from_slice(&(z ^ (z >> 31)).to_le_bytes()[..half.len()]);
        }
        bytes
    }

    async fn sleep(&self, millis: i64) {
        self.0.sleep(millis).await;
    }

    fn wake_at(&self, at: Millis) {
        self.0.alarm.set(Some(at));
    }

    fn log(&self, event: &str, fields: &[(&str, String)]) {
        self.0.logs.borrow_mut().push(format!("{event} {fields:?}"));
    }
}

impl Peers for FakePorts {
    fn send(&self, to: To<'_>, frame: &str) {
        let frame: Value = serde_json::from_str(frame).unwrap_or_else(|_| frame.into());
        for (connection, socket) in self.0.sockets.borrow_mut().iter_mut() {
            let wanted = match to {
                To::One(one) => connection == one,
                To::Thread(thread) => socket.thread == *thread,
                To::Others(thread, but) => socket.thread == *thread && connection != but,
                To::Everyone => true,
            };
            if wanted && socket.open {
                socket.frames.push(frame.clone());
            }
        }
    }

    fn close(&self, thread: Option<&ThreadId>, _code: u16, _reason: &str) {
        for socket in self.0.sockets.borrow_mut().values_mut() {
            if thread.is_none_or(|thread| socket.thread == *thread) {
                socket.open = false;
            }
        }
    }
}

pub struct ScriptedBody {
    outside: Rc<Outside>,
    chunks: VecDeque<(i64, Vec<u8>)>,
    stalls: bool,
}

impl Body for ScriptedBody {
    async fn chunk(&mut self) -> Result<Option<Vec<u8>>, CallFailed> {
        if let Some((wait, bytes)) = self.chunks.pop_front() {
            self.outside.sleep(wait).await;
            return Ok(Some(bytes));
        }
        if self.stalls {
            std::future::pending::<()>().await;
        }
        Ok(None)
    }
}

impl Models for FakePorts {
    type Body = ScriptedBody;

    async fn call(&self, call: ModelCall) -> Result<ModelReply<ScriptedBody>, CallFailed> {
        let ModelCall::Http(request) = call else { return Err(CallFailed("no AI binding".to_owned())) };
        let body: Value = serde_json::from_str(&request.body).unwrap_or_default();
        self.0.calls.borrow_mut().push(body.clone());
        self.0.sleep(1).await;
        let schema = body["response_format"]["json_schema"]["name"].as_str();
        let script = match schema {
            Some(name) => {
                let next = self.0.memory.borrow_mut().get_mut(name).and_then(VecDeque::pop_front);
                next.unwrap_or_else(|| Script::Json(empty_answer(name)))
            }
            None => self.0.scripts.borrow_mut().pop_front().unwrap_or_else(|| Script::say("noted")),
        };
        let (status, retry_after, chunks, stalls) = match script {
            Script::Unreachable => return Err(CallFailed("connection refused".to_owned())),
            Script::Status(status, retry_after) => (status, retry_after, VecDeque::new(), false),
            Script::Json(text) => {
                let answer = json!({"choices": [{"message": {"content": text}, "finish_reason": "stop"}]});
                (200, None, [(5, answer.to_string().into_bytes())].into(), false)
            }
            Script::Say(pieces) => {
                let mut chunks = sse(&pieces);
                let end = r#"{"choices":[{"delta":{},"finish_reason":"stop"}]}"#;
                chunks.push_back((1, format!("data: {end}\n\ndata: [DONE]\n\n").into_bytes()));
                (200, None, chunks, false)
            }
            Script::CutShort(pieces) => (200, None, sse(&pieces), false),
            Script::Stall(pieces) => (200, None, sse(&pieces), true),
        };
        let body = ScriptedBody { outside: Rc::clone(&self.0), chunks, stalls };
        Ok(ModelReply { status, retry_after, body })
    }
}

fn sse(pieces: &[(i64, String)]) -> VecDeque<(i64, Vec<u8>)> {
    let event = |text: &String| json!({"choices": [{"delta": {"content": text}, "finish_reason": null}]});
    pieces.iter().map(|(wait, text)| (*wait, format!("data: {}\n\n", event(text)).into_bytes())).collect()
}

fn empty_answer(schema: &str) -> String {
    match schema {
        "memory_operations" => r#"{"operations":[]}"#,
        "rolling_summary" => r#"{"summary":""}"#,
        "search_query" => r#"{"query":""}"#,
        _ => r#"{"verdict":"separate","target":null}"#,
    }
    .to_owned()
}

/// The zones that tests name, from the bundled database.
pub struct TestZones;

impl Zones for TestZones {
    fn offset_seconds(&self, zone: &str, at: Millis) -> Option<i32> {
        let zone = jiff::tz::TimeZone::get(zone).ok()?;
        let instant = jiff::Timestamp::from_millisecond(at.0).ok()?;
        Some(zone.to_offset(instant).seconds())
    }
}
