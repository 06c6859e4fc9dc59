-- Rows of facts become slots that never change their size, so that nothing is ever copied from page to page.
--
-- SQLite writes a row of the same size in its place; one that grows, shrinks or goes leaves bytes behind, and makes
-- its neighbours be copied. So each row is padded (`pad`) to a multiple of 256 bytes (`size`), is overwritten in its place
-- when it is forgotten, and is then free for a fact of anybody of the same size: its owner becomes 16 zeros, its size
-- and its number. No row is deleted, and no statement but these may change a row's size; versions count from 2^32, so
-- that each takes the same room.
--
-- D1 is a copy: the facts themselves aren't brought along. Each object sends its own again, and answers alone until then.

-- However large the database is, this copies and frees nothing: each object overwrites its own rows here when it sends them
-- again, and every day the Worker gives a part of the table back, with zeros over its pages, until none is left.
ALTER TABLE facts RENAME TO facts_before;

CREATE TABLE facts (
  owner TEXT NOT NULL,
  id TEXT NOT NULL,
  version INTEGER NOT NULL,
  epoch INTEGER NOT NULL,
  deleted INTEGER NOT NULL,
  text TEXT NOT NULL,
  kind TEXT NOT NULL,
  scope TEXT NOT NULL,
  status TEXT NOT NULL,
  pinned INTEGER NOT NULL,
  edited INTEGER NOT NULL,
  observed_at INTEGER NOT NULL,
  valid_from TEXT,
  valid_until TEXT,
  supersedes TEXT NOT NULL,
  superseded_by TEXT,
  message TEXT,
  thread TEXT,
  quote TEXT NOT NULL,
  said_at INTEGER NOT NULL,
  turn TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  search TEXT NOT NULL,
  size INTEGER NOT NULL,
  pad TEXT NOT NULL,
  UNIQUE (owner, id)
);

-- The page's lists: newest first within an owner, read on from (created_at, id).
CREATE INDEX slots_newest ON facts (owner, created_at, id) WHERE deleted = 0;

-- Few facts are held, and the page asks for them often.
CREATE INDEX slots_held ON facts (owner, created_at, id) WHERE deleted = 0 AND status = 'held';

-- SQLite copies the first page of a table when it outgrows it, and leaves the copied bytes behind: let them be these.
INSERT INTO facts (owner, id, version, epoch, deleted, text, kind, scope, status, pinned, edited, observed_at,
  supersedes, quote, said_at, created_at, updated_at, search, size, pad)
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 8)
SELECT '', 'filler-' || i, 0, 0, 1, hex(zeroblob(500)), '', '', '', 0, 0, 0, '', '', 0, 0, 0, '', 0, '' FROM n;
