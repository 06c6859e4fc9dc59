//! Judges what a model proposes to remember, against what the user really said.
//!
//! Invariant: a proposal is kept only if a user message asserts it in words that are quoted verbatim, and if its
//! text says no more than those words. Whatever the model writes, nothing else becomes a fact. What reads like an
//! instruction is held and never dropped in silence.

use std::ops::Range;

use crate::calendar::Date;

pub use super::admission::{Rules, Sensitive};
use super::admission::{permission, secret, shape, single};
use super::assertion::{Clause, Mood, clauses};
use super::cover::{Gap, gap};
use super::dates::{Period, checked};
use super::directive::directive;
use super::intent::{Intent, intent};
use super::kinds::kind_of;
use super::model::{Candidate, Kind, Scope};
use super::operations::{Proposal, ProposedOp};
use super::relevance::is_about_user;
use super::subject::dropped;
pub use super::verdict::{Reason, Verdict};
use crate::id::MessageId;
use crate::llm::Role;
use crate::text::align::occurrences;
use crate::text::fold::fold;
use crate::text::language::language;
use crate::text::list::Words;
use crate::text::phrase::has;
use crate::text::sentences::sentences;
use crate::time::Millis;
use crate::words;

/// A message that a proposal may quote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    /// The `ref` under which the model saw it.
    pub reference: String,
    pub role: Role,
    pub message: MessageId,
    pub text: String,
    pub said_at: Millis,
    /// The user's local date at that instant; relative dates count from it.
    pub date: Date,
}

/// Judges one proposal of a memory model.
pub fn check(proposal: &Proposal, said: &[Said], rules: &Rules) -> Verdict {
    match judged(proposal, said, rules) {
        Ok((candidate, None)) => Verdict::Keep(candidate),
        Ok((candidate, Some(reason))) => Verdict::Hold(candidate, reason),
        Err(reason) => Verdict::Refuse(reason),
    }
}

/// Judges what the user asked to remember, in the user's own words: `what` of [`Intent::Remember`].
///
/// The words need no assertion to be one ("remember to call Ken" is kept); policy, settings and length hold as ever.
pub fn check_asked(what: &str, said: &Said, rules: &Rules) -> Verdict {
    let text = what.trim();
    if said.role != Role::User {
        return Verdict::Refuse(Reason::NotUser);
    }
    if let Err(reason) = shape(text, rules) {
        return Verdict::Refuse(reason);
    }
    let quote = occurrences(&said.text, text)
        .into_iter()
        .next()
        .and_then(|range| said.text.get(range))
        .unwrap_or(text);
    let period = checked(quote, said.date, None, None);
    let candidate = candidate(text, kind_of(text, quote, None), said, quote, period);
    let allowed = secret(&[text, quote], rules).and_then(|()| permission(&[text], candidate.kind, rules));
    match allowed {
        Err(reason) => Verdict::Refuse(reason),
        Ok(_) if directive(text).is_some() => directive(text)
            .map_or(Verdict::Keep(candidate.clone()), |found| {
                Verdict::Hold(candidate, Reason::Directive(found))
            }),
        Ok(Some(reason)) => Verdict::Hold(candidate, reason),
        Ok(None) => Verdict::Keep(candidate),
    }
}

fn judged(proposal: &Proposal, said: &[Said], rules: &Rules) -> Result<(Candidate, Option<Reason>), Reason> {
    let text = proposal.text.trim();
    shape(text, rules)?;
    single(text)?;
    let message =
        said.iter().find(|said| said.reference == proposal.message).ok_or(Reason::UnknownMessage)?;
    if message.role != Role::User {
        return Err(Reason::NotUser);
    }
    secret(&[text, &proposal.quote], rules)?;
    let places = occurrences(&message.text, &proposal.quote);
    if places.is_empty() {
        return Err(Reason::NoQuote);
    }
    let all = clauses(&message.text);
    // A phrase may occur several times; the occurrence that fares best counts, because the model can't tell which.
    let mut first_refusal = None;
    for place in places {
        match supported(text, proposal, message, &place, &all, rules) {
            Ok(kept) => return Ok(kept),
            Err(reason) => first_refusal = first_refusal.or(Some(reason)),
        }
    }
    Err(first_refusal.unwrap_or(Reason::NoQuote))
}

/// Judges one occurrence of the quote.
fn supported(
    text: &str,
    proposal: &Proposal,
    message: &Said,
    place: &Range<usize>,
    all: &[Clause],
    rules: &Rules,
) -> Result<(Candidate, Option<Reason>), Reason> {
    let slice = |range: &Range<usize>| message.text.get(range.clone()).unwrap_or_default();
    let touched: Vec<&Clause> = all.iter().filter(|clause| overlaps(&clause.range, place)).collect();
    let spanned = span(&touched).unwrap_or_else(|| place.clone());
    secret(&[slice(&spanned)], rules)?;

    let aimed = directive(text).or_else(|| directive(slice(&spanned)));
    if let Some(found) = aimed {
        let quote = slice(place);
        let period = checked(quote, message.date, None, None);
        let held = candidate(text, kind_of(text, quote, Kind::parse(&proposal.kind)), message, quote, period);
        permission(&[text, quote], held.kind, rules)?;
        return Ok((held, Some(Reason::Directive(found))));
    }
    if asks_memory(&message.text, &spanned) {
        return Err(Reason::MemoryRequest);
    }

    let usable = |clause: &&&Clause| matches!(clause.mood, Mood::Asserts | Mood::Prefers);
    let Some(asserting) = touched.iter().find(usable) else {
        return Err(Reason::NotAsserted(touched.first().map_or(Mood::Greets, |clause| clause.mood)));
    };
    let is_manner = asserting.mood == Mood::Prefers;
    if language(text) != language(slice(&spanned)) && language(text) != language(&message.text) {
        return Err(Reason::WrongLanguage);
    }
    let support = covering(text, message, place, &touched, all, is_manner)?;
    let words = slice(&support);
    if !is_about_user(text, words, all, &message.text) {
        return Err(Reason::NotAboutUser);
    }
    // The quote stays as the model chose it if it lies in the words that count and loses nothing at its end.
    let quote = if support.start <= place.start
        && place.end <= support.end
        && gap_of(text, slice(place), message.date, is_manner).is_none()
        && !is_cut(slice(&support), slice(place))
    {
        slice(place)
    } else {
        words
    }
    .trim();

    let kind =
        kind_of(text, words, if is_manner { Some(Kind::Preference) } else { Kind::parse(&proposal.kind) });
    let held = permission(&[text, words], kind, rules)?;
    let period =
        checked(words, message.date, proposal.valid_from.as_deref(), proposal.valid_until.as_deref());
    let forgets = (proposal.op == ProposedOp::Forget).then_some(Reason::ForgetProposed);
    Ok((candidate(text, kind, message, quote, period), forgets.or(held)))
}

