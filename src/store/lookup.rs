//! The query behind a search: which terms are looked up, and how a list is scored.

use crate::sorted::{SortedMap, SortedSet};
use std::rc::Rc;

use super::index::{Found, Hit, Indexed, Query};
use super::known::Written;
use super::sql::{Arg, Row, Sql, StoreError};

/// A question asks for at most this many words and trigrams, the rarest ones; the rest only costs time.
const MAX_WORDS: usize = 24;

/// Trigrams only order what words have found: the rarest few do that as well as many.
const MAX_GRAMS: usize = 16;

/// Terms that are looked up; a longer question is a text.
const MAX_ASKED: usize = 360;

/// Texts that one list may have to score. The commonest terms of a question go first when there are more.
const MAX_SCORED: i64 = 4_000;

pub(super) struct Tables {
    pub(super) terms: &'static str,
    pub(super) vocabulary: &'static str,
    pub(super) docs: &'static str,
    pub(super) id: &'static str,
    /// There may be very many: those that share no rare word with a question are not looked for, and how many there are
    /// is known about.
    pub(super) is_large: bool,
}

impl Tables {
    pub(super) const FACTS: Self = Self {
        terms: "fact_terms",
        vocabulary: "fact_vocabulary",
        docs: "indexed_facts",
        id: "id",
        is_large: false,
    };
    pub(super) const MESSAGES: Self = Self {
        terms: "message_terms",
        vocabulary: "message_vocabulary",
        docs: "indexed_messages",
        id: "doc",
        is_large: true,
    };
}

/// What one who searches again and again knows of the texts. Losing it costs finding it anew, nothing else.
#[derive(Debug, Default)]
pub struct Familiar {
    /// In how many texts terms are.
    frequencies: SortedMap<String, i64>,
    total: i64,
    texts: SortedMap<i64, Rc<Indexed>>,
    /// How often terms and texts had been written.
    terms_as_of: Option<Written>,
    texts_as_of: Option<Written>,
}

/// Terms and texts that are kept of a corpus.
const KEPT: usize = 400;

impl Familiar {
    /// Forgets what may have changed among so many texts.
    fn as_of_now(&mut self, sql: &dyn Sql, corpus: &Tables, total: i64) {
        let terms = sql.written(corpus.terms);
        let is_same = terms.is_some() && terms == self.terms_as_of;
        // Counting common terms takes the longer the more texts there are, and says the same while there are about as many.
        let is_similar = corpus.is_large && (self.total..=self.total + self.total / 8 + 16).contains(&total);
        if is_similar {
            let rare_below = rare_below(total);
            self.frequencies.retain(|_, texts| is_same || *texts > 2 * rare_below);
        } else if !is_same {
            (self.frequencies, self.total) = (SortedMap::new(), total);
        }
        self.terms_as_of = terms;
        let texts = sql.written(corpus.docs);
        if texts.map(|texts| texts.over) != self.texts_as_of.map(|texts| texts.over) || texts.is_none() {
            self.texts.clear();
        }
        self.texts_as_of = texts;
        if self.frequencies.len() > KEPT {
            self.frequencies.clear();
        }
        if self.texts.len() > KEPT {
            self.texts.clear();
        }
    }

    /// In how many texts each term is that is in any.
    fn frequencies(
        &mut self,
        sql: &dyn Sql,
        corpus: &Tables,
        terms: &[String],
    ) -> Result<Vec<(String, i64)>, StoreError> {
        let unknown: Vec<&String> =
            terms.iter().filter(|term| !self.frequencies.contains_key(*term)).take(MAX_ASKED).collect();
        if !unknown.is_empty() {
            let asked = serde_json::to_string(&unknown).unwrap_or_default();
            let statement = format!(
                "SELECT term, doc FROM {} WHERE term IN (SELECT value FROM json_each(?))",
                corpus.vocabulary
            );
            for term in unknown {
                self.frequencies.insert(term.clone(), 0);
            }
            for row in sql.exec(&statement, &[asked.as_str().into()])? {
                self.frequencies.insert(row.string(0)?, row.int(1)?);
            }
        }
        let found = terms.iter().filter_map(|term| Some((term, self.frequencies.get(term)?)));
        Ok(found.filter(|(_, texts)| **texts > 0).map(|(term, texts)| (term.clone(), *texts)).collect())
    }

