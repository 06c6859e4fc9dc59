//! Learning: what the user said becomes facts, after the reply and off its path.
//!
//! The model only proposes. Code checks each proposal against the user's own words, compares it with what is known,
//! asks a judge where code can't tell, and writes the outcome in one transaction with the messages it settles.

use crate::sorted::SortedMap;
use serde_json::{Value, json};

use super::Session;
use super::ports::{Ports, To};
use super::work::{Worked, must_not_wait};
use crate::config::Provider;
use crate::id::{FactId, MessageId, ThreadId, TurnId};
use crate::llm::{Role, embedded};
use crate::memory::calls::{self, BATCH, Extraction, Judge, Known, Line};
use crate::memory::extract::{self, Rules, Said, Verdict};
use crate::memory::intent::{Intent, intent};
use crate::memory::model::{Candidate, Fact};
use crate::memory::operations::{self, Proposal, ProposedOp};
use crate::memory::reconcile::{self as judge, Case, Decision, Reason, reconcile};
use crate::memory::redundant::redundant;
use crate::store::ledger::Applied;
use crate::store::messages::Message;
use crate::store::settings::Settings;
use crate::store::sql::{StoreError, atomic};
use crate::store::turns::Turn;
use crate::store::{learn, messages, traces, usage};
use crate::time::local_date;

/// So many messages back is heard what stands around those that wait.
const HEARD: u32 = 4 * BATCH;
const MAX_TOKENS: u32 = 1200;
const MAX_JUDGE_TOKENS: u32 = 100;

/// What is to be written for one candidate.
struct Decided {
    candidate: Candidate,
    decision: Vec<judge::Change>,
    hold: Option<String>,
}

/// What one call was about.
struct Batch<'a> {
    asked: &'a [Said],
    /// The same with what was said just before it.
    heard: &'a [Said],
    existing: &'a [(Known, FactId)],
    rules: &'a Rules,
}

/// Whether a fact was already taken from the words that a proposal quotes.
fn is_told(proposal: &Proposal, asked: &[Said], decided: &[Decided]) -> bool {
    let Some(source) = extract::source(proposal, asked) else { return false };
    decided.iter().any(|decided| {
        let quote = &decided.candidate.quote;
        decided.candidate.message == source.message
            && (quote.contains(&proposal.quote) || proposal.quote.contains(quote))
    })
}

impl<P: Ports> Session<P> {
    /// Extracts facts from what waits in a thread. `attempts` counts the failures so far: a model that was too slow for
    /// a batch, or choked on one message of it, is asked about less each time.
    pub(super) async fn extract(&self, thread: &ThreadId, attempts: u32) -> Result<Worked, StoreError> {
        let most = (BATCH >> attempts.min(3)).max(1);
        let waiting = messages::to_learn(self.ports.sql(), thread, most)?;
        // Asked for by a turn that ended while the last extraction was made: it waits like any other.
        if attempts == 0
            && !waiting.is_empty()
            && !must_not_wait(&waiting)
            && let Some(paused) = self.paused_at(thread)?
        {
            return Ok(Worked::Later(paused));
        }
        let is_all = waiting.len() < most as usize;
        match self.extract_from(thread, waiting).await? {
            Worked::More if is_all => Ok(Worked::Done),
            worked => Ok(worked),
        }
    }

