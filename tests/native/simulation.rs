//! A simulation: ten thousand random schedules, and what must hold after each of them.
//!
//! A failure prints the seed and the shortest schedule that still fails; `KIOKU_SEED=n` runs one seed again, and
//! `KIOKU_SCHEDULES=n` another number of them.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::support::schedule::{Schedule, Step, abridged};
use crate::support::witness::{Witness, is_end, judge_storage, judge_tab, text};
use crate::support::world::{World, config};
use kioku::id::ThreadId;
use kioku::store::settings::{self, MemoryMode, Settings};
use kioku::store::{schema, threads};
use kioku::time::{MINUTE, Millis};
use serde_json::{Value, json};

const SCHEDULES: u64 = 10_000;
/// So many schedules run on one storage. Its transaction never ends, and SQLite keeps every search index that was made
/// in one and asks all of them at each savepoint: later schedules would take ever longer.
const ON_ONE_STORAGE: usize = 100;
/// Two threads beside the main one; the last is temporary.
const THREADS: [&str; 3] = ["main", "t_00000000000000000001", "t_00000000000000000002"];
/// More alarms than this at one instant are a busy loop.
const ALARMS_AT_ONCE: u32 = 200;

/// Two halves, so that both cores work.
#[test]
fn even_schedules_lose_nothing_and_double_nothing() {
    simulate(0);
}

#[test]
fn odd_schedules_lose_nothing_and_double_nothing() {
    simulate(1);
}

fn simulate(parity: u64) {
    let number = |name| std::env::var(name).ok().and_then(|value| value.parse::<u64>().ok());
    if let Some(seed) = number("KIOKU_SEED") {
        if seed % 2 == parity {
            check(&mut marked_world(), seed);
        }
        return;
    }
    let seeds: Vec<u64> = (parity..number("KIOKU_SCHEDULES").unwrap_or(SCHEDULES)).step_by(2).collect();
    for seeds in seeds.chunks(ON_ONE_STORAGE) {
        let mut world = marked_world();
        for seed in seeds {
            check(&mut world, *seed);
        }
    }
}

fn check(world: &mut World, seed: u64) {
    // Every kept answer is compared with the database in a part of them, which costs as much again; the others run as
    // the product does.
    world.outside.sql.doubt(seed % 8 < 2);
    let schedule = Schedule::random(seed);
    let Err(failed) = run(world, &schedule) else { return };
    let (shortest, why) = shrink(world, schedule, failed);
    panic!("KIOKU_SEED={seed}: {}\n{shortest}", abridged(&why));
}

fn shrink(world: &mut World, mut schedule: Schedule, mut why: String) -> (Schedule, String) {
    let mut at = 0;
    while at < schedule.steps.len() {
        let mut shorter = schedule.clone();
        shorter.steps.remove(at);
        match run(world, &shorter) {
            Err(still) => {
                (schedule, why) = (shorter, still);
                at = 0;
            }
            Ok(()) => at += 1,
        }
    }
    (schedule, why)
}

/// A world whose storage has its schema and its threads already: making them costs more than a schedule.
fn marked_world() -> World {
    let world = World::new(config(&[]));
    let now = world.outside.now.get();
    schema::migrate(&world.outside.sql, now).expect("the schema is made");
    for (at, id) in THREADS.iter().enumerate() {
        let id = ThreadId::parse(id).expect("a thread's id");
        threads::create(&world.outside.sql, &id, "", at == 2, now).expect("the thread is made");
    }
    world.mark();
    world
}

fn run(world: &mut World, schedule: &Schedule) -> Result<(), String> {
    world.begin_again(config(&[("QUEUE_MAX", schedule.queue_max), ("MODEL_STALL_MS", schedule.stall_ms)]));
    if !schedule.remembers {
        let off = Settings { memory_mode: MemoryMode::Off, ..Settings::default() };
        settings::save(&world.outside.sql, &off).expect("the storage answers");
    }
    let calm = schedule.is_calm();
    let mut run = Run {
        world,
        calm,
        witness: Witness::default(),
        tabs: Vec::new(),
        turns: Vec::new(),
        ahead: 0,
        jumped: 0,
    };
    let done = catch_unwind(AssertUnwindSafe(|| {
        for step in &schedule.steps {
            run.step(step)?;
        }
        run.rest()?;
        run.judge()
    }));
    done.unwrap_or_else(|panic| {
        let said = panic.downcast_ref::<String>().cloned();
        Err(said.or_else(|| panic.downcast_ref::<&str>().map(|s| (*s).to_owned())).unwrap_or_default())
    })
}

