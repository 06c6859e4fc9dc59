//! The frames of protocol 1 as files, shared with the pages: what leaves is compared, what arrives is parsed.
//!
//! `tests/golden/frames` holds one file for each server frame and each variant of it that a client must tell apart,
//! and one for each client frame. `KIOKU_UPDATE_GOLDEN=1 cargo test --test native frames::` writes them anew.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use kioku::chat::protocol::{
    self, ClientFrame, OpenTurn, ServerFrame, Timing, WireChange, WireFact, WireMessage, WireMirrors,
    WirePassage, WireQuery, WireUsage,
};
use kioku::id::{ClientId, FactId, MessageId, ThreadId, TurnId};
use kioku::llm::{Role, Usage};
use kioku::memory::model::{Fact, Kind, Op, Scope, Source, Status};
use kioku::store::messages::Message;
use kioku::time::Millis;
use serde_json::Value;

/// 2026-11-30T02:00:00Z.
const NOON_IN_TOKYO: Millis = Millis(1_796_004_000_000);
const TURN: &str = "t_1";
const MAX_CHARS: usize = 8000;

#[test]
fn every_server_frame_is_the_json_of_its_file() {
    for (name, frame) in server_frames() {
        let path = folder().join(format!("{name}.json"));
        let sent: Value = serde_json::from_str(&frame.to_json()).unwrap();
        let golden: Value = serde_json::from_str(&golden(&path, &sent)).unwrap();
        assert_eq!(sent, golden, "{name}.json");
    }
}

#[test]
fn every_client_frame_of_a_file_is_read_as_what_it_says() {
    for (name, json, expected) in client_frames() {
        let path = folder().join(format!("{name}.json"));
        assert_eq!(protocol::parse(&golden(&path, &json), MAX_CHARS), Ok(expected), "{name}.json");
    }
}

#[test]
fn no_file_is_left_over_and_no_kind_of_frame_is_without_one() {
    if updating() {
        return;
    }
    let files: BTreeSet<String> = fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    let named: BTreeSet<String> = server_frames()
        .iter()
        .map(|(name, _)| format!("{name}.json"))
        .chain(client_frames().iter().map(|(name, _, _)| format!("{name}.json")))
        .collect();
    assert_eq!(files, named);
    let kinds: BTreeSet<&str> = server_frames().iter().map(|(_, frame)| kind(frame)).collect();
    // `kind` doesn't compile without every variant; this number is how many arms it has.
    assert_eq!(kinds.len(), 11, "{kinds:?}");
    let ops: BTreeSet<&str> = server_frames()
        .iter()
        .flat_map(|(_, frame)| match frame {
            ServerFrame::Remembered { changes, .. } => changes.iter().map(|change| change.op).collect(),
            _ => Vec::new(),
        })
        .collect();
    assert_eq!(ops, Op::ALL.iter().map(|op| op.as_str()).collect());
}

fn kind(frame: &ServerFrame<'_>) -> &'static str {
    match frame {
        ServerFrame::Ready { .. } => "ready",
        ServerFrame::Accepted { .. } => "accepted",
        ServerFrame::User { .. } => "user",
        ServerFrame::Recalled { .. } => "recalled",
        ServerFrame::Delta { .. } => "delta",
        ServerFrame::Done { .. } => "done",
        ServerFrame::Stopped { .. } => "stopped",
        ServerFrame::Failed { .. } => "failed",
        ServerFrame::Remembered { .. } => "remembered",
        ServerFrame::Folded { .. } => "folded",
        ServerFrame::Error { .. } => "error",
    }
}

fn server_frames() -> Vec<(&'static str, ServerFrame<'static>)> {
    let question = || said("m_1", Role::User, "京都に住んでいて、歴史を教えています。");
    let answer = || said("m_2", Role::Assistant, "京都で歴史を教えていらっしゃるのですね。");
    let half = |status: &str| WireMessage {
        status: Some(status.to_owned()),
        ..said("m_2", Role::Assistant, "京都で")
    };
    let forgotten = WireMessage { excluded: true, ..question() };
    vec![
        ("ready_new", ready(Vec::new(), "", Vec::new(), "on")),
        (
            "ready_open_turns",
            ready(
                vec![forgotten, answer()],
                "She teaches history in Kyoto.",
                vec![
                    OpenTurn { turn: "t_2".into(), id: "c-2".into(), state: "running", seq: 3 },
                    OpenTurn { turn: "t_3".into(), id: "c-3".into(), state: "queued", seq: 0 },
                ],
                "read_only",
            ),
        ),
        ("accepted", accepted(1, false)),
        ("accepted_repeated", accepted(0, true)),
        ("user", ServerFrame::User { turn: TURN, message: question() }),
        ("recalled_nothing", recalled("Hello", "Hello", Vec::new(), Vec::new())),
        ("recalled_rewritten", {
            let fact = WireFact { score: Some(0.5), ..WireFact::of(&fact(Status::Current)) };
            recalled("そこの天気は？", "京都の天気", vec![fact], vec![passage(None), passage(Some("line-7"))])
        }),
        ("delta", ServerFrame::Delta { turn: TURN, seq: 1, text: "京都" }),
        (
            "done",
            ServerFrame::Done {
                turn: TURN,
                message: answer(),
                usage: WireUsage::from(Usage { prompt_tokens: 310, completion_tokens: 24, estimated: true }),
                timing: Timing { queued_ms: 2, recall_ms: 5, first_token_ms: 180, total_ms: 900 },
            },
        ),
        ("stopped", ServerFrame::Stopped { turn: TURN, message: Some(half("stopped")) }),
        ("stopped_before_a_word", ServerFrame::Stopped { turn: TURN, message: None }),
        ("failed", failed("model_unavailable", true, None)),
        ("failed_with_reply", failed("model_cut_short", true, Some(half("failed")))),
        ("failed_for_good", failed("model_refused", false, None)),
        (
            "remembered",
            ServerFrame::Remembered {
                turn: Some(TURN),
                changes: Op::ALL.iter().map(|op| change(*op)).collect(),
            },
        ),
        ("remembered_by_hand", ServerFrame::Remembered { turn: None, changes: vec![change(Op::Edited)] }),
        ("folded", ServerFrame::Folded { thread: "main", summary: "She teaches history in Kyoto." }),
        ("error", error(Some("c-1"))),
        ("error_without_id", error(None)),
    ]
}

fn client_frames() -> Vec<(&'static str, Value, ClientFrame)> {
    let turn = || TurnId::parse(TURN).unwrap();
    vec![
        (
            "send",
            serde_json::json!({"type": "send", "id": "c-1", "text": "犬が好き"}),
            ClientFrame::Send { id: ClientId::parse("c-1").unwrap(), text: "犬が好き".into() },
        ),
        ("stop", serde_json::json!({"type": "stop", "turn": TURN}), ClientFrame::Stop { turn: turn() }),
        ("retry", serde_json::json!({"type": "retry", "turn": TURN}), ClientFrame::Retry { turn: turn() }),
        (
            "resume",
            serde_json::json!({"type": "resume", "turn": TURN, "after": 7}),
            ClientFrame::Resume { turn: turn(), after: 7 },
        ),
    ]
}

fn ready(
    recent: Vec<WireMessage>,
    summary: &'static str,
    open_turns: Vec<OpenTurn>,
    memory_mode: &'static str,
) -> ServerFrame<'static> {
    ServerFrame::Ready {
        protocol: protocol::PROTOCOL,
        thread: "main",
        recent,
        summary,
        open_turns,
        memory_mode,
    }
}

