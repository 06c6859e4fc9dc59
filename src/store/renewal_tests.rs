use std::collections::HashSet;

use super::*;
use crate::id::{FactId, ThreadId};
use crate::sorted::SortedSet;
use crate::sqlite::Sqlite;
use crate::store::embeddings::{self, Corpus};
use crate::store::index::{self, MessageFilter, Query};
use crate::store::schema;
use crate::time::Millis;

fn indexed(count: i64) -> Sqlite {
    let sql = Sqlite::memory();
    schema::migrate(&sql, Millis(1)).unwrap();
    for place in 0..count {
        put(&sql, place - 50, &format!("message number{place} 第{place}号"));
        put_fact(&sql, place, &format!("fact number{place} 第{place}号"));
    }
    sql
}

fn put(sql: &Sqlite, place: i64, text: &str) {
    index::put_message(sql, place, &ThreadId::main(), Millis(1), text).unwrap();
}

fn fact(place: i64) -> FactId {
    FactId::parse(&format!("f_{place}")).unwrap()
}

fn put_fact(sql: &Sqlite, place: i64, text: &str) {
    index::put_fact(sql, &fact(place), text).unwrap();
}

fn found(sql: &Sqlite, text: &str) -> Vec<i64> {
    let hits = index::search_messages(sql, &Query::by_words(text), &MessageFilter::default(), 9).unwrap();
    hits.by_words.iter().map(|hit| hit.id).collect()
}

fn found_facts(sql: &Sqlite, text: &str) -> Vec<FactId> {
    let hits = index::search_facts(sql, &Query::by_words(text), 9).unwrap();
    hits.by_words.into_iter().map(|hit| hit.id).collect()
}

fn begun(sql: &Sqlite) {
    settings::set(sql, MESSAGES_GONE, "1").unwrap();
    begin(sql).unwrap();
}

fn finish_all(sql: &Sqlite) {
    while step(sql).unwrap() {}
}

/// Every row of every table that is made anew, and what the schema is.
fn state(sql: &Sqlite) -> Vec<String> {
    let copied = ALWAYS.iter().chain(OF_MESSAGES).filter_map(|(name, making)| match making {
        Copied(key, _) => Some(format!("SELECT * FROM {name} ORDER BY {}", key.join(", "))),
        Cut(_) => None,
    });
    let whole = [
        "SELECT * FROM sqlite_sequence WHERE seq > 0 ORDER BY name",
        "SELECT type, name, tbl_name FROM sqlite_master ORDER BY type, name",
    ];
    copied
        .chain(whole.map(str::to_owned))
        .map(|query| format!("{:?}", sql.exec(&query, &[]).unwrap()))
        .chain([format!("{:?}", found(sql, "number12")), format!("{:?}", found_facts(sql, "number12"))])
        .collect()
}

/// Rows in every table that is copied, `count` in each.
fn filled(count: i64) -> Sqlite {
    let sql = indexed(count);
    for statement in [
        "INSERT INTO messages (id, thread, role, text, created_at) SELECT 'm_' || doc, 'main', 'user', text, 1 FROM indexed_facts",
        "INSERT INTO facts (id, text, normal, search, kind, scope, status, pinned, edited, observed_at, quote, said_at,
             created_at, updated_at, version)
         SELECT id, text, text, text, 'other', 'global', 'current', 0, 0, 1, text, 1, 1, 1, 1 FROM indexed_facts",
        "INSERT INTO changes (id, op, fact, reason, at) SELECT 'c_' || doc, 'added', id, '', 1 FROM indexed_facts",
        "INSERT INTO change_items (change, fact, after, version) SELECT doc, id, text, 1 FROM indexed_facts",
        "INSERT INTO change_items (change, fact, after, version) SELECT doc, id || 'b', text, 1 FROM indexed_facts",
        "INSERT INTO threads (id, title, temporary, created_at, updated_at) SELECT 't_' || doc, text, 0, 1, 1 FROM indexed_facts",
        "INSERT INTO chunks SELECT 'n_' || doc, 1, text FROM indexed_facts",
        "INSERT INTO chunks SELECT 'n_' || doc, 2, text FROM indexed_facts",
        "INSERT INTO rewrites SELECT 'n_' || doc, 1, text FROM indexed_facts",
        "INSERT INTO fact_codes SELECT doc, doc % 2, text FROM indexed_facts",
        "INSERT INTO message_codes SELECT doc, 1, text FROM indexed_messages",
        "INSERT INTO embedding_sketches (model, corpus, edition, lowest, highest, docs, bits, scales)
         SELECT 1, 1, 1, doc, doc, x'01', text, x'02' FROM indexed_facts",
        "DELETE FROM messages WHERE seq = (SELECT max(seq) FROM messages)",
        "DELETE FROM changes WHERE seq = (SELECT max(seq) FROM changes)",
    ] {
        sql.exec(statement, &[]).unwrap();
    }
    sql
}

