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
use super::cover::{Gap, gap};
use super::dated::own_part;
use super::dates::{Period, checked, names_only};
use super::derive::{bears_on, finished, follows, names_in_passing, retells};
use super::directive::{Directive, directive};
use super::intent::{Intent, intent};
use super::kinds::kind_of;
use super::model::{Candidate, Kind};
use super::operations::{Proposal, ProposedOp};
use super::own_words::{own_words, spelled};
use super::play::is_played;
use super::relevance::is_about_user;
use super::subject::{goes_on_about_other, person_ja, with_antecedent};
use super::units::{Unit, statements, units};
pub use super::verdict::{Reason, Verdict};
use crate::id::MessageId;
use crate::llm::Role;
use crate::llm::embedded::readings;
use crate::text::align::occurrences;
use crate::text::fold::fold;
use crate::text::language::{Language, is_katakana, language};
use crate::text::list::Words;
use crate::text::names::is_japanese_name;
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
    if !is_about_user(text, words, all, &message.text) && read(text, message, place, all).is_none() {
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

/// A directive of which the quoted words are only a half: the other stands beside them, in this message or the next.
fn divided_directive(message: &Said, spanned: &Range<usize>, said: &[Said]) -> Option<Directive> {
    let own = message.text.get(spanned.clone())?.trim();
    let at = said.iter().position(|other| other.message == message.message);
    let neighbour = |offset: isize| {
        let other = said.get(at?.checked_add_signed(offset)?)?;
        (other.role != Role::Assistant).then_some(other.text.as_str())
    };
    let within = |part: Option<&'_ str>| {
        part.map(str::trim).filter(|part| part.chars().any(char::is_alphanumeric)).map(str::to_owned)
    };
    let before = within(message.text.get(..spanned.start)).or_else(|| neighbour(-1).map(str::to_owned));
    let after = within(message.text.get(spanned.end..)).or_else(|| neighbour(1).map(str::to_owned));
    let joined = |first: &str, second: &str| {
        [" ", ""].iter().find_map(|link| directive(&format!("{first}{link}{second}")))
    };
    // An order that a neighbour gives by itself makes nothing of these words, unless it begins or ends where they meet.
    let before = before.and_then(|before| {
        let near = tail(&before);
        let apart = near
            .char_indices()
            .rev()
            .nth(BORDER_CHARS)
            .and_then(|(at, _)| near.get(..at))
            .unwrap_or_default();
        // A sentence that ended says all it had to say.
        let is_ended = near.ends_with(['。', '！', '!', '.']) && directive(near).is_some();
        joined(near, own).filter(|found| directive(apart) != Some(*found) && !is_ended)
    });
    before.or_else(|| {
        let after = after?;
        let near = head(&after);
        let apart =
            near.char_indices().nth(BORDER_CHARS).and_then(|(at, _)| near.get(at..)).unwrap_or_default();
        joined(own, near).filter(|found| directive(apart) != Some(*found))
    })
}

/// So much of a neighbour counts to the border.
const BORDER_CHARS: usize = 10;
/// How much of a neighbour is looked at: the halves of an order stand close together.
const NEAR_BYTES: usize = 240;

fn head(text: &str) -> &str {
    crate::text::prefix(text, NEAR_BYTES)
}

fn tail(text: &str) -> &str {
    let start = (text.len().saturating_sub(NEAR_BYTES)..=text.len())
        .find(|&at| text.is_char_boundary(at))
        .unwrap_or(0);
    text.get(start..).unwrap_or_default()
}

/// The words that say what the text says: for each of its statements one statement of the touched sentences, of which
/// at least one touches the quote.
fn covering(
    text: &str,
    message: &Said,
    place: &Range<usize>,
    touched: &[&Clause],
    all: &[Clause],
    is_manner: bool,
) -> Result<Range<usize>, Reason> {
    let first_sentence = touched.first().map_or(0, |clause| clause.sentence);
    let last_sentence = touched.last().map_or(0, |clause| clause.sentence);
    let mut near: Vec<Unit> = units(&message.text, all)
        .into_iter()
        .filter(|unit| (first_sentence..=last_sentence).contains(&unit.sentence))
        .collect();
    crate::order::by_key(&mut near, |unit| {
        (!overlaps(&unit.span(), place), unit.range.len(), unit.range.start)
    });
    let mut span: Option<Range<usize>> = None;
    let mut is_touched = false;
    for statement in statements(text) {
        let mut missing = None;
        let found = near.iter().find(|unit| match unit_gap(&statement, message, unit, is_manner) {
            None => true,
            Some(gap) => {
                if missing.as_ref().is_none_or(|known| nearness(&gap) > nearness(known)) {
                    missing = Some(gap);
                }
                false
            }
        });
        let Some(unit) = found else { return Err(missing.map_or(Reason::NoQuote, Reason::NotCovered)) };
        is_touched |= overlaps(&unit.span(), place);
        let own = unit.span();
        span = Some(span.map_or(own.clone(), |span| span.start.min(own.start)..span.end.max(own.end)));
    }
    span.filter(|_| is_touched).ok_or(Reason::NoQuote)
}

