-- Requests in the order in which they were begun, each in one place of it: pruning continues where it stopped. Writers of the ledger
-- wait while the index is built.
CREATE INDEX IF NOT EXISTS "${ledger}_begun" ON "${ledger}" (created_at, idempotency_key) WHERE generation < 2;
DROP INDEX IF EXISTS "${ledger}_created";

-- What failed and waits for its next attempt, and behind that what is parked: counted without what is pending.
CREATE INDEX IF NOT EXISTS "${outbox}_failed" ON "${outbox}" (next_run_at, id) WHERE status = 'failed';