/// The smallest run of asserting clauses that touches the quote and says all that the text says: first the clauses
/// touched, one by one and together, then with their neighbours in the same sentence.
fn covering(
    text: &str,
    message: &Said,
    place: &Range<usize>,
    touched: &[&Clause],
    all: &[Clause],
    is_manner: bool,
) -> Result<Range<usize>, Reason> {
    let usable = |clause: &Clause| matches!(clause.mood, Mood::Asserts | Mood::Prefers);
    let mut runs: Vec<Range<usize>> = Vec::new();
    let first_sentence = touched.first().map_or(0, |clause| clause.sentence);
    let last_sentence = touched.last().map_or(0, |clause| clause.sentence);
    let near: Vec<&Clause> =
        all.iter().filter(|clause| (first_sentence..=last_sentence).contains(&clause.sentence)).collect();
    for (at, clause) in near.iter().enumerate() {
        let mut run: Option<Range<usize>> = None;
        for other in near.get(at..).unwrap_or_default() {
            if !usable(other) {
                break;
            }
            let joined = run.map_or(clause.range.start, |run| run.start)..other.range.end;
            // Statements about several people are joined only for a fact that names them all, or the boss gets the
            // name of the wife.
            let words = message.text.get(other.range.clone()).unwrap_or_default();
            if dropped(text, words).is_some() && joined.start < other.range.start {
                break;
            }
            if overlaps(&joined, place) {
                runs.push(joined.clone());
            }
            run = Some(joined);
        }
    }
    crate::order::by_key(&mut runs, |run| (run.len(), run.start));
    let mut missing = None;
    for run in runs {
        match gap_of(text, message.text.get(run.clone()).unwrap_or_default(), message.date, is_manner) {
            None => return Ok(run),
            Some(found) => missing = Some(found),
        }
    }
    Err(missing.map_or(Reason::NoQuote, Reason::NotCovered))
}

/// Words by which a fact tells a manner of answering that the user put as an imperative.
#[rustfmt::skip]
const EXPLAINS: Words = words![
    "prefer", "prefers", "want", "wants", "like", "likes", "would like", "asks", "answers", "answer",
    "replies", "responses", "assistant", "to be called", "希望", "好み", "好む", "好き", "回答", "会話",
    "返答", "返事", "ほしい", "欲しい", "望む", "望んで", "アシスタント",
];

/// The gap between text and words. A manner of answering is told as a wish, which its imperative doesn't contain.
fn gap_of(text: &str, words: &str, date: Date, is_manner: bool) -> Option<Gap> {
    if !is_manner {
        return gap(text, words, date);
    }
    // Only what the text uses is added: a wish that nobody wrote would count as one that the text lost.
    #[rustfmt::skip]
    let folded = fold(text);
    let used: Vec<&str> = EXPLAINS.iter().filter(|word| has(&folded, word)).collect();
    let wished = format!("{words} ({})", used.join(" "));
    gap(text, &wished, date)
}

/// Whether what follows the quote in its clause turns it round, doubts it or gives it to somebody else.
fn is_cut(clause: &str, quote: &str) -> bool {
    super::stance::is_denied(&fold(clause)) != super::stance::is_denied(&fold(quote))
        || super::stance::turned(quote, clause).is_some()
}

/// Whether the quoted words stand in a request to memory itself.
fn asks_memory(message: &str, place: &Range<usize>) -> bool {
    sentences(message).into_iter().any(|sentence| {
        let start = (sentence.as_ptr() as usize).saturating_sub(message.as_ptr() as usize);
        overlaps(&(start..start + sentence.len()), place) && intent(sentence) != Intent::None
    })
}

fn overlaps(one: &Range<usize>, other: &Range<usize>) -> bool {
    one.start < other.end && other.start < one.end
}

fn span(clauses: &[&Clause]) -> Option<Range<usize>> {
    Some(clauses.first()?.range.start..clauses.last()?.range.end)
}

fn candidate(text: &str, kind: Kind, said: &Said, quote: &str, period: Period) -> Candidate {
    Candidate {
        text: text.to_owned(),
        kind,
        scope: Scope::Global,
        message: said.message.clone(),
        quote: quote.to_owned(),
        said_at: said.said_at,
        valid_from: period.from.map(|date| date.to_string()),
        valid_until: period.until.map(|date| date.to_string()),
    }
}
