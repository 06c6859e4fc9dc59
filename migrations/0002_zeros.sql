-- Zeros that are written and removed again after a forgetting: they take freed pages and go round the write-ahead log, so
-- that no byte of what was forgotten stays in them.
CREATE TABLE zeros (owner TEXT NOT NULL, bytes BLOB NOT NULL);
