-- An outbox and the ledger of its idempotency keys. Tables of earlier workers are kept and altered. They are locked until
-- this script has committed. No table is rewritten: only rows that are not settled are written, and one row of the ledger for
-- each entry that has none.

-- Without a notice for each object that is there already.
SET LOCAL client_min_messages = warning;

-- Tables of version 5 or later whose history was lost: version 5 renames them again.
DO $$
BEGIN
    IF to_regclass('"${outbox}_segments"') IS NOT NULL THEN
        ALTER TABLE "${outbox}_segments" RENAME CONSTRAINT "${outbox}_segment_range" TO "${outbox}_lanes_lane_check";
        ALTER TABLE "${outbox}_segments" RENAME CONSTRAINT "${outbox}_segments_pkey" TO "${outbox}_lanes_pkey";
        ALTER TABLE "${outbox}_segments" RENAME COLUMN segment TO lane;
        ALTER TABLE "${outbox}_segments" RENAME TO "${outbox}_lanes";
        ALTER INDEX "${outbox}_segment_order" RENAME TO "${outbox}_lane_order";
        ALTER TABLE "${outbox}" RENAME CONSTRAINT "${outbox}_segment_of_key" TO "${outbox}_lane_of_key";
        ALTER TABLE "${outbox}" RENAME COLUMN segment TO lane;
    END IF;
END $$;

CREATE TABLE IF NOT EXISTS "${ledger}" (
    idempotency_key text NOT NULL,
    generation int NOT NULL,
    PRIMARY KEY (idempotency_key, generation)
);

LOCK TABLE "${ledger}" IN ACCESS EXCLUSIVE MODE;

-- The response is of type json, which keeps its text: a repeated request is answered with the same bytes.
ALTER TABLE "${ledger}"
    ADD COLUMN IF NOT EXISTS generation int NOT NULL DEFAULT 1,
    ADD COLUMN IF NOT EXISTS request_digest text,
    ADD COLUMN IF NOT EXISTS status text,
    ADD COLUMN IF NOT EXISTS http_status int,
    ADD COLUMN IF NOT EXISTS response_payload_json json,
    ADD COLUMN IF NOT EXISTS reason_code text,
    ADD COLUMN IF NOT EXISTS created_at timestamptz DEFAULT now(),
    ADD COLUMN IF NOT EXISTS updated_at timestamptz DEFAULT now(),
    ADD COLUMN IF NOT EXISTS settled_at timestamptz;

-- A request in progress has no answer yet.
ALTER TABLE "${ledger}"
    ALTER COLUMN http_status DROP NOT NULL,
    ALTER COLUMN response_payload_json DROP NOT NULL,
    ALTER COLUMN reason_code DROP NOT NULL,
    ALTER COLUMN settled_at DROP NOT NULL;

-- A key alone is not unique any more: a request that is begun again after it failed is another generation of it.
DO $$
DECLARE
    alone record;
BEGIN
    FOR alone IN
        SELECT c.relname AS name, k.conname AS constraint_name
        FROM pg_index i
        JOIN pg_class c ON c.oid = i.indexrelid
        LEFT JOIN pg_constraint k ON k.conindid = i.indexrelid AND k.contype IN ('p', 'u')
        WHERE i.indrelid = '"${ledger}"'::regclass AND i.indisunique AND i.indnkeyatts = 1
            AND i.indkey[0] = (SELECT attnum FROM pg_attribute
                WHERE attrelid = i.indrelid AND attname = 'idempotency_key')
    LOOP
        IF alone.constraint_name IS NULL THEN
            EXECUTE format('DROP INDEX %I', alone.name);
        ELSE
            EXECUTE format('ALTER TABLE "${ledger}" DROP CONSTRAINT %I', alone.constraint_name);
        END IF;
    END LOOP;
    IF NOT EXISTS (SELECT FROM pg_index i WHERE i.indrelid = '"${ledger}"'::regclass AND i.indisprimary) THEN
        ALTER TABLE "${ledger}" ADD PRIMARY KEY (idempotency_key, generation);
    ELSE
        IF EXISTS (SELECT FROM pg_index i WHERE i.indrelid = '"${ledger}"'::regclass AND i.indisprimary
                AND i.indnkeyatts = 1) THEN
            CREATE UNIQUE INDEX "${ledger}_generation" ON "${ledger}" (idempotency_key, generation);
        END IF;
    END IF;
