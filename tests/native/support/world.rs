//! A world for scenarios: one user's object on rusqlite, virtual time, a scripted model, fakes that can fail.
//!
//! Everything runs on one thread in an order that the seed decides. `evict` drops the session and every future
//! of it wherever they are, as the runtime may; storage, sockets and the outside live on.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, VecDeque};
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use futures::StreamExt;
use kioku::config::Config;
use kioku::id::{OwnerKey, ThreadId, TokenId};
use kioku::session::Session;
use kioku::session::figures::Figure;
use kioku::session::ports::{Body, CallFailed, LastPiece, ModelCall, ModelReply, Models, Peers, Ports, To};
use kioku::store::known::Known;
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
    /// Refuses with a status and its reasons.
    Refuse(u16, String),
    /// Can't be reached.
    Unreachable,
    /// Streams these bytes as they are.
    Bytes(Vec<String>),
    /// Answers with this body, whole.
    Raw(Value),
    /// Answers a memory call with this text.
    Json(String),
    /// The same after some milliseconds.
    Late(i64, String),
}

impl Script {
    pub fn say(text: &str) -> Self {
        Self::Say(vec![(10, text.to_owned())])
    }
}

/// What survives an eviction.
pub struct Outside {
    pub sql: Known<Sqlite>,
    /// The wall clock. Timers don't follow it when it jumps; alarms do.
    pub now: Cell<Millis>,
    jumped: Cell<i64>,
    pub seed: Cell<u64>,
    pub alarm: Cell<Option<Millis>>,
    /// Frames by connection, for as long as it is open.
    pub sockets: RefCell<BTreeMap<String, Socket>>,
    pub scripts: RefCell<VecDeque<Script>>,
    /// Answers to memory calls, by schema name; without one they are empty.
    pub memory: RefCell<BTreeMap<String, VecDeque<Script>>>,
    pub calls: RefCell<Vec<Value>>,
    /// Whether the embedding server can't be reached.
    pub embeddings_down: Cell<bool>,
    /// Calls whose answer is still waited for or read.
    pub open_calls: Rc<Cell<usize>>,
    pub d1: D1,
    pub vectorize: Vectorize,
    pub logs: RefCell<Vec<String>>,
    pub figures: RefCell<Vec<String>>,
    /// Every frame that a connection sent, in order.
    pub received: RefCell<Vec<(String, Value)>>,
    /// Everything that was sent, in order, whoever was there to get it.
    pub sent: RefCell<Vec<(Whom, Value)>>,
    alarm_runs: Cell<bool>,
    timers: RefCell<Vec<(Millis, Waker)>>,
}

/// Whom a frame was for; `Closed` stands where a thread's connections, or all, were closed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Whom {
    One(String),
    Thread(String),
    Others(String),
    Everyone,
    Closed(Option<String>),
    /// Where the connections of a personal access token were closed.
    ClosedToken(String),
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

