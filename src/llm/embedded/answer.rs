//! Answers from reference memory and the recent messages; never from anything else.
//!
//! Memory is quoted as data: a remembered text that reads like an instruction is shown, never followed.

use serde_json::Value;

use super::about::about;
use super::input::{leading_json, list, text};
use super::judge::relation;
use super::question::{content_terms, is_about_me, is_command, is_question, overlap};
use super::statement::{Relation, Slot, read, read_fact};
use super::wording;
use crate::llm::{Prompt, Role};
use crate::text::case::lower;
use crate::text::fold::fold;
use crate::text::language::{Language, language};
use crate::text::list::Words;
use crate::text::stop::is_attribute;
use crate::text::{prefix, prefix_chars};
use crate::words;

const MAX_SHOWN: usize = 30;

pub const MAX_QUESTION_BYTES: usize = 8_000;

/// What the prompt holds.
pub struct Given<'a> {
    pub memory: Value,
    pub recent: Vec<(Role, &'a str)>,
    pub question: &'a str,
}

/// A fact of reference memory.
pub struct Known<'a> {
    pub text: &'a str,
    pub date: &'a str,
    pub since: &'a str,
    pub until: &'a str,
    pub is_past: bool,
}

/// The answer to the last user message of a prompt without a schema. Never empty.
pub fn answer(prompt: &Prompt) -> String {
    let given = given(prompt);
    let asked = language(given.question);
    let known: Vec<Known> = list(&given.memory, "facts")
        .iter()
        .take(200)
        .map(known)
        .filter(|fact| !fact.text.is_empty())
        .collect();
    let is_first = !given.recent.iter().any(|(role, _)| *role == Role::Assistant);
    let (reply, is_general) = reply(&given, &known, asked);
    // The whole of it again and again would bury the answers.
    let was_introduced = given
        .recent
        .iter()
        .any(|(role, said)| *role == Role::Assistant && said.contains(wording::introduction(asked)));
    let introduction = match (is_first || is_general, reply.is_empty()) {
        (false, _) => return reply,
        (true, false) if was_introduced => wording::reminder(asked),
        (true, _) => wording::introduction(asked),
    };
    if reply.is_empty() { introduction.to_owned() } else { format!("{reply}\n\n{introduction}") }
}

/// The answer, and whether the question was none about the user.
fn reply(given: &Given, known: &[Known], asked: Language) -> (String, bool) {
    let question = given.question;
    let folded = fold(question);
    let has_any = |words: Words| words.iter().any(|word| folded.contains(word));
    if has_any(words![
        "who are you",
        "what are you",
        "are you an ai",
        "are you chatgpt",
        "which model",
        "what model",
        "あなたは誰",
        "あなたは何",
        "どのモデル",
        "何のモデル",
        "モデルは何",
    ]) {
        return (String::new(), true);
    }
    if has_any(words![
        "about me",
        "know of me",
        "remember me",
        "who am i",
        "私について",
        "私のこと",
        "僕について",
        "僕のこと",
        "俺のこと",
        "私は誰",
        "僕は誰",
        "わたしのこと",
    ]) {
        return (everything(given, known, asked), false);
    }
    let is_question = is_question(question, &folded);
    let statements = read(question, None);
    if !is_question && !statements.is_empty() {
        return (wording::noted(asked).to_owned(), false);
    }
    // Japanese leaves 私 out, and "Who is Hanako?" needs no "my": what memory was given for it is about the user.
    let about_me = is_about_me(&folded) || (is_question && is_about_given(given, question));
    if (is_question || is_command(&folded)) && about_me {
        return (about(given, known, asked, &folded), false);
    }
    let is_greeting = words![
        "hi",
        "hello",
        "hey",
        "good morning",
        "good evening",
        "good afternoon",
        "こんにちは",
        "こんばんは",
        "おはよう",
        "はじめまして",
        "やあ",
        "ただいま",
    ]
    .iter()
    .any(|word| {
        folded.starts_with(word)
            && (word.len() > 3 || folded.chars().nth(word.len()).is_none_or(|c| !c.is_alphanumeric()))
    });
    if is_greeting && folded.chars().count() <= 40 && !is_question {
        return (wording::greeting(asked, name(known).as_deref()), false);
    }
    if !is_question && !is_command(&folded) {
        let thanks = has_any(words!["thank", "thanks", "ありがとう", "どうも"]);
        return match (thanks, asked) {
            (true, Language::En) => ("You're welcome.".to_owned(), false),
            (true, Language::Ja) => ("どういたしまして。".to_owned(), false),
            (false, Language::En) => (
                "I've read that, but I can only answer questions about what is remembered of you.".to_owned(),
                false,
            ),
            (false, Language::Ja) => {
                ("読みましたが、私に答えられるのは、あなたについて覚えていることだけです。".to_owned(), false)
            }
        };
    }
    (wording::cannot(asked).to_owned(), true)
}

/// Whether the question names what a given fact is about, or most of what a passage of the user's says, or whether the
/// user has just told of all that it names.
fn is_about_given(given: &Given<'_>, question: &str) -> bool {
    let wanted = content_terms(question);
    let facts = list(&given.memory, "facts");
    facts.iter().any(|fact| overlap(&wanted, text(fact, "text")) > 0)
        || told_before(given).any(|passage| is_users(passage) && overlap(&wanted, text(passage, "text")) > 1)
        || is_just_told(given, &wanted)
}