END $$;

CREATE TABLE IF NOT EXISTS "${outbox}" (
    id bigserial PRIMARY KEY,
    idempotency_key text NOT NULL UNIQUE,
    order_request_json jsonb NOT NULL,
    request_digest text NOT NULL,
    status text NOT NULL
);

LOCK TABLE "${outbox}" IN ACCESS EXCLUSIVE MODE;

ALTER TABLE "${outbox}"
    ADD COLUMN IF NOT EXISTS attempts int NOT NULL DEFAULT 0,
    ADD COLUMN IF NOT EXISTS last_error_code text,
    ADD COLUMN IF NOT EXISTS last_error_msg text,
    ADD COLUMN IF NOT EXISTS locked_by text,
    ADD COLUMN IF NOT EXISTS locked_at timestamptz,
    ADD COLUMN IF NOT EXISTS created_at timestamptz DEFAULT now(),
    ADD COLUMN IF NOT EXISTS updated_at timestamptz DEFAULT now(),
    ADD COLUMN IF NOT EXISTS expires_at timestamptz,
    ADD COLUMN IF NOT EXISTS lease_until timestamptz,
    ADD COLUMN IF NOT EXISTS claim_token bigint NOT NULL DEFAULT 0,
    ADD COLUMN IF NOT EXISTS ordering_key text,
    ADD COLUMN IF NOT EXISTS lane smallint,
    ADD COLUMN IF NOT EXISTS generation int NOT NULL DEFAULT 1,
    ADD COLUMN IF NOT EXISTS traceparent text;

UPDATE "${outbox}" SET attempts = 0 WHERE attempts IS NULL;
UPDATE "${outbox}" SET created_at = coalesce(created_at, updated_at, now()), updated_at = coalesce(updated_at, created_at, now())
WHERE created_at IS NULL OR updated_at IS NULL;
UPDATE "${outbox}" SET request_digest = 'sha256:' || encode(sha256(convert_to(order_request_json::text, 'UTF8')), 'hex')
WHERE request_digest IS NULL;

-- A column that is never null, without a write of the settled rows, which are most. An index over the old column is dropped
-- with it.
DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_attribute WHERE attrelid = '"${outbox}"'::regclass AND attname = 'next_run_at'
            AND NOT attnotnull) THEN
        ALTER TABLE "${outbox}" RENAME COLUMN next_run_at TO next_run_at_before;
        ALTER TABLE "${outbox}" ADD COLUMN next_run_at timestamptz NOT NULL DEFAULT now();
        UPDATE "${outbox}" SET next_run_at = next_run_at_before
        WHERE status IN ('pending', 'failed') AND next_run_at_before IS NOT NULL;
        ALTER TABLE "${outbox}" DROP COLUMN next_run_at_before;
    END IF;
END $$;
ALTER TABLE "${outbox}" ADD COLUMN IF NOT EXISTS next_run_at timestamptz NOT NULL DEFAULT now();

-- Earlier workers assumed that a failed request had not reached the receiver. It may have, unless its error code says that the
-- receiver refused it.
DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_attribute WHERE attrelid = '"${outbox}"'::regclass AND attname = 'outcome_unknown') THEN
        ALTER TABLE "${outbox}" ADD COLUMN outcome_unknown boolean NOT NULL DEFAULT false;
        UPDATE "${outbox}" SET outcome_unknown = true
        WHERE status IN ('pending', 'failed') AND attempts > 0
            AND (last_error_code IS NULL OR upper(last_error_code) NOT IN
                ('REJECTED', 'INVALID_REQUEST', 'UNAUTHORIZED', 'RATE_LIMITED', 'IDEMPOTENCY_CONFLICT', 'EXPIRED'));
    END IF;
END $$;

