-- Entries by the sender that sends them; '' is the default one. Adding the columns writes no row. Indexes of unsettled entries begin
-- with the destination, so that a claim for one reads no others; writers of the table wait while they are built.
ALTER TABLE "${outbox}"
    ADD COLUMN IF NOT EXISTS destination text NOT NULL DEFAULT '',
    ADD COLUMN IF NOT EXISTS payload_type text;

DROP INDEX IF EXISTS "${outbox}_due";
CREATE INDEX "${outbox}_due" ON "${outbox}" (destination, next_run_at, id)
    WHERE status IN ('pending', 'failed') AND segment IS NULL;

DROP INDEX IF EXISTS "${outbox}_segment_order";
CREATE INDEX "${outbox}_segment_order" ON "${outbox}" (segment, destination, id)
    WHERE status IN ('pending', 'sending', 'failed') AND segment IS NOT NULL;

DROP INDEX IF EXISTS "${outbox}_key_order";
CREATE INDEX "${outbox}_key_order" ON "${outbox}" (ordering_key, destination, id)
    WHERE status IN ('pending', 'sending', 'failed') AND ordering_key IS NOT NULL;

DROP INDEX IF EXISTS "${outbox}_key_sent";
CREATE INDEX "${outbox}_key_sent" ON "${outbox}" (ordering_key, destination, id)
    WHERE status = 'sending' AND ordering_key IS NOT NULL;
