//! The user's settings.

use serde::{Deserialize, Serialize};

use super::sql::{Sql, StoreError};
use crate::json;
use crate::memory::category::Category;
use crate::memory::model::words;

pub const SCHEMA: &str = "
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
";

words!(
    /// Whether memory is read and written, only read, or neither.
    MemoryMode { On = "on", ReadOnly = "read_only", Off = "off" }
);

impl MemoryMode {
    pub fn reads(self) -> bool {
        self != Self::Off
    }

    pub fn writes(self) -> bool {
        self == Self::On
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    pub memory_mode: MemoryMode,
    /// An IANA zone.
    pub timezone: String,
    /// A BCP 47 tag; empty until the browser or the user says.
    pub locale: String,
    /// Facts and messages older than this many days are removed; `None` keeps them.
    pub retention_days: Option<u32>,
    /// Categories of facts that are refused.
    pub never_remember: Vec<String>,
}

impl Settings {
    /// What the user never wants to be remembered.
    pub fn never(&self) -> Vec<Category> {
        self.never_remember.iter().filter_map(|word| Category::parse(word)).collect()
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            memory_mode: MemoryMode::On,
            timezone: "UTC".to_owned(),
            locale: String::new(),
            retention_days: None,
            never_remember: Vec::new(),
        }
    }
}

/// The stored form; unknown fields of a newer version are kept out, missing ones get their defaults.
#[derive(Serialize, Deserialize)]
struct Stored {
    memory_mode: String,
    timezone: String,
    locale: String,
    retention_days: Option<u32>,
    never_remember: Vec<String>,
}

pub fn load(sql: &dyn Sql) -> Result<Settings, StoreError> {
    let Some(json) = get(sql, "settings")? else { return Ok(Settings::default()) };
    let stored: Stored = json::read(json.as_bytes()).map_err(|_| StoreError::corrupt("settings"))?;
    Ok(Settings {
        memory_mode: MemoryMode::parse(&stored.memory_mode)
            .ok_or_else(|| StoreError::corrupt("memory mode"))?,
        timezone: stored.timezone,
        locale: stored.locale,
        retention_days: stored.retention_days,
        never_remember: stored.never_remember,
    })
}

pub fn save(sql: &dyn Sql, settings: &Settings) -> Result<(), StoreError> {
    let stored = Stored {
        memory_mode: settings.memory_mode.as_str().to_owned(),
        timezone: settings.timezone.clone(),
        locale: settings.locale.clone(),
        retention_days: settings.retention_days,
        never_remember: settings.never_remember.clone(),
    };
    let json = serde_json::to_string(&stored).map_err(|_| StoreError::corrupt("settings"))?;
    set(sql, "settings", &json)
}

/// A named value of the object, such as whose it is.
pub fn get(sql: &dyn Sql, name: &str) -> Result<Option<String>, StoreError> {
    let rows = sql.known("SELECT value FROM meta WHERE name = ?", &[name.into()])?;
    rows.first().map(|row| row.string(0)).transpose()
}

pub fn set(sql: &dyn Sql, name: &str, value: &str) -> Result<(), StoreError> {
    sql.exec(
        "INSERT INTO meta VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        &[name.into(), value.into()],
    )?;
    Ok(())
}

pub fn remove(sql: &dyn Sql, name: &str) -> Result<(), StoreError> {
    sql.exec("DELETE FROM meta WHERE name = ?", &[name.into()])?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sqlite::Sqlite;
    use crate::time::Millis;

    #[test]
    fn settings_survive_and_start_with_the_defaults() {
        let sql = Sqlite::memory();
        crate::store::schema::migrate(&sql, Millis(0)).unwrap();
        assert_eq!(load(&sql).unwrap(), Settings::default());
        let changed = Settings {
            memory_mode: MemoryMode::ReadOnly,
            timezone: "Asia/Tokyo".to_owned(),
            locale: "ja".to_owned(),
            retention_days: Some(30),
            never_remember: vec!["health".to_owned()],
        };
        save(&sql, &changed).unwrap();
        assert_eq!(load(&sql).unwrap(), changed);
    }
}