-- Entries that an earlier worker was sending: their lease expires two minutes after it was last renewed.
UPDATE "${outbox}" SET
    lease_until = coalesce(locked_at, now()) + interval '120 seconds', attempts = attempts + 1, outcome_unknown = true
WHERE status = 'sending' AND lease_until IS NULL;

ALTER TABLE "${outbox}"
    ALTER COLUMN idempotency_key SET NOT NULL,
    ALTER COLUMN order_request_json SET NOT NULL,
    ALTER COLUMN request_digest SET NOT NULL,
    ALTER COLUMN status SET NOT NULL, ALTER COLUMN status SET DEFAULT 'pending',
    ALTER COLUMN attempts SET NOT NULL, ALTER COLUMN attempts SET DEFAULT 0,
    ALTER COLUMN created_at SET NOT NULL, ALTER COLUMN created_at SET DEFAULT clock_timestamp(),
    ALTER COLUMN updated_at SET NOT NULL, ALTER COLUMN updated_at SET DEFAULT clock_timestamp(),
    ALTER COLUMN next_run_at SET DEFAULT clock_timestamp();

-- An earlier worker, which takes no leases, fails at these constraints instead of sending entries a second time.
ALTER TABLE "${outbox}"
    DROP CONSTRAINT IF EXISTS "${outbox}_known_status",
    ADD CONSTRAINT "${outbox}_known_status" CHECK (status IN ('pending', 'sending', 'failed', 'succeeded', 'aborted')),
    DROP CONSTRAINT IF EXISTS "${outbox}_sent_on_lease",
    ADD CONSTRAINT "${outbox}_sent_on_lease" CHECK (status <> 'sending' OR lease_until IS NOT NULL),
    DROP CONSTRAINT IF EXISTS "${outbox}_lane_of_key",
    ADD CONSTRAINT "${outbox}_lane_of_key" CHECK ((lane IS NULL) = (ordering_key IS NULL) AND lane BETWEEN 0 AND 255);

-- Due entries in the order of their time. Parked entries come last and are not read.
CREATE INDEX IF NOT EXISTS "${outbox}_due" ON "${outbox}" (next_run_at, id)
    WHERE status IN ('pending', 'failed') AND lane IS NULL;

-- Leases that may have expired. A renewal writes this index; few entries are sent for so long.
CREATE INDEX IF NOT EXISTS "${outbox}_leases" ON "${outbox}" (lease_until) WHERE status = 'sending';

CREATE INDEX IF NOT EXISTS "${outbox}_expiring" ON "${outbox}" (expires_at)
    WHERE status IN ('pending', 'failed') AND expires_at IS NOT NULL AND next_run_at < 'infinity';

CREATE INDEX IF NOT EXISTS "${outbox}_lane_order" ON "${outbox}" (lane, id)
    WHERE status IN ('pending', 'sending', 'failed') AND lane IS NOT NULL;

CREATE INDEX IF NOT EXISTS "${outbox}_key_order" ON "${outbox}" (ordering_key, id)
    WHERE status IN ('pending', 'sending', 'failed') AND ordering_key IS NOT NULL;

CREATE INDEX IF NOT EXISTS "${outbox}_key_sent" ON "${outbox}" (ordering_key, id)
    WHERE status = 'sending' AND ordering_key IS NOT NULL;

-- Requests without a time of settlement in the ledger of earlier services were settled when they were last written.
UPDATE "${ledger}" SET created_at = coalesce(created_at, updated_at, now()), updated_at = coalesce(updated_at, created_at, now())
WHERE created_at IS NULL OR updated_at IS NULL;
UPDATE "${ledger}" SET settled_at = updated_at WHERE status IN ('succeeded', 'failed') AND settled_at IS NULL;
UPDATE "${ledger}" AS l SET request_digest = coalesce(
    (SELECT o.request_digest FROM "${outbox}" AS o WHERE o.idempotency_key = l.idempotency_key), 'unknown')
WHERE request_digest IS NULL;
UPDATE "${ledger}" SET status = CASE WHEN http_status BETWEEN 200 AND 299 THEN 'succeeded' ELSE 'in_progress' END,
    settled_at = CASE WHEN http_status BETWEEN 200 AND 299 THEN updated_at END