fn accepted(position: usize, repeated: bool) -> ServerFrame<'static> {
    ServerFrame::Accepted { id: "c-1", turn: TURN, thread: "main", position, repeated }
}

fn recalled(
    original: &str,
    searched: &str,
    facts: Vec<WireFact>,
    passages: Vec<WirePassage>,
) -> ServerFrame<'static> {
    let query = WireQuery { original: original.to_owned(), searched: searched.to_owned() };
    ServerFrame::Recalled { turn: TURN, query, facts, passages }
}

fn failed(code: &'static str, retryable: bool, reply: Option<WireMessage>) -> ServerFrame<'static> {
    ServerFrame::Failed { turn: TURN, code, message: protocol::failure_text(code), retryable, reply }
}

fn error(id: Option<&'static str>) -> ServerFrame<'static> {
    ServerFrame::Error { code: "empty_message", message: "The message is empty.", id }
}

fn said(id: &str, role: Role, text: &str) -> WireMessage {
    WireMessage::from(&Message {
        seq: 1,
        id: MessageId::parse(id).unwrap(),
        thread: ThreadId::main(),
        role,
        text: text.to_owned(),
        created_at: NOON_IN_TOKYO,
        turn: TurnId::parse(TURN),
        status: None,
        excluded: false,
    })
}

fn passage(external_id: Option<&str>) -> WirePassage {
    WirePassage {
        message: "m_0".into(),
        external_id: external_id.map(str::to_owned),
        thread: "main".into(),
        role: "user",
        text: "来月、京都に引っ越します。".into(),
        said_at: NOON_IN_TOKYO.to_rfc3339(),
        score: 0.25,
    }
}

/// A current fact that replaced one and stands in both mirrors; a past one whose mirrors lag; a held one without.
fn fact(status: Status) -> Fact {
    let is_past = status == Status::Past;
    Fact {
        id: FactId::parse("f_1").unwrap(),
        text: "京都に住んでいる。".into(),
        kind: Kind::Place,
        scope: if status == Status::Held { Scope::Thread(ThreadId::main()) } else { Scope::Global },
        status,
        pinned: status == Status::Current,
        edited: false,
        observed_at: NOON_IN_TOKYO,
        valid_from: Some("2015-04".into()),
        valid_until: is_past.then(|| "2026-11-30".into()),
        supersedes: if is_past { Vec::new() } else { FactId::parse("f_0").into_iter().collect() },
        superseded_by: FactId::parse("f_2").filter(|_| is_past),
        source: Source {
            message: MessageId::parse("m_1"),
            thread: Some(ThreadId::main()),
            quote: "京都に住んでいて".into(),
            said_at: NOON_IN_TOKYO,
        },
        turn: TurnId::parse(TURN),
        created_at: NOON_IN_TOKYO,
        updated_at: NOON_IN_TOKYO,
        version: 2,
    }
}

fn change(op: Op) -> WireChange {
    let (status, d1) = match op {
        Op::Superseded => (Status::Past, "pending"),
        Op::Held => (Status::Held, "pending"),
        _ => (Status::Current, "synced"),
    };
    let mirrors = Some(WireMirrors { d1, vectorize: "off" });
    WireChange {
        change: format!("c_{}", op.as_str()),
        op: op.as_str(),
        fact: WireFact { mirrors, ..WireFact::of(&fact(status)) },
        reason: (op == Op::Held).then(|| "instruction".to_owned()),
    }
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden/frames")
}

/// The text of a golden file, which is `fresh` when files are written anew.
fn golden(path: &Path, fresh: &Value) -> String {
    if updating() {
        fs::create_dir_all(folder()).unwrap();
        fs::write(path, format!("{}\n", serde_json::to_string_pretty(fresh).unwrap())).unwrap();
    }
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn updating() -> bool {
    std::env::var_os("KIOKU_UPDATE_GOLDEN").is_some()
}
