//! Objects and databases of every released version, opened by this one.
//!
//! `tests/releases` holds what each version stored and what its API answered; `tests/e2e/release.mjs` makes them.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use crate::support::d1::Fault;
use crate::support::sqlite::Sqlite;
use crate::support::world::{World, config};
use kioku::store::sql::Sql;
use serde_json::{Value, json};

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

fn files(name: &str, ending: &str) -> Vec<PathBuf> {
    let mut found: Vec<_> = fs::read_dir(folder(name))
        .expect("the folder is there")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|e| e == ending))
        .collect();
    found.sort();
    found
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Gives every released object, and what the version that stored it said of it.
fn released(mut look: impl FnMut(&str, &str, &Value)) {
    let found = files("tests/releases", "sql");
    assert!(!found.is_empty(), "no released object is kept");
    for path in found {
        let seen: Value = serde_json::from_str(&read(&path.with_extension("json"))).expect("JSON");
        look(&path.display().to_string(), &read(&path), &seen);
    }
}

/// A stored object: a search index that was written row by row is only read by a new connection.
fn opened(sql: &str) -> Sqlite {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let name = format!("file:object{}?mode=memory&cache=shared", NEXT.fetch_add(1, Ordering::Relaxed));
    let stored = rusqlite::Connection::open(&name).expect("memory is there");
    stored.execute_batch(sql).expect("the object loads");
    // It is gone with its last connection.
    let connection = rusqlite::Connection::open(&name).expect("the object opens");
    drop(stored);
    Sqlite::over(connection)
}

fn world(sql: &str) -> World {
    World::over(opened(sql), config(&[("MODEL_PROVIDER", "embedded")]))
}

fn get(world: &mut World, target: &str) -> Value {
    let (status, body) = world.call("GET", target, &Value::Null);
    assert_eq!(status, 200, "{target}: {body}");
    body
}

/// The named fields of every item.
fn fields(list: &Value, names: &[&str]) -> Vec<Vec<Value>> {
    let items = list.as_array().expect("a list");
    items.iter().map(|item| names.iter().map(|name| item[*name].clone()).collect()).collect()
}

/// Every table, index and trigger with its text, in one form.
fn schema(sql: &dyn Sql) -> Vec<String> {
    let rows = sql
        .exec("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite%'", &[])
        .expect("the schema is readable");
    let mut texts: Vec<String> = rows
        .iter()
        .map(|row| row.text(0).expect("text").split_whitespace().collect::<Vec<_>>().join(" "))
        .collect();
    texts.sort();
    texts
}

#[test]
fn a_released_object_shows_what_it_showed() {
    released(|name, sql, seen| {
        let mut world = world(sql);
        let names = ["id", "text", "status", "pinned", "kind", "observed_at", "version"];
        // From the object alone; and from a new D1, after it was filled from the object.
        world.outside.d1.set_fault(Some(Fault::Down));
        for _ in 0..2 {
            let facts = get(&mut world, "/api/memory/facts?status=all&limit=200");
            assert_eq!(fields(&facts["facts"], &names), fields(&seen["facts"], &names), "{name}");
            world.outside.d1.set_fault(None);
            let (status, _) = world.call("POST", "/api/memory/mirrors/reconcile", &Value::Null);
            assert_eq!(status, 200);
        }
        let messages = get(&mut world, "/api/threads/main/messages?limit=200");
        let names = ["id", "role", "text"];
        assert_eq!(fields(&messages["messages"], &names), fields(&seen["messages"], &names), "{name}");
        let threads = get(&mut world, "/api/threads");
        assert_eq!(fields(&threads["threads"], &["id"]).len(), fields(&seen["threads"], &["id"]).len());
        let changes = get(&mut world, "/api/memory/changes");
        assert_eq!(changes["changes"].as_array().map(Vec::len), seen["changes"].as_u64().map(|n| n as usize));
        let settings = &get(&mut world, "/api/me")["settings"];
        for (setting, value) in seen["settings"].as_object().expect("settings") {
            assert_eq!(&settings[setting], value, "{name}: {setting}");
        }
    });
}

