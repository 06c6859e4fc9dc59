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
use super::claim::normal;
use super::cover::Gap;
use super::covering::{covering, gap_of, sentence_before};
use super::dated::own_part;
use super::dates::{Period, checked, names_only};
use super::derive::follows;
use super::directive::directive;
use super::divided::divided_directive;
use super::intent::{Intent, intent};
use super::kinds::kind_of;
use super::material::is_about_shown;
use super::model::{Candidate, Kind};
use super::operations::{Proposal, ProposedOp};
use super::own_words::{own_words, spelled};
use super::play::is_played;
use super::relevance::is_about_user;
use super::subject::goes_on_about_other;
pub use super::verdict::{Reason, Verdict};
use crate::id::MessageId;
use crate::llm::Role;
use crate::llm::embedded::readings;
use crate::text::align::occurrences;
use crate::text::fold::fold;
use crate::text::language::language;
use crate::text::sentences::sentences;
use crate::time::Millis;

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

/// The message that a proposal names. Weak models copy the word `ref` or count wrong; then it is the only message that
/// has the quoted words.
pub fn source<'a>(proposal: &Proposal, said: &'a [Said]) -> Option<&'a Said> {
    let has_quote = |said: &&Said| !occurrences(&said.text, &proposal.quote).is_empty();
    let is_named = |said: &&Said| !said.reference.is_empty() && said.reference == proposal.message;
    let named = said.iter().find(is_named);
    if let Some(named) = named.filter(|said| said.role != Role::User || has_quote(said)) {
        return Some(named);
    }
    let mut quoted = said.iter().filter(|said| said.role == Role::User).filter(has_quote);
    match (quoted.next(), quoted.next()) {
        (Some(only), None) => Some(only),
        _ => named,
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
    let message = source(proposal, said).ok_or(Reason::UnknownMessage)?;
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
        match supported(text, proposal, message, &place, &all, said, rules) {
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
    said: &[Said],
    rules: &Rules,
) -> Result<(Candidate, Option<Reason>), Reason> {
    let slice = |range: &Range<usize>| message.text.get(range.clone()).unwrap_or_default();
    let touched: Vec<&Clause> = all.iter().filter(|clause| overlaps(&clause.range, place)).collect();
    let spanned = span(&touched).unwrap_or_else(|| place.clone());
    secret(&[slice(&spanned)], rules)?;

    let aimed = directive(text)
        .or_else(|| directive(slice(&spanned)))
        .or_else(|| divided_directive(message, &spanned, said));
    if let Some(found) = aimed {
        let quote = slice(place);
        let period = checked(quote, message.date, None, None);
        let held = candidate(text, kind_of(text, quote, Kind::parse(&proposal.kind)), message, quote, period);
        permission(&[text, quote], held.kind, rules)?;
        return Ok((held, Some(Reason::Directive(found))));
    }
    if is_played(said, message, place.start) {
        return Err(Reason::Played);
    }
    if asks_memory(&message.text, &spanned) {
        return Err(Reason::MemoryRequest);
    }

    let Some(asserting) = touched.iter().find(|clause| is_usable(clause)) else {
        return Err(Reason::NotAsserted(touched.first().map_or(Mood::Greets, |clause| clause.mood)));
    };
    let is_manner = asserting.mood == Mood::Prefers;
    if language(text) != language(slice(&spanned)) && language(text) != language(&message.text) {
        return Err(Reason::WrongLanguage);
    }
    let covered = sentence_said(text, message, &touched, all)
        .map_or_else(|| covering(text, message, place, &touched, all, is_manner), Ok)
        .or_else(|reason| read(text, message, place, all).ok_or(reason));
    let (support, own) = match covered {
        Ok(support) => (support, None),
        Err(reason) => {
            // What the model only told in other words stands in the user's; what it turned round is refused as a whole.
            let said = (reason == Reason::NotCovered(Gap::Retold))
                .then(|| own_words(text, &message.text, &touched, all))
                .flatten()
                .ok_or(reason)?;
            let own = spelled(slice(&said));
            shape(&own, rules)?;
            (said, Some(own))
        }
    };
    let text = own.as_deref().unwrap_or(text);
    let words = slice(&support);
    if goes_on_about_other(words, sentence_before(&message.text, support.start)) {
        return Err(Reason::NotCovered(Gap::Subject(String::new())));
    }
    let is_readable = || read(text, message, place, all).is_some();
    if is_about_shown(text) || !is_about_user(text, words, all, &message.text) && !is_readable() {
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
    let period = if names_only(text, message.date) {
        // The date belongs to what else the words say: "My brother Tom moved to Toronto last year".
        Period::default()
    } else {
        checked(
            own_part(text, words, message.date),
            message.date,
            proposal.valid_from.as_deref(),
            proposal.valid_until.as_deref(),
        )
    };
    let forgets = (proposal.op == ProposedOp::Forget).then_some(Reason::ForgetProposed);
    Ok((candidate(text, kind, message, quote, period), forgets.or(held)))
}

fn is_usable(clause: &Clause) -> bool {
    matches!(clause.mood, Mood::Asserts | Mood::Prefers)
}

/// What the code's own grammar reads the text from: "Name is Ken." of "Call me Ken".
fn read(text: &str, message: &Said, place: &Range<usize>, all: &[Clause]) -> Option<Range<usize>> {
    let told = normal(text);
    let stands =
        |range: &Range<usize>| all.iter().filter(|clause| overlaps(&clause.range, range)).any(is_usable);
    readings(&message.text, message.date)
        .into_iter()
        .find(|(range, reading)| overlaps(range, place) && stands(range) && normal(reading) == told)
        .map(|(range, _)| range)
}

/// The whole sentence, if the text says no more and no less than it does.
fn sentence_said(text: &str, message: &Said, touched: &[&Clause], all: &[Clause]) -> Option<Range<usize>> {
    let number = touched.first()?.sentence;
    let own: Vec<&Clause> = all.iter().filter(|clause| clause.sentence == number).collect();
    let is_asserted = own.iter().all(|clause| clause.mood == Mood::Asserts);
    let range =
        span(&own).filter(|_| is_asserted && touched.last().is_some_and(|last| last.sentence == number))?;
    let said = message.text.get(range.clone())?;
    follows(text, said, message.date).then_some(range)
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

pub(super) fn overlaps(one: &Range<usize>, other: &Range<usize>) -> bool {
    one.start < other.end && other.start < one.end
}

fn span(clauses: &[&Clause]) -> Option<Range<usize>> {
    Some(clauses.first()?.range.start..clauses.last()?.range.end)
}

fn candidate(text: &str, kind: Kind, said: &Said, quote: &str, period: Period) -> Candidate {
    Candidate {
        kind,
        quote: quote.to_owned(),
        valid_from: period.from.map(|date| date.to_string()),
        valid_until: period.until.map(|date| date.to_string()),
        ..Candidate::new(said.message.clone(), text, said.said_at)
    }
}
