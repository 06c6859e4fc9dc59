//! What a new fact does to the old ones.
//!
//! Invariant: nothing old is changed because texts are similar or because a model says so alone. The code's
//! comparison or, where that can't tell, a judge's verdict must say that two facts are about the same thing.
//! Nothing acts across scopes: a thread's fact is only recalled there, so ending a global fact by it would take the
//! global one from every other thread; a global fact leaves a thread's own one, which may be an exception to it.
//! Only a confirmation may cross: what is true everywhere is true in a thread, and needs no copy.

use super::calls::Sameness;
use super::claim::{Holds, claim, normal};
use super::compare::{Relation, may_both_hold, relation};
use super::model::{Candidate, Fact, Kind, Scope, Source, Status};
use super::operations::ProposedOp;
use crate::id::{FactId, MessageId, ThreadId};
use crate::sorted::SortedSet;
use crate::text::search::{Terms, mark};
use crate::text::term::terms;
use crate::time::Millis;
use crate::words;

/// A fact that is to be stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewFact {
    pub text: String,
    pub kind: Kind,
    pub scope: Scope,
    pub status: Status,
    pub valid_from: Option<String>,
    pub valid_until: Option<String>,
    pub superseded_by: Option<FactId>,
    pub source: Source,
    /// For the ledger; a fixed text that holds nothing of the user's.
    pub reason: &'static str,
}

/// Why a fact is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// It reads like an instruction to the model.
    Instruction,
    /// It is about something the user wants to be asked about.
    Sensitive,
    /// It would change a fact that the user pinned or edited.
    Protected,
    /// A model says that it replaces a fact, and neither code nor judge agrees.
    Disputed,
    /// Not the fact itself: a model proposes to forget it.
    ForgetProposed,
    /// A program proposes it; nobody knows whether the user said so.
    Proposed,
}

impl Reason {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Instruction => "reads like an instruction",
            Self::Sensitive => "sensitive",
            Self::Protected => "would change a fact that you pinned or edited",
            Self::Disputed => "may replace a fact, which could not be settled",
            Self::ForgetProposed => "proposed to be forgotten",
            Self::Proposed => "proposed by a program",
        }
    }
}

/// One change to memory, decided and not yet made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    Add(NewFact),
    /// The user said it again.
    Confirm {
        fact: FactId,
        message: MessageId,
        quote: String,
        said_at: Millis,
    },
    /// The old facts become past, ended on that date, and are linked to the new one.
    Supersede {
        old: Vec<FactId>,
        new: NewFact,
        ended: Option<String>,
    },
    /// Stored, never recalled, until the user approves; then it replaces the fact it contests.
    Hold {
        new: NewFact,
        reason: Reason,
        contests: Option<FactId>,
    },
    /// The user is asked; nothing is forgotten.
    ProposeForget {
        fact: FactId,
        quote: String,
    },
}

/// What a judge says about a new fact and one existing fact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    pub fact: FactId,
    pub sameness: Sameness,
}

/// A candidate with what is proposed and known about it.
#[derive(Clone, Copy, Debug)]
pub struct Case<'a> {
    pub candidate: &'a Candidate,
    /// The thread it was said in.
    pub thread: &'a ThreadId,
    pub op: ProposedOp,
    pub target: Option<&'a FactId>,
    /// The policy's reason to hold it, whatever else.
    pub hold: Option<Reason>,
    /// The user's local date when it was said, `2026-11-30`.
    pub today: &'a str,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Code can't tell how the candidate relates to these facts.
    NeedsJudge(Vec<FactId>),
    Plan(Vec<Change>),
}

/// Most facts that one judgement is asked about.
const MAX_JUDGED: usize = 5;

