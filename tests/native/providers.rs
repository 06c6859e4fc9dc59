//! Streams in the forms that providers document, replayed at every chunk size.
//!
//! Each folder of `tests/golden/providers` holds `stream.txt`, the bytes, and `expected.json`, what they mean.

use std::fs;
use std::path::{Path, PathBuf};

use kioku::llm::stream::StreamDecoder;
use kioku::llm::{FinishReason, ModelFailure, Piece};
use serde_json::{Value, json};

#[expect(clippy::unwrap_used, reason = "a test that can't read its files has to stop")]
fn folders() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/providers");
    let mut folders: Vec<PathBuf> = fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.sort();
    folders
}

fn decoder(expected: &Value) -> StreamDecoder {
    match expected["decoder"].as_str() {
        Some("openai") => StreamDecoder::openai(),
        Some("workers_ai") => StreamDecoder::workers_ai(1024),
        other => panic!("no decoder is called {other:?}"),
    }
}

/// What the stream meant, in the form of `expected.json`, or why it failed.
fn replay(
    mut decoder: StreamDecoder,
    stream: &[u8],
    size: usize,
    name: &Value,
) -> Result<Value, (String, ModelFailure)> {
    let mut pieces = Vec::new();
    let mut failure = None;
    for chunk in stream.chunks(size) {
        match decoder.push(chunk) {
            Ok(more) => pieces.extend(more),
            Err(f) => failure = Some(f),
        }
    }
    // What was said is given before it is told that it doesn't count.
    for _ in 0..2 {
        match decoder.finish() {
            Ok(more) => pieces.extend(more),
            Err(f) => failure = Some(f),
        }
        if !decoder.has_failed() {
            break;
        }
    }
    let mut said = json!({"decoder": name, "text": ""});
    let mut text = String::new();
    for piece in pieces {
        match piece {
            Piece::Text(more) => text.push_str(&more),
            Piece::Finished(reason) => {
                assert!(said.get("finish").is_none(), "finished twice");
                said["finish"] = match reason {
                    FinishReason::Stop => "stop",
                    FinishReason::Length => "length",
                    FinishReason::Filtered => "filtered",
                    FinishReason::ToolCalls => "tool_calls",
                }
                .into();
            }
            Piece::ToolCalls(calls) => {
                said["calls"] = calls.iter().map(|call| json!([call.name, call.arguments])).collect();
            }
            Piece::Usage(usage) => {
                assert!(
                    said.get("usage").is_none() && said.get("finish").is_some(),
                    "usage is last, and once"
                );
                assert!(!usage.estimated);
                said["usage"] = json!({"prompt_tokens": usage.prompt_tokens, "completion_tokens": usage.completion_tokens});
            }
        }
    }
    said["text"] = text.clone().into();
    match failure {
        None => Ok(said),
        Some(failure) => Err((text, failure)),
    }
}

#[test]
fn every_providers_stream_is_read_alike_at_every_chunk_size() {
    assert!(folders().len() >= 6);
    for folder in folders() {
        let stream = fs::read(folder.join("stream.txt")).unwrap();
        let expected: Value =
            serde_json::from_slice(&fs::read(folder.join("expected.json")).unwrap()).unwrap();
        for size in 1..=stream.len() {
            let read = replay(decoder(&expected), &stream, size, &expected["decoder"]);
            assert_eq!(read, Ok(expected.clone()), "{} in chunks of {size}", folder.display());
        }
    }
}

#[test]
fn a_stream_cut_anywhere_is_either_whole_or_cut_short_and_says_only_what_it_said() {
    for folder in folders() {
        let stream = fs::read(folder.join("stream.txt")).unwrap();
        let expected: Value =
            serde_json::from_slice(&fs::read(folder.join("expected.json")).unwrap()).unwrap();
        let whole = expected["text"].as_str().unwrap();
        for end in 0..stream.len() {
            let text = match replay(decoder(&expected), &stream[..end], 64, &expected["decoder"]) {
                Ok(said) => {
                    assert_eq!(said["finish"], expected["finish"], "{} cut at {end}", folder.display());
                    said["text"].as_str().unwrap().to_owned()
                }
                Err((text, failure)) => {
                    assert_eq!(failure, ModelFailure::CutShort, "{} cut at {end}", folder.display());
                    text
                }
            };
            assert!(whole.starts_with(&text), "{} cut at {end}", folder.display());
        }
    }
}
