//! What the index promises: found in any spelling, nothing left behind, inserts of constant cost.

use super::*;
use crate::sqlite::Sqlite;

fn index(facts: &[&str]) -> Sqlite {
    let sql = Sqlite::memory();
    crate::store::schema::migrate(&sql, Millis(0)).unwrap();
    for (n, text) in facts.iter().enumerate() {
        put_fact(&sql, &id(n), text).unwrap();
    }
    sql
}

fn id(n: usize) -> FactId {
    FactId::parse(&format!("f_{n}")).unwrap()
}

fn first(sql: &Sqlite, question: &str) -> Option<String> {
    let found = search_facts(sql, &Query::of(question), 5).unwrap();
    let first = found.by_words.first()?;
    let rows = sql.exec("SELECT text FROM indexed_facts WHERE id = ?", &[first.id.as_str().into()]).unwrap();
    rows.first().map(|row| row.string(0).unwrap())
}

#[test]
fn words_of_one_and_two_characters_are_found_in_any_spelling() {
    let sql = index(&[
        "犬を飼っている",
        "大阪に住んでいる",
        "仕事でReactを使う",
        "コーヒーが好き",
        "I adopted two cats in Kyoto",
        "My sister's name is Anna",
    ]);
    for (question, answer) in [
        ("犬の名前は？", "犬を飼っている"),
        ("大阪のおすすめは？", "大阪に住んでいる"),
        ("ＲＥＡＣＴって何", "仕事でReactを使う"),
        ("ｺｰﾋｰは?", "コーヒーが好き"),
        ("which cat did I adopt", "I adopted two cats in Kyoto"),
        ("anna", "My sister's name is Anna"),
    ] {
        assert_eq!(first(&sql, question).as_deref(), Some(answer), "{question}");
    }
}

#[test]
fn a_question_without_content_finds_nothing() {
    let sql = index(&["私は犬が好きです", "I like what I do"]);
    for question in ["What do you do?", "それはどうですか", "", "？！", "👍", "\"OR\" NEAR("] {
        let found = search_facts(&sql, &Query::of(question), 5).unwrap();
        assert!(found.by_words.is_empty(), "{question}: {found:?}");
    }
}

#[test]
fn a_forgotten_text_leaves_no_term_behind() {
    let sql = index(&["I live in Wroclaw", "秘密の合言葉は柚子胡椒", "I like tea"]);
    put_message(&sql, 7, &ThreadId::main(), Millis(1), "柚子胡椒とWroclaw").unwrap();
    drop_fact(&sql, &id(0)).unwrap();
    drop_fact(&sql, &id(0)).unwrap();
    put_fact(&sql, &id(1), "緑茶").unwrap();
    drop_message(&sql, 7).unwrap();
    for table in ["fact_terms_data", "message_terms_data"] {
        for row in sql.exec(&format!("SELECT block FROM {table}"), &[]).unwrap() {
            let block = row.blob(0).unwrap();
            for trace in ["rocl", "ocla", "柚", "椒"] {
                let there = block.windows(trace.len()).any(|bytes| bytes == trace.as_bytes());
                assert!(!there, "{trace} in {table}");
            }
        }
    }
    assert_eq!(first(&sql, "柚子胡椒"), None);
    assert_eq!(first(&sql, "tea").as_deref(), Some("I like tea"));
    clear(&sql).unwrap();
    assert_eq!(first(&sql, "tea"), None);
}

#[test]
fn messages_are_found_by_thread_and_time() {
    let sql = index(&[]);
    let other = ThreadId::parse("th_2").unwrap();
    put_message(&sql, 1, &ThreadId::main(), Millis(10), "猫の名前はタマ").unwrap();
    put_message(&sql, 2, &other, Millis(20), "猫の名前はミケ").unwrap();
    let find = |filter: MessageFilter<'_>| -> Vec<i64> {
        let found = search_messages(&sql, &Query::of("猫の名前"), &filter, 5).unwrap();
        let mut ids: Vec<i64> = found.by_words.iter().map(|hit| hit.id).collect();
        ids.sort_unstable();
        ids
    };
    assert_eq!(find(MessageFilter::default()), [1, 2]);
    assert_eq!(find(MessageFilter { thread: Some(&other), ..MessageFilter::default() }), [2]);
    assert_eq!(find(MessageFilter { until: Some(Millis(20)), ..MessageFilter::default() }), [1]);
    assert_eq!(find(MessageFilter { since: Some(Millis(20)), ..MessageFilter::default() }), [2]);
}

#[test]
fn an_insert_writes_a_few_rows_however_much_there_is() {
    let sql = index(&[]);
    let cost = |seq: i64| {
        let before = sql.statements();
        put_message(&sql, seq, &ThreadId::main(), Millis(seq), "今日は大阪で犬と散歩した。Nice weather!")
            .unwrap();
        sql.statements() - before
    };
    let first = cost(1);
    for seq in 2..500 {
        cost(seq);
    }
    assert_eq!(cost(500), first);
}

#[test]
fn a_half_written_index_is_undone() {
    let sql = index(&["犬"]);
    for after in 0..4 {
        sql.fail_after(after);
        let _ = put_fact(&sql, &id(0), "猫を飼う");
        sql.fail_after(u32::MAX);
        let found = first(&sql, "犬").is_some();
        assert_ne!(found, first(&sql, "猫").is_some(), "after {after}");
        put_fact(&sql, &id(0), "犬").unwrap();
    }
}
