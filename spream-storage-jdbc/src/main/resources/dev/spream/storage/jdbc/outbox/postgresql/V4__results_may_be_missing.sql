-- A request in progress has no answer yet. The first script did not say so of ledgers that it found, until it was corrected: tables
-- that it had migrated before get the same here. Others are not locked.
DO $$
DECLARE
    required record;
BEGIN
    FOR required IN
        SELECT attname AS name FROM pg_attribute
        WHERE attrelid = '"${ledger}"'::regclass AND attnotnull
            AND attname IN ('http_status', 'response_payload_json', 'reason_code', 'settled_at')
    LOOP
        EXECUTE format('ALTER TABLE "${ledger}" ALTER COLUMN %I DROP NOT NULL', required.name);
    END LOOP;
END $$;
