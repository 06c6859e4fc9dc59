-- Facts as the memory page lists and searches them: a copy of what each user's object holds.
--
-- Every statement names the owner. A row's (epoch, version) only grows: a write that arrives late changes nothing.
-- A forgotten fact leaves its id, version and the time of its deletion until no write can be late. Its text is
-- overwritten in place. For that a row keeps its size when it is deleted: `deleted` is 0 or 1 (SQLite stores
-- neither), `updated_at` becomes the time of deletion, and rows are only appended, because a tree in the order
-- of another key copies rows from page to page and leaves their bytes behind.

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
  UNIQUE (owner, id)
);

-- The page's lists: newest first within an owner, read on from (created_at, id).
CREATE INDEX facts_newest ON facts (owner, created_at, id) WHERE deleted = 0;

-- Few facts are held, and the page asks for them often.
CREATE INDEX facts_held ON facts (owner, created_at, id) WHERE deleted = 0 AND status = 'held';

-- Forgotten facts, to be swept.
CREATE INDEX facts_deleted ON facts (owner, updated_at) WHERE deleted = 1;

-- When an owner last forgot everything: facts of earlier epochs can't come back.
CREATE TABLE owners (
  owner TEXT PRIMARY KEY,
  epoch INTEGER NOT NULL
) WITHOUT ROWID;

-- SQLite copies the first page of a table when it outgrows it, and leaves the copied bytes behind: let them be these.
INSERT INTO facts (owner, id, version, epoch, deleted, text, kind, scope, status, pinned, edited, observed_at,
  supersedes, quote, said_at, created_at, updated_at, search)
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 8)
SELECT '', 'filler-' || i, 0, 0, 1, hex(zeroblob(500)), '', '', '', 0, 0, 0, '', '', 0, 0, 0, '' FROM n;
