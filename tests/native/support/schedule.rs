//! Schedules: what a simulated user, network, model and machine do to an object, drawn from a seed.
//!
//! A step names tabs, threads and turns by number and means "the n-th there is", so that any step can be left out
//! and the rest still makes sense: that is what shrinking needs.

use std::fmt;

use super::d1::Fault;
use super::world::Script;

#[derive(Clone, Debug)]
pub enum Step {
    Connect {
        thread: usize,
    },
    Disconnect {
        tab: usize,
    },
    Send {
        tab: usize,
        id: usize,
    },
    Resume {
        tab: usize,
        turn: usize,
        after: u32,
    },
    Stop {
        tab: usize,
        turn: usize,
    },
    Retry {
        tab: usize,
        turn: usize,
    },
    Nonsense {
        tab: usize,
        frame: &'static str,
    },
    Model(Script),
    Memory(&'static str, Script),
    FailStorage {
        after: u32,
    },
    Mirror(Option<Fault>),
    DeleteThread {
        thread: usize,
    },
    Evict,
    /// The object dies, comes back and dies again, before anything is said.
    Crashes {
        times: usize,
    },
    /// Only the oldest tasks go on, once.
    PollSome {
        tasks: usize,
    },
    Poll,
    /// To the next timer or alarm.
    Tick,
    Wait {
        millis: i64,
    },
    Jump {
        millis: i64,
    },
}

#[derive(Clone, Debug)]
pub struct Schedule {
    pub queue_max: &'static str,
    pub stall_ms: &'static str,
    /// Whether memory is on: recall and extraction are most of a schedule's work.
    pub remembers: bool,
    pub steps: Vec<Step>,
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { queue_max, stall_ms, remembers, steps } = self;
        writeln!(f, "QUEUE_MAX={queue_max} MODEL_STALL_MS={stall_ms} remembers: {remembers}")?;
        steps.iter().try_for_each(|step| writeln!(f, "    {}", abridged(&format!("{step:?}"))))
    }
}

/// The same without what only makes texts long.
pub fn abridged(text: &str) -> String {
    text.replace(FILLER, "").chars().take(3_000).collect()
}

const FILLER: &str = "記憶🐕";

impl Schedule {
    /// Whether nothing in it takes the object or a statement of its storage away.
    pub fn is_calm(&self) -> bool {
        !self.steps.iter().any(Step::is_trouble)
    }

    pub fn random(seed: u64) -> Self {
        let mut dice = Dice(seed.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ 0x5eed);
        let queue_max = *dice.pick(&["1", "2", "3", "8"]);
        let stall_ms = *dice.pick(&["1000", "5000", "30000"]);
        let mut steps = vec![Step::Connect { thread: 0 }];
        // A quarter of the schedules meets no trouble, so that what holds only then is tested too.
        let calm = dice.one_in(4);
        let length = 4 + dice.below(16);
        while steps.len() < length {
            let step = dice.step(steps.len());
            if calm && step.is_trouble() {
                continue;
            }
            // What an object does first when it comes back may fail too.
            let fails = matches!(step, Step::Evict) && dice.one_in(3);
            steps.push(step);
            if fails {
                steps.push(Step::FailStorage { after: dice.below(8) as u32 });
            }
        }
        Self { queue_max, stall_ms, remembers: dice.one_in(4), steps }
    }
}

impl Step {
    /// Whether it takes the object or a statement of its storage away.
    fn is_trouble(&self) -> bool {
        matches!(self, Self::Evict | Self::Crashes { .. } | Self::FailStorage { .. })
    }
}

/// splitmix64.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }

    fn step(&mut self, place: usize) -> Step {
        let tab = self.below(6);
        let turn = self.below(6);
        match self.below(100) {
            0..8 => Step::Connect { thread: self.below(3) },
            8..12 => Step::Disconnect { tab },
            12..32 => Step::Send { tab, id: self.below(8) },
            32..36 => Step::Resume { tab, turn, after: self.below(5) as u32 },
            36..42 => Step::Stop { tab, turn },
            42..48 => Step::Retry { tab, turn },
            48..49 => Step::Nonsense {
                tab,
                frame: self.pick::<&str>(&[
                    "{",
                    "[]",
                    "ping",
                    r#"{"type":"send","id":"","text":"x"}"#,
                    r#"{"type":"stop"}"#,
                ]),
            },
            49..63 => Step::Model(self.script(place)),
            63..67 => {
                let schema = *self.pick(&["memory_operations", "rolling_summary", "same_fact"]);
                Step::Memory(schema, self.memory(schema))
            }
            67..72 => Step::FailStorage { after: self.below(60) as u32 },
            72..74 => Step::Mirror(*self.pick(&[
                None,
                Some(Fault::Down),
                Some(Fault::ErrorAfter),
                Some(Fault::Slow),
                Some(Fault::Hang),
            ])),
            74..76 => Step::DeleteThread { thread: self.below(3) },
            76..81 => Step::Evict,
            81 => Step::Crashes { times: 1 + self.below(4) },
            82..84 => Step::PollSome { tasks: self.below(3) },
            84..86 => Step::Poll,
            86..92 => Step::Tick,
            92..98 => Step::Wait { millis: self.wait() },
            _ => Step::Jump {
                millis: *self.pick(&[-86_400_000, -3_600_000, -5_000, -41, 5_000, 3_600_000, 200_000_000]),
            },
        }
    }

    fn wait(&mut self) -> i64 {
        *self.pick(&[0, 1, 5, 39, 40, 41, 200, 900, 1_000, 1_500, 6_000, 31_000])
    }

    fn script(&mut self, place: usize) -> Script {
        match self.below(12) {
            0..5 => Script::Say(self.pieces(place, 1)),
            5..7 => Script::CutShort(self.pieces(place, 0)),
            7 => Script::Stall(self.pieces(place, 0)),
            // Long enough to be saved more than once, and never finished.
            8 => Script::Stall((0..7).map(|n| (900 + 300 * (n % 3), format!("{place}.{n} "))).collect()),
            9..11 => {
                let status = *self.pick(&[400, 401, 408, 429, 429, 500, 503]);
                let wait = [None, Some("0"), Some("2"), Some("9"), Some("60"), Some("soon")];
                Script::Status(status, self.pick(&wait).map(str::to_owned))
            }
            _ => Script::Unreachable,
        }
    }

    /// Pieces that no other script says, so that a mixture of two answers is seen.
    fn pieces(&mut self, place: usize, least: usize) -> Vec<(i64, String)> {
        let long = self.one_in(30);
        (0..least + self.below(7))
            .map(|n| {
                let repeated = if long { self.below(600) } else { self.below(3) };
                (self.wait(), format!("{place}.{n}{} ", FILLER.repeat(repeated)))
            })
            .collect()
    }

    fn memory(&mut self, schema: &str) -> Script {
        match self.below(6) {
            0 => Script::Status(*self.pick(&[400, 429, 500]), None),
            1 => Script::Unreachable,
            2 => Script::Json("nonsense".to_owned()),
            3 => Script::Stall(Vec::new()),
            _ if schema == "memory_operations" => Script::Json(
                r#"{"operations":[{"op":"add","text":"The user drinks tea.","kind":"preference","target":null,
                    "message":"u1","quote":"I drink tea","valid_from":null,"valid_until":null}]}"#
                    .to_owned(),
            ),
            _ => Script::Json(r#"{"summary":"They spoke of tea."}"#.to_owned()),
        }
    }
}