#[test]
fn a_released_object_goes_on_remembering() {
    released(|name, sql, _| {
        let mut world = world(sql);
        let tab = world.connect("main");
        for (id, question, answer) in
            [("q1", "What is my cat called?", "Tama"), ("q2", "私は今どこに住んでいますか？", "Kyoto")]
        {
            world.send(&tab, id, question);
            world.settle();
            let recalled = world.of_type(&tab, "recalled").pop().expect("a recall");
            assert!(recalled["facts"].to_string().contains(answer), "{name}: {recalled}");
        }
        let before = world.of_type(&tab, "remembered").len();
        world.send(&tab, "s1", "I have a dog named Pochi.");
        world.settle();
        world.advance(60_000);
        assert!(world.of_type(&tab, "remembered").len() > before, "{name}: nothing new was learned");
        let found = get(&mut world, "/api/memory/facts?q=Pochi&match=keyword");
        let id = found["facts"][0]["id"].as_str().expect("a fact").to_owned();
        let (status, receipt) = world.call("DELETE", &format!("/api/memory/facts/{id}"), &Value::Null);
        assert_eq!((status, &receipt["object"]), (200, &json!("done")), "{name}");
    });
}

#[test]
fn what_was_forgotten_before_the_upgrade_stays_forgotten() {
    released(|name, sql, _| {
        let mut world = world(sql);
        world.advance(120_000);
        let (status, found) = world.call("POST", "/api/recall", &json!({"query": "Do I collect stamps?"}));
        assert_eq!(status, 200);
        assert!(!found["facts"].to_string().contains("stamps"), "{name}: {found}");
        let hashes = world.outside.sql.exec("SELECT count(*) FROM tombstones", &[]).expect("a count");
        assert!(hashes[0].int(0).expect("a number") > 0, "{name}: no tombstone came along");
    });
}

/// A released step that is edited, and not followed by a new one, gives old objects another schema than new ones.
#[test]
fn an_upgraded_object_has_the_schema_of_a_new_one() {
    let mut new = World::new(config(&[]));
    new.session();
    let expected = schema(&new.outside.sql);
    released(|name, sql, _| {
        let mut world = world(sql);
        world.session();
        assert_eq!(schema(&world.outside.sql), expected, "{name}");
    });
}

#[test]
fn an_upgrade_that_breaks_off_leaves_the_object_as_it_was() {
    released(|name, sql, _| {
        for statements in 0.. {
            let stored = opened(sql);
            let before = schema(&stored);
            stored.fail_after(statements);
            let mut world = World::over(stored, config(&[]));
            if world.open().is_some() {
                break;
            }
            world.outside.sql.heal();
            assert_eq!(schema(&world.outside.sql), before, "{name}: after {statements} statements");
        }
    });
}

#[test]
fn an_object_of_a_newer_version_is_refused_and_not_touched() {
    released(|name, sql, _| {
        let stored = opened(sql);
        stored.exec("INSERT INTO schema_steps VALUES (999, 0)", &[]).expect("a newer step");
        let statements = stored.statements();
        let mut world = World::over(stored, config(&[]));
        assert!(world.open().is_none(), "{name} was opened");
        assert!(world.outside.sql.statements() - statements <= 2, "{name}: only looked at");
        let rows = world.outside.sql.exec("SELECT count(*) FROM facts", &[]).expect("the facts are there");
        assert!(rows[0].int(0).expect("a number") > 0);
    });
}

#[test]
fn a_version_has_one_number_and_a_part_in_the_changelog() {
    let version = env!("CARGO_PKG_VERSION");
    let package: Value = serde_json::from_str(&read(&folder("package.json"))).expect("JSON");
    let locked: Value = serde_json::from_str(&read(&folder("package-lock.json"))).expect("JSON");
    assert_eq!((&package["version"], &locked["version"]), (&json!(version), &json!(version)));
    let changes = read(&folder("CHANGELOG.md"));
    let newest = changes.lines().find_map(|line| line.strip_prefix("## ")).expect("a part");
    assert!(newest == "Unreleased" || newest.starts_with(version), "the newest part is {newest}");
}

/// D1 remembers which files it has run, so a file that has been released can't be changed any more.
#[test]
fn released_migrations_are_what_they_were_and_new_ones_come_after_them() {
    let name = |path: &PathBuf| path.file_name().expect("a name").to_string_lossy().into_owned();
    let kept = files("tests/releases/d1", "sql");
    let now: Vec<String> = files("migrations", "sql").iter().map(name).collect();
    assert_eq!(now.get(..kept.len()), Some(kept.iter().map(name).collect::<Vec<_>>().as_slice()));
    for path in kept {
        let name = name(&path);
        assert_eq!(
            read(&path),
            read(&folder("migrations").join(&name)),
            "{name} was changed after its release"
        );
    }
}