/// Decides what the candidate does to the nominated facts. `verdicts` is `None` before a judge was asked, and may
/// be empty or short afterwards, because a judge can fail; so a second call always gives a plan.
pub fn reconcile(case: Case<'_>, nominated: &[Fact], verdicts: Option<&[Verdict]>) -> Decision {
    let Case { candidate, op, target, hold, .. } = case;
    let target = target.filter(|target| nominated.iter().any(|fact| fact.id == **target));
    if op == ProposedOp::Forget {
        let propose =
            |fact: &FactId| Change::ProposeForget { fact: fact.clone(), quote: candidate.quote.clone() };
        return Decision::Plan(target.map(propose).into_iter().collect());
    }
    if let Some(reason) = hold {
        return Decision::Plan(vec![Change::Hold {
            new: case.fact(Status::Held, "held"),
            reason,
            contests: None,
        }]);
    }
    let mut same: Option<&Fact> = None;
    let mut replaced: Vec<&Fact> = Vec::new();
    let mut unsure: Vec<&Fact> = Vec::new();
    for fact in nominated {
        let own_scope = fact.scope == candidate.scope;
        if !own_scope && fact.scope != Scope::Global {
            continue;
        }
        match (relation(candidate, fact), fact.status) {
            (Relation::Same, _) => same = better(same, fact),
            (Relation::Changed | Relation::Contradicts, Status::Current) if own_scope => replaced.push(fact),
            (Relation::Unsure, Status::Current) => unsure.push(fact),
            _ => {}
        }
    }
    if same.is_none() && !unsure.is_empty() {
        // The proposed target first, then what was said last: the judge sees only a few.
        crate::order::by_key(&mut unsure, |fact| {
            (target != Some(&fact.id), std::cmp::Reverse(fact.observed_at), fact.id.clone())
        });
        unsure.truncate(MAX_JUDGED);
        let Some(verdicts) = verdicts else {
            return Decision::NeedsJudge(unsure.iter().map(|fact| fact.id.clone()).collect());
        };
        for fact in unsure {
            let own_scope = fact.scope == candidate.scope;
            match verdicts.iter().find(|verdict| verdict.fact == fact.id).map(|verdict| verdict.sameness) {
                Some(Sameness::Same) => same = better(same, fact),
                Some(Sameness::Changed | Sameness::Contradicts)
                    if own_scope && !may_both_hold(candidate, fact) =>
                {
                    replaced.push(fact);
                }
                Some(_) => {}
                // The model says that it replaces this, and nobody could check: the user decides.
                None if own_scope && op == ProposedOp::Supersede && target == Some(&fact.id) => {
                    return Decision::Plan(vec![Change::Hold {
                        new: case.fact(Status::Held, "held"),
                        reason: Reason::Disputed,
                        contests: Some(fact.id.clone()),
                    }]);
                }
                None => {}
            }
        }
    }
    Decision::Plan(vec![case.change(same, &replaced)])
}

/// A state or habit that is told as one of the past: "lived in Nagoya", 「タバコを吸っていた」. What happened once is no state.
fn is_former(text: &str) -> bool {
    let folded = crate::text::fold::fold(text);
    let end = folded.trim_end_matches(|c: char| !c.is_alphanumeric());
    let went_on =
        words!["ていた", "でいた", "ていました", "でいました"].iter().any(|ending| end.ends_with(ending));
    let was_state = claim(text).is_some_and(|claim| {
        claim.holds == Holds::Once
            && words!["home", "employer", "job", "have", "like", "marital"].contains(claim.attribute.as_str())
    });
    went_on || was_state || crate::text::phrase::has(&folded, "used to")
}