const BEGINNING: Millis = Millis(1_796_000_000_000);

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
        Self::over(Sqlite::memory(), config)
    }

    /// A world whose object was stored before.
    pub fn over(sql: Sqlite, config: Config) -> Self {
        let sql = Known::over(sql);
        sql.doubt(true);
        let outside = Outside {
            sql,
            now: Cell::new(BEGINNING),
            jumped: Cell::new(0),
            seed: Cell::new(1),
            alarm: Cell::new(None),
            sockets: RefCell::default(),
            scripts: RefCell::default(),
            memory: RefCell::default(),
            calls: RefCell::default(),
            embeddings_down: Cell::default(),
            open_calls: Rc::default(),
            d1: D1::default(),
            vectorize: Vectorize::new(384),
            logs: RefCell::default(),
            figures: RefCell::default(),
            received: RefCell::default(),
            sent: RefCell::default(),
            alarm_runs: Cell::new(false),
            timers: RefCell::default(),
        };
        Self { outside: Rc::new(outside), config, session: None, tasks: Vec::new(), connections: 0 }
    }

    /// Keeps the storage as it is now, for [`World::begin_again`].
    pub fn mark(&self) {
        self.outside.sql.mark();
        self.outside.d1.mark();
    }

    /// A new world on the storage that was marked.
    pub fn begin_again(&mut self, config: Config) {
        self.evict();
        let outside = &self.outside;
        outside.sql.rewind();
        outside.sql.forget();
        outside.d1.rewind();
        outside.now.set(BEGINNING);
        outside.jumped.set(0);
        outside.seed.set(1);
        outside.alarm.set(None);
        outside.alarm_runs.set(false);
        outside.sockets.take();
        outside.scripts.take();
        outside.memory.take();
        outside.calls.take();
        outside.logs.take();
        outside.figures.take();
        outside.received.take();
        outside.sent.take();
        self.config = config;
        self.connections = 0;
    }

    /// The session, opened anew if the object was evicted.
    pub fn session(&mut self) -> Rc<Session<FakePorts>> {
        self.open().expect("the storage opens")
    }

    /// The session; `None` if the storage refuses to open just now.
    pub fn open(&mut self) -> Option<Rc<Session<FakePorts>>> {
        if self.session.is_none() {
            let ports = FakePorts(Rc::clone(&self.outside));
            let opened = Session::open(ports, self.config.clone(), OwnerKey::of("test", "user"));
            self.session = opened.ok().map(Rc::new);
        }
        self.session.clone()
    }

    /// Opens a tab on a thread and gives its connection.
    pub fn connect(&mut self, thread: &str) -> String {
        self.try_connect(thread).expect("the thread exists and the storage answers")
    }

    /// Opens a tab; `None` where the server answers with an error instead.
    pub fn try_connect(&mut self, thread: &str) -> Option<String> {
        let id = ThreadId::parse(thread)?;
        let session = self.open()?;
        let found = session.thread(&id).ok()??;
        self.connections += 1;
        let connection = format!("conn{}", self.connections);
        let socket = Socket { thread: id, open: true, frames: Vec::new() };
        self.outside.sockets.borrow_mut().insert(connection.clone(), socket);
        if session.connected(&connection, &found).is_err() {
            self.disconnect(&connection);
            return None;
        }
        Some(connection)
    }

    pub fn disconnect(&mut self, connection: &str) {
        if let Some(socket) = self.outside.sockets.borrow_mut().get_mut(connection) {
            socket.open = false;
        }
    }

    /// A frame arrives; its work goes on until [`World::settle`] or [`World::step`].
    pub fn frame(&mut self, connection: &str, frame: &Value) {
        // An object that can't open loses the frame, and its client hears nothing.
        let Some(session) = self.open() else { return };
        let thread = self.outside.sockets.borrow()[connection].thread.clone();
        self.outside.received.borrow_mut().push((connection.to_owned(), frame.clone()));
        let (connection, raw) = (connection.to_owned(), frame.to_string());
        self.tasks.push(Box::pin(async move {
            if let Err(error) = session.receive(&connection, &thread, &raw).await {
                session.report(&connection, &error);
            }
        }));
    }

    /// A request of the signed-in user and its answer, as JSON if it is any. Nothing else goes on meanwhile: time stands
    /// still, so the awaits of a request end by themselves or never.
    pub fn call(&mut self, method: &str, target: &str, body: &Value) -> (u16, Value) {
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let request = kioku::session::api::Request {
            method: method.to_owned(),
            path: path.to_owned(),
            query: query.to_owned(),
            body: if body.is_null() { Vec::new() } else { body.to_string().into_bytes() },
            user: "tester".to_owned(),
        };
        let session = self.session();
        let answer = futures::executor::block_on(session.handle(request));
        (answer.status, serde_json::from_str(&answer.body).unwrap_or(Value::String(answer.body)))
    }

    /// A program asks for a completion: what has been written to it so far, or the refusal.
    pub fn complete(
        &mut self,
        key: Option<&str>,
        body: &Value,
    ) -> Result<Rc<RefCell<String>>, kioku::session::api::Response> {
        let session = self.session();
        let completing = session.complete_chat(key, body.to_string().as_bytes())?;
        let running = Rc::clone(&session);
        self.tasks.push(Box::pin(async move { running.run_turns().await }));
        let written = Rc::new(RefCell::new(String::new()));
        let to = Rc::clone(&written);
        self.tasks.push(Box::pin(async move {
            if completing.is_streamed {
                let mut events = std::pin::pin!(completing.events());
                while let Some(event) = events.next().await {
                    to.borrow_mut().push_str(&event);
                }
            } else {
                let answer = session.completed(completing).await;
                to.borrow_mut().push_str(&answer.body);
            }
        }));
        self.poll();
        Ok(written)
    }

    /// A request arrives; its answer is not looked at.
    pub fn request(&mut self, method: &str, path: &str) {
        let Some(session) = self.open() else { return };
        let (method, path) = (method.to_owned(), path.to_owned());
        self.tasks.push(Box::pin(async move {
            let (query, body, user) = (String::new(), Vec::new(), String::new());
            session.handle(kioku::session::api::Request { method, path, query, body, user }).await;
        }));
    }

    /// How many events are still being worked on.
    pub fn busy(&self) -> usize {
        self.tasks.len()
    }

    pub fn send(&mut self, connection: &str, id: &str, text: &str) {
        self.frame(connection, &json!({"type": "send", "id": id, "text": text}));
    }

    /// Polls every task until none can go on, without letting time pass.
    pub fn poll(&mut self) {
        let woken = Arc::new(Woken::default());
        let waker = Waker::from(Arc::clone(&woken));
        loop {
            woken.0.store(false, Ordering::Relaxed);
            let mut context = Context::from_waker(&waker);
            self.tasks.retain_mut(|task| task.as_mut().poll(&mut context) == Poll::Pending);
            if !woken.0.load(Ordering::Relaxed) {
                break;
            }
        }
    }

    /// Polls only the oldest tasks, once: the object may die before the others had their turn.
    pub fn poll_some(&mut self, tasks: usize) {
        let mut context = Context::from_waker(Waker::noop());
        let mut polled = 0;
        self.tasks.retain_mut(|task| {
            polled += 1;
            polled > tasks || task.as_mut().poll(&mut context) == Poll::Pending
        });
    }

    /// The wall clock jumps; timers keep their pace.
    pub fn jump(&mut self, millis: i64) {
        self.outside.now.set(self.outside.now.get().plus(millis));
        self.outside.jumped.set(self.outside.jumped.get() + millis);
    }

    /// Lets time pass to the next timer or alarm and runs what is due. `false` if nothing is to come before `until`.
    pub fn step(&mut self, until: Millis) -> bool {
        self.poll();
        let jumped = self.outside.jumped.get();
        let timer = self.outside.timers.borrow().iter().map(|(at, _)| at.plus(jumped)).min();
        // The runtime never runs an object's alarm beside itself.
        let alarm = self.outside.alarm.get().filter(|_| !self.outside.alarm_runs.get());
        let Some(next) = [timer, alarm].into_iter().flatten().min().filter(|at| *at <= until) else {
            return false;
        };
        self.outside.now.set(self.outside.now.get().max(next));
        let now = self.outside.now.get();
        // Each is woken, and polled by `poll` with all the others.
        self.outside.timers.borrow_mut().retain(|(at, _)| at.plus(jumped) > now);
        if alarm.is_some_and(|at| at <= now) {
            self.ring();
        }
        self.poll();
        true
    }

    fn ring(&mut self) {
        // The runtime calls a failed alarm again, and one whose object died or couldn't open.
        let again = |outside: &Outside| {
            if outside.alarm.get().is_none() {
                outside.alarm.set(Some(outside.now.get().plus(2_000)));
            }
        };
        self.outside.alarm.set(None);
        let outside = Rc::clone(&self.outside);
        let Some(session) = self.open() else {
            again(&outside);
            return;
        };
        outside.alarm_runs.set(true);
        self.tasks.push(Box::pin(async move {
            let failed = session.alarm().await.is_err();
            outside.alarm_runs.set(false);
            if failed {
                again(&outside);
            }
        }));
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
        if self.outside.alarm_runs.take() && self.outside.alarm.get().is_none() {
            self.outside.alarm.set(Some(self.outside.now.get().plus(2_000)));
        }
    }

    pub fn frames(&self, connection: &str) -> Vec<Value> {
        self.outside.sockets.borrow()[connection].frames.clone()
    }

    /// The tables in any column of which a text stands.
    pub fn tables_with(&self, text: &str) -> Vec<String> {
        let sql = &self.outside.sql;
        let tables = sql.exec("SELECT name FROM sqlite_master WHERE type = 'table'", &[]).expect("tables");
        let holds = |name: &String| {
            let rows = sql.exec(&format!("SELECT * FROM \"{name}\""), &[]);
            rows.is_ok_and(|rows| format!("{rows:?}").contains(text))
        };
        tables.iter().map(|table| table.string(0).expect("a name")).filter(holds).collect()
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
        Sleep { outside: Rc::clone(self), until: self.steady().plus(millis.max(0)), registered: false }
    }

    /// A clock that never jumps.
    fn steady(&self) -> Millis {
        self.now.get().plus(-self.jumped.get())
    }
}

