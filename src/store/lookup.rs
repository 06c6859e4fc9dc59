//! The query behind a search: which terms are looked up, and how a list is scored.

use super::index::{Found, Hit, Query};
use super::sql::{Arg, Sql, StoreError};
use crate::sorted::{SortedMap, SortedSet};
use crate::text::search::indexed_words;

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
    /// Texts that share no rare word with a question are of no use, so that they need not be looked for.
    pub(super) only_rare: bool,
}

impl Tables {
    pub(super) const FACTS: Self = Self {
        terms: "fact_terms",
        vocabulary: "fact_vocabulary",
        docs: "indexed_facts",
        id: "id",
        only_rare: false,
    };
    pub(super) const MESSAGES: Self = Self {
        terms: "message_terms",
        vocabulary: "message_vocabulary",
        docs: "indexed_messages",
        id: "doc",
        only_rare: true,
    };
}

/// How many texts common terms are in, kept while there are about as many texts: counting them takes the longer the more
/// there are, and says the same.
#[derive(Debug, Default)]
pub struct Common {
    texts: SortedMap<String, i64>,
    total: i64,
}

impl Common {
    fn of_about(&mut self, total: i64) -> &mut Self {
        if total < self.total || total > self.total + self.total / 8 + 16 {
            *self = Self { texts: SortedMap::new(), total };
        }
        self
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
    common: &mut Common,
    total: i64,
    limit: u32,
    corpus: &Tables,
    conditions: &str,
    args: &[Arg<'_>],
    read_id: impl Fn(&super::sql::Row) -> Result<Id, StoreError>,
) -> Result<Found<Id>, StoreError> {
    let common = common.of_about(total);
    let unknown: Vec<&String> = query.words.iter().filter(|word| !common.texts.contains_key(*word)).collect();
    let mut frequencies = frequencies(sql, corpus, &unknown)?;
    let known = query.words.iter().filter_map(|word| Some((word.clone(), *common.texts.get(word)?)));
    frequencies.extend(known);
    for (word, texts) in &frequencies {
        if *texts > 2 * rare_below(total) {
            common.texts.insert(word.clone(), *texts);
        }
    }
    let words = affordable(frequencies.clone(), MAX_WORDS);
    let rare_below = rare_below(total);
    let rare: SortedSet<&str> =
        words.iter().filter(|(_, texts)| *texts <= rare_below).map(|(term, _)| term.as_str()).collect();
    if corpus.only_rare && rare.is_empty() {
        return Ok(Found {
            by_words: Vec::new(),
            by_grams: Vec::new(),
            frequencies: frequencies.into_iter().collect(),
            total,
        });
    }
    let grams: Vec<&String> = query.grams.iter().collect();
    let grams = affordable(self::frequencies(sql, corpus, &grams)?, MAX_GRAMS);
    let list = |terms: &[(String, i64)]| -> Result<Vec<Hit<Id>>, StoreError> {
        let Some(wanted) = match_expression(terms) else { return Ok(Vec::new()) };
        let Tables { terms, docs, id, .. } = corpus;
        // The best are found before their texts are read, except where a condition looks at more than terms.
        let statement = if conditions.is_empty() {
            format!(
                "SELECT d.{id}, t.rank, d.text
                 FROM (SELECT rowid, rank FROM {terms} WHERE {terms} MATCH ? ORDER BY rank, rowid DESC LIMIT ?) t
                 JOIN {docs} d ON d.doc = t.rowid ORDER BY t.rank, d.doc DESC"
            )
        } else {
            format!(
                "SELECT d.{id}, t.rank, d.text FROM {terms} t JOIN {docs} d ON d.doc = t.rowid
                 WHERE {terms} MATCH ?{conditions} ORDER BY t.rank, d.doc DESC LIMIT ?"
            )
        };
        let mut all: Vec<Arg<'_>> = vec![wanted.as_str().into()];
        all.extend_from_slice(args);
        all.push(i64::from(limit).into());
        sql.exec(&statement, &all)?
            .iter()
            .map(|row| {
                let text = row.string(2)?;
                let shares =
                    !rare.is_empty() && indexed_words(&text).iter().any(|t| rare.contains(t.as_str()));
                Ok(Hit { id: read_id(row)?, score: -row.real(1)?, rare_term_shared: shares, text })
            })
            .collect()
    };
    let (by_words, by_grams) = (list(&words)?, list(&grams)?);
    Ok(Found { by_words, by_grams, frequencies: frequencies.into_iter().collect(), total })
}

/// The terms that occur at all, with the number of texts each is in.
fn frequencies(sql: &dyn Sql, corpus: &Tables, terms: &[&String]) -> Result<Vec<(String, i64)>, StoreError> {
    if terms.is_empty() {
        return Ok(Vec::new());
    }
    let asked: Vec<&&String> = terms.iter().take(MAX_ASKED).collect();
    let asked = serde_json::to_string(&asked).unwrap_or_default();
    let statement =
        format!("SELECT term, doc FROM {} WHERE term IN (SELECT value FROM json_each(?))", corpus.vocabulary);
    let rows = sql.exec(&statement, &[asked.as_str().into()])?;
    rows.iter().map(|row| Ok((row.string(0)?, row.int(1)?))).collect()
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
