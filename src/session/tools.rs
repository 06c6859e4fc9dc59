//! Memory as tools, for models that call them: search, save, forget.
//!
//! A tool can do no more than memory work does. What is saved is checked against the user's own message and compared
//! with what is known; what is to be forgotten is only proposed, and the user decides. The steps of one answer are
//! bounded, results are data with ids and fit the prompt. A server that refuses tools, and a model that writes its calls as
//! text, are asked without them from then on.

use std::cell::{Cell, RefCell};

use serde_json::{Map, Value, json};

use super::Session;
use super::ports::{Ports, To};
use super::prepare::Occasion;
use super::recall::Asked;
use crate::chat::prompt::fact_json;
use crate::chat::protocol::{ServerFrame, WireQuery};
use crate::config::Provider;
use crate::id::FactId;
use crate::llm::tools::{self, Exchange, OFFER_TOKENS, Opening, ToolCall, definitions};
use crate::llm::{Prompt, Usage};
use crate::memory::model::{Fact, Status};
use crate::memory::query::without_quotes;
use crate::store::index::MessageFilter;
use crate::store::messages::Message;
use crate::store::sql::StoreError;
use crate::store::turns::Turn;
use crate::store::{messages, settings, traces};
use crate::text::{estimate, prefix_chars};
use crate::time::Millis;

/// Answers of one turn that may call tools; the one after them has to be an answer.
const MAX_STEPS: usize = 2;
/// Tokens of one result.
const RESULT_TOKENS: u32 = 600;
/// Facts and passages of one result, and characters of a passage.
const MOST: usize = 6;
const PASSAGE_CHARS: usize = 400;
const MAX_QUERY_CHARS: usize = 500;
/// The setting that names the model whose server refuses tools.
const REFUSED: &str = "tools_refused";

/// The tools of one turn.
pub(super) struct Tools {
    reads: bool,
    writes: bool,
    exchanges: RefCell<Vec<Exchange>>,
    /// What the model says in the answer that is being given.
    said: RefCell<String>,
    /// The beginning of an answer to an offer of tools, kept back until it is known not to be a call.
    opening: RefCell<Option<String>>,
    /// The model wrote a call as text: it is offered none any more.
    wrote_call: Cell<bool>,
    /// Tokens of the answers before.
    used: Cell<Usage>,
}

impl Tools {
    pub(super) fn exchanges(&self) -> Vec<Exchange> {
        self.exchanges.borrow().clone()
    }

    /// Whether calls are still done.
    pub(super) fn take_more(&self) -> bool {
        self.exchanges.borrow().len() < MAX_STEPS
    }

    /// An answer begins, to a request that offered tools or none.
    pub(super) fn begin(&self, is_offered: bool) {
        *self.opening.borrow_mut() = is_offered.then(String::new);
        self.said.borrow_mut().clear();
    }

    /// What of the words may be told: nothing while they may be the beginning of a call.
    pub(super) fn hear(&self, text: String) -> Option<String> {
        let mut opening = self.opening.borrow_mut();
        let Some(mut kept) = opening.take() else {
            self.said.borrow_mut().push_str(&text);
            return Some(text);
        };
        kept.push_str(&text);
        match tools::opening(&kept) {
            Opening::Plain => {
                self.said.borrow_mut().push_str(&kept);
                return Some(kept);
            }
            Opening::WrittenCall => self.wrote_call.set(true),
            Opening::Open => {}
        }
        *opening = Some(kept);
        None
    }

    /// What was kept back, when the answer ends without having become a call.
    pub(super) fn kept_back(&self) -> Option<String> {
        self.opening.borrow_mut().take().filter(|kept| !kept.is_empty() && !self.wrote_call.get())
    }

    /// The call that the model has just written as text.
    pub(super) fn written_call(&self) -> Option<String> {
        self.opening.borrow_mut().take_if(|_| self.wrote_call.get())
    }

    /// The usage of the whole turn so far.
    pub(super) fn total(&self, usage: Usage) -> Usage {
        let before = self.used.get();
        Usage {
            prompt_tokens: before.prompt_tokens + usage.prompt_tokens,
            completion_tokens: before.completion_tokens + usage.completion_tokens,
            estimated: before.estimated || usage.estimated,
        }
    }

    /// Counts what an answer used that called tools.
    pub(super) fn spend(&self, total: Usage) {
        self.used.set(total);
    }

