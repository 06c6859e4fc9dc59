//! Personal access tokens: what each may do and until when. The tokens themselves are nowhere, only their hashes.

use super::sql::{Row, Sql, StoreError};
use crate::http::route::Scope;
use crate::id::TokenId;
use crate::time::{MINUTE, Millis};

pub const SCHEMA: &str = "
CREATE TABLE tokens (
    id TEXT PRIMARY KEY,
    hash TEXT NOT NULL,
    name TEXT NOT NULL,
    scopes TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    last_used_at INTEGER
) WITHOUT ROWID;
";

/// Uses closer together than this are one: a script that asks every second is no reason to write every second.
const USE_RESOLUTION: i64 = MINUTE;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredToken {
    pub id: TokenId,
    /// SHA-256 of the token, in hexadecimal.
    pub hash: String,
    pub name: String,
    pub scopes: Vec<Scope>,
    pub created_at: Millis,
    /// `None`: until it is revoked.
    pub expires_at: Option<Millis>,
    /// To the minute.
    pub last_used_at: Option<Millis>,
}

const COLUMNS: &str = "id, hash, name, scopes, created_at, expires_at, last_used_at";

pub fn add(sql: &dyn Sql, token: &StoredToken) -> Result<(), StoreError> {
    let scopes: Vec<&str> = token.scopes.iter().map(|scope| scope.as_str()).collect();
    sql.exec(
        &format!("INSERT INTO tokens ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, NULL)"),
        &[
            token.id.as_str().into(),
            token.hash.as_str().into(),
            token.name.as_str().into(),
            scopes.join(" ").as_str().into(),
            token.created_at.into(),
            token.expires_at.map(|at| at.0).into(),
        ],
    )?;
    Ok(())
}

/// The newest first.
pub fn list(sql: &dyn Sql) -> Result<Vec<StoredToken>, StoreError> {
    sql.exec(&format!("SELECT {COLUMNS} FROM tokens ORDER BY created_at DESC, id"), &[])?
        .iter()
        .map(read)
        .collect()
}

pub fn get(sql: &dyn Sql, id: &TokenId) -> Result<Option<StoredToken>, StoreError> {
    let rows = sql.exec(&format!("SELECT {COLUMNS} FROM tokens WHERE id = ?"), &[id.as_str().into()])?;
    rows.first().map(read).transpose()
}

/// Whether there was such a token. From here on it opens nothing.
pub fn revoke(sql: &dyn Sql, id: &TokenId) -> Result<bool, StoreError> {
    Ok(!sql.exec("DELETE FROM tokens WHERE id = ? RETURNING id", &[id.as_str().into()])?.is_empty())
}

/// Notes a use.
pub fn used(sql: &dyn Sql, token: &StoredToken, now: Millis) -> Result<(), StoreError> {
    if token.last_used_at.is_none_or(|at| now.since(at) >= USE_RESOLUTION) {
        sql.exec("UPDATE tokens SET last_used_at = ? WHERE id = ?", &[now.into(), token.id.as_str().into()])?;
    }
    Ok(())
}

fn read(row: &Row) -> Result<StoredToken, StoreError> {
    Ok(StoredToken {
        id: TokenId::parse(row.text(0)?).ok_or_else(|| StoreError::corrupt("token id"))?,
        hash: row.string(1)?,
        name: row.string(2)?,
        // A scope of a newer version opens nothing here.
        scopes: row.text(3)?.split(' ').filter_map(Scope::parse).collect(),
        created_at: Millis(row.int(4)?),
        expires_at: row.optional(5, Row::int)?.map(Millis),
        last_used_at: row.optional(6, Row::int)?.map(Millis),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sqlite::Sqlite;

    #[test]
    fn a_token_is_listed_with_its_last_use_until_it_is_revoked() {
        let sql = Sqlite::memory();
        crate::store::schema::migrate(&sql, Millis(0)).unwrap();
        let token = StoredToken {
            id: TokenId::new([1; 10]),
            hash: "h".to_owned(),
            name: "スクリプト".to_owned(),
            scopes: vec![Scope::Chat, Scope::MemoryRead],
            created_at: Millis(5),
            expires_at: Some(Millis(9)),
            last_used_at: None,
        };
        add(&sql, &token).unwrap();
        assert_eq!(list(&sql).unwrap(), std::slice::from_ref(&token));
        used(&sql, &token, Millis(MINUTE)).unwrap();
        let once = get(&sql, &token.id).unwrap().unwrap();
        assert_eq!(once.last_used_at, Some(Millis(MINUTE)));
        used(&sql, &once, Millis(2 * MINUTE - 1)).unwrap();
        assert_eq!(get(&sql, &token.id).unwrap(), Some(once));
        assert!(revoke(&sql, &token.id).unwrap() && !revoke(&sql, &token.id).unwrap());
        assert_eq!(get(&sql, &token.id).unwrap(), None);
    }
}
