-- What is settled, in the order in which it was: a purge reads what it removes and nothing else. Writers of the tables wait while
-- the indexes are built.
CREATE INDEX IF NOT EXISTS "${outbox}_settled" ON "${outbox}" (updated_at, id) WHERE status IN ('succeeded', 'aborted');

CREATE INDEX IF NOT EXISTS "${outbox}_audit_at" ON "${outbox}_audit" (at, id);