    fn tokens(&self) -> u32 {
        let exchanges = self.exchanges.borrow();
        let each = |exchange: &Exchange| {
            let calls = exchange.calls.iter();
            calls
                .map(|(call, result)| estimate::tokens(&call.arguments) + estimate::tokens(result) + 24)
                .sum::<u32>()
        };
        exchanges.iter().map(each).sum()
    }
}

impl<P: Ports> Session<P> {
    /// The tools that a turn may use: none in a temporary thread or with memory off.
    pub(super) fn tools_for(&self, occasion: &Occasion) -> Result<Tools, StoreError> {
        let calls = self.config.model_tools && matches!(self.config.model, Provider::OpenAi { .. });
        let refused =
            calls && settings::get(self.ports.sql(), REFUSED)?.as_deref() == Some(&self.config.chat_model);
        let reads = calls && !refused && occasion.reads();
        Ok(Tools {
            reads,
            writes: reads && occasion.settings.memory_mode.writes(),
            exchanges: RefCell::default(),
            said: RefCell::default(),
            opening: RefCell::default(),
            wrote_call: Cell::default(),
            used: Cell::default(),
        })
    }

    /// The definitions to offer with the next request; none once the steps or the prompt's tokens are used up.
    pub(super) fn offered(&self, tools: &Tools, prompt: &Prompt) -> Option<Value> {
        let spent: u32 = prompt.messages.iter().map(|message| estimate::tokens(&message.content) + 4).sum();
        let room = self.config.limits.prompt_max_tokens.saturating_sub(spent + tools.tokens());
        let fits = room >= OFFER_TOKENS + RESULT_TOKENS;
        (tools.reads && fits && tools.take_more() && !tools.wrote_call.get())
            .then(|| definitions(tools.writes))
    }

    /// Remembers that this model or its server can't do with tools.
    pub(super) fn no_more_tools(&self) {
        self.ports.log("tools_refused", &[]);
        if settings::set(self.ports.sql(), REFUSED, &self.config.chat_model).is_err() {
            self.ports.log("setting_not_kept", &[]);
        }
    }

    /// Does what an answer called for; the next request carries what came of it.
    pub(super) async fn use_tools(
        &self,
        turn: &Turn,
        tools: &Tools,
        calls: Vec<ToolCall>,
    ) -> Result<(), StoreError> {
        let mut done = Vec::new();
        for call in calls {
            let arguments: Map<String, Value> =
                serde_json::from_slice(call.arguments.as_bytes()).unwrap_or_default();
            let result = match call.name.as_str() {
                "memory_search" if tools.reads => self.search_tool(turn, &arguments).await?,
                "memory_save" if tools.writes => self.save_tool(turn, &arguments).await?,
                "memory_forget" if tools.writes => self.forget_tool(turn, &arguments).await?,
                _ => json!({"error": "there is no such tool"}),
            };
            done.push((call, result.to_string()));
        }
        let said = std::mem::take(&mut *tools.said.borrow_mut());
        tools.exchanges.borrow_mut().push(Exchange { said, calls: done });
        Ok(())
    }

    async fn search_tool(&self, turn: &Turn, arguments: &Map<String, Value>) -> Result<Value, StoreError> {
        let Some(query) = argument(arguments, "query") else { return Ok(no_argument("query")) };
        let instant = |name: &str| argument(arguments, name).and_then(|raw| Millis::parse_rfc3339(&raw));
        let filter = MessageFilter { thread: None, since: instant("since"), until: instant("until") };
        let searched = without_quotes(&query);
        let question = messages::get(self.ports.sql(), &turn.user_message)?;
        let asked = Asked {
            question: &searched,
            thread: &turn.thread,
            zone: &self.settings()?.timezone,
            // The question itself is no answer.
            shown_from: question.as_ref().map(|question| question.seq),
            shown: &[],
            most_passages: MOST,
            everything: false,
            filter,
        };
        let mut found = self.recall(&asked).await?;
        found.facts.truncate(MOST);
        if let Some(question) = &question {
            self.keep_rewrite(turn, question, &searched)?;
        }
        let original = question.map_or_else(String::new, |question| question.text);
        self.tell_recalled(turn, WireQuery { original, searched }, &found.facts, &found.passages)?;
        let mut facts: Vec<Value> = found.facts.iter().map(|(fact, _)| fact_result(fact)).collect();
        let mut passages: Vec<Value> =
            found.passages.iter().map(|(message, _)| passage_result(message)).collect();
        loop {
            let result = json!({"facts": facts, "passages": passages});
            if estimate::tokens(&result.to_string()) <= RESULT_TOKENS {
                return Ok(result);
            }
            if passages.pop().is_none() && facts.pop().is_none() {
                return Ok(result);
            }
        }
    }

