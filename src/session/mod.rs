//! Conduct: runs what the decisions ask for, through ports.
//!
//! Invariants: a turn is durable before `accepted` is sent and its reply before `done`; at most one turn runs;
//! memory work is rows on the one alarm and never on the reply's path. A session that is dropped at any await
//! leaves only what the next one finds and finishes (`recover`). No cell stays borrowed across an await.

pub mod api;
pub mod figures;
pub mod ports;

mod admit;
mod archive;
mod asking;
mod compared;
mod consolidate;
mod erasing;
mod fold;
mod forgetting;
mod learn;
mod listen;
mod meaning;
mod memory;
mod mirroring;
mod model;
mod prepare;
mod recall;
mod receive;
mod recover;
mod repeating;
mod run;
mod tools;
mod upkeep;
mod way;
mod work;

use crate::sorted::SortedMap;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

use futures::channel::oneshot;

use crate::chat::protocol::{OpenTurn, PROTOCOL, ServerFrame, WireMessage};
use crate::chat::turn::Answer;
use crate::config::Config;
use crate::http::meter::Meter;
use crate::id::{OwnerKey, ThreadId, TurnId};
use crate::store::held::Held;
use crate::store::index::Familiar;
use crate::store::settings::Settings;
use crate::store::sql::StoreError;
use crate::store::threads::Thread;
use crate::store::turns::State;
use crate::store::{messages, schema, settings, threads, turns};
use crate::time::Millis;
use ports::{Ports, To};

/// One user's agent, as long as its object is in memory.
pub struct Session<P: Ports> {
    ports: P,
    config: Config,
    owner: OwnerKey,
    running: RefCell<Option<Running>>,
    /// The deltas of the turn that ended last, for tabs that ask for them just afterwards.
    finished: RefCell<Option<(TurnId, Vec<String>)>>,
    listeners: RefCell<Vec<listen::Listener>>,
    brought: RefCell<SortedMap<TurnId, listen::Brought>>,
    pumping: Cell<bool>,
    working: Cell<bool>,
    going_first: way::GoingFirst,
    giving_way: RefCell<way::GivingWay>,
    /// Copies of what is searched by meaning.
    held: RefCell<Held>,
    familiar: RefCell<FamiliarTexts>,
    compared: RefCell<compared::Compared>,
    /// The question that was embedded last.
    embedded: RefCell<Option<(String, Vec<f32>)>>,
    /// Whether the storage was told which embedding model is in use.
    named_model: Cell<bool>,
    rewriting: Cell<prepare::Rewriting>,
    recovered: Cell<bool>,
    armed_for: Cell<Option<Millis>>,
    meter: RefCell<Meter>,
}

/// What is known of texts that were searched before.
#[derive(Default)]
struct FamiliarTexts {
    facts: Familiar,
    messages: Familiar,
}

/// The turn that this session runs.
struct Running {
    turn: TurnId,
    answer: Rc<RefCell<Answer>>,
    stop: Option<oneshot::Sender<()>>,
    /// When its model was asked; until then everything else waits.
    asked_at: Option<Millis>,
    gone: Vec<repeating::Gone>,
}

impl<P: Ports> Session<P> {
    /// Opens the object's storage. Reads nothing that grows with the history.
    pub fn open(ports: P, config: Config, owner: OwnerKey) -> Result<Self, StoreError> {
        schema::migrate(ports.sql(), ports.now())?;
        Ok(Self::over(ports, config, owner))
    }

    /// A session over storage that has this version's schema.
    fn over(ports: P, config: Config, owner: OwnerKey) -> Self {
        Self {
            ports,
            config,
            owner,
            running: RefCell::new(None),
            finished: RefCell::new(None),
            listeners: RefCell::default(),
            brought: RefCell::default(),
            pumping: Cell::new(false),
            working: Cell::new(false),
            going_first: way::GoingFirst::default(),
            giving_way: RefCell::default(),
            held: RefCell::default(),
            familiar: RefCell::default(),
            compared: RefCell::default(),
            embedded: RefCell::default(),
            named_model: Cell::new(false),
            rewriting: Cell::default(),
            recovered: Cell::new(false),
            armed_for: Cell::new(None),
            meter: RefCell::default(),
        }
    }