    /// Learns what is not known yet of texts.
    fn read(&mut self, sql: &dyn Sql, corpus: &Tables, docs: &[i64]) -> Result<(), StoreError> {
        let unknown: Vec<i64> = docs.iter().filter(|doc| !self.texts.contains_key(doc)).copied().collect();
        if unknown.is_empty() {
            return Ok(());
        }
        let places = serde_json::to_string(&unknown).unwrap_or_default();
        let statement =
            format!("SELECT doc, text FROM {} WHERE doc IN (SELECT value FROM json_each(?))", corpus.docs);
        for row in sql.exec(&statement, &[places.as_str().into()])? {
            self.texts.insert(row.int(0)?, Rc::new(Indexed::of(row.text(1)?)));
        }
        Ok(())
    }
}

/// Terms in at most so many texts are rare.
fn rare_below(total: i64) -> i64 {
    (total / 20).max(3)
}

#[expect(clippy::too_many_arguments, reason = "one search, two corpora; each argument differs between them")]
pub(super) fn search<Id>(
    sql: &dyn Sql,
    query: &Query,
    familiar: &mut Familiar,
    total: i64,
    limit: u32,
    corpus: &Tables,
    conditions: &str,
    args: &[Arg<'_>],
    read_id: impl Fn(&Row) -> Result<Id, StoreError>,
) -> Result<Found<Id>, StoreError> {
    familiar.as_of_now(sql, corpus, total);
    let frequencies = familiar.frequencies(sql, corpus, &query.words)?;
    let words = affordable(frequencies.clone(), MAX_WORDS);
    let frequencies = frequencies.into_iter().collect();
    let rare_below = rare_below(total);
    let rare: SortedSet<&str> =
        words.iter().filter(|(_, texts)| *texts <= rare_below).map(|(term, _)| term.as_str()).collect();
    if corpus.is_large && rare.is_empty() {
        return Ok(Found { by_words: Vec::new(), by_grams: Vec::new(), frequencies, total });
    }
    let grams = affordable(familiar.frequencies(sql, corpus, &query.grams)?, MAX_GRAMS);
    let mut list = |terms: &[(String, i64)]| -> Result<Vec<Hit<Id>>, StoreError> {
        let Some(wanted) = match_expression(terms) else { return Ok(Vec::new()) };
        let Tables { terms, docs, id, .. } = corpus;
        // The best are found before anything is read of them, except where a condition looks at more than terms.
        let statement = if conditions.is_empty() {
            format!(
                "SELECT d.{id}, t.rank, d.doc
                 FROM (SELECT rowid, rank FROM {terms} WHERE {terms} MATCH ? ORDER BY rank, rowid DESC LIMIT ?) t
                 JOIN {docs} d ON d.doc = t.rowid ORDER BY t.rank, d.doc DESC"
            )
        } else {
            format!(
                "SELECT d.{id}, t.rank, d.doc FROM {terms} t JOIN {docs} d ON d.doc = t.rowid
                 WHERE {terms} MATCH ?{conditions} ORDER BY t.rank, d.doc DESC LIMIT ?"
            )
        };
        let mut all: Vec<Arg<'_>> = vec![wanted.as_str().into()];
        all.extend_from_slice(args);
        all.push(i64::from(limit).into());
        let rows = sql.exec(&statement, &all)?;
        let docs: Vec<i64> = rows.iter().map(|row| row.int(2)).collect::<Result<_, StoreError>>()?;
        familiar.read(sql, corpus, &docs)?;
        rows.iter()
            .zip(docs)
            .map(|(row, doc)| {
                let known = familiar.texts.get(&doc).ok_or_else(|| StoreError::corrupt("search index"))?;
                let rare_term_shared = rare.iter().any(|term| known.terms.has(term));
                Ok(Hit { id: read_id(row)?, score: -row.real(1)?, rare_term_shared, known: Rc::clone(known) })
            })
            .collect()
    };
    let (by_words, by_grams) = (list(&words)?, list(&grams)?);
    Ok(Found { by_words, by_grams, frequencies, total })
}

/// The rarest of the terms, no more than can be scored.
fn affordable(mut known: Vec<(String, i64)>, most: usize) -> Vec<(String, i64)> {
    crate::order::by(&mut known, |a, b| a.1.cmp(&b.1).then_with(|| a.0.cmp(&b.0)));
    let mut scored = 0;
    known.truncate(most);
    let affordable = known.iter().take_while(|(_, texts)| {
        scored += texts;
        scored <= MAX_SCORED
    });
    let affordable = affordable.count().max(1);
    known.truncate(affordable);
    known
}

/// Any of the terms. They hold nothing that a quoted string of a full-text query can't.
fn match_expression(terms: &[(String, i64)]) -> Option<String> {
    let quoted: Vec<String> = terms.iter().map(|(term, _)| format!("\"{term}\"")).collect();
    (!quoted.is_empty()).then(|| quoted.join(" OR "))
}