WHERE status IS NULL;

-- Entries without a row in the ledger, then entries that are settled and have a row in progress.
INSERT INTO "${ledger}" (idempotency_key, generation, request_digest, status, created_at, updated_at)
SELECT o.idempotency_key, 1, o.request_digest, 'in_progress', o.created_at, o.updated_at
FROM "${outbox}" AS o
WHERE NOT EXISTS (SELECT FROM "${ledger}" AS l WHERE l.idempotency_key = o.idempotency_key);

UPDATE "${ledger}" AS l SET
    status = CASE o.status WHEN 'succeeded' THEN 'succeeded' ELSE 'failed' END,
    http_status = CASE o.status WHEN 'succeeded' THEN 200 ELSE 500 END,
    reason_code = CASE o.status WHEN 'aborted' THEN coalesce(o.last_error_code, 'INTERNAL_ERROR') END,
    settled_at = o.updated_at,
    updated_at = o.updated_at
FROM "${outbox}" AS o
WHERE o.idempotency_key = l.idempotency_key AND o.generation = l.generation AND o.request_digest = l.request_digest
    AND o.status IN ('succeeded', 'aborted') AND l.status = 'in_progress';

-- Entries that were reset by hand after their request had failed: a new generation of the request.
WITH again AS (
    UPDATE "${outbox}" AS o SET generation = 2
    FROM "${ledger}" AS l
    WHERE o.status = 'pending' AND o.attempts = 0 AND o.generation = 1
        AND l.idempotency_key = o.idempotency_key AND l.generation = 1 AND l.status = 'failed'
        AND l.request_digest = o.request_digest
    RETURNING o.idempotency_key, o.request_digest
)
INSERT INTO "${ledger}" (idempotency_key, generation, request_digest, status, created_at, updated_at)
SELECT idempotency_key, 2, request_digest, 'in_progress', now(), now() FROM again;

ALTER TABLE "${ledger}"
    ALTER COLUMN request_digest SET NOT NULL,
    ALTER COLUMN status SET NOT NULL,
    ALTER COLUMN created_at SET NOT NULL, ALTER COLUMN created_at SET DEFAULT clock_timestamp(),
    ALTER COLUMN updated_at SET NOT NULL, ALTER COLUMN updated_at SET DEFAULT clock_timestamp(),
    DROP CONSTRAINT IF EXISTS "${ledger}_known_status",
    ADD CONSTRAINT "${ledger}_known_status" CHECK (status IN ('in_progress', 'succeeded', 'failed'));

-- For pruning. The settlement of a request changes no indexed column.
CREATE INDEX IF NOT EXISTS "${ledger}_created" ON "${ledger}" (created_at);

-- The leases of segments: the holder of a segment sends its entries with an ordering key.
CREATE TABLE IF NOT EXISTS "${outbox}_lanes" (
    lane smallint PRIMARY KEY CHECK (lane BETWEEN 0 AND 255),
    epoch bigint NOT NULL DEFAULT 0,
    owner text,
    lease_until timestamptz
);
INSERT INTO "${outbox}_lanes" (lane) SELECT generate_series(0, 255) ON CONFLICT DO NOTHING;

CREATE TABLE IF NOT EXISTS "${outbox}_workers" (
    owner text PRIMARY KEY,
    alive_until timestamptz NOT NULL
);

-- Operators' changes. They outlive the entries.
CREATE TABLE IF NOT EXISTS "${outbox}_audit" (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    actor text NOT NULL,
    action text NOT NULL,
    entry_id bigint NOT NULL,
    idempotency_key text NOT NULL,
    outcome text NOT NULL,
    reason text NOT NULL
);
CREATE INDEX IF NOT EXISTS "${outbox}_audit_entry" ON "${outbox}_audit" (entry_id, id);

-- Rows are written three times in a short time: free space in their pages, and an early vacuum.
ALTER TABLE "${outbox}" SET (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000,
    autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 1);
ALTER TABLE "${ledger}" SET (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
ALTER TABLE "${outbox}_lanes" SET (fillfactor = 50, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_scale_factor = 0);
