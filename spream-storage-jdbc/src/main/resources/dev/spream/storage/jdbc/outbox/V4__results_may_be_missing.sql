-- A request in progress has no answer yet. The first script did not say so of ledgers that it found, until it was corrected: tables
-- that it had migrated before get the same here.
ALTER TABLE "${ledger}"
    ALTER COLUMN http_status DROP NOT NULL,
    ALTER COLUMN response_payload_json DROP NOT NULL,
    ALTER COLUMN reason_code DROP NOT NULL,
    ALTER COLUMN settled_at DROP NOT NULL;