#[test]
fn a_renewal_changes_no_row_no_index_and_no_number_and_can_be_made_again() {
    for count in [0, 60, 1_100] {
        let sql = filled(count);
        let before = state(&sql);
        for _ in 0..2 {
            begun(&sql);
            finish_all(&sql);
            assert_eq!(state(&sql), before, "{count} rows");
        }
    }
}

#[test]
fn rows_that_change_while_their_table_is_copied_are_as_they_were_changed() {
    // The same changes of a table that is being copied, before and behind the place that was reached, and of one that isn't.
    let (renewed, untouched) = (filled(1_700), filled(1_700));
    begun(&renewed);
    let mut n = 0;
    while step(&renewed).unwrap() {
        n += 1;
        for place in [n * 13 % 1_600 + 1, 1_600 - n * 29 % 1_500] {
            for (statement, args) in [
                ("UPDATE messages SET text = ?2, external_id = ?2 WHERE seq = ?1", 2),
                ("DELETE FROM messages WHERE seq = ?1 + 7", 1),
                ("UPDATE facts SET text = ?2 WHERE id = 'f_' || ?1", 2),
                ("INSERT OR REPLACE INTO facts SELECT id, ?2, normal, about, search, kind, scope, status, 1, edited, observed_at,
                    valid_from, valid_until, superseded_by, message, thread, quote, said_at, turn, created_at, updated_at,
                    version + 1 FROM facts WHERE id = 'f_' || (?1 + 3)", 2),
                ("DELETE FROM facts WHERE id = 'f_' || (?1 + 5)", 1),
                ("INSERT OR REPLACE INTO chunks VALUES ('n_' || ?1, 2, ?2)", 2),
                ("UPDATE change_items SET after = ?2 WHERE change = ?1", 2),
                ("DELETE FROM change_items WHERE change = ?1 + 2 AND fact LIKE '%b'", 1),
                ("INSERT INTO rewrites VALUES ('n_' || ?1, 1, ?2) ON CONFLICT (turn) DO UPDATE SET searched = ?2", 2),
                ("UPDATE threads SET title = ?2 WHERE id = 't_' || ?1", 2),
                ("INSERT INTO messages (id, thread, role, text, created_at) VALUES ('m_new' || ?2, 'main', 'user', ?1, 1)", 2),
            ] {
                let text = format!("changed {n} {place} 変更");
                let values: [Arg<'_>; 2] = [place.into(), (&text).into()];
                for sql in [&renewed, &untouched] {
                    sql.exec(statement, &values[..args]).unwrap();
                }
            }
        }
    }
    assert!(n > 30, "{n} steps");
    assert_eq!(state(&renewed), state(&untouched));
}

#[test]
fn what_changes_while_the_terms_are_made_anew_is_found_as_it_is() {
    let sql = indexed(350);
    begun(&sql);
    for (n, place) in [10, 110, 210].into_iter().enumerate() {
        assert!(step(&sql).unwrap(), "there is more");
        // Before and behind the place that was reached.
        for place in [place - 50, place + 250 - 50] {
            index::drop_message(&sql, place).unwrap();
            put(&sql, place, &format!("changed{n} 変更{n}"));
        }
        put(&sql, 1_000 + place, &format!("later{n} 後で{n}"));
        assert_eq!(found(&sql, "number200"), [150], "the old table answers");
    }
    while !is_of(&sql, "fact_terms") {
        step(&sql).unwrap();
    }
    for (n, place) in [10, 110, 210].into_iter().enumerate() {
        step(&sql).unwrap();
        for place in [place, place + 130] {
            put_fact(&sql, place, &format!("changed{n} 変更{n}"));
            index::drop_fact(&sql, &fact(place + 1)).unwrap();
        }
        put_fact(&sql, 1_000 + place, &format!("later{n} 後で{n}"));
    }
    finish_all(&sql);
    for n in 0..3 {
        let place = n * 100 + 10;
        assert_eq!(found(&sql, &format!("number{place}")), Vec::<i64>::new());
        assert_eq!(found(&sql, &format!("later{n}")), [1_000 + place]);
        assert!(found(&sql, &format!("changed{n}")).contains(&(place - 50)));
        assert_eq!(found_facts(&sql, &format!("number{place}")), []);
        assert_eq!(found_facts(&sql, &format!("number{}", place + 1)), []);
        assert_eq!(found_facts(&sql, &format!("later{n}")), [fact(1_000 + place)]);
        assert!(found_facts(&sql, &format!("changed{n}")).contains(&fact(place)));
    }
    assert_eq!((found(&sql, "number200"), found_facts(&sql, "number200")), (vec![150], vec![fact(200)]));
    let left = sql.exec("SELECT count(*) FROM sqlite_master WHERE name LIKE 'renewed%'", &[]).unwrap();
    assert_eq!(left[0].int(0), Ok(0));
    index::drop_message(&sql, 150).unwrap();
    index::drop_fact(&sql, &fact(200)).unwrap();
    assert_eq!(found(&sql, "number200"), Vec::<i64>::new(), "the new table is changed like the old one");
    assert_eq!(found_facts(&sql, "number200"), []);
}

/// Whether this table is the one that is being made anew.
fn is_of(sql: &Sqlite, table: &str) -> bool {
    let rows = sql.exec("SELECT name FROM renewals ORDER BY turn LIMIT 1", &[]).unwrap();
    rows[0].text(0) == Ok(table)
}

#[test]
fn a_step_that_fails_anywhere_is_made_again_and_ends_the_same() {
    let sql = filled(600);
    let before = state(&sql);
    begun(&sql);
    for statements in (0..400).step_by(3) {
        sql.fail_after(statements % 120);
        let _ = step(&sql);
        sql.heal();
    }
    finish_all(&sql);
    assert_eq!(state(&sql), before);
}

#[test]
fn forgetting_everything_and_a_new_version_of_the_schema_give_up_wherever_it_is() {
    for steps in 0..14 {
        for upgrades in [false, true] {
            let sql = filled(600);
            let before = state(&sql);
            begun(&sql);
            for _ in 0..steps {
                step(&sql).unwrap();
            }
            if upgrades {
                sql.exec("DELETE FROM schema_steps WHERE step > ?", &[schema::RENEWALS.into()]).unwrap();
                give_up(&sql).unwrap();
                assert_eq!(state(&sql), before, "after {steps}");
            } else {
                index::clear(&sql).unwrap();
            }
            assert!(!is_under_way(&sql).unwrap());
            let left = sql.exec("SELECT name FROM sqlite_master WHERE name LIKE 'renewed%'", &[]).unwrap();
            assert_eq!(left, []);
            put(&sql, 5_000, "anew");
            assert_eq!(found(&sql, "anew"), [5_000]);
            assert!(settings::get(&sql, MESSAGES_GONE).unwrap().is_some(), "it is to be done again");
        }
    }
}

#[test]
fn neither_a_code_nor_a_sketch_of_a_forgotten_text_is_left_in_the_file() {
    let file = std::env::temp_dir().join(format!("kioku-{}.sqlite", std::process::id()));
    let _ = std::fs::remove_file(&file);
    let sql = Sqlite::over(rusqlite::Connection::open(&file).unwrap());
    schema::migrate(&sql, Millis(1)).unwrap();
    embeddings::aim_at(&sql, "m", 1).unwrap();
    // In no order, so that pages are split and what is on them moves.
    for place in (0..600).map(|n| n * 377 % 600) {
        put(&sql, place, "text");
        put_fact(&sql, place, "text");
        let waiting = embeddings::waiting(&sql, None, 9).unwrap();
        let vectors = waiting.iter().map(|text| {
            let seed = (text.doc * 2 + i64::from(text.corpus == Corpus::Facts)) as f32;
            let vector = (0..192).map(|at| (seed * 7.3 + at as f32 * (seed + 1.7)).sin());
            (text.corpus, text.doc, vector.collect())
        });
        embeddings::put(&sql, &vectors.collect::<Vec<_>>()).unwrap();
    }
    let blob = |statement: &str| sql.exec(statement, &[]).unwrap()[0].blob(0).unwrap().to_vec();
    let sketch = |corpus: Corpus, doc: i64| {
        let blocks = "SELECT docs, bits FROM embedding_sketches WHERE corpus = ?";
        let found = sql.exec(blocks, &[corpus.key().into()]).unwrap().into_iter().find_map(|block| {
            let at = block.blob(0).unwrap().chunks(8).position(|place| place == doc.to_le_bytes())?;
            block.blob(1).unwrap().chunks(32).nth(at).map(<[u8]>::to_vec)
        });
        found.unwrap()
    };
    let code = |table: &str, doc: i64| blob(&format!("SELECT code FROM {table} WHERE doc = {doc}"));
    let forgotten = (20..580).step_by(20);
    let gone: Vec<[Vec<u8>; 4]> = forgotten
        .clone()
        .map(|doc| {
            [
                code("fact_codes", doc),
                code("message_codes", doc),
                sketch(Corpus::Facts, doc),
                sketch(Corpus::Messages, doc),
            ]
        })
        .collect();
    let wanted: HashSet<&[u8]> = gone.iter().flatten().map(|bytes| &bytes[4..28]).collect();
    let left = || -> [usize; 4] {
        let bytes = std::fs::read(&file).unwrap();
        let there: SortedSet<&[u8]> = bytes.windows(24).filter(|bytes| wanted.contains(bytes)).collect();
        std::array::from_fn(|kind| gone.iter().filter(|gone| there.contains(&gone[kind][4..28])).count())
    };
    assert_eq!(left(), [gone.len(); 4]);
    for doc in forgotten {
        let id = sql.exec("SELECT id FROM indexed_facts WHERE doc = ?", &[doc.into()]).unwrap();
        index::drop_fact(&sql, &FactId::parse(id[0].text(0).unwrap()).unwrap()).unwrap();
        index::drop_message(&sql, doc).unwrap();
    }
    begun(&sql);
    finish_all(&sql);
    assert_eq!(left(), [0; 4]);
    std::fs::remove_file(&file).unwrap();
}