    /// Opens the object whose owner its name tells; after an alarm the name may be missing, so it is kept.
    pub fn open_named(ports: P, config: Config, named: Option<OwnerKey>) -> Result<Self, StoreError> {
        schema::migrate(ports.sql(), ports.now())?;
        let stored = settings::get(ports.sql(), "owner")?.as_deref().and_then(OwnerKey::parse);
        if let (None, Some(owner)) = (&stored, &named) {
            settings::set(ports.sql(), "owner", owner.as_str())?;
        }
        let owner = stored.or(named).ok_or_else(|| StoreError::corrupt("owner"))?;
        Ok(Self::over(ports, config, owner))
    }

    /// The world it reaches for.
    pub fn ports(&self) -> &P {
        &self.ports
    }

    /// Tells a connection that its frame met a fault of ours; what was accepted goes on.
    pub fn report(&self, connection: &str, error: &StoreError) {
        self.ports.log("frame_failed", &[("error", error.to_string())]);
        let frame =
            ServerFrame::Error { code: "internal", message: "A fault of this server; try again.", id: None };
        self.send(To::One(connection), &frame);
    }

    /// The thread that a new connection asks for, if there is one.
    pub fn thread(&self, id: &ThreadId) -> Result<Option<Thread>, StoreError> {
        threads::get(self.ports.sql(), id, self.ports.now())
    }

    /// Greets a new connection with everything it needs to draw the thread.
    pub fn connected(&self, connection: &str, thread: &Thread) -> Result<(), StoreError> {
        self.recover()?;
        let sql = self.ports.sql();
        let recent = messages::recent(sql, &thread.id, self.config.limits.recent_messages)?;
        let open = turns::open_turns(sql)?;
        let mut open_turns = Vec::new();
        for turn in open.iter().filter(|turn| turn.thread == thread.id) {
            open_turns.push(OpenTurn {
                turn: turn.id.to_string(),
                id: turn.client_id.to_string(),
                state: turn.state.as_str(),
                seq: if turn.state == State::Running { self.deltas(&turn.id)?.len() as u32 } else { 0 },
            });
        }
        let mode = self.settings()?.memory_mode;
        let ready = ServerFrame::Ready {
            protocol: PROTOCOL,
            thread: thread.id.as_str(),
            recent: recent.iter().map(WireMessage::from).collect(),
            summary: &thread.summary,
            open_turns,
            memory_mode: if thread.temporary { "off" } else { mode.as_str() },
        };
        self.send(To::One(connection), &ready);
        if !open.is_empty() {
            // A turn whose owner died runs from the alarm: a connection's greeting must not wait for it.
            self.arm_at(self.ports.now());
        }
        Ok(())
    }

    /// The alarm: recovers, runs what waits, does the memory work that is due, and asks for the next alarm.
    pub async fn alarm(&self) -> Result<(), StoreError> {
        self.armed_for.set(None);
        self.recover()?;
        // A turn must not wait for memory work, nor the work for a long answer.
        let (pumped, worked) = futures::future::join(self.pump(), self.work()).await;
        self.arm()?;
        pumped.and(worked)
    }

    fn arm_at(&self, at: Millis) {
        if self.armed_for.get().is_none_or(|armed| at < armed) {
            self.armed_for.set(Some(at));
            self.ports.wake_at(at);
        }
    }

    fn settings(&self) -> Result<Settings, StoreError> {
        settings::load(self.ports.sql())
    }

    fn send(&self, to: To<'_>, frame: &ServerFrame<'_>) {
        if let To::Thread(_) = to {
            self.tell_listeners(frame);
        }
        self.ports.peers().send(to, &frame.to_json());
    }

    fn dice(&self) -> u32 {
        let [a, b, c, d, ..] = self.ports.random();
        u32::from_le_bytes([a, b, c, d])
    }

    /// The deltas of a turn that are still known.
    fn deltas(&self, turn: &TurnId) -> Result<Vec<String>, StoreError> {
        if let Some(running) = &*self.running.borrow()
            && running.turn == *turn
        {
            return Ok(running.answer.borrow().deltas().to_vec());
        }
        if let Some((finished, deltas)) = &*self.finished.borrow()
            && finished == turn
        {
            return Ok(deltas.clone());
        }
        turns::saved_deltas(self.ports.sql(), turn)
    }
}