    /// Extracts facts from messages of one thread.
    pub(super) async fn extract_from(
        &self,
        thread: &ThreadId,
        waiting: Vec<Message>,
    ) -> Result<Worked, StoreError> {
        let sql = self.ports.sql();
        let settings = self.settings()?;
        if waiting.is_empty() {
            return Ok(Worked::Done);
        }
        let ids: Vec<MessageId> = waiting.iter().map(|message| message.id.clone()).collect();
        if !settings.memory_mode.writes() {
            messages::settle(sql, &ids)?;
            return Ok(Worked::More);
        }
        let said = self.said(&waiting, &settings);
        let rules = self.rules(&settings);
        let mut decided = Vec::new();
        let mut refused: Vec<(MessageId, &'static str)> = Vec::new();
        let mut asked = Vec::new();
        for (said, message) in said.iter().zip(&waiting) {
            match intent(&message.text) {
                Intent::None => asked.push(said.clone()),
                // Done by code: no model is needed to hear what is to be remembered, and it must not wait for one.
                Intent::Remember { what } => {
                    self.consider(
                        extract::check_asked(&what, said, &rules),
                        said,
                        thread,
                        &mut decided,
                        &mut refused,
                    )
                    .await?;
                }
                Intent::Forget { .. } | Intent::List => {}
            }
        }
        if !asked.is_empty() {
            let existing = self.existing(&asked)?;
            let prompt = self.extraction_prompt(&asked, &existing, &settings);
            let completion = match self.complete(&prompt).await {
                Ok(completion) => completion,
                Err(failure) => return Ok(Worked::Failed(failure.code())),
            };
            if let Some(used) = completion.usage {
                usage::add(sql, self.ports.now(), 0, used)?;
            }
            self.let_turns_go_first().await;
            // Half of an order may have been said before the last pause, or in a message that asks something.
            let heard = self.heard(thread, &waiting, &asked, &settings)?;
            let proposals = match operations::read(&completion.text) {
                Ok(proposals) => proposals,
                Err(failure) => return Ok(Worked::Failed(failure.code())),
            };
            let batch = Batch { asked: &asked, heard: &heard, existing: &existing, rules: &rules };
            let before = (decided.len(), refused.len());
            let repeated = self.weigh(&proposals, &batch, thread, &mut decided, &mut refused).await?;
            let (stood, fell) = (decided.len() - before.0, refused.len() - before.1 - repeated);
            if fell > stood && self.config.model != Provider::Embedded {
                // A model most of whose proposals fall has not heard what was said either. What the built-in one reads
                // in the same messages is judged by the same checks.
                let mut read = operations::read(&embedded::complete(&prompt)).unwrap_or_default();
                read.retain(|proposal| !is_told(proposal, &asked, &decided));
                self.weigh(&read, &batch, thread, &mut decided, &mut refused).await?;
            }
        }
        self.let_turns_go_first().await;
        self.write_down(thread, &waiting, &ids, decided, &refused)?;
        Ok(Worked::More)
    }

    /// Remembers what the answering model proposes of a message, checked like everything else. Gives what changed, or
    /// why nothing did.
    pub(super) async fn save_proposed(
        &self,
        message: &Message,
        text: String,
        quote: String,
        thread: &ThreadId,
    ) -> Result<(Vec<(Applied, Option<String>)>, Option<&'static str>), StoreError> {
        let settings = self.settings()?;
        let said = self.said(std::slice::from_ref(message), &settings);
        let Some(said) = said.first() else { return Ok((Vec::new(), Some("unknown_message"))) };
        let proposal = operations::Proposal {
            op: ProposedOp::Add,
            text,
            kind: String::new(),
            target: None,
            message: said.reference.clone(),
            quote,
            valid_from: None,
            valid_until: None,
        };
        let waiting = std::slice::from_ref(message);
        let heard = self.heard(thread, waiting, std::slice::from_ref(said), &settings)?;
        let verdict = extract::check(&proposal, &heard, &self.rules(&settings));
        let (mut decided, mut refused) = (Vec::new(), Vec::new());
        self.consider(verdict, said, thread, &mut decided, &mut refused).await?;
        let mut changed = Vec::new();
        for decided in decided {
            let outcome = self.apply(message.turn.as_ref(), &decided.decision)?;
            changed.extend(outcome.applied.into_iter().map(|applied| (applied, decided.hold.clone())));
        }
        self.tell_remembered(To::Thread(thread), message.turn.as_ref(), &changed)?;
        Ok((changed, refused.first().map(|(_, code)| *code)))
    }

    /// Asks the user whether facts are to be forgotten.
    pub(super) fn propose_forgetting(
        &self,
        turn: &Turn,
        ids: &[FactId],
        quote: &str,
    ) -> Result<(), StoreError> {
        let propose =
            |fact: &FactId| judge::Change::ProposeForget { fact: fact.clone(), quote: quote.to_owned() };
        let plan: Vec<judge::Change> = ids.iter().map(propose).collect();
        let outcome = self.apply(Some(&turn.id), &plan)?;
        let why = Some(Reason::ForgetProposed.as_str().to_owned());
        let told: Vec<_> = outcome.applied.into_iter().map(|applied| (applied, why.clone())).collect();
        self.tell_remembered(To::Thread(&turn.thread), Some(&turn.id), &told)
    }

    /// Makes changes that were decided, with all that belongs to a change of memory.
    pub(super) fn apply(
        &self,
        turn: Option<&TurnId>,
        plan: &[judge::Change],
    ) -> Result<learn::Outcome, StoreError> {
        self.act(turn, |act| learn::apply(self.ports.sql(), plan, self.config.limits.facts_max, act))
    }

    /// Checks proposals and decides what becomes of each. Gives how many only repeat others.
    async fn weigh(
        &self,
        proposals: &[Proposal],
        batch: &Batch<'_>,
        thread: &ThreadId,
        decided: &mut Vec<Decided>,
        refused: &mut Vec<(MessageId, &'static str)>,
    ) -> Result<usize, StoreError> {
        let verdicts: Vec<Verdict> =
            proposals.iter().map(|proposal| extract::check(proposal, batch.heard, batch.rules)).collect();
        let target = |proposal: &Proposal| {
            let named = proposal.target.as_ref()?;
            batch.existing.iter().find(|(known, _)| known.reference == *named).map(|(_, id)| id.clone())
        };
        let new = proposals.iter().zip(&verdicts).map(|(proposal, verdict)| match verdict {
            Verdict::Keep(candidate) if target(proposal).is_none() => Some(candidate),
            _ => None,
        });
        let repeated = redundant(&new.collect::<Vec<_>>());
        for (at, (proposal, verdict)) in proposals.iter().zip(verdicts).enumerate() {
            // A proposal that names no message and quotes none can't be shown under one.
            let Some(source) = extract::source(proposal, batch.asked).or(batch.asked.first()) else {
                continue;
            };
            self.let_turns_go_first().await;
            if repeated.contains(&at) {
                refused.push((source.message.clone(), "repeated"));
                continue;
            }
            self.decide(verdict, proposal.op, target(proposal), source, thread, decided, refused).await?;
        }
        Ok(repeated.len())
    }

    async fn consider(
        &self,
        verdict: Verdict,
        said: &Said,
        thread: &ThreadId,
        decided: &mut Vec<Decided>,
        refused: &mut Vec<(MessageId, &'static str)>,
    ) -> Result<(), StoreError> {
        self.decide(verdict, ProposedOp::Add, None, said, thread, decided, refused).await
    }

    #[expect(clippy::too_many_arguments, reason = "they are the case; a struct of them would be built once")]
    async fn decide(
        &self,
        verdict: Verdict,
        op: ProposedOp,
        target: Option<FactId>,
        said: &Said,
        thread: &ThreadId,
        decided: &mut Vec<Decided>,
        refused: &mut Vec<(MessageId, &'static str)>,
    ) -> Result<(), StoreError> {
        let (candidate, hold) = match verdict {
            Verdict::Refuse(reason) => {
                refused.push((said.message.clone(), reason.code()));
                return Ok(());
            }
            Verdict::Keep(candidate) => (candidate, None),
            Verdict::Hold(candidate, reason) => (candidate, Some(reason)),
        };
        let reason = hold.as_ref().map(|reason| match reason {
            extract::Reason::Sensitive(_) => Reason::Sensitive,
            extract::Reason::ForgetProposed => Reason::ForgetProposed,
            _ => Reason::Instruction,
        });
        let hold = reason.filter(|reason| *reason != Reason::ForgetProposed);
        let nominated = self.nominated(&candidate, target.as_ref())?;
        let today = said.date.to_string();
        let case = Case { candidate: &candidate, thread, op, target: target.as_ref(), hold, today: &today };
        let decision = match reconcile(case, &nominated, None) {
            Decision::Plan(plan) => plan,
            Decision::NeedsJudge(ids) => {
                let asked: Vec<&Fact> = nominated.iter().filter(|fact| ids.contains(&fact.id)).collect();
                let verdicts = self.judge(&candidate, &asked).await?;
                match reconcile(case, &nominated, Some(&verdicts)) {
                    Decision::Plan(plan) => plan,
                    Decision::NeedsJudge(_) => Vec::new(),
                }
            }
        };
        decided.push(Decided { decision, hold: hold.map(|reason| reason.as_str().to_owned()), candidate });
        Ok(())
    }

    /// One judgement; a judge that fails gives none, and code decides without.
    async fn judge(&self, candidate: &Candidate, asked: &[&Fact]) -> Result<Vec<judge::Verdict>, StoreError> {
        let existing: Vec<Known> = asked
            .iter()
            .enumerate()
            .map(|(at, fact)| Known {
                reference: format!("f{}", at + 1),
                text: fact.text.clone(),
                since: fact.valid_from.clone(),
            })
            .collect();
        let prompt =
            Judge { new: candidate.text.clone(), existing: existing.clone() }.prompt(MAX_JUDGE_TOKENS);
        let Ok(completion) = self.complete(&prompt).await else { return Ok(Vec::new()) };
        if let Some(used) = completion.usage {
            usage::add(self.ports.sql(), self.ports.now(), 0, used)?;
        }
        let Ok(judged) = calls::read_judged(&completion.text, &existing) else { return Ok(Vec::new()) };
        Ok(asked
            .iter()
            .zip(&existing)
            .map(|(fact, known)| judge::Verdict {
                fact: fact.id.clone(),
                sameness: if judged.target.as_deref() == Some(&known.reference) {
                    judged.verdict
                } else {
                    calls::Sameness::Separate
                },
            })
            .collect())
    }

    fn write_down(
        &self,
        thread: &ThreadId,
        waiting: &[Message],
        ids: &[MessageId],
        decided: Vec<Decided>,
        refused: &[(MessageId, &'static str)],
    ) -> Result<(), StoreError> {
        let sql = self.ports.sql();
        let turn_of = |id: &MessageId| waiting.iter().find(|m| m.id == *id).and_then(|m| m.turn.clone());
        let told = atomic(sql, || {
            let mut told: SortedMap<Option<TurnId>, Vec<(Applied, Option<String>)>> = SortedMap::new();
            let mut trace: SortedMap<TurnId, (Vec<Value>, Vec<Value>)> = SortedMap::new();
            for decided in &decided {
                let turn = turn_of(&decided.candidate.message);
                // Forgotten while this was worked out, with what it rests on.
                if messages::get(sql, &decided.candidate.message)?.is_none_or(|message| message.excluded) {
                    continue;
                }
                let outcome = self.apply(turn.as_ref(), &decided.decision)?;
                if let Some(turn) = &turn {
                    let entry = trace.or_default(turn.clone());
                    for applied in &outcome.applied {
                        let fact = applied.fact.as_ref().map(|fact| fact.id.to_string());
                        let hold = &decided.hold;
                        entry.0.push(json!({
                            "op": applied.op.as_str(), "fact": fact, "change": applied.change, "reason": hold,
                        }));
                    }
                    for refused in &outcome.refused {
                        if *refused == learn::Refused::Forgotten {
                            // Said before it was forgotten, in words that forgetting didn't find.
                            let source = std::slice::from_ref(&decided.candidate.message);
                            let said = self.messages_that_say(source, &[], false)?;
                            self.exclude_messages(&said, false, self.ports.now())?;
                        }
                        let code = match refused {
                            learn::Refused::Forgotten => "forgotten_before",
                            learn::Refused::Full => "facts_full",
                            learn::Refused::Gone => "fact_gone",
                        };
                        entry.1.push(json!({"reason": code}));
                    }
                }
                let list = told.or_default(turn);
                list.extend(outcome.applied.into_iter().map(|applied| (applied, decided.hold.clone())));
            }
            for (message, code) in refused {
                if let Some(turn) = turn_of(message) {
                    trace.or_default(turn).1.push(json!({"reason": code}));
                }
            }
            for (turn, (stored, refused)) in trace.iter() {
                let part = json!({"stored": stored, "refused": refused});
                traces::put(sql, turn, "memory", &part, self.ports.now())?;
            }
            // What was said while this was worked out waits for the next time; only what was read is settled.
            messages::settle(sql, ids)?;
            Ok(told)
        })?;
        for (turn, applied) in told.iter() {
            self.tell_remembered(To::Thread(thread), turn.as_ref(), applied)?;
        }
        Ok(())
    }

    fn said(&self, waiting: &[Message], settings: &Settings) -> Vec<Said> {
        waiting
            .iter()
            .enumerate()
            .map(|(at, message)| Said {
                reference: calls::reference(at),
                role: message.role,
                message: message.id.clone(),
                text: message.text.clone(),
                said_at: message.created_at,
                date: local_date(self.ports.zones(), &settings.timezone, message.created_at),
            })
            .collect()
    }

    /// What was asked about among what the user said around it and before, for what that adds to its meaning: half an
    /// order, the opening of a play. No proposal may rest on the rest.
    fn heard(
        &self,
        thread: &ThreadId,
        waiting: &[Message],
        asked: &[Said],
        settings: &Settings,
    ) -> Result<Vec<Said>, StoreError> {
        let Some(last) = waiting.iter().map(|message| message.seq).max() else { return Ok(Vec::new()) };
        let mut around = messages::before(self.ports.sql(), thread, last + 1, HEARD)?;
        around.retain(|message| message.role.is_user());
        let mut heard = self.said(&around, settings);
        for said in &mut heard {
            match asked.iter().find(|asked| asked.message == said.message) {
                Some(asked) => said.clone_from(asked),
                None => (said.role, said.reference) = (Role::System, String::new()),
            }
        }
        // What was said longer ago than is looked at stands first.
        let missing = asked.iter().filter(|asked| !heard.iter().any(|said| said.message == asked.message));
        let mut all: Vec<Said> = missing.cloned().collect();
        all.append(&mut heard);
        Ok(all)
    }

    fn rules(&self, settings: &Settings) -> Rules {
        Rules {
            fact_max_chars: self.config.limits.fact_max_chars,
            never: settings.never(),
            ..Rules::default()
        }
    }

    fn extraction_prompt(
        &self,
        asked: &[Said],
        existing: &[(Known, FactId)],
        settings: &Settings,
    ) -> crate::llm::Prompt {
        let lines = asked
            .iter()
            .map(|said| Line {
                reference: said.reference.clone(),
                role: said.role.as_str().to_owned(),
                text: said.text.clone(),
                said_at: said.said_at.to_rfc3339(),
            })
            .collect();
        Extraction {
            now: self.ports.now().to_rfc3339(),
            timezone: settings.timezone.clone(),
            messages: lines,
            existing: existing.iter().map(|(known, _)| known.clone()).collect(),
        }
        .prompt(MAX_TOKENS)
    }
}