    /// Checked like everything else that a model proposes to remember.
    async fn save_tool(&self, turn: &Turn, arguments: &Map<String, Value>) -> Result<Value, StoreError> {
        let Some(text) = argument(arguments, "text") else { return Ok(no_argument("text")) };
        let Some(question) = messages::get(self.ports.sql(), &turn.user_message)? else {
            return Ok(json!({"saved": [], "refused": "unknown_message"}));
        };
        let quote = argument(arguments, "quote").unwrap_or_else(|| question.text.clone());
        let (saved, refused) = self.save_proposed(&question, text, quote, &turn.thread).await?;
        let saved: Vec<Value> = saved
            .iter()
            .filter_map(|(applied, hold)| {
                let fact = applied.fact.as_ref()?;
                Some(json!({"id": fact.id, "text": fact.text, "op": applied.op.as_str(), "awaits": hold}))
            })
            .collect();
        Ok(json!({"saved": saved, "refused": refused}))
    }

    /// Proposes to forget what matches; the user is asked, and nothing goes before they agree.
    async fn forget_tool(&self, turn: &Turn, arguments: &Map<String, Value>) -> Result<Value, StoreError> {
        let Some(query) = argument(arguments, "query") else { return Ok(no_argument("query")) };
        let searched = without_quotes(&query);
        let asked = Asked {
            question: &searched,
            thread: &turn.thread,
            zone: &self.settings()?.timezone,
            shown_from: None,
            shown: &[],
            most_passages: 0,
            everything: false,
            filter: MessageFilter::default(),
        };
        let found: Vec<Fact> = self
            .recall_about(&asked)
            .await?
            .into_iter()
            .filter(|fact| fact.status != Status::Held)
            .take(MOST)
            .collect();
        let ids: Vec<FactId> = found.iter().map(|fact| fact.id.clone()).collect();
        self.propose_forgetting(turn, &ids, &searched)?;
        let proposed: Vec<Value> = found.iter().map(fact_result).collect();
        Ok(json!({"forgotten": [], "proposed": proposed, "note": "The user is asked and decides."}))
    }

    /// Tells the thread what an answer was given, with what it had been given before; the trace keeps it for reloads.
    fn tell_recalled(
        &self,
        turn: &Turn,
        query: WireQuery,
        found: &[(Fact, f64)],
        passages: &[(Message, f64)],
    ) -> Result<(), StoreError> {
        let sql = self.ports.sql();
        let mut trace = traces::get(sql, &turn.id)?
            .and_then(|mut trace| trace.remove("recall"))
            .unwrap_or_else(|| json!({"facts": [], "passages": []}));
        let mut join = |list: &str, key: &str, id: String, score: f64| {
            if let Some(Value::Array(known)) = trace.get_mut(list)
                && !known.iter().any(|entry| entry.get(key).and_then(Value::as_str) == Some(id.as_str()))
            {
                known.push(json!({key: id, "score": score}));
            }
        };
        for (fact, score) in found {
            join("facts", "fact", fact.id.to_string(), *score);
        }
        for (message, score) in passages {
            join("passages", "message", message.id.to_string(), *score);
        }
        let (facts, passages) = self.recalled_then(&trace)?;
        traces::put(sql, &turn.id, "recall", &trace, self.ports.now())?;
        let frame = ServerFrame::Recalled { turn: turn.id.as_str(), query, facts, passages };
        self.send(To::Thread(&turn.thread), &frame);
        Ok(())
    }
}

fn argument(arguments: &Map<String, Value>, name: &str) -> Option<String> {
    let text = arguments.get(name)?.as_str()?.trim();
    (!text.is_empty()).then(|| prefix_chars(text, MAX_QUERY_CHARS).to_owned())
}

fn no_argument(name: &str) -> Value {
    json!({"error": format!("`{name}` must be a text")})
}

fn fact_result(fact: &Fact) -> Value {
    let mut result = fact_json(fact);
    if let Some(object) = result.as_object_mut() {
        object.insert("id".to_owned(), json!(fact.id));
    }
    result
}

fn passage_result(message: &Message) -> Value {
    json!({
        "id": message.id, "said_by": message.role.as_str(), "said_at": message.created_at.to_rfc3339(),
        "text": prefix_chars(&message.text, PASSAGE_CHARS),
    })
}