/// Whether a task can go on at once.
#[derive(Default)]
struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
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
        if self.outside.steady() >= self.until {
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

    fn last_piece(&self) -> Rc<Cell<LastPiece>> {
        Rc::default()
    }

    fn wake_at(&self, at: Millis) {
        self.0.alarm.set(Some(at));
    }

    fn log(&self, event: &str, fields: &[(&str, String)]) {
        self.0.logs.borrow_mut().push(format!("{event} {fields:?}"));
    }

    fn measure(&self, figure: &Figure<'_>) {
        self.0.figures.borrow_mut().push(format!("{} {:?} {:?}", figure.kind, figure.labels, figure.numbers));
    }
}

impl Peers for FakePorts {
    fn send(&self, to: To<'_>, frame: &str) {
        let frame: Value = serde_json::from_str(frame).unwrap_or_else(|_| frame.into());
        let whom = match to {
            To::One(one) => Whom::One(one.to_owned()),
            To::Thread(thread) => Whom::Thread(thread.to_string()),
            To::Others(thread, _) => Whom::Others(thread.to_string()),
            To::Everyone => Whom::Everyone,
        };
        self.0.sent.borrow_mut().push((whom, frame.clone()));
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

    fn close_token(&self, token: &TokenId, _code: u16, _reason: &str) {
        self.0.sent.borrow_mut().push((Whom::ClosedToken(token.to_string()), Value::Null));
    }

    fn count(&self) -> usize {
        self.0.sockets.borrow().values().filter(|socket| socket.open).count()
    }

    fn close(&self, thread: Option<&ThreadId>, _code: u16, _reason: &str) {
        let whom = Whom::Closed(thread.map(ToString::to_string));
        self.0.sent.borrow_mut().push((whom, Value::Null));
        for socket in self.0.sockets.borrow_mut().values_mut() {
            if thread.is_none_or(|thread| socket.thread == *thread) {
                socket.open = false;
            }
        }
    }
}

/// A model server notices when whoever called it is gone.
struct OpenCall(Rc<Cell<usize>>);

impl OpenCall {
    fn of(outside: &Outside) -> Self {
        outside.open_calls.set(outside.open_calls.get() + 1);
        Self(Rc::clone(&outside.open_calls))
    }
}

impl Drop for OpenCall {
    fn drop(&mut self) {
        self.0.set(self.0.get() - 1);
    }
}

pub struct ScriptedBody {
    outside: Rc<Outside>,
    _open: OpenCall,
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
        let open = OpenCall::of(&self.0);
        self.0.sleep(1).await;
        if request.url.ends_with("/embeddings") {
            return self.embeddings(&body, open);
        }
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
            Script::Raw(body) => (200, None, [(5, body.to_string().into_bytes())].into(), false),
            Script::Status(status, retry_after) => (status, retry_after, VecDeque::new(), false),
            Script::Refuse(status, reasons) => (status, None, [(1, reasons.into_bytes())].into(), false),
            Script::Json(_) | Script::Late(..) => {
                let (wait, text) = match script {
                    Script::Late(wait, text) => (wait, text),
                    Script::Json(text) => (5, text),
                    _ => unreachable!("matched above"),
                };
                let answer = json!({"choices": [{"message": {"content": text}, "finish_reason": "stop"}]});
                (200, None, [(wait, answer.to_string().into_bytes())].into(), false)
            }
            Script::Say(pieces) => {
                let mut chunks = sse(&pieces);
                let end = r#"{"choices":[{"delta":{},"finish_reason":"stop"}]}"#;
                chunks.push_back((1, format!("data: {end}\n\ndata: [DONE]\n\n").into_bytes()));
                (200, None, chunks, false)
            }
            Script::CutShort(pieces) => (200, None, sse(&pieces), false),
            Script::Stall(pieces) => (200, None, sse(&pieces), true),
            Script::Bytes(chunks) => {
                (200, None, chunks.into_iter().map(|chunk| (5, chunk.into_bytes())).collect(), false)
            }
        };
        let body = ScriptedBody { outside: Rc::clone(&self.0), _open: open, chunks, stalls };
        Ok(ModelReply { status, retry_after, body })
    }
}

impl FakePorts {
    /// Vectors by the built-in table, moved a little by the model's name, so that models differ.
    fn embeddings(&self, body: &Value, open: OpenCall) -> Result<ModelReply<ScriptedBody>, CallFailed> {
        if self.0.embeddings_down.get() {
            return Err(CallFailed("connection refused".to_owned()));
        }
        let turn = body["model"].as_str().unwrap_or_default().len() % 7;
        let texts = body["input"].as_array().cloned().unwrap_or_default();
        let data: Vec<Value> = texts
            .iter()
            .map(|text| {
                let mut vector = kioku::llm::table::embed(text.as_str().unwrap_or_default());
                vector.resize(384, 0.0);
                vector.rotate_left(turn);
                json!({"embedding": vector})
            })
            .collect();
        let chunks = [(1, json!({"data": data}).to_string().into_bytes())].into();
        let body = ScriptedBody { outside: Rc::clone(&self.0), chunks, stalls: false, _open: open };
        Ok(ModelReply { status: 200, retry_after: None, body })
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