struct Tab {
    connection: String,
    /// How many of its frames it has looked at.
    read: Cell<usize>,
}

struct Run<'a> {
    world: &'a mut World,
    calm: bool,
    witness: Witness,
    tabs: Vec<Tab>,
    /// Turns that any tab heard of, in order.
    turns: Vec<String>,
    /// By how much the clock was wrong, and at most.
    jumped: i64,
    ahead: i64,
}

fn said_as(id: &str) -> String {
    format!("{id}: I drink tea 緑茶")
}

impl Run<'_> {
    fn step(&mut self, step: &Step) -> Result<(), String> {
        match step {
            Step::Connect { thread } => self.connect(THREADS[*thread]),
            Step::Disconnect { tab } => self.with_tab(*tab, crate::support::world::World::disconnect),
            Step::Send { tab, id } => {
                let id = format!("id{id}");
                self.with_tab(*tab, |world, tab| world.send(tab, &id, &said_as(&id)));
            }
            Step::Resume { tab, turn, after } => self.about(*tab, *turn, "resume", *after),
            Step::Stop { tab, turn } => self.about(*tab, *turn, "stop", 0),
            Step::Retry { tab, turn } => self.about(*tab, *turn, "retry", 0),
            Step::Nonsense { tab, frame } => {
                let frame = serde_json::from_str(frame).unwrap_or_else(|_| Value::from(*frame));
                self.with_tab(*tab, |world, tab| world.frame(tab, &frame));
            }
            Step::Model(script) => self.world.script(script.clone()),
            Step::Memory(schema, script) => {
                let mut memory = self.world.outside.memory.borrow_mut();
                memory.entry((*schema).to_owned()).or_default().push_back(script.clone());
            }
            Step::FailStorage { after } => self.world.outside.sql.fail_after(*after),
            Step::Mirror(fault) => self.world.outside.d1.set_fault(*fault),
            Step::DeleteThread { thread } => {
                let path = format!("/api/threads/{}", THREADS[*thread]);
                self.world.request("DELETE", &path);
            }
            Step::Evict => self.world.evict(),
            Step::Crashes { times } => {
                for _ in 0..*times {
                    self.world.evict();
                    // The alarm brings it back, and its model has not answered yet.
                    self.world.step(Millis(i64::MAX));
                }
                self.world.evict();
            }
            Step::PollSome { tasks } => self.world.poll_some(*tasks),
            Step::Poll => self.world.poll(),
            Step::Tick => {
                self.world.step(Millis(i64::MAX));
            }
            Step::Wait { millis } => self.wait(*millis)?,
            Step::Jump { millis } => self.jump(*millis),
        }
        self.react();
        self.witness.follow(&self.world.outside, self.calm)
    }

    fn jump(&mut self, millis: i64) {
        self.world.jump(millis);
        self.jumped += millis;
        self.ahead = self.ahead.max(self.jumped);
    }

    fn connect(&mut self, thread: &str) {
        if let Some(connection) = self.world.try_connect(thread) {
            self.tabs.push(Tab { connection, read: Cell::new(0) });
        }
    }

    /// The n-th tab, if it is open.
    fn with_tab(&mut self, tab: usize, act: impl FnOnce(&mut World, &str)) {
        if self.tabs.is_empty() {
            return;
        }
        let connection = &self.tabs[tab % self.tabs.len()].connection;
        if self.world.outside.sockets.borrow()[connection].open {
            act(self.world, connection);
        }
    }

    fn about(&mut self, tab: usize, turn: usize, kind: &str, after: u32) {
        if self.turns.is_empty() {
            return;
        }
        let turn = self.turns[turn % self.turns.len()].clone();
        self.with_tab(tab, |world, tab| {
            world.frame(tab, &json!({"type": kind, "turn": turn, "after": after}));
        });
    }

    /// Clients ask for what they may have missed: of a turn that runs when they connect, and of one they sent again.
    fn react(&mut self) {
        let mut wanted = Vec::new();
        for tab in &self.tabs {
            let sockets = self.world.outside.sockets.borrow();
            let socket = &sockets[&tab.connection];
            for frame in &socket.frames[tab.read.replace(socket.frames.len())..] {
                if text(frame, "type") == "accepted" {
                    let turn = text(frame, "turn").to_owned();
                    if !self.turns.contains(&turn) {
                        self.turns.push(turn.clone());
                    }
                    if frame["repeated"] == true {
                        wanted.push((tab.connection.clone(), turn));
                    }
                }
                for open in frame["open_turns"].as_array().into_iter().flatten() {
                    wanted.push((tab.connection.clone(), text(open, "turn").to_owned()));
                }
            }
        }
        for (connection, turn) in wanted {
            if self.world.outside.sockets.borrow()[&connection].open {
                self.world.frame(&connection, &json!({"type": "resume", "turn": turn, "after": 0}));
            }
        }
    }

    fn wait(&mut self, millis: i64) -> Result<(), String> {
        let until = self.world.outside.now.get().plus(millis);
        let (mut at, mut steps) = (Millis(0), 0);
        while self.world.step(until) {
            let now = self.world.outside.now.get();
            steps = if now == at { steps + 1 } else { 0 };
            at = now;
            if steps > ALARMS_AT_ONCE {
                return Err(format!("a busy loop at {at:?}"));
            }
        }
        let now = self.world.outside.now.get();
        self.world.outside.now.set(now.max(until));
        self.world.poll();
        Ok(())
    }

    /// The trouble is over, and an hour passes.
    fn rest(&mut self) -> Result<(), String> {
        self.world.outside.sql.heal();
        self.world.outside.d1.set_fault(None);
        self.world.outside.scripts.borrow_mut().clear();
        self.world.outside.memory.borrow_mut().clear();
        // What was to happen by a clock that was ahead happens when that time has come.
        self.jump(self.ahead - self.jumped);
        for _ in 0..2 {
            self.wait(60 * MINUTE)?;
            self.react();
            self.witness.follow(&self.world.outside, self.calm)?;
        }
        Ok(())
    }

    fn judge(&mut self) -> Result<(), String> {
        if self.world.busy() > 0 {
            return Err(format!("{} events are still worked on", self.world.busy()));
        }
        self.witness.judge_ends()?;
        judge_storage(&self.world.outside, &self.witness)?;
        self.judge_late_tabs()?;
        for tab in &self.tabs {
            judge_tab(&self.world.outside, &tab.connection, said_as)?;
        }
        Ok(())
    }

    /// Tabs that come when everything is over find every accepted turn ended, and an id that is sent again is known.
    fn judge_late_tabs(&mut self) -> Result<(), String> {
        self.ask_open_tabs();
        let calls = self.chat_calls();
        for thread in THREADS {
            let mine: Vec<(String, String)> = self
                .witness
                .turns
                .iter()
                .filter(|(_, turn)| turn.thread == thread)
                .map(|(id, turn)| (id.clone(), turn.client_id.clone()))
                .collect();
            if mine.is_empty() {
                continue;
            }
            let tab = self.world.try_connect(thread).ok_or("a thread with turns is gone")?;
            let ready = self.world.frames(&tab)[0].clone();
            if ready["open_turns"] != json!([]) {
                return Err(format!("turns are open: {ready}"));
            }
            for (turn, client_id) in &mine {
                self.world.send(&tab, client_id, "again");
                self.world.frame(&tab, &json!({"type": "resume", "turn": turn, "after": 0}));
            }
            self.world.poll();
            let frames = self.world.frames(&tab);
            for (turn, _) in &mine {
                let about = |frame: &&Value| text(frame, "turn") == turn;
                let ends = frames.iter().filter(about).filter(|frame| is_end(frame)).count();
                let known = frames.iter().filter(about).filter(|frame| frame["repeated"] == true).count();
                if (ends, known) != (1, 1) {
                    return Err(format!("{turn}: {ends} ends and {known} acceptances for a late tab"));
                }
            }
            judge_tab(&self.world.outside, &tab, said_as)?;
        }
        self.witness.follow(&self.world.outside, self.calm)?;
        if self.chat_calls() != calls {
            return Err("the model was asked again for what it had answered".to_owned());
        }
        Ok(())
    }

    /// What a tab still waits for it asks for again, because the frame that asked may have died with the object.
    fn ask_open_tabs(&mut self) {
        for tab in 0..self.tabs.len() {
            for turn in self.turns.clone() {
                let connection = &self.tabs[tab % self.tabs.len()].connection;
                let sockets = self.world.outside.sockets.borrow();
                let told = sockets[connection].frames.iter().rev().find(|frame| {
                    text(frame, "turn") == turn && (is_end(frame) || text(frame, "type") == "accepted")
                });
                if told.is_some_and(is_end) {
                    continue;
                }
                drop(sockets);
                self.with_tab(tab, |world, tab| {
                    world.frame(tab, &json!({"type": "resume", "turn": turn, "after": 0}));
                });
            }
        }
        self.world.poll();
    }

    fn chat_calls(&self) -> usize {
        self.world.outside.calls.borrow().iter().filter(|call| call["stream"] == true).count()
    }
}