/// 「犬のハナと暮らしています」 tells of all that 「犬の名前は？」 names: a name is what is asked for.
fn is_just_told(given: &Given<'_>, wanted: &[String]) -> bool {
    let named: Vec<String> = wanted.iter().filter(|term| !is_attribute(term)).cloned().collect();
    let tells = |said: &str| !is_question(said, &fold(said)) && overlap(&named, said) == named.len() as u32;
    !named.is_empty() && given.recent.iter().any(|(role, said)| role.is_user() && tells(said))
}

/// What was said before the recent messages, as far as it is given word for word.
pub fn told_before<'a>(given: &'a Given<'_>) -> impl Iterator<Item = &'a Value> {
    list(&given.memory, "passages").iter().chain(list(&given.memory, "not_yet_summarized"))
}

/// Whether the user said a passage; one that doesn't tell counts as the user's.
pub fn is_users(passage: &Value) -> bool {
    let who = [text(passage, "who"), text(passage, "role")].into_iter().find(|who| !who.is_empty());
    who.is_none_or(|who| who == "user")
}

/// What the user told in the messages before the question and memory has no say on yet: it waits for a pause. What is told
/// later takes the place of what was told before.
fn just_told(given: &Given, known: &[Known]) -> Vec<String> {
    let mut told: Vec<String> = Vec::new();
    for (role, said) in &given.recent {
        if !role.is_user() || is_question(said, &fold(said)) {
            continue;
        }
        for reading in read(said, None) {
            let text = reading.statement.text;
            told.retain(|earlier| relation(&text, earlier) == Relation::Separate);
            if known.iter().all(|fact| relation(&text, fact.text) == Relation::Separate) {
                told.push(text);
            }
        }
    }
    told
}

/// Everything that is known, current and past apart, with what was only just told.
fn everything(given: &Given, known: &[Known], asked: Language) -> String {
    let summary = text(&given.memory, "summary");
    let told = just_told(given, known);
    if known.is_empty() && told.is_empty() && summary.trim().is_empty() {
        return wording::nothing_known(asked).to_owned();
    }
    let mut lines: Vec<String> = Vec::new();
    if !known.is_empty() {
        lines.push(wording::remembered(asked).to_owned());
        let (past, current): (Vec<&Known>, Vec<&Known>) = known.iter().partition(|fact| fact.is_past);
        lines.extend(
            current.into_iter().chain(past).take(MAX_SHOWN).map(|fact| format!("- {}", shown(fact, asked))),
        );
    }
    // An empty line, or Markdown takes what follows for more of the last point.
    let begin = |lines: &mut Vec<String>| {
        if !lines.is_empty() {
            lines.push(String::new());
        }
    };
    if !told.is_empty() {
        begin(&mut lines);
        lines.push(wording::just_told(asked).to_owned());
        lines.extend(told.iter().take(MAX_SHOWN).map(|told| format!("- {told}")));
    }
    if !summary.trim().is_empty() && known.len() < 5 {
        begin(&mut lines);
        lines.push(match asked {
            Language::En => "From earlier in this conversation:".to_owned(),
            Language::Ja => "この会話でこれまでに:".to_owned(),
        });
        lines.extend(
            summary
                .lines()
                .filter(|line| !line.trim().is_empty())
                .take(12)
                .map(|line| format!("> {}", prefix_chars(line.trim(), 200))),
        );
    }
    lines.join("\n")
}

pub fn shown(fact: &Known, asked: Language) -> String {
    let said = prefix_chars(fact.text, 300);
    let told = if language(said) == Language::En && asked == Language::En {
        wording::told(said)
    } else {
        said.to_owned()
    };
    format!("{told}{}", wording::dates(asked, fact))
}

fn name(known: &[Known]) -> Option<String> {
    let mut names = known
        .iter()
        .filter(|fact| !fact.is_past)
        .filter_map(|fact| read_fact(fact.text).map(|s| (s, fact.text)));
    let (statement, said) = names.find(|(s, _)| matches!(s.slot, Slot::Nickname | Slot::Name))?;
    // The name as it is written, not as it is compared.
    let at = lower(said).find(&statement.value)?;
    said.get(at..at + statement.value.len()).map(str::to_owned)
}

fn known(fact: &Value) -> Known<'_> {
    let said = fact.as_str().unwrap_or_else(|| text(fact, "text"));
    Known {
        text: said,
        date: text(fact, "date"),
        since: text(fact, "since"),
        until: text(fact, "until"),
        is_past: text(fact, "status") == "past",
    }
}

/// Takes memory, recent messages and question out of either layout.
fn given(prompt: &Prompt) -> Given<'_> {
    let mut memory = Value::Null;
    let mut recent: Vec<(Role, &str)> = Vec::new();
    for message in prompt.messages.iter().filter(|message| message.role != Role::System) {
        let (data, rest) = if message.role == Role::User {
            leading_json(&message.content)
        } else {
            (Value::Null, message.content.as_str())
        };
        let is_memory = text(&data, "type") == "reference_memory";
        if is_memory && memory.is_null() {
            memory = data;
        }
        let said = if is_memory { question_part(rest) } else { message.content.as_str() };
        if !said.is_empty() {
            recent.push((message.role, said));
        }
    }
    let last = recent.iter().rposition(|(role, _)| *role == Role::User);
    let question = last.map_or("", |at| recent.remove(at).1);
    Given { memory, recent, question: prefix(question, MAX_QUESTION_BYTES) }
}

/// The question after a merged layout's data, without a short label in front of it.
fn question_part(rest: &str) -> &str {
    let rest = rest.trim();
    let labels = ["question:", "Question:", "質問:", "質問：", "user:", "User:", "message:", "Message:"];
    labels.iter().find_map(|label| rest.strip_prefix(label)).unwrap_or(rest).trim()
}
