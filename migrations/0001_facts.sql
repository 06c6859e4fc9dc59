-- Facts as the memory page lists and searches them: a copy of what each user's object holds.
--
-- Every statement names the owner. A row's (epoch, version) only grows: a write that arrives late changes nothing.
-- A forgotten fact leaves (owner, id, version, epoch, deleted_at) without any text until no write can be late.

CREATE TABLE facts (
  owner TEXT NOT NULL,
  id TEXT NOT NULL,
  version INTEGER NOT NULL,
  epoch INTEGER NOT NULL,
  deleted_at INTEGER,
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
  PRIMARY KEY (owner, id)
) WITHOUT ROWID;

-- The page's lists: newest first within an owner, read on from (created_at, id).
CREATE INDEX facts_newest ON facts (owner, created_at, id) WHERE deleted_at IS NULL;

-- Few facts are held, and the page asks for them often.
CREATE INDEX facts_held ON facts (owner, created_at, id) WHERE deleted_at IS NULL AND status = 'held';

-- Forgotten facts, to be cleaned up later.
CREATE INDEX facts_deleted ON facts (owner, deleted_at) WHERE deleted_at IS NOT NULL;

-- When an owner last forgot everything: facts of earlier epochs can't come back.
CREATE TABLE owners (
  owner TEXT PRIMARY KEY,
  epoch INTEGER NOT NULL
) WITHOUT ROWID;