/// How much of a text a statement holds that has this gap to it: the nearest one tells what became of the text.
fn nearness(gap: &Gap) -> u8 {
    match gap {
        Gap::Word(_) => 0,
        Gap::Number(_) | Gap::Turned(_) | Gap::Subject(_) => 1,
        Gap::Rearranged => 2,
        Gap::Retold => 3,
    }
}

fn unit_gap(statement: &str, message: &Said, unit: &Unit, is_manner: bool) -> Option<Gap> {
    let told = unit.words(&message.text);
    let before = before_unit(&message.text, unit);
    let words = with_antecedent(&told, before).unwrap_or(told);
    let words = finished(&words, sentence_of(&message.text, unit));
    if is_manner {
        return gap_of(statement, &words, message.date, true);
    }
    let mut found = derived_gap(statement, &words, message, unit);
    // A topic that is nobody carries over only where it fits.
    if matches!(found, Some(Gap::Subject(_) | Gap::Rearranged))
        && unit.topic.clone().is_some_and(|topic| is_nobody(message.text.get(topic)))
    {
        let own = finished(
            message.text.get(unit.range.clone()).unwrap_or_default(),
            sentence_of(&message.text, unit),
        );
        found = derived_gap(statement, &own, message, unit);
    }
    let referent = unit.referent.clone().and_then(|part| message.text.get(part));
    let is_named = |referent: &str| {
        with_referent(&words, referent)
            .is_some_and(|named| derived_gap(statement, &named, message, unit).is_none())
    };
    // An "it" may stand for all of what was said before it, or for the end of it: "read Arabic", "Arabic".
    let mut ends = referent.into_iter().flat_map(|whole| {
        whole.match_indices(' ').map(move |(at, _)| whole.get(at + 1..).unwrap_or_default()).chain([whole])
    });
    found.filter(|_| !ends.any(is_named))
}

/// What is between a text and a statement from which it isn't derived.
fn derived_gap(statement: &str, words: &str, message: &Said, unit: &Unit) -> Option<Gap> {
    if follows(statement, words, message.date) {
        return bears_on(before_unit(&message.text, unit), after_unit(&message.text, unit))
            .then_some(Gap::Retold);
    }
    match gap(statement, words, message.date) {
        None if names_in_passing(statement, words) => None,
        None if retells(statement, words, message.date) => Some(Gap::Retold),
        None => Some(Gap::Rearranged),
        found => found,
    }
}

/// The statement with what its "it" stands for.
fn with_referent(words: &str, referent: &str) -> Option<String> {
    const PRONOUNS: [&str; 7] = ["it", "one", "them", "there", "here", "him", "both"];
    let folded = fold(words);
    PRONOUNS.iter().find_map(|pronoun| {
        let at = crate::text::phrase::find(&folded, pronoun).filter(|_| folded.len() == words.len())?;
        Some(format!("{}{referent}{}", words.get(..at)?, words.get(at + pronoun.len()..)?))
    })
}

fn sentence_of<'a>(message: &'a str, unit: &Unit) -> &'a str {
    sentences(message).get(unit.sentence).copied().unwrap_or_default()
}

/// What is said behind a statement, in its sentence.
fn after_unit<'a>(message: &'a str, unit: &Unit) -> &'a str {
    let sentence = sentence_of(message, unit);
    let end = (sentence.as_ptr() as usize).saturating_sub(message.as_ptr() as usize) + sentence.len();
    message.get(unit.range.end..end).unwrap_or_default()
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

/// What is said before a statement, in its sentence and the one before it.
fn before_unit<'a>(message: &'a str, unit: &Unit) -> &'a str {
    let earlier = sentence_before(message, unit.range.start);
    let start = if earlier.is_empty() {
        0
    } else {
        (earlier.as_ptr() as usize).saturating_sub(message.as_ptr() as usize)
    };
    message.get(start..unit.range.start).unwrap_or_default()
}

/// A Japanese topic that is no person and no name.
fn is_nobody(topic: Option<&str>) -> bool {
    let noun = topic.unwrap_or_default().trim_end_matches(['は', '、']);
    let is_kana_name = noun.chars().all(is_katakana);
    language(noun) == Language::Ja
        && person_ja(noun).is_none()
        && !is_japanese_name(noun)
        && !is_kana_name
        && !noun.ends_with("さん")
        && !noun.ends_with("くん")
        && !noun.ends_with("ちゃん")
}

/// The sentence before the one that begins at or contains `at`.
fn sentence_before(message: &str, at: usize) -> &str {
    let starts = |sentence: &&str| (sentence.as_ptr() as usize).saturating_sub(message.as_ptr() as usize);
    let all = sentences(message);
    let own = all.iter().rposition(|sentence| starts(sentence) <= at).unwrap_or(0);
    own.checked_sub(1).and_then(|before| all.get(before)).copied().unwrap_or_default()
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
        kind,
        quote: quote.to_owned(),
        valid_from: period.from.map(|date| date.to_string()),
        valid_until: period.until.map(|date| date.to_string()),
        ..Candidate::new(said.message.clone(), text, said.said_at)
    }
}