impl Case<'_> {
    fn change(&self, same: Option<&Fact>, replaced: &[&Fact]) -> Change {
        let candidate = self.candidate;
        if let Some(same) = same {
            return Change::Confirm {
                fact: same.id.clone(),
                message: candidate.message.clone(),
                quote: candidate.quote.clone(),
                said_at: candidate.said_at,
            };
        }
        if replaced.is_empty() {
            let over = candidate.valid_until.as_deref().is_some_and(|until| until < self.today)
                || is_former(&candidate.text);
            let status = if over { Status::Past } else { Status::Current };
            return Change::Add(self.fact(status, "said by the user"));
        }
        // Old text, as an import brings it, is history to what was said after it.
        if let Some(newer) = replaced.iter().find(|old| old.observed_at > candidate.said_at) {
            let mut new = self.fact(Status::Past, "said before a newer fact");
            new.superseded_by = Some(newer.id.clone());
            return Change::Add(new);
        }
        if let Some(protected) = replaced.iter().find(|old| old.pinned || old.edited) {
            return Change::Hold {
                new: self.fact(Status::Held, "held"),
                reason: Reason::Protected,
                contests: Some(protected.id.clone()),
            };
        }
        // A new state ends the old one when it begins; "no longer since 2020" says the end itself.
        let begins = candidate.valid_from.as_deref().or(candidate.valid_until.as_deref());
        let fits = |date: &&str| {
            *date <= self.today
                && replaced.iter().all(|old| old.valid_from.as_deref().is_none_or(|from| from <= *date))
        };
        Change::Supersede {
            old: replaced.iter().map(|old| old.id.clone()).collect(),
            new: self.fact(Status::Current, "replaces what was said before"),
            ended: Some(begins.filter(fits).unwrap_or(self.today).to_owned()),
        }
    }

    fn fact(&self, status: Status, reason: &'static str) -> NewFact {
        let candidate = self.candidate;
        NewFact {
            text: candidate.text.clone(),
            kind: candidate.kind,
            scope: candidate.scope.clone(),
            status,
            valid_from: candidate.valid_from.clone(),
            valid_until: candidate.valid_until.clone(),
            superseded_by: None,
            source: Source {
                message: Some(candidate.message.clone()),
                thread: Some(self.thread.clone()),
                quote: candidate.quote.clone(),
                said_at: candidate.said_at,
            },
            reason,
        }
    }
}

/// Of two facts that say the same: the current one, then the one said last.
fn better<'a>(best: Option<&'a Fact>, fact: &'a Fact) -> Option<&'a Fact> {
    let rank = |fact: &Fact| (fact.status == Status::Current, fact.status == Status::Past, fact.observed_at);
    best.filter(|best| rank(best) >= rank(fact)).or(Some(fact))
}

/// What a fact is nominated by, in a form that is small to keep.
#[derive(Clone, Debug)]
pub struct Nominee {
    pub id: FactId,
    observed_at: Millis,
    words: Terms,
    normal: u64,
    attribute: Option<u64>,
}

impl Nominee {
    pub fn of(fact: &Fact) -> Self {
        Self {
            id: fact.id.clone(),
            observed_at: fact.observed_at,
            words: Terms::these(&terms(&fact.text)),
            normal: mark(&normal(&fact.text)),
            attribute: claim(&fact.text).map(|claim| mark(&claim.attribute)),
        }
    }
}

/// The facts that a candidate may concern, the likeliest first: equal normal forms, then shared words weighted by
/// how rare they are among these facts. Nominating decides nothing.
pub fn nominate(candidate: &Candidate, facts: &[&Nominee], limit: usize) -> Vec<FactId> {
    let own = mark(&normal(&candidate.text));
    let attribute = claim(&candidate.text).map(|claim| mark(&claim.attribute));
    let words: SortedSet<String> = terms(&candidate.text).into_iter().collect();
    let asked: Vec<(String, f64)> = words
        .into_iter()
        .map(|word| {
            let known = facts.iter().filter(|fact| fact.words.has(&word)).count();
            let rarity = (1.0 + facts.len() as f64 / (1.0 + known as f64)).ln();
            (word, rarity)
        })
        .collect();
    let mut scored: Vec<(f64, &Nominee)> = facts
        .iter()
        .map(|fact| {
            let shared: f64 =
                asked.iter().filter(|(word, _)| fact.words.has(word)).map(|(_, rarity)| rarity).sum();
            let equal = fact.normal == own;
            // A home is compared with the home, whatever the names of the cities share.
            let is_asked = attribute.is_some() && fact.attribute == attribute;
            (shared + if equal { 1e6 } else { 0.0 } + if is_asked { 100.0 } else { 0.0 }, *fact)
        })
        .filter(|(score, _)| *score > 0.0)
        .collect();
    crate::order::by(&mut scored, |a, b| {
        b.0.total_cmp(&a.0).then(b.1.observed_at.cmp(&a.1.observed_at)).then(a.1.id.cmp(&b.1.id))
    });
    scored.into_iter().take(limit).map(|(_, fact)| fact.id.clone()).collect()
}
